"""Snapshots: files that say what a tool shows, so that every change of it is seen in a review."""

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "snapshots"


def assert_matches_snapshot(name: str, shown: Any) -> None:
    """Compare with snapshots/<name>.json, or .md for a text; UPDATE_SNAPSHOTS=1 writes it."""
    if isinstance(shown, str):
        path, text = FOLDER / f"{name}.md", shown + "\n"
    else:
        path = FOLDER / f"{name}.json"
        text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no snapshot of {name}: run with UPDATE_SNAPSHOTS=1 and review it"
    assert text == path.read_text(encoding="utf-8"), (
        f"{name} shows something else: run with UPDATE_SNAPSHOTS=1 and review the difference"
    )
