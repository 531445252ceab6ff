"""The envelope of events as CloudEvents 1.0 defines it for protocol buffers.

It has eight fields, so it is written and read here: no generated code, and no package whose
version must fit that of others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SPEC_VERSION = "1.0"

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
WIDTHS = {FIXED64: 8, FIXED32: 4}

ID, SOURCE, SPEC, TYPE, ATTRIBUTES, BINARY, TEXT = range(1, 8)
KEY, VALUE = 1, 2
CE_STRING = 3


@dataclass
class CloudEvent:
    """One event. Of its attributes only those that are text are kept."""

    id: str = ""
    source: str = ""
    spec_version: str = SPEC_VERSION
    type: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    #: The payload, which is JSON in UTF-8.
    data: bytes = b""


def encode(event: CloudEvent) -> bytes:
    """Write an event."""
    texts = ((ID, event.id), (SOURCE, event.source), (SPEC, event.spec_version), (TYPE, event.type))
    parts = [_bytes(number, text.encode()) for number, text in texts]
    for name, text in event.attributes.items():
        value = _bytes(CE_STRING, text.encode())
        parts.append(_bytes(ATTRIBUTES, _bytes(KEY, name.encode()) + _bytes(VALUE, value)))
    parts.append(_bytes(TEXT, event.data))
    return b"".join(parts)


def decode(message: bytes) -> CloudEvent:
    """Read an event; what is no event is a `ValueError`."""
    event = CloudEvent()
    for number, value in _fields(message):
        if number == ID:
            event.id = value.decode()
        elif number == SOURCE:
            event.source = value.decode()
        elif number == SPEC:
            event.spec_version = value.decode()
        elif number == TYPE:
            event.type = value.decode()
        elif number == ATTRIBUTES:
            event.attributes.update(_attribute(value))
        elif number in (BINARY, TEXT):
            event.data = value
    return event


def _attribute(entry: bytes) -> Iterator[tuple[str, str]]:
    parts = dict(_fields(entry))
    value = dict(_fields(parts.get(VALUE, b"")))
    if CE_STRING in value:
        yield parts.get(KEY, b"").decode(), value[CE_STRING].decode()


def _bytes(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | BYTES) + _varint(len(value)) + value


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:  # noqa: PLR2004 - seven bits each.
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields that have bytes; others are passed over."""
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, kind = tag >> 3, tag & 7
        if kind == VARINT:
            _, at = _read_varint(message, at)
            continue
        if kind == BYTES:
            length, at = _read_varint(message, at)
        elif kind in WIDTHS:
            length = WIDTHS[kind]
        else:
            raise ValueError(f"field {number} is of the unknown kind {kind}")
        value, at = message[at : at + length], at + length
        if at > len(message):
            raise ValueError(f"field {number} is cut off")
        if kind == BYTES:
            yield number, value


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte <= 0x7F:  # noqa: PLR2004 - seven bits each.
            return number, at
    raise ValueError("a number is cut off")
