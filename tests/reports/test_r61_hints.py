"""R61: read-only hints that are missing or wrong. What says it only reads changes nothing."""

import json

import pytest
from django.apps import apps
from pydantic import SecretStr

from mcp_sidecar import bridge
from mcp_sidecar.auth import Caller
from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.descriptor import descriptor
from mcp_sidecar.servers.project import PROJECT
from tests.github_api import TOKEN, github_for
from tests.gitrepos import GitRepository
from tests.library import add_and_sync
from tests.mcp_sidecar.tools.calls import call
from web.accounts.principals import ANONYMOUS

ALL = [one for contracts in CONTRACTS_BY_SERVER.values() for one in contracts]
ELSEWHERE = {"list_issues", "read_issue", "create_issue", "comment_on_issue"}
READS = [one for one in CONTRACTS_BY_SERVER["portolan-project"] if one.hints.read_only]


@pytest.mark.parametrize("contract", ALL, ids=lambda one: one.name)
def test_hints_say_what_the_name_says(contract):
    hints = descriptor(contract, ("a",))["annotations"]
    verb = contract.name.partition("_")[0]
    reads = verb in {"list", "get", "read", "find", "search", "grep", "add", "shout"}
    assert hints["readOnlyHint"] == reads
    assert not reads or (hints["idempotentHint"] and not hints["destructiveHint"])
    assert hints["openWorldHint"] == (contract.name in ELSEWHERE)


@pytest.fixture
def engine(settings, transactional_db, tmp_path):
    """A repository that is indexed here, and on the GitHub of the test."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.ALLOW_LOCAL_REPOSITORIES = True
    with github_for(settings) as project:
        from web.library.models import Repository

        Repository.objects.all().delete()
        origin = GitRepository(tmp_path / "origin")
        origin.write({"README.md": "# Engine\n", "engine.py": "def start():\n    pass\n"})
        origin.commit("First")
        add_and_sync("engine", origin.url)
        Repository.objects.update(url=project.url)
        project.add("Login fails")
        yield project
    bridge.close()


def rows():
    """Return how many rows every table has, and the newest key of each."""
    return {
        model._meta.label: (
            model._default_manager.count(),
            model._default_manager.order_by("-pk").values_list("pk", flat=True).first(),
        )
        for model in apps.get_models()
    }


@pytest.mark.django_db(transaction=True)
async def test_tools_that_only_read_change_nothing_here_and_on_github(engine):
    from asgiref.sync import sync_to_async

    before, sent = await sync_to_async(rows)(), len(engine.issues)
    caller = Caller(ANONYMOUS, SecretStr(TOKEN))
    for contract in READS:
        schema = descriptor(contract, ("engine",))["inputSchema"]
        arguments = {
            name: "engine" if name == "repository" else example_of(schema["properties"][name])
            for name in schema.get("required", [])
        }
        outcome = await call(contract.name, arguments, definition=PROJECT, caller=caller)
        assert outcome.code in {"ok", "not_found", "invalid_input"}, (contract.name, outcome.text)
    assert await sync_to_async(rows)() == before
    assert len(engine.issues) == sent
    assert {asked.method for asked in engine.asked} == {"GET"}


def example_of(described):
    return json.loads(described["description"].rpartition("Example: ")[2])
