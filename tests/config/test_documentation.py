"""The generated pages name every setting and are checked to be current."""

import pytest
from django.core.management import CommandError, call_command

from web.config.documentation import settings_page
from web.config.environment import Environment
from web.core.limits import Limits


def test_the_page_of_settings_names_every_setting_and_limit_with_its_help():
    page = settings_page()
    for model in (Environment, Limits):
        for name, field in model.model_fields.items():
            row = next(
                line
                for line in page.splitlines()
                if line.startswith(f"| `PORTOLAN_{name.upper()}`")
            )
            assert field.description in row
            assert row.count(" | ") == 3, row


def test_an_outdated_page_is_found_and_mended(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "docs").mkdir()
    with pytest.raises(CommandError, match=r"docs/settings\.md"):
        call_command("generate_docs", check=True)
    assert not (tmp_path / "docs" / "settings.md").exists()
    call_command("generate_docs", verbosity=0)
    call_command("generate_docs", check=True)
    page = tmp_path / "docs" / "settings.md"
    page.write_text(page.read_text().replace("8080", "9090"))
    with pytest.raises(CommandError, match="make docs"):
        call_command("generate_docs", check=True)
