"""Settings of the sidecar's processes: those of the installation, without what only pages need."""

from web.config.settings.production import *  # noqa: F403
from web.config.settings.production import INSTALLED_APPS as _ALL

# Each costs time at every start, and none is asked where there are no pages.
_ONLY_FOR_PAGES = frozenset(
    {"axes", "django.contrib.admin", "django.contrib.messages", "django.contrib.staticfiles"}
)
INSTALLED_APPS = [app for app in _ALL if app not in _ONLY_FOR_PAGES]
