"""Records as services return them, and results of any shape made from a result model."""

import types
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from mcp_sidecar.contract.operations import (
    get_health,
    get_usage,
    get_user,
    list_audit_entries,
    list_sources,
    list_tool_calls,
    list_users,
    revoke_tokens,
    search_logs,
    set_users_active,
    sync_repository,
)
from mcp_sidecar.contract.project import (
    comment_on_issue,
    create_issue,
    find_symbol,
    get_repository,
    grep_code,
    list_commits,
    list_docs,
    list_files,
    list_issues,
    list_repositories,
    read_commit,
    read_doc,
    read_file,
    read_issue,
    read_post,
    search_code,
    search_docs,
    search_posts,
)
from web.accounts import records as account_records
from web.library.github import records as issue_records
from web.library.posts import records as post_records
from web.library.records import code, documents, files, freshness, history, repositories, sources
from web.operations import records as operations_records

COMMITTED_AT = datetime(2026, 11, 2, 10, 31, tzinfo=UTC)
INDEXED_AT = datetime(2026, 11, 5, 9, 12, tzinfo=UTC)
COMMIT = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"

FRESH = freshness.Freshness(
    repository="django",
    ref="main",
    commit=COMMIT,
    committed_at=COMMITTED_AT,
    indexed_at=INDEXED_AT,
)
STALE = freshness.Freshness(
    repository="wagtail",
    ref="main",
    commit=COMMIT,
    committed_at=COMMITTED_AT,
    indexed_at=INDEXED_AT,
    stale_since=datetime(2026, 11, 6, 0, 0, tzinfo=UTC),
    stale_reason="the remote does not answer",
)
PLACE = code.CodePlace(
    repository="django",
    ref="main",
    commit=COMMIT,
    path="django/middleware/csrf.py",
    language="python",
    start_line=118,
    lines=("def _does_token_match(request_token, secret):", '    """Compare."""', "    return x"),
    matched_lines=(118,),
    definition="_does_token_match",
    kind="function",
    url="https://github.com/django/django/blob/1a2b3c4d/django/middleware/csrf.py#L118",
    other_line_numbers=(300, 412),
)
SUMMARY = repositories.RepositorySummary(
    name="django",
    title="Django",
    description="The web framework\nfor perfectionists.",
    visibility="public",
    default_branch="main",
    refs=("main", "v5.2"),
    freshness=FRESH,
    file_count=6900,
    indexed_file_count=3500,
    document_count=600,
    languages=(("python", 2800), ("html", 400)),
    skipped=(("binary file", 120),),
)
OVERVIEW = repositories.RepositoryOverview(
    summary=SUMMARY,
    readme_path="README.rst",
    readme="======\nDjango\n======\n\nDjango is a high-level Python web framework.",
    readme_is_truncated=True,
    layout=(("django", 4100), ("docs", 620)),
    documents=(("docs/intro/overview.txt", "Django at a glance"),),
    recent_commits=(history.CommitSummary(COMMIT, "Ada", COMMITTED_AT, "Fix a typo"),),
    recent_tags=("v5.2", "v5.1"),
)
CODE = code.CodeSearchResult(
    places=(PLACE,),
    total_count=12,
    total_is_exact=False,
    next_cursor="NDA6OWYyYzFi",
    freshness=(FRESH,),
)
SYMBOLS = code.SymbolSearchResult(
    symbols=(
        code.SymbolPlace(
            repository="django",
            ref="main",
            commit=COMMIT,
            path="django/db/models/query.py",
            name="bulk_create",
            kind="method",
            scope="QuerySet",
            line=750,
            end_line=840,
            signature="    def bulk_create(",
            url="https://example.org/query.py#L750",
        ),
    ),
    total_count=1,
    total_is_exact=True,
    freshness=(FRESH, STALE),
)
FILES = files.FileListing(
    items=(
        files.FileItem("django", "folder", 0, "", "", 4100),
        files.FileItem("logo.png", "binary", 12288, "", "binary file"),
        files.FileItem("setup.cfg", "file", 1893, "ini", ""),
    ),
    total_count=3,
    next_cursor=None,
    freshness=FRESH,
)
LINES = files.FileLines(
    path="setup.py",
    kind="file",
    size=60,
    language="python",
    encoding="utf-8",
    start_line=9,
    lines=("import setuptools", "", "setuptools.setup()"),
    total_lines=40,
    cut_lines=(),
    note="",
    url="https://example.org/setup.py",
    freshness=FRESH,
)
SECTIONS = documents.DocumentSearchResult(
    sections=(
        documents.SectionPlace(
            repository="django",
            ref="main",
            commit=COMMIT,
            path="docs/howto/logging.txt",
            title="How to configure logging",
            trail=("Basic logging",),
            heading="Configure a logger",
            anchor="configure-a-logger",
            start_line=40,
            end_line=66,
            excerpt="Each logger has a name.\nUse it.",
            url="https://example.org/logging#configure-a-logger",
        ),
    ),
    total_count=1,
    total_is_exact=True,
    next_cursor=None,
    freshness=(FRESH,),
)
DOCUMENTS = documents.DocumentListing(
    documents=(
        documents.DocumentItem("django", "docs/a.txt", "A page", "restructuredtext", 7),
        documents.DocumentItem("django", "docs/b.txt", "B page", "restructuredtext", 1),
    ),
    total_count=9,
    next_cursor="NDI6OWYyYzFi",
    freshness=(FRESH,),
)
DOCUMENT = documents.DocumentText(
    path="docs/howto/logging.txt",
    title="How to configure logging",
    format="restructuredtext",
    trail=(),
    heading="",
    anchor="",
    start_line=1,
    end_line=3,
    total_lines=3,
    text="=======\nLogging\n=======\n",
    sections=(documents.SectionItem("Logging", "logging", 1, 1, 3),),
    next_start_line=None,
    url="https://example.org/logging",
    freshness=FRESH,
)
MATCHES = code.PatternMatches(
    files=(
        code.MatchingFile(
            path="django/shortcuts.py",
            language="python",
            lines=((69, "def get_object_or_404(klass):"), (120, "def get_list_or_404(klass):")),
            line_count=4,
            url="https://example.org/shortcuts.py#L69",
        ),
    ),
    searched_count=900,
    file_count=3500,
    skipped_count=3400,
    unreadable_count=1,
    next_cursor="OTAwOjlmMmMxYg",
    freshness=FRESH,
)
COMMITS = history.CommitListing(
    commits=(history.CommitSummary(COMMIT, "Ada", COMMITTED_AT, "Fix the `login`"),),
    walked_count=1,
    is_complete=True,
    next_cursor="MTo5ZjJjMWI",
    freshness=FRESH,
)
COMMIT_DETAIL = history.CommitDetail(
    repository="django",
    summary=history.CommitSummary(COMMIT, "Ada", COMMITTED_AT, "Fix the login"),
    message="Fix the login\n\nThe form lost its token.",
    parents=("0" * 40,),
    file_count=120,
    added_lines=4,
    deleted_lines=1,
    files=(
        history.ChangedFile("a.py", "", "modified", 3, 1, False, "@@ -1 +1 @@\n-a\n+b\n", True),
        history.ChangedFile("logo.png", "old.png", "renamed", 0, 0, True, "", False),
        history.ChangedFile("c.py", "", "added", 1, 0, False, "", True),
    ),
    url="https://example.org/commit",
    freshness=FRESH,
    path="src",
    matching_count=60,
)

POST = post_records.PostItem(
    slug="release-5-2",
    title="Release 5.2",
    summary="What is new.",
    author="Ada",
    published_at=COMMITTED_AT,
    updated_at=INDEXED_AT,
    tags=("release", "security"),
    url="https://hub.example/blog/release-5-2/",
    source="Planet Django",
    source_url="https://planet.example/release-5-2/",
)
STALE_FEED = post_records.StaleFeed(
    title="Planet Django",
    since=datetime(2026, 11, 6, 0, 0, tzinfo=UTC),
    reason="planet.example answers with status 503.",
)
POSTS = post_records.PostSearchResult(
    places=(
        post_records.PostPlace(
            post=POST,
            heading="Upgrading",
            trail=("What changes",),
            anchor="upgrading",
            start_line=12,
            end_line=20,
            excerpt="Run the checks first.\n\nThen upgrade.",
        ),
    ),
    total_count=12,
    total_is_exact=True,
    next_cursor="NDA6OWYyYzFi",
    searched_count=40,
    newest_at=INDEXED_AT,
    stale_feeds=(STALE_FEED,),
    interpretation="tag: release",
    hints=("The words without quotes.",),
)
POST_TEXT = post_records.PostText(
    post=POST,
    text="# What changes\n\nMuch.\n\n## Upgrading\n\nRun the checks first.",
    start_line=1,
    end_line=7,
    total_lines=7,
    sections=(documents.SectionItem("What changes", "what-changes", 1, 1, 4),),
    next_start_line=None,
    stale_feed=STALE_FEED,
)
ISSUE = issue_records.IssueItem(
    number=12,
    title="Login fails",
    state="closed",
    author="ada",
    labels=("bug", "help wanted"),
    comment_count=2,
    created_at=COMMITTED_AT,
    updated_at=INDEXED_AT,
    url="https://github.com/ada/engine/issues/12",
)
ISSUES = issue_records.IssueListing(
    project="ada/engine",
    issues=(ISSUE,),
    total_count=None,
    looked_at_count=50,
    is_complete=True,
    next_cursor="NTA6OWYyYzFi",
)
ISSUE_TEXT = issue_records.IssueText(
    project="ada/engine",
    issue=ISSUE,
    is_pull_request=False,
    is_locked=True,
    reason="completed",
    assignees=("ben",),
    milestone="5.2",
    text="It fails after a reset.",
    comments=(
        issue_records.IssueComment(
            position=1,
            author="ben",
            created_at=COMMITTED_AT,
            updated_at=INDEXED_AT,
            text="Me too.",
            url="https://github.com/ada/engine/issues/12#issuecomment-1",
        ),
        issue_records.IssueComment(
            position=2,
            author="ada",
            created_at=INDEXED_AT,
            updated_at=INDEXED_AT,
            text="Fixed by 1a2b3c4d.",
            url="https://github.com/ada/engine/issues/12#issuecomment-2",
        ),
    ),
    start_comment=0,
    start_line=1,
    moved_from="ada/motor#7",
)
WRITTEN_ISSUE = issue_records.WrittenIssue(
    project="ada/engine",
    number=13,
    title="Login fails",
    url="https://github.com/ada/engine/issues/13",
    labels=("bug",),
    missing_labels=("wish",),
    is_repeat=False,
)
WRITTEN_COMMENT = issue_records.WrittenComment(
    project="ada/engine",
    number=12,
    url="https://github.com/ada/engine/issues/12#issuecomment-3",
    is_repeat=False,
)

USER = account_records.UserSummary(
    user_id=7,
    username="ada",
    full_name="Ada Lovelace",
    email="ada@example.org",
    is_active=True,
    is_staff=True,
    joined_at=COMMITTED_AT,
    last_login_at=INDEXED_AT,
    token_count=1,
    connection_count=2,
)
GONE = account_records.UserSummary(
    user_id=8,
    username="ben",
    full_name="",
    email="",
    is_active=False,
    is_staff=False,
    joined_at=COMMITTED_AT,
    last_login_at=None,
    token_count=0,
    connection_count=0,
)
AUDIT_ENTRY = account_records.AuditEntry(
    entry_id=90,
    at=INDEXED_AT,
    actor="ada",
    action="user.deactivated",
    target="user:8 ben",
    address="192.0.2.7",
    reason="left in October",
)
USER_DETAIL = account_records.UserDetail(
    summary=USER,
    time_zone="Europe/London",
    tokens=(
        account_records.TokenRecord(
            token_id=12,
            name="laptop",
            hint="ptl_abcdefgh",
            scopes=("project", "work"),
            created_at=COMMITTED_AT,
            expires_at=INDEXED_AT,
            last_used_at=None,
            is_expired=True,
        ),
    ),
    connections=(
        account_records.ConnectionRecord(
            connection_id=3,
            name="Chart reader",
            identity="described by client.example",
            scopes=("work",),
            resources=("https://hub.example/mcp/work",),
            connected_at=COMMITTED_AT,
            renewed_at=INDEXED_AT,
        ),
    ),
    entries=(AUDIT_ENTRY,),
)
SOURCES = (
    sources.Source(
        kind="repository",
        name="django",
        address="https://github.com/django/django",
        state="stale",
        activity="",
        read_at=COMMITTED_AT,
        stale_since=INDEXED_AT,
        reason="The remote does not answer.",
        next_at=None,
    ),
    sources.Source(
        kind="site",
        name="docs",
        address="site+https://docs.example.org/sitemap.xml",
        state="new",
        activity="syncing since 2026-11-05 09:12 UTC, indexing: 3/12 files",
        read_at=None,
        stale_since=None,
        reason="",
        next_at=None,
    ),
    sources.Source(
        kind="feed",
        name="Planet Django",
        address="https://planet.example/atom.xml",
        state="fresh",
        activity="",
        read_at=COMMITTED_AT,
        stale_since=None,
        reason="",
        next_at=INDEXED_AT,
    ),
)

LOGGED = operations_records.LogPage(
    entries=(
        operations_records.LogEntry(
            at=INDEXED_AT,
            level="ERROR",
            logger="mcp_sidecar.errors",
            message="read_file failed",
            request_id="4f1c",
            process="sidecar:12",
            caller="user:7",
            tool="read_file",
            exception='Traceback (most recent call last):\n  File "x.py", line 3\nKeyError: 3\n',
            fields={"attempt": 2},
        ),
        operations_records.LogEntry(
            at=COMMITTED_AT,
            level="INFO",
            logger="nginx.access",
            message="GET /blog/ 200",
            request_id="9b2e",
            process="nginx:3",
            caller="",
            tool="",
        ),
    ),
    searched_back_to=COMMITTED_AT,
    next_cursor="NDI6OWYyYzFi",
)
HEALTH = operations_records.HealthReport(
    state="failing",
    checked_at=INDEXED_AT,
    checks=(
        operations_records.HealthCheck("database", "ok", "The database answers.", seconds=0.002),
        operations_records.HealthCheck(
            "worker",
            "failing",
            "No worker takes tasks: 3 tasks wait.",
            "Start it: python manage.py db_worker",
            seconds=0.004,
            details=("runs since 2026-11-05 09:12 UTC: web.library.tasks.sync_repository",),
        ),
    ),
)
SEARCHED = operations_records.QueryUsage("sextant", "search_docs", 12, INDEXED_AT)
USAGE = operations_records.UsageReport(
    since=COMMITTED_AT,
    until=INDEXED_AT,
    calls=1201,
    errors=3,
    callers=4,
    tools=(operations_records.ToolUsage("search_code", 1201, 3, 0.0081, 0.031, 1000),),
    days=(operations_records.DayUsage(COMMITTED_AT.date(), 1201, 3),),
    top_queries=(operations_records.QueryUsage("csrf", "search_code", 40, INDEXED_AT), SEARCHED),
    empty_queries=(SEARCHED,),
    searches_read=52,
    searches_are_all=True,
)
TOOL_CALL = operations_records.ToolCallEntry(
    at=INDEXED_AT,
    server="portolan-project",
    endpoint="/mcp/",
    tool="search_code",
    user="ada",
    caller="user:7",
    outcome="ok",
    seconds=0.0081,
    cached=True,
    result_size=1200,
    result_count=3,
    query="csrf",
    arguments={"query": "csrf"},
    request_id="4f1c",
)

RESULTS = {
    list_repositories.CONTRACT: list_repositories.ListRepositoriesResult.model_validate(
        {"repositories": (SUMMARY,), "total_count": 1}
    ),
    get_repository.CONTRACT: get_repository.GetRepositoryResult.of(OVERVIEW),
    search_code.CONTRACT: search_code.SearchCodeResult.of(CODE),
    find_symbol.CONTRACT: find_symbol.FindSymbolResult.of(SYMBOLS),
    grep_code.CONTRACT: grep_code.GrepCodeResult.of(MATCHES),
    list_commits.CONTRACT: list_commits.ListCommitsResult.of(COMMITS),
    read_commit.CONTRACT: read_commit.ReadCommitResult.of(COMMIT_DETAIL),
    list_files.CONTRACT: list_files.ListFilesResult.of(FILES),
    read_file.CONTRACT: read_file.ReadFileResult.of(LINES),
    search_docs.CONTRACT: search_docs.SearchDocsResult.of(SECTIONS),
    list_docs.CONTRACT: list_docs.ListDocsResult.of(DOCUMENTS),
    read_doc.CONTRACT: read_doc.ReadDocResult.of(DOCUMENT),
    search_posts.CONTRACT: search_posts.SearchPostsResult.of(POSTS),
    read_post.CONTRACT: read_post.ReadPostResult.of(POST_TEXT),
    get_health.CONTRACT: get_health.GetHealthResult.of(HEALTH),
    search_logs.CONTRACT: search_logs.SearchLogsResult.of(LOGGED),
    list_tool_calls.CONTRACT: list_tool_calls.ListToolCallsResult.of(
        operations_records.ToolCallPage((TOOL_CALL,), total_count=40, next_cursor="NDI6OWYyYzFi")
    ),
    get_usage.CONTRACT: get_usage.GetUsageResult.of(USAGE),
    list_users.CONTRACT: list_users.ListUsersResult.of(
        account_records.UserListing((USER, GONE), total_count=12, next_cursor="NDI6OWYyYzFi")
    ),
    get_user.CONTRACT: get_user.GetUserResult.of(USER_DETAIL),
    set_users_active.CONTRACT: set_users_active.SetUsersActiveResult.of(
        account_records.UsersChanged(
            is_active=False,
            is_dry_run=True,
            changed_count=12,
            unchanged_count=1,
            sample_ids=(7, 8, 9),
            token_count=3,
            connection_count=1,
        )
    ),
    revoke_tokens.CONTRACT: revoke_tokens.RevokeTokensResult.of(
        account_records.AccessRevoked(
            is_dry_run=False,
            user_count=2,
            token_count=3,
            connection_count=1,
            sample_user_ids=(7, 8),
            sample_token_ids=(12, 13, 20),
        )
    ),
    list_audit_entries.CONTRACT: list_audit_entries.ListAuditEntriesResult.of(
        account_records.AuditListing((AUDIT_ENTRY,), total_count=40, next_cursor="NDI6OWYyYzFi")
    ),
    list_sources.CONTRACT: list_sources.ListSourcesResult.of(
        sources.SourceListing(
            SOURCES,
            total_count=3,
            states=(("stale", 1), ("new", 1), ("fresh", 1)),
            next_cursor=None,
        )
    ),
    sync_repository.CONTRACT: sync_repository.SyncRepositoryResult.of(
        sources.SyncRequested(
            repository="django",
            is_new=True,
            waiting_count=3,
            running_since=INDEXED_AT,
            page="https://hub.example/admin/library/repository/1/change/",
        )
    ),
    list_issues.CONTRACT: list_issues.ListIssuesResult.of(ISSUES),
    read_issue.CONTRACT: read_issue.ReadIssueResult.of(ISSUE_TEXT),
    create_issue.CONTRACT: create_issue.CreateIssueResult.of(WRITTEN_ISSUE),
    comment_on_issue.CONTRACT: comment_on_issue.CommentOnIssueResult.of(WRITTEN_COMMENT),
}
"""One result per contract of portolan-project and portolan-operations."""

Text = Callable[[str], str]


def filled(model: type[BaseModel], *, text: Text, rows: int = 2, number: int = 7) -> Any:
    """Return a result with `text(path)` in every text field and `rows` rows in every list.

    `path` is the field's dotted path, with [] for a list: `places[].path`.
    """
    return model.model_validate(_object(model, "", text, rows, number))


def text_fields(model: type[BaseModel]) -> set[str]:
    """Return the dotted paths of all text fields of a result model, however deep."""
    found: set[str] = set()

    def note(path: str) -> str:
        found.add(path)
        return ""

    _object(model, "", note, 1, 1)
    return found


def _object(model: type[BaseModel], path: str, text: Text, rows: int, number: int) -> Any:
    return {
        name: _value(field.annotation, f"{path}{name}", text, rows, number)
        for name, field in model.model_fields.items()
    }


def _value(annotation: Any, path: str, text: Text, rows: int, number: int) -> Any:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        annotation = next(arg for arg in get_args(annotation) if arg is not type(None))
        origin = get_origin(annotation)
    if origin is tuple:
        return _tuple(annotation, path, text, rows, number)
    if origin is dict:
        return {f"filter{index}": text(f"{path}[]") for index in range(rows)}
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _object(annotation, f"{path}.", text, rows, number)
    plain = {
        bool: True,
        int: number,
        float: float(number),
        datetime: COMMITTED_AT,
        date: COMMITTED_AT.date(),
    }
    return text(path) if annotation is str else plain[annotation]


def _tuple(annotation: Any, path: str, text: Text, rows: int, number: int) -> Any:
    inner = get_args(annotation)
    if inner[-1] is ...:
        return [_value(inner[0], f"{path}[]", text, rows, number) for _ in range(rows)]
    return [_value(one, f"{path}.{index}", text, rows, number) for index, one in enumerate(inner)]
