"""What git's failures mean, in sentences that say what to do: never git's own words as they are.

Git's messages can hold addresses with credentials and paths of the machine; what is passed on from
them is taken apart here.
"""

import re

from web.core.errors import NotAllowed, PortolanError, TooManyRequests, Unavailable
from web.core.redaction import redacted
from web.core.text import visible_line

_USER_INFORMATION = re.compile(r"(?<=[\w+.-])://[^/\s@']*@")
# What a remote says may be one line without end, and is looked through for many patterns.
_LONGEST_LINE = 2000
_MACHINE_PATH = re.compile(r"(?<![\w/:.])/[\w.@+-]+(?:/[\w.@+-]*)+")
_SIGN_IN = (
    r"permission denied \(|could not read (username|password)|authentication failed"
    r"|terminal prompts disabled|returned error: 40[13]|invalid credentials"
)
_LEFT_ALONE_SECONDS = 60  # git does not tell what the remote asked for
_TOO_MANY = r"returned error: 429"
_NOT_FOUND = (
    r"repository not found|returned error: 404|does not appear to be a git repository"
    r"|not a git repository|repository .* (not found|does not exist)|project .* not found"
)
_SEE_CREDENTIAL = (
    "See that the remote knows the stored credential, that it has not expired and may read this "
    "repository; set a new one in the admin or with manage.py set_credential NAME."
)
# Lists of refs and progress, in which a branch's name could look like a complaint.
_NOT_COMPLAINTS = (" ", "From ", "Receiving", "Resolving", "remote: Co", "remote: En", "remote: To")
_REMOTE_LACKS = "corruption on the remote side"
_ADVICE: tuple[tuple[str, str, str], ...] = (
    (
        r"no space left|disk quota exceeded|disk is full",
        "The disk is full.",
        "Free space in the data folder, then sync again.",
    ),
    (
        r"timeout after|operation too slow|timed out",
        "The remote did not answer in time.",
        "Sync again later; raise PORTOLAN_GIT_LISTING_SECONDS for a slow remote, "
        "PORTOLAN_GIT_TIMEOUT_SECONDS for a very large repository.",
    ),
    (
        r"could not resolve host|could not be found in dns|name or service not known"
        r"|temporary failure in name resolution",
        "The remote's host name could not be found.",
        "Check the address and this machine's name resolution.",
    ),
    (
        r"remote host identification has changed",
        "The key of the remote's ssh host is not the one that is known.",
        "If it was changed on purpose, replace its line in known_hosts in the data folder; "
        "otherwise somebody else may be answering.",
    ),
    (
        r"host key verification failed",
        "The key of the remote's ssh host is not known to this machine.",
        "Add it to the file known_hosts in the data folder (ssh-keyscan), then sync again.",
    ),
    (
        _SIGN_IN,
        "The remote asks for a sign-in, or does not know the repository.",
        "Check the address, and give it a credential: manage.py set_credential NAME.",
    ),
    (
        _TOO_MANY,
        "The remote wants to be asked less often.",
        "Sync again later; raise the pause of sync_repositories --watch.",
    ),
    (
        _NOT_FOUND,
        "There is no repository at this address any more, or it may not be read.",
        "Check the address of the repository.",
    ),
    (
        r"unable to update url base from redirection|returned error: 30\d|redirect",
        "The remote's address leads to another one.",
        "Open it in a browser and use the address that it ends at.",
    ),
    (
        r"from promisor remote|lazy fetching disabled",
        "The remote repository is a partial clone: it lacks files of what is to be indexed.",
        "Run git fetch --refetch --no-filter in it, or give the address that it was cloned from; "
        "then sync with --force.",
    ),
    (
        rf"{_REMOTE_LACKS}|unable to read [0-9a-f]{{40}}",
        "The remote repository is damaged: it lacks something that it is made of.",
        "Run git fsck in the remote repository; sync with --force when it is mended.",
    ),
    (
        r"dubious ownership|permission denied|unable to (read|open)|cannot open",
        "The repository may not be read from this machine.",
        "Give the user that runs the worker the right to read it.",
    ),
    (
        r"transport '.*' not allowed",
        "This kind of address is not allowed.",
        "Use an https or ssh address.",
    ),
    (
        r"ssl|certificate|tls",
        "The remote's certificate could not be checked.",
        "Check the address. A certificate authority of your own goes into the system's store, or "
        "into the file that GIT_SSL_CAINFO names for the worker.",
    ),
    (
        r"connection refused|failed to connect|couldn't connect|connection reset|unreachable"
        r"|unable to access|hung up|early eof|returned error: 5\d\d|could not read from remote",
        "The remote could not be reached, or broke off.",
        "Sync again later; check the address if it goes on.",
    ),
    (
        r"mismatched algorithms|object format",
        "The repository uses SHA-256 object ids, which cannot be read yet.",
        "Give the address of a copy with SHA-1 ids, made by git fast-export and git fast-import.",
    ),
    (
        r"git is not installed",
        "git is not installed on this machine.",
        "Install git, then sync again.",
    ),
    (
        r"bad object|corrupt|missing (blob|tree|commit)|inflate|unpack",
        "The repository's data is damaged.",
        "Run git fsck in the remote repository; sync again when it is mended.",
    ),
)


# Where git had a stored credential; hosts tell whom they do not let in that there is nothing.
_SIGNED_IN_ADVICE = {
    _SIGN_IN: (
        "The remote refuses the stored credential, or does not know the repository.",
        _SEE_CREDENTIAL,
    ),
    _NOT_FOUND: (
        "There is no repository at this address any more, or it may not be read.",
        f"Check the address of the repository. {_SEE_CREDENTIAL}",
    ),
}


class GitFailed(Exception):
    """Git ended with a failure; `detail` is what it said, for the log and for `explained` only."""

    def __init__(self, detail: str) -> None:
        super().__init__("git failed")
        shown = redacted(_USER_INFORMATION.sub("://", detail))
        self.detail = "\n".join(line[:_LONGEST_LINE] for line in shown.splitlines())


def lacks_objects(failure: GitFailed) -> bool:
    """Say whether the remote has not all objects of what it was asked for."""
    return _REMOTE_LACKS in failure.detail


def explained(failure: GitFailed, *, is_signed_in: bool = False) -> PortolanError:
    """Return the failure as a sentence for people: no credentials, no paths of the machine.

    `is_signed_in` says that git had a stored credential, which then may be what is wrong.
    NotAllowed where the remote refuses the sign-in, TooManyRequests where it wants to be asked less
    often, else Unavailable.
    """
    lowered = "\n".join(
        line.lower() for line in failure.detail.splitlines() if not line.startswith(_NOT_COMPLAINTS)
    )
    for pattern, message, hint in _ADVICE:
        if re.search(pattern, lowered):
            signed_in = _SIGNED_IN_ADVICE.get(pattern) if is_signed_in else None
            said, advice = signed_in or (message, hint)
            if pattern == _TOO_MANY:
                return TooManyRequests(said, retry_after_seconds=_LEFT_ALONE_SECONDS, hint=advice)
            is_refused = pattern == _SIGN_IN or signed_in is not None
            return (NotAllowed if is_refused else Unavailable)(said, hint=advice)
    # What a remote says may hold what acts on a terminal or turns text around.
    reason = visible_line(_MACHINE_PATH.sub("…", _last_complaint(failure.detail)))
    return Unavailable(
        f"git could not copy the repository: {reason}" if reason else "git failed without a word.",
        hint="Check the address and sync again; the log has the details.",
    )


def _last_complaint(detail: str) -> str:
    """Return the last line that says what is wrong, at most 200 characters."""
    lines = [line.strip() for line in detail.splitlines() if line.strip()]
    complaints = [line for line in lines if line.startswith(("fatal:", "error:"))] or lines
    return complaints[-1].partition(": ")[2][:200] if complaints else ""
