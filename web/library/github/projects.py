"""Which repositories are on the GitHub that is configured, and what they are called there."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from web.accounts.principals import Principal
from web.core.errors import InvalidInput
from web.library.selectors.links import host_and_project
from web.library.selectors.refs import repositories_for, repository_for

MAX_NAMED: Final = 30
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
_API: Final = "api."


@dataclass(frozen=True, slots=True)
class Project:
    """A repository as GitHub names it."""

    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def path(self) -> str:
        """Its address in the REST API."""
        return f"/repos/{self.owner}/{self.name}"


def project_for(principal: Principal, repository: str) -> Project:
    """Return the project on GitHub of a repository that the caller may see.

    Raises NotFound for a repository that does not exist or may not be seen, InvalidInput that names
    those on GitHub for one that is elsewhere.
    """
    project = project_at(repository_for(principal, repository).url)
    if project is None:
        raise InvalidInput(
            f"The repository {repository!r} is not on {web_host()}, so it has no issues there.",
            hint=_elsewhere(principal),
            fields={"repository": f"not on {web_host()}"},
        )
    return project


def project_at(address: str) -> Project | None:
    """Return the project that a repository's address leads to; None where it is not on GitHub."""
    host, path = host_and_project(address)
    if host.lower().removeprefix("www.").removeprefix("ssh.") != web_host():
        return None
    owner, _, name = path.partition("/")
    if not (_NAME.fullmatch(owner) and _NAME.fullmatch(name)) or {owner, name} & {".", ".."}:
        return None
    return Project(owner, name)


def web_host() -> str:
    """Return the host of repositories whose issues the configured API has.

    github.com for api.github.com, and so for a GitHub Enterprise of one's own (`api.` before the
    host, or `/api/v3` behind it).
    """
    host = urlsplit(settings.GITHUB_API_URL).hostname or ""
    return host.removeprefix(_API) if "." in host.removeprefix(_API) else host


def _elsewhere(principal: Principal) -> str:
    rows = repositories_for(principal).values_list("name", "url")
    names = [name for name, url in rows if project_at(url) is not None]
    if not names:
        return f"No repository here is on {web_host()}: tell the user."
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return f"Repositories on {web_host()}: {', '.join(names[:MAX_NAMED])}{more}."
