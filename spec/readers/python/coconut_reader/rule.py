"""§8.1 The landmark rule: patterns and edges as one tree of positions, walked with a set of them.
"""

import json
import re
from typing import Any, Dict, FrozenSet, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

from .errors import Limits, need

# §8.1, from the bottom of the grammar to its top.
PLAIN, ESCAPE = r"[^~/*()\[\]{}=|<]", r"~[01*()\[\]{}=|<]"
NAME = rf"{PLAIN}*(?:{ESCAPE}{PLAIN}*)*"  # the empty key is a key, too
TEXT = rf"(?:{PLAIN}|{ESCAPE}){NAME}"
FIELD = rf"\{{{TEXT}(?:\|json|={TEXT})?\}}"
PIECE = rf"(?:{TEXT}|{FIELD})"
ANY = rf"{PLAIN}|{ESCAPE}|{FIELD}"  # repeated; `{PIECE}+` would try all ways to cut a text into pieces
SEGMENT = rf"(?:/\*|/\{{{NAME}\}}|/{NAME})"
STEP = rf"(?:{SEGMENT}|\({SEGMENT}+\)\*)"
PATTERN = re.compile(rf"(?P<path>{STEP}*)(?:\[(?P<key>(?:{ANY}|\((?:{ANY})+\))+)\])?")
ENTRY = re.compile(rf"{SEGMENT}$")  # only entries of objects have keys of their own
EDGE = re.compile(rf"(?P<kind>[a-z][a-z0-9-]*)=(?P<of>0|[1-9][0-9]?)(?P<path>{STEP}*)(?:<(?P<cut>{TEXT}))?")

MOST = 32  # patterns, and edges
MOST_POSITIONS = 64
States = FrozenSet[int]
Text = Tuple[str, int]  # and its offset


class Piece(NamedTuple):
    field: Optional[str]  # None: the text itself
    text: Optional[str]  # with a field: what it must equal; None: anything
    json: bool


class Group(NamedTuple):
    optional: bool  # in parentheses
    pieces: List[Piece]


class Edge(NamedTuple):
    kind: str
    cut: str  # the separator, or ""


class Rule:
    """Positions have numbers; 0 is the root. A group is a position to which its last segment leads
    back."""

    def __init__(self, patterns: List[Text], join: Optional[str], edges: List[Text],
                 limits: Limits = Limits()) -> None:
        self.join = join
        self.keys: List[List[Group]] = []  # of each pattern; empty: the key of the object entry
        self.fields: List[Set[str]] = []  # of each pattern, those that its key needs
        self.edges: List[Edge] = []
        self.next: List[Dict[Tuple[str, str], int]] = [{}]  # of each position
        self.classes: List[List[int]] = [[]]  # of each position, the patterns that end there
        self.kinds: List[List[int]] = [[]]  # likewise the edges
        self.names: Set[str] = set()
        self.cache: Dict[Tuple[States, Union[str, int, None], bool], States] = {}
        self.ends: Dict[States, Tuple[List[int], List[int]]] = {}  # patterns and edges that end there
        paths = [self.pattern(text, at) for text, at in patterns]
        continued = [self.edge(text, at) for text, at in edges]
        for (_, at), (head, _) in zip(edges, continued):
            need(head < len(patterns), "LMK-RULE", at, "there is no pattern {}", head)
        heads: List[int] = []
        for (_, at), path in zip(patterns, paths):
            need(len(heads) < MOST, "LMK-RULE", at, "more than {} patterns", MOST)
            heads.append(self.path(0, path, at))
            self.classes[heads[-1]].append(len(heads) - 1)
        for number, ((_, at), (head, path)) in enumerate(zip(edges, continued)):
            need(number < MOST, "LMK-RULE", at, "more than {} edges", MOST)
            self.kinds[self.path(heads[head], path, at)].append(number)
        self.start = self.closure({0})
        for (_, at), key in zip(patterns, self.keys):
            count = sum(len(group.pieces) for group in key)
            need(count <= limits.pieces, "LIM-COUNT", at, "{} pieces of a template", count)
        self.bare = Rule(patterns, join, [], limits) if edges else self  # without edges

    def pattern(self, text: str, at: int) -> str:
        """Its path."""
        found = PATTERN.fullmatch(text)
        need(found, "LMK-RULE", at, "`{}` is no pattern", text)
        path, key = found["path"], found["key"]  # type: ignore[index]
        is_path = "/{" not in path and (key is not None or ENTRY.search(path))
        need(is_path, "LMK-RULE", at, "`{}` is no path to landmarks", text)
        self.keys.append(template(key, at))
        pieces = [piece for group in self.keys[-1] for piece in group.pieces]
        self.fields.append({piece.field for piece in pieces if piece.field is not None})
        return path

    def edge(self, text: str, at: int) -> Tuple[int, str]:
        """The pattern that it continues, and its path."""
        found = EDGE.fullmatch(text)
        need(found and found["path"], "LMK-RULE", at, "`{}` is no edge", text)
        kind, head, path, cut = found.groups()  # type: ignore[union-attr]
        self.edges.append(Edge(kind, plain(cut or "")))
        return int(head), path

    def path(self, position: int, text: str, at: int) -> int:
        for step in re.findall(STEP, text):
            if step[0] == "(":
                loop = position = self.position(position, ("(", step), at)
                *segments, last = re.findall(SEGMENT, step)
                for segment in segments:
                    position = self.position(position, label(segment), at)
                kind, name = label(last)
                self.next[position]["back" + kind, name] = loop
                self.names.add(name)
                position = loop
            else:
                position = self.position(position, label(step), at)
        return position

    def position(self, before: int, step: Tuple[str, str], at: int) -> int:
        """The position that a step leads to; equal beginnings count once."""
        if step not in self.next[before]:
            need(len(self.next) < MOST_POSITIONS, "LMK-RULE", at, "more than {} positions", MOST_POSITIONS)
            self.next[before][step] = len(self.next)
            self.next.append({})
            self.classes.append([])
            self.kinds.append([])
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
            steps = {("*", "")}
            if isinstance(name, str):
                steps |= {("/", name), ("{", name)} if only else {("/", name)}
            beyond = (pair for state in states for pair in self.next[state].items())
            found = self.closure({target for (kind, text), target in beyond if (kind[-1], text) in steps})
            self.cache[states, name, only] = found
        return found


def label(segment: str) -> Tuple[str, str]:
    if segment == "/*":
        return "*", ""
    return ("{", plain(segment[2:-1])) if segment[1:2] == "{" else ("/", plain(segment[1:]))


def plain(text: str) -> str:
    """Text without its escapes."""
    return re.sub("~(.)", lambda found: {"0": "~", "1": "/"}.get(found[1], found[1]), text)


def template(key: Optional[str], at: int) -> List[Group]:
    if key is None:
        return []
    if re.fullmatch(TEXT, key):
        return [Group(False, [Piece(plain(key), None, False)])]
    groups = [Group(group[0] == "(", [piece(text) for text in re.findall(PIECE, group)])
              for group in re.findall(rf"\({PIECE}+\)|{PIECE}", key)]
    fields = [made for group in groups for made in group.pieces if made.field is not None]
    need(fields, "LMK-RULE", at, "key `{}` is text alone", key)
    is_bare = len(groups) == 1 and not groups[0].optional and fields[0].text is None and not fields[0].json
    need(not is_bare, "LMK-RULE", at, "key `{}` is one field, which is written without braces", key)
    return groups


def piece(text: str) -> Piece:
    if text[0] != "{":
        return Piece(None, plain(text), False)
    if text.endswith("|json}"):
        return Piece(plain(text[1:-6]), None, True)
    field, *equal = re.findall(rf"[{{=]({TEXT})", text)
    return Piece(plain(field), plain(equal[0]) if equal else None, False)


def own_key(groups: Iterable[Group], fields: Dict[str, Any]) -> Optional[str]:
    """§8.1: the text made of the pieces, or None if the value is no landmark."""
    result = ""
    for optional, pieces in groups:
        made = [make(piece, fields) for piece in pieces]
        if None not in made:
            result += "".join(text or "" for text in made)
        elif not optional:
            return None
    return result


def make(piece: Piece, fields: Dict[str, Any]) -> Optional[str]:
    if piece.field is None:
        return piece.text
    value = fields.get(piece.field)
    if piece.json:
        return json.dumps(value, ensure_ascii=False) if type(value) in (str, int) else None
    return value if type(value) is str and piece.text in (None, value) else None
