"""Settings of a running installation: everything comes from the environment."""

from web.config.settings.base import *  # noqa: F403
