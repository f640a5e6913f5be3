// The machine switcher, and the exchange of what the page's slots hold. Whoever decorates content listens to "hf:machine".
(() => {
  const {machines, variantOf, lackingMachine} = hardwareFirst, [first] = machines;
  const slots = [...document.querySelectorAll(".hf-slot")].sort((a, b) => a.dataset.slot - b.dataset.slot);
  // What has been shown before is kept as it was left: {slug: [nodes of each slot]}. The page came with the first machine's.
  const kept = {__proto__: null};
  // Whose content a slot shows for a machine: its own, or the first machine's where nothing differs.
  const owner = (html, slot) => typeof html[slot] === "string";

  const parsed = html => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.childNodes];
  };

  // The reader's place: the first block that begins below the header stays where it is.
  const place = () => {
    const top = document.querySelector(".hf-header")?.getBoundingClientRect().bottom ?? 0;
    const blocks = document.querySelectorAll("article h1, article h2, article h3, article p, article figure, article pre");
    return [...blocks].find(block => block.isConnected && !block.closest(".hf-slot") && block.getBoundingClientRect().top >= top);
  };

  let shown = {slug: first.slug, html: []}, asked;
  const exchange = (slug, html) => {
    const anchor = place(), before = anchor?.getBoundingClientRect().top;
    slots.forEach((slot, i) => {
      const from = owner(shown.html, i) ? shown.slug : first.slug, to = owner(html, i) ? slug : first.slug;
      if (from === to) return;
      (kept[from] ??= [])[i] = [...slot.childNodes];
      slot.replaceChildren(...((kept[to] ??= [])[i] ??= parsed(html[i])));
    });
    shown = {slug, html};
    if (anchor && scrollY) scrollBy({top: anchor.getBoundingClientRect().top - before, behavior: "instant"});
  };

  const tell = slug => {
    hardwareFirst.machine = slug;
    const {name} = machines.find(machine => machine.slug === slug);
    select.value = slug;
    document.dispatchEvent(new CustomEvent("hf:machine", {detail: {machine: slug, name}}));
  };

  // Shows a machine; a promise. Of several asked for in a row the last one stays.
  hardwareFirst.showMachine = async slug => {
    asked = slug;
    try {
      const html = await variantOf(slug);
      if (asked !== slug || shown.slug === slug) return;
      exchange(slug, html);
      tell(slug);
    } catch (error) {
      select.value = shown.slug;
      throw error;
    }
  };

  const remember = slug => {
    hardwareFirst.store("machine", slug);
    const address = new URL(location.href);
    if (!address.searchParams.has("machine")) return;
    address.searchParams.set("machine", slug);
    try { history.replaceState(history.state, "", address); } catch { /* a file's address stays as it is */ }
  };

  const select = document.createElement("select");
  const label = document.createElement("label"), words = document.createElement("span");
  words.textContent = "Numbers from";
  select.append(...machines.map(({slug, name}) => new Option(name, slug)));
  if (lackingMachine) {
    const short = name => name.split(/ Processor|,| in one /)[0], lacks = short(lackingMachine);
    select.options[0].label = select.title = `${short(first.name)}, for want of ${lacks}’${lacks.endsWith("s") ? "" : "s"}`;
  }
  select.addEventListener("change", () => {
    remember(select.value);
    select.options[0].label = first.name;
    select.title = "";
    hardwareFirst.showMachine(select.value).catch(() => {});  // the page stays as it was, and so does the choice shown
  });
  label.append(words, select);
  document.getElementById("hf-machine")?.append(label);

  const wanted = hardwareFirst.wantedMachine;
  if (wanted === first.slug) return;
  if (new URLSearchParams(location.search).get("machine") === wanted) remember(wanted);
  hardwareFirst.showMachine(wanted).catch(() => {}).finally(() => document.documentElement.classList.remove("hf-changing"));
})();
