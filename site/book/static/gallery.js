// Picks out the machine that the reader points at, or whose name has the focus, in the plot of all machines.
(() => {
  const together = document.querySelector(".hf-together"), plot = together?.querySelector("svg");
  if (!plot) return;
  const all = (what) => [...together.querySelectorAll(what)];
  const pick = (slug) => {
    for (const roof of all(".hf-roof")) roof.classList.toggle("hf-picked", roof.dataset.machine === slug);
    for (const name of all(".hf-roof-names a")) name.classList.toggle("hf-picked", name.hash === `#machine-${slug}`);
    plot.append(...all(".hf-roof.hf-picked"));  // on top
  };
  const point = ({target}) => {
    const named = target.closest(".hf-roof-names li")?.querySelector("a").hash.slice("#machine-".length);
    const slug = target.closest(".hf-roof")?.dataset.machine ?? named;
    if (slug) pick(slug);
  };
  for (const type of ["pointerover", "focusin", "click"]) together.addEventListener(type, point);
  const follow = () => { if (all(".hf-roof").some((roof) => roof.dataset.machine === press.machine)) pick(press.machine); };
  document.addEventListener("hf:machine", follow);
  pick(all(".hf-roof").at(-1).dataset.machine);
  follow();

  // Finds machines that the page does not show, and adds their names, roofs and cards; they come in a file.
  const form = document.querySelector(".hf-machine-search"), file = document.querySelector("script[data-later]")?.dataset.later;
  if (!form || !file) return;
  const [field, kind] = form.querySelectorAll("input, select"), output = form.querySelector("output"), MOST = 12;
  let others = [], added = [];
  press.later = (of, list) => { others = list; };
  const parsed = (html) => {
    const template = document.createElement("template");
    template.innerHTML = press.trusted.createHTML(html);
    return template.content;
  };
  const show = async () => {
    await press.load(file);
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = others.filter(([, , of, text]) => (!kind.value || of === kind.value) && words.every((word) => text.includes(word)));
    for (const each of added) each.remove();
    const asked = words.length || kind.value, first = asked ? found.slice(0, MOST) : [];
    const roofs = [...parsed(`<svg>${found.map((each) => each[5]).join("")}</svg>`).firstChild.children];
    const names = first.map(([slug, short, of]) => press.made("li", "", Object.assign(press.made("a", "", short), {href: `#machine-${slug}`}),
      press.made("span", "hf-kind", of)));
    const cards = [...parsed(first.map((each) => each[4]).join("")).children];
    added = [...roofs, ...names, ...cards];
    plot.querySelector(".hf-axes").after(...roofs);  // behind the page's own
    document.querySelector(".hf-roof-names").append(...names);
    document.querySelector(".hf-machine-cards").prepend(...cards);
    output.textContent = `${found.length} of ${others.length} more${found.length > MOST ? `; the first ${MOST} are listed` : ""}`;
  };
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("focus", show, {once: true});
})();

// Compares two machines: their roofs in one drawing, their values in one table. The address holds the choice.
(() => {
  const box = document.querySelector(".hf-compare-two");
  if (!box) return;
  const data = JSON.parse(box.querySelector("script").textContent), {machines} = data;
  const make = (tag, words = "", more = {}) => Object.assign(document.createElement(tag), {textContent: words, ...more});
  const times = (ratio) => `${ratio < 100 ? ratio.toPrecision(2) : Math.round(ratio)}×`;

  const picks = ["with", "and"].map((word, i) => {
    const label = make("label", i ? "and " : "Compare "), pick = make("select");
    machines.forEach(({name}, number) => pick.append(make("option", name, {value: number})));
    pick.addEventListener("change", () => { show(); address(); });
    label.append(pick);
    return {label, pick};
  });
  const chosen = () => picks.map(({pick}) => machines[pick.value]);

  const picture = (pair) => {
    const drawn = pair.map((machine, i) => {
      const dots = machine.dots.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3"/>`).join("");
      return `<g class="hf-pair-${i}"><path class="hf-one" d="${machine.one}"/><path class="hf-all" d="${machine.all}"/>${dots}</g>`;
    });
    return `<svg class="hf-roofs" translate="no" viewBox="0 0 ${data.width} ${data.height}" role="img"
      aria-label="The rooflines of both machines">
      ${data.grid}${drawn.join("")}</svg>`;
  };

  const table = (pair) => {
    const made = make("table", "", {className: "hf-table"}), head = made.createTHead().insertRow(), body = made.createTBody();
    for (const words of ["", ...pair.map(({name}) => name), "second ÷ first"]) head.append(words ? make("th", words, {scope: "col"}) : make("td"));
    pair.forEach((_, i) => head.cells[i + 1].classList.add(`hf-pair-${i}`));
    data.labels.forEach((label, i) => {
      const [a, b] = pair.map(({values}) => values[i]);
      const row = body.insertRow(), ratio = a.length && b.length && a[0] > 0 ? times(b[0] / a[0]) : "–";
      row.append(make("th", label, {scope: "row"}));
      for (const words of [a[1] || "–", b[1] || "–", ratio]) row.insertCell().textContent = words;
    });
    return made;
  };

  const result = make("div", "", {className: "hf-pair"});
  const show = () => {
    const pair = chosen(), scroll = make("div", "", {className: "hf-scroll"});
    scroll.append(table(pair));
    result.innerHTML = press.trusted.createHTML(picture(pair));
    result.append(scroll);
  };
  const address = () => press.address({compare: chosen().map(({slug}) => slug).join(",")});

  const asked = (new URL(location).searchParams.get("compare") || "").split(",");
  picks.forEach(({pick}, i) => {
    const found = machines.findIndex(({slug}) => slug === asked[i]);
    pick.value = found < 0 ? i : found;
  });
  const bar = make("p");
  bar.append(...picks.map(({label}) => label));
  box.append(bar, result);
  box.hidden = false;
  show();
})();
