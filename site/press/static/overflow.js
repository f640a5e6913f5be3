// Content wider than the page scrolls in its own box. Some browsers let the keyboard reach such a box only with a tabindex.
(() => {
  const name = (box) => box.matches("pre") ? "Code" : box.matches(".math") ? "Formula" : "Table";
  const sizes = new ResizeObserver((entries) => {
    for (const { target: box } of entries) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls === box.hasAttribute("aria-label")) continue;
      for (const [key, value] of Object.entries({ tabindex: 0, role: "group", "aria-label": `${name(box)}, scrolls sideways` }))
        scrolls ? box.setAttribute(key, value) : box.removeAttribute(key);
    }
  });
  const watch = () => {
    for (const box of document.querySelectorAll(".hf-scroll, article pre, article div.math")) sizes.observe(box);
  };
  watch();
  // Widgets, or another machine's content, may add boxes that scroll.
  new MutationObserver(watch).observe(document.querySelector("article"), { childList: true, subtree: true });
})();
