import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import Field

from mcp_sidecar.contract.base import (
    Arguments,
    Description,
    PathText,
    Rendering,
    Result,
    ToolContract,
)
from mcp_sidecar.contract.catalogue import CONTRACTS_BY_SERVER
from mcp_sidecar.contract.fields import OptionalPath, Query
from mcp_sidecar.contract.project import read_file, search_code
from mcp_sidecar.contract.reading import MAX_PROBLEMS, ArgumentError, read_arguments

NAMES = ("django", "wagtail")
ALL = [contract for contracts in CONTRACTS_BY_SERVER.values() for contract in contracts]


class Entry(Arguments):
    minutes: int = Field(ge=1, le=60, description="How long.", examples=[5])
    tags: list[str] | None = Field(None, description="Words.", examples=[["a"]])
    is_done: bool = Field(False, description="Whether it is done.", examples=[True])


class Batch(Arguments):
    entries: list[Entry] = Field(description="Entries.", examples=[[{"minutes": 5}]])
    ids: tuple[int, ...] | None = Field(None, description="Ids.", examples=[[1]])
    first: Entry | None = Field(None, description="First.", examples=[{"minutes": 5}])
    share: float | None = Field(None, ge=0, le=1, description="Share.", examples=[0.5])
    dry_run: bool = Field(False, description="Only tell.", examples=[True])
    path: OptionalPath = Field(None, description="Path.", examples=["a"])
    note: str = Field("", description="Note.", examples=["a"])
    word: Query | None = Field(None, description="Word.", examples=["a"])


BATCH = ToolContract(
    name="write_batch",
    title="Write",
    description=Description("a", "b", "c", "d"),
    arguments=Batch,
    result=Result,
    renderer=lambda _: Rendering(""),
)
MINIMAL = {"entries": [{"minutes": 5}]}


def read(contract, raw):
    return read_arguments(contract, raw, names=NAMES)


def refused(contract, raw) -> str:
    with pytest.raises(ArgumentError) as caught:
        read(contract, raw)
    return caught.value.text


def batch(**more) -> Batch:
    return read(BATCH, MINIMAL | more).arguments


@pytest.mark.parametrize("limit", [5, "5", 5.0, " 5 ", "5.0"])
def test_number_may_come_as_text(limit):
    assert read(search_code.CONTRACT, {"query": "x", "limit": limit}).arguments.limit == 5


@pytest.mark.parametrize("limit", ["five", 5.5, "5.5", -1, 0, 10**9, 10**400, True, [5], {}, "1e1"])
def test_wrong_number_is_refused_with_the_range_and_an_example(limit):
    text = refused(search_code.CONTRACT, {"query": "x", "limit": limit})
    assert text.startswith("invalid arguments for search_code: limit: Input should be ")
    assert "accepted: a whole number from 1 to 20, for example 5" in text


def test_error_text_is_exactly_the_one_promised():
    assert refused(search_code.CONTRACT, {"query": "x", "limit": 500}) == (
        "invalid arguments for search_code: limit: Input should be less than or equal to 20\n"
        "- limit: got 500; accepted: a whole number from 1 to 20, for example 5\n"
        "(code: invalid_input)"
    )


def test_several_problems_stand_on_the_first_line():
    first = refused(read_file.CONTRACT, {"repository": "django", "start_line": 0}).split("\n")[0]
    assert first == (
        "invalid arguments for read_file: path: Field required; "
        "start_line: Input should be greater than or equal to 1"
    )


@pytest.mark.parametrize("ids", [[1, 2], "[1, 2]", ["1", "2"], '["1", 2.0]', " [1,2]"])
def test_list_may_come_as_json_text(ids):
    assert batch(ids=ids).ids == (1, 2)


@pytest.mark.parametrize("ids", ["[1,", "1,2", "1", '{"a": 1}', {"a": 1}, 1, "[true]"])
def test_what_is_no_list_is_refused_by_name(ids):
    text = refused(BATCH, MINIMAL | {"ids": ids})
    assert text.startswith("invalid arguments for write_batch: ids")


@pytest.mark.parametrize(
    "entries",
    [
        [{"minutes": "5", "tags": '["a"]', "is_done": "true"}],
        '[{"minutes": 5, "tags": ["a"], "is_done": true}]',
        ['{"minutes": 5.0, "tags": "[\\"a\\"]", "is_done": true, "_meta": 1}'],
    ],
)
def test_nested_objects_are_read_as_leniently(entries):
    entry = read(BATCH, {"entries": entries}).arguments.entries[0]
    assert (entry.minutes, entry.tags, entry.is_done) == (5, ["a"], True)


def test_nested_problem_is_told_by_its_dotted_path():
    text = refused(BATCH, {"entries": [{"minutes": 5}, {"minutes": 90, "tag": "a"}]})
    assert "entries.1.minutes: Input should be less than or equal to 60" in text
    assert "- entries.1.tag: no such argument; did you mean tags?" in text
    assert "- entries.1.minutes: got 90; accepted: a whole number from 1 to 60" in text


@pytest.mark.parametrize("sent", [True, "true"])
def test_switch_takes_true_and_its_word(sent):
    assert batch(dry_run=sent).dry_run is True
    assert batch(dry_run=False).dry_run is batch(dry_run="false").dry_run is False


@pytest.mark.parametrize("sent", ["yes", 1, 0, "1", "on", "True", "t", 1.0, [], "", "null"])
def test_switch_takes_nothing_else(sent):
    text = refused(BATCH, MINIMAL | {"dry_run": sent})
    assert "dry_run: Input should be a valid boolean" in text
    assert f"got {json.dumps(sent)}; accepted: true or false" in text


@pytest.mark.parametrize("contract", [*ALL, BATCH], ids=lambda contract: contract.name)
def test_null_means_not_given(contract):
    fields = contract.arguments.model_fields
    minimal = {name: field.examples[0] for name, field in fields.items() if field.is_required()}
    nulls = {name: None for name, field in fields.items() if not field.is_required()}
    given = nulls | {"repository": None} | minimal
    assert read(contract, given) == read(contract, minimal)


def test_null_for_a_required_argument_is_a_missing_one():
    assert "query: Field required" in refused(search_code.CONTRACT, {"query": None})


@pytest.mark.parametrize("raw", [None, {}])
def test_no_arguments_at_all_are_no_arguments(raw):
    assert read(CONTRACTS_BY_SERVER["portolan-project"][0], raw).arguments.cursor is None


def test_empty_text_for_an_optional_one_is_not_given():
    sent = {"query": "x", "path": "", "language": " ", "ref": "", "cursor": "", "repository": ""}
    assert read(search_code.CONTRACT, sent) == read(search_code.CONTRACT, {"query": "x"})
    assert batch(note="", word="").note == ""


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_empty_query_is_refused(query):
    text = refused(search_code.CONTRACT, {"query": query})
    assert "query: String should have at least 1 character" in text


@pytest.mark.parametrize("extra", ["toolCallId", "_meta", "__session"])
def test_keys_that_clients_add_are_dropped(extra):
    assert read(search_code.CONTRACT, {"query": "x", extra: "1"}).arguments.query == "x"


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("repositry", "repository"),
        ("querry", "query"),
        ("max_limit", "limit"),
        ("lang", "language"),
    ],
)
def test_misspelled_argument_is_told_the_nearest_name(sent, meant):
    text = refused(search_code.CONTRACT, {"query": "x", sent: "a"})
    assert text.startswith(
        f"invalid arguments for search_code: {sent}: Extra inputs are not permitted"
    )
    assert f"did you mean {meant}?" in text


def test_argument_unlike_any_other_is_told_all_names():
    text = refused(search_code.CONTRACT, {"query": "x", "zzz": 1})
    assert "did you mean" not in text
    assert "arguments: query, path, language, ref, limit, cursor, repository" in text


def test_nul_is_refused_by_name():
    text = refused(search_code.CONTRACT, {"query": "a\0b"})
    assert "query: Text must not hold the character NUL" in text
    assert "\0" not in text
    assert "entries.0.tags.0" in refused(BATCH, {"entries": [{"minutes": 5, "tags": ["\0"]}]})


def test_nul_in_a_path_is_a_path_that_does_not_exist():
    arguments = read(read_file.CONTRACT, {"path": "a\0b\ud800", "repository": "django"}).arguments
    assert arguments.path == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    ("shown", "meant"),
    [
        ("a\\u202eb.py", "a\u202eb.py"),
        ("new\\u000aline\\u0009.py", "new\nline\t.py"),
        ("tag\\U000e0041", "tag\U000e0041"),
        ("\\u0041", "\\u0041"),
        ("\\U00110000 \\users\\u12", "\\U00110000 \\users\\u12"),
        ("\\ud800", "\ufffd"),
    ],
)
def test_path_and_ref_may_come_as_an_answer_showed_them(shown, meant):
    given = {"path": shown, "ref": shown, "repository": "django"}
    arguments = read(read_file.CONTRACT, given).arguments
    assert (arguments.path, arguments.ref) == (meant, meant)


def test_lone_surrogate_is_refused_by_name():
    text = refused(search_code.CONTRACT, {"query": "a\ud800b"})
    assert "query: Text must be valid Unicode" in text
    text.encode()


def test_repository_with_nul_is_refused():
    assert "repository: Text" in refused(search_code.CONTRACT, {"query": "x", "repository": "\0"})


@pytest.mark.parametrize("raw", [[], "x", 7, True, [{"query": "x"}]])
def test_arguments_that_are_no_object_are_refused(raw):
    text = refused(search_code.CONTRACT, raw)
    assert text.startswith(
        "invalid arguments for search_code: arguments: Input should be an object"
    )


def test_object_that_comes_as_json_text_is_read():
    assert batch(first='{"minutes": "7"}').first.minutes == 7
    assert read(search_code.CONTRACT, '{"query": "x"}').arguments.query == "x"


def test_value_that_came_is_cut():
    text = refused(search_code.CONTRACT, {"query": "q" * 2_000})
    assert f'got "{"q" * 80}"… (1920 more characters)' in text
    assert "String should have at most 500 characters" in text


def test_many_problems_are_counted_not_listed():
    text = refused(search_code.CONTRACT, {f"extra{number}": 1 for number in range(5_000)})
    assert len(text) < 5_000
    assert f"- and {5_001 - MAX_PROBLEMS} more" in text


def test_names_that_came_cannot_break_the_lines():
    text = refused(search_code.CONTRACT, {"query": "x", "a\n- b\u202e\r": 1})
    assert "a\\u000a- b\\u202e\\u000d: Extra inputs" in text
    assert len(text.split("\n")) == 3


def test_number_is_not_taken_for_nan():
    assert "share: Input should be a finite number" in refused(BATCH, MINIMAL | {"share": "nan"})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None))
    | st.sampled_from(["[", "{", "[1,2]", '{"a":1}', "5", "true", "\0", "\ud800", "[[[[" * 200]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    sorted({name for one in [*ALL, BATCH] for name in one.arguments.model_fields} | {"repository"})
) | st.text(max_size=20)


@pytest.mark.parametrize("contract", [*ALL, BATCH], ids=lambda contract: contract.name)
@settings(max_examples=30, deadline=None)
@given(raw=st.dictionaries(KEYS, JSON, max_size=6) | JSON)
@example(raw={"ids": "[" * 100_000, "query": "[" * 100_000})
@example(raw={"entries": [[]], "first": "{}", "\ud800": "\ud800"})
@example(raw={"https://": None})  # an argument that is not known is named
def test_nothing_but_an_argument_error_comes_out(contract, raw):
    try:
        read(contract, raw)
    except ArgumentError as error:
        text = error.text
        text.encode()
        assert text.startswith(f"invalid arguments for {contract.name}: ")
        assert text.endswith("(code: invalid_input)")
        assert len(text) < 6_000
        for forbidden in ("pydantic", "https://", "Entry", "Arguments", "instance of"):
            assert forbidden not in text or forbidden in repr(raw)


def test_marker_of_paths_reaches_the_arguments():
    assert any(
        isinstance(mark, PathText)
        for mark in read_file.CONTRACT.arguments.model_fields["path"].metadata
    )
