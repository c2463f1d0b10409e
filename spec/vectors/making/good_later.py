"""Good vectors of what a later version may add, and of fields that later writers may choose
otherwise: features, elements, tables, block sizes (§5.8, §5.12, §7.2)."""

from .assemble import coconut, texts
from .cases import good
from .pieces import lst, nil, raw, s

DOCUMENT = {"a": 1}
DUMMY = "never-supported"  # §5.12: no reader knows this feature


def requiring(names=(DUMMY,)):
    """Header fields that begin with required features, as a writer writes them."""
    return lambda fields: [("requires", texts(names))] + fields


def many_blocks(bits):
    """A document of a bit more than three blocks, or of one and a half if blocks are large."""
    size = (3 << bits) + 1000 if bits < 16 else (1 << bits) + 1000
    document = [f"{i:04}" * 225 for i in range(size // 900)]
    return document, coconut(document, blocks=bits)


def later(name, about, section, document=DOCUMENT, **options):
    return good(f"payload-{name}", about, section, document, coconut(document, **options))


def cases():
    yield later("requires-none", "An empty list of required features, written first.", "§5.12", header=requiring(()))
    yield later("requires-middle", "An empty list of required features in the middle of the header.", "§5.12",
                header=lambda f: f[:4] + [("requires", texts(()))] + f[4:])
    for key in ("requires-write", "optional"):
        yield later(f"feature-{key}", f"A feature in `{key}` that no reader supports, and names in other forms: reading does not depend on them.", "§5.12",
                    header=lambda f, key=key: f + [(key, texts((DUMMY, "x-experiment", "", "Not A Name")))])
    yield later("later-element", "Part 5, an element of a later version.", "§5.8", parts=[(5, 0, lst(s("from a later version")))])
    yield later("later-elements", "Elements of later versions by any number: the flag says what they are.", "§5.8",
                parts=[(5, 2, nil()), (15, 0, s("x")), (20, 0, raw("92 C3 C0", "a list")), (50, 2, s("y")), (63, 0, nil()), (127, 0, nil()), (255, 0, raw("2A"))])
    yield later("later-element-forms", "An element of a later version in forms that are longer than needed: they are not judged.", "§5.8",
                parts=[(5, 0, raw("DC 00 03 CC 02 D9 01 61 C7 01 09 00", "array of 3, with two bytes of count"))])
    yield later("later-element-utf8", "Text in an element of a later version that is not UTF-8: it is not judged.", "§5.8", parts=[(5, 0, raw("A2 61 FF"))])
    yield later("later-tables", "Tables of later versions by any number; one is to be dropped on rewriting.", "§5.8",
                own_tables=[(5, 0, bytes(3)), (19, 0, b"later"), (31, 2, b"\xC1"), (46, 0, b""), (63, 0, bytes(8)), (65, 0, b"x"), (128, 0, b"y"), (255, 2, bytes(9))])
    yield later("later-both", "An element and a table of later versions, between those that are known.", "§5.8", ["a"], root=lst(raw("00")), strings=["a"],
                parts=[(15, 0, nil())], own_tables=[(19, 0, b"later")], offsets={16: 0}, blocks=True)
    for bits in (13, 16):
        document, file = many_blocks(bits)
        yield good(f"sum-blocks-{1 << bits}", f"A file with blocks of {1 << bits:,} bytes.", "§7.2", document, file)
    yield later("block-1048576", "The largest blocks, in a file of one.", "§7.2", blocks=20)
    yield later("block-wide", "Blocks of 8,192 bytes in a wide file.", "§7.2", blocks=13, wide=True)
