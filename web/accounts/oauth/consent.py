"""Whom a client may be connected to what for: asked when consent is shown, and when it is given."""

from typing import Any

from web.accounts.models import Scope
from web.accounts.records import ProtectedResource
from web.accounts.selectors.principals import principal_of
from web.core.errors import NotFound
from web.library.selectors.refs import repository_for


def objection_to(resource: ProtectedResource, user: Any) -> str:
    """Return why a person who has signed in cannot be connected to a resource; empty if they can.

    Whoever has not signed in is told nothing.
    """
    if resource.scope == Scope.OPERATIONS and not user.is_staff:
        return "Only staff can connect to this server, and this account is not staff."
    if resource.repository:
        try:
            repository_for(principal_of(user), resource.repository)
        except NotFound:
            return f"There is no repository {resource.repository} on this server."
    return ""
