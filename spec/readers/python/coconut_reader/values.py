"""§4 values and §6 records, read where they stand. A `Node` is a list or object that nothing was read of yet."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

from .cursor import ARRAY, BINARY, CONSTANT, EXTENSION, FLOAT, INTEGER, MAP, STRING, Cursor
from .errors import FormatError
from .file import ROOT, SHAPE_OFFSETS, SHAPES, SHARED, SHARED_OFFSETS, STRING_OFFSETS, STRINGS, File

NIL, FALSE = 0xC0, 0xC2
IDS = frozenset([*range(0x80), *range(0xCC, 0xD4)])  # the first bytes of integers that may be ids
PLAIN, WHOLE, NESTED, FIXED = range(4)  # §6.1: plain, integer, nested and constant slots
INFINITE = float("inf")
Value = Union[None, bool, int, float, str, "Node"]


class Slot(NamedTuple):
    key: str
    form: int
    value: Any  # of a nested slot the shape, of a constant one the value


class Shape(NamedTuple):
    slots: List[Slot]
    width: int  # values in a record, §6.2
    values: int  # of the document that a record stands for at least; nested shapes need no bytes to repeat


class Node:
    """A list, object, record or nested record. `at` is the offset of its array, of a nested record that around it."""

    __slots__ = ("values", "at", "body", "limit", "size", "items", "slots", "keyed", "bound", "shared", "reference", "end")

    def __init__(self, values: "Values", at: int, body: int, limit: int, size: int, items: int,
                 slots: Optional[List[Slot]], keyed: bool, bound: int) -> None:
        self.values, self.at, self.body, self.limit = values, at, body, limit
        self.size, self.items = size, items  # entries of the document, values of msgpack
        self.slots, self.keyed, self.bound = slots, keyed, bound
        self.shared: Optional[int] = None  # the id, of a shared value
        self.reference = at  # the offset of the reference to it, if there is one
        self.end: Optional[int] = None  # the offset after the last item, once known

    def __len__(self) -> int:
        return self.size

    @property
    def is_object(self) -> bool:
        return self.keyed

    def entries(self) -> Iterator[Tuple[Union[str, int], int, Value]]:
        """Key or index, the offset where the entry or item begins, and the value, one after the other."""
        values = self.values
        cursor = Cursor(values.file, self.body, self.limit, values.strict)
        for index in range(self.size):
            at = cursor.position
            key: Union[str, int] = index
            if self.slots is not None:
                key, form, extra = self.slots[index]
                if form == NESTED:
                    child: Value = values.record(self.at, cursor, extra, self.bound)
                else:
                    child = extra if form == FIXED else values.read(cursor, self.bound, form == WHOLE)
            else:
                if self.keyed:
                    key = values.key(cursor)
                child = values.read(cursor, self.bound)
            yield key, at, child
            if type(child) is Node and child.shared is None:
                cursor.position = child.finish()
        self.end = cursor.position

    def finish(self) -> int:
        if self.end is None:
            cursor = Cursor(self.values.file, self.body, self.limit, self.values.strict)
            cursor.skip(self.items)
            self.end = cursor.position
        return self.end

    def fields(self, names: Set[str]) -> Dict[str, Value]:
        """The entries of these names; the first counts."""
        found: Dict[str, Value] = {}
        for key, _, value in self.entries() if self.keyed and names else ():
            if key in names:
                found.setdefault(str(key), value)
                if len(found) == len(names):
                    break
        return found


class Element:
    """§5.9: an array whose items are found by the offset table, or by a list of all that is made when first needed."""

    def __init__(self, file: File, number: int, table: int, strict: bool) -> None:
        self.file, self.strict, self.part, self.table = file, strict, file.parts[number], file.parts.get(table)
        cursor = self.cursor(self.part.start)
        if cursor.token() != ARRAY:
            raise FormatError("PAY-FORM", self.part.start, f"part {number} is no array")
        self.count, self.first = cursor.value, cursor.position
        self.all: Optional[List[int]] = None
        self.width = 8 if file.wide else 4

    def cursor(self, position: int) -> Cursor:
        return Cursor(self.file, position, self.part.end, self.strict)

    def item(self, index: int) -> Cursor:
        if self.table is None or self.all is not None:
            if self.all is None:
                cursor, self.all = self.cursor(self.first), []
                for _ in range(self.count):
                    self.all.append(cursor.position)
                    cursor.skip()
            return self.cursor(self.all[index])
        if self.table.end - self.table.start != -(-self.count >> self.table.stride) * self.width:
            raise FormatError("PRT-LENGTH", self.table.entry, f"an offset table for {self.count} items")
        cursor = self.cursor(self.offset(index >> self.table.stride))
        cursor.skip(index & ((1 << self.table.stride) - 1))
        return cursor

    def offset(self, index: int) -> int:
        """Of an entry of the table, where it leads."""
        entry = (self.table.start if self.table else 0) + index * self.width
        self.file.touch(entry, entry + self.width)
        offset = int.from_bytes(self.file.data[entry : entry + self.width], "little")
        if not self.first <= offset < self.part.end:
            raise FormatError("IDX-RANGE", entry, f"offset {offset} lies outside of its element")
        return offset


class Values:
    def __init__(self, file: File, strict: bool = False) -> None:
        self.file, self.strict, self.plain = file, strict, file.fields["profile"] == "plain"
        self.strings = Element(file, STRINGS, STRING_OFFSETS, strict)
        self.shapes = Element(file, SHAPES, SHAPE_OFFSETS, strict)
        self.shared = Element(file, SHARED, SHARED_OFFSETS, strict)
        self.texts: Dict[int, str] = {}
        self.shape_cache: Dict[int, Shape] = {}
        self.built: Dict[Optional[int], Tuple[Any, int]] = {}  # shared values as Python objects, and their depths
        self.ends: Dict[int, int] = {}  # where the parts' values end

    @property
    def root(self) -> Value:
        part = self.file.parts[ROOT]
        return self.read(Cursor(self.file, part.start, part.end, self.strict), self.shared.count)

    # §4.2 to §4.5

    def read(self, cursor: Cursor, bound: int, whole: bool = False) -> Value:
        """One value. After a list or object in place, the cursor stands anywhere inside of it."""
        kind = cursor.token()
        if kind == INTEGER:
            number: int = cursor.value
            if whole or self.plain:  # §6.3, §4.6
                return number
            return self.text(number, cursor.start) if number >= 0 else self.reference(~number, cursor.start, bound)
        if kind == STRING:
            return cursor.text(self.file.limits.string)
        if kind == CONSTANT:
            return cursor.value  # type: ignore[no-any-return]
        if kind == FLOAT:
            if not -INFINITE < cursor.value < INFINITE:
                raise FormatError("NUM-NONFINITE", cursor.start, "a float that is not finite")
            return float(cursor.value)
        if kind == EXTENSION:
            if self.plain:
                raise FormatError("MSG-EXT", cursor.start, "an extension in profile `plain`")
            return cursor.integer()
        if kind == ARRAY or kind == MAP and self.plain:
            return self.container(cursor, kind, bound)
        raise FormatError("MSG-TYPE", cursor.start, "this form of msgpack is no value")

    def container(self, cursor: Cursor, kind: int, bound: int) -> Node:
        at, count, body = cursor.start, cursor.value, cursor.position
        if self.plain:
            return Node(self, at, body, cursor.end, count, count * (kind - ARRAY + 1), None, kind == MAP, bound)
        if count == 0:
            return Node(self, at, body, cursor.end, 0, 0, None, False, bound)
        self.file.touch(body, body + 1)
        first = self.file.data[body]
        if first not in IDS and not (first == NIL or first == FALSE and count % 2):
            raise FormatError("VAL-FORM", at, f"an array of {count} items that begins with {first:#04x}")
        cursor.token()
        if cursor.value is None:
            return Node(self, at, cursor.position, cursor.end, count - 1, count - 1, None, False, bound)
        if cursor.value is False:
            return Node(self, at, cursor.position, cursor.end, count // 2, count - 1, None, True, bound)
        if cursor.value < 0:
            raise FormatError("VAL-FORM", at, "an array that begins with a negative integer")
        if cursor.value >= self.shapes.count:
            raise FormatError("SHP-RANGE", cursor.start, f"shape {cursor.value} of {self.shapes.count}")
        shape = self.shape(cursor.value)
        if count - 1 != shape.width:
            raise FormatError("SHP-ARITY", at, f"{count - 1} values, the shape has {shape.width}")
        if shape.values > self.file.limits.tree_values:
            raise FormatError("LIM-NODES", at, f"a record of {shape.values} values or more")
        return self.record(at, cursor, shape, bound)

    def record(self, at: int, cursor: Cursor, shape: Shape, bound: int) -> Node:
        return Node(self, at, cursor.position, cursor.end, len(shape.slots), shape.width, shape.slots, True, bound)

    def key(self, cursor: Cursor) -> str:
        kind = cursor.token()
        if kind == STRING:
            return cursor.text(self.file.limits.key)
        if kind == INTEGER and cursor.value >= 0 and not self.plain:
            text = self.text(cursor.value, cursor.start)
            if len(text) * 4 > self.file.limits.key and len(text.encode()) > self.file.limits.key:
                raise FormatError("LIM-STRING", cursor.start, f"a key of {len(text.encode())} bytes")
            return text
        raise FormatError("MSG-TYPE", cursor.start, "a key that is no string")

    def text(self, index: int, at: int) -> str:
        if index not in self.texts:
            if index >= self.strings.count:
                raise FormatError("STR-RANGE", at, f"string {index} of {self.strings.count}")
            self.texts[index] = self.string(self.strings.item(index))
        return self.texts[index]

    def string(self, cursor: Cursor) -> str:
        if cursor.token() != STRING:
            raise FormatError("MSG-TYPE", cursor.start, "an item of the string table that is no string")
        return cursor.text(self.file.limits.string)

    def reference(self, index: int, at: int, bound: int) -> Node:
        """§4.4: references lead to smaller ids only."""
        if index >= bound:
            raise FormatError("SHR-RANGE", at, f"shared value {index}, expected one below {bound}")
        return self.shared_value(self.shared.item(index), index, at)

    def shared_value(self, cursor: Cursor, index: int, at: int) -> Node:
        kind = cursor.token()
        if kind in (MAP, BINARY):
            raise FormatError("MSG-TYPE", cursor.start, "a map or a byte string is no value")
        if kind != ARRAY:
            raise FormatError("VAL-FORM", cursor.start, "a shared value that is neither list nor object")
        node = self.container(cursor, kind, index)
        node.reference, node.shared = at, index
        return node

    # §6.1

    def shape(self, index: int) -> Shape:
        """The shape and those nested in it, which have lower ids: parsed from the top, measured from the bottom."""
        parsed: Dict[int, List[Slot]] = {}
        todo = [index]
        while todo:
            index_ = todo.pop()
            if index_ not in self.shape_cache and index_ not in parsed:
                parsed[index_] = self.slots(self.shapes.item(index_), index_)
                todo += [slot.value for slot in parsed[index_] if slot.form == NESTED]
        for index_ in sorted(parsed):
            self.measure(index_, parsed[index_])
        return self.shape_cache[index]

    def measure(self, index: int, slots: List[Slot]) -> None:
        """Width and nested shapes, with those of all lower ids known; saturating (§6.2)."""
        slots = [slot._replace(value=self.shape_cache[slot.value]) if slot.form == NESTED else slot for slot in slots]
        width = sum(slot.value.width if slot.form == NESTED else slot.form != FIXED for slot in slots)
        values = 1 + sum(slot.value.values if slot.form == NESTED else 1 for slot in slots)
        self.shape_cache[index] = Shape(slots, min(width, 1 << 32), min(values, 1 << 32))

    def slots(self, cursor: Cursor, index: int, distinct: bool = False) -> List[Slot]:
        if cursor.token() != ARRAY:
            raise FormatError("SHP-FORM", cursor.start, "a shape that is no array")
        keys: Set[str] = set()
        return [self.slot(cursor, index, keys if distinct else None) for _ in range(cursor.value)]

    def slot(self, cursor: Cursor, shape: int, keys: Optional[Set[str]]) -> Slot:
        at = cursor.position
        kind = cursor.token()
        count = cursor.value if kind == ARRAY else 0
        if kind == ARRAY:
            kind = cursor.token() if 1 <= count <= 3 else kind
        if not (kind == STRING or kind == INTEGER and cursor.value >= 0):
            raise FormatError("SHP-FORM", at, "no slot")
        begin = cursor.position = cursor.start
        key = self.key(cursor)
        if keys is not None:
            if key in keys:
                raise FormatError("VAL-DUPKEY", begin, f"key `{key}` stands twice in one shape")
            keys.add(key)
        if count <= 1:
            return Slot(key, WHOLE if count else PLAIN, None)
        kind = cursor.token()
        if count == 2 and kind == INTEGER:
            if not 0 <= cursor.value < shape:
                raise FormatError("SHP-RANGE", cursor.start, f"shape {cursor.value} in shape {shape}")
            return Slot(key, NESTED, cursor.value)
        if count == 2 or (kind, cursor.value) != (CONSTANT, None):
            raise FormatError("SHP-FORM", at, "no slot")
        begin = cursor.position
        kind = cursor.token()
        if kind in (BINARY, ARRAY, MAP) or kind == INTEGER and cursor.value < 0:
            raise FormatError("VAL-FORM", begin, "a constant that is no scalar")
        cursor.position = begin
        return Slot(key, FIXED, self.read(cursor, 0))

    # Python objects

    def build(self, value: Value) -> Any:
        """Dicts and lists, made with a stack of its own. Each shared value becomes one object (§9.2)."""
        if type(value) is not Node:
            return value
        if value.shared in self.built:
            return self.built[value.shared][0]
        limit, budget = self.file.limits.depth, self.file.limits.tree_values - value.size
        top = Frame(value, 1)
        stack = [top]
        while stack:
            frame = stack[-1]
            result, keyed = frame.result, frame.node.keyed
            for key, at, child in frame.entries:
                if keyed and key in result:
                    raise FormatError("VAL-DUPKEY", at, f"key `{key}` stands twice in one object")
                below = None
                if type(child) is Node:
                    if child.shared in self.built:
                        reference, (child, depth) = child.reference, self.built[child.shared]
                        frame.depth = max(frame.depth, depth + 1)
                        if frame.level + depth > limit:  # §9.1: a reference adds the depth of its target
                            raise FormatError("LIM-DEPTH", reference, f"more than {limit} levels")
                    else:
                        below = Frame(child, frame.level + 1 if child.shared is None else 1)
                        if below.level > limit:
                            raise FormatError("LIM-DEPTH", child.at, f"more than {limit} levels")
                        budget -= child.size
                        if budget < 0:
                            raise FormatError("LIM-NODES", child.at, "more values than the limit for trees in memory")
                        child = below.result
                if keyed:
                    result[key] = child
                else:
                    result.append(child)
                if below is not None:
                    stack.append(below)
                    break
            else:
                stack.pop()
                if frame.node.shared is not None:
                    self.built[frame.node.shared] = frame.result, frame.depth
                if stack:
                    parent = stack[-1]
                    parent.depth = max(parent.depth, frame.depth + 1)
                    if parent.level + frame.depth > limit:
                        raise FormatError("LIM-DEPTH", frame.node.reference, f"more than {limit} levels")
        return top.result

    def document(self) -> Any:
        """Level *decode*: the parts in the order of the file, each value once."""
        cursor = self.strings.cursor(self.strings.first)
        for index in range(self.strings.count):
            self.texts[index] = self.string(cursor)
        self.ends[STRINGS] = cursor.position
        cursor = self.shapes.cursor(self.shapes.first)
        for index in range(self.shapes.count):
            self.measure(index, self.slots(cursor, index, distinct=True))
        self.ends[SHAPES] = cursor.position
        cursor = self.shared.cursor(self.shared.first)
        self.shared.all = []  # so that references need no offset table
        for index in range(self.shared.count):
            self.shared.all.append(cursor.position)
            node = self.shared_value(cursor, index, cursor.position)
            self.build(node)
            cursor.position = node.finish()
        self.ends[SHARED] = cursor.position
        part = self.file.parts[ROOT]
        cursor = Cursor(self.file, part.start, part.end, self.strict)
        value = self.read(cursor, self.shared.count)
        result = self.build(value)
        in_place = type(value) is Node and value.shared is None
        self.ends[ROOT] = value.finish() if in_place else cursor.position  # type: ignore[union-attr]
        return result


class Frame:
    """A list or object that is being built, its level, and its depth as far as it is known."""

    __slots__ = ("node", "entries", "result", "level", "depth")

    def __init__(self, node: Node, level: int) -> None:
        self.node, self.entries, self.level, self.depth = node, node.entries(), level, 1
        self.result: Any = {} if node.keyed else []
