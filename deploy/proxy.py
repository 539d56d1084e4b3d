"""nginx for `make run`: its configuration filled in, and the command that starts it."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent / "nginx"
_PLACEHOLDER = re.compile(r"\$\{(PORTOLAN_NGINX_[A-Z_]+)\}")


@dataclass(frozen=True, slots=True)
class Proxy:
    """One nginx: where it listens and what stands behind it, all on this machine by default."""

    folder: Path
    log_folder: Path
    port: int
    web_port: int
    sidecar_port: int
    max_body_bytes: int
    max_webhook_bytes: int
    scheme: str = "$scheme"
    web: str = "local_web"
    sidecar: str = "local_sidecar"
    resolver: str = ""
    front_proxies: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, str]:
        """What the placeholders of the templates stand for; containers set the same names."""
        return {
            "PORTOLAN_NGINX_LISTEN": f"127.0.0.1:{self.port}",
            "PORTOLAN_NGINX_ACCESS_LOG": f'"{self.log_folder}/nginx.$logged_day.jsonl"',
            "PORTOLAN_NGINX_WEB_PORT": str(self.web_port),
            "PORTOLAN_NGINX_SIDECAR_PORT": str(self.sidecar_port),
            "PORTOLAN_NGINX_WEB": self.web,
            "PORTOLAN_NGINX_SIDECAR": self.sidecar,
            "PORTOLAN_NGINX_RESOLVER": self.resolver,
            "PORTOLAN_NGINX_FRONT_PROXIES": " ".join(
                f"set_real_ip_from {address};" for address in self.front_proxies
            ),
            "PORTOLAN_NGINX_SCHEME": self.scheme,
            "PORTOLAN_NGINX_MAX_BODY_BYTES": str(self.max_body_bytes),
            "PORTOLAN_NGINX_MAX_WEBHOOK_BYTES": str(self.max_webhook_bytes),
        }


def installed_nginx() -> str | None:
    """Return the path of nginx, also where it is outside of PATH as for ordinary users, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def filled(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its placeholders replaced; KeyError names one without a value."""
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], template)


def write_configuration(proxy: Proxy) -> Path:
    """Write nginx's configuration into the proxy's folder and return the path of the main file."""
    proxy.folder.mkdir(parents=True, exist_ok=True)
    proxy.log_folder.mkdir(parents=True, exist_ok=True)
    for template in sorted(TEMPLATES.glob("*.template")):
        text = filled(template.read_text(encoding="utf-8"), proxy.values)
        (proxy.folder / template.stem).write_text(text, encoding="utf-8")
    return proxy.folder / "nginx.conf"


def nginx_command(nginx: str, proxy: Proxy) -> tuple[str, ...]:
    """Return the command that runs nginx in the foreground as the current user."""
    own = "daemon off; pid nginx.pid;"
    if os.geteuid() == 0:
        own += " user root;"  # else its workers may not write below the data folder
    return (nginx, "-p", f"{proxy.folder}/", "-c", "nginx.conf", "-e", "stderr", "-g", own)
