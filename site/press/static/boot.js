// Runs after the styles and before the first paint: sets up the namespace of all scripts, the reader's colours and the fonts.
window.press = {
  book: document.documentElement.dataset.book,
  // The key under which this browser stores something for the reader; another book on the same host has other keys.
  key: (name) => `${press.book}:${name}`,
  // What this browser has stored for the reader, or null. It is never sent anywhere.
  stored(name) {
    try { return localStorage.getItem(press.key(name)); } catch { return null; }
  },
  // Stores a text; null removes it. Returns what to tell a reader who relies on it: nothing if the text is stored. Storage may be
  // full or forbidden.
  store(name, text) {
    try {
      if (text === null) localStorage.removeItem(press.key(name));
      else localStorage.setItem(press.key(name), text);
      return "";
    } catch { return " Your browser can’t store this, so it will be lost when you leave the page."; }
  },
  // Marks markup and addresses as the site's own, for hosts that send "require-trusted-types-for 'script'".
  trusted: (() => {
    const own = {createHTML: (text) => text, createScriptURL: (address) => address};
    try { return window.trustedTypes.createPolicy(document.documentElement.dataset.book, own); } catch { return own; /* no such types, or no policy allowed */ }
  })(),
};
// Loads and runs a script once, since a page opened from a file can load nothing else. Returns a promise.
{
  const loading = {};
  press.load = (address) => loading[address] ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), {src: press.trusted.createScriptURL(address)});
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => { delete loading[address]; reject(new Error(`${address} did not load`)); });
    document.head.append(script);
  });
}
// An element with a class and some children.
press.made = (tag, className = "", ...children) => {
  const element = Object.assign(document.createElement(tag), {className});
  element.append(...children);
  return element;
};
// Puts values into the page's address; an empty one is removed.
press.address = (values) => {
  const address = new URL(location);
  for (const [name, value] of Object.entries(values)) if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
  try { history.replaceState(history.state, "", address); } catch { /* the address of a file cannot change */ }
};
document.documentElement.classList.add("hf-js");
// Browsers before 2024 have no popovers: there a class shows them, and site.css hides the others.
press.opened = HTMLElement.prototype.showPopover ? ":popover-open" : ".hf-opened";
if (press.opened === ".hf-opened") {
  HTMLElement.prototype.showPopover = function () { this.classList.add("hf-opened"); };
  HTMLElement.prototype.hidePopover = function () { this.classList.remove("hf-opened"); };
}
{
  const theme = press.stored("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
for (const style of ["", "italic ", "bold "]) document.fonts.load(`${style}1em "Press Text"`);  // before layout asks
