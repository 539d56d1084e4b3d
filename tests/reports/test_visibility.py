"""Who sees what, over every tool and page: they are found, so that no new one is forgotten.

A repository for members, drafts and accounts hold words that no call ever sends. Whoever may not
see them gets them from no tool with any arguments, and from no page. A tool or page that shows such
a word to somebody has to be named below, and so has a tool that shows none.
"""

import inspect
import re
from itertools import product

import pytest
from asgiref.sync import sync_to_async
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import connections
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

from mcp_sidecar import bridge
from mcp_sidecar.auth import NOBODY, Caller
from mcp_sidecar.errors import METHOD_NOT_FOUND, ProtocolError
from mcp_sidecar.transport.application import SERVERS
from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.mcp_sidecar.tools.calls import call
from web.accounts.principals import Principal
from web.accounts.records import Actor
from web.accounts.selectors import principal_for_user
from web.accounts.services.tokens import token_create
from web.library.services.posts import PostFields, post_save
from web.library.services.repositories import RepositoryFields, repository_update

HIDDEN = "cove"
PATH, SYMBOL, WORD, DRAFT = "kraken/lair.py", "summon_kraken", "kraken", "a-draft"
# Words beside those that calls send: in code, documents, history, address and description.
HIDDEN_WORDS = ("treasure4711", "sextant4711", "mutiny4711", "grog4711")
DRAFT_WORDS = ("parley4711",)
PEOPLE_WORDS = ("quartermaster4711", "spyglass4711")
SECRETS = (*HIDDEN_WORDS, *DRAFT_WORDS, *PEOPLE_WORDS)

SHOWN_TO_MEMBERS = {
    "find_symbol",
    "get_repository",
    "grep_code",
    "list_commits",
    "list_docs",
    "list_files",
    "list_repositories",
    "read_commit",
    "read_doc",
    "read_file",
    "search_code",
    "search_docs",
}
SHOWN_TO_STAFF = {"get_user", "list_audit_entries", "list_sources", "list_users"}
# Tools that show nothing that not everyone may see: posts that are published, sums, summaries.
SHOWN_TO_NOBODY = {
    "add",
    "get_health",
    "get_usage",
    "list_tool_calls",
    "read_post",
    "revoke_tokens",
    "search_logs",
    "search_posts",
    "set_users_active",
    "shout",
    "sync_repository",
}
# What a page shows beyond what everyone sees, by the name of its address.
PAGES_FOR_MEMBERS = {"pages:home"}
PAGES_FOR_STAFF = {"posts:post"}
SAMPLES = {
    "name": [HIDDEN],
    "path": [PATH],
    "ref": ["main"],
    "slug": [DRAFT],
    "tag": [WORD],
    "secret": ["nonsense"],
    "uidb64": ["MQ"],
    "token": ["nonsense"],
    "token_id": [1],
    "connection_id": [1],
    "client_id": ["nonsense"],
    "forge": ["github"],
}


@pytest.fixture
async def world(settings, transactional_db, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    await sync_to_async(_make_world)(tmp_path)
    yield {
        "anonymous": NOBODY,
        "GitHub user": Caller(Principal(), None),
        "token for other things": Caller(Principal(user_id=10**6, username="x")),
        "member": Caller(await sync_to_async(principal_for_user)("mira")),
        "staff": Caller(await sync_to_async(principal_for_user)("stan")),
    }
    await sync_to_async(bridge.close)()
    await sync_to_async(connections.close_all)()
    cache.clear()


def _make_world(tmp_path):
    cache.clear()
    public = GitRepository(tmp_path / "harbour")
    public.write(
        {"README.md": "# Harbour\n", "docs/a.md": "# Mooring\n\nRopes.\n", "a.py": "x=1\n"}
    )
    add_and_sync("harbour", public.commit("First").url)
    hidden = GitRepository(tmp_path / "treasure4711")
    hidden.write(
        {
            "README.md": "# Kraken\n\nsextant4711 of the kraken.\n",
            "docs/kraken.md": "# Kraken sextant4711\n\nBeware.\n\n## kraken mutiny4711\n",
            PATH: "def summon_kraken(treasure4711):\n    return 'kraken treasure4711'\n",
            "kraken/treasure4711.py": "kraken = 1\n",
        }
    )
    add_and_sync(HIDDEN, hidden.commit("Summon the kraken: mutiny4711").url)
    fields = RepositoryFields(visibility="members", description="grog4711 of the kraken")
    repository_update(name=HIDDEN, fields=fields)
    text = "# Kraken\n\nparley4711 with the kraken.\n"
    post_save(fields=PostFields("Kraken parley4711", text, slug=DRAFT, tags=[WORD]))
    User.objects.create_user("mira", "mira@example.org")
    User.objects.create_user("stan", "stan@example.org", is_staff=True, is_superuser=True)
    other = User.objects.create_user("quartermaster4711", "q@example.org")
    token_create(
        actor=Actor.of(other), owner=other, name="spyglass4711", scopes=["work"], expires_days=1
    )


def arguments_of(contract):
    """Yield calls of a tool: its examples, with every text that could lead to a secret in turn."""
    fields = contract.arguments.model_fields
    required = {name: field.examples[0] for name, field in fields.items() if field.is_required()}
    lures = {
        "path": (PATH, "kraken", "docs/kraken.md"),
        "commit": ("main", "HEAD"),
        "name": (SYMBOL,),
        "slug": (DRAFT,),
        "tag": (WORD,),
        "user_id": tuple(User.objects.values_list("pk", flat=True)),
    }
    texts = [name for name in fields if name in lures or fields[name].annotation is str]
    texts += [name for name in ("query", "pattern", "search", "target") if name in fields]
    choices = [[(name, lure) for lure in (*lures.get(name, ()), WORD)] for name in texts]
    for chosen in product(*choices) if choices else [()]:
        for repository in (None, HIDDEN, "harbour"):
            named = {"repository": repository} if repository and contract.uses_repository else {}
            yield required | dict(chosen) | named
    yield required


def commits(name):
    from web.library.models import Ref

    return [ref.commit for ref in Ref.objects.filter(repository__name=name)]


async def seen(definition, tool, caller):
    """Return the secrets that a tool ever shows to a caller, or None where it is not offered."""
    found = set()
    calls = await sync_to_async(lambda: list(arguments_of(tool.contract)))()
    if "commit" in tool.contract.arguments.model_fields:
        hidden = await sync_to_async(commits)(HIDDEN)
        calls += [{"commit": commit, "repository": HIDDEN} for commit in hidden]
    for arguments in calls:
        try:
            outcome = await call(
                tool.contract.name, arguments, definition=definition, caller=caller
            )
        except ProtocolError as error:
            if error.code != METHOD_NOT_FOUND:
                raise
            return None
        found |= {word for word in SECRETS if word in outcome.text}
        found |= {word for word in SECRETS if word.encode() in (outcome.structured or b"")}
    return found


@pytest.mark.parametrize("definition", SERVERS, ids=lambda one: one.name)
async def test_every_tool_shows_each_caller_what_it_may(world, definition):
    for tool in definition.tools:
        name = tool.contract.name
        if tool.contract.requires_github_token:
            for caller in world.values():
                assert await seen(definition, tool, caller) is None, name
            continue
        for who, caller in world.items():
            shown = await seen(definition, tool, caller)
            if not definition.admits(caller.principal):
                assert shown is None, (name, who)
                continue
            assert shown is not None, (name, who)
            for_members = set(HIDDEN_WORDS) if caller.principal.is_member else set()
            for_staff = set(PEOPLE_WORDS) if definition.audience == "staff" else set()
            assert shown <= for_members | for_staff, (name, who, shown)
            if who == "staff":
                is_named = name in SHOWN_TO_MEMBERS | SHOWN_TO_STAFF
                assert bool(shown) == is_named, f"{name} shows {shown}: name it above"


async def test_every_tool_has_its_place_above():
    named = SHOWN_TO_MEMBERS | SHOWN_TO_STAFF | SHOWN_TO_NOBODY
    offered = {
        tool.contract.name
        for definition in SERVERS
        for tool in definition.tools
        if not tool.contract.requires_github_token
    }
    assert offered <= named, f"say who may see what of {offered - named}"


def pages(resolver=None, prefix="", namespace=""):
    """Yield every address of the web application with its name, parameters filled in."""
    for one in (resolver or get_resolver()).url_patterns:
        if not isinstance(one.pattern, RoutePattern):
            continue  # catch-alls of the discovery documents
        route = prefix + str(one.pattern)
        if isinstance(one, URLResolver):
            if one.app_name != "admin":
                inner = f"{namespace}{one.namespace}:" if one.namespace else namespace
                yield from pages(one, route, inner)
        elif isinstance(one, URLPattern):
            yield f"{namespace}{one.name or inspect.unwrap(one.callback).__name__}", filled(route)


def filled(route):
    def sample(match):
        name = match[0].strip("<>").rpartition(":")[2]
        assert name in SAMPLES, f"{route}: give a sample of {name} above"
        return str(SAMPLES[name][0])

    return "/" + re.sub(r"<[^>]+>", sample, route)


def signed_in(username):
    browser = Client(raise_request_exception=True)
    if username:
        browser.force_login(User.objects.get(username=username))
    return browser


async def test_every_page_shows_each_reader_what_they_may(world):
    await sync_to_async(_read_pages)()


def _read_pages():
    found = list(pages())
    assert {"pages:home", "accounts:account", "posts:list"} <= {name for name, _ in found}
    for username in ("", "mira", "stan"):
        for name, address in found:
            response = signed_in(username).get(address, {"q": WORD, "query": WORD})
            assert response.status_code < 500, address
            content = b"".join(response) if response.streaming else response.content
            shown = {word for word in SECRETS if word.encode() in content}
            allowed = set()
            if username and name in PAGES_FOR_MEMBERS:
                allowed |= set(HIDDEN_WORDS)
            if username == "stan" and name in PAGES_FOR_STAFF:
                allowed |= set(SECRETS)
            assert shown <= allowed, f"{name} ({address}) shows {shown} to {username or 'anyone'}"


async def test_the_admin_is_for_staff_only(world):
    await sync_to_async(_knock_at_the_admin)()


def _knock_at_the_admin():
    lists = [
        f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for model in admin.site._registry
    ]
    assert len(lists) > 5
    for address in ("/admin/", *lists, *(f"{one}add/" for one in lists)):
        for username in ("", "mira"):
            response = signed_in(username).get(address)
            assert response.status_code == 302, address
            assert "/login/" in response["Location"] or "/sign-in/" in response["Location"]
    for address in lists:
        assert signed_in("stan").get(address).status_code == 200, address
