"""What the code hosts send: their headers, how they sign, which of their events mean a push.

GitHub: docs.github.com/webhooks; Gitea and Forgejo: docs.gitea.com/usage/webhooks; GitLab:
docs.gitlab.com/user/project/integrations/webhooks. Nothing here asks the database.
"""

import hmac
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs

import msgspec

from web.core.errors import InvalidInput

type SignedWith = Callable[[str], bool]

_MALFORMED = "The body is not the JSON of an event."


class _Names(msgspec.Struct):
    """The addresses of a repository, as one host or the other names them."""

    clone_url: str | None = None
    ssh_url: str | None = None
    git_url: str | None = None
    html_url: str | None = None
    git_http_url: str | None = None
    git_ssh_url: str | None = None
    web_url: str | None = None


class _Payload(msgspec.Struct):
    """Of an event what is used here; the rest is read over."""

    repository: _Names | None = None
    project: _Names | None = None
    event_name: str | None = None


_DECODER = msgspec.json.Decoder(_Payload)


@dataclass(frozen=True, slots=True)
class Event:
    """An event: its kind, its id at the sender, and every address of the repository."""

    kind: str
    delivery: str
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forge:
    """A kind of code host. `signed_with` gives the check of a body against a secret."""

    name: str
    event_header: str
    delivery_header: str
    signed_with: Callable[[Mapping[str, str], bytes], SignedWith]
    pushes: frozenset[str]

    def event_of(self, headers: Mapping[str, str], body: bytes) -> Event:
        """Return the event. Raises InvalidInput for a body that is malformed or nested too deep."""
        try:
            payload = _DECODER.decode(_json_of(headers, body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
            raise InvalidInput(_MALFORMED, hint="Choose application/json as its type.") from error
        kind = headers.get(self.event_header, "")
        if kind == "System Hook":
            kind = payload.event_name or kind
        return Event(
            kind=kind,
            delivery=headers.get(self.delivery_header, ""),
            addresses=tuple(_addresses(payload)),
        )


def _json_of(headers: Mapping[str, str], body: bytes) -> bytes:
    """Return the JSON of a body, which may stand in a form."""
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        return body
    fields = parse_qs(body.decode("ascii"), max_num_fields=20)
    return fields.get("payload", [""])[0].encode()


def _addresses(payload: _Payload) -> Iterator[str]:
    for names in (payload.repository, payload.project):
        if names is not None:
            yield from (value for value in msgspec.structs.astuple(names) if value)


def _hmac_in(*names: str) -> Callable[[Mapping[str, str], bytes], SignedWith]:
    """Return the check of an HMAC-SHA256 in hexadecimal, in the first header that is there."""

    def signed_with(headers: Mapping[str, str], body: bytes) -> SignedWith:
        given = next((headers[name] for name in names if name in headers), "")
        signature = given.removeprefix("sha256=").encode("utf-8", "replace")

        def check(secret: str) -> bool:
            made = hmac.digest(secret.encode(), body, "sha256").hex()
            return hmac.compare_digest(made.encode(), signature)

        return check

    return signed_with


def _token_in(name: str) -> Callable[[Mapping[str, str], bytes], SignedWith]:
    """Return the check of a header that holds the secret itself."""

    def signed_with(headers: Mapping[str, str], _body: bytes) -> SignedWith:
        given = headers.get(name, "").encode("utf-8", "replace")
        return lambda secret: hmac.compare_digest(secret.encode(), given)

    return signed_with


_PUSHES = frozenset(["push", "create", "delete", "repository"])
FORGES = {
    "github": Forge(
        name="GitHub",
        event_header="X-GitHub-Event",
        delivery_header="X-GitHub-Delivery",
        signed_with=_hmac_in("X-Hub-Signature-256"),
        pushes=_PUSHES,
    ),
    "gitea": Forge(
        name="Gitea",
        event_header="X-Gitea-Event",
        delivery_header="X-Gitea-Delivery",
        signed_with=_hmac_in("X-Gitea-Signature", "X-Forgejo-Signature", "X-Hub-Signature-256"),
        pushes=_PUSHES,
    ),
    "gitlab": Forge(
        name="GitLab",
        event_header="X-Gitlab-Event",
        delivery_header="X-Gitlab-Event-UUID",
        signed_with=_token_in("X-Gitlab-Token"),
        pushes=frozenset(["Push Hook", "Tag Push Hook", "push", "tag_push", "repository_update"]),
    ),
}
