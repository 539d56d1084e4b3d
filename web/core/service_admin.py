"""An admin page whose changes go through services, which own their transactions and checks."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from web.core.errors import PortolanError


class ServiceAdmin[M: Model](admin.ModelAdmin[M]):
    """Opens no transaction around a service, and tells in a sentence what one refuses."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show and save the form."""
        return self.told(
            request,
            lambda: self._changeform_view(request, object_id, form_url, extra_context),  # type: ignore[attr-defined]
        )

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Ask and remove."""
        return self.told(request, lambda: self._delete_view(request, object_id, extra_context))  # type: ignore[attr-defined]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, str] | None = None
    ) -> Any:
        """Show the list and run its actions."""
        return self.told(
            request, lambda: super(ServiceAdmin, self).changelist_view(request, extra_context)
        )

    def told(self, request: HttpRequest, respond: Callable[[], Any]) -> Any:
        """Return the response, or go back to the list with what a service refused."""
        try:
            return respond()
        except PortolanError as error:
            self.message_user(request, str(error), messages.ERROR)
            name = f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"
            return HttpResponseRedirect(reverse(name))
