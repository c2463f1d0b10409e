"""§8.7 The tables of the index, made by walking the document with its rule."""

import struct
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union
from zlib import crc32

from .errors import FormatError
from .file import (BUCKETS, CLASSES, DEPENDENCY_STARTS, DEPENDENT_STARTS, LANDMARK_OFFSETS, ROOT, SLOTS, TREE,
                   bucket_bits)
from .rule import States, own_key
from .values import Node, Value, Values

NONE = 0xFFFFFFFF  # §8.4: no parent
Entry = Tuple[Union[str, int], int, Value]


class Level(NamedTuple):
    """A list or object on the way of the walk, and what holds inside of it."""

    entries: Iterator[Entry]
    only: bool  # an object of one entry
    states: Optional[States]  # None: its one entry is the root
    landmark: int  # the innermost around, or NONE
    found: Set[Tuple[int, str]]  # kinds and texts of its edges
    opened: int  # the landmark that ends with it, or NONE
    shared: Optional[Tuple[Optional[int], States]]  # what `found` will be remembered for
    in_place: bool  # no shared value is on the way (§5.7)
    record: bool  # its entries have no keys of their own


def rebuild(values: Values) -> Dict[int, bytes]:
    """§8.7: all index tables, made from the document and the rule alone."""
    rule, limits, wide = values.file.rule, values.file.limits, values.file.wide
    offsets: List[int] = []
    classes: List[int] = []
    parents: List[int] = []
    ends: List[int] = []
    keys: List[str] = []
    found: List[Set[Tuple[int, str]]] = []
    remembered: Dict[Tuple[Optional[int], States], Set[Tuple[int, str]]] = {}
    root: Entry = (0, values.file.parts[ROOT].start, values.root)
    stack = [Level(iter([root]), False, None, NONE, set(), NONE, None, True, False)]
    while stack:
        level = stack[-1]
        for key, at, value in level.entries:
            states = rule.start if level.states is None else rule.step(level.states, key, level.only)
            if not states:
                continue
            landmark, texts, opened = level.landmark, level.found, NONE
            number, own = match(values, states, key, value)
            if own is not None:
                if level.record or not level.in_place:
                    raise FormatError("VAL-FORM", at, "a landmark inside of a record or a shared value")
                texts, opened = set(), len(offsets)
                keys.append(own if landmark == NONE or rule.join is None else keys[landmark] + rule.join + own)
                offsets.append(at)
                classes.append(number)
                parents.append(landmark)
                ends.append(opened + 1)
                found.append(texts)
                landmark = opened
                if len(offsets) > limits.landmarks:
                    raise FormatError("LIM-COUNT", at, f"more than {limits.landmarks} landmarks")
            if type(value) is str:
                for kind in rule.ends[states][1]:
                    cut = rule.edges[kind].cut
                    texts.add((kind, value.rpartition(cut)[0] if cut and cut in value else value))
            elif type(value) is Node:
                memory = None if value.shared is None else (value.shared, states)
                if memory in remembered:
                    texts |= remembered[memory]
                    continue
                if len(stack) > limits.depth:
                    raise FormatError("LIM-DEPTH", value.at, f"more than {limits.depth} levels")
                stack.append(Level(value.entries(), value.keyed and value.size == 1, states, landmark,
                                   texts if memory is None else set(), opened, memory,
                                   level.in_place and memory is None, value.slots is not None))
                break
        else:
            stack.pop()
            if level.opened != NONE:
                ends[level.opened] = len(offsets)
            if level.shared is not None:
                remembered[level.shared] = level.found
                (stack[-1].found if level.opened == NONE else found[level.opened]).update(level.found)

    n = len(offsets)
    offset = "Q" if wide else "I"
    tables = {LANDMARK_OFFSETS: struct.pack(f"<{n}{offset}", *offsets)}
    if len(rule.keys) > 1:
        tables[CLASSES] = bytes(classes)
    if any(parent != NONE for parent in parents):
        tables[TREE] = struct.pack(f"<{2 * n}I", *(number for pair in zip(parents, ends) for number in pair))
    hashes = [crc32(key.encode()) for key in keys]
    order = sorted(range(n), key=lambda ordinal: (hashes[ordinal], keys[ordinal].encode(), ordinal))
    tables[SLOTS] = b"".join(struct.pack("<" + 2 * offset, hashes[ordinal], offsets[ordinal]) for ordinal in order)
    bits = bucket_bits(n)
    tables[BUCKETS] = rows([hashes[ordinal] >> 32 - bits for ordinal in order], 1 << bits)
    if rule.edges:
        named: Dict[str, List[int]] = {}
        for ordinal, name in enumerate(keys):
            named.setdefault(name, []).append(ordinal)
        forward = sorted({(ordinal, target, kind) for ordinal in range(n) for kind, text in found[ordinal]
                          for target in named.get(text, ())})
        if len(forward) > limits.edges:
            raise FormatError("LIM-COUNT", values.file.parts[ROOT].start, f"more than {limits.edges} edges")
        backward = sorted((target, ordinal, kind) for ordinal, target, kind in forward)
        for edges, first in ((forward, DEPENDENCY_STARTS), (backward, DEPENDENT_STARTS)):
            tables[first] = rows([edge[0] for edge in edges], n)
            tables[first + 1] = struct.pack(f"<{len(edges)}I", *(edge[1] for edge in edges))
            tables[first + 2] = bytes(edge[2] for edge in edges)
    return tables


def rows(numbers: List[int], count: int) -> bytes:
    """For each row from 0 to `count`, how many of the ascending numbers lie below it (§8.5, §8.6)."""
    below = [0] * (count + 1)
    for number in numbers:
        below[number + 1] += 1
    for row in range(count):
        below[row + 1] += below[row]
    return struct.pack(f"<{count + 1}I", *below)


def match(values: Values, states: States, key: Union[str, int], value: Value) -> Tuple[int, Optional[str]]:
    """§8.1: class and own key, by the lowest pattern that ends here."""
    rule = values.file.rule
    number = min(rule.ends[states][0], default=-1)
    if number < 0:
        return 0, None
    if not rule.keys[number]:
        return number, key if isinstance(key, str) else None
    keyed = type(value) is Node and value.keyed
    return number, own_key(rule.keys[number], value.fields(rule.fields[number])) if keyed else None  # type: ignore[union-attr]
