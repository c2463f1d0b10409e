"""Every conformance vector, at every level, with every decoder."""

import json
from typing import Any, Callable, Optional

import pytest
from coconut_reader import Document, FormatError, cursor, fast, file, index, values, verify, walk

from .vectors import Vector, load

GOOD, BAD = load("good"), load("bad")


def same(one: Any, other: Any) -> bool:
    """§4.1: kinds, contents and the order of keys."""
    return spelled(one) == spelled(other)


def spelled(value: Any) -> str:
    return json.dumps(value) if not isinstance(value, Document) else value.to_json()


def refusal(action: Callable[[], object]) -> Optional[tuple]:
    try:
        action()
    except FormatError as error:
        return error.code, error.offset
    return None


@pytest.fixture(params=["pure", "msgpack", "msgspec"])
def library(request: Any, monkeypatch: Any) -> str:
    """Decodes with one library, or without any."""
    if request.param == "pure":
        monkeypatch.setattr(fast, "library", lambda: None)
    else:
        pytest.importorskip(request.param)
        monkeypatch.setattr(fast, "library", getattr(fast, request.param))
    return str(request.param)


@pytest.mark.parametrize("vector", GOOD, ids=lambda vector: vector.name)
def test_good_vector_decodes_verifies_and_answers_lookups(vector: Vector, library: str) -> None:
    expected = json.loads(vector.json)
    document = Document(vector.data)
    assert same(document.to_python(), expected)
    document.verify()
    assert same(json.loads(document.to_json()), expected)
    keys = {key for key, _ in vector.all("get")}
    for key in keys:
        found = [resolve(expected, pointer) for name, pointer in vector.all("get") if name == key]
        assert same(document.get_all(key), found)
        assert same(document[key], found[0])
        pointers = [document.pointer_of(ordinal) for ordinal in document.ordinals(key)]
        assert pointers == [pointer for name, pointer in vector.all("get") if name == key]
        assert same(document.pointer(pointers[0]), found[0])
    for key, number in vector.all("class"):
        assert document.landmark(document.ordinals(key)[0]).class_ == int(number)
    for key, edges in vector.all("deps"):
        assert ", ".join(f"{target} {kind}" for target, kind in document.dependencies(key)) == edges
    for key, edges in vector.all("rdeps"):
        assert ", ".join(f"{source} {kind}" for source, kind in document.dependents(key)) == edges
    for key, children in vector.all("children"):
        assert ", ".join(child.key for child in document.children(key)) == children
    for _, key in vector.all("absent"):
        assert key not in document


@pytest.mark.parametrize("vector", BAD, ids=lambda vector: vector.name)
def test_bad_vector_is_refused_where_and_how_it_says(vector: Vector, library: str) -> None:
    expected = vector.refusals()
    found = refusal(lambda: Document(vector.data))
    assert found == expected.get("open")
    if found is not None:
        return
    assert refusal(lambda: Document(vector.data).to_python()) == expected.get("decode")
    assert refusal(lambda: Document(vector.data).verify()) == expected.get("verify")
    for level in expected:
        if level.startswith("get "):
            assert refusal(lambda: Document(vector.data).get_all(level[4:])) == expected[level]
        elif level.startswith("children "):
            assert refusal(lambda: Document(vector.data).children(level[9:])) == expected[level]
        elif level.startswith("deps "):
            assert refusal(lambda: Document(vector.data).dependencies(level[5:])) == expected[level]
        elif level.startswith("rdeps "):
            assert refusal(lambda: Document(vector.data).dependents(level[6:])) == expected[level]


def resolve(document: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


def failures() -> int:
    """How many good vectors do not decode to their JSON, or do not verify."""
    count = 0
    for vector in GOOD:
        try:
            document = Document(vector.data)
            count += not same(document.to_python(), json.loads(vector.json))
            document.verify()
        except (FormatError, LookupError, ValueError, TypeError):
            count += 1
    return count


def test_all_good_vectors_pass_with_the_numbers_of_the_specification() -> None:
    assert GOOD and failures() == 0


@pytest.mark.parametrize("name", ["STRINGS", "ROOT", "LANDMARK_OFFSETS", "SLOTS", "TREE"])
def test_vectors_turn_red_when_a_number_of_the_reader_is_shifted(name: str, monkeypatch: Any) -> None:
    shifted = getattr(file, name) + 1
    for module in (file, index, values, verify, walk):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, shifted)
    assert failures() > 0


@pytest.mark.parametrize("byte", [0xC0, 0xC2, 0xC4, 0xCB, 0xCC, 0xD4, 0xDC])
def test_vectors_turn_red_when_a_msgpack_form_is_shifted(byte: int, monkeypatch: Any) -> None:
    shifted = list(cursor.FORMS)
    shifted[byte] = shifted[byte - 1]
    monkeypatch.setattr(cursor, "FORMS", shifted)
    monkeypatch.setattr(fast, "library", lambda: None)
    assert failures() > 0
