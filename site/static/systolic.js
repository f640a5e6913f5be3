// The moving array: buttons, arrow keys and a slider. They are made here, so that a page without scripts shows none.
for (const box of document.querySelectorAll(".hf-systolic")) {
  const frames = [...box.querySelectorAll("g[data-cycle]")], last = frames.length - 1;
  const bar = document.createElement("div");
  bar.className = "hf-systolic-bar";
  let now = 0, clock = null;
  const show = (cycle) => {
    now = Math.max(0, Math.min(last, cycle));
    frames.forEach((frame, i) => frame.classList.toggle("hf-off", i !== now));
    slider.value = now;
    slider.setAttribute("aria-valuetext", frames[now].dataset.says);
    if (now === last) pause();
  };
  const pause = () => { clearInterval(clock); clock = null; play.textContent = "Play"; };
  const button = (words, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  button("Back", () => { pause(); show(now - 1); });
  const play = button("Play", () => {
    if (clock) return pause();
    if (now === last) show(0);
    play.textContent = "Pause";
    clock = setInterval(() => show(now + 1), 900);
  });
  button("Step", () => { pause(); show(now + 1); });
  const slider = document.createElement("input");
  Object.assign(slider, {type: "range", min: 0, max: last, step: 1});
  slider.setAttribute("aria-label", "cycle");
  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  bar.append(slider);
  box.append(bar);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "A systolic array, moving; the arrow keys step");
  box.addEventListener("keydown", (event) => {
    if (event.target === slider) return;
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    pause();
    show(now + step);
  });
  show(Number(box.dataset.shown));
}
