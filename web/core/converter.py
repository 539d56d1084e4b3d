"""From elements of HTML to Markdown, within bounds: what is read may be made to be read for ever.

markdownify walks the elements; here is what it should do otherwise, and where it has to stop.
"""

import re
import time

from bs4 import Tag
from bs4.element import NavigableString
from markdownify import MarkdownConverter

from web.core.errors import InvalidInput
from web.core.limits import LIMITS

_TAG_LIKE = re.compile(r"<(?=[A-Za-z/!?])")
_OUTER_UNDERSCORES = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_LANGUAGE = re.compile(r"(?:language|lang|highlight|highlight-source)-([\w+#.-]+)")
_BARE_BAR = re.compile(r"(?<!\\)\|")
# What markdownify would read again from each blank in it.
_LONG_BLANK = re.compile(r"(?<![\t ])[\t ]{100}[\t ]+")
_NUMBER = re.compile(r"[0-9]{1,9}")
_MOST_COLUMNS = 100  # a cell may say that it spans a thousand, and each is written out
_PARTS = ["thead", "tbody", "tfoot"]


def markdown_of(root: Tag) -> str:
    """Return an element as Markdown; its attributes may be changed on the way.

    Raises InvalidInput when it is nested too deeply, takes more than LIMITS.max_page_seconds of CPU
    time, or would become more than LIMITS.max_page_characters.
    """
    try:
        return str(_Converter().convert_soup(root))
    except RecursionError:
        raise InvalidInput("The page is nested too deeply to be read.") from None


class _Converter(MarkdownConverter):
    """Escapes only what would be read as markup, so that the text stays as people wrote it."""

    def __init__(self) -> None:
        super().__init__(
            heading_style="atx",
            bullets="-",
            escape_underscores=False,
            code_language_callback=_language,
            strip_pre=None,
        )
        self._ends_at = time.thread_time() + LIMITS.max_page_seconds
        self._numbers: dict[int, int] = {}

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        """Convert an element with all that is in it. Raises InvalidInput beyond the bounds."""
        if time.thread_time() > self._ends_at:
            raise InvalidInput(
                f"The page takes more than {LIMITS.max_page_seconds:g} seconds to be read.",
                remedy="Raise PORTOLAN_MAX_PAGE_SECONDS if it is meant to be like this.",
            )
        if node.name == "ol":
            self._number(node)
        span = str(node.get("colspan") or "")
        if span:
            is_number = _NUMBER.fullmatch(span) is not None
            node["colspan"] = str(max(1, min(int(span), _MOST_COLUMNS)) if is_number else 1)
        text = str(super().process_tag(node, parent_tags))  # type: ignore[misc]
        if len(text) > LIMITS.max_page_characters:
            raise InvalidInput(
                f"The page becomes more than {LIMITS.max_page_characters:,} characters of text.",
                remedy="Raise PORTOLAN_MAX_PAGE_CHARACTERS if it is meant to be like this.",
            )
        return text

    def _number(self, ordered: Tag) -> None:
        """Note the numbers of a list's items; markdownify would count up to each of them."""
        start = str(ordered.get("start") or "")
        first = int(start) if _NUMBER.fullmatch(start) else 1
        items = [item for item in ordered.children if isinstance(item, Tag) and item.name == "li"]
        self._numbers |= {id(item): number for number, item in enumerate(items, first)}

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        """Convert a text; of very many blanks make one, as they are shown, but in code."""
        if "pre" not in (parent_tags or ()) and _LONG_BLANK.search(el):
            shortened = NavigableString(_LONG_BLANK.sub(" ", el))
            shortened.parent = el.parent
            shortened.previous_sibling, shortened.next_sibling = (
                el.previous_sibling,
                el.next_sibling,
            )
            el = shortened
        return str(super().process_text(el, parent_tags))  # type: ignore[misc]

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Escape tags, and underscores that do not stand inside a word."""
        text = _TAG_LIKE.sub(r"\\<", super().escape(text, parent_tags))  # type: ignore[misc]
        return _OUTER_UNDERSCORES.sub(lambda match: match[0].replace("_", r"\_"), text)

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Begin an item of an ordered list with its number, and indent the rest as far."""
        number = self._numbers.get(id(el))
        if number is None:
            return str(super().convert_li(el, text, parent_tags))  # type: ignore[misc]
        first, *others = text.strip().split("\n")
        if not first:
            return "\n"
        bullet = f"{number}. "
        indent = " " * len(bullet)
        return "\n".join([bullet + first, *(line and indent + line for line in others), ""])

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Leave out the empty lines around a block of code, and the blanks behind it."""
        start = len(text) - len(text.lstrip(" \n"))
        text = text[text.rfind("\n", 0, start) + 1 :].rstrip(" \n")
        return str(super().convert_pre(el, text, parent_tags))  # type: ignore[misc]

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Keep a bar inside a cell from ending it."""
        text = _BARE_BAR.sub(r"\|", text)
        return str(super().convert_td(el, text, parent_tags))  # type: ignore[misc]

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Keep a bar inside a heading cell from ending it."""
        text = _BARE_BAR.sub(r"\|", text)
        return str(super().convert_th(el, text, parent_tags))  # type: ignore[misc]

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        """Draw a line below the head of a table; without a head above its first row."""
        row = f"|{text}\n"
        if el.find_previous_sibling("tr") is not None or el.parent is None:
            return row
        cells = el.find_all(["td", "th"], recursive=False)
        columns = sum(int(str(cell.get("colspan") or 1)) for cell in cells)
        line = f"| {' | '.join(['---'] * columns)} |\n"
        is_alone = el.parent.name == "thead" and el.find_next_sibling("tr") is None
        if is_alone or all(cell.name == "th" for cell in cells):
            return row + line
        if el.parent.name in _PARTS and el.parent.find_previous_sibling(_PARTS) is not None:
            return row
        return f"| {' | '.join([''] * columns)} |\n{line}{row}"


def _language(element: Tag) -> str:
    """Return the language that a code block declares, in itself or around it."""
    for candidate in (element.find("code"), element, *list(element.parents)[:2]):
        if not isinstance(candidate, Tag):
            continue
        for name in candidate.get_attribute_list("class"):
            match = _LANGUAGE.fullmatch(name or "")
            if match and match[1] not in {"default", "none", "text"}:
                return match[1]
    return ""
