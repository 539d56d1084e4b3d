"""The official conformance suite, on our gate and on the product itself."""

import pytest

from tests.conformance import npm

pytestmark = pytest.mark.services
# What needs no fixture, so that the product's own endpoints answer it.
ON_THE_PRODUCT = {
    "2025-11-25": ("server-initialize", "ping", "tools-list", "dns-rebinding-protection"),
    "2026-07-28": ("tools-list", "dns-rebinding-protection", "http-header-validation"),
}


@pytest.mark.parametrize("revision", ON_THE_PRODUCT)
def test_nothing_fails_outside_the_baseline(revision, fixture_url, tmp_path):
    baseline = npm.FOLDER / f"expected-failures-{revision}.yml"
    done = npm.run(
        npm.SUITE, "server", "--url", fixture_url, "--requirements", revision,
        "--expected-failures", baseline, "-o", tmp_path,
        timeout_seconds=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "Baseline check passed" in done.stdout


@pytest.mark.parametrize("revision", ON_THE_PRODUCT)
def test_every_expected_failure_has_a_reason(revision):
    lines = (npm.FOLDER / f"expected-failures-{revision}.yml").read_text().splitlines()
    entries = [line for line in lines if line.strip().startswith("- ")]
    assert entries
    assert [line for line in entries if not line.partition(" # ")[2].strip()] == []


@pytest.mark.parametrize("endpoint", ["/mcp", "/mcp/lesson/"])
@pytest.mark.parametrize(
    ("revision", "scenario"),
    [(revision, name) for revision, names in ON_THE_PRODUCT.items() for name in names],
)
def test_the_product_passes_what_needs_no_fixture(revision, scenario, endpoint, product, tmp_path):
    done = npm.run(
        npm.SUITE, "server", "--url", f"{product.sidecar_url}{endpoint}",
        "--scenario", scenario, "--spec-version", revision, "-o", tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
