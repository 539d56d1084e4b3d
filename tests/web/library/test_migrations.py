"""Migrations that keep what is indexed: the same is shown after them, and after going back."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps

from tests.databases import copy_database
from tests.reports.postgres import migrated_database

pytestmark = pytest.mark.django_db(databases="__all__")

FACTS = ("path__path", "oid", "kind", "size", "language", "content__oid", "skip_reason")


@pytest.fixture
def upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any
) -> Iterator[str]:
    """Yield the alias of a migrated database without rows, of the kind that the tests run on."""
    usual = connections["default"]
    with ExitStack() as stack:
        if usual.vendor == "postgresql":
            name = stack.enter_context(migrated_database()).name
        else:
            name = str(tmp_path / "upgraded.sqlite3")
            copy_database(Path(name))
        monkeypatch.setitem(
            connections.databases, "upgraded", {**usual.settings_dict, "NAME": name}
        )
        with django_db_blocker.unblock():
            yield "upgraded"
        connections["upgraded"].close()
        del connections["upgraded"]


def test_refs_show_after_sharing_their_revisions_what_they_showed_before(upgraded: str) -> None:
    older = _at(upgraded, "0012_entry_path")
    made = {name: older.get_model("library", name).objects.using(upgraded) for name in _MODELS}
    paths = [made["Path"].create(path=path) for path in ("a.py", "b.py", "logo.png")]
    projects = [made["Repository"].create(name=name, url="/srv/x.git") for name in ("one", "fork")]
    contents = [
        made["Content"].create(oid=digit * 40, format="python", home=projects[0]) for digit in "12"
    ]
    shown = {  # by project and ref: the content at each path
        (0, "main"): (contents[0], contents[1], None),
        (0, "v1"): (contents[0], contents[0], None),
        (0, "v2"): (contents[1], contents[1], None),
        (1, "main"): (contents[0], contents[1], None),
    }
    for (project, name), at_paths in shown.items():
        ref = made["Ref"].create(repository=projects[project], kind="branch", name=name)
        for path, content in zip(paths, at_paths, strict=True):
            made["Entry"].create(
                ref=ref,
                path=path,
                oid=content.oid if content else "3" * 40,
                kind="file" if content else "binary",
                size=int(content.oid[0]) if content else 9_000_000_000,
                language="python" if content else "",
                content=content,
                skip_reason="" if content else "binary",
            )
    before = _rows(older, "Entry", FACTS)
    newer = _at(upgraded, "0013_file_revisions")
    prefixed = tuple(f"revision__{fact}" for fact in FACTS)
    assert _rows(newer, "Entry", prefixed) == before
    assert _rows(newer, "Entry", ("path__path", *prefixed[1:])) == before
    revisions = newer.get_model("library", "FileRevision").objects.using(upgraded)
    assert revisions.count() == (2 + 2 + 1) + 3
    made_after = revisions.create(path_id=paths[0].pk, oid="4" * 40)
    assert made_after.pk > max(
        row["pk"] for row in revisions.exclude(pk=made_after.pk).values("pk")
    )
    made_after.delete()
    assert _rows(_at(upgraded, "0012_entry_path"), "Entry", FACTS) == before


def test_definitions_keep_their_order_without_an_id_of_their_own(upgraded: str) -> None:
    older = _at(upgraded, "0016_sync_hint")
    home = older.get_model("library", "Repository").objects.using(upgraded).create(name="one")
    contents = older.get_model("library", "Content").objects.using(upgraded)
    first, second = (contents.create(oid=digit * 40, format="python", home=home) for digit in "12")
    names = older.get_model("library", "SymbolName").objects.using(upgraded)
    name = names.create(name="run", folded="run")
    made = older.get_model("library", "Symbol").objects.using(upgraded)
    for content, line in ((first, 3), (second, 1), (first, 2), (first, 9)):
        made.create(content=content, name=name, kind="method", scope="A", line=line, end_line=line)
    facts = ("content__oid", "name__name", "kind", "scope", "line", "end_line", "lead", "depth")
    before = list(made.order_by("content__oid", "pk").values_list(*facts))
    newer = _at(upgraded, "0017_symbols_by_content").get_model("library", "Symbol").objects
    kept = newer.using(upgraded).order_by("content__oid", "number")
    assert list(kept.values_list(*facts)) == before
    assert list(kept.values_list("number", flat=True)) == [0, 1, 2, 0]
    again = _at(upgraded, "0016_sync_hint").get_model("library", "Symbol").objects
    assert list(again.using(upgraded).order_by("content__oid", "pk").values_list(*facts)) == before


_MODELS = ("Path", "Repository", "Content", "Ref", "Entry")


def _at(using: str, name: str) -> StateApps:
    """Migrate the library forwards or back, and return its models as they were then."""
    executor = MigrationExecutor(connections[using])
    executor.migrate([("library", name)])
    return executor.loader.project_state([("library", name)]).apps


def _rows(apps: StateApps, model: str, fields: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return the values of these fields by repository, ref and path."""
    found = apps.get_model("library", model).objects.using("upgraded")
    order = ("ref__repository__name", "ref__name", "path__path")
    return list(found.order_by(*order).values_list(*order, *fields))
