"""Bad vectors with two faults: which of them a reader names (§2.1, §4.5, §5.8, §6.1, §8.1, §10.2,
§10.3)."""

from .assemble import Landmark, Rule, coconut, texts
from .bad_envelope import DOCUMENT, GOOD, bad as envelope
from .cases import at_decode, at_open, at_verify
from .pieces import at, nil, num, obj, raw, s, sid


def cases():
    yield from opening()
    yield from rules()
    yield from decoding()
    yield from verifying()


def opening():
    for name, about, text, code, place in (
        ("character-blank-line", "A control character, and a line that does not continue the envelope.", GOOD + "\x07\nx\n\n", "ENV-CHAR", len(GOOD)),
        ("character-encoding", "A control character, and an encoding that does not exist.", GOOD.replace("+msgpack", "+cbor") + "\x07\n\n", "ENV-CHAR", len(GOOD) - 3),
        ("blank-line-encoding", "A line that does not continue the envelope, and an encoding that does not exist.", GOOD.replace("+msgpack", "+cbor") + "\nx\n\n",
         "ENV-NOBLANK", len(GOOD) - 2),
        ("parameters", "Neither document type nor version.", "application/vnd.coconut+msgpack\n\n", "ENV-NOTYPE", 31),
    ):
        case = envelope(name, about, text, code, place)
        case.name = f"order-{name}"
        yield case
    good = coconut(DOCUMENT)
    short = good.poke("payload", b"\x9F", "15 elements").cut("header+3")
    yield at_open("order-count-trailer", "A payload array of 15 elements with 13 bytes: a file too short for a trailer, too.", "§10.3", short, "MSG-COUNT", "payload")
    converted = coconut(DOCUMENT, signature=b"\xC2\x89CC\r\n\x1A\nl")
    yield at_open("order-conversions", "A signature that was taken for Latin-1 and lost its NUL: what begins first is named.", "§5.2", converted, "ENV-EOL", "signature")
    flipped = good.poke("payload", b"\x96", "6 elements").flip("magic")
    yield at_open("order-elements-trailer", "A payload array of six elements, and a trailer without its magic.", "§10.3", flipped, "PAY-FORM", "payload")


def rules():
    def rule(name, about, patterns, edges, place):
        texts_of = lambda f: f + [("patterns", texts(patterns)), ("edges", texts(edges))]  # noqa: E731
        return at_open(f"order-rule-{name}", about, "§8.1", coconut(DOCUMENT, header=texts_of), "LMK-RULE", place)

    many = [f"/x{i}" for i in range(33)]
    long = "".join(f"/s{i}" for i in range(80))
    yield rule("limit-form", "33 patterns, and a 34th that is none.", many + ["x"], [], f"header patterns+{3 + sum(len(x) + 1 for x in many)}")
    yield rule("limit-edge", "33 patterns, and an edge that is none.", many, ["x"], "header edges+1")
    yield rule("positions-form", "A pattern of 80 segments, and a second that is none.", [long, "x"], [], f"header patterns+{1 + 3 + len(long)}")
    yield rule("class-form", "An edge of a pattern that is not there, and a second edge that is none.", ["/a"], ["k=1/b", "x"], "header edges+7")
    for number in (100, 255, 256, 1000):
        yield rule(f"class-{number}", f"An edge of a pattern that is not there, and a second with the class {number}, which has too many digits.", ["/a"],
                   ["k=1/b", f"k={number}/b"], "header edges+7")
    yield rule("class-99", "Two edges of patterns that are not there: both are well formed.", ["/a"], ["k=99/b", "k=1/b"], "header edges+1")
    yield rule("limit-class", "A pattern of 80 segments, and an edge of a pattern that is not there.", [long], ["k=1/b"], "header edges+1")


def decoding():
    def bad(name, about, section, code, root=nil(), **options):
        return at_decode(f"order-{name}", about, section, coconut(None, root, **options), code, "bad")

    yield bad("dupkey-value", "A key twice in an object, the second with a value that is none.", "§4.5", "VAL-DUPKEY", obj("a", nil(), at("bad", s("a")), raw("C1")))
    for name, about, slot in (
        ("reserved", "a constant that is the byte C1", "93 A1 61 C0 C1"), ("range", "a nested shape that does not exist", "92 A1 61 05"),
        ("form", "a second item that is a string", "92 A1 61 A0"),
    ):
        shape = raw("92 A1 61", "two slots: a") + raw(slot[:2]) + at("bad", raw(slot[3:8], "a again")) + raw(slot[9:])
        yield bad(f"shape-dupkey-{name}", f"A key twice in a shape, and {about}.", "§6.1", "VAL-DUPKEY", shapes=[shape])
    yield bad("shape-dupkey-slot", "A key twice in a shape, and a third slot that is none.", "§6.1", "VAL-DUPKEY",
              shapes=[raw("93 A1 61", "three slots: a") + at("bad", s("a")) + nil()])
    for name, about, rest in (("range", "a nested shape that does not exist", "05"), ("constant", "a constant that is a list", "C0 90")):
        head = raw("91 92" if name == "range" else "91 93", "one slot")
        yield bad(f"shape-key-{name}", f"A key that is no string of the table, and {about}.", "§6.1", "STR-RANGE",
                  shapes=[head + at("bad", sid(7)) + raw(rest)])
    turned = coconut(None, raw("C1", "a byte that is not used"), payload=backwards).poke("part 1", b"\xC0", "no array").repair()
    yield at_decode("order-parts", "Root, shared values, shapes and strings, in this order, with a root and strings of no form: strings are read first.",
                    "§10.2", turned, "PAY-FORM", "part 1")


def backwards(elements):
    """Signature and header, and the others in reverse order."""
    return elements[:2] + elements[:1:-1]


def verifying():
    yield at_verify("verify-elements-backwards", "Root, shared values, shapes and strings, in this order: directory and payload array disagree.", "§10.2",
                    coconut(DOCUMENT, payload=backwards), "MSG-TRAILING", "part 4", DOCUMENT)
    document = {"a": {"x": "b"}, "b": 2}
    root = obj(at("a", s("a")), obj("x", s("b")), at("b", s("b")), num(2))
    rule = Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")), edges=("dep=0/x",), found=((0, 1, 0),))
    short = coconut(document, root, rule=rule, index=(32, 35, 36, 41, 42, 43, 44, 45))
    slot = short.offset("36[0]")
    swapped = short.poke("36[0]", short.data[slot + 8:slot + 16] + short.data[slot:slot + 8], "slots in the wrong order").repair()
    yield at_verify("order-tables", "Key slots in the wrong order, and edges without their first table: part numbers count.", "§10.2", swapped, "IDX-DIFFERS", slot, document)
    tables = dict(own_tables=[(99, 0, bytes(3)), (100, 0, bytes(1))])
    padded = coconut(DOCUMENT, array=b"\x98", **tables)
    place = padded.offset("99[0]") + 3
    yield at_verify("order-padding-count", "Padding that is not zero, and a payload array that claims an element more than there is.", "§10.2",
                    padded.poke(place, b"\x01", "not zero").repair(), "PRT-PADDING", place, DOCUMENT)
