"""§8.2 to §8.6 The index: lookups in the tables of the file, or in those made from the document (§8.7)."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple
from zlib import crc32

from .cursor import INTEGER, STRING
from .errors import FormatError, need
from .file import (BUCKETS, CLASSES, DEPENDENCIES, EDGE_TABLES, ENTRIES, INDEX_TABLES, LANDMARK_OFFSETS, ROOT,
                   SLOTS, TREE, bucket_bits)
from .rule import own_key
from .values import Node, Value, Values
from .walk import NONE, make_tables


class Table(NamedTuple):
    data: Any
    start: int
    entries: int
    size: int  # bytes of an entry


class Index:
    """The tables by their numbers. An entry in use that leads outside of its part or table is `IDX-RANGE`."""

    def __init__(self, values: Values, rebuilds: bool = True) -> None:
        self.values, self.file, self.rule = values, values.file, values.file.rule
        file, patterns, edges = self.file, len(self.rule.keys), len(self.rule.edges)
        self.tables: Dict[int, Table] = {}
        for number in {*INDEX_TABLES, *EDGE_TABLES} & file.parts.keys():
            self.add(number, file.data, file.parts[number].start, file.count(number))
        needed = {LANDMARK_OFFSETS, BUCKETS, SLOTS, *([CLASSES] if patterns > 1 else ())}
        if edges:  # §8.6: some of them alone are ignored
            needed.update(EDGE_TABLES)
        if rebuilds and not (patterns and needed <= self.tables.keys()):
            self.tables = {}
            for number, table in make_tables(values).items():
                self.add(number, table, 0, len(table) // ENTRIES[number][file.wide])
        self.count = self.length(LANDMARK_OFFSETS)
        places = range(file.parts[ROOT].start, file.parts[ROOT].end)
        self.bounds = {LANDMARK_OFFSETS: places, CLASSES: range(patterns), SLOTS: places}
        self.bounds[BUCKETS] = range(self.count + 1)
        for starts in EDGE_TABLES[::3]:
            self.bounds[starts] = range(self.length(starts + 1) + 1)
            self.bounds[starts + 1], self.bounds[starts + 2] = range(self.count), range(edges)

    def add(self, number: int, data: Any, start: int, count: int) -> None:
        self.tables[number] = Table(data, start, count, ENTRIES[number][self.file.wide])

    def length(self, number: int) -> int:
        return self.tables[number].entries if number in self.tables else 0

    def number(self, table: int, index: int) -> int:
        data, start, _, size = self.tables[table]
        at = start + index * size
        if data is self.file.data:
            self.file.touch(at, at + size)
        return int.from_bytes(data[at : at + size], "little")

    def refuse(self, code: str, table: int, index: int) -> None:
        _, start, _, size = self.tables[table]
        raise FormatError(code, start + index * size, f"entry {index} of part {table}")

    def entry(self, table: int, index: int) -> int:
        """Where an entry leads; that of a slot is its offset (§8.5), that of the tree has two (`family`)."""
        number = self.number(table, index)
        if table == SLOTS:
            number >>= 64 if self.file.wide else 32
        if number not in self.bounds[table]:
            self.refuse("IDX-RANGE", table, index)
        return number

    def class_(self, ordinal: int) -> int:
        return self.entry(CLASSES, ordinal) if CLASSES in self.tables else 0

    def family(self, ordinal: int) -> Tuple[int, int]:
        """§8.4: parent, or NONE, and end."""
        if TREE not in self.tables:
            return NONE, ordinal + 1
        number = self.number(TREE, ordinal)
        parent, end = number & NONE, number >> 32
        if parent != NONE and parent >= self.count or end > self.count:
            self.refuse("IDX-RANGE", TREE, ordinal)
        return parent, end

    def around(self, ordinal: int) -> Tuple[Optional[int], int]:
        """The same, such that a walk over parents or children ends."""
        parent, end = self.family(ordinal)
        if parent != NONE and parent >= ordinal or end <= ordinal:
            self.refuse("IDX-DIFFERS", TREE, ordinal)
        return None if parent == NONE else parent, end

    def children(self, ordinal: int) -> Iterator[int]:
        child, end = ordinal + 1, self.around(ordinal)[1]
        while child < end:
            yield child
            child = self.around(child)[1]

    def value(self, ordinal: int) -> Tuple[Optional[str], Value]:
        """§8.2: the landmark's key, if it is an entry of an object, and its value."""
        cursor = self.values.cursor.at(self.entry(LANDMARK_OFFSETS, ordinal))
        kind, key = cursor.token(), None
        cursor.position = cursor.start
        is_key = kind == STRING or kind == INTEGER and cursor.value >= 0
        if is_key or not self.rule.keys[self.class_(ordinal)]:
            key = self.values.key(cursor)
        return key, self.values.read(cursor)

    def own_key(self, ordinal: int) -> str:
        number, (key, value) = self.class_(ordinal), self.value(ordinal)
        if self.rule.keys[number]:
            fields = value.fields(self.rule.fields[number]) if type(value) is Node else {}
            key = own_key(self.rule.keys[number], fields)
        return key or ""

    def key(self, ordinal: int) -> str:
        """The full key: own keys from the outermost landmark to this one."""
        keys = [self.own_key(ordinal)]
        at = None if self.rule.join is None else self.around(ordinal)[0]
        while at is not None:
            keys.append(self.own_key(at))
            at = self.around(at)[0]
        return (self.rule.join or "").join(reversed(keys))

    def find(self, key: str) -> List[int]:
        """§8.5: the ordinals of all landmarks of this key."""
        wanted = key.encode("utf-8", "surrogatepass")
        hash_, bits = crc32(wanted), bucket_bits(self.count)
        bucket = hash_ >> 32 - bits
        low, stop = self.entry(BUCKETS, bucket), self.entry(BUCKETS, bucket + 1)
        if low > stop:
            self.refuse("IDX-DIFFERS", BUCKETS, bucket)
        high, found = stop, []
        while low < high:
            middle = (low + high) // 2
            is_before = self.slot(middle, hash_)[:2] < (hash_, wanted)
            low, high = (middle + 1, high) if is_before else (low, middle)
        while low < stop and self.slot(low, hash_)[:2] == (hash_, wanted):
            found.append(self.slot(low, hash_)[2])
            low += 1
        return found

    def slot(self, index: int, wanted: int) -> Tuple[int, bytes, int]:
        """Hash, and for the wanted hash also the full key and the ordinal."""
        hash_ = self.number(SLOTS, index) & NONE
        if hash_ == wanted:
            offset, low, high = self.entry(SLOTS, index), 0, self.count
            while low < high:  # landmark offsets ascend
                middle = (low + high) // 2
                is_before = self.entry(LANDMARK_OFFSETS, middle) < offset
                low, high = (middle + 1, high) if is_before else (low, middle)
            if low < self.count and self.entry(LANDMARK_OFFSETS, low) == offset:
                return hash_, self.key(low).encode(), low
        return hash_, b"", NONE  # another hash, or an index of another document: a miss (§8.7)

    def edges(self, ordinal: int, starts: int = DEPENDENCIES) -> List[Tuple[int, int]]:
        """§8.6: ordinals and kinds, by the table of dependencies or that of dependents."""
        if not self.rule.edges:
            return []
        first, last = self.entry(starts, ordinal), self.entry(starts, ordinal + 1)
        if first > last:
            self.refuse("IDX-DIFFERS", starts, ordinal)
        return [(self.entry(starts + 1, edge), self.entry(starts + 2, edge)) for edge in range(first, last)]
