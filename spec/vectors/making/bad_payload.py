"""Bad vectors of the payload: elements, header, directory, trailer (§5), and faults there that only
full validation finds (§10.2)."""

import struct

from .assemble import Landmark, Rule, binary, coconut, digest_of, header_map, texts
from .cases import Case, at_decode, at_open, at_verify
from .good_later import DUMMY, requiring
from .pieces import (
    Line, at, inside, int_slot, line, lst, map_header, nil, num, obj, plain_int, raw, real, rec, s, sh, shape, sid, size,
)

DOCUMENT = {"a": 1}


def cases():
    yield from elements()
    yield from header()
    yield from newer()
    yield from directory()
    yield from dependent()
    yield from trailer()
    yield from counts()
    yield from claims()
    yield from longer_forms()
    yield from gaps()


def opened(name, about, section, code, place, **options):
    return at_open(f"payload-{name}", about, section, coconut(DOCUMENT, **options), code, place)


# §5.1

def elements():
    for name, digits in (("empty", "90"), ("six", "96"), ("one", "91")):
        yield opened(f"array-{name}", f"A payload array that claims {int(digits, 16) & 15} items.", "§5.1", "PAY-FORM", "payload",
                     array=bytes.fromhex(digits))
    yield opened("array-count", "A payload array that claims 4,294,967,295 items.", "§3.3", "MSG-COUNT", "payload", array=bytes.fromhex("DDFFFFFFFF"))
    for name, digits in (("array", "90"), ("null", "C0"), ("string", "A0")):
        def replaced(found, digits=digits):
            return [(n, raw(digits, "", "header") if n == "header" else p) for n, p in found]

        yield opened(f"header-{name}", f"The second element is no map: {name}.", "§5.1", "PAY-FORM", "header", payload=replaced)
    for part, what in ((1, "strings"), (2, "shapes"), (3, "shared")):
        for name, digits in (("map", "80"), ("null", "C0"), ("string", "A0")):
            def replaced(found, digits=digits, part=part):
                return [(n, raw(digits, "", f"part {part}") if n == f"part {part}" else p) for n, p in found]

            yield at_decode(f"payload-{what}-{name}", f"The {what} element is no array: {name}.", "§5.1",
                            coconut(DOCUMENT, payload=replaced), "PAY-FORM", f"part {part}")


# §5.3

def replace_field(key, piece):
    return lambda fields: [(k, piece if k == key else v) for k, v in fields]


def without(key):
    return lambda fields: [(k, v) for k, v in fields if k != key]


def more(key, piece):
    return lambda fields: fields + [(key, piece)]


def header():
    for key in ("document-type", "version", "profile", "producer", "values", "depth", "landmarks", "digest"):
        yield opened(f"header-no-{key}", f"The header has no `{key}`.", "§5.3", "HDR-FIELD", "header", header=without(key))
    for key, name, piece in (
        ("document-type", "bin", raw("C4 08 64 6F 63 75 6D 65 6E 74", "bin")), ("document-type", "null", nil()),
        ("version", "65536", plain_int(65536)), ("version", "negative", plain_int(-1)), ("depth", "2-32", plain_int(2**32)), ("values", "negative", plain_int(-1)),
        ("version", "string", s("1")), ("version", "float", real(1.0)), ("version", "null", nil()),
        ("profile", "unknown", s("compact")), ("profile", "integer", plain_int(0)), ("profile", "case", s("Full")),
        ("producer", "array", texts(["hand", "0"])), ("values", "string", s("2")), ("depth", "null", nil()),
        ("depth", "float", real(1.0)), ("landmarks", "array", raw("90", "array of 0")), ("landmarks", "extension", num(0)),
        ("digest", "string", s("x" * 32)), ("digest", "31-bytes", raw("C4 1F" + " 00" * 31, "bin of 31")),
        ("digest", "33-bytes", raw("C4 21" + " 00" * 33, "bin of 33")), ("digest", "null", nil()),
    ):
        yield opened(f"header-{key}-{name}", f"The header's `{key}` is of a wrong kind or value: {name}.", "§5.3", "HDR-FIELD", f"header {key}",
                     header=replace_field(key, piece))
    for key, name, piece in (
        ("requires-write", "map", raw("80", "map of 0")), ("optional", "null", nil()), ("source", "string", s("json")),
        ("dialect", "integer", plain_int(1)), ("patterns", "string", s("/a")), ("join", "integer", plain_int(1)), ("edges", "map", raw("80", "map of 0")),
    ):
        yield opened(f"header-{key}-{name}", f"The optional `{key}` is of a wrong kind: {name}.", "§5.3", "HDR-FIELD", f"header {key}", header=more(key, piece))
    def filled(length, *rest):
        """A header of so many bytes, by the text of an unknown field, with other fields after it.
        """
        return lambda fields: fields + [("x", s("x" * (length - size(header_map(fields + list(rest))) - 5))), *rest]

    for name, about, limit in (
        ("text", "a text in its unknown last field, of which one byte is too many", filled(65_537)),
        ("count", "a list of more items than there are bytes left of those", filled(65_537, ("optional", raw("DC 02 00" + " A0" * 512, "array of 512")))),
        ("key", "a key that begins after them", filled(65_539, ("y", nil()))),
    ):
        yield opened(f"header-limit-{name}", f"A header that needs more than 65,536 bytes: {about}.", "§9", "LIM-HEADER", "header+65536", header=limit)
    format_, length, digest = ([s("format"), s("json")], [s("bytes"), plain_int(8)], [s("sha-256"), binary(bytes(32), "SHA-256")])
    for name, about, fields, place in (
        ("no-format", "without a format", length + digest, "header source"), ("no-bytes", "without its length", format_ + digest, "header source"),
        ("no-digest", "without its digest", format_ + length, "header source"),
        ("format-nil", "whose format is nil", [s("format"), at("bad", nil())] + length + digest, "bad"),
        ("digest-short", "whose digest has 31 bytes", format_ + length + [s("sha-256"), at("bad", binary(bytes(31), "31 bytes"))], "bad"),
        ("twice", "with two formats", format_ + length + digest + [s("format"), at("bad", s("json"))], "bad"),
    ):
        piece = line(map_header(len(fields) // 2), f"map of {len(fields) // 2}") + inside(fields)
        yield opened(f"header-source-{name}", f"A source {about}.", "§5.3", "HDR-FIELD", place, header=more("source", piece))
    yield opened("header-twice", "A header key given twice, with the same value.", "§5.3", "HDR-FIELD", "bad", header=more("profile", at("bad", s("full"))))
    yield opened("header-twice-unknown", "A key that no version knows, given twice.", "§5.3", "HDR-FIELD", "bad",
                 header=lambda f: f + [("x", nil()), ("x", at("bad", nil()))])
    for name, digits in (("integer", "05"), ("bin", "C4 01 61"), ("nil", "C0")):
        yield opened(f"header-key-{name}", f"A header key that is no str: {name}.", "§5.3", "MSG-TYPE", "bad",
                     payload=lambda found, digits=digits: [(n, odd_key(p, digits) if n == "header" else p) for n, p in found])
    yield opened("header-type-differs", "Envelope and header name different document types.", "§5.3", "HDR-MISMATCH", "header document-type",
                 header=replace_field("document-type", s("cocopack")))
    yield opened("header-version-differs", "Envelope and header name different versions.", "§5.3", "HDR-MISMATCH", "header version",
                 header=replace_field("version", plain_int(2)))
    yield opened("header-version-older", "The envelope says version 1, the header 0.", "§5.3", "HDR-MISMATCH", "header version",
                 header=replace_field("version", plain_int(0)))
    for name, about, piece in (("integer", "an integer", plain_int(1)), ("array", "a list", raw("90", "array of 0"))):
        items = line(b"\x91", "array of 1") + inside([at("bad", piece)])
        for key in ("requires-write", "optional", "patterns", "edges"):
            yield opened(f"header-{key}-item-{name}", f"An item of `{key}` that is {about}.", "§5.3", "HDR-FIELD", "bad", header=more(key, items))
    yield opened("header-reserved", "The byte C1 as a value of the header.", "§3.1", "MSG-RESERVED", "header x", header=more("x", raw("C1")))
    yield opened("header-utf8", "The producer's name is not UTF-8.", "§3.3", "STR-UTF8", "header producer+2",
                 header=replace_field("producer", raw("A3 61 FF 62")))
    yield opened("header-short", "A string of the header that is longer than the file.", "§3.3", "MSG-SHORT", "header producer+5",
                 header=replace_field("producer", raw("DB 7F FF FF FF 61")))
    yield opened("header-count", "A header map of 4,294,967,295 entries.", "§3.3", "MSG-COUNT", "header",
                 payload=lambda found: [(n, [Line(bytes.fromhex("DFFFFFFFFF"), "map of 4,294,967,295", ("header",)), *p[1:]] if n == "header" else p)
                                        for n, p in found])
    yield opened("header-bin-short", "A byte string in a key that this version does not know, longer than the file.", "§3.3", "MSG-SHORT", "header x+5",
                 header=more("x", raw("C6 7F FF FF FF 61")))
    yield opened("header-ext-short", "An extension in a key that this version does not know, longer than the file.", "§3.3", "MSG-SHORT", "header x+6",
                 header=more("x", raw("C9 7F FF FF FF 05 61")))
    yield opened("header-array-count", "A list of the header with 4,294,967,295 items.", "§3.3", "MSG-COUNT", "header optional",
                 header=more("optional", raw("DD FF FF FF FF")))


def odd_first(piece, digits):
    """The header with `requires` as its tenth key, and before all others one that is none."""
    last = inside([s("requires"), at("header requires", texts([DUMMY]))])
    return [Line(b"\x8A", "map of 10: the header", ("header",)), *inside([raw(digits, "a key", "bad"), nil()]), *piece[1:], *last]


def odd_key(piece, digits):
    """The header with a ninth key."""
    return [Line(b"\x89", "map of 9: the header", ("header",)), *piece[1:], *inside([raw(digits, "a key", "bad"), nil()])]


# §5.12: what is newer is not damaged

def newer():
    def required(name, about, place, fields, code="HDR-REQUIRES", **options):
        """A file that requires what no reader knows, and has more that is unknown."""
        return opened(f"requires-{name}", about, "§5.12", code, place, header=fields, **options)

    yield required("unknown", "The file requires a feature that no reader knows.", "header requires+1", requiring())
    yield required("second", "The second of two features; the first is for experiments.", "header requires+1", requiring(["x-experiment", DUMMY]))
    yield required("last", "`requires` is the last key of the header.", "header requires+1", more("requires", texts([DUMMY])))
    for name, about, piece in (("map", "a map, which might be its parameters", raw("81 A1 78 01", "map of 1")), ("integer", "an integer", plain_int(1)), ("bin", "a bin", raw("C4 01 78", "bin")),
                               ("array", "a list", raw("91 A1 78", "array of 1")), ("utf8", "a text that is not UTF-8", raw("A2 78 FF"))):
        yield required(f"item-{name}", f"A required feature that is {about}: no feature that this reader knows.", "bad",
                       lambda f, piece=piece: [("requires", line(b"\x91", "array of 1") + inside([at("bad", piece)]))] + f)
    for name, piece in (("string", s("x")), ("map", raw("81 A1 78 01", "map of 1")), ("nil", nil()), ("map-empty", raw("80", "map of 0")), ("integer", plain_int(0))):
        yield required(f"value-{name}", f"`requires` is of a kind of which this reader knows no feature: {name}.", "header requires", lambda f, piece=piece: [("requires", piece)] + f)
    for name, digits in (("integer", "05"), ("bin", "C4 08 72 65 71 75 69 72 65 73"), ("array", "91 A8 72 65 71 75 69 72 65 73"), ("map", "81 A1 61 01"), ("utf8", "A1 FF")):
        yield opened(f"requires-behind-key-{name}", f"A required feature after a key that no version has: {name}.", "§5.13", "HDR-REQUIRES", "header requires+1",
                     payload=lambda found, digits=digits: [(n, odd_first(p, digits) if n == "header" else p) for n, p in found])
    yield required("behind-single", "A required feature after a value with a float 32, which no file has: nobody looks further.", "header x", lambda f: [("x", raw("CA 3F 80 00 00"))] + f
                   + [("requires", texts([DUMMY]))], code="MSG-TYPE")
    for name, about, last in (("", "and more bytes than this reader reads", False), ("-directory", "and more bytes than this reader reads, of which the last is the last of a key", True)):
        yield required(f"long{name}", f"A required feature at the beginning of a header of 70,000 bytes: {about}.", "header requires+1",
                       lambda f, last=last: requiring()(f) + [("x", s("x" * 70_000))] + ([("y", nil())] if last else []))
    yield required("odd", "A required feature whose name is not in the form of names.", "header requires+1", requiring(["No Such Feature"]))
    for key, piece in (("profile", s("compact")), ("profile", plain_int(5)), ("values", nil()), ("digest", raw("C4 10" + " 00" * 16, "bin of 16")), ("patterns", nil()),
                       ("optional", s("all")), ("source", raw("80", "map of 0"))):
        what = f"{key}-{piece[0].data.hex()[:2]}"
        for where, first in (("", True), ("-last", False)):
            def fields(f, key=key, piece=piece, first=first):
                rest = [(k, v) for k, v in f if k != key] + [(key, piece)]
                return [("requires", texts([DUMMY]))] + rest if first else rest + [("requires", texts([DUMMY]))]

            yield required(f"{what}{where}", f"An unknown feature and a `{key}` of an unknown kind or value: the feature is looked for first.",
                           "header requires+1", fields)
    yield required("rule", "An unknown feature and a rule that is not understood.", "header requires+1",
                   lambda f: requiring()(f) + [("patterns", texts(["/a[{b|hash}]"])), ("edges", texts(["dep=0/a<<<x"]))])
    yield required("missing", "An unknown feature, and required keys are missing.", "header requires+1", lambda f: requiring()(f)[:3])
    yield required("mismatch", "An unknown feature, and another version in the header.", "header requires+1",
                   lambda f: requiring()(replace_field("version", plain_int(7))(f)))
    yield required("broken", "An unknown feature, and after it a byte that is no msgpack.", "header requires+1", lambda f: requiring()(f) + [("x", raw("C1"))])
    yield required("values", "An unknown feature, and a root of no known form.", "header requires+1", requiring(), root=raw("92 C3 C0", "a form of later versions"))
    yield opened("requires-behind-broken", "A byte that is no msgpack before `requires`: nobody can look further.", "§5.3", "MSG-RESERVED", "header x",
                 header=lambda f: [("x", raw("C1"))] + f + [("requires", texts([DUMMY]))])
    for name, flags in (("", 2), ("-wide", 3), ("-others", 0xFE)):
        yield opened(f"trailer-newer{name}", "The trailer says that the frame needs a newer reader.", "§5.10", "TRL-NEWER", "trailer", trailer=dict(flags=flags))
    yield opened("trailer-newer-block", "The same, with a last byte that this version cannot read.", "§5.10", "TRL-NEWER", "trailer", trailer=dict(flags=2, block=255))
    yield opened("trailer-newer-count", "The same, with more entries than the file has room for.", "§5.10", "TRL-NEWER", "trailer", trailer=dict(flags=2, count=60_000))
    yield opened("trailer-newer-directory", "The same, with directory entries of another form.", "§5.10", "TRL-NEWER", "trailer", trailer=dict(flags=2),
                 entries=lambda rows: [dict(row, part=7, flags=255) for row in rows])
    table = [(99, 0, bytes(8))]
    yield opened("part-newer", "An unknown table that needs a newer reader.", "§5.8", "PRT-NEWER", "entry 99", own_tables=[(99, 8, bytes(8))])
    yield opened("part-newer-element", "An unknown element that needs a newer reader.", "§5.8", "PRT-NEWER", "entry 5", parts=[(5, 8, nil())])
    yield opened("part-newer-known", "The strings need a newer reader.", "§5.8", "PRT-NEWER", "entry 1", entries=entry(1, flags=13))
    for name, about, change in (
        ("flags", "with flags that this version does not know", dict(flags=0xF8)), ("stride", "with a number that should be zero", dict(flags=8, stride=7)),
        ("place", "that leads out of the file", dict(flags=8, offset=1 << 30)), ("unaligned", "that is not aligned", dict(flags=8, offset=lambda o: o + 1)),
        ("critical", "that is critical, too", dict(flags=9)), ("overlap", "that overlaps the strings", dict(flags=8, offset=lambda o: 200)),
    ):
        yield opened(f"part-newer-{name}", f"An entry {about}: that it needs a newer reader is said first.", "§5.8", "PRT-NEWER", "entry 99", own_tables=table,
                     entries=entry(99, **change))
    for name, about, change in (("range", "outside the payload", dict(offset=0)), ("flags", "with flags of a later version", dict(flags=0x15)),
                                ("empty", "of no bytes", dict(length=0))):
        yield opened(f"part-newer-last-{name}", f"Strings {about}, and a later entry that needs a newer reader: that is looked for first.", "§5.8", "PRT-NEWER", "entry 99",
                     own_tables=[(99, 8, bytes(8))], entries=entry(1, **change))
    yield opened("part-newer-missing", "No shapes, and an entry that needs a newer reader.", "§5.8", "PRT-NEWER", "entry 99", own_tables=[(99, 8, bytes(8))],
                 entries=lambda rows: [row for row in rows if row["part"] != 2])
    yield opened("part-newer-twice", "A number given twice, the second time with the flag.", "§5.8", "PRT-NEWER", "again", own_tables=table,
                 entries=lambda rows: rows + [dict(rows[-1], flags=8, label="again")])


def rows_of(file):
    """The entries of a narrow directory."""
    count = struct.unpack_from("<H", file.data, len(file.data) - 12)[0]
    return [struct.unpack_from("<BBHII", file.data, len(file.data) - 28 - 12 * (count - i)) for i in range(count)]


# §5.8

def entry(part, **change):
    """Changes a directory entry; a function in `change` is applied to the old value."""
    def apply(rows):
        return [{**r, **{k: v(r[k]) if callable(v) else v for k, v in change.items()}} if r["part"] == part else r for r in rows]

    return apply


def directory():
    far = 1 << 20
    yield opened("part-beyond", "A part that begins beyond the end of the file.", "§5.8", "PRT-RANGE", "entry 4", entries=entry(4, offset=far))
    yield opened("part-too-long", "A part that ends beyond the end of the file.", "§5.8", "PRT-RANGE", "entry 4", entries=entry(4, length=far))
    yield opened("part-overflow", "Offset and length of a part whose sum exceeds 32 bits.", "§5.8", "PRT-RANGE", "entry 4",
                 entries=entry(4, offset=0xFFFFFFF0, length=0x20))
    yield opened("part-overflow-wide", "Offset and length of a part whose sum exceeds 64 bits.", "§5.8", "PRT-RANGE", "entry 4", wide=True,
                 entries=entry(4, offset=2**64 - 16, length=0x20))
    yield opened("part-in-envelope", "A part in the envelope.", "§5.8", "PRT-RANGE", "entry 1", entries=entry(1, offset=0))
    yield opened("part-in-header", "A part in the header, which is checked last.", "§5.8", "PRT-RANGE", "entry 1", entries=entry(1, offset=100))
    yield opened("part-in-trailer", "An unknown part that reaches into the trailer.", "§5.8", "PRT-RANGE", "entry 99", own_tables=[(99, 0, bytes(8))],
                 entries=lambda rows: entry(99, length=8 + 5 * 12 + 1)(rows))
    yield opened("part-in-directory", "An unknown part that reaches into the directory.", "§5.8", "PRT-RANGE", "entry 99", own_tables=[(99, 0, bytes(8))],
                 entries=entry(99, length=lambda n: n + 1))
    yield opened("part-overlap", "The shapes overlap the strings by a byte.", "§5.8", "PRT-RANGE", "entry 2", entries=entry(2, offset=lambda o: o - 1))
    yield opened("part-empty-inside", "A part of no bytes within another.", "§5.8", "PRT-RANGE", "entry 100", own_tables=[(99, 0, bytes(16)), (100, 0, b"")],
                 entries=entry(100, offset=lambda o: o - 8))
    yield opened("part-same-place", "Two unknown parts at one place.", "§5.8", "PRT-RANGE", "entry 100", own_tables=[(99, 0, bytes(8))],
                 entries=lambda rows: rows + [dict(rows[-1], part=100)])
    yield opened("part-twice", "A part listed twice.", "§5.8", "PRT-TWICE", "entry 4 again",
                 entries=lambda rows: rows + [dict(rows[3], label="entry 4 again")])
    yield opened("part-twice-unknown", "An unknown part listed twice, with different places.", "§5.8", "PRT-TWICE", "again", own_tables=[(99, 0, bytes(16))],
                 entries=lambda rows: rows[:4] + [dict(rows[4], length=8), dict(rows[4], offset=rows[4]["offset"] + 8, length=8, label="again")])
    yield opened("part-order", "Parts 3 and 2 in this order.", "§5.8", "PRT-TWICE", "entry 2", entries=lambda rows: [rows[0], rows[2], rows[1], rows[3]])
    for part, name in ((1, "strings"), (2, "shapes"), (3, "shared"), (4, "root")):
        yield opened(f"part-missing-{name}", f"The directory does not list the {name}.", "§5.8", "PRT-MISSING", "directory",
                     entries=lambda rows, part=part: [r for r in rows if r["part"] != part])
    yield opened("part-critical", "An unknown part that is critical.", "§5.8", "PRT-CRITICAL", "entry 99", own_tables=[(99, 1, bytes(8))])
    yield opened("part-critical-experiment", "A part for experiments that is critical.", "§5.8", "PRT-CRITICAL", "entry 200", own_tables=[(200, 3, bytes(8))])
    yield opened("part-critical-element", "An element of a later version that is critical.", "§5.8", "PRT-CRITICAL", "entry 99", parts=[(99, 1, nil())])
    marks = tuple(Landmark(x, x, f"/{x}") for x in "ab")
    document, root = {"a": 1, "b": 2}, obj(at("a", s("a")), num(1), at("b", s("b")), num(2))
    rule = Rule(("/a", "/*"), (marks[0], Landmark("b", "b", "/b", 1)), edges=("dep=0/x",), found=((0, 1, 0),))
    everything = (32, 33, 35, 36, 37, 40, 41, 42, 43, 44, 45)

    def indexed(name, about, code, place, change, **options):
        return at_open(f"payload-{name}", about, "§5.8", coconut(document, root, rule=rule, entries=change, **options), code, place)

    yield indexed("part-unaligned", "The key buckets begin at an offset that 8 does not divide.", "PRT-PADDING", "entry 35",
                  entry(35, offset=lambda o: o - 4))
    yield indexed("part-length-32", "Landmark offsets whose length four does not divide.", "PRT-LENGTH", "entry 32", entry(32, length=lambda n: n - 1))
    yield indexed("part-length-33", "A landmark class too few.", "PRT-LENGTH", "entry 33", entry(33, length=lambda n: n - 1))
    yield indexed("part-length-35", "Key buckets of three bytes less.", "PRT-LENGTH", "entry 35", entry(35, length=lambda n: n - 3))
    yield indexed("part-length-36", "A key slot too few.", "PRT-LENGTH", "entry 36", entry(36, length=lambda n: n - 8))
    yield indexed("part-length-40", "Dependency starts of one number less.", "PRT-LENGTH", "entry 40", entry(40, length=lambda n: n - 4))
    yield indexed("part-length-37", "Landmark digests of four bytes less.", "PRT-LENGTH", "entry 37", entry(37, length=lambda n: n - 4), index=everything)
    yield indexed("part-length-37-more", "A landmark digest too many.", "PRT-LENGTH", "entry 37", lambda rows: rows, index=(32, 33, 35, 36),
                  own_tables=[(37, 0, bytes(48))])
    for part, less, what in ((41, 4, "A target less than kinds."), (42, 1, "A kind less than targets."), (43, 4, "Dependent starts of one number less."),
                             (44, 2, "Targets whose length four does not divide."), (45, 1, "A kind of the other direction less than targets.")):
        length = {44: 2}.get(part)
        yield indexed(f"part-length-{part}", what, "PRT-LENGTH", "entry 42" if part == 41 else "entry 45" if part == 44 and not length else f"entry {part}",
                      entry(part, length=lambda n, less=less: n - less))
    yield indexed("part-length-64", "A block table of no entries.", "PRT-LENGTH", "entry 64", entry(64, length=0), blocks=True)
    for name, flag in (("flag-16", 16), ("flag-128", 128)):
        yield indexed(f"part-{name}", f"An entry with the unknown flag {flag}.", "PRT-RANGE", "entry 32", entry(32, flags=flag))
    yield opened("part-flag-element", "The root's entry with an unknown flag.", "§5.8", "PRT-RANGE", "entry 4", entries=entry(4, flags=0x25))
    yield opened("part-flag-unknown", "An unknown part with an unknown flag.", "§5.8", "PRT-RANGE", "entry 99", own_tables=[(99, 16, bytes(8))])
    for part, name in ((1, "strings"), (2, "shapes"), (3, "shared"), (4, "root")):
        yield opened(f"part-no-element-{name}", f"The directory says that the {name} are a table.", "§5.8", "PRT-RANGE", f"entry {part}", entries=entry(part, flags=1))
    for part in (32, 36, 37, 45):
        yield indexed(f"part-element-{part}", f"The directory says that part {part} is an element.", "PRT-RANGE", f"entry {part}", entry(part, flags=4), index=everything)
    yield opened("part-element-16", "The directory says that the string offsets are an element.", "§5.8", "PRT-RANGE", "entry 16", entries=entry(16, flags=4), offsets={16: 0})
    yield opened("part-element-64", "The directory says that the block table is an element.", "§5.8", "PRT-RANGE", "entry 64", entries=entry(64, flags=4), blocks=True)
    yield opened("part-element-empty", "An unknown element of no bytes.", "§5.8", "PRT-RANGE", "entry 5", own_tables=[(5, 4, b"")])
    yield opened("part-table-unaligned", "An unknown table at an offset that 8 does not divide.", "§5.8", "PRT-PADDING", "entry 99", own_tables=[(99, 0, bytes(8))],
                 entries=entry(99, offset=lambda o: o + 4, length=4))
    for stride in (32, 63, 64, 255, 256, 65_535):
        yield opened(f"part-stride-{stride}", f"String offsets with a stride of 2^{stride}.", "§5.9", "PRT-RANGE", "entry 16", offsets={16: 4},
                     entries=entry(16, stride=stride))
    yield indexed("part-stride", "A stride in the entry of a table that is no offset table.", "PRT-RANGE", "entry 36", entry(36, stride=1))
    yield opened("part-stride-element", "A stride in the strings' entry.", "§5.8", "PRT-RANGE", "entry 1", entries=entry(1, stride=256))
    yield opened("part-stride-unknown", "A number in the entry of an unknown part that must be zero.", "§5.8", "PRT-RANGE", "entry 99", own_tables=[(99, 0, bytes(8))],
                 entries=entry(99, stride=1))
    tree = Rule(("/a", "/a/*"), (Landmark("a", "a", "/a"), Landmark("b", "b", "/a/b", 1, 0)), join=".")
    yield at_open("payload-part-length-34", "The landmark tree has an entry too few.", "§5.8",
                  coconut({"a": {"b": 1}}, obj(at("a", s("a")), obj(at("b", s("b")), num(1))), rule=tree, entries=entry(34, length=lambda n: n - 8)),
                  "PRT-LENGTH", "entry 34")


def dependent():
    """§5.8: tables that need others."""
    document = {"a": {"k": {"n": 1}}, "b": 2}
    rule = Rule(("/a", "/a/*", "/*"), (Landmark("a", "a", "/a"), Landmark("k", "k", "/a/k", 1, 0), Landmark("b", "b", "/b", 2)), edges=("dep=0/x",), found=((0, 1, 0),))
    root = obj(at("a", s("a")), obj(at("k", s("k")), obj("n", num(1))), at("b", s("b")), num(2))
    for name, about, parts in (
        ("classes", "Landmark classes without landmark offsets", (33,)), ("tree", "A landmark tree without landmark offsets", (34,)),
        ("key-index", "A key index without landmark offsets", (35, 36)), ("digests", "Landmark digests without key slots", (32, 37)),
        ("slots", "Key buckets without key slots", (32, 35)), ("buckets", "Key slots without key buckets", (32, 36)),
        ("edges", "Edges without landmark offsets", (40, 41, 42, 43, 44, 45)), ("dependents", "Dependencies without dependents", (32, 40, 41, 42)),
        ("dependencies", "Dependents without dependencies", (32, 35, 36, 43, 44, 45)), ("edges-five", "Five of the six edge tables", (32, 40, 41, 42, 43, 44)),
        ("edges-one", "Dependency starts alone", (32, 40)),
    ):
        yield at_open(f"payload-part-missing-{name}", f"{about}.", "§5.8", coconut(document, root, rule=rule, index=parts), "PRT-MISSING", "directory")


# §5.10

def behind():
    """Options of a file whose block table, of two entries, is said to be directly before the directory."""
    options = dict(document={"a": "x" * 5000}, blocks=True, own_tables=[(99, 0, bytes(8))])
    start = coconut(**options).offset("directory")
    return dict(options, entries=entry(64, offset=start - 8), trailer=dict(covers=start))


def trailer():
    good = coconut(DOCUMENT)
    long = coconut({"text": "x" * 300})
    size = len(good.data)
    yield at_open("payload-trailer-newline", "An editor added a line end.", "§5.10", good.append(b"\n", "a line end"), "TRL-MAGIC", size + 1 - 8)
    yield at_open("payload-trailer-zeros", "The file was filled up with zero bytes.", "§5.10", good.append(bytes(64), "64 zero bytes"), "TRL-MAGIC", size + 64 - 8)
    for name, place in (("1", size - 1), ("trailer", "trailer"), ("directory", "directory+5"), ("root", "part 4+2")):
        yield at_open(f"payload-cut-{name}", f"The file is cut: {name}.", "§5.10", good.cut(place), "TRL-MAGIC", good.offset(place) - 8)
    yield at_open("payload-cut-string", "A file cut in the middle of a string.", "§5.10", long.cut(400), "TRL-MAGIC", 392)
    yield at_open("payload-cut-signature", "Ten bytes more than the signature: fewer than a trailer has.", "§5.10", good.cut("header+10"), "TRL-MAGIC", "end")
    yield opened("trailer-magic", "Another magic in the trailer.", "§5.10", "TRL-MAGIC", "magic", trailer=dict(magic=b"COCA"))
    for name, about, delta in (("less", "a byte less", -1), ("more", "a byte more", 1)):
        yield opened(f"trailer-length-{name}", f"The trailer says {about} than there is.", "§5.10", "TRL-LENGTH", "trailer", trailer=dict(length=size + delta))
    yield opened("trailer-length-zero", "The trailer says that the file has no bytes.", "§5.10", "TRL-LENGTH", "trailer", trailer=dict(length=0))
    yield opened("trailer-length-huge", "The trailer says that the file has 2^64 − 1 bytes.", "§5.10", "TRL-LENGTH", "trailer", trailer=dict(length=2**64 - 1))
    yield opened("trailer-flags", "An unknown flag in the trailer.", "§5.10", "TRL-FIELD", "trailer", trailer=dict(flags=4))
    yield opened("trailer-flag-128", "Another one.", "§5.10", "TRL-FIELD", "trailer", trailer=dict(flags=128))
    for bits in (1, 12, 20, 255):
        yield opened(f"trailer-block-{bits}", f"The trailer says 2^{bits} bytes for a block, and there is no block table.", "§5.10", "TRL-FIELD", "trailer",
                     trailer=dict(block=bits))
    for bits in (0, 1, 11, 21, 64, 255):
        yield opened(f"trailer-block-table-{bits}", f"The trailer of a file with a block table says {bits} for the binary logarithm of a block.", "§5.10", "TRL-FIELD",
                     "trailer", blocks=True, trailer=dict(block=bits))
    yield at_open("payload-part-length-64-block", "A block table of two entries, where blocks of 8,192 bytes need one.", "§5.8",
                  coconut({"a": "x" * 5000}, blocks=True, trailer=dict(block=13)), "PRT-LENGTH", "entry 64")
    yield at_open("payload-root-table-room", "A block table directly before the directory, without room for the root table.", "§5.8",
                  coconut(**behind()), "PRT-RANGE", "entry 64")
    yield opened("trailer-checksum-middle", "Without a block table, the checksum begins in the middle of the file.", "§7.3", "TRL-FIELD", "trailer",
                 trailer=dict(covers=8))
    yield opened("trailer-checksum-zero", "A file with a block table whose trailer covers the whole file.", "§7.3", "TRL-FIELD", "trailer", blocks=True,
                 trailer=dict(covers=0))
    yield opened("trailer-checksum-table", "The trailer covers the block table, too.", "§7.3", "TRL-FIELD", "trailer", blocks=True,
                 trailer=dict(covers=coconut(DOCUMENT, blocks=True).offset("block 0")))
    yield opened("trailer-count", "A directory of 60,000 entries in a small file.", "§5.10", "TRL-FIELD", "trailer", trailer=dict(count=60_000))
    yield opened("trailer-no-entries", "A directory without entries.", "§5.8", "PRT-MISSING", "trailer", trailer=dict(count=0))
    for name, covers in (("behind", size), ("far", 2**63), ("huge", 2**64 - 1)):
        yield opened(f"trailer-checksum-{name}", "The checksum would begin behind the trailer.", "§5.10", "TRL-FIELD", "trailer", trailer=dict(covers=covers))
    many = [(65 + i, 0, b"") for i in range(61)]
    yield opened("directory-65", "A directory of 65 entries.", "§9", "LIM-COUNT", "trailer", own_tables=many)
    middle = b"\0" * 100
    joined = coconut(DOCUMENT).append(middle + good.data, "100 zero bytes and the same file once more")
    yield at_open("payload-trailer-twice", "Two files in one: the trailer of the second does not know the first.", "§5.10", joined, "TRL-LENGTH",
                  len(joined.data) - 28)


# §5.1, §10.2: the count of the payload array

def counts():
    yield at_verify("verify-count-8", "A payload array that claims an element more than there is.", "§5.1", coconut(DOCUMENT, array=b"\x98"), "PAY-FORM", "payload", DOCUMENT)
    more = [(99, 0, s("from a later version")), (100, 0, nil())]
    for name, count in (("less", 8), ("more", 10)):
        yield at_verify(f"verify-count-extra-{name}", f"A payload array that claims {count} elements where there are nine.", "§5.1",
                        coconut(DOCUMENT, array=bytes([0x90 + count]), parts=more), "PAY-FORM", "payload", DOCUMENT)
    yield at_verify("verify-count-unlisted", "An element between root and tables that the array counts and the directory does not list.", "§10.2",
                    coconut(DOCUMENT, array=b"\x98", gaps={"tables": at("gap", s("in no part"))}), "MSG-TRAILING", "gap", DOCUMENT)


# §10.2: claims and digest

def claims():
    document = {"a": [1, 2]}
    for key, value in (("values", 3), ("values", 5), ("depth", 1), ("depth", 3), ("landmarks", 1)):
        yield at_verify(f"verify-claim-{key}-{value}", f"The header claims {key}: {value}.", "§5.3",
                        coconut(document, header=replace_field(key, plain_int(value))), "HDR-FIELD", f"header {key}", document)
    nests, shapes = {"o": {"i": [[]], "j": {}}}, [shape("i", "j"), shape(raw("92", "nested slot") + s("o") + line(b"\0", "of shape 0"))]
    record = rec(1, lst(raw("90", "the empty list")), obj())
    for value in (2, 3, 5):
        yield at_verify(f"verify-claim-depth-nested-{value}", f"A depth of {value}, where the deepest list is the value of a slot of a nested shape.", "§9.1",
                        coconut(nests, record, shapes=shapes, header=replace_field("depth", plain_int(value))), "HDR-FIELD", "header depth", nests)
    yield at_verify("verify-digest", "The digest of another document.", "§4.7",
                    coconut(document, header=replace_field("digest", raw("C4 20" + " 00" * 32, "32 zero bytes"))), "DIG-DIFFERS", "header digest", document)
    yield at_verify("verify-digest-order", "The digest of the same document with its keys in another order.", "§4.7",
                    coconut({"a": 1, "b": 2}, header=lambda f: [(k, dict_digest({"b": 2, "a": 1}) if k == "digest" else v) for k, v in f]),
                    "DIG-DIFFERS", "header digest", {"a": 1, "b": 2})


def dict_digest(document):
    return binary(digest_of(document), "SHA-256 of another stream")


# §3.3: forms longer than needed

def longer_forms():
    def long(name, about, document, root, place="bad", **options):
        return at_verify(f"verify-longer-{name}", about, "§3.3", coconut(document, root, **options), "MSG-NONCANON", place, document)

    def wrong(digits, text=""):
        return raw(digits, text, "bad")

    yield long("str8", "A short string with a length byte.", ["a"], lst(wrong("D9 01 61")))
    yield long("str16", "A short string with two length bytes.", ["a"], lst(wrong("DA 00 01 61")))
    yield long("str32", "A short string with four length bytes.", ["a"], lst(wrong("DB 00 00 00 01 61")))
    yield long("str16-200", "A string of 200 bytes with two length bytes.", ["a" * 200], lst(wrong("DA 00 C8" + "61" * 200)))
    yield long("array16", "A short list with two bytes of count.", [None], wrong("DC 00 02 C0 C0"))
    yield long("array32", "A short list with four bytes of count.", [None], wrong("DD 00 00 00 02 C0 C0"))
    yield long("empty-array16", "The empty list with two bytes of count.", [], wrong("DC 00 00"))
    yield long("object", "A short object with two bytes of count.", {}, wrong("DC 00 01 C2"))
    yield long("integer-16", "The integer 5 in two bytes.", 5, wrong("D5 01 00 05"))
    yield long("integer-32", "The integer 65,535 in four bytes.", 65535, wrong("D6 01 00 00 FF FF"))
    yield long("integer-64", "The integer 0 in eight bytes.", 0, wrong("D7 01" + " 00" * 8))
    yield long("negative-16", "The integer -1 in two bytes.", -1, wrong("D5 02 FF FF"))
    yield long("negative-64", "The least number of four bytes in eight.", -2**31, wrong("D7 02 FF FF FF FF 80 00 00 00"))
    for name, digits in (("uint8", "CC 00"), ("uint16", "CD 00 00"), ("uint32", "CE 00 00 00 00"), ("uint64", "CF" + " 00" * 8), ("int8", "D0 00"),
                         ("int64", "D3" + " 00" * 8)):
        yield long(f"string-id-{name}", f"A string id of 0 as {name}.", ["x"], lst(wrong(digits)), strings=["x"])
    yield long("string-id-key", "A key's string id as uint8.", {"x": None}, obj(wrong("CC 00"), nil()), strings=["x"])
    for name, digits in (("int8", "D0 FF"), ("int16", "D1 FF FF"), ("int32", "D2 FF FF FF FF"), ("int64", "D3" + " FF" * 8)):
        yield long(f"shared-id-{name}", f"A reference to shared value 0 as {name}.", [[None]], lst(wrong(digits)), shared=[lst(nil())])
    for name, digits, n in (("int16", "D1 01 00", 256), ("int32", "D2 00 01 00 00", 65536)):
        yield long(f"integer-slot-signed-{name}", f"The integer {n:,} as {name}: no longer than the unsigned form, but that is for numbers that are not negative.",
                   {"i": n}, raw("92 00", "record") + wrong(digits), shapes=[shape(int_slot("i"))])
    yield long("shape-id", "A shape id of 0 as uint8.", {"a": None}, raw("92", "record") + wrong("CC 00") + nil(), shapes=[shape("a")])
    yield long("shape-id-int8", "A shape id of 0 as int8, which a reader takes for what it means.", {"a": None}, raw("92", "record") + wrong("D0 00") + nil(),
               shapes=[shape("a")])
    yield long("integer-slot", "The integer 5 as uint8 in an integer slot.", {"a": 5}, rec(0, wrong("CC 05")), shapes=[shape(int_slot("a"))])
    yield long("integer-slot-int8", "The integer 5 as int8 in an integer slot: positive.", {"a": 5}, rec(0, wrong("D0 05")), shapes=[shape(int_slot("a"))])
    yield long("integer-slot-int16", "The integer -128 as int16 in an integer slot; one byte can hold it.", {"a": -128}, rec(0, wrong("D1 FF 80")), shapes=[shape(int_slot("a"))])
    yield long("nested-id", "A nested slot's shape id as uint8.", {"n": {"a": None}}, rec(1, nil()),
               shapes=[shape("a"), shape(raw("92", "nested slot") + s("n") + wrong("CC 00"))])
    yield long("string-table", "A string of the table with a length byte.", ["x"], lst(sid(0)), strings=[wrong("D9 01 78")])
    yield long("constant", "A constant integer in two bytes.", {"a": 5}, rec(0), shapes=[shape(raw("93", "constant slot") + s("a") + nil() + wrong("D5 01 00 05"))])
    yield long("shared", "A shared list with two bytes of count.", [None], sh(0), shared=[wrong("DC 00 02 C0 C0")])
    yield long("header", "A header map with two bytes of count.", DOCUMENT, None, "header",
               payload=lambda found: [(n, [Line(b"\xDE\x00\x08", "map of 8", ("header",)), *p[1:]] if n == "header" else p) for n, p in found])
    yield long("header-version", "The header's version as uint8.", DOCUMENT, None, "header version", header=replace_field("version", raw("CC 01")))
    for form in (3, 5):
        yield long(f"tables-{form}", f"The element of the tables with a header of {form} bytes.", DOCUMENT, None, "tables", bin_form=form)
    yield long("payload", "A payload array of seven items with two bytes of count.", DOCUMENT, None, "payload", array=b"\xDC\x00\x07")
    for name, head, part in (("strings", "DC 00 00", 1), ("shapes", "DC 00 00", 2), ("shared-element", "DD 00 00 00 00", 3)):
        yield long(f"element-{name}", "An empty element with a count of several bytes.", DOCUMENT, None, f"part {part}",
                   payload=lambda found, head=head, part=part: [(n, raw(head, "no items", f"part {part}") if n == f"part {part}" else p) for n, p in found])
    for name, digits in (("map16", "DE 00 01 A1 61 01"), ("uint8", "81 A1 61 CC 01"), ("str8", "81 D9 01 61 01")):
        place = {"map16": 0, "uint8": 3, "str8": 1}[name]
        yield long(f"plain-{name}", f"Profile plain with {name} where a shorter form would do.", {"a": 1}, raw(digits, "", "bad"), f"bad+{place}", profile="plain")


    for name, digits in (("ext8-1", "C7 01 05 00"), ("ext8-16", "C7 10 05" + " 00" * 16), ("ext16", "C8 00 03 05 00 00 00"), ("ext32", "C9 00 00 01 00 05" + " 00" * 256)):
        yield long(f"unused-{name}", f"An extension that is longer than needed ({name}) in a header's field that no reader knows.", DOCUMENT, None,
                   header=more("x-new", wrong(digits)))
    for part in ("shapes", "shared"):
        yield long(f"plain-{part}-ext8", f"Profile plain with an extension that is longer than needed among the {part}, to which nothing refers.", {"a": 1}, None,
                   profile="plain", **{part: [wrong("C7 01 01 05")]})


# §10.2: nothing between the parts

def gaps():
    for name, where, about in (("strings", "part 1", "between header and strings"), ("shapes", "part 2", "between strings and shapes"),
                               ("shared", "part 3", "between shapes and shared values"), ("root", "part 4", "between shared values and root")):
        yield at_decode(f"verify-gap-{name}", f"A byte {about} that no part holds.", "§10.4",
                        coconut(DOCUMENT, gaps={where: raw("C0", "in no part", "gap")}), "MSG-TRAILING", "gap")
    yield at_verify("verify-gap-tables", "A byte between root and tables that no part holds.", "§10.5",
                    coconut(DOCUMENT, gaps={"tables": raw("C0", "in no part", "gap")}), "MSG-TRAILING", "gap", DOCUMENT)
    yield at_decode("verify-gap-element", "An element of a later version between shared values and root: it belongs behind the root.", "§10.4",
                    coconut(DOCUMENT, parts=[(5, 0, nil())], payload=lambda found: found[:5] + [found[6], found[5]]), "MSG-TRAILING", "part 5")
    yield Case("verify-part-longer", "The root part is a byte longer than its value.", "§10.2",
               coconut(DOCUMENT, gaps={"tables": raw("C0", "in the root part, after the value", "gap")}, entries=entry(4, length=lambda n: n + 1)),
               refused=[(level, "MSG-TRAILING", "gap") for level in ("decode", "verify")])
    yield at_decode("verify-elements-backwards", "Root, shared values, shapes and strings, in this order: directory and payload array disagree.", "§10.4",
                    coconut(DOCUMENT, payload=lambda found: found[:2] + found[:1:-1]), "MSG-TRAILING", "part 4")
    nothing = [(99, 0, b"")]

    def misplaced(name, about, change, part=99, **options):
        """A part at a place where it may not be; the header is filled up until 8 divides that place.
        """
        for filler in range(8):
            file = coconut(DOCUMENT, header=more("x", s("x" * filler)), entries=lambda rows: [dict(r, **change(rows)) if r["part"] == part else r for r in rows], **options)
            (row,) = [r for r in rows_of(file) if r[0] == part]
            if row[3] % 8 == 0:
                return at_verify(f"verify-{name}", about, "§5.8", file, "PRT-RANGE", f"entry {part}", DOCUMENT)
        raise AssertionError(name)

    def place_of(number):
        return lambda rows: dict(offset=next(r["offset"] for r in rows if r["part"] == number))

    for number in (1, 2, 3, 4):
        yield misplaced(f"empty-part-{number}", f"An unknown table of no bytes that is where part {number} begins, and not among the tables.", place_of(number),
                        own_tables=nothing)
    yield misplaced("empty-part-tables", "An unknown table of no bytes that is where the element of the tables begins, before its body.",
                    lambda rows: dict(offset=rows[3]["offset"] + rows[3]["length"]), own_tables=nothing)
    yield misplaced("empty-part-element", "An unknown table of no bytes that is where an element of a later version begins.", place_of(100),
                    own_tables=nothing, parts=[(100, 0, s("from a later version"))])
    yield misplaced("table-element", "A table of a later version among the elements.", lambda rows: dict(flags=0), parts=[(99, 0, s("from a later version"))])
    yield at_verify("verify-element-table", "An element of a later version among the tables.", "§5.8", coconut(DOCUMENT, own_tables=[(5, 4, b"\xC0")]), "PRT-RANGE", "entry 5",
                    DOCUMENT)
    for name, data in (("", bytes(8)), ("-empty", b"")):
        yield at_verify(f"verify-table-behind{name}", "A table behind the root table.", "§5.8", coconut(DOCUMENT, blocks=True, late_tables=[(99, 0, data)]), "PRT-RANGE", "entry 99",
                        DOCUMENT)
    long = {"a": "x" * 5000}
    file = coconut(long, blocks=True, own_tables=nothing, entries=lambda rows: [{**row, "offset": rows[4]["offset"] + rows[4]["length"]} if row["part"] == 99 else row for row in rows])
    yield at_verify("verify-empty-part-root", "An unknown table of no bytes that is in the root table.", "§5.8", file, "PRT-RANGE", "entry 99", long)
    for name, about, digits, code, delta in (
        ("short", "A string in an element of a later version that is longer than the element.", "A5 61 62", "MSG-SHORT", 1),
        ("short-item", "The last item of a list in an element of a later version is missing; there were enough bytes for the count.", "93 C0 A1 61", "MSG-SHORT", 4),
        ("count", "A list of 15 items in an element of a later version of three bytes.", "9F C0 C0", "MSG-COUNT", 0),
        ("reserved", "The byte C1 in an element of a later version.", "92 C0 C1", "MSG-RESERVED", 2),
        ("two", "Two values in an element of a later version.", "C0 C0", "MSG-TRAILING", 1),
    ):
        yield at_verify(f"verify-later-{name}", about, "§5.8", coconut(DOCUMENT, parts=[(5, 0, raw(digits, "", "bad"))]), code, f"bad+{delta}", DOCUMENT)
    for where in (0, 2):
        file = coconut(DOCUMENT)
        padding = next(l.labels[0] for l in file.lines if l.labels and l.labels[0].startswith("padding"))
        yield at_verify(f"verify-padding-{where}", "A padding byte that is not zero.", "§5.8", file.poke(f"{padding}+{where}", "01", "not zero").repair(),
                        "PRT-PADDING", f"{padding}+{where}", DOCUMENT)
