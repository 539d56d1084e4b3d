"""Slugs: the last part of a post's address, in the script of its title.

A slug is letters of any script with their marks, digits, hyphens and underscores, in the form NFKC
(UAX 15), so that what looks the same is the same. Addresses hold it percent-encoded.
"""

from unicodedata import category, normalize
from urllib.parse import quote, unquote

from django.conf import settings
from django.utils.text import slugify

from web.core.errors import InvalidInput
from web.library.posts.models import Post

LONGEST_SLUG = 100
_ROOM_FOR_NUMBER = 8
_APOSTROPHES = str.maketrans("", "", "'\u2019")


def free_slug(title: str) -> str:
    """Return a slug for a title that no post has yet."""
    base = _slug_of(title)[: LONGEST_SLUG - _ROOM_FOR_NUMBER].strip("-_") or "post"
    taken = set(Post.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    number = 2
    slug = base
    while slug in taken:
        slug = f"{base}-{number}"
        number += 1
    return slug


def checked_slug(slug: str) -> str:
    """Return a slug as it may be used. Raises InvalidInput for another form."""
    slug = normalize("NFKC", slug)
    if not (0 < len(slug) <= LONGEST_SLUG and all(map(_may_stand, slug))):
        message = f"Use 1 to {LONGEST_SLUG} letters, digits, hyphens and underscores."
        raise InvalidInput(message, fields={"slug": message})
    return slug


def slug_meant(text: str) -> str:
    """Return the slug that somebody means, who may give the address of the post as well."""
    last = text.replace("\0", "").strip().strip("/").rpartition("/")[2]
    return normalize("NFKC", unquote(last))


def post_address(slug: str) -> str:
    """Return the address of a post's page."""
    return f"{settings.PUBLIC_URL}/blog/{quote(slug)}/"


def _slug_of(title: str) -> str:
    """Return the title in lowercase with hyphens; in ASCII where that loses no letter."""
    letters = filter(str.isalnum, normalize("NFKD", title))
    if all(map(str.isascii, letters)):
        return slugify(title)
    plain = normalize("NFKC", title).lower().translate(_APOSTROPHES)
    words = "".join(char if _may_stand(char) else " " for char in normalize("NFKC", plain))
    return "-".join(words.replace("-", " ").split())


def _may_stand(char: str) -> bool:
    return char in "-_" or category(char)[0] in "LMN"
