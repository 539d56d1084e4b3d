"""The settings that come from the environment: each declared once, with default and help.

`docs/settings.md` is made from this class and from `web.core.limits`.
"""

import errno
import os
import sys
from pathlib import Path
from typing import Self
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from web.core.startup import read_or_exit

DEVELOPMENT_SECRET_KEY = "development-only-not-a-secret"  # noqa: S105


class Environment(BaseSettings):
    """What an operator sets, as variables with the prefix PORTOLAN_."""

    model_config = SettingsConfigDict(
        env_prefix="PORTOLAN_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    public_url: str = Field(
        "http://127.0.0.1:8080", description="Address that people and clients use, without a path."
    )
    database_url: str = Field(
        "", description="postgresql://… or sqlite:///path; empty for SQLite in the data folder."
    )
    redis_url: str = Field(
        "",
        description="redis://… for a cache and rate limits that all processes share; empty for "
        "those of each process.",
    )
    secret_key: str = Field("", description="Secret for signing; required unless debug is on.")
    data_dir: Path = Field(Path("./var"), description="Folder for mirrors, database and logs.")
    web_port: int = Field(8000, ge=1, le=65535, description="Port of the web process.")
    sidecar_port: int = Field(8001, ge=1, le=65535, description="Port of the MCP sidecar.")
    proxy_port: int = Field(8080, ge=1, le=65535, description="Port of nginx.")
    bind_host: str = Field(
        "127.0.0.1", description="Address that web and sidecar listen on; 0.0.0.0 in containers."
    )
    trusted_proxies: str = Field(
        "127.0.0.1",
        description="Addresses, separated by commas, whose X-Forwarded headers are believed.",
    )
    allow_local_repositories: bool = Field(
        False, description="Whether a repository's address may be a path of this machine."
    )
    fetch_private_hosts: str = Field(
        "",
        description="Hosts of a private network, separated by commas, that feeds and sites may "
        "be on.",
    )
    ssh_accept_new_hosts: bool = Field(
        False,
        description="Whether the key of an ssh host that nobody knows yet is believed and kept, as "
        "ssh's accept-new; off, it has to stand in known_hosts.",
    )
    debug: bool = Field(False, description="Development mode: never in production.")
    github_api_url: str = Field(
        "https://api.github.com", description="Address of the GitHub API (GitHub Enterprise)."
    )
    email_url: str = Field(
        "",
        description="Where e-mail goes: smtp://user:password@host:587, smtps://… or "
        "file:///folder; empty writes it to the console.",
    )
    email_from: str = Field(
        "", description="Sender of e-mail; empty for portolan@ the public host."
    )
    oauth_redirect_uris: str = Field(
        "",
        description="Further redirect addresses, separated by commas, that OAuth clients may "
        "register by themselves.",
    )
    oauth_metadata_documents: bool = Field(
        True,
        description="Whether OAuth clients may be known by a metadata document, which is fetched; "
        "off where the installation cannot reach the internet.",
    )
    allowed_hosts: str = Field(
        "", description="Further host names that are served, separated by commas."
    )
    record_calls: bool = Field(
        True, description="Whether tool calls are recorded, for usage: tool, caller, arguments."
    )
    allowed_origins: str = Field(
        "",
        description="Origins of other hosts, separated by commas, whose pages may call the MCP "
        "endpoints from a browser, such as https://inspector.example.org.",
    )
    otlp_endpoint: str = Field(
        "",
        description="http(s)://host:4318 of an OpenTelemetry collector that the sidecar sends "
        "traces to; empty for none. Needs the extra otel.",
    )
    log_level: str = Field(
        "INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="Least level logged."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        parts = urlsplit(self.public_url)
        if (
            parts.scheme not in {"http", "https"}
            or not parts.hostname
            or parts.path not in {"", "/"}
        ):
            raise ValueError(
                "PORTOLAN_PUBLIC_URL must be http://host or https://host without a path, "
                f"not {self.public_url!r}"
            )
        if not self.debug and not self.secret_key:
            raise ValueError(
                "PORTOLAN_SECRET_KEY is not set. Set it to a long random text, "
                "or set PORTOLAN_DEBUG=1 for development"
            )
        if self.database_url and urlsplit(self.database_url).scheme not in {
            "sqlite",
            "postgres",
            "postgresql",
        }:
            raise ValueError("PORTOLAN_DATABASE_URL must start with postgresql:// or sqlite:///")
        self._check_github()
        if self.redis_url and urlsplit(self.redis_url).scheme not in {"redis", "rediss", "unix"}:
            raise ValueError("PORTOLAN_REDIS_URL must start with redis://, rediss:// or unix://")
        if self.email_url and urlsplit(self.email_url).scheme not in {"smtp", "smtps", "file"}:
            raise ValueError("PORTOLAN_EMAIL_URL must start with smtp://, smtps:// or file:///")
        if self.otlp_endpoint and urlsplit(self.otlp_endpoint).scheme not in {"http", "https"}:
            raise ValueError("PORTOLAN_OTLP_ENDPOINT must start with http:// or https://")
        for origin in self.browser_origins:
            address = urlsplit(origin)
            if origin != f"{address.scheme}://{address.netloc}" or not address.hostname:
                raise ValueError(
                    "PORTOLAN_ALLOWED_ORIGINS must hold origins such as https://host:port, "
                    f"not {origin!r}"
                )
        ports = [self.web_port, self.sidecar_port, self.proxy_port]
        if len(set(ports)) != len(ports):
            raise ValueError(
                "PORTOLAN_WEB_PORT, PORTOLAN_SIDECAR_PORT and PORTOLAN_PROXY_PORT must differ"
            )
        return self

    def _check_github(self) -> None:
        """Refuse an address that would show callers' tokens to the network, or is none."""
        parts = urlsplit(self.github_api_url)
        is_local = parts.hostname in {"127.0.0.1", "::1", "localhost"}
        if (
            not _has_a_port(parts)
            or parts.scheme not in ({"http", "https"} if is_local else {"https"})
            or not parts.hostname
            or "@" in parts.netloc
            or parts.query
            or parts.fragment
        ):
            raise ValueError(
                "PORTOLAN_GITHUB_API_URL must be https://host or https://host/path, such as "
                "https://api.github.com or https://github.example.org/api/v3"
            )

    @property
    def browser_origins(self) -> tuple[str, ...]:
        """Origins of other hosts whose pages may call MCP endpoints, in lowercase."""
        names = (name.strip() for name in self.allowed_origins.lower().split(","))
        return tuple(name for name in names if name)

    @property
    def public_hosts(self) -> tuple[str, ...]:
        """Host names to serve: the public one, this machine's, and those allowed in addition."""
        extra = [name.strip() for name in self.allowed_hosts.split(",") if name.strip()]
        names = [
            urlsplit(self.public_url).hostname or "",
            "127.0.0.1",
            "localhost",
            "[::1]",
            *extra,
        ]
        return tuple(dict.fromkeys(names))


def _has_a_port(parts: SplitResult) -> bool:
    """Return whether the port of an address, where it has one, is a number."""
    try:
        _ = parts.port
    except ValueError:
        return False
    return True


def load_environment() -> Environment:
    """Return the environment, or end the process with one line per wrong setting."""
    return read_or_exit(Environment)


def prepared_data_dir(folder: Path, *, base_dir: Path) -> Path:
    """Return the data folder as an absolute path, made if missing; relative to `base_dir`.

    Ends the process with a sentence where it cannot be made or written.
    """
    folder = folder if folder.is_absolute() else base_dir / folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        sys.exit(
            f"Portolan cannot start:\n  PORTOLAN_DATA_DIR: the folder {folder} cannot be made or "
            f"written ({error.strerror}); name one that this user may write"
        )
    return folder
