// Reading aids on every page: cards that explain a word, a number or a source on hover, focus and touch; copying code; keys that
// turn pages; a way back; a progress bar. Cards show titles and the page's own footnotes; nothing is loaded.
(() => {
  const make = (tag, name, text = "", attributes = {}) => {
    const element = Object.assign(document.createElement(tag), { className: name, textContent: text });
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const touched = (event) => event.pointerType === "touch" || event.pointerType === "pen";

  // ——— Cards ———
  const EXPLAINED = "article :is(a.footnote-reference, a.reference.internal[title], span[title], [data-card])";
  const card = make("div", "hf-definition", "", { id: "hf-definition", role: "tooltip", popover: "manual" });
  document.body.append(card);
  let shown = null, top = 0, timer = 0, pointer = "";

  function fill(link) {
    card.replaceChildren();
    if (link.matches(".footnote-reference")) {
      const note = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      for (const part of note ? note.querySelectorAll(":scope > p") : []) card.append(part.cloneNode(true));
      for (const part of card.querySelectorAll("[id]")) part.removeAttribute("id");
      for (const part of card.querySelectorAll("a")) part.replaceWith(...part.childNodes);
    } else {
      card.append(make("p", "", link.title || link.dataset.card));
    }
    // The line of source that added a number to its record, and its place.
    const { at, code } = link.dataset, line = at?.replace(/#L(\d+)$/, ":$1").replace(/^.*\/(?=labs\/)/, "");
    if (code) card.append(make("code", "", code));
    if (at) card.append(/^https?:/.test(at) ? make("a", "hf-at", line, { href: at }) : make("p", "hf-at", line));
    const goes = link.querySelector(".std-term") ? "See the glossary" : "Go there";
    if (pointer === "touch" && link.href) card.append(make("a", "", goes, { href: link.href }));
    if (link.dataset.everywhere) press.axisOf(link).then((axis) => {
      if (shown !== link) return;
      card.querySelector("p").after(axis);
      place();
    }, () => {});  // the card remains without it
    return card.textContent.trim() !== "";
  }

  function show(link) {
    clearTimeout(timer);
    if (shown === link) return;
    hide();
    if (!fill(link)) return;
    shown = link;
    link.dataset.card = link.title;  // else the browser would show it too
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", card.id);
    card.showPopover();
    place();
  }

  function place() {
    const at = shown.getClientRects()[0], size = card.getBoundingClientRect(), edge = 8;
    const above = at.bottom + size.height + edge > innerHeight && at.top > size.height + edge;
    top = at.top;
    card.style.left = `${Math.max(edge, Math.min(at.left, document.documentElement.clientWidth - size.width - edge))}px`;
    card.style.top = `${above ? at.top - size.height - 4 : at.bottom + 4}px`;
  }

  function hide() {
    clearTimeout(timer);
    if (!shown) return;
    card.hidePopover();
    shown.removeAttribute("aria-describedby");
    if (shown.dataset.card) shown.title = shown.dataset.card;
    delete shown.dataset.card;
    shown = null;
  }

  const later = (act, wait) => { clearTimeout(timer); timer = setTimeout(act, wait); };
  const explained = (event) => event.target.closest?.(EXPLAINED);
  document.addEventListener("pointerdown", (event) => {
    pointer = touched(event) ? "touch" : "mouse";
    if (!card.contains(event.target) && !explained(event)) hide();
  });
  document.addEventListener("pointerover", (event) => {
    if (touched(event)) return;
    pointer = "mouse";
    const link = explained(event);
    if (link) later(() => show(link), 120);
    else if (card.contains(event.target)) clearTimeout(timer);
    else if (shown && shown !== document.activeElement) later(hide, 200);
  });
  document.addEventListener("focusin", (event) => {
    const link = explained(event);
    if (link && link.matches(":focus-visible")) show(link);
    else if (!card.contains(event.target)) hide();
  });
  document.addEventListener("click", (event) => {
    const link = explained(event);
    if (!link || pointer !== "touch" || link === shown || event.detail === 0) return hide();
    event.preventDefault();
    show(link);
  });
  addEventListener("scroll", () => {
    if (shown && shown === document.activeElement && pointer !== "touch") place();
    else if (shown && Math.abs(shown.getClientRects()[0].top - top) > 4) hide();
  }, { passive: true });
  document.addEventListener("hf:machine", hide);

  // ——— Copies of code ———
  const said = make("div", "visually-hidden", "", { role: "status" });
  document.body.append(said);
  function addButtons() {
    for (const block of document.querySelectorAll("article div.highlight, article .hf-copied")) {
      if (!block.querySelector(":scope > .hf-copy")) {
        block.append(make("button", "hf-copy", "Copy", { type: "button", "aria-label": "Copy this code" }));
      }
    }
  }
  async function copy(button) {
    const text = button.parentElement.querySelector("pre").textContent.replace(/\n$/, "");
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch { done = false; }
    if (!done) {  // without access to the clipboard, a selection can still be copied
      getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
      done = document.execCommand("copy");
    }
    button.textContent = said.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; said.textContent = ""; }, 1600);
  }
  addButtons();
  document.addEventListener("hf:machine", addButtons);
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".hf-copy");
    if (button) copy(button);
  });

  // ——— Keys ———
  const TOP = 100, article = document.querySelector("article");
  const TAKEN = "input, select, textarea, summary, [contenteditable], [tabindex], [role=slider], [role=radio], video, audio";
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const turn = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    if (!turn || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target !== document.body && event.target.closest(TAKEN)?.matches(":not(main)")) return;
    if (scrollY > TOP && article?.getBoundingClientRect().bottom > innerHeight) return;  // a half-read page stays
    const link = document.querySelector(`link[rel="${turn}"]`);
    if (link) location.assign(link.href);
  });
  const help = make("details", "hf-keys");
  help.append(make("summary", "", "Keys"));
  for (const [key, does] of [["←", "previous page (only at the top or end of a page)"], ["→", "next page (likewise)"],
                             ["Tab", "next link, button or slider"], ["Esc", "close a pop-up"]]) {
    const line = make("p", "", ` ${does}`);
    line.prepend(make("kbd", "", key));
    help.append(line);
  }
  document.querySelector("footer")?.append(help);

  // ——— After following a link in the text: back to the place and to the link, from the header, where it covers nothing ———
  const back = make("button", "hf-back", "← Back", { type: "button", hidden: "" });
  let from = null, landed = NaN;
  document.querySelector(".hf-home").after(back);
  const offer = (offered) => { back.hidden = !offered; back.parentElement.classList.toggle("hf-jumped", offered); };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("article a[href*='#']:not(.headerlink, [role=doc-backlink])");
    if (link && !event.defaultPrevented) press.store("jump", (from = link).href);
  });
  function arrived() {
    offer(press.stored("jump") === location.href && history.length > 1);
    landed = NaN;
    setTimeout(() => { landed = scrollY; }, 1000);  // the page may still be scrolling there
    press.store("jump", null);
  }
  addEventListener("hashchange", arrived);
  arrived();
  back.addEventListener("click", () => {
    history.back();
    from?.focus({ preventScroll: true });
  });

  // ——— Results below the header's field: their script comes when the reader goes there ———
  const find = document.querySelector(".hf-find[data-finder]");
  find?.addEventListener("focusin", () => document.head.append(make("script", "", "", {
    src: press.trusted.createScriptURL(new URL(`_static/${find.dataset.finder}`, find.action).href) })), { once: true });

  // ——— Progress ———
  const line = make("div", "hf-progress", "", { "aria-hidden": "true" });
  let waiting = false;
  function measure() {
    waiting = false;
    const box = article.getBoundingClientRect(), way = box.height - innerHeight;
    line.style.transform = `scaleX(${way > 0 ? Math.max(0, Math.min(1, -box.top / way)) : 0})`;
    if (Math.abs(scrollY - landed) > innerHeight) offer(false);
  }
  if (article) {
    document.body.append(line);
    addEventListener("scroll", () => { if (!waiting) waiting = requestAnimationFrame(measure) > 0; }, { passive: true });
    measure();
  }
})();
