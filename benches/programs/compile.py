#!/usr/bin/env python3
"""Times `cocojs build` and `tsc --noEmit` on the same program, one after the other, and prints the
best and the median of each.

    benches/programs/compile.py COCOJS TSC [--rounds N] [--modules N] [--lines N] [--keep DIR]

COCOJS is a release build; TSC is `node_modules/.bin/tsc` of npm's `typescript`. The program is made
here: modules with interfaces, classes, functions, lists, maps and templates, each of which uses the
one before.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

# `{n}` is the number of the part in its module.
PART = """
export interface Options{n} {{ name: string; size: number; tags?: string[]; }}

export class Part{n} {{
    public readonly label: string;
    private count: number = {n};
    constructor(public options: Options{n}, other?: number) {{
        this.label = `${{options.name}}-${{options.size + (other ?? 0)}}`;
    }}
    public next(step: number = 1): number {{ this.count += step; return this.count; }}
}}

export function make{n}(names: string[], limit: number): Part{n}[] {{
    const kept = names.filter((name) => name.length > 0).map((name, at) => ({{ name, size: at * 2 + {n} }}));
    const parts: Part{n}[] = [];
    for (const {{ name, size }} of kept) {{
        if (size <= limit) {{ parts.push(new Part{n}({{ name, size, tags: [...names] }})); }}
    }}
    return parts;
}}
"""


def write(folder, modules, lines):
    """Writes the program; returns the number of its lines."""
    (folder / "Coconut.yaml").write_text("name: large\n")
    options = '{"compilerOptions": {"strict": true, "target": "es2022", "noEmit": true, "types": []}}'
    (folder / "tsconfig.json").write_text(options)
    parts = -(-(lines // modules) // PART.count("\n"))
    total = 0
    for module in range(modules):
        before = f'import {{ make0 as before }} from "./m{module - 1}";\n' if module else ""
        text = before + "".join(PART.format(n=n) for n in range(parts))
        text += f'export const all = make0(["a", "b"], 9){".concat(before([], 1) as any)" if module else ""};\n'
        (folder / f"m{module}.ts").write_text(text)
        total += text.count("\n")
    imports = "".join(f'import {{ all as a{module} }} from "./m{module}";\n' for module in range(modules))
    used = ", ".join(f"a{module}" for module in range(modules))
    text = imports + f"export const parts = [{used}].length;\n"
    (folder / "index.ts").write_text(text)
    return total + text.count("\n")


def timed(command):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("cocojs")
    arguments.add_argument("tsc")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--modules", type=int, default=99)
    arguments.add_argument("--lines", type=int, default=20_000)
    arguments.add_argument("--keep")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(exist_ok=True)
        lines = write(folder, options.modules, options.lines)
        package = folder / "large.coco"
        ours = [options.cocojs, "build", str(folder), "-o", str(package)]
        theirs = [options.tsc, "--noEmit", "-p", str(folder)]
        times = {"cocojs build": [], "tsc --noEmit": []}
        for _ in range(options.rounds):
            times["cocojs build"].append(timed(ours))
            times["tsc --noEmit"].append(timed(theirs))
        print(f"{options.modules + 1} modules, {lines} lines, {package.stat().st_size} bytes")
        for name, found in times.items():
            print(f"{name}: best {min(found):.3f} s, median {statistics.median(found):.3f} s")
        best = {name: min(found) for name, found in times.items()}
        print(f"{best['tsc --noEmit'] / best['cocojs build']:.1f} times as fast")


if __name__ == "__main__":
    main()
