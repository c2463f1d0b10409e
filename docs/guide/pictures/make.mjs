// Makes the pictures of the guide again, from its examples:
//
//     node docs/guide/pictures/make.mjs target/release/coco-inspect chromium

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "../../../inspect-cli/tests/browser/chromium.mjs";

const [, , tool, chromium] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "coconut-guide-"));
const example = join(here, "../example");
const drawn = (...args) => execFileSync(tool, args, { cwd: example });

writeFileSync(join(folder, "production.html"), drawn("graph", "production.tfstate", "--as", "html"));
writeFileSync(join(folder, "staging.html"), drawn("graph", "staging.tfstate", "--changed", "production.tfstate", "--as", "html"));
writeFileSync(join(here, "sizes.svg"), drawn("stat", "production.tfstate", "--as", "svg"));

const browser = await Browser.start(chromium);
const pictures = [
  ["graph.png", "production.html", "#tab=graph&key=aws_subnet.public"],
  ["changes.png", "staging.html", "#tab=changes"],
];
for (const [name, page, place] of pictures) {
  await browser.open(pathToFileURL(join(folder, page)).href + place, 960, 560);
  writeFileSync(join(here, name), await browser.screenshot());
}
await browser.end();
rmSync(folder, { recursive: true, force: true });
