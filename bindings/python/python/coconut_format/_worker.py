"""The process that runs a filter. `_query` starts it, and writes the request to its input."""

import json
import os
import sys
from typing import Any


def _limit(max_memory: int, timeout: int) -> None:
    try:
        import resource
    except ImportError:  # only on Unix
        return
    # Its memory may contain secrets, and must not stay in a file when it is ended.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (max(timeout, 1), max(timeout, 1) + 1))
    try:
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except OSError:  # other systems have no useful limit
        return
    # The stack of the filter is not memory until it is used.
    most = taken + (max_memory + 256) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _main() -> None:
    # Only this package: a module of the current folder must not take part.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from coconut_format._errors import CoconutError
    from coconut_format._native import run_filter

    head: list[Any] = json.loads(sys.stdin.buffer.readline())
    name, query, reveal, max_memory, timeout, max_steps, size = head
    document = sys.stdin.buffer.read(size)
    _limit(max_memory, timeout)
    try:
        answer = b"results\n" + run_filter(name, document, query, reveal, max_steps)
    except CoconutError as error:
        answer = b"failure\n" + json.dumps(error.facts).encode()
    sys.stdout.buffer.write(answer)


if __name__ == "__main__":
    _main()
