"""Hostile repositories: random git trees, indexed and then read through every tool."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pygit2
from hypothesis import strategies as st

from tests.fuzz.arguments import call_of
from tests.fuzz.campaign import Report, examples
from tests.fuzz.case import Case
from tests.fuzz.sidecar import Sidecar
from tests.fuzz.values import TEXTS, texts
from web.core.errors import PortolanError
from web.library.models import Entry
from web.library.services.repositories import repository_add, repository_remove
from web.library.services.sync import repository_sync

NAME: Final = "fuzzed"
SUFFIXES: Final = (".py", ".md", ".rst", ".js", ".ipynb", ".adoc", ".txt", ".json", ".min.js", "")
MODES: Final = (0o100644, 0o100644, 0o100755, 0o120000, 0o160000, 0o100664)
CONTENTS: Final = (
    b"",
    b"\n",
    b"\xef\xbb\xbf# Title\n",
    b"\xff\xfe#\x00 \x00T\x00",
    b"def f(" * 3000,
    b"(" * 20_000,
    b"# " * 5000,
    b"`" * 3000,
    b"[" * 5000 + b"](x)",
    b"> " * 2000 + b"x",
    b"x" * 200_000,
    b"a\r\nb\rc\x0c\x0b\xc2\x85\xe2\x80\xa8d\n",
    b"\x89PNG\r\n\x1a\n\0",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:"
    + b"0" * 64
    + b"\nsize 99999999999999\n",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:x\nsize -1\n",
    b'{"cells": [{"cell_type": "markdown", "source": ["# x"]}], "nbformat": 4}',
    b'{"cells": ' + b"[" * 3000,
    b'{"cells": [1, null, {"source": 5}], "metadata": []}',
    b"Title\n=====\n\n.. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n",
    b"Title\n\n+---\n| a\n+===\n" * 50,
    b"= Title\n\ninclude::/etc/passwd[]\n",
    b"<!doctype html><h1>x<h1>y" * 100,
    "class Ж:\n    def \u202eg(self): pass\n".encode(),
    b"---\ntitle: [\n---\n# x\n",
    b"```" * 999,
    b"|a|b|\n|-|-|\n" + b"|x" * 5000,
)


@dataclass(frozen=True, slots=True)
class File:
    """One entry of a tree: the bytes of its name, its mode and what it holds."""

    folder: bytes
    name: bytes
    mode: int
    content: bytes


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass").replace(b"\0", b"").replace(b"/", b"_")[:255]


def files() -> st.SearchStrategy[File]:
    """Files with hostile names and contents."""
    names = st.one_of(
        texts().map(_bytes_of),
        st.binary(min_size=1, max_size=12).map(
            lambda name: name.replace(b"\0", b"").replace(b"/", b"")
        ),
        st.sampled_from(
            (b"README", b"index", b"docs", b"-x", b"a b", b"\xff", b"CON", b"\xe2\x80\xae")
        ),
    )
    contents = st.one_of(
        st.sampled_from(CONTENTS),
        texts().map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.binary(max_size=200),
        st.builds(
            lambda text, code: f"# {text}\n\n{text}\n".encode(code, "replace"),
            texts(),
            st.sampled_from(("utf-8", "latin-1", "utf-16", "shift_jis", "koi8-r")),
        ),
    )
    return st.builds(
        lambda folder, name, suffix, mode, content: File(
            folder, (name or b"x") + suffix.encode(), mode, content
        ),
        st.sampled_from((b"", b"docs", b"d\xff", b"a b", b"docs/" + b"x" * 250)),
        names,
        st.sampled_from(SUFFIXES),
        st.sampled_from(MODES),
        contents,
    )


def write(path: Path, chosen: list[File], message: bytes, author: bytes) -> None:
    """Write a bare repository with one commit, without the checks that git makes of trees."""
    repository = pygit2.init_repository(str(path), bare=True, initial_head="main")
    tree = _tree(repository, b"", chosen)
    who = author.replace(b"\n", b"").replace(b"<", b"").replace(b">", b"").replace(b"\0", b"")
    stamp = b"%s <%s@example.org> 1700000000 +0000" % (who or b"x", who[:20] or b"x")
    commit = b"tree %s\nauthor %s\ncommitter %s\n\n%s" % (
        str(tree).encode(), stamp, stamp, message.replace(b"\0", b""),
    )  # fmt: skip
    made = repository.write(pygit2.enums.ObjectType.COMMIT, commit)
    repository.references.create("refs/heads/main", made)


def _tree(repository: pygit2.Repository, folder: bytes, chosen: list[File]) -> pygit2.Oid:
    entries: dict[bytes, tuple[int, bytes]] = {}
    for file in chosen:
        if file.folder == folder:
            oid = b"\x11" * 20
            if file.mode != 0o160000:
                oid = repository.create_blob(file.content).raw
            entries[file.name] = (file.mode, oid)
        elif file.folder.startswith(folder):
            rest = file.folder.removeprefix(folder).lstrip(b"/")
            name = rest.split(b"/")[0]
            inner = folder + (b"/" if folder else b"") + name
            entries[name] = (0o040000, _tree(repository, inner, chosen).raw)
    rows = sorted(
        entries.items(), key=lambda row: row[0] + (b"/" if row[1][0] == 0o040000 else b"")
    )
    written = b"".join(b"%o %s\0%s" % (mode, name, oid) for name, (mode, oid) in rows)
    return repository.write(pygit2.enums.ObjectType.TREE, written)


def run(sidecar: Sidecar, folder: Path, *, count: int, first_seed: int) -> Report:
    """Index `count` repositories one after the other and read each through the tools."""
    report = Report("trees")
    started = time.monotonic()
    cases = st.tuples(
        st.lists(files(), min_size=1, max_size=12),
        texts().map(lambda text: text.encode("utf-8", "surrogatepass")),
        st.one_of(st.sampled_from(TEXTS).map(_bytes_of), st.binary(max_size=20)),
    )

    def one(case: tuple[list[File], bytes, bytes]) -> None:
        chosen, message, author = case
        origin = folder / f"origin-{report.cases}"
        report.cases += 1
        write(origin, chosen, message, author)
        shown = Case(repr((chosen, message, author)).encode(), path=str(origin.name))
        try:
            repository_add(name=NAME, url=str(origin))
            try:
                repository_sync(name=NAME)
            except PortolanError as error:
                if error.code not in {"unavailable", "invalid_input", "too_large"}:
                    report.add(f"the sync ended with {error.code}", shown)
        except Exception as error:
            report.add(f"the sync raised {type(error).__name__}: {error}"[:160], shown)
        for kind in sidecar.log.taken():
            report.add(f"the sync: {kind}", shown)
        for call in _calls():
            report.judge(sidecar, call)
        repository_remove(name=NAME)

    examples(cases, one, count=count, number=first_seed)
    report.seconds = time.monotonic() - started
    return report


def _calls() -> Iterator[Case]:
    """Read everything that there is."""
    for tool in ("get_repository", "list_files", "list_docs", "list_commits"):
        yield call_of(tool, {"repository": NAME})
    yield call_of("read_commit", {"repository": NAME, "commit": "main"})
    for query in ("x", "Title"):
        yield call_of("search_code", {"repository": NAME, "query": query})
        yield call_of("search_docs", {"repository": NAME, "query": query})
    yield call_of("grep_code", {"repository": NAME, "pattern": "."})
    paths = Entry.objects.filter(ref__repository__name=NAME).values_list("path__path", flat=True)
    for path in paths:
        yield call_of("read_file", {"repository": NAME, "path": path})
        yield call_of("read_doc", {"repository": NAME, "path": path})
