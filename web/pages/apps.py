"""The pages that people see."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Django's entry for the pages."""

    name = "web.pages"
    label = "pages"
