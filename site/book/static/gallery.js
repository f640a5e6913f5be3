// Picks out the machine that the reader points at, or whose name has the focus, in the plot of all machines.
(() => {
  const plot = document.querySelector(".hf-together svg"), names = [...document.querySelectorAll(".hf-roof-names a")];
  if (!plot) return;
  const roofs = [...plot.querySelectorAll(".hf-roof")];
  const pick = (slug) => {
    for (const roof of roofs) roof.classList.toggle("hf-picked", roof.dataset.machine === slug);
    for (const name of names) name.classList.toggle("hf-picked", name.hash === `#machine-${slug}`);
    plot.append(...roofs.filter((roof) => roof.matches(".hf-picked")));  // on top
  };
  const point = ({target}) => {
    const named = names.find((name) => name.closest("li").contains(target))?.hash.slice("#machine-".length);
    const slug = target.closest(".hf-roof")?.dataset.machine ?? named;
    if (slug) pick(slug);
  };
  for (const type of ["pointerover", "focusin", "click"]) plot.closest(".hf-together").addEventListener(type, point);
  const follow = () => { if (roofs.some((roof) => roof.dataset.machine === press.machine)) pick(press.machine); };
  document.addEventListener("hf:machine", follow);
  pick(roofs.at(-1).dataset.machine);
  follow();
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
