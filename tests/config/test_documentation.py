"""The generated pages name every setting and are checked to be current."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.databases import FILE_NAME, copy_database
from tests.gitrepos import GitRepository
from tests.newcomer import newcomers_environment
from web.config.documentation import settings_page
from web.config.environment import Environment
from web.core.limits import Limits


def test_the_page_of_settings_names_every_setting_and_limit_with_its_help():
    page = settings_page()
    for model in (Environment, Limits):
        for name, field in model.model_fields.items():
            row = next(
                line
                for line in page.splitlines()
                if line.startswith(f"| `PORTOLAN_{name.upper()}`")
            )
            assert field.description in row
            assert row.count(" | ") == 3, row


def test_an_outdated_page_is_found_and_mended(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "docs").mkdir()
    with pytest.raises(CommandError, match=r"docs/settings\.md"):
        call_command("generate_docs", check=True)
    assert not (tmp_path / "docs" / "settings.md").exists()
    call_command("generate_docs", verbosity=0)
    call_command("generate_docs", check=True)
    page = tmp_path / "docs" / "settings.md"
    page.write_text(page.read_text().replace("8080", "9090"))
    with pytest.raises(CommandError, match="make docs"):
        call_command("generate_docs", check=True)


PROJECT = Path(__file__).resolve().parents[2]


def test_every_dependency_is_listed_with_its_reason():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    declared = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    page = (PROJECT / "docs" / "dependencies.md").read_text()
    listed = {
        re.sub(r" \(.*\)", "", name).strip()
        for row in re.findall(r"^\| (.+?) \| .+ \|$", page, re.MULTILINE)
        for name in row.split(",")
    }
    for requirement in declared:
        name = re.match(r"[A-Za-z0-9-]+", requirement)[0]
        assert name in listed or (name.startswith("tree-sitter-") and "tree-sitter-*" in listed)


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{name}" for name in ("operations.md",))])
def test_every_variable_and_file_that_a_page_names_exists(page):
    text = (PROJECT / page).read_text()
    known = {f"PORTOLAN_{name.upper()}" for name in Environment.model_fields | Limits.model_fields}
    of_compose = set(re.findall(r"PORTOLAN_[A-Z_]+", (PROJECT / "compose.yaml").read_text()))
    named = set(re.findall(r"PORTOLAN_[A-Z]+(?:_[A-Z]+)*\b(?!_)", text))
    assert named - {"PORTOLAN_NGINX"} <= known | of_compose
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert ((PROJECT / page).parent / target).exists(), target


def test_every_make_target_that_the_readme_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`?make ([a-z-]+)`?", (PROJECT / "README.md").read_text()))
    assert named
    assert named <= targets


def test_the_command_of_the_readme_adds_a_repository_as_it_stands_there(tmp_path):
    source = GitRepository(tmp_path / "source").write({"README.md": "# Hello\n"})
    source.commit()
    line = re.search(
        r"^\.venv/bin/python (.*) add_repository NAME ADDRESS$",
        (PROJECT / "README.md").read_text(),
        re.MULTILINE,
    )

    def managed(*arguments):
        return subprocess.run(
            (sys.executable, *line[1].split(), *arguments),
            cwd=PROJECT,
            env=newcomers_environment() | {"PORTOLAN_DATA_DIR": str(tmp_path / "var")},
            capture_output=True,
            text=True,
            check=False,
        )

    copy_database(tmp_path / "var" / FILE_NAME)
    added = managed("add_repository", "hello", str(source.path))
    assert added.returncode == 0, added.stderr
    assert "1 indexed anew" in added.stdout + added.stderr
