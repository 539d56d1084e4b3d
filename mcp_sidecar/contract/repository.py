"""The argument `repository`, which the scope of an endpoint adds to the tools that work on one."""

from typing import Any, Final

from mcp_sidecar.contract.base import AnyContract
from mcp_sidecar.contract.limits import MAX_REPOSITORY_ENUM
from mcp_sidecar.contract.schema import with_example

NAME: Final = "repository"


def offers_repository(contract: AnyContract, names: tuple[str, ...] | None) -> bool:
    """Return whether the tool takes `repository` on an endpoint.

    `names` are the repositories to choose from, None on the endpoint of a single one.
    """
    return contract.uses_repository and names is not None


def repository_property(
    names: tuple[str, ...], *, required: bool, as_enum: bool = True
) -> dict[str, Any]:
    """Return the schema of the argument: an enum of the names.

    With more than MAX_REPOSITORY_ENUM names, or `as_enum` off, a string that says where they are
    listed.
    """
    meaning = (
        "Name of the repository."
        if required
        else "Name of one repository; leave it out for all of them."
    )
    if not names:
        return {"type": "string", "description": f"{meaning} There is none yet."}
    if len(names) > MAX_REPOSITORY_ENUM or not as_enum:
        meaning += f" list_repositories shows the {len(names)} names."
    described = {"type": "string", "description": with_example(meaning, [names[0]])}
    if len(names) <= MAX_REPOSITORY_ENUM and as_enum:
        described["enum"] = list(names)  # type: ignore[assignment]
    return described
