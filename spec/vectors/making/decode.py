"""A decoder written from the specification alone, to check the vectors against. It assumes that a
file is good: anything else ends in a Python exception, not in an error code. `Reader.get`
answers lookups through the index."""

import json
import struct
from zlib import crc32


class Frame:
    """Envelope, trailer, directory and header."""

    def __init__(self, data, check_blocks=True):
        self.data = data
        self.text, self.parameters, self.start = read_envelope(data)
        if self.text.endswith("+json"):
            return
        end = len(data) - 28
        length, covers, count, flags, self.bits, magic, crc = struct.unpack("<QQHBB4sI", data[end:])
        assert (length, magic, crc) == (len(data), b"COCO", crc32(data[covers:-4])), "trailer"
        self.word, form, entry = (8, "<BBHQQ", 20) if flags & 1 else (4, "<BBHII", 12)
        rows = [struct.unpack(form, data[o:o + entry]) for o in range(end - count * entry, end, entry)]
        self.parts = {row[0]: row[2:] for row in rows}
        self.flags = {row[0]: row[1] for row in rows}
        assert (self.bits in range(12, 21)) if 64 in self.parts else self.bits == 0, "block size"
        if 64 in self.parts and check_blocks:
            self.check_blocks(covers)
        at = self.start
        assert data[at] in range(0x90, 0xA0) or data[at] in (0xDC, 0xDD)
        at += {0xDC: 3, 0xDD: 5}.get(data[at], 1)
        assert data[at:at + 10] == bytes.fromhex("C408 8943430D0A1A0A00"), "signature"
        self.header, self.header_end = self.plain(at + 10)

    def check_blocks(self, covers):
        _, table, length = self.parts[64]
        block = 1 << self.bits
        for low, high, sums in ((0, table, table), (table, table + length, covers)):
            for k, o in enumerate(range(low, high, block)):
                (crc,) = struct.unpack_from("<I", self.data, sums + 4 * k)
                assert crc == crc32(self.data[o:min(o + block, high)]), f"block at {o}"

    def token(self, o):
        """(kind, value or count, offset after the header, and after the body of a scalar)."""
        b, d = self.data[o], self.data
        if b < 0x80 or b >= 0xE0:
            return "int", struct.unpack_from("b", d, o)[0], o + 1
        if b < 0xC0:
            kind, n = (("map", b & 15), ("array", b & 15), ("str", b & 31), ("str", b & 31))[(b >> 4) - 8]
            return self.body(kind, n, o + 1)
        if b in (0xC0, 0xC2, 0xC3):
            return "simple", {0xC0: None, 0xC2: False, 0xC3: True}[b], o + 1
        if b == 0xCB:
            return "float", struct.unpack_from(">d", d, o + 1)[0], o + 9
        if 0xCC <= b <= 0xD3:
            width = 1 << (b & 3)
            return "int", int.from_bytes(d[o + 1:o + 1 + width], "big", signed=b >= 0xD0), o + 1 + width
        if 0xD4 <= b <= 0xD7:
            width, kind = 1 << b - 0xD4, d[o + 1]
            name = "ext" if kind in (1, 2) else "unknown ext"
            return name, int.from_bytes(d[o + 2:o + 2 + width], "big", signed=kind == 2), o + 2 + width
        if b == 0xD8:
            return "unknown ext", d[o + 2:o + 18], o + 18
        if 0xC7 <= b <= 0xC9:
            width = 1 << b - 0xC7
            n = int.from_bytes(d[o + 1:o + 1 + width], "big")
            return "unknown ext", d[o + 2 + width:o + 2 + width + n], o + 2 + width + n
        kind, width = {0xC4: ("bin", 1), 0xC5: ("bin", 2), 0xC6: ("bin", 4), 0xD9: ("str", 1), 0xDA: ("str", 2), 0xDB: ("str", 4),
                       0xDC: ("array", 2), 0xDD: ("array", 4), 0xDE: ("map", 2), 0xDF: ("map", 4)}[b]
        return self.body(kind, int.from_bytes(d[o + 1:o + 1 + width], "big"), o + 1 + width)

    def body(self, kind, n, o):
        if kind in ("array", "map"):
            return kind, n, o
        data = self.data[o:o + n]
        assert len(data) == n
        return kind, data.decode() if kind == "str" else data, o + n

    def plain(self, o):
        """Ordinary msgpack: the header, the strings, and profile plain (§4.6)."""
        kind, n, o = self.token(o)
        if kind == "array":
            items = []
            for _ in range(n):
                item, o = self.plain(o)
                items.append(item)
            return items, o
        if kind == "map":
            pairs = {}
            for _ in range(n):
                name, o = self.plain(o)
                pairs[name], o = self.plain(o)
            return pairs, o
        return n, o


class Reader(Frame):
    """The values of a good file, and lookups."""

    def __init__(self, data, check_blocks=True):
        super().__init__(data, check_blocks)
        if self.text.endswith("+json"):
            return
        self.strings = self.element(1, self.plain)
        self.shared = []
        is_plain = self.header["profile"] == "plain"  # §4.6: nothing refers to these tables
        self.shapes = self.element(2, self.plain if is_plain else self.read_shape)
        self.element(3, self.plain if is_plain else self.read_shared)

    def element(self, part, read):
        _, at, _ = self.parts[part]
        kind, n, at = self.token(at)
        assert kind == "array"
        items = []
        for _ in range(n):
            item, at = read(at)
            items.append(item)
            if part == 2:
                self.shapes = items
        return items

    def value(self, o, integer=False):
        """§4.2 to §4.5; `integer` says that an integer slot of a record is read (§6.3)."""
        kind, n, o = self.token(o)
        if kind == "int" and not integer:
            return self.strings[n] if n >= 0 else self.shared[~n], o
        if kind != "array":
            assert kind in ("simple", "float", "str", "ext", "int"), kind
            return n, o
        if n == 0:
            return [], o
        kind, first, o = self.token(o)
        if kind == "int":
            assert n - 1 == self.width(first)
            return self.record(self.shapes[first], o)
        if first is None:
            items = []
            for _ in range(n - 1):
                item, o = self.value(o)
                items.append(item)
            return items, o
        assert first is False and n % 2 == 1
        pairs = {}
        for _ in range(n // 2):
            name, o = self.value(o)
            assert name not in pairs
            pairs[name], o = self.value(o)
        return pairs, o

    def record(self, shape, o):
        pairs = {}
        for name, kind, what in shape:
            assert name not in pairs
            if kind == "constant":
                pairs[name] = what
            elif kind == "nested":
                pairs[name], o = self.record(self.shapes[what], o)
            else:
                pairs[name], o = self.value(o, kind == "integer")
        return pairs, o

    def width(self, shape):
        return sum({"constant": 0, "nested": 0}.get(k, 1) + (self.width(w) if k == "nested" else 0) for _, k, w in self.shapes[shape])

    def read_shape(self, o):
        kind, n, o = self.token(o)
        slots = []
        for _ in range(n):
            if self.token(o)[0] != "array":
                name, o = self.value(o)
                slots.append((name, "plain", None))
                continue
            _, items, o = self.token(o)
            name, o = self.value(o)
            if items == 1:
                slots.append((name, "integer", None))
            elif items == 2:
                _, t, o = self.token(o)
                assert t < len(self.shapes)
                slots.append((name, "nested", t))
            else:
                assert items == 3 and self.token(o)[1] is None
                c, o = self.value(o + 1)
                slots.append((name, "constant", c))
        return slots, o

    def read_shared(self, o):
        value, after = self.value(o)
        self.shared.append(value)
        return value, after

    def document(self):
        if self.text.endswith("+json"):
            return json.loads(self.data[self.start:], parse_int=lambda text: -0.0 if text == "-0" else int(text))
        return self.value_of_profile(self.parts[4][1])[0]

    def value_of_profile(self, o):
        return self.plain(o) if self.header["profile"] == "plain" else self.value(o)

    # §8: lookups.

    def number(self, part, i, width=4):
        return int.from_bytes(self.data[self.parts[part][1] + i * width:][:width], "little")

    def landmark(self, offset):
        """(own key if it is an entry's key, value) of the landmark at an offset (§8.2)."""
        kind, n, after = self.token(offset)
        if kind == "str" or kind == "int" and n >= 0:
            return self.value_of_profile(offset)[0], self.value_of_profile(after)[0]
        return None, self.value_of_profile(offset)[0]

    def get(self, name):
        """The ordinals of all landmarks with the hash of the key; the caller compares their keys.
        """
        h = crc32(name.encode())
        buckets = self.parts[35][2] // 4 - 1
        k = h >> 32 - (buckets.bit_length() - 1) if buckets > 1 else 0
        width = 16 if self.word == 8 else 8
        found = []
        for i in range(self.number(35, k), self.number(35, k + 1)):
            if self.number(36, i * (width // 4)) == h:
                offset = int.from_bytes(self.data[self.parts[36][1] + i * width + width - self.word:][:self.word], "little")
                ordinals = [j for j in range(self.parts[32][2] // self.word) if self.number(32, j, self.word) == offset]
                assert len(ordinals) == 1
                found += ordinals
        return found


def read_envelope(data):
    ends = [i for i in range(len(data)) if data[i] == 10 and any(data[i + 1:].startswith(e) for e in (b"\n", b"\r\n"))]
    stop = ends[0] + (2 if data[ends[0] + 1] == 10 else 3)
    text = data[:ends[0]].decode("ascii").replace("\r\n", " ").replace("\r", "").replace("\n", " ")
    pieces, quoted, escaped = [""], False, False
    for c in text:
        if c == ";" and not quoted:
            pieces.append("")
            continue
        if c == '"' and not escaped:
            quoted = not quoted
            continue
        escaped = quoted and c == "\\" and not escaped
        pieces[-1] += "" if escaped else c
    parameters = dict(p.strip().split("=", 1) for p in pieces[1:])
    return pieces[0].strip().lower(), {k.lower(): v for k, v in parameters.items()}, stop
