"""The assembler: lays out a file from explicit pieces (§5), fills in directory, trailer and
checksums, and damages it on request."""

import hashlib
import struct
from dataclasses import dataclass, replace
from zlib import crc32

from .pieces import (
    Line, array_header, at, bin_header, canonical_stream, count_values, depth, full, inside, line, map_header, plain, plain_int, s,
    show, size,
)

SIGNATURE = bytes.fromhex("8943430D0A1A0A00")
BLOCK_BITS = 12  # §7.2: the binary logarithm of the block size that writers choose by default
CRITICAL, DROP, ELEMENT, NEWER = 1, 2, 4, 8  # §5.8
PART_NAMES = {
    1: "strings", 2: "shapes", 3: "shared", 4: "root", 16: "string offsets", 17: "shape offsets", 18: "shared offsets",
    32: "landmark offsets", 33: "landmark classes", 34: "landmark tree", 35: "key buckets", 36: "key slots", 37: "landmark digests",
    40: "dependency starts", 41: "dependency targets", 42: "dependency kinds", 43: "dependent starts",
    44: "dependent targets", 45: "dependent kinds", 64: "block table",
}


@dataclass(frozen=True)
class Landmark:
    """A landmark as the author of a vector states it: a label in the root, its own key, and its
    place."""

    label: str
    key: str
    pointer: str
    kind: int = 0
    parent: int | None = None


@dataclass(frozen=True)
class Rule:
    """§8.1, with the landmarks and edges (source, target, kind; as ordinals) that it leads to."""

    patterns: tuple
    landmarks: tuple
    join: str | None = None
    edges: tuple = ()
    found: tuple = ()
    stated: bool = True  # whether the header says it (§5.3)
    shares: bool = False  # whether landmarks with equal edges share a row (§8.6)

    def full_key(self, ordinal):
        mark = self.landmarks[ordinal]
        if self.join is None or mark.parent is None:
            return mark.key
        return self.full_key(mark.parent) + self.join + mark.key


class File:
    """An assembled file: lines with labels, and the data to damage and repair it."""

    def __init__(self, lines, blocks=None):
        self.lines = lines
        self.blocks = blocks  # (block table, root table) offsets and the block size, or None

    @property
    def data(self):
        return b"".join(l.data for l in self.lines)

    def offset(self, place):
        """The offset of a label, of `label+n`, or of a number."""
        if isinstance(place, int):
            return place
        name, _, delta = place.partition("+")
        if name == "end":
            return len(self.data) + int(delta or 0)
        position = 0
        for l in self.lines:
            if name in l.labels:
                return position + int(delta or 0)
            position += len(l.data)
        raise KeyError(place)

    def poke(self, place, data, why):
        """Overwrites bytes; the notes of their lines name the old bytes."""
        start = self.offset(place)
        data = bytes.fromhex(data) if isinstance(data, str) else data
        lines, position = [], 0
        for l in self.lines:
            low, high = max(start, position), min(start + len(data), position + len(l.data))
            if low < high:
                old = l.data[low - position:high - position]
                new = l.data[:low - position] + data[low - start:high - start] + l.data[high - position:]
                l = replace(l, data=new, note=f"{l.note} ← {why}; was {old.hex(' ').upper()} at {low}")
            position += len(l.data)
            lines.append(l)
        return File(lines, self.blocks)

    def flip(self, place, why="a flipped bit"):
        start = self.offset(place)
        return self.poke(place, bytes([self.data[start] ^ 1]), why)

    def cut(self, place, why="the file is cut here"):
        stop, lines, position = self.offset(place), [], 0
        for l in self.lines:
            if position < stop:
                lines.append(replace(l, data=l.data[:stop - position]))
            position += len(l.data)
        return File(lines + [Line(b"", why)], self.blocks)

    def append(self, data, why):
        return File(self.lines + line(data, why), self.blocks)

    def convert(self, change, why):
        """Applies a change of bytes, such as a line-end conversion, to the whole file."""
        lines = [replace(l, data=change(l.data)) for l in self.lines]
        if b"".join(l.data for l in lines) != change(self.data):  # it changes bytes across lines
            lines = line(change(self.data))
        return File([Line(b"", why)] + lines)

    def repair(self):
        """Makes all checksums match again (§7)."""
        file, data = self, bytearray(self.data)
        lines = list(self.lines)

        def store(label, value):
            position = file.offset(label)
            data[position:position + 4] = struct.pack("<I", value)

        if self.blocks:
            table, root, block = self.blocks
            for k, start in enumerate(range(0, table, block)):
                store(f"block {k}", crc32(data[start:min(start + block, table)]))
            for k, start in enumerate(range(table, root, block)):
                store(f"root {k}", crc32(data[start:min(start + block, root)]))
        covered = struct.unpack_from("<Q", data, len(data) - 20)[0]
        if covered <= len(data) - 4:
            struct.pack_into("<I", data, len(data) - 4, crc32(data[covered:-4]))
        position = 0
        for i, l in enumerate(lines):
            lines[i] = replace(l, data=bytes(data[position:position + len(l.data)]))
            position += len(l.data)
        return File(lines, self.blocks)


def envelope_lines(text):
    """Envelope text, one line of hexadecimal for each line of text."""
    data = text if isinstance(text, bytes) else text.encode("latin-1")
    lines = [Line(b"", "envelope, §2")]
    for part in data.splitlines(keepends=True) if data.isascii() else [data]:
        lines += line(part, show(part.decode("latin-1")))
    return lines


def header_map(fields):
    lines = line(map_header(len(fields)), f"map of {len(fields)}: the header", "header")
    for name, value in fields:
        lines += inside([at(f"header key {name}", s(name)), at(f"header {name}", value)])
    return lines


def texts(items):
    return line(array_header(len(items)), f"array of {len(items)}") + inside(s(x) for x in items)


def digest_of(document):
    return hashlib.sha256(canonical_stream(document)).digest()


def binary(data, text):
    return line(bin_header(len(data)) + data, text)


def standard_header(document, kind, version, profile, rule):
    fields = [
        ("document-type", s(kind)),
        ("version", plain_int(version)),
        ("profile", s(profile)),
        ("producer", s("hand 0")),
        ("values", plain_int(count_values(document))),
        ("depth", plain_int(depth(document))),
        ("landmarks", plain_int(len(rule.landmarks) if rule else 0)),
        ("digest", binary(digest_of(document), "SHA-256 of the canonical value stream, §4.7")),
    ]
    if rule and rule.stated:
        fields.append(("patterns", texts(rule.patterns)))
        if rule.join is not None:
            fields.append(("join", s(rule.join)))
        if rule.edges:
            fields.append(("edges", texts(rule.edges)))
    return fields


def element(items, text, label):
    return at(label, line(array_header(len(items)), text)) + inside(items)


def pointed(document, pointer):
    """The value that a JSON pointer (RFC 6901) names."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def landmark_digest(key, value):
    """§8.8: the entry of part 37."""
    text = key.encode()
    return hashlib.sha256(struct.pack("<I", len(text)) + text + canonical_stream(value)).digest()[:16]


def index_tables(rule, offset, wide, document=None, index=None):
    """Parts 32 to 45 as (part, rows), a row being bytes and a note (§8.2 to §8.8). Tables that say
    nothing are there only if `index` names them."""
    word = "<Q" if wide else "<I"
    marks = rule.landmarks
    n = len(marks)
    tables = {32: [(struct.pack(word, offset(m.label)), f"{i}: {show(rule.full_key(i))} at {offset(m.label)}")
                   for i, m in enumerate(marks)]}
    asked = index or ()
    if any(m.kind for m in marks) or 33 in asked:
        tables[33] = [(bytes([m.kind]), f"{i}: class {m.kind}") for i, m in enumerate(marks)]
    if any(m.parent is not None for m in marks) or 34 in asked:
        rows = []
        for i, m in enumerate(marks):
            stop = i + 1
            while stop < n and is_inside(marks, stop, i):
                stop += 1
            parent = 0xFFFFFFFF if m.parent is None else m.parent
            rows.append((struct.pack("<II", parent, stop), f"{i}: parent {'none' if m.parent is None else m.parent}, end {stop}"))
        tables[34] = rows
    bits = 0
    while 4 << bits < n:
        bits += 1
    slots = sorted((crc32(rule.full_key(i).encode()), rule.full_key(i).encode(), i) for i in range(n))
    first = [sum(1 for h, _, _ in slots if h >> 32 - bits < k) if bits else (0, n)[k] for k in range((1 << bits) + 1)]
    tables[35] = [(struct.pack("<I", x), f"bucket {k} begins at slot {x}" if k < 1 << bits else "number of slots")
                  for k, x in enumerate(first)]
    tables[36] = [(struct.pack("<IIQ", h, 0, offset(marks[i].label)) if wide else struct.pack("<II", h, offset(marks[i].label)),
                   f"CRC-32 {h:08X} of {show(k.decode())}: landmark {i} at {offset(marks[i].label)}") for h, k, i in slots]
    if 37 in asked:
        tables[37] = [(landmark_digest(k.decode(), pointed(document, marks[i].pointer)), f"digest of {show(k.decode())}, landmark {i}") for _, k, i in slots]
    if rule.found or 40 in asked:
        forward = sorted(set(rule.found))
        backward = sorted((b, a, k) for a, b, k in forward)
        for part, edges in ((40, forward), (43, backward)):
            if rule.shares:
                tables |= shared_rows(part, edges, n)
                continue
            starts = [sum(1 for e in edges if e[0] < i) for i in range(n + 1)]
            tables[part] = [(struct.pack("<I", x), f"{i}: from {x}" if i < n else "number of edges") for i, x in enumerate(starts)]
            tables[part + 1] = [(struct.pack("<I", b), f"{a} {'→' if part == 40 else '←'} {b}") for a, b, _ in edges]
            tables[part + 2] = [(bytes([k]), f"kind {k}") for _, _, k in edges]
    return tables


def shared_rows(part, edges, n):
    """§8.6, each distinct row once."""
    starts, targets, kinds, known = [], [], [], {}
    for i in range(n):
        row = tuple((b, k) for a, b, k in edges if a == i)
        if row not in known:
            known[row] = len(targets)
            targets += [(struct.pack("<I", b), f"{i} {'→' if part == 40 else '←'} {b}") for b, _ in row]
            kinds += [(bytes([k]), f"kind {k}") for _, k in row]
        begin, end = known[row], known[row] + len(row)
        starts += [(struct.pack("<I", begin), f"{i}: from {begin}"), (struct.pack("<I", end), f"up to {end}")]
    return {part: starts, part + 1: targets, part + 2: kinds}


def is_inside(marks, inner, outer):
    while inner is not None and inner > outer:
        inner = marks[inner].parent
    return inner == outer


def coconut(
    document=None, root=None, *, strings=(), shapes=(), shared=(), kind="document", version=1, profile="full", envelope=None,
    header=None, parts=(), array=None, offsets=None, rule=None, index=None, own_tables=(), blocks=False, wide=False,
    entries=None, trailer=None, gaps=None, signature=None, payload=None, late_tables=(), bin_form=None,
):
    """A whole file.

    `header`: a function that changes the list of header fields. `parts`: elements between root
    and tables as (part number, flags, piece); the flag of elements is added. `array`: the
    payload's array header. `offsets`: stride logarithms of the offset tables by part. `index`:
    which index parts to write, in this order; by default those that say something, without the
    landmark digests. `own_tables`: further tables as (part, flags, bytes). `late_tables`: the
    same, behind the root table. `blocks`: whether there is a block table, or the binary logarithm
    of its block size. `entries`: a function that changes the list of directory entries.
    `trailer`: fields that differ from what is right. `gaps`: bytes to put before an element, by
    its label. `payload`: a function that changes the pieces of the elements. `bin_form`: bytes of
    the header of the last element, if not as few as possible.
"""
    if root is None:
        root = plain(document) if profile == "plain" else full(document)
    if envelope is None:
        envelope = f"application/vnd.coconut+msgpack; document-type={kind}; version={version}\n\n"
    fields = standard_header(document, kind, version, profile, rule)
    if header:
        fields = header(fields) or fields
    strings = [s(x) if isinstance(x, str) else x for x in strings]
    elements = [
        ("sign", line(b"\xC4\x08", "bin of 8: the signature, §5.2", "sign") + line(signature or SIGNATURE, "", "signature")),
        ("header", header_map(fields)),
        ("part 1", element([note_id(i, x) for i, x in enumerate(strings)], "strings, §5.4", "part 1")),
        ("part 2", element([note_id(i, x) for i, x in enumerate(shapes)], "shapes, §5.5", "part 2")),
        ("part 3", element([note_id(i, x) for i, x in enumerate(shared)], "shared values, §5.6", "part 3")),
        ("part 4", at("part 4", root)),
    ] + [(f"part {n}", at(f"part {n}", piece)) for n, _, piece in parts]
    if payload:
        elements = payload(elements) or elements
    titles = {"header": "header, §5.3", "part 1": "elements, §5.4 to §5.6", "part 4": "root, §5.7"}
    lines = envelope_lines(envelope)
    lines += [Line(b"", "payload, §5.1")]
    lines += line(array or array_header(len(elements) + 1), f"array of {len(elements) + 1}: the payload", "payload")
    lengths = {}
    for name, piece in elements:
        if name in titles:
            lines.append(Line(b"", titles[name]))
        lines += (gaps or {}).get(name, [])
        lines += piece
        lengths[name] = size(piece)
    return finish(lines, lengths, parts, offsets or {}, rule, index, own_tables, late_tables, BLOCK_BITS if blocks is True else blocks, wide, entries,
                  trailer or {}, (gaps or {}).get("tables", []), document, bin_form)


def note_id(i, piece):
    first, *rest = piece
    return [replace(first, note=f"{i}: {first.note}"), *rest]


def item_offsets(file, label):
    """Offsets of the items of an element: the lines one level below its header."""
    position, found, base = 0, None, 0
    for l in file.lines:
        if found is not None and l.data:
            if l.indent <= base:
                return found
            if l.indent == base + 1:
                found.append(position)
        if label in l.labels:
            found, base = [], l.indent
        position += len(l.data)
    return found


def finish(lines, lengths, parts, offsets, rule, index, own_tables, late_tables, blocks, wide, entries, trailer, gap, document, bin_form):
    """Adds the last element: tables, block table, root table, directory and trailer (§5.8 to
    §5.10)."""
    content = File(lines)
    word = 8 if wide else 4
    tables = []
    for part, stride in offsets.items():
        found = item_offsets(content, f"part {part - 15}")
        rows = [(found[i].to_bytes(word, "little"), f"item {i} at {found[i]}") for i in range(0, len(found), 1 << stride)]
        tables.append((part, 0, stride, rows))
    if rule:
        for part, rows in index_tables(rule, content.offset, wide, document, index).items():
            if index is None or part in index:
                tables.append((part, 0, 0, rows))
    for part, flags, data in own_tables:
        tables.append((part, flags, 0, [(data, "")] if isinstance(data, bytes) else data))
    order = {part: place for place, part in enumerate(index or ())}
    tables.sort(key=lambda t: (order.get(t[0], t[0]), t[0]))
    listed = [(n, CRITICAL | ELEMENT, 0, content.offset(f"part {n}"), lengths[f"part {n}"]) for n in (1, 2, 3, 4)]
    listed += [(n, flags | ELEMENT, 0, content.offset(f"part {n}"), lengths[f"part {n}"]) for n, flags, _ in parts]
    start = len(content.data) + size(gap)
    for head in (bin_form,) if bin_form else (2, 3, 5):
        body, directory, places = lay_out(start + head, tables, late_tables, blocks, wide, listed, entries, trailer)
        if bin_form or len(bin_header(size(body))) == head:
            break
    else:
        raise AssertionError("no bin form fits")
    first = {2: 0xC4, 3: 0xC5, 5: 0xC6}[head]
    lines = lines + gap + [Line(b"", "tables, §5.8")]
    lines += line(bytes([first]) + size(body).to_bytes(head - 1, "big"), f"bin of {size(body)}: to the end of the file", "tables")
    return File(lines + body, places).repair()


def lay_out(begin, tables, late_tables, blocks, wide, listed, entries, trailer):
    body, listed = [], list(listed)

    def here():
        return begin + size(body)

    def pad():
        missing = -here() % 8
        if missing:
            body.extend(line(bytes(missing), "zero bytes up to an offset divisible by 8", f"padding {here()}"))

    for part, flags, stride, rows in tables:
        pad()
        body.append(Line(b"", f"part {part}: {PART_NAMES.get(part, 'unknown')}"))
        listed.append((part, flags, stride, here(), sum(len(d) for d, _ in rows)))
        for i, (data, text) in enumerate(rows):
            body.append(Line(data, text, (f"{part}[{i}]",)))
    places = None
    covered = 0
    if blocks:
        pad()
        table = here()
        block = 1 << blocks
        count = -(-table // block)
        listed.append((64, 0, 0, table, 4 * count))
        body.append(Line(b"", "part 64: block table, §7.2"))
        for k in range(count):
            body.append(Line(bytes(4), f"CRC-32 of [{k * block}, {min((k + 1) * block, table)})", (f"block {k}",)))
        covered = here()
        body.append(Line(b"", "root table, §7.2"))
        for k in range(-(-4 * count // block)):
            low = table + k * block
            body.append(Line(bytes(4), f"CRC-32 of [{low}, {min(low + block, covered)})", (f"root {k}",)))
        places = (table, covered, block)
    for part, flags, data in late_tables:
        pad()
        listed.append((part, flags, 0, here(), len(data)))
        body.append(Line(data, f"part {part}", (f"{part}[0]",)))
    pad()
    rows = [dict(part=p, flags=f, stride=t, offset=o, length=n) for p, f, t, o, n in sorted(listed)]
    if entries:
        rows = entries(rows) or rows
    body.append(Line(b"", "directory, §5.8"))
    for i, row in enumerate(rows):
        labels = (row.get("label", f"entry {row['part']}"),) + (("directory",) if i == 0 else ())
        form = "<BBHQQ" if wide else "<BBHII"
        data = struct.pack(form, row["part"], row["flags"], row["stride"], row["offset"], row["length"])
        text = f"part {row['part']}, {PART_NAMES.get(row['part'], 'unknown')}: {row['length']} byte{'s' * (row['length'] != 1)} at {row['offset']}"
        names = [name for flag, name in ((CRITICAL, "critical"), (DROP, "drop on rewrite"), (ELEMENT, "element"), (NEWER, "newer")) if row["flags"] & flag]
        text += f"; {', '.join(names)}" if names else ""
        if row["stride"]:
            text += f"; stride 2^{row['stride']}"
        body.append(Line(data, text, labels))
    body.append(Line(b"", "trailer, §5.10"))
    length = trailer.get("length", here() + 28)
    covers = trailer.get("covers", covered)
    body.append(Line(struct.pack("<Q", length), f"the file has {length} bytes", ("trailer",)))
    body.append(Line(struct.pack("<Q", covers), f"the checksum begins at {covers}"))
    count = trailer.get("count", len(rows))
    flags = trailer.get("flags", 1 if wide else 0)
    bits = trailer.get("block", blocks or 0)
    text = f"{count} entries, {'wide' if flags & 1 else 'narrow'}, {f'blocks of 2^{bits} bytes' if bits else 'no blocks'}"
    body.append(Line(struct.pack("<HBB", count, flags, bits), text))
    body.append(Line(trailer.get("magic", b"COCO"), "magic", ("magic",)))
    body.append(Line(bytes(4), "CRC-32 of the bytes up to here", ("checksum",)))
    return body, rows, places
