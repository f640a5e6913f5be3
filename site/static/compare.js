// Two machines in one figure: a button at the figure loads the pair's drawings, on the same axes, and a sentence on what
// differs beyond the noise.
(() => {
  const {page, pairs} = document.currentScript.dataset, files = JSON.parse(pairs), arrived = {}, loading = {};
  const name = slug => hardwareFirst.machines.find(machine => machine.slug === slug).name;
  const made = (tag, content, more = {}) => {
    const element = Object.assign(document.createElement(tag), more);
    element.append(...[content].flat());
    return element;
  };

  hardwareFirst.pair = (of, pair, figures) => { if (of === page) arrived[pair] = figures; };
  const load = pair => loading[pair] ??= new Promise((resolve, reject) => {
    const script = made("script", [], {src: files[pair]});
    script.addEventListener("load", () => resolve(arrived[pair]));
    script.addEventListener("error", () => { delete loading[pair]; reject(new Error(`${files[pair]} did not load`)); });
    document.head.append(script);
  });

  // Whose figure it is on the page, and whom it can stand beside.
  const partners = place => {
    const couples = place.dataset.pairs.split(" ").map(pair => pair.split("+"));
    const slugs = [...new Set(couples.flat())];
    const base = slugs.includes(hardwareFirst.machine) ? hardwareFirst.machine : slugs[0];
    return [base, couples.filter(pair => pair.includes(base)).map(pair => pair.find(slug => slug !== base))];
  };

  for (const place of document.querySelectorAll(".hf-compare")) {
    const figure = place.closest("figure"), box = made("div", [], {className: "hf-beside", hidden: true});
    const button = made("button", [], {type: "button"}), choice = made("select", [], {hidden: true});
    choice.setAttribute("aria-label", "beside which machine");
    let asked = 0;

    const close = () => {
      asked++;
      box.hidden = true;
      figure.classList.remove("hf-compared");
      button.setAttribute("aria-expanded", "false");
      choice.hidden = true;
    };
    const offer = () => {
      const [, others] = partners(place), before = choice.value;
      choice.replaceChildren(...others.map(slug => new Option(name(slug), slug)));
      if (others.includes(before)) choice.value = before;
      button.textContent = others.length === 1 ? `beside ${name(others[0])}` : "beside another machine";
    };
    const open = async () => {
      const [base, others] = partners(place), turn = ++asked, pair = [`${base}+${choice.value}`, `${choice.value}+${base}`];
      const which = pair.find(each => each in files);
      const [first, second, words] = (await load(which))[place.dataset.figure];
      if (turn !== asked) return;
      const [left, right] = which === pair[0] ? [first, second] : [second, first];
      const panel = (slug, svg) => {
        const drawn = made("div", made("p", name(slug), {className: "hf-beside-name"}), {className: "hf-beside-one"});
        drawn.insertAdjacentHTML("beforeend", svg);
        return drawn;
      };
      box.replaceChildren(panel(base, left), panel(choice.value, right), made("p", words, {className: "hf-beside-words"}));
      box.hidden = false;
      figure.classList.add("hf-compared");
      button.setAttribute("aria-expanded", "true");
      choice.hidden = others.length < 2;
    };

    box.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => box.hidden ? open() : close());
    choice.addEventListener("change", open);
    document.addEventListener("hf:machine", () => { offer(); if (!box.hidden) open(); });
    figure.querySelector("figcaption").before(box);
    place.append(" · ", button, " ", choice);
    close();
    offer();
  }
})();
