"""Good vectors of readings of edges, of field paths in keys (§8.1), and of landmark digests (§8.8)."""

from .assemble import Landmark, Rule, coconut
from .cases import good
from .good_index import answers, edged, entries, index, package
from .pieces import at, const, full, inside, int_slot, line, lst, map_header, array_header, nested, num, obj, plain, plain_int, rec, s, sh, shape, sid


def cases():
    yield from first_part()
    yield from names()
    yield from instances()
    yield from field_paths()
    yield from offset_tables()
    yield from plain_keys()
    yield from slots()
    yield from digests()


def both(name, about, document, root, rule, **options):
    yield index(name, about, "§8.1", document, root, rule, **options)
    yield index(f"{name}-no-tables", "The same without an index.", "§8.7", document, root, rule, index=(), **options)


def things(values, edges, found, name, about):
    """Landmarks under `/things`, with edges from their values, by their names."""
    document = {"things": values}
    root, marks = entries(list(values), lambda n: full(values[n]))
    place = {n: i for i, n in enumerate(values)}
    rule = Rule(("/things/*",), marks, edges=edges, found=tuple((place[a], place[b], k) for a, b, k in found))
    return both(name, about, document, root, rule)


def first_part():
    values = {"a": {"r": "b.x.y"}, "b": {"r": "c"}, "c": {"r": ".b"}, "a.b": {"r": "a.b.c"}, "": {"r": "b."}}
    yield from things(values, ("first=0/r<<.", "last=0/r<.", "whole=0/r"),
                      (("a", "b", 0), ("b", "c", 0), ("b", "c", 1), ("b", "c", 2), ("c", "", 0), ("c", "", 1), ("a.b", "a", 0), ("a.b", "a.b", 1), ("", "b", 0), ("", "b", 1)),
                      "edges-first", "References are the part before the first separator, beside those before the last and whole ones.")
    values = {"a": {"r": "b::c::d"}, "b": {"r": "a:::b"}, "b::c": {"r": "a~b"}, "a~b": {"r": "b<[c"}}
    yield from things(values, ("first=0/r<<::", "sign=0/r<<~<~["), (("a", "b", 0), ("b", "a", 0), ("b::c", "a~b", 0), ("b::c", "a~b", 1), ("a~b", "b", 1)),
                      "edges-first-long", "A first separator of two characters, and one that is escaped.")
    yield from things({"a": {"": "b"}, "b": {"": "a", "x": 1}}, ("only=0/{}", "any=0/"), (("a", "b", 0), ("a", "b", 1), ("b", "a", 1)),
                      "edges-only-empty", "The only entry, of the empty name.")
    yield from things({"~a": {"r": "/b"}, "/b": {"~": "~a"}}, ("slash=0/r", "tilde=0/~0"), (("~a", "/b", 0), ("/b", "~a", 1)), "edges-tilde", "An edge by a key that is a tilde.")
    document = {"~": {"a": {"~1": 1}}, "~0": {"a": {"~1": 2}}}
    yield from both("rule-tilde", "A rule with escaped tildes: the entry `~`, and the entry `~1` of its entries.", document,
                    obj("~", obj("a", obj(at("x", s("~1")), num(1))), "~0", full(document["~0"])), Rule(("/~0/*/~01",), (Landmark("x", "~1", "/~0/a/~01"),)))


def names():
    values = {
        "a": {"s": "${b}"}, "b": {"s": "x ${c.Arn} y ${a} ${b} ${a}"}, "c": {"s": "${!a} ${!b.c} ${a"}, "d": {"s": "${} ${.a} ${[a]} $a {a} ${ a }"},
        "e": {"s": "${b[0].x}${c}}${d"}, "f": {"s": "$${a} ${${b}} ${x ${c}"}, "g": {"s": "${${a"}, "${b": {"s": "${none}"}, "x ${c": {"s": ""}, "": {"s": "${a}${}"},
        "!a": {"s": "${a!}${!a}"}, "a!": {"s": "}${a}{"},
    }
    found = (("a", "b"), ("b", "c"), ("b", "a"), ("b", "b"), ("e", "b"), ("e", "c"), ("f", "a"), ("f", "${b"), ("f", "x ${c"), ("", "a"), ("!a", "a!"), ("a!", "a"))
    yield from things(values, ("sub=0/s<{",), tuple((a, b, 0) for a, b in found), "edges-names",
                      "Names in `${…}`: up to the first dot or bracket, none that is empty or begins with an exclamation mark, and nothing that is not closed.")
    values = {"Bucket": {"Type": "S3", "Name": {"Fn::Sub": "${Prefix}-${AWS::Region}"}}, "Prefix": {"Type": "P"},
              "Policy": {"Doc": [{"Fn::Sub": "${Bucket.Arn}/*"}, {"Fn::GetAtt": "Bucket.Arn"}, {"Ref": "Prefix"}, {"Fn::Sub": ["${Bucket}${!Prefix}", {"x": "${Prefix}"}]}]}}
    yield from things(values, ("ref=0(/*)*/{Ref}", "sub=0(/*)*/{Fn::Sub}<{", "sub=0(/*)*/{Fn::Sub}/*<{", "att=0(/*)*/{Fn::GetAtt}<<."),
                      (("Bucket", "Prefix", 1), ("Policy", "Bucket", 1), ("Policy", "Bucket", 3), ("Policy", "Prefix", 0), ("Policy", "Bucket", 2)), "edges-template",
                      "References like those of a CloudFormation template, of several readings; two edge patterns of one name.")


def instances():
    keys = ["m.r", "m[12].r", "m[0][1].r", 'm["a]b"].r', 'm["q\\"]"].r', 'm["x"]["y"].r', "m[a].r", "m[].r", "m[1a].r", "m[-1].r", 'm["a\\"].r', "m[[0]0].r", 'm["a"', "m[٣].r", "[5]", ""]
    values = {k: {} for k in keys}
    values["m.r"] = {"r": ["m.r", "m[0].r", "m[12].r", 'm["a]b"].r', "m[a].r", "m[1].r", "none"]}
    values[""] = {"r": ["", "[5]", "m[].r", 'm["a"', "m"]}
    without = ["m.r", "m[12].r", "m[0][1].r", 'm["a]b"].r', 'm["q\\"]"].r', 'm["x"]["y"].r']
    found = [("m.r", k, 0) for k in without] + [("m.r", "m[[0]0].r", 0), ("m.r", "m[a].r", 0)]
    found += [("", "", 0), ("", "[5]", 0), ("", "m[].r", 0), ("", 'm["a"', 0)]
    yield from things(values, ("dep=0/r/*<[",), found, "edges-instance",
                      "Full keys without their instance keys, and with them: numbers, JSON strings with brackets and quotes in them, and brackets that hold neither.")
    document = {"resources": [
        {"module": "module.net[0]", "type": "t", "name": "a", "instances": [{"index_key": 0}, {"index_key": 1, "deps": ["module.net.t.a", "t.b"]}]},
        {"module": "module.net[1]", "type": "t", "name": "a", "instances": [{"deps": ["t.b[\"k\"]"]}]},
        {"type": "t", "name": "b", "instances": [{"index_key": "k", "deps": ["module.net[1].t.a"]}, {"index_key": "]\""}]},
        {"type": "t", "name": "c", "instances": [{"index_key": 0, "deps": ["t.b[\"]\\\"\"]", "t.c", "t.c[0]", "module.net.t.a[1]", "module.net.t.a[0]"]}]},
    ]}
    resources = document["resources"]
    marks, pieces = [], []
    for i, r in enumerate(resources):
        marks.append(Landmark(f"r{i}", (r["module"] + "." if "module" in r else "") + f"t.{r['name']}", f"/resources/{i}"))
        own = len(marks) - 1
        inner = []
        for j, instance in enumerate(r["instances"]):
            piece = full(instance)
            if "index_key" in instance:
                text = instance["index_key"]
                marks.append(Landmark(f"r{i}-{j}", f"[{text}]" if isinstance(text, int) else '["' + text.replace('"', '\\"') + '"]', f"/resources/{i}/instances/{j}", 1, own))
                piece = at(f"r{i}-{j}", piece)
            inner.append(piece)
        fields = [x for k in ("module", "type", "name") if k in r for x in (k, s(r[k]))]
        pieces.append(at(f"r{i}", obj(*fields, "instances", lst(*inner))))
    # 0 net[0].t.a, 1 [0], 2 [1], 3 net[1].t.a, 4 t.b, 5 ["k"], 6 ["]\""], 7 t.c, 8 [0]
    states = ((2, 0, 0), (2, 3, 0), (2, 4, 0), (3, 5, 0), (5, 3, 0), (8, 6, 0), (8, 7, 0), (8, 8, 0))
    exact = ((2, 4, 1), (3, 5, 1), (5, 3, 1), (8, 6, 1), (8, 7, 1), (8, 8, 1))
    rule = Rule(("/resources/*[({module}.){type}.{name}]", "/resources/*/instances/*[~[{index_key|json}~]]"), tuple(marks), join="",
                edges=("dep=1/deps/*<[", "dep=0/instances/*/deps/*"), found=states + exact)
    yield from both("edges-terraform", "References of a Terraform state: a resource without its instance keys leads to the resource, and not again to its instances.", document,
                    obj("resources", lst(*pieces)), rule)
    document = {"a": {"in": {"[0]": {"in": {"[1]": {}}}}}, "b": {"r": ["a", "a[0]", "a[0][1]"]}}
    root = obj(at("a", s("a")), obj("in", obj(at("a0", s("[0]")), obj("in", obj(at("a01", s("[1]")), full({}))))), at("b", s("b")), full(document["b"]))
    yield from both("edges-instance-nested", "Landmarks three deep whose keys without instance keys are one: the outermost is meant; exact keys mean each.", document, root,
                    Rule(("/*", "/*/in(/*/in)*/*"), (Landmark("a", "a", "/a", 0), Landmark("a0", "[0]", "/a/in/[0]", 1, 0),
                         Landmark("a01", "[1]", "/a/in/[0]/in/[1]", 1, 1), Landmark("b", "b", "/b", 0)), join="", edges=("r=0/r/*<[",), found=((3, 0, 0), (3, 1, 0), (3, 2, 0))))


def field_paths():
    document = {"items": [
        {"kind": "Pod", "metadata": {"name": "a", "namespace": "n"}}, {"kind": "Pod", "metadata": {"name": "b"}}, {"kind": "Pod", "metadata": "c"},
        {"kind": "Pod", "metadata": ["name", "d"]}, {"kind": "Pod"}, {"metadata": {"name": {"name": "e"}}}, "f", {"kind": "Job", "metadata": {"name": "a", "namespace": 5}}]}
    items = document["items"]
    yield from both("field-path", "Keys by a path of entries; where a step is missing or no object, there is no key.", document,
                    obj("items", lst(*(at(str(i), full(v)) for i, v in enumerate(items)))),
                    Rule(("/items/*[metadata/name]",), (Landmark("0", "a", "/items/0"), Landmark("1", "b", "/items/1"), Landmark("7", "a", "/items/7"))), absent=("c", "d", "e"))
    yield from both("field-path-template", "Templates with paths: text, a comparison, JSON text.", document, obj("items", lst(*(at(str(i), full(v)) for i, v in enumerate(items)))),
                    Rule(("/items/*[{kind}({metadata/namespace=n}!)(~({metadata/namespace|json}~))~/{metadata/name}]".replace("~/", "~1"),), (
                        Landmark("0", 'Podn!("n")/a', "/items/0"), Landmark("1", "Pod/b", "/items/1"), Landmark("7", "Job(5)/a", "/items/7"))), absent=("Pod/a", "Job/a"))
    document = {"kind": "Pod", "meta": {"labels": {"a/b": "x"}, "name": "root"}}
    yield from both("field-path-root", "The root is a landmark by a path of entries, one of them with a slash in its key.", document, at("root", full(document)),
                    Rule(("[meta/labels/a~1b]",), (Landmark("root", "x", ""),)), absent=("root",))
    document = [{"m": {"name": "a", "n": 1}}, {"m": {"name": "b", "n": 2}}, {"m": {"name": "c"}}, {"m": {"name": "d"}}]
    root = lst(at("0", rec(2, s("a"), plain_int(1))), at("1", rec(1, rec(0, sid(0, "b"), plain_int(2)))), at("2", obj("m", sh(0))), at("3", sh(1)))
    yield from both("field-path-forms", "Paths through nested slots, records, shared objects and constants.", document, root,
                    Rule(("/*[m/name]",), tuple(Landmark(str(i), k, f"/{i}") for i, k in enumerate("abcd"))), strings=["b"],
                    shapes=[shape("name", int_slot("n")), shape("m"), shape(nested("m", 0)), shape(const("name", s("d"))), shape(nested("m", 3))],
                    shared=[obj("name", s("c")), rec(4)])


def offset_tables():
    """Lookups by way of offset tables, as in every larger file."""
    names = [f"name{i}" for i in range(20)]
    texts = [f"text {'x' * (i % 7)}{i}" for i in range(20)]
    values = {n: {f"f{i}": texts[i], "l": [i, texts[-1 - i]], "o": {"k": [texts[i]]}} for i, n in enumerate(names)}
    document = {"things": values}
    strings = names + texts
    shapes = [shape(f"f{i}", sid(40, "l") if i % 2 else "l", "o") for i in range(20)]
    shared = [lst(num(i), sid(20 + 19 - i)) for i in range(20)] + [obj("k", lst(sid(20 + i))) for i in range(20)]
    root = obj("things", obj(*(x for i, n in enumerate(names) for x in (at(n, sid(i, n)), rec(i, sid(20 + i), sh(i), sh(20 + i))))))
    rule = Rule(("/things/*",), tuple(Landmark(n, n, f"/things/{n}") for n in names))
    for stride in (0, 1, 2, 3, 4, 5, 31):
        yield index(f"offsets-stride-{stride}", f"Lookups through offset tables of strings, shapes and shared values with strides of 2^{stride}.", "§5.9", document, root, rule,
                    strings=strings + ["l"], shapes=shapes, shared=shared, offsets={16: stride, 17: stride, 18: stride})
    yield index("offsets-strides", "The same with three different strides, in a wide file with a block table.", "§5.9", document, root, rule, wide=True, blocks=True,
                strings=strings + ["l"], shapes=shapes, shared=shared, offsets={16: 3, 17: 1, 18: 0})
    yield index("offsets-shared", "The same with an offset table of shared values alone.", "§5.9", document, root, rule, strings=strings + ["l"], shapes=shapes,
                shared=shared, offsets={18: 2})


def plain_keys():
    """§4.6 with keys from fields."""
    document = [{"urn": "u1", "parent": "u2"}, {"urn": "u2", "deps": ["u1", "u3"]}, {"urn": 5}, {"meta": {"urn": "u3"}, "urn": "u3"}]
    root = line(array_header(4), "array of 4") + inside([at("0", plain(document[0])), at("1", plain(document[1])), plain(document[2]), at("3", plain(document[3]))])
    marks = tuple(Landmark(str(i), k, f"/{i}") for i, k in ((0, "u1"), (1, "u2"), (3, "u3")))
    rule = Rule(("/*[urn]",), marks, edges=("parent=0/parent", "dep=0/deps/*"), found=((0, 1, 0), (1, 0, 1), (1, 2, 1)))
    yield from both("plain-field", "Profile plain with keys from a field.", document, root, rule, profile="plain", absent=("u4",))
    document = {"things": {"x": {"meta": {"name": "a", "n": -1}}, "y": {"meta": {"name": "b", "n": 300}}}}
    things = line(map_header(2), "map of 2") + inside([at("a", plain("x")), plain(document["things"]["x"]), at("b", plain("y")), plain(document["things"]["y"])])
    yield from both("plain-template", "Profile plain with keys from a template with paths, of entries of a map.", document,
                    line(map_header(1), "map of 1") + inside([plain("things"), things]),
                    Rule(("/things/*[{meta/name}{meta/n|json}]",), (Landmark("a", "a-1", "/things/x"), Landmark("b", "b300", "/things/y"))), profile="plain", absent=("x", "a", "a1"))


def slots():
    document = [{"kind": "vm", "name": "a", "meta": {"zone": "z", "n": 7}}, {"kind": "vm", "name": "b", "meta": {"zone": "z", "n": 8}}, {"kind": "vm", "meta": {"zone": "y", "n": 9}}]
    shapes = [shape(const("zone", s("z")), int_slot("n")), shape(const("kind", sid(0, "vm")), "name", nested("meta", 0)), shape("zone", int_slot("n")),
              shape(const("kind", s("vm")), nested("meta", 2))]
    root = lst(at("0", rec(1, s("a"), plain_int(7))), at("1", rec(1, s("b"), plain_int(8))), at("2", rec(3, s("y"), plain_int(9))))
    options = dict(strings=["vm"], shapes=shapes)
    yield from both("field-constant", "Keys from a constant slot: all the same.", document, root,
                    Rule(("/*[kind]",), tuple(Landmark(str(i), "vm", f"/{i}") for i in range(3))), **options)
    yield from both("field-nested", "Keys from constant, integer and other slots of a nested shape.", document, root,
                    Rule(("/*[({kind}.)({name}@){meta/zone}{meta/n|json}]",), tuple(Landmark(str(i), k, f"/{i}") for i, k in enumerate(("vm.a@z7", "vm.b@z8", "vm.y9")))), **options)
    yield from both("field-after-nested", "A field after a nested slot: its values come first.", [{"m": {"a": 1, "b": 2}, "n": "x"}, {"m": {"a": 3, "b": 4}, "n": "y"}],
                    lst(at("0", rec(1, num(1), num(2), s("x"))), at("1", rec(1, num(3), num(4), s("y")))),
                    Rule(("/*[n]",), (Landmark("0", "x", "/0"), Landmark("1", "y", "/1"))), shapes=[shape("a", "b"), shape(nested("m", 0), "n")])


def digests():
    tables = (32, 33, 34, 35, 36, 37)
    document, root, rule, options = package()
    yield index("digests", "Landmark digests, of full keys with a join.", "§8.8", document, root, rule, index=tables, **options)
    yield index("digests-wide", "The same in a wide file.", "§8.8", document, root, rule, index=tables, wide=True, **options)
    document, root, rule, _ = edged()
    yield index("digests-edges", "Landmark digests beside edges.", "§8.8", document, root, rule, index=(32, 35, 36, 37, 40, 41, 42, 43, 44, 45))
    document = [{"name": "é", "v": [1, -0.0]}, {"name": "é", "v": [1, 0.0]}, {"name": "", "v": {}}]
    root = lst(*(at(str(i), full(v)) for i, v in enumerate(document)))
    yield index("digests-equal-keys", "Landmark digests of landmarks of one key, and of the empty key.", "§8.8", document, root,
                Rule(("/*[name]",), tuple(Landmark(str(i), v["name"], f"/{i}") for i, v in enumerate(document))), index=(32, 35, 36, 37))
    shared = [{"n": "a", "v": [1]}] * 2
    yield index("digests-shared", "Landmark digests of a record, a shared value and profile-independent values.", "§8.8", shared,
                lst(at("0", rec(0, s("a"), sh(0))), at("1", sh(1))), Rule(("/*[n]",), (Landmark("0", "a", "/0"), Landmark("1", "a", "/1"))), index=(32, 35, 36, 37),
                shapes=[shape("n", "v")], shared=[lst(num(1)), rec(0, s("a"), sh(0))])
    yield index("digests-none", "No landmarks, no digests, all tables.", "§8.8", {"a": 1}, full({"a": 1}), Rule(("/things/*",), ()), index=(32, 35, 36, 37))
