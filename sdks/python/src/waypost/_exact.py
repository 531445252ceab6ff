"""JSON whose numbers keep their digits: what was 12.50 and is not touched is 12.50 again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


class ExactFloat(float):
    """A number that knows how it was written. What is computed from it is an ordinary one."""

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        """Keep the text; as a number it may be a little off."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[ExactFloat], tuple[str]]:
        return ExactFloat, (self.text,)

    def __deepcopy__(self, memo: object) -> ExactFloat:
        return self


def loads(text: str | bytes) -> Any:  # noqa: ANN401 - whatever was sent.
    """Read JSON."""
    return json.loads(text, parse_float=ExactFloat)


def dumps(value: Any) -> str:  # noqa: ANN401 - whatever JSON can say.
    """Write JSON; what JSON cannot say is a `TypeError` or a `ValueError`."""
    if isinstance(value, ExactFloat):
        return value.text
    if isinstance(value, Decimal) and value.is_finite():
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_name(name)}:{dumps(it)}" for name, it in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumps, value)) + "]"
    return json.dumps(value, allow_nan=False)


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a member must be text, not {type(name).__name__}")
    return json.dumps(name)
