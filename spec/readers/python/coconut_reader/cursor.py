"""§3 msgpack, one token at a time."""

import struct
from typing import Any, List, Tuple, TypeVar

from .errors import FormatError, need

CONSTANT, INTEGER, FLOAT, STRING, BINARY, EXTENSION, ARRAY, MAP, SINGLE, RESERVED = range(10)
Form = Tuple[int, int, Any]  # kind, bytes of number that follow, and the number or whether those are signed
Self = TypeVar("Self", bound="Cursor")


def forms() -> List[Form]:
    """§3.1: the meaning of each first byte."""
    table: List[Form] = [(INTEGER, 0, low) for low in range(128)]
    for kind, count in ((MAP, 16), (ARRAY, 16), (STRING, 32)):
        table += [(kind, 0, low) for low in range(count)]
    table += [(CONSTANT, 0, None), (RESERVED, 0, 0), (CONSTANT, 0, False), (CONSTANT, 0, True)]
    table += [(kind, width, False) for kind in (BINARY, EXTENSION) for width in (1, 2, 4)]
    table += [(SINGLE, 0, 0), (FLOAT, 8, False)]
    table += [(INTEGER, width, signed) for signed in (False, True) for width in (1, 2, 4, 8)]
    table += [(EXTENSION, 0, 1 << power) for power in range(5)]
    table += [(STRING, width, False) for width in (1, 2, 4)]
    table += [(kind, width, False) for kind in (ARRAY, MAP) for width in (2, 4)]
    return table + [(INTEGER, 0, low - 32) for low in range(32)]


FORMS = forms()


class Cursor:
    """Reads tokens of `file` from `position` to `end`, offsets in the file; `bound` is that of
    §4.4.

    After `token`, `start` is the token's offset and `value` its constant, number or count.
    Strings, byte strings and extensions are from `body` to `position`. Blocks before `ready`
    were compared (§7.2)."""

    __slots__ = ("file", "data", "position", "end", "bound", "ready", "start", "body", "value")

    def __init__(self, file: Any, position: int, end: int, bound: int = 0) -> None:
        self.file, self.data, self.position, self.end, self.bound = file, file.data, position, end, bound
        self.ready = self.start = self.body = 0
        self.value: Any = None

    def at(self: Self, position: int) -> Self:
        """A cursor that begins elsewhere and ends where this one does."""
        return type(self)(self.file, position, self.end, self.bound)

    def token(self) -> int:
        """Reads a header, and the body of all but arrays and maps; the result is the kind."""
        start = self.start = self.position
        if start + 9 > self.ready:
            self.want(start, 1)
            self.ready = min(self.file.touch(start, min(start + 9, self.end)), self.end)
        kind, width, value = FORMS[self.data[start]]
        position = start + 1
        if width:
            self.want(position, width)
            number = self.data[position : position + width]
            position += width
            is_real = kind == FLOAT
            value = struct.unpack(">d", number)[0] if is_real else int.from_bytes(number, "big", signed=value)
        if kind >= ARRAY:
            if kind > MAP:
                code = "MSG-TYPE" if kind == SINGLE else "MSG-RESERVED"
                raise FormatError(code, start, "a form that is not used")
            if value * (kind - ARRAY + 1) > self.end - position:  # n items need n bytes, n entries 2n
                raise FormatError("MSG-COUNT", start, f"{value} items in {self.end - position} bytes")
        elif kind >= STRING:
            if kind == EXTENSION:
                self.want(position, 1)
                position += 1
            self.want(position, value)
            self.body, position = position, position + value
        self.value, self.position = value, position
        return int(kind)

    def want(self, position: int, size: int) -> None:
        """§3.3: the offset is that of the first byte that is missing."""
        if position + size > self.end:
            raise FormatError("MSG-SHORT", position, f"wanted {size} bytes, of which the last are missing")

    def bytes(self) -> bytes:
        if self.position > self.ready:
            self.ready = min(self.file.touch(self.body, self.position), self.end)
        return bytes(self.data[self.body : self.position])

    def text(self, limit: int) -> str:
        size = self.position - self.body
        if size > limit:
            raise FormatError("LIM-STRING", self.start, f"{size} bytes, at most {limit}")
        try:
            return str(self.bytes(), "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("STR-UTF8", self.body + error.start, "not UTF-8") from None

    def integer(self) -> int:
        """§4.3: the extension just read, as an integer."""
        body, code = self.bytes(), self.data[self.body - 1]
        is_known = code in (1, 2) and 0xD4 <= self.data[self.start] <= 0xD7
        need(is_known, "MSG-EXT", self.start, "extension type {} of {} bytes", code, len(body))
        number = int.from_bytes(body, "big", signed=code == 2)
        need(code == 1 or number < 0, "NUM-FORM", self.start, "an extension of type 2 that is not negative")
        return number

    def skip(self, pending: int = 1) -> None:
        """§3.3: skips so many values, without a stack."""
        while pending:
            kind = self.token()
            pending += (self.value if kind == ARRAY else 2 * self.value if kind == MAP else 0) - 1
