// The price of a language model: its weights, bytes, FLOPs and KV cache, and what each machine makes of them.
(() => {
  const p = press.price, {bar, element, table} = press.make, {digits, scaled} = press.format;
  const FORMATS = [[16, "16 bits"], [8.5, "8 bits, 8.5 with scales"], [4.5, "4 bits, 4.5 with scales"]];
  const parts = {attention: ["attention", "memory"], ffn: ["feed-forward", "memory-2"], table: ["output table", "memory-3"],
                 cache: ["KV cache", "purple"]};
  const BATCHES = "–: the weights don’t fit. c: from this batch on, the caches outweigh the weights; elsewhere, from this batch on, " +
    "arithmetic takes as long as the delivery. Caches, norms and biases have 16 bits. " +
    "The wires between several machines are left out: chapter 05 says what they cost.";
  const MISSES = "Tokens per second that chapter 06 measured after 100 tokens. The memory of these virtual machines changes its " +
    "speed, so chapter 01’s bandwidth can miss; lab 06 measured it again beside the model, and added the time between products.";
  const rounded = (value) => value >= 1e6 ? scaled(value, "").trim() : digits(Number(value.toPrecision(3)));
  const many = (count) => count < 1e9 ? `${digits(count / 1e6)} million` : `${digits(count / 1e9)} billion`;
  const note = (words) => element("p", {class: "hf-note"}, words);
  const list = (names) => names.length > 6 ? `${names.slice(0, 6).join(", ")} and ${names.length - 6} more` : names.join(", ");

  const bars = (shape, context) => {
    const read = Object.entries(p.parts(shape)).map(([part, count]) => [part, p.bytes(count, 16)]);
    const values = Object.fromEntries([...read, ["cache", p.cache(shape, context)]]), all = p.delivery(shape, 16, context);
    return bar(`Read for a token in 16 bits: ${scaled(all, "B")}`,
               Object.entries(parts).map(([part, [name, colour]]) => [name, values[part], colour]), all, all);
  };
  const words = ({shape, left, guessed}, known, context) => {
    const source = known && element("a", {href: `https://${known.source}`}, many(1e9 * known.weights));
    const published = known ? [" (published: ", source, ")"] : [];
    return [`${known?.called ?? "This model"} has ${many(p.numbers(p.weights(shape)))} weights`, ...published,
      `. A token goes through ${many(p.numbers(p.active(shape)))} of them and takes ${scaled(p.flops(shape, context), "FLOP")}. ` +
      `It adds ${scaled(p.cachePerToken(shape), "B")} to the KV cache, which takes ` +
      `${scaled(p.cache(shape, context), "B")} for this context.` +
      (shape.positions && shape.positions < context ? ` Its table of positions ends at ${shape.positions}.` : "") +
      (guessed ? ` Its family (model_type: ${guessed}) isn’t known, so it is counted as a Llama.` : "") +
      (left.length ? ` Not counted: ${list(left)}.` : "")];
  };

  const formats = (shape, context) => table(["weights in", "stored", "read for a token", "with the cache", "FLOP/byte"],
    FORMATS.map(([bits, name]) => {
      const all = p.delivery(shape, bits, context);
      return [name, scaled(p.bytes(p.weights(shape), bits), "B"), scaled(p.bytes(p.active(shape), bits), "B"), scaled(all, "B"),
              rounded(p.flops(shape, context) / all)];
    }));

  // A row of each machine; a number that isn't known, or that a model which doesn't fit can't have, is a dash.
  const cells = (chip, shape, context) => {
    const each = (cell) => FORMATS.map(([bits]) => chip.peak && chip.bandwidth && chip.capacity ? cell(bits) : "–");
    const fitting = (cell) => each((bits) => p.fits(chip, shape, bits) ? cell(bits) : "–");
    return [fitting((bits) => rounded(p.tokens(chip, shape, bits, context))),
      fitting((bits) => {
        const {batch, by} = p.turn(chip, shape, bits, context);
        return by === "caches" ? [rounded(batch), element("abbr", {title: "caches outweigh the weights"}, "c")] : rounded(batch);
      }),
      each((bits) => rounded(p.users(chip, shape, bits, context)))];
  };
  const joined = (all, count) => all.map((chip) => ({
    ...chip, name: count > 1 ? `${count} × ${chip.name}` : chip.name,
    ...Object.fromEntries(["peak", "bandwidth", "capacity"].map((roof) => [roof, chip[roof] && count * chip[roof]])),
  }));
  const machines = (all, shape, context) => {
    const titles = ["tokens per second, one user", "batch where weights stop deciding", "users that fit"];
    const heads = titles.map((title) => element("th", {colspan: 3, scope: "colgroup"}, title));
    const bits = titles.flatMap(() => FORMATS.map(([, name]) => element("th", {scope: "col"}, name.split(" ")[0])));
    const numbers = (chip) => cells(chip, shape, context)
      .flatMap((three) => three.map((cell, i) => element("td", i ? {} : {class: "hf-first"}, cell)));
    const group = (kind, title) => element("tbody", {class: `hf-${kind}`}, [
      element("tr", {}, element("th", {colspan: 10, scope: "rowgroup"}, title)),
      ...all.filter((chip) => chip.kind === kind)
        .map((chip) => element("tr", {}, [element("th", {scope: "row"}, chip.name), ...numbers(chip)]))]);
    return element("div", {class: "hf-scroll hf-priced", tabindex: 0, role: "group", "aria-label": "the machines"},
      element("table", {}, [
        element("thead", {}, [element("tr", {}, [element("th", {rowspan: 2}, "machine"), ...heads]), element("tr", {}, bits)]),
        group("measured", "Measured"), group("quoted", "Quoted from their makers")]));
  };

  // Chapter 06's model as this page predicts it, from chapter 01's bandwidth, and as its lab did, from one measured beside it.
  const heldAgainst = (all, {shape}) => {
    const row = (name, chip, predicted) => [name, ...FORMATS.map(([bits]) => {
      const wanted = predicted(bits), measured = chip.wrote.tokens[bits];
      return wanted && measured ? `${rounded(wanted)} ÷ ${rounded(measured)} = ${rounded(wanted / measured)}` : "–";
    })];
    return table(["GPT-2 small, predicted ÷ measured", ...FORMATS.map(([, name]) => name.split(",")[0])],
      all.filter(({wrote}) => wrote).flatMap((chip) => [
        row(chip.name, chip, (bits) => p.tokens(chip, shape, bits, chip.wrote.context)),
        row("with lab 06’s own bandwidth", chip, (bits) => chip.wrote.predicted[bits])]));
  };

  const dropped = (field) => {
    field.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
    field.addEventListener("drop", async (event) => {
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      field.value = await file.text();
      field.dispatchEvent(new Event("input", {bubbles: true}));
    });
  };

  press.widget("price", ({form, shown, more, said, data}) => {
    const known = new Map(data.models.map((model) => [model.name, model])), select = form.elements.model;
    const field = form.querySelector("textarea"), understood = (model) => p.understand(JSON.stringify(model.config));
    select.append(...data.models.map(({name, called}) => new Option(called, name)), new Option("the text below", "own"));
    select.value = data.first;
    field.addEventListener("input", () => { select.value = "own"; }); // before the form hears of it
    dropped(field);
    const check = heldAgainst(data.machines, understood(known.get("gpt2")));
    let last = "";
    return ({model, context, together}) => {
      if (model !== last && known.has(model)) field.value = JSON.stringify(known.get(model).config, null, 1);
      last = model;
      let found, problem = "";
      try { found = p.understand(field.value); } catch (error) { problem = error.message; }
      field.setAttribute("aria-invalid", Boolean(problem));
      for (const part of [shown, more]) part.classList.toggle("hf-old", Boolean(problem));
      if (problem) { said.textContent = problem; return; }
      const {shape} = found;
      shown.replaceChildren(...bars(shape, context));
      said.replaceChildren(...words(found, known.get(model), context));
      more.replaceChildren(formats(shape, context), machines(joined(data.machines, together), shape, context),
        note(BATCHES), check, note(MISSES));
    };
  });
})();
