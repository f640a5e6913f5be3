// Loads a calculator's scripts when it is almost on the screen; readers who do not scroll that far never load them.
(() => {
  const folder = `${document.documentElement.dataset.content_root}_static/`;
  const near = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      document.head.append(...target.dataset.scripts.split(" ").map((file) =>
        Object.assign(document.createElement("script"), {src: press.trusted.createScriptURL(folder + file), async: false}))); // one after the other
    }
  }, {rootMargin: "50% 0px"});
  document.querySelectorAll("[data-scripts]").forEach((box) => near.observe(box));
})();
