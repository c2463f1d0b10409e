"""§8.1 The landmark rule: patterns and edges as one tree of positions, walked with a set of them.
"""

import json
import re
from collections import defaultdict
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

from .errors import Limits, need

# §8.1, from the bottom of the grammar to its top.
PLAIN, ESCAPE = r"[^~/*()\[\]{}=|<]", r"~[01*()\[\]{}=|<]"
NAME = rf"{PLAIN}*(?:{ESCAPE}{PLAIN}*)*"  # the empty key is also a key
TEXT = rf"(?:{PLAIN}|{ESCAPE}){NAME}"
PATH = rf"{TEXT}(?:/{TEXT})*"
FIELD = rf"\{{{PATH}(?:\|json|\|modules|={TEXT})?\}}"
PIECE = rf"(?:{TEXT}|{FIELD})"
ANY = rf"{PLAIN}|{ESCAPE}|{FIELD}"  # repeated; `{PIECE}+` would try all ways to cut a text into pieces
SEGMENT = rf"(?:/\*|/\{{{NAME}\}}|/{NAME})"
STEP = rf"(?:{SEGMENT}|\({SEGMENT}+\)\*)"
PATTERN = re.compile(rf"(?P<path>{STEP}*)(?:\[(?P<key>{PATH}|(?:{ANY}|\((?:{ANY})+(?:\|once)?\))+)\])?")
ENTRY = re.compile(rf"{SEGMENT}$")  # only entries of objects have keys of their own
EDGE = re.compile(rf"([a-z][a-z0-9-]*)=(0|[1-9][0-9]?)({STEP}+)(?:<(?:([{{\[])|(<?)(?={PLAIN}|~)({NAME})))?")
INSTANCE = re.compile(r'\[(?:[0-9]+|"(?:[^"\\]|\\.)*")\]', re.S)  # an instance key in a full key

MOST = 32  # patterns, and edges
MOST_SEGMENTS = 64  # of all of them
PACKAGE = ("[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*")  # §5.3
States = FrozenSet[int]
Text = Tuple[str, int]  # and its offset
Path = Tuple[str, ...]  # of entries


class Piece(NamedTuple):
    field: Optional[Path]  # None: the text itself
    text: Optional[str]  # with a field: what it must equal; None: anything
    form: str  # "json", "modules" or ""


class Group(NamedTuple):
    optional: bool  # in parentheses
    once: bool  # left out if the key ends with it already
    pieces: List[Piece]


class Edge(NamedTuple):
    kind: str
    reading: str  # what follows the `<`: "" and "<", for the last and the first separator, "{" or "["
    cut: str  # the separator, or ""

    def references(self, text: str) -> Iterable[str]:
        if self.reading == "{":
            names = re.findall(r"\$\{([^}]*)\}", text[: text.rfind("}") + 1])
            cut = (re.split(r"[.\[]", name, maxsplit=1)[0] for name in names)
            return [name for name in cut if name and name[0] != "!"]
        if self.reading == "<":
            return [text.split(self.cut, 1)[0]]
        return [text.rpartition(self.cut)[0] if self.cut and self.cut in text else text]


class Rule:
    """Positions have numbers; 0 is the root. A group is a position to which its last segment leads
    back."""

    def __init__(self, patterns: List[Text], join: Optional[str], edges: List[Text],
                 limits: Limits = Limits()) -> None:
        self.join = join
        self.keys: List[List[Group]] = []  # of each pattern; empty: the key of the object entry
        self.fields: List[Set[Path]] = []  # of each pattern, those that its key needs
        self.edges: List[Edge] = []
        self.next: List[Dict[Tuple[str, str], int]] = [{}]  # of each position
        self.classes: Dict[int, List[int]] = defaultdict(list)  # of positions, the patterns that end there
        self.kinds: Dict[int, List[int]] = defaultdict(list)  # likewise the edges
        self.names: Set[str] = set()
        self.cache: Dict[Tuple[States, Union[str, int, None], bool], States] = {}
        self.ends: Dict[States, Tuple[List[int], List[int]]] = {}  # patterns and edges that end there
        self.segments = 0
        heads: List[int] = []
        for number, (text, at) in enumerate(patterns):
            need(number < MOST, "LMK-NEWER", at, "more than {} patterns", MOST)
            heads.append(self.path(0, self.pattern(text, at), at))
            self.classes[heads[-1]].append(number)
            count = sum(len(group.pieces) for group in self.keys[-1])
            need(count <= limits.pieces, "LIM-COUNT", at, "{} pieces of a template", count)
        for number, (text, at) in enumerate(edges):
            head, path = self.edge(text, at)
            need(number < MOST, "LMK-NEWER", at, "more than {} edges", MOST)
            need(head < len(heads), "LMK-RULE", at, "no pattern {}", head)
            self.kinds[self.path(heads[head], path, at)].append(number)
        self.start = self.closure({0})
        self.bare = Rule(patterns, join, [], limits) if edges else self  # without edges

    def pattern(self, text: str, at: int) -> str:
        """Its path."""
        found = PATTERN.fullmatch(text)
        need(found and "/{" not in found["path"], "LMK-NEWER", at, "`{}` is not a pattern", text)
        path, key = found["path"], found["key"]  # type: ignore[index]
        need(key is not None or ENTRY.search(path), "LMK-RULE", at, "`{}` is not a path to landmarks", text)
        self.keys.append(template(key, at))
        self.fields.append({piece.field for group in self.keys[-1] for piece in group.pieces if piece.field})
        return path

    def edge(self, text: str, at: int) -> Tuple[int, str]:
        """The pattern that it continues, and its path."""
        found = EDGE.fullmatch(text)
        need(found, "LMK-NEWER", at, "`{}` is not an edge", text)
        kind, head, path, form, first, cut = found.groups("")  # type: ignore[union-attr]
        self.edges.append(Edge(kind, form or first, plain(cut)))
        return int(head), path

    def path(self, position: int, text: str, at: int) -> int:
        self.segments += len(re.findall(SEGMENT, text))
        need(self.segments <= MOST_SEGMENTS, "LMK-NEWER", at, "more than {} segments", MOST_SEGMENTS)
        for step in re.findall(STEP, text):
            if step[0] == "(":
                loop = position = self.position(position, ("(", step))
                *segments, last = re.findall(SEGMENT, step)
                for segment in segments:
                    position = self.position(position, label(segment))
                kind, name = label(last)
                self.next[position]["back" + kind, name] = loop
                self.names.add(name)
                position = loop
            else:
                position = self.position(position, label(step))
        return position

    def position(self, before: int, step: Tuple[str, str]) -> int:
        """The position that a step leads to; equal beginnings lead to one."""
        if step not in self.next[before]:
            self.next[before][step] = len(self.next)
            self.next.append({})
            self.names.add(step[1])
        return self.next[before][step]

    def closure(self, states: Set[int]) -> States:
        """Adds the groups that begin at a position, since they may be passed zero times."""
        todo = list(states)
        while todo:
            for (kind, _), target in self.next[todo.pop()].items():
                if kind == "(" and target not in states:
                    states.add(target)
                    todo.append(target)
        result = frozenset(states)
        self.ends[result] = (sorted({number for state in states for number in self.classes[state]}),
                             sorted({number for state in states for number in self.kinds[state]}))
        return result

    def step(self, states: States, key: Union[str, int], only: bool) -> States:
        """The positions after the entry `key` of an object, or an item of a list. `only`: it is
        alone."""
        name = -1 if isinstance(key, int) else key if key in self.names else None  # all other names are alike
        found = self.cache.get((states, name, only))
        if found is None:
            kinds = ("/", "{") if only else ("/",)
            steps = {("*", ""), *((kind, name) for kind in kinds if isinstance(name, str))}
            beyond = (pair for state in states for pair in self.next[state].items())
            found = self.closure({target for (kind, text), target in beyond if (kind[-1], text) in steps})
            self.cache[states, name, only] = found
        return found


def rule_of(fields: Dict[str, Any], places: Dict[str, Any], limits: Limits) -> Rule:
    """§5.3: that of a header, or the implied one of packages."""
    is_package = fields["document-type"].lower() == "cocopack"
    if is_package and not {"patterns", "join", "edges"} & fields.keys():
        return Rule([(pattern, 0) for pattern in PACKAGE], ":", [], limits)
    patterns, edges = ([*zip(fields.get(name, ()), places.get(name, ()))] for name in ("patterns", "edges"))
    return Rule(patterns, fields.get("join"), edges, limits)


def label(segment: str) -> Tuple[str, str]:
    named = ("{", plain(segment[2:-1])) if segment[1:2] == "{" else ("/", plain(segment[1:]))
    return ("*", "") if segment == "/*" else named


def plain(text: str) -> str:
    """Text without its escapes."""
    return re.sub("~(.)", lambda found: {"0": "~", "1": "/"}.get(found[1], found[1]), text)


def template(key: Optional[str], at: int) -> List[Group]:
    if key is None:
        return []
    if re.fullmatch(PATH, key):
        return [Group(False, False, [Piece(steps(key), None, "")])]
    groups = [Group(whole[0] == "(", once != "", [piece(text) for text in re.findall(PIECE, inner or whole)])
              for whole, inner, once in re.findall(rf"(\(((?:{ANY})+)(\|once)?\)|{PIECE})", key)]
    fields = [made for group in groups for made in group.pieces if made.field is not None]
    need(fields, "LMK-NEWER", at, "key `{}` is text alone", key)
    is_bare = len(groups) == 1 and not groups[0].optional and fields[0].text is None and not fields[0].form
    need(not is_bare, "LMK-RULE", at, "key `{}` is one field, which is written without braces", key)
    return groups


def piece(text: str) -> Piece:
    if text[0] != "{":
        return Piece(None, plain(text), "")
    match = re.fullmatch(rf"\{{({PATH})(?:\|(json|modules)|=({TEXT}))?\}}", text)
    field, form, equal = match.groups("")  # type: ignore[union-attr]
    return Piece(steps(field), plain(equal) if equal else None, form)


def steps(path: str) -> Path:
    return tuple(map(plain, path.split("/")))


def own_key(groups: Iterable[Group], fields: Dict[Path, Any]) -> Optional[str]:
    """§8.1: the text made of the pieces, or None if the value is not a landmark."""
    result = ""
    for optional, once, pieces in groups:
        made = [make(piece, fields) for piece in pieces]
        if None not in made:
            text = "".join(text or "" for text in made)
            result += "" if once and result.endswith(text) else text
        elif not optional:
            return None
    return result


def make(piece: Piece, fields: Dict[Path, Any]) -> Optional[str]:
    if piece.field is None:
        return piece.text
    value = fields.get(piece.field)
    if piece.form == "modules":
        return modules(value)
    if piece.form:
        return json.dumps(value, ensure_ascii=False) if type(value) in (str, int) else None
    return value if type(value) is str and piece.text in (None, value) else None


def modules(value: Any) -> Optional[str]:
    """The address of a module of Terraform: `["root", "a", "b"]` is `module.a.module.b`."""
    names = [] if getattr(value, "keyed", True) else [item for _, _, item in value.entries()]
    is_path = len(names) > 1 and names[0] == "root" and all(type(name) is str for name in names)
    return ".".join(f"module.{name}" for name in names[1:]) if is_path else None
