"""compose.yaml and the Dockerfiles fit the program: settings, ports, placeholders, commands."""

import re
from pathlib import Path

import pytest
import yaml

from deploy.proxy import TEMPLATES, filled
from web.config.environment import Environment
from web.core.limits import Limits

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((PROJECT / "compose.yaml").read_text())


def test_every_setting_of_a_container_exists(compose):
    known = {f"PORTOLAN_{name.upper()}" for name in Environment.model_fields | Limits.model_fields}
    for name in ("web", "sidecar", "worker", "migrate"):
        settings = compose["services"][name]["environment"]
        assert set(settings) <= known, name
    text = (PROJECT / "deploy/docker/application.Dockerfile").read_text()
    assert set(re.findall(r"(PORTOLAN_[A-Z_]+)=", text)) <= known


def test_the_services_are_those_of_the_architecture(compose):
    assert set(compose["services"]) == {
        "postgres",
        "redis",
        "migrate",
        "web",
        "sidecar",
        "worker",
        "nginx",
    }
    for service in compose["services"].values():
        if "build" in service:
            assert (PROJECT / service["build"]["dockerfile"]).exists()


def test_nginx_is_given_a_value_for_every_placeholder(compose):
    values = compose["services"]["nginx"]["environment"]
    for template in TEMPLATES.glob("*.template"):
        assert not re.search(r"\$\{[A-Z_]+\}", filled(template.read_text(), values))


def test_the_limit_of_bodies_and_the_ports_are_the_defaults_of_the_program(compose):
    values = compose["services"]["nginx"]["environment"]
    for name in ("max_body_bytes", "max_webhook_bytes"):
        default = Limits.model_fields[name].default
        assert int(values[f"PORTOLAN_NGINX_{name.upper()}"]) == default
    web, sidecar = (Environment.model_fields[f"{name}_port"].default for name in ("web", "sidecar"))
    assert values["PORTOLAN_NGINX_WEB"] == f"web:{web}"
    assert values["PORTOLAN_NGINX_SIDECAR"] == f"sidecar:{sidecar}"


def test_containers_are_given_longer_to_stop_than_the_servers_take(compose):
    from mcp_sidecar.__main__ import GRACE_SECONDS as SIDECAR
    from web.__main__ import GRACE_SECONDS as WEB

    for name in ("web", "sidecar", "worker"):
        assert int(compose["services"][name]["stop_grace_period"].rstrip("s")) > max(SIDECAR, WEB)


def test_what_an_image_copies_is_sent_to_its_build():
    sent = {
        line[1:] for line in (PROJECT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    for dockerfile in (PROJECT / "deploy/docker").glob("*.Dockerfile"):
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile.read_text(), re.MULTILINE):
            for source in line.split()[:-1]:
                assert (PROJECT / source).exists(), source
                assert any(source.rstrip("/").startswith(name) for name in sent), source
