"""Pieces of a file: annotated bytes, from which the assembler builds whole files.

A piece is a list of lines; a line is a few bytes with a note for the reader of the `.hex` file.
A label on a line names its offset, so that tables can point to it and expectations can refer to
it.
"""

import json
import struct
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Line:
    data: bytes
    note: str = ""
    labels: tuple = ()
    indent: int = 0


def line(data, note="", *labels):
    return [Line(bytes(data), note, labels)]


def raw(hexadecimal, note="", *labels):
    """Bytes given in hexadecimal, which no other function would write."""
    return line(bytes.fromhex(hexadecimal), note, *labels)


def at(label, piece):
    """The same piece, its first byte labelled."""
    first, *rest = piece
    return [replace(first, labels=first.labels + (label,)), *rest]


def note(text, piece):
    """The same piece with another note on its first line."""
    first, *rest = piece
    return [replace(first, note=text), *rest]


def inside(pieces):
    return [replace(l, indent=l.indent + 1) for piece in pieces for l in piece]


def size(piece):
    return sum(len(l.data) for l in piece)


def show(text):
    """Text as a JSON string: only printable ASCII is not escaped, and long text is cut."""
    quoted = json.dumps(text)
    return quoted if len(quoted) <= 60 else f"{quoted[:40]}…\" ({len(text)} characters)"


# §3: msgpack headers in their shortest forms.

def unsigned(n):
    if n < 0x80:
        return bytes([n])
    for first, width in ((0xCC, 1), (0xCD, 2), (0xCE, 4), (0xCF, 8)):
        if n < 1 << 8 * width:
            return bytes([first]) + n.to_bytes(width, "big")
    raise ValueError(n)


def integer(n):
    if n >= 0:
        return unsigned(n)
    if n >= -32:
        return struct.pack(">b", n)
    for first, width in ((0xD0, 1), (0xD1, 2), (0xD2, 4), (0xD3, 8)):
        if n >= -1 << 8 * width - 1:
            return bytes([first]) + n.to_bytes(width, "big", signed=True)
    raise ValueError(n)


def counted(n, fix, fix_limit, *forms):
    if n < fix_limit:
        return bytes([fix | n])
    for first, width in forms:
        if n < 1 << 8 * width:
            return bytes([first]) + n.to_bytes(width, "big")
    raise ValueError(n)


def array_header(n):
    return counted(n, 0x90, 16, (0xDC, 2), (0xDD, 4))


def map_header(n):
    return counted(n, 0x80, 16, (0xDE, 2), (0xDF, 4))


def str_header(n):
    return counted(n, 0xA0, 32, (0xD9, 1), (0xDA, 2), (0xDB, 4))


def bin_header(n):
    return counted(n, 0, 0, (0xC4, 1), (0xC5, 2), (0xC6, 4))


# §4.2, §4.3: scalars.

def nil():
    return raw("C0", "null")


def no():
    return raw("C2", "false")


def yes():
    return raw("C3", "true")


def real(x):
    return line(b"\xCB" + struct.pack(">d", x), f"float {x!r}")


def s(text):
    data = text.encode()
    return line(str_header(len(data)) + data, f"string {show(text)}")


def sid(i, text=None):
    return line(unsigned(i), f"string {i}" + (f", {show(text)}" if text is not None else ""))


def num(n):
    """An integer as an extension in the smallest width."""
    kind = 1 if n >= 0 else 2
    for first, width in ((0xD4, 1), (0xD5, 2), (0xD6, 4), (0xD7, 8)):
        low, high = (0, 1 << 8 * width) if n >= 0 else (-1 << 8 * width - 1, 0)
        if low <= n < high:
            return line(bytes([first, kind]) + n.to_bytes(width, "big", signed=n < 0), f"integer {n}")
    raise ValueError(n)


def plain_int(n):
    """An integer as itself: in an integer slot, and in profile plain."""
    return line(integer(n), f"integer {n}, as itself")


def sh(i):
    return line(integer(-1 - i), f"shared value {i}")


# §4.5, §6: containers.

def array(items, text):
    return line(array_header(len(items)), text) + inside(items)


def empty():
    return raw("90", "the empty list")


def lst(*items):
    return line(array_header(len(items) + 1), f"list of {len(items)}") + inside([raw("C0", "it is a list"), *items])


def obj(*pairs):
    """An object; keys and values alternate, a Python str as key means an inline string."""
    items = [s(p) if isinstance(p, str) else p for p in pairs]
    return line(array_header(len(items) + 1), f"object of {len(items) // 2}") + inside([raw("C2", "it is an object"), *items])


def rec(shape, *values):
    return line(array_header(len(values) + 1), f"record of {len(values)}") + inside(
        [line(unsigned(shape), f"of shape {shape}"), *values]
    )


# §6.1: shapes and their slots. A key is a Python str or a piece.

def key(k):
    return s(k) if isinstance(k, str) else k


def shape(*slots):
    return array([key(x) for x in slots], f"shape of {len(slots)} slots")


def int_slot(k):
    return array([key(k)], "integer slot")


def nested(k, t):
    return array([key(k), line(unsigned(t), f"of shape {t}")], "nested slot")


def const(k, value):
    return array([key(k), raw("C0", "constant:"), value], "constant slot")


# Whole values without tables.

def full(value):
    """A value in the forms of profile `full`, everything in place."""
    if isinstance(value, list):
        return lst(*map(full, value)) if value else empty()
    if isinstance(value, dict):
        return obj(*(full(x) for pair in value.items() for x in pair))
    return scalar(value, num)


def plain(value):
    """A value in the forms of profile `plain`, §4.6."""
    if isinstance(value, list):
        return line(array_header(len(value)), f"array of {len(value)}") + inside(map(plain, value))
    if isinstance(value, dict):
        return line(map_header(len(value)), f"map of {len(value)}") + inside(plain(x) for p in value.items() for x in p)
    return scalar(value, plain_int)


def scalar(value, of_int):
    if value is None:
        return nil()
    if isinstance(value, bool):
        return yes() if value else no()
    if isinstance(value, int):
        return of_int(value)
    return real(value) if isinstance(value, float) else s(value)


def canonical_stream(value):
    """§4.7."""
    return b"".join(l.data for l in plain(value))


def count_values(value):
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return 1 + sum(map(count_values, items))


def depth(value):
    if not isinstance(value, (list, dict)):
        return 0
    return 1 + max(map(depth, value if isinstance(value, list) else value.values()), default=0)
