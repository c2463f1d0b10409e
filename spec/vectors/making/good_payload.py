"""Good vectors of the payload: header, parts, directory, profiles, checksums (§5 and §7)."""

from .assemble import binary, coconut, header_map, texts
from .cases import good
from .good_later import DUMMY
from .pieces import array, full, line, lst, map_header, nil, num, plain, plain_int, raw, rec, s, sh, shape, sid, size, inside

DOCUMENT = {"a": 1}


def cases():
    yield from header()
    yield from elements()
    yield from directory()
    yield from offset_tables()
    yield from profiles()
    yield from checksums()


def payload(name, about, section, document=DOCUMENT, root=None, **options):
    return good(f"payload-{name}", about, section, document, coconut(document, root, **options))


def header():
    source = line(map_header(3), "map of 3") + inside(
        [s("format"), s("json"), s("bytes"), plain_int(8), s("sha-256"), binary(bytes(range(32)), "SHA-256 of the source text")])
    other = line(map_header(4), "map of 4") + inside(
        [s("x-new"), nil(), s("sha-256"), binary(bytes(32), "SHA-256"), s("bytes"), plain_int(2**64 - 1), s("format"), s("toml")])

    def all_fields(fields):
        return [("requires", texts([]))] + fields[:3] + [("requires-write", texts([DUMMY])), ("optional", texts(["x-example", DUMMY]))] + \
            fields[3:7] + [("source", source)] + fields[7:] + [("dialect", s("none such"))]

    yield payload("header-all", "A header with every optional key; unknown names in `requires-write` and `optional` do not hinder reading.",
                  "§5.3", header=all_fields)
    yield payload("header-source-format", "A source of a format of later versions, and a key of `source` that this one does not know.", "§5.3",
                  header=lambda f: f + [("source", other)])
    for name, found in (("map", raw("81 A1 78 01", "map of 1")), ("more", raw("92 95 A1 58 01 02 03 A1 79 94 A1 58 01 02 03", "findings of five items and of four")),
                        ("less", raw("91 91 A1 58", "a finding of one item")), ("nil", nil())):
        found = line(map_header(4), "map of 4") + source[1:] + inside([s("findings"), found])
        yield payload(f"header-source-findings-{name}", f"Findings in a form of later versions: {name}. They are for display.", "§5.3", header=lambda f, found=found: f + [("source", found)])
    yield payload("header-order", "The keys of the header in another order.", "§5.3", header=lambda f: list(reversed(f)))
    yield payload("header-unknown-keys", "Unknown keys in the header, with values of all kinds of msgpack, are ignored.", "§5.3",
                  header=lambda f: [("x-first", raw("C4 01 FF", "bin"))] + f + [
                      ("x-map", plain({"a": [1, {"b": None}]})), ("x-float", raw("CB 3F F8 00 00 00 00 00 00", "float")), ("x-nil", nil()),
                      ("x-ext", raw("D4 05 00", "an extension of type 5"))])
    yield payload("header-unknown-ext", "Unknown keys whose values are extensions that no value of a document may be.", "§5.3",
                  header=lambda f: f + [("x-ext8", raw("C7 03 05 01 02 03", "ext 8")), ("x-fixext16", raw("D8 FF" + " 00" * 16, "fixext 16"))])


def elements():
    big = [None] * 3
    yield payload("array16", "Ten more elements: the payload's array header has three bytes of its own. Each is an unknown part.", "§5.1",
                  parts=[(200 + i, 0, full(big)) for i in range(10)])
    yield payload("extra-element", "An element between root and tables, listed as an unknown part without the critical flag.", "§5.8",
                  parts=[(99, 0, s("from a later version"))])
    yield payload("extra-element-any", "Elements of later versions may be of any kind of msgpack: map, extension, bin, integer.", "§5.8",
                  parts=[(100, 0, raw("81 A1 61 01", "map")), (101, 2, raw("C7 03 09 01 02 03", "ext 8 of type 9")),
                         (102, 0, raw("C4 02 00 FF", "bin")), (103, 0, raw("2A", "integer"))])


def directory():
    for name, about, root in (("slot", "the value of a slot", rec(1, lst(array([], "the empty list")), nil())), ("record", "the nested object itself", rec(1, nil(), nil()))):
        value = [[]] if name == "slot" else None
        yield payload(f"depth-nested-{name}", f"The claim `depth`, where the deepest value is that of a nested slot: {about}.", "§9.1", document={"o": {"i": value, "j": None}}, root=root,
                      shapes=[shape("i", "j"), shape(raw("92", "nested slot") + s("o") + line(b"\0", "of shape 0"))])
    yield payload("unknown-table", "An unknown part among the tables, one with the flag to drop it on rewriting, one experimental.", "§5.8",
                  own_tables=[(99, 2, bytes(range(16))), (128, 0, b"experiment")])
    yield payload("directory-64", "As many entries as the limit of §9.10 allows; 60 of them are unknown parts of no bytes.", "§5.8",
                  own_tables=[(65 + i, 0, b"") for i in range(60)])
    unused = [raw("D5 01 00 05", "an extension, of whatever"), raw("D8 05" + " 00" * 16, "the same, of 16 bytes"), raw("C7 03 05 00 00 00", "of three"),
              raw("C8 01 00 05" + " 00" * 256, "of 256")]
    yield payload("header-65536", "A header of 65,536 bytes, as many as the limit allows.", "§9",
                  header=lambda fields: fields + [("x", s("x" * (65_536 - size(header_map(fields)) - 5)))])
    yield payload("unused-extensions", "Extensions in a header's field that no reader knows: which number one is, and how wide, is not checked.", "§3.3",
                  header=lambda fields: fields + [("x-new", array(unused, "array of 4"))])
    yield payload("empty-table", "An unknown part of no bytes.", "§5.8", own_tables=[(99, 0, b"")])
    yield payload("wide", "A wide directory: entries of 20 bytes, flagged in the trailer.", "§5.8", wide=True)
    yield payload("wide-offsets", "A wide directory makes the entries of offset tables eight bytes wide.", "§5.9",
                  document=["a", "b"], root=lst(sid(0, "a"), sid(1, "b")), strings=["a", "b"], wide=True, offsets={16: 0})


    def not_critical(rows):
        return [dict(row, flags=row["flags"] & ~1 if row["part"] < 5 else 3) for row in rows]

    yield payload("flags", "Parts 1 to 4 are not flagged as critical, and a known table is flagged as critical and to be dropped: all accepted.", "§5.8", entries=not_critical,
                  document=["a"], root=lst(sid(0, "a")), strings=["a"], offsets={16: 0})


def offset_tables():
    names = [f"n{i}" for i in range(33)]
    for stride in range(5):
        yield payload(f"offsets-stride-{stride}", f"A string offset table with stride 2^{stride}, for 33 strings.", "§5.9",
                      document=[names[i] for i in (0, 1, 15, 16, 17, 31, 32)], root=lst(*(sid(i) for i in (0, 1, 15, 16, 17, 31, 32))),
                      strings=names, offsets={16: stride})
    document = [{"a": [1]}, {"b": [2]}, [1]]
    yield payload("offsets-all", "Offset tables of strings, shapes and shared values.", "§5.9", document=document,
                  root=lst(rec(0, sh(0)), rec(1, sh(1)), sh(0)), strings=["a", "b"], shapes=[shape(sid(0, "a")), shape(sid(1, "b"))],
                  shared=[lst(num(1)), lst(num(2))], offsets={16: 0, 17: 0, 18: 1})
    yield payload("offsets-empty", "Offset tables of empty elements have no entries.", "§5.9", offsets={16: 0, 17: 2, 18: 4})
    for stride in (5, 6, 30, 31):
        yield payload(f"offsets-stride-{stride}", f"A stride of 2^{stride}: one entry. Shifting by {stride} must not surprise.", "§5.9", document=["a", "b"],
                      root=lst(sid(0, "a"), sid(1, "b")), strings=["a", "b"], offsets={16: stride})
    yield payload("offsets-long-stride", "A stride longer than the element: one entry.", "§5.9", document=["a", "b"],
                  root=lst(sid(0, "a"), sid(1, "b")), strings=["a", "b"], offsets={16: 16})


def profiles():
    document = {"n": None, "b": [True, False], "i": [0, 127, 128, 65536, 2**63, 2**64 - 1, -1, -32, -33, -2**63], "f": [1.0, -0.0],
                "s": "text", "o": {}, "l": [], "__proto__": {"1": "x"}}
    yield payload("plain", "Profile plain: ordinary maps, arrays and integers.", "§4.6", document=document, profile="plain")
    yield payload("plain-wide-forms", "Profile plain with a map and an array of more than 15 entries.", "§4.6", profile="plain",
                  document={f"k{i}": list(range(i)) for i in range(18)})
    yield payload("plain-16-keys", "Profile plain with a map of 16 entries, the fewest for a count of two bytes.", "§3.2", profile="plain",
                  document={f"k{i}": None for i in range(16)})
    yield payload("plain-scalar", "Profile plain: an integer is an integer, not a reference.", "§4.6", document=0, profile="plain")
    yield payload("plain-tables", "Profile plain with strings, shapes and shared values to which nothing refers.", "§4.6", document=[0, "x"], profile="plain",
                  strings=["a"], shapes=[shape("x")], shared=[lst(sid(0))])
    yield payload("plain-tables-others", "Profile plain with items in the tables of shapes and shared values that are none: nothing refers to them.", "§4.6", document=[0],
                  profile="plain", shapes=[nil(), shape("x", "x")], shared=[raw("80", "map of 0"), s("x")])
    yield payload("transport", "Profile transport: the values are written as in profile full.", "§5.11", document=[{"a": ["x"]}, {"a": ["x"]}],
                  root=lst(rec(0, sh(0)), rec(0, sh(0))), strings=["x"], shapes=[shape("a")], shared=[lst(sid(0, "x"))], profile="transport")


def checksums():
    yield good("sum-small-block-table", "A small file with a block table: one block, one entry, one root.", "§7.2", DOCUMENT,
               coconut(DOCUMENT, blocks=True))
    document = [f"{i:04}" * 100 for i in range(30)]
    yield good("sum-blocks", "Content of more than 12,000 bytes: a block table of several entries, the last block shorter.", "§7.2", document,
               coconut(document, blocks=True))
    yield good("sum-blocks-wide", "A block table in a wide file; its entries still have four bytes.", "§7.2", document[:12],
               coconut(document[:12], blocks=True, wide=True))
    yield good("sum-no-blocks", "The same content without a block table: the trailer's checksum covers the whole file.", "§7.3", document[:12],
               coconut(document[:12]))
