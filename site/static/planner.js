// The planner, live: a step of a transformer's training on many chips; the fastest plans that fit, or the reader's own.
(() => {
  const hf = window.hardwareFirst, p = hf.planner, {bar, element, table} = hf.make, {digits, duration, percent} = hf.format;
  const GiB = 1024 ** 3, SLICE = 12; // ms of searching between two looks at the page
  const spent = {arithmetic: ["arithmetic", "blue"], memory: ["memory", "orange"], tensor: ["tensor links", "green"],
                 network: ["network", "purple"], bubble: ["bubble", "grey"]};
  const held = {weights: ["weights", "blue"], gradients: ["gradients", "orange"], optimizer: ["optimiser", "purple"],
                activations: ["activations", "green"]};
  const again = {none: "nothing", selective: "attention", full: "everything"};
  const gib = (bytes) => `${digits(bytes / GiB)}\u00a0GiB`;

  const list = (select, choices) => select.append(...choices.map(({name, called}) => new Option(called, name)));

  hf.widget("planner", ({box, form, shown, said, data, set}) => {
    p.use(data);
    list(form.elements.chip, data.chips);
    list(form.elements.model, [...data.models, {name: "own", called: "a GPT of your own"}]);
    [form.elements.chip.value, form.elements.model.value] = ["h100", "llama3-70b"];
    const bars = element("div"), rows = element("div");
    shown.append(bars, rows);
    let latest = 0;

    const parts = (values, names) => Object.entries(names).map(([kind, [name, colour]]) => [name, values[kind], colour]);
    const show = (job, {plan, time, memory}) => {
      const seconds = p.total(time), bytes = p.memoryTotal(memory), {capacity} = job.chip;
      bars.replaceChildren(...bar(`A step, ${duration(seconds)}`, parts(time, spent), seconds, seconds),
        ...bar(`A chip’s memory, ${gib(bytes)} of ${gib(capacity)}`, parts(memory, held),
               Math.max(bytes, capacity), capacity));
      const share = p.mfu(job.chip, job.shape, plan, seconds), each = plan.batch * plan.sequence / seconds / job.chips;
      said.textContent = `${p.shortName(plan)}: ${duration(seconds)} a step, MFU ${percent(share)}, ` +
        `${digits(each)} tokens a second and chip. ` +
        `Most of a step is ${spent[p.whatLimits(time)][0]}.` +
        (bytes > capacity ? ` Does not fit: ${gib(bytes)} of ${gib(capacity)}; cut more, or compute more again.` : "");
    };
    const done = (list) => {
      rows.replaceChildren(...list);
      rows.classList.toggle("hf-plans", list.length > 0);
      box.setAttribute("aria-busy", false);
    };
    const clear = (words) => { bars.replaceChildren(); done([]); said.textContent = words; };

    const byHand = (job, s) => {
      const data = job.chips / (s.tensor * s.context * s.pipeline * s.pods);
      const plan = {...p.defaults, ...s, data};
      const problem = Number.isInteger(data) ? p.complaint(plan, job.shape)
        : `Tensor × context × pipeline × pods do not divide the chips, ${job.chips}.`;
      if (problem) return clear(problem);
      done([]);
      show(job, {plan, time: p.stepTime(job.chip, job.shape, plan), memory: p.memoryUse(job.shape, plan)});
    };
    const candidates = (job, found) => table(["plan: press to change", "step", "MFU", "memory", "micro-batch", "computed again"],
      found.map(({plan, memory, seconds}) => {
        const name = p.shortName(plan);
        const mine = element("button", {type: "button", class: "hf-press", "aria-label": `Change ${name}`}, name);
        mine.addEventListener("click", () => { set({...plan, by: "hand"}); form.elements.tensor.focus(); });
        return [mine, duration(seconds), percent(p.mfu(job.chip, job.shape, plan, seconds)),
                gib(p.memoryTotal(memory)), plan.microBatch, again[plan.recompute]];
      }));
    // The fastest plans; where there is none, why, and the nearest power of two of chips that has one.
    function* best(job) {
      const found = yield* p.search(job, 8), far = (chips) => Math.abs(Math.log(chips / job.chips)), {least} = found;
      if (found.length) return found;
      const why = least < Infinity ? `the smallest needs ${gib(least)}, and a chip has ${gib(p.usableMemory * job.chip.capacity)}`
        : `${job.chips} chips do not divide model and batch`;
      for (const chips of Array.from({length: 18}, (_, i) => 2 ** i).sort((a, b) => far(a) - far(b)))
        if ((chips > job.chips || least === Infinity) && (yield* p.search({...job, chips}, 1)).length)
          return `${why}. With ${digits(chips)} chips one does.`;
      return `${why}. None does with other chips either.`;
    }
    const bySearch = (job) => {
      const mine = ++latest, walk = best(job);
      rows.classList.add("hf-plans"); // keeps their place
      box.setAttribute("aria-busy", true);
      const go = () => {
        if (mine !== latest) return;
        const until = performance.now() + SLICE;
        let step = walk.next();
        while (!step.done && performance.now() < until) step = walk.next();
        if (!step.done) return void setTimeout(go);
        if (!step.value.map) return clear(`No plan fits: ${step.value}`);
        done([candidates(job, step.value)]);
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
