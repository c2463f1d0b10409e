"""What can be read of a document."""

import json
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

import coconut_format as coconut

STATE: dict[str, Any] = {
    "version": 4,
    "terraform_version": "1.9.0",
    "serial": 1,
    "lineage": "x",
    "resources": [
        {
            "mode": "managed",
            "type": "net",
            "name": "a",
            "provider": "p",
            "instances": [{"attributes": {"cidr": "10.0.0.0/8", "tags": ["x", "y", 3]}}],
        },
        {
            "mode": "managed",
            "type": "host",
            "name": "b",
            "provider": "p",
            "instances": [
                {
                    "attributes": {"password": "hunter2"},
                    "dependencies": ["net.a"],
                    "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
                }
            ],
        },
    ],
}
TEXT = json.dumps(STATE).encode()


def state(text: bytes = TEXT, reveal: bool = False) -> coconut.Document:
    return coconut.from_bytes(text, name="prod.tfstate", reveal=reveal)


def test_a_document_is_a_mapping_of_landmarks() -> None:
    document = state()
    assert list(document) == document.keys() == ["net.a", "host.b"]
    assert len(document) == 2 and "net.a" in document and "net" not in document and 3 not in document
    assert [key for key, _ in document.items()] == ["net.a", "host.b"]
    assert document["net.a"] == STATE["resources"][0]
    assert document.get("nothing") is None and document.get("nothing", 3) == 3
    assert dict(document)["net.a"]["name"] == "a"


def test_values_are_read_when_they_are_used() -> None:
    attributes = state()["net.a"]["instances"][0]["attributes"]
    assert repr(attributes) == "<Object with 2 entries>" and attributes["cidr"] == "10.0.0.0/8"
    assert attributes["tags"][-1] == 3 and attributes["tags"][1:] == ["y", 3] and "y" in attributes["tags"]
    assert attributes["tags"] == ["x", "y", 3] and attributes["tags"].to_python() == ["x", "y", 3]
    assert attributes.items()[0] == ("cidr", "10.0.0.0/8")
    assert attributes.to_json() == '{"cidr":"10.0.0.0/8","tags":["x","y",3]}'
    assert json.loads(attributes.to_json(indent=2)) == attributes.to_python()
    with pytest.raises(KeyError):
        attributes["missing"]
    with pytest.raises(IndexError):
        attributes["tags"][3]
    with pytest.raises(TypeError):
        attributes["tags"]["0"]


def test_whole_documents_equal_their_sources() -> None:
    for value in [STATE, [], {}, None, [1, -1, 2**64 - 1, -(2**63), 1.0, 1e300, "é\U0001f965", True]]:
        compiled = coconut.dumps(value)
        document = coconut.from_bytes(compiled, name="a.coco", reveal=True)
        assert document.to_python() == value and json.loads(document.to_json()) == value
        assert type(document.to_python()) is type(value)


def test_equal_values_are_one_object() -> None:
    repeated = {"a": ["some text", {"k": [1, 2, 3]}]}
    document = coconut.from_bytes(coconut.dumps([repeated] * 20), name="a.coco")
    whole = document.to_python()
    assert whole == [repeated] * 20 and whole[3] is whole[7]


def test_secrets_are_masked_unless_revealed() -> None:
    document = state()
    texts = [
        str(document["host.b"].to_python()),
        document["host.b"].to_json(),
        str(document.to_python()),
        document.to_json(),
        str(document.query(".resources[1]")),
        str(document.query(".. | strings?")),
        str(document.find("hunter2")),
        document.graph("html"),
        document.graph("dot"),
        str(coconut.convert(document, "cocogl").document.to_python()),
        str(coconut.diff(document, state(TEXT.replace(b"hunter2", b"hunter3"))).to_python()),
        str(coconut.diff(document, state(TEXT.replace(b"hunter2", b"hunter3")))),
        document.pointer("/resources/1/instances/0/attributes/password"),
        document.root["resources"][1]["instances"][0]["attributes"].values()[0],
        [*document.root["resources"]][1]["instances"].to_json(),
    ]
    assert [text for text in texts if "hunter" in text] == []
    assert document["host.b"]["instances"][0]["attributes"]["password"] == "[secret]"
    revealed = state(reveal=True)
    assert revealed["host.b"].pointer("/instances/0/attributes/password") == "hunter2"
    assert revealed.to_python() == STATE and revealed.find("hunter2")[0]["key"] == "host.b"
    assert "hunter3" in str(coconut.diff(revealed, state(TEXT.replace(b"hunter2", b"hunter3"), reveal=True)))


def test_secrets_stay_masked_at_each_lookup() -> None:
    secret = {"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "s"}, "data": {"password": "eA=="}}
    listed = {"kind": "List", "apiVersion": "v1", "items": [secret, {**secret, "metadata": {"name": "t"}}]}
    schema = {"provider_schemas": {"p": {"resource_schemas": {"a_b": {"block": {"sensitive": True}}, "a_c": {}}}}}
    for value, texts in [(secret, 1), (listed, 2), (schema, 0), (STATE, 2)]:
        document = coconut.from_bytes(coconut.dumps(value), name="a.coco")
        again = [[document[key].to_json() for key in document.keys()] for _ in range(3)]
        assert again[0] == again[1] == again[2] and "eA==" not in str(again) and "hunter" not in str(again)
        assert len(again[0]) >= texts


def test_edges_lead_both_ways() -> None:
    document = state()
    assert document.dependencies("host.b") == [("net.a", "dependency")]
    assert document.dependents("net.a") == [("host.b", "dependency")]
    assert document.deps("host.b")["resources"] == [{"key": "net.a", "type": "net", "depth": 1}]
    assert document.rdeps("net.a")["count"] == 1 and document.rdeps("net.a", depth=0)["count"] == 0
    assert document.impact("net.a")["types"] == [{"type": "host", "count": 1, "nearest": 1, "farthest": 1}]


def test_landmarks_have_names_and_places() -> None:
    document = state()
    first, second = document.landmarks()
    assert (first.key, first.own_key, first.ordinal, first.parent) == ("net.a", "net.a", 0, None)
    assert document.landmark(1).key == second.key and document.value(1) == document["host.b"]
    assert document.pointer_of(1) == "/resources/1" and document.children(first) == []
    with pytest.raises(IndexError):
        document.landmark(2)


def test_texts_are_found() -> None:
    places = state().find("10.0", types=["net"])
    assert [(place["key"], place["pointer"]) for place in places] == [("net.a", "/instances/0/attributes/cidr")]
    assert state().find(r"^10\.", regex=True, limit=1) == places
    with pytest.raises(coconut.UsageError, match="regular expression"):
        state().find("(", regex=True)


def test_filters_run_with_limits() -> None:
    document = state()
    assert document.query(".resources[].name") == ["a", "b"]
    assert document.query(".resources | map(.name) | add") == ["ab"]
    assert document.query('"a\\nb", [1]') == ["a\nb", [1]]
    for query, code in [(".a | map(", "QUERY-SYNTAX"), ('error("x")', "QUERY-ERROR")]:
        with pytest.raises(coconut.QueryError) as error:
            document.query(query)
        assert error.value.code == code
    for query, limits, code in [
        ("def f: 1 + f; f", {}, "LIM-QUERY-STACK"),
        ("[range(1e9)] | length", {"max_memory": 16}, "LIM-QUERY-MEMORY"),
        ("last(repeat(1))", {"timeout": 1}, "LIM-QUERY-TIME"),
    ]:
        with pytest.raises(coconut.LimitError) as limit:
            document.query(query, **limits)
        assert limit.value.code == code, query


def test_differences_are_data_text_and_markdown() -> None:
    changes = coconut.diff(state(), state(TEXT.replace(b"10.0", b"11.0")))
    assert changes and len(changes) == 1 and [change["key"] for change in changes] == ["net.a"]
    assert changes.summary["changed"] == 1 and changes.front == []
    assert 'instances[0].attributes.cidr = "10.0.0.0/8" → "11.0.0.0/8"' in str(changes)
    assert "| changed | `net` | `net.a` |" in changes.to_markdown()
    assert not coconut.diff(state(), state()) and len(coconut.diff(state(), state())) == 0
    assert not coconut.diff(state(), state(TEXT.replace(b"10.0", b"11.0")), ignore=["*[*]::/instances/**"])


def test_graphs_are_drawn() -> None:
    document = state()
    assert document.graph("mermaid").startswith("flowchart TB\n") and "-->" in document.graph("mermaid")
    assert document.graph("svg").startswith("<svg") and document.graph().startswith("<!DOCTYPE html>")
    assert "host" not in document.graph("dot", focus="net.a", depth=0)
    frame = document._repr_html_()
    assert frame is not None and frame.startswith('<iframe sandbox="allow-scripts" ') and frame.count('"') == 6
    assert coconut.diff(document, state(TEXT.replace(b"10.0", b"11.0")))._repr_html_() is not None
    with pytest.raises(coconut.UsageError):
        document.graph("png")  # type: ignore[arg-type]


def test_documents_are_converted() -> None:
    graph = coconut.convert(state(), "cocogl")
    assert graph.source_form == "terraform-state" and graph.document.document_type == "cocogl"
    again = coconut.from_bytes(graph.to_bytes(), name="a.coco", reveal=True)
    assert coconut.convert(again, "terraform-state").document.to_python() == STATE
    with pytest.raises(coconut.CoconutError):
        coconut.convert(coconut.from_bytes(b"[1]"), "cocogl")


def test_files_are_opened_compiled_and_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, compiled = tmp_path / "prod.tfstate", tmp_path / "prod.coco"
    source.write_bytes(TEXT)
    coconut.compile(source, compiled)
    assert compiled.read_bytes() == coconut.compile(source)
    with coconut.open(compiled) as document:
        assert document["net.a"]["name"] == "a" and document.origin == "file"
        document.verify()
        assert document.info()["dialect"] == "terraform-state-4"
    assert coconut.open(str(source), cache=False).origin == "memory"
    assert [coconut.open(source).origin for _ in range(2)][1] in ("cache", "cached", "source")
    assert coconut.open(source)["net.a"] == document["net.a"]


def test_packages_are_loaded_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / ".coconut").mkdir()
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "Cocopack.json").write_text('{"name": "shop", "modules": {}}')
    assert coconut.load("shop", tmp_path).pointer("/name") == "shop"
    with pytest.raises(coconut.CoconutError) as error:
        coconut.load("other", tmp_path)
    assert error.value.code == "LOAD-NOTFOUND"


def test_errors_say_what_is_wrong_where_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(KeyError) as missing:
        state()["net.b"]
    assert isinstance(missing.value, coconut.MissingKey) and missing.value.code == "KEY-MISSING"
    with pytest.raises(ValueError) as broken:
        coconut.from_bytes(b'{"a": 1, }')
    error = broken.value
    assert isinstance(error, coconut.FormatError)
    assert (error.code, error.offset, error.line, error.column) == ("SRC-JSON", 7, 1, 8)
    assert error.hint == "delete this comma" and "delete this comma" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is coconut.FormatError and again.facts == error.facts
    with pytest.raises(FileNotFoundError):
        coconut.open(tmp_path / "none")
    with pytest.raises(OSError):
        coconut.open(tmp_path)
    with pytest.raises(TypeError):
        coconut.compile(3)  # type: ignore[call-overload]


def test_every_cut_and_every_changed_byte_is_an_error_or_the_same() -> None:
    compiled = coconut.dumps(STATE)
    for length in range(len(compiled)):
        with pytest.raises(coconut.CoconutError):
            coconut.from_bytes(compiled[:length], name="a.coco").verify()
    for at in range(len(compiled)):
        damaged = bytearray(compiled)
        damaged[at] ^= 0x10
        with pytest.raises(coconut.CoconutError):
            coconut.from_bytes(bytes(damaged), name="a.coco").verify()


def test_threads_share_a_document() -> None:
    document = coconut.from_bytes(coconut.dumps(STATE), name="a.coco")
    results: list[object] = []

    def read() -> None:
        for _ in range(50):
            assert document["net.a"]["name"] == "a" and document.find("10.0") and document.to_python()
        results.append(True)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4
