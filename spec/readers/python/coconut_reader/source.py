"""§2.4 Encoding `+json`: source text instead of a payload, read as §4.1 says."""

import hashlib
import re
from decimal import Decimal
from typing import Any, Dict, List, NoReturn, Optional

from .envelope import Envelope
from .errors import FormatError, Limits

SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?![0-9])(?P<real>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![.eE0-9])")
STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*)"')
BEGUN = re.compile(  # as much of a string as there is
    r'(?:"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9A-Fa-f]{4})*(?:\\(?:u[0-9A-Fa-f]{0,3})?)?)?')
ESCAPE = re.compile(r"\\(?:u(d[89ab]..)\\u(d[c-f]..)|u(....)|(.))", re.I)
HALF = re.compile(r"[\ud800-\udfff]")
LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"null": None, "true": True, "false": False}


class Reader:
    """Reads the text with a stack of its own. Offsets are those of the file; `start` is that of the text."""

    def __init__(self, data: bytes, start: int, limits: Limits) -> None:
        self.start, self.limits, self.position = start, limits, 0
        try:
            self.text = str(data, "utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("SRC-UTF8", start + error.start, "not UTF-8") from None

    def refuse(self, code: str, at: int, why: str) -> NoReturn:
        raise FormatError(code, self.start + len(self.text[:at].encode()), why)

    def take(self, characters: str) -> Optional[str]:
        """The next character behind white space, if it is one of these."""
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
        closing: List[str] = []  # what ends the containers of the stack but the first
        is_first = True
        while True:
            if closing and is_first and self.take(closing[-1]):
                stack.pop()
                closing.pop()
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
                    closing.append("]" if opened == "[" else "}")
                    if len(closing) > self.limits.depth:
                        self.refuse("SRC-DEPTH", self.position - 1, f"more than {self.limits.depth} levels")
                    is_first = True
                    continue
            while closing and self.expect("," + closing[-1]) != ",":
                stack.pop()
                closing.pop()
            is_first = False
            if not closing:
                break
        self.take("")
        if self.position < len(self.text):
            self.refuse("SRC-JSON", self.position, "text after the document")
        return result[0]

    def key(self, around: Dict[str, Any]) -> str:
        self.take("")
        at = self.position
        key = self.string()
        if key in around:
            self.refuse("SRC-DUPKEY", at, f"key `{key}` stands twice in one object")
        self.expect(":")
        return key

    def string(self) -> str:
        found = STRING.match(self.text, self.position)
        if found is None:
            at = BEGUN.match(self.text, self.position).end()  # type: ignore[union-attr]
            self.refuse("SRC-JSON", at, "expected a string, or its end")
        self.position = found.end()
        text: str = found[1] if "\\" not in found[1] else ESCAPE.sub(character, found[1])
        if HALF.search(text):
            escapes = ESCAPE.finditer(self.text, found.start(), found.end())
            half = next(escape for escape in escapes if HALF.fullmatch(character(escape)))
            self.refuse("SRC-JSON", half.start(), "half of a surrogate pair")
        return text

    def scalar(self) -> Any:
        at = self.position
        if self.text[at : at + 1] == '"':
            return self.string()
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
                self.refuse("NUM-RANGE", at, f"{found[0]} is out of range")
            return int(found[0])
        number = float(found[0])
        if number - number != 0:
            self.refuse("NUM-RANGE", at, f"{found[0]} is out of range")
        if Decimal(repr(number)) != Decimal(found[0]):
            self.refuse("NUM-PRECISION", at, f"{found[0]} is not the float {number!r}")
        return number


def character(escape: "re.Match[str]") -> str:
    high, low, unit, letter = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    return chr(int(unit, 16)) if unit else LETTERS.get(letter, letter)


def read_source(data: Any, envelope: Envelope, limits: Limits) -> Any:
    return Reader(bytes(data[envelope.end :]), envelope.end, limits).document()


def check_digest(data: Any, envelope: Envelope) -> None:
    """§2.2: the envelope's `digest`."""
    expected = envelope.parameters.get("digest")
    if expected is None:
        return
    if not re.fullmatch("(?i:sha-256):[0-9A-Fa-f]{64}", expected):
        raise FormatError("ENV-SYNTAX", envelope.places["digest"], f"`{expected}` is no digest")
    if expected[8:].lower() != hashlib.sha256(bytes(data[envelope.end :])).hexdigest():
        raise FormatError("DIG-DIFFERS", envelope.places["digest"], "the text has another digest")
