"""Bad vectors that a lookup meets (§8.7, §5.9), and tables that agree with each other and not with the
document. Their checksums match."""

from .assemble import Landmark, Rule, coconut
from .cases import at_open, at_verify, difference
from .good_index import edged, entries, package
from .pieces import at, full, lst, num, obj, plain_int, rec, s, sh, shape, sid

NAMES = [f"key{i}" for i in range(6)]


def cases():
    yield from offset_tables()
    yield from slots()
    yield from agreeing()
    yield from digests()


def offset_tables():
    """A lookup that follows an id meets a fault of the offset tables. Landmark `a` refers to the last
    items, `b` to the first, and `c` to nothing."""
    strings = [f"n{i}" for i in range(8)]
    shapes = [shape(f"s{i}") for i in range(8)]
    shared = [lst(num(i)) for i in range(8)]
    values = {"a": {"t": "n5", "r": {"s5": 1}, "l": [5]}, "b": {"t": "n0", "r": {"s0": 1}, "l": [0]}, "c": {"t": "n", "r": None, "l": None}}
    root = obj(at("a", s("a")), obj("t", sid(5), "r", rec(5, num(1)), "l", sh(5)), at("b", s("b")), obj("t", sid(0), "r", rec(0, num(1)), "l", sh(0)),
               at("c", s("c")), full(values["c"]))
    rule = Rule(("/*",), tuple(Landmark(n, n, f"/{n}") for n in "abc"))
    names = {16: "string", 17: "shape", 18: "shared"}

    def file(**options):
        return coconut(values, root, rule=rule, strings=strings, shapes=shapes, shared=shared, **options)

    for part, name in names.items():
        good = file(offsets={part: 1})
        for how, change in (("outside", b"\xFF\xFF\xFF\x7F"), ("header", good.offset("header").to_bytes(4, "little")),
                            ("end", (good.offset(f"part {part - 14}")).to_bytes(4, "little"))):
            bad = good.poke(f"{part}[2]", change, "wrong").repair()
            yield at_verify(f"index-get-offsets-{name}-{how}", f"An entry of the {name} offsets, which a lookup follows, leads out of the element: {how}.", "§5.9", bad,
                            "IDX-DIFFERS", difference(good, bad), values, [("a", "IDX-RANGE", f"{part}[2]")])
        rows = [good.data[good.offset(f"{part}[{i}]"):][:4] for i in range(4)]
        for how, data in (("less", b"".join(rows[:3])), ("more", b"".join(rows) + rows[3]), ("none", b"")):
            table = file(own_tables=[(part, 0, data)], entries=lambda found, part=part: [dict(r, stride=1) if r["part"] == part else r for r in found])
            yield at_verify(f"index-get-offsets-{name}-{how}", f"The {name} offsets have another number of entries than the element demands: {how}.", "§5.9", table,
                            "PRT-LENGTH", f"entry {part}", values, [(key, "PRT-LENGTH", f"entry {part}") for key in "ab"])
        table = file(own_tables=[(part, 0, b"".join(rows)[:-1])])
        yield at_open(f"index-offsets-{name}-multiple", f"The length of the {name} offsets is no multiple of their entries.", "§5.8", table, "PRT-LENGTH", f"entry {part}")


def slots():
    root, marks = entries(NAMES, lambda n: num(len(n)))
    document = {"things": {n: len(n) for n in NAMES}}
    good = coconut(document, root, rule=Rule(("/things/*",), marks))
    starts = [int.from_bytes(good.data[good.offset(f"36[{i}]") + 4:][:4], "little") for i in range(6)]
    keys = {good.offset(n): n for n in NAMES}
    for name, about, place in (("value", "to the value of a landmark", lambda o: o + 5), ("inside", "into the middle of a key", lambda o: o + 1),
                               ("root", "to the root", lambda o: good.offset("part 4"))):
        for i in (0, 5):
            bad = good.poke(f"36[{i}]+4", place(starts[i]).to_bytes(4, "little"), "wrong").repair()
            yield at_verify(f"index-slot-{name}-{i}", f"A key slot leads {about}, which is in no entry of the landmark offsets.", "§8.5", bad, "IDX-DIFFERS",
                            difference(good, bad), document, [(keys[starts[i]], "IDX-RANGE", f"36[{i}]")])
    for i in (0, 5):
        bad = good.poke(f"36[{i}]+4", starts[5 - i].to_bytes(4, "little"), "wrong").repair()
        yield at_verify(f"index-slot-other-key-{i}", "A key slot leads to a landmark with another key, of another hash.", "§8.7", bad, "IDX-DIFFERS",
                        difference(good, bad), document, [(keys[starts[i]], "IDX-DIFFERS", f"36[{i}]")])
    yield from slots_within()
    items = [{"name": "a"}, {"nam": "b"}, {"name": "c"}, [], {"name": 5}]
    pieces = [at(str(i), full(v)) for i, v in enumerate(items)]
    root = lst(*pieces)
    right = Rule(("/*[name]",), (Landmark("0", "a", "/0"), Landmark("2", "c", "/2")))
    for name, about, label in (("field", "an object without the field", "1"), ("object", "a list", "3"), ("kind", "an object whose field is no string", "4")):
        wrong = Rule(("/*[name]",), (Landmark("0", "a", "/0"), Landmark(label, "x", f"/{label}")))
        bad, good = coconut(items, root, rule=wrong), coconut(items, root, rule=right)
        slot = next(f"36[{i}]" for i in range(2) if bad.data[bad.offset(f"36[{i}]") + 4:][:4] == bad.offset(label).to_bytes(4, "little"))
        yield at_verify(f"index-slot-no-key-{name}", f"Landmark offsets and a key slot lead to {about}: it has no key.", "§8.5", bad, "IDX-DIFFERS", difference(good, bad), items,
                        [("x", "IDX-DIFFERS", slot)])
    items = {"x": ["a", {"b": 1}]}
    wrong = Rule(("/x/*",), (Landmark("i", "i", "/x/0"),))
    yield at_verify("index-slot-no-key-item", "Landmark offsets and a key slot lead to a list item, which has no key without a field.", "§8.5",
                    coconut(items, obj("x", lst(s("a"), at("i", obj("b", num(1))))), rule=wrong, header=lambda f: [(k, v if k != "landmarks" else plain_int(0)) for k, v in f]),
                    "IDX-DIFFERS", "32[0]", items, [("i", "IDX-DIFFERS", "36[0]")])


def slots_within():
    """Slots that lead to what looks like a landmark of their key: bytes of a string, and an entry deeper inside."""
    inside = {"a": {"v": 1}, "b": {"a": {"v": 2}}}
    root = obj(at("a", s("a")), full({"v": 1}), at("b", s("b")), obj(at("inner", s("a")), full({"v": 2})))
    rule = Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")))
    good = coconut(inside, root, rule=rule)
    slot = next(i for i in range(2) if good.data[good.offset(f"36[{i}]") + 4:][:4] == good.offset("a").to_bytes(4, "little"))
    bad = good.poke(f"36[{slot}]+4", good.offset("inner").to_bytes(4, "little"), "the entry inside").repair()
    yield at_verify("index-slot-entry-inside", "A key slot leads to an entry of its key that is inside of another landmark, and is none.", "§8.7", bad, "IDX-DIFFERS",
                    difference(good, bad), inside, [("a", "IDX-RANGE", f"36[{slot}]")])
    text = {"a": "x!zz"}
    root = obj(at("a", s("a")), at("text", s("x!zz")))
    good = coconut(text, root, rule=Rule(("/*",), (Landmark("a", "a", "/a"),)))
    bad = good.poke("36[0]+4", (good.offset("text") + 2).to_bytes(4, "little"), "bytes of the string").repair()
    yield at_verify("index-slot-in-string", "A key slot leads into the bytes of a string.", "§8.7", bad, "IDX-DIFFERS", difference(good, bad), text,
                    [("a", "IDX-RANGE", "36[0]")])


def agreeing():
    """Tables that agree with each other and not with the document."""
    root, marks = entries(NAMES, lambda n: num(len(n)))
    document = {"things": {n: len(n) for n in NAMES}}
    rule = Rule(("/things/*",), marks)
    good = coconut(document, root, rule=rule)

    def other(name, about, section, rule, place=None, good=good, document=document, root=root, gets=(), **options):
        bad = coconut(document, root, rule=rule, **options)
        return at_verify(f"index-agree-{name}", about, section, bad, "IDX-DIFFERS", difference(good, bad) if place is None else place, document, gets)

    def count(n):
        return dict(header=lambda f: [(k, plain_int(n) if k == "landmarks" else v) for k, v in f])

    yield other("without-last", "All tables lack the last landmark: the landmark offsets are the beginning of what they should be.", "§8.7", Rule(rule.patterns, marks[:-1]), "32[4]+4",
                **count(6))
    yield other("without-first", "All tables lack the first landmark.", "§8.7", Rule(rule.patterns, marks[1:]), first_of(good, "32[0]", "32[1]"), **count(6))
    yield other("without-all", "The tables have no landmark.", "§8.7", Rule(rule.patterns, ()), "35[0]", index=(32, 35, 36), **count(6))
    extra = Landmark("key5", "key5", "/things/key5")
    yield other("twice", "All tables have the last landmark twice: what follows the landmark offsets differs.", "§8.7", Rule(rule.patterns, marks + (extra,)), "32[6]", **count(6))
    edge = edged()
    wrong = Rule(edge.rule.patterns, edge.rule.landmarks, edges=edge.rule.edges, found=edge.rule.found[:-1])
    yield other("edges", "The six edge tables lack an edge.", "§8.6", wrong, "40[4]", document=edge.document, root=edge.root)
    wrong = Rule(edge.rule.patterns, edge.rule.landmarks, edges=edge.rule.edges, found=edge.rule.found + ((1, 3, 1),))
    yield other("edges-more", "The six edge tables have an edge that the document does not have.", "§8.6", wrong, "40[2]", document=edge.document, root=edge.root)
    classes = Rule(("/a", "/*"), (Landmark("a", "a", "/a", 0), Landmark("b", "b", "/b", 0)))
    yield other("classes", "Two classes, of which the table, all zero, knows one.", "§8.3", classes, "33[1]", document={"a": 1, "b": 2},
                root=obj(at("a", s("a")), num(1), at("b", s("b")), num(2)), index=(32, 33, 35, 36))


def first_of(good, one, other):
    """The first byte in which the entries at two places differ."""
    one, other = good.offset(one), good.offset(other)
    return one + next(i for i in range(4) if good.data[one + i] != good.data[other + i])


def digests():
    parts = package()
    tables = (32, 33, 34, 35, 36, 37)
    good = coconut(parts.document, parts.root, rule=parts.rule, index=tables, **parts.options)

    def digest(name, about, place, change):
        bad = good.poke(place, change, "wrong").repair()
        return at_verify(f"index-digests-{name}", about, "§8.8", bad, "IDX-DIFFERS", difference(good, bad), parts.document)

    entry = [good.data[good.offset(f"37[{i}]"):][:16] for i in range(8)]
    yield digest("first", "The first landmark digest has a flipped bit.", "37[0]", bytes([entry[0][0] ^ 1]))
    yield digest("last", "The last byte of the last landmark digest differs.", "37[7]+15", bytes([entry[7][15] ^ 0x80]))
    yield digest("exchanged", "Two landmark digests are exchanged.", "37[2]", entry[3] + entry[2])
    order = sorted(range(8), key=lambda i: int.from_bytes(good.data[good.offset(f"36[{i}]") + 4:][:4], "little"))
    yield digest("ordinals", "The landmark digests are in the order of the ordinals, not of the slots.", "37[0]", b"".join(entry[i] for i in order))
