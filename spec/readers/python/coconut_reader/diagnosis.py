"""§2.1, §2.5, §5.2 and §5.10: what to say of bytes that are no file, or one that was damaged on its way.

A reader calls this only when it has found that a file is not one; it reads on nothing that is said here."""

import re

from .errors import FormatError

DAMAGE = {  # §2.5
    "ENV-EMPTY": rb"$", "ENV-ZERO": rb"\0", "ENV-BOM": rb"\xef\xbb\xbf|\xfe\xff|\xff\xfe",
    "ENV-TEXT": rb"\s*[{\[]|---|%YAML", "ENV-RAW": rb"[\x80-\x9f\xdc-\xdf]",
    "ENV-COMPRESSED": rb"\x1f\x8b|\x28\xb5\x2f\xfd|PK\x03\x04|\xfd7zXZ\0|BZh",
    "ENV-FOREIGN": rb"[!#$%&'*+\-.^_`|~:\w]+/[!#$%&'*+\-.^_`|~:\w]+(?:[; \t\r\n]|$)"}
CONVERTED = re.compile(  # §5.2, the table of damages
    rb"\x09CC|\x89CC(?:\r\r\n|\r\n\x1a\r\n|\n\x1a|\n\n|\r\r\x1a|\r\x1a|\r\n\x1a\n(?=[^\0]))"
    rb"|\xef\xbf\xbdCC|\xc2\x89CC|\xe2\x80\xb0CC")
CHARACTER = re.compile(rb"[\t\n -~]|\r\n")
LINE_END = re.compile(rb"\r?\n")


def no_file(head: bytes, media_type: bytes) -> FormatError:
    """§2.5: the file does not begin with the media type."""
    if head and media_type.startswith(head.lower()):
        return FormatError("ENV-NOBLANK", len(head), "the file ends in its media type")
    for code, form in DAMAGE.items():
        if re.match(form, head, re.I):
            return FormatError(code, 0, "this is no Coconut file")
    differs = next(at for at, byte in enumerate(media_type) if head[at : at + 1].lower() != bytes([byte]))
    return FormatError("ENV-START", differs, "this is no Coconut file")


def no_envelope(head: bytes, at: int, is_cut: bool) -> FormatError:
    """§2.1: the byte at `at` does not fit the grammar, or none is there: `is_cut`, if the file goes on."""
    if head[at:] in (b"", b"\r"):
        code = "LIM-HEADER" if is_cut else "ENV-NOBLANK"
        return FormatError(code, len(head), "there is no blank line after the envelope")
    if head.startswith(b"\r\r", at):
        return FormatError("ENV-NOBLANK", at, "CR CR is no blank line")
    if not CHARACTER.match(head, at):
        return FormatError("ENV-CHAR", at, f"byte {head[at]:#04x} in the envelope")
    return FormatError("ENV-SYNTAX", at, f"byte {head[at]:#04x}, expected `; name=value` or a blank line")


def no_blank_line(head: bytes, at: int, is_cut: bool) -> FormatError:
    """§2.1: neither a parameter nor a blank line stands at `at`."""
    line = LINE_END.match(head, at)
    if line is None or head[line.end() : line.end() + 1] in (b"", b"\r"):
        return no_envelope(head, line.end() if line else at, is_cut)
    return FormatError("ENV-NOBLANK", line.end(), "a line that neither continues the envelope nor is blank")


def no_signature(window: bytes, payload: int, size: int, signature: bytes) -> FormatError:
    """§5.2: the bytes from the payload on, of which the first `size` should be the header of its array."""
    damage = CONVERTED.search(window)
    if damage:
        at = payload + damage.start()
        differs = sum(damage[0].startswith(signature[2:end]) for end in range(3, len(signature) + 1))
        return FormatError("ENV-EOL", at + differs, "text conversion has changed the file")
    if window and not (0x90 <= window[0] <= 0x9F or 0xDC <= window[0] <= 0xDD):
        return FormatError("PAY-FORM", payload, f"byte {window[0]:#04x}, expected an array")
    for at, (byte, expected) in enumerate(zip(window[size:], signature), payload + size):
        if byte != expected:
            return FormatError("ENV-SIGNATURE", at, f"{byte:#04x}, expected {expected:#04x}")
    return FormatError("MSG-SHORT", payload + min(size + 2, len(window)), "the file ends in the signature")


def no_trailer(tail: bytes, at: int) -> FormatError:
    """§5.10: the last bytes of a file without a trailer where it should stand."""
    why = "bytes may follow the trailer" if b"COCO" in tail else "the file is cut short"
    return FormatError("TRL-MAGIC", at, why)
