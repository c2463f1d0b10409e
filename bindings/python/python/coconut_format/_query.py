"""Runs filters in a process of their own, with limits.

A filter is a program: it may run for ever, take all memory, or recurse until the stack ends, which
ends the process.
"""

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from ._errors import of_facts

_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_worker.py")
_PAST_LIMIT = 7


def _limit(code: str, message: str, hint: str) -> Exception:
    facts = {"code": code, "message": message, "exit": _PAST_LIMIT}
    return of_facts({**facts, "hint": hint} if hint else facts)


def _why(status: int, errors: str, timeout: int, max_memory: int) -> Exception:
    """The exception for a worker that did not end by itself."""
    # The runtime says it before it ends the process. Other signals come from the system.
    if "has overflowed its stack" in errors or status in (-11, -7):
        return _limit("LIM-QUERY-STACK", "the filter calls itself too deeply", "")
    if "memory allocation of" in errors or "MemoryError" in errors or status == -9:
        text = f"the filter needs more than {max_memory} MiB of memory"
        return _limit("LIM-QUERY-MEMORY", text, "raise it with `max_memory`")
    if status == -24:
        return _late(timeout)
    text = f"the process of the filter ended with status {status}"
    last = errors.strip().splitlines()[-1:]
    return of_facts({"code": "QUERY-ENDED", "message": ": ".join([text, *last]), "exit": 5})


def _late(timeout: int) -> Exception:
    return _limit("LIM-QUERY-TIME", f"the filter took longer than {timeout} s", "raise it with `timeout`")


def supervise(
    name: str, document: bytes, query: str, reveal: bool, timeout: int, max_memory: int, max_steps: int
) -> list[Any]:
    """Runs a filter on a compiled document, and returns its results."""
    if not sys.executable:
        text = "there is no program of Python to run the filter"
        raise of_facts({"code": "QUERY-ENDED", "message": text, "exit": 2})
    head = [name, query, reveal, max_memory, timeout, max_steps, len(document)]
    command = [sys.executable, "-I", "-S", _WORKER]
    with tempfile.TemporaryFile() as errors:
        worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        try:
            request = json.dumps(head).encode() + b"\n" + document
            # Its own limit is on processor time. The rest is for a system without such limits.
            output, _ = worker.communicate(request, timeout=2 * timeout + 10)
        except subprocess.TimeoutExpired:
            raise _late(timeout) from None
        finally:
            worker.kill()
            worker.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace")
    if worker.returncode != 0:
        raise _why(worker.returncode, said, timeout, max_memory)
    kind, _, answer = output.partition(b"\n")
    if kind == b"failure":
        raise of_facts(json.loads(answer))
    return [json.loads(line) for line in answer.split(b"\n") if line]
