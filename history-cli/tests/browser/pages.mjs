// Opens the pages of a server in Chromium: contrast in light and dark, and everything by keyboard.
//
//   node pages.mjs CHROMIUM http://ADDRESS
//
// The server has a state `s` with three versions of a resource `t.x`, and its lock is held.

import { Browser } from "../../../inspect-cli/tests/browser/chromium.mjs";

const [, , program, base] = process.argv;
const PAGES = ["/", "/page/s", "/page/s/-/diff/1..3", "/page/s/-/log?key=t.x", "/page/s/-/restore/1"];

/** What normal text needs by WCAG 2.2 (1.4.3), and what a sign of the focus needs (1.4.11). */
const CONTRAST = 4.5;

const expect = (is, what) => { if (!is) throw new Error(what); };

/** The least contrast of a text in the page, and that text. Runs in the page. */
function leastContrast() {
  const canvas = document.body.appendChild(document.createElement("i"));
  canvas.style.backgroundColor = "Canvas";
  const numbers = (color) => color.match(/[\d.]+/g).map(Number);
  const ground = numbers(getComputedStyle(canvas).backgroundColor);
  canvas.remove();
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const over = ([r, g, b, a = 1], below) => [r, g, b].map((c, i) => c * a + below[i] * (1 - a));
  let least = { ratio: 99, text: "" };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.textContent.trim();
    if (!text || !texts.currentNode.parentElement.checkVisibility()) continue;
    let below = ground;
    for (let up = texts.currentNode.parentElement; up; up = up.parentElement) {
      const own = numbers(getComputedStyle(up).backgroundColor);
      if (own.length < 4 || own[3] > 0) { below = over(own, ground); break; }
    }
    const [a, b] = [over(numbers(getComputedStyle(texts.currentNode.parentElement).color), below), below].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < least.ratio) least = { ratio, text };
  }
  return { ...least, ground: luminance(ground) };
}

const browser = await Browser.start(program);
try {
  for (const scheme of ["light", "dark"]) {
    await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    for (const page of PAGES) {
      for (const width of [1280, 400]) {
        await browser.open(base + page, width, 800);
        const { ratio, text, ground } = await browser.ask(`(${leastContrast})()`);
        expect(ratio >= CONTRAST, `${page} in ${scheme}: "${text}" has a contrast of ${ratio.toFixed(2)}`);
        expect(scheme === "dark" ? ground < 0.1 : ground > 0.9, `${page} is not ${scheme}`);
        const isWide = await browser.ask("[...document.querySelectorAll('h1, p, main > form')].some((e) => e.getBoundingClientRect().right > innerWidth + 1)");
        expect(!isWide, `${page} does not fit ${width} pixels`);
      }
    }
  }

  // Everything that can be used is reached by Tab, in the order of the page, and shows it.
  for (const page of PAGES) {
    await browser.open(base + page);
    const count = await browser.ask("document.querySelectorAll('a[href], button, input:not([type=hidden]), summary, select').length");
    expect(count > 0, `${page} has nothing to use`);
    const seen = new Set();
    for (let n = 0; n < count; n++) {
      await browser.key("Tab");
      const focus = await browser.ask(`(() => {
        const all = [...document.querySelectorAll("a[href], button, input, summary, select")];
        const style = getComputedStyle(document.activeElement);
        return { at: all.indexOf(document.activeElement), isShown: style.outlineStyle !== "none",
          name: document.activeElement.textContent || document.activeElement.labels?.[0]?.textContent
            || document.activeElement.getAttribute("aria-label") || document.activeElement.placeholder || "" };
      })()`);
      expect(focus.at >= 0, `${page}: step ${n} leaves the page`);
      expect(focus.isShown, `${page}: step ${n} does not show where it is`);
      expect(focus.name.trim(), `${page}: step ${n} has no name`);
      seen.add(focus.at);
    }
    expect(seen.size === count, `${page}: Tab reaches ${seen.size} of ${count}`);
  }

  // From the list to the state, and the lock is freed, without a mouse.
  const reach = async (is) => {
    for (let n = 0; !(await browser.ask(`document.activeElement.matches("a, button, input") && (${is})`)); n++) {
      expect(n < 60, `nothing for ${is} is reached by Tab`);
      await browser.key("Tab");
    }
  };
  const enter = async () => {
    const loaded = new Promise((resolve) => browser.on("Page.loadEventFired", resolve));
    await browser.key("Enter");
    await loaded;
  };
  await browser.open(`${base}/`);
  await reach("document.activeElement.textContent === 's'");
  await enter();
  expect(await browser.ask("location.pathname") === "/page/s", "Enter opens the state");
  expect(await browser.ask("document.body.textContent.includes('Locked for')"), "the lock is shown");
  await reach("document.activeElement.name === 'ID'");
  await browser.type("one");
  await reach("document.activeElement.textContent === 'Unlock'");
  await enter();
  expect(await browser.ask("location.pathname") === "/page/s", "the page comes back");
  expect(!(await browser.ask("document.body.textContent.includes('Locked for')")), "the lock is free");
} finally {
  await browser.end();
}
