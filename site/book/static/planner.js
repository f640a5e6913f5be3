// The interactive planner: a training step of a transformer on many chips; the fastest plans that fit, and the reader's own.
(() => {
  const p = press.planner, {bar, element, table} = press.make, {digits, duration, percent} = press.format;
  const GiB = 1024 ** 3, SLICE = 12; // ms of searching before the page gets a turn
  const spent = {arithmetic: ["arithmetic", "compute"], memory: ["memory", "memory"], tensor: ["tensor links", "green"],
                 network: ["network", "grey"], bubble: ["bubble", "purple"]};
  const held = {weights: ["weights", "memory"], gradients: ["gradients", "memory-2"], optimizer: ["optimiser", "memory-3"],
                activations: ["activations", "memory-4"]}; // shades of one hue
  const again = {selective: "attention", full: "everything"};
  const gib = (bytes) => `${digits(bytes / GiB)}\u00a0GiB`;

  const list = (select, choices) => select.append(...choices.map(({name, called}) => new Option(called, name)));

  // "Tensors split 8 ways inside the box, 16 pipeline stages across boxes": a plan's cuts, the wires they use, and its other choices.
  const inWords = (chip, plan) => {
    const {tensor, context, pipeline, interleave, data, pods, sharding, microBatch, recompute} = plan;
    const [one, many] = chip.torusAxes > 0 ? ["pod", "pods"] : ["box", "boxes"];
    const where = (stride, size) =>
      p.wireBetween(chip, stride, size, 1).network ? `across ${many}` : `inside the ${one}`;
    const parts = [
      [tensor, () => `tensors split ${tensor} ways ${where(1, tensor)}`],
      [context, () => `tokens split ${context} ways ${where(tensor, context)}`],
      [pipeline, () => `${pipeline} pipeline stages ${where(tensor * context * data, pipeline)}` +
        (interleave > 1 ? `, each in ${interleave} pieces` : "")],
      [data, () => `${data} copies ${where(tensor, context * data)}${sharding === "full" ? " with sharded weights" : ""}`],
      [pods, () => `${pods} pods`],
      [microBatch, () => `micro-batches of ${microBatch}`],
      [recompute === "none" ? 1 : 2, () => `${again[recompute]} recomputed`],
    ];
    const words = parts.filter(([ways]) => ways > 1).map(([, each]) => each()).join(", ") || "all on one chip";
    return words[0].toUpperCase() + words.slice(1);
  };

  press.widget("planner", ({box, form, shown, more, said, data, set}) => {
    p.use(data);
    list(form.elements.chip, data.chips);
    list(form.elements.model, [...data.models, {name: "own", called: "your own GPT"}]);
    [form.elements.chip.value, form.elements.model.value] = ["h100", "llama3-70b"];
    let latest = 0, asked = "", fastest, draw; // the newest search, its job, its result, and the function that shows it

    const parts = (values, names) => Object.entries(names).map(([kind, [name, colour]]) => [name, values[kind], colour]);
    const show = (job, {plan, time, memory}) => {
      const seconds = p.total(time), bytes = p.memoryTotal(memory), {capacity} = job.chip;
      shown.classList.remove("hf-old");
      shown.replaceChildren(...bar(`A step, ${duration(seconds)}`, parts(time, spent), seconds, seconds),
        ...bar(`A chip’s memory, ${gib(bytes)} of ${gib(capacity)}`, parts(memory, held),
               Math.max(bytes, capacity), capacity));
      const share = p.mfu(job.chip, job.shape, plan, seconds), each = plan.batch * plan.sequence / seconds / job.chips;
      said.replaceChildren(`${inWords(job.chip, plan)} `, element("code", {}, p.shortName(plan)),
        `: ${duration(seconds)} a step, MFU ${percent(share)}, ${digits(each)} tokens per second per chip. ` +
        (bytes > capacity ? `Doesn’t fit: each chip needs ${gib(bytes)} but has ${gib(capacity)}. Cut the model further, or recompute more.`
                          : `Largest part of a step: ${spent[p.whatLimits(time)][0]}.`));
    };
    const fill = (values) => {
      for (const [name, value] of Object.entries(values)) if (name in form.elements) form.elements[name].value = value;
    };
    const clear = (words) => { shown.classList.add("hf-old"); said.textContent = words; };

    const byHand = (job, s) => {
      const data = job.chips / (s.tensor * s.context * s.pipeline * s.pods);
      const plan = {...p.defaults, ...s, data};
      const problem = Number.isInteger(data) ? p.complaint(plan, job.shape)
        : `Tensor × context × pipeline × pods doesn’t divide ${job.chips} chips evenly.`;
      if (problem) return clear(problem);
      show(job, {plan, time: p.stepTime(job.chip, job.shape, plan), memory: p.memoryUse(job.shape, plan)});
    };
    // The plans side by side: what differs from the fastest one is bold.
    const CUTS = {t: "tensor", c: "context", p: "pipeline", v: "interleave", d: "data", b: "microBatch"};
    const cutsOf = (plan) => [...Object.values(CUTS).map((cut) => String(plan[cut])), again[plan.recompute] ?? "nothing", plan.sharding === "full" ? "yes" : "no"];
    const candidates = (job, found) => {
      const fastest = cutsOf(found[0].plan);
      return table(["step", "plan", ...Object.keys(CUTS), "recomputed", "sharded", "MFU", "memory"], found.map(({plan, memory, seconds}) => {
        const mine = element("button", {type: "button", class: "hf-press", "aria-label": `Change ${p.shortName(plan)}`}, "change");
        mine.addEventListener("click", () => { set({...plan, by: "hand"}); form.elements.tensor.focus(); });
        const cuts = cutsOf(plan).map((words, i) => words === fastest[i] ? words : element("b", {}, words));
        return [duration(seconds), mine, ...cuts, percent(p.mfu(job.chip, job.shape, plan, seconds)), gib(p.memoryTotal(memory))];
      }));
    };
    const KEY = "The fastest plans. Bold: what differs from the first. t, c: ways to split tensors and tokens; p: pipeline stages; v: pieces of each; d: copies; b: micro-batch.";
    // The fastest plans; if there is none, the reason, and the nearest power of two of chips that has one.
    function* best(job) {
      const found = yield* p.search(job, 5), far = (chips) => Math.abs(Math.log(chips / job.chips)), {least} = found;
      if (found.length) return found;
      const why = least < Infinity ? `the smallest needs ${gib(least)} per chip, and a chip can use ${gib(p.usableMemory * job.chip.capacity)}`
        : `the model and the batch can’t be split evenly over ${job.chips} chips`;
      for (const chips of Array.from({length: 18}, (_, i) => 2 ** i).sort((a, b) => far(a) - far(b)))
        if ((chips > job.chips || least === Infinity) && (yield* p.search({...job, chips}, 1)).length)
          return `${why}. On ${digits(chips)} chips, one fits.`;
      return `${why}. No other number of chips helps.`;
    }
    // Searches in short slices; the table shows the plans found, even while the reader's own plan is shown above.
    const search = (job, then) => {
      const mine = ++latest, walk = best(job);
      box.setAttribute("aria-busy", true);
      const go = () => {
        if (mine !== latest) return;
        const until = performance.now() + SLICE;
        let step = walk.next();
        while (!step.done && performance.now() < until) step = walk.next();
        if (!step.done) return void setTimeout(go);
        box.setAttribute("aria-busy", false);
        then(step.value);
      };
      go();
    };
    const bySearch = (job) => {
      if (!fastest.map) return clear(`No plan fits: ${fastest}`);
      fill(fastest[0].plan);
      show(job, fastest[0]);
    };

    return (s) => {
      const {batch, sequence, chips} = s, chip = data.chips.find(({name}) => name === s.chip);
      const known = data.models.find(({name}) => name === s.model);
      if (known) fill({layers: known.layers, hidden: known.hidden, heads: known.heads});
      else if (s.hidden % s.heads) {
        [latest, asked] = [latest + 1, ""];
        box.setAttribute("aria-busy", false);
        return clear(`Heads: a width of ${s.hidden} can’t be split evenly over ${s.heads} heads.`);
      }
      const job = {chip, shape: known || p.gpt(s.layers, s.hidden, s.heads), chips, batch, sequence}, now = JSON.stringify(job);
      draw = () => { if (s.by === "hand") byHand(job, s); else if (fastest) bySearch(job); };
      if (now !== asked) {
        [asked, fastest] = [now, null];
        search(job, (found) => {
          fastest = found;
          more.replaceChildren(...found.map ? [element("p", {class: "hf-bar-title"}, KEY), candidates(job, found)] : []);
          draw();
        });
      }
      draw();
    };
  });
})();
