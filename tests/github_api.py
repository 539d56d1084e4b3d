"""GitHub's REST API on loopback: issues, comments, labels and search, in its shapes.

The shapes are those of docs.github.com/rest (version 2022-11-28); fields that only repeat addresses
are shortened, none is left out that the API always sends.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.web.local_server import Asked, LocalServer, Reply, serving

TOKEN = "ghp_PLANTED0123456789abcdefghijKLMNOP"
BEGAN = datetime(2026, 11, 2, 10, 31, tzinfo=UTC)


def user(login: str) -> dict[str, Any]:
    """An account as it stands inside other objects."""
    return {
        "login": login,
        "id": sum(map(ord, login)),
        "node_id": "MDQ6VXNlcjE=",
        "avatar_url": f"https://avatars.example/{login}",
        "gravatar_id": "",
        "url": f"https://api.github.com/users/{login}",
        "html_url": f"https://github.com/{login}",
        "type": "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def label(name: str) -> dict[str, Any]:
    """A label."""
    return {
        "id": 208045946,
        "node_id": "MDU6TGFiZWwyMDgwNDU5NDY=",
        "url": f"https://api.github.com/repos/ada/engine/labels/{name}",
        "name": name,
        "description": None,
        "color": "f29513",
        "default": False,
    }


def names_of(issue: dict[str, Any]) -> set[str]:
    """The names of an issue's labels; old ones come as text."""
    return {one if isinstance(one, str) else one["name"] for one in issue["labels"]}


def refusal(status: int, message: str, *, errors: Any = None, **headers: str) -> Reply:
    """An error as GitHub words it; headers by names with underscores."""
    body: dict[str, Any] = {
        "message": message,
        "documentation_url": "https://docs.github.com/rest",
        "status": str(status),
    }
    if errors is not None:
        body["errors"] = errors
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return reply(body, status=status, headers=named)


def reply(body: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """An answer in JSON with the headers that GitHub always sends."""
    always = {
        "Content-Type": "application/json; charset=utf-8",
        "X-GitHub-Media-Type": "github.v3; format=json",
        "x-github-api-version-selected": "2022-11-28",
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4987",
        "X-RateLimit-Reset": str(int(time.time()) + 1800),
        "X-RateLimit-Used": "13",
        "X-RateLimit-Resource": "core",
        "X-GitHub-Request-Id": "0001:0002:0003:0004:0005",
    }
    names = {name.lower() for name in headers or {}}
    kept = {name: value for name, value in always.items() if name.lower() not in names}
    return Reply(json.dumps(body).encode(), status, kept | (headers or {}), keeps_alive=True)


@dataclass
class Project:
    """The repository ada/engine: `issues` by number and `comments` by number of the issue."""

    server: LocalServer
    name: str = "ada/engine"
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    labels: tuple[str, ...] = ("bug", "help wanted")
    sets_labels: bool = True

    @property
    def url(self) -> str:
        """Its address for the catalogue of repositories."""
        return f"https://127.0.0.1:{self.server.port}/{self.name}.git"

    def add(self, title: str, body: str | None = "Text.", **more: Any) -> dict[str, Any]:
        """Add an issue, or with `pull=True` a pull request; the newest is an hour newer."""
        number = len(self.issues) + 1
        created = f"{BEGAN + timedelta(hours=number):%Y-%m-%dT%H:%M:%SZ}"
        is_pull = more.pop("pull", False)
        kind = "pull" if is_pull else "issues"
        issue = {
            "id": 1_000 + number,
            "node_id": "MDU6SXNzdWUx",
            "url": f"https://api.github.com/repos/{self.name}/issues/{number}",
            "repository_url": f"https://api.github.com/repos/{self.name}",
            "labels_url": f"https://api.github.com/repos/{self.name}/issues/{number}/labels{{/name}}",
            "comments_url": f"https://api.github.com/repos/{self.name}/issues/{number}/comments",
            "events_url": f"https://api.github.com/repos/{self.name}/issues/{number}/events",
            "html_url": f"https://github.com/{self.name}/{kind}/{number}",
            "number": number,
            "state": "open",
            "state_reason": None,
            "title": title,
            "body": body,
            "user": user("ada"),
            "labels": [],
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "locked": False,
            "active_lock_reason": None,
            "comments": 0,
            "closed_at": None,
            "created_at": created,
            "updated_at": created,
            "author_association": "COLLABORATOR",
            "reactions": {"url": "https://api.github.com/…/reactions", "total_count": 0, "+1": 0},
            "timeline_url": f"https://api.github.com/repos/{self.name}/issues/{number}/timeline",
            "performed_via_github_app": None,
        } | more
        if is_pull:
            issue["pull_request"] = {"url": "https://api.github.com/…/pulls/1", "merged_at": None}
        self.issues[number] = issue
        self.comments[number] = []
        return issue

    def comment(self, number: int, body: str, login: str = "ben") -> dict[str, Any]:
        """Add a comment to an issue."""
        comments = self.comments[number]
        where = self.issues[number]["html_url"]
        made = {
            "id": number * 10_000 + len(comments),
            "node_id": "MDEyOklzc3VlQ29tbWVudDE=",
            "url": f"https://api.github.com/repos/{self.name}/issues/comments/1",
            "html_url": f"{where}#issuecomment-{number * 10_000 + len(comments)}",
            "issue_url": self.issues[number]["url"],
            "body": body,
            "user": user(login),
            "created_at": self.issues[number]["created_at"],
            "updated_at": self.issues[number]["created_at"],
            "author_association": "MEMBER",
            "performed_via_github_app": None,
        }
        comments.append(made)
        self.issues[number]["comments"] = len(comments)
        return made

    def route(self, path: str, answer: Reply | Callable[[Asked], Reply]) -> None:
        """Answer a path of the API otherwise from now on."""
        self.server.routes[f"/api/v3{path}"] = answer

    @property
    def asked(self) -> list[Asked]:
        """All requests so far."""
        return self.server.asked

    def answer(self, asked: Asked) -> Reply:
        """Answer as GitHub does."""
        if asked.headers.get("Authorization") != f"Bearer {TOKEN}":
            return refusal(401, "Bad credentials")
        path = urlsplit(asked.path).path.removeprefix("/api/v3")
        query = {name: values[0] for name, values in parse_qs(urlsplit(asked.path).query).items()}
        if path == "/search/issues":
            return self._search(query)
        at = re.fullmatch(rf"/repos/{re.escape(self.name)}/issues(?:/(\d+)(/comments)?)?", path)
        if at is None or (at[1] and int(at[1]) not in self.issues):
            return refusal(404, "Not Found")
        if asked.method == "POST":
            return self._write(at, json.loads(asked.body))
        if at[1] and not at[2]:
            return reply(self.issues[int(at[1])])
        return self._page(
            self.comments[int(at[1])] if at[2] else self._matching(query), query, path
        )

    def _matching(self, query: dict[str, str]) -> list[dict[str, Any]]:
        wanted = set(filter(None, query.get("labels", "").split(",")))
        state = query.get("state", "open")
        return [
            issue
            for issue in reversed(self.issues.values())
            if state in ("all", issue["state"])
            and wanted <= names_of(issue)
            and issue["created_at"] >= query.get("since", "")
        ]

    def _page(self, rows: list[Any], query: dict[str, str], path: str) -> Reply:
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        rows = [row for row in rows if row["updated_at"] >= query.get("since", "")]
        shown = rows[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(rows):
            at = f"https://api.github.com{path}?per_page={size}&page="
            headers["Link"] = (
                f'<{at}{page + 1}>; rel="next", <{at}{-(-len(rows) // size)}>; rel="last"'
            )
        return reply(shown, headers=headers)

    def _search(self, query: dict[str, str]) -> Reply:
        parts = re.findall(r'[a-z]+:"[^"]*"|"[^"]*"|\S+', query["q"])
        if f"repo:{self.name}" not in parts:
            text = "The listed users and repositories cannot be searched either because the "
            text += "resources do not exist or you do not have permission to view them."
            problem = {"message": text, "resource": "Search", "field": "q", "code": "invalid"}
            return refusal(422, "Validation Failed", errors=[problem])
        words = [part.strip('"').lower() for part in parts if ":" not in part]
        labels = {part[6:].strip('"') for part in parts if part.startswith("label:")}
        state = next((part[6:] for part in parts if part.startswith("state:")), "all")
        found = [
            issue | {"score": 1.0}
            for issue in self._matching({"state": state})
            if "pull_request" not in issue
            and labels <= names_of(issue)
            and all(word in f"{issue['title']} {issue['body']}".lower() for word in words)
        ]
        size, page = int(query["per_page"]), int(query["page"])
        shown = found[(page - 1) * size : page * size]
        body = {"total_count": len(found), "incomplete_results": False, "items": shown}
        return reply(body, headers={"X-RateLimit-Resource": "search"})

    def _write(self, at: re.Match[str], sent: dict[str, Any]) -> Reply:
        if at[2]:
            made = self.comment(int(at[1]), sent["body"], "mia")
        else:
            if not sent["title"]:
                problem = {"resource": "Issue", "code": "missing_field", "field": "title"}
                return refusal(422, "Validation Failed", errors=[problem])
            known = [label(name) for name in sent["labels"] if self.sets_labels]
            made = self.add(sent["title"], sent["body"], user=user("mia"), labels=known)
        stamp = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        made |= {"created_at": stamp, "updated_at": stamp}
        return reply(made, status=201)


class _Routes(dict[str, Any]):
    """The routes of a test, and the project's own answers for every other path."""

    def __init__(self, project: Project) -> None:
        super().__init__()
        self.project = project

    def get(self, path: str, default: Any = None) -> Any:  # noqa: ARG002
        """Return the route of a path."""
        return super().get(path, self.project.answer)


@contextmanager
def github() -> Iterator[Project]:
    """Serve the API below /api/v3, as GitHub Enterprise does, until the block ends."""
    with serving() as server:
        project = Project(server)
        server.routes = _Routes(project)
        yield project


@contextmanager
def github_for(settings: Any) -> Iterator[Project]:
    """Serve the API at the address of the settings, with ada/engine as repository `engine`."""
    from django.core.cache import cache

    from web.library.github import connections
    from web.library.models import Repository

    with github() as project:
        settings.GITHUB_API_URL = project.server.url("/api/v3")
        Repository.objects.create(name="engine", url=project.url)
        cache.clear()
        try:
            yield project
        finally:
            connections.close()
            cache.clear()
