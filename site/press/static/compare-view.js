// Two machines in one figure: their drawings, on the same axes, and a sentence on what differs beyond the noise.
(() => {
  const {page, files, load, name, partners} = press.compare, arrived = {}, views = new Map();
  const made = (tag, content, more = {}) => {
    const element = Object.assign(document.createElement(tag), more);
    element.append(...[content].flat());
    return element;
  };
  press.pair = (of, pair, figures) => { if (of === page) arrived[pair] = figures; };

  const view = (place, button) => {
    const figure = place.closest("figure"), box = made("div", [], {className: "hf-beside", hidden: true});
    const choice = made("select", [], {hidden: true});
    let asked = 0;
    choice.setAttribute("aria-label", "compare with");
    box.setAttribute("aria-live", "polite");
    figure.querySelector("figcaption").before(box);
    button.after(" ", choice);

    const show = shown => {
      const {top} = button.getBoundingClientRect();
      box.hidden = !shown;
      figure.classList.toggle("hf-compared", shown);
      button.setAttribute("aria-expanded", shown);
      choice.hidden = !shown || choice.options.length < 2;
      scrollBy({top: button.getBoundingClientRect().top - top, behavior: "instant"});  // keeps the button in place
    };
    const panel = (slug, svg) => {
      const one = made("div", made("p", name(slug), {className: "hf-beside-name"}), {className: "hf-beside-one"});
      one.insertAdjacentHTML("beforeend", press.trusted.createHTML(svg));
      return one;
    };
    const open = async () => {
      const [base, others] = partners(place), before = choice.value, turn = ++asked;
      choice.replaceChildren(...others.map(slug => new Option(name(slug), slug)));
      if (others.includes(before)) choice.value = before;
      const other = choice.value, turned = !(`${base}+${other}` in files);
      const pair = turned ? `${other}+${base}` : `${base}+${other}`;
      await load(files[pair]);
      if (turn !== asked) return;
      const [first, second, words] = arrived[pair][place.dataset.figure];
      box.replaceChildren(panel(base, turned ? second : first), panel(other, turned ? first : second),
                          made("p", words, {className: "hf-beside-words"}));
      show(true);
    };
    choice.addEventListener("change", open);
    document.addEventListener("hf:machine", () => { if (!box.hidden) open(); });
    return () => {
      if (box.hidden) return open();
      asked++;
      show(false);
    };
  };

  press.toggleBeside = (place, button) => {
    if (!views.has(place)) views.set(place, view(place, button));
    return views.get(place)();
  };
})();
