"""The scopes of the authorization server: one per MCP server that asks who is calling."""

from typing import Any

from oauth2_provider.scopes import BaseScopes

from web.accounts.models import Scope
from web.accounts.selectors.resources import served_scopes


class ServerScopes(BaseScopes):  # type: ignore[misc]
    """The same for every client; which of them is granted follows from the resource."""

    def get_all_scopes(self) -> dict[str, str]:
        """Return what each scope lets an application do."""
        served = served_scopes()
        return {scope.value: scope.label for scope in Scope if scope.value in served}

    def get_available_scopes(self, *_arguments: Any, **_options: Any) -> list[str]:
        """Return the names of the scopes that may be asked for."""
        return list(self.get_all_scopes())

    def get_default_scopes(self, *_arguments: Any, **_options: Any) -> list[str]:
        """Return no scope: `ResourceValidator` takes the resource's own when none is asked for."""
        return []
