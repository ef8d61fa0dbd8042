// One figure: axes, hover, zoom by drag or keys. What is drawn inside is up to its spec:
// { title, note, describe, x: axis, y: axis, zoom, draw(plot), hover(plot, px, py) → { px, py, text } or null }
// with axis = { label, range, log, ticks: [[place, text], …] }.

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";

class Plot {
  constructor(holder, { wide = false, height = 240, square = false } = {}) {
    this.height = height;
    this.square = square;
    this.figure = element("figure", holder, wide ? "wide" : "");
    const caption = element("figcaption", this.figure);
    this.title = element("strong", caption);
    this.reset = element("button", caption, "reset");
    this.reset.type = "button";
    this.reset.textContent = "show all";
    this.note = element("span", caption);
    const frame = element("div", this.figure, "plot");
    this.canvas = element("canvas", frame);
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.tip = element("div", frame, "tip");
    this.tip.hidden = true;
    this.listen();
    new ResizeObserver(() => this.later()).observe(frame);
  }

  /** Shows a spec from scratch. */
  show(spec) {
    this.spec = spec;
    this.title.textContent = spec.title;
    this.note.textContent = spec.note ?? "";
    this.canvas.setAttribute("aria-label", `${spec.title}. ${spec.describe ?? spec.note ?? ""}`);
    this.canvas.style.cursor = spec.zoom ? "crosshair" : "default";
    this.zoomTo(null);
    this.point(null);
  }

  /** Zooms to { x, y }, or to everything. */
  zoomTo(view) {
    this.view = view ?? { x: this.spec.x.range, y: this.spec.y.range };
    this.figure.classList.toggle("zoomed", view !== null);
    this.later();
  }

  /** Renders once before the next frame, however often it is asked to. */
  later() {
    if (this.waiting || !this.spec) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }

  X = (x) => this.left + ((x - this.view.x[0]) / (this.view.x[1] - this.view.x[0])) * this.width;
  Y = (y) => this.top + ((this.view.y[1] - this.place(y)) / (this.view.y[1] - this.view.y[0])) * this.tall;
  place = (y) => (this.spec.y.log ? Math.log10(y) : y);
  fromX = (px) => this.view.x[0] + ((px - this.left) / this.width) * (this.view.x[1] - this.view.x[0]);
  fromY = (py) => this.view.y[1] - ((py - this.top) / this.tall) * (this.view.y[1] - this.view.y[0]);

  render() {
    const size = this.canvas.parentElement.clientWidth;
    if (size === 0) return;
    const height = this.square ? Math.min(size, 460) : this.height;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(size * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.height = `${height}px`;
    const ctx = (this.ctx = this.canvas.getContext("2d"));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = FONT;
    this.axes(size, height);
    ctx.save();
    ctx.beginPath();
    ctx.rect(this.left, this.top, this.width, this.tall);
    ctx.clip();
    this.spec.draw(this);
    ctx.restore();
    this.overlay();
  }

  /** Works out where the axes are, and draws grid, ticks and labels. */
  axes(size, height) {
    const { ctx, spec } = this;
    const ys = this.ticks(spec.y, this.view.y, height / 45);
    this.top = 8;
    this.tall = height - this.top - 40;
    this.left = Math.max(...ys.map(([, text]) => ctx.measureText(text).width), 10) + (spec.y.label ? 26 : 10);
    this.width = size - this.left - 10;
    const xs = this.ticks(spec.x, this.view.x, this.width / 80);
    ctx.lineWidth = 1;
    ctx.strokeStyle = colour("--grid");
    ctx.fillStyle = colour("--soft");
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const [place, text] of ys) {
      const y = this.top + ((this.view.y[1] - place) / (this.view.y[1] - this.view.y[0])) * this.tall;
      this.line(this.left, y, this.left + this.width, y);
      ctx.fillText(text, this.left - 6, y);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    for (const [place, text] of xs) {
      const x = this.X(place);
      this.line(x, this.top, x, this.top + this.tall);
      const half = ctx.measureText(text).width / 2;
      ctx.fillText(text, Math.min(x, size - half), this.top + this.tall + 5);
    }
    ctx.fillText(spec.x.label, this.left + this.width / 2, height - 16, this.width);
    if (spec.y.label) {
      ctx.save();
      ctx.translate(2, this.top + this.tall / 2);
      ctx.rotate(-Math.PI / 2);
      ctx.fillText(spec.y.label, 0, 0, this.tall);
      ctx.restore();
    }
  }

  ticks(axis, range, wanted) {
    if (axis.ticks) return axis.ticks.filter(([place]) => place >= range[0] && place <= range[1]);
    if (axis.log) return roundPowers(range).map((t) => [t, show(10 ** t, 10 ** Math.floor(t + 1e-9))]);
    const { ticks, step } = roundNumbers(range, Math.max(2, Math.min(wanted, 8)));
    const whole = axis.whole ? ticks.filter((t) => Number.isInteger(Math.round(t * 1e6) / 1e6)) : ticks;
    return whole.map((t) => [t, axis.whole ? count(Math.round(t)) : show(t, step)]);
  }

  line(x0, y0, x1, y1) {
    this.ctx.beginPath();
    this.ctx.moveTo(x0, y0);
    this.ctx.lineTo(x1, y1);
    this.ctx.stroke();
  }

  /** A line through points; a value that is no number breaks it. */
  curve(count, x, y, stroke, width = 1.25) {
    const { ctx } = this;
    ctx.beginPath();
    let pen = false;
    for (let k = 0; k < count; k++) {
      const v = y(k);
      if (!Number.isFinite(v)) {
        pen = false;
      } else if (pen) {
        ctx.lineTo(this.X(x(k)), this.Y(v));
      } else {
        ctx.moveTo(this.X(x(k)), this.Y(v));
        pen = true;
      }
    }
    ctx.strokeStyle = stroke;
    ctx.lineWidth = width;
    ctx.lineJoin = "round";
    ctx.stroke();
  }

  /** The point under the pointer, and the rectangle being dragged. */
  overlay() {
    const { ctx } = this;
    if (this.found) {
      ctx.beginPath();
      ctx.arc(this.found.px, this.found.py, 4, 0, 2 * Math.PI);
      ctx.fillStyle = colour("--card");
      ctx.fill();
      ctx.lineWidth = 2;
      ctx.strokeStyle = colour("--ink");
      ctx.stroke();
    }
    if (this.drag?.wide) {
      const { x, y, w, h } = this.dragged();
      ctx.globalAlpha = 0.18;
      ctx.fillStyle = colour("--accent");
      ctx.fillRect(x, y, w, h);
      ctx.globalAlpha = 1;
    }
  }

  dragged() {
    const { from, to } = this.drag;
    const both = this.spec.zoom === "xy";
    const [x0, x1] = [from[0], to[0]].sort((a, b) => a - b).map((x) => clamp(x, this.left, this.left + this.width));
    const [y0, y1] = both
      ? [from[1], to[1]].sort((a, b) => a - b).map((y) => clamp(y, this.top, this.top + this.tall))
      : [this.top, this.top + this.tall];
    return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
  }

  /** Shows what is at a place of the canvas, or nothing. */
  point(at) {
    this.found = at && this.spec.hover ? this.spec.hover(this, at[0], at[1]) : null;
    this.tip.hidden = !this.found;
    if (this.found) {
      this.tip.textContent = this.found.text;
      const { offsetWidth: w, offsetHeight: h } = this.tip;
      const room = this.canvas.clientWidth;
      this.tip.style.left = `${clamp(this.found.px - w / 2, 0, Math.max(room - w, 0))}px`;
      this.tip.style.top = `${this.found.py > h + 14 ? this.found.py - h - 10 : this.found.py + 12}px`;
    }
    this.later();
  }

  listen() {
    const { canvas } = this;
    const at = (e) => [e.offsetX, e.offsetY];
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button !== 0 || !this.spec.zoom) return;
      this.drag = { from: at(e), to: at(e), wide: false };
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!this.drag) return this.point(at(e));
      this.drag.to = at(e);
      this.drag.wide ||= Math.abs(e.offsetX - this.drag.from[0]) > 8;
      this.point(null);
    });
    canvas.addEventListener("pointerup", (e) => {
      const { drag } = this;
      if (drag?.wide) this.zoomIn();
      this.drag = null;
      if (!drag?.wide) this.point(at(e));
    });
    const leave = () => {
      this.drag = null;
      this.point(null);
    };
    canvas.addEventListener("pointercancel", leave);
    canvas.addEventListener("pointerleave", () => this.drag || leave());
    canvas.addEventListener("dblclick", () => this.spec.zoom && this.zoomTo(null));
    canvas.addEventListener("keydown", (e) => this.key(e));
    this.reset.addEventListener("click", () => this.zoomTo(null));
  }

  zoomIn() {
    const { x, y, w, h } = this.dragged();
    const view = { x: [this.fromX(x), this.fromX(x + w)], y: this.view.y };
    if (this.spec.zoom === "xy" && h > 8) view.y = [this.fromY(y + h), this.fromY(y)];
    if (w > 4) this.zoomTo(view);
  }

  key(e) {
    const moves = { "+": 0.5, "=": 0.5, "-": 2, "−": 2, ArrowLeft: "x-", ArrowRight: "x+", ArrowUp: "y+", ArrowDown: "y-" };
    if (!this.spec.zoom || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "0" || e.key === "Escape") return this.zoomTo(null);
    const move = moves[e.key];
    if (move === undefined) return;
    const both = this.spec.zoom === "xy";
    if (typeof move === "string" && move[0] === "y" && !both) return;
    e.preventDefault();
    const scaled = ([a, b], f) => [(a + b) / 2 - ((b - a) / 2) * f, (a + b) / 2 + ((b - a) / 2) * f];
    const moved = ([a, b], sign) => [a + (b - a) * 0.2 * sign, b + (b - a) * 0.2 * sign];
    const { x, y } = this.view;
    if (typeof move === "number") return this.zoomTo({ x: scaled(x, move), y: both ? scaled(y, move) : y });
    const sign = move[1] === "+" ? 1 : -1;
    this.zoomTo(move[0] === "x" ? { x: moved(x, sign), y } : { x, y: moved(y, sign) });
  }
}

const clamp = (v, least, most) => Math.min(Math.max(v, least), most);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

function element(tag, parent, className = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  parent.append(made);
  return made;
}
