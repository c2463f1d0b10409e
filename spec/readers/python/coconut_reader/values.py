"""§4 values and §6 records, read in place. A `Node`, a list or object, has not been read yet."""

from functools import cached_property
from math import isfinite
from typing import (
    Any, Container, Dict, Generator, Iterator, List, NamedTuple, Optional, Set, Tuple, Type, Union)

from .cursor import ARRAY, BINARY, CONSTANT, EXTENSION, FLOAT, INTEGER, MAP, STRING, Cursor
from .errors import FormatError, need
from .file import ENTRIES, ROOT, SHAPE_OFFSETS, SHAPES, SHARED, SHARED_OFFSETS, STRING_OFFSETS, STRINGS, File

PLAIN, WHOLE, NESTED, FIXED = range(4)  # §6.1: plain, integer, nested and constant slots
MANY = 1 << 32  # where sums saturate
Value = Union[None, bool, int, float, str, "Node"]
Job = Generator[Any, Any, Any]


def run(job: Job) -> Any:
    """Runs a generator that yields others and receives their results: recursion without the call
    stack."""
    stack, result = [job], None
    while stack:
        try:
            stack.append(stack[-1].send(result))
            result = None
        except StopIteration as stop:
            stack.pop()
            result = stop.value
    return result


class Slot(NamedTuple):
    key: str
    form: int
    value: Any  # of a nested slot the shape, of a constant one the value


class Shape(NamedTuple):
    slots: List[Slot]
    width: int  # values in a record, §6.2
    values: int  # of the document, at least, that a record makes; nested shapes need no bytes to repeat


class Node:
    """A list, object, record or nested record. A nested record begins where the record around it
    does."""

    __slots__ = ("values", "at", "cursor", "body", "size", "items", "keyed", "slots", "shared", "reference",
                 "end")

    def __init__(self, values: "Values", at: int, cursor: Cursor, size: int, items: int, keyed: bool,
                 slots: Optional[List[Slot]] = None) -> None:
        self.values, self.at, self.cursor, self.body = values, at, cursor, cursor.position
        self.size, self.items = size, items  # entries of the document, values of msgpack
        self.keyed, self.slots = keyed, slots
        self.shared: Optional[int] = None  # the id, of a shared value
        self.reference = at  # the offset of the reference to it, if there is one
        self.end: Optional[int] = None  # the offset after the last item, once known

    def entries(self, taken: Container[str] = (), wanted: Optional[str] = None,
                ) -> Iterator[Tuple[Union[str, int], int, Value]]:
        """Key or index, the offset of the entry or item, and the value, one after the other, or those of the
        key or index that is `wanted`: other values are stepped over, whatever they hold.

        A key that is in `taken` is refused before its value is read (§4.5)."""
        values, cursor, key, form = self.values, self.cursor.at(self.body), "", PLAIN
        extra: Any = None
        for index in range(self.size):
            at = cursor.position
            if self.slots is not None:
                key, form, extra = self.slots[index]
            elif self.keyed:
                key = values.key(cursor)
            if key in taken:
                raise FormatError("VAL-DUPKEY", at, f"key `{key}` is twice in one object")
            if wanted is not None and wanted != str(key if self.keyed else index):
                cursor.skip(0 if form == FIXED else extra.width if form == NESTED else 1)
                continue
            if form == NESTED:
                child = Node(values, self.at, cursor, len(extra.slots), extra.width, True, extra.slots)
            else:
                child = extra if form == FIXED else values.read(cursor, form == WHOLE)
            yield key if self.keyed else index, at, child
            if type(child) is Node and child.shared is None:
                cursor.position = child.finish()
        self.end = cursor.position

    def finish(self) -> int:
        if self.end is None:
            cursor = self.cursor.at(self.body)
            cursor.skip(self.items)
            self.end = cursor.position
        return self.end


class Element:
    """§5.9: an array whose items are found by the offset table, or by skipping through all of it
    once."""

    def __init__(self, file: File, number: int, table: int, kind: Type[Cursor]) -> None:
        self.file, self.part, self.number, self.table = file, file.parts[number], table, file.parts.get(table)
        self.cursor = kind(file, self.part.start, self.part.end)
        need(self.cursor.token() == ARRAY, "PAY-FORM", self.part.start, "part {} is not an array", number)
        self.count, self.first = self.cursor.value, self.cursor.position
        self.starts: List[int] = []  # of the items, as far as they were walked over
        self.end = 0

    def walk(self) -> Iterator[Tuple[int, Cursor]]:
        """A cursor before each item, which must read it."""
        self.starts, cursor = [], self.cursor.at(self.first)
        for index in range(self.count):
            self.starts.append(cursor.position)
            yield index, cursor
        self.end = cursor.position

    def item(self, index: int) -> Cursor:
        if self.table is None and index >= len(self.starts):
            for _, cursor in self.walk():
                cursor.skip()
        if index < len(self.starts):
            return self.cursor.at(self.starts[index])
        stride = self.table.stride if self.table else 0
        cursor = self.cursor.at(self.offset(index >> stride))
        cursor.skip(index & ((1 << stride) - 1))
        return cursor

    def offset(self, entry: int) -> int:
        """The target of an entry of the offset table."""
        start, end, stride, at = self.file.parts[self.number]
        width = ENTRIES[self.number][self.file.wide]
        fits = end - start == -(-self.count >> stride) * width
        need(fits, "PRT-LENGTH", at, "it should fit {} items", self.count)
        place = start + entry * width
        self.file.touch(place, place + width)
        offset = int.from_bytes(self.file.data[place : place + width], "little")
        need(self.first <= offset < self.part.end, "IDX-RANGE", place, "{} is outside of the element", offset)
        return offset


class Values:
    def __init__(self, file: File, kind: Type[Cursor] = Cursor) -> None:
        self.file, self.limits, self.plain = file, file.limits, file.fields["profile"] == "plain"
        self.kind = kind  # of cursors
        self.texts: Dict[int, str] = {}
        self.known: Dict[int, Shape] = {}

    @cached_property
    def strings(self) -> Element:
        return Element(self.file, STRINGS, STRING_OFFSETS, self.kind)

    @cached_property
    def shapes(self) -> Element:
        return Element(self.file, SHAPES, SHAPE_OFFSETS, self.kind)

    @cached_property
    def shared(self) -> Element:
        return Element(self.file, SHARED, SHARED_OFFSETS, self.kind)

    @cached_property
    def cursor(self) -> Cursor:
        """At the root."""
        return self.kind(self.file, *self.file.parts[ROOT][:2], self.shared.count)

    def root(self) -> Any:
        return self.read(self.cursor.at(self.cursor.position))

    # §4.2 to §4.5

    def read(self, cursor: Cursor, whole: bool = False) -> Any:
        """One value. After a list or object in place, the cursor is anywhere inside of it."""
        kind = cursor.token()
        value = cursor.value
        if kind == CONSTANT or kind == INTEGER and (whole or self.plain):  # §6.3, §4.6
            return value
        if kind == INTEGER:
            return self.text(value, cursor.start) if value >= 0 else self.reference(~value, cursor)
        if kind == STRING:
            return cursor.text(self.limits.string)
        if kind == FLOAT:
            need(isfinite(value), "NUM-NONFINITE", cursor.start, "a float that is not finite")
            return value
        if kind == EXTENSION:
            need(not self.plain, "MSG-EXT", cursor.start, "an extension in profile `plain`")
            return cursor.integer()
        if kind == ARRAY or kind == MAP and self.plain:
            return self.container(cursor, kind)
        raise FormatError("MSG-TYPE", cursor.start, "this form of msgpack is not a value")

    def container(self, cursor: Cursor, kind: int) -> Node:
        """§4.5, after the header of an array; §4.6, also after that of a map."""
        at, count = cursor.start, cursor.value
        if self.plain:
            return Node(self, at, cursor, count, count * (kind - ARRAY + 1), kind == MAP)
        if count == 0:
            return Node(self, at, cursor, 0, 0, False)
        form, first = cursor.token(), cursor.value
        if form == CONSTANT and first is None:
            return Node(self, at, cursor, count - 1, count - 1, False)
        if form == CONSTANT and first is False and count % 2:
            return Node(self, at, cursor, count // 2, count - 1, True)
        need(form == INTEGER and first >= 0, "VAL-FORM", at, "no list, object or record")
        need(first < self.shapes.count, "SHP-RANGE", cursor.start, "shape {} of {}", first, self.shapes.count)
        slots, width, _ = self.shape(first)
        need(count - 1 == width, "SHP-ARITY", at, "{} values, the shape has {}", count - 1, width)
        return Node(self, at, cursor, len(slots), width, True, slots)

    def key(self, cursor: Cursor) -> str:
        kind = cursor.token()
        if kind == STRING:
            return cursor.text(self.limits.key)
        is_id = kind == INTEGER and cursor.value >= 0 and not self.plain
        need(is_id, "MSG-TYPE", cursor.start, "a key that is not a string")
        text = self.text(cursor.value, cursor.start)
        is_short = len(text) * 4 <= self.limits.key or len(text.encode()) <= self.limits.key
        need(is_short, "LIM-STRING", cursor.start, "a key that is too long")
        return text

    def text(self, index: int, at: int) -> str:
        if index not in self.texts:
            need(index < self.strings.count, "STR-RANGE", at, "string {} of {}", index, self.strings.count)
            self.texts[index] = self.string(self.strings.item(index))
        return self.texts[index]

    def string(self, cursor: Cursor) -> str:
        need(cursor.token() == STRING, "MSG-TYPE", cursor.start, "no string, in the table of strings")
        return cursor.text(self.limits.string)

    def reference(self, index: int, cursor: Cursor) -> Node:
        """§4.4: references lead only to smaller ids."""
        need(index < cursor.bound, "SHR-RANGE", cursor.start, "shared value {} of {}", index, cursor.bound)
        return self.shared_value(self.shared.item(index), index, cursor.start)

    def shared_value(self, cursor: Cursor, index: int, at: int) -> Node:
        kind, cursor.bound = cursor.token(), index
        need(kind == ARRAY, "VAL-FORM", cursor.start, "a shared value that is neither list nor object")
        node = self.container(cursor, kind)
        node.reference, node.shared = at, index
        return node

    # §6.1

    def shape(self, index: int) -> Shape:
        if index not in self.known:
            run(self.parse(self.shapes.item(index), index))
        return self.known[index]

    def parse(self, cursor: Cursor, index: int, taken: Optional[Set[str]] = None) -> Job:
        """A shape of keys that are not `taken`, and those nested in it, of lower ids. Sums
        saturate, §6.2."""
        need(cursor.token() == ARRAY, "SHP-FORM", cursor.start, "a shape that is not an array")
        slots, width, values = [], 0, 1
        for _ in range(cursor.value):
            slot = self.slot(cursor, index, taken)
            if slot.form == NESTED:
                if slot.value not in self.known:
                    yield self.parse(self.shapes.item(slot.value), slot.value)
                slot = slot._replace(value=self.known[slot.value])
            slots.append(slot)
            width += slot.value.width if slot.form == NESTED else slot.form != FIXED
            values += slot.value.values if slot.form == NESTED else 1
        self.known[index] = Shape(slots, min(width, MANY), min(values, MANY))

    def slot(self, cursor: Cursor, shape: int, taken: Optional[Set[str]]) -> Slot:
        at, kind, count = cursor.position, cursor.token(), 0
        if kind == ARRAY:
            count = cursor.value
            kind = cursor.token() if 1 <= count <= 3 else ARRAY
        need(kind == STRING or kind == INTEGER and cursor.value >= 0, "SHP-FORM", at, "no slot")
        place = cursor.position = cursor.start
        key = self.key(cursor)
        if taken is not None:
            need(key not in taken, "VAL-DUPKEY", place, "key `{}` is there twice", key)
            taken.add(key)
        if count <= 1:
            return Slot(key, WHOLE if count else PLAIN, None)
        kind, value = cursor.token(), cursor.value
        if count == 2:
            need(kind == INTEGER and value >= 0, "SHP-FORM", at, "no slot")
            need(value < shape, "SHP-RANGE", cursor.start, "shape {} in shape {}", value, shape)
            return Slot(key, NESTED, value)
        need(kind == CONSTANT and value is None, "SHP-FORM", at, "no slot")
        begin, kind = cursor.position, cursor.token()
        is_scalar = kind not in (BINARY, ARRAY, MAP) and (kind != INTEGER or cursor.value >= 0)
        need(is_scalar, "VAL-FORM", begin, "a constant that is not a scalar")
        cursor.position = begin
        return Slot(key, FIXED, self.read(cursor))
