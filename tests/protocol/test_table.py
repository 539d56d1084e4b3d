"""Every row at every version, to the sidecar in this process; and the page that shows them."""

import os
from pathlib import Path

import pytest

from tests.protocol.page import page
from tests.protocol.rows import ROWS, TABLE
from tests.protocol.table import VERSIONS, seen

PAGE = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"


@pytest.mark.parametrize("group", TABLE)
@pytest.mark.parametrize("version", VERSIONS)
async def test_every_case_is_answered_as_the_table_says(client, group, version):
    answers, expected = {}, {}
    client.http.headers.clear()
    for row in TABLE[group]:
        content, headers = row.sent(version)
        response = await client.http.request(
            row.method, row.path, content=content, headers=list(headers)
        )
        answers[row.case] = seen(response.status_code, response.headers, response.content)
        expected[row.case] = row.expected(version)
        assert response.headers["x-request-id"] if response.status_code != 404 else True
    assert answers == expected


def test_no_case_is_told_twice():
    cases = [(group, row.case) for group, row in ROWS]
    assert len(cases) == len(set(cases))


def test_the_page_shows_the_table():
    text = page(PAGE.read_text(encoding="utf-8"))
    if os.environ.get("PORTOLAN_WRITE_DOCS") == "1":
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "run with PORTOLAN_WRITE_DOCS=1"
