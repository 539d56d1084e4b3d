"""R67: no address of a repository runs a command or reads what is not meant to be read."""

from pathlib import Path
from typing import Any

import pytest

from tests.gitrepos import GitRepository
from web.core.errors import InvalidInput
from web.library.models import Repository
from web.library.services.repositories import repository_add, repository_update

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("data_folder")]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c id",
        "ext::sh -c 'touch {}'",
        "fd::1",
        "file:///etc",
        "/etc",
        "-oProxyCommand=x",
        "--upload-pack=touch {}",
        "ssh://-x/y",
        "ssh://-oProxyCommand=x/y",
        "http://169.254.169.254/",
        "git://host.example/a",
        "https://user:secret@host.example/a",
    ],
)
def test_dangerous_address_is_refused_before_anything_happens(
    url: str, local: bool, settings: Any, tmp_path: Path
) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = local
    url = url.format(tmp_path / "x")
    with pytest.raises(InvalidInput) as refused:
        repository_add(name="project", url=url)
    assert set(refused.value.fields) == {"url"}
    assert not Repository.objects.exists()
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "url", ["https://169.254.169.254/a", "https://10.0.0.1/a", "git@127.0.0.1:a", "https://[::1]/a"]
)
def test_internal_address_is_refused_unless_the_operator_allows_it(url: str, settings: Any) -> None:
    settings.ALLOW_LOCAL_REPOSITORIES = False
    with pytest.raises(InvalidInput):
        repository_add(name="project", url=url)
    settings.ALLOW_LOCAL_REPOSITORIES = True
    repository_add(name="project", url=url)


def test_address_is_checked_again_when_it_changes(tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin").write({"a.py": "A = 1\n"}).commit()
    repository_add(name="project", url=origin.url)
    with pytest.raises(InvalidInput):
        repository_update(name="project", url="ext::sh -c id")
    assert Repository.objects.get().url == origin.url
