"""R57: a log that cannot be written, as on a full disk, costs no call and is written later."""

import json
import logging
import os

from web.core.logs import JsonLines, ProcessFile


def record(message):
    return logging.LogRecord("portolan", logging.INFO, __file__, 1, message, None, None)


def test_lines_that_a_full_disk_does_not_take_fail_nothing_and_come_later(tmp_path, capsys):
    file = ProcessFile(
        folder=str(tmp_path), process="sidecar", max_bytes=10**6, max_files=2, keep_days=1
    )
    file.setFormatter(JsonLines(process="sidecar"))
    (tmp_path / "full").symlink_to("/dev/full")
    file.baseFilename = str(tmp_path / "full")
    with file.together():
        file.emit(record("while it is full"))
    assert "Traceback" not in capsys.readouterr().err
    with (tmp_path / "space").open("wb") as space:
        os.dup2(space.fileno(), file.stream.fileno())
    with file.together():
        file.emit(record("when there is space"))
    file.close()
    lines = (tmp_path / "space").read_text().splitlines()
    assert [json.loads(line)["message"] for line in lines] == [
        "while it is full",
        "when there is space",
    ]
