"""§2 The envelope: the text before the first blank line."""

import re
from typing import Any, Dict, List, NamedTuple, Tuple

from . import diagnosis
from .errors import FormatError, Limits, need

MEDIA_TYPE = re.compile(rb"application/vnd\.coconut(?![!#$%&'*\-.^_`|~0-9A-Za-z:/])", re.I)  # §2.1
TEXT = re.compile(rb"(?:[\t -~]|\r?\n(?=[ \t;]))*")  # a line end before a space, a tab or `;` is a fold
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z:/]"
SPACES, SEMICOLON, EQUALS, NAME, ENCODING, VALUE = map(re.compile, (rb"[ \t\r\n]*", rb";", rb"=",
    TOKEN + rb"+", TOKEN + rb"*", rb'"(?:[^"\\\r\n]|\\[^\r\n])*"|' + TOKEN + rb"+"))
REQUIRED = {  # §2.2
    "document-type": (rb'("?)[0-9A-Za-z.-]+\1', "ENV-NOTYPE"),
    "version": (rb'("?)0*[0-9]{1,5}\1', "ENV-VERSION")}


class Envelope(NamedTuple):
    encoding: str  # "msgpack" or "json"
    parameters: Dict[str, str]  # names in lower case, the version first
    places: Dict[str, int]  # offsets of the values
    end: int  # offset of the first byte after the blank line


def read_envelope(data: Any, limits: Limits) -> Envelope:
    head = bytes(data[: limits.envelope])
    media_type = MEDIA_TYPE.match(head)
    if not media_type:
        raise diagnosis.no_file(head)
    last = TEXT.match(head).end()  # type: ignore[union-attr]  # where the envelope ends is found first
    blank_line = BLANK_LINE.match(head, last)
    if not blank_line:
        raise diagnosis.no_blank_line(head, last, len(head) == limits.envelope)
    position = media_type.end()

    def take(form: "re.Pattern[bytes]") -> "re.Match[bytes]":
        nonlocal position
        found = form.match(head, position, last)
        if found is None:
            raise FormatError("ENV-SYNTAX", position, f"found {head[position:last][:20]!r}")
        position = found.end()
        return found

    encoding, encodings = take(ENCODING)[0].lower(), {b"+msgpack": "msgpack", b"+json": "json"}
    given: List[Tuple[bool, int, str, int, bytes]] = []
    parameters: Dict[str, str] = {}
    places: Dict[str, int] = {}
    while take(SPACES) and position < last:
        take(SEMICOLON), take(SPACES)
        start, name = position, take(NAME)[0].decode().lower()
        take(EQUALS)
        at, value = position, take(VALUE)[0]
        need(len(given) < limits.parameters, "LIM-HEADER", start, "one parameter too many")
        given.append((name != "version", start, name, at, value))
    for _, start, name, at, value in sorted(given):  # the version first: all else may differ in another
        need(name not in parameters, "ENV-DUPPARAM", start, "parameter `{}` is given twice", name)
        form, code = REQUIRED.get(name, (rb".*", ""))
        need(re.fullmatch(form, value), code, at, "parameter `{}` has no such value", name)
        parameters[name], places[name] = re.sub(rb'\\(.)|"', rb"\1", value).decode(), at
        if name == "version":
            version = int(parameters[name])
            code = "ENV-VERSION" if version > 65535 else "ENV-NEWER" if version else "ENV-OLDER"
            need(version == 1, code, at, "version {}, this reader knows 1; use the source", version)  # §5.12
    need(encoding in encodings, "ENV-ENCODING", media_type.end(), "base encoding {}", encoding)
    for name, (_, code) in REQUIRED.items():
        need(name in parameters, code, last, "parameter `{}` is missing", name)
    return Envelope(encodings[encoding], parameters, places, blank_line.end())
