"""The library: repositories, documents and posts."""

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    """Django's entry for the library."""

    name = "web.library"
    label = "library"
    default_auto_field = "django.db.models.BigAutoField"
