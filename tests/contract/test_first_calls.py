"""What a model that sees only tools/list would call first, for questions as people ask them."""

import jsonschema
import pytest

from mcp_sidecar.contract import operations, project
from mcp_sidecar.contract.descriptor import descriptors
from mcp_sidecar.contract.reading import read_arguments

NAMES = ("django", "wagtail")
CONTRACTS = (*project.CONTRACTS, *operations.CONTRACTS)
TOOLS = {shown["name"]: shown for shown in descriptors(CONTRACTS, NAMES)}
BY_NAME = {contract.name: contract for contract in CONTRACTS}
DJANGO = {"repository": "django"}
WAGTAIL = {"repository": "wagtail"}
FIRST_CALLS = [
    ("Is everything all right with the server?", "get_health", {}),
    ("What errors were there today?", "search_logs", {"level": "ERROR", "since": "2026-11-30"}),
    ("What happened in the request 4f1c?", "search_logs", {"query": "4f1c"}),
    ("What did ada's agent do since Monday?", "list_tool_calls", {"user": "ada"}),
    ("Which calls fail?", "list_tool_calls", {"outcome": "error"}),
    ("What did people search for last month and not find?", "get_usage", {"days": 30}),
    (
        "Show me every call of get_object_or_404 in django.",
        "grep_code",
        DJANGO | {"pattern": "get_object_or_404\\("},
    ),
    (
        "Who touched django/shortcuts.py this month?",
        "list_commits",
        DJANGO | {"path": "django/shortcuts.py", "since": "2026-11-01"},
    ),
    ("What did commit 1a2b3c4d change?", "read_commit", DJANGO | {"commit": "1a2b3c4d"}),
    ("Is there any news about the release?", "search_posts", {"query": "release news"}),
    ("What was announced since November?", "search_posts", {"since": "2026-11-01"}),
    ("Show me the post release-5-2.", "read_post", {"slug": "release-5-2"}),
    ("Which repositories can you see here?", "list_repositories", {}),
    ("Is any of our repositories out of date?", "list_repositories", {}),
    ("What languages is wagtail written in?", "get_repository", WAGTAIL),
    ("What changed last in django?", "list_commits", DJANGO | {"limit": 5}),
    ("Which versions of django are indexed?", "get_repository", DJANGO),
    ("I have to work on wagtail and do not know it.", "get_repository", WAGTAIL),
    (
        "Where does django compare the CSRF token with the cookie?",
        "search_code",
        DJANGO | {"query": "where is the CSRF token compared with the cookie"},
    ),
    (
        "Who calls select_related in wagtail?",
        "search_code",
        WAGTAIL | {"query": "select_related", "limit": 20},
    ),
    (
        "Where does the error 'Cannot resolve keyword into field' come from?",
        "search_code",
        {"query": '"Cannot resolve keyword"'},
    ),
    (
        "Find the tests of the CSRF middleware.",
        "search_code",
        DJANGO | {"query": "csrf middleware", "path": "tests"},
    ),
    (
        "How does wagtail's JavaScript open the sidebar?",
        "search_code",
        WAGTAIL | {"query": "open the sidebar", "language": "javascript"},
    ),
    ("Does anyone use GraphQL?", "search_code", {"query": "GraphQL"}),
    ("Where is the class QuerySet?", "find_symbol", {"name": "QuerySet", "kind": "class"}),
    ("Show me QuerySet.bulk_create.", "find_symbol", {"name": "QuerySet.bulk_create"}),
    ("Which repository defines StreamField?", "find_symbol", {"name": "StreamField"}),
    (
        "Which constants begin with MAX_ in django?",
        "find_symbol",
        DJANGO | {"name": "MAX_", "kind": "constant"},
    ),
    ("What is in the folder docs of django?", "list_files", DJANGO | {"path": "docs"}),
    ("List all HTML templates of wagtail.", "list_files", WAGTAIL | {"pattern": "*.html"}),
    (
        "Where is the file resolvers.py?",
        "list_files",
        DJANGO | {"pattern": "**/resolvers.py"},
    ),
    (
        "Which migrations does wagtail's images app have?",
        "list_files",
        WAGTAIL | {"path": "wagtail/images/migrations"},
    ),
    (
        "Show django/shortcuts.py.",
        "read_file",
        DJANGO | {"path": "django/shortcuts.py"},
    ),
    (
        "Show lines 100 to 150 of django/middleware/csrf.py.",
        "read_file",
        DJANGO | {"path": "django/middleware/csrf.py", "start_line": 100, "line_count": 51},
    ),
    (
        "What did setup.cfg say in version 4.2?",
        "read_file",
        DJANGO | {"path": "setup.cfg", "ref": "4.2"},
    ),
    ("How do I configure logging?", "search_docs", {"query": "how to configure logging"}),
    (
        "What is new in Django 5.2?",
        "search_docs",
        DJANGO | {"query": "release notes 5.2"},
    ),
    (
        "How did async views work in 4.2?",
        "search_docs",
        DJANGO | {"query": "async views", "ref": "4.2"},
    ),
    ("What documentation does wagtail have?", "list_docs", WAGTAIL),
    ("What how-to pages are there for django?", "list_docs", DJANGO | {"path": "docs/howto"}),
    (
        "Read docs/howto/logging.txt of django.",
        "read_doc",
        DJANGO | {"path": "docs/howto/logging.txt"},
    ),
    ("Which bugs of wagtail are open?", "list_issues", WAGTAIL | {"labels": ["bug"]}),
    (
        "Was the login ever reported as broken in django?",
        "list_issues",
        DJANGO | {"query": "login", "state": "all"},
    ),
    ("What does issue 12 of django say?", "read_issue", DJANGO | {"number": 12}),
    (
        "Report to wagtail that the sidebar flickers.",
        "create_issue",
        WAGTAIL | {"title": "The sidebar flickers", "body": "It flickers.", "labels": ["bug"]},
    ),
    (
        "Tell them in issue 12 of wagtail that it is fixed.",
        "comment_on_issue",
        WAGTAIL | {"number": 12, "body": "It is fixed."},
    ),
    (
        "Read the section on permissions of docs/topics/auth/default.txt.",
        "read_doc",
        DJANGO | {"path": "docs/topics/auth/default.txt", "section": "Permissions"},
    ),
    ("Who is staff here?", "list_users", {"staff": True, "active": True}),
    (
        "Which active accounts have not signed in since June?",
        "list_users",
        {"active": True, "last_login_before": "2026-06-01"},
    ),
    ("Does Ada have an account?", "list_users", {"search": "ada"}),
    ("Which tokens does account 7 have?", "get_user", {"user_id": 7}),
    (
        "Ben (8) left; close his account.",
        "set_users_active",
        {"active": False, "ids": [8], "reason": "left the company", "dry_run": True},
    ),
    (
        "Close every account that nobody used this year.",
        "set_users_active",
        {"active": False, "last_login_before": "2026-01-01", "reason": "unused", "dry_run": True},
    ),
    (
        "Ada (7) lost her laptop: end everything that acts as her.",
        "revoke_tokens",
        {"user_ids": [7], "reason": "laptop lost"},
    ),
    (
        "Which tokens would go if we cleared those unused since March?",
        "revoke_tokens",
        {"unused_since": "2026-03-01", "reason": "clearing", "dry_run": True},
    ),
    ("Who deactivated Ben?", "list_audit_entries", {"action": "user.deactivated"}),
    ("What did Ada change this month?", "list_audit_entries", {"actor": "ada"}),
    ("Which sources are broken?", "list_sources", {"state": "stale"}),
    ("How up to date are our feeds and repositories?", "list_sources", {}),
    ("Index django again now.", "sync_repository", {"repository": "django"}),
]


@pytest.mark.parametrize(("task", "tool", "arguments"), FIRST_CALLS)
def test_first_call_of_a_task_is_valid(task, tool, arguments):
    jsonschema.validate(arguments, TOOLS[tool]["inputSchema"])
    read_arguments(BY_NAME[tool], arguments, names=NAMES)


def test_tasks_touch_every_tool():
    assert {tool for _, tool, _ in FIRST_CALLS} == set(TOOLS)
