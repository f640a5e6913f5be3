// Drawings with steps: a slider and a button under each. They are made here, in the place that the page keeps for them, so
// that a page without scripts shows none.
// What has data-from and data-to is there in those steps only; what has data-places stands at "x,y" in the first, at the next
// "x,y" in the second, and moves softly between them. The drawing starts at data-at. Where data-says has "a sentence|for each|
// step", these stand below in place of data-unit and the number; data-unit may have "a name|for each|step", too.
(() => {
  const controls = (drawing) => {
    const {first, last, at, unit = "", pace = 700} = drawing.dataset;
    const parts = [...drawing.querySelectorAll("[data-from], [data-to]")]
      .map((part) => [part, Number(part.dataset.from ?? first), Number(part.dataset.to ?? last)]);
    const places = [...drawing.querySelectorAll("[data-places]")].map((part) => [part, part.dataset.places.split(" ")]);
    const bar = drawing.parentElement.querySelector(".hf-steps"), names = unit.includes("|") && unit.split("|");
    const sentences = [...drawing.parentElement.querySelectorAll(".hf-says > p")];
    const play = document.createElement("button"), slider = document.createElement("input"), said = document.createElement("output");
    play.type = "button";
    Object.assign(slider, {type: "range", min: first, max: last, step: 1, value: at});
    slider.setAttribute("aria-label", drawing.querySelector("title").textContent);
    let clock = null;

    const show = (step) => {
      slider.value = step;
      for (const [part, from, to] of parts) part.classList.toggle("hf-off", step < from || step > to);
      for (const [part, at] of places) {
        const [x, y] = at[Math.min(step - first, at.length - 1)].split(",");
        part.style.transform = `translate(${x}px, ${y}px)`;
      }
      sentences.forEach((words, i) => words.classList.toggle("hf-off", i !== step - first));
      said.textContent = names ? names[step - first] : unit.includes("{}") ? unit.replace("{}", step) : `${unit} ${step}`;
      slider.setAttribute("aria-valuetext", sentences[step - first]?.textContent ?? said.textContent);
      if (step >= Number(last)) pause();
    };
    const pause = () => { clearInterval(clock); clock = null; play.textContent = "Play"; };
    const advance = () => show(Number(slider.value) + 1);
    play.addEventListener("click", () => {
      if (clock) return pause();
      if (slider.value === last) show(Number(first));
      play.textContent = "Pause";
      clock = setInterval(advance, Number(pace));
    });
    slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
    bar.append(play, slider, ...(sentences.length ? [] : [said]));
    pause();
    show(Number(at));
  };
  document.querySelectorAll("svg.hf-drawing[data-last]").forEach(controls);
})();
