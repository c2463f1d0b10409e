"""Bad vectors of checksums, §7."""

from .assemble import Landmark, Rule, coconut
from .cases import at_decode, at_open, at_verify
from .good_later import many_blocks
from .pieces import at, obj, raw, s

SMALL = {"a": 1}


def cases():
    yield from without_blocks()
    yield from with_blocks()


def without_blocks():
    for name, about, place in (
        ("producer", "A flipped bit in the header.", "header producer+2"),
        ("root", "A flipped bit in the root.", "part 4+5"),
        ("directory", "A flipped bit in the directory is damage, not a part out of range.", "directory+6"),
        ("trailer-flags", "A flipped bit in the trailer's flags, which are checked later.", "magic+-2"),
        ("checksum", "A flipped bit in the trailer's checksum itself.", "checksum"),
        ("padding", "A flipped bit in the padding.", "tables+3"),
        ("type", "A flipped bit in the header's document type is damage, not a mismatch.", "header document-type+1"),
    ):
        yield at_open(f"sum-flip-{name}", about, "§7.3", coconut(SMALL).flip(place), "SUM-MISMATCH", 0)
    file = coconut(SMALL, envelope="application/vnd.coconut+msgpack; document-type=document; version=1; a=b\n\n")
    yield at_open("sum-flip-envelope", "A flipped bit in an unknown parameter.", "§7.3", file.flip(70), "SUM-MISMATCH", 0)
    swapped = coconut(["ab"])
    place = swapped.offset("part 4") + 3
    yield at_open("sum-swap", "Two letters exchanged in the root.", "§7.3", swapped.poke(place, "62 61", "two letters exchanged"), "SUM-MISMATCH", 0)


def large():
    """Blocks of 4,096 bytes: 0 with envelope and header, then values, then a part that is not used,
    then the tables."""
    filler = s("x" * 2900)
    names = ["one", "two", "three", "four"]
    document = {n: {"text": "x" * 2900} for n in names}
    root = obj(*(x for n in names for x in (at(n, s(n)), obj("text", filler))))
    rule = Rule(("/*",), tuple(Landmark(n, n, f"/{n}") for n in names))
    return document, coconut(document, root, rule=rule, blocks=True, parts=[(99, 0, s("y" * 8200))])


def with_blocks():
    document, file = large()
    block = file.offset("part 4") // 4096
    assert block == 0 and file.offset("two") // 4096 == 0 and file.offset("three") // 4096 == 1 and file.offset("four") // 4096 == 2
    assert file.offset("part 99") // 4096 == 2 and file.offset("tables") // 4096 > file.offset("part 99+8200") // 4096 - 1
    yield at_open("sum-block-envelope", "A flipped bit in the header, in the first block.", "§7.3", file.flip("header producer+2"), "SUM-MISMATCH", 0)
    flipped = file.flip("three+200")
    yield at_decode("sum-block-value", "A flipped bit in a value of the second block.", "§7.2", flipped, "SUM-MISMATCH", 4096, gets=["three"])
    yield at_decode("sum-block-last-value", "A flipped bit in a value of the third block.", "§7.2", file.flip("four+600"), "SUM-MISMATCH", 8192, gets=["four"])
    inner = file.offset("part 99") // 4096 + 1
    yield at_verify("sum-block-unused", "A flipped bit in an element that this version does not know.", "§7.2", file.flip(inner * 4096 + 100), "SUM-MISMATCH",
                    inner * 4096, document)
    tables = file.offset("32[0]") // 4096
    assert tables == file.offset("36[3]") // 4096 > inner
    yield at_verify("sum-block-index", "A flipped bit in the key index: lookups see it, decoding does not.", "§7.2", file.flip("36[0]+5"), "SUM-MISMATCH",
                    tables * 4096, document, gets=[("one", "SUM-MISMATCH", tables * 4096)])
    yield at_open("sum-block-table", "A flipped bit in an entry of the block table.", "§7.2", file.flip("block 1"), "SUM-MISMATCH", "block 0")
    yield at_open("sum-root-table", "A flipped bit in the root table.", "§7.3", file.flip("root 0"), "SUM-MISMATCH", "root 0")
    yield at_open("sum-block-directory", "A flipped bit in the directory.", "§7.3", file.flip("directory+4"), "SUM-MISMATCH", "root 0")
    yield at_open("sum-block-trailer", "A flipped bit in the trailer's checksum.", "§7.3", file.flip("checksum+3"), "SUM-MISMATCH", "root 0")
    zeroed = file.poke(4096, bytes(512), "a disk sector of zero bytes")
    yield at_decode("sum-block-zeroed", "A sector of 512 zero bytes.", "§7.2", zeroed, "SUM-MISMATCH", 4096, gets=["three"])
    skipped = coconut(SMALL, blocks=True, header=lambda fields: fields + [("later", raw("C5 23 28" + " 00" * 9000, "bin of 9,000"))])
    yield at_open("sum-block-header-skipped", "A flipped bit in the second block of a header, within a key that is skipped.", "§10.3", skipped.flip("header later+5000"),
                  "SUM-MISMATCH", 4096)
    _, others = many_blocks(13)
    place = others.offset("end") // 8192 // 2 * 8192
    yield at_decode("sum-block-8192", "A flipped bit in a file with blocks of 8,192 bytes: the offset is that of its block.", "§7.2", others.flip(place + 5000), "SUM-MISMATCH",
                    place)
    small = coconut(SMALL, blocks=True)
    yield at_open("sum-small-block", "A small file with a block table and a flipped bit in its root; the block also holds the header.", "§7.3",
                  small.flip("part 4+5"), "SUM-MISMATCH", 0)
