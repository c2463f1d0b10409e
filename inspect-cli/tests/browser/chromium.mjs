// Drives Chromium over the pipe of its DevTools protocol. Needs Node alone.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe",
];

/** How long it may run. */
const SECONDS = 900;

/** A running browser with one page. */
export class Browser {
  static async start(program) {
    const browser = new Browser();
    browser.profile = mkdtempSync(join(tmpdir(), "coconut-page-"));
    browser.process = spawn(program, [...ARGUMENTS, `--user-data-dir=${browser.profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    // A browser that does not answer must not hold up a run of the tests.
    setTimeout(() => { browser.process.kill("SIGKILL"); process.exit(3); }, SECONDS * 1000).unref();
    browser.pending = new Map();
    browser.next = 1;
    browser.listeners = [];
    let rest = Buffer.alloc(0);
    browser.process.stdio[4].on("data", (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        browser.receive(JSON.parse(rest.subarray(0, end).toString("utf8")));
        rest = rest.subarray(end + 1);
      }
    });
    const { targetInfos } = await browser.send("Target.getTargets", {}, null);
    const target = targetInfos.find((info) => info.type === "page");
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId: target.targetId, flatten: true }, null);
    browser.session = sessionId;
    for (const domain of ["Page", "Runtime", "Network", "Log"]) await browser.send(`${domain}.enable`);
    return browser;
  }

  receive(message) {
    const waiting = this.pending.get(message.id);
    if (waiting) {
      this.pending.delete(message.id);
      if (message.error) waiting.reject(new Error(message.error.message));
      else waiting.resolve(message.result);
    } else {
      this.listeners.forEach((listener) => listener(message));
    }
  }

  send(method, params = {}, sessionId = this.session) {
    const id = this.next++;
    const message = sessionId ? { id, method, params, sessionId } : { id, method, params };
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => this.pending.set(id, { resolve, reject }));
  }

  on(method, listener) {
    this.listeners.push((message) => { if (message.method === method) listener(message.params); });
  }

  /** The value of an expression in the page. */
  async ask(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  async open(address, width = 1280, height = 800, isSettled = true) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    const loaded = new Promise((resolve) => this.on("Page.loadEventFired", resolve));
    // Another document than before, also where only the part after # differs.
    await this.send("Page.navigate", { url: "about:blank" });
    await loaded;
    const again = new Promise((resolve) => this.on("Page.loadEventFired", resolve));
    await this.send("Page.navigate", { url: address });
    await again;
    if (isSettled) await this.settle();
  }

  /** Waits until what was requested is drawn: the timers of the page come first, then its frames. */
  async settle() {
    await this.ask(`new Promise((done) => {
      const wait = () => requestAnimationFrame(() => requestAnimationFrame(() => (document.querySelector("[aria-busy=true]") ? wait() : done())));
      setTimeout(wait, 150);
    })`);
  }

  async key(key, text) {
    const codes = { Enter: 13, Escape: 27, Tab: 9, Backspace: 8, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
    const event = { key, windowsVirtualKeyCode: codes[key] || key.toUpperCase().charCodeAt(0) };
    const typed = text ?? (key.length === 1 ? key : key === "Enter" ? "\r" : undefined);
    await this.send("Input.dispatchKeyEvent", { type: typed ? "keyDown" : "rawKeyDown", text: typed, ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  async type(text) {
    for (const c of text) await this.key(c);
  }

  async mouse(type, x, y, more = {}) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  }

  async click(x, y, clickCount = 1) {
    const button = { button: "left", clickCount };
    await this.mouse("mousePressed", x, y, button);
    await this.mouse("mouseReleased", x, y, button);
  }

  async screenshot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(data, "base64");
  }

  async end() {
    const ended = new Promise((resolve) => this.process.on("exit", resolve));
    await this.send("Browser.close", {}, null).catch(() => {});
    await ended;
    rmSync(this.profile, { recursive: true, force: true });
  }
}
