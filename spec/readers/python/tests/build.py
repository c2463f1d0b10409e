"""A small writer for the tests. It also follows the specification, but shares no code with the
reader: it finds landmarks by regular expressions over the paths of all values."""

import hashlib
import json
import re
import struct
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple
from zlib import crc32

ENVELOPE = b"application/vnd.coconut+msgpack; document-type=document; version=1\n\n"
PIECE = re.compile(r"\{([^}|=]+)(\|json)?(?:=([^}]+))?\}")


class Place(NamedTuple):
    path: str  # of `/name`, `/!name` for an only entry, and `/\0index`
    value: Any


def build(document: Any, patterns: Sequence[str] = (), join: Optional[str] = None, edges: Sequence[str] = (),
          profile: str = "full", tables: bool = True, stride: int = 2, wide: bool = False,
          raw: Optional[List[List[bytes]]] = None, **claims: Any) -> bytes:
    """A file of the document; or with the claims of the document, and the elements of `raw`:
    strings, shapes, shared values and root."""
    writer = Writer(document, patterns, join, edges, profile)
    return writer.file(tables, stride, wide, raw, claims)


class Writer:
    def __init__(self, document: Any, patterns: Sequence[str], join: Optional[str], edges: Sequence[str], profile: str) -> None:
        self.document, self.patterns, self.join, self.edge_texts, self.profile = document, patterns, join, edges, profile
        self.landmarks: Dict[str, Tuple[int, str]] = {}  # path to class and own key, in document order
        places = list(walk(document, ""))
        for place in places:
            for number, pattern in enumerate(patterns):
                found = re.fullmatch(r"([^\[]*)(?:\[(.*)\])?", pattern)
                assert found is not None
                if re.fullmatch(regex(found[1]), place.path):
                    own = own_key(found[2], place)
                    if own is not None:
                        self.landmarks[place.path] = number, own
                    break
        order = list(self.landmarks)
        self.parents = [max((o for o, other in enumerate(order) if path.startswith(other + "/")), default=None)
                        if len(order) < 500 else None for path in order]
        self.keys: List[str] = []
        for path, parent in zip(order, self.parents):
            own = self.landmarks[path][1]
            self.keys.append(own if parent is None or join is None else self.keys[parent] + join + own)
        ends = [max([o + 1, *(c + 1 for c, other in enumerate(order) if other.startswith(path + "/"))])
                if len(order) < 500 else o + 1 for o, path in enumerate(order)]
        self.tree = list(zip(self.parents, ends))
        by_key: Dict[str, List[int]] = {}
        for ordinal, key in enumerate(self.keys):
            by_key.setdefault(key, []).append(ordinal)
        self.edges: Set[Tuple[int, int, int]] = set()
        ordinals = {path: ordinal for ordinal, path in enumerate(order)}
        for kind, text in enumerate(edges):
            found = re.fullmatch(r"[a-z-]+=(\d+)([^<]*)(?:<(.*))?", text)
            assert found is not None
            form = re.compile(regex(patterns[int(found[1])].split("[")[0]) + regex(found[2]))
            for place in places:
                if type(place.value) is str and form.fullmatch(place.path):
                    around = place.path
                    while around and around not in ordinals:
                        around = around.rpartition("/")[0]
                    name = place.value.rpartition(found[3])[0] if found[3] and found[3] in place.value else place.value
                    if around in ordinals:
                        self.edges.update((ordinals[around], target, kind) for target in by_key.get(name, ()))
        self.holders = {path[:cut] for path in order for cut in range(len(path)) if path[cut] == "/"}
        self.strings: List[str] = []
        self.shapes: List[Tuple[str, ...]] = []
        self.shared: List[Any] = []
        if profile != "plain":
            texts = Counter(text for place in places for text in texts_of(place.value))
            self.strings = [text for text, count in texts.items() if count > 1]
            free = [place.value for place in places if place.path not in self.holders and place.value and type(place.value) in (dict, list)]
            shapes = Counter(tuple(value) for value in free if type(value) is dict)
            self.shapes = [keys for keys, count in shapes.items() if count > 2]
            again = Counter(spell(value) for value in free)
            self.shared = sorted({spell(value): value for value in free if again[spell(value)] > 1}.values(), key=lambda v: len(spell(v)))
        self.string_ids = {text: number for number, text in enumerate(self.strings)}
        self.shape_ids = {keys: number for number, keys in enumerate(self.shapes)}
        self.shared_ids = {spell(value): number for number, value in enumerate(self.shared)}

    def text(self, text: str) -> bytes:
        return integer(self.string_ids[text]) if text in self.string_ids else pack(text)

    def value(self, value: Any, path: str, base: int, offsets: Dict[str, int], top: bool = False) -> bytes:
        """The value according to §4, recording where its entries begin."""
        if type(value) not in (dict, list):
            if self.profile == "plain" or type(value) not in (str, int):
                return pack(value)
            return self.text(value) if type(value) is str else extension(value)
        plain = self.profile == "plain"
        if not top and path not in self.holders and spell(value) in self.shared_ids:
            return integer(~self.shared_ids[spell(value)])
        if not value and type(value) is list:
            return b"\x90"
        keys = tuple(value) if type(value) is dict else ()
        if keys in self.shape_ids and path not in self.holders and type(value) is dict:
            body = integer(self.shape_ids[keys]) + b"".join(self.value(child, "?", 0, {}) for child in value.values())
            return head(0x90, 0xDC, 1 + len(value)) + body
        count = len(value) * (2 if keys and not plain else 1) + (not plain)
        out = head(0x80 if plain and type(value) is dict else 0x90, 0xDE if plain and type(value) is dict else 0xDC, count)
        out += b"" if plain else b"\xc2" if type(value) is dict else b"\xc0"
        pieces = [out]
        length = len(out)
        for step, key, child in steps(value):
            offsets[path + step] = base + length
            key_bytes = b"" if key is None else pack(key) if plain else self.text(key)
            body = self.value(child, path + step, base + length + len(key_bytes), offsets)
            pieces += [key_bytes, body]
            length += len(key_bytes) + len(body)
        return b"".join(pieces)

    def file(self, tables: bool, stride: int, wide: bool, raw: Optional[List[List[bytes]]], claims: Dict[str, Any]) -> bytes:
        values = sum(1 for _ in walk(self.document, ""))
        header: Dict[str, Any] = {"document-type": "document", "version": 1, "profile": self.profile, "producer": "tests",
                                  "values": values, "depth": depth(self.document), "landmarks": len(self.landmarks)}
        header["digest"] = hashlib.sha256(pack(self.document)).digest()
        if self.patterns:
            header["patterns"] = list(self.patterns)
        if self.join is not None:
            header["join"] = self.join
        if self.edge_texts:
            header["edges"] = list(self.edge_texts)
        header.update(claims)
        out = bytes(ENVELOPE + b"\x97\xc4\x08\x89CC\r\n\x1a\n\x00" + pack(header))
        parts: Dict[int, Tuple[int, int, int]] = {}
        number = struct.Struct("<Q" if wide else "<I")
        pending: Dict[int, Tuple[bytes, int]] = {}
        items = [[pack(text) for text in self.strings], [pack_shape(self, keys) for keys in self.shapes],
                 [self.value(value, "?", 0, {}, top=True) for value in self.shared]]
        for part, element in enumerate(raw[:3] if raw else items, 1):
            start = len(out)
            out += head(0x90, 0xDC, len(element))
            offsets = []
            for item in element:
                offsets.append(len(out))
                out += item
            parts[part] = start, len(out) - start, 0
            if tables:
                pending[15 + part] = b"".join(map(number.pack, offsets[:: 1 << stride])), stride
        start = len(out)
        places = {"": start}
        out += raw[3][0] if raw else self.value(self.document, "", start, places)
        parts[4] = start, len(out) - start, 0
        if tables and self.patterns:
            self.index([places[path] for path in self.landmarks], number, pending)
        for code, form, room in ((0xC4, "B", 1 << 8), (0xC5, ">H", 1 << 16), (0xC6, ">I", 1 << 32)):
            tail = self.tail(out + bytes([code]) + bytes(struct.calcsize(form)), dict(parts), pending, tables, wide)
            if len(tail) - (body := len(out) + 1 + struct.calcsize(form)) < room:
                break
        lengths = struct.pack(form, len(tail) - body)
        return self.tail(out + bytes([code]) + lengths, dict(parts), pending, tables, wide)

    @staticmethod
    def tail(tail: bytes, parts: Dict[int, Tuple[int, int, int]], pending: Dict[int, Tuple[bytes, int]], tables: bool, wide: bool) -> bytes:
        """§5.8: tables, block table, root table, directory and trailer."""
        for part, (table, log) in sorted(pending.items()):
            tail += bytes(-len(tail) % 8)
            parts[part] = len(tail), len(table), log
            tail += table
        if tables:
            tail += bytes(-len(tail) % 8)
            table = b"".join(struct.pack("<I", crc32(tail[at : at + 4096])) for at in range(0, len(tail), 4096))
            parts[64] = len(tail), len(table), 0
            root = b"".join(struct.pack("<I", crc32(table[at : at + 4096])) for at in range(0, len(table), 4096))
            tail += table + root
        tail += bytes(-len(tail) % 8)
        for part, (start, length, log) in sorted(parts.items()):
            tail += struct.pack("<BBH" + 2 * ("Q" if wide else "I"), part, 5 * (part < 5), log, start, length)
        begin = parts[64][0] + parts[64][1] if tables else 0
        tail += struct.pack("<QQHBB4s", len(tail) + 28, begin, len(parts), int(wide), 12 * tables, b"COCO")
        return tail + struct.pack("<I", crc32(tail[begin:]))

    def index(self, offsets: List[int], number: struct.Struct, pending: Dict[int, Tuple[bytes, int]]) -> None:
        n = len(offsets)
        pending[32] = b"".join(map(number.pack, offsets)), 0
        if len(self.patterns) > 1:
            pending[33] = bytes(number for number, _ in self.landmarks.values()), 0
        if any(parent is not None for parent in self.parents):
            pending[34] = b"".join(struct.pack("<II", 0xFFFFFFFF if p is None else p, end) for p, end in self.tree), 0
        slots = sorted((crc32(key.encode()), key.encode(), o) for o, key in enumerate(self.keys))
        bits = 0
        while (4 << bits) < n:
            bits += 1
        firsts = [sum(1 for s in slots if (s[0] >> 32 - bits) < k) for k in range(1 << bits)] if n < 500 else self.firsts(slots, bits)
        pending[35] = b"".join(struct.pack("<I", first) for first in [*firsts, n]), 0
        pending[36] = b"".join(number.pack(h) + number.pack(offsets[o]) for h, _, o in slots), 0
        if self.edge_texts:
            for first, edges in ((40, sorted(self.edges)), (43, sorted((t, o, k) for o, t, k in self.edges))):
                counts = Counter(edge[0] for edge in edges)
                starts = [0]
                for ordinal in range(n):
                    starts.append(starts[-1] + counts[ordinal])
                pending[first] = struct.pack(f"<{n + 1}I", *starts), 0
                pending[first + 1] = b"".join(struct.pack("<I", edge[1]) for edge in edges), 0
                pending[first + 2] = bytes(edge[2] for edge in edges), 0

    @staticmethod
    def firsts(slots: List[Tuple[int, bytes, int]], bits: int) -> List[int]:
        found, at = [], 0
        for bucket in range(1 << bits):
            while at < len(slots) and slots[at][0] >> 32 - bits < bucket:
                at += 1
            found.append(at)
        return found


def steps(value: Any) -> List[Tuple[str, Optional[str], Any]]:
    if type(value) is dict:
        return [(("/!" if len(value) == 1 else "/") + key.replace("/", "\x01"), key, child) for key, child in value.items()]
    return [(f"/\0{index}", None, child) for index, child in enumerate(value)] if type(value) is list else []


def walk(value: Any, path: str) -> Any:
    yield Place(path, value)
    for step, _, child in steps(value):
        yield from walk(child, path + step)


def regex(path: str) -> str:
    out = re.sub(r"/\*|/\{([^}]*)\}|/([^/()*]+)|\(|\)\*", lambda found: (
        r"/[^/]+" if found[0] == "/*" else "(?:" if found[0] == "(" else ")*" if found[0] == ")*"
        else "/!" + re.escape(found[1]) if found[1] else "/!?" + re.escape(found[2])), path)
    return out


def own_key(key: Optional[str], place: Place) -> Optional[str]:
    if key is None:
        last = place.path.rpartition("/")[2]
        return None if not place.path or last.startswith("\0") else last.lstrip("!").replace("\x01", "/")
    if type(place.value) is not dict:
        return None
    if "{" not in key:
        own = place.value.get(key)
        return own if type(own) is str else None
    missing = "\x02"

    def piece(found: Any) -> str:
        own = place.value.get(found[1])
        if found[2]:
            return json.dumps(own, ensure_ascii=False) if type(own) in (str, int) else missing
        return own if type(own) is str and found[3] in (None, own) else missing

    text = PIECE.sub(piece, key)
    text = re.sub(r"\(([^)]*)\)", lambda found: "" if missing in found[1] else found[1], text)
    text = re.sub("~(.)", r"\1", text)
    return None if missing in text else text


def texts_of(value: Any) -> List[str]:
    return [value] if type(value) is str else list(value) if type(value) is dict else []


def spell(value: Any) -> str:
    return json.dumps(value)


def depth(value: Any) -> int:
    children = value.values() if type(value) is dict else value if type(value) is list else None
    return 0 if children is None else 1 + max(map(depth, children), default=0)


def pack_shape(writer: Writer, keys: Tuple[str, ...]) -> bytes:
    return head(0x90, 0xDC, len(keys)) + b"".join(map(writer.text, keys))


def head(fix: int, wide: int, count: int) -> bytes:
    if count < 16:
        return bytes([fix + count])
    return struct.pack(">BH", wide, count) if count < 65536 else struct.pack(">BI", wide + 1, count)


def integer(number: int) -> bytes:
    if -32 <= number < 128:
        return struct.pack(">b", number) if number < 0 else bytes([number])
    for code, form in zip((0xD0, 0xD1, 0xD2, 0xD3) if number < 0 else (0xCC, 0xCD, 0xCE, 0xCF), "bhiq" if number < 0 else "BHIQ"):
        try:
            return struct.pack(">B" + form, code, number)
        except struct.error:
            continue
    raise OverflowError(number)


def extension(number: int) -> bytes:
    for code, form in zip((0xD4, 0xD5, 0xD6, 0xD7), "bhiq" if number < 0 else "BHIQ"):
        try:
            return struct.pack(">BB" + form, code, 2 if number < 0 else 1, number)
        except struct.error:
            continue
    raise OverflowError(number)


def pack(value: Any) -> bytes:
    """Profile `plain`, which is the canonical stream (§4.7)."""
    if value is None or value is True or value is False:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if type(value) is int:
        return integer(value)
    if type(value) is float:
        return struct.pack(">Bd", 0xCB, value)
    if type(value) is bytes:
        return struct.pack(">BB", 0xC4, len(value)) + value
    if type(value) is str:
        text = value.encode()
        n = len(text)
        lead = bytes([0xA0 + n]) if n < 32 else struct.pack(">BB", 0xD9, n) if n < 256 else struct.pack(">BH", 0xDA, n)
        return lead + text
    if type(value) is list:
        return head(0x90, 0xDC, len(value)) + b"".join(map(pack, value))
    return head(0x80, 0xDE, len(value)) + b"".join(pack(part) for pair in value.items() for part in pair)
