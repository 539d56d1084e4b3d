"""`make run`: prepares the demo, starts every process, and ends them together.

Prepared are the database, the demo's accounts, the static files and the index of this checkout;
a second start finds them done. Started are web, sidecar, worker and, where it is installed, nginx.
"""

import asyncio
import os
import signal
import sys
from types import FrameType
from typing import Any, NoReturn

import httpx

from deploy import demo
from deploy.processes import Program, Supervisor, say, taken_port
from deploy.proxy import Proxy, installed_nginx, nginx_command, write_configuration

SETTINGS_MODULE = "web.config.settings.production"
START_SECONDS = 90
_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def _interrupted(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def programs(nginx: str | None) -> tuple[Program, ...]:
    """Return what to run, with the settings of this environment; nginx's configuration is written.

    Needs Django's settings.
    """
    from django.conf import settings

    from web.core.limits import LIMITS

    environment = settings.ENVIRONMENT
    python = sys.executable
    found = [
        Program("web", (python, "-m", "web"), environment.web_port, "PORTOLAN_WEB_PORT"),
        Program(
            "sidecar",
            (python, "-m", "mcp_sidecar"),
            environment.sidecar_port,
            "PORTOLAN_SIDECAR_PORT",
        ),
        Program("worker", (python, "manage.py", "db_worker")),
    ]
    if nginx:
        proxy = Proxy(
            folder=settings.DATA_DIR / "nginx",
            log_folder=settings.DATA_DIR / "log",
            port=environment.proxy_port,
            web_port=environment.web_port,
            sidecar_port=environment.sidecar_port,
            max_body_bytes=LIMITS.max_body_bytes,
            max_webhook_bytes=LIMITS.max_webhook_bytes,
            scheme="https" if settings.PUBLIC_URL.startswith("https://") else "$scheme",
        )
        write_configuration(proxy)
        command = nginx_command(nginx, proxy)
        found.append(Program("nginx", command, environment.proxy_port, "PORTOLAN_PROXY_PORT"))
    return tuple(found)


def prepare() -> tuple[demo.Account, ...]:
    """Bring database, accounts, static files and index up to date, showing progress."""
    from django.core.management import CommandError, call_command
    from django.db import OperationalError

    from web.core.redaction import redacted

    say("Preparing the database ...")
    try:
        call_command("migrate", interactive=False, verbosity=0)
    except OperationalError as error:
        sys.exit(
            "The database cannot be used. Start it, or correct PORTOLAN_DATABASE_URL; it said: "
            f"{redacted(str(error).strip())}"
        )
    accounts = demo.make_accounts()
    call_command("collectstatic", interactive=False, verbosity=0)
    checkout = demo.checkout()
    if checkout is None:
        say("This folder is not a git checkout, so there is no repository to index yet.")
        return accounts
    say(f"Indexing this checkout as the repository {demo.REPOSITORY} ...")
    try:
        call_command("add_repository", demo.REPOSITORY, str(checkout), **_first_words())
    except CommandError as error:
        say(f"The repository {demo.REPOSITORY} is not up to date: {error}")
    return accounts


def _first_words() -> dict[str, str]:
    """Return title and description for a repository that is added now; later ones stay."""
    from web.accounts.principals import Principal
    from web.library.selectors.repositories import repository_names_visible_to

    everyone = Principal(is_member=True, is_staff=True)
    if demo.REPOSITORY in repository_names_visible_to(principal=everyone):
        return {}
    return {"title": "Portolan", "description": "Portolan itself: this very checkout."}


async def wait_until_served(found: tuple[Program, ...]) -> None:
    """Return once each program with a port answers a real request, nginx for both behind it."""
    ports = {program.name: program.port for program in found}
    front = ports.get("nginx")
    requests = [
        ("GET", f"http://127.0.0.1:{front or ports['web']}/healthz"),
        ("GET", f"http://127.0.0.1:{ports['sidecar']}/ready"),
        ("POST", f"http://127.0.0.1:{front or ports['sidecar']}/mcp/"),
    ]
    async with httpx.AsyncClient(timeout=5, trust_env=False) as client:
        for method, url in requests:
            while not await _answers(client, method, url):  # noqa: ASYNC110 - no event to await
                await asyncio.sleep(0.2)


async def _answers(client: httpx.AsyncClient, method: str, url: str) -> bool:
    try:
        response = await client.request(method, url, json=_PING if method == "POST" else None)
    except httpx.HTTPError:
        return False
    return response.is_success


def announce(accounts: tuple[demo.Account, ...], *, has_proxy: bool) -> None:
    """Print where everything is, how a client connects, and the new passwords."""
    from django.conf import settings

    environment = settings.ENVIRONMENT
    url = settings.PUBLIC_URL
    say()
    say("Portolan runs. Ctrl-C ends it.")
    say()
    if has_proxy:
        say(f"  Web pages        {url}/")
    else:
        say("  nginx is not installed, so each process has its own address (see: make services).")
        say(f"  Web pages        http://127.0.0.1:{environment.web_port}/")
    say(f"  MCP endpoint     {url}/mcp/")
    say(f"  One repository   {url}/mcp/repositories/{demo.REPOSITORY}/")
    say(f"  To try a client  {url}/mcp/lesson/")
    say()
    say("Connect a client:")
    say(f"  claude mcp add --transport http portolan {url}/mcp/")
    say(f'  {{"mcpServers": {{"portolan": {{"type": "http", "url": "{url}/mcp/"}}}}}}')
    say()
    for account in accounts:
        if account.password:
            say(f"  Account {account.name} ({account.role}), password: {account.password}")
        else:
            say(f"  Account {account.name} ({account.role}), with the password it was given")
    if any(account.password for account in accounts):
        say("  The passwords are shown this once.")
    say()


async def serve(
    found: tuple[Program, ...], accounts: tuple[demo.Account, ...], *, has_proxy: bool
) -> int:
    """Run the programs until one ends or the user asks; return the exit code of `make run`."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if environment.get("DJANGO_SETTINGS_MODULE") == SETTINGS_MODULE:
        del environment["DJANGO_SETTINGS_MODULE"]  # each program knows its own
    supervisor = Supervisor(
        environment=environment,
        width=max(len(program.name) for program in found),
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, supervisor.ask_to_stop)
    served = asyncio.create_task(wait_until_served(found))
    try:
        for program in found:
            await supervisor.start(program)
        either: set[asyncio.Future[Any]] = {served, supervisor.ended}
        await asyncio.wait(either, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not served.done() and not supervisor.ended.done():
            say(f"Portolan did not answer within {START_SECONDS} seconds; its output is above.")
            return 1
        if served.done() and not supervisor.ended.done():
            await served
            announce(accounts, has_proxy=has_proxy)
        end = await supervisor.ended
        if end is None:
            say("Ending ...")
            return 0
        name, code = end
        reason = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        say(f"{name} ended {reason}; its last lines above say why. Ending the others.")
        return 1
    finally:
        served.cancel()
        await supervisor.stop()


def main() -> int:
    """Run the demo; the exit code is 0 after Ctrl-C, 1 when something failed."""
    os.chdir(demo.PROJECT)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    nginx = installed_nginx()
    demo.set_demo_settings(has_proxy=nginx is not None)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS_MODULE)
    try:
        import django

        django.setup()
        found = programs(nginx)
        if taken := taken_port(found):
            say(
                f"Port {taken.port}, for {taken.name}, is in use: "
                f"end what listens there, or set {taken.setting} to a free port."
            )
            return 1
        accounts = prepare()
        return asyncio.run(serve(found, accounts, has_proxy=nginx is not None))
    except KeyboardInterrupt:
        say("Ended before the start was complete; make run goes on from here.")
        return 130


if __name__ == "__main__":
    sys.exit(main())
