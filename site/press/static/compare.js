// A button at each figure that two machines have measured. The code that shows both is loaded at the first press.
(() => {
  const {page, pairs, beside} = document.currentScript.dataset;
  const name = press.nameOf;
  // The machine whose figure the page shows, and the machines it can be compared with.
  const partners = place => {
    const couples = place.dataset.pairs.split(" ").map(pair => pair.split("+")), slugs = [...new Set(couples.flat())];
    const base = slugs.includes(press.machine) ? press.machine : slugs[0];
    return [base, couples.filter(pair => pair.includes(base)).map(pair => pair.find(slug => slug !== base))];
  };
  press.compare = {page, files: JSON.parse(pairs), name, partners};

  for (const place of document.querySelectorAll(".hf-compare")) {
    const button = Object.assign(document.createElement("button"), {type: "button"});
    button.setAttribute("aria-expanded", "false");
    const offer = () => {
      const [base, others] = partners(place);
      button.title = `Compare ${name(base)} with ${others.map(name).join(" or ")}, on the same axes`;
    };
    button.textContent = "compare with";
    button.addEventListener("click", () => press.load(beside).then(() => press.toggleBeside(place, button)));
    document.addEventListener("hf:machine", offer);
    place.append(button);
    offer();
  }
})();
