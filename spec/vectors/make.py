#!/usr/bin/env python3
"""Makes the scripted conformance vectors, and checks that the files here equal them.

    python3 make.py            writes good/ and bad/
    python3 make.py --check    exits with 1 and names the files that differ

Python 3.11, standard library only. It shares no code with any implementation. Vectors with
`origin: codec` in their metadata were written by the Rust writer. They are left alone."""

import json
import struct
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.setrecursionlimit(10_000)
HERE = Path(__file__).parent
HEADER_KEYS = {  # §5.3
    "requires", "document-type", "version", "profile", "requires-write", "optional", "producer", "values", "depth", "landmarks", "source",
    "digest", "dialect", "patterns", "join", "edges"}
sys.path.insert(0, str(HERE))

from making.assemble import DROP, PART_NAMES  # noqa: E402
from making import cases, decode, rule as rule_check, strict  # noqa: E402
from making.pieces import depth  # noqa: E402


def hex_text(metadata, file):
    """The `.hex` form of a file: metadata, then the bytes with their notes; a note begins with the
    offset."""
    rows = [f"#! {key}: {value}".rstrip() for key, value in metadata]
    position = 0
    for l in file.lines:
        if not l.data:
            rows += ["", f"# {l.note}"]
            continue
        width = 16 if len(l.data) <= 256 else 32
        for i in range(0, len(l.data), width):
            digits = "  " * min(l.indent, 8) + l.data[i:i + width].hex(" ").upper()
            words = f"# {position + i:>5}  {l.note}" if i == 0 and l.note else f"# {position + i:>5}"
            rows.append(f"{digits:<50} {words}")
        position += len(l.data)
    return "\n".join(rows) + "\n"


def json_text(value):
    """JSON with one space of indent; short and deep documents are on one line."""
    line = json.dumps(value)
    return (line if len(line) <= 100 or depth(value) > 16 else json.dumps(value, indent=1)) + "\n"


def same(a, b):
    """Equality of documents, §4.1: kinds, contents and the order of keys."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return struct.pack(">d", a) == struct.pack(">d", b) if isinstance(a, float) else a == b


def pointed(document, pointer):
    """The value that a JSON pointer (RFC 6901) names."""
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


def self_check(case):
    """Decodes a vector with `making/decode.py` and compares the result with the claims of the case.
    """
    damaged = any(code == "SUM-MISMATCH" for _, code, _ in case.refused or ())
    reader = decode.Reader(case.file.data, check_blocks=not damaged)
    assert same(reader.document(), case.document), f"decodes to {reader.document()!r}"
    rule = case.rule
    if rule:
        rule_check.check(case.document, rule)
    if rule and 36 in reader.parts and 32 in reader.parts:
        for i, mark in enumerate(rule.landmarks):
            full = rule.full_key(i)
            wanted = [j for j in range(len(rule.landmarks)) if rule.full_key(j) == full]
            found = [j for j in reader.get(full) if rule.full_key(j) == full]
            assert found == wanted, f"{full}: {found}, not {wanted}"
            own, value = reader.landmark(case.file.offset(mark.label))
            assert same(value, pointed(case.document, mark.pointer)), f"value of {full}"
            assert own is None or mark.pointer.rsplit("/", 1)[1].replace("~1", "/").replace("~0", "~") == own


def check_decode(case):
    """Compares the claims about level *decode* with `making/strict.py`, for files that open and
    have good checksums."""
    said = {level: (code, case.file.offset(place)) for level, code, place in case.refused or ()}
    if "open" in said or any(code == "SUM-MISMATCH" for code, _ in said.values()):
        return
    reader = decode.Frame(case.file.data)
    if reader.text.endswith("+json"):
        return
    try:
        strict.Decoder(reader.data, {n: place[1:] for n, place in reader.parts.items()}, reader.header["profile"], reader.header_end)
        seen = None
    except strict.Refused as refused:
        seen = refused.args
    assert seen == said.get("decode"), f"{seen}, not {said.get('decode')}"


def rewritten(case):
    """§5.14: what a rewriter of the same document keeps and leaves out, if the file has anything
    that it does not know."""
    reader = decode.Frame(case.file.data)
    if reader.text.endswith("+json"):
        return []
    unknown = [n for n in reader.parts if n not in PART_NAMES]
    dropped = [n for n in unknown if reader.flags[n] & DROP]
    keys = [key for key in reader.header if key not in HEADER_KEYS]
    if not unknown and not keys:
        return []
    listed = (", ".join(str(n) for n in unknown if n not in dropped), ", ".join(map(str, dropped)), ", ".join(keys))
    return list(zip(("kept", "dropped", "kept-keys"), listed))


def metadata(case):
    rows = [("about", case.about), ("section", case.section), ("origin", "hand")]
    if case.refused is None:
        return rows + case.answers + rewritten(case)
    return rows + [(level, f"{code} @ {case.file.offset(place)}") for level, code, place in case.refused]


def made():
    """All vectors: path and text."""
    texts = {}
    for case in cases.all_cases():
        try:
            folder = "good" if case.refused is None else "bad"
            path = f"{folder}/{case.name}.hex"
            assert path not in texts, "two vectors of one name"
            if case.document is not cases.UNKNOWN:
                self_check(case)
            check_decode(case)
            texts[path] = hex_text(metadata(case), case.file)
            if folder == "good":
                texts[f"good/{case.name}.json"] = case.json or json_text(case.document)
        except Exception as error:
            error.add_note(f"in vector {case.name}")
            raise
    return texts


def walkthrough_agrees(text):
    """Whether the bytes in walkthrough.md are those of its vector."""
    shown = (HERE.parent / "format" / "walkthrough.md").read_text().split("```hex\n")[1:]
    return bytes_of("".join(block.split("```")[0] for block in shown)) == bytes_of(text)


def bytes_of(text):
    return bytes.fromhex("".join(l.split("#")[0] for l in text.splitlines()))


def of_this_script(path):
    return path.suffix == ".json" and of_this_script(path.with_suffix(".hex")) or (
        path.suffix == ".hex" and path.exists() and "\n#! origin: hand\n" in path.read_text()
    )


def main():
    texts = made()
    present = {str(p.relative_to(HERE)): p for f in ("good", "bad") for p in (HERE / f).glob("*.*") if of_this_script(p)}
    if sys.argv[1:] == ["--check"]:
        wrong = [p for p, t in texts.items() if p not in present or present[p].read_text() != t]
        wrong += [p for p in present if p not in texts]
        if not walkthrough_agrees(texts["good/index-walkthrough.hex"]):
            wrong.append("../format/walkthrough.md")
        for path in sorted(wrong):
            print("differs:", path)
        sys.exit(1 if wrong else 0)
    for path in present.values():
        path.unlink()
    for path, text in texts.items():
        (HERE / path).parent.mkdir(exist_ok=True)
        (HERE / path).write_text(text)
    print(sum(p.startswith("good") and p.endswith(".hex") for p in texts), "good,", sum(p.startswith("bad") for p in texts), "bad")


if __name__ == "__main__":
    main()
