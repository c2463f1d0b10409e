"""§8.7 The tables of the index, made by walking the document with its rule."""

import struct
import sys
from bisect import bisect_left
from itertools import accumulate, groupby
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union
from zlib import crc32

from .errors import need
from .file import BUCKETS, CLASSES, LANDMARK_OFFSETS, ROOT, SLOTS, TREE, bucket_bits
from .rule import Rule, States, own_key
from .tree import fields_of, identity
from .values import Job, Node, Value, Values, run

NONE = 0xFFFFFFFF  # §8.4: no parent
Ends = Set[Tuple[int, Any]]  # kinds of edges, and their ends by name


class Walk:
    """The landmarks of a document in their order, and the texts that are references according to
    `finds` (§8.1), by full keys and by those without instance keys. Holds own keys, and of full keys only
    hashes and lengths."""

    def __init__(self, values: Values, rule: Rule, finds: Sequence[Callable[[str], List[int]]] = ()) -> None:
        self.rule, self.limits, self.finds, self.file = rule, values.limits, finds, values.file
        self.room, self.root = self.limits.keys, values.file.parts[ROOT].start
        self.columns: List[List[int]] = [[] for _ in range(6)]
        self.offsets, self.classes, self.parents, self.ends, self.hashes, self.sizes = self.columns
        self.first: Dict[Tuple[int, str], int] = {}  # with an own key below the first that is like its parent
        self.alike: Dict[int, int] = {}  # the first ordinals with the same own keys on each level
        self.owns: List[str] = []
        self.found: List[Ends] = []
        self.named: Dict[Tuple[str, bool], List[int]] = {}  # what `find` found
        self.bare = [edge.reading == "[" for edge in rule.edges]
        self.remembered: Dict[Tuple[object, States], Ends] = {}  # of values that are used more than once
        if self.rule.keys:
            run(self.visit(0, self.root, values.root(), self.rule.start, NONE, set(), 0))

    def visit(self, key: Union[str, int], at: int, value: Value, states: States, around: int, found: Ends,
              level: int, is_shared: bool = False, in_record: bool = False) -> Job:
        """A value with `states`, in the landmark `around`, whose edges are `found`."""
        opened, (number, own) = NONE, self.match(states, key, value)
        if own is not None:
            need(not is_shared and not in_record, "VAL-FORM", at, "a landmark in a record or a shared value")
            opened, found = len(self.offsets), set()
            need(opened < self.limits.landmarks, "LIM-COUNT", self.root, "too many landmarks")
            is_full = around == NONE or self.rule.join is None
            text = (own if is_full else f"{self.rule.join}{own}").encode()
            hash_, size = (0, 0) if is_full else (self.hashes[around], self.sizes[around])
            self.alike[opened] = self.first.setdefault((self.alike.get(around, NONE), own), opened)
            landmark = at, number, around, NONE, crc32(text, hash_), size + len(text)
            for column, entry in zip(self.columns, landmark):
                column.append(entry)
            self.room -= self.sizes[-1]
            need(self.room >= 0, "LIM-COUNT", self.root, "too many bytes of full keys")
            self.owns.append(sys.intern(own))
            self.found.append(found)
            around = opened
        if type(value) is str:
            for kind in self.rule.ends[states][1]:
                for wanted in ((name, self.bare[kind]) for name in self.rule.edges[kind].references(value)):
                    if wanted not in self.named:
                        self.named[wanted] = self.finds[wanted[1]](wanted[0])
                    if self.named[wanted]:
                        found.add((kind, wanted))
        elif type(value) is Node:
            same = identity(value)
            memory, is_one = (same, states), same is None
            inside = None if is_one else self.remembered.get(memory)
            if inside is None:
                need(level < self.limits.depth, "LIM-DEPTH", value.at, "too many levels")
                inside = found if is_one else self.remembered.setdefault(memory, set())
                is_shared = is_shared or value.shared is not None
                for name, place, child in value.entries():
                    beyond = self.rule.step(states, name, value.keyed and value.size == 1)
                    if beyond:
                        yield self.visit(name, place, child, beyond, around, inside, level + 1, is_shared,
                                         value.slots is not None)
            if inside is not found:
                found |= inside
        if opened != NONE:
            self.ends[opened] = len(self.offsets)

    def match(self, states: States, key: Union[str, int], value: Value) -> Tuple[int, Optional[str]]:
        """Class and own key, by the lowest pattern that ends here."""
        number = min(self.rule.ends[states][0], default=-1)
        if number >= 0 and not self.rule.keys[number]:
            return number, key if isinstance(key, str) else None
        if number < 0 or type(value) is not Node or not value.keyed:
            return number, None
        return number, own_key(self.rule.keys[number], fields_of(value, self.rule.fields[number]))

    def tables(self) -> Dict[int, bytes]:
        """§8.2 to §8.4, all of them."""
        offsets = words(self.offsets, "Q" if self.file.wide else "I")
        return {LANDMARK_OFFSETS: offsets, CLASSES: bytes(self.classes),
                TREE: b"".join(map(struct.Struct("<II").pack, self.parents, self.ends))}

    def slots(self, order: List[int]) -> Dict[int, bytes]:
        """§8.5, of ordinals in their order."""
        bits, pack = bucket_bits(len(order)), struct.Struct("<QQ" if self.file.wide else "<II").pack
        hashes = [self.hashes[ordinal] for ordinal in order]
        buckets = words([bisect_left(hashes, bucket << 32 - bits) for bucket in range((1 << bits) + 1)])
        return {BUCKETS: buckets, SLOTS: b"".join(map(pack, hashes, map(self.offsets.__getitem__, order)))}

    def edges(self) -> Dict[int, bytes]:
        """§8.6. Landmarks with equal edges share a row. An edge is one number, of its other end and kind.
        """
        rows, numbers = self.rows(self.found, self.named)
        met: List[Ends] = [set() for _ in numbers]  # the rows that lead to each landmark, and kinds
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        sources = {number: [*run] for number, run in groupby(order, numbers.__getitem__)}
        for number, end in ((number, end) for number, row in enumerate(rows) for end in row):
            met[end >> 5].add((end & 31, number))
        return {**self.edge_tables(40, rows, numbers), **self.edge_tables(43, *self.rows(met, sources))}

    def rows(self, lists: List[Ends], ends: Dict[Any, List[int]]) -> Tuple[List[Tuple[int, ...]], List[int]]:
        """The distinct rows of these lists, and the number of the row of each."""
        room = min(self.limits.edges, max(1 << 22, 16 * self.file.size))  # §9.9
        known, rows = {}, {}  # type: Dict[Any, int], Dict[Any, int]
        for found in filter(lambda found: found not in known, map(frozenset, lists)):
            room -= sum(len(ends[name]) for _, name in found)
            need(room >= 0, "LIM-COUNT", self.root, "too many edges")
            row = {end << 5 | kind for kind, name in found for end in ends[name]}
            known[found] = rows.setdefault(tuple(sorted(row)), len(rows))
        return [*rows], [known[frozenset(found)] for found in lists]

    def edge_tables(self, starts: int, rows: List[Tuple[int, ...]], numbers: List[int]) -> Dict[int, bytes]:
        """§8.6, as the file has them: with shared rows or without."""
        is_shared = self.file.count(starts) in (0, 2 * len(numbers))
        kept = rows if is_shared else [rows[number] for number in numbers]
        bounds, edges = [0, *accumulate(map(len, kept))], [end for row in kept for end in row]
        firsts = [bounds[at] for number in numbers for at in (number, number + 1)] if is_shared else bounds
        kinds = bytes(end & 31 for end in edges)
        return {starts: words(firsts), starts + 1: words([end >> 5 for end in edges]), starts + 2: kinds}


def words(numbers: Sequence[int], form: str = "I") -> bytes:
    return struct.pack(f"<{len(numbers)}{form}", *numbers)
