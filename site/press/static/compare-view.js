// Two machines in one figure: their drawings, on the same axes, and a sentence on what differs beyond the noise.
(() => {
  const {made} = press, {page, files, name, partners} = press.compare, arrived = {}, views = new Map();
  press.pair = (of, pair, figures) => { if (of === page) arrived[pair] = figures; };

  const view = (place, button) => {
    const figure = place.closest("figure"), box = made("div", "hf-beside"), choice = made("select");
    let asked = 0;
    box.hidden = true;
    choice.setAttribute("aria-label", "compare with");
    box.setAttribute("aria-live", "polite");
    figure.querySelector("figcaption").before(box);

    // Opening brings the drawings into view; closing keeps the button in place.
    const show = shown => {
      const {top} = button.getBoundingClientRect();
      box.hidden = !shown;
      figure.classList.toggle("hf-compared", shown);
      button.setAttribute("aria-expanded", shown);
      button.textContent = shown ? "one machine" : "compare with";
      if (shown) figure.scrollIntoView({behavior: "instant"});
      else scrollBy({top: button.getBoundingClientRect().top - top, behavior: "instant"});
    };
    const panel = (title, svg) => {
      const one = made("div", "hf-beside-one", made("p", "hf-beside-name", title));
      one.insertAdjacentHTML("beforeend", press.trusted.createHTML(svg));
      return one;
    };
    const open = async () => {
      const [base, others] = partners(place), before = choice.value, turn = ++asked;
      choice.replaceChildren(...others.map(slug => new Option(name(slug), slug)));
      if (others.includes(before)) choice.value = before;
      const other = choice.value, turned = !(`${base}+${other}` in files);
      const pair = turned ? `${other}+${base}` : `${base}+${other}`;
      await press.load(files[pair]);
      if (turn !== asked) return;
      const [first, second, words] = arrived[pair][place.dataset.figure];
      box.replaceChildren(panel(name(base), turned ? second : first),
                          panel(others.length > 1 ? choice : name(other), turned ? first : second),
                          made("p", "hf-beside-words", words));
      if (box.hidden) show(true);
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
