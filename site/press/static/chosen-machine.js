// Decides before the first paint which machine's numbers the page shows: the address's (?machine=SLUG), else the one that the
// reader chose before, else the page's default, which also replaces a machine that has not measured the chapter. The parts that
// differ on another machine come as a script, since a page opened from a file can load nothing else; until it arrives, the
// article is laid out but hidden.
(() => {
  const {page, machines, others} = document.currentScript.dataset;
  const list = JSON.parse(machines), known = slug => list.some(machine => machine.slug === slug);
  const lacking = {__proto__: null, ...JSON.parse(others)};  // a machine may be called "constructor"
  const asked = new URLSearchParams(location.search).get("machine"), remembered = press.stored("machine");
  const chosen = [asked, remembered].find(slug => known(slug) || slug in lacking) ?? "here";
  const wanted = known(chosen) ? chosen : list[0].slug;

  const arrived = {__proto__: null};
  press.machines = list;
  press.shortNames = {...lacking, ...Object.fromEntries(list.map(({slug, short}) => [slug, short]))};
  press.machine = list[0].slug;
  press.wantedMachine = wanted;
  press.lackingMachine = lacking[chosen];  // its short name
  press.variant = (of, slug, html) => { if (of === page) arrived[slug] = html; };
  // A promise of [html or null for each slot]; of an empty list if the machine's page is the default.
  press.variantOf = async slug => {
    const {file} = list.find(machine => machine.slug === slug);
    if (file) await press.load(file);
    return arrived[slug] ?? [];
  };

  if (wanted === list[0].slug) return;
  const {classList} = document.documentElement;
  classList.add("hf-changing");
  setTimeout(() => classList.remove("hf-changing"), 3000);  // in case machine-switcher.js never loads
  press.variantOf(wanted).catch(() => {});
})();
