// The front page's question, asked in the plot itself: the reader drags a dot to the expected place and drops it. The slider
// below does the same by keyboard, and predict.js keeps the score.
(() => {
  const box = document.getElementById("predict-where-naive-falls"), slider = box?.querySelector("input[type=range]");
  if (!slider) return;
  const {figure, axis, low, high} = box.dataset, plot = document.getElementById(figure);
  const value = (step) => low * (high / low) ** (step / slider.max);
  const SLIP = 4;  // steps of the slider: a shorter drag does not count as an answer
  let dot, from;

  const add = () => {
    const svg = plot.querySelector("svg.hf-figure"), true_ = svg?.querySelector("circle.f-purple");
    if (!true_ || svg.contains(dot)) return;
    const heights = Array.from({length: Number(slider.max) + 1}, (_, step) => press.placeOn(svg, axis, value(step)));
    const x = Number(true_.getAttribute("cx")), made = (tag, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [name, set] of Object.entries(attributes)) element.setAttribute(name, set);
      return svg.appendChild(element);
    };
    dot = made("g", {class: "hf-drag"});
    dot.append(made("circle", {class: "hf-reach", r: 36}), made("circle", {r: 13}), made("text", {x: -20, y: 6, "text-anchor": "end"}));
    dot.lastChild.textContent = "drag me ↕";
    dot.addEventListener("touchstart", (event) => event.preventDefault(), {passive: false});  // or the page would scroll
    const move = () => dot.setAttribute("transform", `translate(${x}, ${heights[slider.value]})`);
    const to = ({clientX, clientY}) => {
      const {y} = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
      const apart = heights.map((height) => Math.abs(height - y));
      slider.value = apart.indexOf(Math.min(...apart));
      slider.dispatchEvent(new Event("input"));
    };
    dot.addEventListener("pointerdown", (event) => { from = slider.value; dot.setPointerCapture(event.pointerId); event.preventDefault(); });
    dot.addEventListener("pointermove", (event) => { if (dot.hasPointerCapture(event.pointerId)) to(event); });
    dot.addEventListener("pointerup", () => {
      if (Math.abs(slider.value - from) >= SLIP) box.querySelector(".hf-predict-commit").click();
    });
    slider.addEventListener("input", move);
    move();
    settle();
  };
  const settle = () => dot?.toggleAttribute("hidden", box.matches(".hf-answered"));
  new MutationObserver(settle).observe(box, {attributeFilter: ["class"]});
  document.addEventListener("hf:machine", add);
  add();
})();

// The main button: where the plot is in view already, nothing scrolls, but the dot shows that it can be dragged.
(() => {
  const box = document.querySelector(".hf-front-try .hf-predict"), button = document.querySelector(".hf-press-first");
  button?.addEventListener("click", (event) => {
    event.preventDefault();
    box.scrollIntoView({block: "nearest"});
    box.querySelector("input[type=range]").focus({preventScroll: true});
    const dot = box.querySelector(".hf-drag");
    dot?.classList.add("hf-beckons");
    dot?.addEventListener("animationend", () => dot.classList.remove("hf-beckons"), {once: true});
  });
})();
