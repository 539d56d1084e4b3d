"""What of a query may stand in a text as it is: quoted phrases, parts of messages, compounds."""

import re
from itertools import pairwise

from web.library.search.tokens import UNINDEXED, phrase_tokens

# Words from which on a query, or a part of it, is looked for as a phrase.
PHRASE_WORDS = 3
# Words around a quoted one that make a sentence, in which messages quote what they name.
SENTENCE_WORDS = 4
MAX_FRAGMENTS = 2
# Longer ones are prose, not a message; to look them up as phrases costs most and finds nothing.
LONGEST_FRAGMENT = 10
MAX_COMPOUNDS = 4

_QUOTED = re.compile(r'"([^"]+)"')
# What a message has filled in, or where one part of it ends.
_FILLED_IN = re.compile(
    r"""["“][^"”]*["”]|(?<!\w)'[^']*'(?!\w)|`[^`]*`|\[[^\]]*\]|<[^>]*>|\{[^}]*\}|\([^)]*\)"""
    r"""|%[-\w.]*[sdr]\b|\S*\d\S*|[:;,.!?](?=\s|$)|\s-+\s"""
)
# Of these what stands in brackets or quotes.
_ENCLOSED = re.compile(
    r"""["“][^"”]*["”]|(?<!\w)'[^']*'(?!\w)|`[^`]*`|\[[^\]]*\]|<[^>]*>|\{[^}]*\}"""
)
_HYPHENATED = re.compile(r"(?<![\w-])-{0,2}([A-Za-z]\w*(?:-\w+)+)(?![\w-])")


def quoted_phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of what is quoted; a single word is not that stands in a sentence."""
    around = len(phrase_tokens(_QUOTED.sub(" ", text)))
    found = [
        phrase_tokens(quoted)
        for quoted in _QUOTED.findall(text)
        if around < SENTENCE_WORDS or len(quoted.split()) > 1
    ]
    return tuple(phrase for phrase in found if phrase)


def fragments_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of the longest stretches with nothing that a message may have filled in."""
    found = [phrase_tokens(part) for part in _FILLED_IN.split(text)]
    long = sorted(
        (each for each in found if PHRASE_WORDS <= len(each) <= LONGEST_FRAGMENT),
        key=len,
        reverse=True,
    )
    return tuple(long[:MAX_FRAGMENTS])


def around_gaps(text: str) -> tuple[tuple[str, str], ...]:
    """Return the neighbours in a message when what it encloses is left out; none without a gap."""
    template = _ENCLOSED.sub(" ", text)
    tokens = phrase_tokens(template)
    if template == text or not PHRASE_WORDS <= len(tokens) <= LONGEST_FRAGMENT:
        return ()
    return tuple(dict.fromkeys(pair for pair in pairwise(tokens) if pair[0] != pair[1]))


def compounds_in(text: str) -> tuple[str, ...]:
    """Return hyphenated words as code may write them, where a part alone tells little: `v-for`."""
    words = [word.lower().split("-") for word in _HYPHENATED.findall(text)]
    weak = [parts for parts in words if any(len(part) == 1 or part in UNINDEXED for part in parts)]
    joined = (mark.join(parts) for parts in weak for mark in ("", "_"))
    return tuple(dict.fromkeys(joined))[:MAX_COMPOUNDS]
