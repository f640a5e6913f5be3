// The interactive roofline: a machine, an operator and its shape; where the dot falls, and the least time it takes.
(() => {
  const r = press.roofline;
  const {element, svg, table} = press.make, {digits, duration, percent, scaled} = press.format;
  const sizes = {fp64: 8, fp32: 4, bf16: 2, int8: 1}, widths = Object.keys(sizes);
  const waits = {memory: "memory", compute: "arithmetic"};

  // ---- Operators, each in parts that run one after the other ----
  const heads = (s) => ({heads: s.heads, kvHeads: s.heads / s.group, d: s.d, fused: s.fused});
  const attentionParts = ["queries × keys", "softmax", "weights × values"];
  const operators = {
    gemm: {swept: "m", of: (s, size) => r.product(s, size), parts: ["product"]},
    gemv: {swept: "vectors", of: (s, size) => r.product({m: s.vectors, n: s.rows, k: s.columns}, size), parts: ["product"]},
    prefill: {swept: "tokens", parts: attentionParts,
              of: (s, size) => r.attention({...heads(s), queries: s.tokens, keys: s.tokens, causal: true}, size)},
    decode: {swept: "sequences", parts: attentionParts,
             of: (s, size) => r.attention({...heads(s), queries: 1, keys: s.context, batch: s.sequences}, size)},
    convolution: {swept: "pictures", of: (s, size) => r.convolution({...s, batch: s.pictures}, size),
                  parts: ["patches to columns", "product"]},
    chain: {swept: "operators", of: (s, size) => r.chain(s, size), parts: ["all passes"]},
  };
  const complaint = (s) => (s.op === "prefill" || s.op === "decode") && s.heads % s.group
    ? `Heads that share keys: ${s.heads} heads can’t be split evenly into groups of ${s.group}.` : "";

  const roofOf = (chip, s) => {
    if (s.chip === "own") return {peak: s.peak, bandwidth: s.bandwidth, computed: s.precision};
    const wider = widths.slice(0, widths.indexOf(s.precision) + 1).reverse().find((width) => chip.peaks[width]);
    return {peak: chip.peaks[wider], bandwidth: chip.bandwidth, computed: wider};
  };
  const outcome = (roof, s) => {
    const parts = operators[s.op].of(s, sizes[s.precision]).map((p) => s.allocates ? p : {...p, allocated: 0});
    const times = parts.map((part) => r.seconds(roof, part)), all = r.sum(parts);
    const seconds = times.reduce((a, b) => a + b);
    const inMemory = parts.reduce((sum, part, i) => sum + (r.side(roof, part) === "memory" ? times[i] : 0), 0);
    return {parts, times, all, seconds, side: inMemory > seconds / 2 ? "memory" : "compute",
            x: all.flops / all.bytes, y: all.flops / seconds / 1e9};
  };

  // ---- The plot: both axes logarithmic, as in the chapter's figures ----
  const HEIGHT = 380, LEFT = 74, TOP = 62, BOTTOM = 324, WIDEST = 620, NARROWEST = 330; // the plot is as wide as the page, within these limits
  const scaleOf = (roof, dots, width) => { // computed from all dots, so that the plot stays fixed while one is dragged
    const across = dots.map(({x}) => x), low = Math.min(.05, Math.min(...across) / 3, r.ridge(roof) / 10);
    const high = Math.max(20000, Math.max(...across) * 3, r.ridge(roof) * 10);
    const least = Math.min(roof.bandwidth * low, ...dots.map(({y}) => y), roof.peak / 3) / 2;
    const most = roof.peak * (roof.peak / least) ** .12;
    const log = (v, from, to) => Math.log(v / from) / Math.log(to / from);
    const right = width - 14;
    return {low, high, least, most, right, x: (v) => LEFT + (right - LEFT) * log(v, low, high),
            y: (v) => BOTTOM - (BOTTOM - TOP) * log(v, least, most)};
  };
  const decades = (low, high, most) => {
    const first = Math.ceil(Math.log10(low)), last = Math.floor(Math.log10(high)), step = Math.ceil((last - first + 1) / most);
    return Array.from({length: Math.floor((last - first) / step) + 1}, (_, i) => 10 ** (first + i * step));
  };
  const text = (x, y, words, colour, anchor = "start", more = {}) =>
    svg("text", {x, y, class: `f-${colour}`, "text-anchor": anchor, ...more}, words);
  const line = (x1, y1, x2, y2, colour, width, more = {}) =>
    svg("line", {x1, y1, x2, y2, class: `s-${colour}`, "stroke-width": width, ...more});
  const plain = (v) => v >= 1e6 ? scaled(v, "").trim() : digits(v);
  const speed = (gflops) => scaled(gflops * 1e9, "FLOP/s").replace("kFLOP", "thousand FLOP");

  const axes = (to) => [
    ...decades(to.low, to.high, (to.right - LEFT) / 62).flatMap((v) => [line(to.x(v), TOP, to.x(v), BOTTOM, "grid", .8),
      text(to.x(v), BOTTOM + 20, v < 1e-4 ? v.toExponential() : v < 1 ? String(v) : plain(v), "quiet",
           to.x(v) > to.right - 24 ? "end" : "middle")]),
    ...decades(to.least, to.most, 8).flatMap((v) => [line(LEFT, to.y(v), to.right, to.y(v), "grid", .8),
      text(LEFT - 8, to.y(v) + 5, scaled(v * 1e9, ""), "quiet", "end")]),
    text(4, 16, "speed, FLOP/s", "quiet"), text(to.right, HEIGHT - 10, "intensity, FLOP/byte", "quiet", "end"),
  ];
  const roofLines = (to, roof) => {
    const ridge = r.ridge(roof), from = Math.max(to.low, to.least / roof.bandwidth);
    const [x1, y1, x2, y2] = [to.x(from), to.y(from * roof.bandwidth), to.x(ridge), to.y(roof.peak)];
    const turn = Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI, long = Math.hypot(x2 - x1, y2 - y1);
    const [right, up] = [(x2 - x1) / long, (y1 - y2) / long], along = Math.max(.09 * long, 30 * up / right); // clear of the axis
    const x = x1 + along * right - 17 * up, y = y1 - along * up - 17 * right; // clear of dots
    const between = Math.min(Math.max(x2, 152), to.right - 132), late = x2 > to.right - 100;
    return [
      line(x2, y2, x2, BOTTOM, "quiet", 1, {"stroke-dasharray": "2 4"}),
      line(x1, y1, x2, y2, "memory", 2.6), line(x2, y2, to.right, y2, "compute", 2.6),
      ...(long > 220 ? [text(x, y, `memory ${scaled(roof.bandwidth * 1e9, "B/s")}`, "memory", "start",
                             {transform: `rotate(${turn} ${x} ${y})`})] : []),
      text(to.right, y2 - 9, speed(roof.peak), "compute", "end"),
      text(between - 10, 42, "← waits for memory", "quiet", "end"), text(between + 10, 42, "for arithmetic →", "quiet"),
      text(late ? x2 - 8 : x2 + 8, BOTTOM - 10, `ridge ${plain(ridge)}`, "quiet", late ? "end" : "start"),
    ];
  };
  // The dot's positions as the slider's number grows, with `steps` positions per doubling.
  const sweep = (roof, s, most, steps) => {
    const {swept} = operators[s.op], many = Math.floor(steps * Math.log2(most));
    const values = new Set(Array.from({length: many + 1}, (_, i) => Math.round(2 ** (i / steps))));
    return [...values].map((value) => ({value, ...outcome(roof, {...s, [swept]: value})}));
  };
  const trail = (to, dots) => {
    const places = dots.map(({x, y}) => [to.x(x), to.y(y)]);
    return [svg("polyline", {points: places.join(" "), class: "s-ink", "stroke-width": .8, "stroke-dasharray": "2 4",
                             fill: "none"}),
            ...places.map(([cx, cy]) => svg("circle", {cx, cy, r: 3, class: "s-ink f-paper", "stroke-width": 1}))];
  };

  press.widget("roofline", ({form, shown, more, said, data, set, again}) => {
    const chips = new Map(data.chips.map((chip) => [chip.id, chip]));
    const select = form.elements.chip;
    for (const group of [...new Set(data.chips.map((chip) => chip.group))])
      select.append(element("optgroup", {label: group}, data.chips.filter((chip) => chip.group === group)
        .map((chip) => element("option", {value: chip.id}, chip.name))));
    select.append(element("option", {value: "own"}, "your own"));
    const follow = () => { // switches to the page's machine if both it and the current choice are measured machines
      const now = chips.get(select.value), next = press.machine && data.chips.find((chip) => chip.machine === press.machine);
      if (now?.machine && next && now.machine !== next.machine) select.value = next.id;
    };
    follow();
    document.addEventListener("hf:machine", follow);
    form.addEventListener("input", () => { // the first placement is not animated; and then the dot needn't say again that it moves
      dot.classList.add("hf-moving");
      dot.querySelector("text")?.remove();
    });
    select.addEventListener("input", () => { form.elements.allocates.checked = Boolean(chips.get(select.value)?.machine); });

    const dot = svg("g", {class: "hf-dot", tabindex: 0, role: "slider", "aria-valuemin": 1},
                    [svg("circle", {r: 22, class: "hf-reach"}), svg("circle", {r: 8, class: "f-ink"}), text(0, 30, "drag me", "ink", "middle")]);
    const back = svg("g", {"aria-hidden": true}), picture = svg("svg", {class: "hf-graph", role: "group",
      "aria-label": "The roofline of the chosen machine, with the operator as a dot"}, [back, dot]);
    const title = element("p", {class: "hf-bar-title"});
    const chosen = (name) => form.elements[name].selectedOptions[0].text;
    shown.append(title, picture);

    // Dragging the dot along its trail, or doubling and halving by arrow keys, changes the slider's number.
    let dragged; // moves the dot to its possible position nearest to the pointer
    const pulled = () => form.elements[operators[form.elements.op.value].swept];
    const pull = (value) => {
      pulled().value = Math.min(Math.max(value, 1), Number(pulled().max));
      pulled().dispatchEvent(new Event("input", {bubbles: true}));
    };
    dot.addEventListener("touchstart", (event) => event.preventDefault(), {passive: false}); // or the page would scroll
    dot.addEventListener("pointerdown", (event) => { dot.setPointerCapture(event.pointerId); });
    dot.addEventListener("pointermove", (event) => {
      if (dot.hasPointerCapture(event.pointerId))
        dragged(new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()));
    });
    dot.addEventListener("keydown", (event) => {
      const now = Number(pulled().value), to = {ArrowRight: 2 * now, ArrowUp: 2 * now, ArrowLeft: Math.floor(now / 2),
        ArrowDown: Math.floor(now / 2), Home: 1, End: Infinity}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      pull(to);
    });
    let width = 0;
    new ResizeObserver(() => {
      const now = Math.min(WIDEST, Math.max(NARROWEST, Math.round(shown.clientWidth)));
      if (now === width) return;
      width = now;
      picture.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
      again();
    }).observe(shown);
    picture.setAttribute("viewBox", `0 0 ${WIDEST} ${HEIGHT}`);

    return (s) => {
      const problem = complaint(s), chip = chips.get(s.chip);
      for (const option of form.elements.precision.options)
        option.disabled = Boolean(chip) && !roofOf(chip, {...s, precision: option.value}).peak;
      if (form.elements.precision.selectedOptions[0].disabled) return set({precision: "bf16"});
      if (problem) { said.textContent = problem; return; }
      const roof = roofOf(chip, s), found = outcome(roof, s), {all, parts, times} = found;
      const field = pulled(), most = Number(field.max), dots = sweep(roof, s, most, 1);
      const to = scaleOf(roof, [...dots, found], width || WIDEST), ridge = plain(r.ridge(roof));
      if (chip) for (const name of ["peak", "bandwidth"]) form.elements[name].value = Number(roof[name].toPrecision(3));
      title.textContent = `${chosen("op")} · ${chosen("chip")} · ${chosen("precision")}`;
      back.replaceChildren(...axes(to), ...roofLines(to, roof), ...trail(to, dots));
      dot.style.transform = `translate(${to.x(found.x)}px, ${to.y(found.y)}px)`;
      dot.setAttribute("aria-label", field.closest("label").firstChild.textContent.trim());
      dot.setAttribute("aria-valuemax", most);
      dot.setAttribute("aria-valuenow", field.value);
      dragged = (at) => { // if several positions coincide, as in decode, the dot stays
        const apart = (each) => Math.hypot(to.x(each.x) - at.x, to.y(each.y) - at.y);
        const near = sweep(roof, s, most, 8).reduce((a, b) => apart(b) < apart(a) ? b : a);
        if (apart(near) < apart(found) - .5) pull(near.value);
      };
      const widened = roof.computed === s.precision ? "" :
        ` Computed in ${roof.computed}: the book lacks this ${s.precision} peak.`;
      said.textContent = `Takes at least ${duration(found.seconds)}, waiting for ${waits[found.side]}: at most ` +
        `${percent(found.y / roof.peak)} of the peak. ${scaled(all.flops, "FLOP")} over ${scaled(all.bytes, "B")} ` +
        `is ${plain(found.x)} FLOP/byte; ridge at ${ridge}.${widened}`;
      const whole = s.fused && !["gemm", "gemv"].includes(s.op) ? "fused" : operators[s.op].parts.at(-1);
      const names = parts.length > 1 ? operators[s.op].parts : [whole];
      const column = (name, work, seconds, side) => [name, duration(seconds), waits[side],
        scaled(work.flops, "FLOP"), scaled(work.bytes, "B"), scaled(work.allocated, "B"), plain(work.flops / work.bytes)];
      const columns = [["part", "at least", "waits for", "work", "compulsory", "write-allocate", "FLOP/byte"],
        ...parts.map((part, i) => column(names[i], part, times[i], r.side(roof, part))),
        ...(parts.length > 1 ? [column("total", all, found.seconds, found.side)] : [])];
      const [head, ...rows] = columns[0].map((_, i) => columns.map((each) => each[i])); // transposed, so that the height does not depend on the number of parts
      more.replaceChildren(table(head, rows));
    };
  });
})();
