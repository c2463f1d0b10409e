// Opens pages of `graph --as html` in a browser and uses them with mouse and keyboard.
//
//     node page.mjs CHROMIUM FOLDER
//
// The folder has the pages, and `expected.json` with the answers of the tool. The program prints
// one line for each check and ends with 1 if one fails.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./chromium.mjs";

const [, , program, folder] = process.argv;
const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
const browser = await Browser.start(program);
const requests = [];
const complaints = [];
browser.on("Network.requestWillBeSent", ({ request }) => requests.push(request.url));
browser.on("Runtime.consoleAPICalled", ({ args }) => complaints.push(args.map((one) => one.value).join(" ")));
browser.on("Runtime.exceptionThrown", ({ exceptionDetails }) => complaints.push(exceptionDetails.exception?.description || exceptionDetails.text));
// A report of the policy of the page is an entry of the log.
browser.on("Log.entryAdded", ({ entry }) => complaints.push(entry.text));

let failures = 0;
function check(what, found, wanted = true) {
  const isGood = JSON.stringify(found) === JSON.stringify(wanted);
  failures += isGood ? 0 : 1;
  console.log(`${isGood ? "ok" : "FAILED"}  ${what}${isGood ? "" : `: found ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`}`);
}

const page = (name) => pathToFileURL(join(folder, name)).href;
const text = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
const count = (selector) => browser.ask(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
const isHidden = (selector) => browser.ask(`document.querySelector(${JSON.stringify(selector)}).hidden`);
const number = async (selector) => Number((await text(selector)).replace(/[^\d]/g, ""));
/** How many different colours the canvas has. */
const colours = () => browser.ask(`(() => {
  const canvas = document.getElementById("canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) found.add((data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]);
  return found.size;
})()`);
const background = () => browser.ask("getComputedStyle(document.body).backgroundColor");
const isTooWide = () => browser.ask("document.documentElement.scrollWidth > innerWidth");

async function searchFor(query) {
  await browser.key("/");
  await browser.ask('document.getElementById("query").select()');
  await browser.type(query);
  await browser.settle();
}

// The graph of a small document.
await browser.open(page("small.html"));
check("the title is that of the file", await browser.ask("document.title"), "small.json");
check("the canvas is not blank", (await colours()) > 5);
check("the graph is first", await isHidden("#graph"), false);
for (const [key, answer] of Object.entries(expected.resources)) {
  await searchFor(answer.search);
  check(`search counts \`${answer.search}\``, await number("#hits"), answer.hits);
  await browser.key("Enter");
  await browser.settle();
  check(`Enter chooses ${key}`, await text("#details .key"), key);
  check("direct dependents are those of rdeps", await number("#direct-up"), answer.rdeps);
  check("direct dependencies are those of deps", await number("#direct-down"), answer.deps);
  check("all dependents are those of impact", await number("#all-up"), answer.impact);
  check("all dependencies are those of deps --all", await number("#all-down"), answer.all);
  await browser.ask("document.activeElement.blur()");
  await browser.key("o");
  await browser.settle();
  check("o shows only what is near", (await text("#graph-bar b")).startsWith(`${1 + answer.impact + answer.all} resource`));
  await browser.ask('document.getElementById("canvas").focus()');
  await browser.key("Backspace");
  await browser.settle();
  check("Backspace leads back", await text("#graph-bar b"), null);
  await browser.key("Escape");
  await browser.ask("document.activeElement.blur()");
  await browser.key("Escape");
}
await browser.ask('document.activeElement.blur()');

// Keys.
await browser.key("l");
await browser.settle();
check("l opens the list", await isHidden("#list"), false);
check("the list has all resources", await number("#listed"), Number(`${expected.size}${expected.size}`));
check("the list has a row for each", await count("#list tbody tr"), expected.size);
await browser.key("s");
await browser.settle();
check("s opens the sizes", await isHidden("#sizes"), false);
check("the sizes are those of the file", await browser.ask('document.querySelector("#sizes .bar > .dim").textContent'), expected.bytes);
await browser.key("g");
await browser.settle();
await browser.ask('document.getElementById("canvas").focus()');
await browser.key("n");
await browser.settle();
check("n chooses the first box", await text("#details .key"), expected.first);
const before = await colours();
await browser.key("u");
await browser.settle();
check("u marks all dependents", await browser.ask('document.querySelector("#details [aria-pressed=true]")?.textContent'), "All dependents");
await browser.key("+");
await browser.key("ArrowLeft");
await browser.settle();
check("the canvas still shows something", before > 3 && (await colours()) > 3);
await browser.key("0");
await browser.key("Escape");
check("Escape closes the details", await isHidden("#details"), true);
await browser.key("?");
check("? shows the keys", await browser.ask('document.getElementById("help").open'));
await browser.key("Escape");

// The mouse.
const canvasArea = () => browser.ask(`(() => {
  const area = document.getElementById("canvas").getBoundingClientRect();
  return { left: area.left, top: area.top, width: area.width, height: area.height };
})()`);
/** The place of a box near the middle, and what the browser shows when the mouse is there. */
async function findBox() {
  await browser.settle();
  const area = await canvasArea();
  for (let y = 20; y < area.height; y += 24) {
    for (let x = area.width / 2 - 240; x < area.width / 2 + 240; x += 40) {
      await browser.mouse("mouseMoved", area.left + x, area.top + y);
      const title = await browser.ask('document.getElementById("canvas").title');
      if (title) return { x: area.left + x, y: area.top + y, title };
    }
  }
  throw new Error("there is no box in the middle");
}
const box = await findBox();
await browser.click(box.x, box.y);
await browser.settle();
check("it has the box that the mouse was on", await text("#details .key"), box.title);
const boxes = await canvasArea();
check("a click on a box opens its details", await isHidden("#details"), false);
await browser.mouse("mouseWheel", boxes.left + 200, boxes.top + 200, { deltaX: 0, deltaY: -240 });
await browser.settle();
check("a link leads back", (await browser.ask("location.hash")).includes("key="));
const link = await browser.ask("location.href");
const chosen = await text("#details .key");
await browser.open(link);
check("the link chooses the same", await text("#details .key"), chosen);

// Dark, narrow, without motion, printed, without scripts.
const light = await background();
await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
await browser.settle();
check("dark mode has another background", (await background()) !== light);
await browser.send("Emulation.setEmulatedMedia", { features: [] });
for (const tab of ["graph", "list", "sizes", "changes"]) {
  await browser.open(`${page("changed.html")}#tab=${tab}`, 360, 740);
  check(`${tab} fits a narrow screen`, await isTooWide(), false);
}
check("the changes are those of diff", await text("#changes p"), expected.changes);
await browser.send("Emulation.setEmulatedMedia", { media: "print" });
check("nothing is too wide on paper", await isTooWide(), false);
await browser.send("Emulation.setEmulatedMedia", { media: "" });
await browser.send("Emulation.setScriptExecutionDisabled", { value: true });
await browser.open(page("small.html"), 1280, 800, false);
await browser.send("Emulation.setScriptExecutionDisabled", { value: false });
check("without scripts there is a list", (await browser.ask('document.querySelector("noscript").textContent')).includes(expected.first));

// Keys with everything that ends a string or a tag, and hides or reorders text.
await browser.open(`${page("hostile.html")}#tab=list`);
check("hostile keys are texts", await count("#list tbody tr"), expected.hostile);
check("no key becomes an element", await count("#list tbody td > :not(button):not(span)"), 0);
check("no deceptive character is shown", await browser.ask('/[\\u202e\\u2028\\u0000-\\u0008]/.test(document.body.innerText)'), false);

// The policy stops whatever is not the script of the page.
const beforePolicy = complaints.length;
await browser.ask(`new Promise((done) => {
  document.addEventListener("securitypolicyviolation", () => done());
  const script = document.createElement("script");
  script.textContent = "window.wasRun = true";
  document.body.append(script);
})`);
check("another script does not run", await browser.ask("window.wasRun === undefined"));
await browser.settle();
check("and is reported", complaints.splice(beforePolicy).length > 0);

// Many boxes.
await browser.open(page("large.html"));
check("many boxes are joined at first", await browser.ask('document.querySelector("#graph-bar select").value !== "-1"'));
const group = await findBox();
await browser.click(group.x, group.y);
await browser.click(group.x, group.y, 2);
await browser.settle();
check("a double click opens the group that it began on", await text("#graph-bar b"), group.title);
await browser.ask(`(() => { const select = document.querySelector("#graph-bar select"); select.value = "-1"; select.dispatchEvent(new Event("change")); })()`);
await browser.settle();
check("all boxes are drawn", (await colours()) > 5);
await searchFor("7777");
await browser.key("Enter");
await browser.settle();
check("one of many is found", (await text("#details .key"))?.includes("7777"));

check("no complaint", complaints, []);
check("no request but those for the pages", requests.filter((url) => !url.startsWith("file:") && !url.startsWith("about:")), []);
check("one request for each page", requests.every((url) => url.startsWith("about:") || url.includes(".html")));
writeFileSync(join(folder, "last.png"), await browser.screenshot());
await browser.end();
process.exit(failures > 0 ? 1 : 0);
