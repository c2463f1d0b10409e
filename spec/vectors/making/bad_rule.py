"""Bad vectors of the landmark rule (§8.1). A rule is text until it is used, so all of these files
open and decode."""

from .assemble import Landmark, Rule, coconut, texts
from .cases import at_verify
from .pieces import at, num, obj, s

DOCUMENT = {"a": 1}


def cases():
    yield from patterns()
    yield from edges()
    yield from limits()
    yield from used()


def refused(name, about, rule, place, code="LMK-NEWER", edges=None, section="§8.1"):
    """A file whose header has these patterns and edges, without an index."""
    fields = ([("patterns", texts(rule))] if rule is not None else []) + ([("edges", texts(edges))] if edges else [])
    gets = [(what, code, place) for what in ("a", "deps a", "rdeps a", "children a")]
    return at_verify(f"rule-{name}", about, section, coconut(DOCUMENT, header=lambda f: f + fields), code, place, DOCUMENT, gets)


def item(texts_before):
    """The place of an item after others that are short enough for a header of one byte."""
    head = 1 if len(texts_before) < 15 else 3
    return f"patterns+{head + sum(len(x) + (1 if len(x) < 32 else 2 if len(x) < 256 else 3) for x in texts_before)}"


def patterns():
    for name, about, pattern in (
        ("no-slash", "a path that does not begin with a slash", "things/*"),
        ("field-open", "a field that is not closed", "/a[name"),
        ("field-empty", "an empty field", "/a[]"),
        ("field-twice", "two fields", "/a[b][c]"),
        ("field-then-path", "a path after the field", "/a[b]/c"),
        ("field-step-empty", "a field path that ends in a slash", "/a[b/]"),
        ("field-step-first", "a field path that begins with a slash", "/a[/b]"),
        ("field-step-twice", "a field path with two slashes side by side", "/a[b//c]"),
        ("field-star", "a field path with a star", "/a[b/*]"),
        ("group-open", "a group that is not closed", "(/a"),
        ("group-no-star", "a group without its star", "(/a)/b"),
        ("group-empty", "an empty group", "()*/b"),
        ("group-nested", "a group in a group", "((/a)*/b)*"),
        ("star-in-text", "a star within text", "/a*"),
        ("escape", "an escape that does not exist", "/a~3"),
        ("escape-2", "an escape that does not exist, for no character that needs one", "/a~2"),
        ("escape-end", "a tilde at the end", "/a~"),
        ("only-entry", "the only entry of an object, which edges may name", "/a/{b}"),
        ("template-no-field", "a template of text alone", "/a[(b)]"),
        ("template-open", "a field of a template that is not closed", "/a[{b]"),
        ("template-filter", "a filter that does not exist", "/a[{b|text}]"),
        ("template-nested", "parentheses within parentheses", "/a[({b}({c}))]"),
        ("template-empty-group", "parentheses without a piece", "/a[{b}()]"),
        ("template-slash", "a slash in the text of a template", "/a[x/y{b}]"),
        ("template-step-empty", "a field path of a template that ends in a slash", "/a[x{b/}]"),
        ("template-step-first", "a field path of a template that begins with a slash", "/a[x{/b}]"),
        ("template-compare-path", "a slash in the text that a field is compared with", "/a[x{b=c/d}]"),
        ("field-long-open", "a long key that is not closed, which must not be tried in all its divisions", "/a[" + 64 * "b"),
        ("no-key", "neither path nor key: the root is no entry", ""),
        ("no-key-group", "a group at its end and no key: what it leads to may be no entry", "/a(/b)*"),
        ("template-no-name", "a template with a field without a name", "/a[x{}]"),
        ("template-no-text", "a template with nothing to compare with", "/a[{b=}]"),
        ("template-no-filter", "a template with an empty filter", "/a[{b|}]"),
        ("template-field", "a template of one field alone, which is written without braces", "/a[{b}]"),
        ("template-field-path", "a template of one field path alone, which is written without braces", "/a[{b/c}]"),
    ):
        code = "LMK-RULE" if name in ("no-key", "no-key-group", "template-field", "template-field-path") else "LMK-NEWER"
        yield refused(name, f"A landmark pattern with {about}.", [pattern], "header patterns+1", code)
    yield refused("second", "The second of two patterns is not well formed.", ["/a", "b"], "header patterns+4")


def edges():
    for name, about, edge in (
        ("no-path", "no path", "dep=0"), ("no-path-separator", "a separator and no path", "dep=0<::"), ("class-zeros", "a number with leading zeros", "dep=00/a"),
        ("class", "a class that no pattern has", "dep=1/a"), ("class-100", "a class of three digits", "dep=100/a"), ("no-class", "no class", "dep=/a"), ("no-kind", "no kind", "=0/a"),
        ("upper-case", "a kind in upper case", "Dep=0/a"), ("digit-kind", "a kind that begins with a digit", "1d=0/a"),
        ("no-equals", "no equals sign", "dep0/a"), ("separator-empty", "an empty separator", "dep=0/a<"), ("field", "a field", "dep=0/a[b]"),
        ("first-empty", "an empty first separator", "dep=0/a<<"), ("first-three", "three signs for a separator", "dep=0/a<<<x"),
        ("names-text", "text after the sign for names", "dep=0/a<{x"), ("names-first", "two readings", "dep=0/a<<{"),
        ("names-closed", "a closed sign for names", "dep=0/a<{}"), ("names-close", "a closing brace for a reading", "dep=0/a<}"),
        ("instance-text", "text after the sign for instances", "dep=0/a<[x"), ("instance-closed", "a closed sign for instances", "dep=0/a<[]"),
        ("separator-slash", "a slash in its separator", "dep=0/a<x/y"), ("two", "two separators", "dep=0/a<x<y"), ("escape", "a tilde at its end", "dep=0/a<x~"),
        ("only-entry-open", "an only entry that is not closed", "dep=0/{a"),
    ):
        yield refused(f"edge-{name}", f"An edge pattern with {about}.", ["/*"], "header edges+1", "LMK-RULE" if name == "class" else "LMK-NEWER", edges=[edge])
    yield refused("edge-no-patterns", "An edge pattern where there are no patterns.", None, "header edges+1", "LMK-RULE", edges=["dep=0/a"])
    yield refused("edge-second", "The second of two edges is not well formed.", ["/*"], "header edges+9", edges=["dep=0/a", "x"])


def limits():
    many = [f"/x{i}" for i in range(33)]
    yield refused("33", "33 patterns: the last is one too many.", many, f"header {item(many[:-1])}")
    yield refused("33-edges", "33 edges: the last is one too many.", ["/*"], f"header edges+{3 + sum(len(f'k=0/e{i}') + 1 for i in range(32))}",
                  edges=[f"k=0/e{i}" for i in range(33)])

    def path(n):
        return "/s" * n

    for name, about, texts_ in (("", "A pattern of 65 segments", [path(65)]), ("-second", "60 segments, and five more in the second pattern", [path(60), path(5)]),
                                ("-alike", "Two patterns of 33 segments: equal beginnings count twice", [path(33), path(33)]),
                                ("-group", "64 segments and a group of one: what is in groups counts", [path(62) + "(/a/b)*/c"])):
        yield refused(f"65-segments{name}", f"{about}.", texts_, f"header {item(texts_[:-1])}")
    yield refused("65-segments-edge", "63 segments of a pattern and two of an edge.", [path(63)], "header edges+1", edges=["k=0/a/b"])
    yield refused("65-segments-edge-second", "62 segments of a pattern, two of an edge, and one of another.", [path(62)], "header edges+9", edges=["k=0/a/b", "k=0/c"])
    pieces = "/*[" + "".join(f"{{f{i}}}" for i in range(33)) + "]"
    yield refused("33-pieces", "A template of 33 pieces: the last is one too many.", [pieces], "header patterns+1", "LIM-COUNT", section="§9")
    grouped = "/*[" + "".join(f"({{f{i}}}x)" for i in range(17)) + "]"
    yield refused("34-pieces", "A template of 17 parentheses of two pieces each.", ["/a", grouped], "header patterns+4", "LIM-COUNT", section="§9")


def used():
    document = {"a": 1, "b": 2}
    root = obj(at("a", s("a")), num(1), at("b", s("b")), num(2))
    rule = Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")))
    later = texts(["/*[{name|hash}]"])
    file = coconut(document, root, rule=rule, header=lambda f: [(k, later if k == "patterns" else v) for k, v in f])
    yield at_verify("rule-indexed", "A rule of a later version, and an index that an older reader must not believe it understands.", "§8.1", file, "LMK-NEWER", "header patterns+1",
                    document, [(what, "LMK-NEWER", "header patterns+1") for what in ("a", "c", "deps a", "children b")])
