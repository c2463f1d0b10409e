"""§8.7 The tables of the index, made by walking the document with its rule."""

import struct
from typing import Dict, List, Optional, Set, Tuple, Union
from zlib import crc32

from .errors import need
from .file import BUCKETS, CLASSES, DEPENDENCIES, DEPENDENTS, LANDMARK_OFFSETS, ROOT, SLOTS, TREE, bucket_bits
from .rule import States, own_key
from .values import Job, Node, Value, Values, run

NONE = 0xFFFFFFFF  # §8.4: no parent
Found = Set[Tuple[int, str]]  # kinds and texts of edges


class Walk:
    """The landmarks of a document in their order, and texts in them that may be edges (§8.1)."""

    def __init__(self, values: Values) -> None:
        self.rule, self.limits, self.most = values.file.rule, values.limits, values.limits.landmarks
        self.room, self.root = values.limits.keys, values.file.parts[ROOT].start
        self.offsets: List[int] = []
        self.classes: List[int] = []
        self.parents: List[int] = []
        self.ends: List[int] = []
        self.keys: List[str] = []
        self.found: List[Found] = []
        self.remembered: Dict[Tuple[Optional[int], States], Found] = {}  # of shared values
        if self.rule.keys:
            run(self.visit(0, self.root, values.root(), self.rule.start, NONE, set(), 0))

    def visit(self, key: Union[str, int], at: int, value: Value, states: States, around: int, found: Found,
              level: int, is_shared: bool = False, in_record: bool = False) -> Job:
        """A value that `states` lead to, in the landmark `around`, whose edges are `found`."""
        opened, (number, own) = NONE, self.match(states, key, value)
        if own is not None:
            need(not is_shared and not in_record, "VAL-FORM", at, "a landmark in a record or a shared value")
            opened, found = len(self.offsets), set()
            need(opened < self.most, "LIM-COUNT", self.root, "more than {} landmarks", self.most)
            is_full = around == NONE or self.rule.join is None
            full = own if is_full else f"{self.keys[around]}{self.rule.join}{own}"
            self.keys.append(full)
            self.room -= len(full.encode())
            need(self.room >= 0, "LIM-COUNT", self.root, "too many bytes of full keys")
            self.offsets.append(at)
            self.classes.append(number)
            self.parents.append(around)
            self.ends.append(NONE)
            self.found.append(found)
            around = opened
        if type(value) is str:
            for kind in self.rule.ends[states][1]:
                cut = self.rule.edges[kind].cut
                found.add((kind, value.rpartition(cut)[0] if cut and cut in value else value))
        elif type(value) is Node:
            memory = value.shared, states
            inside = self.remembered.get(memory) if value.shared is not None else None
            if inside is None:
                most = self.limits.depth
                need(level < most, "LIM-DEPTH", value.at, "more than {} levels", most)
                inside = found if value.shared is None else self.remembered.setdefault(memory, set())
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

    def match(self, states: States, key: Union[str, int], value: Value) -> Tuple[int, Optional[str]]:
        """Class and own key, by the lowest pattern that ends here."""
        number = min(self.rule.ends[states][0], default=-1)
        if number < 0:
            return number, None
        pieces = self.rule.keys[number]
        if not pieces:
            return number, key if isinstance(key, str) else None
        if type(value) is not Node or not value.keyed:
            return number, None
        return number, own_key(pieces, value.fields(self.rule.fields[number]))


def make_tables(values: Values) -> Dict[int, bytes]:
    walk, rule, most = Walk(values), values.file.rule, max(1 << 22, 16 * values.file.size)  # §9.9
    n, offset, keys = len(walk.offsets), "Q" if values.file.wide else "I", walk.keys
    tables = {LANDMARK_OFFSETS: struct.pack(f"<{n}{offset}", *walk.offsets)}
    if len(rule.keys) > 1:
        tables[CLASSES] = bytes(walk.classes)
    if any(parent != NONE for parent in walk.parents):
        tables[TREE] = b"".join(map(struct.Struct("<II").pack, walk.parents, walk.ends))
    slots = sorted((crc32(key.encode()), key.encode(), ordinal) for ordinal, key in enumerate(keys))
    pack, shift = struct.Struct("<" + 2 * offset).pack, 32 - bucket_bits(n)
    tables[SLOTS] = b"".join(pack(hash_, walk.offsets[ordinal]) for hash_, _, ordinal in slots)
    tables[BUCKETS] = rows([hash_ >> shift for hash_, _, _ in slots], 1 << bucket_bits(n))
    if rule.edges:
        named: Dict[str, List[int]] = {}
        for ordinal, key in enumerate(keys):
            named.setdefault(key, []).append(ordinal)
        count = sum(len(named.get(text, ())) for found in walk.found for _, text in found)
        need(count <= min(most, values.limits.edges), "LIM-COUNT", walk.root, "{} edges are too many", count)
        edges = sorted((ordinal, target, kind) for ordinal, found in enumerate(walk.found)
                       for kind, text in found for target in named.get(text, ()))
        add_edges(tables, DEPENDENCIES, edges, n)
        add_edges(tables, DEPENDENTS, sorted((target, ordinal, kind) for ordinal, target, kind in edges), n)
    return tables


def add_edges(tables: Dict[int, bytes], starts: int, edges: List[Tuple[int, int, int]], count: int) -> None:
    """§8.6, of edges in order."""
    tables[starts] = rows([row for row, _, _ in edges], count)
    tables[starts + 1] = struct.pack(f"<{len(edges)}I", *(target for _, target, _ in edges))
    tables[starts + 2] = bytes(kind for _, _, kind in edges)


def rows(numbers: List[int], count: int) -> bytes:
    """For each row from 0 to `count`, how many of the ascending numbers lie below it (§8.5, §8.6)."""
    below = [0] * (count + 1)
    for number in numbers:
        below[number + 1] += 1
    for row in range(count):
        below[row + 1] += below[row]
    return struct.pack(f"<{count + 1}I", *below)
