"""What a caller's words become in GitHub's search for issues.

GitHub takes a query apart by itself, so a word could choose other repositories, or pull requests.
Such words are refused with what to do instead; the qualifiers that only narrow a search are passed
on, and everything else is searched for as text.
https://docs.github.com/search-github/searching-on-github/searching-issues-and-pull-requests
"""

import re
from collections.abc import Iterable
from typing import Final

from web.core.errors import InvalidInput
from web.library.github.projects import Project

NARROWING: Final = frozenset(
    {
        "assignee",
        "author",
        "closed",
        "commenter",
        "comments",
        "created",
        "in",
        "interactions",
        "involves",
        "mentions",
        "milestone",
        "no",
        "reactions",
        "reason",
        "updated",
    }
)
_INSTEAD: Final = {
    "repo": "The search is over one repository: name it with the argument repository.",
    "org": "The search is over one repository: name it with the argument repository.",
    "user": "The search is over one repository: name it with the argument repository.",
    "owner": "The search is over one repository: name it with the argument repository.",
    "is": "For open or closed issues use the argument state. Pull requests are not listed.",
    "type": "Only issues are listed: leave it out.",
    "state": "Use the argument state.",
    "label": "Use the argument labels.",
}
_PART: Final = re.compile(r'-?[a-z-]+:"[^"]*"|"[^"]*"|\S+', re.IGNORECASE)
_QUALIFIER: Final = re.compile(r"-?(?P<name>[A-Za-z-]+):\S.*", re.DOTALL)
# Neither a parenthesis nor a backslash, which could end what GitHub reads as the value.
_VALUE: Final = re.compile(r'-?[a-z]+:(?:"[^"\\]*"|[^"\s()\\]+)', re.IGNORECASE)
_PLAIN: Final = re.compile(r"[\w.@#/-]+")
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})


def search_text(project: Project, *, state: str, labels: Iterable[str], query: str) -> str:
    """Return the query for GitHub: issues of `project` in `state` with all labels and words.

    Raises InvalidInput for a word that GitHub would take for another place or kind.
    """
    parts = [f"repo:{project}", "is:issue"]
    if state != "all":
        parts.append(f"state:{state}")
    parts += [f"label:{_quoted(label)}" for label in labels]
    parts += [_part(part) for part in _PART.findall(query)]
    return " ".join(part for part in parts if part)


def _part(part: str) -> str:
    qualifier = _QUALIFIER.fullmatch(part)
    if qualifier is not None:
        name = qualifier["name"].lower()
        if name in NARROWING and _VALUE.fullmatch(part):
            return part  # a stray quote would turn what is quoted behind it around
        if name in _INSTEAD:
            raise InvalidInput(
                f"The query holds {part[:100]!r}, which this tool does not take.",
                hint=_INSTEAD[name],
                fields={"query": f"{name}: is not taken here"},
            )
    word = part.replace('"', " ").strip()
    is_plain = _PLAIN.fullmatch(part) and part not in _OPERATORS and not part.startswith("-")
    return part if is_plain else _quoted(word) if word else ""


def _quoted(text: str) -> str:
    return '"{}"'.format(text.replace('"', " ").replace("\\", " ").strip())
