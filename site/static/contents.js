// The contents show which section one is reading, and go away, where they lie over the page, once a place is chosen.
(() => {
  const contents = document.getElementById("contents");
  const links = new Map([...contents.querySelectorAll(".hf-current ul a")].map((link) =>
    [document.getElementById(decodeURIComponent(link.hash.slice(1))), link]));
  links.delete(null);
  const sections = [...links.keys()];
  const inside = (element) => {  // scrolls the contents, never the page
    const box = contents.getBoundingClientRect(), at = element.getBoundingClientRect();
    if (at.top < box.top + 40 || at.bottom > box.bottom - 40) contents.scrollTop += at.top - box.top - box.height / 3;
  };
  const mark = () => {
    const line = innerHeight / 3;
    const now = sections.findLast((section) => section.getBoundingClientRect().top < line);
    for (const [section, link] of links) {
      if (section === now && !link.hasAttribute("aria-current")) {
        link.setAttribute("aria-current", "location");
        inside(link);
      } else if (section !== now) link.removeAttribute("aria-current");
    }
  };
  let asked = false;
  addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; mark(); });
  }, { passive: true });
  mark();
  const page = contents.querySelector("[aria-current=page]");
  if (page && !contents.querySelector("[aria-current=location]")) inside(page);

  const shut = () => { if (contents.matches(":popover-open")) contents.hidePopover(); };
  contents.addEventListener("click", (event) => { if (event.target.closest("a")) shut(); });
  contents.addEventListener("toggle", (event) => { if (event.newState === "open" && page) inside(page); });
  matchMedia("(min-width: 64rem)").addEventListener("change", shut);
})();
