// The front page's main button: where the plot is in view already, nothing scrolls, but its dot shows that it can be dragged.
document.querySelector(".hf-press-first")?.addEventListener("click", (event) => {
  const box = document.querySelector(".hf-front-try .hf-predict"), dot = document.querySelector(".hf-front-try .hf-drag");
  event.preventDefault();
  box.scrollIntoView({block: "nearest"});
  box.querySelector("input[type=range]").focus({preventScroll: true});
  dot?.classList.add("hf-beckons");
  dot?.addEventListener("animationend", () => dot.classList.remove("hf-beckons"), {once: true});
});
