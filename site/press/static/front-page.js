// The front page's main button: where the plot is in view already, nothing scrolls, but its dot shows that it can be dragged.
document.querySelector(".hf-press-first")?.addEventListener("click", (event) => {
  const box = document.querySelector(".hf-front-try .hf-predict"), dot = document.querySelector(".hf-front-try .hf-drag");
  event.preventDefault();
  box.scrollIntoView({block: "nearest"});
  box.querySelector("input[type=range]").focus({preventScroll: true});
  dot?.classList.add("hf-beckons");
  dot?.addEventListener("animationend", () => dot.classList.remove("hf-beckons"), {once: true});
});

// The reader's own guesses in all chapters, above the book's predictions and on the same axis.
(() => {
  const draw = () => {
    const own = document.querySelector(".hf-yours"), guesses = press.guesses();
    if (!own) return;
    const strip = own.querySelector("svg"), misses = guesses.map((took) => Math.max(took, 1 / took)).sort((a, b) => a - b);
    own.hidden = !guesses.length;
    own.querySelector("b").textContent = `${Number(misses[(misses.length - 1) >> 1]?.toPrecision(2))}×`;
    strip.querySelectorAll("circle").forEach((dot) => dot.remove());
    for (const took of guesses) {
      const octaves = Math.max(-1, Math.min(1, Math.log2(took) / own.dataset.octaves));
      press.shape("circle", strip, {cx: `${50 + 50 * octaves}%`, cy: "50%", r: 3.5});
    }
  };
  document.addEventListener("hf:guesses", draw);
  if (press.guesses) draw();
})();
