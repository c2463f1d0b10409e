// Tabs, search, keys of the whole page, and the state in the address.

const tabs = [
  ...(hasGraph ? [["graph", "Graph"], ["list", "List"], ["sizes", "Sizes"]] : [["sizes", "Sizes"], ["list", "List"]]),
  ...(raw.since !== undefined ? [["changes", "Changes"]] : []),
];
let tab = "";

function openTab(name, isFocused = false) {
  if (!tabs.some(([known]) => known === name)) return;
  tab = name;
  for (const [one] of tabs) {
    byId(one).hidden = one !== name;
    const head = byId("tab-" + one);
    head.setAttribute("aria-selected", String(one === name));
    head.tabIndex = one === name ? 0 : -1;
    if (one === name && isFocused) head.focus();
  }
  drawVisible();
  if (name === "graph") {
    if (!scene) {
      const first = firstView();
      if (first >= 0) openGroups(views[first]); else openAll();
    }
    board.resize();
  }
  remember();
}

function drawVisible() {
  if (tab === "list") drawList();
  if (tab === "sizes") drawSizes();
  if (tab === "changes") drawChanges();
}

function drawTabs() {
  const list = byId("tabs");
  for (const [name, title] of tabs) {
    list.append(button(title, () => openTab(name), { id: "tab-" + name, role: "tab", "aria-controls": name, "aria-selected": "false" }));
  }
  list.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const at = tabs.findIndex(([name]) => name === tab);
    openTab(tabs[(at + by + tabs.length) % tabs.length][0], true);
    event.preventDefault();
  });
}

// Search.

let hit = -1;

function searched() {
  const text = byId("query").value.trim();
  state.hits = search(text);
  hit = -1;
  byId("hits").textContent = text ? grouped(state.hits.length) : "";
  const results = byId("results");
  results.hidden = !text || document.activeElement !== byId("query");
  results.replaceChildren(...state.hits.slice(0, 200).map((at) =>
    element("button", { type: "button", class: "row", click: () => { results.hidden = true; choose(at); } }, shortName(at), " ", element("small", { text: cut(typeOf(at), 160) }))));
  if (text && state.hits.length === 0) results.append(element("p", { class: "row dim", text: "nothing found" }));
  if (state.hits.length > 200) results.append(element("p", { class: "row dim", text: "and " + grouped(state.hits.length - 200) + " more: the list has all" }));
  table.page = 0;
  remark();
  drawVisible();
  remember();
}

function listenToSearch() {
  const query = byId("query");
  const results = byId("results");
  let timer = 0;
  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(searched, size > 5000 ? 120 : 0);
  });
  query.addEventListener("focus", () => { if (query.value.trim()) results.hidden = false; });
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && state.hits.length > 0) {
      hit = (hit + (event.shiftKey ? state.hits.length - 1 : 1)) % state.hits.length;
      results.hidden = true;
      choose(state.hits[hit]);
      event.preventDefault();
    } else if (event.key === "ArrowDown" && !results.hidden) {
      results.querySelector("button")?.focus();
      event.preventDefault();
    }
  });
  results.addEventListener("keydown", (event) => {
    const here = document.activeElement;
    const to = { ArrowDown: here.nextElementSibling, ArrowUp: here.previousElementSibling || query }[event.key];
    if (to) {
      to.focus();
      event.preventDefault();
    }
  });
  byId("search").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("pointerdown", (event) => { if (!byId("search").contains(event.target)) results.hidden = true; });
}

// The state in the address, so that a link leads back to it.

let isRestoring = true;

function remember() {
  if (isRestoring) return;
  const parts = [["tab", tab]];
  if (byId("query").value.trim()) parts.push(["q", byId("query").value.trim()]);
  if (state.item >= 0) parts.push(["key", keyOf(state.item)]);
  if (scene) parts.push(["view", scene.near !== undefined ? "near" : scene.view ? scene.view.by : "all"]);
  if (scene && scene.group !== undefined) parts.push(["in", scene.view.labels[scene.group]]);
  const hash = "#" + parts.map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
  try {
    history.replaceState(null, "", hash);
  } catch {
    // A browser may refuse it for a file. The page works without.
  }
}

function restore() {
  const found = new Map(location.hash.slice(1).split("&").map((part) => {
    const at = part.indexOf("=");
    try {
      return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
    } catch {
      return ["", ""];
    }
  }));
  const wanted = found.get("tab");
  openTab(tabs.some(([name]) => name === wanted) ? wanted : tabs[0][0]);
  const view = views.find((one) => one.by === found.get("view"));
  if (hasGraph && !scene && (view || found.get("view") === "all")) scene = null;
  if (hasGraph && tab === "graph") {
    const group = view ? view.labels.indexOf(found.get("in")) : -1;
    if (group >= 0) openGroup(view, group);
    else if (view) openGroups(view);
    else if (found.get("view") === "all") openAll();
  }
  if (found.get("q")) {
    byId("query").value = found.get("q");
    searched();
  }
  const key = found.get("key");
  const at = key === undefined ? -1 : itemOf(key);
  if (at >= 0) {
    choose(at);
    if (board && scene && found.get("view") === "near") openNear(at);
  }
  isRestoring = false;
}

// Keys.

const keys = [
  ["/", "search; Enter goes to the next place"], ["g l s c", "graph, list, sizes, changes"],
  ["n p", "next and previous box"], ["Enter", "open a group, or go to the details"], ["Backspace", "back to what was shown before"],
  ["u d", "all dependents or all dependencies of what is chosen"], ["o", "only what is near it"], ["arrows + − 0", "move, zoom, fit"],
  ["Esc", "choose nothing"], ["?", "this list"],
];

function drawHelp() {
  const help = byId("help");
  help.append(element("h2", { id: "help-title", text: "Keys" }),
    element("dl", {}, ...keys.flatMap(([key, text]) => [element("dt", {}, element("kbd", { text: key })), element("dd", { text })])),
    button("Close", () => help.close()));
}

function keyOnPage(event) {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.key === "Escape") {
    if (!byId("results").hidden) byId("results").hidden = true;
    else if (state.item >= 0 || state.group >= 0) choose(-1);
    else if (byId("query").value) { byId("query").value = ""; searched(); }
    return;
  }
  if (isTyping) return;
  const named = { g: "graph", l: "list", s: "sizes", c: "changes" }[event.key];
  if (event.key === "/") byId("query").focus();
  else if (event.key === "?") byId("help").showModal();
  else if (named) openTab(named);
  else if ((event.key === "u" || event.key === "d") && state.item >= 0 && hasGraph) {
    const how = event.key === "u" ? "up" : "down";
    choose(state.item, { reach: state.reach === how ? "step" : how, isFromGraph: true });
  } else if (event.key === "o" && state.item >= 0 && hasGraph) showNear(state.item);
  else return;
  event.preventDefault();
}

function start() {
  document.querySelectorAll(".scripted").forEach((one) => { one.hidden = false; });
  const links = edges.to.length;
  byId("facts").textContent = [hasGraph ? counted(size, "resource", "resources") : counted(size, "landmark", "landmarks"), ...(hasGraph ? [counted(links, "arrow", "arrows")] : []),
    ...raw.facts.map(([name, value]) => name + ": " + show(value))].join("  ·  ");
  drawTabs();
  drawHelp();
  listenToSearch();
  if (hasGraph) startGraph();
  document.addEventListener("keydown", keyOnPage);
  // A page around this one may choose a resource.
  addEventListener("message", ({ source, data }) => {
    const at = source === parent && source !== window ? itemOf(data?.key) : -1;
    if (at >= 0 && at !== state.item) choose(at);
  });
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { if (tab === "sizes") drawSizes(); }, 100);
  });
  restore();
}

start();
