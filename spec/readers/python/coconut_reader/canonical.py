"""§4.7 the canonical value stream, and §9.2 how far a document expands."""

import struct
from typing import Any, Dict, Iterator, List, NamedTuple

from .cursor import ARRAY, INTEGER, MAP, STRING, shortest

FIRST = {  # §3.1: the first byte, by the number of bytes that follow it
    INTEGER: {0: 0, 1: 0xCC, 2: 0xCD, 4: 0xCE, 8: 0xCF}, STRING: {0: 0xA0, 1: 0xD9, 2: 0xDA, 4: 0xDB},
    ARRAY: {0: 0x90, 2: 0xDC, 4: 0xDD}, MAP: {0: 0x80, 2: 0xDE, 4: 0xDF}}
NEGATIVE = {1: 0xD0, 2: 0xD1, 4: 0xD2, 8: 0xD3}
CONSTANTS = {None: b"\xc0", False: b"\xc2", True: b"\xc3"}


def stream(value: Any) -> Iterator[bytes]:
    """The document in profile `plain`, everything in the shortest form; with a stack of its own."""
    stack: List[Iterator[Any]] = [iter((value,))]
    while stack:
        for item in stack[-1]:
            kind = type(item)
            if kind is dict:
                yield head(MAP, len(item))
                stack.append(part for pair in item.items() for part in pair)
                break
            if kind is list:
                yield head(ARRAY, len(item))
                stack.append(iter(item))
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


def head(kind: int, number: int) -> bytes:
    width = shortest(kind, number)
    if width == 0:
        return bytes([FIRST[kind][0] + number & 0xFF])
    first = NEGATIVE[width] if number < 0 else FIRST[kind][width]
    return bytes([first]) + number.to_bytes(width, "big", signed=number < 0)


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
        children = top.values() if type(top) is dict else top if type(top) is list else ()
        inner = [child for child in children if type(child) in (dict, list)]
        missing = [child for child in inner if id(child) not in known]
        if missing:
            todo += missing
            continue
        todo.pop()
        sizes = [known[id(child)] for child in inner]
        text = 2 + (sum(map(len, top)) if type(top) is dict else 0)
        text += sum(len(child) if type(child) is str else 1 for child in children if type(child) not in (dict, list))
        known[id(top)] = Size(1 + len(children) - len(inner) + sum(size.values for size in sizes),
                              1 + max((size.depth for size in sizes), default=0) if type(top) in (dict, list) else 0,
                              text + sum(size.text for size in sizes))
    return known[id(value)]
