"""§3 msgpack, one token at a time."""

import struct
from typing import Any, Dict, List, Tuple

from .errors import FormatError

CONSTANT, INTEGER, SINGLE, FLOAT, STRING, BINARY, ARRAY, MAP, EXTENSION, RESERVED = range(10)
Form = Tuple[int, int, Any]  # kind, bytes of number that follow, and the number itself or whether those are signed


def forms() -> List[Form]:
    """§3.1: what each first byte means."""
    table: List[Form] = [(RESERVED, 0, 0)] * 256
    for low in range(128):
        table[low] = (INTEGER, 0, low)
    for low in range(16):
        table[0x80 + low], table[0x90 + low] = (MAP, 0, low), (ARRAY, 0, low)
    for low in range(32):
        table[0xA0 + low], table[0xE0 + low] = (STRING, 0, low), (INTEGER, 0, low - 32)
    table[0xC0], table[0xC2], table[0xC3] = (CONSTANT, 0, None), (CONSTANT, 0, False), (CONSTANT, 0, True)
    table[0xC4:0xC7] = [(BINARY, 1, False), (BINARY, 2, False), (BINARY, 4, False)]
    table[0xC7:0xCA] = [(EXTENSION, 1, False), (EXTENSION, 2, False), (EXTENSION, 4, False)]
    table[0xCA], table[0xCB], table[0xD8] = (SINGLE, 4, False), (FLOAT, 8, False), (EXTENSION, 0, 16)
    for power in range(4):
        table[0xCC + power], table[0xD0 + power] = (INTEGER, 1 << power, False), (INTEGER, 1 << power, True)
        table[0xD4 + power] = (EXTENSION, 0, 1 << power)
    table[0xD9:0xDC] = [(STRING, 1, False), (STRING, 2, False), (STRING, 4, False)]
    table[0xDC:0xE0] = [(ARRAY, 2, False), (ARRAY, 4, False), (MAP, 2, False), (MAP, 4, False)]
    return table


FORMS = forms()
SHORTEST: Dict[int, Tuple[Tuple[int, int], ...]] = {  # §3.2: (first number that needs more, bytes of number)
    INTEGER: ((1 << 7, 0), (1 << 8, 1), (1 << 16, 2), (1 << 32, 4), (1 << 64, 8)),
    STRING: ((32, 0), (1 << 8, 1), (1 << 16, 2), (1 << 32, 4)),
    BINARY: ((1 << 8, 1), (1 << 16, 2), (1 << 32, 4)),
    ARRAY: ((16, 0), (1 << 16, 2), (1 << 32, 4)),
    MAP: ((16, 0), (1 << 16, 2), (1 << 32, 4)),
}
NEGATIVE = ((1 << 5, 0), (1 << 7, 1), (1 << 15, 2), (1 << 31, 4), (1 << 63, 8))  # of the complement


def shortest(kind: int, number: int) -> int:
    steps, size = (NEGATIVE, ~number) if number < 0 else (SHORTEST[kind], number)
    return next(width for bound, width in steps if size < bound)


class Cursor:
    """Reads tokens of `file` from `position` to `end`. Offsets are those of the file.

    After `token`, `start` is the token's offset and `value` its constant, number or count; for strings, byte strings
    and extensions the body lies from `body` to `position`. Blocks are compared before their bytes are used (§7.2):
    `ready` is the offset up to which that is done."""

    __slots__ = ("file", "data", "position", "end", "strict", "ready", "start", "body", "value")

    def __init__(self, file: Any, position: int, end: int, strict: bool = False) -> None:
        self.file, self.data, self.position, self.end, self.strict = file, file.data, position, end, strict
        self.ready = self.start = self.body = 0
        self.value: Any = None

    def token(self) -> int:
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
            value = struct.unpack(">d", number)[0] if kind == FLOAT else int.from_bytes(number, "big", signed=value)
        if kind == RESERVED:
            raise FormatError("MSG-RESERVED", start, f"byte {self.data[start]:#04x}")
        if kind == ARRAY or kind == MAP:
            if value * (kind - ARRAY + 1) > self.end - position:  # an array of n items needs n bytes, a map 2n
                raise FormatError("MSG-COUNT", start, f"{value} items in {self.end - position} bytes")
        elif kind >= STRING:
            if kind == EXTENSION:
                self.want(position, 1)
                position += 1
            self.want(position, value)
            self.body, position = position, position + value
        if self.strict and kind in SHORTEST:
            if width != shortest(kind, value) or value >= 0 and 0xD0 <= self.data[start] <= 0xD3:
                raise FormatError("MSG-NONCANON", start, "not the shortest form")
        self.value, self.position = value, position
        return int(kind)

    def want(self, position: int, size: int) -> None:
        """§3.3: the offset is that of the first byte that was wanted and could not be had in full."""
        if position + size > self.end:
            raise FormatError("MSG-SHORT", position, f"wanted {size} bytes, found {max(0, self.end - position)}")

    def bytes(self) -> bytes:
        if self.position > self.ready:
            self.ready = min(self.file.touch(self.body, self.position), self.end)
        return bytes(self.data[self.body : self.position])

    def text(self, limit: int) -> str:
        if self.position - self.body > limit:
            raise FormatError("LIM-STRING", self.start, f"{self.position - self.body} bytes, at most {limit}")
        try:
            return str(self.bytes(), "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("STR-UTF8", self.body + error.start, "not UTF-8") from None

    def integer(self) -> int:
        """§4.3: the extension just read, as an integer."""
        body = self.bytes()
        type_ = self.data[self.body - 1]
        if type_ not in (1, 2) or not 0xD4 <= self.data[self.start] <= 0xD7:
            raise FormatError("MSG-EXT", self.start, f"extension type {type_} of {len(body)} bytes")
        number = int.from_bytes(body, "big", signed=type_ == 2)
        if type_ == 2 and number >= 0:
            raise FormatError("NUM-FORM", self.start, "an extension of type 2 that is not negative")
        bits = number.bit_length() if type_ == 1 else (~number).bit_length() + 1
        if self.strict and len(body) > 1 and bits <= 4 * len(body):
            raise FormatError("MSG-NONCANON", self.start, "a longer body than needed")
        return number

    def skip(self, pending: int = 1) -> None:
        """§3.3: steps over so many values, without a stack."""
        while pending:
            kind = self.token()
            pending += (self.value if kind == ARRAY else 2 * self.value if kind == MAP else 0) - 1
