"""Who is calling: resolved once per request and passed to services as an argument."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of a service.

    Anonymous callers have no `user_id`. `is_member` and `is_staff` decide what is visible;
    `scopes` what the token that was presented allows.
    """

    user_id: int | None = None
    is_member: bool = False
    is_staff: bool = False
    scopes: frozenset[str] = field(default_factory=frozenset)


ANONYMOUS = Principal()
