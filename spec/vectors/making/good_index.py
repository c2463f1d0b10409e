"""Good vectors of landmarks and their index, §8."""

import json
from dataclasses import replace
from typing import NamedTuple

from .assemble import Landmark, Rule, coconut
from .cases import good
from .pieces import at, const, empty, full, int_slot, lst, num, obj, plain, plain_int, rec, s, sh, shape, sid


def answers(rule):
    """The answer of a lookup of each key, as metadata."""
    rows, keys = [], []
    if rule is None:
        return rows
    for i in range(len(rule.landmarks)):
        if rule.full_key(i) not in keys:
            keys.append(rule.full_key(i))
    names = [e.split("=", 1)[0] for e in rule.edges]
    for key in keys:
        found = [i for i in range(len(rule.landmarks)) if rule.full_key(i) == key]
        rows += [(f"get {key}", rule.landmarks[i].pointer) for i in found]
        if len(found) > 1:
            continue
        if len(rule.patterns) > 1:
            rows.append((f"class {key}", str(rule.landmarks[found[0]].kind)))
        if any(m.parent is not None for m in rule.landmarks):
            inner = [rule.full_key(i) for i, m in enumerate(rule.landmarks) if m.parent == found[0]]
            rows.append((f"children {key}", ", ".join(inner)))
        if rule.edges:
            edges = sorted((b, k) for a, b, k in set(rule.found) if a == found[0])
            rows.append((f"deps {key}", ", ".join(f"{rule.full_key(b)} {names[k]}" for b, k in edges)))
            edges = sorted((a, k) for a, b, k in set(rule.found) if b == found[0])
            rows.append((f"rdeps {key}", ", ".join(f"{rule.full_key(a)} {names[k]}" for a, k in edges)))
    return rows


def index(name, about, section, document, root, rule, absent=("no such key",), **options):
    return good(f"index-{name}", about, section, document, coconut(document, root, rule=rule, **options), rule,
                answers(rule) + [("absent", key) for key in absent])


def entries(names, value=lambda name: full({"v": name}), pointer="/things/{}"):
    """An object whose entries are landmarks, and the landmarks."""
    root = obj("things", obj(*(x for n in names for x in (at(n, s(n)), value(n)))))
    return root, tuple(Landmark(n, n, pointer.format(n.replace("~", "~0").replace("/", "~1"))) for n in names)


def cases():
    yield from keys()
    yield from hashes()
    yield from trees()
    yield from edges()
    yield from forms()


def keys():
    yield from absent_tables()
    names = ["alpha", "beta", "gamma"]
    root, marks = entries(names)
    document = {"things": {n: {"v": n} for n in names}}
    yield index("object", "Landmarks are the entries of an object; their offsets are those of the keys.", "§8.1", document, root,
                Rule(("/things/*",), marks), absent=("alph", "alphaa", ""))
    yield index("key-ids", "The keys of the entries are string ids.", "§8.2", document,
                obj("things", obj(*(x for i, n in enumerate(names) for x in (at(n, sid(i, n)), full({"v": n}))))), Rule(("/things/*",), marks),
                strings=names)
    yield index("no-tables", "A rule and no index at all: a reader that looks keys up builds its own.", "§5.11", document, root,
                Rule(("/things/*",), marks), index=())
    yield index("offsets-only", "Landmark offsets without a key index.", "§8.7", document, root, Rule(("/things/*",), marks), index=(32,))
    yield index("scalars", "Landmarks that are scalars and empty containers.", "§8.1", {"things": {"n": None, "i": 5, "s": "x", "l": []}},
                obj("things", obj(at("n", s("n")), full(None), at("i", s("i")), num(5), at("s", s("s")), s("x"), at("l", s("l")), full([]))),
                Rule(("/things/*",), tuple(Landmark(n, n, f"/things/{n}") for n in "nisl")))
    odd = ["", "a/b", "~", "__proto__", "1", "é"]
    root, marks = entries(odd)
    yield index("keys-odd", "Keys that are empty, hold slashes or tildes, or are special in some languages.", "§8.5",
                {"things": {n: {"v": n} for n in odd}}, root, Rule(("/things/*",), marks))
    document = [{"name": "a", "v": 1}, {"v": 2}, {"name": 3}, "text", {"name": "b"}]
    root = lst(at("a", full(document[0])), *map(full, document[1:4]), at("b", full(document[4])))
    yield index("field", "List items with the field `name`; items without it, or where it is no string, are no landmarks.", "§8.1", document, root,
                Rule(("/*[name]",), (Landmark("a", "a", "/0"), Landmark("b", "b", "/4"))))
    yield index("field-record", "Landmarks that are records; the key is in a slot.", "§8.2", [{"name": "a", "n": 1}, {"name": "b", "n": 2}],
                lst(at("a", rec(0, s("a"), plain_int(1))), at("b", rec(0, sid(0, "b"), plain_int(2)))),
                Rule(("/*[name]",), (Landmark("a", "a", "/0"), Landmark("b", "b", "/1"))), strings=["b"], shapes=[shape("name", int_slot("n"))])
    yield index("field-shared", "Two landmarks that are references to one shared value have the same key.", "§5.7",
                [{"name": "a"}, {"name": "a"}], lst(at("0", sh(0)), at("1", sh(0))),
                Rule(("/*[name]",), (Landmark("0", "a", "/0"), Landmark("1", "a", "/1"))), shared=[obj("name", s("a"))])
    yield index("field-entry", "A pattern with a field where landmarks are entries of an object: the offset is that of the entry's key.", "§8.2",
                {"x": {"id": "a"}, "y": {"id": "b"}}, obj(at("a", s("x")), full({"id": "a"}), at("b", s("y")), full({"id": "b"})),
                Rule(("/*[id]",), (Landmark("a", "a", "/x"), Landmark("b", "b", "/y"))), absent=("x", "y"))
    yield index("root", "The document itself is a landmark.", "§8.2", {"name": "all", "n": 1}, at("all", full({"name": "all", "n": 1})),
                Rule(("[name]",), (Landmark("all", "all", ""),)))
    document = [{"name": "x", "n": 1}, {"name": "y"}, {"name": "x", "n": 2}, {"name": "x", "n": 3}]
    yield index("ambiguous", "Three landmarks of one key are all found, in document order.", "§8.5", document,
                lst(*(at(str(i), full(v)) for i, v in enumerate(document))),
                Rule(("/*[name]",), tuple(Landmark(str(i), v["name"], f"/{i}") for i, v in enumerate(document))))
    document = {"a": {"k": 1}, "b": {"k": 2}}
    yield index("lowest-class", "Two patterns match `/a`; the lower number counts.", "§8.1", document,
                obj(at("a", s("a")), full({"k": 1}), at("b", s("b")), full({"k": 2})),
                Rule(("/a", "/*"), (Landmark("a", "a", "/a", 0), Landmark("b", "b", "/b", 1))))
    document = {"a/b": {"*": 1}, "c": {"*": 2, "d": 3}}
    yield index("escapes", "A rule with escapes: the entry `a/b`, and in it the entry `*`.", "§8.1", document,
                obj("a/b", obj(at("*", s("*")), num(1)), "c", full({"*": 2, "d": 3})), Rule(("/a~1b/~*",), (Landmark("*", "*", "/a~1b/*"),)))
    yield index("empty-segments", "A rule with segments without text: the entries of an object under the empty key that have it too.", "§8.1", {"a": {"": {"k": {"": 1}, "l": 2}}},
                obj("a", obj("", obj("k", obj(at("", s("")), num(1)), "l", num(2)))), Rule(("/a//*/",), (Landmark("", "", "/a//k/"),)))
    yield index("none", "A rule that matches nothing.", "§8.1", {"a": 1}, full({"a": 1}), Rule(("/things/*",), ()), index=())
    template = "({module}.)({mode=data}.){type}.{name}"
    document = {"resources": [
        {"mode": "managed", "type": "t", "name": "a"}, {"mode": "data", "type": "t", "name": "b"},
        {"module": "m", "mode": "data", "type": "u", "name": "c"}, {"module": "m", "type": "u", "name": "d"}, {"type": "no name"},
        {"module": 5, "mode": ["data"], "type": "t", "name": "e"}]}
    full_keys = {0: "t.a", 1: "data.t.b", 2: "m.data.u.c", 3: "m.u.d", 5: "t.e"}
    yield index("template", "Keys from a template with optional and conditional pieces, like a Terraform address.", "§8.1", document,
                obj("resources", lst(*(at(str(i), full(v)) for i, v in enumerate(document["resources"])))),
                Rule((f"/resources/*[{template}]",), tuple(Landmark(str(i), k, f"/resources/{i}") for i, k in full_keys.items())))


def absent_tables():
    """§5.8: tables that may be there, although they say nothing."""
    root, marks = entries(["a", "b"])
    document = {"things": {n: {"v": n} for n in "ab"}}
    rule = Rule(("/things/*",), marks, edges=("dep=0/none",))
    for name, about, section, tables in (
        ("classes", "Landmark classes, all zero.", "§8.3", (33,)), ("tree", "A landmark tree although no landmark has a parent.", "§8.4", (34,)),
        ("edges", "Edge tables without an edge.", "§8.6", (40, 41, 42, 43, 44, 45)), ("all", "All three.", "§5.8", (33, 34, 40, 41, 42, 43, 44, 45)),
    ):
        yield index(f"empty-{name}", about, section, document, root, rule, index=(32, 35, 36) + tables)
    yield index("empty-none", "The same without them.", "§5.8", document, root, rule, index=(32, 35, 36))


def hashes():
    pair = ["plumless", "buckeroo"]
    root, marks = entries(pair + ["other"])
    yield index("equal-hashes", "Two keys with the same CRC-32, 4DDB0C25: sorted by key, each found.", "§8.5",
                {"things": {n: {"v": n} for n in pair + ["other"]}}, root, Rule(("/things/*",), marks))
    root, marks = entries(pair[:1])
    yield index("equal-hash-absent", "A key whose CRC-32 equals that of the only landmark is not found.", "§8.5", {"things": {"plumless": {"v": "plumless"}}},
                root, Rule(("/things/*",), marks), absent=("buckeroo",))
    names = [f"key{i}" for i in range(40)]
    root, marks = entries(names, plain_value)
    document = {"things": dict(enumerate_values(names))}
    yield index("buckets", "40 landmarks: 16 buckets.", "§8.5", document, root, Rule(("/things/*",), marks))
    yield index("buckets-wide", "40 landmarks in a wide file: offsets of eight bytes, slots of sixteen.", "§8.5", document, root,
                Rule(("/things/*",), marks), wide=True)
    yield index("blocks", "40 landmarks in a file with a block table.", "§7.2", document, root, Rule(("/things/*",), marks), blocks=True)
    names = [f"k{i}" for i in range(5)]
    root, marks = entries(names, plain_value)
    yield index("two-buckets", "Five landmarks: two buckets.", "§8.5", {"things": dict(enumerate_values(names))}, root, Rule(("/things/*",), marks))


def plain_value(name):
    return num(len(name))


def enumerate_values(names):
    return ((n, len(n)) for n in names)


PACKAGE = {"name": "pkg", "modules": {
    "pkg:ec2": {"members": {"Vpc": {"k": "class", "members": {"id": {"k": "out"}, "tag": {"k": "in"}}}, "Net": {"k": "class"}}},
    "pkg:s3": {"members": {"Bucket": {"k": "class", "members": {"id": {"k": "out"}}}}}}}


def package_root():
    def member(label, name, *rest):
        return at(label, s(name)), obj(*rest)

    vpc = member("vpc", "Vpc", "k", s("class"), "members", obj(*member("vpc-id", "id", "k", s("out")), *member("vpc-tag", "tag", "k", s("in"))))
    net = member("net", "Net", "k", s("class"))
    bucket = member("bucket", "Bucket", "k", s("class"), "members", obj(*member("bucket-id", "id", "k", s("out"))))
    return at("pkg", obj("name", s("pkg"), "modules", obj(*member("ec2", "pkg:ec2", "members", obj(*vpc, *net)),
                                                          *member("s3", "pkg:s3", "members", obj(*bucket)))))


class Parts(NamedTuple):
    """What a file is made of, for vectors that leave tables out."""

    document: object
    root: list
    rule: Rule
    options: dict = {}


def package():
    modules, members = "/modules/*", "/members/*"
    m = "/modules/pkg:ec2/members"
    rule = Rule((modules, modules + members, modules + members + members), (
        Landmark("ec2", "pkg:ec2", "/modules/pkg:ec2", 0, None),
        Landmark("vpc", "Vpc", f"{m}/Vpc", 1, 0),
        Landmark("vpc-id", "id", f"{m}/Vpc/members/id", 2, 1),
        Landmark("vpc-tag", "tag", f"{m}/Vpc/members/tag", 2, 1),
        Landmark("net", "Net", f"{m}/Net", 1, 0),
        Landmark("s3", "pkg:s3", "/modules/pkg:s3", 0, None),
        Landmark("bucket", "Bucket", "/modules/pkg:s3/members/Bucket", 1, 5),
        Landmark("bucket-id", "id", "/modules/pkg:s3/members/Bucket/members/id", 2, 6),
    ), join=":")
    return Parts(PACKAGE, package_root(), rule, dict(kind="cocopack"))


def modules():
    paths = [["root"], ["root", "a"], ["root", "a", "b"], ["a", "b"], ["root", 1], []]
    document = {"modules": [{"path": path, "resources": {"t.x": {}}} for path in paths] + [{"path": "root"}]}
    marks = [at(f"x{i}", s("t.x")) for i in range(6)]
    of = [obj("path", lst(*map(full, path)), "resources", obj(marks[i], full({}))) for i, path in enumerate(paths)]
    root = obj("modules", lst(of[0], at("a", of[1]), at("b", of[2]), *of[3:], full({"path": "root"})))
    kept = (("x0", "t.x", "/modules/0/resources/t.x", 0, None), ("a", "module.a", "/modules/1", 1, None),
            ("x1", "t.x", "/modules/1/resources/t.x", 0, 1), ("b", "module.a.module.b", "/modules/2", 1, None),
            ("x2", "t.x", "/modules/2/resources/t.x", 0, 3), *((f"x{i}", "t.x", f"/modules/{i}/resources/t.x", 0, None) for i in (3, 4, 5)))
    rule = Rule(("/modules/*/resources/*", "/modules/*[{path|modules}]"), tuple(Landmark(*mark) for mark in kept), join=".")
    absent = ("module.root", "module.b", "module.a.t", "module.a.module.b.t")
    yield index("template-modules", "The path of a module as its address: of a list that begins with `root`, and of nothing else.", "§8.1", document, root, rule,
                absent=absent)
    yield index("template-modules-no-tables", "The same without an index.", "§8.7", document, root, rule, absent=absent, index=())
    values = [("t.a", 0), ("t.a[1]", 1), ("t.a[0]", 1), ("t.b[\"k\"]", "k"), ("t.c", None)]
    document = [{"address": address} | ({"index": i} if i is not None else {}) for address, i in values]
    keys = ["t.a[0]", "t.a[1]", "t.a[0][1]", "t.b[\"k\"]", "t.c"]
    rule = Rule(("/*[{address}(~[{index|json}~]|once)]",), tuple(Landmark(str(i), key, f"/{i}") for i, key in enumerate(keys)))
    yield index("template-once", "A part that is left out where the key ends with it already.", "§8.1", document,
                lst(*(at(str(i), full(v)) for i, v in enumerate(document))), rule, absent=("t.a", "t.a[1][1]", "t.b"))


def trees():
    rule = package().rule
    # The last two have the CRC-32 of `pkg:ec2:Vpc`, and end like it.
    absent = ("id", "Vpc", "pkg:ec2:Vpc:", "pkg:ec2:Vpc:Id", "pkg", "pkg:ec2:Vpcid", "omwwbwjtVpc", "jtuobkne:Vpc")
    yield index("join", "Modules and members like those of a package, with joined keys, three classes and a tree.", "§8.4", PACKAGE, package_root(), rule,
                absent=absent, kind="cocopack")
    yield index("join-no-tables", "The same without an index.", "§8.7", PACKAGE, package_root(), rule, absent=absent, kind="cocopack", index=())
    yield index("join-plain", "The same in profile plain.", "§4.6", PACKAGE, plain_package(), rule, absent=absent, kind="cocopack", profile="plain")
    yield index("join-transport", "The same in profile transport, which has no index.", "§5.11", PACKAGE, package_root(), rule, absent=absent,
                kind="cocopack", profile="transport", index=())
    yield index("tree-no-join", "The same rule without a join: the full key is the own key, and `id` names two landmarks.", "§8.1", PACKAGE,
                package_root(), Rule(rule.patterns, rule.landmarks), absent=("pkg:ec2:Vpc",), kind="cocopack")
    document = {"resources": [{"type": "t", "name": "a", "instances": [{"index_key": 0}, {"index_key": "k\"\n"}, {"index_key": None}, {}]}]}
    root = obj("resources", lst(at("r", obj("type", s("t"), "name", s("a"), "instances",
                                            lst(at("0", full({"index_key": 0})), at("1", full({"index_key": "k\"\n"})), *map(full, ({"index_key": None}, {})))))))
    rule = Rule(("/resources/*[{type}.{name}]", "/resources/*/instances/*[~[{index_key|json}~]]"), (
        Landmark("r", "t.a", "/resources/0", 0), Landmark("0", "[0]", "/resources/0/instances/0", 1, 0),
        Landmark("1", "[\"k\\\"\\n\"]", "/resources/0/instances/1", 1, 0)), join="")
    yield index("join-empty", "An empty join, and keys that are JSON text of an integer or a string.", "§8.1", document, root, rule)
    document = {"": {"": 1, "b": 2}, "a": {"": 3}}
    root = obj(at("e", s("")), obj(at("ee", s("")), num(1), at("eb", s("b")), num(2)), at("a", s("a")), obj(at("ae", s("")), num(3)))
    rule = Rule(("/*", "/*/*"), (Landmark("e", "", "/"), Landmark("ee", "", "//", 1, 0), Landmark("eb", "b", "//b", 1, 0),
                                 Landmark("a", "a", "/a"), Landmark("ae", "", "/a/", 1, 3)), join="")
    yield index("join-empty-own", "An empty join and empty own keys: a full key may be that of the parent.", "§8.5", document, root, rule, absent=("aa", "ab"))
    yield index("join-empty-own-no-tables", "The same without an index.", "§8.7", document, root, rule, absent=("aa", "ab"), index=())
    document = {"a": {"in": {"b": 1, "b:c": 2}}, "a:b": {"in": {"c": 3}}}
    yield index("join-ambiguous", "Full keys that are equal although their parts differ: `a` and `b:c`, `a:b` and `c`.", "§8.5", document,
                obj(at("a", s("a")), obj("in", obj(at("a/b", s("b")), num(1), at("a/b:c", s("b:c")), num(2))), at("a:b", s("a:b")), obj("in", obj(at("c", s("c")), num(3)))),
                Rule(("/*", "/*/in/*"), (Landmark("a", "a", "/a"), Landmark("a/b", "b", "/a/in/b", 1, 0), Landmark("a/b:c", "b:c", "/a/in/b:c", 1, 0),
                                         Landmark("a:b", "a:b", "/a:b"), Landmark("c", "c", "/a:b/in/c", 1, 3)), join=":"), absent=("b", "a:c", "a:"))
    values = [0, -1, 2**64 - 1, "", "a\"b\\c", "\b\t\n\f\r\u0000\u001f", "é/<😀", 1.0, True, None, [1]]
    document = [{"i": v} for v in values]
    keys = [json.dumps(v, ensure_ascii=False) for v in values[:7]]
    yield index("template-json", "Integers and strings as JSON text: escapes for quotes, backslashes and control characters alone; other values make no key.",
                "§8.1", document, lst(*(at(str(i), full(v)) for i, v in enumerate(document))),
                Rule(("/*[i{i|json};]",), tuple(Landmark(str(i), f"i{k};", f"/{i}") for i, k in enumerate(keys))), absent=("i1.0;", "itrue;", "inull;", "i;"))
    yield from modules()
    chain = {"n": "0"}
    for i in range(1, 40):
        chain = {"n": str(i), "k": [chain]}
    yield index("tree-deep", "Forty landmarks, each inside of the one before.", "§8.4", chain, nest(chain), Rule(("(/k/*)*[n]",), tuple(
        Landmark(f"n{39 - i}", str(39 - i), "/k/0" * i, 0, i - 1 if i else None) for i in range(40)), join=">"), absent=("0", "39>37"))
    yield from chains()
    document = {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}, {"name": "d"}]}
    root = at("a", obj("name", s("a"), "kids", lst(at("b", obj("name", s("b"), "kids", lst(at("c", full({"name": "c"}))))), at("d", full({"name": "d"})))))
    rule = Rule(("(/kids/*)*[name]",), (Landmark("a", "a", ""), Landmark("b", "b", "/kids/0", 0, 0), Landmark("c", "c", "/kids/0/kids/0", 0, 1),
                                        Landmark("d", "d", "/kids/1", 0, 0)), join="/")
    yield index("group", "A group of segments that is passed any number of times, none included.", "§8.1", document, root, rule, absent=("b", "a/c"))


def chains():
    """Three chains of twenty landmarks, of which two have the same own keys and one has the same text cut elsewhere."""
    document, landmarks, items = [], [], []
    for number, (first, last) in enumerate((("aa", ("aab", "aa")), ("a", ("ab", "a")), ("aa", ("aab", "c")))):
        names = [first] + 19 * ["aa"]
        value = {"n": names[-1], "k": [{"n": name} for name in last]}
        root = obj("n", s(names[-1]), "k", lst(*(at(f"{number}/{name}", full({"n": name})) for name in last)))
        for level, name in reversed(list(enumerate(names))[:-1]):
            value, root = {"n": name, "k": [value]}, obj("n", s(name), "k", lst(at(f"{number}/{level + 1}", root)))
        start = len(landmarks)
        landmarks += [Landmark(f"{number}/{level}", name, f"/{number}" + "/k/0" * level, 0, start + level - 1 if level else None) for level, name in enumerate(names)]
        landmarks += [Landmark(f"{number}/{name}", name, f"/{number}" + "/k/0" * 19 + f"/k/{i}", 0, start + 19) for i, name in enumerate(last)]
        document.append(value)
        items.append(at(f"{number}/0", root))
    rule = Rule(("/*(/k/*)*[n]",), tuple(landmarks), join="")
    absent = ("a" * 43, "a" * 40 + "d")
    yield index("join-deep", "Keys of twenty levels that are equal, with the same own keys on each level and with others.", "§8.5", document, lst(*items), rule, absent=absent)
    yield index("join-deep-no-tables", "The same without an index.", "§8.7", document, lst(*items), rule, absent=absent, index=())


def nest(value):
    inner = ["k", lst(nest(value["k"][0]))] if "k" in value else []
    return at(f"n{value['n']}", obj("n", s(value["n"]), *inner))


def plain_package():
    """The package in profile plain, its entries labelled as in `package_root`."""
    labels = iter(("ec2", "vpc", "vpc-id", "vpc-tag", "net", "s3", "bucket", "bucket-id"))
    names = {"pkg:ec2", "Vpc", "id", "tag", "Net", "pkg:s3", "Bucket"}
    return [at_next(l, labels) if any(l.data == s(n)[0].data for n in names) else l for l in plain(PACKAGE)]


def at_next(l, labels):
    return replace(l, labels=(next(labels),))


def edged():
    document = {"things": {
        "a": {"deps": ["b", "c", "b"], "owner": "c"}, "b": {"deps": [], "owner": "none such"}, "c": {"deps": ["c", 5], "owner": "a"},
        "d": {"deps": ["x::c", "a"], "owner": None}}}
    root = obj("things", obj(*(x for n, v in document["things"].items() for x in (at(n, s(n)), full(v)))))
    marks = tuple(Landmark(n, n, f"/things/{n}") for n in "abcd")
    rule = Rule(("/things/*",), marks, edges=("dep=0/deps/*", "owner=0/owner"),
                found=((0, 1, 0), (0, 2, 0), (0, 2, 1), (2, 2, 0), (2, 0, 1), (3, 0, 0)))
    return Parts(document, root, rule)


def counted():
    """Instances of two modules, whose resources refer to all instances of another."""
    document = [{"n": "a"}, {"n": "b", "d": ["a"]}, {"n": "a"}, {"n": "b", "d": ["a"]}, {"n": "c", "d": ["b", "c"]}, {"n": "b", "d": ["a"]}, {"n": "e", "d": "c"}]
    root = lst(*(at(str(i), full(v)) for i, v in enumerate(document)))
    marks = tuple(Landmark(str(i), v["n"], f"/{i}") for i, v in enumerate(document))
    found = [(i, j, 0) for i in (1, 3, 5) for j in (0, 2)] + [(4, j, 0) for j in (1, 3, 4, 5)] + [(6, 4, 1)]
    return Parts(document, root, Rule(("/*[n]",), marks, edges=("dep=0/d/*", "one=0/d"), found=tuple(found), shares=True))


def edges():
    document, root, rule, _ = counted()
    yield index("edges-rows", "Landmarks with equal edges share a row; so do those without edges.", "§8.6", document, root, rule)
    yield index("edges-rows-each", "The same edges, in a row for each landmark.", "§8.6", document, root, replace(rule, shares=False))
    document, root, rule, _ = edged()
    yield index("edges", "Edges of two kinds, in both directions, sorted and distinct; to itself; to nothing.", "§8.6", document, root, rule)
    yield index("edges-separator", "References are cut before the last separator.", "§8.1",
                {"things": {"b": {"p": "x"}, "x": {"p": "b::1"}, "y::z": {"p": "y::z::2"}}},
                obj("things", obj(at("b", s("b")), full({"p": "x"}), at("x", s("x")), full({"p": "b::1"}), at("y", s("y::z")), full({"p": "y::z::2"}))),
                Rule(("/things/*",), (Landmark("b", "b", "/things/b"), Landmark("x", "x", "/things/x"), Landmark("y", "y::z", "/things/y::z")),
                     edges=("provider=0/p<::",), found=((0, 1, 0), (1, 0, 0), (2, 2, 0))))
    document = {"a": {"x": {"#ref": "b"}, "y": [{"#ref": "a"}]}, "b": {"x": {"#ref": "a", "more": 1}, "#ref": "a"}}
    yield index("edges-only-entry", "The only entry `#ref` of an object, at any depth; where it is not the only entry, there is no edge.", "§8.1", document,
                obj(at("a", s("a")), full(document["a"]), at("b", s("b")), full(document["b"])),
                Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")), edges=("ref=0(/*)*/{#ref}",), found=((0, 1, 0), (0, 0, 0))))
    document = [{"name": "a", "d": ["b"]}, {"name": "b", "d": ["a"]}, {"name": "b", "d": []}]
    yield index("edges-ambiguous", "A reference to a key of two landmarks leads to both.", "§8.6", document,
                lst(*(at(str(i), full(v)) for i, v in enumerate(document))),
                Rule(("/*[name]",), tuple(Landmark(str(i), v["name"], f"/{i}") for i, v in enumerate(document)), edges=("dep=0/d/*",),
                     found=((0, 1, 0), (0, 2, 0), (1, 0, 0))))
    document = {"a": {"d": ["b"]}, "b": {"d": ["b"]}}
    yield index("edges-shared", "An edge in a shared value belongs to every landmark that reaches it.", "§8.1", document,
                obj(at("a", s("a")), obj("d", sh(0)), at("b", s("b")), obj("d", sh(0))),
                Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")), edges=("dep=0/d/*",), found=((0, 1, 0), (1, 1, 0))),
                shared=[lst(s("b"))])
    document = {"a": {"d": "none"}, "b": {"d": "x"}}
    yield index("edges-none", "No string is a reference: targets and kinds are empty, and begin where the table after them does.", "§8.6", document,
                obj(at("a", s("a")), full({"d": "none"}), at("b", s("b")), full({"d": "x"})),
                Rule(("/*",), (Landmark("a", "a", "/a"), Landmark("b", "b", "/b")), edges=("dep=0/d",), found=()),
                index=(44, 45, 43, 41, 42, 40, 35, 32, 36))
    document = {"a": {"d": [], "kids": {"k": {"d": ["a"]}}}}
    yield index("edges-innermost", "An edge begins at the innermost landmark around the string, although its pattern continues the outer path.", "§8.1", document,
                obj(at("a", s("a")), obj("d", full([]), "kids", obj(at("k", s("k")), full({"d": ["a"]})))),
                Rule(("/*", "/*/kids/*"), (Landmark("a", "a", "/a", 0), Landmark("k", "k", "/a/kids/k", 1, 0)),
                     edges=("dep=0/kids/*/d/*",), found=((1, 0, 0),)))


def forms():
    document = {"nodes": {"web": {"kind": "vm", "cores": 2, "tags": ["eu"], "needs": ["db"]}, "db": {"kind": "vm", "cores": 8, "tags": ["eu"], "needs": []}}}
    web, db = rec(0, plain_int(2), sh(0), lst(sid(0, "db"))), rec(0, plain_int(8), sh(0), empty())
    yield index("walkthrough", "The file that walkthrough.md explains byte by byte.", "§5.1", document,
                obj("nodes", obj(at("web", s("web")), web, at("db", sid(0, "db")), db)),
                Rule(("/nodes/*",), (Landmark("web", "web", "/nodes/web"), Landmark("db", "db", "/nodes/db")), edges=("needs=0/needs/*",), found=((0, 1, 0),)),
                strings=["db"], shapes=[shape(const("kind", s("vm")), int_slot("cores"), "tags", "needs")], shared=[lst(s("eu"))])
    document = {"x": {"things": {"a": {"v": 1}, "b": {"v": 1}}}}
    yield index("record-on-the-way", "A record on the way to landmarks, and landmarks whose values are records and shared values.", "§5.7", document,
                rec(0, obj("things", obj(at("a", s("a")), rec(1, num(1)), at("b", s("b")), sh(0)))),
                Rule(("/x/things/*",), (Landmark("a", "a", "/x/things/a"), Landmark("b", "b", "/x/things/b"))),
                shapes=[shape("x"), shape("v")], shared=[rec(1, num(1))])
    names = ["a", "b", "c"]
    root, marks = entries(names)
    yield index("unknown-part", "An unknown table beside the index.", "§5.8", {"things": {n: {"v": n} for n in names}}, root,
                Rule(("/things/*",), marks), own_tables=[(50, 0, b"later")])
