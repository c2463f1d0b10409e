"""Reads the conformance vectors, which `spec/vectors/README.md` describes."""

import re
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

FOLDER = Path(__file__).parents[3] / "vectors"


class Vector(NamedTuple):
    name: str
    data: bytes
    notes: List[Tuple[str, str]]  # in order
    json: str

    def all(self, verb: str) -> List[Tuple[str, str]]:
        """Argument and value of the notes `verb argument: value`."""
        return [(name[len(verb) + 1 :], value) for name, value in self.notes if name.split(" ")[0] == verb]

    def refusals(self) -> Dict[str, Tuple[str, int]]:
        """Code and offset by level: `open`, `decode`, `verify`, `get KEY`, `children KEY`, `deps
        KEY`, `rdeps KEY`."""
        found = {}
        for name, value in self.notes:
            if name.split(" ")[0] in ("open", "get", "children", "deps", "rdeps", "decode", "verify"):
                code, offset = value.split(" @ ")
                found[name] = code, int(offset)
        return found


def load(folder: str) -> List[Vector]:
    return [parse(path) for path in sorted((FOLDER / folder).glob("*.hex"))]


def parse(path: Path) -> Vector:
    digits, notes = [], []
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("#!"):
            key, value = re.fullmatch(r"#! *(.*?):(?: (.*)|)", line).groups()  # type: ignore[union-attr]
            notes.append((key, value or ""))
        digits.append(line.partition("#")[0])
    json = path.with_suffix(".json")
    return Vector(path.stem, bytes.fromhex("".join(digits)), notes, json.read_text("utf-8") if json.exists() else "")
