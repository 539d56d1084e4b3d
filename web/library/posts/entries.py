"""RSS and Atom, read: a feed's bytes become entries. Nothing is stored here."""

import calendar
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from web.core.errors import InvalidInput
from web.core.fetching import Fetched
from web.core.html import html_markdown, html_text, linked_feeds
from web.core.limits import LIMITS
from web.core.text import visible_line
from web.library.posts import feedreading
from web.library.posts.feedreading import RawFeed, read_feed

# Raised when the same entry would give another post, so that old ones are written anew.
_CONVERSION = 1
_LONGEST_GUID = 500
_LONGEST_TITLE = 1000  # it stands with each section in the full text
_SHOWN_FEEDS = 3
_TITLE_WORDS = 12
_UNTITLED = "Untitled"
_PLAIN_TYPES = {"text/plain", "text/markdown", "text/x-markdown"}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed. `guid` is never empty; `markup` is HTML unless `is_plain`.

    `link_key` is the same for all spellings of one address, empty without a link. `published_at`
    and `updated_at` are None where the feed gives none.
    """

    guid: str
    link: str
    link_key: str
    title: str
    base_url: str
    markup: str
    is_plain: bool
    author: str
    published_at: datetime | None
    updated_at: datetime | None
    tags: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The digest of all that becomes part of the post."""
        parts = [
            *(_CONVERSION, self.guid, self.link, self.title, self.markup, self.is_plain),
            *(self.author, str(self.published_at), list(self.tags)),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def markdown(self) -> str:
        """Return the text as Markdown. Raises InvalidInput when it cannot be read."""
        if self.is_plain:
            return self.markup.replace("\0", "").replace("\r\n", "\n").strip() + "\n"
        return html_markdown(self.markup, base_url=self.base_url)


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """A feed: its title, its entries in its order, and what was left out, by reason."""

    title: str
    entries: tuple[Entry, ...]
    skipped: Counter[str] = field(default_factory=Counter)


def parsed_feed(fetched: Fetched) -> ParsedFeed:
    """Read what was fetched as a feed of any usual version.

    Entries beyond LIMITS.max_feed_entries, empty and repeated ones are left out and counted. Raises
    InvalidInput for what is no feed. Entities are not expanded beyond the parser's bounds, and
    nothing outside of the document is loaded.
    """
    found = _read(fetched)
    if not found["version"]:
        raise _no_feed(fetched)
    skipped: Counter[str] = Counter()
    entries: dict[str, Entry] = {}
    for raw in found["entries"]:
        entry = _entry(raw, fetched.url)
        if not entry.markup and entry.title in {entry.link, _UNTITLED}:
            skipped["without title and text"] += 1
        elif entry.guid in entries:
            skipped["repeated in the feed"] += 1
        else:
            entries[entry.guid] = entry
    beyond = found["count"] - LIMITS.max_feed_entries
    if beyond > 0:
        skipped[f"beyond the first {LIMITS.max_feed_entries}"] = beyond
    return ParsedFeed(_title(found["title"]), tuple(entries.values()), skipped)


def _read(fetched: Fetched) -> RawFeed:
    """Return what feedparser finds; in a process of its own where it could take for ever."""
    charset = f"; charset={fetched.charset}" if fetched.charset else ""
    content_type, most = f"{fetched.content_type}{charset}", LIMITS.max_feed_entries
    if len(fetched.body) <= LIMITS.max_unconfined_feed_bytes:
        return read_feed(fetched.body, content_type=content_type, max_entries=most)
    command = [sys.executable, "-I", feedreading.__file__, content_type, str(most)]
    command.append(str(LIMITS.max_feed_seconds))
    run = subprocess.run(command, input=fetched.body, stdout=subprocess.PIPE, check=False)
    if run.returncode < 0:  # ended by a signal
        raise InvalidInput(
            f"The feed could not be read within {LIMITS.max_feed_seconds} seconds.",
            hint="Raise PORTOLAN_MAX_FEED_SECONDS if the feed is meant to be like this.",
        )
    run.check_returncode()
    found: RawFeed = json.loads(run.stdout)
    return found


def _no_feed(fetched: Fetched) -> InvalidInput:
    """Return the error of an answer that is no feed; a page may name the feeds of its site."""
    feeds = linked_feeds(fetched.body, base_url=fetched.url)[:_SHOWN_FEEDS]
    where = f"The page names as its feed: {' '.join(feeds)}" if feeds else (
        "Look for a link to the feed on the site's pages."
    )  # fmt: skip
    return InvalidInput(
        "The address answers, but not with an RSS or Atom feed.",
        hint=where,
        fields={"url": "is not a feed"},
    )


def link_key(url: str) -> str:
    """Return what is the same for all spellings of an address; empty for none of the web.

    Left out are scheme, fragment, a last slash, and the parameters of campaigns (`utm_…`).
    """
    try:
        parts = urlsplit(url.strip())
        port = f":{parts.port}" if parts.port not in {None, 80, 443} else ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        return ""
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True)
            if not pair[0].startswith("utm_")]  # fmt: skip
    query = f"?{urlencode(kept)}" if kept else ""
    host = parts.hostname.removeprefix("www.")
    return f"{host}{port}{parts.path.rstrip('/')}{query}"


def _entry(raw: RawFeed, feed_url: str) -> Entry:
    markup, is_plain = _markup(raw)
    link = _link(raw, feed_url)
    key = link_key(link)
    title = _title(raw["title"]) or _first_words(markup) or link or _UNTITLED
    published_at = _instant(raw, "published_parsed", "created_parsed")
    return Entry(
        guid=_guid(raw, key, title, published_at),
        link=link,
        link_key=key,
        title=title,
        base_url=link or feed_url,
        markup=markup,
        is_plain=is_plain,
        author=_plain(raw["author"])[:200],
        published_at=published_at,
        updated_at=_instant(raw, "updated_parsed"),
        tags=tuple(map(_plain, raw["tags"])),
    )


def _link(raw: RawFeed, feed_url: str) -> str:
    """Return the address of an entry's page; empty when it has none of the web."""
    link = raw["link"].strip()
    if len(link) > LIMITS.max_url_characters:
        return ""
    if raw["guidislink"] and link == raw["id"] and not link.startswith("http"):
        return ""  # an id that only passes for an address
    try:
        link = urljoin(feed_url, link) if link else ""
    except ValueError:
        return ""
    return link if link_key(link) and len(link) <= LIMITS.max_url_characters else ""


def _guid(raw: RawFeed, key: str, title: str, published_at: datetime | None) -> str:
    """Return by what an entry is known again: its id, else its link, else its title and date."""
    guid = str(raw["id"]).strip().replace("\0", "")
    guid = guid or (f"link:{key}" if key else f"entry:{title} {published_at}")
    if len(guid) > _LONGEST_GUID:
        guid = f"sha256:{hashlib.sha256(guid.encode()).hexdigest()}"
    return guid


def _markup(raw: RawFeed) -> tuple[str, bool]:
    """Return the fullest text that an entry has, and whether it is plain text."""
    if not raw["texts"]:
        return "", True
    fullest = max(raw["texts"], key=lambda text: len(text["value"]))
    return fullest["value"], fullest["type"] in _PLAIN_TYPES


def _instant(raw: RawFeed, *names: str) -> datetime | None:
    """Return the first of the dates that the entry has; feedparser gives them in UTC."""
    for name in names:
        if raw[name]:
            try:
                return datetime.fromtimestamp(calendar.timegm(raw[name]), tz=UTC)
            except (OverflowError, ValueError, OSError):
                continue
    return None


def _title(markup: str) -> str:
    """Return a title as one line, at most _LONGEST_TITLE characters."""
    title = _plain(markup)
    return title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1]}…"


def _plain(text: str) -> str:
    """Return a title or a name as one line of text."""
    if re.search(r"<[A-Za-z/!]|&[#\w]+;", text):
        text = html_text(text)
    return visible_line(text)


def _first_words(markup: str) -> str:
    words = _plain(markup).split()
    return " ".join(words[:_TITLE_WORDS]) + ("…" if len(words) > _TITLE_WORDS else "")
