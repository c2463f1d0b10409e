"""§8.7 The tables of the index, made by walking the document with its rule."""

import struct
import sys
from array import array
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union
from zlib import crc32

from .errors import need
from .file import BUCKETS, CLASSES, DEPENDENCIES, DEPENDENTS, LANDMARK_OFFSETS, ROOT, SLOTS, TREE, bucket_bits
from .rule import Rule, States, own_key
from .tree import fields_of, identity
from .values import Job, Node, Value, Values, run

NONE = 0xFFFFFFFF  # §8.4: no parent
MASK, ROW = (1 << 29) - 1, 34  # of an edge in one number: five bits for the kind (§8.1), then the target
Found = Set[Tuple[int, str]]  # kinds and texts of edges
Find = Callable[[str], List[int]]


class Walk:
    """The landmarks of a document in their order, and the texts that are references according to
    `finds` (§8.1), by full keys and by those without instance keys. Holds own keys, and of full keys only
    hashes and lengths."""

    def __init__(self, values: Values, rule: Rule, finds: Sequence[Find] = ()) -> None:
        self.rule, self.limits, self.finds, self.wide = rule, values.limits, finds, values.file.wide
        self.room, self.root = self.limits.keys, values.file.parts[ROOT].start
        self.edge_room = min(self.limits.edges, max(1 << 22, 16 * values.file.size))  # §9.9
        self.columns: List[List[int]] = [[] for _ in range(6)]
        self.offsets, self.classes, self.parents, self.ends, self.hashes, self.sizes = self.columns
        self.first: Dict[Tuple[int, str], int] = {}  # with an own key below the first that is like its parent
        self.alike: Dict[int, int] = {}  # the first ordinals with the same own keys on each level
        self.owns: List[str] = []
        self.found: List[Found] = []
        self.named: Dict[Tuple[str, bool], List[int]] = {}  # what `find` found
        self.bare = [edge.reading == "[" for edge in rule.edges]
        self.remembered: Dict[Tuple[object, States], Found] = {}  # of values that are used more than once
        if self.rule.keys:
            run(self.visit(0, self.root, values.root(), self.rule.start, NONE, set(), 0))

    def visit(self, key: Union[str, int], at: int, value: Value, states: States, around: int, found: Found,
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
                        found.add((kind, wanted[0]))
        elif type(value) is Node:
            same = identity(value)
            memory, is_one = (same, states), same is None
            inside = None if is_one else self.remembered.get(memory)
            if inside is None:
                most = self.limits.depth
                need(level < most, "LIM-DEPTH", value.at, "more than {} levels", most)
                inside = found if is_one else self.remembered.setdefault(memory, set())
                is_only = value.keyed and value.size == 1
                is_shared = is_shared or value.shared is not None
                for name, place, child in value.entries():
                    beyond = self.rule.step(states, name, is_only)
                    if beyond:
                        yield self.visit(name, place, child, beyond, around, inside, level + 1, is_shared,
                                         value.slots is not None)
            if inside is not found:
                found |= inside
        if opened != NONE:
            self.ends[opened] = len(self.offsets)
            self.edge_room -= sum(len(self.named[name, self.bare[kind]]) for kind, name in found)
            need(self.edge_room >= 0, "LIM-COUNT", self.root, "too many edges")

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
        n, offset = len(self.offsets), "Q" if self.wide else "I"
        return {LANDMARK_OFFSETS: struct.pack(f"<{n}{offset}", *self.offsets), CLASSES: bytes(self.classes),
                TREE: b"".join(map(struct.Struct("<II").pack, self.parents, self.ends))}

    def slots(self, order: List[int]) -> Dict[int, bytes]:
        """§8.5, of ordinals in their order."""
        bits, pack = bucket_bits(len(order)), struct.Struct("<QQ" if self.wide else "<II").pack
        buckets = rows([self.hashes[ordinal] >> 32 - bits for ordinal in order], 1 << bits)
        slots = b"".join(pack(self.hashes[ordinal], self.offsets[ordinal]) for ordinal in order)
        return {BUCKETS: buckets, SLOTS: slots}

    def edges(self) -> Dict[int, bytes]:
        """§8.6. Each edge is one number, of row, target and kind: a small file can have millions."""
        edges, count = array("Q"), len(self.offsets)
        for row, found in enumerate(self.found):
            ends = {to << 5 | kind for kind, name in found for to in self.named[name, self.bare[kind]]}
            edges.extend(row << ROW | end for end in sorted(ends))
        back = array("Q", sorted((edge >> 5 & MASK) << ROW | edge >> ROW << 5 | edge & 31 for edge in edges))
        return {**edge_tables(DEPENDENCIES, edges, count), **edge_tables(DEPENDENTS, back, count)}


def edge_tables(starts: int, edges: "array[int]", count: int) -> Dict[int, bytes]:
    """§8.6, of edges in order."""
    firsts = rows((edge >> ROW for edge in edges), count)
    targets = array("I", (edge >> 5 & MASK for edge in edges))
    if sys.byteorder == "big":
        targets.byteswap()
    return {starts: firsts, starts + 1: targets.tobytes(), starts + 2: bytes(edge & 31 for edge in edges)}


def rows(numbers: Iterable[int], count: int) -> bytes:
    """For each row from 0 to `count`, how many of the ascending numbers are below it (§8.5, §8.6).
    """
    below = [0] * (count + 1)
    for number in numbers:
        below[number + 1] += 1
    for row in range(count):
        below[row + 1] += below[row]
    return struct.pack(f"<{count + 1}I", *below)
