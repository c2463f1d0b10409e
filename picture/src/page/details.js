// Details of what is chosen: facts, and what it is connected with.

const SHOWN = 100;

function choose(item, how = {}) {
  state.item = item;
  state.group = -1;
  if (how.reach) state.reach = how.reach;
  else if (item < 0) state.reach = "step";
  drawDetails();
  if (item >= 0 && !how.isFromGraph) lookAtItem(item);
  remark();
  if (item >= 0 && how.reach && how.reach !== "step" && board && scene) board.fitMarked();
  drawVisible();
  remember();
  // A page around this one may show more of the resource.
  if (parent !== window) parent.postMessage({ key: item >= 0 ? keyOf(item) : "" }, "*");
  if (item >= 0) {
    const told = hasGraph ? ", " + counted(next(item, false).length, "dependency", "dependencies") + ", " + counted(next(item, true).length, "dependent", "dependents") : "";
    say(show(nameOf(item)) + ", " + show(typeOf(item)) + told);
  }
}

function showNear(item) {
  openTab("graph");
  openNear(item);
}

function copyButton(text, what) {
  return button("Copy " + what, () => {
    const done = () => say("copied");
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => say("the browser does not permit it"));
  });
}

// A list of connected items. Each may be connected in several ways.
function connections(title, id, found) {
  const list = element("ul", {}, ...found.slice(0, SHOWN).map(([at, link]) => {
    const kinds = raw.kinds[edges.kind[link]].map(([name, count]) => (count > 1 ? name + " × " + grouped(count) : name));
    return element("li", {}, button(shortName(at), () => choose(at), { class: "link", title: cut(keyOf(at), 400) }), " ", element("small", { text: show(kinds.join(", ")) }));
  }));
  const more = found.length > SHOWN ? [element("small", { text: "and " + grouped(found.length - SHOWN) + " more" })] : [];
  return [element("h3", { id, text: title + " (" + grouped(found.length) + ")" }), list, ...more];
}

function facts(pairs) {
  return element("dl", {}, ...pairs.flatMap(([name, value]) => [
    element("dt", { text: name }), element("dd", {}, ...(typeof value === "string" ? [show(value)] : [value])),
  ]));
}

function drawDetails() {
  const aside = byId("details");
  aside.tabIndex = -1;
  const close = button("×", () => { choose(-1); if (board) board.canvas.focus(); }, { class: "close", "aria-label": "Close details" });
  if (state.item >= 0) aside.replaceChildren(close, ...ofItem(state.item));
  else if (state.group >= 0) aside.replaceChildren(close, ...ofGroup(state.group));
  aside.hidden = state.item < 0 && state.group < 0;
}

function ofItem(item) {
  const change = changeOf.get(item);
  const pairs = [["type", typeOf(item) || "–"]];
  if (groupOf(item)) pairs.push(["module", groupOf(item)]);
  if (countOf(item) > 1) pairs.push(["stands for", grouped(countOf(item)) + " resources"]);
  if (change) pairs.push(["change", changeWord(change)]);
  pairs.push(["in the file", grouped(raw.stored[item]) + " bytes"], ["as JSON", grouped(raw.json[item]) + " bytes"]);
  const key = keyOf(item);
  const quoted = "'" + key.replace(/'/g, "'\\''") + "'";
  const parts = [
    element("h2", { text: shortName(item) }),
    element("div", { class: "key", dir: "ltr", text: show(key) }),
  ];
  if (hasGraph) {
    const [up, down] = [reach(item, true).length, reach(item, false).length];
    const far = (name, text) => button(text, () => choose(item, { reach: state.reach === name ? "step" : name, isFromGraph: true }), { "aria-pressed": String(state.reach === name) });
    pairs.push(["all dependents", element("span", { id: "all-up", text: grouped(up) })], ["all dependencies", element("span", { id: "all-down", text: grouped(down) })]);
    parts.push(facts(pairs), element("div", { class: "buttons" }, far("up", "All dependents"), far("down", "All dependencies"),
      button("Only what is near", () => showNear(item)),
      copyButton(key, "key"), copyButton("coco get " + shellWord(raw.title) + " " + quoted, "command")));
    parts.push(...connections("Dependents", "direct-up", next(item, true)), ...connections("Depends on", "direct-down", next(item, false)));
  } else parts.push(facts(pairs), element("div", { class: "buttons" }, copyButton(key, "key")));
  return parts;
}

const shellWord = (text) => (/^[\w./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");

function ofGroup(group) {
  const { view } = scene;
  const members = [];
  view.of.forEach((of, at) => { if (of === group) members.push(at); });
  const side = (title, id, mine, other) => {
    const found = [];
    mine.forEach((from, at) => { if (from === group) found.push([other[at], view.n[at]]); });
    found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return [element("h3", { id, text: title + " (" + grouped(found.length) + ")" }), element("ul", {}, ...found.slice(0, SHOWN).map(([at, count]) =>
      element("li", {}, button(show(view.labels[at]), () => { chooseGroup(at); board.lookAt(at); }, { class: "link" }), " ", element("small", { text: counted(count, "arrow", "arrows") }))))];
  };
  return [
    element("h2", { text: show(view.labels[group]) }),
    facts([[view.by + " of", counted(scene.members[group], "resource", "resources")]]),
    element("div", { class: "buttons" }, button("Open", () => openGroup(view, group))),
    ...side("Dependents", "group-up", view.to, view.from), ...side("Depends on", "group-down", view.from, view.to),
    element("h3", { text: "Resources" }),
    element("ul", {}, ...members.slice(0, SHOWN).map((at) => element("li", {}, button(shortName(at), () => choose(at), { class: "link", title: cut(keyOf(at), 400) })))),
    ...(members.length > SHOWN ? [element("small", { text: "and " + grouped(members.length - SHOWN) + " more" })] : []),
  ];
}

// Changes: what happened to each item, and where.
function drawChanges() {
  const counts = new Map();
  raw.changes.forEach(({ item }) => counts.set(changeOf.get(item), (counts.get(changeOf.get(item)) || 0) + 1));
  const summary = [...counts].filter(([change]) => change).flatMap(([change, count]) => [element("span", { class: "word " + change, text: grouped(count) + " " + change }), " "]);
  const box = element("div", {}, element("p", {}, "Since ", element("b", { text: show(raw.since) }), ": ", ...(summary.length ? summary : ["no resource differs"])),
    element("p", { class: "dim", text: "Only resources are compared here. diff also shows outputs and whatever else is in the files." }));
  for (const one of raw.changes.slice(0, 2000)) {
    const change = changeOf.get(one.item);
    const head = element("div", {}, ...(change ? [changeWord(change), " "] : []), button(shortName(one.item), () => choose(one.item), { class: "link", title: cut(keyOf(one.item), 400) }), " ", element("small", { text: cut(typeOf(one.item), 160) }));
    box.append(head);
    const places = one.places.map(([action, where]) => element("li", { text: ({ add: "+ ", remove: "− ", update: "~ ", reorder: "↕ " }[action] || "") + show(where) }));
    if (one.from) places.unshift(element("li", { text: "was " + show(one.from) }));
    if (one.count > one.places.length) places.push(element("li", { text: "and " + grouped(one.count - one.places.length) + " more" }));
    if (places.length) box.append(element("ul", {}, ...places));
  }
  if (raw.changes.length > 2000) box.append(element("p", { class: "dim", text: "and " + grouped(raw.changes.length - 2000) + " more; the list has all" }));
  byId("changes").replaceChildren(box);
}
