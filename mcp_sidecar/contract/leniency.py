"""Reading arguments leniently where that is safe, before they are checked.

Models and their clients send "10" for 10, a list as a JSON string, null for what they leave out,
an empty string for an optional text, a path as an answer showed it, with escapes, and keys of the
client's own. All of that has one meaning, so it is taken. Switches take only true, false and those
two words: a wrong guess there changes data.
Nothing here refuses anything; what is left wrong is refused by the model.
"""

import json
import types
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mcp_sidecar.contract.base import PathText
from mcp_sidecar.contract.text import unescaped

CLIENT_EXTRAS: Final = frozenset({"toolCallId"})
_LISTS: Final = (list, tuple, set, frozenset)
_REPLACEMENT: Final = "\ufffd"


def is_client_extra(name: str) -> bool:
    """Return whether clients are known to add this key on their own."""
    return name in CLIENT_EXTRAS or name.startswith("_")


def prepared(model: type[BaseModel], given: object) -> object:
    """Return `given` with everything that has one meaning brought into the form `model` takes."""
    given = _decoded(given, "{")
    if not isinstance(given, dict):
        return given
    result: dict[str, object] = {}
    for name, value in given.items():
        field = model.model_fields.get(name)
        if field is None:
            if not is_client_extra(name):
                result[name] = value
        elif value is not None and not _stands_for_nothing(field, value):
            result[name] = _value(field, value)
    return result


def _stands_for_nothing(field: FieldInfo, value: object) -> bool:
    """Return whether an empty text was given where a text may be left out."""
    if not isinstance(value, str) or value.strip() or field.is_required():
        return False
    return field.default is None and _plain(field.annotation) is str


def _value(field: FieldInfo, value: object) -> object:
    if isinstance(value, str) and any(isinstance(mark, PathText) for mark in field.metadata):
        return "".join(
            _REPLACEMENT if character == "\0" or "\ud800" <= character <= "\udfff" else character
            for character in unescaped(value)
        )
    return _typed(field.annotation, value)


def _typed(annotation: Any, value: object) -> object:
    annotation = _plain(annotation)
    origin = get_origin(annotation) or annotation
    if origin in _LISTS:
        return _items(annotation, _decoded(value, "["))
    if isinstance(origin, type) and issubclass(origin, BaseModel):
        return prepared(origin, value)
    if origin is bool:
        return _switch(value)
    if origin in (int, float) and isinstance(value, bool):
        return str(value).lower()  # refused: true is not 1
    return value


def _items(annotation: Any, value: object) -> object:
    inner = get_args(annotation)
    if not isinstance(value, list) or not inner:
        return value
    return [_typed(inner[0], item) for item in value]


def _switch(value: object) -> object:
    """Return the boolean that `value` says, or something that no switch takes."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value, [value]) if isinstance(value, str) else [value]


def _plain(annotation: Any) -> Any:
    """Return the annotation without Annotated and without None."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _plain(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        kept = [option for option in get_args(annotation) if option is not type(None)]
        return _plain(kept[0]) if len(kept) == 1 else annotation
    return annotation


def _decoded(value: object, opening: str) -> object:
    """Return what a JSON text that starts with `opening` holds; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(opening):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
