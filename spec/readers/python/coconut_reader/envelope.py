"""§2 The envelope: the text before the first blank line."""

import re
from typing import Any, Dict, NamedTuple, Optional

from . import diagnosis
from .errors import Limits, need

MEDIA_TYPE = b"application/vnd.coconut"  # §2.1
ENCODING = re.compile(rb"\+(msgpack|json)(?![!#$%&'*+\-.^_`|~0-9A-Za-z:/])", re.I)
SPACES = re.compile(rb"(?:[ \t]|\r?\n(?=[ \t;]))*")  # a line end before a space, a tab or `;` is a fold
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+")
QUOTED = re.compile(rb'"(?:[\t !#-\[\]-~]|\\[\t -~])*')
EQUALS, QUOTE, EMPTY, UNCLOSED = map(re.compile, (rb"=", rb'"', rb"[; \t\r\n]", rb"[\r\n\\]"))
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
REQUIRED = {  # §2.2
    "document-type": (rb'("?)[0-9A-Za-z.-]+\1', "ENV-NOTYPE"),
    "version": (rb'("?)0*[0-9]{1,5}\1', "ENV-VERSION")}


class Envelope(NamedTuple):
    encoding: str  # "msgpack" or "json"
    parameters: Dict[str, str]  # names in lower case, in order
    places: Dict[str, int]  # offsets of the values
    end: int  # offset of the first byte after the blank line


def read_envelope(data: Any, limits: Limits) -> Envelope:
    head, position = bytes(data[: limits.envelope]), len(MEDIA_TYPE)

    def take(form: "re.Pattern[bytes]", other: Optional["re.Pattern[bytes]"] = None) -> "re.Match[bytes]":
        nonlocal position
        found = form.match(head, position) or other and other.match(head, position)
        if found is None:
            raise diagnosis.no_envelope(head, position, len(data) > len(head))
        position = found.end()
        return found

    if not head.lower().startswith(MEDIA_TYPE):
        raise diagnosis.no_file(head, MEDIA_TYPE)
    need(ENCODING.match(head, position), "ENV-ENCODING", position, "expected `+msgpack` or `+json`")
    encoding = take(ENCODING)[1].decode().lower()
    parameters: Dict[str, str] = {}
    places: Dict[str, int] = {}
    while take(SPACES) and not BLANK_LINE.match(head, position):
        if not head.startswith(b";", position):
            raise diagnosis.no_blank_line(head, position, len(data) > len(head))
        position += 1
        take(SPACES)
        start, name = position, take(TOKEN)[0].decode().lower()
        take(EQUALS)
        at, (form, code) = position, REQUIRED.get(name, (b"", ""))
        need(not code or not EMPTY.match(head, at), code, at, "parameter `{}` is empty", name)
        if take(TOKEN, QUOTED)[0].startswith(b'"'):
            is_open = position == len(data) or UNCLOSED.match(head, position)
            need(not is_open, "ENV-SYNTAX", at, "a quote that is not closed on its line")
            take(QUOTE)
        value = head[at:position]
        need(name not in parameters, "ENV-DUPPARAM", start, "parameter `{}` is given twice", name)
        need(len(parameters) < limits.parameters, "LIM-HEADER", start, "one parameter too many")
        need(not code or re.fullmatch(form, value), code, at, "parameter `{}` has no such value", name)
        parameters[name], places[name] = re.sub(rb'\\(.)|"', rb"\1", value, flags=re.S).decode(), at
    for name, (_, code) in REQUIRED.items():
        need(name in parameters, code, position, "parameter `{}` is missing", name)
    version, at = int(parameters["version"]), places["version"]
    need(version <= 65535, "ENV-VERSION", at, "version {} is above 65535", version)
    need(version == 0, "ENV-NEWER", at, "version {}, this reader knows 0", version)  # §5.12
    return Envelope(encoding, parameters, places, take(BLANK_LINE).end())
