"""list_repositories: what there is."""

from pydantic import Field

from mcp_sidecar.contract.base import RETRY, Arguments, Description, Rendering, Result, ToolContract
from mcp_sidecar.contract.rendering.answer import Answer
from mcp_sidecar.contract.rendering.freshness import Freshness, instant, state
from mcp_sidecar.contract.rendering.lists import count_line, counted
from mcp_sidecar.contract.text import span, word

NAME = "list_repositories"
MAX_NAME_CHARACTERS = 63
MAX_LANGUAGES = 5
MAX_REFS = 10


class ListRepositoriesArguments(Arguments):
    """What list_repositories takes."""

    cursor: str | None = Field(
        None,
        max_length=MAX_NAME_CHARACTERS,
        description="Next page: the cursor of the answer before, the last name it showed.",
        examples=["django"],
    )


class RepositorySummary(Result):
    """A repository in a list; see the record of the same name."""

    name: str
    title: str
    description: str
    visibility: str
    default_branch: str
    refs: tuple[str, ...]
    freshness: Freshness
    file_count: int
    indexed_file_count: int
    document_count: int
    languages: tuple[tuple[str, int], ...]
    skipped: tuple[tuple[str, int], ...]


class ListRepositoriesResult(Result):
    """The repositories in list order, from the one after the cursor on."""

    repositories: tuple[RepositorySummary, ...]
    total_count: int


def render(result: ListRepositoriesResult) -> Rendering:
    """Return one block per repository; the last name shown is the cursor of the next page."""
    instants = [
        one.freshness.indexed_at
        for one in result.repositories
        if one.freshness.indexed_at is not None
    ]
    newest = f" Newest index: {instant(max(instants))}." if instants else ""
    answer = Answer([f"Repositories on this server.{newest}"])
    shown = answer.add_all(_block(repository) for repository in result.repositories)
    left_out = len(result.repositories) - shown
    closing = [count_line(result.total_count, shown, noun="repositories")]
    if left_out and shown:
        cursor = result.repositories[shown - 1].name
        closing.append(f'truncated: for the next page call {NAME} with cursor="{word(cursor)}"')
    if not result.total_count:
        closing = ["There is no repository yet. Tell the user that one has to be added."]
    return Rendering(answer.text(closing), shown, left_out)


def _block(repository: RepositorySummary) -> str:
    has_title = repository.title not in {"", repository.name}
    title = span(repository.title, 200) if has_title else ""
    lines = [
        f"- {span(repository.name)} {title}".rstrip(),
        f"  {span(' '.join(repository.description.split()), 500)}"
        if repository.description.strip()
        else "",
        f"  {state(repository.freshness).removeprefix('repository ')}",
        f"  {counts(repository)}",
    ]
    if len(repository.refs) > 1:
        lines.append(f"  Refs: {named_refs(repository.refs)}")
    return "\n".join(line for line in lines if line)


def counts(repository: RepositorySummary) -> str:
    """Return files, documents and languages in one sentence."""
    text = (
        f"{counted(repository.file_count, 'file')} ({repository.indexed_file_count} indexed), "
        f"{counted(repository.document_count, 'documentation page')}"
    )
    languages = ", ".join(
        f"{word(name)} {number}" for name, number in repository.languages[:MAX_LANGUAGES]
    )
    members = "; visible to members only" if repository.visibility == "members" else ""
    return f"{text}; {languages}{members}" if languages else text + members


def named_refs(refs: tuple[str, ...]) -> str:
    """Return the indexed refs as spans, at most MAX_REFS and how many more."""
    text = ", ".join(span(ref, 100) for ref in refs[:MAX_REFS])
    more = len(refs) - MAX_REFS
    return f"{text} and {more} more" if more > 0 else text


CONTRACT = ToolContract(
    name=NAME,
    title="List repositories",
    description=Description(
        purpose="List the repositories of this server with description, indexed commit, staleness, "
        "languages, number of files and documentation pages. Use it first when you do not know "
        "which repository holds what you look for, or its exact name.",
        not_for="one repository in detail (get_repository); code or documentation anywhere "
        "(search_code and search_docs search all repositories when repository is left out).",
        returns='Markdown, one entry per repository, such as "- `django` `Django web framework`" '
        'with "at `main`, commit 1a2b3c4d of 2026-11-02 10:31 UTC" and counts; total_count; '
        "where not all fit, the cursor of the next page.",
        errors=f"invalid_input: leave the cursor out. {RETRY}",
    ),
    arguments=ListRepositoriesArguments,
    result=ListRepositoriesResult,
    renderer=render,
    project_wide=True,
)
