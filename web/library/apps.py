"""The library: repositories, documents and posts."""

from django.apps import AppConfig
from django.db.models.signals import pre_migrate


class LibraryConfig(AppConfig):
    """Django's entry for the library."""

    name = "web.library"
    label = "library"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Have a new database prepared before its first migration."""
        from web.library.database import prepare_new_database

        pre_migrate.connect(prepare_new_database, dispatch_uid="prepare_new_database")
