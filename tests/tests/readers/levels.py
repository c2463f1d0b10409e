"""Says at which levels the Python reader refuses files, and how: `levels.py READER FOLDER`.

Of each file FOLDER/N.coco a line `N open decode verify`, tab-separated: `accepted`, or `CODE @ OFFSET`."""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

import coconut_reader  # noqa: E402


def said(level):
    try:
        return level(), "accepted"
    except coconut_reader.FormatError as error:
        return None, f"{error.code} @ {error.offset}"


def levels(data):
    document, opened = said(lambda: coconut_reader.Document(data))
    if document is None:
        return [opened] * 3
    return [opened, said(document.to_python)[1], said(document.verify)[1]]


sys.setrecursionlimit(10_000)
for file in sorted(Path(sys.argv[2]).glob("*.coco")):
    try:
        found = levels(file.read_bytes())
    except Exception as error:
        found = [f"{type(error).__name__}: {error}"] * 3
    sys.stdout.buffer.write("\t".join([file.stem, *found]).encode("utf-8", "replace") + b"\n")
