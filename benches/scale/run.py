#!/usr/bin/env python3
"""Time and memory of each command of `coco` over documents that double: `run.py --help`.

Generates documents of each shape, runs each command over them, and prints processor time (user and
system), peak memory, and the growth of both from one size to the next. A growth of more than 2.3 for
twice the resources is marked, because the command is then not linear. Times below 0.05 s are not compared.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

LIMIT = 2.3
LEAST_SECONDS = 0.05
LEAST_MEGABYTES = 20


# --- documents -------------------------------------------------------------------------------


def instance(dependencies=None, **attributes):
    found = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": []}
    return found | ({"dependencies": dependencies} if dependencies else {})


def managed(name, instances, kind="aws_instance", **more):
    provider = 'provider["registry.terraform.io/hashicorp/aws"]'
    return {"mode": "managed", "type": kind, "name": name, "provider": provider, "instances": instances} | more


def state(resources):
    head = {"version": 4, "terraform_version": "1.11.4", "serial": 7, "lineage": "3c1a", "outputs": {}}
    return head | {"resources": resources}


def attributes(number, version=0):
    tags = {"Name": f"r{number}", "Team": f"team-{number % 17}", "Version": str(version)}
    return {"id": f"i-{number:012x}", "ami": f"ami-{number % 31:08x}", "size": number % 97, "tags": tags}


def terraform(dependencies_of):
    def made(count, version=0):
        def one(number):
            to = [f"aws_instance.r{other}" for other in sorted(set(dependencies_of(number)))]
            return managed(f"r{number}", [instance(to, **attributes(number, version if number % 1000 == 5 else 0))])

        return state([one(number) for number in range(count)])

    return made


def instances_of_modules(count, version=0):
    """Modules with `count`: each of a module's instances depends on all of another resource's."""
    # 20 instances of each resource, so each module has 20 * 20 edges.
    each, resources = 20, []
    for module in range(count // (2 * each)):
        for kind, to in (("aws_vpc", None), ("aws_instance", [f"module.m{module}.aws_vpc.a"])):
            for number in range(each):
                change = version if module % 50 == 3 else 0
                one = instance(to, **attributes(number, change)) | {"schema_version": 1}
                resources.append(managed("a", [one], kind, module=f"module.m{module}[{number}]"))
    return state(resources)


def instances_of_one_module(count, version=0):
    """One module with `count`: each instance of a resource depends on all of another."""
    resources = []
    for number in range(count // 2):
        for kind, to in (("aws_vpc", None), ("aws_instance", ["module.m.aws_vpc.a"])):
            change = version if number % 1000 == 3 else 0
            one = instance(to, **attributes(number, change))
            resources.append(managed("a", [one], kind, module=f"module.m[{number}]"))
    return state(resources)


def one_resource_of_many_instances(count, version=0):
    instances = [instance(None, **attributes(n, version)) | {"index_key": n} for n in range(count)]
    return state([managed("a", instances)])


def repeated_keys(count, version=0):
    """Each key twice: a current and a deposed instance."""
    resources = []
    for number in range(count // 2):
        to = [f"aws_instance.r{number - 1}"] if number else None
        old = instance(to, **attributes(number)) | {"deposed": "0a1b2c3d"}
        resources.append(managed(f"r{number}", [instance(to, **attributes(number, version)), old]))
    return state(resources)


def one_repeated_key(count, version=0):
    found = terraform(lambda n: [n // 2, n // 3] if n else [])(count, version)
    found["resources"].append(managed("web", [instance(None, id="x"), instance(None, id="y") | {"deposed": "0a1b2c3d"}]))
    return found


def pulumi(pending):
    def made(count, version=0):
        urn = lambda n: f"urn:pulumi:prod::shop::aws:ec2/instance:Instance::r{n}"  # noqa: E731
        resources = []
        for n in range(count):
            to = [urn(other) for other in sorted({n // 2, n // 3})] if n else []
            inputs = attributes(n, version if n % 1000 == 5 else 0)
            one = {"urn": urn(n), "custom": True, "id": f"i-{n}", "type": "aws:ec2/instance:Instance"}
            resources.append(one | {"inputs": inputs, "outputs": inputs | {"arn": f"arn:{n}"}, "dependencies": to})
        if pending:
            resources.insert(1, resources[0] | {"delete": True, "id": "i-old"})
        latest = {"manifest": {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""}, "resources": resources}
        return {"version": 3, "deployment": latest}

    return made


def kubernetes(count, version=0):
    items = []
    for n in range(count // 2):
        meta = {"name": f"a{n}", "namespace": f"ns{n % 40}", "labels": {"app": f"a{n}"}}
        config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"v": str(version), "n": str(n)}}
        volume = {"name": "c", "configMap": {"name": f"a{n}"}}
        pod = {"containers": [{"name": "c", "image": f"i:{n % 7}"}], "volumes": [volume]}
        template = {"metadata": {"labels": {"app": f"a{n}"}}, "spec": pod}
        spec = {"replicas": 1, "selector": {"matchLabels": {"app": f"a{n}"}}, "template": template}
        items += [config, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec}]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def cloudformation(count, version=0):
    resources = {}
    for n in range(count):
        properties = {"BucketName": f"b{n}", "Tags": [{"Key": "v", "Value": str(version if n % 1000 == 5 else 0)}]}
        if n:
            properties |= {"Peer": {"Ref": f"R{n // 2}"}, "Arn": {"Fn::GetAtt": [f"R{n // 3}", "Arn"]}}
        resources[f"R{n}"] = {"Type": "AWS::S3::Bucket", "Properties": properties}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}


def plan(count, version=0):
    changes, planned, configuration = [], [], []
    for n in range(count):
        after = attributes(n, version + n % 2)
        address = f"aws_instance.r{n}"
        name = {"address": address, "mode": "managed", "type": "aws_instance", "name": f"r{n}"}
        name["provider_name"] = "registry.terraform.io/hashicorp/aws"
        actions = ["update"] if n % 10 == 0 else ["no-op"]
        changes.append(name | {"change": {"actions": actions, "before": attributes(n), "after": after}})
        planned.append(name | {"schema_version": 1, "values": after})
        one = {"address": address, "mode": "managed", "type": "aws_instance", "name": f"r{n}"}
        to = {"subnet_id": {"references": [f"aws_instance.r{n // 2}.id", f"aws_instance.r{n // 2}"]}} if n else {}
        configuration.append(one | {"provider_config_key": "aws", "expressions": to, "schema_version": 1})
    values = {"root_module": {"resources": planned}}
    head = {"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": values}
    return head | {"resource_changes": changes, "configuration": {"root_module": {"resources": configuration}}}


# The name of each shape, its generator, and the key of a resource in the middle for a size.
STATE, URN = "aws_instance.r{}", "urn:pulumi:prod::shop::aws:ec2/instance:Instance::r{}"
SHAPES = {
    "state-two": (terraform(lambda n: [n // 2, n // 3] if n else []), STATE),
    "state-chain": (terraform(lambda n: [n - 1] if n else []), STATE),
    "state-hub": (terraform(lambda n: [0] if n else []), STATE),
    "state-modules": (instances_of_modules, "module.m1[3].aws_vpc.a"),
    "state-module": (instances_of_one_module, "module.m[3].aws_vpc.a"),
    "state-counted": (one_resource_of_many_instances, "aws_instance.a[{}]"),
    "state-repeated": (repeated_keys, "aws_instance.r3"),
    "state-one-repeated": (one_repeated_key, STATE),
    "pulumi": (pulumi(False), URN),
    "pulumi-pending": (pulumi(True), URN),
    "kubernetes": (kubernetes, "v1/ConfigMap/ns3/a3"),
    "cloudformation": (cloudformation, "R{}"),
    "plan": (plan, STATE),
}

# --- commands --------------------------------------------------------------------------------

# `S` is the source, `C` its compiled form, `D` another version, `K` a key, `O` the output folder.
COMMANDS = {
    "build": "pack build S -o O/out.coco --force",
    "check": "check C",
    "get": "get C K",
    "ls": "ls C --count",
    "ls all": "ls C",
    "deps": "deps C K",
    "rdeps": "rdeps C K --count",
    "impact": "impact C K",
    "path": "path C K K0",
    "find": "find C team-3 --count",
    "query": "query .version C",
    "roots": "roots C --count",
    "leaves": "leaves C --count",
    "orphans": "orphans C --count",
    "cycles": "cycles C",
    "stat": "stat C",
    "info": "info C",
    "verify": "verify C",
    "dump": "dump C",
    "diff": "diff C D --stat",
    "diff key": "diff C D --key K",
    "graph": "graph C --focus K --depth 1 --as dot",
    "import": "import SYSTEM S -o O/imported.json --force",
    "convert": "convert S --to cocogl -o O/converted.json --force",
    "repack": "pack repack C -o O/repacked.coco --force",
    "rdeps cached": "rdeps S K --count",
    "ls cached": "ls S --count",
    "get cached": "get S K",
}


# Commands for some shapes only.
ONLY = {
    "import": {"kubernetes": "kubernetes", "cloudformation": "cloudformation", "plan": "terraform-plan"},
    "convert": dict.fromkeys(name for name in SHAPES if name.startswith(("state", "pulumi"))),
}


def measured(arguments, environment, seconds):
    """Exit status, processor seconds, megabytes and the last line of errors."""
    with tempfile.TemporaryFile() as errors, open(os.devnull, "wb") as nothing:

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

        child = subprocess.Popen(arguments, stdout=nothing, stderr=errors, env=environment, preexec_fn=limit)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        lines = errors.read().decode(errors="replace").strip().splitlines()
    return child.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, lines[0] if lines else ""


def filled(command, places):
    return [places.get(word) or word.replace("O/", places["O"] + "/") for word in command.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coco", default="target/release/coco", help="the tool to measure")
    parser.add_argument("--sizes", default="10000,20000,40000,80000,160000")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--commands", default=",".join(COMMANDS))
    parser.add_argument("--seconds", type=int, default=60, help="processor time after which a command is ended")
    parser.add_argument("--runs", type=int, default=1, help="the fastest of so many is reported")
    parser.add_argument("--folder", help="where the documents are kept (default: a temporary folder)")
    # A child's peak memory includes that of this process, so another process makes the documents.
    parser.add_argument("--make", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        shape, size, version = options.make.split(",")
        json.dump(SHAPES[shape][0](int(size), int(version)), sys.stdout, indent=1)
        return
    coco = str(pathlib.Path(options.coco).resolve())
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.folder or temporary)
        environment = os.environ | {"COCONUT_CACHE_DIR": str(folder / "cache"), "NO_COLOR": "1"}
        places = {"O": str(folder / "out")}
        (folder / "out").mkdir(parents=True, exist_ok=True)
        worse = 0
        for shape in options.shapes.split(","):
            _, key = SHAPES[shape]
            results = {}
            for size in sizes:
                base = folder / f"{shape}-{size}"
                for suffix, version in ((".json", 0), (".new.json", 1)):
                    source = pathlib.Path(f"{base}{suffix}")
                    if not source.exists():
                        make = [sys.executable, __file__, "--make", f"{shape},{size},{version}"]
                        with source.open("wb") as file:
                            subprocess.run(make, stdout=file, check=True)
                    if not source.with_suffix(".coco").exists():
                        build = [coco, "pack", "build", source, "-o", source.with_suffix(".coco")]
                        measured(build, environment, options.seconds)
                places |= {"S": f"{base}.json", "C": f"{folder}/compiled/{shape}-{size}.coco"}
                places |= {"D": f"{folder}/compiled/{shape}-{size}.new.coco"}
                places |= {"K": key.format(size // 4), "K0": key.format(0)}
                for suffix in (".coco", ".new.coco"):
                    moved = folder / "compiled" / f"{shape}-{size}{suffix}"
                    moved.parent.mkdir(exist_ok=True)
                    found = pathlib.Path(f"{base}{suffix}")
                    if found.exists():
                        found.replace(moved)
                for name in options.commands.split(","):
                    if shape not in ONLY.get(name, SHAPES):
                        continue
                    places["SYSTEM"] = ONLY.get(name, {}).get(shape)
                    arguments = [coco, *filled(COMMANDS[name], places)]
                    if "cached" in name:
                        measured(arguments, environment, options.seconds)
                    runs = [measured(arguments, environment, options.seconds) for _ in range(options.runs)]
                    results.setdefault(name, []).append(min(runs, key=lambda run: run[1]))
            worse += report(shape, sizes, results)
    sys.exit(1 if worse else 0)


def growth(numbers, least):
    pairs = zip(numbers, numbers[1:])
    return max((after / before for before, after in pairs if before >= least), default=0)


def report(shape, sizes, results):
    heads = [f"{size // 1000}k" for size in sizes]
    print(f"\n### {shape}\n")
    print("| command | " + " | ".join(f"{head}, s" for head in heads) + f" | growth | {heads[-1]}, MB | growth |")
    print("|---|" + "---:|" * (len(sizes) + 3))
    worse = 0
    for name, runs in results.items():
        seconds, megabytes = [run[1] for run in runs], [run[2] for run in runs]
        grown = growth(seconds, LEAST_SECONDS), growth(megabytes, LEAST_MEGABYTES)
        worse += max(grown) > LIMIT
        shown = [f"**{g:.1f}**" if g > LIMIT else f"{g:.1f}" if g else "–" for g in grown]
        cells = [f"{run[1]:.2f}" + ("" if run[0] in (0, 1) else f" (exit {run[0]})") for run in runs]
        print(f"| {name} | " + " | ".join(cells) + f" | {shown[0]} | {megabytes[-1]:.0f} | {shown[1]} |")
        failed = next((run for run in runs if run[0] not in (0, 1)), None)
        if failed:
            print(f"`{name}`: {failed[3]}", file=sys.stderr)
    sys.stdout.flush()
    return worse


if __name__ == "__main__":
    main()
