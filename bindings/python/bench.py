"""Compares reading with that of the pure reader and of JSON libraries: `bench.py FILE SOURCE KEY`.

Prints medians of processor time in milliseconds, with the garbage collector off. FILE is the
compiled form of the JSON file SOURCE.
"""

import gc
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path


def median(work: Callable[[], object], seconds: float = 2.0) -> float:
    times: list[float] = []
    end = time.monotonic() + seconds
    while len(times) < 5 or (time.monotonic() < end and len(times) < 2000):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
        del result
    return 1000 * statistics.median(times)


def main(file: str, source: str, key: str) -> None:
    import coconut_format

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spec" / "readers" / "python"))
    pure = importlib.import_module("coconut_reader")
    orjson, msgspec = importlib.import_module("orjson"), importlib.import_module("msgspec")

    def text() -> bytes:
        return Path(source).read_bytes()

    opened = coconut_format.open(file, reveal=True)
    opened_pure = pure.open(file)
    masked = coconut_format.open(file)
    rows: dict[str, Callable[[], object]] = {
        "`json.loads`, reading the source included": lambda: json.loads(text()),
        "`orjson.loads`, likewise": lambda: orjson.loads(text()),
        "`msgspec.json.decode`, likewise": lambda: msgspec.json.decode(text()),
        "`open`": lambda: coconut_format.open(file),
        "`open` and one lookup": lambda: coconut_format.open(file, reveal=True)[key],
        "`open` and one lookup, secrets masked": lambda: coconut_format.open(file)[key],
        "`open` and one lookup, pure reader": lambda: pure.open(file)[key],
        "a lookup in an open file": lambda: opened[key],
        "a lookup, secrets masked": lambda: masked[key],
        "a lookup, pure reader": lambda: opened_pure[key],
        "full decode": lambda: coconut_format.open(file, reveal=True).to_python(),
        "full decode, pure reader with `msgspec`": lambda: pure.open(file).to_python(),
        "`to_json`": lambda: opened.to_json(),
        "`verify`": lambda: opened.verify(),
        "`query`, a path": lambda: opened.query(".nothing"),
        "`compile`": lambda: coconut_format.compile(source),
    }
    gc.disable()
    for name, work in rows.items():
        print(f"{name:<45} {median(work):>12.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
