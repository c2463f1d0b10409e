"""§8.2 to §8.6 The index: lookups in the tables of the file, or in the same tables made from the document."""

from typing import Any, Dict, Iterator, List, Optional, Tuple
from zlib import crc32

from .cursor import INTEGER, STRING, Cursor
from .errors import FormatError
from .file import (BUCKETS, CLASSES, DEPENDENT_KINDS, EDGE_TABLES, LANDMARK_OFFSETS, ROOT, SLOTS, TREE, bucket_bits)
from .rebuild import NONE, rebuild
from .rule import own_key
from .values import Node, Value, Values


class Index:
    """The tables by their numbers. An entry that leads outside of its part or table is `IDX-RANGE` where it is used."""

    def __init__(self, values: Values, as_it_is: bool = False) -> None:
        self.values, self.file, self.rule = values, values.file, values.file.rule
        self.offset_size = 8 if self.file.wide else 4
        self.tables: Dict[int, Tuple[Any, int, int]] = {
            number: (self.file.data, part.start, part.end) for number, part in self.file.parts.items()
            if LANDMARK_OFFSETS <= number <= DEPENDENT_KINDS}
        needed = {LANDMARK_OFFSETS, BUCKETS, SLOTS} | ({CLASSES} if len(self.rule.keys) > 1 else set())
        if not as_it_is and not (self.rule.keys and needed <= self.tables.keys()):
            self.walk()
        self.count = self.entries(LANDMARK_OFFSETS, self.offset_size)
        self.has_edges = self.tables.keys() >= set(EDGE_TABLES)  # §8.6: some of them alone are ignored

    def walk(self) -> None:
        self.tables = {number: (table, 0, len(table)) for number, table in rebuild(self.values).items()}

    def entries(self, table: int, size: int) -> int:
        _, start, end = self.tables.get(table, (b"", 0, 0))
        return (end - start) // size

    def number(self, table: int, index: int, size: int = 4) -> int:
        data, start, _ = self.tables[table]
        at = start + index * size
        if data is self.file.data:
            self.file.touch(at, at + size)
        return int.from_bytes(data[at : at + size], "little")

    def leads(self, inside: bool, table: int, index: int, size: int = 4) -> None:
        if not inside:
            raise FormatError("IDX-RANGE", self.tables[table][1] + index * size, f"entry {index} of part {table}")

    def ascends(self, low: int, high: int, table: int, index: int) -> None:
        if low > high:
            raise FormatError("IDX-DIFFERS", self.tables[table][1] + 4 * index, f"entry {index} of part {table} is above the next")

    def entry(self, table: int, index: int, bound: int, size: int = 4) -> int:
        """A number below its bound."""
        number = self.number(table, index, size)
        self.leads(number < bound, table, index, size)
        return number

    def offset(self, ordinal: int) -> int:
        offset, root = self.number(LANDMARK_OFFSETS, ordinal, self.offset_size), self.file.parts[ROOT]
        self.leads(root.start <= offset < root.end, LANDMARK_OFFSETS, ordinal, self.offset_size)
        return offset

    def slot_offset(self, index: int) -> int:
        offset, root = self.number(SLOTS, 2 * index + 1, self.offset_size), self.file.parts[ROOT]
        self.leads(root.start <= offset < root.end, SLOTS, index, 2 * self.offset_size)
        return offset

    def class_(self, ordinal: int) -> int:
        return self.entry(CLASSES, ordinal, len(self.rule.keys), 1) if CLASSES in self.tables else 0

    def tree(self, ordinal: int) -> Tuple[int, int]:
        """Parent, or NONE, and end."""
        if TREE not in self.tables:
            return NONE, ordinal + 1
        parent, end = self.number(TREE, 2 * ordinal), self.number(TREE, 2 * ordinal + 1)
        self.leads((parent == NONE or parent < self.count) and end <= self.count, TREE, ordinal, 8)
        return parent, end

    def around(self, ordinal: int) -> Tuple[Optional[int], int]:
        """Parent and end, such that a walk over parents or children ends."""
        parent, end = self.tree(ordinal)
        if parent != NONE and parent >= ordinal or end <= ordinal:
            raise FormatError("IDX-DIFFERS", self.tables[TREE][1] + 8 * ordinal, "a landmark inside of a later one")
        return None if parent == NONE else parent, end

    def parent(self, ordinal: int) -> Optional[int]:
        return self.around(ordinal)[0]

    def bucket(self, index: int) -> int:
        return self.entry(BUCKETS, index, self.count + 1)

    def start(self, starts: int, row: int) -> int:
        return self.entry(starts, row, self.entries(starts + 1, 4) + 1)

    def target(self, targets: int, edge: int) -> int:
        return self.entry(targets, edge, self.count)

    def kind(self, kinds: int, edge: int) -> int:
        return self.entry(kinds, edge, len(self.rule.edges), 1)

    def children(self, ordinal: int) -> Iterator[int]:
        child, end = ordinal + 1, self.around(ordinal)[1]  # §8.4
        while child < end:
            yield child
            child = self.around(child)[1]

    def value(self, ordinal: int) -> Tuple[Optional[str], Value]:
        """§8.2: the landmark's key, if it is an entry of an object, and its value."""
        cursor = Cursor(self.file, self.offset(ordinal), self.file.parts[ROOT].end)
        kind = cursor.token()
        cursor.position = cursor.start
        key = None
        if not self.rule.keys[self.class_(ordinal)] or kind == STRING or kind == INTEGER and cursor.value >= 0:
            key = self.values.key(cursor)
        return key, self.values.read(cursor, self.values.shared.count)

    def own_key(self, ordinal: int) -> str:
        number = self.class_(ordinal)
        key, value = self.value(ordinal)
        if self.rule.keys[number]:
            fields = value.fields(self.rule.fields[number]) if type(value) is Node else {}
            return own_key(self.rule.keys[number], fields) or ""
        return key or ""

    def key(self, ordinal: int) -> str:
        if self.rule.join is None:
            return self.own_key(ordinal)
        names = []
        at: Optional[int] = ordinal
        while at is not None:
            names.append(self.own_key(at))
            at = self.parent(at)
        return self.rule.join.join(reversed(names))

    def find(self, key: str) -> List[int]:
        """§8.5: the ordinals of all landmarks of this key."""
        wanted = key.encode("utf-8", "surrogatepass")
        hash_, bits = crc32(wanted), bucket_bits(self.count)
        bucket = hash_ >> 32 - bits
        low, high = self.bucket(bucket), self.bucket(bucket + 1)
        self.ascends(low, high, BUCKETS, bucket)
        stop = high
        while low < high:
            middle = (low + high) // 2
            if self.slot(middle, hash_)[:2] < (hash_, wanted):
                low = middle + 1
            else:
                high = middle
        found = []
        while low < stop and self.slot(low, hash_)[:2] == (hash_, wanted):
            found.append(self.slot(low, hash_)[2])
            low += 1
        return found

    def slot(self, index: int, wanted: int) -> Tuple[int, bytes, int]:
        """Hash, and for the wanted hash also the full key and the ordinal."""
        hash_ = self.number(SLOTS, 2 * index, self.offset_size) & NONE
        if hash_ != wanted:
            return hash_, b"", NONE
        offset = self.slot_offset(index)
        low, high = 0, self.count  # landmark offsets ascend
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.offset(middle) < offset else (low, middle)
        if low == self.count or self.offset(low) != offset:
            return hash_, b"", NONE  # an index of another document: a miss (§8.7)
        return hash_, self.key(low).encode(), low

    def edges(self, ordinal: int, starts: int) -> List[Tuple[int, int]]:
        """§8.6: ordinals and kinds, by the table of dependencies or that of dependents."""
        if not self.rule.edges:
            return []
        if not self.has_edges:
            self.walk()
            self.has_edges = True
        first, last = self.start(starts, ordinal), self.start(starts, ordinal + 1)
        self.ascends(first, last, starts, ordinal)
        return [(self.target(starts + 1, edge), self.kind(starts + 2, edge)) for edge in range(first, last)]
