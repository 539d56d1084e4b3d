"""Admin pages whose changes stand in the audit, not only in Django's own history of each object."""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from web.accounts.services.audit import audit_write
from web.accounts.views.sign_in import actor_of


class AuditedAdmin(admin.ModelAdmin[Any]):
    """Writes who added, changed or deleted which object, and the names of the fields; no values."""

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Note that an object was added."""
        self._audit(request, obj, "added", message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Note which fields were changed."""
        self._audit(request, obj, "changed", message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Note which objects are deleted, each by itself."""
        for obj in queryset:
            self._audit(request, obj, "deleted", "")
        return super().log_deletions(request, queryset)

    def _audit(self, request: HttpRequest, obj: Model, done: str, message: Any) -> None:
        kind = self.opts.model_name
        audit_write(
            actor=actor_of(request),
            action=f"{kind}.{done}",
            target=f"{kind}:{obj.pk} {obj}",
            reason="in the admin",
            detail={"changes": message} if message else {},
        )


def register_anew(model: type[Model], *bases: type[admin.ModelAdmin[Any]]) -> None:
    """Register the page of another application anew, with `bases` before its own class."""
    own = type(admin.site.get_model_admin(model))
    admin.site.unregister(model)
    admin.site.register(model, type(own.__name__, (*bases, own), {}))
