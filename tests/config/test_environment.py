"""Settings come from the environment; a wrong one stops the start with a line that names it."""

import os
import re
import socket
import subprocess
import sys

import pytest

from web.config.environment import Environment, load_environment
from web.core.limits import Limits


def start(*arguments, command="check", **variables):
    """Run a management command in a process of its own with only these PORTOLAN_ variables."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PORTOLAN_")
    }
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return subprocess.run(
        [sys.executable, "manage.py", command, *arguments],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_command_whose_output_nobody_reads_ends_without_a_word(unbuffered, tmp_path):
    unread, output = os.pipe()
    os.close(unread)
    usual = {"PORTOLAN_DEBUG": "1", "PORTOLAN_DATA_DIR": str(tmp_path)}
    with os.fdopen(output) as closed:
        ended = subprocess.run(
            [sys.executable, "manage.py", "help"],
            env=os.environ | usual | {"PYTHONUNBUFFERED": unbuffered},
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (141, "")


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "PORTOLAN_SECRET_KEY is not set"),
        ({"PORTOLAN_DEBUG": "perhaps"}, "PORTOLAN_DEBUG: "),
        ({"PORTOLAN_MAX_BODY_BYTES": "a lot"}, "PORTOLAN_MAX_BODY_BYTES: "),
        ({"PORTOLAN_DATA_DIR": "/dev/null/x"}, "PORTOLAN_DATA_DIR: the folder /dev/null/x"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_line_that_names_it(variables, told, tmp_path):
    usual = {"PORTOLAN_DATA_DIR": str(tmp_path)}
    if variables:
        usual["PORTOLAN_SECRET_KEY"] = "a-long-secret-for-this-test-alone"
    ended = start(**usual | variables)
    assert ended.returncode == 1
    assert told in ended.stderr
    assert ended.stderr.startswith("Portolan cannot start:\n")
    assert "Traceback" not in ended.stderr
    assert "pydantic" not in ended.stderr


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("WEB_PORT", "70000", "PORTOLAN_WEB_PORT: "),
        ("WEB_PORT", "8001", "PORTOLAN_SIDECAR_PORT"),
        ("PUBLIC_URL", "https://x/y", "PORTOLAN_PUBLIC_URL must be"),
        ("ALLOWED_ORIGINS", "https://x/y", "PORTOLAN_ALLOWED_ORIGINS must hold"),
        ("ALLOWED_ORIGINS", "inspector.example", "PORTOLAN_ALLOWED_ORIGINS must hold"),
        ("DATABASE_URL", "mysql://x", "PORTOLAN_DATABASE_URL must start with"),
        ("REDIS_URL", "http://x", "PORTOLAN_REDIS_URL must start with"),
    ],
)
def test_a_wrong_setting_is_told_with_its_name(name, value, told, monkeypatch):
    for one in [name for name in os.environ if name.startswith("PORTOLAN_")]:
        monkeypatch.delenv(one)
    monkeypatch.setenv("PORTOLAN_SECRET_KEY", "a-long-secret-for-this-test-alone")
    monkeypatch.setenv(f"PORTOLAN_{name}", value)
    with pytest.raises(SystemExit) as ended:
        load_environment()
    said = str(ended.value)
    assert told in said
    assert said.startswith("Portolan cannot start:\n")
    assert "pydantic" not in said


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://api.github.com",
        "https://github.example.org/api/v3/",
        "https://github.example.org:8443/api/v3",
        "http://127.0.0.1:9000",
        "http://localhost/api/v3",
    ],
)
def test_githubs_address_may_be_one_that_keeps_tokens_private(url, monkeypatch):
    monkeypatch.setenv("PORTOLAN_DEBUG", "1")
    monkeypatch.setenv("PORTOLAN_GITHUB_API_URL", url)
    assert Environment().github_api_url == (url or "https://api.github.com")


@pytest.mark.parametrize(
    "url",
    [
        "http://api.github.com",
        "api.github.com",
        "ftp://api.github.com",
        "https://token@api.github.com",
        "https://api.github.com?x=1",
        "https://api.github.com:x",
        "https://",
        "http://127.0.0.1.evil.example",
    ],
)
def test_githubs_address_may_not_be_one_that_shows_tokens(url, monkeypatch):
    monkeypatch.setenv("PORTOLAN_DEBUG", "1")
    monkeypatch.setenv("PORTOLAN_GITHUB_API_URL", url)
    with pytest.raises(ValueError, match="PORTOLAN_GITHUB_API_URL must be https"):
        Environment()


def test_every_wrong_setting_is_told_at_once(tmp_path):
    ended = start(PORTOLAN_DATA_DIR=str(tmp_path), PORTOLAN_WEB_PORT="0", PORTOLAN_DEBUG="perhaps")
    assert "PORTOLAN_WEB_PORT: " in ended.stderr
    assert "PORTOLAN_DEBUG: " in ended.stderr


def test_the_value_of_a_wrong_setting_is_not_repeated(tmp_path):
    planted = "planted-secret-value"
    ended = start(PORTOLAN_DATA_DIR=str(tmp_path), PORTOLAN_DATABASE_URL=f"x://u:{planted}@h/d")
    assert ended.returncode == 1
    assert planted not in ended.stderr + ended.stdout


def test_an_empty_variable_is_as_good_as_none(monkeypatch):
    for name in (*Environment.model_fields, *Limits.model_fields):
        monkeypatch.setenv(f"PORTOLAN_{name.upper()}", "")
    monkeypatch.setenv("PORTOLAN_DEBUG", "1")
    assert Environment().web_port == 8000
    assert Limits().max_batch_size == 20


@pytest.mark.parametrize("model", [Environment, Limits])
def test_every_setting_has_a_default_and_a_line_of_help(model):
    for name, field in model.model_fields.items():
        assert not field.is_required(), name
        assert field.description, name
        assert field.description.endswith("."), name


def test_no_limit_has_the_name_of_a_setting():
    assert not set(Environment.model_fields) & set(Limits.model_fields)


def test_asgi_processes_keep_no_connection_between_requests(settings):
    assert settings.DATABASES["default"]["CONN_MAX_AGE"] == 0


def test_the_cache_waits_for_redis_as_long_as_the_limit_says(tmp_path):
    """A Redis that takes connections and says nothing held up each call for ten seconds."""
    ask = (
        "from django.core.cache import cache\n"
        "print(cache._cache.get_client().connection_pool.connection_kwargs['socket_timeout'])\n"
        "cache.get('a key')"
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ended = start(
            *("--no-imports", "--command", ask),
            command="shell",
            PORTOLAN_DEBUG="1",
            PORTOLAN_DATA_DIR=str(tmp_path),
            PORTOLAN_REDIS_URL=f"redis://127.0.0.1:{silent.getsockname()[1]}/0",
            PORTOLAN_REDIS_ANSWER_SECONDS="0.01",
        )
    assert ended.stdout == "0.01\n"
    assert "TimeoutError" in ended.stderr


def test_an_argument_that_is_not_utf_8_is_named_as_paths_of_repositories_are(tmp_path):
    done = start(b"lat\xefn", PORTOLAN_DEBUG="1", PORTOLAN_DATA_DIR=str(tmp_path))
    assert "No installed app with label 'lat\\xefn'" in done.stderr


def test_a_database_without_its_tables_is_told_with_the_command_that_makes_them(tmp_path):
    done = start(command="list_repositories", PORTOLAN_DEBUG="1", PORTOLAN_DATA_DIR=str(tmp_path))
    assert done.returncode == 1
    assert re.fullmatch(
        r"The database lacks \d+ migrations\. Run: manage\.py migrate\n", done.stderr
    )


@pytest.mark.parametrize("command", ["list_repositories", "migrate"])
def test_a_database_that_is_away_is_told_with_its_setting_and_without_its_password(
    command, tmp_path
):
    done = start(
        command=command,
        PORTOLAN_DEBUG="1",
        PORTOLAN_DATA_DIR=str(tmp_path),
        PORTOLAN_DATABASE_URL="postgresql://someone:planted-password@127.0.0.1:1/portolan",
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The database cannot be used. Start it, or correct PORTOLAN_DA")
    assert "Traceback" not in done.stderr
    assert "planted-password" not in done.stderr
