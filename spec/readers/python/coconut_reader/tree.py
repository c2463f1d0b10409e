"""§10.1 Level *decode*: dicts and lists, within the limits of §9."""

from typing import Any, Dict, Iterator, Set, Tuple, Type

from .cursor import Cursor
from .errors import FormatError, need
from .file import ROOT, SHAPES, SHARED, STRINGS, File
from .rule import Path
from .values import Job, Node, Shape, Value, Values, run


def identity(node: Node) -> object:
    """Of objects that are one however often they are used: shared values, and objects of shapes without
    values of their own (§6.2), which take no byte to repeat."""
    if node.shared is None and node.slots and not node.items:
        return "slots", id(node.slots)
    return node.shared


def fields_of(node: Node, paths: Set[Path]) -> Dict[Path, Value]:
    """The values at these paths of entries; of equal keys the first counts."""
    heads = {path[0] for path in paths}
    found: Dict[Path, Value] = {}
    for key, _, value in node.entries() if node.keyed and paths else ():
        if key in heads:
            found.setdefault((str(key),), value)
            if len(found) == len(heads):
                break
    for path in paths:
        value = found.get(path[:1])
        for step in path[1:]:
            value = fields_of(value, {(step,)}).get((step,)) if type(value) is Node else None
        found[path] = value
    return found


class Tree(Values):
    def __init__(self, file: File, kind: Type[Cursor] = Cursor) -> None:
        super().__init__(file, kind)
        # Objects that are made once, by their identities, with their depths.
        self.built: Dict[object, Tuple[Any, int]] = {}
        self.budget = 0

    def build(self, value: Value) -> Any:
        """Dicts and lists. Each shared value becomes one object (§9.2)."""
        self.budget = self.limits.tree_values
        if type(value) is not Node:
            return value
        return (self.built.get(identity(value)) or run(self.make(value, 1)))[0]

    def make(self, node: Node, level: int) -> Job:
        """A dict or list, and its depth (§9.1)."""
        most, depth, keyed = self.limits.depth, 1, node.keyed
        need(level <= most, "LIM-DEPTH", node.at, "more than {} levels", most)
        self.budget -= node.size
        need(self.budget >= 0, "LIM-NODES", node.at, "more values than the limit for trees in memory")
        result: Any = {} if keyed else []
        for key, _, child in node.entries(result if keyed else ()):
            if type(child) is Node:
                made = self.built.get(identity(child))
                found, below = made or (yield self.make(child, 1 if child.shared is not None else level + 1))
                if level + below > most:  # a reference adds the depth of its target
                    raise FormatError("LIM-DEPTH", child.reference, f"more than {most} levels")
                child, depth = found, max(depth, below + 1)
            if keyed:
                result[key] = child
            else:
                result.append(child)
        if identity(node) is not None:
            self.built[identity(node)] = result, depth
        return result, depth

    def document(self) -> Any:
        """Level *decode*: strings, shapes, shared values, root, each value once.

        Profile `plain` refers to no shapes and shared values, and skips them (§4.6)."""
        for index, cursor in self.strings.walk():
            self.texts[index] = self.string(cursor)
        self.ends(STRINGS, self.strings.end)
        list(self.all_shapes())
        self.ends(SHAPES, self.shapes.end)
        for index, cursor in self.shared.walk():
            if self.plain:
                cursor.skip()
                continue
            node = self.shared_value(cursor, index, cursor.position)
            self.build(node)
            cursor.position = node.finish()
        self.ends(SHARED, self.shared.end)
        cursor = self.cursor.at(self.cursor.position)
        root = self.read(cursor)
        result = self.build(root)
        end = root.finish() if type(root) is Node and root.shared is None else cursor.position
        self.ends(ROOT, end)
        return result

    def ends(self, number: int, end: int) -> None:
        """§10.2: a part has no bytes after its value."""
        need(end == self.file.parts[number].end, "MSG-TRAILING", end, "bytes after part {}", number)

    def all_shapes(self) -> Iterator[Shape]:
        """In the order of the file, with distinct keys."""
        for index, cursor in self.shapes.walk():
            if self.plain:
                cursor.skip()
            else:
                run(self.parse(cursor, index, set()))
                yield self.known[index]
