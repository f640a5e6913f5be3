// Drawings with steps: a slider and a button under each. They are made here, so that a page without scripts shows none.
// What has data-from and data-to is there in those steps only; the drawing starts at data-at.
(() => {
  const controls = (drawing) => {
    const {first, last, at, unit, pace = 700} = drawing.dataset;
    const parts = [...drawing.querySelectorAll("[data-from], [data-to]")]
      .map((part) => [part, Number(part.dataset.from ?? first), Number(part.dataset.to ?? last)]);
    const bar = document.createElement("div");
    bar.className = "hf-steps";
    const play = document.createElement("button"), slider = document.createElement("input"), said = document.createElement("output");
    play.type = "button";
    Object.assign(slider, {type: "range", min: first, max: last, step: 1, value: at});
    slider.setAttribute("aria-label", drawing.querySelector("title").textContent);
    let clock = null;

    const show = (step) => {
      slider.value = step;
      for (const [part, from, to] of parts) part.classList.toggle("hf-off", step < from || step > to);
      said.textContent = unit.includes("{}") ? unit.replace("{}", step) : `${unit} ${step}`;
      slider.setAttribute("aria-valuetext", said.textContent);
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
    bar.append(play, slider, said);
    drawing.after(bar);
    pause();
    show(Number(at));
  };
  document.querySelectorAll("svg.hf-drawing[data-last]").forEach(controls);
})();
