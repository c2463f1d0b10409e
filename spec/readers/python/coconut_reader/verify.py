"""§10 Level *verify*, in its order."""

from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, List, Tuple

from .cursor import BINARY, Cursor
from .errors import FormatError
from .file import (BLOCK_TABLE, BUCKETS, CLASSES, DEPENDENCY_STARTS, DEPENDENT_KINDS, DEPENDENT_STARTS, EDGE_TABLES, LANDMARK_OFFSETS,
                   ROOT, SHAPE_OFFSETS, SHARED_OFFSETS, SLOTS, STRING_OFFSETS, TREE)
from .index import Index
from .rebuild import rebuild
from .values import Element, Values

if TYPE_CHECKING:
    from .document import Document


def verify(document: "Document") -> None:
    file = document.file
    file.touch(0, file.size)  # all blocks, in order of offset
    whole = document.to_python()  # what decoding refuses comes first (§10.1)
    values = Values(file, strict=True)
    cursor = Cursor(file, file.envelope.end, file.first_entry, strict=True)
    cursor.token()
    cursor.skip(2)  # signature and header
    values.document()
    between(document, values)
    landmarks = tables(document, values)
    count, depth = document.expansion(whole)
    claims = {"values": count, "depth": depth, "landmarks": landmarks}
    for name, number in claims.items():
        if file.fields[name] != number:
            raise FormatError("HDR-FIELD", file.places[name], f"`{name}` is {file.fields[name]}, found {number}")
    if file.fields["digest"] != document.digest():
        raise FormatError("DIG-DIFFERS", file.places["digest"], "the document has another digest")


def between(document: "Document", values: Values) -> None:
    """§5.1, §5.8: parts end where their values end, the element of the tables begins after the last, padding is zero."""
    file = document.file
    for number, end in sorted(values.ends.items(), key=lambda pair: pair[1]):
        if end != file.parts[number].end:
            raise FormatError("MSG-TRAILING", end, f"bytes after the value of part {number}")
    position, inside, elements = file.header_end, False, 2  # signature and header
    for start, end, number in [*sorted(file.spans), (file.first_entry, file.first_entry, 0)]:
        if not inside and start == position and end > start:
            elements += 1
            if number > ROOT:  # an element of a later version
                cursor = Cursor(file, start, end)
                cursor.skip()
                if cursor.position != end:
                    raise FormatError("MSG-TRAILING", cursor.position, f"bytes after the value of part {number}")
        elif not inside:
            cursor = Cursor(file, position, file.size, strict=True)
            if file.data[position] not in (0xC4, 0xC5, 0xC6) or cursor.token() != BINARY or cursor.position != file.size:
                raise FormatError("MSG-TRAILING", position, "expected the tables' byte string, up to the end of the file")
            position, inside = cursor.body, True
        if any(file.data[position:start]):
            at = next(at for at in range(position, start) if file.data[at])
            raise FormatError("PRT-PADDING", at, "padding that is not zero")
        position = end + (4 * len(file.table_checked) if number == BLOCK_TABLE else 0)  # with the root table
    if elements + 1 != file.elements:
        raise FormatError("PAY-FORM", file.envelope.end, f"an array of {file.elements} items, found {elements + 1}")


def tables(document: "Document", values: Values) -> int:
    """§5.9, §8.7: entries lead into their parts, and the bytes are those that the document gives; the number of landmarks."""
    file = document.file
    size = 8 if file.wide else 4
    expected = rebuild(values)
    elements = {STRING_OFFSETS: values.strings, SHAPE_OFFSETS: values.shapes, SHARED_OFFSETS: values.shared}
    for number, element in elements.items():
        expected[number] = b"".join(offset.to_bytes(size, "little") for offset in offsets(element))
    index = Index(values, as_it_is=True)
    entries: Dict[int, Tuple[int, Callable[[int], object]]] = {
        LANDMARK_OFFSETS: (size, index.offset), CLASSES: (1, index.class_), TREE: (8, index.tree), BUCKETS: (4, index.bucket),
        SLOTS: (2 * size, index.slot_offset)}
    for starts in (DEPENDENCY_STARTS, DEPENDENT_STARTS):
        entries.update({starts: (4, partial(index.start, starts)), starts + 1: (4, partial(index.target, starts + 1)),
                        starts + 2: (1, partial(index.kind, starts + 2))})
    for number, element in elements.items():
        entries[number] = size, element.offset
    some = [number for number in EDGE_TABLES if number in file.parts]
    if some and len(some) < len(EDGE_TABLES):
        raise FormatError("IDX-DIFFERS", file.parts[some[0]].start, "some of the edge tables are missing")
    for number in sorted(file.parts):
        if STRING_OFFSETS <= number <= DEPENDENT_KINDS:
            start, end, _, _ = file.parts[number]
            found, right = bytes(file.data[start:end]), expected.get(number, b"")
            if found != right:
                first = next((at for at, pair in enumerate(zip(found, right)) if pair[0] != pair[1]), min(len(found), len(right)))
                width, check = entries[number]
                if first < len(found):
                    check(first // width)
                raise FormatError("IDX-DIFFERS", start + first, f"part {number} is not that of the document")
    return len(expected[LANDMARK_OFFSETS]) // size


def offsets(element: Element) -> List[int]:
    """Where every 2^s-th item begins."""
    cursor, found = element.cursor(element.first), []
    step = 1 << element.table.stride if element.table else 1
    for item in range(element.count):
        if item % step == 0:
            found.append(cursor.position)
        cursor.skip()
    return found
