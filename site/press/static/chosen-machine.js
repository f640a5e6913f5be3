// Decides before the first paint which machine's numbers the page shows: the address's (?machine=SLUG), else the one that the
// reader chose before, else the page's default, which also replaces a machine that has not measured the chapter. The parts that
// differ on another machine come as a script, since a page opened from a file can load nothing else; until it arrives, the
// article is laid out but hidden. The machines that the page itself does not list come as a script too, and only when needed.
(() => {
  const {page, machines, rest} = document.currentScript.dataset;
  const list = JSON.parse(machines), known = slug => list.some(machine => machine.slug === slug);
  // A machine may be called "constructor".
  const lacking = {__proto__: null}, arrived = {__proto__: null};
  press.machines = list;
  press.machine = press.wantedMachine = list[0].slug;
  press.nameOf = slug => list.find(machine => machine.slug === slug)?.short;
  // The other machines: [slug, name, short name, file with its parts, or why it has none].
  press.rest = (of, others) => {
    if (of !== page) return;
    for (const [slug, name, short, file, why] of others) {
      if (file) list.push({slug, name, short, file});
      else lacking[slug] = why;
    }
  };
  press.loadRest = () => press.load(rest);
  press.variant = (of, slug, html) => { if (of === page) arrived[slug] = html; };
  // A promise of [html or null for each slot]; of an empty list if the machine's page is the default.
  press.variantOf = async slug => {
    const {file} = list.find(machine => machine.slug === slug);
    if (file) await press.load(file);
    return arrived[slug] ?? [];
  };

  const wishes = [new URLSearchParams(location.search).get("machine"), press.stored("machine"), "here"].filter(slug => slug !== null);
  // Also finds out why the page shows another machine's numbers than the chosen one's.
  const decide = () => {
    const chosen = wishes.find(slug => known(slug) || slug in lacking);
    press.wantedMachine = known(chosen) ? chosen : list[0].slug;
    press.lacks = lacking[chosen];
  };
  if (known(wishes[0]) || !rest || wishes.length === 1) decide();
  else press.decided = press.loadRest().catch(() => {}).then(decide);

  if (press.wantedMachine === list[0].slug && !press.decided) return;
  const {classList} = document.documentElement;
  classList.add("hf-changing");
  setTimeout(() => classList.remove("hf-changing"), 3000);  // in case machine-switcher.js never loads
  Promise.resolve(press.decided).then(() => press.variantOf(press.wantedMachine)).catch(() => {});
})();
