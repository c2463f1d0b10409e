"""§8.2 to §8.6 The index: lookups in the tables of the file, or in those made from the document
(§8.7)."""

from functools import cmp_to_key, lru_cache
from itertools import groupby
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple
from zlib import crc32

from .cursor import INTEGER, STRING, Cursor
from .errors import FormatError, need
from .file import (BUCKETS, CLASSES, DEPENDENCIES, EDGE_TABLES, ENTRIES, INDEX_TABLES, LANDMARK_OFFSETS, ROOT,
                   SLOTS, TREE, bucket_bits)
from .rule import INSTANCE, own_key, rule_of
from .tree import fields_of
from .values import Node, Value, Values
from .walk import NONE, Walk


class Table(NamedTuple):
    data: Any
    start: int
    entries: int
    size: int  # bytes of an entry


def search(low: int, high: int, is_before: Callable[[int], bool]) -> int:
    """The first number below `high` that is not before the wanted one."""
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_before(middle) else (low, middle)
    return low


class Index:
    """The tables by their numbers. An entry in use that leads outside of its part or table is
    `IDX-RANGE`."""

    def __init__(self, values: Values, rebuilds: bool = False) -> None:
        """Tables are made always, or, by default, if those of keys are missing."""
        self.values, self.file = values, values.file
        self.rule = rule_of(self.file.fields, self.file.places, self.file.limits)  # §8.1: judged when used
        self.tables: Dict[int, Table] = {}
        self.owns: Optional[List[str]] = None  # own keys, where the tables were made
        self.alike: Dict[int, int] = {}  # the first ordinals with the same own keys on each level
        self.head = lru_cache(8)(self.made_head)  # landmarks are beside each other
        self.stripped: Dict[int, List[int]] = {}  # ordinals by hashes of keys without instance keys
        parts = self.file.parts
        if rebuilds or not self.rule.keys or SLOTS not in parts:
            walk, by_key = Walk(values, self.rule.bare), cmp_to_key(self.order)
            self.owns, self.alike, hash_of = walk.owns, walk.alike, walk.hashes.__getitem__
            self.add(walk.tables())
            runs = groupby(sorted(range(self.count), key=hash_of), hash_of)
            self.add(walk.slots([ordinal for _, run in runs for ordinal in sorted(run, key=by_key)]))
        else:
            for number in {*INDEX_TABLES, *EDGE_TABLES} & parts.keys():
                start, count = parts[number].start, self.file.count(number)
                self.tables[number] = Table(self.file.data, start, count, ENTRIES[number][self.file.wide])
            self.add({})

    def add(self, tables: Dict[int, bytes]) -> None:
        """Tables that were made; where entries may lead depends on the lengths of others."""
        for number, table in tables.items():
            size = ENTRIES[number][self.file.wide]
            self.tables[number] = Table(table, 0, len(table) // size, size)
        self.count, places = self.length(LANDMARK_OFFSETS), range(*self.file.parts[ROOT][:2])
        self.bounds = {LANDMARK_OFFSETS: places, CLASSES: range(len(self.rule.keys)), SLOTS: places}
        self.bounds[BUCKETS] = range(self.count + 1)
        for starts in EDGE_TABLES[::3]:
            self.bounds[starts] = range(self.length(starts + 1) + 1)
            self.bounds[starts + 1], self.bounds[starts + 2] = range(self.count), range(len(self.rule.edges))

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
        """The target of an entry. A slot leads to its offset (§8.5); the tree has two targets
        (`family`)."""
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
        """The same, checked so that a walk over parents or children ends."""
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
        key, cursor = self.place(ordinal)
        return key, self.values.read(cursor)

    def place(self, ordinal: int) -> Tuple[Optional[str], Cursor]:
        """The same, the value not yet read."""
        cursor = self.values.cursor.at(self.entry(LANDMARK_OFFSETS, ordinal))
        kind, key = cursor.token(), None
        cursor.position = cursor.start
        is_key = kind == STRING or kind == INTEGER and cursor.value >= 0
        if is_key:
            key = self.values.key(cursor)
        return key, cursor

    def own_key(self, ordinal: int) -> str:
        return self.made_key(ordinal) or ""

    def made_key(self, ordinal: int) -> Optional[str]:
        """The own key; None, if there is none and so no landmark."""
        if self.owns is not None:
            return self.owns[ordinal]
        number, (key, cursor) = self.class_(ordinal), self.place(ordinal)
        if self.rule.keys[number]:
            value = self.values.read(cursor)
            if type(value) is not Node or not value.keyed:
                return None
            key = own_key(self.rule.keys[number], fields_of(value, self.rule.fields[number]))
        return key

    def outer(self, ordinal: int) -> int:
        """The landmark whose full key begins this one's, or -1."""
        parent = None if self.rule.join is None else self.around(ordinal)[0]
        return -1 if parent is None else self.alike.get(parent, parent)

    def key(self, ordinal: int) -> str:
        """The full key: own keys from the outermost landmark to this one, with the join between them.
        """
        return self.head(self.outer(ordinal)) + self.own_key(ordinal)

    def made_head(self, outer: int) -> str:
        """What precedes the own key, if this landmark is around."""
        chain = []
        while outer >= 0:
            chain.append(self.own_key(outer) + (self.rule.join or ""))
            outer = self.outer(outer)
        return "".join(reversed(chain))

    def order(self, one: int, two: int) -> int:
        """Whether a full key is before another (-1), equal to it (0) or after it (1), as bytes in UTF-8
        would be. They differ only after their innermost common landmark."""
        ends, tails = [self.alike.get(one, one), self.alike.get(two, two)], ["", ""]
        for _ in range(16):
            if ends[0] == ends[1]:
                break
            side = int(ends[1] > ends[0])
            later, ends[side] = ends[side], self.outer(ends[side])
            tails[side] = ("" if ends[side] < 0 else self.rule.join or "") + self.own_key(later) + tails[side]
        heads = ["" if at < 0 or ends[0] == ends[1] else self.key(at) for at in ends]
        first, second = heads[0] + tails[0], heads[1] + tails[1]
        return (first > second) - (first < second)

    def find(self, key: str) -> List[int]:
        """§8.5: the ordinals of all landmarks of this key."""
        hash_, bits = crc32(key.encode("utf-8", "surrogatepass")), bucket_bits(self.count)
        bucket = hash_ >> 32 - bits
        first, stop = self.entry(BUCKETS, bucket), self.entry(BUCKETS, bucket + 1)
        if first > stop:
            self.refuse("IDX-DIFFERS", BUCKETS, bucket)
        found: List[int] = []
        low = search(first, stop, lambda index: self.slot(index, hash_, key)[0] < 0)
        for index in range(low, stop):
            order, ordinal = self.slot(index, hash_, key, found[0] if found else None)
            if order:
                break
            found.append(ordinal)
        return found

    def slot(self, index: int, hash_: int, key: str, like: Optional[int] = None) -> Tuple[int, int]:
        """How its hash and full key compare to these, as in `order`, and the ordinal. `like`: a landmark
        that has the key."""
        order = (self.number(SLOTS, index) & NONE) - hash_
        if order == 0:
            offset = self.entry(SLOTS, index)  # landmark offsets ascend
            low = search(0, self.count, lambda at: self.entry(LANDMARK_OFFSETS, at) < offset)
            if low == self.count or self.entry(LANDMARK_OFFSETS, low) != offset:
                self.refuse("IDX-RANGE", SLOTS, index)
            if self.made_key(low) is None:
                self.refuse("IDX-DIFFERS", SLOTS, index)
            if like is not None:
                return self.order(low, like), low
            full = self.key(low)
            if full != key and crc32(full.encode()) != hash_:
                self.refuse("IDX-DIFFERS", SLOTS, index)
            return (full > key) - (full < key), low
        return order, -1

    def find_bare(self, key: str) -> List[int]:
        """§8.1, Instance keys: those of this full key with or without them, the outermost of them."""
        if not self.stripped:
            for ordinal in range(self.count):
                bare = INSTANCE.sub("", self.key(ordinal))
                self.stripped.setdefault(hash(bare), []).append(ordinal)
        alike = self.stripped.get(hash(key), ())
        met = {*self.find(key), *(at for at in alike if INSTANCE.sub("", self.key(at)) == key)}
        return sorted(at for at in met if self.around(at)[0] not in met)

    def edges(self, ordinal: int, starts: int = DEPENDENCIES) -> List[Tuple[int, int]]:
        """§8.6: ordinals and kinds, by the table of dependencies or that of dependents."""
        if not self.rule.edges or self.owns is None and starts not in self.tables:
            return []  # §5.8: no table, no edges
        self.make_edges()
        at = 2 * ordinal if self.length(starts) == 2 * self.count else ordinal
        first, last = self.entry(starts, at), self.entry(starts, at + 1)
        if first > last:
            self.refuse("IDX-DIFFERS", starts, at)
        return [(self.entry(starts + 1, edge), self.entry(starts + 2, edge)) for edge in range(first, last)]

    def make_edges(self) -> None:
        """§8.6: made on demand, since a small file can have any number."""
        if self.rule.edges and DEPENDENCIES not in self.tables:
            self.add(Walk(self.values, self.rule, (self.find, self.find_bare)).edges())
