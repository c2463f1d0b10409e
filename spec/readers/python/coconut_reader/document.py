"""A file as a Python object: lookups by key, and the whole as dicts and lists."""

import errno
import io
import os
import stat
from functools import cached_property
from mmap import ACCESS_READ, mmap
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, TextIO, Tuple, Union

from . import fast, output, pointers
from .envelope import read_envelope
from .errors import FormatError, Limits
from .file import DEPENDENCIES, DEPENDENTS, SLOTS, File
from .index import Index
from .source import check_digest, read_source
from .tree import Tree
from .values import Node
from .verify import verify


class Landmark(NamedTuple):
    key: str  # the full key
    own_key: str
    class_: int  # number of the pattern
    parent: Optional[int]  # its ordinal
    ordinal: int


class AmbiguousKey(LookupError):
    """Several landmarks have the key: `candidates` are their classes and JSON pointers, in document
    order."""

    def __init__(self, key: str, candidates: List[Tuple[int, str]]) -> None:
        places = ", ".join(f"class {number} at {pointer!r}" for number, pointer in candidates)
        super().__init__(f"`{key}` names {len(candidates)} landmarks: {places}")
        self.key, self.candidates = key, candidates


def open(path: Union[str, "os.PathLike[str]"], limits: Limits = Limits()) -> "Document":
    """Maps the file and does level *open* of §10: envelope, signature, trailer, directory and
    header."""
    with io.open(path, "rb", opener=open_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
        return Document(mmap(file.fileno(), 0, access=ACCESS_READ) if status.st_size else b"", limits)


def open_at_once(path: str, flags: int) -> int:
    """A pipe would make the caller wait for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


class Document:
    """A mapping from landmark keys to values. Results may share objects: treat them as read-only,
    or use `json.loads(document.to_json())` for a tree of your own."""

    def __init__(self, data: Any, limits: Limits = Limits()) -> None:
        self.envelope = read_envelope(data, limits)
        self.limits, self.data = limits, data
        self.is_source = self.envelope.encoding == "json"  # §2.4: no payload, no landmarks
        if not self.is_source:
            self.file = File(data, self.envelope, limits)

    @property
    def header(self) -> Dict[str, Any]:
        """§5.3."""
        return {} if self.is_source else self.file.fields

    @cached_property
    def values(self) -> Tree:
        return Tree(self.file)

    @cached_property
    def index(self) -> Index:
        return Index(self.values)

    # Landmarks, §8

    def __getitem__(self, key: str) -> Any:
        """The first landmark of this key in document order, decoded with all values that it refers
        to."""
        return self.value(self.ordinals(key)[0])

    def get_all(self, key: str) -> List[Any]:
        return [self.value(ordinal) for ordinal in self.find(key)]

    def get_unique(self, key: str) -> Any:
        ordinals = self.ordinals(key)
        if len(ordinals) > 1:
            raise AmbiguousKey(key, [(self.index.class_(at), self.pointer_of(at)) for at in ordinals])
        return self.value(ordinals[0])

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self.find(key))

    def __len__(self) -> int:
        return 0 if self.is_source else self.index.count

    def __iter__(self) -> Iterator[Landmark]:
        return map(self.landmark, range(len(self)))

    def find(self, key: str) -> List[int]:
        """The ordinals of all landmarks of this key; source text has none (§2.4)."""
        if self.is_source:
            self.to_python()
        return [] if self.is_source else self.index.find(key)

    def check_absent(self, key: str) -> None:
        """§8.7: reads all keys to find out whether the key index hides this one."""
        if not self.is_source and any(self.index.key(ordinal) == key for ordinal in range(len(self))):
            raise FormatError("IDX-DIFFERS", self.file.parts[SLOTS].start, "the slots lack this key")

    def ordinals(self, key: str) -> List[int]:
        found = self.find(key)
        if not found:
            raise KeyError(key)
        return found

    def landmark(self, ordinal: int) -> Landmark:
        """Names without the body; reads the fields that make the key."""
        index = self.index
        if not 0 <= ordinal < index.count:
            raise IndexError(ordinal)
        parent = index.around(ordinal)[0]
        return Landmark(index.key(ordinal), index.own_key(ordinal), index.class_(ordinal), parent, ordinal)

    def value(self, ordinal: int) -> Any:
        return self.values.build(self.index.value(ordinal)[1])

    def children(self, parent: Union[str, int, Landmark]) -> List[Landmark]:
        """Landmarks directly inside of the first one of this key."""
        parent = parent.ordinal if isinstance(parent, Landmark) else parent
        ordinal = parent if isinstance(parent, int) else self.ordinals(parent)[0]
        return [self.landmark(child) for child in self.index.children(ordinal)]

    def dependencies(self, key: str) -> List[Tuple[str, str]]:
        """Keys and edge kinds of the landmarks that the first one of this key refers to."""
        return self._edges(key, DEPENDENCIES)

    def dependents(self, key: str) -> List[Tuple[str, str]]:
        """Keys and edge kinds of the landmarks that refer to the first one of this key."""
        return self._edges(key, DEPENDENTS)

    def _edges(self, key: str, starts: int) -> List[Tuple[str, str]]:
        edges = self.index.edges(self.ordinals(key)[0], starts)
        return [(self.index.key(ordinal), self.index.rule.edges[kind].kind) for ordinal, kind in edges]

    def pointer_of(self, ordinal: int) -> str:
        """The JSON pointer of a landmark, found by going down from the root: reads everything
        before it."""
        return pointers.pointer_of(self.index, ordinal)

    # The whole document, §4

    @property
    def root(self) -> Any:
        """A scalar, or a `Node` whose `entries` are read one by one; the whole for source text."""
        return self.to_python() if self.is_source else self.values.root()

    def pointer(self, pointer: str) -> Any:
        """The value at a JSON pointer; other values are skipped."""
        value = pointers.follow(self.root, pointer)
        return value if self.is_source else self.values.build(value)

    def to_python(self) -> Any:
        """Level *decode* of §10, by `msgspec` or `msgpack` where installed; the result is the same.
        """
        return self._whole

    @cached_property
    def _whole(self) -> Any:
        if self.is_source:
            return read_source(self.data, self.envelope, self.limits)
        return fast.decode(self.file)

    def to_json(self, indent: Optional[int] = None, file: Optional[TextIO] = None) -> str:
        """JSON text; if a file is given, it is written there piece by piece, and the result is
        empty."""
        return output.to_json(self.to_python(), output.expansion(self)[1], indent, file)

    def landmark_json(self, ordinal: int, indent: Optional[int] = None, file: Optional[TextIO] = None) -> str:
        """The text of one landmark's value."""
        found = self.index.value(ordinal)[1]
        at = found.reference if isinstance(found, Node) else 0  # scalars do not expand
        value = self.values.build(found)
        return output.to_json(value, output.bounded(value, self.limits, at)[1], indent, file)

    def digest(self) -> bytes:
        """§4.7, computed; `header["digest"]` is the claim of the file."""
        return output.digest(self)

    def verify(self) -> None:
        """Level *verify* of §10."""
        if self.is_source:
            self.to_python()
            check_digest(self.data, self.envelope)
        else:
            verify(self)
