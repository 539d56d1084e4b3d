"""The same bodies as lines of standard input: whatever comes, each answer is one line of JSON."""

import json

from tests.fuzz import bodies, campaign, judge
from tests.mcp_sidecar.processes import stdio

LINES = 40


def test_no_line_ends_or_confuses_a_server_on_standard_input(migrated):
    lines: list[bytes] = []
    campaign.examples(bodies.contents(), lines.append, count=LINES, number=1)
    answers = []
    with stdio(migrated, "--server", "lesson") as server:
        for number, line in enumerate(lines):
            server.send(line.replace(b"\n", b" ").replace(b"\r", b" "))
            answers.append(server.ask("ping", identifier=f"after {number}"))
            while answers[-1] != {"jsonrpc": "2.0", "id": f"after {number}", "result": {}}:
                answers.append(server.receive())
        rest, code = server.close()
        written = server.errors.read_text()
    assert (rest, code) == (b"", 0)
    assert "Traceback" not in written
    assert len(answers) > LINES
    for answer in answers:
        for one in answer if isinstance(answer, list) else [answer]:
            assert one["jsonrpc"] == "2.0"
            assert one.get("error", {"code": -32600})["code"] in judge.CODES, json.dumps(one)
