"""Damaged files whose checksums match: only `FormatError`, and the same with every decoder."""

import random
from typing import Any

import pytest
from coconut_reader import Document, FormatError, Limits, fast, file

from . import installed
from .test_document import RULE, VARIANTS, spelled, terraform
from .build import build
from .vectors import load

MUTATIONS = 1500
SMALL = Limits(tree_values=100_000, streamed_values=100_000)


class Matching(int):
    """A checksum that equals every other."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return True


def outcome(data: bytes) -> Any:
    try:
        return spelled(Document(data, SMALL).to_python())
    except FormatError as error:
        return error.code, error.offset


@pytest.mark.parametrize("seed", range(2))
def test_damage_gives_format_errors_alone(seed: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(file, "crc32", lambda data: Matching())
    generator = random.Random(seed)
    files = [build(terraform(17), **RULE, **variant) for variant in VARIANTS] + [vector.data for vector in load("good")]
    for _ in range(MUTATIONS):
        data = bytearray(generator.choice(files))
        for _ in range(generator.choice([1, 1, 2, 4])):
            at = generator.randrange(60, len(data))
            data[at] = generator.choice([generator.randrange(256), data[at] ^ 1 << generator.randrange(8), 0xFF, 0])
        monkeypatch.setattr(fast, "library", lambda: None)
        pure = outcome(bytes(data))
        for package in installed():
            monkeypatch.setattr(fast, "library", lambda package=package: package())
            assert outcome(bytes(data)) == pure
        try:
            document = Document(bytes(data), SMALL)
            for ordinal in range(min(len(document), 9)):
                key = document.landmark(ordinal).key
                document.get_all(key), document.children(ordinal), document.pointer_of(ordinal)
                if key in document:
                    document.dependencies(key), document.dependents(key)
            document.verify()
        except FormatError:
            continue


def test_tables_without_a_rule_are_ignored() -> None:
    """The tables of a file with a rule, after a header of the same length without one."""
    data = build(terraform(17), **RULE).replace(b"\xa8patterns", b"\xa8pattern_")
    at = data.index(b"\xa5edges") + 1
    data = data[:at] + b"edge_" + data[at + 5 :]
    with pytest.raises(FormatError) as caught:
        Document(data)
    assert caught.value.code == "SUM-MISMATCH"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "crc32", lambda data: Matching())
        document = Document(data)
        assert len(document) == 0 and "vm.a1" not in document
