"""§5 and §7: signature, trailer, directory, header and checksums. Making a `File` is level *open* of §10."""

import re
import struct
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple
from zlib import crc32

from .cursor import ARRAY, BINARY, INTEGER, MAP, STRING, Cursor
from .envelope import Envelope
from .errors import FormatError, Limits
from .rule import Rule

SIGNATURE = b"\x89CC\r\n\x1a\n\0"
DAMAGED = re.compile(  # §5.2, the table of damages
    rb"\x09CC|\x89CC(?:\r\r\n|\r\n\x1a\r\n|\n\x1a|\n\n|\r\r\x1a|\r\x1a|\r\n\x1a\n(?=[^\0]))"
    rb"|\xef\xbf\xbdCC|\xc2\x89CC|\xe2\x80\xb0CC")
BLOCK = 4096  # §7.2
TRAILER = struct.Struct("<QQHBB4sI")  # §5.10

STRINGS, SHAPES, SHARED, ROOT = 1, 2, 3, 4  # §5.8
STRING_OFFSETS, SHAPE_OFFSETS, SHARED_OFFSETS = 16, 17, 18
LANDMARK_OFFSETS, CLASSES, TREE, BUCKETS, SLOTS = 32, 33, 34, 35, 36
DEPENDENCY_STARTS, DEPENDENCY_TARGETS, DEPENDENCY_KINDS = 40, 41, 42
DEPENDENT_STARTS, DEPENDENT_TARGETS, DEPENDENT_KINDS = 43, 44, 45
BLOCK_TABLE = 64
REQUIRED = (STRINGS, SHAPES, SHARED, ROOT)
EDGE_TABLES = tuple(range(DEPENDENCY_STARTS, DEPENDENT_KINDS + 1))
KNOWN = {1, 2, 3, 4, 16, 17, 18, 32, 33, 34, 35, 36, 40, 41, 42, 43, 44, 45, 64}
CRITICAL, FLAGS = 1, 3  # §5.8: the first of the known flags, and all
PROFILES = ("full", "plain", "transport")
PACKAGE = ("[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*")  # §5.3, joined by `:`

HEADER = {  # §5.3: kind, required
    "document-type": ("str", True), "version": ("u16", True), "profile": ("str", True), "requires": ("strs", False),
    "requires-write": ("strs", False), "optional": ("strs", False), "producer": ("str", True), "values": ("int", True),
    "depth": ("u32", True), "landmarks": ("int", True), "source": ("map", False), "digest": ("bin", True),
    "dialect": ("str", False), "patterns": ("strs", False), "join": ("str", False), "edges": ("strs", False),
}
SOURCE = {"format": ("str", True), "bytes": ("int", True), "sha-256": ("bin", True)}
INTEGERS = {"int": 64, "u32": 32, "u16": 16}  # bits


class Part(NamedTuple):
    start: int
    end: int
    stride: int  # binary logarithm, §5.9
    entry: int  # offset of the directory entry


class File:
    def __init__(self, data: Any, envelope: Envelope, limits: Limits) -> None:
        self.data, self.envelope, self.limits, self.size = data, envelope, limits, len(data)
        self.parts: Dict[int, Part] = {}
        self.spans: List[Tuple[int, int, int]] = []  # offset, end and number of every part, known or not
        self.checked = bytearray()  # of each block of the content, whether it was compared
        self.table_checked = bytearray()  # likewise of the block table
        header = self.signature()  # in the order of §10.3
        trailer = self.size - TRAILER.size
        count = self.trailer(trailer)
        self.directory(trailer, count)
        self.touch(0, header)
        cursor = Cursor(self, header, self.first_entry)
        if cursor.token() != MAP:
            raise FormatError("PAY-FORM", header, "the header is no map")
        self.fields, self.places = self.map(cursor, HEADER)
        self.header_end = cursor.position
        self.rule = self.meaning()
        for number, part in self.parts.items():
            if part.start < self.header_end:
                raise FormatError("PRT-RANGE", part.entry, f"part {number} begins inside the header")

    def signature(self) -> int:
        """§5.2: its presence; the result is the offset of the header."""
        payload = self.envelope.end
        window = bytes(self.data[payload : payload + 32])
        size = {0xDC: 3, 0xDD: 5}.get(window[0], 1) if window else 1
        is_array = not window or 0x90 <= window[0] <= 0x9F or 0xDC <= window[0] <= 0xDD
        if window[size : size + 10] != b"\xc4\x08" + SIGNATURE or not is_array:
            damage = DAMAGED.search(window)
            if damage:
                differs = sum(damage.group().startswith(SIGNATURE[:length]) for length in range(1, 9))
                raise FormatError("ENV-EOL", payload + damage.start() + differs, "text conversion has changed the file")
            if not is_array:
                raise FormatError("PAY-FORM", payload, f"the payload begins with {window[0]:#04x}, expected an array")
            found = window[size:]
            for index, (byte, expected) in enumerate(zip(found, b"\xc4\x08" + SIGNATURE)):
                if byte != expected:
                    raise FormatError("ENV-SIGNATURE", payload + size + index, f"{byte:#04x}, expected {expected:#04x}")
            raise FormatError("MSG-SHORT", payload + min(size + 2, len(window)), "the file ends within the signature")
        cursor = Cursor(self, payload, self.size)
        cursor.token()
        self.elements: int = cursor.value
        if self.elements < 7:
            raise FormatError("PAY-FORM", payload, f"an array of {self.elements} items, expected at least 7")
        return payload + size + 10

    def trailer(self, at: int) -> int:
        """§5.10 up to its checksum (§7.3); the result is the number of directory entries."""
        if at < self.envelope.end:
            raise FormatError("TRL-MAGIC", self.size, "the file ends where a trailer should stand")
        length, begin, count, flags, zero, magic, checksum = TRAILER.unpack(self.data[at : self.size])
        if magic != b"COCO":
            earlier = bytes(self.data[max(self.envelope.end, at - 65536) : self.size]).rfind(b"COCO")
            after = "the file is cut short" if earlier < 0 else "the trailer may stand earlier: bytes follow the file"
            raise FormatError("TRL-MAGIC", self.size - 8, after)
        if length != self.size:
            raise FormatError("TRL-LENGTH", at, f"the trailer says {length} bytes, the file has {self.size}")
        if flags > 1 or zero or begin > at:
            raise FormatError("PRT-RANGE", at, "unknown flags, or a checksum that begins behind the trailer")
        if crc32(self.data[begin : self.size - 4]) != checksum:
            raise FormatError("SUM-MISMATCH", begin, "the trailer's checksum")
        self.wide, self.begin = bool(flags), begin
        return int(count)

    def directory(self, trailer: int, count: int) -> None:
        """§5.8, and where the block table lies (§7.2)."""
        entry = struct.Struct("<BBHQQ" if self.wide else "<BBHII")
        self.first_entry = trailer - count * entry.size
        if self.first_entry < self.envelope.end:
            raise FormatError("PRT-RANGE", trailer, "the directory does not lie in the file")
        if count > self.limits.directory:
            raise FormatError("LIM-COUNT", trailer, f"{count} directory entries, at most {self.limits.directory}")
        previous = -1
        for at in range(self.first_entry, trailer, entry.size):
            number, flags, stride, start, length = entry.unpack(self.data[at : at + entry.size])
            part = Part(start, start + length, stride, at)
            if flags & ~FLAGS or stride and number not in (STRING_OFFSETS, SHAPE_OFFSETS, SHARED_OFFSETS):
                raise FormatError("PRT-RANGE", at, f"part {number} has flags {flags} and the number {stride}")
            if number <= previous:
                raise FormatError("PRT-TWICE", at, f"part {number} after part {previous}")
            if start < self.envelope.end or part.end > trailer:
                raise FormatError("PRT-RANGE", at, f"part {number} lies outside of the payload")
            if any(start < end and begin < part.end for begin, end, _ in self.spans):
                raise FormatError("PRT-RANGE", at, f"part {number} overlaps another")
            if number in KNOWN:
                if number not in REQUIRED and start % 8:
                    raise FormatError("PRT-PADDING", at, f"part {number} begins at {start}, not a multiple of 8")
                self.parts[number] = part
            elif flags & CRITICAL:
                raise FormatError("PRT-CRITICAL", at, f"part {number} is unknown and critical")
            self.spans.append((start, part.end, number))
            previous = number
        for number in REQUIRED:
            if number not in self.parts:
                raise FormatError("PRT-MISSING", self.first_entry, f"part {number} is missing")
        self.lengths()
        table = self.parts.get(BLOCK_TABLE)
        if table is None:
            if self.begin:
                raise FormatError("PRT-RANGE", trailer, "a root table without a block table")
            return
        blocks, roots = -(-table.start // BLOCK), -(-(table.end - table.start) // BLOCK)
        if table.end - table.start != 4 * blocks:
            raise FormatError("PRT-LENGTH", table.entry, f"{blocks} blocks, table of {table.end - table.start} bytes")
        if self.begin != table.end:
            raise FormatError("PRT-RANGE", trailer, "the checksum does not begin where the block table ends")
        if table.end + 4 * roots > self.first_entry:
            raise FormatError("PRT-RANGE", table.entry, "no room for the root table")
        self.checked, self.table_checked = bytearray(blocks), bytearray(roots)

    def lengths(self) -> None:
        """§5.8, PRT-LENGTH: every index table agrees with the one that says how many landmarks there are."""
        def length(number: int) -> Optional[int]:
            return self.parts[number].end - self.parts[number].start if number in self.parts else None

        offset = 8 if self.wide else 4
        anchor = next((n for n in (LANDMARK_OFFSETS, SLOTS, DEPENDENCY_STARTS) if n in self.parts), None)
        if anchor is None:
            return
        size = length(anchor) or 0
        n = size // (offset if anchor == LANDMARK_OFFSETS else 2 * offset) if anchor <= SLOTS else size // 4 - 1
        buckets = 1 << bucket_bits(n)
        edges, reverse = (length(DEPENDENCY_TARGETS) or 0) // 4, (length(DEPENDENT_TARGETS) or 0) // 4
        expected = {LANDMARK_OFFSETS: offset * n, CLASSES: n, TREE: 8 * n, BUCKETS: 4 * buckets + 4, SLOTS: 2 * offset * n,
                    DEPENDENCY_STARTS: 4 * n + 4, DEPENDENCY_TARGETS: 4 * edges, DEPENDENCY_KINDS: edges,
                    DEPENDENT_STARTS: 4 * n + 4, DEPENDENT_TARGETS: 4 * reverse, DEPENDENT_KINDS: reverse}
        for number, bytes_ in expected.items():
            if length(number) not in (None, bytes_):
                raise FormatError("PRT-LENGTH", self.parts[number].entry,
                                  f"part {number} has {length(number)} bytes, expected {bytes_}")
        for count, limit, number in ((n, self.limits.landmarks, anchor), (edges, self.limits.edges, DEPENDENCY_TARGETS)):
            if count > limit:
                raise FormatError("LIM-COUNT", self.parts[number].entry, f"{count} entries, at most {limit}")

    def touch(self, start: int, stop: int) -> int:
        """§7.2: compares the blocks of [start, stop); the result is an offset up to which that is done."""
        if not self.checked or stop <= start or start >= self.parts[BLOCK_TABLE].start:
            return self.size  # the trailer's checksum covered it
        table = self.parts[BLOCK_TABLE]
        last = min(stop - 1, table.start - 1) // BLOCK
        for block in range(start // BLOCK, last + 1):
            if self.checked[block]:
                continue
            group = 4 * block // BLOCK
            if not self.table_checked[group]:
                begin = table.start + group * BLOCK
                self.compare(begin, min(begin + BLOCK, table.end), table.end + 4 * group)
                self.table_checked[group] = 1
            self.compare(block * BLOCK, min((block + 1) * BLOCK, table.start), table.start + 4 * block)
            self.checked[block] = 1
        return min((last + 1) * BLOCK, table.start)

    def compare(self, begin: int, end: int, entry: int) -> None:
        if crc32(self.data[begin:end]) != int.from_bytes(self.data[entry : entry + 4], "little"):
            raise FormatError("SUM-MISMATCH", begin, f"the block of {end - begin} bytes that begins here")

    def map(self, cursor: Cursor, known: Dict[str, Tuple[str, bool]]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """§5.3: the fields' values, and their offsets; of lists those of the items."""
        at = cursor.start
        fields: Dict[str, Any] = {}
        places: Dict[str, Any] = {}
        names: Set[str] = set()
        for _ in range(cursor.value):
            if cursor.token() != STRING:
                raise FormatError("MSG-TYPE", cursor.start, "a key that is no string")
            name = cursor.text(self.limits.key)
            if name in names:
                raise FormatError("HDR-FIELD", cursor.position, f"field `{name}` is given twice")
            names.add(name)
            if name in known:
                fields[name], places[name] = self.field(cursor, name, known[name][0])
            else:
                cursor.skip()
        for name, (_, required) in known.items():
            if required and name not in fields:
                raise FormatError("HDR-FIELD", at, f"field `{name}` is missing")
        return fields, places

    def field(self, cursor: Cursor, name: str, kind: str) -> Tuple[Any, Any]:
        at = cursor.position
        token = cursor.token()
        if kind == "map" and token == MAP:
            return self.map(cursor, SOURCE)[0], at
        if kind == "str" and token == STRING:
            return cursor.text(self.limits.string), at
        if kind in INTEGERS and token == INTEGER and 0 <= cursor.value < 1 << INTEGERS[kind]:
            return cursor.value, at
        if kind == "bin" and token == BINARY and cursor.value == 32:
            return cursor.bytes(), at
        if kind == "strs" and token == ARRAY:
            items = [self.field(cursor, name, "str") for _ in range(cursor.value)]
            return [text for text, _ in items], [place for _, place in items]
        raise FormatError("HDR-FIELD", at, f"a value of another kind in `{name}`")

    def meaning(self) -> Rule:
        """§5.3, what the fields must say; the result is the landmark rule (§8.1)."""
        fields, places = self.fields, self.places
        envelope = self.envelope.parameters
        for name, value in (("document-type", envelope["document-type"].lower()), ("version", int(envelope["version"]))):
            if (fields[name].lower() if name == "document-type" else fields[name]) != value:
                raise FormatError("HDR-MISMATCH", places[name], f"`{name}` differs from the envelope's")
        if fields["profile"] not in PROFILES:
            raise FormatError("HDR-FIELD", places["profile"], f"profile `{fields['profile']}`")
        if fields.get("requires"):  # §5.12: this version defines no feature
            raise FormatError("HDR-REQUIRES", places["requires"][0], f"feature `{fields['requires'][0]}`")
        if fields["document-type"].lower() == "cocopack" and not {"patterns", "join", "edges"} & fields.keys():
            return Rule([(pattern, 0) for pattern in PACKAGE], ":", [])
        patterns, edges = (list(zip(fields.get(name, ()), places.get(name, ()))) for name in ("patterns", "edges"))
        return Rule(patterns, fields.get("join"), edges)


def bucket_bits(landmarks: int) -> int:
    """§8.5: the smallest b for which 2^b × 4 is at least the number of landmarks."""
    return max(0, -(-landmarks // 4) - 1).bit_length()
