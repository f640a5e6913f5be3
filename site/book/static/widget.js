// Shared by the book's calculators: a form made from a template, its state in the address, number formats, and SVG. A calculator
// calls widget(name, start); start(parts) returns draw(state), which is called after every change and draws into `shown`, above the
// form, and `more`, below it.
(() => {
  // ---- Numbers ----
  // Three digits of measured numbers, all digits of counts; rounds like site/press/measurements/quantity.py.
  const digits = (value) => value.toLocaleString("en", {
    maximumSignificantDigits: Number.isInteger(value) ? 21 : 3, roundingMode: "halfEven", useGrouping: "min2",
  }).replace("-", "\u2212");
  // 1.2e9 and "B" are "1.2 GB"; three digits.
  const scaled = (value, unit) => {
    if (value === 0) return `0\u00a0${unit}`;
    const step = Math.min(Math.max(Math.floor(Math.log10(Number(value.toPrecision(3))) / 3), -4), 6);
    const prefix = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"][step + 4];
    return `${digits(value / 1000 ** step)}\u00a0${prefix}${unit}`;
  };
  const duration = (seconds) => {
    const [name, length] = [["years", 31557600], ["days", 86400], ["h", 3600], ["min", 60]]
      .find(([, length]) => seconds >= 2 * length) || [];
    return name ? `${digits(seconds / length)}\u00a0${name}` : scaled(seconds, "s");
  };
  const percent = (share) => `${Number((100 * share).toPrecision(share < .1 ? 2 : 3))}%`;

  // ---- Elements ----
  const fill = (made, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...[children].flat());
    return made;
  };
  const element = (tag, attributes = {}, children = []) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, children = []) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    return fill(made, tag === "svg" ? {translate: "no", ...attributes} : attributes, children);
  };
  const table = (head, rows) => {
    const row = (cells, tag) => element("tr", {}, cells.map((cell, i) => element(i ? tag : cell ? "th" : "td", {}, cell)));
    return element("div", {class: "hf-scroll", tabindex: 0, role: "group", "aria-label": "the numbers"}, element("table", {}, [
      ...(head ? [element("thead", {}, row(head, "th"))] : []), element("tbody", {}, rows.map((cells) => row(cells, "td")))]));
  };

  // A bar of parts [name, value, colour], as shares of `whole`; below it a legend with shares of `of`. The legend also lists
  // empty parts, so that nothing below it moves.
  const bar = (title, parts, whole, of) => {
    const box = element("div", {class: "hf-bar", "aria-hidden": true}, parts.map(([, value, colour]) => {
      const part = element("span", {class: `b-${colour}`});
      part.style.width = `${100 * value / whole}%`;
      return part;
    }));
    const keys = parts.map(([name, value, colour]) => element("li", {class: `b-${colour}`}, `${name} ${percent(value / of)}`));
    return [element("p", {class: "hf-bar-title"}, title), box, element("ul", {class: "hf-key"}, keys)];
  };

  // ---- The address: ?NAME=field:value,field:value, for fields that differ from their initial values ----
  const written = (fields) => fields.map((pair) => pair.map(encodeURIComponent).join(":")).join(",");
  const read = (name) => Object.fromEntries((new URLSearchParams(location.search).get(name) || "").split(",")
    .filter((pair) => pair.includes(":")).map((pair) => pair.split(":")));
  const address = (name, fields, id) => {
    const others = location.search.slice(1).split("&").filter((part) => part && part.split("=")[0] !== name);
    const query = fields.length ? [...others, `${name}=${written(fields)}`] : others;
    return location.pathname + (query.length ? `?${query.join("&")}` : "") + (id ? `#${id}` : location.hash);
  };

  // ---- A form ----
  const valueOf = (field) => field.type === "checkbox" ? String(field.checked) : field.value;
  const put = (field, text) => { if (field.type === "checkbox") field.checked = text === "true"; else field.value = text; };
  const stateOf = (fields) => Object.fromEntries(fields.map((field) =>
    [field.name, field.type === "checkbox" ? field.checked : field.type === "number" ? Number(field.value) : field.value]));

  // A slider by powers of two, below its number field.
  const addSlider = (field) => {
    const most = Math.log2(Number(field.max)), name = field.parentNode.firstChild.textContent.trim();
    const slider = element("input", {type: "range", min: 0, max: most, step: 1, "aria-label": `${name}, by powers of two`});
    const follow = () => {
      slider.value = Math.log2(Number(field.value) || 1);
      slider.setAttribute("aria-valuetext", field.value);
    };
    slider.addEventListener("input", (event) => {
      event.stopPropagation();
      field.value = 2 ** Number(slider.value);
      field.dispatchEvent(new Event("input", {bubbles: true}));
    });
    const label = field.parentNode, both = element("div", label.dataset.for ? {"data-for": label.dataset.for} : {});
    label.replaceWith(both);
    both.append(label, slider);
    return follow;
  };

  const complain = (field) => {
    const name = field.closest("label").firstChild.textContent.trim();
    const whole = field.step === "any" ? "a number" : field.step === "2" ? "an odd number" : "a whole number";
    return `${name}: enter ${whole} from ${digits(Number(field.min))} to ${digits(Number(field.max))}.`;
  };

  const begin = (box, name, start) => {
    const form = box.querySelector("template").content.querySelector("form").cloneNode(true);
    const [shown, more] = ["hf-shown", "hf-shown hf-more"].map((name) => element("div", {class: name}));
    const said = element("output", {class: "hf-outcome", "aria-live": "polite"});
    const link = element("a", {}, "Link to these settings");
    const id = box.closest("figure").id;
    const fields = [...form.elements].filter((field) => field.name);
    for (const field of fields) field.required = field.type === "number"; // an empty field would count as 0
    const draw = start({box, form, shown, more, said, data: JSON.parse(box.querySelector("script").textContent),
                        set: (values) => { restore(values); update(true); }, again: () => update(false)});
    const follow = [...form.querySelectorAll("[data-slider]")].map(addSlider);
    const first = new Map(fields.map((field) => [field, valueOf(field)]));
    const restore = (values) => fields.forEach((field) => {
      const before = valueOf(field);
      if (field.name in values) put(field, values[field.name]);
      if (field.selectedIndex < 0 || !field.checkValidity()) put(field, before); // an invalid choice or number
    });
    const asked = (field) => !field.disabled && !field.closest("[hidden]");
    const changed = () => fields.filter((field) => valueOf(field) !== first.get(field) && asked(field))
      .map((field) => [field.name, valueOf(field)]);
    const update = (byReader) => {
      const choices = new Set(fields.filter((field) => field.tagName === "SELECT").map((field) => field.value));
      for (const part of form.querySelectorAll("[data-for]"))
        part.hidden = !part.dataset.for.split(" ").some((one) => choices.has(one));
      for (const field of fields) field.disabled = !(field.dataset.own?.split(" ").some((one) => choices.has(one)) ?? true);
      const wrong = fields.find((field) => asked(field) && !field.checkValidity());
      fields.forEach((field) => field.setAttribute("aria-invalid", field === wrong));
      for (const part of [shown, more]) part.classList.toggle("hf-old", Boolean(wrong));
      if (wrong) { said.textContent = complain(wrong); return; }
      follow.forEach((each) => each());
      draw(stateOf(fields));
      link.href = address(name, changed(), id);
      if (byReader) history.replaceState(history.state, "", address(name, changed()));
    };
    form.addEventListener("input", () => update(true));
    form.addEventListener("submit", (event) => event.preventDefault());
    document.addEventListener("hf:machine", () => update(false));
    box.append(shown, said, form, element("p", {class: "hf-links"}, link), more);
    restore(read(name));
    update(false);
  };

  const widget = (name, start) =>
    document.querySelectorAll(`[data-widget="${name}"]`).forEach((box) => begin(box, name, start));

  Object.assign(press, {widget, format: {digits, duration, percent, scaled}, make: {bar, element, svg, table}});
})();
