"""Operations: logs, health and usage, for staff."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """Django's entry for operations."""

    name = "web.operations"
    label = "operations"
    default_auto_field = "django.db.models.BigAutoField"
