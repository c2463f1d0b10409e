from typing import Callable, List

from coconut_reader import fast


def installed() -> List[Callable[[], fast.Pair]]:
    """The installed msgpack libraries."""
    found = []
    for package in (fast.msgspec, fast.msgpack):
        try:
            package()
            found.append(package)
        except ImportError:
            continue
    return found
