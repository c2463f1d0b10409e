#!/usr/bin/env python3
"""Measures history packs and the state server as their users see them.

    benches/history/run.py COCO_HISTORY versions [--count N] [--resources N]
    benches/history/run.py COCO_HISTORY load [--seconds N] [--states N] [--clients N] [--bytes N]

`versions` adds N versions of a state, each with six changed resources, and times the commands.
`load` starts a server, and sends LOCK, GET, POST and UNLOCK over kept-alive connections.
COCO_HISTORY is a release build. The times of commands include the start of a process.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

CHANGED = 6
BATCH = 50


class State:
    """A state whose resources change one after the other. Its text is made of parts."""

    def __init__(self, resources, seed, padding=0):
        self.random = random.Random(seed)
        self.serial = 0
        self.padding = padding
        self.parts = [self.resource(number, 0) for number in range(resources)]

    def resource(self, number, size):
        attributes = {
            "id": hashlib.sha256(b"%d" % number).hexdigest(),
            "arn": f"arn:aws:s3:::bucket-{number}",
            "size": size,
            "tags": {"Name": f"bucket-{number}", "Owner": f"team-{number % 17}"},
            "filler": self.random.randbytes(self.padding // 2).hex(),
        }
        return json.dumps(
            {
                "mode": "managed",
                "type": "aws_s3_bucket",
                "name": f"b{number}",
                "provider": 'provider["registry.terraform.io/hashicorp/aws"]',
                "instances": [{"schema_version": 0, "attributes": attributes}],
            },
            indent=2,
        )

    def next(self):
        """The next version, as bytes."""
        for _ in range(CHANGED):
            number = self.random.randrange(len(self.parts))
            self.parts[number] = self.resource(number, self.random.randrange(10**6))
        self.serial += 1
        head = {"version": 4, "terraform_version": "1.11.4", "serial": self.serial, "lineage": "bench"}
        text = json.dumps(head)[:-1] + ', "outputs": {}, "resources": [' + ",\n".join(self.parts) + "]}\n"
        return text.encode()


def timed(command, rounds=5):
    """The median time of a command, in milliseconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if ended.returncode > 1:  # 1 means that something differs
            raise RuntimeError(f"{command} ended with {ended.returncode}")
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def versions(program, options):
    state = State(options.resources, 7, options.padding)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        pack = str(folder / "s.cocohist")
        total = 0
        adding = 0.0
        for first in range(0, options.count, BATCH):
            files = []
            for number in range(first, min(first + BATCH, options.count)):
                file = folder / f"{number}.tfstate"
                file.write_bytes(state.next())
                total += file.stat().st_size
                files.append(str(file))
            started = time.perf_counter()
            subprocess.run([program, "add", pack, *files], check=True, stdout=subprocess.DEVNULL)
            adding += time.perf_counter() - started
            for file in files:
                os.remove(file)
        texts = [state.next() for _ in range(5)]
        single = []
        for text in texts:
            (folder / "one.tfstate").write_bytes(text)
            single.append(timed([program, "add", pack, str(folder / "one.tfstate")], rounds=1))
        key = "aws_s3_bucket.b1"
        count = options.count
        worst = 2 ** (count.bit_length() - 1) - 1  # as many set bits as possible
        print(f"{count} versions, {options.resources} resources, {len(texts[0])} bytes each, {total} bytes of text")
        print(f"file: {pathlib.Path(pack).stat().st_size} bytes")
        print(f"add: {adding * 1000 / count:.1f} ms a version in batches of {BATCH}, {statistics.median(single):.1f} ms as a command")
        for name, command in {
            "export @1": ["export", f"{pack}@1"],
            f"export @{count}": ["export", f"{pack}@{count}"],
            f"export @{worst} (most patches)": ["export", f"{pack}@{worst}"],
            "get of one resource, newest": ["get", pack, key],
            "log KEY": ["log", pack, key],
            "ls": ["ls", pack],
            "diff of the last two": ["diff", pack, "--stat"],
            "verify": ["verify", pack],
            "--version (the start of a process)": ["--version"],
        }.items():
            rounds = 1 if name == "verify" else 5
            print(f"{name}: {timed([program, *command], rounds):.1f} ms")


def exchange(connection, method, path, body):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError("the server closed the connection")
        received += part
    head, rest = received.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(rest) < length:
        rest += connection.recv(1 << 20)
    return int(head.split(b" ", 2)[1])


def client(number, address, options, until, results):
    """Cycles over the states of this client until the time is over."""
    connection = socket.create_connection(address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    own = range(number, options.states, options.clients)
    resources = max(1, options.bytes // 560)
    states = {at: State(resources, at) for at in own}
    times = []
    while time.time() < until:
        for at in own:
            text = states[at].next()
            id = f"{number}-{len(times)}"
            info = json.dumps({"ID": id, "Operation": "OperationTypeApply", "Who": "ada@host", "Version": "1.11.4"})
            started = time.perf_counter()
            path = f"/state/team/s{at}"
            statuses = [
                exchange(connection, "LOCK", path, info.encode()),
                exchange(connection, "GET", path, b""),
                exchange(connection, "POST", f"{path}?ID={id}", text),
                exchange(connection, "UNLOCK", path, info.encode()),
            ]
            times.append(time.perf_counter() - started)
            if [status for status in statuses if status not in (200, 404)]:
                raise RuntimeError(f"statuses {statuses}")
            if time.time() >= until:
                break
    results.put(times)


def load(program, options):
    root = tempfile.mkdtemp()
    server = subprocess.Popen(
        [program, "serve", "--root", root, "--anonymous", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        line = server.stdout.readline()
        host, port = line.split("//")[1].split("/")[0].split(":")
        results = multiprocessing.Queue()
        started = time.time()
        until = started + options.seconds
        arguments = [(number, (host, int(port)), options, until, results) for number in range(options.clients)]
        clients = [multiprocessing.Process(target=client, args=each) for each in arguments]
        for each in clients:
            each.start()
        times = sorted(took for _ in clients for took in results.get())
        lasted = time.time() - started
        for each in clients:
            each.join()
        memory = pathlib.Path(f"/proc/{server.pid}/status")
        peak = [line.split()[1] for line in memory.read_text().splitlines() if line.startswith("VmHWM")] if memory.exists() else ["?"]
        print(f"{options.clients} clients, {options.states} states of {options.bytes} bytes, load {os.getloadavg()[0]:.1f}")
        print(f"{len(times) / lasted:.0f} cycles a second")
        at = lambda part: times[int(part * (len(times) - 1))] * 1000
        print(f"a cycle: median {at(0.5):.1f} ms, 99 of 100 within {at(0.99):.1f} ms; memory at most {peak[0]} kB")
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program")
    commands = parser.add_subparsers(dest="command", required=True)
    of_versions = commands.add_parser("versions")
    of_versions.add_argument("--count", type=int, default=1000)
    of_versions.add_argument("--resources", type=int, default=3000)
    of_versions.add_argument("--padding", type=int, default=3000)
    of_load = commands.add_parser("load")
    of_load.add_argument("--seconds", type=float, default=15)
    of_load.add_argument("--states", type=int, default=96)
    of_load.add_argument("--clients", type=int, default=16)
    of_load.add_argument("--bytes", type=int, default=20_000)
    options = parser.parse_args()
    {"versions": versions, "load": load}[options.command](options.program, options)


if __name__ == "__main__":
    main()
