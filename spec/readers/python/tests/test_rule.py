"""§8.1, pattern by pattern."""

from typing import Any, List, Tuple

import pytest
from coconut_reader import Document, FormatError
from coconut_reader.rule import INSTANCE, Rule

from .build import build


def landmarks(value: Any, *patterns: str) -> List[Tuple[str, int]]:
    """Keys and classes, by the reader's own walk."""
    document = Document(build(value, patterns, tables=False))
    return [(landmark.key, landmark.class_) for landmark in document]


def test_a_star_is_any_entry_or_item() -> None:
    assert landmarks({"a": {"x": 1, "y": []}, "b": [1]}, "/a/*", "/b/*") == [("x", 0), ("y", 0)]


def test_a_field_is_the_key_of_an_object_that_has_it_as_a_string() -> None:
    assert landmarks([{"n": "x"}, {"n": 1}, 5, {"n": "y"}], "/*[n]") == [("x", 0), ("y", 0)]


def test_the_root_can_be_a_landmark() -> None:
    assert landmarks({"n": "x", "a": {"n": "y"}}, "[n]", "/a[n]") == [("x", 0), ("y", 1)]


def test_the_lowest_pattern_counts_even_where_it_gives_no_key() -> None:
    value = {"a": {"e": {"n": "x"}, "f": {}}}
    assert landmarks(value, "/a/*[n]", "/*/f") == [("x", 0)]
    assert landmarks(value, "/*/f", "/a/*[n]") == [("x", 1), ("f", 0)]


def test_a_group_is_passed_zero_or_more_times() -> None:
    value = {"r": {"k": 0}, "m": {"1": {"r": {"l": 0}, "m": {"2": {"r": {"o": 0}}}}}}
    assert landmarks(value, "(/m/*)*/r/*") == [("k", 0), ("l", 0), ("o", 0)]


def test_a_group_of_stars_and_a_star_behind_it_are_different_positions() -> None:
    assert landmarks({"a": {"b": {}}}, "(/*)*/*") == [("a", 0), ("b", 0)]


def test_the_empty_key_is_a_segment() -> None:
    assert landmarks({"": {"x": 1}, "a": {"y": 1}}, "//*") == [("x", 0)]


def test_escapes_stand_for_themselves() -> None:
    assert Rule([("/a~1b~0~*/*[~[{x}~]]", 0)], None, []).next[0] == {("/", "a/b~*"): 1}


def test_a_parenthesis_is_left_out_when_a_piece_cannot_be_made() -> None:
    value = [{"t": "a", "n": "b"}, {"m": "k", "d": "data", "t": "a", "n": "b", "i": 3}, {"t": "a"}, {"t": "a", "n": "b", "i": "é\u0001"}]
    assert landmarks(value, "/*[({m}.)({d=data}.){t}.{n}(~[{i|json}~])]") == [
        ("a.b", 0), ("k.data.a.b[3]", 0), ('a.b["é\\u0001"]', 0)]


@pytest.mark.parametrize("pattern", ["a", "/a[", "/a[]", "/a[b]c", "/a~2", "/a*", "/{a}", "(/a)", "()*", "((/a)*)*", "/a[({b)}]", "/a[(b)]", "/a[{b}]", "/a[{b}()]", "/a[b/]", "/a[/b]", "/a[{b/c}]", "/a[{b=c/d}x]"])
def test_refuses_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(FormatError) as caught:
        Rule([(pattern, 7)], None, [])
    code = "LMK-RULE" if pattern in ("/a[{b}]", "/a[{b/c}]") else "LMK-NEWER"
    assert (caught.value.code, caught.value.offset) == (code, 7)


@pytest.mark.parametrize("pattern", ["/a[" + 10_000 * "a", "/a[{b}" + 10_000 * "~(", "/" + 10_000 * "a" + "*", 10_000 * "/a"])
def test_refuses_a_long_pattern_at_once(pattern: str) -> None:
    """An expression that can read a text in several ways would take forever."""
    with pytest.raises(FormatError):
        Rule([(pattern, 7)], None, [])


@pytest.mark.parametrize("edge", ["x/a", "X=0/a", "x=1/a", "x=/a", "x=0/a<", "x=0/a[b]", "=0/a", "x=00/a", "x=0/a<<", "x=0/a<{y", "x=0/a<[]", "x=0/a<<<y"])
def test_refuses_what_is_no_edge(edge: str) -> None:
    with pytest.raises(FormatError) as caught:
        Rule([("/a/*", 7)], None, [(edge, 9)])
    assert (caught.value.code, caught.value.offset) == ("LMK-RULE" if edge == "x=1/a" else "LMK-NEWER", 9)


def test_64_written_segments_are_allowed() -> None:
    Rule([("/a" * 64, 7)], None, [])
    Rule([("(/a/*)*" * 16 + "/a/b", 7), ("/a" * 28, 8)], None, [("x=0/{a}(/b)*", 9)])
    for patterns, edges in (([("/a" * 65, 7)], []), ([("/a" * 63, 6), ("/a/b", 7)], []), ([("(/a/*)*" * 32 + "/b", 7)], []), ([("/a" * 63, 6)], [("x=0/a", 5), ("x=0/b", 7)])):
        with pytest.raises(FormatError) as caught:
            Rule(patterns, None, edges)
        assert (caught.value.code, caught.value.offset) == ("LMK-NEWER", 7)


@pytest.mark.parametrize("edge, text, names", [
    ("x=0/a", "b.c.d", ["b.c.d"]), ("x=0/a<.", "b.c.d", ["b.c"]), ("x=0/a<<.", "b.c.d", ["b"]), ("x=0/a<<~<", "b<c", ["b"]), ("x=0/a<<.", "b", ["b"]),
    ("x=0/a<{", "${a} ${b.c} ${!d} ${} ${e[0]}} ${f", ["a", "b", "e"]), ("x=0/a<{", "$${a}${\n}", ["a", "\n"]), ("x=0/a<[", "a[0]", ["a[0]"])])
def test_a_reading_says_what_the_references_of_a_string_are(edge: str, text: str, names: List[str]) -> None:
    assert list(Rule([("/*", 0)], None, [(edge, 0)]).edges[0].references(text)) == names


@pytest.mark.parametrize("text", [100_000 * "${", 100_000 * "${a", 100_000 * "${!}"])
def test_names_are_found_at_once(text: str) -> None:
    assert list(Rule([("/*", 0)], None, [("x=0/a<{", 0)]).edges[0].references(text)) == []


def test_instance_keys_are_taken_out_of_keys() -> None:
    for key, bare in (("a[0].b[\"x\"]", "a.b"), ("a[\"]\\\"\"]", "a"), ("a[x][]", "a[x][]"), ("a[[0]0]", "a[0]"), ("a[\"", "a[\""), ("a[\u0663]", "a[\u0663]"), ("a[\"\n\"]", "a")):
        assert INSTANCE.sub("", key) == bare
