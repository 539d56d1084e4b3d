"""What paths say: which files are more likely what was asked for."""

import pytest

from web.library.search.priors import code_prior, document_prior


@pytest.mark.parametrize(
    ("less", "more", "asking"),
    [
        ("t/unit/test_app.py", "celery/app.py", "test"),
        ("packages/core/__tests__/ref.spec.ts", "packages/core/src/ref.ts", "test"),
        ("spec/models/user_spec.rb", "app/models/user.rb", "spec"),
        ("examples/chat/src/main.rs", "src/main.rs", "example"),
        (".github/workflows/close.yml", "config/close.yml", "workflow"),
        ("deps/jemalloc/src/arena.c", "src/zmalloc.c", "jemalloc"),
    ],
)
def test_code_that_repeats_other_code_is_less_likely_unless_asked_for(less, more, asking):
    assert code_prior(less, frozenset()) < code_prior(more, frozenset())
    assert code_prior(less, frozenset({asking})) == code_prior(more, frozenset())


@pytest.mark.parametrize("path", ["include/curl.h", "core/_core.pyi", "types/index.d.ts"])
def test_declarations_are_less_likely_than_what_they_declare(path):
    assert code_prior(path, frozenset()) < code_prior("src/netrc.c", frozenset()) == 1.0


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("guides/6_0_release_notes.md", "guides/routing.md"),
        ("docs/community/3.10-announcement.md", "docs/community/contributing.md"),
        ("Documentation/RelNotes/2.39.0.txt", "Documentation/git-log.txt"),
        ("docs/history/whatsnew-5.0.rst", "docs/userguide/tasks.rst"),
        ("UPGRADING.md", "README.md"),
        ("." * 4000 + "1-announcement.md", "." * 4000 + "1-announced.md"),
    ],
)
def test_release_notes_are_less_likely_unless_asked_for(less, more):
    assert document_prior(less, frozenset()) < document_prior(more, frozenset())
    assert document_prior(less, frozenset({"upgrade"})) == document_prior(more, frozenset())


@pytest.mark.parametrize(
    ("translation", "original"),
    [
        ("docs/de/docs/tutorial/cors.md", "docs/en/docs/tutorial/cors.md"),
        ("docs/zh-hant/index.md", "docs/index.md"),
        ("i18n/pt_BR/guide.md", "docs/guide.md"),
        ("README.zh-CN.md", "README.md"),
        ("readme_ja.rst", "readme.rst"),
    ],
)
def test_translations_are_less_likely_than_what_they_translate(translation, original):
    assert document_prior(translation, frozenset()) < document_prior(original, frozenset())


@pytest.mark.parametrize(
    "path", ["docs/how-to-do-it.md", "docs/user-id.md", "docs/ts/index.md", "docs/changeset.md"]
)
def test_paths_that_only_look_alike_are_as_likely_as_any(path):
    assert document_prior(path, frozenset()) == 1.0
