"""The tools of staff over sources: what cannot be read, what to do, and a sync that is queued."""

import asyncio
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django_tasks_db.models import DBTaskResult

from tests.gitrepos import GitRepository
from web.accounts.models import AuditEvent
from web.core.clock import now
from web.library.git.locks import mirror_lock
from web.library.models import Repository
from web.library.posts.models import Feed
from web.library.services.repositories import repository_remove
from web.library.services.sync import repository_sync

QUEUE = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}}


@pytest.fixture
async def sources(staff):
    """One source of each kind and state; the one that is synced holds its lock."""
    with mirror_lock(await sync_to_async(_add_sources)(), wait_seconds=0):
        yield staff


def _add_sources():
    moment, long_ago = now(), now() - timedelta(days=30)
    add = Repository.objects.create
    add(name="fresh", url="https://git.example/fresh", synced_at=moment)
    add(name="old", url="https://git.example/old", synced_at=long_ago)
    add(name="new", url="https://git.example/new", visibility="members")
    add(
        name="broken",
        url="https://bot:hunter2hunter2@git.example/broken",
        stale_since=long_ago,
        sync_error="https://bot:hunter2hunter2@git.example says `no`.",
        sync_hint="Give it a credential.",
    )
    docs = add(
        name="docs",
        url="site+https://docs.example/sitemap.xml",
        sync_started_at=moment,
        sync_progress={"phase": "indexing", "done": 3, "total": 12},
    )
    Feed.objects.create(url="https://planet.example/a", title="Planet", fetched_at=moment)
    Feed.objects.create(url="https://planet.example/b", title="Quiet", is_active=False)
    return docs.pk


def rows(text):
    return [line for line in text.split("\n") if line.startswith("- ")]


def names(text):
    return [row.split("`")[1] for row in rows(text)]


async def test_those_that_need_somebody_come_first_with_what_to_do(sources):
    text = await sources.text("list_sources")
    assert names(text) == ["broken", "old", "new", "docs", "Quiet", "Planet", "fresh"]
    assert "1 stale, 1 old, 2 new, 1 paused, 2 fresh" in text
    broken = rows(text)[0]
    assert "because ``https://[redacted]@git.example says `no`. Give it a credential.``" in broken
    assert 'Next: remove the cause, then sync_repository with repository="broken".' in broken
    assert "hunter2" not in text
    assert "`syncing since" in text
    assert "indexing: 3/12 files`" in text


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("stale", ["broken"]),
        ("old", ["old"]),
        ("new", ["new", "docs"]),
        ("paused", ["Quiet"]),
        ("fresh", ["Planet", "fresh"]),
        ("busy", ["docs"]),
    ],
)
async def test_a_state_narrows_the_list(sources, state, expected):
    text = await sources.text("list_sources", state=state)
    assert names(text) == expected
    assert f"filters_applied: state=`{state}`" in text


async def test_pages_go_on_and_a_cursor_keeps_to_its_state(sources):
    first = await sources.text("list_sources", limit=3)
    cursor = first.rpartition('cursor="')[2].partition('"')[0]
    second = await sources.text("list_sources", limit=100, cursor=cursor)
    assert names(first) + names(second) == names(await sources.text("list_sources"))
    assert "does not belong" in await sources.error("list_sources", cursor=cursor, state="fresh")
    assert "state: " in await sources.error("list_sources", state="broken")


async def test_a_server_without_sources_says_how_to_begin(staff):
    text = await staff.text("list_sources")
    assert "none yet" in text
    assert "manage.py add_repository" in text


async def test_five_hundred_sources_fit(staff):
    await sync_to_async(Repository.objects.bulk_create)(
        [
            Repository(
                name=f"r{number:03}",
                url="https://git.example/" + "x" * 900,
                stale_since=now(),
                sync_error="`no` " * 200,
            )
            for number in range(500)
        ]
    )
    seen, cursor = [], None
    while cursor != "":
        text = await staff.text("list_sources", limit=500, cursor=cursor)
        assert len(text) <= 40_000
        seen += names(text)
        cursor = text.rpartition('cursor="')[2].partition('"')[0] if 'cursor="' in text else ""
    assert seen == [f"r{number:03}" for number in range(500)]


async def test_a_sync_is_queued_once_and_written_into_the_audit(sources, settings):
    settings.TASKS = QUEUE
    text = await sources.text("sync_repository", repository="old", reason="tagged just now")
    assert text.startswith("A sync of `old` is queued.")
    assert f"<{settings.PUBLIC_URL}/admin/library/repository/" in text
    again = await sources.text("sync_repository", repository="old")
    assert "queued already" in again
    assert await DBTaskResult.objects.acount() == 1
    event = await AuditEvent.objects.aget(action="source.sync_asked_for")
    assert (event.actor_name, event.reason) == ("stan", "tagged just now")
    assert event.target.endswith(" old")
    assert names(await sources.text("list_sources", state="busy")) == ["old", "docs"]


async def test_many_who_ask_at_once_queue_it_once(sources, settings):
    settings.TASKS = QUEUE
    ask = [sources.text("sync_repository", repository="old") for _ in range(6)]
    answers = await asyncio.gather(*ask)
    assert sum("is queued." in answer for answer in answers) == 1
    assert await DBTaskResult.objects.acount() == 1


@pytest.mark.parametrize("name", ["nope", "Planet", "OLD", "../old", "old\nnew", "--all"])
async def test_a_name_that_is_no_source_lists_the_names(sources, name):
    error = await sources.error("sync_repository", repository=name)
    assert "(code: not_found)" in error
    assert "old" in error


async def test_a_queued_sync_is_seen_to_its_end(staff, settings, tmp_path):
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    settings.TASKS = QUEUE
    origin = GitRepository(tmp_path / "origin").write({"a.py": "x = 1\n"}).commit()
    await Repository.objects.acreate(name="harbour", url=origin.url)
    await staff.text("sync_repository", repository="harbour")
    assert names(await staff.text("list_sources", state="busy")) == ["harbour"]
    task = await DBTaskResult.objects.aget()
    assert task.args_kwargs["kwargs"] == {"name": "harbour"}
    await sync_to_async(repository_sync)(name="harbour")
    assert names(await staff.text("list_sources", state="fresh")) == ["harbour"]
    await sync_to_async(repository_remove)(name="harbour")
