"""Good vectors of the landmark rule (§8.1): that of packages, its limits, and which pattern counts
where several meet."""

from .assemble import Landmark, Rule, texts
from .good_index import entries, index
from .pieces import at, full, lst, nil, num, obj, s


def cases():
    yield from packages()
    yield from limits()
    yield from meetings()
    yield from objects()
    yield from side_by_side()


PACKAGE = {"name": "aws", "modules": {
    "ec2/instance": {"members": {"Instance": {"members": {"image": {"access": "public"}}}, "list": None}}, "s3": {"members": {}}}}
PATTERNS = ("[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*")
MARKS = (
    Landmark("aws", "aws", "", 0),
    Landmark("ec2", "ec2/instance", "/modules/ec2~1instance", 1, 0),
    Landmark("instance", "Instance", "/modules/ec2~1instance/members/Instance", 2, 1),
    Landmark("image", "image", "/modules/ec2~1instance/members/Instance/members/image", 3, 2),
    Landmark("list", "list", "/modules/ec2~1instance/members/list", 2, 1),
    Landmark("s3", "s3", "/modules/s3", 1, 0),
)


def root():
    instance = obj("members", obj(at("image", s("image")), full({"access": "public"})))
    members = obj(at("instance", s("Instance")), instance, at("list", s("list")), nil())
    return at("aws", obj("name", s("aws"), "modules", obj(at("ec2", s("ec2/instance")), obj("members", members), at("s3", s("s3")), full({"members": {}}))))


def packages():
    rule = Rule(PATTERNS, MARKS, join=":", stated=False)
    absent = ("ec2/instance", "Instance", "aws:ec2", "aws:s3:", "aws:ec2/instance:image")

    def package(name, about, rule=rule, absent=absent, **options):
        return index(f"package-{name}", about, "§5.3", PACKAGE, root(), rule, absent=absent, **{"kind": "cocopack", **options})

    none = ("aws", "s3", "aws:s3")
    yield package("implied", "A package whose header has no rule has the rule of packages.")
    yield package("implied-no-tables", "The same without an index: lookups by full tokens.", index=())
    yield package("implied-case", "The same with the document type in another case.", kind="CocoPack")
    yield package("no-patterns", "A package with an empty list of patterns has no landmarks.", Rule((), ()), none, index=())
    yield package("join-alone", "A package with a join and no patterns: the rule is said, and has no landmarks.", None, none,
                  header=lambda f: f + [("join", s(":"))])
    yield package("edges-alone", "A package with an empty list of edges and no patterns: the rule is said, and has no landmarks.", None, none,
                  header=lambda f: f + [("edges", texts([]))])
    yield index("package-not-implied", "Another document type has no rule of its own.", "§5.3", PACKAGE, root(), None, absent=none, kind="cocopacks")


def deep(names, value):
    for name in reversed(names):
        value = {name: value}
    return value


def nest(names, label, value=1):
    """The object `{name: {name: … value}}`, the last key labelled."""
    piece = obj(at(label, s(names[-1])), full(value))
    for name in reversed(names[:-1]):
        piece = obj(name, piece)
    return piece


def limits():
    names = [f"s{i}" for i in range(64)]
    path = "".join(f"/{n}" for n in names)
    yield index("rule-64-segments", "A pattern of 64 segments, as many as the limit allows.", "§8.1", deep(names, 1), nest(names, "last"),
                Rule((path,), (Landmark("last", "s63", path),)))
    names = [f"s{i}" for i in range(28)]
    head = "".join(f"/{n}" for n in names)
    yield index("rule-64-segments-all", "64 segments over two patterns and an edge: equal beginnings count each time, those in groups once each, those of the edge's pattern not.",
                "§8.1", deep(names + ["a", "c"], "c"), nest(names + ["a", "c"], "last", "c"),
                Rule((f"{head}(/a/b)*/a/*", f"{head}/d"), (Landmark("last", "c", f"{head}/a/c"),), edges=("k=0(/x/y)*/z",)))
    names = ["x", "y"]
    piece, marks = entries(names)
    found = tuple((i, i, 0) for i in range(2))
    document = {"things": {n: {"e0": n} for n in names}}
    piece = obj("things", obj(*(p for n in names for p in (at(n, s(n)), full({"e0": n})))))
    yield index("rule-32-edges", "As many edges as the limit allows, with one pattern.", "§8.1", document, piece,
                Rule(("/things/*",), marks, edges=tuple(f"k=0/e{i}" for i in range(32)), found=found))
    patterns = tuple(f"/p{i}" for i in range(32))
    yield index("rule-32-patterns", "As many patterns as the limit allows.", "§8.1", {"p31": 1}, obj(at("p31", s("p31")), num(1)),
                Rule(patterns, (Landmark("p31", "p31", "/p31", 31),)))


def meetings():
    document = {"a": {"k": "x"}, "b": {"k": "y", "name": "z"}}
    yield index("lowest-without-key", "Two patterns lead to `/a`. The lower number counts, although it gives no key: `a` is no landmark.", "§8.1", document,
                obj("a", full(document["a"]), at("b", s("b")), full(document["b"])),
                Rule(("/a[name]", "/*"), (Landmark("b", "b", "/b", 1),)), absent=("a", "x"))
    document = {"a": {"r": "b"}, "b": {"r": "b", "n": 1}}
    rooted = obj(at("a", s("a")), full(document["a"]), at("b", s("b")), full(document["b"]))
    marks = (Landmark("a", "a", "/a"), Landmark("b", "b", "/b"))
    yield index("edges-several", "Three edges lead to each string, two of them by one path: it is a reference of each kind.", "§8.1", document, rooted,
                Rule(("/*",), marks, edges=("any=0/*", "r=0/r", "again=0/*"), found=tuple((i, 1, k) for i in range(2) for k in range(3))))
    yield index("edges-several-only-entry", "One of two edges wants the only entry.", "§8.1", document, rooted,
                Rule(("/*",), marks, edges=("only=0/{r}", "any=0/r"), found=((0, 1, 0), (0, 1, 1), (1, 1, 1))))
    inner = {"a": {"o": {"r": "b"}}, "b": {"o": {"r": "a"}, "n": 1}}
    yield index("edges-only-entry-inner", "Only entries on the way to a string, and in a group.", "§8.1", inner,
                obj(at("a", s("a")), full(inner["a"]), at("b", s("b")), full(inner["b"])),
                Rule(("/*",), marks, edges=("inner=0/{o}/r", "group=0(/{o})*/{r}"), found=((0, 1, 0), (0, 1, 1))))
    yield index("same-path", "Two patterns of one path: no value has the class of the second.", "§8.1", document, rooted,
                Rule(("/*", "/*[r]"), marks), absent=("x",))
    yield index("groups-alike", "Two groups that begin alike, passed in turn.", "§8.1", {"a": {"b": {"a": {"c": {"z": 1}}}}},
                obj("a", obj("b", obj("a", obj("c", obj(at("z", s("z")), num(1)))))),
                Rule(("(/a/b)*(/a/c)*/z",), (Landmark("z", "z", "/a/b/a/c/z"),)))


def objects():
    document = [{"a": "x"}, 5, "text", None, [{"a": "y"}], {}]
    yield index("template-objects", "A template of parentheses alone could be made without any field; still only objects are landmarks.", "§8.1", document,
                lst(at("0", full({"a": "x"})), num(5), s("text"), nil(), lst(full({"a": "y"})), at("5", full({}))),
                Rule(("/*[k(-{a})({b})]",), (Landmark("0", "k-x", "/0"), Landmark("5", "k", "/5"))), absent=("k-y", "x", "k-"))


def side_by_side():
    """Groups with nothing between them: the end of one begins the next, and does not lead back into
    one before it."""
    document = {"id": "r", "a": {"id": "a", "a": {"id": "aa", "b": {"id": "aab"}}}, "b": {"id": "b", "a": {"id": "ba"}, "b": {"id": "bb"}}}
    root = at("r", obj("id", s("r"),
                       at("a", s("a")), obj("id", s("a"), at("aa", s("a")), obj("id", s("aa"), at("aab", s("b")), full({"id": "aab"}))),
                       at("b", s("b")), obj("id", s("b"), "a", full({"id": "ba"}), at("bb", s("b")), full({"id": "bb"}))))
    rule = Rule(("(/a)*(/b)*[id]",), (
        Landmark("r", "r", ""), Landmark("a", "a", "/a", 0, 0), Landmark("aa", "aa", "/a/a", 0, 1), Landmark("aab", "aab", "/a/a/b", 0, 2),
        Landmark("b", "b", "/b", 0, 0), Landmark("bb", "bb", "/b/b", 0, 4)))
    yield from with_and_without("groups-side-by-side", "Two groups side by side: a round of the second does not lead back to the first, so `/b/a` is no landmark.",
                                document, root, rule, "ba")
    document = {"id": "x", "a": {"id": "y", "c": {"c": {"r": "x"}}}, "c": {"r": "x", "a": {"id": "z", "r": "y"}}}
    root = at("x", obj("id", s("x"), at("y", s("a")), full(document["a"]), "c", full(document["c"])))
    rule = Rule(("(/a)*[id]",), (Landmark("x", "x", ""), Landmark("y", "y", "/a", 0, 0)), edges=("ref=0(/c)*/r",), found=((0, 0, 0), (1, 0, 0)))
    yield from with_and_without("edges-group-behind-group", "An edge that begins with a group, after a pattern that ends in one: `/c/a/r` is no reference.",
                                document, root, rule, "z")


def with_and_without(name, about, document, root, rule, absent):
    yield index(name, about, "§8.1", document, root, rule, absent=(absent,))
    yield index(f"{name}-no-tables", "The same without an index.", "§8.7", document, root, rule, absent=(absent,), index=())
