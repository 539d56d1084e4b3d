"""Operations: logs, health and usage, for staff."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class OperationsConfig(AppConfig):
    """Django's entry for operations."""

    name = "web.operations"
    label = "operations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have old records removed regularly, from the first migration on."""
        from web.operations.tasks import start_tidying

        post_migrate.connect(start_tidying, sender=self, dispatch_uid="start_tidying")
