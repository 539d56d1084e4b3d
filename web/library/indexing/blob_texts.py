"""The texts of a repository's blobs: what a sync replaces is read twice, and kept in between."""

from collections import OrderedDict

from web.core.errors import TooLarge, Unavailable
from web.library.git.objects import ObjectStore
from web.library.indexing.decode import decoded_as

_KEPT_CHARACTERS = 8_000_000


class BlobTexts:
    """Texts by blob and encoding; those read lately are kept, up to 8 million characters."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._characters = 0

    def text(self, oid: str, encoding: str) -> str | None:
        """Return the text of a blob that was once read so; None where it is not there any more."""
        if (kept := self._kept.get((oid, encoding))) is not None:
            return kept
        try:
            text = decoded_as(self._store.blob(oid), encoding)
        except (TooLarge, Unavailable):
            return None
        self._kept[oid, encoding] = text
        self._characters += len(text)
        while self._characters > _KEPT_CHARACTERS:
            _, dropped = self._kept.popitem(last=False)
            self._characters -= len(dropped)
        return text
