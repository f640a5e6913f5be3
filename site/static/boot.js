// Runs before anything is drawn, after the styles: the one name that all scripts share, the reader's colours, the fonts.
window.hardwareFirst = {
  // What this browser remembers for the reader; null where it remembers nothing. Nothing of it is ever sent.
  stored(name) {
    try { return localStorage.getItem(`hardware-first:${name}`); } catch { return null; }
  },
  // Remembers a text; null forgets it.
  store(name, text) {
    try {
      if (text === null) localStorage.removeItem(`hardware-first:${name}`);
      else localStorage.setItem(`hardware-first:${name}`, text);
    } catch { /* a reader may forbid it */ }
  },
};
document.documentElement.classList.add("hf-js");
{
  const theme = hardwareFirst.stored("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
for (const style of ["", "italic ", "bold "]) document.fonts.load(`${style}1em "Hardware First Text"`);  // before layout asks
