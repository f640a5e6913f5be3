// The planner, live: a step of a transformer's training on many chips; the fastest plans that fit, or the reader's own.
(() => {
  const hf = window.hardwareFirst, p = hf.planner, {element, svg, table} = hf.make, {digits, duration, percent} = hf.format;
  const GiB = 1024 ** 3, WIDTH = 620, SLICE = 12; // ms of searching between two looks at the page
  const spent = {arithmetic: ["arithmetic", "blue"], memory: ["memory", "orange"], tensor: ["tensor links", "green"],
                 network: ["network", "purple"], bubble: ["bubble", "grey"]};
  const held = {weights: ["weights", "blue"], gradients: ["gradients", "orange"], optimizer: ["optimiser", "green"],
                activations: ["activations", "purple"]};
  const again = {none: "nothing", selective: "attention", full: "everything"};
  const gib = (bytes) => `${digits(bytes / GiB)}\u00a0GiB`;

  // A bar of parts, with their names below, those that are nothing left out.
  const bar = (title, parts, names, whole, y, limit) => {
    const shown = Object.entries(names).filter(([kind]) => parts[kind] / whole >= .0005);
    let x = 10;
    const boxes = shown.map(([kind, [, colour]]) => {
      const width = parts[kind] / whole * (WIDTH - 20), at = x;
      x += width;
      return svg("rect", {x: at, y: y + 10, width, height: 26, class: `f-${colour}`});
    });
    const keys = shown.flatMap(([kind, [name, colour]], i) => {
      const at = 10 + i % 3 * 205, line = y + 60 + Math.floor(i / 3) * 24;
      return [svg("rect", {x: at, y: line - 12, width: 14, height: 14, class: `f-${colour}`}),
              svg("text", {x: at + 20, y: line, class: "f-ink"}, `${name} ${percent(parts[kind] / limit)}`)];
    });
    return [svg("text", {x: 10, y, class: "f-ink"}, title), ...boxes, ...keys];
  };
  const capacityLine = (capacity, whole, y) => {
    const x = 10 + capacity / whole * (WIDTH - 20);
    return svg("line", {x1: x, y1: y + 4, x2: x, y2: y + 42, class: "s-ink", "stroke-width": 2.6});
  };

  const list = (select, names) => select.append(...names.map((name) => element("option", {value: name}, name)));
  const options = (plan) => ({by: "hand", tensor: plan.tensor, context: plan.context, pipeline: plan.pipeline, pods: plan.pods,
    interleave: plan.interleave, microBatch: plan.microBatch, recompute: plan.recompute, sharding: plan.sharding});

  hf.widget("planner", ({form, shown, said, data, set}) => {
    p.use(data);
    list(form.elements.chip, data.chips.map((chip) => chip.name));
    list(form.elements.model, data.models.map((model) => model.name));
    form.elements.model.append(element("option", {value: "own"}, "a GPT of your own"));
    [form.elements.chip.value, form.elements.model.value] = ["h100", "llama3-70b"];
    const picture = svg("svg", {class: "hf-figure hf-plot", viewBox: `0 0 ${WIDTH} 236`, role: "img",
      "aria-label": "A step by what it is spent on, and a chip's memory by what it holds; the words and the table below say it"});
    const rows = element("div");
    shown.append(picture, rows);
    let latest = 0;

    const show = (job, {plan, time, memory}) => {
      const seconds = p.total(time), bytes = p.memoryTotal(memory), {capacity} = job.chip, whole = Math.max(bytes, capacity);
      picture.replaceChildren(
        ...bar(`a step, ${duration(seconds)}`, time, spent, seconds, 18, seconds),
        ...bar(`a chip’s memory, ${gib(bytes)} of ${gib(capacity)}`, memory, held, whole, 136, capacity), capacityLine(capacity, whole, 136));
      const share = p.mfu(job.chip, job.shape, plan, seconds), each = plan.batch * plan.sequence / seconds / job.chips;
      said.textContent = `${p.shortName(plan)}: ${duration(seconds)} a step, MFU ${percent(share)}, ${digits(each)} tokens a second and chip. ` +
        `Most of a step is ${spent[p.whatLimits(time)][0]}.` +
        (bytes > capacity ? ` Does not fit: ${gib(bytes)} of ${gib(capacity)}; cut more, or compute more again.` : "");
    };
    const clear = (words) => { picture.replaceChildren(); rows.replaceChildren(); said.textContent = words; };

    const byHand = (job, s) => {
      const data = job.chips / (s.tensor * s.context * s.pipeline * s.pods);
      const plan = {...p.defaults, ...s, data, overlapTensor: true};
      const problem = Number.isInteger(data) ? p.complaint(plan, job.shape)
        : `Tensor × context × pipeline × pods do not divide the chips, ${job.chips}.`;
      if (problem) return clear(problem);
      rows.replaceChildren();
      show(job, {plan, time: p.stepTime(job.chip, job.shape, plan), memory: p.memoryUse(job.shape, plan)});
    };
    const candidates = (job, found) => table(["plan", "micro-batch", "computed again", "step", "MFU", "memory", ""],
      found.map(({plan, memory, seconds}) => {
        const mine = element("button", {type: "button", class: "hf-press", "aria-label": `Change ${p.shortName(plan)}`}, "change");
        mine.addEventListener("click", () => { set(options(plan)); form.elements.tensor.focus(); });
        return [p.shortName(plan), plan.microBatch, again[plan.recompute], duration(seconds),
                percent(p.mfu(job.chip, job.shape, plan, seconds)), gib(p.memoryTotal(memory)), mine];
      }));
    const bySearch = (job) => {
      const mine = ++latest, walk = p.search(job, 8);
      said.textContent = "Searching…";
      const go = () => {
        if (mine !== latest) return;
        const until = performance.now() + SLICE;
        let step = walk.next();
        while (!step.done && performance.now() < until) step = walk.next();
        if (!step.done) return void setTimeout(go);
        if (!step.value.length) return clear("No plan fits: more chips, chips with more memory, or a batch that divides better.");
        rows.replaceChildren(candidates(job, step.value));
        show(job, step.value[0]);
      };
      go();
    };

    return (s) => {
      latest += 1;
      const {batch, sequence, chips} = s, chip = data.chips.find(({name}) => name === s.chip);
      if (s.model === "own" && s.hidden % s.heads) return clear(`Heads ${s.heads} do not divide the width, ${s.hidden}.`);
      const shape = s.model === "own" ? p.gpt(s.layers, s.hidden, s.heads) : data.models.find(({name}) => name === s.model);
      const job = {chip, shape, chips, batch, sequence};
      if (s.by === "hand") byHand(job, s); else bySearch(job);
    };
  });
})();
