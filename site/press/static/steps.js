// Drawings with steps: adds a slider and a button below each, in a place that the page reserves; without scripts there are none.
// Elements with data-from and data-to are visible in those steps only. Elements with data-places are at the first "x,y" in the first
// step, at the second in the second, and move smoothly in between. The drawing starts at step data-at. Its label is data-unit and
// the number, or data-unit is "a name|for each|step". If data-says has "a sentence|for each|step", these are below the slider.
(() => {
  const still = matchMedia("(prefers-reduced-motion: reduce)"), TURNS = 60; // the most steps of one play

  // Puts a button and a slider into `bar`. show(step) shows a step and returns it in words. For readers who prefer reduced motion,
  // the button advances one step only. Returns a function that sets the last step and goes to a step.
  const stepper = (bar, {first = 0, last, at, pace = 700, label}, show) => {
    const play = document.createElement("button"), slider = document.createElement("input");
    play.type = "button";
    Object.assign(slider, {type: "range", min: first, max: last, step: 1, value: at});
    slider.setAttribute("aria-label", label);
    let clock = null;
    const pause = () => {
      clearInterval(clock);
      clock = null;
      play.textContent = slider.value === slider.max ? "Replay" : still.matches ? "Next" : "Play";
    };
    const go = (step) => {
      slider.value = step;
      slider.setAttribute("aria-valuetext", show(Number(slider.value)));
      if (!clock || slider.value === slider.max) pause();
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
    go(at);
    return (end, step) => { pause(); slider.max = end; go(step); };
  };

  const controls = (drawing) => {
    const {first, last, at, unit = `step {} of ${last}`, pace} = drawing.dataset;
    const parts = [...drawing.querySelectorAll("[data-from], [data-to]")]
      .map((part) => [part, Number(part.dataset.from ?? first), Number(part.dataset.to ?? last)]);
    const places = [...drawing.querySelectorAll("[data-places]")].map((part) => [part, part.dataset.places.split(" ")]);
    const bar = drawing.parentElement.querySelector(".hf-steps"), names = unit.includes("|") && unit.split("|");
    const sentences = [...drawing.parentElement.querySelectorAll(".hf-says > p")], said = document.createElement("output");

    const go = stepper(bar, {first, last, at, pace, label: drawing.querySelector("title").textContent}, (step) => {
      for (const [part, from, to] of parts) part.classList.toggle("hf-off", step < from || step > to);
      for (const [part, at] of places) {
        const [x, y] = at[Math.min(step - first, at.length - 1)].split(",");
        part.style.transform = `translate(${x}px, ${y}px)`;
      }
      sentences.forEach((words, i) => words.classList.toggle("hf-off", i !== step - first));
      said.textContent = names ? names[step - first] : unit.includes("{}") ? unit.replace("{}", step) : `${unit} ${step}`;
      return sentences[step - first]?.textContent ?? said.textContent;
    });
    bar.append(said);
    return (step) => go(last, step);
  };
  const drawings = new Map(); // of figures, with what goes to a step of them
  for (const drawing of document.querySelectorAll("svg.hf-drawing[data-last]")) {
    drawings.set(drawing.closest("figure"), controls(drawing));
  }

  // Words that say what changes show it: on hover, focus, or a press, which also scrolls the drawing into view.
  for (const words of document.querySelectorAll(".hf-step")) {
    const figure = words.closest("figure") ?? document.getElementById(words.dataset.of), go = drawings.get(figure);
    if (!go) continue;
    words.tabIndex = 0;
    words.setAttribute("role", "button");
    const show = () => go(Number(words.dataset.step));
    const shown = () => { show(); figure.querySelector("svg").scrollIntoView({block: "nearest"}); };
    words.addEventListener("pointerenter", ({pointerType}) => { if (pointerType === "mouse") show(); });
    words.addEventListener("click", shown);
    words.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      shown();
    });
  }
  press.stepper = stepper;
})();
