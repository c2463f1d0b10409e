"""§2.1, §2.5, §5.2 and §5.10: names the damage of bytes that are not a file, or no longer one.

A reader calls this only after it has refused a file, and stops afterwards."""

import re

from .errors import FormatError

MEDIA_TYPE = b"application/vnd.coconut"
DAMAGE = {  # §2.5
    "ENV-EMPTY": rb"\Z", "ENV-ZERO": rb"\0{8}|\0+\Z", "ENV-BOM": rb"\xef\xbb\xbf|\xfe\xff|\xff\xfe",
    "ENV-COMPRESSED": rb"\x1f\x8b|\x28\xb5\x2f\xfd|PK\x03\x04|\xfd7zXZ\0|BZh",
    "ENV-RAW": rb"[\x80-\x9f\xdc-\xdf]|\xc4\x08\x89",
    "ENV-FOREIGN": rb"[!#$%&'*+\-.^_`|~:0-9A-Za-z]+/[!#$%&'*+\-.^_`|~:0-9A-Za-z]+(?:[; \t\r\n]|$)"}
SOURCE = re.compile(rb'[{\["]|---|%YAML|- |.*(?:: |:$)')  # the first significant line
CONTROL = re.compile(rb"[\0-\x08\x0b-\x1f]")
CONVERTED = re.compile(  # §5.2, the table of damages
    rb"\x09CC|\x89CC(?:\r\r\n|\r\n\x1a\r\n|\n\x1a|\n\n|\r\r\x1a|\r\x1a|\r\n\x1a\n(?!\0))"
    rb"|\xef\xbf\xbdCC|\xc2\x89CC|\xe2\x80\xb0CC")


def no_file(head: bytes) -> FormatError:
    """§2.5: the file does not begin with the media type."""
    if head and MEDIA_TYPE.startswith(head.lower()):
        return FormatError("ENV-NOBLANK", len(head), "the file ends in its media type")
    for code, form in DAMAGE.items():
        if re.match(form, head):
            return FormatError(code, 0, "this is not a Coconut file")
    lines = (line.strip(b" \t\r") for line in head.split(b"\n"))
    line = next((line for line in lines if line and not line.startswith(b"#")), b"")
    if SOURCE.match(line) and not CONTROL.search(line):
        return FormatError("ENV-TEXT", 0, "this is text without an envelope")
    if len(head) >= 4096 and b"\n" not in head:
        return FormatError("LIM-HEADER", 4096, "the first line does not end")
    same = (head[at : at + 1].lower() == MEDIA_TYPE[at : at + 1] for at in range(len(MEDIA_TYPE)))
    differs = next((at for at, is_same in enumerate(same) if not is_same), len(MEDIA_TYPE))
    return FormatError("ENV-START", differs, "this is not a Coconut file")


def no_blank_line(head: bytes, at: int, is_cut: bool) -> FormatError:
    """§2.1: no envelope continues or ends at `at`; `is_cut`, if `head` is as long as the limit
    allows."""
    rest = head[at:]
    line = 2 if rest.startswith(b"\r\n") else 1 if rest.startswith(b"\n") else 0
    rest = rest[line:]
    if rest in (b"", b"\r"):
        code = "LIM-HEADER" if is_cut else "ENV-NOBLANK"
        return FormatError(code, len(head), "there is no blank line after the envelope")
    if line:
        why = "a line that neither continues the envelope nor is blank"
        return FormatError("ENV-NOBLANK", at + line, why)
    if rest.startswith(b"\r\r"):
        return FormatError("ENV-NOBLANK", at, "CR CR is not a blank line")
    return FormatError("ENV-CHAR", at, f"byte {rest[0]:#04x} in the envelope")


def no_signature(window: bytes, payload: int, size: int, signature: bytes) -> FormatError:
    """§5.2: the bytes from the payload on, of which the first `size` should be the header of its
    array."""
    is_array = bool(re.match(rb"[\x90-\x9f\xdc\xdd]", window))
    if not window or is_array and len(window) < size + len(signature):
        end = payload + min(size + 2, len(window))
        return FormatError("MSG-SHORT", end, "the file ends in the signature")
    if (damage := CONVERTED.search(window)) and damage.start() <= 24:
        at = payload + damage.start()
        differs = sum(damage[0].startswith(signature[2:end]) for end in range(3, len(signature) + 1))
        return FormatError("ENV-EOL", at + differs, "text conversion has changed the file")
    if not is_array:
        return FormatError("PAY-FORM", payload, f"byte {window[0]:#04x}, expected an array")
    differs = next(at for at, expected in enumerate(signature, size) if window[at] != expected)
    return FormatError("ENV-SIGNATURE", payload + differs, f"found byte {window[differs]:#04x}")


def no_trailer(tail: bytes, at: int) -> FormatError:
    """§5.10: the last bytes of a file without a trailer in its place."""
    why = "bytes may follow the trailer" if b"COCO" in tail else "the file is cut short"
    return FormatError("TRL-MAGIC", at, why)
