"""Who is calling: resolved once per request and passed to services as an argument."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of a service.

    Anonymous callers have no `user_id`. `is_member` and `is_staff` decide what is visible;
    `scopes` what the token that was presented allows: an endpoint that needs one asks `allows`.

    `time_zone` is the member's (IANA name). `client_name` is what the caller runs: the token's
    name or the connected application's. `credential` names the token without being one
    ("personal:12", "oauth:7"), so limits and logs can be kept per token.
    """

    user_id: int | None = None
    is_member: bool = False
    is_staff: bool = False
    scopes: frozenset[str] = field(default_factory=frozenset)
    username: str = ""
    time_zone: str = "UTC"
    client_name: str = ""
    credential: str = ""

    def allows(self, scope: str) -> bool:
        """Return whether the token that was presented holds `scope`."""
        return scope in self.scopes


ANONYMOUS = Principal()
