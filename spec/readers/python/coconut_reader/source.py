"""§2.4 Encoding `+json`: source text instead of a payload, read according to §4.1."""

import hashlib
import json
import re
from decimal import Decimal
from typing import Any, Dict, List, NoReturn, Optional

from .envelope import Envelope
from .errors import FormatError, Limits

SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?![0-9])(?P<real>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![.eE0-9])")
PLAIN, ESCAPED = re.compile(r'[^"\\\x00-\x1f]*'), re.compile(r'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})')
CUT = re.compile(r"(?:\\(?:u[0-9A-Fa-f]{0,3})?)?")  # as much of an escape as there is
ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|u(....)|.)", re.I)
HALF = re.compile(r"[\ud800-\udfff]")
STRINGS = json.JSONDecoder()  # takes halves of pairs, and does not report where a string breaks
ENDS: Dict[type, str] = {list: "]", dict: "}"}
WORDS = {"null": None, "true": True, "false": False}


class Reader:
    """Reads the text with a stack of its own. Offsets are those of the file; `start` is that of the
    text."""

    def __init__(self, data: bytes, start: int, limits: Limits) -> None:
        self.start, self.limits, self.position = start, limits, 0
        try:
            self.text = str(data, "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("SRC-UTF8", start + error.start, "not UTF-8") from None

    def refuse(self, code: str, at: int, why: str) -> NoReturn:
        raise FormatError(code, self.start + len(self.text[:at].encode()), why)

    def take(self, characters: str) -> Optional[str]:
        """The next character after white space, if it is one of these."""
        at = self.position = SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]
        if at < len(self.text) and self.text[at] in characters:
            self.position += 1
            return self.text[at]
        return None

    def expect(self, characters: str) -> str:
        found = self.take(characters)
        if found is None:
            self.refuse("SRC-JSON", self.position, f"expected one of {characters}")
        return found

    def document(self) -> Any:
        result: List[Any] = []
        stack: List[Any] = [result]
        is_first = True
        while True:
            if len(stack) > 1 and is_first and self.take(ENDS[type(stack[-1])]):
                stack.pop()
            else:
                key: Optional[str] = self.key(stack[-1]) if type(stack[-1]) is dict else None
                opened = self.take("[{")
                value: Any = ([] if opened == "[" else {}) if opened else self.scalar()
                if key is None:
                    stack[-1].append(value)
                else:
                    stack[-1][key] = value
                if opened:
                    stack.append(value)
                    if len(stack) > self.limits.depth + 1:
                        self.refuse("SRC-DEPTH", self.position - 1, f"more than {self.limits.depth} levels")
                    is_first = True
                    continue
            while len(stack) > 1 and self.expect("," + ENDS[type(stack[-1])]) != ",":
                stack.pop()
            is_first = False
            if len(stack) == 1:
                break
        self.take("")
        if self.position < len(self.text):
            self.refuse("SRC-JSON", self.position, "text after the document")
        return result[0]

    def key(self, around: Dict[str, Any]) -> str:
        self.take("")
        at = self.position
        key = self.string(self.limits.key)
        if key in around:
            self.refuse("SRC-DUPKEY", at, f"key `{key}` is twice in one object")
        self.expect(":")
        return key

    def string(self, limit: int) -> str:
        at = self.position
        if self.text[at : at + 1] != '"':
            self.refuse("SRC-JSON", at, "expected a string")
        try:
            text, self.position = STRINGS.raw_decode(self.text, at)
        except json.JSONDecodeError:
            self.refuse("SRC-JSON", self.broken(at + 1), "no escape, or no end of the string")
        if HALF.search(text):
            escapes = ESCAPE.finditer(self.text, at, self.position)
            half = next(escape for escape in escapes if escape[1] and HALF.match(chr(int(escape[1], 16))))
            self.refuse("SRC-JSON", half.start(), "half of a surrogate pair")
        return str(text) if len(text.encode()) <= limit else self.refuse("LIM-STRING", at, f"over {limit}")

    def broken(self, at: int) -> int:
        """The first character that does not fit in a string whose text begins at `at`."""
        while True:
            at = PLAIN.match(self.text, at).end()  # type: ignore[union-attr]
            escaped = ESCAPED.match(self.text, at)
            if escaped is None:
                return CUT.match(self.text, at).end()  # type: ignore[union-attr]
            at = escaped.end()

    def scalar(self) -> Any:
        at = self.position
        if self.text[at : at + 1] == '"':
            return self.string(self.limits.string)
        for word, value in WORDS.items():
            if self.text.startswith(word, at):
                self.position += len(word)
                return value
        found = NUMBER.match(self.text, at)
        if found is None:
            self.refuse("SRC-JSON", at, "expected a value")
        self.position = found.end()
        if not found["real"] and found[0] != "-0":
            if len(found[0]) > 20 or not -(1 << 63) <= int(found[0]) < 1 << 64:
                self.refuse("NUM-RANGE", at, f"{found[0][:40]} is out of range")
            return int(found[0])
        number = float(found[0])
        if number - number != 0 or number == 0 and re.match("[^eE]*[1-9]", found[0]):
            self.refuse("NUM-RANGE", at, f"{found[0][:40]} is out of range")
        if number != 0 and Decimal(repr(number)) != Decimal(found[0]):
            self.refuse("NUM-PRECISION", at, f"{found[0][:40]} is not the float {number!r}")
        return number


def read_source(data: Any, envelope: Envelope, limits: Limits) -> Any:
    return Reader(bytes(data[envelope.end :]), envelope.end, limits).document()


def check_digest(data: Any, envelope: Envelope) -> None:
    """§2.2: the envelope's `digest`."""
    expected = envelope.parameters.get("digest")
    if expected is not None and not re.fullmatch("(?i:sha-256):[0-9A-Fa-f]{64}", expected):
        raise FormatError("ENV-SYNTAX", envelope.places["digest"], f"`{expected}` is not a digest")
    if expected and expected[8:].lower() != hashlib.sha256(bytes(data[envelope.end :])).hexdigest():
        raise FormatError("DIG-DIFFERS", envelope.places["digest"], "the text has another digest")
