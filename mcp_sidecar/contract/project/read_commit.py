"""read_commit: the message of a commit, and what it changed."""

from pydantic import Field

from mcp_sidecar.contract.base import (
    FIX,
    RETRY,
    Arguments,
    Description,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.fields import OptionalPath
from mcp_sidecar.contract.project.list_commits import CommitSummary
from mcp_sidecar.contract.rendering.answer import (
    MAX_BLOCK_CHARACTERS,
    MAX_SOURCE_CHARACTERS,
    Answer,
)
from mcp_sidecar.contract.rendering.code import fenced
from mcp_sidecar.contract.rendering.freshness import Freshness, instant, state
from mcp_sidecar.contract.text import link, path_span, span, word

NAME = "read_commit"
MAX_COMMIT_CHARACTERS = 255
_NO_PARENT = (
    "What it changed cannot be told: the commit before it is not, or not whole, in this copy of "
    "the repository. read_file and list_files show the files as they are now."
)


class ReadCommitArguments(Arguments):
    """What read_commit takes."""

    commit: str = Field(
        min_length=1,
        max_length=MAX_COMMIT_CHARACTERS,
        description="Id from list_commits, at least its first 4 characters; or an indexed tag or "
        "branch.",
        examples=["1a2b3c4d"],
    )
    path: OptionalPath = Field(
        None,
        description="Only changes of this file or below this folder, for a commit that is too "
        "large to be shown whole.",
        examples=["django/middleware"],
    )


class ChangedFile(Result):
    """A file that a commit changed; see the record of the same name."""

    path: str
    old_path: str
    status: str
    added_lines: int
    deleted_lines: int
    is_binary: bool
    patch: str
    is_cut: bool
    is_unreadable: bool = False


class ReadCommitResult(Result):
    """A commit and what it changed against its first parent."""

    repository: str
    summary: CommitSummary
    message: str
    parents: tuple[str, ...]
    file_count: int
    added_lines: int
    deleted_lines: int
    files: tuple[ChangedFile, ...]
    url: str
    freshness: Freshness
    path: str = ""
    matching_count: int = 0
    lacks_parent: bool = False


def render(result: ReadCommitResult) -> Rendering:
    """Return the message, the list of files with their counts, and the patches that fit."""
    commit = result.summary
    answer = Answer(
        [
            f"Commit {word(commit.commit)} of repository {span(result.repository)}, "
            f"{instant(commit.committed_at)}, by {span(commit.author, 200)}",
            link(result.url) if result.url else "",
            f"Read from {state(result.freshness)}",
            f"Parents: {', '.join(map(word, result.parents)) or 'none'}",
            _NO_PARENT
            if result.lacks_parent
            else f"{result.file_count} files changed, {result.added_lines} lines added, "
            f"{result.deleted_lines} deleted against the first parent",
            f"Shown are the {result.matching_count} files at {path_span(result.path)}."
            if result.path
            else "",
        ]
    )
    rows = result.message.split("\n")
    text, count = fenced(rows, most=MAX_SOURCE_CHARACTERS)
    if text:
        answer.add(text)
    if count < len(rows):
        answer.add(f"truncated: {len(rows) - count} more lines of the message.")
    listed = answer.add_rows(map(_row, result.files))
    shown = 0
    for file in result.files:
        if file.patch and not answer.add(_patch(file)):
            break
        shown += bool(file.patch)
    closing = []
    if listed < result.matching_count:
        closing.append(
            f"truncated: {result.matching_count - listed} more files are not listed: call {NAME} "
            "with path, a folder of them."
        )
    with_patch = sum(not file.is_binary and not file.is_unreadable for file in result.files)
    if shown < with_patch:
        closing.append(
            f"truncated: patches of {with_patch - shown} more files are not shown: call {NAME} "
            "with path, one of them."
        )
    return Rendering(answer.text(closing), len(result.files))


def _row(file: ChangedFile) -> str:
    counts = "binary" if file.is_binary else f"+{file.added_lines} -{file.deleted_lines}"
    if file.is_unreadable:
        counts = "not shown: a version of it is not in this copy of the repository"
    before = f" from {path_span(file.old_path)}" if file.old_path else ""
    return f"- {word(file.status)} {path_span(file.path)}{before} {counts}"


def _patch(file: ChangedFile) -> str:
    rows = file.patch.rstrip("\n").split("\n")
    text, count = fenced(rows, most=MAX_BLOCK_CHARACTERS - 1_000, language="diff")
    lines = [f"## {path_span(file.path)}", text]
    if file.is_cut or count < len(rows):
        lines.append(
            "truncated: the patch of this file goes on; with it as path more of it is shown, and "
            "read_file shows the file as it is now."
        )
    return "\n".join(lines)


CONTRACT = ToolContract(
    name=NAME,
    title="Read commit",
    description=Description(
        purpose="Read one commit: message, author, date, changed files and the diff against its "
        "first parent. Use it for what a change did and why, with an id from list_commits.",
        not_for="finding a commit (list_commits), a file as it is now (read_file).",
        returns='Markdown: the message, one line per file such as "- modified `setup.py` +3 -1", '
        "then the patches; of a large commit as much as fits, and how to get the rest.",
        errors="not_found: no such commit (use list_commits), or it changed nothing at path (leave "
        f"path out). {FIX} {RETRY}",
    ),
    arguments=ReadCommitArguments,
    result=ReadCommitResult,
    renderer=render,
    uses_repository=True,
    requires_repository=True,
)
