"""get_repository: what to know first about one repository."""

from datetime import datetime

from mcp_sidecar.contract.base import RETRY, Arguments, Description, Rendering, Result, ToolContract
from mcp_sidecar.contract.project.list_repositories import RepositorySummary, counts, named_refs
from mcp_sidecar.contract.rendering.answer import MAX_SOURCE_CHARACTERS, Answer
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import SHORT_COMMIT, instant, state
from mcp_sidecar.contract.rendering.lists import counted
from mcp_sidecar.contract.text import path_span, span, word

NAME = "get_repository"
MAX_ROWS = 40


class GetRepositoryArguments(Arguments):
    """What get_repository takes: nothing but the repository."""


class CommitSummary(Result):
    """One commit; see the record of the same name."""

    commit: str
    author: str
    committed_at: datetime
    subject: str


class GetRepositoryResult(Result):
    """What to know first about a repository; see the record RepositoryOverview."""

    summary: RepositorySummary
    readme_path: str
    readme: str
    readme_is_truncated: bool
    layout: tuple[tuple[str, int], ...]
    documents: tuple[tuple[str, str], ...]
    recent_commits: tuple[CommitSummary, ...]
    recent_tags: tuple[str, ...]


def render(result: GetRepositoryResult) -> Rendering:
    """Return counts, layout, documentation, commits and tags, and the start of the README last."""
    summary = result.summary
    answer = Answer([f"Overview of {state(summary.freshness)}", counts(summary)])
    title = "" if summary.title == summary.name else summary.title
    about = [span(text, 1_000) for text in (title, _flat(summary.description)) if text]
    if about:
        answer.add("About: " + " ".join(about))
    _add_list(answer, "Indexed refs", [named_refs(summary.refs)] if summary.refs else [])
    _add_list(
        answer,
        "Layout",
        [f"{_folder(path)}: {counted(count, 'file')}" for path, count in result.layout],
    )
    _add_list(
        answer,
        "Documentation (list_docs shows all)",
        [f"{path_span(path)} {span(title, 200)}" for path, title in result.documents],
    )
    _add_list(answer, "Recent commits", [_commit(commit) for commit in result.recent_commits])
    _add_list(answer, "Recent tags", [", ".join(span(tag, 100) for tag in result.recent_tags[:20])])
    skipped = [
        f"{counted(count, 'file')}: {span(reason, 100)}" for reason, count in summary.skipped
    ]
    _add_list(answer, "Not indexed", skipped)
    return Rendering(answer.text(_add_readme(answer, result)))


def _folder(path: str) -> str:
    return "directly in the root" if path == "." else path_span(path)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _add_list(answer: Answer, title: str, rows: list[str]) -> None:
    rows = [row for row in rows if row]
    if not rows:
        return
    more = len(rows) - MAX_ROWS
    shown = [f"- {row}" for row in rows[:MAX_ROWS]]
    if more > 0:
        shown.append(f"- and {more} more")
    if not answer.add("\n".join([f"## {title}", *shown])):
        answer.add(f"## {title}\n- {len(rows)} entries that did not fit")


def _commit(commit: CommitSummary) -> str:
    return (
        f"{word(commit.commit[:SHORT_COMMIT])} {instant(commit.committed_at)} "
        f"{span(commit.author, 80)}: {span(commit.subject, 120)}"
    )


def _add_readme(answer: Answer, result: GetRepositoryResult) -> list[str]:
    """Add the README's start; return the line that says how to read on."""
    if not result.readme:
        return []
    rows = result.readme.removesuffix("\n").split("\n")
    most = min(answer.free - 1_500, 2 * MAX_SOURCE_CHARACTERS)
    text, shown = fenced(rows, most=most)
    if text:
        answer.add(f"## README\n{path_span(result.readme_path)}\n{text}")
    if shown < len(rows) or result.readme_is_truncated:
        # The service cuts between characters: the last line it gave may not be whole.
        next_line = shown + 1 if shown < len(rows) else shown
        return [f"truncated: go on with read_file of the README and start_line={next_line}"]
    return []


CONTRACT = ToolContract(
    name=NAME,
    title="Get repository",
    description=Description(
        purpose="Get an overview of one repository: languages, folders, documentation, recent "
        "commits and tags, indexed refs, the start of its README. Use it before working on a "
        "repository you do not know.",
        not_for="choosing among repositories (list_repositories), one folder (list_files), a "
        "question (search_docs, search_code).",
        returns='Markdown: the indexed commit, then sections such as "## Layout" with '
        '"- `django/`: 812 files" and "## README"; where the README goes on.',
        errors=f"invalid_input: take one of the repositories it lists. {RETRY}",
    ),
    arguments=GetRepositoryArguments,
    result=GetRepositoryResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
