"""Who is calling: resolved once per request and passed to services as an argument."""

from dataclasses import dataclass

from web.core.errors import NotAllowed


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of a service.

    Anonymous callers have no `user_id`. `is_member` and `is_staff` decide what is visible;
    `scopes` what the token that was presented allows: an endpoint that needs one asks `allows`.
    `withdrawn_scopes` are those that it was made with and its member may no longer use.

    `time_zone` is the member's (IANA name). `client_name` is what the caller runs: the token's
    name or the connected application's. `credential` names the token without being one
    ("personal:12", "oauth:7"), so limits and logs can be kept per token.
    """

    user_id: int | None = None
    is_member: bool = False
    is_staff: bool = False
    scopes: frozenset[str] = frozenset()
    withdrawn_scopes: frozenset[str] = frozenset()
    username: str = ""
    time_zone: str = "UTC"
    client_name: str = ""
    credential: str = ""

    def allows(self, scope: str) -> bool:
        """Return whether the token that was presented holds `scope`."""
        return scope in self.scopes

    def require_staff(self) -> None:
        """Raise NotAllowed for anyone who is not staff."""
        if not self.is_staff:
            raise NotAllowed(
                "Only staff may ask this.", hint="Tell the user to ask a member of the staff."
            )


ANONYMOUS = Principal()
