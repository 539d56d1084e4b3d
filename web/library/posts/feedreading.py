"""What feedparser finds in a feed, as plain data; also a program for feeds that may be hostile.

feedparser's patterns take time with the square of what is made to hurt them, and nothing can stop
them but the end of their process. As that process has to begin quickly, nothing of Portolan is
imported here. The program takes the content type, the number of entries and its seconds of CPU time
as arguments, the feed on standard input, and answers with JSON.
"""

import io
import json
import resource
import sys
from typing import Any

import feedparser

type RawFeed = dict[str, Any]

_DATES = ("published_parsed", "created_parsed", "updated_parsed")


def read_feed(body: bytes, *, content_type: str, max_entries: int) -> RawFeed:
    """Return `version` (empty for what is no feed), `title`, `count` and the first `entries`.

    An entry has `title`, `link`, `id` and `author` (empty where the feed has none), `guidislink`,
    `tags`, `texts` with `value` and `type`, and dates as tuples of UTC, None where there is none.
    """
    # Without a content-location guids stay as they are.
    found = feedparser.parse(io.BytesIO(body), response_headers={"content-type": content_type})
    return {
        "version": found.get("version") or "",
        "title": found.feed.get("title", ""),
        "count": len(found.entries),
        "entries": [_entry(raw) for raw in found.entries[:max_entries]],
    }


def _entry(raw: Any) -> dict[str, Any]:
    texts = [*raw.get("content", ()), raw.get("summary_detail") or {}]
    return {
        **{name: str(raw.get(name, "")) for name in ("title", "link", "id", "author")},
        "guidislink": bool(raw.get("guidislink")),
        "tags": [tag.get("term") or tag.get("label") or "" for tag in raw.get("tags", ())],
        "texts": [
            {"value": str(text["value"]), "type": text.get("type")}
            for text in texts
            if text.get("value")
        ],
        # `in` first: feedparser answers for a missing `updated` with another date and a warning.
        **{name: raw[name] if name in raw else None for name in _DATES},  # noqa: SIM401
    }


def _main(content_type: str, max_entries: str, seconds: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    body = sys.stdin.buffer.read()
    json.dump(read_feed(body, content_type=content_type, max_entries=int(max_entries)), sys.stdout)


if __name__ == "__main__":
    _main(*sys.argv[1:])
