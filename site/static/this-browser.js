// "This browser" among chapter 01's machines, once measure.html has measured: the numbers that it knows become the reader's,
// and are marked. They are in this browser alone, and forgotten with one press.
document.addEventListener("DOMContentLoaded", () => { // when the switcher is there
  const hf = window.hardwareFirst, HERE = "this-browser", select = document.querySelector("#hf-machine select");
  let values;
  try { ({values} = JSON.parse(hf.stored("measured"))); } catch { /* nothing is measured, or it cannot be read */ }
  if (!select || typeof values !== "object" || !values) return;

  const kept = new Map(); // of each number what it was, also of those that another machine's have taken the place of
  const note = document.createElement("p"), forget = document.createElement("button"), words = document.createElement("span");
  const option = new Option("This browser", HERE);
  forget.type = "button";
  forget.textContent = "Forget them";
  note.className = "hf-this-browser";
  note.append(words, " ", forget);
  select.append(option);

  const show = () => {
    for (const number of document.querySelectorAll("[data-value]")) {
      const text = values[number.dataset.value];
      if (typeof text !== "string" || kept.has(number)) continue;
      kept.set(number, [number.title, ...number.childNodes]);
      number.replaceChildren(text);
      number.title = "measured in this browser";
      number.classList.add("hf-own");
    }
    words.textContent = "Underlined numbers are this browser\u2019s. All else on this page, figures and verdicts too, is of " +
      `${hf.machines.find(({slug}) => slug === hf.machine).name}.`;
    document.querySelector("article h1").after(note);
    select.value = HERE;
  };
  const hide = () => {
    for (const [number, [title, ...nodes]] of kept) {
      number.replaceChildren(...nodes);
      number.title = title;
      number.classList.remove("hf-own");
    }
    kept.clear();
    note.remove();
    hf.store(HERE, null);
  };

  // Before the switcher hears of it, which knows published machines only.
  document.addEventListener("change", (event) => {
    if (event.target !== select) return;
    if (select.value !== HERE) { hide(); return; }
    event.stopPropagation();
    hf.store(HERE, "shown");
    show();
  }, true);
  document.addEventListener("hf:machine", () => { if (note.isConnected) show(); });
  forget.addEventListener("click", () => {
    hide();
    hf.store("measured", null);
    option.remove();
    select.value = hf.machine;
    select.focus();
  });
  if (hf.stored(HERE) === "shown") show();
});
