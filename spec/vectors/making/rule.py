"""Landmarks and edges of a document by its rule (§8.1), to check the manual claims in the vectors.

Documents here are small: every value is compared with every pattern, by its whole path."""

import json
import re

TEXT = r"(?:~[012*()\[\]{}=|<]|[^~/*()\[\]{}=|<])+"
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


def piece_text(piece, value):
    """The text of a piece of a template, or None."""
    if piece[0] != "{":
        return unescape(piece)
    body = piece[1:-1]
    if "=" in body:
        field, text = map(unescape, body.split("=", 1))
        return text if value.get(field) == text else None
    if body.endswith("|json"):
        found = value.get(unescape(body[:-5]))
        return json.dumps(found, ensure_ascii=False) if type(found) in (str, int) else None
    found = value.get(unescape(body))
    return found if isinstance(found, str) else None


def own_key(key, path, value):
    if key is None:
        return path[-1][0] if path else None
    if not isinstance(value, dict):
        return None
    if re.fullmatch(TEXT, key):
        found = value.get(unescape(key))
        return found if isinstance(found, str) else None
    result = ""
    for part in re.findall(rf"\([^()]*\)|{{[^{{}}]*}}|{TEXT}", key):
        optional = part[0] == "("
        texts = [piece_text(p, value) for p in re.findall(rf"{{[^{{}}]*}}|{TEXT}", part[1:-1] if optional else part)]
        if None in texts:
            if optional:
                continue
            return None
        result += "".join(texts)
    return result


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
        separator = unescape(separator[1:]) if separator else None
        for value, path, pointer in walk(document):
            if isinstance(value, str) and around[pointer] is not None and matches(patterns[int(number)][0] + steps, path):
                name = value.rpartition(separator)[0] if separator and separator in value else value
                edges |= {(around[pointer], i, kind) for i in range(len(marks)) if full_key(i) == name}
    return marks, edges


def check(document, rule):
    marks, edges = found(document, rule)
    said = [(m.pointer, m.key, m.kind, m.parent) for m in rule.landmarks]
    assert marks == said, f"landmarks {marks}, not {said}"
    assert edges == set(rule.found), f"edges {sorted(edges)}, not {sorted(rule.found)}"
