"""Remotes list their branches and tags, or are refused in a clear sentence."""

import shutil
import socket
from pathlib import Path

import pytest

from tests.gitrepos import GitRepository
from web.core.errors import InvalidInput, TooLarge, Unavailable
from web.core.limits import LIMITS
from web.library.git import remotes
from web.library.git.remotes import check_address, remote_refs


def test_remote_names_its_default_branch(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit().switch("trunk", create=True)
    remote = remote_refs(origin.url)
    assert (remote.head_branch, remote.head) == ("refs/heads/trunk", origin.head)


def test_list_of_a_remote_has_a_bound(
    origin: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin.write({"a": "1"}).commit().tag("v1")
    listed = len(origin.git("ls-remote", "--symref", "--quiet", origin.url))
    enough = LIMITS.model_copy(update={"max_listing_bytes": listed})
    monkeypatch.setattr(remotes, "LIMITS", enough)
    assert "refs/tags/v1" in remote_refs(origin.url).objects
    less = LIMITS.model_copy(update={"max_listing_bytes": listed - 1})
    monkeypatch.setattr(remotes, "LIMITS", less)
    with pytest.raises(TooLarge, match="list of the remote's branches") as refused:
        remote_refs(origin.url)
    assert "PORTOLAN_MAX_LISTING_BYTES" in refused.value.hint


def test_repository_without_a_commit_has_no_refs(origin: GitRepository) -> None:
    remote = remote_refs(origin.url)
    assert (remote.objects, remote.head) == ({}, "")


def test_vanished_remote_is_said_in_a_sentence_without_its_path(origin: GitRepository) -> None:
    origin.write({"a": "1"}).commit()
    shutil.rmtree(origin.path)
    with pytest.raises(Unavailable) as gone:
        remote_refs(origin.url)
    assert "no repository at this address" in str(gone.value)
    assert str(origin.path) not in str(gone.value)


@pytest.mark.parametrize("scheme", ["https", "ssh"])
def test_remote_that_takes_a_connection_and_never_answers_is_given_up(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurried = LIMITS.model_copy(update={"git_listing_seconds": 0.5})
    monkeypatch.setattr(remotes, "LIMITS", hurried)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(Unavailable, match="did not answer in time") as given_up,
    ):
        remote_refs(f"{scheme}://127.0.0.1:{silent.getsockname()[1]}/project.git")
    assert "PORTOLAN_GIT_LISTING_SECONDS" in given_up.value.hint


def test_local_address_has_to_be_a_repository(tmp_path: Path, origin: GitRepository) -> None:
    check_address(origin.url)
    for address in ("/etc", "file:///etc", str(tmp_path), str(tmp_path / "missing")):
        with pytest.raises(InvalidInput, match="no git repository"):
            check_address(address)
