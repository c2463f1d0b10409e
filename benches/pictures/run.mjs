// Measures pictures of graphs, beside other programs that draw. README.md says how.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "../../inspect-cli/tests/browser/chromium.mjs";

const [, , tool, compiler, chromium] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coconut-pictures-"));
const ROUNDS = Number(process.env.ROUNDS || 5);

/** Numbers below `most`, the same each time (a linear congruential generator). */
function numbers(seed) {
  let state = seed >>> 0;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

/** A checkpoint of this many resources, with one and a half edges for each. */
function checkpoint(count) {
  const below = numbers(count);
  const type = (at) => `aws:m${at % 23}/t${at % 61}:T${at % 61}`;
  const urn = (at) => `urn:pulumi:prod::platform::${type(at)}::resource-${at}`;
  const edges = [];
  const resources = Array.from({ length: count }, (_, at) => {
    const near = (far) => Math.max(0, at - 1 - below(Math.min(at, far)));
    const targets = at === 0 ? [] : [...new Set([near(40), ...(at % 2 ? [near(2000)] : [])])];
    targets.forEach((to) => edges.push([at, to]));
    return { urn: urn(at), custom: true, id: `id-${at}`, type: type(at), outputs: { name: `r${at}` }, dependencies: targets.map(urn) };
  });
  const deployment = { manifest: { time: "2026-01-01T00:00:00Z", magic: "", version: "v3" }, resources };
  return { text: JSON.stringify({ version: 3, deployment }), edges };
}

/** Milliseconds of the processor that a program takes, kernel included. */
function cost(...command) {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>/dev/null';
  const said = execFileSync("bash", ["-c", `{ ${script}; } 2>&1`, "-", ...command], { cwd: folder }).toString();
  const [user, system] = said.trim().split(/\s+/).slice(-2).map(Number);
  return (user + system) * 1000;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Contenders in turns. The first round is not counted. */
function inTurns(contenders) {
  const times = contenders.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    contenders.forEach(({ command, rounds = ROUNDS }, at) => {
      if (round > rounds) return;
      const time = cost(...command);
      if (round > 0 || rounds === 0) times[at].push(time);
    });
  }
  contenders.forEach(({ name }, at) => console.log(`| ${name} | ${median(times[at]).toFixed(0)} ms |`));
}

const elk = join(here, "node_modules/elkjs/lib/elk.bundled.js");
const sizes = [300, 1000, 10000, 20000];
const edges = new Map();
for (const size of sizes) {
  const made = checkpoint(size);
  edges.set(size, made.edges);
  writeFileSync(join(folder, `g${size}.json`), made.text);
  execFileSync(compiler, ["pack", "build", `g${size}.json`, "-o", `g${size}.coco`], { cwd: folder, stdio: "ignore" });
  const lines = made.edges.map(([from, to]) => `n${from} -> n${to};`);
  writeFileSync(join(folder, `g${size}.dot`), `digraph { node [shape=box]; ${lines.join("\n")} }`);
}
writeFileSync(join(folder, "elk.mjs"), `
  import { readFileSync } from "node:fs";
  const { default: ELK } = await import(${JSON.stringify(pathToFileURL(elk).href)});
  const edges = JSON.parse(readFileSync(process.argv[2]));
  const size = Number(process.argv[3]);
  const children = Array.from({ length: size }, (_, at) => ({ id: "n" + at, width: 120, height: 42 }));
  const graph = { id: "root", layoutOptions: { "elk.algorithm": "layered" }, children,
    edges: edges.map(([from, to], at) => ({ id: "e" + at, sources: ["n" + from], targets: ["n" + to] })) };
  await new ELK().layout(graph);
`);
for (const size of [300, 1000]) writeFileSync(join(folder, `g${size}.edges`), JSON.stringify(edges.get(size)));

console.log("| picture | time |\n|---|---|");
const ours = (size, form, source = "coco") => ({
  name: `\`graph --as ${form}\`, ${size} resources and ${edges.get(size).length} edges${source === "coco" ? "" : ", from JSON"}`,
  command: [tool, "graph", `g${size}.${source}`, "--as", form, "--max-nodes", "100000"],
});
const peers = [];
const has = (program) => { try { execFileSync("bash", ["-c", `command -v ${program}`]); return true; } catch { return false; } };
for (const size of [300, 1000]) {
  if (has("dot")) peers.push({ name: `Graphviz \`dot -Tsvg\`, ${size}`, command: ["dot", "-Tsvg", `g${size}.dot`], rounds: 1 });
  if (existsSync(elk)) peers.push({ name: `elkjs, layered, ${size}`, command: ["node", "elk.mjs", `g${size}.edges`, String(size)], rounds: 1 });
}
inTurns([
  ours(300, "svg"), ours(1000, "svg"), ...peers,
  ours(10000, "dot"), ours(10000, "dot", "json"), ours(20000, "dot"), ours(20000, "svg"),
  ours(20000, "html"), ours(20000, "html", "json"),
]);

const draw = () => execFileSync(tool, ["graph", "g20000.coco", "--as", "html"], { cwd: folder, maxBuffer: 1 << 28 });
writeFileSync(join(folder, "page.html"), draw());
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
const isSame = digest(draw()) === digest(readFileSync(join(folder, "page.html")));
console.log(`\nThe page of 20,000 resources has ${statSync(join(folder, "page.html")).size} bytes, ${isSame ? "the same" : "NOT THE SAME"} each time.`);

if (chromium) {
  const browser = await Browser.start(chromium);
  await browser.open(pathToFileURL(join(folder, "page.html")).href + "#tab=graph&view=all");
  // What the thread of the page does, waiting for other processes left out.
  await browser.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await browser.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  // Milliseconds between frames while the graph is moved, by hand and with zoom.
  const before = await worked();
  const frames = await browser.ask(`(async () => {
    const canvas = document.getElementById("canvas");
    canvas.focus();
    const frame = () => new Promise(requestAnimationFrame);
    const moved = async (event) => {
      const times = [];
      let before = await frame();
      for (let at = 0; at < 120; at += 1) {
        canvas.dispatchEvent(event(at));
        const now = await frame();
        times.push(now - before);
        before = now;
      }
      return times;
    };
    const pan = await moved((at) => new KeyboardEvent("keydown", { key: at % 60 < 30 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
    const zoom = await moved((at) => new WheelEvent("wheel", { deltaY: at % 60 < 30 ? -60 : 60, clientX: 500, clientY: 400, bubbles: true, cancelable: true }));
    return { pan, zoom };
  })()`);
  const count = Object.values(frames).flat().length;
  console.log(`Work of the page for each of ${count} frames: ${(((await worked()) - before) / count).toFixed(1)} ms.`);
  for (const [what, times] of Object.entries(frames)) {
    const sorted = [...times].sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
    console.log(`Frames of all 20,000 boxes, ${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms.`);
  }
  await browser.end();
}
rmSync(folder, { recursive: true, force: true });
