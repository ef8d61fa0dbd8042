// The page: reads the data, fills the controls, and shows the figures again when something is chosen.

function theme() {
  const button = document.getElementById("theme");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const set = (name) => {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Change to ${name === "dark" ? "light" : "dark"} colours`);
    plots.forEach((plot) => plot.later());
  };
  const follow = () => set(dark.matches ? "dark" : "light");
  dark.addEventListener("change", follow);
  button.addEventListener("click", () => {
    dark.removeEventListener("change", follow);
    set(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
  follow();
}

function load() {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (!data || data.chains.length === 0) return null;
  for (const p of data.parameters) {
    const framed = (series) => series.map((packed) => unframe(unpack(packed), p.frame));
    p.draws = framed(p.trace);
    p.paths = framed(p.path);
    p.means = framed(p.running.chains);
    p.correlations = p.lags.chains.map(unpack);
  }
  if (data.kept) data.kept.values = data.kept.values.map((packed, i) => unframe(unpack(packed), data.parameters[i].frame));
  for (const at of data.proposals) {
    at.centre = unpack(at.centre);
    at.covariance = unpack(at.covariance);
  }
  return data;
}

function choices(select, names, chosen, change) {
  names.forEach((name, k) => {
    const option = element("option", select);
    option.value = k;
    option.textContent = name;
  });
  select.value = chosen;
  select.addEventListener("change", () => change(Number(select.value)));
}

function chainButtons(data, state, refresh) {
  const holder = document.getElementById("chains");
  data.chains.forEach((chain, c) => {
    const button = element("button", holder);
    button.type = "button";
    button.textContent = chain.index;
    button.setAttribute("aria-label", `chain ${chain.index}`);
    button.style.setProperty("--colour", colourOf(c));
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      state.hidden.has(c) ? state.hidden.delete(c) : state.hidden.add(c);
      // At least one chain stays in sight.
      if (state.hidden.size === data.chains.length) state.hidden.delete(c);
      button.setAttribute("aria-pressed", String(!state.hidden.has(c)));
      refresh();
    });
  });
}

const plots = [];

function figures(data, state) {
  const holder = document.getElementById("grid");
  const make = (options) => {
    plots.push(new Plot(holder, options));
    return plots.at(-1);
  };
  const single = [[trace, make({ wide: true, height: 260 })], [marginal, make()], [ranks, make()], [autocorrelation, make()], [running, make()]];
  const pair = data.parameters.length > 1 ? [make({ square: true }), make({ square: true })] : [];
  const thinned = pair.length && data.kept ? make({ square: true }) : null;
  const byMode = pair.length && data.modes.length ? make({ square: true }) : null;
  return () => {
    const chains = data.chains.map((_, c) => c).filter((c) => !state.hidden.has(c));
    const { first, second, followed } = state;
    const p = data.parameters[first];
    for (const [spec, plot] of single) plot.show(spec(data, p, chains));
    if (pair.length) {
      pair[0].show(path(data, p, data.parameters[second], chains, followed));
      pair[1].show(proposals(data, [first, second], chains, followed));
      thinned?.show(kept(data, [first, second], chains));
      byMode?.show(modes(data, [first, second], chains));
    }
    return chains;
  };
}

function warmupFigures(data) {
  const holder = document.getElementById("warmup");
  const kinds = [
    ["acceptance", { title: "Acceptance in the warm-up", note: "The share of proposed points that were accepted, over short stretches.", label: "acceptance", least: 0 }],
    ["scale", { title: "Scale in the warm-up", note: "ν, the factor of the proposal's size; it should have settled by the end.", label: "scale ν", log: true }],
    ["bandwidth", { title: "Bandwidth in the warm-up", note: "σ of the kernel: how far around a point the proposal looks.", label: "bandwidth σ", log: true }],
  ];
  const known = kinds.filter(([of]) => data.chains.some((chain) => chain[of].some((v) => v > 0)));
  const made = known.map(([of, options]) => {
    plots.push(new Plot(holder, { height: 210 }));
    return [plots.at(-1), of, options];
  });
  return (chains) => made.forEach(([plot, of, options]) => plot.show(warmup(data, chains, of, options)));
}

/** The modes of the table in the colours of the figure. */
function colourModes() {
  for (const name of document.querySelectorAll(".mode")) name.style.setProperty("--colour", colourOf(Number(name.dataset.mode)));
}

function main() {
  theme();
  colourModes();
  const data = load();
  if (!data) return;
  const state = { first: 0, second: Math.min(1, data.parameters.length - 1), followed: 0, hidden: new Set() };
  const [draw, drawWarmup] = [figures(data, state), warmupFigures(data)];
  const rows = [...document.querySelectorAll("#summary tbody tr")];
  const names = data.parameters.map((p) => p.name);
  const refresh = () => {
    drawWarmup(draw());
    for (const row of rows) row.classList.toggle("chosen", row.querySelector("button").dataset.name === names[state.first]);
  };
  const selects = { first: names, second: names, followed: data.chains.map((c) => `chain ${c.index}`) };
  for (const [id, options] of Object.entries(selects)) {
    choices(document.getElementById(id), options, state[id], (k) => {
      state[id] = k;
      refresh();
    });
    document.getElementById(id).parentElement.hidden = options.length < 2;
  }
  for (const row of rows) {
    row.querySelector("button").addEventListener("click", (e) => {
      const k = names.indexOf(e.target.dataset.name);
      if (k < 0) return;
      state.first = k;
      document.getElementById("first").value = k;
      refresh();
      document.getElementById("figures").scrollIntoView({ block: "start" });
    });
  }
  chainButtons(data, state, refresh);
  document.getElementById("controls").hidden = document.getElementById("how").hidden = false;
  refresh();
}

main();
