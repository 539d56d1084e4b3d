"""One physical line per record, in a file of each process, without secrets."""

import json
import logging
import multiprocessing
import os
import sys
import time

import pytest

from web.core import redaction
from web.core.logs import (
    JsonLines,
    PlainLines,
    ProcessFile,
    log_context,
    process_name,
    request_id_from,
)
from web.core.redaction import hide, redacted, redacted_value

PLANTED = "c2VjcmV0LXBsYW50ZWQ"


def record(message="hello", *arguments, **fields):
    made = logging.LogRecord("portolan.test", logging.INFO, __file__, 1, message, arguments, None)
    vars(made).update(fields)
    return made


def as_json(made):
    line = JsonLines(process="sidecar").format(made)
    assert len(line.splitlines()) == 1
    return json.loads(line)


def test_a_record_is_one_line_whatever_its_message_holds():
    message = "a\nb\r\nc\x85d\u2028e\u2029f\x00g\x1b[31m\ud800"
    assert as_json(record(message))["message"] == message


def test_a_record_has_every_field_and_what_was_given_as_extra():
    with log_context(request_id="r-1", caller="user:7", tool="search_code"):
        fields = as_json(record("found %d", 3, seconds=0.5, nested={"a": [1, {2}]}))
    assert fields["message"] == "found 3"
    assert fields["level"] == "INFO"
    assert fields["logger"] == "portolan.test"
    assert fields["process"] == f"sidecar:{os.getpid()}"
    assert (fields["request_id"], fields["caller"], fields["tool"]) == (
        "r-1",
        "user:7",
        "search_code",
    )
    assert fields["seconds"] == 0.5
    assert fields["nested"] == {"a": [1, [2]]}
    assert fields["time"].endswith("+00:00")


def test_the_context_ends_with_its_block_and_keeps_what_is_outside():
    with log_context(request_id="outer"):
        with log_context(tool="add"):
            assert as_json(record())["request_id"] == "outer"
        assert as_json(record())["tool"] == ""
    assert as_json(record())["request_id"] == ""


def test_a_traceback_is_in_the_same_line():
    try:
        raise ValueError(f"first\nsecond password={PLANTED}")
    except ValueError as error:
        made = record("it failed", exc_info=(type(error), error, error.__traceback__))
    fields = as_json(made)
    assert "ValueError: first\nsecond" in fields["exception"]
    assert PLANTED not in fields["exception"]


def test_a_message_that_does_not_fit_its_arguments_is_still_logged():
    assert "3 of %d" in as_json(record("3 of %d", "x"))["message"]


def test_plain_lines_show_what_turns_text_around_escaped():
    line = PlainLines().format(record("a\u202eb\u2066\u200bc"))
    assert line.endswith("a\\u202eb\\u2066\\u200bc")


def test_plain_traceback_keeps_its_lines_and_nothing_that_acts_on_a_terminal():
    try:
        raise ValueError("a\x1b[31m\rb\u202e")
    except ValueError:
        line = PlainLines().format(record("failed", exc_info=sys.exc_info()))
    assert line.endswith("ValueError: a\\x1b[31m\\x0db\\u202e\n")
    assert "Traceback (most recent call last):\n" in line


def test_plain_lines_show_control_characters_escaped():
    line = PlainLines().format(record("a\nb\x1b[31m\u2028"))
    assert line.endswith("a\\nb\\x1b[31m\\u2028")


@pytest.mark.parametrize(
    "text",
    [
        f"ptl_{PLANTED}",
        f"ghp_{PLANTED}",
        f"github_pat_{PLANTED}",
        f"Authorization: Bearer {PLANTED}",
        f"{{'authorization': 'Basic {PLANTED}'}}",
        f"bearer {PLANTED}",
        f"https://user:{PLANTED}@git.example.org/x.git",
        f"https://{PLANTED}@git.example.org/x.git",
        f"POST /mcp/?token={PLANTED}&x=1",
        f"GET /cb?code={PLANTED}&state=1",
        f"password={PLANTED}",
        f'{{"client_secret": "{PLANTED}"}}',
        f"x-github-token: {PLANTED}",
        f"Cookie: sessionid={PLANTED}",
        f"-----BEGIN RSA PRIVATE KEY-----\n{PLANTED}\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_is_taken_out_of_text(text):
    assert PLANTED not in redacted(text)
    assert PLANTED not in as_json(record(text))["message"]
    assert PLANTED not in as_json(record("%s", text))["message"]
    assert PLANTED not in json.dumps(as_json(record(extra_field={"inner": [text]})))
    assert PLANTED not in PlainLines().format(record(text))


@pytest.mark.parametrize(
    "text",
    [
        "token expired after 3600 seconds",
        "ssh://git@example.org/x.git",
        "PORTOLAN_SECRET_KEY is not set",
        "search_code query='def token' limit=8",
        "https://example.org/a/b#page",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert redacted(text) == text


# So long that what reads them more than a few times does not come to an end.
@pytest.mark.parametrize(
    "text", ["a-" * 500_000, "token" * 200_000, "token " * 200_000, "://a" * 500_000]
)
def test_hostile_text_is_redacted_in_linear_time(text):
    assert redacted(text + "password=planted").endswith("[redacted]")


def test_values_with_the_name_of_a_secret_are_replaced_whole():
    value = {"token": PLANTED, "arguments": {"password": PLANTED, "limit": 8, "token": None}}
    assert redacted_value(value) == {
        "token": "[redacted]",
        "arguments": {"password": "[redacted]", "limit": 8, "token": None},
    }
    assert as_json(record(github_token=PLANTED))["github_token"] == "[redacted]"


def test_the_installations_own_secrets_are_hidden_wherever_they_stand(monkeypatch):
    monkeypatch.setattr(redaction, "_hidden", set())
    monkeypatch.setattr(redaction, "_hidden_pattern", None)
    hide("correct horse battery")
    hide("short")
    assert redacted("it is correct horse battery, in short") == "it is [redacted], in short"


def test_a_value_that_cannot_be_shown_does_not_break_a_record():
    class Unshowable:
        def __str__(self):
            raise RuntimeError("no")

    deep: list = []
    for _ in range(200_000):
        deep = [deep]
    fields = as_json(record(extra_field=Unshowable(), other_field=deep))
    assert fields["message"] == "hello"
    assert "cannot be shown" in fields["extra_field"]


def test_a_request_id_is_taken_over_only_when_it_is_harmless():
    assert request_id_from("abc-123.X_y") == "abc-123.X_y"
    for unfit in ("", "a b", "a\nb", "x" * 65, "ä"):
        assert request_id_from(unfit) != unfit
    assert request_id_from("") != request_id_from("")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["/srv/manage.py", "db_worker"], "worker"),
        (["manage.py", "sync_repositories", "x"], "sync_repositories"),
        (["/srv/mcp_sidecar/__main__.py"], "sidecar"),
        (["/srv/web/__main__.py"], "web"),
        (["/srv/.venv/bin/uvicorn", "x"], "web"),
        (["/srv/.venv/bin/pytest"], "pytest"),
        ([""], "python"),
        ([], "python"),
    ],
)
def test_a_process_is_named_after_its_command(arguments, name):
    assert process_name(arguments) == name


def handler(folder, **options):
    made = ProcessFile(
        folder=str(folder),
        process="web",
        **{"max_bytes": 10_000_000, "max_files": 3, "keep_days": 14} | options,
    )
    made.setFormatter(JsonLines(process="web"))
    return made


def messages_of(path):
    return [json.loads(line)["message"] for line in path.read_text().splitlines()]


def lines_of(folder):
    return [line for path in sorted(folder.glob("*.jsonl*")) for line in messages_of(path)]


def _write(folder, name):
    made = handler(folder, max_bytes=20_000, max_files=50)
    for number in range(300):
        made.handle(record(f"{name}-{number}"))
    made.close()


def _write_before_and_after_a_fork(folder):
    made = handler(folder)
    made.handle(record("parent"))
    child = os.fork()
    if child == 0:
        try:
            made.handle(record("child"))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    made.handle(record("parent again"))
    made.close()


def run(write, *calls):
    """Run `write` with each of these arguments in a fresh process; return the processes' ids."""
    start = multiprocessing.get_context("spawn").Process
    writers = [start(target=write, args=arguments) for arguments in calls]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * len(writers)
    return [writer.pid for writer in writers]


def test_several_processes_rotate_without_losing_or_breaking_a_line(tmp_path):
    run(_write, (tmp_path, "a"), (tmp_path, "b"))
    expected = {f"{name}-{number}" for name in "ab" for number in range(300)}
    assert sorted(lines_of(tmp_path)) == sorted(expected)
    assert len(list(tmp_path.glob("*.jsonl.*"))) > 2


def test_a_forked_process_writes_a_file_of_its_own(tmp_path):
    (parent,) = run(_write_before_and_after_a_fork, (tmp_path,))
    written = {int(path.name.split(".")[2]): messages_of(path) for path in tmp_path.glob("*.jsonl")}
    assert written.pop(parent) == ["parent", "parent again"]
    assert list(written.values()) == [["child"]]


def test_rotation_keeps_only_so_many_files(tmp_path):
    made = handler(tmp_path, max_bytes=1000, max_files=3)
    for number in range(100):
        made.handle(record(str(number)))
    made.close()
    assert len(list(tmp_path.iterdir())) == 3
    assert "99" in lines_of(tmp_path)


def test_files_of_ended_processes_are_removed_after_their_time(tmp_path):
    old, young = tmp_path / "web.host.1.jsonl.2", tmp_path / "web.host.2.jsonl"
    for path, age_days in ((old, 15), (young, 13)):
        path.write_text("")
        stamp = time.time() - age_days * 86400
        os.utime(path, (stamp, stamp))
    made = handler(tmp_path)
    made.handle(record())
    made.close()
    assert not old.exists()
    assert young.exists()
