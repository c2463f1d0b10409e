"""§10 Level *verify*, in its order."""

from typing import TYPE_CHECKING, Iterator

from .cursor import CONSTANT, FLOAT, Cursor
from .errors import FormatError, need
from .file import BLOCK_TABLE, CLASSES, DEPENDENCIES, DEPENDENTS, DIGESTS, EDGE_TABLES, ENTRIES
from .file import LANDMARK_OFFSETS, OFFSET_TABLES, REQUIRED, ROOT, SLOTS, TREE
from .index import Index
from .output import expansion, hashed, head, measure
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
    sizes = expansion(document)  # before anything is expanded
    for name, number in zip(("values", "depth", "landmarks"), (*sizes, tables(document, values))):
        need(file.fields[name] == number, "HDR-FIELD", file.places[name], "`{}` should be {}", name, number)
    is_same = file.fields["digest"] == document.digest()
    need(is_same, "DIG-DIFFERS", file.places["digest"], "the document has another digest")


def between(document: "Document") -> None:
    """§5.1, §5.8: elements follow each other, the tables' element follows the last, padding is
    zero."""
    file = document.file
    position, elements, tables = file.parts[ROOT].end, 6, []  # from the signature to the root
    others = (span for span in file.spans if span[2] not in REQUIRED)
    for start, end, number, entry, is_element in sorted(others):
        if start > position:
            tables.append((start, end, number, entry, is_element))
            continue
        need(is_element, "PRT-RANGE", entry, "table {} is before the body", number)
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
    is_over = False  # after the root table
    for start, end, number, entry, is_element in [*tables, (file.directory_start, file.size, 0, 0, False)]:
        is_wrong = is_element or start < position or is_over and entry
        need(not is_wrong, "PRT-RANGE", entry, "part {} is not a table between body and root table", number)
        for at in range(position, start):
            need(file.data[at] == 0, "PRT-PADDING", at, "padding that is not zero")
        is_over = is_over or number == BLOCK_TABLE
        position = end + (4 * len(file.table_checked) if number == BLOCK_TABLE else 0)  # with the root table
    elements += 1
    need(elements == file.elements, "PAY-FORM", file.envelope.end, "found {} elements", elements)


def tables(document: "Document", values: Tree) -> int:
    """§5.9, §8.7: the bytes equal those made from the document. The result is the number of
    landmarks."""
    file, made = document.file, Index(values, rebuilds=True)
    if LANDMARK_OFFSETS in file.parts:  # without it, a small file may have any number of edges
        made.make_edges()
    expected = {starts: bytes(4 * file.count(starts)) for starts in (DEPENDENCIES, DEPENDENTS)}
    expected.update((number, table.data) for number, table in made.tables.items())
    elements = dict(zip(OFFSET_TABLES, (values.strings, values.shapes, values.shared)))
    for number, element in elements.items():
        if element.table:
            start, end, stride, entry = element.table
            starts, size = element.starts[:: 1 << stride], ENTRIES[number][file.wide]
            expected[number] = b"".join(start.to_bytes(size, "little") for start in starts)
            need(end - start == len(expected[number]), "PRT-LENGTH", entry, "{} items", element.count)
    has_tree = any(made.around(ordinal)[0] is not None for ordinal in range(made.count))
    says = {CLASSES: any(expected[CLASSES]), TREE: has_tree, DEPENDENCIES: expected.get(DEPENDENCIES + 1)}
    if DIGESTS in file.parts:
        expected[DIGESTS] = b"".join(digests(made, values))
    for number in sorted(expected.keys() | {*EDGE_TABLES} & file.parts.keys()):
        if number not in file.parts:
            is_lost = LANDMARK_OFFSETS in file.parts and says.get(number)
            need(not is_lost, "IDX-DIFFERS", file.directory_start, "part {} is missing", number)
            continue
        start, end = file.parts[number][:2]
        found, right = bytes(file.data[start:end]), expected.get(number, b"")
        if found != right:
            differs = (at for at, (byte, other) in enumerate(zip(found, right)) if byte != other)
            first = start + next(differs, min(len(found), len(right)))
            raise FormatError("IDX-DIFFERS", first, f"part {number} is not that of the document")
    return made.count


def digests(index: Index, values: Tree) -> Iterator[bytes]:
    """§8.8, in the order of the slots."""
    limits, root = values.limits, values.file.parts[ROOT].start
    nodes, text = limits.streamed_values, limits.streamed_bytes
    ordinals = {index.entry(LANDMARK_OFFSETS, ordinal): ordinal for ordinal in range(index.count)}
    for ordinal in (ordinals[index.entry(SLOTS, slot)] for slot in range(index.count)):
        key, value = index.key(ordinal).encode(), values.build(index.value(ordinal)[1])
        size = measure(value)
        nodes, text = nodes - size.values, text - size.text
        need(nodes >= 0, "LIM-NODES", root, "too many values in all landmarks")
        need(text >= 0, "LIM-BYTES", root, "too much text in all landmarks")
        yield hashed(value, len(key).to_bytes(4, "little") + key)[:16]
