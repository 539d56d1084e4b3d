"""Who may ask for operations: staff."""

from web.accounts.principals import Principal
from web.core.errors import NotAllowed


def require_staff(principal: Principal) -> None:
    """Raise NotAllowed unless the caller is staff."""
    if not principal.is_staff:
        raise NotAllowed(
            "Only staff may see logs, health and usage.",
            hint="Sign in as staff, with a token that has the scope operations.",
        )
