"""Lookups, edges and whole documents, on files that `build` writes."""

import json
import os
import random
import struct
import sys
import tracemalloc
from pathlib import Path
from typing import Any, Dict, List

import coconut_reader
import pytest
from coconut_reader import AmbiguousKey, Document, FormatError, Limits, fast, file, output
from coconut_reader.__main__ import main
from coconut_reader.index import Index

from . import installed
from .build import build, pack

RULE: Dict[str, Any] = {
    "patterns": ["/resources/*[({module}.){type}.{name}]", "/resources/*/instances/*[~[{index|json}~]]"], "join": "",
    "edges": ["needs=1/needs/*", "provider=0/provider<::", "ref=1(/*)*/{#ref}"]}


def terraform(count: int = 20) -> Dict[str, Any]:
    resources: List[Any] = []
    for number in range(count):
        instances: List[Any] = [
            {"index": "é\n" if number % 2 else number, "n": number, "needs": [f"vm.a{number - 1}"], "tags": {"team": "x", "cost": 1.0}},
            {"index": number + 1000, "deep": [[{"#ref": f"vm.a{number // 2}"}], {"#ref": f"vm.a{number // 2}", "x": 1}]}]
        resource = {"type": "vm", "name": f"a{number}", "provider": f"vm.a{number % 3}::id", "instances": instances}
        resources.append({"module": "m", **resource} if number % 5 == 4 else resource)
    return {"version": 4, "resources": resources, "empty": {}, "none": []}


class Counted:
    """Bytes that count how many of them were read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.read = data, 0

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, key: Any) -> Any:
        found = self.data[key]
        self.read += 1 if isinstance(found, int) else len(found)
        return found


VARIANTS: List[Dict[str, Any]] = [{}, {"tables": False}, {"profile": "plain"}, {"profile": "transport", "tables": False}, {"wide": True}]


@pytest.fixture(params=VARIANTS, ids=str)
def document(request: Any) -> Document:
    return Document(build(terraform(), **RULE, **request.param))


def test_the_whole_document_verifies_and_is_what_was_written(document: Document) -> None:
    document.verify()
    assert spelled(document.to_python()) == spelled(terraform())
    assert document.digest() == document.header["digest"]


def test_a_lookup_finds_a_resource_and_an_instance_by_their_full_keys(document: Document) -> None:
    assert document["vm.a3"] == terraform()["resources"][3]
    assert document['vm.a3["é\\n"]'] == terraform()["resources"][3]["instances"][0]
    assert document["m.vm.a4[4]"]["n"] == 4
    assert document.get_unique("m.vm.a4[1004]") == terraform()["resources"][4]["instances"][1]


def test_an_absent_key_is_a_key_error(document: Document) -> None:
    assert "vm.a4" not in document and document.get_all("vm.a4") == []
    with pytest.raises(KeyError):
        document["vm.a4"]


def test_iteration_names_landmarks_without_their_bodies(document: Document) -> None:
    landmarks = list(document)
    assert len(document) == len(landmarks) == 60
    assert landmarks[1] == ("vm.a0[0]", "[0]", 1, 0, 1)
    assert landmarks[3] == ("vm.a1", "vm.a1", 0, None, 3)
    assert [child.key for child in document.children("vm.a1")] == ['vm.a1["é\\n"]', "vm.a1[1001]"]
    assert document.children(landmarks[1]) == []


def test_edges_lead_both_ways_with_their_kinds(document: Document) -> None:
    assert document.dependencies("vm.a6[6]") == [("vm.a5", "needs")]
    assert document.dependencies("vm.a6[1006]") == [("vm.a3", "ref")]
    assert document.dependencies("vm.a6") == [("vm.a0", "provider")]
    assert document.dependents("vm.a3") == [("m.vm.a4[4]", "needs"), ("vm.a6[1006]", "ref"), ("vm.a7[1007]", "ref")]
    assert document.dependents("vm.a18") == [("m.vm.a19[\"é\\n\"]", "needs")]
    assert document.dependents("vm.a17[1017]") == []


def test_a_pointer_leads_to_a_value_and_back(document: Document) -> None:
    assert document.pointer("/resources/7/instances/1/index") == 1007
    assert document.pointer("/version") == 4
    assert document.pointer_of(document.ordinals("vm.a7[1007]")[0]) == "/resources/7/instances/1"
    for nothing in ("/resources/20", "version", "x/version", "/resources/07", "/resources/+7", "/resources/ 7"):
        with pytest.raises(KeyError):
            document.pointer(nothing)


def test_a_pointer_steps_over_values_without_reading_them() -> None:
    """An object of three texts, of which the second is not UTF-8, and the list of them in plain profile."""
    wrong = b"\xa1\xff"
    texts = Document(build([1], raw=[[], [], [], [b"\x97\xc2" + pack("a") + pack("x") + pack("b") + wrong + pack("c") + pack("y")]]))
    assert texts.pointer("/a") == "x" and texts.pointer("/c") == "y"
    plain = Document(build([1], raw=[[], [], [], [b"\x93" + pack("x") + wrong + pack("y")]], profile="plain"))
    assert plain.pointer("/2") == "y"
    for document, pointer in (texts, "/b"), (plain, "/1"):
        with pytest.raises(FormatError) as caught:
            document.pointer(pointer)
        assert caught.value.code == "STR-UTF8"


def test_an_ambiguous_key_lists_classes_and_pointers() -> None:
    value = {"a": [{"n": "x"}, {"n": "y"}], "b~/": {"x": 1}}
    document = Document(build(value, ["/a/*[n]", "/b~0~1/*"], tables=False))  # `build` reads no escapes in paths
    assert document.get_all("x") == [{"n": "x"}, 1]
    with pytest.raises(AmbiguousKey) as caught:
        document.get_unique("x")
    assert caught.value.candidates == [(0, "/a/0"), (1, "/b~0~1/x")]


def test_one_lookup_among_20000_resources_reads_at_most_256_kib() -> None:
    resources = [{"urn": f"urn:{number}", "text": f"{number:0200}", "inputs": {"size": number, "tags": ["a", f"c{number % 50}"]}}
                 for number in range(20_000)]
    data = Counted(build({"resources": resources}, ["/resources/*[urn]"], stride=4))
    assert Document(data)["urn:12345"] == resources[12345]
    assert 4096 < data.read <= 256 * 1024 < len(data) // 8


def test_random_documents_come_back_by_every_way_of_decoding(monkeypatch: Any) -> None:
    generator = random.Random(7)
    ways = [lambda: None, *installed()]
    for _ in range(150):
        value = anything(generator, 5)
        for profile in ("full", "plain", "transport"):
            data = build(value, profile=profile, tables=generator.random() < 0.7, stride=generator.randrange(4))
            for way in ways:
                monkeypatch.setattr(fast, "library", lambda way=way: way())
                document = Document(data)
                assert spelled(document.to_python()) == spelled(value)
                document.verify()
                assert spelled(json.loads(document.to_json(indent=1))) == spelled(value)


def test_the_quick_way_is_taken_for_ordinary_files() -> None:
    for package in installed():
        for profile in ("full", "plain"):
            document = Document(build(terraform(), **RULE, profile=profile))
            assert spelled(fast.document(document.file, document.values, package())) == spelled(terraform())


def test_every_flipped_byte_is_found_by_verify() -> None:
    data = build(terraform(17), **RULE)
    for at in range(0, len(data), 7):
        damaged = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
        with pytest.raises(FormatError):
            Document(damaged).verify()


def test_every_shorter_file_is_refused_when_opened() -> None:
    data = build(terraform(16), **RULE)
    for length in range(len(data)):
        with pytest.raises(FormatError) as caught:
            Document(data[:length])
        if length > 120:
            assert caught.value.code == "TRL-MAGIC"


def test_claims_and_digest_are_compared() -> None:
    for name, code in (("values", "HDR-FIELD"), ("depth", "HDR-FIELD"), ("landmarks", "HDR-FIELD")):
        with pytest.raises(FormatError) as caught:
            Document(build([1], **{name: 7})).verify()
        assert caught.value.code == code
    with pytest.raises(FormatError) as caught:
        Document(build([1], digest=bytes(32))).verify()
    assert caught.value.code == "DIG-DIFFERS"


def test_shared_values_decode_once_and_are_counted_before_printing() -> None:
    """60 shared values, each a list of twice the one before it."""
    shared = [b"\x92\xc0\xc3"] + [b"\x93\xc0" + 2 * struct.pack("b", ~number) if number < 32 else b"\x93\xc0" + 2 * struct.pack("Bb", 0xD0, ~number)
                                  for number in range(60)]
    document = Document(build([1], raw=[[], [], shared, [b"\xd0\xc3"]]))
    value = document.to_python()
    assert value[0] is value[1] and Document(document.data).pointer("/0/1/0" + "/1" * 57) == [True]
    for action in (document.to_json, document.digest, document.verify):
        with pytest.raises(FormatError) as caught:
            action()
        assert caught.value.code == "LIM-NODES"


def test_nested_shapes_that_repeat_without_bytes_are_made_once_and_refused_before_printing(monkeypatch: Any) -> None:
    """Shape i has shape i - 1 twice, and all records have width 0."""
    shapes = [b"\x90"] + [b"\x92\x92\xa1a" + bytes([number]) + b"\x92\xa1b" + bytes([number]) for number in range(60)]
    for way in (fast.library, lambda: None):
        monkeypatch.setattr(fast, "library", way)
        root = b"\x93\xc0\x91\x05\x91\x3c"
        document = Document(build([1], raw=[[], shapes, [], [root]]))
        assert len(document.to_python()) == 2
        with pytest.raises(FormatError) as caught:
            document.to_json()
        assert caught.value.code == "LIM-NODES"
        many = b"\xdc\x03\xe9\xc0" + 1000 * b"\x91\x08"  # their objects are made once, and shared
        document = Document(build([1], raw=[[], shapes, [], [many]]), Limits(tree_values=10_000))
        assert document.to_python() == [document.to_python()[0]] * 1000
        assert output.measure(document.to_python()).values == 1 + 1000 * 511
        assert document.digest() == document.digest()


def test_source_text_after_the_envelope_is_a_document_without_landmarks() -> None:
    envelope = b"application/vnd.coconut+json; document-type=document; version=1\n\n"
    document = Document(envelope + b'{"a": [1, 1.0, -0, 1e2]}')
    assert spelled(document.to_python()) == '{"a": [1, 1.0, -0.0, 100.0]}'
    assert len(document) == 0 and document.get_all("a") == [] and document.pointer("/a/3") == 100.0
    for text, code in ((b"[1e400]", "NUM-RANGE"), (b"[9007199254740993.0]", "NUM-PRECISION"), (b"[18446744073709551616]", "NUM-RANGE"),
                       (b'{"a":1,"a":1}', "SRC-DUPKEY"), (b"[1]]", "SRC-JSON"), (b'"\xff"', "SRC-UTF8"), (b'"\\ud800"', "SRC-JSON"),
                       (b"[" * 513 + b"]" * 513, "SRC-DEPTH"), (b"[NaN]", "SRC-JSON"),
                       (b'{"' + "é".encode() * 32768 + b'k":1}', "LIM-STRING")):
        with pytest.raises(FormatError) as caught:
            Document(envelope + text).to_python()
        assert caught.value.code == code, text
        with pytest.raises(FormatError) as caught:  # it has no landmarks, and is not text either
            Document(envelope + text).get_all("a")
        assert caught.value.code == code, text


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, capsys: Any) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert main(["info", str(pipe)]) == 2
    assert "not a regular file" in capsys.readouterr().err


def test_source_text_of_one_long_string_takes_no_more_than_a_few_copies() -> None:
    envelope = b"application/vnd.coconut+json; document-type=document; version=1\n\n"
    text = b'"' + b"a\\n" * 1_000_000 + b'"'
    tracemalloc.start()
    document = Document(envelope + text).to_python()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert document == "a\n" * 1_000_000
    assert most < 10 * len(text)


class Sink:
    """A file that keeps only the number of characters."""

    length = 0

    def write(self, text: str) -> None:
        self.length += len(text)


def test_json_text_is_written_to_a_file_as_it_is_made() -> None:
    """16 shared values, each twice the one before: 65,536 texts of 200 characters."""
    shared = [b"\x92\xc0" + pack("x" * 200)] + [b"\x93\xc0" + 2 * struct.pack("b", ~number) for number in range(16)]
    document = Document(build([1], raw=[[], [], shared, [b"\xef"]]))
    document.to_python()
    sink: Any = Sink()
    tracemalloc.start()
    assert document.to_json(2, sink) == ""
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sink.length == len(document.to_json(2)) > 13_000_000 and most < 1_000_000
    limited, sink = Document(document.data, Limits(streamed_bytes=10_000_000)), Sink()
    with pytest.raises(FormatError) as caught:
        limited.to_json(2, sink)
    assert (caught.value.code, sink.length) == ("LIM-BYTES", 0)


def test_a_value_that_expands_too_far_is_not_printed() -> None:
    bomb: Any = [1]
    for _ in range(60):
        bomb = [bomb, bomb]
    assert output.measure(bomb).values > 1 << 60
    with pytest.raises(FormatError, match="LIM-NODES at offset 7"):
        output.bounded(bomb, Limits(), 7)


def test_values_are_measured_once_however_often_they_are_used() -> None:
    shared = list(range(10_000))
    assert output.measure([shared] * 100_000).values == 1 + 100_000 * 10_001


def test_limits_can_be_changed() -> None:
    small = Document(build([1, 2, 3]), Limits(streamed_values=3))
    with pytest.raises(FormatError):
        small.to_json()


def test_depth_of_512_needs_no_recursion_and_513_is_refused(monkeypatch: Any) -> None:
    deep: Any = 1
    for _ in range(512):
        deep = [deep]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(9 * limit)  # for `build`
    files = build(deep), build([deep]), build([deep], profile="plain")
    sys.setrecursionlimit(limit)
    for way in (fast.library, lambda: None):
        monkeypatch.setattr(fast, "library", way)
        assert Document(files[0]).to_json() == "[" * 512 + "1" + "]" * 512
        assert Document(files[0]).to_json(indent=0).replace("\n", "") == "[" * 512 + "1" + "]" * 512
        Document(files[0]).verify()
        for data in files[1:]:
            with pytest.raises(FormatError) as caught:
                Document(data).to_python()
            assert caught.value.code == "LIM-DEPTH"


def test_integers_and_floats_keep_their_kinds() -> None:
    value = [1, 1.0, -0.0, 0, 2**64 - 1, -(2**63), 5e-324, "__proto__", {"__proto__": {"x": None}}, True]
    assert spelled(Document(build(value)).to_python()) == spelled(value)


def test_the_command_has_its_exit_codes(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a.coconut"
    path.write_bytes(build(terraform(), **RULE))
    assert main(["get", str(path), "vm.a3"]) == 0
    assert json.loads(capsys.readouterr().out) == terraform()["resources"][3]
    assert main(["get", str(path), "nothing"]) == 4
    assert main(["verify", str(path)]) == 0 and main(["info", str(path)]) == 0
    capsys.readouterr()
    assert main(["dump", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == terraform()
    assert main(["verify", str(tmp_path / "missing")]) == 2
    path.write_bytes(path.read_bytes()[:-1])
    assert main(["verify", str(path)]) == 1
    with pytest.raises(SystemExit) as caught:
        main(["get", str(path)])
    assert caught.value.code == 2
    with pytest.raises(FormatError):
        coconut_reader.open(path)
    path.write_bytes(b'application/vnd.coconut+json; document-type=document; version=1\n\n{"a": [1, }')
    assert main(["get", str(path), "a"]) == 1


def test_9_11_full_keys_of_all_landmarks_are_held_to_a_limit() -> None:
    data = build({"é": {"x": 1}}, ("/*", "/*/*"), join=":", tables=False)
    assert [landmark.key for landmark in Document(data, Limits(keys=6))] == ["é", "é:x"]
    with pytest.raises(FormatError) as caught:
        len(Document(data, Limits(keys=5)))
    assert caught.value.code == "LIM-COUNT"


def test_9_9_edges_are_counted_before_they_are_made() -> None:
    def of(count: int, limits: Limits) -> Document:
        items = [{"id": "k", "r": ["k", "k", str(n)]} for n in range(count)] + [{"id": str(n)} for n in range(count)]
        return Document(build(items, ("/*[id]",), edges=("r=0/r/*",), tables=False), limits)

    assert of(2, Limits(edges=6)).dependents("k") == [("k", "r"), ("k", "r")]
    for count, limits in (2, Limits(edges=5)), (2048, Limits()):  # 2048 × 2049 of 2^22
        document = of(count, limits)
        assert len(document) == 2 * len(document.get_all("k")) == 2 * count  # which asks for none
        document.verify()  # and there are no tables to hold them against
        with pytest.raises(FormatError) as caught:
            document.dependencies("k")
        assert (caught.value.code, caught.value.offset) == ("LIM-COUNT", document.file.parts[file.ROOT].start)


def test_edges_that_are_made_take_little_memory() -> None:
    """Equal rows are made once."""
    items = [{"id": "k", "r": ["k"]} for _ in range(700)]
    document = Document(build(items, ("/*[id]",), edges=("r=0/r/*",), tables=False))
    tracemalloc.start()
    assert len(document.dependents("k")) == 700
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 4 * 700 * 700


def test_a_walk_holds_own_keys_and_no_full_ones() -> None:
    """Full keys of 200 levels and of 200 children are 100 and 200 times as long as their parts."""
    def pack_nested(levels: int) -> bytes:
        return b"\x93\xc2\x00" * levels + b"\xc0"

    def peak(data: bytes, key: str, count: int) -> int:
        tracemalloc.start()
        document = Document(data)
        assert len(document.find(key)) == count and key + "/" not in document and key[1:] not in document
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    claims = {"patterns": ["(/*)*/*"], "join": "/"}
    for long, levels in ("k" * 20_000, 200), ("é" * 10_000, 100):
        data = build([1], raw=[[pack(long)], [], [], [pack_nested(levels)]], tables=False, **claims)
        assert [len(landmark.key) for landmark in Document(data)] == [(len(long) + 1) * n - 1 for n in range(1, levels + 1)]
        assert peak(data, "/".join([long] * levels), 1) < 30_000_000
    children = b"\xdc\x01\x91\xc2" + b"\xa1x\xc0" * 200
    data = build([1], raw=[[pack("k" * 60_000)], [], [], [b"\x93\xc2\x00" + children]], tables=False, **claims)
    assert peak(data, "k" * 60_000 + "/x", 200) < 3_000_000


def test_keys_that_are_cut_in_several_ways_are_one_key() -> None:
    data = build({"a/b": {"c": 1}, "a": {"b/c": 2, "b": {"c": 3}}, "é": {"x": 4}}, ["(/*)*/*"], join="/", tables=False)
    document = Document(data)
    assert document.get_all("a/b/c") == [1, 2, 3]
    assert [document.get_all(key) for key in ("a/b", "é", "é/x", "a/", "a/b/c/d", "/c", "")] == [[{"c": 1}, {"c": 3}], [{"x": 4}], [4], [], [], [], []]


def spelled(value: Any) -> str:
    return json.dumps(value)


def anything(generator: random.Random, depth: int) -> Any:
    kind = generator.randrange(9 if depth else 6)
    if kind < 6:
        return [None, generator.random() < 0.5, generator.choice([0, 1, -1, 127, 128, -33, 2**40, -(2**63), 2**64 - 1]),
                generator.choice([0.0, -0.0, 1.5, 1e300]), generator.choice(["", "a", "é" * 20, "x" * 300]), f"s{generator.randrange(9)}"][kind]
    if kind == 6:
        return [anything(generator, depth - 1) for _ in range(generator.randrange(20))]
    keys = generator.sample(["a", "b", "c", "__proto__", "d/e", "", "#ref"], generator.randrange(7))
    return {key: anything(generator, depth - 1) for key in (sorted(keys) if kind == 7 else keys)}


def test_keys_of_nested_landmarks_cost_in_proportion(monkeypatch: Any) -> None:
    """Two keys of one CRC-32 in the innermost of 300 landmarks, 1,000 times each."""
    levels, count = 300, 2_000
    shapes = [b"\x91\x93\xa1k\xc0\xa8plumless", b"\x91\x93\xa1k\xc0\xa8buckeroo"]
    root = b"\x95\xc2\xa1k\xa1a\xa1n" * levels + struct.pack(">BHB", 0xDC, count + 1, 0xC0) + b"\x91\x00\x91\x01" * (count // 2)
    made: Dict[str, Any] = dict(values=1 + 2 * (levels + count), depth=levels + 2, landmarks=levels + count)
    raw = [[], shapes, [], [root]]
    draft = Document(build([1], ["(/*)*[k]"], ".", ["x=0/k<["], raw=raw, tables=False, **made))
    data = build([1], ["(/*)*[k]"], ".", ["x=0/k<["], raw=raw, tables=False, digest=draft.digest(), **made)
    climbed = 0
    outer = Index.outer

    def counted(index: Index, ordinal: int) -> int:
        nonlocal climbed
        climbed += 1
        return outer(index, ordinal)

    monkeypatch.setattr(Index, "outer", counted)
    document = Document(data)
    document.verify()
    key = ".".join(["a"] * levels + ["plumless"])
    assert len(document.find(key)) == count // 2 and "zz" not in document
    assert climbed < 60 * (levels + count)
