"""§9 limits and §10.4 errors."""

from dataclasses import dataclass


class FormatError(ValueError):
    """The file breaks a rule: code (§10.4), offset of the byte that the rule names, and text for
    people."""

    def __init__(self, code: str, offset: int, message: str) -> None:
        super().__init__(f"{code} at offset {offset}: {message}")
        self.code, self.offset, self.message = code, offset, message


def need(holds: object, code: str, offset: int, message: str, *details: object) -> None:
    """Refuses the file if a rule does not hold."""
    if not holds:
        raise FormatError(code, offset, message.format(*details))


@dataclass(frozen=True)
class Limits:
    """§9: policies with their defaults; each may be changed."""

    depth: int = 512  # levels, §9.1
    streamed_values: int = 268_435_456  # §9.2
    streamed_bytes: int = 16 << 30  # §9.3
    tree_values: int = 67_108_864  # §9.4
    string: int = 268_435_456  # bytes, §9.5
    key: int = 65_536  # bytes, §9.6
    envelope: int = 4_096  # bytes, §9.7
    parameters: int = 32  # §9.7
    header: int = 65_536  # bytes, §9.7
    landmarks: int = 16_777_216  # §9.8
    edges: int = 134_217_728  # §9.9
    directory: int = 64  # entries, §9.10
    keys: int = 4 << 30  # bytes of all full keys, §9.11
    pieces: int = 32  # of a template, §9.12
