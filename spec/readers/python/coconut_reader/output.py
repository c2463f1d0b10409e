"""§4.7 the canonical value stream and its digest, §9.2 how far a document expands, and JSON text.
"""

import hashlib
import json
import struct
import sys
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, TextIO, Tuple

from .cursor import ARRAY, BINARY, EXTENSION, INTEGER, MAP, STRING
from .errors import Limits, need
from .file import ROOT

if TYPE_CHECKING:
    from .document import Document

WIDTHS = {  # §3.2: of each form the first number too large for it, its first byte, and the bytes that follow
    INTEGER: ((128, 0x00, 0), (1 << 8, 0xCC, 1), (1 << 16, 0xCD, 2), (1 << 32, 0xCE, 4), (1 << 64, 0xCF, 8)),
    STRING: ((32, 0xA0, 0), (1 << 8, 0xD9, 1), (1 << 16, 0xDA, 2), (1 << 32, 0xDB, 4)),
    BINARY: ((1 << 8, 0xC4, 1), (1 << 16, 0xC5, 2), (1 << 32, 0xC6, 4)),
    EXTENSION: ((1, 0xC7, 1), (3, 0xD3, 0), (4, 0xC7, 1), (5, 0xD2, 0), (8, 0xC7, 1), (9, 0xCF, 0),
                (16, 0xC7, 1), (17, 0xC8, 0), (1 << 8, 0xC7, 1), (1 << 16, 0xC8, 2), (1 << 32, 0xC9, 4)),
    ARRAY: ((16, 0x90, 0), (1 << 16, 0xDC, 2), (1 << 32, 0xDD, 4)),
    MAP: ((16, 0x80, 0), (1 << 16, 0xDE, 2), (1 << 32, 0xDF, 4))}
NEGATIVE = ((1 << 5, 0x100, 0), (1 << 7, 0xD0, 1), (1 << 15, 0xD1, 2), (1 << 31, 0xD2, 4), (1 << 63, 0xD3, 8))
CONSTANTS = {None: b"\xc0", False: b"\xc2", True: b"\xc3"}


def head(kind: int, number: int) -> bytes:
    """The shortest form of a number, length or count."""
    forms, size = (NEGATIVE, ~number) if number < 0 else (WIDTHS[kind], number)
    first, width = next((first, width) for bound, first, width in forms if size < bound)
    if width == 0:
        return bytes([first + number])
    return bytes([first]) + number.to_bytes(width, "big", signed=number < 0)


def stream(value: Any) -> Iterator[bytes]:
    """The document in profile `plain`, everything in the shortest form; with a stack of its own."""
    stack: List[Iterator[Any]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            kind = type(item)
            if kind is dict or kind is list:
                yield head(MAP if kind is dict else ARRAY, len(item))
                stack.append((part for pair in item.items() for part in pair) if kind is dict else iter(item))
                break
            if kind is str:
                text = item.encode()
                yield head(STRING, len(text)) + text
            elif kind is int:
                yield head(INTEGER, item)
            else:
                yield b"\xcb" + struct.pack(">d", item) if kind is float else CONSTANTS[item]
        else:
            stack.pop()


class Size(NamedTuple):
    values: int
    depth: int
    text: int  # a lower bound of the bytes of JSON text


def measure(value: Any) -> Size:
    """Sizes from the bottom up, each list and object once, with a stack."""
    known: Dict[int, Size] = {}
    todo = [value]
    while todo:
        top = todo[-1]
        if id(top) in known:
            todo.pop()
            continue
        keys = top if type(top) is dict else ()
        children = top.values() if keys else top if type(top) is list else ()
        inner = [child for child in children if type(child) in (dict, list)]
        missing = [child for child in inner if id(child) not in known]
        if missing:
            todo += missing
            continue
        todo.pop()
        sizes = [known[id(child)] for child in inner]
        values = 1 + len(children) - len(inner) + sum(size.values for size in sizes)
        text = 2 + sum(map(len, keys)) + sum(size.text for size in sizes)
        scalars = [child for child in children if type(child) not in (dict, list)]
        text += sum(len(child) if type(child) is str else 1 for child in scalars)
        depth = 1 + max((size.depth for size in sizes), default=0) if type(top) in (dict, list) else 0
        known[id(top)] = Size(values, depth, text)
    return known[id(value)]


def expansion(document: "Document") -> Tuple[int, int]:
    """§9.2: values and levels of the document."""
    at = document.envelope.end if document.is_source else document.file.parts[ROOT].start
    return bounded(document.to_python(), document.limits, at)


def bounded(value: Any, limits: Limits, at: int) -> Tuple[int, int]:
    """Values and levels, computed before the first output. Refuses a document that exceeds the
    limits."""
    values, depth, size = measure(value)
    need(values <= limits.streamed_values, "LIM-NODES", at, "{} values when expanded", values)
    need(size <= limits.streamed_bytes, "LIM-BYTES", at, "{} bytes when expanded", size)
    return values, depth


def digest(document: "Document") -> bytes:
    expansion(document)
    return hashed(document.to_python())


def hashed(value: Any, before: bytes = b"") -> bytes:
    result = hashlib.sha256(before)
    for piece in stream(value):
        result.update(piece)
    return result.digest()


def to_json(value: Any, depth: int, indent: Optional[int], file: Optional[TextIO] = None) -> str:
    """The text, or nothing if it is written to a file piece by piece."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * depth)  # the depth is known and bounded by §9.1
    try:
        separators = (",", ":") if indent is None else None
        form: Dict[str, Any] = {"ensure_ascii": False, "indent": indent, "separators": separators}
        if file is None:
            return json.dumps(value, **form)
        json.dump(value, file, **form)
        return ""
    finally:
        sys.setrecursionlimit(limit)
