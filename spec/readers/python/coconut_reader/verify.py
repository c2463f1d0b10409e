"""§10 Level *verify*, in its order."""

from typing import TYPE_CHECKING

from .cursor import CONSTANT, FLOAT, Cursor
from .errors import need
from .file import BLOCK_TABLE, BUCKETS, EDGE_TABLES, ENTRIES, INDEX_TABLES, LANDMARK_OFFSETS
from .file import OFFSET_TABLES, REQUIRED, SLOTS, TREE
from .index import Index
from .output import expansion, head
from .tree import Tree

if TYPE_CHECKING:
    from .document import Document


class StrictCursor(Cursor):
    """Refuses forms that are longer than needed (§3.2)."""

    __slots__ = ()

    def token(self) -> int:
        kind = super().token()
        if kind not in (CONSTANT, FLOAT):
            form = head(kind, self.value)
            found = self.data[self.start : self.start + len(form)]
            need(found == form, "MSG-NONCANON", self.start, "not the shortest form")
        return kind

    def integer(self) -> int:
        number, size = super().integer(), self.position - self.body
        bits = number.bit_length() if number >= 0 else (~number).bit_length() + 1
        need(size == 1 or bits > 4 * size, "MSG-NONCANON", self.start, "a longer body than needed")
        return number


def verify(document: "Document") -> None:
    file = document.file
    file.touch(0, file.size)  # all blocks, in order of offset
    document.to_python()  # what decoding refuses comes first (§10.1)
    cursor = StrictCursor(file, file.envelope.end, file.directory_start)
    cursor.token()
    cursor.skip(2)  # signature and header
    values = Tree(file, StrictCursor)
    values.document()
    between(document)
    landmarks = tables(document, values)
    for name, number in zip(("values", "depth", "landmarks"), (*expansion(document), landmarks)):
        need(file.fields[name] == number, "HDR-FIELD", file.places[name], "`{}` should be {}", name, number)
    is_same = file.fields["digest"] == document.digest()
    need(is_same, "DIG-DIFFERS", file.places["digest"], "the document has another digest")


def between(document: "Document") -> None:
    """§5.1, §5.8: elements follow each other, the tables' element follows the last, padding is
    zero."""
    file = document.file
    position, elements, tables = file.header_end, 6, []  # from the signature to the root
    for number in REQUIRED:
        start, end = file.parts[number][:2]
        need(start == position, "MSG-TRAILING", position, "part {} does not begin here", number)
        position = end
    for start, end, number, entry in sorted(span for span in file.spans if span[2] not in REQUIRED):
        if start != position or start == end or number in ENTRIES:
            tables.append((start, end, number, entry))
            continue
        elements += 1  # of a later version
        cursor = Cursor(file, start, end)
        cursor.skip()
        need(cursor.position == end, "MSG-TRAILING", cursor.position, "bytes after part {}", number)
        position = end
    first, cursor = file.data[position], StrictCursor(file, position, file.size)
    body = position + 1 + (1 << first - 0xC4 if 0xC4 <= first <= 0xC6 else file.size)
    is_last = body + int.from_bytes(file.data[position + 1 : body], "big") == file.size
    need(is_last, "MSG-TRAILING", position, "expected the byte string of the tables")
    cursor.token()
    position = body
    for start, end, number, entry in [*tables, (file.directory_start, file.size, 0, file.trailer_start)]:
        need(start >= position, "PRT-RANGE" if number else "TRL-FIELD", entry, "part {} overlaps", number)
        for at in range(position, start):
            need(file.data[at] == 0, "PRT-PADDING", at, "padding that is not zero")
        position = end + (4 * len(file.table_checked) if number == BLOCK_TABLE else 0)  # with the root table
    elements += 1
    need(elements == file.elements, "PAY-FORM", file.envelope.end, "found {} elements", elements)


def tables(document: "Document", values: Tree) -> int:
    """§5.9, §8.7: the bytes equal those made from the document. The result is the number of
    landmarks."""
    file, index, made = document.file, Index(values, rebuilds=False), Index(values, rebuilds=True)
    if {*EDGE_TABLES} & file.parts.keys():  # without them, a small file may have any number of edges
        made.make_edges()
    expected = {number: table.data for number, table in made.tables.items()}
    elements = dict(zip(OFFSET_TABLES, (values.strings, values.shapes, values.shared)))
    for number, element in elements.items():
        stride = 1 << element.table.stride if element.table else 1
        size = ENTRIES[number][file.wide]
        expected[number] = b"".join(start.to_bytes(size, "little") for start in element.starts[::stride])
    has_edges = all(number in file.parts for number in EDGE_TABLES)
    for number in sorted({*OFFSET_TABLES, *INDEX_TABLES, *EDGE_TABLES} & file.parts.keys()):
        start, end = file.parts[number][:2]
        is_whole = has_edges or number not in EDGE_TABLES
        need(is_whole, "IDX-DIFFERS", start, "one of the edge tables is missing")
        found, right = bytes(file.data[start:end]), expected.get(number, b"")
        if found == right:
            continue
        differs = (at for at, (byte, other) in enumerate(zip(found, right)) if byte != other)
        first = next(differs, min(len(found), len(right)))
        needed = {BUCKETS: SLOTS, SLOTS: BUCKETS}.get(number, LANDMARK_OFFSETS)
        is_used = number in OFFSET_TABLES or needed in file.parts
        if is_used and first < len(found):  # an entry that leads outside is the error that counts
            entry = first // ENTRIES[number][file.wide]
            if number in elements:
                elements[number].offset(entry)
            elif number == TREE:
                index.family(entry)
            else:
                index.entry(number, entry)
        need(False, "IDX-DIFFERS", start + first, "part {} is not that of the document", number)
    return len(expected[LANDMARK_OFFSETS]) // ENTRIES[LANDMARK_OFFSETS][file.wide]
