// What each figure shows: a spec for a Plot, made from the parameters, the chains shown and the chain followed.

/** The nearest of some candidates { px, py, text } to a place, if near enough. */
function nearest(candidates, px, py, reach = 40) {
  let best = null;
  let least = reach * reach;
  for (const c of candidates) {
    const distance = (c.px - px) ** 2 + (c.py - py) ** 2;
    if (distance < least) [best, least] = [c, distance];
  }
  return best;
}

/** For each shown chain, the value of its series next to a place on the x axis. */
function* alongX(plot, chains, px, series, every, first, words) {
  for (const c of chains) {
    const k = Math.round((plot.fromX(px) - first) / every);
    const values = series[c];
    if (k >= 0 && k < values.length && Number.isFinite(values[k])) {
      const x = first + k * every;
      yield { px: plot.X(x), py: plot.Y(values[k]), text: words(c, x, values[k]) };
    }
  }
}

const named = (data, c) => `chain ${data.chains[c].index}`;

function trace(data, p, chains) {
  const range = rangeOf(chains.map((c) => p.draws[c]));
  const last = Math.max(...data.chains.map((c) => c.draws), 1);
  const some = data.every > 1 ? ` One draw in ${count(data.every)} is shown.` : "";
  const words = (c, k, v) => `${named(data, c)}, draw ${count(k)}\n${p.name} = ${precise(v, range)}`;
  return {
    title: `Trace of ${p.name}`,
    note: `Chains that have converged look alike: no trend, no chain apart, no long flat stretch.${some}`,
    x: { label: "draw", range: [0, last], whole: true },
    y: { label: p.name, range },
    zoom: "xy",
    draw: (plot) => {
      plot.ctx.globalAlpha = 0.8;
      for (const c of chains) plot.curve(p.draws[c].length, (k) => k * data.every, (k) => p.draws[c][k], colourOf(c), 1);
    },
    hover: (plot, px, py) => nearest(alongX(plot, chains, px, p.draws, data.every, 0, words), px, py, 60),
  };
}

function marginal(data, p, chains) {
  const { from, to, counts } = p.histogram;
  const bins = counts[0]?.length ?? 0;
  const width = (to - from) / bins || 1;
  const total = (c) => counts[c].reduce((a, b) => a + b, 0) || 1;
  const density = Object.fromEntries(chains.map((c) => [c, counts[c].map((n) => n / total(c) / width)]));
  const all = chains.reduce((sum, c) => sum + total(c), 0) || 1;
  const pooled = Array.from({ length: bins }, (_, b) => chains.reduce((sum, c) => sum + counts[c][b], 0) / all / width);
  const most = Math.max(...pooled, ...chains.flatMap((c) => density[c]), 0) || 1;
  const range = from < to ? [from, to] : [from - 0.5, to + 0.5];
  return {
    title: `Marginal of ${p.name}`,
    note: `All shown chains filled, each by its line; dashed: 5 %, 50 % and 95 % quantiles (${p.quantiles.map((q) => precise(q, range)).join(", ")}).`,
    x: { label: p.name, range },
    y: { label: "density", range: [0, most * 1.05] },
    zoom: "x",
    draw: (plot) => {
      const { ctx } = plot;
      const steps = (values) => {
        ctx.beginPath();
        ctx.moveTo(plot.X(from), plot.Y(0));
        values.forEach((v, b) => {
          ctx.lineTo(plot.X(from + b * width), plot.Y(v));
          ctx.lineTo(plot.X(from + (b + 1) * width), plot.Y(v));
        });
        ctx.lineTo(plot.X(from + bins * width), plot.Y(0));
      };
      steps(pooled);
      ctx.fillStyle = colour("--line");
      ctx.fill();
      ctx.lineWidth = 1.25;
      for (const c of chains) {
        steps(density[c]);
        ctx.strokeStyle = colourOf(c);
        ctx.stroke();
      }
      ctx.setLineDash([5, 4]);
      ctx.lineWidth = 1;
      ctx.strokeStyle = colour("--soft");
      for (const q of p.quantiles) plot.line(plot.X(q), plot.top, plot.X(q), plot.top + plot.tall);
      ctx.setLineDash([]);
    },
    hover: (plot, px) => {
      const b = Math.floor((plot.fromX(px) - from) / width);
      if (b < 0 || b >= bins) return null;
      const ends = [from + b * width, from + (b + 1) * width].map((v) => show(v, width / 10));
      const share = show(100 * pooled[b] * width, 0.1);
      return { px: plot.X(from + (b + 0.5) * width), py: plot.Y(pooled[b]), text: `${ends[0]} to ${ends[1]}\n${share} % of the draws` };
    },
  };
}

function ranks(data, p, chains) {
  const rows = p.ranks.length ? chains.filter((c) => p.ranks[c]) : [];
  const bins = p.ranks[0]?.length ?? 1;
  const expected = (c) => p.ranks[c].reduce((a, b) => a + b, 0) / bins;
  const most = Math.max(2, ...rows.flatMap((c) => p.ranks[c].map((n) => n / expected(c))));
  const base = (r) => rows.length - 1 - r;
  return {
    title: `Ranks of ${p.name}`,
    note: "Where the draws of each chain rank among all: even bars, near the dashed line, mean that the chains agree.",
    x: { label: "rank among all draws, from low to high", range: [0, bins], ticks: [] },
    y: { label: "", range: [0, rows.length || 1], ticks: rows.map((c, r) => [base(r) + 0.9 / most, named(data, c)]) },
    zoom: "",
    draw: (plot) => {
      const { ctx } = plot;
      rows.forEach((c, r) => {
        ctx.fillStyle = colourOf(c);
        p.ranks[c].forEach((n, b) => {
          const top = base(r) + (0.9 * n) / expected(c) / most;
          const x = plot.X(b) + 1;
          ctx.fillRect(x, plot.Y(top), plot.X(b + 1) - x - 1, plot.Y(base(r)) - plot.Y(top));
        });
        ctx.setLineDash([5, 4]);
        ctx.strokeStyle = colour("--ink");
        ctx.lineWidth = 1;
        const level = plot.Y(base(r) + 0.9 / most);
        plot.line(plot.left, level, plot.left + plot.width, level);
        ctx.setLineDash([]);
      });
    },
    hover: (plot, px, py) => {
      const r = rows.length - 1 - Math.floor(plot.fromY(py));
      const b = Math.floor(plot.fromX(px));
      const c = rows[r];
      if (c === undefined || b < 0 || b >= bins) return null;
      const share = p.ranks[c][b] / expected(c);
      const text = `${named(data, c)}, part ${b + 1} of ${bins}\n${show(share, 0.01)} times the even share`;
      return { px: plot.X(b + 0.5), py: plot.Y(base(r) + (0.9 * share) / most), text };
    },
  };
}

function autocorrelation(data, p, chains) {
  const { every } = p.lags;
  const series = p.correlations;
  const last = Math.max(...series.map((s) => (s.length - 1) * every), 1);
  const least = Math.min(-0.1, ...chains.flatMap((c) => Array.from(series[c]).filter(Number.isFinite)));
  const words = (c, lag, v) => `${named(data, c)}, lag ${count(lag)}\nautocorrelation ${show(v, 0.001)}`;
  const thin = data.thin > 1 ? ` (one draw is ${count(data.thin)} iterations)` : "";
  return {
    title: `Autocorrelation of ${p.name}`,
    note: "How long the chain remembers: the sooner it falls to zero, the more a draw is worth.",
    x: { label: `lag in draws${thin}`, range: [0, last], whole: true },
    y: { label: "autocorrelation", range: [least, 1.02] },
    zoom: "x",
    draw: (plot) => {
      plot.ctx.strokeStyle = colour("--soft");
      plot.line(plot.left, plot.Y(0), plot.left + plot.width, plot.Y(0));
      for (const c of chains) plot.curve(series[c].length, (k) => k * every, (k) => series[c][k], colourOf(c), 1.5);
    },
    hover: (plot, px, py) => nearest(alongX(plot, chains, px, series, every, 0, words), px, py, 60),
  };
}

function running(data, p, chains) {
  const { every, at, mean, error } = p.running;
  const series = p.means;
  const half = error.map((e) => 1.96 * e);
  const settled = chains.map((c) => series[c].slice(Math.floor(series[c].length / 20)));
  const skip = Math.min(1, at.length - 1);
  const band = [mean.slice(skip).map((m, k) => m - half[k + skip]), mean.slice(skip).map((m, k) => m + half[k + skip])];
  const range = rangeOf([...settled, ...band]);
  const last = Math.max(...series.map((s) => s.length * every), 1);
  const words = (c, k, v) => `${named(data, c)}, first ${count(k)} draws\nmean ${precise(v, range)}`;
  return {
    title: `Running mean of ${p.name}`,
    note: `Band: mean of all chains with its 95 % interval, in the end ${precise(p.mean, range)} ± ${precise(1.96 * p.mcse, range)}.`,
    x: { label: "draws so far", range: [0, last], whole: true },
    y: { label: `mean of ${p.name}`, range },
    zoom: "xy",
    draw: (plot) => {
      const { ctx } = plot;
      ctx.beginPath();
      at.forEach((k, i) => ctx.lineTo(plot.X(k), plot.Y(mean[i] - half[i])));
      for (let i = at.length - 1; i >= 0; i--) ctx.lineTo(plot.X(at[i]), plot.Y(mean[i] + half[i]));
      ctx.fillStyle = colour("--line");
      ctx.fill();
      for (const c of chains) plot.curve(series[c].length, (k) => (k + 1) * every, (k) => series[c][k], colourOf(c));
      plot.curve(at.length, (k) => at[k], (k) => mean[k], colour("--ink"), 2);
    },
    hover: (plot, px, py) => nearest(alongX(plot, chains, px, series, every, every, words), px, py, 60),
  };
}

/** The record of the warm-up: one quantity of every chain. */
function warmup(data, chains, of, { title, note, label, log, least }) {
  const series = data.chains.map((c) => c[of].map((v) => v ?? NaN));
  const plain = rangeOf(chains.map((c) => (log ? series[c].map(Math.log10) : series[c])));
  const range = least === undefined ? plain : [least, plain[1]];
  const ends = rangeOf(chains.map((c) => data.chains[c].t), 0);
  const words = (c, t, v) => `${named(data, c)}, iteration ${count(t)}\n${label} ${Number(v.toPrecision(4))}`;
  return {
    title,
    note,
    x: { label: "iteration of the warm-up", range: [0, ends[1]], whole: true },
    y: { label, range, log },
    zoom: "x",
    draw: (plot) => {
      for (const c of chains) plot.curve(series[c].length, (k) => data.chains[c].t[k], (k) => series[c][k], colourOf(c));
    },
    hover: (plot, px, py) => {
      const points = chains.flatMap((c) =>
        data.chains[c].t.map((t, k) => ({ px: plot.X(t), py: plot.Y(series[c][k]), c, t, v: series[c][k] })));
      const best = nearest(points, px, py, 60);
      return best && { ...best, text: words(best.c, best.t, best.v) };
    },
  };
}
