"""The repository scope of an endpoint: all visible repositories, or one."""

import difflib
from dataclasses import dataclass

from web.core.errors import InvalidInput
from web.core.limits import LIMITS

NAMES_IN_LONG_HINT = 10


@dataclass(frozen=True, slots=True)
class RepositoryScope:
    """What one endpoint covers for one caller; frozen for a request.

    `names` are the repositories the caller may see, in list order; `single` is the endpoint's
    repository, None on the endpoint over all of them.
    """

    names: tuple[str, ...]
    single: str | None = None

    @property
    def offered(self) -> tuple[str, ...] | None:
        """The names that a call may choose from; None where the endpoint has chosen."""
        return self.names if self.single is None else None

    def resolve(self, name: str | None, *, required: bool) -> str | None:
        """Return the repository of a call: the endpoint's own, the named one, or None for all.

        Raises InvalidInput that lists the names, for a name outside the scope or a missing one
        where it is required. Of more than MAX_REPOSITORY_ENUM names it lists the nearest or first
        ones and says where the rest is.
        """
        if self.single is not None:
            return self.single
        if not name:
            if not required:
                return None
            raise InvalidInput(
                "This tool needs a repository.",
                hint=f"Add the argument repository. {self._listed(None)}",
                fields={"repository": "Field required"},
            )
        if name not in self.names:
            raise InvalidInput(
                f"There is no repository {name[:100]!r} here.",
                hint=self._listed(name),
                fields={"repository": "unknown repository"},
            )
        return name

    def _listed(self, name: str | None) -> str:
        if not self.names:
            return "There is no repository yet: tell the user."
        if len(self.names) <= LIMITS.max_repository_enum:
            return f"Repositories: {', '.join(self.names)}."
        near = difflib.get_close_matches((name or "")[:100], self.names, NAMES_IN_LONG_HINT, 0.5)
        some = ", ".join(near or self.names[:NAMES_IN_LONG_HINT])
        kind = "Nearest names" if near else "Some of the repositories"
        return f"{kind}: {some}. list_repositories shows all {len(self.names)}."
