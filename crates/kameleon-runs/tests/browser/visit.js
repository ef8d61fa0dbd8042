// Put after everything else in the page: uses it as a person would, and leaves what it found as the only content.
(async () => {
  const frames = () => new Promise((done) => setTimeout(done, 200));
  const canvases = () => [...document.querySelectorAll("canvas")];
  const pixels = (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const print = () => canvases().map((c) => pixels(c).reduce((sum, v, k) => (sum * 31 + v * (k % 97)) % 1000003, 7));
  /** A figure is blank if nothing in it has the colour of a chain: axes and grid are grey. */
  const isBlank = (canvas) => {
    const data = pixels(canvas);
    let coloured = 0;
    for (let k = 0; k < data.length; k += 4) {
      const [r, g, b, alpha] = data.subarray(k, k + 4);
      if (alpha > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 40) coloured++;
    }
    return coloured < 50;
  };
  const choose = (id, value) => {
    const select = document.getElementById(id);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  const pointer = (canvas, type, x, y) => {
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
    canvas.dispatchEvent(new PointerEvent(type, { ...at, button: 0, pointerId: 1, bubbles: true }));
  };
  const found = { figures: canvases().length, blank: [], changed: {}, names: [], tip: "" };
  const changes = async (what, act) => {
    const before = print();
    act();
    await frames();
    found.changed[what] = print().filter((now, k) => now !== before[k]).length;
  };
  await frames();
  document.querySelectorAll("figure").forEach((f) => isBlank(f.querySelector("canvas")) && found.blank.push(f.textContent));
  found.names = [...document.querySelectorAll("#first option")].map((o) => o.textContent);
  found.overflows = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  if (found.figures && found.names.length > 1) {
    const first = canvases()[0];
    // Capture belongs to real pointers.
    first.setPointerCapture = () => {};
    await changes("first", () => choose("first", 1));
    await changes("second", () => choose("second", 2));
    await changes("followed", () => choose("followed", 1));
    await changes("table", () => document.querySelector("#summary tbody tr:last-child button").click());
    await changes("chain", () => document.querySelector("#chains button").click());
    await changes("key", () => first.dispatchEvent(new KeyboardEvent("keydown", { key: "+" })));
    await changes("drag", () => {
      pointer(first, "pointerdown", 0.3, 0.2);
      pointer(first, "pointermove", 0.6, 0.6);
      pointer(first, "pointerup", 0.6, 0.6);
    });
    await changes("theme", () => document.getElementById("theme").click());
    first.dispatchEvent(new MouseEvent("dblclick"));
    await frames();
    for (let y = 0.1; y < 0.9 && !found.tip; y += 0.02) {
      pointer(first, "pointermove", 0.5, y);
      found.tip = document.querySelector(".tip:not([hidden])")?.textContent ?? "";
    }
  }
  const result = document.createElement("pre");
  result.id = "found";
  result.textContent = JSON.stringify({ ...found, ...wrong });
  document.documentElement.replaceChildren(result);
})();
