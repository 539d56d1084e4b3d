"""GitHub's refusals and failures: what is told, what is tried again, and where the token goes."""

import gzip
import json
import re
import ssl
import time
from datetime import UTC, datetime
from functools import partial

import pytest
from pydantic import SecretStr

from tests.github_api import TOKEN, refusal, reply
from tests.web.local_server import Reply, serving
from web.accounts.principals import ANONYMOUS
from web.core.errors import (
    DeadlineExceeded,
    InvalidInput,
    NotAllowed,
    NotFound,
    PortolanError,
    TooLarge,
    TooManyRequests,
    Unavailable,
)
from web.core.limits import LIMITS
from web.library.github import client, connections
from web.library.github.failures import OutcomeUnknown
from web.library.selectors.issues import issue_text, issues_listed
from web.library.services.issues import issue_comment, issue_create

PATH = "/repos/ada/engine/issues"
WHO = {"principal": ANONYMOUS, "repository": "engine", "token": SecretStr(TOKEN)}


def failure(project, answer, *, write=False):
    """Return how a list, or a new issue, fails when GitHub answers so."""
    project.route(PATH, answer)
    call = (
        partial(issue_create, **WHO, title="x") if write else partial(issues_listed, **WHO, limit=5)
    )
    with pytest.raises(PortolanError) as caught:
        call()
    assert TOKEN not in repr(caught.value) + str(caught.value)
    assert caught.value.hint
    return caught.value


def limits(**set_to):
    return LIMITS.model_copy(update=set_to)


class TestRefusals:
    def test_401_says_that_the_token_is_refused(self, project):
        error = failure(project, refusal(401, "Bad credentials"))
        assert isinstance(error, NotAllowed)
        assert "refuses the token" in error.message
        assert "GitHub says: Bad credentials" in error.message
        assert "X-GitHub-Token" in error.hint

    def test_403_names_the_permission_that_is_needed(self, project):
        answer = refusal(
            403,
            "Resource not accessible by personal access token",
            x_accepted_github_permissions="issues=write; pull_requests=write",
        )
        error = failure(project, answer, write=True)
        assert isinstance(error, NotAllowed)
        assert "Issues: write" in error.hint
        assert "issues=write; pull_requests=write" in error.hint

    def test_403_of_a_sign_on_says_where_to_authorize_the_token(self, project):
        url = "https://github.com/orgs/ada/sso?authorization_request=A1"
        error = failure(
            project, refusal(403, "Resource protected", x_github_sso=f"required; url={url}")
        )
        assert url in error.hint

    @pytest.mark.parametrize("status", [403, 429])
    def test_a_used_up_limit_says_until_when(self, project, status):
        reset = int(time.time()) + 1200
        error = failure(
            project,
            refusal(
                status,
                "API rate limit exceeded for user ID 1.",
                X_RateLimit_Remaining="0",
                X_RateLimit_Reset=str(reset),
                X_RateLimit_Resource="search",
            ),
        )
        assert isinstance(error, TooManyRequests)
        assert 1190 < error.retry_after_seconds <= 1200
        assert "requests for search" in error.message
        shown = re.search(r"until ([\d-]+ [\d:]+) UTC", error.message)[1]
        told = datetime.fromisoformat(shown).replace(tzinfo=UTC).timestamp()
        assert abs(told - reset) <= 1

    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({"retry_after": "47"}, 47),
            ({"retry_after": "9" * 5000}, 604_800),
            ({"retry_after": "soon"}, 60),
            ({}, 60),
        ],
    )
    def test_a_secondary_limit_says_how_long_to_wait(self, project, headers, seconds):
        message = "You have exceeded a secondary rate limit. Please wait a few minutes."
        error = failure(project, refusal(403, message, **headers))
        assert isinstance(error, TooManyRequests)
        assert error.retry_after_seconds == seconds

    @pytest.mark.parametrize(
        ("reset", "seconds"), [("1", 1), ("9" * 18, 604_800), ("9" * 5000, 604_800), ("x", 60)]
    )
    def test_a_limit_that_is_over_by_now_or_never_waits_a_sensible_time(
        self, project, reset, seconds
    ):
        error = failure(
            project, refusal(403, "limit", X_RateLimit_Remaining="0", X_RateLimit_Reset=reset)
        )
        assert abs(error.retry_after_seconds - seconds) <= 1

    def test_404_tells_of_both_reasons(self, project):
        error = failure(project, refusal(404, "Not Found"))
        assert isinstance(error, NotFound)
        assert "does not exist, or this token may not see it" in error.message
        assert "Issues: read" in error.hint
        with pytest.raises(NotFound, match="issue #99 of ada/engine"):
            issue_text(**WHO, number=99)

    def test_410_says_that_another_call_does_not_help(self, project):
        error = failure(project, refusal(410, "Issues are disabled for this repo"))
        assert isinstance(error, NotFound)
        assert "Issues are disabled for this repo" in error.message

    def test_422_names_the_field(self, project):
        problems = [
            {"resource": "Issue", "code": "missing_field", "field": "title"},
            {"resource": "Issue", "code": "custom", "field": "body", "message": "body is too long"},
            "Something else",
        ]
        error = failure(project, refusal(422, "Validation Failed", errors=problems), write=True)
        assert isinstance(error, InvalidInput)
        assert error.fields == {"title": "is missing", "body": "body is too long"}
        assert "title: is missing; body: body is too long; Something else" in error.message

    def test_451_and_an_unexpected_status_are_told(self, project):
        assert isinstance(failure(project, refusal(451, "Blocked")), NotAllowed)
        error = failure(project, refusal(418, "I'm a teapot"))
        assert isinstance(error, Unavailable)
        assert "418" in error.message

    @pytest.mark.parametrize("status", [500, 502, 503, 504])
    def test_5xx_may_work_later(self, project, status):
        page = Reply(b"<html>Unicorn!</html>", status, {"Content-Type": "text/html"})
        assert type(failure(project, page)) is Unavailable
        assert isinstance(failure(project, page, write=True), OutcomeUnknown)

    def test_what_github_says_is_quoted_on_one_short_line(self, project):
        error = failure(project, refusal(403, f"x\n\u202e\u200b{'y' * 5000}"))
        assert "\n" not in error.message
        assert "\u202e" not in error.message
        assert len(error.message) < 500


class TestAnswers:
    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"<html></html>", b'{"message": "x"}', b"[[[]]]", b"[" * 100_000, b"\xff"],
    )
    def test_an_answer_of_another_form_cannot_be_read(self, project, body):
        html = {"Content-Type": "text/html; charset=utf-8"}
        error = failure(project, Reply(body, headers=html))
        assert type(error).__mro__[1] is Unavailable
        assert "cannot be read (it came as text/html)" in error.message
        assert "PORTOLAN_GITHUB_API_URL" in error.remedy
        assert isinstance(failure(project, Reply(body, 201, html), write=True), OutcomeUnknown)

    def test_an_answer_that_ends_too_early_is_told(self, project):
        cut = Reply(b'[{"number": 1', headers={"Content-Length": "5000"})
        assert "broke off" in failure(project, cut).message
        assert isinstance(failure(project, cut, write=True), OutcomeUnknown)

    def test_an_answer_over_the_bound_is_refused(self, project, monkeypatch):
        monkeypatch.setattr(client, "LIMITS", limits(max_github_bytes=10_000))
        large = reply([{"title": "x" * 20_000}])
        assert isinstance(failure(project, large), TooLarge)
        packed = gzip.compress(b"[" + b" " * 1_000_000 + b"]")
        bomb = Reply(packed, headers={"Content-Encoding": "gzip"})
        assert isinstance(failure(project, bomb), TooLarge)

    def test_an_answer_that_is_packed_in_a_damaged_way_cannot_be_read(self, project):
        packed = gzip.compress(b"[]" * 100)[:-12]
        damaged = Reply(packed, headers={"Content-Encoding": "gzip"})
        assert isinstance(failure(project, damaged), Unavailable)
        damaged = Reply(packed, 201, {"Content-Encoding": "gzip"})
        assert isinstance(failure(project, damaged, write=True), OutcomeUnknown)

    def test_a_refusal_over_the_bound_is_told_by_its_status(self, project):
        large = Reply(json.dumps({"message": "x" * 200_000}).encode(), 404)
        assert isinstance(failure(project, large), NotFound)

    def test_a_packed_answer_is_read(self, project):
        project.add("Packed")
        body = gzip.compress(json.dumps([project.issues[1]]).encode())
        project.route(PATH, Reply(body, headers={"Content-Encoding": "gzip"}))
        assert [one.title for one in issues_listed(**WHO, limit=5).issues] == ["Packed"]

    @pytest.mark.parametrize("write", [False, True])
    def test_a_slow_answer_ends_at_the_deadline(self, project, monkeypatch, write):
        monkeypatch.setattr(client, "LIMITS", limits(github_timeout_seconds=0.3))

        def dribbles():
            while True:
                yield b" "

        error = failure(project, Reply(dribbles(), 201 if write else 200), write=write)
        assert isinstance(error, OutcomeUnknown if write else DeadlineExceeded)
        assert "0.3 s" in error.message

    def test_no_connection_is_told_and_nothing_was_sent(self, project, settings):
        with serving() as gone:
            settings.GITHUB_API_URL = gone.url("/api/v3")
        project.server.routes.clear()
        error = failure(project, reply([]), write=True)
        assert type(error) is Unavailable
        assert "cannot be reached" in error.message
        assert "Nothing was sent" in error.hint

    def test_a_certificate_that_nobody_signed_is_refused(self, settings, project, tls):
        with serving(tls=tls) as untrusted:
            settings.GITHUB_API_URL = untrusted.url("/api/v3")
            error = failure(project, reply([]))
            assert "certificate" in error.message
            assert untrusted.asked == []


class TestConnections:
    def test_reads_share_a_connection_and_writes_have_their_own(self, project):
        project.add("Here")
        for _ in range(4):
            issues_listed(**WHO, limit=5)
        assert project.server.connections == 1
        issue_comment(**WHO, number=1, body="x")
        issues_listed(**WHO, limit=5)
        assert project.server.connections == 2

    def test_a_read_is_tried_again_where_a_kept_connection_is_closed(self, project):
        answers = [b"", b"[]"]

        def breaks_off(_asked):
            body = answers.pop(0)
            return Reply(body, headers={} if body else {"Content-Length": "20"})

        project.route(PATH, breaks_off)
        assert issues_listed(**WHO, limit=5).issues == ()

    def test_a_write_is_sent_once(self, project):
        project.route(PATH, Reply(b"", 201, {"Content-Length": "20"}))
        with pytest.raises(OutcomeUnknown):
            issue_create(**WHO, title="x")
        assert len(project.asked) == 1

    def test_each_call_sends_its_own_token_over_the_shared_connection(self, project):
        other = "github_pat_OTHER0123456789"
        with pytest.raises(NotAllowed):
            issues_listed(**{**WHO, "token": SecretStr(other)}, limit=5)
        issues_listed(**WHO, limit=5)
        sent = [asked.headers["Authorization"] for asked in project.asked]
        assert sent == [f"Bearer {other}", f"Bearer {TOKEN}"]
        assert project.server.connections == 1

    def test_closing_leaves_nothing_open(self, project):
        issues_listed(**WHO, limit=5)
        connections.close()
        issues_listed(**WHO, limit=5)
        assert project.server.connections == 2


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 307, 308])
    @pytest.mark.parametrize("write", [False, True])
    def test_the_token_is_sent_to_no_other_host(self, project, status, write):
        with serving() as other:
            for location in (
                other.url("/api/v3/repos/ada/engine/issues"),
                f"http://localhost:{project.server.port}/api/v3/repos/x",
                f"https://127.0.0.1:{project.server.port}/api/v3/repos/x",
                f"//{other.url().removeprefix('http://')}",
                "http://[broken",
                "",
            ):
                away = Reply(status=status, headers={"Location": location})
                error = failure(project, away, write=write)
                assert "another host" in error.message
            assert other.connections == 0

    def test_a_write_follows_a_renamed_repository(self, project):
        project.route(
            PATH.replace("ada", "old"),
            Reply(status=307, headers={"Location": f"/api/v3{PATH}"}),
        )
        from web.library.models import Repository

        Repository.objects.update(url=project.url.replace("ada/", "old/"))
        assert issue_create(**WHO, title="Here").number == 1
        assert [asked.method for asked in project.asked] == ["POST", "POST"]

    @pytest.mark.parametrize("place", ["/caf\xe9/\x85", "/a b", "/a\\b", "//"])
    def test_an_odd_place_on_the_same_host_is_asked_for_and_nothing_else(self, project, place):
        error = failure(project, Reply(status=301, headers={"Location": f"/api/v3{place}"}))
        assert isinstance(error, NotFound)
        assert len(project.asked) == 2
        assert project.asked[1].path.isascii()

    def test_a_circle_ends(self, project):
        error = failure(project, Reply(status=301, headers={"Location": f"/api/v3{PATH}"}))
        assert "redirects more than" in error.message
        assert len(project.asked) == LIMITS.max_redirects + 1


@pytest.fixture
def tls(tmp_path):
    """The side of a server whose certificate nobody trusts."""
    import subprocess

    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1", "-days", "1"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
