"""The demo of `make run`: its settings, its accounts, and this very checkout as a repository.

`python -m deploy.demo COMMAND …` is manage.py with the demo's settings. With others its secret key
would differ, and local paths be refused: secrets made so would be of no use to the demo.
"""

import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from deploy.proxy import installed_nginx
from web.config.environment import prepared_data_dir

PROJECT = Path(__file__).resolve().parent.parent
REPOSITORY = "portolan"
_SECRET_KEY_FILE = "secret_key"  # noqa: S105 - a file's name


@dataclass(frozen=True, slots=True)
class Account:
    """An account of the demo; `password` is empty unless it was made just now."""

    name: str
    role: str
    password: str = ""


def set_demo_settings(*, has_proxy: bool) -> None:
    """Fill in what a demo needs and the caller's environment does not say.

    Without nginx there is no common address: the sidecar's stands in for it. Ends the process with
    a sentence where the data folder cannot be written.
    """
    data_dir = prepared_data_dir(Path(_setting("DATA_DIR", "var")), base_dir=PROJECT)
    os.environ["PORTOLAN_DATA_DIR"] = str(data_dir)
    _setting("ALLOW_LOCAL_REPOSITORIES", "1")
    port = _setting("PROXY_PORT", "8080") if has_proxy else _setting("SIDECAR_PORT", "8001")
    _setting("PUBLIC_URL", f"http://127.0.0.1:{port}")
    if not os.environ.get("PORTOLAN_SECRET_KEY"):
        os.environ["PORTOLAN_SECRET_KEY"] = _kept_secret_key(data_dir)


def _setting(name: str, default: str) -> str:
    """Return the setting, which is set to the default where it is missing or empty."""
    variable = f"PORTOLAN_{name}"
    os.environ[variable] = os.environ.get(variable) or default
    return os.environ[variable]


def _kept_secret_key(data_dir: Path) -> str:
    """Return the secret key of the data folder, made at the first start."""
    path = data_dir / _SECRET_KEY_FILE
    if not path.exists():
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w") as stream:
            stream.write(secrets.token_urlsafe(50))
    return path.read_text().strip()


def make_accounts() -> tuple[Account, ...]:
    """Make the accounts `admin` (staff) and `member` where they are missing, with new passwords."""
    from django.contrib.auth import get_user_model

    users = get_user_model()._default_manager
    accounts = []
    for name, role in (("admin", "staff"), ("member", "member")):
        if users.filter(username=name).exists():
            accounts.append(Account(name, role))
            continue
        password = secrets.token_urlsafe(12)
        is_staff = role == "staff"
        users.create_user(
            username=name, password=password, is_staff=is_staff, is_superuser=is_staff
        )
        accounts.append(Account(name, role, password))
    return tuple(accounts)


def checkout() -> Path | None:
    """Return the top of the git checkout that this program runs from, None outside of one."""
    found = subprocess.run(
        ["git", "-C", str(PROJECT), "rev-parse", "--show-toplevel"],
        capture_output=True,
        text=True,
        check=False,
    )
    return Path(found.stdout.rstrip("\n")) if found.returncode == 0 else None


def main() -> NoReturn:
    """Become manage.py, with the settings that `make run` has in the same environment."""
    set_demo_settings(has_proxy=installed_nginx() is not None)
    os.execv(sys.executable, [sys.executable, str(PROJECT / "manage.py"), *sys.argv[1:]])  # noqa: S606


if __name__ == "__main__":
    main()
