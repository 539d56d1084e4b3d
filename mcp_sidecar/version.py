"""The product's version, as clients and caches are told."""

import tomllib
from pathlib import Path
from typing import Final


def _version() -> str:
    """Return the version that pyproject.toml states: the product runs from its checkout."""
    file = Path(__file__).resolve().parents[1] / "pyproject.toml"
    return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"])


VERSION: Final = _version()
