"""What comes twice at once: one wins, nobody gets an error of the server, nothing is doubled."""

import base64
import hashlib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.web.accounts.installation import Installation
from tests.web.accounts.person import Person

AT_ONCE = 6
PASSWORD = "correct horse battery"
CALLBACK = "http://127.0.0.1:33418/"
VERIFIER = "v" * 64


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    with Installation(tmp_path_factory.mktemp("races")).running() as running:
        yield running


def at_once(function, arguments):
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(function, arguments))


def sign_up(person, link, name):
    form = {"password": PASSWORD, "password_again": PASSWORD, "time_zone": "UTC"}
    page = person.open(link)
    return person.press(page, {}, username=name, **form)


def test_one_invitation_makes_one_account_however_many_use_it_at_once(installation):
    link = installation.manage("invite", "race@example.org").strip()
    people = [Person(installation.url) for _ in range(AT_ONCE)]
    pages = [person.open(link) for person in people]
    form = {"password": PASSWORD, "password_again": PASSWORD, "time_zone": "UTC"}

    def press(number):
        return people[number].press(pages[number], {}, username=f"racer{number}", **form)

    answers = at_once(press, range(AT_ONCE))
    for person in people:
        person.http.close()
    assert sorted(answer.status_code for answer in answers) == [200] + [404] * (AT_ONCE - 1)
    count = "from django.contrib.auth.models import User; print(User.objects.count())"
    assert installation.manage("shell", "--verbosity", "0", "-c", count).strip() == "1"


def test_one_code_and_one_refresh_token_give_tokens_once_however_many_ask_at_once(installation):
    person = Person(installation.url)
    sign_up(person, installation.invitation(), "rotor")
    registered = httpx.post(
        f"{installation.url}/o/register/",
        json={"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"},
        trust_env=False,
        timeout=60,
    ).json()
    challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest())
    query = httpx.QueryParams(
        response_type="code",
        client_id=registered["client_id"],
        redirect_uri=CALLBACK,
        code_challenge=challenge.decode().rstrip("="),
        code_challenge_method="S256",
        resource=f"{installation.url}/mcp/lesson/",
    )
    page = person.open(f"/o/authorize/?{query}")
    answer = person.press(page, {"allow": "true"})
    person.http.close()
    code = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]

    def ask(form):
        return httpx.post(f"{installation.url}/o/token/", data=form, trust_env=False, timeout=60)

    exchange = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": registered["client_id"],
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }
    answers = at_once(ask, [exchange] * AT_ONCE)
    assert sorted(a.status_code for a in answers) == [200] + [400] * (AT_ONCE - 1)
    (won,) = (a.json() for a in answers if a.status_code == 200)
    renewal = {
        "grant_type": "refresh_token",
        "refresh_token": won["refresh_token"],
        "client_id": registered["client_id"],
    }
    renewed = at_once(ask, [renewal] * AT_ONCE)
    refused = [a for a in renewed if a.status_code != 200]
    assert len(refused) >= AT_ONCE - 1, "a token that is used twice ends the connection"
    assert {(a.status_code, a.json()["error"]) for a in refused} == {(400, "invalid_grant")}
