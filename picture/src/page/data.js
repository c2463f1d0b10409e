// The data of the page, unpacked: what there is, and questions about it.

const raw = JSON.parse(document.getElementById("data").textContent);
const hasGraph = raw.x !== undefined;

// Columns are lists, or strings with the same number of digits for each number.
function numbers(packed) {
  const width = Number(packed[0]);
  const found = [];
  for (let at = 1; at < packed.length; at += width) {
    let number = 0;
    for (let place = at; place < at + width; place += 1) {
      const code = packed.charCodeAt(place);
      number = number * 90 + code - 35 - (code > 60 ? 1 : 0) - (code > 92 ? 1 : 0);
    }
    found.push(number);
  }
  return found;
}
for (const columns of [raw, ...(raw.views || [])]) {
  for (const [name, column] of Object.entries(columns)) {
    if (typeof column === "string" && !["title", "since", "by"].includes(name)) columns[name] = numbers(column);
  }
}
const size = raw.start.length;
const otherName = new Map(raw.otherName);

// Columns that are written in a shorter form.
const unpackRows = (row, rows) => row.map((at) => rows[at]);
const unpackWidths = (packed) => packed.w.map((width) => width * packed.step[0]);
if (hasGraph) {
  raw.y = unpackRows(raw.row, raw.rows);
  raw.w = unpackWidths(raw);
  for (const view of raw.views) {
    view.y = unpackRows(view.row, view.rows);
    view.w = unpackWidths(view);
    view.inside_y = unpackRows(view.inside_row, view.inside_rows);
    view.of = view.by === "type" ? raw.type : raw.group;
    view.labels = (view.by === "type" ? raw.types : raw.groups).map((label) => label || "(root)");
  }
}
raw.part = new Array(size).fill(raw.part[0]);
raw.otherPart.forEach(([at, part]) => { raw.part[at] = part; });

const keyOf = (at) => raw.starts[raw.start[at]] + raw.rest[at];
// The first item with this key, or -1.
function itemOf(key) {
  for (let at = 0; at < size; at += 1) {
    if (keyOf(at) === key) return at;
  }
  return -1;
}
const nameOf = (at) => {
  const length = raw.name[at] - 1;
  return length < 0 ? otherName.get(at) : keyOf(at).slice(length === 0 ? Infinity : -length);
};
const typeOf = (at) => raw.types[raw.type[at]];
const groupOf = (at) => raw.groups[raw.group[at]];
const countOf = (at) => (raw.count ? raw.count[at] : 1);
const changeOf = new Map(raw.changed);

// Control characters, and those that hide or reorder text, become visible.
const deceptive = /[\p{C}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u2800\u3164\uffa0]/gu;
const show = (text) => text.replace(deceptive, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
const counted = (number, one, many) => grouped(number) + " " + (number === 1 ? one : many);

// The arrows by the item that they start at, and by the one that they lead to.
function adjacency() {
  const first = new Int32Array(size + 1);
  (raw.out || []).forEach((count, at) => { first[at + 1] = first[at] + count; });
  if (!raw.out) return { first, to: [], kind: [], firstIn: first, from: [], link: [] };
  const to = Int32Array.from(raw.to);
  const firstIn = new Int32Array(size + 1);
  to.forEach((target) => { firstIn[target + 1] += 1; });
  for (let at = 0; at < size; at += 1) firstIn[at + 1] += firstIn[at];
  const next = firstIn.slice();
  const from = new Int32Array(to.length);
  const link = new Int32Array(to.length);
  for (let source = 0; source < size; source += 1) {
    for (let at = first[source]; at < first[source + 1]; at += 1) {
      const place = next[to[at]]++;
      from[place] = source;
      link[place] = at;
    }
  }
  return { first, to, kind: Int32Array.from(raw.kind), firstIn, from, link };
}
const edges = adjacency();

const kindNames = [...new Set((raw.kinds || []).flat().map(([name]) => name))].sort();
// Nearly everything has a provider, so these arrows would hide the others.
const hiddenKinds = new Set(kindNames.length > 1 ? kindNames.filter((name) => name === "provider") : []);
// Whether an arrow has a kind that is not switched off.
const isShown = (link) => raw.kinds[edges.kind[link]].some(([name]) => !hiddenKinds.has(name));

// The dependencies of an item, or its dependents: pairs of the item and the arrow.
function next(at, isUp) {
  const found = [];
  if (isUp) {
    for (let i = edges.firstIn[at]; i < edges.firstIn[at + 1]; i += 1) {
      if (isShown(edges.link[i])) found.push([edges.from[i], edges.link[i]]);
    }
  } else {
    for (let i = edges.first[at]; i < edges.first[at + 1]; i += 1) {
      if (isShown(i)) found.push([edges.to[i], i]);
    }
  }
  return found;
}

// All items that are reached from one, nearest first, without itself.
function reach(start, isUp) {
  const seen = new Uint8Array(size);
  const order = [start];
  seen[start] = 1;
  for (let at = 0; at < order.length; at += 1) {
    for (const [to] of next(order[at], isUp)) {
      if (!seen[to]) {
        seen[to] = 1;
        order.push(to);
      }
    }
  }
  return order.slice(1);
}

// The items that are one step, two steps, … from one. No more than these, nearest first.
function rings(start, isUp, most) {
  const seen = new Set([start]);
  const found = [];
  for (let ring = [start]; ring.length > 0;) {
    const after = [];
    for (const at of ring) {
      for (const [to] of next(at, isUp)) {
        if (seen.has(to) || seen.size > most) continue;
        seen.add(to);
        after.push(to);
      }
    }
    if (after.length > 0) found.push(after);
    ring = after;
  }
  return found;
}

// For each arrow, whether a longer path of arrows of its kinds leads to the same item. Such an arrow
// stays if a circle leads back from there, and all do if this takes too long.
function impliedArrows(most = 3e6) {
  const implied = new Uint8Array(edges.to.length).fill(1);
  let steps = 0;
  for (const name of kindNames) {
    const isOf = raw.kinds.map((kinds) => kinds.some(([kind]) => kind === name));
    const targets = (at) => {
      const found = [];
      for (let link = edges.first[at]; link < edges.first[at + 1]; link += 1) if (isOf[edges.kind[link]]) found.push(link);
      return found;
    };
    const reached = (start) => {
      const seen = new Set();
      for (const open = [start]; open.length > 0;) {
        for (const link of targets(open.pop())) {
          steps += 1;
          if (!seen.has(edges.to[link])) {
            seen.add(edges.to[link]);
            open.push(edges.to[link]);
          }
        }
        if (steps > most) return seen;
      }
      return seen;
    };
    for (let at = 0; at < size; at += 1) {
      const links = targets(at);
      const beyond = links.length > 1 ? links.map((link) => reached(edges.to[link])) : [];
      links.forEach((link, own) => {
        const to = edges.to[link];
        const isLonger = links.length > 1 && beyond.some((seen, other) => other !== own && seen.has(to) && !seen.has(at) && !beyond[own].has(edges.to[links[other]]));
        if (!isLonger) implied[link] = 0;
      });
      if (steps > most) return implied.fill(0);
    }
  }
  return implied;
}

let lowered = null;
// The items that contain all words of a text in their key or type.
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word);
  if (words.length === 0) return [];
  lowered ||= Array.from({ length: size }, (_, at) => (keyOf(at) + " " + typeOf(at)).toLowerCase());
  const found = [];
  for (let at = 0; at < size; at += 1) {
    if (words.every((word) => lowered[at].includes(word))) found.push(at);
  }
  return found;
}
