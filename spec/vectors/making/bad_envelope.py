"""Bad vectors of the envelope and the signature, §2 and §5.2."""

import hashlib

from .assemble import File, coconut, envelope_lines
from .cases import Case, at_open
from .good_envelope import text_file
from .pieces import Line, line, raw, show

DOCUMENT = {"a": 1}
START = "application/vnd.coconut+msgpack"
GOOD = START + "; document-type=document; version=1"


def cases():
    yield from other_files()
    yield from blank_line()
    yield from characters()
    yield from grammar()
    yield from parameters()
    yield from limits()
    yield from source_text()
    yield from signature()


def bad(name, about, envelope, code, place, section="§2.1", **options):
    """A file that is good except for its envelope. The place is a number, or a text and an offset
    within the envelope at that text."""
    if isinstance(place, str):
        place = envelope.index(place)
    return at_open(f"envelope-{name}", about, section, coconut(DOCUMENT, envelope=envelope, **options), code, place)


def other_files():
    def other(name, about, data, code, place=0):
        data = data if isinstance(data, bytes) else data.encode("latin-1")
        note = show(data.decode()) if data.isascii() and data.decode().isprintable() else about
        return at_open(f"envelope-{name}", about, "§2.5", File(line(data, note) if data else [Line(b"", "no bytes at all")]), code, place)

    yield other("empty", "An empty file.", b"", "ENV-EMPTY")
    yield other("zeros", "64 zero bytes.", bytes(64), "ENV-ZERO")
    yield other("bom", "A byte order mark before a good file.", b"\xEF\xBB\xBF" + coconut(DOCUMENT).data, "ENV-BOM")
    for name, text in (("object", '{"a": 1}\n'), ("list", "[1]\n"), ("yaml", "---\na: 1\n")):
        yield other(f"text-{name}", "Source text instead of a compiled document.", text, "ENV-TEXT")
    for name, digits in (("gzip", "1F8B0800000000000003"), ("zstd", "28B52FFD2408"), ("zip", "504B03041400"), ("xz", "FD377A585A000004"),
                         ("bzip2", "425A683931415926")):
        yield other(f"compressed-{name}", f"The beginning of {name} data.", bytes.fromhex(digits), "ENV-COMPRESSED")
    for name, digits in (("array", "93010203"), ("map", "81A16101"), ("array16", "DC0010" + "C0" * 16), ("map16", "DE0001A16101")):
        yield other(f"raw-{name}", f"msgpack without an envelope: {name}.", bytes.fromhex(digits), "ENV-RAW")
    yield other("raw-payload", "A good file without its envelope.", coconut(DOCUMENT).data[68:], "ENV-RAW")
    yield other("foreign", "Another media type with the same kind of header.",
                "application/vnd.puppet.pcore+msgpack; document-type=pcore; version=1\n\n", "ENV-FOREIGN")
    yield other("foreign-flipped", "A flipped bit in the media type that leaves a media type.",
                "application/vn$.coconut+msgpack; document-type=document; version=1\n\n", "ENV-FOREIGN")
    yield other("foreign-longer", "A media type that only begins like ours.", "application/vnd.coconuts; document-type=document; version=1\n\n", "ENV-FOREIGN")
    yield other("foreign-end", "Another media type that goes up to the end of the file.", "application/vnd.cc", "ENV-FOREIGN")
    yield other("foreign-limit", "Two tokens that do not end where a reader must stop to look.", "a/" + "b" * 4_200, "ENV-FOREIGN")
    yield other("text-delete", "The character 7F in source text: it is none of those below a space.", '{"a": "\x7f"}', "ENV-TEXT")
    yield other("start-longer", "Text after the media type that makes it none.", "application/vnd.coconut/msgpack; version=1\n\n", "ENV-START", 23)
    yield other("start-form-feed", "A form feed before source text: no white space of such a line.", "\f{\"a\": 1}\n", "ENV-START")
    yield other("start-vertical-tab", "A vertical tab after source text, on its line.", "a: 1\v\n", "ENV-START", 1)
    yield other("text-crlf", "Source text with CR LF and a form feed in its second line.", "a: 1\r\nb:\f1\r\n", "ENV-TEXT")
    yield other("text-comment", "YAML after a comment and a blank line.", "# note\n\nname: aws\n", "ENV-TEXT")
    yield other("text-string", "A document that is a string.", '"text"\n', "ENV-TEXT")
    yield other("zero", "A file of one zero byte.", bytes(1), "ENV-ZERO")
    yield other("start-flipped", "A flipped bit in the media type that leaves none.",
                "application/vnd.coc\x0fnut+msgpack; document-type=document; version=1\n\n", "ENV-START", 19)
    yield other("start-cut", "The file ends within the media type.", "application/vnd.coc", "ENV-NOBLANK", 19)
    yield other("start", "Text that is no media type: the first byte that differs is the second.", "a" * 64, "ENV-START", 1)
    yield other("line-4095", "Text that is no media type, whose first line ends below the limit.", "a" * 4095 + "\n", "ENV-START", 1)
    yield other("line-4096", "A first line that does not end within the limit.", "a" * 4096 + "\n", "LIM-HEADER", 4096)


def blank_line():
    for name, about, text, place in (
        ("no-blank-line-0", "The file ends within the envelope.", GOOD, len(GOOD)),
        ("no-blank-line-1", "The file ends after one line end.", GOOD + "\n", len(GOOD) + 1),
    ):
        yield at_open(f"envelope-{name}", about, "§2.1", File(envelope_lines(text)), "ENV-NOBLANK", place)
    for name, about, text in (
        ("end-cr", "The file ends with a CR, of which no reader can say what follows.", GOOD + "\r"),
        ("end-lf-cr", "The file ends with LF CR.", GOOD + "\n\r"),
    ):
        yield at_open(f"envelope-{name}", about, "§2.1", File(envelope_lines(text)), "ENV-NOBLANK", len(text))
    for name, about, byte in (("80", "a byte that is refused", "\x80"), ("cr-a", "a CR that no LF follows", "\rA")):
        yield bad(f"line-{name}", f"A line that begins with {about}: the first byte of a line is judged as its beginning.", GOOD + f"\n{byte}\n\n", "ENV-NOBLANK",
                  len(GOOD) + 1)
    yield bad("line", "A line that neither continues the envelope nor is blank.", GOOD + "\nversion=1\n\n", "ENV-NOBLANK", len(GOOD) + 1)
    yield bad("cr-cr", "CR CR is not a blank line.", GOOD + "\r\r", "ENV-NOBLANK", len(GOOD))
    yield bad("cr", "A CR that is part of no line end.", START + "; document-type=document\r; version=1\n\n", "ENV-CHAR", "\r")


def characters():
    for name, byte in (("nul", "\x00"), ("escape", "\x1b"), ("delete", "\x7f"), ("80", "\x80"), ("ff", "\xff")):
        yield bad(f"char-{name}", f"Byte {ord(byte):02X} in an envelope.", GOOD + f"; a={byte}\n\n", "ENV-CHAR", byte)
    yield bad("char-quoted", "Text that is not ASCII in a quoted value.", GOOD + '; a="b\xc3\xa9"\n\n', "ENV-CHAR", "\xc3")
    yield bad("char-name", "A control character in a name.", START + "; document-type=document; ver\x01sion=0\n\n", "ENV-CHAR", "\x01")


def grammar():
    yield bad("encoding-other", "An encoding that is neither of the two.", GOOD.replace("+msgpack", "+cbor") + "\n\n", "ENV-ENCODING", 23)
    for name, encoding in (("other", "+cbor"), ("none", ""), ("longer", "+msgpackx"), ("json", "+json")):
        for where, text in (("", f"application/vnd.coconut{encoding}; document-type=document; version=2\n\n"), ("-first", f"application/vnd.coconut{encoding}; version=2; document-type=document\n\n")):
            yield bad(f"version-newer-encoding-{name}{where}", "A later version, and a base encoding that is judged after it.", text, "ENV-NEWER", text.index("version=") + 8, "§5.12")
    for name, about, rest in (("type", "a document type of another form", "; document-type=a/b"), ("type-none", "no document type", ""), ("twice", "a parameter given twice", "; a=1; a=2"),
                              ("quoted-empty", "an empty document type in quotes", '; document-type=""'), ("type-twice", "two document types", "; document-type=a; document-type=b")):
        for where, text in (("", f"{START}{rest}; version=2\n\n"), ("-older", f"{START}{rest}; version=0\n\n")):
            yield bad(f"version-newer-{name}{where}", f"Another version, and {about}: the version is judged first.", text, "ENV-OLDER" if where else "ENV-NEWER",
                      text.index("version=") + 8, "§5.12")
    yield bad("encoding-none", "No encoding.", GOOD.replace("+msgpack", "") + "\n\n", "ENV-ENCODING", 23)
    yield bad("encoding-longer", "An encoding that only begins like one.", GOOD.replace("+msgpack", "+msgpack5") + "\n\n", "ENV-ENCODING", 23)
    end = len(GOOD)
    for name, about, rest, place in (
        ("name-missing", "A parameter without a name.", "; =1\n\n", end + 2),
        ("equals-missing", "A space where `=` should be.", "; a 1\n\n", end + 3),
        ("value-missing", "A parameter without `=` and value.", "; a\n\n", end + 3),
        ("value-empty", "An unknown parameter with an empty value.", "; a=\n\n", end + 4),
        ("semicolon-twice", "Two semicolons with nothing between them.", ";; a=1\n\n", end + 1),
        ("semicolon-last", "A semicolon after the last parameter.", ";\n\n", end + 1),
        ("semicolon-missing", "Two parameters without a semicolon.", " a=1\n\n", end + 1),
        ("space-equals", "A space after `=`.", "; a= 1\n\n", end + 4),
        ("token", "A character that no token has.", "; a=(1)\n\n", end + 4),
        ("name-quoted", "A quoted name.", '; "a"=1\n\n', end + 2),
        ("quote-open", "A quoted value that is not closed.", '; a="1\n\n', end + 4),
        ("quote-folded", "A quoted value that is not closed on its line.", '; a="1\n 2"\n\n', end + 4),
        ("quote-rest", "Text after a closed quote.", '; a="1"2\n\n', end + 7),
        ("quote-inside", "A quote within a token.", '; a=1"2"\n\n', end + 5),
    ):
        yield bad(f"syntax-{name}", about, GOOD + rest, "ENV-SYNTAX", place)
    yield bad("syntax-comma", "A comma instead of a semicolon.", GOOD.replace(";", ",", 1) + "\n\n", "ENV-SYNTAX", len(START))


def parameters():
    def version(name, text, code="ENV-VERSION", about=None):
        envelope = START + f"; document-type=document; version={text}\n\n"
        return bad(name, about or f"The version is `{text}`.", envelope, code, envelope.index("version=") + 8, "§2.2")

    no_type, no_version = START + "; version=1\n\n", START + "; document-type=document\n\n"
    older = "A file from before the format was frozen"
    yield bad("type-missing", "No document type.", no_type, "ENV-NOTYPE", "\n\n", "§2.2")
    yield bad("version-missing", "No version.", no_version, "ENV-VERSION", "\n\n", "§2.2")
    for name, text in (("type-empty", ""), ("type-quoted-empty", '""'), ("type-slash", "a/b"), ("type-space", '"my document"')):
        envelope = START + f"; document-type={text}; version=1\n\n"
        yield bad(name, f"The document type is `{text}`.", envelope, "ENV-NOTYPE" if text else "ENV-SYNTAX", envelope.index("type=") + 5, "§2.2")
    yield version("version-empty", "", "ENV-SYNTAX", "The version is empty.")
    for name, text in (("quoted-empty", '""'), ("letters", "abc"), ("negative", "-1"), ("plus", "+0"), ("fraction", "0.1"), ("65536", "65536"),
                       ("huge", "99999999999"), ("hexadecimal", "0x0"), ("space", '" 0"')):
        yield version(f"version-{name}", text)
    yield version("version-older", "0", "ENV-OLDER", f"{older}.")
    yield version("version-older-zeros", "000", "ENV-OLDER", f"{older}, by three zeros.")
    yield version("version-older-quoted", '"0"', "ENV-OLDER", f"{older}, quoted.")
    yield version("version-newer", "2", "ENV-NEWER", "A later version.")
    yield version("version-newer-zeros", "002", "ENV-NEWER", "A later version with leading zeros.")
    yield version("version-newest", "65535", "ENV-NEWER", "The latest version that there can be.")
    twice = GOOD + "; version=01\n\n"
    yield bad("twice", "A parameter given twice with different text.", twice, "ENV-DUPPARAM", twice.index("version=01"), "§2.2")
    twice = GOOD + "; Document-TYPE=document\n\n"
    yield bad("twice-case", "A parameter given twice, the names differing by case.", twice, "ENV-DUPPARAM", twice.index("Document-TYPE"), "§2.2")
    twice = GOOD + "; a=1; b=2; a=1\n\n"
    yield bad("twice-unknown", "An unknown parameter given twice with the same value.", twice, "ENV-DUPPARAM", twice.rindex("a="), "§2.2")


def source_text():
    """Encoding `+json`, §2.4."""
    def text(name, about, source, code, place, parameters="", section="§2.4"):
        source = source if isinstance(source, bytes) else source.encode()
        file = text_file(source, parameters)
        return Case(f"envelope-json-{name}", about, section, file, refused=[(level, code, f"source+{place}") for level in ("decode", "verify")])

    for name, about, source, place in (
        ("empty", "No text at all.", "", 0),
        ("blank", "White space alone.", " \n", 2),
        ("cut", "The text ends within an object.", '{"a": 1', 7),
        ("word", "A word that is no value.", '{"a": yes}', 6),
        ("comment", "A comment.", '[1, // one\n2]', 4),
        ("bracket", "A list closed as an object.", "[1}", 2),
        ("two", "Two documents.", '{}\n{}\n', 3),
        ("mark", "A byte order mark, which belongs in front of a file if anywhere.", b"\xef\xbb\xbf[1]", 0),
        ("key", "A key without quotes.", '{a: 1}', 1),
        ("control", "A control character in a string.", '["a\x01"]', 3),
        ("escape", "An escape that does not exist.", '["a\\x"]', 4),
        ("plus", "A number with a plus sign.", "[+1]", 1),
        ("surrogate", "An escape of half a surrogate pair.", '["a\\ud800b"]', 3),
    ):
        yield text(name, about, source, "SRC-JSON", place)
    yield text("number-tiny", "A number that is nearer to 0 than to any other float.", '[1e-400]', "NUM-RANGE", 1)
    yield text("number-exponent", "A number with an exponent of twenty digits.", '[1e-99999999999999999999]', "NUM-RANGE", 1)
    yield text("escape-cut", "An escape that ends with its string.", '["\\ud83d\\ud"]', "SRC-JSON", 11)
    yield text("key-twice", "A key twice in one object.", '{"a": 1, "b": {"a": 2}, "\\u0061": 3}', "SRC-DUPKEY", 24)
    yield text("utf8", "Text that is not UTF-8.", b'["a\xffb"]', "SRC-UTF8", 3)
    yield text("utf8-cut", "A sequence of UTF-8 that is cut short.", '["é"]'.encode()[:3], "SRC-UTF8", 2)
    yield text("depth", "513 lists in each other.", "[" * 513 + "]" * 513, "SRC-DEPTH", 512)
    yield text("integer-range", "An integer beyond 2^64 − 1.", "[18446744073709551616]", "NUM-RANGE", 1)
    yield text("integer-range-negative", "An integer below −2^63.", "[0, -9223372036854775809]", "NUM-RANGE", 4)
    yield text("float-range", "A number beyond all floats.", '{"a": 1e400}', "NUM-RANGE", 6)
    yield text("float-precision", "A number with more digits than a float has.", "[0.1, 9007199254740993.0]", "NUM-PRECISION", 6)
    good = '{"a": 1}'

    def digest(name, about, value, code):
        file = text_file(good.encode(), f"; digest={value}")
        return Case(f"envelope-json-digest-{name}", about, "§2.4", file, refused=[("verify", code, file.data.index(b"digest=") + 7)])

    right = hashlib.sha256(good.encode()).hexdigest()
    yield digest("differs", "A digest of another text.", "sha-256:" + "0" * 64, "DIG-DIFFERS")
    yield digest("differs-quoted", "The same, quoted.", f'"sha-256:{"0" * 64}"', "DIG-DIFFERS")
    for name, value in (("short", "sha-256:" + right[:-1]), ("long", f"sha-256:{right}0"), ("letters", "sha-256:" + "g" * 64), ("name", f"sha-512:{right}"),
                        ("bare", right), ("empty", '""')):
        yield digest(name, "A digest of another form than §2.2 says.", value, "ENV-SYNTAX")


def limits():
    many = GOOD + "".join(f"; p{i}={i}" for i in range(31)) + "\n\n"
    yield bad("33-parameters", "One parameter more than the limit.", many, "LIM-HEADER", "p30=")
    yield bad("4097-bytes", "An envelope of 4,097 bytes.", GOOD + "; x=" + "a" * (4097 - len(GOOD) - 6) + "\n\n", "LIM-HEADER", 4096)
    yield at_open("envelope-endless", "No blank line within the limit; nothing after it is read.", "§2.1",
                  File(envelope_lines(GOOD + "; x=" + "a" * 5000)), "LIM-HEADER", 4096)


def signature():
    whole = coconut(DOCUMENT)

    def converted(name, about, change, index):
        file = whole.convert(change, about)
        return at_open(f"payload-eol-{name}", about, "§5.2", file, "ENV-EOL", index(file.data))

    def after(found, delta):
        return lambda data: data.index(bytes.fromhex(found)) + delta

    yield converted("lf-crlf", "Every LF of the file became CR LF.", lambda d: d.replace(b"\n", b"\r\n"), after("89 43 43", 4))
    yield converted("bare-lf-crlf", "Every LF that no CR precedes became CR LF, as git does it.",
                    lambda d: d.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), after("89 43 43", 6))
    yield converted("crlf-lf", "Every CR LF became LF.", lambda d: d.replace(b"\r\n", b"\n"), after("89 43 43", 3))
    yield converted("cr-lf", "Every CR became LF.", lambda d: d.replace(b"\r", b"\n"), after("89 43 43", 3))
    yield converted("stripped", "The eighth bit of every byte was stripped.", lambda d: bytes(b & 0x7F for b in d), after("09 43 43", 0))
    yield converted("nul", "Every NUL was lost.", lambda d: d.replace(b"\0", b""), after("89 43 43", 7))
    yield converted("replaced", "Bytes that are not UTF-8 were replaced.", lambda d: d.decode(errors="replace").encode(), after("EF BF BD 43 43", 0))
    yield converted("latin-1", "Each byte was taken for a Latin-1 character and written as UTF-8.", lambda d: d.decode("latin-1").encode(),
                    after("C2 89 43 43", 0))
    yield at_open("payload-eol-lf-cr", "Every LF became CR: the blank line is gone.", "§2.1",
                  whole.convert(lambda d: d.replace(b"\n", b"\r"), "every LF became CR"), "ENV-NOBLANK", len(GOOD))
    for name, digits, delta in (("first", "88", 0), ("letter", "43 44", 1), ("eof", "1B", 5), ("lf", "0B", 6)):
        changed = whole.poke(f"signature+{delta}", digits, "another signature").repair()
        wrong = delta + (1 if name == "letter" else 0)
        yield at_open(f"payload-signature-{name}", "A signature that differs in one byte.", "§5.2", changed, "ENV-SIGNATURE", f"signature+{wrong}")
    yield at_open("payload-signature-cut-last", "The file ends before the last byte of the signature, which is not a NUL that was lost.", "§5.2",
                  whole.cut("signature+7"), "MSG-SHORT", "signature")
    yield at_open("payload-signature-cut", "The file ends within the signature.", "§5.2", whole.cut("signature+5"), "MSG-SHORT", "signature")
    yield at_open("payload-signature-cut-changed", "The file ends within what would not be the signature.", "§5.2",
                  whole.poke("signature+1", "44", "another byte").cut("signature+5"), "MSG-SHORT", "signature")
    for name, about, place in (("envelope", "The file ends after the envelope.", "payload"), ("array", "The file ends after the array header.", "sign"),
                               ("bin", "The file ends before the length of the signature.", "sign+1"), ("length", "The file ends before the signature.", "signature")):
        yield at_open(f"payload-cut-{name}", about, "§5.2", whole.cut(place), "MSG-SHORT", "end")
    yield at_open("payload-cut-count", "The file ends within an array header of three bytes.", "§5.2",
                  whole.poke("payload", "DC", "an array of 16 bits").cut("payload+2"), "MSG-SHORT", "end")
    base = GOOD + "\n\n"

    def damaged(name, about, digits, code, place):
        return at_open(f"payload-{name}", about, "§5.2", File(envelope_lines(base) + raw(digits, about)), code, len(base) + place)

    yield damaged("eol-nul-end", "The NUL was lost, and the file ends in its place.", "97 97 C4 08 89 43 43 0D 0A 1A 0A", "ENV-EOL", 11)
    yield damaged("eol-last", "The last place where a conversion is looked for: the 25th byte of the payload.", "97" * 24 + "89 43 43 0A 1A" + "00" * 30, "ENV-EOL", 27)
    yield damaged("eol-beyond", "A conversion that begins one byte later is not looked for.", "97" * 25 + "89 43 43 0A 1A" + "00" * 30, "ENV-SIGNATURE", 1)
    yield damaged("eol-nul-later", "The signature itself, behind its place: its NUL is there.", "97" * 24 + "89 43 43 0D 0A 1A 0A 00" + "00" * 30, "ENV-SIGNATURE", 1)
    yield damaged("eol-two", "The table's bytes twice, first in the signature and its NUL: the second place counts.", "97 97" + "89 43 43 0D 0A 1A 0A 00" + "89 43 43 0A 0A" + "00" * 30, "ENV-EOL", 13)
    for name, digits, place in (("1", "DC", 1), ("2", "DC 00", 2), ("4", "DD 00 00 00", 4), ("wide", "DD 00 00 00 07", 5), ("bytes", "97 00 00 00 00 00", 3), ("converted", "97 C4 08 89 43 43 0A 1A 0A", 3)):
        yield damaged(f"cut-head-{name}", "Fewer than ten bytes after the array header, whatever they are, or not all of the header.", digits, "MSG-SHORT", place)
    yield at_open("payload-no-array", "The payload is a map.", "§5.2", whole.poke("payload", "87", "a map").repair(), "PAY-FORM", "payload")
    yield at_open("payload-no-array-cut", "A payload that is a map, and ends where a signature would be.", "§5.2",
                  whole.poke("payload", "87", "a map").cut("signature+5"), "PAY-FORM", "payload")


