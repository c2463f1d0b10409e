"""A full decode by the `msgpack` or `msgspec` package, if it is certain to give the result of
`tree`.

Anything doubtful raises `Unsure`, and is read again with `tree`, which reports the fault and its
offset."""

import gc
import math
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from .errors import need
from .file import REQUIRED, ROOT, SHAPES, SHARED, STRINGS, File
from .tree import Tree
from .values import FIXED, NESTED, WHOLE, Shape

Pair = Tuple[Callable[[bytes], Any], Callable[[Any], bytes], type]
MOST_IMPLIED = 16  # values of shapes that take no byte in a record, for each byte of the file
VALUES = {str, int, float, bool, type(None), dict, list}


class Unsure(Exception):
    """The fast path cannot decide."""


def msgspec() -> Pair:
    from msgspec import msgpack as library  # type: ignore[import-untyped, unused-ignore]

    return library.decode, library.encode, library.Ext


def msgpack() -> Pair:
    import msgpack as library  # type: ignore[import-untyped, unused-ignore]

    return (lambda data: library.unpackb(data, strict_map_key=False)), library.packb, library.ExtType


def library() -> Optional[Pair]:
    """Decoder, encoder and extension type of the first package that is installed."""
    for package in (msgspec, msgpack):
        try:
            return package()
        except ImportError:
            continue
    return None


def decode(file: File) -> Any:
    """Level *decode* of §10, by a library if there is one and it is certain."""
    position = file.header_end
    for number in REQUIRED:
        need(file.parts[number].start == position, "MSG-TRAILING", position, "part {} is elsewhere", number)
        position = file.parts[number].end
    collects, chosen = gc.isenabled(), library()
    gc.disable()  # all that is made stays: looking for garbage again and again would take most of the time
    try:
        return document(file, Tree(file), chosen) if chosen else Tree(file).document()
    except Unsure:
        return Tree(file).document()
    finally:
        if collects:
            gc.enable()


def document(file: File, values: Tree, chosen: Pair) -> Any:
    try:
        return Resolver(file, values, chosen).document()
    except Exception as error:  # each library, and each version of it, has errors of its own
        raise Unsure from error


class Resolver:
    def __init__(self, file: File, values: Tree, chosen: Pair) -> None:
        self.file, self.values, (self.decode, self.encode, self.extension) = file, values, chosen
        self.strings: List[str] = []
        self.shapes: List[Shape] = []
        self.shared: List[Any] = []
        self.depths: List[int] = []  # of the shared values
        self.level = self.deepest = self.implied = 0

    def part(self, number: int) -> Any:
        """Encoding again gives the same bytes: there was no float 32, no long form, no key twice in
        a map."""
        start, end = self.file.parts[number][:2]
        if end - start > self.file.limits.string:
            raise Unsure
        self.file.touch(start, end)
        data = bytes(self.file.data[start:end])
        tree = self.decode(data)
        if self.encode(tree) != data:
            raise Unsure
        return tree

    def document(self) -> Any:
        strings, shapes, shared, root = (self.part(number) for number in (STRINGS, SHAPES, SHARED, ROOT))
        are_lists = all(type(items) is list for items in (strings, shapes, shared))
        if not are_lists or set(map(type, strings)) - {str}:
            raise Unsure
        if self.values.plain:
            self.plain(root)
            return root
        self.strings, self.values.texts = strings, dict(enumerate(strings))
        self.shapes = list(self.values.all_shapes())
        for item in shared:
            if type(item) is not list:
                raise Unsure
            self.shared.append(self.container(item))
            self.depths.append(self.deepest)
            self.deepest = 0
        root = self.value(root)
        if max(self.deepest, *self.depths, 0) > self.file.limits.depth:
            raise Unsure
        return root

    def plain(self, root: Any) -> None:
        """§4.6: the tree is the document; types, keys and depth are checked level by level."""
        level: List[Any] = [[root]]
        for _ in range(self.file.limits.depth + 1):
            below: List[Any] = []
            for item in level:
                if type(item) is dict:
                    self.keys(item)
                children = item.values() if type(item) is dict else item
                types: Set[type] = set(map(type, children))
                floats = (child for child in children if type(child) is float)
                if types - VALUES or float in types and not all(map(math.isfinite, floats)):
                    raise Unsure
                if list in types or dict in types:
                    below += [child for child in children if type(child) in (dict, list)]
            if not below:
                return
            level = below
        raise Unsure

    def keys(self, item: Dict[Any, Any]) -> None:
        if set(map(type, item)) - {str} or item and 4 * max(map(len, item)) > self.file.limits.key:
            raise Unsure

    def value(self, item: Any) -> Any:
        kind = type(item)
        if kind is int:
            if item >= 0:
                return self.strings[item]
            depth = self.level + self.depths[~item]
            if depth > self.deepest:
                self.deepest = depth
            return self.shared[~item]
        if kind is str or item is None or kind is bool:
            return item
        if kind is list:
            return self.container(item)
        if kind is float and math.isfinite(item):
            return item
        if kind is self.extension:
            number = int.from_bytes(item.data, "big", signed=item.code == 2)
            if len(item.data) in (1, 2, 4, 8) and (item.code == 1 or item.code == 2 and number < 0):
                return number
        raise Unsure

    def container(self, items: List[Any]) -> Any:
        self.level += 1
        if self.level > self.deepest:
            self.deepest = self.level
        result: Any = []
        if items:
            first = items[0]
            if first is None:
                result = [self.value(item) for item in items[1:]]
            elif first is False:
                strings = self.strings
                keys = [strings[key] if type(key) is int and key >= 0 else key for key in items[1::2]]
                result = dict(zip(keys, map(self.value, items[2::2])))
                self.keys(result)
                if 2 * len(result) != len(items) - 1:
                    raise Unsure
            elif type(first) is int and first >= 0 and len(items) - 1 == self.shapes[first].width:
                self.implied += self.shapes[first].values - self.shapes[first].width
                if self.implied > MOST_IMPLIED * self.file.size:  # `tree` makes fewer objects of them
                    raise Unsure
                values = iter(items)
                next(values)
                result = self.record(self.shapes[first], values)
            else:
                raise Unsure
        self.level -= 1
        return result

    def record(self, shape: Shape, items: Iterator[Any]) -> Dict[str, Any]:
        result: Dict[str, Any] = {}
        for key, form, extra in shape.slots:
            if form == FIXED:
                result[key] = extra
            elif form == NESTED:
                self.level += 1
                self.deepest = max(self.deepest, self.level)
                result[key] = self.record(extra, items)
                self.level -= 1
            else:
                item = next(items)
                result[key] = item if form == WHOLE and type(item) is int else self.value(item)
        return result
