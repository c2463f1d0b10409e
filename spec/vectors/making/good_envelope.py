"""Good vectors of the envelope, §2."""

import hashlib
import json

from .assemble import File, coconut, envelope_lines
from .cases import good
from .pieces import Line, line

DOCUMENT = {"a": 1}
PLAIN = "application/vnd.coconut+msgpack; document-type=document; version=1"


def file(text):
    return coconut(DOCUMENT, envelope=text)


def text_file(text, parameters=""):
    """A file in encoding `+json`, §2.4."""
    envelope = f"application/vnd.coconut+json; document-type=document; version=1{parameters}\n\n"
    source = text if isinstance(text, bytes) else text.encode()
    return File(envelope_lines(envelope) + (line(source, "source text, §2.4", "source") if source else [Line(b"", "no text", ("source",))]))


def cases():
    for name, about, text in (
        ("lf-lf", "The blank line as LF LF.", PLAIN + "\n\n"),
        ("crlf-crlf", "The blank line as CR LF CR LF.", PLAIN + "\r\n\r\n"),
        ("lf-crlf", "The blank line as LF CR LF.", PLAIN + "\n\r\n"),
        ("crlf-lf", "The blank line as CR LF LF.", PLAIN + "\r\n\n"),
        ("folded-semicolon", "Lines that begin with a semicolon continue the line before.",
         "application/vnd.coconut+msgpack\n; document-type=document\r\n; version=1\n\n"),
        ("folded-space", "Lines that begin with space or tab continue the line before.",
         "application/vnd.coconut+msgpack;\n document-type=document ;\r\n\tversion=1\n\n"),
        ("no-spaces", "No white space around the semicolons.",
         "application/vnd.coconut+msgpack;document-type=document;version=1\n\n"),
        ("upper-case", "Media type, encoding and parameter names ignore case.",
         "APPLICATION/VND.Coconut+MSGPACK; Document-Type=document; VERSION=1\n\n"),
        ("version-first", "Parameters come in any order.",
         "application/vnd.coconut+msgpack; version=1; document-type=document\n\n"),
        ("quoted", "Quoted values where tokens would do.", 'application/vnd.coconut+msgpack; document-type="document"; version="1"\n\n'),
        ("trailing-space", "White space and a fold before the blank line.", PLAIN + " \t\n \n\n"),
        ("type-case", "Document types are compared without case.", "application/vnd.coconut+msgpack; document-type=DOCUMENT; version=1\n\n"),
        ("quoted-semicolon", "A quoted value that holds a semicolon, a tab, an escaped quote and an escaped backslash.",
         PLAIN + '; note="a; \t\\"b\\" \\\\ = c"\n\n'),
        ("quoted-empty", "An unknown parameter with an empty quoted value.", PLAIN + '; note=""\n\n'),
        ("unknown-parameter", "An unknown parameter has no meaning.", PLAIN + "; x-build=a/b:c\n\n"),
        ("token-characters", "Every character that a token may have.",
         PLAIN + "; !#$%&'*+-.^_`|~09AZaz:/=!#$%&'*+-.^_`|~09AZaz:/\n\n"),
        ("32-parameters", "As many parameters as the limit allows.",
         PLAIN + "".join(f"; p{i}={i}" for i in range(30)) + "\n\n"),
        ("4096-bytes", "An envelope of exactly 4,096 bytes, blank line included.",
         PLAIN + "; x=" + "a" * (4096 - len(PLAIN) - 6) + "\n\n"),
        ("version-leading-zero", "The version is a number: leading zeros do not change it.",
         "application/vnd.coconut+msgpack; document-type=document; version=01\n\n"),
    ):
        yield good(f"envelope-{name}", about, "§2.1", DOCUMENT, file(text))
    for kind in ("cocopack", "cocogl"):
        yield good(f"envelope-type-{kind}", f"Document type {kind}; the values are read as in any other.", "§2.2", DOCUMENT,
                   coconut(DOCUMENT, kind=kind))
    yield good("envelope-type-unknown", "A document type that this version does not know keeps its case.", "§2.2", DOCUMENT,
               coconut(DOCUMENT, kind="Example.Thing"))
    text = '{\n  "a": [1, 1.0, -0.0, "\\u0000", null]\n}\n'
    yield good("envelope-json", "Encoding +json: source text comes after the envelope.", "§2.4", json.loads(text), text_file(text))
    digest = hashlib.sha256(text.encode()).hexdigest()
    yield good("envelope-json-digest", "Encoding +json with the digest of the source text.", "§2.2", json.loads(text),
               text_file(text, f"; digest=sha-256:{digest}"))
    yield good("envelope-json-digest-upper", "The hexadecimal digits of the digest ignore case.", "§2.2", json.loads(text),
               text_file(text, f"; digest=sha-256:{digest.upper()}"))
    text = '[0.1, 1E2, 1.10, 5e-324, -0, -0.0, 18446744073709551615, -9223372036854775808, "\\ud83d\\ude00", 1.7976931348623157e308]'
    yield good("envelope-json-numbers", "Numbers of source text that are exact enough, and a surrogate pair.", "§4.1", [
        0.1, 100.0, 1.1, 5e-324, -0.0, -0.0, 2**64 - 1, -2**63, "😀", 1.7976931348623157e308], text_file(text))
    yield good("envelope-json-scalar", "Encoding +json with a document that is a scalar.", "§2.4", 5, text_file("5"))
