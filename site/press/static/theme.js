// The button for light and dark. Choosing the system's setting is not stored, so that the page follows the system again.
(() => {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  const button = document.querySelector(".hf-theme-button");
  const dark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const name = () => button.setAttribute("aria-label", dark() ? "Light colours" : "Dark colours");
  button.addEventListener("click", () => {
    const wanted = dark() ? "light" : "dark";
    if ((wanted === "dark") === system.matches) delete root.dataset.theme;
    else root.dataset.theme = wanted;
    press.store("theme", root.dataset.theme ?? null);
    name();
  });
  system.addEventListener("change", name);
  name();
  button.hidden = false;
})();
