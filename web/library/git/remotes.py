"""Remotes: which addresses are accepted, and what branches and tags one has.

Copying what they name is `mirrors`' task.
"""

from dataclasses import dataclass

from django.conf import settings

from web.core.addresses import check_host
from web.core.errors import InvalidInput, PortolanError, TooLarge
from web.core.limits import LIMITS
from web.library.git.command import run_git
from web.library.git.credentials import Credential, transport
from web.library.git.failures import GitFailed, explained
from web.library.git.urls import parse_address
from web.library.sites.address import is_site, parse_site


@dataclass(frozen=True, slots=True)
class RemoteRefs:
    """What a remote has: `objects` are the ids by full ref name, as the remote lists them.

    `head` is the id that HEAD stands for, empty when there is none (no commit, or HEAD names a
    branch that does not exist); `head_branch` the full name of its branch as `ref_text` has it,
    empty when detached.
    """

    objects: dict[str, str]
    head: str
    head_branch: str


def check_address(url: str) -> None:
    """Raise InvalidInput when the address is not accepted, or a local one is no repository.

    Accepted is the address of a site as well.
    """
    if is_site(url):
        listing = parse_site(url).listing
        check_host(listing.host, private_hosts=settings.FETCH_PRIVATE_HOSTS)
        return
    address = parse_address(url)
    if address.is_local:
        try:
            remote_refs(url)
        except PortolanError as error:
            raise InvalidInput(
                "There is no git repository at this path, or it may not be read.",
                hint="Give the folder of a repository that the worker may read.",
                fields={"url": "is not a readable git repository"},
            ) from error


def remote_refs(url: str, *, credential: Credential | None = None) -> RemoteRefs:
    """Ask the remote for its branches, tags and HEAD, signed in with the credential.

    Raises Unavailable in a clear sentence when it does not answer, TooLarge for a list over
    LIMITS.max_listing_bytes, InvalidInput for an address that is not accepted.
    """
    address = parse_address(url)
    most = LIMITS.max_listing_bytes
    try:
        with transport(address, credential) as way:
            listing = run_git(
                "ls-remote",
                "--symref",
                "--quiet",
                operands=[address.text],
                configuration=way.configuration,
                environment=way.environment,
                local=address.is_local,
                max_output_bytes=most + 1,
                timeout_seconds=LIMITS.git_listing_seconds,
            )
    except GitFailed as failure:
        raise explained(failure, is_signed_in=credential is not None) from failure
    if len(listing) > most:
        raise TooLarge(
            f"The list of the remote's branches and tags is longer than {most:,} bytes.",
            hint="Raise PORTOLAN_MAX_LISTING_BYTES if it is meant to have that many.",
        )
    return _parsed(listing)


def ref_text(name: bytes) -> str:
    r"""Return a ref's name as text, with `\xNN` for what is not UTF-8.

    No two names have the same text, since git allows no backslash in one.
    """
    return name.decode("utf-8", "backslashreplace")


def _parsed(listing: bytes) -> RemoteRefs:
    objects: dict[str, str] = {}
    head = head_branch = ""
    for line in listing.decode("utf-8", "surrogateescape").split("\n"):
        value, _, name = line.partition("\t")
        if value.startswith("ref: ") and name == "HEAD":
            head_branch = ref_text(value.removeprefix("ref: ").encode("utf-8", "surrogateescape"))
        elif name == "HEAD":
            head = value
        elif name.startswith(("refs/heads/", "refs/tags/")) and not name.endswith("^{}"):
            objects[name] = value
    return RemoteRefs(objects=objects, head=head, head_branch=head_branch)
