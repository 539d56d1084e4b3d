"""The repository scope of an endpoint: all visible repositories, or one."""

from dataclasses import dataclass

from web.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class RepositoryScope:
    """Frozen for one request. `names` are the repositories the caller may see, in list order;
    `single` is the endpoint's repository, None on the endpoint over all of them.
    """

    names: tuple[str, ...]
    single: str | None = None

    def resolve(self, name: str | None, *, required: bool) -> str | None:
        """Return the repository of a call: the endpoint's own, the named one, or None for all.

        Raises InvalidInput that lists the names, for a name outside the scope or a missing one
        where it is required.
        """
        if self.single is not None:
            return self.single
        known = ", ".join(self.names) or "none yet"
        if name is None or name == "":
            if not required:
                return None
            raise InvalidInput(
                "This tool needs a repository.",
                hint=f"Add the argument repository. Repositories: {known}.",
                fields={"repository": "Field required"},
            )
        if name not in self.names:
            raise InvalidInput(
                f"There is no repository {name!r} here.",
                hint=f"Repositories: {known}.",
                fields={"repository": "unknown repository"},
            )
        return name
