"""What comes over the wire: a dictionary as it was sent, with typed names for its members."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Record(dict[str, Any]):
    """A JSON object. Its members are there under their own names, and typed as attributes."""


class Leased(Record):
    """Work in our hands."""

    #: Whether it is not in our hands any more. A coroutine is canceled then; a plain function
    #: that takes long looks here now and then, and gives up: nobody will hear what it says.
    is_lost: bool = False


class Member(Generic[T]):
    """The attribute that shows a member of a record; ``None`` if it was not sent."""

    def __init__(self, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, record: None, owner: type[Record]) -> Member[T]: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> T: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Member[T] | T:
        if record is None:
            return self
        value: T = record.get(self._name)  # type: ignore[assignment] # The server keeps its types.
        return value


class Instant:
    """The attribute that shows a member which is a time; ``None`` if it was not sent."""

    def __init__(self, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, record: None, owner: type[Record]) -> Instant: ...
    @overload
    def __get__(self, record: Record, owner: type[Record]) -> datetime | None: ...
    def __get__(self, record: Record | None, owner: type[Record]) -> Instant | datetime | None:
        if record is None:
            return self
        text = record.get(self._name)
        # Python 3.10 does not know that Z is a zone.
        return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))
