"""Good vectors of values and records, §3, §4 and §6."""

from .assemble import coconut
from .cases import good
from .pieces import (
    const, empty, full, int_slot, lst, nested, nil, no, num, obj, plain_int, raw, real, rec, s, sh, shape, sid, yes,
)

UNSIGNED_EDGES = [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0xFFFFFFFF, 1 << 32, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
NEGATIVE_EDGES = [-1, -32, -33, -128, -129, -0x8000, -0x8001, -2**31, -2**31 - 1, -2**53 - 1, -2**63]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, 1.5, 1e16, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308,
          9007199254740992.0, 1e-7, 123456789.125]
TEXTS = ["", "a", "a" * 31, "b" * 32, "c" * 255, "d" * 256, "é", "\u2028", "😀", "\u0000", "\r", "a\nb", "\u202Eabc\u202C", "\uFEFF",
         "\uFFFF", "\U0010FFFF", "\ud7ff\ue000", "\u007f", "\u0080\u07ff\u0800"]


def cases():
    yield from scalars()
    yield from strings()
    yield from containers()
    yield from shared()
    yield from records()
    yield from integer_slots()
    yield from depth()


def value(name, about, document, section="§4.2", root=None, **options):
    return good(f"value-{name}", about, section, document, coconut(document, root, **options))


def scalars():
    yield value("null", "The document null.", None)
    yield value("false", "The document false.", False)
    yield value("true", "The document true.", True)
    yield value("float", "A float as the document.", 1.5)
    yield value("string", "An inline string as the document.", "x")
    yield value("integer", "An integer as the document is an extension.", 5, "§4.3")
    yield value("floats", "Floats: both zeros, subnormal, least normal, greatest, a whole number; all stay floats.", FLOATS, "§4.1")
    yield value("integers-unsigned", "Non-negative integers at the edges of the four widths.", UNSIGNED_EDGES, "§4.3")
    yield value("integers-negative", "Negative integers at the edges of the four widths.", NEGATIVE_EDGES, "§4.3")
    yield value("one-and-one", "1, 1.0 and the string 1 are three different values.", [1, 1.0, "1"], "§4.1")


def strings():
    yield value("strings-inline", "Inline strings at the edges of the length forms, and characters that need care.", TEXTS)
    yield value("strings-table", "The same strings by their ids.", TEXTS, root=lst(*(sid(i, t) for i, t in enumerate(TEXTS))), strings=TEXTS)
    yield value("string-root-id", "The document is a reference to a string.", "x", root=sid(0, "x"), strings=["x"])
    yield value("string-same-twice", "The same string twice in the table, which a writer should not write.", ["x", "x"], "§5.4",
                root=lst(sid(0, "x"), sid(1, "x")), strings=["x", "x"])
    yield value("string-unused", "A string of the table to which nothing refers.", ["y"], "§5.4", root=lst(sid(1, "y")), strings=["x", "y"])
    names = [f"s{i}" for i in range(300)]
    picks = [0, 1, 127, 128, 255, 256, 299]
    yield value("string-ids", "String ids of one, two and three bytes; the table's array header has two bytes of count.",
                [names[i] for i in picks], root=lst(*(sid(i, names[i]) for i in picks)), strings=names)
    yield value("string-mixed", "The same text inline and by id.", {"x": "x", "y": "x"},
                root=obj(sid(0, "x"), s("x"), "y", sid(0, "x")), strings=["x"])


def containers():
    yield value("list-empty", "The empty list is an array without items.", [], "§4.5")
    yield value("list-empty-nil", "An array of nil alone is the empty list, too.", [[]], "§4.5", root=lst(lst()))
    yield value("list", "A list begins with nil.", [None, False, True], "§4.5")
    yield value("list-first-like-marker", "Items that look like markers: only the first item of an array is one.", [None, None, False, 0], "§4.5")
    yield value("list-15-items", "A list of 14 items still has a one-byte header; the marker counts.", [None] * 14, "§4.5")
    yield value("list-16-items", "A list of 15 items needs a header of three bytes.", [None] * 15, "§4.5")
    yield value("list-nested", "Lists in lists, empty and not.", [[], [[]], [[], [None]]], "§4.5")
    yield value("object-empty", "The empty object begins with false.", {}, "§4.5")
    yield value("object", "An object with a value of each kind.",
                {"n": None, "b": True, "i": -1, "f": 0.5, "s": "x", "l": [1], "o": {"k": {}}}, "§4.5")
    yield value("object-order", "Keys keep their order, which is not alphabetical.", {"b": 1, "a": 2, "B": 3}, "§4.1")
    yield value("object-keys-nasty", "Keys that are special in some languages: __proto__, constructor, digits, empty, dots, slashes.",
                {"__proto__": 1, "constructor": 2, "hasOwnProperty": 3, "2": 4, "10": 5, "1": 6, "": 7, "a.b": 8, "a/b": 9, "~": 10, "toString": 11,
                 "\u0000": 12, "-0": 13}, "§4.1")
    yield value("object-keys-unnormalised", "Two keys that differ only by Unicode normalisation are distinct.", {"\u00e9": 1, "e\u0301": 2}, "§4.1")
    yield value("object-keys-case", "Keys that differ only by case are distinct.", {"key": 1, "KEY": 2, "Key": 3}, "§4.1")
    yield value("object-proto-object", "The value of the key __proto__ is an object.", {"__proto__": {"a": 1}, "b": {}}, "§4.1")
    yield value("object-40-keys", "An object of 40 keys has a header of three bytes.", {f"k{i}": i for i in range(40)}, "§4.5")
    for n in (15, 16):
        yield value(f"object-{n}-keys", f"An object of {n} keys, in the canonical stream a map of {n} entries.", {f"k{i}": None for i in range(n)}, "§4.7")
    yield value("object-key-65536", "A key of 65,536 bytes, as many as the limit allows.", {"k" * 65536: None}, "§9")
    yield value("object-key-id", "Keys by string id.", {"a": {"a": "b"}, "b": 1}, "§4.5",
                root=obj(sid(0, "a"), obj(sid(0, "a"), sid(1, "b")), sid(1, "b"), num(1)), strings=["a", "b"])
    yield value("list-300-items", "A list of 300 items.", list(range(300)), "§4.5")


def shared():
    yield value("shared-list", "Two references to one shared list.", [["a"], ["a"]], "§4.4", root=lst(sh(0), sh(0)), shared=[lst(s("a"))])
    yield value("shared-object", "A shared object as value of an object.", {"x": {"k": 1}, "y": {"k": 1}}, "§4.4",
                root=obj("x", sh(0), "y", sh(0)), shared=[obj("k", num(1))])
    yield value("shared-root", "The document itself is a reference to a shared value.", {"k": 1}, "§4.4", root=sh(0), shared=[obj("k", num(1))])
    yield value("shared-in-shared", "Shared values that refer to shared values with smaller ids.",
                [[[[1], [1]], [1]], [[1], [1]], [1]], "§4.4", root=lst(sh(2), sh(1), sh(0)),
                shared=[lst(num(1)), lst(sh(0), sh(0)), lst(sh(1), sh(0))])
    yield value("shared-empty", "The empty list and the empty object, shared.", [[], {}, []], "§5.6", root=lst(sh(0), sh(1), sh(0)),
                shared=[empty(), obj()])
    yield value("shared-record", "A shared value that is a record.", [{"a": 1}, {"a": 1}], "§5.6", root=lst(sh(0), sh(0)),
                shapes=[shape("a")], shared=[rec(0, num(1))])
    many = [[i] for i in range(300)]
    picks = [0, 31, 32, 127, 128, 255, 256, 299]
    yield value("shared-ids", "References to shared values of one, two and three bytes.", [many[i] for i in picks], "§4.4",
                root=lst(*map(sh, picks)), shared=[full(v) for v in many])
    bomb, depth = [None, None], 12
    for _ in range(depth - 1):
        bomb = [bomb, bomb]
    yield value("shared-doubling", "Each shared value holds the one before twice: 8,191 values from 12.", bomb, "§9.2",
                root=sh(depth - 1), shared=[lst(nil(), nil())] + [lst(sh(i), sh(i)) for i in range(depth - 1)])


def records():
    yield record("plain", "A record of plain slots.", {"a": None, "b": "x"}, rec(0, nil(), s("x")), [shape("a", "b")])
    yield record("no-slots", "A shape without slots denotes the empty object.", {}, rec(0), [shape()])
    yield record("key-ids", "The keys of a shape by string id.", {"a": 1, "b": 2}, rec(0, num(1), num(2)),
                 [shape(sid(1, "a"), int_slot(sid(0, "b")))], strings=["b", "a"])
    yield record("nested", "A nested slot's values are in the record itself.",
                 {"kind": "Identifier", "ident": "x", "start": {"line": 12, "column": 5}}, rec(1, s("x"), plain_int(12), plain_int(5)),
                 [shape(int_slot("line"), int_slot("column")), shape(const("kind", s("Identifier")), "ident", nested("start", 0))], "§6.4")
    yield record("nested-nested", "Nested slots in nested slots, with values before and after.",
                 {"p": 1, "m": {"q": 2, "i": {"x": 3, "y": 4}, "r": 5}, "t": 6},
                 rec(2, num(1), num(2), num(3), num(4), num(5), num(6)),
                 [shape("x", "y"), shape("q", nested("i", 0), "r"), shape("p", nested("m", 1), "t")])
    yield record("nested-twice", "Two nested slots of the same shape.", {"a": {"x": 1}, "b": {"x": 2}}, rec(1, num(1), num(2)),
                 [shape("x"), shape(nested("a", 0), nested("b", 0))])
    yield record("nested-empty", "A nested slot whose shape has no slots has width zero.", {"a": {}, "b": 1}, rec(1, num(1)),
                 [shape(), shape(nested("a", 0), "b")])
    yield record("constants", "A constant of each kind of scalar; the record is only its shape id.",
                 {"n": None, "f": False, "t": True, "d": 0.5, "s": "x", "r": "y", "i": 300, "m": -2}, rec(0),
                 [shape(const("n", nil()), const("f", no()), const("t", yes()), const("d", real(0.5)), const("s", s("x")),
                        const("r", sid(0, "y")), const("i", num(300)), const("m", num(-2)))], strings=["y"])
    yield record("constants-between", "Constants between values, also in a nested shape.",
                 {"k": "v", "a": 1, "z": None, "n": {"c": True, "b": 2}, "e": "end"}, rec(1, num(1), num(2)),
                 [shape(const("c", yes()), "b"), shape(const("k", s("v")), "a", const("z", nil()), nested("n", 0), const("e", s("end")))])
    yield record("holds-everything", "Values of a record in each form: string id, shared value, list, object, record.",
                 {"a": "s", "b": [1], "c": [None], "d": {"k": 1}, "e": {"x": 2}, "f": []},
                 rec(1, sid(0, "s"), sh(0), lst(nil()), obj("k", num(1)), rec(0, num(2)), empty()),
                 [shape("x"), shape("a", "b", "c", "d", "e", "f")], strings=["s"], shared=[lst(num(1))])
    yield record("in-list", "Records of two shapes in a list.", [{"a": 1}, {"b": 2}, {"a": 3}],
                 lst(rec(0, num(1)), rec(1, num(2)), rec(0, num(3))), [shape("a"), shape("b")])
    yield record("same-keys", "Two shapes with the same keys and other slots.", [{"a": 1}, {"a": 1}], lst(rec(0, num(1)), rec(1, plain_int(1))),
                 [shape("a"), shape(int_slot("a"))])
    yield record("unused-shape", "A shape that nothing uses.", {"a": 1}, rec(1, num(1)), [shape("b"), shape("a")])
    many = [shape(f"k{i}") for i in range(200)]
    yield record("shape-ids", "Shape ids of one and two bytes.", [{"k127": 1}, {"k128": 2}, {"k199": 3}],
                 lst(rec(127, num(1)), rec(128, num(2)), rec(199, num(3))), many)
    yield record("nested-shape-ids", "A nested slot's shape id of two bytes.", {"n": {"k150": 1}}, rec(200, num(1)), many + [shape(nested("n", 150))])
    keys = [f"c{i}" for i in range(20)]
    yield record("wide", "A record of 20 values; its header and that of the shape have three bytes.", {k: i for i, k in enumerate(keys)},
                 rec(0, *(plain_int(i) for i in range(20))), [shape(*map(int_slot, keys))])
    yield record("key-proto", "A shape with the key __proto__ and digit keys.", {"2": "b", "__proto__": {"x": 1}, "1": "a"},
                 rec(1, s("b"), num(1), s("a")), [shape("x"), shape("2", nested("__proto__", 0), "1")])


def record(name, about, document, root, shapes, section="§6.2", **options):
    return good(f"record-{name}", about, section, document, coconut(document, root, shapes=shapes, **options))


def integer_slots():
    edges = [0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63, 2**64 - 1, -1, -32, -33, -128, -129, -2**15, -2**15 - 1,
             -2**31, -2**31 - 1, -2**63]
    yield record("integer-edges", "Integers as themselves in integer slots, at the edges of msgpack's forms.", [{"i": n} for n in edges],
                 lst(*(rec(0, plain_int(n)) for n in edges)), [shape(int_slot("i"))], "§6.3")
    yield record("integer-other", "Other values in an integer slot: null, bool, float, inline string, extension.",
                 [{"i": v} for v in (None, True, 2.0, "x", 7, -7)],
                 lst(*(rec(0, v) for v in (nil(), yes(), real(2.0), s("x"), num(7), num(-7)))), [shape(int_slot("i"))], "§6.3")
    yield record("integer-no-reference", "In an integer slot 0 and -1 are integers, although string 0 and shared value 0 exist.",
                 [{"i": 0}, {"i": -1}, "zero", ["shared"]], lst(rec(0, plain_int(0)), rec(0, plain_int(-1)), sid(0, "zero"), sh(0)),
                 [shape(int_slot("i"))], "§6.3", strings=["zero"], shared=[lst(s("shared"))])
    yield record("integer-list", "The slot's meaning does not extend into a list or object in it: there 0 is string 0.",
                 [{"i": ["zero", 5]}, {"i": {"k": "zero"}}, {"i": []}],
                 lst(rec(0, lst(sid(0, "zero"), num(5))), rec(0, obj("k", sid(0, "zero"))), rec(0, empty())), [shape(int_slot("i"))], "§6.3",
                 strings=["zero"])
    yield record("integer-list-record", "A record in a list in an integer slot has integer slots of its own.",
                 {"i": [{"i": 0, "p": "zero"}]}, rec(0, lst(rec(1, plain_int(0), sid(0, "zero")))),
                 [shape(int_slot("i")), shape(int_slot("i"), "p")], "§6.3", strings=["zero"])
    yield record("integer-record", "A record as the value of an integer slot; its plain slot holds a string id.",
                 {"i": {"p": "zero"}}, rec(1, rec(0, sid(0, "zero"))), [shape("p"), shape(int_slot("i"))], "§6.3", strings=["zero"])
    yield record("integer-nested", "An integer slot within a nested slot.", {"n": {"i": 3, "p": "zero"}, "i": 0},
                 rec(1, plain_int(3), sid(0, "zero"), plain_int(0)), [shape(int_slot("i"), "p"), shape(nested("n", 0), int_slot("i"))], "§6.3",
                 strings=["zero"])


def depth():
    deep = []
    for _ in range(511):
        deep = [deep]
    compact = raw("92 C0" * 511 + "90", "511 lists of one item, and the empty list")
    yield good("limit-depth-512", "512 levels are within the limit.", "§9.1", deep, coconut(deep, compact))
    chain = raw("92 C0" * 255 + "90", "255 lists of one item, and the empty list")
    yield good("limit-depth-512-shared", "256 levels around a shared value of 256 levels.", "§9.1", deep,
               coconut(deep, raw("92 C0" * 256 + "FF", "256 lists of one item, and shared value 0"), shared=[chain]))
    objects = None
    for _ in range(512):
        objects = {"k": objects}
    yield good("limit-depth-512-nested", "512 levels: records with one nested slot each have two levels.", "§9.1", objects,
               coconut(objects, raw("92 01" * 256 + "C0", "256 records of shape 1, and null"), shapes=[shape("k"), shape(nested("k", 0))]))
