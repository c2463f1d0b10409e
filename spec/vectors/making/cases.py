"""The type of a vector, and the list of all."""

from dataclasses import dataclass, field

from .assemble import File, Rule

UNKNOWN = object()


@dataclass
class Case:
    name: str
    about: str
    section: str
    file: File
    document: object = UNKNOWN  # what the file decodes to; unknown where decoding fails
    refused: list | None = None  # (level, code, place) for bad vectors
    rule: Rule | None = None
    answers: list = field(default_factory=list)  # metadata lines of good vectors
    json: str | None = None


def good(name, about, section, document, file, rule=None, answers=None, json=None):
    return Case(name, about, section, file, document, None, rule, answers or [], json)


def at_open(name, about, section, file, code, place):
    """Refused when opened, and so at every level."""
    return Case(name, about, section, file, refused=[(level, code, place) for level in ("open", "decode", "verify")])


def at_decode(name, about, section, file, code, place, gets=()):
    refused = [(f"get {key}", code, place) for key in gets]
    return Case(name, about, section, file, refused=refused + [(level, code, place) for level in ("decode", "verify")])


def at_verify(name, about, section, file, code, place, document, gets=()):
    """Refused only by `verify`. `gets` are refused as well: (what, code, place), where what is a
    requested key, or `children KEY`, `deps KEY` or `rdeps KEY`."""
    refused = [(what if what.startswith(("children ", "deps ", "rdeps ")) else f"get {what}", c, p) for what, c, p in gets]
    return Case(name, about, section, file, document, refused + [("verify", code, place)])


def difference(good, changed):
    """The first byte that differs."""
    return next(i for i, (a, b) in enumerate(zip(good.data, changed.data)) if a != b)


def all_cases():
    from . import (
        bad_envelope, bad_index, bad_lookup, bad_payload, bad_rule, bad_sums, bad_values, good_envelope, good_index, good_payload, good_edges, good_later, good_rule, good_values,
    )

    for module in (good_envelope, good_values, good_payload, good_later, good_index, good_rule, good_edges, bad_envelope, bad_values, bad_payload, bad_sums, bad_rule,
                   bad_index, bad_lookup):
        yield from module.cases()
