// A question asked in the plot that answers it: the reader drags a dot to the expected place and drops it. The slider in the
// question does the same by keyboard, the field beside it takes an exact number, and predict.js keeps the score.
(() => {
  const SLIP = 8;  // pixels: a shorter drag does not count as an answer
  const WORDS = 20;  // between the dot's middle and its words

  // Adds the dot to the question's plot, where it stays while the question is open.
  const addTo = (box) => {
    const slider = box.querySelector("input[type=range]"), commit = box.querySelector(".hf-predict-commit");
    const plot = document.getElementById(box.dataset.figure), upright = box.dataset.axis[0] === "x";
    let dot, from;

    const add = () => {
      const svg = plot?.querySelector("svg.hf-figure");
      if (!svg || svg.contains(dot)) return;
      const steps = Array.from({length: Number(slider.max) + 1}, (_, step) => press.guessIn(svg, box, press.valueAt(box, step)));
      if (!steps[0]) return;  // this machine has no answer, or the plot no such axis
      const [{across, panel: {left, right, top, bottom, end, ceiling}}] = steps, ends = upright ? [left, end] : [ceiling, bottom];
      const places = steps.map(({at}) => Math.max(ends[0], Math.min(ends[1], at)));
      dot = press.shape("g", svg, {class: upright ? "hf-drag hf-drag-across" : "hf-drag"});
      const guide = press.shape("path", dot, {}), handle = press.shape("g", dot, {});
      press.shape("circle", handle, {class: "hf-reach", r: 36});
      press.shape("circle", handle, {r: 13});
      const words = press.shape("text", handle, {y: 6}, upright ? "drag me ←→" : "drag me ↑↓");

      const move = () => {
        const at = places[slider.value], [x, y] = upright ? [at, across] : [across, at], late = x > (left + right) / 2;
        handle.setAttribute("transform", `translate(${x}, ${y})`);
        guide.setAttribute("d", upright ? `M${x},${top}V${bottom}` : `M${left},${y}H${right}`);
        words.textContent = slider.getAttribute("aria-valuetext") || words.textContent;
        words.setAttribute("x", late ? -WORDS : WORDS);
        words.setAttribute("text-anchor", late ? "end" : "start");
      };
      const nearest = (sought) => {
        const apart = places.map((place) => Math.abs(place - sought));
        return apart.indexOf(Math.min(...apart));
      };
      const to = ({clientX, clientY}) => {
        const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
        slider.value = nearest(upright ? x : y);
        slider.dispatchEvent(new Event("input"));
      };
      handle.addEventListener("touchstart", (event) => event.preventDefault(), {passive: false});  // or the page would scroll
      handle.addEventListener("pointerdown", (event) => {
        from = event;
        handle.setPointerCapture(event.pointerId);
        event.preventDefault();
      });
      handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) to(event); });
      handle.addEventListener("pointerup", ({clientX, clientY}) => {
        if (Math.hypot(clientX - from.clientX, clientY - from.clientY) >= SLIP && !commit.disabled) commit.click();
      });
      for (const moved of ["input", "hf:moved"]) slider.addEventListener(moved, move);
      if (commit.disabled) slider.value = nearest((ends[0] + ends[1]) / 2);  // where the dot is easily seen
      move();
      settle();
    };
    const settle = () => {
      dot?.toggleAttribute("hidden", box.matches(".hf-answered"));
      plot?.classList.toggle("hf-asked", Boolean(plot.querySelector(".hf-drag:not([hidden])")));
    };
    new MutationObserver(settle).observe(box, {attributeFilter: ["class"]});
    document.addEventListener("hf:machine", add);
    add();
  };
  document.querySelectorAll(".hf-predict[data-at]").forEach(addTo);
})();
