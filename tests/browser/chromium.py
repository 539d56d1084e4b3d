"""The Chromium of this machine for tests; a context of it is a browser without any past."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

from tests.services import CHROMIUM_NAMES, program

LONG_MILLISECONDS = 60_000
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage")


def installed_chromium() -> str:
    """Return Chromium's path; a test of services fails where it is missing."""
    chromium = next(filter(None, map(program, CHROMIUM_NAMES)), None)
    assert chromium, "Chromium is not installed: make services"
    return chromium


@asynccontextmanager
async def running_chromium(*more: str) -> AsyncIterator[Browser]:
    """Run a Chromium inside the block, with `more` arguments."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=installed_chromium(), args=[*ARGUMENTS, *more]
        )
        async with browser:
            yield browser
