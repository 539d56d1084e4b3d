"""Issues on GitHub, read with the caller's own token; nothing of them is kept."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from web.accounts.principals import Principal
from web.core.errors import InvalidInput, NotFound
from web.core.limits import LIMITS
from web.core.paging import cursor_for, offset_of
from web.library.github.client import GitHub
from web.library.github.failures import Aim
from web.library.github.projects import Project, project_for
from web.library.github.query import search_text
from web.library.github.records import IssueComment, IssueListing, IssueText
from web.library.github.shapes import Comment, Found, Issue, Named, text_of

READS: Final = "Issues: read"
ROWS: Final = 50
"""Rows of one page of GitHub's; fixed, so that a position is in the same page every time."""
MAX_FOUND: Final = 1000
"""Results of a search that GitHub shows, whatever it found."""


def issues_listed(
    *,
    principal: Principal,
    repository: str,
    token: SecretStr,
    state: str = "open",
    labels: tuple[str, ...] = (),
    query: str = "",
    limit: int,
    cursor: str | None = None,
) -> IssueListing:
    """Return issues of a repository, newest first; with a query, best first, what GitHub finds.

    `state` is open, closed or all; issues have all of `labels`. Pull requests are left out, so one
    call reads at most LIMITS.max_github_pages pages, and may return fewer than `limit` issues with
    a cursor. Raises what `project_for` and `GitHub.get` raise, and InvalidInput for a label with a
    comma, a query that GitHub would take for another place, and a foreign cursor.
    """
    project = project_for(principal, repository)
    labels = tuple(label.strip() for label in labels if label.strip())
    if any("," in label for label in labels):
        raise InvalidInput(
            "A label holds no comma.",
            hint='Give each label as an entry of its own: ["bug", "help wanted"].',
            fields={"labels": "holds a comma"},
        )
    asked = _Asked(GitHub(token), project, state, labels, query.strip(), limit)
    filters = {"of": str(project), "state": state, "labels": labels, "query": asked.query}
    offset = offset_of(cursor, filters=filters)
    walked = _searched(asked, offset) if asked.query else _listed(asked, offset)
    return IssueListing(
        project=str(project),
        issues=tuple(issue.item() for issue in walked.issues),
        total_count=walked.total_count,
        looked_at_count=walked.looked_at_count,
        is_complete=walked.is_complete,
        next_cursor=(
            None
            if walked.next_offset is None
            else cursor_for(offset=walked.next_offset, filters=filters)
        ),
    )


def issue_text(
    *,
    principal: Principal,
    repository: str,
    token: SecretStr,
    number: int,
    start_comment: int = 0,
    start_line: int = 1,
) -> IssueText:
    """Return an issue, or a pull request, and a page of its comments.

    The comments begin at position `start_comment`, counted from 1; with 0 the issue's own text
    comes first. `start_line` is only kept for whoever shows it. Raises what `project_for` and
    `GitHub.get` raise, and InvalidInput for a comment that does not exist.
    """
    project = project_for(principal, repository)
    github = GitHub(token)
    aim = Aim(f"issue #{number} of {project}", READS)
    issue = github.get(f"{project.path}/issues/{number}", Issue, aim=aim)
    if start_comment > issue.comments:
        raise InvalidInput(
            f"Issue #{number} of {project} has {issue.comments} comments.",
            hint="Use a smaller start_comment, or leave it out for the whole issue.",
            fields={"start_comment": f"is beyond the last comment, {issue.comments}"},
        )
    place = place_of(issue, project)
    return IssueText(
        project=str(place),
        issue=issue.item(),
        is_pull_request=issue.pull_request is not None,
        is_locked=issue.locked,
        reason=issue.state_reason or "",
        assignees=tuple(user.login for user in issue.assignees or ()),
        milestone=issue.milestone.title if issue.milestone else "",
        text=text_of(issue.body) if start_comment == 0 else "",
        comments=_comments(github, place, issue, max(start_comment, 1), aim),
        start_comment=start_comment,
        start_line=start_line,
        moved_from="" if (place, issue.number) == (project, number) else f"{project}#{number}",
    )


def place_of(issue: Issue, asked: Project) -> Project:
    """Return the project that an issue is in now, `asked` unless it or the project was moved."""
    parts = urlsplit(issue.html_url).path.strip("/").split("/")
    owner, name = [*parts, "", ""][:2]
    if not owner or not name or f"{owner}/{name}".lower() == str(asked).lower():
        return asked
    return Project(owner, name)


def _comments(
    github: GitHub, project: Project, issue: Issue, start: int, aim: Aim
) -> tuple[IssueComment, ...]:
    """Return the comments from position `start` to the end of GitHub's page."""
    if issue.comments < start:
        return ()
    page, skipped = divmod(start - 1, ROWS)
    rows = github.get(
        f"{project.path}/issues/{issue.number}/comments",
        list[Comment],
        aim=aim,
        query={"per_page": ROWS, "page": page + 1},
    )
    return tuple(row.record(start + index) for index, row in enumerate(rows[skipped:]))


@dataclass(frozen=True, slots=True)
class _Asked:
    """One list: of what, with which filters, how many at most."""

    github: GitHub
    project: Project
    state: str
    labels: tuple[str, ...]
    query: str
    limit: int

    @property
    def aim(self) -> Aim:
        """What is asked, in words."""
        return Aim(f"issues of {self.project}", READS)


@dataclass(slots=True)
class _Walked:
    """Issues found so far, and the position behind the last row; None behind the very last."""

    issues: list[Issue]
    next_offset: int | None
    looked_at_count: int = 0
    total_count: int | None = None
    is_complete: bool = True


def _listed(asked: _Asked, offset: int) -> _Walked:
    """Walk GitHub's list, which has pull requests among the issues."""
    walked = _Walked([], offset)
    for _ in range(LIMITS.max_github_pages):
        page, skipped = divmod(walked.next_offset or 0, ROWS)
        rows, has_more = asked.github.page(
            f"{asked.project.path}/issues",
            list[Issue],
            aim=asked.aim,
            query={
                "state": asked.state,
                "sort": "created",
                "direction": "desc",
                "per_page": ROWS,
                "page": page + 1,
                **({"labels": ",".join(asked.labels)} if asked.labels else {}),
            },
        )
        for at, row in enumerate(rows[skipped:], page * ROWS + skipped):
            if row.pull_request is None:
                if len(walked.issues) == asked.limit:
                    walked.next_offset = at
                    return walked
                walked.issues.append(row)
            walked.looked_at_count += 1
        walked.next_offset = (page + 1) * ROWS if has_more else None
        if not has_more or len(walked.issues) == asked.limit:
            break
    return walked


def _searched(asked: _Asked, offset: int) -> _Walked:
    """Search; a repository that has another name now is searched for by that one."""
    try:
        return _found(asked, asked.project, offset)
    except NotFound:
        named = asked.github.get(asked.project.path, Named, aim=asked.aim)
        owner, _, name = named.full_name.partition("/")
        if Project(owner, name) == asked.project:
            raise
        return _found(asked, Project(owner, name), offset)


def _found(asked: _Asked, project: Project, offset: int) -> _Walked:
    page, skipped = divmod(offset, ROWS)
    words = search_text(project, state=asked.state, labels=asked.labels, query=asked.query)
    found = asked.github.get(
        "/search/issues",
        Found,
        aim=asked.aim,
        query={"q": words, "per_page": ROWS, "page": page + 1},
    )
    last = min(found.total_count, MAX_FOUND)
    rows = found.items[skipped : skipped + asked.limit]
    end = offset + len(rows)
    place = f"/repos/{project}".lower()
    return _Walked(
        issues=[
            row
            for row in rows
            if row.pull_request is None and row.repository_url.lower().endswith(place)
        ],
        next_offset=end if rows and end < last else None,
        looked_at_count=len(rows),
        total_count=found.total_count,
        is_complete=not found.incomplete_results and found.total_count <= MAX_FOUND,
    )
