"""§5 and §7: signature, trailer, directory, header and checksums. Making a `File` is level *open*
of §10."""

import struct
from typing import Any, Dict, List, NamedTuple, Tuple
from zlib import crc32

from . import diagnosis
from .cursor import ARRAY, BINARY, INTEGER, MAP, STRING, Cursor
from .envelope import Envelope
from .errors import FormatError, Limits, need

SIGNATURE = b"\xc4\x08\x89CC\r\n\x1a\n\0"  # §5.2
BLOCKS = range(12, 21)  # §7.2: binary logarithms of the block size
TRAILER = struct.Struct("<QQHBB4sI")  # §5.10
STRINGS, SHAPES, SHARED, ROOT = REQUIRED = (1, 2, 3, 4)  # §5.8
STRING_OFFSETS, SHAPE_OFFSETS, SHARED_OFFSETS = OFFSET_TABLES = (16, 17, 18)
LANDMARK_OFFSETS, CLASSES, TREE, BUCKETS, SLOTS, DIGESTS = INDEX_TABLES = (32, 33, 34, 35, 36, 37)
DEPENDENCIES, DEPENDENTS = 40, 43  # their starts; targets and kinds have the next two numbers
EDGE_TABLES, BLOCK_TABLE = (40, 41, 42, 43, 44, 45), 64
ENTRIES = {  # bytes of an entry of each table, narrow and wide
    16: (4, 8), 17: (4, 8), 18: (4, 8), 32: (4, 8), 33: (1, 1), 34: (8, 8), 35: (4, 4), 36: (8, 16),
    37: (16, 16), 40: (4, 4), 41: (4, 4), 42: (1, 1), 43: (4, 4), 44: (4, 4), 45: (1, 1), 64: (4, 4)}
KNOWN = {*REQUIRED, *ENTRIES}
NEEDS = {33: (32,), 34: (32,), 35: (32, 36), 36: (32, 35), 37: (36,),
         **dict.fromkeys(EDGE_TABLES, (32, *EDGE_TABLES))}
CRITICAL, ELEMENT, NEWER, FLAGS = 1, 4, 8, 15  # the last: all that are known
PROFILES = ("full", "plain", "transport")  # §5.11
FORMS = {  # §5.3: kinds of fields; a range for integers and for the length of others
    "str": (STRING, range(1 << 32)), "strs": (ARRAY, range(1 << 32)), "map": (MAP, range(1 << 32)),
    "bin": (BINARY, range(32, 33)), "u16": (INTEGER, range(1 << 16)), "u32": (INTEGER, range(1 << 32)),
    "u64": (INTEGER, range(1 << 64))}
FORMS.update({form + "?": meaning for form, meaning in FORMS.items()})  # of fields that may be missing
HEADER = {
    "document-type": "str", "version": "u16", "profile": "str", "requires": "strs?",
    "requires-write": "strs?", "optional": "strs?", "producer": "str", "values": "u64", "depth": "u32",
    "landmarks": "u64", "source": "map?", "digest": "bin", "dialect": "str?", "patterns": "strs?",
    "join": "str?", "edges": "strs?"}
SOURCE = {"format": "str", "bytes": "u64", "sha-256": "bin"}


class Part(NamedTuple):
    start: int
    end: int
    stride: int  # binary logarithm, §5.9
    entry: int  # offset of the directory entry


class HeaderCursor(Cursor):
    """Compares the blocks of all bytes that it passes, also of skipped ones (§10.3)."""

    __slots__ = ()

    def token(self) -> int:
        kind = super().token()
        self.file.touch(self.start, self.position)
        return kind


class File:
    def __init__(self, data: Any, envelope: Envelope, limits: Limits) -> None:
        self.data, self.envelope, self.limits, self.size = data, envelope, limits, len(data)
        self.parts: Dict[int, Part] = {}
        # Of every part, known or not: offset, end, number, offset of its entry, whether it is an element.
        self.spans: List[Tuple[int, int, int, int, bool]] = []
        self.checked = self.table_checked = bytearray()  # blocks compared: of the content, of the table
        header = self.signature()  # in the order of §10.3
        self.directory(self.trailer())
        self.touch(0, header)
        end = min(header + limits.header, self.directory_start)
        cursor = HeaderCursor(self, header, end)
        try:
            self.requires(cursor.at(header))
            cursor.token()
            self.fields, self.places = self.map(cursor, HEADER)
        except FormatError as error:
            is_long = end < self.directory_start and error.code in ("MSG-SHORT", "MSG-COUNT")
            raise FormatError("LIM-HEADER", end, "the header is too long") if is_long else error
        self.header_end = cursor.position
        is_same = self.fields["document-type"].lower() == envelope.parameters["document-type"].lower()
        need(is_same, "HDR-MISMATCH", self.places["document-type"], "the envelope has another")
        need(self.fields["version"] == 1, "HDR-MISMATCH", self.places["version"], "the envelope has 1")
        for begin, _, number, at, _ in self.spans:
            need(begin >= self.header_end, "PRT-RANGE", at, "part {} begins in the header", number)

    def signature(self) -> int:
        """§5.2: its presence; the result is the offset of the header."""
        payload = self.envelope.end
        window = bytes(self.data[payload : payload + 32])
        size = {0xDC: 3, 0xDD: 5}.get(window[0], 1) if window else 1
        if not window.startswith(SIGNATURE, size) or size == 1 and not 0x90 <= window[0] <= 0x9F:
            raise diagnosis.no_signature(window, payload, size, SIGNATURE)
        cursor = Cursor(self, payload, self.size)
        cursor.token()
        self.elements: int = cursor.value
        need(self.elements >= 7, "PAY-FORM", payload, "{} elements, expected 7 or more", self.elements)
        return payload + size + len(SIGNATURE)

    def trailer(self) -> int:
        """§5.10, and its checksum (§7.3); the result is the number of directory entries."""
        first, self.trailer_start = self.envelope.end, self.size - TRAILER.size
        need(self.trailer_start >= first, "TRL-MAGIC", self.size, "there is no room for a trailer")
        fields = TRAILER.unpack(self.data[self.trailer_start : self.size])
        length, self.begin, count, flags, bits, magic, checksum = fields
        if magic != b"COCO":
            tail = bytes(self.data[max(first, self.size - 65536) : self.size])
            raise diagnosis.no_trailer(tail, self.size - 8)
        need(length == self.size, "TRL-LENGTH", self.trailer_start, "{} bytes, found {}", length, self.size)
        place, is_before = self.trailer_start, self.begin <= self.trailer_start
        need(is_before, "TRL-FIELD", place, "the checksum begins after the start of the trailer")
        is_same = checksum == crc32(self.data[self.begin : self.size - 4])
        need(is_same, "SUM-MISMATCH", self.begin, "the trailer's checksum")
        need(not flags & 2, "TRL-NEWER", place, "the frame needs a newer reader; upgrade, or use the source")
        is_known = flags <= 1 and (bits in BLOCKS or bits == 0)
        need(is_known, "TRL-FIELD", place, "flags {}, or blocks of 2^{} bytes", flags, bits)
        self.wide, self.block = bool(flags), int(bits and 1 << bits)
        return int(count)

    def directory(self, count: int) -> None:
        """§5.8, and the place of the block table (§7.2)."""
        layout = struct.Struct("<BBHQQ" if self.wide else "<BBHII")
        first, trailer = self.envelope.end, self.trailer_start
        start = self.directory_start = trailer - count * layout.size
        need(start >= first, "TRL-FIELD", trailer, "the directory does not fit into the file")
        need(count <= self.limits.directory, "LIM-COUNT", trailer, "{} directory entries", count)
        previous = -1
        newer = (at for at in range(start, trailer, layout.size) if self.data[at + 1] & NEWER)
        need(not (at := next(newer, 0)), "PRT-NEWER", at, "a part needs a newer reader; use the source")
        for at in range(start, trailer, layout.size):
            number, flags, stride, begin, length = layout.unpack(self.data[at : at + layout.size])
            end = begin + length
            is_element = bool(flags & ELEMENT)
            is_set = flags <= FLAGS and stride <= 31 * (number in OFFSET_TABLES) and length >= is_element
            is_right = number not in KNOWN or is_element == (number in REQUIRED)
            is_inside = first <= begin and end <= start
            is_apart = all(end <= other or after <= begin for other, after, *_ in self.spans)
            code = ("PRT-RANGE" if not (is_set and is_right and is_inside) else
                    "PRT-TWICE" if number <= previous else
                    "PRT-CRITICAL" if number not in KNOWN and flags & CRITICAL else
                    "PRT-PADDING" if not is_element and begin % 8 else
                    "PRT-RANGE" if not is_apart else "")
            need(not code, code, at, "part {} with flags {}, from {} to {}", number, flags, begin, end)
            if number in KNOWN:
                self.parts[number] = Part(begin, end, stride, at)
            self.spans.append((begin, end, number, at, is_element))
            previous = number
        needed = {*REQUIRED, *(other for part in self.parts for other in NEEDS.get(part, ()))}
        missing = needed - self.parts.keys()
        need(not missing, "PRT-MISSING", start, "parts are missing: {}", missing)
        table = self.parts.get(BLOCK_TABLE)
        need(bool(table) == bool(self.block), "TRL-FIELD", trailer, "blocks of {} bytes", self.block)
        self.lengths()
        need(self.begin == (table.end if table else 0), "TRL-FIELD", trailer, "a checksum at a wrong offset")
        if table:
            self.checked = bytearray(self.count(BLOCK_TABLE))
            self.table_checked = bytearray(-(-(table.end - table.start) // self.block))
            room = start - table.end - 4 * len(self.table_checked)
            need(room >= 0, "PRT-RANGE", table.entry, "no room for the root table")

    def lengths(self) -> None:
        """§5.8: checks the numbers of entries against each other."""
        n = self.count(LANDMARK_OFFSETS)
        counts = {BUCKETS: (1 << bucket_bits(n)) + 1, **dict.fromkeys((CLASSES, TREE, SLOTS, DIGESTS), n)}
        counts.update({starts: 2 * n if self.count(starts) == 2 * n else n + 1 for starts in (40, 43)})
        counts.update({kinds: self.count(kinds - 1) for kinds in (42, 45) if kinds - 1 in self.parts})
        for number in sorted(ENTRIES.keys() & self.parts.keys()):
            start, end, _, at = self.parts[number]
            counts[BLOCK_TABLE] = -(-start // self.block) if self.block else 0
            expected = counts.get(number, self.count(number))
            fits = end - start == expected * ENTRIES[number][self.wide]
            need(fits, "PRT-LENGTH", at, "part {} should have {} entries", number, expected)
            most = {LANDMARK_OFFSETS: self.limits.landmarks, 41: self.limits.edges, 44: self.limits.edges}
            is_few = number not in most or expected <= most[number]
            need(is_few, "LIM-COUNT", at, "{} entries in part {}", expected, number)

    def count(self, number: int) -> int:
        """The entries of a table; a missing table has none."""
        start, end = self.parts[number][:2] if number in self.parts else (0, 0)
        return (end - start) // ENTRIES[number][self.wide]

    def touch(self, start: int, stop: int) -> int:
        """§7.2: compares the blocks of [start, stop); returns an offset up to which that is done.
        """
        if not self.checked or stop <= start or start >= self.parts[BLOCK_TABLE].start:
            return self.size  # the trailer's checksum covered it
        content, end = self.parts[BLOCK_TABLE][:2]
        size, last = self.block, min(stop - 1, content - 1) // self.block
        for block in range(start // size, last + 1):
            if not self.checked[block]:
                group = 4 * block // size
                if not self.table_checked[group]:
                    self.compare(content + group * size, end, end + 4 * group)
                    self.table_checked[group] = 1
                self.compare(block * size, content, content + 4 * block)
                self.checked[block] = 1
        return min((last + 1) * size, content)

    def compare(self, begin: int, end: int, entry: int) -> None:
        expected = int.from_bytes(self.data[entry : entry + 4], "little")
        is_same = crc32(self.data[begin : min(begin + self.block, end)]) == expected
        need(is_same, "SUM-MISMATCH", begin, "the block that begins here")

    def requires(self, cursor: Cursor) -> None:
        """§5.3: looked for before all else, so that what is newer is not taken for damage."""
        need(cursor.token() == MAP, "PAY-FORM", cursor.start, "the header is not a map")
        for _ in range(cursor.value):
            at, is_found = cursor.position, cursor.token() == STRING and cursor.bytes() == b"requires"
            cursor.position = at
            cursor.skip(1 if is_found else 2)
            if is_found:
                kind = cursor.token()
                at = cursor.position if kind == ARRAY else cursor.start  # §5.12: no feature is known
                need(kind == ARRAY and not cursor.value, "HDR-REQUIRES", at, "an unknown feature")
                break

    def map(self, cursor: Cursor, known: Dict[str, str]) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        """§5.3: the fields' values, and their offsets; for lists those of the items."""
        at, names = cursor.start, set()
        fields: Dict[str, Any] = {}
        places: Dict[str, Any] = {}
        for _ in range(cursor.value):
            need(cursor.token() == STRING, "MSG-TYPE", cursor.start, "a key that is not a string")
            name = cursor.text(self.limits.key)
            need(name not in names, "HDR-FIELD", cursor.position, "a field that is given twice")
            names.add(name)
            if name in known:
                value, place = fields[name], places[name] = self.field(cursor, name, known[name])
                need(name != "profile" or value in PROFILES, "HDR-FIELD", place, "profile `{}`", value)
            else:
                cursor.skip()
        missing = [name for name, form in known.items() if form[-1] != "?" and name not in fields]
        need(not missing, "HDR-FIELD", at, "fields are missing: {}", missing)
        return fields, places

    def field(self, cursor: Cursor, name: str, form: str) -> Tuple[Any, Any]:
        at, kind, value, expected = cursor.position, cursor.token(), cursor.value, FORMS[form]
        if kind != expected[0] or value not in expected[1]:
            raise FormatError("HDR-FIELD", at, f"a value of another kind in `{name}`")
        if kind == ARRAY:
            items = [self.field(cursor, name, "str") for _ in range(value)]
            return [text for text, _ in items], [place for _, place in items]
        if kind == STRING:
            return cursor.text(self.limits.string), at
        return self.map(cursor, SOURCE)[0] if kind == MAP else cursor.bytes() if kind == BINARY else value, at


def bucket_bits(landmarks: int) -> int:
    """§8.5: the smallest b for which 2^b × 4 is at least the number of landmarks."""
    return max(0, -(-landmarks // 4) - 1).bit_length()
