"""§2 The envelope: the text before the first blank line."""

import re
from typing import Any, Dict, NamedTuple

from .errors import FormatError, Limits

# §2.1, from the bottom of the grammar to its top.
TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z:/]+"
SPACES = rb"(?:[ \t]|\r?\n(?=[ \t;]))*"  # a line end before a space, a tab or `;` is a fold
MEDIA_TYPE = re.compile(rb"application/vnd\.coconut\+(msgpack|json)", re.I)
PARAMETER = re.compile(
    SPACES + rb";" + SPACES + rb"(" + TOKEN + rb")=(?:(" + TOKEN + rb')|"((?:[ !#-\[\]-~\t]|\\[ -~\t])*)")')
BLANK_LINE = re.compile(rb"\r?\n\r?\n")
NOT_TEXT = re.compile(rb"[^\t\r\n -~]")

COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"\xfd7zXZ\x00", b"BZh")
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")


class Envelope(NamedTuple):
    encoding: str  # "msgpack" or "json"
    parameters: Dict[str, str]  # names in lower case, in order
    end: int  # offset of the first byte after the blank line


def read_envelope(data: Any, limits: Limits) -> Envelope:
    head = bytes(data[: limits.envelope])
    media_type = MEDIA_TYPE.match(head)
    if media_type is None:
        raise FormatError(damage(head), 0, "this is not a Coconut file")
    blank, control = BLANK_LINE.search(head), NOT_TEXT.search(head)
    if control and (blank is None or control.start() < blank.start()):
        raise FormatError("ENV-CHAR", control.start(), f"byte {control.group()[0]:#04x} in the envelope")
    if blank is None:
        if len(data) > limits.envelope:
            raise FormatError("LIM-HEADER", limits.envelope, f"no blank line in the first {limits.envelope} bytes")
        raise FormatError("ENV-SYNTAX", len(head), "the file ends inside the envelope")

    parameters: Dict[str, str] = {}
    places: Dict[str, int] = {}
    position = media_type.end()
    while position != blank.start():
        found = PARAMETER.match(head, position, blank.start())
        if found is None:
            raise FormatError("ENV-SYNTAX", position, "expected `; name=value` or a blank line")
        name, at = found.group(1).decode().lower(), found.start(1)
        if name in parameters:
            raise FormatError("ENV-DUPPARAM", at, f"parameter `{name}` is given twice")
        if len(parameters) == limits.parameters:
            raise FormatError("LIM-HEADER", at, f"more than {limits.parameters} parameters")
        token, quoted = found.group(2), found.group(3)
        text = token if quoted is None else re.sub(rb"\\(.)", rb"\1", quoted)
        parameters[name], places[name] = text.decode(), found.start(2 if quoted is None else 3)
        position = found.end()

    for name in ("document-type", "version"):  # §2.2
        if name not in parameters:
            raise FormatError("ENV-PARAM", blank.start(), f"parameter `{name}` is missing")
    version = parameters["version"]
    if not re.fullmatch("[0-9]{1,5}", version) or int(version) > 65535:
        raise FormatError("ENV-PARAM", places["version"], f"version `{version}` is no number from 0 to 65535")
    if int(version) > 0:  # §5.12
        raise FormatError("ENV-NEWER", places["version"], f"version {version} is newer than this reader's, 0")
    return Envelope(media_type.group(1).decode().lower(), parameters, blank.end())


def damage(head: bytes) -> str:
    """§2.5: the name of what stands where an envelope should."""
    if not head:
        return "ENV-EMPTY"
    if head[0] == 0:
        return "ENV-ZERO"
    if head.startswith(BYTE_ORDER_MARKS):
        return "ENV-BOM"
    if head.startswith(COMPRESSED):
        return "ENV-COMPRESSED"
    if 0x80 <= head[0] <= 0x9F or 0xDC <= head[0] <= 0xDF:
        return "ENV-RAW"
    return "ENV-FOREIGN" if re.match(rb"[a-z]+/[^\s;]+", head, re.I) else "ENV-TEXT"
