import pytest

from mcp_sidecar.contract.descriptor import descriptor, descriptors
from mcp_sidecar.contract.limits import MAX_REPOSITORY_ENUM
from mcp_sidecar.contract.project import CONTRACTS, list_repositories, read_file, search_code
from mcp_sidecar.contract.reading import ArgumentError, read_arguments

NAMES = ("django", "wagtail")


def test_repository_is_an_enum_of_the_names():
    schema = descriptor(search_code.CONTRACT, NAMES)["inputSchema"]
    assert schema["properties"]["repository"]["enum"] == list(NAMES)
    assert "repository" not in schema["required"]


def test_repository_is_required_where_the_tool_needs_one():
    schema = descriptor(read_file.CONTRACT, NAMES)["inputSchema"]
    assert schema["required"] == ["repository", "path"]


def test_many_repositories_make_it_a_string_that_says_where_the_names_are():
    names = tuple(f"repository-{number}" for number in range(MAX_REPOSITORY_ENUM + 1))
    described = descriptor(search_code.CONTRACT, names)["inputSchema"]["properties"]["repository"]
    assert "enum" not in described
    assert described["type"] == "string"
    assert "list_repositories" in described["description"]


def test_as_many_repositories_as_the_limit_are_still_an_enum():
    names = tuple(f"repository-{number}" for number in range(MAX_REPOSITORY_ENUM))
    shown = {one["name"]: one for one in descriptors(CONTRACTS, names)}
    enum = shown["search_code"]["inputSchema"]["properties"]["repository"]["enum"]
    assert enum == list(names)


def test_no_repository_yet_gives_no_empty_enum():
    described = descriptor(search_code.CONTRACT, ())["inputSchema"]["properties"]["repository"]
    assert "enum" not in described


def test_repository_is_not_offered_on_the_endpoint_of_one():
    for contract in CONTRACTS:
        schema = descriptor(contract, None)["inputSchema"]
        assert "repository" not in schema["properties"]
        assert "repository" not in schema.get("required", [])


def test_repository_is_not_offered_by_tools_that_work_on_none():
    schema = descriptor(list_repositories.CONTRACT, NAMES)["inputSchema"]
    assert "repository" not in schema["properties"]


@pytest.mark.parametrize("sent", ["django", "nonsense", 7, ["django"], None])
def test_repository_is_dropped_where_it_is_not_offered(sent):
    given = read_arguments(search_code.CONTRACT, {"query": "x", "repository": sent}, names=None)
    assert given.repository is None
    given = read_arguments(list_repositories.CONTRACT, {"repository": sent}, names=NAMES)
    assert given.repository is None


def test_repository_that_is_no_text_is_refused():
    with pytest.raises(ArgumentError, match="repository: Input should be a valid string"):
        read_arguments(search_code.CONTRACT, {"query": "x", "repository": 7}, names=NAMES)


def test_missing_repository_is_told_beside_the_other_problems():
    with pytest.raises(ArgumentError) as caught:
        read_arguments(read_file.CONTRACT, {}, names=NAMES)
    assert caught.value.fields == {"path": "Field required", "repository": "Field required"}
    assert 'accepted: one of "django", "wagtail"' in caught.value.text
