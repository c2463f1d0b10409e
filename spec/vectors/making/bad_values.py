"""Bad vectors of msgpack, values and records, §3, §4, §6 and §9.1. The place of the fault has the
label `bad`."""

from .assemble import Landmark, Rule, coconut
from .cases import Case, UNKNOWN, at_decode, at_verify
from .pieces import (
    array, at, const, empty, int_slot, lst, nested, nil, num, obj, plain_int, raw, real, rec, s, sh, shape, sid, yes,
)


def cases():
    yield from forms()
    yield from spans()
    yield from utf8()
    yield from numbers()
    yield from references()
    yield from containers()
    yield from shapes_table()
    yield from records()
    yield from plain_profile()
    yield from touched()
    yield from depth()


def bad(name, about, section, code, root, place="bad", **options):
    return at_decode(name, about, section, coconut(None, root, **options), code, place)


def wrong(digits, note=""):
    return raw(digits, note, "bad")


def forms():
    for name, about, digits, code in (
        ("reserved", "The byte C1.", "C1", "MSG-RESERVED"),
        ("float32", "A float 32.", "CA 3F C0 00 00", "MSG-TYPE"),
        ("bin8", "A byte string as a value.", "C4 01 00", "MSG-TYPE"),
        ("bin16", "A byte string with a length of two bytes.", "C5 00 01 00", "MSG-TYPE"),
        ("bin32", "A byte string with a length of four bytes.", "C6 00 00 00 01 00", "MSG-TYPE"),
        ("map", "A map as a value.", "81 A1 61 C0", "MSG-TYPE"),
        ("map-empty", "The empty map.", "80", "MSG-TYPE"),
        ("map16", "A map with a count of two bytes.", "DE 00 01 A1 61 C0", "MSG-TYPE"),
        ("map32", "A map with a count of four bytes.", "DF 00 00 00 01 A1 61 C0", "MSG-TYPE"),
        ("ext8", "An ext 8, even one of type 1.", "C7 01 01 05", "MSG-EXT"),
        ("ext8-empty", "An ext 8 of no bytes.", "C7 00 01", "MSG-EXT"),
        ("ext16", "An ext 16.", "C8 00 01 01 05", "MSG-EXT"),
        ("ext32", "An ext 32.", "C9 00 00 00 01 01 05", "MSG-EXT"),
        ("fixext16", "An extension of 16 bytes.", "D8 01" + " 00" * 16, "MSG-EXT"),
        ("ext-type-0", "An extension of type 0.", "D4 00 05", "MSG-EXT"),
        ("ext-type-3", "An extension of type 3.", "D5 03 00 05", "MSG-EXT"),
        ("ext-type-127", "An extension of type 127.", "D6 7F 00 00 00 05", "MSG-EXT"),
        ("timestamp32", "A msgpack timestamp of 32 bits.", "D6 FF 00 00 00 00", "MSG-EXT"),
        ("timestamp64", "A msgpack timestamp of 64 bits.", "D7 FF 00 00 00 00 00 00 00 00", "MSG-EXT"),
        ("timestamp96", "A msgpack timestamp of 96 bits.", "C7 0C FF" + " 00" * 12, "MSG-EXT"),
    ):
        yield bad(f"msgpack-{name}", about, "§3.1" if code != "MSG-EXT" or "type" not in name else "§4.3", code, wrong(digits))
    yield bad("msgpack-reserved-in-list", "The byte C1 as an item of a list.", "§3.1", "MSG-RESERVED", lst(nil(), wrong("C1"), nil()))
    yield bad("msgpack-map-in-object", "A map as a value in an object.", "§4.5", "MSG-TYPE", obj("a", wrong("80")))
    yield bad("msgpack-string-table-item", "An item of the string table that is an integer.", "§5.4", "MSG-TYPE", sid(0), strings=[wrong("05")])
    yield bad("msgpack-string-table-bin", "An item of the string table that is a byte string.", "§5.4", "MSG-TYPE", sid(0), strings=[wrong("C4 01 61")])


def spans():
    for name, about, digits, code, delta in (
        ("count-array32", "An array of 4,294,967,295 items.", "DD FF FF FF FF", "MSG-COUNT", 0),
        ("count-array16", "An array of 65,535 items.", "DC FF FF", "MSG-COUNT", 0),
        ("count-fixarray", "An array of 15 items without any.", "9F", "MSG-COUNT", 0),
        ("count-part", "The file would have enough bytes for five items, the root part has two.", "DC 00 05 C0 C0", "MSG-COUNT", 0),
        ("short-fixstr", "A string of five bytes of which there is one.", "A5 61", "MSG-SHORT", 1),
        ("short-str8", "A string of 255 bytes of which there is one.", "D9 FF 61", "MSG-SHORT", 2),
        ("short-str16", "A string of 65,535 bytes of which there is one.", "DA FF FF 61", "MSG-SHORT", 3),
        ("short-str32", "A string of 4,294,967,295 bytes of which there is one.", "DB FF FF FF FF 61", "MSG-SHORT", 5),
        ("short-float", "A float with two of its eight bytes.", "CB 3F F8", "MSG-SHORT", 1),
        ("short-uint16", "A number with one of its two bytes.", "CD 01", "MSG-SHORT", 1),
        ("short-int64", "A number with one of its eight bytes.", "D3 FF", "MSG-SHORT", 1),
        ("short-uint8", "A number without its byte.", "CC", "MSG-SHORT", 1),
        ("short-length", "A string length with one of its two bytes.", "DA 00", "MSG-SHORT", 1),
        ("short-count", "An array count with three of its four bytes.", "DD 00 00 00", "MSG-SHORT", 1),
    ):
        yield bad(f"msgpack-{name}", about, "§3.3", code, wrong(digits), f"bad+{delta}")
    yield bad("msgpack-short-last-item", "The last of three items is missing; there were enough bytes for the count.", "§3.3", "MSG-SHORT",
              wrong("93 C0 A1 61"), "bad+4")
    yield bad("msgpack-count-in-list", "An impossible count within a list.", "§3.3", "MSG-COUNT", lst(nil(), wrong("DD 7F FF FF FF C0")))
    for number, name in ((1, "strings"), (2, "shapes"), (3, "shared")):
        def replaced(elements, number=number):
            return [(n, raw("DD FF FF FF FF", "4,294,967,295 items", f"part {number}") if n == f"part {number}" else p) for n, p in elements]

        yield bad(f"msgpack-count-{name}", f"The {name} element claims 4,294,967,295 items.", "§3.3", "MSG-COUNT", nil(), f"part {number}",
                  payload=replaced)


def utf8():
    for name, about, digits, delta in (
        ("continuation", "A continuation byte without a beginning.", "A3 61 80 62", 2),
        ("ff", "The byte FF.", "A2 61 FF", 2),
        ("overlong-2", "NUL in two bytes.", "A2 C0 80", 1),
        ("overlong-3", "A slash in three bytes.", "A4 61 E0 80 AF", 2),
        ("overlong-4", "The euro sign in four bytes.", "A4 F0 82 82 AC", 1),
        ("surrogate", "A surrogate.", "A5 61 62 ED A0 80", 3),
        ("too-great", "U+110000.", "A4 F4 90 80 80", 1),
        ("f5", "The byte F5.", "A4 F5 80 80 80", 1),
        ("cut", "The text ends within a character.", "A4 C3 A9 E2 82", 3),
        ("broken", "A character that ends early, then text.", "A4 61 E2 82 62", 2),
    ):
        yield bad(f"msgpack-utf8-{name}", about, "§3.3", "STR-UTF8", wrong(digits), f"bad+{delta}")
    faulty = wrong("A2 61 FF")
    yield bad("msgpack-utf8-table", "Text of the string table that is not UTF-8.", "§3.3", "STR-UTF8", sid(0), "bad+2", strings=[faulty])
    yield bad("msgpack-utf8-key", "A key that is not UTF-8.", "§3.3", "STR-UTF8", obj(faulty, nil()), "bad+2")
    yield bad("msgpack-utf8-shape", "A key of a shape that is not UTF-8.", "§3.3", "STR-UTF8", rec(0, nil()), "bad+2", shapes=[shape(faulty)])


def numbers():
    for name, about, digits in (
        ("zero", "Zero as a negative integer.", "D4 02 00"),
        ("positive-8", "127 as a negative integer.", "D4 02 7F"),
        ("positive-16", "128 as a negative integer of two bytes.", "D5 02 00 80"),
        ("positive-64", "The greatest signed number as a negative integer.", "D7 02 7F FF FF FF FF FF FF FF"),
    ):
        yield bad(f"value-number-{name}", about, "§4.3", "NUM-FORM", wrong(digits))
    nan, inf = "CB 7F F8 00 00 00 00 00 00", "CB 7F F0 00 00 00 00 00 00"
    yield bad("value-nan", "A float that is no number.", "§4.1", "NUM-NONFINITE", wrong(nan))
    yield bad("value-nan-signalling", "A signalling NaN with the sign bit.", "§4.1", "NUM-NONFINITE", wrong("CB FF F0 00 00 00 00 00 01"))
    yield bad("value-infinity", "Infinity.", "§4.1", "NUM-NONFINITE", wrong(inf))
    yield bad("value-infinity-negative", "Minus infinity in a list.", "§4.1", "NUM-NONFINITE", lst(nil(), wrong("CB FF F0 00 00 00 00 00 00")))
    yield bad("value-infinity-constant", "Infinity as a constant.", "§4.1", "NUM-NONFINITE", rec(0), shapes=[shape(const("a", wrong(inf)))])
    yield bad("value-nan-integer-slot", "NaN in an integer slot.", "§4.1", "NUM-NONFINITE", rec(0, wrong(nan)), shapes=[shape(int_slot("a"))])


def references():
    for name, about, digits in (
        ("none", "String 0 of an empty table.", "00"),
        ("uint8", "String 255 of an empty table.", "CC FF"),
        ("uint32", "A string id of 32 bits.", "CE FF FF FF FF"),
        ("uint64", "A string id of 64 bits.", "CF FF FF FF FF FF FF FF FF"),
    ):
        yield bad(f"value-string-{name}", about, "§4.2", "STR-RANGE", wrong(digits))
    yield bad("value-string-count", "A string id that is the number of strings.", "§4.2", "STR-RANGE", lst(sid(0), at("bad", sid(1))), strings=["x"])
    yield bad("value-string-key", "A key's string id out of range.", "§4.2", "STR-RANGE", obj(at("bad", sid(1)), nil()), strings=["x"])
    yield bad("value-string-shape-key", "A string id out of range in a shape.", "§4.2", "STR-RANGE", rec(0, nil()), shapes=[shape(at("bad", sid(7)))])
    yield bad("value-string-constant", "A string id out of range as a constant.", "§4.2", "STR-RANGE", rec(0), shapes=[shape(const("k", at("bad", sid(7))))])
    yield bad("value-string-integer", "An integer written as itself outside of an integer slot is a reference.", "§4.2", "STR-RANGE",
              rec(0, at("bad", plain_int(5))), shapes=[shape("a")])
    yield bad("value-string-in-integer-list", "Also in a list in an integer slot.", "§6.3", "STR-RANGE", rec(0, lst(at("bad", plain_int(5)))),
              shapes=[shape(int_slot("a"))])
    for name, about, digits in (("none", "Shared value 0 where there is none.", "FF"), ("int8", "Shared value 127.", "D0 80"),
                                ("int64", "The least integer as a reference.", "D3 80 00 00 00 00 00 00 00")):
        yield bad(f"value-shared-{name}", about, "§4.4", "SHR-RANGE", lst(wrong(digits)))
    yield bad("value-shared-count", "A shared value's id that is their number.", "§4.4", "SHR-RANGE", lst(sh(0), at("bad", sh(1))), shared=[empty()])
    yield bad("value-shared-itself", "A shared value that refers to itself.", "§4.4", "SHR-RANGE", sh(0), shared=[lst(at("bad", sh(0)))])
    yield bad("value-shared-later", "A shared value that refers to a later one.", "§4.4", "SHR-RANGE", lst(sh(0), sh(1)),
              shared=[lst(at("bad", sh(1))), lst(nil())])
    yield bad("value-shared-cycle", "Two shared values that refer to each other.", "§4.4", "SHR-RANGE", sh(1),
              shared=[obj("a", at("bad", sh(1))), obj("b", sh(0))])
    for name, piece in (("null", nil()), ("string", s("x")), ("integer", num(5)), ("float", real(1.0)), ("true", yes())):
        yield bad(f"value-shared-{name}", f"A shared value that is a scalar: {name}.", "§5.6", "VAL-FORM", sh(0), shared=[at("bad", piece)])
    yield bad("value-shared-string-id", "A shared value that is a reference to a string.", "§5.6", "VAL-FORM", sh(0), strings=["x"],
              shared=[at("bad", sid(0))])
    yield bad("value-shared-reference", "A shared value that is itself a reference.", "§5.6", "VAL-FORM", sh(1), shared=[lst(nil()), at("bad", sh(0))])


def containers():
    for name, about, digits in (
        ("true", "An array that begins with true.", "92 C3 C0"),
        ("string", "An array that begins with a string.", "92 A1 61 C0"),
        ("negative", "An array that begins with a negative integer.", "92 FF C0"),
        ("float", "An array that begins with a float.", "91 CB 00 00 00 00 00 00 00 00"),
        ("array", "An array that begins with an array.", "91 90"),
        ("extension", "An array that begins with an integer extension.", "91 D4 01 00"),
    ):
        yield bad(f"value-array-{name}", about, "§4.5", "VAL-FORM", wrong(digits))
    yield bad("value-array-in-list", "An ordinary msgpack array of two strings within a list.", "§4.5", "VAL-FORM",
              lst(nil(), at("bad", array([s("a"), s("b")], "array of 2"))))
    yield bad("value-object-odd", "An object with a key and no value.", "§4.5", "VAL-FORM", wrong("92 C2 A1 61"))
    yield bad("value-object-odd-3", "An object with two keys and one value.", "§4.5", "VAL-FORM", wrong("94 C2 A1 61 C0 A1 62"))
    for name, piece in (("null", nil()), ("integer", num(1)), ("reference", sh(0)), ("list", empty()), ("float", real(1.0)), ("true", yes())):
        yield bad(f"value-key-{name}", f"A key that is no string: {name}.", "§4.5", "MSG-TYPE", obj("a", nil(), at("bad", piece), nil()),
                  shared=[lst(s("x"))])
    for name, about, first, second, strings in (
        ("inline", "A key twice, inline.", s("a"), s("a"), []),
        ("id", "A key twice, by the same id.", sid(0), sid(0), ["a"]),
        ("mixed", "A key inline and by id.", s("a"), sid(0), ["a"]),
        ("two-ids", "A key by two ids of the same text.", sid(0), sid(1), ["a", "a"]),
        ("empty", "The empty key twice.", s(""), s(""), []),
        ("proto", "The key __proto__ twice.", s("__proto__"), s("__proto__"), []),
    ):
        yield bad(f"value-dupkey-{name}", about, "§4.5", "VAL-DUPKEY", obj(first, nil(), "b", nil(), at("bad", second), nil()), strings=strings)
    yield bad("value-dupkey-shared", "A key twice in a shared object.", "§4.5", "VAL-DUPKEY", sh(0), shared=[obj("a", nil(), at("bad", s("a")), nil())])
    yield bad("value-dupkey-40", "The last of 40 keys is equal to the first.", "§4.5", "VAL-DUPKEY",
              obj(*(x for i in range(39) for x in (f"k{i}", nil())), at("bad", s("k0")), nil()))


def shapes_table():
    def slot(name, about, piece, code="SHP-FORM", section="§6.1", before=(), record=None, **options):
        shapes = [*before, shape("a", piece)]
        return bad(f"record-slot-{name}", about, section, code, record or rec(len(before), nil(), nil()), shapes=shapes, **options)

    yield bad("record-shape-string", "A shape that is a string.", "§6.1", "SHP-FORM", rec(0), shapes=[wrong("A1 61")])
    yield bad("record-shape-map", "A shape that is a map.", "§6.1", "SHP-FORM", rec(0), shapes=[wrong("80")])
    yield bad("record-shape-null", "A shape that is nil.", "§6.1", "SHP-FORM", rec(0), shapes=[wrong("C0")])
    for name, about, digits in (
        ("null", "A slot that is nil.", "C0"), ("true", "A slot that is true.", "C3"), ("extension", "A slot that is an integer extension.", "D4 01 05"),
        ("empty", "A slot that is an empty array.", "90"), ("four", "A slot of four items.", "94 A1 62 C0 C0 C0"),
        ("constant-missing", "A constant slot without its constant.", "92 A1 62 C0"),
        ("middle-false", "A slot of three items whose second is not nil.", "93 A1 62 C2 C0"),
        ("nested-string", "A nested slot with a string instead of a shape id.", "92 A1 62 A1 63"),
        ("key-null", "An integer slot whose key is nil.", "91 C0"), ("key-array", "A slot whose key is an array.", "91 90"),
        ("map", "A slot that is a map.", "80"),
    ):
        yield slot(name, about, wrong(digits))
    yield slot("float32", "A slot that is a float 32, of which two bytes are there.", wrong("CA 90 C0"), "MSG-TYPE", "§3.1")
    yield slot("key-float32", "An integer slot whose key is a float 32.", raw("91", "array of 1") + wrong("CA 3F C0 00 00"), "MSG-TYPE", "§3.1")
    yield slot("nested-itself", "A nested slot of the shape itself.", array([s("b"), wrong("00", "of shape 0")], "nested slot"), "SHP-RANGE")
    yield slot("nested-later", "A nested slot of a later shape.", array([s("b"), wrong("02", "of shape 2")], "nested slot"), "SHP-RANGE", before=[shape("x")])
    yield slot("nested-huge", "A nested slot with a shape id of 64 bits.",
               array([s("b"), wrong("CF FF FF FF FF FF FF FF FF")], "nested slot"), "SHP-RANGE")
    for name, piece in (("list", empty()), ("object", obj()), ("reference", sh(0)), ("map", raw("80", "map")), ("bin", raw("C4 00", "bin"))):
        yield slot(f"constant-{name}", f"A constant that is no scalar: {name}.", array([s("b"), nil(), at("bad", piece)], "constant slot"), "VAL-FORM",
                   record=rec(0, nil()), shared=[empty()])
    yield bad("record-dupkey", "A shape with a key twice.", "§6.1", "VAL-DUPKEY", rec(0, nil(), nil()), shapes=[shape("a", at("bad", s("a")))])
    yield bad("record-dupkey-slots", "A key twice in slots of different kinds.", "§6.1", "VAL-DUPKEY", rec(0, nil()),
              shapes=[shape("a", const(at("bad", s("a")), nil()))])
    yield bad("record-nested-negative", "A nested slot with a negative integer, which is no shape id.", "§6.1", "SHP-FORM", nil(),
              shapes=[raw("91", "array of 1") + at("bad", raw("92 A1 61 FF", "a slot"))])
    for name, digits in (("map", "80"), ("bin", "C4 00"), ("reference", "FF")):
        yield bad(f"value-shared-item-{name}", f"A shared value that is no array: {name}.", "§5.6", "VAL-FORM", nil(), shared=[wrong(digits)])
    yield bad("record-dupkey-id", "A key twice, inline and by id.", "§6.1", "VAL-DUPKEY", rec(0, nil(), nil()), strings=["a"],
              shapes=[shape("a", int_slot(at("bad", sid(0))))])


def records():
    def record(name, about, root, code, shapes, **options):
        return bad(f"record-{name}", about, "§6.2", code, root, shapes=shapes, **options)

    yield record("id-none", "A record where there are no shapes.", array([wrong("00", "of shape 0")], "record"), "SHP-RANGE", [])
    yield record("id-count", "A shape id that is the number of shapes.", array([wrong("01", "of shape 1"), nil()], "record"), "SHP-RANGE", [shape("a")])
    yield record("id-huge", "A shape id of 32 bits.", array([wrong("CE FF FF FF FF"), nil()], "record"), "SHP-RANGE", [shape("a")])
    yield record("too-few", "A record with a value too few.", at("bad", rec(0, nil())), "SHP-ARITY", [shape("a", "b")])
    yield record("too-many", "A record with a value too many.", at("bad", rec(0, nil(), nil())), "SHP-ARITY", [shape("a")])
    yield record("none", "A record without values of a shape that has one.", at("bad", rec(0)), "SHP-ARITY", [shape("a")])
    yield record("constant-written", "A value for a constant slot.", at("bad", rec(0, nil())), "SHP-ARITY", [shape(const("a", nil()))])
    yield record("nested-as-one", "A nested object counted as one value.", at("bad", rec(1, obj("x", nil(), "y", nil()))), "SHP-ARITY",
                 [shape("x", "y"), shape(nested("n", 0))])
    yield record("in-list", "The second record of a list is too short.", lst(rec(0, nil(), nil()), at("bad", rec(0, nil()))), "SHP-ARITY", [shape("a", "b")])
    towers = [shape("a", "b")] + [shape(nested("l", i), nested("r", i)) for i in range(70)]
    yield record("astronomical", "A shape whose width is 2^71.", at("bad", rec(70, nil(), nil())), "SHP-ARITY", towers)
    yield bad("record-integer-reference", "A negative integer outside of the slot is a reference: here in the second slot.", "§6.3", "SHR-RANGE",
              rec(0, plain_int(-1), at("bad", plain_int(-1))), shapes=[shape(int_slot("i"), "p")])
    yield bad("record-integer-bin", "A byte string in an integer slot.", "§6.3", "MSG-TYPE", rec(0, wrong("C4 01 00")), shapes=[shape(int_slot("i"))])


def plain_profile():
    def item(name, about, root, code, place="bad"):
        return bad(f"value-plain-{name}", about, "§4.6", code, root, place, profile="plain")

    yield item("key-integer", "A map key that is an integer.", raw("81", "map of 1") + wrong("01") + nil(), "MSG-TYPE")
    yield item("key-map", "A map key that is a map.", raw("81", "map of 1") + wrong("80") + nil(), "MSG-TYPE")
    yield item("dupkey", "A key twice.", raw("82", "map of 2") + s("a") + nil() + at("bad", s("a")) + nil(), "VAL-DUPKEY")
    yield item("bin", "A byte string.", wrong("C4 01 00"), "MSG-TYPE")
    yield item("ext", "An integer as an extension, which is no form of this profile.", wrong("D4 01 05"), "MSG-EXT")
    yield item("ext-inner", "An extension in a map.", raw("81", "map of 1") + s("a") + wrong("D4 02 FF"), "MSG-EXT")
    yield item("ext8", "An extension of three bytes.", wrong("C7 03 01 00 00 05"), "MSG-EXT")
    yield item("key-bin", "A map key that is a byte string.", raw("81", "map of 1") + wrong("C4 01 61") + nil(), "MSG-TYPE")
    yield item("key-ext", "A map key that is an extension.", raw("81", "map of 1") + wrong("D4 01 05") + nil(), "MSG-TYPE")
    yield item("float32", "A float 32.", wrong("CA 3F C0 00 00"), "MSG-TYPE")
    yield item("nan", "NaN.", wrong("CB 7F F8 00 00 00 00 00 00"), "NUM-NONFINITE")
    yield item("count-map", "A map of 4,294,967,295 entries.", wrong("DF FF FF FF FF"), "MSG-COUNT")
    yield item("count-map-half", "A map of three entries with five bytes.", wrong("83 A1 61 C0 A1 62"), "MSG-COUNT")
    yield item("count-array", "An array of 4,294,967,295 items.", wrong("DD FF FF FF FF"), "MSG-COUNT")
    yield item("reserved", "The byte C1.", wrong("C1"), "MSG-RESERVED")
    # Each count by itself could be true.
    for name, about, digits in (("string", "a string in a list of two", "92 A1 78"), ("list", "a list of two in a list of two", "92 92 C0 C0")):
        yield bad(f"value-plain-unused-{name}", f"A value is missing after {about}, in a table that a plain file does not use.", "§3.3", "MSG-SHORT",
                  nil(), "part 3", profile="plain", shapes=[raw(digits)])


def touched():
    """Values after a landmark: a lookup that reads the value is refused, one of another key is not.
    """
    def landmark(name, about, section, code, value, place="bad", gets=("a",), **options):
        root = obj("things", obj(at("a", s("a")), value, at("b", s("b")), num(1)))
        rule = Rule(("/things/*",), (Landmark("a", "a", "/things/a"), Landmark("b", "b", "/things/b")))
        document = {"things": {"a": None, "b": 1}}
        return at_decode(f"index-value-{name}", about, section, coconut(document, root, rule=rule, **options), code, place, gets)

    yield landmark("reserved", "The byte C1 as the value of a landmark.", "§3.1", "MSG-RESERVED", wrong("C1"))
    yield landmark("map", "A map as the value of a landmark.", "§4.5", "MSG-TYPE", wrong("80"))
    yield landmark("string", "A string id out of range in a landmark.", "§4.2", "STR-RANGE", lst(at("bad", sid(0))))
    yield landmark("utf8", "Text that is not UTF-8 in a landmark.", "§3.3", "STR-UTF8", lst(wrong("A2 61 FF")), "bad+2")
    yield landmark("shared", "A reference out of range in a landmark.", "§4.4", "SHR-RANGE", obj("x", at("bad", sh(0))))
    yield landmark("arity", "A record of the wrong width as a landmark.", "§6.2", "SHP-ARITY", at("bad", rec(0, num(1), num(2))), shapes=[shape("x")])
    yield landmark("form", "An array of no known form in a landmark.", "§4.5", "VAL-FORM", lst(at("bad", array([s("a"), s("b")], "array of 2"))))
    yield landmark("nan", "NaN as a landmark.", "§4.1", "NUM-NONFINITE", wrong("CB 7F F8 00 00 00 00 00 00"))
    yield landmark("dupkey", "A key twice in a landmark: full decoding sees it, a lookup need not.", "§4.5", "VAL-DUPKEY",
                   obj("x", num(1), at("bad", s("x")), num(2)), gets=())


def depth():
    levels = 40
    claims = {"values": plain_int(2 ** (levels + 1) - 1), "depth": plain_int(levels)}
    bomb = coconut(None, at("bad", sh(levels - 1)), shared=[lst(nil(), nil())] + [lst(sh(i), sh(i)) for i in range(levels - 1)],
                   header=lambda fields: [(k, claims.get(k, v)) for k, v in fields])
    yield at_verify("limit-nodes", "40 shared values that expand to 2^41 − 1: decoding reads each once, the digest would need them all.", "§9.2", bomb,
                    "LIM-NODES", "bad", UNKNOWN)
    towers = [shape(const("a", nil()), const("b", nil()))] + [shape(const("n", nil()), nested("l", i), nested("r", i)) for i in range(30)]
    values = 3
    for _ in range(30):
        values = 2 * values + 2
    claims = {"values": plain_int(values), "depth": plain_int(31)}
    bomb = coconut(None, at("bad", rec(30)), shapes=towers, header=lambda fields: [(k, claims.get(k, v)) for k, v in fields])
    yield at_verify("limit-nodes-record", "A record without values that expands to 5 × 2^30 − 2: decoding keeps its shape, the digest would need them all.", "§9.2", bomb,
                    "LIM-NODES", "bad", UNKNOWN)
    levels = 24
    claims = {"values": plain_int(2 ** (levels + 1) - 1), "depth": plain_int(levels)}
    bomb = coconut(None, at("bad", sh(levels - 1)), strings=["x" * 4000], shared=[lst(sid(0), sid(0))] + [lst(sh(i), sh(i)) for i in range(levels - 1)],
                   header=lambda fields: [(k, claims.get(k, v)) for k, v in fields])
    yield at_verify("limit-bytes", "24 shared values that expand to 2^24 strings of 4,000 bytes: more text than the budget, but not more values.", "§9.3", bomb,
                    "LIM-BYTES", "bad", UNKNOWN)
    names = [f"b{i}" for i in range(92)]
    crowd = [{"n": "a", "r": [names[i % 46], names[46 + i // 46]]} for i in range(2100)] + [{"n": name} for name in names]
    many = [at(str(i), rec(0, lst(sid(i % 46), sid(46 + i // 46)))) for i in range(2100)] + [at(str(2100 + i), obj("n", sid(i))) for i in range(92)]
    root = at("bad", lst(*many))
    rule = Rule(("/*[n]",), tuple(Landmark(str(i), v["n"], f"/{i}") for i, v in enumerate(crowd)), edges=("all=0/n", "some=0/r/*"))
    parts = {"strings": names, "shapes": [shape(const("n", s("a")), "r")], "rule": rule}
    refused = [(what, "LIM-COUNT", "bad") for what in ("deps a", "rdeps a")]
    yield Case("limit-edges", "2,100 landmarks of one key that refer to it, and to two others of 92: 4,414,200 edges in distinct rows in a small file, which has no tables to compare them with.", "§9.9",
               coconut(crowd, root, index=(), **parts), refused=refused)
    yield at_verify("limit-edges-absent", "The same with landmark offsets: the absent edge tables say that there are no edges, and `verify` counts them.", "§9.9",
                    coconut(crowd, root, index=(32,), **parts), "LIM-COUNT", "bad", UNKNOWN)
    yield bad("limit-key-id", "A key of 65,537 bytes in the string table.", "§9", "LIM-STRING", obj(at("bad", sid(0)), nil()), strings=["k" * 65_537])
    yield bad("limit-key", "A key of 65,537 bytes.", "§9", "LIM-STRING", obj(at("bad", s("k" * 65_537)), nil()))

    def deep(name, about, root, **options):
        return at_decode(f"limit-depth-{name}", about, "§9.1", coconut(None, root, **options), "LIM-DEPTH", "bad")

    yield deep("513", "513 levels: the innermost list is one too deep.", raw("92 C0" * 512, "512 lists of one item") + wrong("90", "the empty list"))
    yield deep("513-object", "513 levels: the innermost object is one too deep.",
               raw("93 C2 A0" * 512, "512 objects of one entry") + wrong("91 C2", "the empty object"))
    yield deep("2000", "2,000 levels.", raw("92 C0" * 512, "512 lists of one item") + wrong("92 C0" * 1487 + "90", "and 1,488 more"))
    yield deep("513-shared", "257 levels around a shared value of 256 levels.", raw("92 C0" * 257, "257 lists of one item") + wrong("FF", "shared value 0"),
               shared=[raw("92 C0" * 255 + "90", "256 lists")])
    yield deep("513-shared-itself", "A shared value of 513 levels.", sh(0), shared=[raw("92 C0" * 512, "512 lists of one item") + wrong("90", "the empty list")])
    yield deep("513-chain", "A chain of 520 shared values, each of one level more; the one that is too deep refers to the one of 512 levels.", sh(519),
               shared=[empty()] + [lst(at("bad", sh(i)) if i == 511 else sh(i)) for i in range(519)])
    yield deep("513-record", "512 lists around a record.", raw("92 C0" * 512, "512 lists of one item") + at("bad", rec(0, nil())), shapes=[shape("k")])
    yield deep("513-nested", "511 lists around a record whose nested object is one too deep; the record has no other byte to name.",
               raw("92 C0" * 511, "511 lists of one item") + at("bad", rec(1, nil())), shapes=[shape("k"), shape(nested("k", 0))])
