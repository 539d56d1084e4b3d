"""The page of settings and limits, made from the classes that read them."""

from pathlib import Path
from typing import Any, get_args

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from web.config.environment import Environment
from web.core.limits import Limits

_TYPES: dict[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "`0` or `1`",
    Path: "path",
}
_HEAD = """\
# Settings

<!-- Made by `manage.py generate_docs` from web/config/environment.py and web/core/limits.py. -->

Every setting is an environment variable with the prefix `PORTOLAN_`. A wrong one stops the start
with a line that names it. `make run` fills in what a demo needs.
"""


def settings_page() -> str:
    """Return docs/settings.md: every setting and limit with type, default and help."""
    return "\n".join(
        (
            _HEAD,
            "## The installation\n",
            _table(Environment),
            "## Limits\n",
            "Nothing is cut by a number that does not stand here.\n",
            _table(Limits),
        )
    )


def _table(model: type[BaseSettings]) -> str:
    rows = ["| variable | type | default | what it is |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        help_text = (field.description or "").replace("|", "\\|")
        cells = (f"`PORTOLAN_{name.upper()}`", _type_of(field), _default_of(field), help_text)
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def _type_of(field: FieldInfo) -> str:
    kind = field.annotation
    return _TYPES.get(kind) or " or ".join(f"`{word}`" for word in get_args(kind))


def _default_of(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, bool):
        return f"`{int(value)}`"
    return f"`{value}`" if str(value) else "none"
