// Adds "This browser" to a chapter's machines once measure.html has measured: the numbers, claims and figures that it covers become
// the reader's, and are marked. own-numbers.js loads this. The data stays in this browser, and one button removes it.

// Whether an interval satisfies a bound: "holds", "fails" or "too close to call"; in C++: decide() in labs/record/claims.cpp.
window.press.answer = (low, high, bound) => {
  const KEEPS = {">=": (a, b) => a >= b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, "<": (a, b) => a < b};
  const [sign, limit] = bound.split(" "), [one, other] = [low, high].map((end) => KEEPS[sign](end, Number(limit)));
  return one !== other ? "too close to call" : one ? "holds" : "fails";
};

(() => {
  const HERE = "this-browser", select = document.querySelector("#hf-machine select");
  const isObject = (found) => found && typeof found === "object";
  let values, points;
  try { ({values, points} = JSON.parse(press.stored("measured"))); } catch { /* nothing measured, or not readable */ }
  const isPoint = (found) => Array.isArray(found) && found.every((number) => typeof number === "number");
  const known = (id) => Array.isArray(values[id]) && press.plausibleValue(id, values[id][0]) && typeof values[id][1] === "string" && isFinite(values[id][2] ?? 0);
  if (!select || !isObject(values) || !isObject(points)) return;
  if (![...document.querySelectorAll("[data-value]")].some(({dataset}) => known(dataset.value))) return;

  const {made} = press, kept = new Map(); // the original content of each replaced number, even after the page switched machines
  const words = made("span", ""), forget = made("button", "", "Forget them"), option = new Option("This browser", HERE);
  const choose = (slug) => {
    select.value = slug;
    select.dispatchEvent(new Event("input"));
  };
  const note = made("p", "hf-this-browser", words, " ", forget);
  forget.type = "button";
  select.append(option);

  const replace = (number) => {
    const text = values[number.dataset.value][1], [short] = text.split("\u00a0");
    kept.set(number, [number.title, ...number.childNodes]);
    number.replaceChildren({number: short, times: `${short}×`}[number.dataset.as] ?? text);
    number.title = "measured in this browser";
    number.classList.add("hf-own");
  };
  // Decides a claim for this browser, in a line of its own, since the existing verdict is another machine's. The error of a number
  // is the spread between batches of one loop.
  const WORDS = {holds: "\u2713 holds", fails: "\u2717 does not hold", "too close to call": "too close to call"};
  const decide = (number) => {
    const {asks, value: id} = number.dataset, [value, text, off = 0] = values[id];
    const answer = press.answer(value / (1 + off), value * (1 + off), asks), own = made("b", "hf-own", text);
    number.closest(".hf-claim").append(made("p", "hf-own-verdict", `${WORDS[answer]} in this browser: `, own, ` (${asks})`));
  };
  // Draws a figure's points as a line, within the figure's axes.
  const draw = (figure, found) => {
    for (const svg of document.querySelectorAll(`#${figure} svg.hf-figure`)) {
      const panel = press.panelsOf(svg)[0], axis = isFinite(press.placeOn(svg, "x", 1)) ? "x" : "x2"; // its ticks may be below another panel
      const inside = found.map(([x, y]) => [press.placeOn(svg, axis, x), press.placeOn(svg, "y", y)]).filter(([x, y]) =>
        x > panel.left - 2 && x < panel.right + 2 && y > panel.top - 2 && y < panel.bottom + 2);
      if (!inside.length) continue;
      const own = press.shape("g", svg, {class: "hf-own-line"}), [centre] = inside[inside.length >> 1];
      press.shape("polyline", own, {points: inside.map((point) => point.map((v) => v.toFixed(1))).join(" ")});
      // The label goes above or below a point, preferably near the middle.
      const nearest = [...inside].sort(([a], [b]) => Math.abs(a - centre) - Math.abs(b - centre));
      press.write(own, "this browser", nearest.flatMap(([x, y]) => [y - 12, y + 24].filter((row) => row > panel.top + 16)
        .map((row) => x > (panel.left + panel.right) / 2 ? [x - 8, row, "end"] : [x + 8, row, "start"])));
    }
  };

  const clear = () => document.querySelectorAll(".hf-own-verdict, .hf-own-line").forEach((each) => each.remove());
  const show = () => {
    clear();
    for (const number of document.querySelectorAll("[data-value]")) {
      if (!known(number.dataset.value)) continue;
      if (number.dataset.asks) decide(number); else if (!kept.has(number)) replace(number);
    }
    for (const [figure, found] of Object.entries(press.placeOn ? points : {}))
      if (/^fig-[a-z]+$/.test(figure) && Array.isArray(found)) draw(figure, found.filter(isPoint));
    words.textContent = "Numbers underlined in blue, and lines and verdicts marked \u201cthis browser\u201d, are yours: one core, " +
      `128-bit registers, small pages. Everything else comes from ${press.machines.find(({slug}) => slug === press.machine).short}.`;
    document.querySelector("article h1").after(note);
    choose(HERE);
  };
  const hide = () => {
    clear();
    for (const [number, [title, ...nodes]] of kept) {
      number.replaceChildren(...nodes);
      number.title = title;
      number.classList.remove("hf-own");
    }
    kept.clear();
    note.remove();
    press.store(HERE, null);
  };

  // In the capture phase, before the switcher, which only knows published machines.
  document.addEventListener("change", (event) => {
    if (event.target !== select) return;
    if (select.value !== HERE) { hide(); return; }
    event.stopPropagation();
    press.store(HERE, "shown");
    show();
  }, true);
  // Switching back to a machine restores its content as it was left, including this browser's lines.
  document.addEventListener("hf:machine", () => { if (note.isConnected) show(); else clear(); });
  forget.addEventListener("click", () => {
    hide();
    press.store("measured", null);
    press.store("measured-gpu", null);
    option.remove();
    choose(press.machine);
    select.focus();
  });
  if (press.stored(HERE) === "shown") show();
})();
