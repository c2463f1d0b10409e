"""JSON pointers (RFC 6901) to values that are read one by one."""

from itertools import takewhile
from typing import Any, Iterator, Tuple, Union

from .file import LANDMARK_OFFSETS, ROOT
from .index import Index
from .values import Node, Value


def follow(value: Any, pointer: str) -> Any:
    """The value that a pointer leads to, from a lazy value or a Python object. KeyError if there is
    none, or if the text is not a pointer."""
    nothing, (beginning, *tokens) = object(), pointer.split("/")
    for token in tokens:
        name = token.replace("~1", "/").replace("~0", "~")
        value = next((child for key, child in children(value, name) if str(key) == name), nothing)
    if beginning or value is nothing:
        raise KeyError(pointer)
    return value


def children(value: Any, name: str) -> Iterator[Tuple[Union[str, int], Any]]:
    if type(value) is Node:
        return ((key, child) for key, _, child in value.entries(wanted=name))
    return iter(value.items() if type(value) is dict else enumerate(value) if type(value) is list else ())


def pointer_of(index: Index, ordinal: int) -> str:
    """The pointer of a landmark: on each level it is in the last entry that does not begin after
    it."""
    offset, at, pointer = index.entry(LANDMARK_OFFSETS, ordinal), index.file.parts[ROOT].start, ""
    value: Value = index.values.root()
    last: Any = None
    while at != offset and type(value) is Node:
        for last in takewhile(lambda entry: entry[1] <= offset, value.entries()):
            pass
        if last is None:
            break
        (key, at, value), last = last, None
        pointer += "/" + str(key).replace("~", "~0").replace("/", "~1")
    return pointer
