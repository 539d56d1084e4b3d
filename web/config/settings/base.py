"""Settings common to every way of running Portolan."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.utils.csp import CSP

from web.config.environment import DEVELOPMENT_SECRET_KEY, load_environment, prepared_data_dir
from web.config.settings.accounts import *  # noqa: F403
from web.config.settings.accounts import ACCOUNTS_APPS
from web.core.limits import LIMITS
from web.core.logs import logging_settings
from web.core.redaction import hide

ENVIRONMENT = load_environment()
BASE_DIR = Path(__file__).resolve().parents[3]
DATA_DIR = prepared_data_dir(ENVIRONMENT.data_dir, base_dir=BASE_DIR)
PUBLIC_URL = ENVIRONMENT.public_url.rstrip("/")
ALLOW_LOCAL_REPOSITORIES = ENVIRONMENT.allow_local_repositories
SSH_ACCEPT_NEW_HOSTS = ENVIRONMENT.ssh_accept_new_hosts
GITHUB_API_URL = ENVIRONMENT.github_api_url
FETCH_PRIVATE_HOSTS = frozenset(ENVIRONMENT.fetch_private_hosts.lower().replace(",", " ").split())
RECORD_CALLS = ENVIRONMENT.record_calls

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key or DEVELOPMENT_SECRET_KEY
ALLOWED_HOSTS = list(ENVIRONMENT.public_hosts)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
USE_X_FORWARDED_HOST = False

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_tasks_db",
    *ACCOUNTS_APPS,
    "web.library",
    "web.library.posts",
    "web.operations",
    "web.pages",
    "mcp_sidecar",
]
MIDDLEWARE = [
    "web.core.middleware.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "web.core.middleware.AdminQueries",
    "axes.middleware.AxesMiddleware",
]
# Nothing from elsewhere, nothing inline; frames nowhere.
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
ROOT_URLCONF = "web.config.urls"
ASGI_APPLICATION = "web.config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]


def _database(url: str) -> dict[str, Any]:
    """Return Django's entry for a database address; SQLite in the data folder for an empty one."""
    parts = urlsplit(url)
    if parts.scheme in {"postgres", "postgresql"}:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.lstrip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or "",
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 0,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {"application_name": "portolan", **dict(parse_qsl(parts.query))},
        }
    return {
        "ENGINE": "web.core.existing_sqlite3",
        "NAME": (url.removeprefix("sqlite:///") or str(DATA_DIR / "portolan.sqlite3")),
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            "timeout": 30,
            "init_command": (
                # None of these may need the write lock: a sync holds it while others connect.
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
                "PRAGMA cache_size=-32768; PRAGMA mmap_size=1073741824;"
            ),
        },
    }


DATABASES = {"default": _database(ENVIRONMENT.database_url)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": ENVIRONMENT.redis_url,
            # A call waits twice at most: for what is kept, and to keep what it found.
            "OPTIONS": {
                "socket_timeout": LIMITS.redis_answer_seconds,
                "socket_connect_timeout": LIMITS.redis_answer_seconds,
            },
        }
        if ENVIRONMENT.redis_url
        else {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 2000},
        }
    )
}
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
os.environ.setdefault("GIT_TERMINAL_PROMPT", "0")

for secret in (
    ENVIRONMENT.secret_key,
    unquote(urlsplit(ENVIRONMENT.database_url).password or ""),
    unquote(urlsplit(ENVIRONMENT.redis_url).password or ""),
    unquote(urlsplit(ENVIRONMENT.email_url).password or ""),
    unquote(urlsplit(ENVIRONMENT.otlp_endpoint).password or ""),
):
    hide(secret)
LOGGING = logging_settings(
    folder=DATA_DIR / "log",
    level=ENVIRONMENT.log_level,
    max_bytes=LIMITS.max_log_file_bytes,
    max_files=LIMITS.max_log_files,
    keep_days=LIMITS.log_keep_days,
    # Several machines share one view of their logs.
    table_handler=(
        "web.operations.logs.handler.TableHandler"
        if DATABASES["default"]["ENGINE"].endswith("postgresql")
        else ""
    ),
)
