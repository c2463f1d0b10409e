"""Says what the Python reader finds in files: `dump.py READER FOLDER`.

Of each file FOLDER/N.coco a line of JSON, with lookups of the keys in FOLDER/N.keys, a list in JSON."""

import json
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

from coconut_reader import Document  # noqa: E402
from coconut_reader.file import DEPENDENCIES, DEPENDENTS  # noqa: E402


def landmark(document, ordinal):
    index = document.index
    seen = document.landmark(ordinal)

    def edges(starts):
        return [[other, kind] for other, kind in index.edges(ordinal, starts)]

    return {
        "ordinal": ordinal, "key": seen.key, "own": seen.own_key, "class": seen.class_, "parent": seen.parent,
        "children": [child.ordinal for child in document.children(ordinal)],
        "dependencies": edges(DEPENDENCIES), "dependents": edges(DEPENDENTS), "value": document.value(ordinal),
    }


def dump(path):
    document = Document(path.read_bytes())
    keys = json.loads(path.with_suffix(".keys").read_text("utf-8"))
    found = [[landmark(document, ordinal) for ordinal in document.find(key)] for key in keys]
    document.verify()
    return {"file": path.stem, "digest": document.digest().hex(), "landmarks": len(document), "found": found}


sys.setrecursionlimit(10_000)
for file in sorted(Path(sys.argv[2]).glob("*.coco")):
    try:
        line = dump(file)
    except Exception as error:
        line = {"file": file.stem, "error": f"{type(error).__name__}: {error}"}
    sys.stdout.buffer.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
