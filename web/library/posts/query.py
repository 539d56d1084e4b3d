"""How a search over posts is read: words, "quoted phrases", and `tag:`. All else is literal."""

import re
from dataclasses import dataclass

from web.core.errors import InvalidInput
from web.core.limits import LIMITS
from web.library.search.tokens import phrase_tokens, query_tokens, stems

_TAG = re.compile(r"(?<!\S)tag:(?:\"([^\"]+)\"|(\S+))", re.IGNORECASE)
_OTHER_FILTER = re.compile(r"(?<!\S)-?([a-z]+):(?=[^\s:/])", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"]+)"')


@dataclass(frozen=True, slots=True)
class PostQuery:
    """A query as it was read; without tokens it means all posts."""

    tokens: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    tags: tuple[str, ...]
    interpretation: str
    hints: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all words."""
        return stems([*self.tokens, *(token for phrase in self.phrases for token in phrase)])


def parsed_query(text: str) -> PostQuery:
    """Read a query; an empty one asks for the newest posts.

    Raises InvalidInput for one that is too long, holds NUL, or nothing but punctuation.
    """
    if "\0" in text:
        raise _wrong("query", "The query holds a NUL character.", "Send the query as plain text.")
    if len(text) > LIMITS.max_query_characters:
        raise _wrong(
            "query",
            f"The query is longer than {LIMITS.max_query_characters} characters.",
            "Keep the rarest words.",
        )
    tags = tuple((quoted or plain).lower() for quoted, plain in _TAG.findall(text))
    words = _TAG.sub(" ", text)
    phrases = tuple(
        tokens for phrase in _QUOTED.findall(words) if (tokens := phrase_tokens(phrase))
    )
    tokens = query_tokens(words.replace('"', " "))
    if words.strip() and not tokens:
        raise _wrong(
            "query",
            "The query has no letter or digit to look for.",
            "Leave query out for the newest posts.",
        )
    read = [f"tag: {tag}" for tag in tags]
    if phrases:
        read.append("the quoted words stand together exactly so")
    others = [key for key in _OTHER_FILTER.findall(words) if key.lower() not in {"http", "https"}]
    hints = [f"{key}: is not a filter here and was searched for as a word." for key in others[:1]]
    return PostQuery(tokens, phrases, tags, "; ".join(read), tuple(hints))


def _wrong(field: str, message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, hint=hint, fields={field: message})
