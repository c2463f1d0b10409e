"""Bad vectors of offset tables and the index, §5.9 and §8. Their checksums match: only a lookup or
`verify` finds the fault."""

from zlib import crc32

from . import good_index
from .assemble import Landmark, Rule, coconut
from .cases import at_verify, difference
from .good_index import PACKAGE, entries
from .pieces import at, full, lst, num, obj, rec, s, sh, shape, sid

NAMES = [f"key{i}" for i in range(6)]


def cases():
    yield from offset_tables()
    yield from keys()
    yield from trees()
    yield from edges()
    yield from rows()
    yield from absent()
    yield from places()


def offset_tables():
    strings = [f"n{i}" for i in range(8)]
    document = strings[:]
    file = coconut(document, lst(*map(sid, range(8))), strings=strings, offsets={16: 1})
    yield at_verify("index-offsets-wrong", "An entry of the string offsets leads to the string before.", "§5.9",
                    file.poke("16[2]", bytes([file.data[file.offset("16[2]")] - 3]), "the string before").repair(), "IDX-DIFFERS", "16[2]", document)
    yield at_verify("index-offsets-middle", "An entry of the string offsets leads into the middle of a string.", "§5.9",
                    file.poke("16[3]", bytes([file.data[file.offset("16[3]")] + 1]), "one more").repair(), "IDX-DIFFERS", "16[3]", document)
    yield at_verify("index-offsets-outside", "An entry of the string offsets leads beyond the end of the file.", "§5.9",
                    file.poke("16[1]", "FF FF FF 7F", "far away").repair(), "IDX-DIFFERS", "16[1]", document)
    yield at_verify("index-offsets-other-part", "An entry of the string offsets leads into the root.", "§5.9",
                    file.poke("16[0]", file.offset("part 4").to_bytes(4, "little"), "the root").repair(), "IDX-DIFFERS", "16[0]", document)
    turned = b"".join(file.data[file.offset(f"16[{i}]"):][:4] for i in reversed(range(4)))
    yield at_verify("index-offsets-reversed", "The entries of the string offsets are in reverse order.", "§5.9", file.poke("16[0]", turned, "reversed").repair(),
                    "IDX-DIFFERS", "16[0]", document)
    pair = [{"a": [1]}, {"b": [2]}]
    file = coconut(pair, lst(rec(0, sh(0)), rec(1, sh(1))), shapes=[shape("a"), shape("b")], shared=[lst(num(1)), lst(num(2))], offsets={17: 0, 18: 0})
    for part, name in ((17, "shape"), (18, "shared")):
        entry = file.offset(f"{part}[1]")
        yield at_verify(f"index-offsets-{name}", f"The two entries of the {name} offsets are the same.", "§5.9",
                        file.poke(entry, file.data[entry - 4:entry], "the first once more").repair(), "IDX-DIFFERS", entry, pair)


def keyed(**options):
    root, marks = entries(NAMES, lambda n: num(len(n)))
    document = {"things": {n: len(n) for n in NAMES}}
    rule = Rule(("/things/*",), marks)
    return document, coconut(document, root, rule=rule, **options), rule


def keys():
    document, file, rule = keyed()
    data = file.data

    def index(name, about, place, change, gets=(), section="§8.5"):
        changed = file.poke(place, change, "wrong").repair()
        return at_verify(f"index-{name}", about, section, changed, "IDX-DIFFERS", difference(file, changed), document, gets=gets)

    def entry(place, size=4):
        return data[file.offset(place):file.offset(place) + size]

    yield index("landmark-exchanged", "Two landmark offsets are exchanged.", "32[1]", entry("32[2]") + entry("32[1]"), section="§8.2")
    value = file.offset("key3") + 5
    yield index("landmark-value", "A landmark offset leads to the value instead of the key.", "32[3]", value.to_bytes(4, "little"), section="§8.2")
    yield index("landmark-outside", "A landmark offset leads beyond the end of the file.", "32[4]", "FF FF FF 7F", section="§8.2")
    yield index("landmark-strings", "A landmark offset leads into the strings.", "32[0]", file.offset("part 1").to_bytes(4, "little"), section="§8.2")
    slot_keys = sorted(NAMES, key=lambda n: crc32(n.encode()))
    yield index("slots-exchanged", "Two key slots are exchanged.", "36[0]", entry("36[1]", 8) + entry("36[0]", 8))
    yield index("slot-hash", "A key slot has another hash.", "36[2]", bytes([entry("36[2]")[0] ^ 1]))
    yield index("slot-offset", "A key slot leads to another landmark.", "36[3]+4", file.offset(slot_keys[4]).to_bytes(4, "little"))
    yield index("slot-outside", "A key slot leads beyond the end of the file.", "36[3]+4", "FF FF FF 7F",
                gets=[(slot_keys[3], "IDX-RANGE", "36[3]")])
    yield index("slot-strings", "A key slot leads into the strings.", "36[1]+4", file.offset("part 1").to_bytes(4, "little"),
                gets=[(slot_keys[1], "IDX-RANGE", "36[1]")])
    yield index("bucket", "A bucket begins a slot too late.", "35[1]", bytes([entry("35[1]")[0] + 1]))
    first, last = slot_keys[0], slot_keys[-1]
    yield index("bucket-outside", "A bucket begins after the last slot.", "35[1]", "FF 00 00 00",
                gets=[(first, "IDX-RANGE", "35[1]"), (last, "IDX-RANGE", "35[1]")])
    yield index("bucket-descending", "The second bucket ends before it begins.", "35[2]", "00", gets=[(last, "IDX-DIFFERS", "35[1]")])
    document, file, rule = keyed(wide=True)
    data = file.data
    yield index("wide-slot-zero", "The four zero bytes of a wide slot are not zero.", "36[2]+4", "01")
    classes = Rule(("/a", "/*"), (Landmark("a", "a", "/a", 0), Landmark("b", "b", "/b", 1)))
    document = {"a": 1, "b": 2}
    file = coconut(document, obj(at("a", s("a")), num(1), at("b", s("b")), num(2)), rule=classes)
    yield index("class", "A landmark has another class.", "33[1]", "00", section="§8.3")
    yield index("class-unknown", "A landmark has a class that no pattern has.", "33[1]", "07", section="§8.3",
                gets=[("b", "IDX-RANGE", "33[1]")])


def trees():
    good = next(case for case in good_index.trees() if case.name == "index-join")

    def tree(name, about, place, change, code="IDX-DIFFERS", gets=()):
        """`gets`: lookups that meet the entry, at level *touch*."""
        file = good.file.poke(place, change, "wrong").repair()
        entry = place.partition("+")[0]
        return at_verify(f"index-tree-{name}", about, "§8.4", file, "IDX-DIFFERS", difference(good.file, file), PACKAGE,
                         gets=[(what, code, entry) for what in gets])

    yield tree("parent", "A landmark has another parent.", "34[2]", "00")
    yield tree("parent-outside", "A parent that does not exist.", "34[2]", "63", "IDX-RANGE", gets=("pkg:ec2:Vpc:id", "children pkg:ec2:Vpc"))
    yield tree("parent-itself", "A landmark is its own parent.", "34[3]", "03", gets=("pkg:ec2:Vpc:tag", "children pkg:ec2:Vpc"))
    yield tree("parent-later", "The parent of a landmark comes after it.", "34[1]", "02", gets=("pkg:ec2:Vpc", "children pkg:ec2"))
    yield tree("end", "A landmark ends too early.", "34[1]+4", "03")
    yield tree("end-outside", "A landmark ends after the last ordinal.", "34[0]+4", "09", "IDX-RANGE", gets=("pkg:ec2", "children pkg:ec2"))
    yield tree("end-zero", "A landmark ends before it begins: a walk over children must not run for ever.", "34[1]+4", "00",
               gets=("pkg:ec2:Vpc", "children pkg:ec2"))
    yield tree("end-itself", "A landmark ends where it begins.", "34[6]+4", "06", gets=("pkg:s3:Bucket", "children pkg:s3"))


def edges():
    good = next(case for case in good_index.edges() if case.name == "index-edges")

    def edge(name, about, place, change, code="IDX-DIFFERS", gets=()):
        file = good.file.poke(place, change, "wrong").repair()
        return at_verify(f"index-edges-{name}", about, "§8.6", file, "IDX-DIFFERS", difference(good.file, file), good.document,
                         gets=[(what, code, fault) for what, fault in gets])

    yield edge("start", "A landmark has an edge too many, the next one too few.", "40[1]", "04")
    yield edge("start-outside", "Edges of a landmark end after the table.", "40[1]", "FF FF FF FF", "IDX-RANGE", gets=(("deps a", "40[1]"), ("deps b", "40[1]")))
    yield edge("start-descending", "Starts that descend.", "40[2]", "01", gets=[("deps b", "40[1]")])
    yield edge("target", "An edge leads to another landmark.", "41[0]", "03")
    yield edge("target-outside", "An edge leads to a landmark that does not exist.", "41[3]", "63", "IDX-RANGE", gets=[("deps c", "41[3]")])
    yield edge("kind", "An edge has another kind.", "42[1]", "01")
    yield edge("kind-outside", "An edge has a kind that does not exist.", "42[5]", "09", "IDX-RANGE", gets=[("deps d", "42[5]")])
    yield edge("back-start", "A start of the other direction is wrong.", "43[0]", "01")
    yield edge("back-start-outside", "A start of the other direction is beyond the table.", "43[1]", "FF FF FF FF", "IDX-RANGE", gets=(("rdeps a", "43[1]"), ("rdeps b", "43[1]")))
    yield edge("back-start-descending", "Starts of the other direction that descend.", "43[2]", "01", gets=[("rdeps b", "43[1]")])
    yield edge("back-target-outside", "The other direction names a landmark that does not exist.", "44[0]", "63", "IDX-RANGE", gets=[("rdeps a", "44[0]")])
    yield edge("back-kind-outside", "The other direction has a kind that does not exist.", "45[5]", "09", "IDX-RANGE", gets=[("rdeps c", "45[5]")])
    yield edge("back-target", "The other direction names another landmark.", "44[1]", "01")
    yield edge("back-kind", "The other direction has another kind.", "45[0]", "00")


def rows():
    """§8.6: landmarks that share rows."""
    good = next(case for case in good_index.edges() if case.name == "index-edges-rows")

    def row(name, about, place, change, code="IDX-DIFFERS", gets=()):
        file = good.file.poke(place, change, "wrong").repair()
        return at_verify(f"index-edges-rows-{name}", about, "§8.6", file, "IDX-DIFFERS", difference(good.file, file), good.document,
                         gets=[(what, code, fault) for what, fault in gets])

    yield row("overlap", "A row begins in another.", "40[8]", "01")
    yield row("descending", "A row that ends before it begins.", "40[9]", "01", gets=[("deps c", "40[8]")])
    yield row("end-outside", "A row ends after the table.", "40[9]", "FF", "IDX-RANGE", gets=[("deps c", "40[9]")])
    yield row("start-outside", "A row begins and ends after the table.", "40[8]", "FF", "IDX-RANGE", gets=[("deps c", "40[8]")])
    yield row("back", "In the other direction, a row ends too early.", "43[9]", "04")
    yield row("back-descending", "A row of the other direction that ends before it begins.", "43[13]", "00", gets=[("rdeps e", "43[12]")])


def absent():
    """Tables that are not there although they would say something (§5.8)."""
    def lacking(name, about, section, good, index):
        """The file of a good vector without some of its tables."""
        file = coconut(good.document, good.root, rule=good.rule, index=index, **good.options)
        return at_verify(f"index-absent-{name}", about, section, file, "IDX-DIFFERS", "directory", good.document)

    tree, edged = good_index.package(), good_index.edged()
    yield lacking("classes", "Landmarks of three classes without their table: each class would be 0.", "§8.3", tree, (32, 34, 35, 36))
    yield lacking("tree", "Landmarks inside of others without their table: none would have a parent.", "§8.4", tree, (32, 33, 35, 36))
    yield lacking("tree-offsets", "The same, with landmark offsets and classes alone.", "§8.4", tree, (32, 33))
    yield lacking("edges", "Edges without their tables: there would be none.", "§8.6", edged, (32, 35, 36))
    yield lacking("edges-offsets", "The same, with landmark offsets alone.", "§8.6", edged, (32,))


def places():
    """§8.2: landmarks without a place of their own."""
    record = {"x": {"a": {"v": 1}, "b": {"v": 2}}}

    def nowhere(name, about, document, root, key, place, rule, **options):
        file = coconut(document, root, rule=rule, index=(), **options)
        return at_verify(f"index-place-{name}", about, "§8.2", file, "VAL-FORM", place, document, gets=[(key, "VAL-FORM", place)])

    def marks(*places):
        return tuple(Landmark(*place) for place in places)

    yield nowhere("record", "The landmarks are entries of a record.", record, obj("x", rec(0, at("a", full({"v": 1})), at("b", full({"v": 2})))), "a", "a",
                  Rule(("/x/*",), marks(("a", "a", "/x/a"), ("b", "b", "/x/b"))), shapes=[shape("a", "b")])
    yield nowhere("record-fields", "The same with keys from a field.", {"x": {"a": {"v": "n"}}}, obj("x", rec(0, at("a", full({"v": "n"})))), "n", "a",
                  Rule(("/x/*[v]",), marks(("a", "n", "/x/a"))), shapes=[shape("a")])
    yield nowhere("shared", "The landmarks are entries of a shared object.", record, obj("x", sh(0)), "a", "a",
                  Rule(("/x/*",), marks(("a", "a", "/x/a"), ("b", "b", "/x/b"))), shared=[obj(at("a", s("a")), full({"v": 1}), at("b", s("b")), full({"v": 2}))])
