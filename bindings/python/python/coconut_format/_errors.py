"""The exceptions. The native module makes them from failures of the libraries."""

from typing import Any


class CoconutError(Exception):
    """Any failure about a document.

    The codes are those of `coco explain`. All other attributes may be `None`.
    """

    #: The stable code, such as `SUM-BLOCK`.
    code: str
    #: One line for people, without the place.
    message: str
    #: What to do about it.
    hint: str | None
    #: The name of the file.
    file: str | None
    #: Byte offset in the file.
    offset: int | None
    #: Line and column in a source, from 1.
    line: int | None
    column: int | None
    #: JSON pointer in the document.
    pointer: str | None
    #: All facts, as in an error of `coco --json`.
    facts: dict[str, Any]

    def __init__(self, code: str, message: str, **facts: Any) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message
        self.hint = facts.get("hint")
        self.file = facts.get("file")
        self.offset = facts.get("offset")
        self.line = facts.get("line")
        self.column = facts.get("column")
        self.pointer = facts.get("pointer")
        self.facts = {"code": code, "message": message, **facts}

    def __str__(self) -> str:
        places = [
            self.file,
            f"offset {self.offset}" if self.offset is not None else None,
            f"line {self.line}:{self.column}" if self.line is not None else None,
            f"at {self.pointer}" if self.pointer else None,
        ]
        place = ", ".join(place for place in places if place)
        text = f"{self.code}: {self.message}"
        text += f" ({place})" if place else ""
        text += f"; {self.hint}" if self.hint else ""
        near = self.facts.get("near")
        return f"{text} {', '.join(near)}" if near and text.endswith(":") else text

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.facts)


class FormatError(CoconutError, ValueError):
    """A file or a text is not a valid document."""


class LimitError(CoconutError):
    """A limit was reached."""


class UsageError(CoconutError, ValueError):
    """An argument has no meaning here."""


class QueryError(CoconutError, ValueError):
    """A filter cannot be compiled, or failed on the values that it got."""


class MissingKey(CoconutError, KeyError):
    """The document does not have this key."""


class AmbiguousKey(CoconutError, LookupError):
    """Several landmarks have the key."""


_BY_CODE = {
    "KEY-MISSING": MissingKey,
    "PATH-MISSING": MissingKey,
    "KEY-AMBIGUOUS": AmbiguousKey,
    "USAGE": UsageError,
}
# The exit codes of the tools.
_BY_EXIT = {3: QueryError, 4: FormatError, 5: QueryError, 7: LimitError}


def _again(kind: type[CoconutError], facts: dict[str, Any]) -> CoconutError:
    return kind(**facts)


def of_facts(facts: dict[str, Any]) -> CoconutError:
    """The exception for the facts of a failure."""
    kind = _BY_CODE.get(facts["code"]) or _BY_EXIT.get(facts.get("exit", 0)) or CoconutError
    return kind(**facts)
