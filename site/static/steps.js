// Drawings with steps: a slider and a button under each. They are made here, in the place that the page keeps for them, so
// that a page without scripts shows none.
// What has data-from and data-to is there in those steps only; what has data-places stands at "x,y" in the first, at the next
// "x,y" in the second, and moves softly between them. The drawing starts at data-at. Where data-says has "a sentence|for each|
// step", these stand below in place of data-unit and the number; data-unit may have "a name|for each|step", too.
(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)"), TURNS = 60; // of a whole play, at most

  // A button and a slider in `bar`. show(step) shows a step and says it in words. For whoever wants no motion the button goes
  // on by one step, and waits. What is given back moves the end, and goes to a step.
  const stepper = (bar, {first = 0, last, at, pace = 700, label}, show) => {
    const play = document.createElement("button"), slider = document.createElement("input");
    play.type = "button";
    Object.assign(slider, {type: "range", min: first, max: last, step: 1, value: at});
    slider.setAttribute("aria-label", label);
    let clock = null;
    const pause = () => { clearInterval(clock); clock = null; play.textContent = still.matches ? "Next" : "Play"; };
    const go = (step) => {
      slider.value = step;
      slider.setAttribute("aria-valuetext", show(Number(slider.value)));
      if (slider.value === slider.max) pause();
    };
    const advance = () => go(Number(slider.value) + Math.ceil((slider.max - first) / TURNS));
    play.addEventListener("click", () => {
      if (clock) return pause();
      const over = slider.value === slider.max;
      if (over) go(first);
      if (still.matches) return over || advance();
      play.textContent = "Pause";
      clock = setInterval(advance, Number(pace));
    });
    slider.addEventListener("input", () => { pause(); go(slider.value); });
    still.addEventListener("change", pause);
    bar.append(play, slider);
    pause();
    go(at);
    return (end, step) => { pause(); slider.max = end; go(step); };
  };

  const controls = (drawing) => {
    const {first, last, at, unit = "", pace} = drawing.dataset;
    const parts = [...drawing.querySelectorAll("[data-from], [data-to]")]
      .map((part) => [part, Number(part.dataset.from ?? first), Number(part.dataset.to ?? last)]);
    const places = [...drawing.querySelectorAll("[data-places]")].map((part) => [part, part.dataset.places.split(" ")]);
    const bar = drawing.parentElement.querySelector(".hf-steps"), names = unit.includes("|") && unit.split("|");
    const sentences = [...drawing.parentElement.querySelectorAll(".hf-says > p")], said = document.createElement("output");

    stepper(bar, {first, last, at, pace, label: drawing.querySelector("title").textContent}, (step) => {
      for (const [part, from, to] of parts) part.classList.toggle("hf-off", step < from || step > to);
      for (const [part, at] of places) {
        const [x, y] = at[Math.min(step - first, at.length - 1)].split(",");
        part.style.transform = `translate(${x}px, ${y}px)`;
      }
      sentences.forEach((words, i) => words.classList.toggle("hf-off", i !== step - first));
      said.textContent = names ? names[step - first] : unit.includes("{}") ? unit.replace("{}", step) : `${unit} ${step}`;
      return sentences[step - first]?.textContent ?? said.textContent;
    });
    if (!sentences.length) bar.append(said);
  };
  document.querySelectorAll("svg.hf-drawing[data-last]").forEach(controls);
  hardwareFirst.stepper = stepper;
})();
