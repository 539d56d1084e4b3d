"""The pages for staff, and recorded calls in the admin."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests.web.operations.calls import NOON, call
from web.operations.charts import HEIGHT, bars
from web.operations.models import ToolCall
from web.operations.records import DayUsage
from web.operations.services.recording import tool_calls_record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("at_noon")]
PAGES = ("/operations/usage/", "/operations/health/")


def browser(**more):
    client = Client()
    client.force_login(
        get_user_model().objects.create_user("stan", **more),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    return client


@pytest.fixture
def staff():
    return browser(is_staff=True)


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_for_staff(page):
    answer = Client().get(page)
    assert (answer.status_code, answer.url) == (302, f"/accounts/sign-in/?next={page}")
    assert browser().get(page).status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_nothing_inline_and_nothing_from_elsewhere(staff, page):
    tool_calls_record(calls=[call()])
    answer = staff.get(page)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", text)
    assert not re.search(r'(?:src|href)="(?!/|#|\?)', text)


def test_usage_shows_days_tools_and_queries(staff):
    tool_calls_record(
        calls=[
            call(query="<b>csrf</b>", seconds=0.0124),
            call(query="sextant", result_count=0, outcome="ok"),
            call(tool="read_file", query="", outcome="not_found"),
        ]
    )
    text = staff.get("/operations/usage/").content.decode()
    assert "3 calls of tools, 1 failed" in text
    assert "2026-11-30: 3 calls, 1 failed" in text
    assert "&lt;b&gt;csrf&lt;/b&gt;" in text
    nothing, top = text.split("Queries that found nothing")[1].split("Top queries")
    assert "sextant" in nothing
    assert "csrf" not in nothing
    assert "csrf" in top
    assert text.count("<rect") == 14


def test_an_empty_installation_says_so(staff):
    assert "Nothing was called in this time." in staff.get("/operations/usage/").content.decode()


@pytest.mark.parametrize(("asked", "bars_shown"), [("30", 60), ("1", 2), ("x", 14), ("-1", 14)])
def test_a_period_is_one_of_a_few(staff, asked, bars_shown):
    tool_calls_record(calls=[call()])
    text = staff.get("/operations/usage/", {"days": asked}).content.decode()
    assert text.count("<rect") == bars_shown


def test_health_shows_every_check(staff, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    text = staff.get("/operations/health/").content.decode()
    for name in ("database", "worker", "disk", "sources", "errors"):
        assert f'<th scope="row">{name}</th>' in text


def test_bars_are_as_high_as_their_share_and_failures_stand_at_the_foot():
    days = [DayUsage(NOON.date() - timedelta(days=n), calls, 5) for n, calls in ((1, 10), (0, 20))]
    chart = bars(days)
    assert [bar.height for bar in chart.bars] == [HEIGHT / 2, HEIGHT]
    assert {bar.error_y + bar.error_height for bar in chart.bars} == {HEIGHT}
    assert bars([]).bars == ()
    assert bars([DayUsage(NOON.date(), 0, 0)]).bars[0].height == 0


def test_staff_look_through_calls_in_the_admin_and_change_none(staff):
    tool_calls_record(calls=[call(request_id="r-1"), call(request_id="r-2", tool="read_file")])
    listed = "/admin/operations/toolcall/"
    assert "r-2" in staff.get(listed).content.decode()
    found = staff.get(listed, {"q": "r-1"}).content.decode()
    assert "r-1" in found
    assert "r-2" not in found
    pk = ToolCall.objects.first().pk
    assert staff.get(f"{listed}{pk}/change/").status_code == 200
    assert staff.post(f"{listed}{pk}/change/", {"tool": "x"}).status_code == 403
    assert staff.post(f"{listed}{pk}/delete/").status_code == 403
    assert staff.get(f"{listed}add/").status_code == 403


@pytest.mark.parametrize("query", ["?tool=%00", "?outcome=a%00b", "?q=%00", "?%00=1"])
def test_nul_in_a_query_of_the_admin_is_refused(staff, query):
    assert staff.get(f"/admin/operations/toolcall/{query}").status_code == 400
    assert staff.get("/admin/operations/toolcall/?tool=x").status_code == 200
