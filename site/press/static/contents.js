// The contents mark the section being read. Where they cover the page, they close once the reader chooses a place.
(() => {
  const contents = document.getElementById("contents"), page = contents.querySelector("[aria-current=page]");
  const links = [...contents.querySelectorAll(".hf-current ul a")];
  const sections = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  let now = -1, asked = false;
  const show = (link) => {  // scrolls the contents, never the page
    if (!link) return;
    const box = contents.getBoundingClientRect(), at = link.getBoundingClientRect();
    if (at.top < box.top + 40 || at.bottom > box.bottom - 40) contents.scrollTop += at.top - box.top - box.height / 3;
  };
  const look = () => {
    asked = false;
    const here = sections.findLastIndex((section) => section.getBoundingClientRect().top < innerHeight / 3);
    if (here === now) return;
    links[now]?.removeAttribute("aria-current");
    links[now = here]?.setAttribute("aria-current", "location");
    show(links[now]);
  };
  addEventListener("scroll", () => { asked ||= requestAnimationFrame(look); }, { passive: true });
  show(page);
  look();

  const opened = () => contents.matches(press.opened), shut = () => { if (opened()) contents.hidePopover(); };
  contents.addEventListener("click", (event) => { if (event.target.closest("a")) shut(); });
  contents.addEventListener("toggle", () => show(links[now] ?? page));
  matchMedia("(min-width: 64rem)").addEventListener("change", shut);

  const button = document.querySelector(".hf-contents-button");
  if ("popoverTargetElement" in button) return;
  // What browsers that have popovers do of themselves.
  const toggle = (open) => {
    if (open !== opened()) open ? contents.showPopover() : contents.hidePopover();
    button.setAttribute("aria-expanded", open);
  };
  toggle(false);
  document.addEventListener("click", ({ target }) => {
    if (button.contains(target)) toggle(!opened());
    else if (!contents.contains(target)) toggle(false);
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !opened()) return;
    toggle(false);
    button.focus();
  });
})();
