// The graph: which boxes are on the canvas, and what mouse, fingers and keys do there.

const views = raw.views || [];
const strokeOfKinds = (raw.kinds || []).map((kinds) => {
  const names = kinds.map(([name]) => name);
  if (names.includes("replace_with") || names.includes("replaceWith")) return 3;
  if (names.some((name) => name !== "parent" && name !== "provider")) return 0;
  return names.includes("parent") ? 1 : 2;
});
const signs = { created: "+ ", deleted: "− ", changed: "~ ", replaced: "± ", moved: "> " };

// What is chosen, and how far from it boxes are marked: one step, or all of one or both sides.
const state = { item: -1, reach: "step", hits: [], hover: -1, group: -1 };
let board = null;
let scene = null;

// Arrows that longer paths imply are drawn only on request.
const implied = hasGraph ? impliedArrows() : null;
const impliedCount = implied ? implied.reduce((sum, one) => sum + one, 0) : 0;
let isReduced = true;

function itemScene(items, x, y, links) {
  return {
    kind: "items", items, size: items.length, height: 42,
    x: Float32Array.from(items, (at) => x[at]),
    y: Float32Array.from(items, (at) => y[at]),
    w: Float32Array.from(items, (at) => raw.w[at]),
    from: links.from, to: links.to,
    stroke: (at) => (isShown(links.link[at]) && !(isReduced && implied[links.link[at]]) ? strokeOfKinds[edges.kind[links.link[at]]] : -1),
    label: (at) => nameOf(items[at]),
    note: (at) => (countOf(items[at]) > 1 ? grouped(countOf(items[at])) + " resources" : typeOf(items[at])),
    hue: (at) => raw.group[items[at]],
    change: (at) => changeOf.get(items[at]),
    sign: (at) => signs[changeOf.get(items[at])] || "",
    focus: (at) => raw.focus.includes(items[at]),
  };
}

function sceneOfAll() {
  const items = Array.from({ length: size }, (_, at) => at);
  const from = new Int32Array(edges.to.length);
  items.forEach((at) => from.fill(at, edges.first[at], edges.first[at + 1]));
  return { ...itemScene(items, raw.x, raw.y, { from, to: edges.to, link: from.map((_, at) => at) }), isAll: true };
}

// The arrows between these items.
function linksAmong(items) {
  const place = new Map(items.map((item, at) => [item, at]));
  const links = { from: [], to: [], link: [] };
  for (const at of items) {
    for (let link = edges.first[at]; link < edges.first[at + 1]; link += 1) {
      if (!place.has(edges.to[link])) continue;
      links.from.push(place.get(at));
      links.to.push(place.get(edges.to[link]));
      links.link.push(link);
    }
  }
  return links;
}

const MOST_NEAR = 60;
const IN_LINE = 8;

// An item, with its dependents above it and its dependencies below, the nearest next to it.
function sceneNear(item) {
  const [x, y, items, gap] = [{}, {}, [], 24];
  let top = 0;
  for (const ring of [...rings(item, true, MOST_NEAR).reverse(), [item], ...rings(item, false, MOST_NEAR)]) {
    const fresh = ring.filter((at) => x[at] === undefined);
    for (let at = 0; at < fresh.length; at += IN_LINE) {
      const line = fresh.slice(at, at + IN_LINE);
      let left = -line.reduce((sum, one) => sum + raw.w[one] + gap, -gap) / 2;
      for (const one of line) {
        [x[one], y[one]] = [left, top];
        left += raw.w[one] + gap;
        items.push(one);
      }
      top += 64;
    }
    top += 40;
  }
  return { ...itemScene(items, x, y, linksAmong(items)), near: item };
}

function sceneInside(view, group) {
  const items = [];
  view.of.forEach((of, at) => { if (of === group) items.push(at); });
  const hue = view.by === "module" ? (at) => raw.type[items[at]] : (at) => raw.group[items[at]];
  return { ...itemScene(items, view.inside_x, view.inside_y, linksAmong(items)), view, group, hue };
}

function sceneOfGroups(view) {
  const members = new Int32Array(view.labels.length);
  const changes = view.labels.map(() => new Map());
  view.of.forEach((group, at) => {
    members[group] += countOf(at);
    const change = changeOf.get(at);
    if (change) changes[group].set(change, (changes[group].get(change) || 0) + 1);
  });
  const most = Math.max(1, ...view.n);
  return {
    kind: "groups", view, size: view.labels.length, height: 42,
    x: Float32Array.from(view.x), y: Float32Array.from(view.y), w: Float32Array.from(view.w),
    from: view.from, to: view.to,
    stroke: (at) => (view.n[at] > 1 && view.n[at] * 4 >= most ? 3 : 0),
    label: (at) => view.labels[at],
    note: (at) => [counted(members[at], "resource", "resources"),
      ...[...changes[at]].map(([change, count]) => signs[change].trim() + count)].join("  "),
    hue: (at) => at,
    change: (at) => (changes[at].size === 1 && [...changes[at].values()][0] === members[at] ? [...changes[at].keys()][0] : undefined),
    sign: () => "",
    focus: () => false,
    members,
  };
}

// The first view has few boxes, so that it can be read.
function firstView() {
  if (size <= 120) return -1;
  const few = views.findIndex((view) => view.labels.length <= 300 && view.labels.length >= 2);
  return few >= 0 ? few : views.length - 1;
}

function showScene(next) {
  scene = next;
  if (state.group >= 0) byId("details").hidden = true;
  state.hover = -1;
  state.group = -1;
  board.resize();
  board.show(scene);
  drawBar();
  remark();
  remember();
}

const shortName = (at) => cut(nameOf(at), 160) || "(root)";
const openAll = () => showScene(sceneOfAll());
const openGroups = (view) => showScene(sceneOfGroups(view));
const openGroup = (view, group) => {
  showScene(sceneInside(view, group));
  say(view.labels[group] + ": " + counted(scene.size, "resource", "resources"));
};

// Shows only what is near an item. The way back leads to what was shown before.
function openNear(item) {
  const before = scene && scene.near === undefined ? scene : scene && scene.before;
  showScene({ ...sceneNear(item), before });
  board.lookAt(boxOf(item));
  say(counted(scene.size, "resource", "resources") + " near " + show(nameOf(item)));
}

function drawBar() {
  const bar = byId("graph-bar");
  const here = scene.kind === "groups" || scene.view ? views.indexOf(scene.view) : -1;
  const options = [["-1", "each resource (" + grouped(size) + ")"],
    ...views.map((view, at) => [String(at), "one box for each " + view.by + " (" + grouped(view.labels.length) + ")"])];
  const parts = [element("label", {}, "Show ", selectOf("Boxes of the graph", options, String(here), (value) => {
    if (value === "-1") openAll(); else openGroups(views[Number(value)]);
  }))];
  if (scene.kind === "items" && scene.view) {
    parts.push(button("← all " + scene.view.by + "s", () => openGroups(scene.view)), element("b", { text: show(scene.view.labels[scene.group]) }));
  }
  if (scene.near !== undefined) {
    const nearest = scene.size > MOST_NEAR ? ", the nearest" : "";
    parts.push(button("← back", () => showScene(scene.before)),
      element("b", { text: counted(scene.size, "resource", "resources") + " near " + shortName(scene.near) + nearest }));
  }
  if (scene.kind === "items") {
    for (const name of kindNames) {
      const stroke = strokeOfKinds[raw.kinds.findIndex((kinds) => kinds.length === 1 && kinds[0][0] === name)] || 0;
      const box = element("input", { type: "checkbox" });
      box.checked = !hiddenKinds.has(name);
      box.addEventListener("change", () => {
        if (box.checked) hiddenKinds.delete(name); else hiddenKinds.add(name);
        board.redraw();
        remark();
        drawDetails();
      });
      parts.push(element("label", {}, box, element("span", { class: "swatch " + ["solid", "dashed", "dotted", "bold"][stroke] }), show(name)));
    }
  }
  if (scene.kind === "items" && impliedCount > 0) {
    const box = element("input", { type: "checkbox", id: "implied" });
    box.checked = !isReduced;
    box.addEventListener("change", () => {
      isReduced = !box.checked;
      board.redraw();
    });
    parts.push(element("label", {}, box, counted(impliedCount, "arrow", "arrows") + " implied by longer paths"));
  }
  const happened = Object.keys(signs).filter((change) => [...changeOf.values()].includes(change));
  parts.push(...happened.map((change) => element("span", { class: "word " + change, text: signs[change] + change })));
  bar.replaceChildren(...parts);
}

// The boxes of the scene that stand for items with these marks.
function marksFor(items) {
  const marks = new Uint8Array(scene.size);
  if (scene.kind === "groups") {
    for (const [item, mark] of items) marks[scene.view.of[item]] |= mark;
  } else if (!scene.isAll) {
    scene.items.forEach((item, at) => { marks[at] = items.get(item) || 0; });
  } else {
    for (const [item, mark] of items) marks[item] = mark;
  }
  return marks;
}

function around(item, how) {
  const items = new Map();
  const add = (at, mark) => items.set(at, (items.get(at) || 0) | mark);
  if (how === "up" || how === "both") reach(item, true).forEach((at) => add(at, 2));
  if (how === "down" || how === "both") reach(item, false).forEach((at) => add(at, 4));
  if (how === "step") {
    next(item, true).forEach(([at]) => add(at, 2));
    next(item, false).forEach(([at]) => add(at, 4));
  }
  add(item, 1);
  return items;
}

function remark() {
  if (!board || !scene) return;
  if (state.item >= 0) board.mark(marksFor(around(state.item, state.reach)), state.reach === "step");
  else if (scene.kind === "groups" && (state.group >= 0 || state.hover >= 0)) {
    const group = state.group >= 0 ? state.group : state.hover;
    const marks = new Uint8Array(scene.size);
    scene.from.forEach((from, at) => {
      if (from === group) marks[scene.to[at]] |= 4;
      if (scene.to[at] === group) marks[from] |= 2;
    });
    marks[group] = 1;
    board.mark(marks, true);
  } else if (state.hits.length > 0) board.mark(marksFor(new Map(state.hits.map((at) => [at, 8]))));
  else if (state.hover >= 0) board.mark(marksFor(around(scene.items[state.hover], "step")), true);
  else board.mark(null);
}

// The box of the scene that stands for an item, or -1.
function boxOf(item) {
  if (scene.kind === "groups") return scene.view.of[item];
  return scene.isAll ? item : scene.items.indexOf(item);
}

// Moves to an item that was chosen elsewhere, in a view where it is visible.
function lookAtItem(item) {
  if (!board || byId("graph").hidden) return;
  if (boxOf(item) < 0 && scene.near !== undefined) openNear(item);
  else if (boxOf(item) < 0) openGroup(scene.view, scene.view.of[item]);
  else if (scene.kind === "groups") openGroup(scene.view, scene.view.of[item]);
  board.resize();
  board.lookAt(boxOf(item));
}

function act(box) {
  if (box < 0) choose(-1);
  else if (scene.kind === "groups") chooseGroup(box);
  else choose(scene.items[box], { isFromGraph: true });
}

function chooseGroup(group) {
  state.item = -1;
  state.group = group;
  remark();
  drawDetails();
  if (group >= 0) say(scene.label(group) + ", " + scene.note(group));
}

// The next box in document order.
function stepBox(by) {
  const here = state.item >= 0 ? boxOf(state.item) : state.group;
  const box = ((here < 0 && by < 0 ? 0 : here) + by + scene.size) % scene.size;
  act(box);
  board.lookAt(box);
}

function keyOnCanvas(event) {
  const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const key = event.key;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (moves[key]) board.pan(...moves[key]);
  else if (key === "+" || key === "=") board.zoom(1.3);
  else if (key === "-") board.zoom(1 / 1.3);
  else if (key === "0") board.fit();
  else if (key === "n") stepBox(1);
  else if (key === "p") stepBox(-1);
  else if (key === "Enter" && scene.kind === "groups" && state.group >= 0) openGroup(scene.view, state.group);
  else if (key === "Backspace" && scene.near !== undefined) showScene(scene.before);
  else if (key === "Backspace" && scene.kind === "items" && scene.view) openGroups(scene.view);
  else if (key === "Enter" && state.item >= 0) byId("details").focus();
  else return;
  event.preventDefault();
}

function listen(canvas) {
  const pointers = new Map();
  let moved = 0;
  let clicked = { time: -Infinity, x: 0, y: 0, box: -1 };
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  const point = (event) => {
    const area = canvas.getBoundingClientRect();
    return { x: event.clientX - area.left, y: event.clientY - area.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, point(event));
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = point(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      hover(board.pick(now.x, now.y));
      return;
    }
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const old = pointers.size === 2 ? spread() : null;
    pointers.set(event.pointerId, now);
    if (old) {
      const next = spread();
      board.pan(next.x - old.x, next.y - old.y);
      if (old.length > 0) board.zoom(next.length / old.length, next.x, next.y);
    } else if (moved > 4) board.pan(now.x - before.x, now.y - before.y);
  });
  const end = (event) => {
    const isClick = pointers.size === 1 && moved <= 4 && event.type === "pointerup";
    const at = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (!isClick || !at) return;
    // A click may open the details, and so move boxes. Both clicks of a double click are for the
    // box of the first one.
    const isSecond = event.timeStamp - clicked.time < 500 && Math.hypot(at.x - clicked.x, at.y - clicked.y) < 8;
    if (isSecond) return;
    clicked = { time: event.timeStamp, x: at.x, y: at.y, box: board.pick(at.x, at.y) };
    act(clicked.box);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointerleave", () => hover(-1));
  canvas.addEventListener("dblclick", () => {
    const { box } = clicked;
    clicked = { ...clicked, time: -Infinity };
    if (box >= 0 && scene.kind === "groups") openGroup(scene.view, box);
    else if (box >= 0) openNear(scene.items[box]);
    else if (box < 0) board.fit();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const at = point(event);
    const unit = event.deltaMode === 1 ? 30 : 1;
    board.zoom(Math.exp(-event.deltaY * unit * 0.0016), at.x, at.y);
  }, { passive: false });
  canvas.addEventListener("keydown", keyOnCanvas);
}

function hover(box) {
  if (box === state.hover) return;
  state.hover = box;
  const text = box < 0 ? "" : scene.kind === "groups" ? scene.label(box) : keyOf(scene.items[box]);
  board.canvas.title = show(text);
  board.canvas.classList.toggle("over", box >= 0);
  if (state.item < 0 && state.group < 0 && state.hits.length === 0) remark();
}

function startGraph() {
  board = new Board(byId("canvas"));
  listen(board.canvas);
  byId("zoom").append(
    button("−", () => board.zoom(1 / 1.4), { "aria-label": "Zoom out" }),
    button("+", () => board.zoom(1.4), { "aria-label": "Zoom in" }),
    button("Fit", () => board.fit(), { "aria-label": "Show all" }),
  );
}
