// Sizes: a treemap of the bytes, of the compiled document or as JSON.

const sizes = { isStored: true, way: [] };

// The tree: parts of the file, groups, types, items.
function sizeTree(isStored) {
  const bytes = isStored ? raw.stored : raw.json;
  const root = { name: raw.title, bytes: 0, children: new Map() };
  const child = (parent, name) => {
    if (!parent.children.has(name)) parent.children.set(name, { name, bytes: 0, children: new Map() });
    return parent.children.get(name);
  };
  if (isStored) raw.partNames.forEach((name) => child(root, name));
  for (let at = 0; at < size; at += 1) {
    if (!bytes[at]) continue;
    let node = root;
    if (isStored) node = child(root, raw.partNames[raw.part[at]]);
    if (raw.groups.length > 1 && groupOf(at) !== typeOf(at)) node = child(node, groupOf(at) || "(root)");
    if (raw.types.length > 1) node = child(node, typeOf(at) || "(no type)");
    node.children.set("\u0000" + at, { name: nameOf(at), bytes: bytes[at], children: new Map(), item: at });
  }
  const sum = (node) => {
    node.children.forEach(sum);
    node.children = [...node.children.values()].filter((one) => one.bytes > 0);
    if (node.children.length > 0) node.bytes = node.children.reduce((all, one) => all + one.bytes, 0);
  };
  if (!isStored) {
    sum(root);
    return simple(root);
  }
  raw.partNames.forEach((name, at) => {
    const part = root.children.get(name);
    sum(part);
    const rest = raw.partBytes[at] - part.bytes;
    if (part.children.length > 0 && rest > 0) part.children.push({ name: "around them", bytes: rest, children: [] });
    part.bytes = Math.max(part.bytes, raw.partBytes[at]);
  });
  root.children = [...root.children.values()].filter((part) => part.bytes > 0);
  root.bytes = root.children.reduce((all, part) => all + part.bytes, 0);
  return simple(root);
}

// Levels with one child say nothing.
function simple(node) {
  node.children = node.children.map(simple).sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  if (node.children.length === 1 && node.children[0].children.length > 0) node.children = node.children[0].children;
  return node;
}

// Rectangles as square as possible, the largest first (Bruls, Huizing and van Wijk).
function squarified(values, x, y, width, height) {
  const total = values.reduce((sum, value) => sum + value, 0) || 1;
  const scale = (width * height) / total;
  const areas = [];
  let at = 0;
  while (at < values.length) {
    const side = Math.max(1e-9, Math.min(width, height));
    let [sum, worst, end] = [0, Infinity, at];
    while (end < values.length) {
      const next = sum + values[end] * scale;
      const thick = next / side;
      const ratios = [values[at], values[end]].map((value) => {
        const long = (value * scale) / thick;
        return Math.max(long / thick, thick / long);
      });
      if (Math.max(...ratios) > worst) break;
      [sum, worst, end] = [next, Math.max(...ratios), end + 1];
    }
    const thick = sum / side;
    let along = 0;
    for (; at < end; at += 1) {
      const long = (values[at] * scale) / thick;
      areas.push(width >= height ? [x, y + along, thick, long] : [x + along, y, long, thick]);
      along += long;
    }
    if (width >= height) [x, width] = [x + thick, width - thick];
    else [y, height] = [y + thick, height - thick];
  }
  return areas;
}

const MOST_TILES = 160;
const MOST_PARTS = 40;

// The children to show: those that are too small are one.
function tilesOf(node, most) {
  if (node.children.length <= most) return node.children;
  const rest = node.children.slice(most);
  const bytes = rest.reduce((sum, one) => sum + one.bytes, 0);
  return [...node.children.slice(0, most), { name: grouped(rest.length) + " more", bytes, children: [], isRest: true }];
}

function place(tile, [x, y, width, height]) {
  tile.style.left = x + "px";
  tile.style.top = y + "px";
  tile.style.width = Math.max(0, width) + "px";
  tile.style.height = Math.max(0, height) + "px";
}

const share = (bytes, all) => ((100 * bytes) / all).toFixed(bytes * 1000 < all ? 2 : 1) + " %";

function drawSizes() {
  const tree = sizeTree(sizes.isStored);
  let node = tree;
  const trail = [tree];
  for (const name of sizes.way) {
    const found = node.children.find((one) => one.name === name);
    if (!found) break;
    node = found;
    trail.push(node);
  }
  sizes.way = trail.slice(1).map((one) => one.name);
  const which = (isStored, text) => button(text, () => { sizes.isStored = isStored; sizes.way = []; drawSizes(); }, { "aria-pressed": String(sizes.isStored === isStored) });
  const crumbs = trail.map((one, at) => button(show(one.name), () => { sizes.way = sizes.way.slice(0, at); drawSizes(); }, { class: "link" }));
  const bar = element("div", { class: "bar" }, which(true, "In the file"), which(false, "As JSON"),
    element("span", {}, ...crumbs.flatMap((crumb, at) => (at > 0 ? [" › ", crumb] : [crumb]))),
    element("span", { class: "dim", text: grouped(node.bytes) + " bytes" }));
  const map = element("div", { id: "treemap", role: "list", "aria-label": "Sizes of " + show(node.name) });
  byId("sizes").replaceChildren(bar, map);
  const tiles = tilesOf(node, MOST_TILES);
  const areas = squarified(tiles.map((one) => one.bytes), 0, 0, map.clientWidth, map.clientHeight);
  tiles.forEach((one, at) => drawTile(map, one, areas[at], at, tree.bytes));
}

function drawTile(map, one, area, at, whole) {
  const [x, y, width, height] = area;
  const text = show(one.name) + ": " + grouped(one.bytes) + " bytes, " + share(one.bytes, whole);
  const hue = "c" + (at % 8);
  const canOpen = one.children.length > 0;
  const click = canOpen ? () => { sizes.way = [...sizes.way, one.name]; drawSizes(); byId("treemap").querySelector("button")?.focus(); }
    : one.item !== undefined ? () => choose(one.item) : null;
  const label = width > 30 && height > 14 ? show(one.name) : "";
  const tile = click ? button(label, click, { class: "tile head" }) : element("div", { class: "tile head leaf", text: label });
  tile.title = text;
  tile.setAttribute("aria-label", text);
  tile.style.setProperty("--tint", "var(--" + hue + ")");
  place(tile, area);
  map.append(element("div", { role: "listitem" }, tile));
  if (width > 46 && height > 18 + 14) {
    const size = element("small", { text: grouped(one.bytes) });
    if (!canOpen) tile.append(size);
  }
  if (!canOpen || width < 60 || height < 44) return;
  const inner = tilesOf(one, MOST_PARTS);
  const areas = squarified(inner.map((part) => part.bytes), x + 3, y + 19, width - 6, height - 22);
  inner.forEach((part, index) => {
    const [, , w, h] = areas[index];
    if (w < 3 || h < 3) return;
    const made = element("div", { class: "tile part", "aria-hidden": "true", text: w > 34 && h > 14 ? show(part.name) : "" });
    made.style.setProperty("--tint", "var(--" + hue + ")");
    place(made, areas[index]);
    map.append(made);
  });
}
