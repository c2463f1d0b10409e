"""Landmarks and edges of a document by its rule (§8.1), to check the manual claims in the vectors.

Documents here are small: every value is compared with every pattern, by its whole path."""

import json
import re

TEXT = r"(?:~[01*()\[\]{}=|<]|[^~/*()\[\]{}=|<])+"
FIELD = rf"{TEXT}(?:/{TEXT})*"
SEGMENT = rf"\*|{{(?:{TEXT})?}}|(?:{TEXT})?"


def unescape(text):
    return re.sub("~(.)", lambda m: {"0": "~", "1": "/"}.get(m[1], m[1]), text)


def parse_path(text):
    """(steps, rest): a step is a segment, or a list of segments that repeat."""
    steps = []
    while m := re.match(rf"\((?:/(?:{SEGMENT}))+\)\*|/(?:{SEGMENT})", text):
        text = text[m.end():]
        segments = re.findall(rf"/({SEGMENT})", m[0])
        steps.append(segments if m[0][0] == "(" else segments[0])
    return steps, text


def matches(steps, path):
    """Whether the steps lead along the path, a list of (key or None for an item, number of entries
    of the parent)."""
    if not steps:
        return not path
    first, rest = steps[0], steps[1:]
    if isinstance(first, list):
        return matches(rest, path) or matches(first + [first] + rest, path)
    if not path:
        return False
    name, entries = path[0]
    if first == "*":
        here = True
    elif first.startswith("{"):
        here = name == unescape(first[1:-1]) and entries == 1
    else:
        here = name == unescape(first)
    return here and matches(rest, path[1:])


def field(path, value):
    """The value at a path of entries, or None."""
    for step in path.split("/"):
        value = value.get(unescape(step)) if isinstance(value, dict) else None
    return value


def string(value):
    return value if isinstance(value, str) else None


def piece_text(piece, value):
    """The text of a piece of a template, or None."""
    if piece[0] != "{":
        return unescape(piece)
    path, sign, rest = re.fullmatch(rf"({FIELD})(?:([=|])(.*))?", piece[1:-1]).groups()
    found = field(path, value)
    if sign == "=":
        return found if string(found) == unescape(rest) else None
    if sign == "|":
        if rest == "modules":
            is_path = isinstance(found, list) and len(found) > 1 and found[0] == "root" and all(map(string, found[1:]))
            return ".".join(f"module.{name}" for name in found[1:]) if is_path else None
        assert rest == "json"
        return json.dumps(found, ensure_ascii=False) if type(found) in (str, int) else None
    return string(found)


def own_key(key, path, value):
    if key is None:
        return path[-1][0] if path else None
    if not isinstance(value, dict):
        return None
    if re.fullmatch(FIELD, key):
        return string(field(key, value))
    result = ""
    for part in re.findall(rf"\((?:~.|[^~()])*\)|{{[^{{}}]*}}|{TEXT}", key):
        optional, once = part[0] == "(", re.search(r"(?<!~)\|once\)$", part) is not None
        part = part[:-6] + ")" if once else part
        texts = [piece_text(p, value) for p in re.findall(rf"{{[^{{}}]*}}|{TEXT}", part[1:-1] if optional else part)]
        if None in texts:
            if optional:
                continue
            return None
        made = "".join(texts)
        result += "" if once and result.endswith(made) else made
    return result


def references(reading, text):
    """§8.1, Edges: the references of a string."""
    if reading == "{":
        names, at = [], text.find("${")
        while at >= 0 and (end := text.find("}", at)) >= 0:
            names.append(re.split(r"[.\[]", text[at + 2:end])[0])
            at = text.find("${", end)
        return [n for n in names if n and n[0] != "!"]
    if reading is None or reading == "[":
        return [text]
    if reading[0] == "<":
        return [text.split(unescape(reading[1:]), 1)[0]]
    return [text.rpartition(unescape(reading))[0] if unescape(reading) in text else text]


def without_instances(key):
    return re.sub(r'\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\]', "", key, flags=re.S)


def walk(value, path=(), pointer=""):
    yield value, list(path), pointer
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in pairs:
        step = (name if isinstance(value, dict) else None, len(value) if isinstance(value, dict) else 0)
        yield from walk(inner, path + (step,), f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}")


def found(document, rule):
    """(landmarks as (pointer, own key, class, parent), edges as (source, target, kind))."""
    patterns = []
    for text in rule.patterns:
        steps, rest = parse_path(text)
        assert rest == "" or rest[0] == "[" and rest[-1] == "]", text
        patterns.append((steps, rest[1:-1] or None))
    marks, around = [], {}
    for value, path, pointer in walk(document):
        outer = around.get(pointer.rpartition("/")[0]) if pointer else None
        around[pointer] = outer
        for kind, (steps, key) in enumerate(patterns):
            name = own_key(key, path, value) if matches(steps, path) else None
            if name is not None:
                around[pointer] = len(marks)
                marks.append((pointer, name, kind, outer))
            if matches(steps, path):
                break  # the pattern with the lowest number counts, whether it gives a key or not

    def full_key(i):
        _, name, _, parent = marks[i]
        return name if rule.join is None or parent is None else full_key(parent) + rule.join + name

    edges = set()
    for kind, text in enumerate(rule.edges):
        _, number, rest = re.fullmatch(r"([a-z][a-z0-9-]*)=(\d+)(.*)", text).groups()
        steps, separator = parse_path(rest)
        reading = separator[1:] if separator else None
        for value, path, pointer in walk(document):
            if isinstance(value, str) and around[pointer] is not None and matches(patterns[int(number)][0] + steps, path):
                for name in references(reading, value):
                    met = {i for i in range(len(marks)) if name in (full_key(i), without_instances(full_key(i)) if reading == "[" else None)}
                    edges |= {(around[pointer], i, kind) for i in met if reading != "[" or marks[i][3] not in met}
    return marks, edges


def check(document, rule):
    marks, edges = found(document, rule)
    said = [(m.pointer, m.key, m.kind, m.parent) for m in rule.landmarks]
    assert marks == said, f"landmarks {marks}, not {said}"
    assert edges == set(rule.found), f"edges {sorted(edges)}, not {sorted(rule.found)}"
