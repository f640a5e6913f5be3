// The machine switcher, which exchanges the contents of the page's slots. Scripts that decorate content listen to "hf:machine".
(() => {
  const {machines, variantOf} = press, [first] = machines;
  let shown = true;  // whether the reader has seen another machine's page, so that a change is tinted and counted
  const slots = [...document.querySelectorAll(".hf-slot")].sort((a, b) => a.dataset.slot - b.dataset.slot);
  // Contents shown before are kept as the reader left them: {slug: [nodes of each slot]}. The page starts with the first machine's.
  const kept = {__proto__: null}, holds = slots.map(() => first.slug);  // the machine whose content each slot has
  // Whether a slot has content of its own for a machine; otherwise it shows the first machine's.
  const owner = (html, slot) => typeof html[slot] === "string";

  const parsed = html => {
    const template = document.createElement("template");
    template.innerHTML = press.trusted.createHTML(html);
    return [...template.content.childNodes];
  };

  // The reader's place: the first block that begins below the header stays where it is. Folded content is skipped, because asking
  // for its position would force its layout.
  const FOLDED = "details:not([open]) *";
  const place = () => {
    const top = document.querySelector(".hf-header")?.getBoundingClientRect().bottom ?? 0;
    const blocks = document.querySelectorAll("article :is(h1, h2, h3, p, figure, pre)");
    return [...blocks].find(block => !block.matches(`.hf-slot *, ${FOLDED}`) && block.getBoundingClientRect().top >= top);
  };

  // What is tinted and counted when it changes.
  const PARTS = {number: ".hf-number, .hf-fact, .hf-observed", figure: "svg.hf-figure", verdict: ".hf-verdict"};
  const TINT = "color-mix(in srgb, var(--hf-blue) 45%, transparent)";
  const texts = slot => Object.values(PARTS).map(part => [...slot.querySelectorAll(part)].map(each => each.textContent));
  const tint = (slot, before) => {
    Object.entries(PARTS).forEach(([name, part], of) => slot.querySelectorAll(part).forEach((each, i) => {
      if (each.textContent === before[of][i]) return;
      changed[name] += 1;
      if (shown) each.animate(name === "figure" ? {opacity: [.2, 1]} : {backgroundColor: [TINT, "transparent"]}, 500);
    }));
  };

  const exchange = (some, slug, html) => {
    const anchor = place(), before = anchor?.getBoundingClientRect().top;
    for (const slot of some) {
      const i = slot.dataset.slot, from = holds[i], to = owner(html, i) ? slug : first.slug;
      if (from === to) continue;
      const before = texts(slot);
      (kept[from] ??= [])[i] = [...slot.childNodes];
      slot.replaceChildren(...((kept[to] ??= [])[i] ??= parsed(html[i])));
      holds[i] = to;
      tint(slot, before);
    }
    if (anchor && scrollY) scrollBy({top: anchor.getBoundingClientRect().top - before, behavior: "instant"});
  };

  // The order of an exchange: first the slots on or near the screen; once those are painted, the others, a few at a time; last the
  // slots that an open question hides, because they are hidden again only after "hf:machine".
  const FEW = 60;
  const slices = () => {
    if (document.documentElement.classList.contains("hf-changing")) return [slots];
    const near = slot => {
      const {top, bottom} = (slot.firstElementChild ?? slot.parentElement).getBoundingClientRect();
      return bottom > -innerHeight && top < 2 * innerHeight;
    };
    const turns = slots.map(slot =>
      slot.querySelector(".hf-blank, .hf-folded, .hf-telling") ? "last" : !slot.matches(FOLDED) && near(slot) ? "soon" : "later");
    const of = turn => slots.filter((_, i) => turns[i] === turn), later = of("later");
    const few = Array.from({length: Math.ceil(later.length / FEW)}, (_, i) => later.slice(i * FEW, (i + 1) * FEW));
    return [of("soon"), ...few, of("last")];
  };
  const painted = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));

  const tell = slug => {
    press.machine = slug;
    const {name} = machines.find(machine => machine.slug === slug);
    choose(slug);
    if (shown) say();
    shown = true;
    document.dispatchEvent(new CustomEvent("hf:machine", {detail: {machine: slug, name}}));
  };

  // Shows a machine; returns a promise. Of several requests in a row, the last one wins.
  let asked, turn = 0, changed;
  press.showMachine = async slug => {
    asked = slug;
    try {
      const html = await variantOf(slug);
      if (asked !== slug) return;
      changed = {number: 0, figure: 0, verdict: 0};
      const own = ++turn, [soon, ...later] = slices();
      exchange(soon, slug, html);
      for (const some of later) {
        await painted();
        if (own !== turn) return;
        exchange(some, slug, html);
      }
      tell(slug);
    } catch (error) {
      choose(press.machine);
      throw error;
    }
  };

  const remember = slug => {
    press.store("machine", slug);
    if (new URLSearchParams(location.search).has("machine")) press.address({machine: slug});
  };

  // The list has full names. It lies unseen over the short name of the chosen one, whose width is the same on every page.
  const [label, words, chosen, brief] = ["label", "span", "span", "span"].map(tag => document.createElement(tag));
  const select = document.createElement("select");
  const choose = slug => {
    select.value = slug;
    select.dispatchEvent(new Event("input"));
  };
  press.chooser = select;
  select.append(...machines.map(({slug, name}) => new Option(name, slug)));
  select.setAttribute("aria-label", "Numbers from");
  select.addEventListener("input", () => { brief.textContent = press.nameOf(select.value) ?? ""; });
  select.addEventListener("change", () => {
    remember(select.value);
    press.showMachine(select.value).catch(() => {});  // the page stays as it was, and so does the choice shown
  });
  words.textContent = "Numbers from";
  words.setAttribute("role", "status");
  brief.setAttribute("aria-hidden", "true");
  chosen.className = "hf-chosen";
  chosen.append(select, brief);
  label.append(words, chosen);
  choose(first.slug);

  let timer;
  const say = () => {
    const counts = Object.entries(changed).flatMap(([name, count]) => count ? `${count} ${name}${count > 1 ? "s" : ""}` : []);
    words.textContent = `${new Intl.ListFormat("en-GB").format(counts) || "Nothing on this page"} changed`;
    clearTimeout(timer);
    timer = setTimeout(() => { words.textContent = "Numbers from"; }, 5000);
  };
  const box = document.getElementById("hf-machine");
  if (box) {
    const header = box.parentElement, after = box.nextElementSibling, narrow = matchMedia("(max-width: 47.99rem)");
    const settle = () => narrow.matches ? document.querySelector("main").prepend(box) : header.insertBefore(box, after);
    narrow.addEventListener("change", settle);
    settle();
    box.append(label);
  }

  const begin = async () => {
    const {wantedMachine: wanted, lacks: why} = press;
    if (why) words.textContent = `${why}; numbers from`;
    if (wanted === first.slug) return;
    shown = false;
    if (new URLSearchParams(location.search).get("machine") === wanted) remember(wanted);
    await press.showMachine(wanted).catch(() => {});
  };
  const visible = () => document.documentElement.classList.remove("hf-changing");
  if (press.decided) press.decided.then(begin).finally(visible);
  else begin().finally(visible);
})();
