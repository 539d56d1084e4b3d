"""A person at a browser without scripts: opens pages, fills forms, presses buttons."""

import html
import re
from urllib.parse import urljoin

import httpx


class Person:
    """Keeps cookies as a browser does; every page is checked to be one of ours."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.http = httpx.Client(trust_env=False, follow_redirects=False, timeout=60)

    def open(self, address: str) -> httpx.Response:
        """Open an address and follow redirects within the site; elsewhere they are returned."""
        return self._follow(self.http.get(urljoin(self.origin, address)))

    def press(self, page: httpx.Response, button: dict[str, str], **fields: str) -> httpx.Response:
        """Fill the form of the page that holds the CSRF token last, and press a button of it."""
        form = re.findall(r"<form[^>]*>.*?</form>", page.text, re.DOTALL)[-1]
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form))
        values = {name: html.unescape(value) for name, value in hidden.items()} | fields | button
        action = re.search(r'<form[^>]*action="([^"]+)"', form)
        address = urljoin(str(page.url), html.unescape(action[1]) if action else str(page.url))
        headers = {"Origin": self.origin, "Referer": str(page.url)}
        return self._follow(self.http.post(address, data=values, headers=headers))

    def _follow(self, response: httpx.Response) -> httpx.Response:
        while response.is_redirect:
            target = urljoin(str(response.url), response.headers["Location"])
            if not target.startswith(self.origin):
                return response
            response = self.http.get(target)
        return response
