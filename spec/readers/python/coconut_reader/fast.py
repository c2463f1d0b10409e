"""A full decode by the `msgpack` or `msgspec` package, where it is certain to give what `values` would give.

Anything doubtful raises `Unsure`; the caller then reads again with `values`, which knows each error's code and offset."""

from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from .file import ROOT, SHAPES, SHARED, STRINGS, File
from .values import FIXED, NESTED, WHOLE, Shape, Values

Pair = Tuple[Callable[[bytes], Any], Callable[[Any], bytes], type]
SCALARS = {str, int, float, bool, type(None), dict, list}


class Unsure(Exception):
    """The quick way cannot tell."""


def msgspec() -> Pair:
    from msgspec import msgpack as library

    return library.decode, library.encode, library.Ext


def msgpack() -> Pair:
    import msgpack as library

    return (lambda data: library.unpackb(data, strict_map_key=False)), library.packb, library.ExtType


def library() -> Optional[Pair]:
    """Decoder, encoder and extension type of the first package that is installed."""
    for package in (msgspec, msgpack):
        try:
            return package()
        except ImportError:
            continue
    return None


def document(file: File, values: Values, chosen: Pair) -> Any:
    try:
        return Resolver(file, values, chosen).document()
    except (ValueError, TypeError, LookupError, RecursionError, ArithmeticError, AttributeError) as error:
        raise Unsure from error


class Resolver:
    def __init__(self, file: File, values: Values, chosen: Pair) -> None:
        self.file, self.values, (self.decode, self.encode, self.extension) = file, values, chosen
        self.strings: List[str] = []
        self.shapes: List[Shape] = []
        self.shared: List[Any] = []

    def part(self, number: int) -> Any:
        """Encoding again gives the same bytes: so there was no float 32, no long form, no key twice in a map."""
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
        self.strings, shapes, shared, root = (self.part(number) for number in (STRINGS, SHAPES, SHARED, ROOT))
        if set(map(type, self.strings)) - {str} or type(shapes) is not list or type(shared) is not list:
            raise Unsure
        if not self.values.plain:
            self.values.texts = dict(enumerate(self.strings))
            cursor = self.values.shapes.cursor(self.values.shapes.first)
            for index in range(len(shapes)):
                self.values.measure(index, self.values.slots(cursor, index, distinct=True))
            self.shapes = [self.values.shape_cache[index] for index in range(len(shapes))]
            for item in shared:
                if type(item) is not list:
                    raise Unsure
                self.shared.append(self.container(item))
            root = self.value(root)
        depths = {id(value): 0 for value in self.shared}
        for value in self.shared:
            depths[id(value)] = self.measure(value, depths)
        self.measure(root, depths)
        return root

    def measure(self, value: Any, depths: Dict[int, int]) -> int:
        """The depth, by levels; on the way, all types and key lengths are checked."""
        level, depth, deepest = [value], 0, 0
        limits = self.file.limits
        while level:
            below: List[Any] = []
            for item in level:
                if type(item) is dict:
                    if item and max(map(len, item)) * 4 > limits.key:  # keys that are no strings have no length
                        raise Unsure
                    if set(map(type, item)) - {str}:
                        raise Unsure
                    item = item.values()
                elif type(item) is not list:
                    item = (item,) if depth == 0 else ()
                types: Set[type] = set(map(type, item))
                if types - SCALARS:
                    raise Unsure
                if float in types and any(child - child != 0 for child in item if type(child) is float):
                    raise Unsure
                if list in types or dict in types:
                    for child in item:
                        if type(child) is dict or type(child) is list:
                            if depths.get(id(child)):
                                deepest = max(deepest, depth + 1 + depths[id(child)])
                            else:
                                below.append(child)
            depth += 1
            level = below
        deepest = max(deepest, depth) if type(value) in (dict, list) else 0
        if deepest > limits.depth:
            raise Unsure
        return deepest

    def value(self, item: Any) -> Any:
        kind = type(item)
        if kind is int:
            return self.strings[item] if item >= 0 else self.shared[~item]
        if kind is list:
            return self.container(item)
        if kind is self.extension:
            size = len(item.data)
            number = int.from_bytes(item.data, "big", signed=item.code == 2)
            if item.code not in (1, 2) or size not in (1, 2, 4, 8) or (item.code == 2 and number >= 0):
                raise Unsure
            return number
        if kind is dict:
            raise Unsure
        return item  # other types that are no value are found by `measure`

    def container(self, items: List[Any]) -> Any:
        if not items:
            return []
        first = items[0]
        value = self.value
        if first is None:
            return [value(item) for item in items[1:]]
        if first is False:
            strings = self.strings
            keys = [strings[key] if type(key) is int and key >= 0 else key for key in items[1::2]]
            result = dict(zip(keys, map(value, items[2::2])))
            if 2 * len(result) != len(items) - 1:
                raise Unsure
            return result
        if type(first) is not int or first < 0:
            raise Unsure
        shape = self.shapes[first]
        if len(items) - 1 != shape.width:
            raise Unsure
        return self.record(shape, iter(items[1:]))

    def record(self, shape: Shape, items: Any) -> Dict[str, Any]:
        result = {}
        for key, form, extra in shape.slots:
            if form == FIXED:
                result[key] = extra
            elif form == NESTED:
                result[key] = self.record(extra, items)
            else:
                item = next(items)
                result[key] = item if form == WHOLE and type(item) is int else self.value(item)
        return result
