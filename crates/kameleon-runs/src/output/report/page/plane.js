// The figures of one parameter against another: the chain's path, where its proposals point, the modes, and what thinning kept.

/** Half of a two-dimensional Gaussian lies within this many standard deviations. */
const HALF = Math.sqrt(2 * Math.log(2));

function plane(p, q, chains) {
  return {
    x: { label: p.name, range: rangeOf(chains.map((c) => p.draws[c])) },
    y: { label: q.name, range: rangeOf(chains.map((c) => q.draws[c])) },
    zoom: "xy",
  };
}

function dots(plot, p, q, chains, fill) {
  const { ctx } = plot;
  const shown = chains.reduce((sum, c) => sum + p.draws[c].length, 0);
  ctx.globalAlpha = clamp(3000 / Math.max(shown, 1), 0.2, 0.8);
  for (const c of chains) {
    ctx.fillStyle = fill(c);
    const [x, y] = [p.draws[c], q.draws[c]];
    for (let k = 0; k < x.length; k++) ctx.fillRect(plot.X(x[k]) - 1, plot.Y(y[k]) - 1, 2, 2);
  }
  ctx.globalAlpha = 1;
}

/** The draws by their modes, and where each mode is. */
function modes(data, [i, j], chains) {
  const [p, q] = [data.parameters[i], data.parameters[j]];
  const base = plane(p, q, chains);
  return {
    ...base,
    title: `${p.name} and ${q.name}: the modes`,
    note: "Dots: draws of the chains shown, in the colour of their mode. Numbers: the modes of the table, at the means of their draws.",
    draw: (plot) => {
      const { ctx } = plot;
      const shown = chains.reduce((sum, c) => sum + p.draws[c].length, 0);
      ctx.globalAlpha = clamp(3000 / Math.max(shown, 1), 0.2, 0.8);
      for (const c of chains) {
        const [x, y, labels] = [p.draws[c], q.draws[c], data.chains[c].modes];
        for (let k = 0; k < x.length; k++) {
          ctx.fillStyle = colourOf(labels[k] ?? 0);
          ctx.fillRect(plot.X(x[k]) - 1, plot.Y(y[k]) - 1, 2, 2);
        }
      }
      ctx.globalAlpha = 1;
      data.modes.forEach((place, mode) => mark(plot, plot.X(place[i]), plot.Y(place[j]), mode));
    },
  };
}

/** The draws that thinning kept, among the others. */
function kept(data, [i, j], chains) {
  const [p, q] = [data.parameters[i], data.parameters[j]];
  const [x, y] = [data.kept.values[i], data.kept.values[j]];
  const base = plane(p, q, chains);
  return {
    ...base,
    title: `${p.name} and ${q.name}: what was kept`,
    note: `Discs: the draws that thinning kept, ${data.kept.about}. Dots: draws of the chains shown.`,
    draw: (plot) => {
      const { ctx } = plot;
      dots(plot, p, q, chains, () => colour("--dots"));
      ctx.lineWidth = 1;
      ctx.fillStyle = colour("--accent");
      ctx.strokeStyle = colour("--card");
      for (let k = 0; k < x.length; k++) {
        ctx.beginPath();
        ctx.arc(plot.X(x[k]), plot.Y(y[k]), 3.5, 0, 2 * Math.PI);
        ctx.fill();
        ctx.stroke();
      }
    },
    hover: (plot, px, py) => {
      const best = nearest(Array.from(x, (v, k) => ({ px: plot.X(v), py: plot.Y(y[k]), k })), px, py);
      if (!best) return null;
      const { k } = best;
      const text = `chain ${data.kept.chain[k]}, draw ${count(data.kept.draw[k])}\n${p.name} = ${precise(x[k], base.x.range)}\n${q.name} = ${precise(y[k], base.y.range)}`;
      return { ...best, text };
    },
  };
}

/** The number of a mode in a disc. */
function mark(plot, x, y, mode) {
  const { ctx } = plot;
  ctx.beginPath();
  ctx.arc(x, y, 9, 0, 2 * Math.PI);
  ctx.fillStyle = colour("--card");
  ctx.fill();
  ctx.lineWidth = 2;
  ctx.strokeStyle = colourOf(mode);
  ctx.stroke();
  ctx.fillStyle = colour("--ink");
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(mode + 1, x, y);
}

function path(data, p, q, chains, followed) {
  const base = plane(p, q, chains);
  const [x, y] = [p.paths[followed], q.paths[followed]];
  const first = data.chains[followed].draws - x.length;
  return {
    ...base,
    title: `${p.name} and ${q.name}: the chain's path`,
    note: `Dots: draws of the chains shown. Line: the last ${count(x.length)} draws of ${named(data, followed)}, one after another, ending at the ring.`,
    draw: (plot) => {
      const { ctx } = plot;
      dots(plot, p, q, chains, colourOf);
      ctx.strokeStyle = colour("--ink");
      ctx.lineWidth = 1.2;
      for (let k = 1; k < x.length; k++) {
        ctx.globalAlpha = 0.2 + (0.8 * k) / x.length;
        plot.line(plot.X(x[k - 1]), plot.Y(y[k - 1]), plot.X(x[k]), plot.Y(y[k]));
      }
      ctx.globalAlpha = 1;
      if (x.length === 0) return;
      ctx.beginPath();
      ctx.arc(plot.X(x.at(-1)), plot.Y(y.at(-1)), 5, 0, 2 * Math.PI);
      ctx.lineWidth = 2;
      ctx.strokeStyle = colour("--ink");
      ctx.stroke();
    },
    hover: (plot, px, py) => {
      const points = Array.from(x, (v, k) => ({ px: plot.X(v), py: plot.Y(y[k]), k }));
      const best = nearest(points, px, py);
      if (!best) return null;
      const { k } = best;
      const text = `draw ${count(first + k)}\n${p.name} = ${precise(x[k], base.x.range)}\n${q.name} = ${precise(y[k], base.y.range)}`;
      return { ...best, text };
    },
  };
}

/** The ellipse of a 2 × 2 covariance on the screen: half axes in pixels and their direction. */
function ellipse(plot, sx, sy, a, b, c) {
  const kx = (plot.width / (plot.view.x[1] - plot.view.x[0])) * sx;
  const ky = (-plot.tall / (plot.view.y[1] - plot.view.y[0])) * sy;
  const [A, B, C] = [a * kx * kx, b * kx * ky, c * ky * ky];
  const [middle, half] = [(A + C) / 2, Math.hypot((A - C) / 2, B)];
  const root = (v) => HALF * Math.sqrt(Math.max(v, 0));
  return { long: root(middle + half), short: root(middle - half), turn: Math.atan2(2 * B, A - C) / 2 };
}

function proposals(data, [i, j], chains, followed) {
  const [p, q] = [data.parameters[i], data.parameters[j]];
  const base = plane(p, q, chains);
  const count = data.parameters.length;
  const places = data.proposals.filter((at) => at.chain === followed).map(({ centre, covariance }) => ({
    x: p.frame.centre + p.frame.scale * centre[i],
    y: q.frame.centre + q.frame.scale * centre[j],
    covariance: [covariance[i * count + i], covariance[i * count + j], covariance[j * count + j]],
  }));
  // Room for the ellipses too, within reason.
  const extended = ([from, to], values) => {
    const [least, most] = rangeOf([values, [from, to]], 0);
    const room = (to - from) / 2;
    return [Math.max(least, from - room), Math.min(most, to + room)];
  };
  const reach = (place, k, scale) => HALF * scale * Math.sqrt(place.covariance[k]);
  base.x.range = extended(base.x.range, places.flatMap((at) => [-1, 1].map((s) => at.x + s * reach(at, 0, p.frame.scale))));
  base.y.range = extended(base.y.range, places.flatMap((at) => [-1, 1].map((s) => at.y + s * reach(at, 2, q.frame.scale))));
  const note = places.length
    ? `Each ellipse holds about half of the local steps (jumps are not shown) that ${named(data, followed)} proposes from its centre, a draw of the chain. Where they turn and stretch with the dots, the sampler follows the shape of the target.`
    : "There is no record of the proposals of this run.";
  let lit = -1;
  return {
    ...base,
    title: `${p.name} and ${q.name}: where the proposals point`,
    note,
    draw: (plot) => {
      const { ctx } = plot;
      dots(plot, p, q, chains, () => colour("--dots"));
      places.forEach(({ x, y, covariance }, k) => {
        const { long, short, turn } = ellipse(plot, p.frame.scale, q.frame.scale, ...covariance);
        ctx.beginPath();
        ctx.ellipse(plot.X(x), plot.Y(y), long, short, turn, 0, 2 * Math.PI);
        ctx.fillStyle = ctx.strokeStyle = colourOf(followed);
        ctx.globalAlpha = k === lit ? 0.35 : 0.07;
        ctx.fill();
        ctx.globalAlpha = 1;
        ctx.lineWidth = k === lit ? 2.5 : 1.4;
        ctx.stroke();
        ctx.beginPath();
        ctx.arc(plot.X(x), plot.Y(y), 2, 0, 2 * Math.PI);
        ctx.fill();
      });
    },
    hover: (plot, px, py) => {
      const points = places.map(({ x, y }, k) => ({ px: plot.X(x), py: plot.Y(y), k }));
      const best = nearest(points, px, py);
      lit = best ? best.k : -1;
      if (!best) return null;
      const { x, y, covariance } = places[best.k];
      const sd = (s, v) => Number((s * Math.sqrt(v)).toPrecision(3));
      const text = `from ${p.name} = ${precise(x, base.x.range)}, ${q.name} = ${precise(y, base.y.range)}\n` +
        `step sd ${sd(p.frame.scale, covariance[0])} and ${sd(q.frame.scale, covariance[2])}\n` +
        `correlation ${show(covariance[1] / Math.sqrt(covariance[0] * covariance[2]), 0.01)}`;
      return { ...best, text };
    },
  };
}
