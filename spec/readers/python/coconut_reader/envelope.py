"""§2 The envelope: the text before the first blank line."""

import re
from typing import Any, Dict, NamedTuple, NoReturn

from .errors import FormatError, Limits

# §2.1
MEDIA_TYPE = b"application/vnd.coconut"
ENCODING = re.compile(rb"\+(msgpack|json)(?![!#$%&'*+\-.^_`|~0-9A-Za-z:/])", re.I)
SPACES = re.compile(rb"(?:[ \t]|\r?\n(?=[ \t;]))*")  # a line end before a space, a tab or `;` is a fold
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+")
QUOTED = re.compile(rb'"(?:[\t !#-\[\]-~]|\\[\t -~])*')
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
REQUIRED = {  # §2.2
    "document-type": (rb'[0-9A-Za-z.-]+|"[0-9A-Za-z.-]+"', "ENV-NOTYPE"),
    "version": (rb'0*[0-9]{1,5}|"0*[0-9]{1,5}"', "ENV-VERSION")}
DAMAGE = (  # §2.5
    (rb"$", "ENV-EMPTY"), (rb"\0", "ENV-ZERO"), (rb"\xef\xbb\xbf|\xfe\xff|\xff\xfe", "ENV-BOM"),
    (rb"\s*[{\[]|---|%YAML", "ENV-TEXT"), (rb"\x1f\x8b|\x28\xb5\x2f\xfd|PK\x03\x04|\xfd7zXZ\0|BZh", "ENV-COMPRESSED"),
    (rb"[\x80-\x9f\xdc-\xdf]", "ENV-RAW"), (rb"(?!application/vnd\.coconut)[a-z]+/[a-z0-9.+-]+[\s;]", "ENV-FOREIGN"))


class Envelope(NamedTuple):
    encoding: str  # "msgpack" or "json"
    parameters: Dict[str, str]  # names in lower case, in order
    places: Dict[str, int]  # offsets of the values
    end: int  # offset of the first byte after the blank line


def read_envelope(data: Any, limits: Limits) -> Envelope:
    head = bytes(data[: limits.envelope])

    def refuse(at: int, start_of_line: bool = False) -> NoReturn:
        """§2.1: names what is wrong with the byte that does not fit."""
        found = head[at : at + 2]
        if not found or found == b"\r" or start_of_line and len(head) == at + 1:
            if len(data) > len(head):
                raise FormatError("LIM-HEADER", len(head), f"no blank line in the first {len(head)} bytes")
            raise FormatError("ENV-NOBLANK", len(head), "the file ends inside the envelope")
        if found == b"\r\r":
            raise FormatError("ENV-NOBLANK", at, "CR CR is no blank line")
        if found[0] not in b"\t\r\n" and not 0x20 <= found[0] <= 0x7E or found[0] == 0x0D and found[1] != 0x0A:
            raise FormatError("ENV-CHAR", at, f"byte {found[0]:#04x} in the envelope")
        if start_of_line and found[0] in b"\r\n":
            line = at + (2 if found[0] == 0x0D else 1)
            if line < len(head) and head[line : line + 1] != b"\r":
                raise FormatError("ENV-NOBLANK", line, "a line that neither continues the envelope nor is blank")
            refuse(line)
        raise FormatError("ENV-SYNTAX", at, f"byte {found[0]:#04x}, expected `; name=value` or a blank line")

    for index, (byte, expected) in enumerate(zip(head.lower().ljust(len(MEDIA_TYPE), b"\0"), MEDIA_TYPE)):
        if byte != expected:
            code = next((code for form, code in DAMAGE if re.match(form, head, re.I)), None)
            raise FormatError(code or "ENV-START", 0 if code else index, "this is no Coconut file")
    encoding = ENCODING.match(head, len(MEDIA_TYPE))
    if encoding is None:
        raise FormatError("ENV-ENCODING", len(MEDIA_TYPE), "expected `+msgpack` or `+json`")
    parameters: Dict[str, str] = {}
    places: Dict[str, int] = {}
    position = encoding.end()
    while True:
        position = SPACES.match(head, position).end()  # type: ignore[union-attr]
        blank = BLANK_LINE.match(head, position)
        if blank:
            break
        if head[position : position + 1] != b";":
            refuse(position, start_of_line=True)
        position = SPACES.match(head, position + 1).end()  # type: ignore[union-attr]
        name = TOKEN.match(head, position) or refuse(position)
        if head[name.end() : name.end() + 1] != b"=":
            refuse(name.end())
        at = name.end() + 1
        key = name.group().decode().lower()
        value = TOKEN.match(head, at) or QUOTED.match(head, at)
        if value is None:
            if key in REQUIRED and head[at : at + 1] in (b";", b" ", b"\t", b"\r", b"\n"):
                raise FormatError(REQUIRED[key][1], at, f"parameter `{key}` is empty")
            refuse(at)
        position = value.end()
        if head[at] == 0x22:
            if head[position : position + 1] in (b"\r", b"\n", b"\\") or position == len(data):
                raise FormatError("ENV-SYNTAX", at, "a quote that is not closed on its line")
            if head[position : position + 1] != b'"':
                refuse(position)
            position += 1
        if key in parameters:
            raise FormatError("ENV-DUPPARAM", name.start(), f"parameter `{key}` is given twice")
        if len(parameters) == limits.parameters:
            raise FormatError("LIM-HEADER", name.start(), f"more than {limits.parameters} parameters")
        parameters[key] = re.sub(rb'\\(.)|"', rb"\1", head[at:position], flags=re.S).decode()
        places[key] = at
        if key in REQUIRED and not re.fullmatch(REQUIRED[key][0], head[at:position]):
            raise FormatError(REQUIRED[key][1], at, f"`{parameters[key]}` is no {key}")
    for key, (_, code) in REQUIRED.items():  # §2.2
        if key not in parameters:
            raise FormatError(code, position, f"parameter `{key}` is missing")
    if int(parameters["version"]) > 65535:
        raise FormatError("ENV-VERSION", places["version"], f"version {parameters['version']} is above 65535")
    if int(parameters["version"]) > 0:  # §5.12
        raise FormatError("ENV-NEWER", places["version"], f"version {parameters['version']}, this reader knows 0")
    return Envelope(encoding.group(1).decode().lower(), parameters, places, blank.end())
