#!/usr/bin/env python3
"""Measures `coco hub` against `curl`, with a registry on this machine.

    benches/hub/run.py COCO_HUB COCO [--megabytes 10 100] [--rounds 5]

Needs `docker-registry` and `curl` on the PATH. COCO_HUB and COCO are release builds. Programs take
turns, and each figure is a median. Each push goes to a new repository, so nothing is there before.
"""

import argparse
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request


def registry(folder):
    """A registry on a free port: the process and its address."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{found.getsockname()[1]}"
    config = folder / "config.yml"
    config.write_text(
        "version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n"
        f"storage: {{filesystem: {{rootdirectory: {folder / 'data'}}}}}\nhttp: {{addr: '{address}'}}\n"
    )
    process = subprocess.Popen(["docker-registry", "serve", config], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        try:
            urllib.request.urlopen(f"http://{address}/v2/").close()
            return process, address
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the registry does not start")


def document(folder, coco, megabytes):
    """A compiled package of about this size, whose texts do not repeat."""
    random.seed(megabytes)
    modules = {
        f"m{number}": {"description": random.randbytes(500).hex()} for number in range(megabytes * 1000)
    }
    source = folder / "source.json"
    source.write_text(json.dumps({"name": "bench", "version": "1.0.0", "modules": modules}))
    path = folder / f"{megabytes}.coco"
    subprocess.run([coco, "-q", "pack", "build", source, "-o", path], check=True)
    source.unlink()
    return path


def run(command, environment=None):
    """The time of a command in milliseconds, and its output."""
    started = time.perf_counter()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError(f"{command} ended with {ended.returncode}: {ended.stderr}")
    return (time.perf_counter() - started) * 1000, ended.stdout.strip()


def curl_push(address, repository, path, digest):
    """One upload as the specification describes it: POST, then PUT."""
    answer = run(["curl", "-sfi", "-X", "POST", f"http://{address}/v2/{repository}/blobs/uploads/"])[1]
    location = next(line.split(": ", 1)[1] for line in answer.splitlines() if line.lower().startswith("location:"))
    return run(
        ["curl", "-sf", "-H", "Content-Type: application/octet-stream", "-T", path, f"{location.strip()}&digest={digest}"]
    )[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hub")
    parser.add_argument("coco")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        process, address = registry(folder)
        try:
            for megabytes in options.megabytes:
                measure(options, folder, address, megabytes)
        finally:
            process.kill()


def measure(options, folder, address, megabytes):
    path = document(folder, options.coco, megabytes)
    digest = "sha256:" + run(["sha256sum", path])[1].split()[0]
    environment = {**os.environ, "HOME": str(folder / "home")}
    figures = {}

    def note(name, took):
        figures.setdefault(name, []).append(took)

    for number in range(options.rounds):
        name = f"{megabytes}/r{number}"
        reference = f"oci://{address}/coco/{name}:1"
        environment["COCONUT_CACHE_DIR"] = str(folder / f"cache-{megabytes}-{number}")
        note("push, curl", curl_push(address, f"curl/{name}", path, digest))
        note("push", run([options.hub, "-q", "push", path, reference], environment)[0])
        blob = f"http://{address}/v2/coco/{name}/blobs/{digest}"
        note("pull, curl", run(["curl", "-sf", blob, "-o", folder / f"curl-{number}"])[0])
        to = folder / f"coco-{number}"
        note("pull to a file", run([options.hub, "-q", "pull", "--no-cache", reference, "-o", to], environment)[0])
        note("get in place", run([options.hub, "-q", "get", reference, "/modules/m7"], environment)[0])
        took = run([options.hub, "-q", "pull", reference], environment)[0]
        note("pull to the cache", took)
        got, text = run([options.hub, "-q", "get", reference, "/modules/m7"], environment)
        note("pull, then get", took + got)
        assert "description" in text
    size = path.stat().st_size
    print(f"{size} bytes, medians of {options.rounds}, load {os.getloadavg()[0]:.1f}")
    medians = {name: statistics.median(times) for name, times in figures.items()}
    for name, median in medians.items():
        base = medians.get(f"{name.split()[0]}, curl")
        ratio = f", {median / base:.2f} × curl" if base and base is not median else ""
        print(f"{name}: {median:.0f} ms{ratio}")
    start = statistics.median(run([options.hub, "--version"])[0] for _ in range(5))
    print(f"--version (the start of a process): {start:.0f} ms")


if __name__ == "__main__":
    main()
