"""R72: what is huge or binary is told by kind and size, without reading it into memory."""

import tracemalloc
from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from tests.library import add_and_sync, entries
from web.accounts.principals import ANONYMOUS
from web.library.selectors.files import file_lines
from web.library.services.repositories import repository_add
from web.library.services.sync import repository_sync

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


def test_kind_and_size_are_told_of_everything(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    origin.write(
        {
            "image.png": PNG,
            "wide.txt": "größer\nzweite\n".encode("utf-16"),
            "latin.txt": "für größere Häfen\nzweite\n".encode("latin-1"),
            "line.txt": "x" * 1_000_000 + "\nend\n",
        }
    )
    add_and_sync("project", origin.commit().url)
    found = {
        path: file_lines(principal=ANONYMOUS, repository="project", path=path)
        for path in entries("project")
    }
    assert (found["image.png"].kind, found["image.png"].lines) == ("binary", ())
    assert found["wide.txt"].lines == ("größer", "zweite")
    assert found["latin.txt"].lines[1] == "zweite"
    assert found["line.txt"].cut_lines == (1,)
    assert max(map(len, found["line.txt"].lines)) <= 500
    assert found["line.txt"].note == "not indexed, because: larger than 512 KiB"


def test_blob_of_200_megabytes_is_indexed_and_told_without_holding_it(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    origin.write({"huge.dat": b"\0" * 200_000_000, "huge.txt": b"word\n" * 8_000_000})
    origin.write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    tracemalloc.start()
    try:
        repository_sync(name="project")
        files = [
            file_lines(principal=ANONYMOUS, repository="project", path=path)
            for path in ("huge.dat", "huge.txt")
        ]
        assert tracemalloc.get_traced_memory()[1] < 10 * 1024 * 1024
    finally:
        tracemalloc.stop()
    assert [(file.kind, file.size, file.lines) for file in files] == [
        ("binary", 200_000_000, ()),
        ("file", 40_000_000, ()),
    ]
