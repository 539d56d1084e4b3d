"""What a person sees who goes astray: the layout, what happened, and where to go on."""

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.views.defaults import server_error


@pytest.fixture
def member(db):
    return get_user_model().objects.create_user("mary", password="a-word-for-mary")


@pytest.mark.parametrize("path", ["/nothing/", "/blog/no-such-post/"])
def test_an_address_without_a_page_leads_to_the_home_page(client, db, path):
    response = client.get(path)
    assert response.status_code == 404
    page = response.content.decode()
    assert "There is no page at this address" in page
    assert '<a href="/">The home page</a>' in page


def test_a_page_for_others_names_the_account_that_may_not_open_it(client, member):
    client.force_login(member)
    response = client.get("/operations/usage/")
    assert response.status_code == 403
    page = response.content.decode()
    assert "<strong>mary</strong>" in page
    assert '<a href="/accounts/">' in page


def test_a_form_without_its_token_says_to_load_the_page_anew(db):
    client = Client(enforce_csrf_checks=True)
    response = client.post("/accounts/sign-in/", {"username": "mary", "password": "a-word"})
    assert response.status_code == 403
    assert "load the\npage anew" in response.content.decode()


@pytest.mark.parametrize("path", ["/", "/blog/", "/accounts/", "/admin/"])
@pytest.mark.django_db(transaction=True)
def test_while_the_database_is_away_pages_say_so_and_when_to_come_again(
    monkeypatch, tmp_path, caplog, path
):
    browser = Client(raise_request_exception=False)
    browser.force_login(get_user_model().objects.create_user("ada", is_staff=True))
    if connection.vendor != "sqlite":
        pytest.skip("a file that is moved")
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "none" / "a.sqlite3"))
    response = browser.get(path)
    connection.close()
    assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert "The database does not answer now" in response.content.decode()
    assert str(tmp_path) not in response.content.decode()
    assert len([one for one in caplog.records if one.exc_info]) == 1


def test_a_failure_of_the_server_has_a_page_that_asks_no_database(rf):
    response = server_error(rf.get("/"))
    assert response.status_code == 500
    assert "The fault is the server's" in response.content.decode()
