#!/usr/bin/env python3
"""Makes fuzz/corpus/TARGET from the vectors of the specification: the first inputs of a fuzzer.

Each target needs another cut of the same files: see the body of its name in
tests/src/fuzz_bodies."""

import hashlib
import re
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
VECTORS = HERE.parent / "spec" / "vectors"
WHOLE_FILES = ["open", "views", "tree", "integrity", "lookup", "transcode", "deserialize"]


def bytes_of(vector):
    lines = vector.read_text(encoding="utf-8").splitlines()
    return bytes.fromhex("".join(re.sub(r"#.*", "", line) for line in lines))


def elements(file):
    """Strings, shapes, shared values and root by the directory, or None if there is none (§5.8)."""
    if len(file) < 28 or file[-8:-4] != b"COCO":
        return None
    count, wide = struct.unpack_from("<HB", file, len(file) - 12)
    width, form = (20, "<BBHQQ") if wide & 1 else (12, "<BBHII")
    start = len(file) - 28 - count * width
    if start < 0:
        return None
    entries = [struct.unpack_from(form, file, start + width * n) for n in range(count)]
    parts = {part: file[at : at + length] for part, _, _, at, length in entries}
    return [parts.get(part, b"") for part in (1, 2, 3, 4)]


def put(target, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


def main():
    for vector in sorted(VECTORS.glob("*/*.hex")):
        file = bytes_of(vector)
        put("envelope", file[:4200])
        for target in WHOLE_FILES:
            put(target, b"\1" + file)
        cut = elements(file)
        if cut and all(len(element) < 256 for element in cut[:3]):
            put("elements", bytes(len(element) for element in cut[:3]) + b"".join(cut))
        if cut:
            put("msgpack", cut[3])
        put("cache_entry", b"\0" + file)
        put("cache_entry", b"\1" + file)
        # Six questions, then the file (see the body).
        questions = bytes(byte for kind in (0, 5, 11, 12, 14, 15) for byte in (0, kind))
        put("paged", b"\0\5" + questions + b"\1" + file)
        put("documents", file)
        put("index", file)
    for row in (VECTORS / "pcore.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        stream = row.split("\t")[3]
        stream = stream[1:].encode() if stream.startswith('"') else bytes.fromhex(stream)
        for dialect in (0, 2, 3, 7):
            put("pcore", bytes((dialect,)) + stream)
    for text in sorted(VECTORS.glob("good/*.json")):
        put("json", text.read_bytes())
        put("yaml", text.read_bytes())
    for program in sorted((HERE.parent / "cocojs" / "tests" / "programs").glob("**/*.ts")):
        put("program", program.read_bytes())
    for place in range(0, 1 << 16, 1 << 9):
        put("pack", place.to_bytes(3, "big") + b"\xff")
    # The seal, and one byte at every sixteenth place of a document (see the body).
    put("cache_entry", b"\2\x89CCS\r\n\x1a\0")
    for place in range(0, 1024, 16):
        for attack in (b"\3", b"\4"):
            put("cache_entry", attack + place.to_bytes(3, "little") + b"\1")
    # Graphs in each profile, with one byte changed, with checksums that fit and without.
    for graph in (1, 2, 3):
        for place in range(0, 1 << 16, 1 << 11):
            questions = bytes((place >> 10, 0, place >> 11, 5, 0, place >> 11 & 15))
            put("paged", bytes((graph, 2)) + questions + bytes((place >> 11 & 1,)) + struct.pack("<IB", place, 1))


if __name__ == "__main__":
    main()
