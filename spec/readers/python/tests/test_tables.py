"""The tables of the specification, read from its text. The reader has their numbers, and a test
notices every shifted number."""

import re
from dataclasses import astuple
from itertools import takewhile
from typing import Callable, Iterator, List, Tuple

import pytest
from coconut_reader import Limits, cursor, file

from .vectors import FOLDER

KINDS = {
    "non-negative integer": cursor.INTEGER, "negative integer": cursor.INTEGER, "map": cursor.MAP, "array": cursor.ARRAY,
    "str": cursor.STRING, "nil, false, true": cursor.CONSTANT, "bin": cursor.BINARY, "float 64": cursor.FLOAT,
    "fixext 1, 2, 4, 8": cursor.EXTENSION, "never used": cursor.RESERVED, "float 32": cursor.SINGLE,
    "ext 8, 16, 32, fixext 16": cursor.EXTENSION}
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def table(text: str) -> List[List[str]]:
    """The cells of all rows of the first table but the heading."""
    first = re.search(r"(?:^\|.*\n?)+", text, re.M)
    assert first
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in first[0].splitlines()][2:]


def forms_agree(text: str) -> bool:
    """§3.1: what each of the 256 first bytes is."""
    found: List[Tuple[int, int]] = []
    for first, meaning, _ in table(text):
        for ends in re.findall(r"([0-9A-F]{2,3})(?:–([0-9A-F]{2,3}))?", first):
            low, high = (int(end or ends[0], 16) for end in ends)
            found += [(byte, KINDS[re.sub(r" \(.*", "", meaning)]) for byte in range(low, high + 1)]
    return sorted(found) == [(byte, kind) for byte, (kind, _, _) in enumerate(cursor.FORMS)]


def parts_agree(text: str) -> bool:
    """§5.8: the parts that this version defines."""
    return {int(number) for row in table(text) for number in row[0].split(", ")} == file.KNOWN


def limits_agree(text: str) -> bool:
    """§9: the defaults, in the order of the text."""
    numbers: List[int] = []
    for row in table(text):
        for number, unit in re.findall(r"([0-9,]*[0-9])(?: ([KMG]iB))?", row[1]):
            numbers.append(int(number.replace(",", "")) * UNITS.get(unit, 1))
    return tuple(numbers) == astuple(Limits())


Check = Callable[[str], bool]
TABLES: List[Tuple[str, str, int, str, Check]] = [  # file, heading, column of the numbers, their form
    ("03-msgpack.md", "## 3.1 ", 0, "[0-9A-F]{2}", forms_agree),
    ("05-payload.md", "## 5.8 ", 0, "[0-9]+", parts_agree),
    ("09-limits.md", "# 9 ", 1, "[0-9][0-9,]*", limits_agree)]


def section(name: str, heading: str) -> str:
    text = (FOLDER.parent / "format" / name).read_text("utf-8")
    return text[text.index(heading) :].split("\n## ")[0]


def shifted(text: str, column: int, form: str) -> Iterator[Tuple[str, str]]:
    """The text with one number of its table greater by one, for each number in turn; and that
    number."""
    lines = text.splitlines()
    top = next(index for index, line in enumerate(lines) if line.startswith("|"))
    rows = list(takewhile(lambda index: lines[index].startswith("|"), range(top, len(lines))))[2:]
    base = 16 if "A-F" in form else 10
    for index in rows:
        cells = lines[index].split("|")
        for found in re.finditer(form, re.sub(r"KiB|MiB|GiB", "   ", cells[column + 1])):
            number = int(found[0].replace(",", ""), base) + 1
            cell = cells[column + 1]
            other = cell[: found.start()] + (f"{number:02X}" if base == 16 else str(number)) + cell[found.end() :]
            line = "|".join([*cells[: column + 1], other, *cells[column + 2 :]])
            yield "\n".join([*lines[:index], line, *lines[index + 1 :]]), f"{found[0]} in {lines[index]}"


@pytest.mark.parametrize("name, heading, column, form, agrees", TABLES, ids=[row[0] for row in TABLES])
def test_the_reader_has_the_numbers_of_the_table(name: str, heading: str, column: int, form: str, agrees: Check) -> None:
    assert agrees(section(name, heading))


@pytest.mark.parametrize("name, heading, column, form, agrees", TABLES, ids=[row[0] for row in TABLES])
def test_no_number_of_the_table_can_be_shifted(name: str, heading: str, column: int, form: str, agrees: Check) -> None:
    texts = list(shifted(section(name, heading), column, form))
    assert len(texts) >= 10
    assert [number for text, number in texts if agrees(text)] == []
