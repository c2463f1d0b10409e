// Draws boxes and arrows on a canvas that can be moved and zoomed at any size of the graph.
//
// What was drawn last is kept as a bitmap and moved at once. A new one is drawn beside it, a few
// milliseconds in each frame, and takes its place when it is whole.

const SLICE = 9;
const PIECE = 400;
const CURVES = 3000;

class Layer {
  constructor(paint) {
    this.paint = paint;
    this.front = document.createElement("canvas");
    this.back = document.createElement("canvas");
    this.view = null;
    this.job = null;
    this.isStale = true;
  }

  // Goes on drawing until the deadline. Returns whether there is more to do.
  step(camera, pixels, deadline) {
    if (!this.job && this.isStale) {
      this.isStale = false;
      this.next = { ...camera };
      if (this.back.width !== pixels.width || this.back.height !== pixels.height) {
        this.back.width = pixels.width;
        this.back.height = pixels.height;
      }
      const context = this.back.getContext("2d");
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, pixels.width, pixels.height);
      const scale = camera.k * pixels.ratio;
      context.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
      const area = {
        left: camera.x, top: camera.y,
        right: camera.x + pixels.width / scale, bottom: camera.y + pixels.height / scale,
      };
      this.job = this.paint(context, camera.k, area);
    }
    while (this.job && performance.now() < deadline) {
      if (this.job.next().done) {
        [this.front, this.back] = [this.back, this.front];
        this.view = this.next;
        this.job = null;
      }
    }
    return this.job !== null || this.isStale;
  }

  drop() {
    this.view = null;
    this.job = null;
    this.isStale = true;
  }

  blit(context, camera, pixels, alpha) {
    if (!this.view) return;
    const scale = camera.k / this.view.k;
    const move = camera.k * pixels.ratio;
    context.setTransform(scale, 0, 0, scale, (this.view.x - camera.x) * move, (this.view.y - camera.y) * move);
    context.globalAlpha = alpha;
    context.drawImage(this.front, 0, 0);
    context.globalAlpha = 1;
  }
}

class Board {
  // A scene has columns x, y, w, the height of a box, arrows from and to, and functions of a box.
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: true });
    this.camera = { x: 0, y: 0, k: 1 };
    this.pixels = { width: 1, height: 1, ratio: 1 };
    this.scene = null;
    this.marks = null;
    this.isWaiting = false;
    this.isFitted = false;
    this.base = new Layer((context, k, area) => this.paint(context, k, area, false));
    this.over = new Layer((context, k, area) => this.paint(context, k, area, true));
    new ResizeObserver(() => this.resize()).observe(canvas);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => { this.readColours(); this.redraw(); });
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue("--" + name).trim();
    this.colours = {};
    for (const name of ["back", "text", "dim", "box", "edge", "accent", "mark", "up", "down", "line",
      "created", "deleted", "changed", "replaced", "moved"]) this.colours[name] = get(name);
    this.hues = Array.from({ length: 8 }, (_, at) => get("c" + at));
    this.font = getComputedStyle(document.body).fontFamily;
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (width === this.pixels.width && height === this.pixels.height) return;
    const wasEmpty = this.pixels.width <= 1;
    const before = this.pixels;
    this.pixels = { width, height, ratio };
    // The middle stays.
    this.camera.x += (before.width / before.ratio - width / ratio) / 2 / this.camera.k;
    this.camera.y += (before.height / before.ratio - height / ratio) / 2 / this.camera.k;
    this.canvas.width = width;
    this.canvas.height = height;
    // Who saw all still does.
    if ((wasEmpty || this.isFitted) && this.scene) this.fit();
    this.redraw();
  }

  show(scene) {
    this.scene = scene;
    this.marks = null;
    this.base.drop();
    this.over.drop();
    this.fit();
  }

  // Marks for boxes: 1 itself, 2 above, 4 below, 8 found. Boxes without one are dimmed. Of the
  // arrows, those of the box itself are drawn, or all between boxes of one side.
  mark(marks, isStep = false) {
    this.marks = marks;
    this.isStep = isStep;
    this.over.drop();
    this.redraw(false);
  }

  redraw(isAll = true) {
    if (isAll) this.base.isStale = true;
    this.over.isStale = true;
    this.frame();
  }

  frame() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    // Says that what is visible is not all yet.
    this.canvas.setAttribute("aria-busy", "true");
    requestAnimationFrame(() => {
      this.isWaiting = false;
      if (!this.scene || this.pixels.width <= 1) {
        this.canvas.setAttribute("aria-busy", "false");
        return;
      }
      const { context, camera, pixels } = this;
      const deadline = performance.now() + SLICE;
      const isMore = [
        this.base.step(camera, pixels, deadline),
        this.marks !== null && this.over.step(camera, pixels, deadline),
      ].some((more) => more);
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, pixels.width, pixels.height);
      this.base.blit(context, camera, pixels, this.marks ? 0.22 : 1);
      if (this.marks) this.over.blit(context, camera, pixels, 1);
      if (isMore) this.frame();
      else this.canvas.setAttribute("aria-busy", "false");
    });
  }

  // The area of all boxes, or of those with a mark.
  bounds(marks = null) {
    const { x, y, w, height, size } = this.scene;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < size; at += 1) {
      if (marks && !marks[at]) continue;
      left = Math.min(left, x[at]);
      top = Math.min(top, y[at]);
      right = Math.max(right, x[at] + w[at]);
      bottom = Math.max(bottom, y[at] + height);
    }
    return left <= right ? { left, top, right, bottom } : { left: 0, top: 0, right: 100, bottom: 100 };
  }

  fit(bounds = this.bounds(), most = 1.25) {
    const { width, height, ratio } = this.pixels;
    const margin = 28;
    const [wide, high] = [width / ratio - 2 * margin, height / ratio - 2 * margin];
    const k = Math.max(0.002, Math.min(most, wide / Math.max(1, bounds.right - bounds.left), high / Math.max(1, bounds.bottom - bounds.top)));
    this.look((bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2, k);
    this.isFitted = true;
  }

  // Shows all boxes with a mark, if one of them is not visible.
  fitMarked() {
    if (!this.marks) return;
    const bounds = this.bounds(this.marks);
    const { camera: { x, y, k }, canvas } = this;
    const isVisible = bounds.left >= x && bounds.top >= y && bounds.right <= x + canvas.clientWidth / k && bounds.bottom <= y + canvas.clientHeight / k;
    if (isVisible) return;
    this.fit(bounds);
    this.isFitted = false;
  }

  look(x, y, k = this.camera.k) {
    const { width, height, ratio } = this.pixels;
    this.camera = { x: x - width / ratio / k / 2, y: y - height / ratio / k / 2, k };
    this.isFitted = false;
    this.redraw();
  }

  // Moves to a box, unless it is visible and can be read.
  lookAt(at) {
    const { x, y, w, height } = this.scene;
    const { camera: { x: left, y: top, k }, canvas } = this;
    const [right, bottom] = [left + canvas.clientWidth / k, top + canvas.clientHeight / k];
    if (k >= 0.6 && x[at] >= left && x[at] + w[at] <= right && y[at] >= top && y[at] + height <= bottom) return;
    this.look(x[at] + w[at] / 2, y[at] + height / 2, Math.max(this.camera.k, 0.9));
  }

  pan(dx, dy) {
    this.camera.x -= dx / this.camera.k;
    this.camera.y -= dy / this.camera.k;
    this.isFitted = false;
    this.redraw();
  }

  zoom(factor, sx = this.canvas.clientWidth / 2, sy = this.canvas.clientHeight / 2) {
    const before = this.camera.k;
    const k = Math.min(4, Math.max(0.002, before * factor));
    this.camera = { x: this.camera.x + sx / before - sx / k, y: this.camera.y + sy / before - sy / k, k };
    this.isFitted = false;
    this.redraw();
  }

  // The box at a point of the canvas, or -1.
  pick(sx, sy) {
    if (!this.scene) return -1;
    const px = this.camera.x + sx / this.camera.k;
    const py = this.camera.y + sy / this.camera.k;
    const near = 4 / this.camera.k;
    const { x, y, w, height, size } = this.scene;
    for (let at = size - 1; at >= 0; at -= 1) {
      if (px >= x[at] - near && px <= x[at] + w[at] + near && py >= y[at] - near && py <= y[at] + height + near) return at;
    }
    return -1;
  }

  isMarked(one, other) {
    if (this.isStep) return (one | other) & 1 && one && other;
    const both = (one & 1 ? 7 : one) & (other & 1 ? 7 : other);
    return (both & 7) !== 0;
  }

  // Draws the scene, or only what is marked. A generator, so that a frame can end in between.
  *paint(context, k, area, isOver) {
    const { scene, marks } = this;
    yield* this.paintLinks(context, k, area, isOver);
    const { x, y, w, height, size } = scene;
    let drawn = 0;
    for (let at = 0; at < size; at += 1) {
      if (isOver && !marks[at]) continue;
      if (x[at] > area.right || x[at] + w[at] < area.left || y[at] > area.bottom || y[at] + height < area.top) continue;
      this.paintBox(context, k, at, isOver ? marks[at] : 0);
      drawn += 1;
      if (drawn % PIECE === 0) yield;
    }
  }

  *paintLinks(context, k, area, isOver) {
    const { scene, marks, colours } = this;
    const { x, y, w, height, from, to, size } = scene;
    const isCurved = from.length <= CURVES;
    if (isCurved) scene.rows ||= rowsOf(scene);
    const strokes = [[], [6, 4], [2, 4], []];
    let drawn = 0;
    for (let stroke = 0; stroke < 4; stroke += 1) {
      let isOpen = false;
      let heads = [];
      const flush = () => {
        if (!isOpen) return;
        context.setLineDash(strokes[stroke].map((length) => length / Math.max(k, 0.4)));
        context.lineWidth = (stroke === 3 ? 2.4 : isOver ? 1.6 : 1) / Math.max(k, 0.25) * Math.min(1, Math.max(k, 0.25) * 1.6);
        context.strokeStyle = isOver ? colours.dim : colours.edge;
        const isDense = k < 0.15 || from.length > 3 * size;
        context.globalAlpha = isOver ? 1 : isDense ? 0.35 : 0.8;
        context.stroke();
        context.setLineDash([]);
        context.fillStyle = context.strokeStyle;
        context.beginPath();
        for (const [hx, hy, angle] of heads) {
          const [cos, sin, length] = [Math.cos(angle), Math.sin(angle), 7];
          context.moveTo(hx, hy);
          context.lineTo(hx - length * cos + 3.5 * sin, hy - length * sin - 3.5 * cos);
          context.lineTo(hx - length * cos - 3.5 * sin, hy - length * sin + 3.5 * cos);
        }
        context.fill();
        context.globalAlpha = 1;
        isOpen = false;
        heads = [];
      };
      for (let at = 0; at < from.length; at += 1) {
        if (scene.stroke(at) !== stroke) continue;
        const [a, b] = [from[at], to[at]];
        if (isOver && !this.isMarked(marks[a], marks[b])) continue;
        const [x1, x2] = [x[a] + w[a] / 2, x[b] + w[b] / 2];
        const isDown = y[b] > y[a] + height;
        const isUp = y[a] > y[b] + height;
        const y1 = isDown ? y[a] + height : isUp ? y[a] : y[a] + height;
        const y2 = isDown ? y[b] : isUp ? y[b] + height : y[b] + height;
        if (Math.max(x1, x2) < area.left || Math.min(x1, x2) > area.right
          || Math.max(y1, y2) + 60 < area.top || Math.min(y1, y2) - 60 > area.bottom) continue;
        if (!isOpen) {
          context.beginPath();
          isOpen = true;
        }
        context.moveTo(x1, y1);
        if (isCurved) {
          if (isDown || isUp) curveTo(context, scene.rows, [x1, y1], [x2, y2]);
          else context.bezierCurveTo(x1, y1 + 46, x2, y2 + 46, x2, y2);
          if (k > 0.3) heads.push([x2, y2, isDown ? Math.PI / 2 : -Math.PI / 2]);
        } else {
          context.lineTo(x2, y2);
          if (k > 0.3) heads.push([x2, y2, Math.atan2(y2 - y1, x2 - x1)]);
        }
        drawn += 1;
        if (drawn % PIECE === 0) {
          flush();
          yield;
        }
      }
      flush();
    }
  }

  paintBox(context, k, at, mark) {
    const { scene, colours } = this;
    const [x, y, w, height] = [scene.x[at], scene.y[at], scene.w[at], scene.height];
    const hue = this.hues[scene.hue(at) % this.hues.length];
    const change = scene.change(at);
    if (k * height < 7) {
      context.fillStyle = change ? colours[change] : mark & 1 ? colours.accent : mark & 2 ? colours.up : mark & 4 ? colours.down : hue;
      context.fillRect(x, y, w, height);
      return;
    }
    context.beginPath();
    context.roundRect(x, y, w, height, 6);
    context.fillStyle = mark & 9 ? colours.mark : colours.box;
    context.fill();
    context.lineWidth = (change ? 2.2 : 1) + (mark & 1 ? 1.6 : 0) + (scene.focus(at) ? 1.6 : 0);
    context.strokeStyle = mark & 1 ? colours.accent : change ? colours[change] : mark & 2 ? colours.up : mark & 4 ? colours.down : colours.dim;
    if (change === "deleted") context.setLineDash([5, 3]);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = hue;
    context.fillRect(x + 5, y + 8, 4, height - 16);
    if (k * height < 17) return;
    context.textBaseline = "alphabetic";
    context.fillStyle = colours.text;
    context.font = "600 12px " + this.font;
    context.fillText(cut(scene.sign(at) + scene.label(at), (w - 24) / 6.6), x + 15, y + 18, w - 22);
    context.fillStyle = colours.dim;
    context.font = "11px " + this.font;
    context.fillText(cut(scene.note(at), (w - 24) / 5.6), x + 15, y + 33, w - 22);
  }
}

// A text that fits, cut in its middle: ends tell keys apart.
function cut(text, most) {
  const visible = show(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text);
  const room = Math.floor(most);
  if (visible.length <= room) return visible;
  const end = Math.floor((room - 1) / 2);
  return visible.slice(0, Math.max(1, room - 1 - end)) + "…" + (end > 0 ? visible.slice(-end) : "");
}
