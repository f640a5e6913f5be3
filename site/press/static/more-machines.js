// For a book of many machines: the list also has those that came as a script, and a way to the page of all machines.
(() => {
  const {gallery, others, rest} = document.querySelector("script[data-machines]").dataset, {machines, chooser} = press;
  const fill = () => {
    chooser.replaceChildren(...machines.map(({slug, name}) => new Option(name, slug)));
    if (gallery) chooser.append(new Option(`${others} more, on the page of machines …`, gallery));
    chooser.value = press.machine;
  };
  const more = async () => {
    if (rest) await press.loadRest();
    if (chooser.length < machines.length) fill();
  };
  for (const event of ["pointerenter", "focus"]) chooser.addEventListener(event, () => more().catch(() => {}));
  chooser.addEventListener("change", (event) => {
    if (chooser.value !== gallery) return;
    event.stopImmediatePropagation();
    chooser.value = press.machine;
    chooser.dispatchEvent(new Event("input"));
    location.assign(gallery);
  }, {capture: true});
  fill();
  press.decided?.then(fill);
})();
