"""One lookup and a full decode, against JSON libraries on the source. Usage: bench.py FILE SOURCE
KEY

Prints medians of processor time in milliseconds, so that other programs on the machine count
little. Beside them it prints how many times faster than `json.loads` each is. JSON libraries
must parse the whole source to answer one lookup; their row is the cost of `loads` alone. Files
are in the page cache, and each run opens the file again. The garbage collector is off for all,
since it would take most of the time of each. A full decode turns it off anyway."""

import argparse
import gc
import json
import statistics
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import coconut_reader
from coconut_reader import fast

BUDGET = 2.0  # seconds for each row
LEAST, MOST = 3, 200  # runs


def median(action: Callable[[], Any]) -> float:
    action()
    times: List[float] = []
    while len(times) < LEAST or (sum(times) < BUDGET and len(times) < MOST):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def json_libraries() -> Dict[str, Callable[[bytes], Any]]:
    found: Dict[str, Callable[[bytes], Any]] = {"json.loads": json.loads}
    try:
        import orjson

        found["orjson.loads"] = orjson.loads
    except ImportError:
        pass
    try:
        import msgspec

        found["msgspec.json.decode"] = msgspec.json.decode
    except ImportError:
        pass
    return found


def decode_with(path: Path, package: Optional[Callable[[], fast.Pair]]) -> Any:
    """A full decode by one package, or by the pure decoder; reports if the package gave up."""
    library = fast.library
    fast.library = lambda: package() if package else None
    try:
        return coconut_reader.open(path).to_python()
    finally:
        fast.library = library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("key")
    options = parser.parse_args()
    expected = json.loads(options.source.read_bytes())
    assert coconut_reader.open(options.file).to_python() == expected, "the file is not that of the source"
    del expected
    gc.disable()
    coconut_reader.open(options.file)[options.key]

    rows: List[Tuple[str, float]] = []
    libraries = json_libraries()
    for name, loads in libraries.items():
        rows.append((f"{name}, read and parse", median(lambda: loads(options.source.read_bytes()))))
    rows.append(("coconut open", median(lambda: coconut_reader.open(options.file))))
    rows.append(("coconut open, one lookup", median(lambda: coconut_reader.open(options.file)[options.key])))
    document = coconut_reader.open(options.file)
    rows.append(("coconut lookup, open file", median(lambda: document[options.key])))
    for package in (fast.msgspec, fast.msgpack):
        try:
            package()
        except ImportError:
            continue
        values = coconut_reader.open(options.file)
        try:
            fast.document(values.file, values.values, package())
        except fast.Unsure:
            print(f"{package.__name__} gives way to the pure decoder on this file")
            continue
        decoded = median(lambda: decode_with(options.file, package))
        rows.append((f"coconut full decode, {package.__name__}", decoded))
    rows.append(("coconut full decode, pure", median(lambda: decode_with(options.file, None))))

    base = rows[0][1]
    sizes = options.file.stat().st_size, options.source.stat().st_size
    print("{:,} bytes, source {:,} bytes, {:,} landmarks".format(*sizes, len(document)))
    print(f"{'':40} {'median ms':>12} {'json.loads ÷':>14}")
    for name, seconds in rows:
        print(f"{name:40} {seconds * 1000:12.3f} {base / seconds:14.2f}")


if __name__ == "__main__":
    main()
