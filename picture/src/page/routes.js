// Ways of arrows around the boxes between their ends: an arrow crosses a row of boxes in the gap
// that is nearest to its straight line, and bends only between rows. `route.rs` does the same.

const BESIDE = 6;
const OUTSIDE = 12;

// The rows of a scene, from top to bottom, with the ends of their boxes.
function rowsOf({ x, y, w, height, size }) {
  const rows = new Map();
  for (let at = 0; at < size; at += 1) {
    if (!rows.has(y[at])) rows.set(y[at], { top: y[at], bottom: y[at] + height, boxes: [] });
    rows.get(y[at]).boxes.push([x[at], x[at] + w[at]]);
  }
  const found = [...rows.values()].sort((a, b) => a.top - b.top);
  found.forEach((row) => row.boxes.sort((a, b) => a[0] - b[0]));
  return found;
}

// The first place in a list, sorted by this, where it is true.
function firstWhere(list, isTrue) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(list[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function gapNear({ boxes }, along) {
  const after = firstWhere(boxes, ([, end]) => end + BESIDE > along);
  if (after === boxes.length || boxes[after][0] - BESIDE >= along) return along;
  const [start, end] = boxes[after];
  const left = after > 0 ? (boxes[after - 1][1] + start) / 2 : start - OUTSIDE;
  const right = after + 1 < boxes.length ? (end + boxes[after + 1][0]) / 2 : end + OUTSIDE;
  return along - left <= right - along ? left : right;
}

// The crossings of rows between two heights: [place, top, bottom], in the order of the arrow.
function crossings(rows, [x1, y1], [x2, y2]) {
  const isDown = y2 > y1;
  const [top, bottom] = isDown ? [y1, y2] : [y2, y1];
  const found = [];
  let [along, across] = [x1, y1];
  const first = firstWhere(rows, (row) => row.top >= top);
  const between = [];
  for (let at = first; at < rows.length && rows[at].bottom <= bottom; at += 1) between.push(rows[at]);
  for (const row of isDown ? between : between.reverse()) {
    const middle = (row.top + row.bottom) / 2;
    along = gapNear(row, along + (x2 - along) * (middle - across) / (y2 - across));
    found.push(isDown ? [along, row.top, row.bottom] : [along, row.bottom, row.top]);
    across = isDown ? row.bottom : row.top;
  }
  return found;
}

// Adds the curve from one point to another, around the boxes between them.
function curveTo(context, rows, [x1, y1], [x2, y2]) {
  let [x, y] = [x1, y1];
  for (const [along, enters, leaves] of [...crossings(rows, [x1, y1], [x2, y2]), [x2, y2, y2]]) {
    const bend = (enters - y) / 2;
    context.bezierCurveTo(x, y + bend, along, enters - bend, along, enters);
    if (leaves !== enters) context.lineTo(along, leaves);
    [x, y] = [along, leaves];
  }
}
