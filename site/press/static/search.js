// Searches the book as the reader types, on the page of results or below the header's field. The book's text is loaded at the first
// query, as a script, which also works from a file.
(() => {
  const page = document.querySelector(".hf-search"), form = page ?? document.querySelector(".hf-find"), field = form.elements.q;
  const root = page ? "" : new URL(".", form.action).href, SHOWN = page ? 30 : 5, EXCERPT = page ? 180 : 70;
  const WEIGHT = { page: 5, term: 4, section: 3 };  // for a word in the title
  const DEFINED = 1.5;  // for a word in a term that the section defines
  const {made} = press;
  let sections = null, waiting = null;

  // Lower case, no accents, and one spelling of organise and colour.
  const split = (text) => (text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => word.replace(/(\p{L}{3})iz(?=[aei])/u, "$1is").replace(/(col|hon|lab|neighb|behavi)or(?!a)/, "$1our"));
  const stem = (word) => word.replace(word.length > 4 ? /(?:ies|es|s|ing|ed)$/ : /s$/, "").replace(/(..)e$/, "$1");

  // Text that a page hides until a question is answered is only searched once the reader has answered or skipped it (predict.js).
  const answered = () => {
    let said;
    try { said = JSON.parse(press.stored("predictions")); } catch { /* it may contain anything */ }
    const all = press.stored("predictions-skipped") === "all";
    return (question) => all || Object.hasOwn(said ?? {}, question);
  };

  press.searchText = (pages) => {
    const knows = answered();
    sections = pages.flatMap(([address, number, page, entries]) => entries.map(([kind, anchor, title, open, defined, hidden]) => {
      const counts = new Map();
      const text = [open, ...hidden.filter(([questions]) => questions.every(knows)).map(([, told]) => told)].join(" ").trim();
      const all = split(text);
      for (const word of all) counts.set(word, (counts.get(word) ?? 0) + 1);
      return { kind, title, text, counts, length: all.length, titleWords: split(title), defined: split(defined), page: number ? `${number} ${page}` : page,
        address: `${root}${address}${anchor && "#"}${anchor}` };
    }));
    if (waiting !== null) look(waiting);
  };

  // How often a section has a word; with another ending it counts half, as the beginning of a word a quarter.
  const count = (section, word) => {
    let sum = 0;
    for (const [other, times] of section.counts) {
      if (other === word) sum += times;
      else if (stem(other) === stem(word)) sum += times / 2;
      else if (word.length > 2 && other.startsWith(word)) sum += times / 4;
    }
    return sum;
  };
  const same = (word, other) => other === word || stem(other) === stem(word);
  const titled = (section, word) => Math.max(0, ...section.titleWords.map((other) =>
    (same(word, other) ? 1 : word.length > 2 && other.startsWith(word) ? .4 : 0)));

  // Okapi BM25 over the text; words in a title count more, most if the title has as many words as the query. `all`: a section must
  // have every word, not just one.
  const ranked = (words, all) => {
    const mean = sections.reduce((sum, section) => sum + section.length, 0) / sections.length;
    const scores = sections.map(() => 0), has = sections.map(() => all);
    for (const word of words) {
      const counts = sections.map((section) => count(section, word));
      const titles = sections.map((section) => titled(section, word));
      const holders = sections.filter((_, i) => counts[i] || titles[i]).length;
      const rarity = Math.log(1 + (sections.length - holders + .5) / (holders + .5));
      sections.forEach((section, i) => {
        const here = counts[i] > 0 || titles[i] > 0;
        has[i] = all ? has[i] && here : has[i] || here;
        const damped = counts[i] * 2.2 / (counts[i] + 1.2 * (.25 + .75 * section.length / mean));
        const name = titles[i] && WEIGHT[section.kind] * titles[i] * (words.length === section.titleWords.length ? 2 : .6);
        const term = section.defined.some((other) => same(word, other)) ? DEFINED : 0;
        scores[i] += rarity * (damped + name + term);
      });
    }
    return sections.map((section, i) => ({ section, score: scores[i] })).filter((_, i) => has[i])
      .sort((a, b) => b.score - a.score).map(({ section }) => section);
  };

  // A replacement for a word that the book does not contain: the one with the fewest letters changed, at most one in four.
  const changes = (a, b) => {
    let row = [...Array(b.length + 1).keys()];
    for (let i = 1; i <= a.length; ++i) {
      const above = row;
      row = [i];
      for (let j = 1; j <= b.length; ++j)
        row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] !== b[j - 1]));
    }
    return row[b.length];
  };
  const known = (word) => sections.some((section) => count(section, word) || titled(section, word));
  const nearest = (word) => {
    let best = word, least = Math.floor(word.length / 4) + 1;
    for (const other of new Set(sections.flatMap((section) => [...section.counts.keys()]))) {
      if (Math.abs(other.length - word.length) >= least) continue;
      const changed = changes(word, other);
      if (changed < least) [best, least] = [other, changed];
    }
    return best;
  };

  // A few words around the first match, with all matches marked.
  const excerpt = (text, words) => {
    const paragraph = made("p");
    const finds = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(([token]) => {
      const [plain] = split(token);
      return plain && words.some((word) => plain.startsWith(word) || stem(plain) === stem(word));
    });
    const first = finds[0]?.index ?? 0;
    let start = first < EXCERPT / 2 ? 0 : text.lastIndexOf(". ", first) + 2;
    if (start < first - EXCERPT / 2 || start < 2) start = first < EXCERPT / 2 ? 0 : text.indexOf(" ", first - EXCERPT / 2) + 1;
    const end = start + EXCERPT >= text.length ? text.length : text.lastIndexOf(" ", start + EXCERPT);
    let at = start;
    for (const find of finds) {
      if (find.index < at || find.index + find[0].length > end) continue;
      paragraph.append(text.slice(at, find.index), made("mark", "", find[0]));
      at = find.index + find[0].length;
    }
    paragraph.append(text.slice(at, end), end < text.length ? " …" : "");
    if (start > 0) paragraph.prepend("… ");
    return paragraph;
  };

  const says = page ? document.querySelector(".hf-search-says") : made("p", "hf-search-says");
  const list = page ? document.querySelector(".hf-found") : made("ol", "hf-found");

  const look = (query) => {
    let words = [...new Set(split(query))];
    list.replaceChildren();
    if (!words.length) return says.textContent = "";
    if (!sections) {
      if (waiting === null) press.load(`${root}_static/search-text.js`);
      waiting = query;
      return says.textContent = "Searching …";
    }
    const meant = words.map((word) => known(word) ? word : nearest(word));
    const guess = meant.some((word, i) => word !== words[i]) ? `Showing results for ${meant.join(" ")}. ` : "";
    words = meant;
    const whole = ranked(words, true), found = whole.length || words.length === 1 ? whole : ranked(words, false);
    says.textContent = guess + (found.length === 0 ? `No section contains ${words.length > 1 ? "any of these words" : "this word"}.`
      : whole.length === 0 ? "No section contains all of these words. The closest:"
      : found.length > SHOWN ? `${found.length} results (${page ? `the best ${SHOWN} are shown` : "press Enter to see more"}):`
      : found.length === 1 ? "1 result." : `${found.length} results.`);
    for (const section of found.slice(0, SHOWN)) {
      const item = made("li"), link = made("a", "", section.title);
      link.href = section.address;
      item.append(link);
      if (section.kind !== "page") item.append(made("p", "hf-found-where", section.page));
      else if (/^\d/.test(section.page)) item.append(made("p", "hf-found-where", `Chapter ${section.page.slice(0, 2)}`));
      item.append(excerpt(section.text, words));
      list.append(item);
    }
  };

  const onPage = () => {
    const asked = () => {
      press.address({q: field.value});
      look(field.value);
    };
    form.addEventListener("submit", (event) => { event.preventDefault(); asked(); });
    field.addEventListener("input", asked);
    field.value = new URLSearchParams(location.search).get("q") ?? "";
  };
  const belowField = () => {
    const box = made("div", "hf-found-here"), show = () => { box.hidden = !field.value.trim(); };
    says.setAttribute("role", "status");
    box.append(says, list);
    form.append(box);
    field.addEventListener("input", () => { look(field.value); show(); });
    form.addEventListener("focusin", show);
    form.addEventListener("focusout", ({relatedTarget}) => { box.hidden = !form.contains(relatedTarget); });
    form.addEventListener("keydown", ({key}) => { if (key === "Escape") box.hidden = true; });
    box.addEventListener("pointerdown", (event) => event.preventDefault());  // else the field would lose the focus
    show();
  };
  if (page) onPage(); else belowField();
  look(field.value);
})();
