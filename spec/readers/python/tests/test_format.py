"""Bytes written by hand, section by section."""

import hashlib
import re
from pathlib import Path
from typing import Any, List, Type
from zlib import crc32

import coconut_reader
import pytest
from coconut_reader import Document, FormatError, Limits
from coconut_reader.cursor import ARRAY, BINARY, CONSTANT, EXTENSION, FLOAT, INTEGER, MAP, STRING, Cursor
from coconut_reader.envelope import read_envelope
from coconut_reader import file
from coconut_reader.file import bucket_bits
from coconut_reader.output import stream
from coconut_reader.verify import StrictCursor

from .build import build
from .vectors import FOLDER


class Unchecked:
    """Bytes without blocks."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def touch(self, start: int, stop: int) -> int:
        return len(self.data)


def cursor(text: str, end: int = -1, kind: Type[Cursor] = Cursor) -> Cursor:
    data = bytes.fromhex(text)
    return kind(Unchecked(data), 0, len(data) if end < 0 else end)


def decoded(strings: List[str], shapes: List[str], shared: List[str], root: str) -> Any:
    raw = [[bytes.fromhex(item) for item in part] for part in (strings, shapes, shared, [root])]
    return Document(build(None, raw=raw)).to_python()


def refusal(*parts: Any) -> str:
    with pytest.raises(FormatError) as caught:
        decoded(*parts)
    return caught.value.code


def test_1_the_crc_of_nine_digits() -> None:
    assert crc32(b"123456789") == 0xCBF43926


@pytest.mark.parametrize("text, kind, value", [
    ("00", INTEGER, 0), ("7F", INTEGER, 127), ("CC FF", INTEGER, 255), ("CF FF FF FF FF FF FF FF FF", INTEGER, 2**64 - 1),
    ("E0", INTEGER, -32), ("FF", INTEGER, -1), ("D0 80", INTEGER, -128), ("D1 00 05", INTEGER, 5), ("D3 80 00 00 00 00 00 00 00", INTEGER, -(2**63)),
    ("C0", CONSTANT, None), ("C2", CONSTANT, False), ("C3", CONSTANT, True), ("CB 3F F8 00 00 00 00 00 00", FLOAT, 1.5),
    ("A1 78", STRING, 1), ("D9 01 78", STRING, 1), ("C4 02 00 00", BINARY, 2), ("91 C0", ARRAY, 1), ("DC 00 01 C0", ARRAY, 1),
    ("81 C0 C0", MAP, 1), ("DE 00 01 C0 C0", MAP, 1), ("D4 01 05", EXTENSION, 1), ("D7 01 00 00 00 00 00 00 00 05", EXTENSION, 8)])
def test_3_1_forms(text: str, kind: int, value: object) -> None:
    found = cursor(text)
    assert found.token() == kind
    assert found.value == value and type(found.value) is type(value)
    found.position = 0
    found.skip()
    assert found.position == len(found.data)


@pytest.mark.parametrize("text, end, code, offset", [
    ("", 0, "MSG-SHORT", 0), ("A5 68 65", 3, "MSG-SHORT", 1), ("CD 01", 2, "MSG-SHORT", 1), ("D9", 1, "MSG-SHORT", 1),
    ("D9 05 68", 3, "MSG-SHORT", 2), ("D5 01 00", 3, "MSG-SHORT", 2), ("92 C0", 2, "MSG-COUNT", 0), ("82 C0 C0 C0", 4, "MSG-COUNT", 0),
    ("DD FF FF FF FF C0", 6, "MSG-COUNT", 0), ("C1", 1, "MSG-RESERVED", 0), ("A2 61 61", 2, "MSG-SHORT", 1)])
def test_3_3_lengths_are_not_believed(text: str, end: int, code: str, offset: int) -> None:
    with pytest.raises(FormatError) as caught:
        cursor(text, end).token()
    assert (caught.value.code, caught.value.offset) == (code, offset)


@pytest.mark.parametrize("text", ["CC 7F", "CD 00 FF", "D0 FF", "D0 05", "D1 FF 80", "D9 01 61", "DA 00 20" + 32 * "61", "DC 00 01 C0", "DE 00 00", "C5 00 00"])
def test_3_3_longer_forms_are_reported_by_strict_cursors_alone(text: str) -> None:
    cursor(text).token()
    with pytest.raises(FormatError) as caught:
        cursor(text, kind=StrictCursor).token()
    assert (caught.value.code, caught.value.offset) == ("MSG-NONCANON", 0)


def test_4_2_a_plain_integer_is_a_string() -> None:
    assert decoded(["A1 61", "A1 62"], [], [], "94 C0 01 A1 63 00") == ["b", "c", "a"]
    assert refusal(["A1 61"], [], [], "01") == "STR-RANGE"


def test_4_3_integers_are_extensions() -> None:
    assert decoded([], [], [], "94 C0 D4 01 FF D4 02 80 D5 01 01 00") == [255, -128, 256]
    assert refusal([], [], [], "D4 02 05") == "NUM-FORM"
    assert refusal([], [], [], "D4 03 05") == "MSG-EXT"


def test_4_4_references_go_down() -> None:
    assert decoded([], [], ["92 C0 C3", "92 C0 FF"], "93 C0 FE FF") == [[[True]], [True]]
    assert refusal([], [], ["92 C0 FF"], "C0") == "SHR-RANGE"
    assert refusal([], [], ["92 C0 C3"], "FE") == "SHR-RANGE"


def test_4_5_the_first_item_says_what_an_array_is() -> None:
    assert decoded([], [], [], "90") == [] and decoded([], [], [], "91 C0") == [] and decoded([], [], [], "91 C2") == {}
    assert decoded([], [], [], "93 C2 A1 61 C3") == {"a": True}
    for root in ("91 C3", "92 C2 A1", "91 FF", "91 90", "91 A0"):
        assert refusal([], [], [], root + "61") in ("VAL-FORM", "MSG-COUNT")
    assert refusal([], [], [], "95 C2 A1 61 C3 A1 61 C3") == "VAL-DUPKEY"
    assert refusal([], [], [], "93 C2 C0 C3") == "MSG-TYPE"


def test_4_7_the_canonical_stream() -> None:
    assert b"".join(stream(None)).hex() == "c0"
    assert b"".join(stream({"a": [1, 1.5, "x"]})).hex(" ").upper() == "81 A1 61 93 01 CB 3F F8 00 00 00 00 00 00 A1 78"
    assert Document(build({"a": [1, 1.5, "x"]})).digest().hex().startswith("3076a79c")
    assert hashlib.sha256(b"".join(stream(None))).hexdigest().startswith("e4ff5e7d")
    numbers = {0: "00", 127: "7f", 128: "cc80", 255: "ccff", 256: "cd0100", 65536: "ce00010000", 2**32: "cf0000000100000000",
               -1: "ff", -32: "e0", -33: "d0df", -128: "d080", -129: "d1ff7f", -32769: "d2ffff7fff", -(2**31) - 1: "d3ffffffff7fffffff"}
    for number, text in numbers.items():
        assert b"".join(stream(number)).hex() == text
    for length, first in ((31, "bf"), (32, "d920"), (255, "d9ff"), (256, "da0100"), (65536, "db00010000")):
        assert b"".join(stream("x" * length)).hex().startswith(first + "78")
    assert b"".join(stream([None] * 16)).hex().startswith("dc0010c0")
    assert b"".join(stream({str(key): None for key in range(16)})).hex().startswith("de0010")


def test_6_4_the_example() -> None:
    strings = ["A4" + text.encode().hex() for text in ("line",)] + ["A6" + b"column".hex(), "A4" + b"kind".hex(), "A5" + b"ident".hex(), "A5" + b"start".hex()]
    shapes = ["92 91 00 91 01", "93 93 02 C0 AA" + b"Identifier".hex() + "03 92 04 00"]
    assert decoded(strings, shapes, [], "94 01 A1 78 0C 05") == {"kind": "Identifier", "ident": "x", "start": {"line": 12, "column": 5}}
    assert refusal(strings, shapes, [], "93 01 A1 78 0C") == "SHP-ARITY"
    assert refusal(strings, shapes, [], "91 02") == "SHP-RANGE"


def test_6_3_the_meaning_of_an_integer_slot_does_not_extend_into_lists() -> None:
    assert decoded(["A1 61"], ["91 91 A1 6E"], [], "92 00 92 C0 00") == {"n": ["a"]}
    assert decoded(["A1 61"], ["91 91 A1 6E"], [], "92 00 FF") == {"n": -1}


def test_8_5_bits_of_buckets() -> None:
    assert [bucket_bits(n) for n in (0, 1, 4, 5, 8, 9, 16, 17, 20_000)] == [0, 0, 0, 1, 1, 2, 2, 3, 13]


def test_9_1_a_reference_adds_the_depth_of_its_target() -> None:
    raw = [[], [], [b"\x92\xc0\x91\xc0"], [b"\x92\xc0\xff"]]
    assert Document(build(None, raw=raw), Limits(depth=3)).to_python() == [[[]]]
    with pytest.raises(FormatError) as caught:
        Document(build(None, raw=raw), Limits(depth=2)).to_python()
    assert caught.value.code == "LIM-DEPTH"


def test_2_1_an_envelope_may_be_folded_and_quoted() -> None:
    text = b'Application/VND.coconut+MsgPack\r\n;Version="1"\n\t; document-type=CocoPack ; x="a\\"b; c"\r\n\n..'
    envelope = read_envelope(text, Limits())
    assert envelope.encoding == "msgpack" and envelope.end == len(text) - 2
    assert envelope.parameters == {"version": "1", "document-type": "CocoPack", "x": 'a"b; c'}


def registry(name: str) -> List[str]:
    """The first column of a registry, without its heading."""
    return [line.split("\t")[0] for line in (FOLDER.parent / "format" / "registry" / name).read_text("utf-8").splitlines()[1:] if line]


def test_10_4_all_codes_are_in_the_registry() -> None:
    source = "".join(path.read_text("utf-8") for path in Path(coconut_reader.__file__).parent.glob("*.py"))
    used = set(re.findall(r'"([A-Z]{3}-[A-Z0-9]+)"', source))
    texts = (FOLDER.parent / "format" / "02-envelope.md").read_text("utf-8").partition("## 2.4")[2]  # kinds of source texts
    assert len(used) > 40 and used <= set(registry("errors.tsv")) | set(re.findall(r"`([A-Z]{3}-[A-Z0-9]+)`", texts))


def test_5_8_part_numbers_are_those_of_the_registry() -> None:
    assert file.KNOWN == {int(number) for number in registry("parts.tsv") if number.isdigit()}
