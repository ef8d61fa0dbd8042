// Numbers, colours and packed series: what every figure needs.

const COLOURS = ["#4477aa", "#ee6677", "#228833", "#c9a227", "#33aacc", "#aa3377", "#8a7ad6", "#d9822b"];
const colourOf = (chain) => COLOURS[chain % COLOURS.length];

/** Base64 of 32-bit floats as numbers. */
function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/** Relative numbers in the parameter's own units. */
function unframe(packed, { centre, scale }) {
  return Float64Array.from(packed, (v) => centre + scale * v);
}

/** A number with the digits that matter when neighbours differ by `step`. */
function show(value, step) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4) && Math.abs(step) < size * 10) {
    const digits = Math.min(Math.max(Math.ceil(Math.log10(size / step)), 0), 8);
    return minus(value.toExponential(digits).replace("e+", "e"));
  }
  const digits = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 12);
  return minus(value.toFixed(digits).replace(/^-(0\.?0*)$/, "$1"));
}

/** A value to four digits of the spread it lies in. */
const precise = (value, range) => show(value, Math.abs(range[1] - range[0]) / 2000 || 1e-3);

const minus = (text) => text.replace(/-/g, "−");

/** A whole number with spaces between thousands. */
const count = (n) => (n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f"));

/** About `wanted` round numbers within a range, at least two so that they show a scale, and the step between them. */
function roundNumbers([from, to], wanted) {
  const rough = (to - from) / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10);
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; k++) ticks.push(k * step);
  return ticks.length < 2 && wanted < 64 ? roundNumbers([from, to], 2 * wanted) : { ticks, step };
}

/** Powers of ten within a range of logarithms, with 2 and 5 between them where there are few. */
function roundPowers([from, to]) {
  const between = to - from < 1 ? [1, 2, 3, 5, 7] : to - from < 3 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((to - from) / 6));
  const ticks = [];
  for (let k = Math.floor(from); k <= to; k++) {
    if (k % every === 0) for (const m of between) ticks.push(k + Math.log10(m));
  }
  return ticks.filter((t) => t >= from && t <= to);
}

/** The least and the largest finite number of some series, with a margin. */
function rangeOf(series, margin = 0.04) {
  let [least, most] = [Infinity, -Infinity];
  for (const values of series) {
    for (const v of values) {
      if (Number.isFinite(v)) {
        if (v < least) least = v;
        if (v > most) most = v;
      }
    }
  }
  if (least > most) return [0, 1];
  const room = most > least ? (most - least) * margin : Math.abs(most) * 0.1 || 1;
  return [least - room, most + room];
}
