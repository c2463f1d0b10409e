"""Writes two checkpoints that differ in a few resources: `generate.py RESOURCES OLD NEW [--small]`.

The first resource went, so that every later one has another position; one is new; the others differ
in one entry. With `--small`, a resource takes 300 bytes, and not 1,700.
"""

import hashlib
import json
import sys

CHANGES = 12


def digest(*parts):
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


def urn(kind, name):
    return f"urn:pulumi:prod::shop::{kind}::{name}"


def resource(number, small, version=0):
    kind = ("aws:ec2/instance:Instance", "aws:s3/bucket:Bucket", "aws:lambda/function:Function")[number % 3]
    name = f"resource-{number:07}"
    one = digest(number)
    inputs = {"name": name, "port": 1000 + number % 5000, "retentionInDays": 7 + version}
    if not small:
        inputs |= {
            "region": "eu-central-1",
            "instanceType": ("t3.micro", "t3.small", "m5.large")[number % 3],
            "encrypted": number % 2 == 0,
            "description": f"{name} of the shop, {one[:40]}",
            "tags": {"Team": f"team-{number % 17}", "Stage": "production", "Cost": one[40:48]},
        }
    found = {"urn": urn(kind, name), "custom": True, "id": f"i-{one[:17]}", "type": kind, "inputs": inputs}
    if small:
        return found
    outputs = dict(inputs)
    outputs |= {
        "arn": f"arn:aws:service:eu-central-1:123456789012:{name}/{one}",
        "privateIp": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "policy": json.dumps({"Statement": [{"Action": "s3:GetObject", "Resource": one}]}),
        "ids": [digest(number, n)[:20] for n in range(6)],
    }
    found |= {
        "outputs": outputs,
        "parent": urn("pulumi:pulumi:Stack", "shop-prod"),
        "dependencies": [urn("aws:s3/bucket:Bucket", f"resource-{number // 3 // 2 * 3 + 1:07}")],
        "provider": urn("pulumi:providers:aws", "default") + "::4f3c2d1e-0000-4000-8000-000000000000",
        "created": "2026-01-02T03:04:05.678Z",
        "modified": f"2026-01-02T03:{number // 60 % 60:02}:{number % 60:02}.678Z",
    }
    return found


def write(path, numbers, small, changed):
    head = {"time": "2026-01-02T03:04:05Z", "magic": "", "version": "v3.200.0"}
    stack = {"urn": urn("pulumi:pulumi:Stack", "shop-prod"), "custom": False, "type": "pulumi:pulumi:Stack"}
    with open(path, "w") as file:
        file.write('{"version":3,"checkpoint":{"stack":"prod","latest":{"manifest":')
        file.write(json.dumps(head, separators=(",", ":")))
        file.write(',"resources":[' + json.dumps(stack, separators=(",", ":")))
        for number in numbers:
            file.write(",")
            one = resource(number, small, number in changed)
            file.write(json.dumps(one, separators=(",", ":")))
        file.write("]}}}")


def main():
    count, old, new = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    small = "--small" in sys.argv
    changed = {count * n // CHANGES + 1 for n in range(1, CHANGES - 1)}
    write(old, range(count), small, set())
    write(new, range(1, count + 1), small, changed)


main()
