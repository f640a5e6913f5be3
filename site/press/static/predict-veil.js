// Hides what would answer an open question: marks in its figures, and sentences. They keep their space, so that nothing moves when
// they appear; only a long run of hidden lines folds into one. Used by predict.js.
(() => {
  const BLOCKS = "p, ul, ol, table, div.math", MOST = 6;  // lines that are hidden without folding
  const EDGE = 2, LINE = 16;  // in units of a figure
  const {made: create} = press;
  const middle = ({x, y, width, height}) => [x + width / 2, y + height / 2];

  // Whether a line ends at one of some boxes.
  const leadsTo = (line, boxes) => {
    if (!line.getClientRects().length) return false;  // in a figure that is not shown
    const matrix = line.getScreenCTM(), length = line.getTotalLength();
    const ends = [0, length].map((at) => line.getPointAtLength(at).matrixTransform(matrix));
    return boxes.some(({left, right, top, bottom}) => ends.some(({x, y}) =>
      x > left - EDGE && x < right + EDGE && y > top - EDGE && y < bottom + EDGE));
  };

  // Whether a shape or text lies in a panel, to its right, or to its left between the names of two rows.
  const tells = ({top, bottom, left, right, rows}, box) => {
    const [x, y] = middle(box), beside = box.x > right;  // where it may have been moved down to lie on no other text
    if (y < top - LINE || y > bottom + (beside ? LINE : EDGE)) return false;
    return x > left - EDGE || rows.length > 0 && rows.every((row) => Math.abs(y - row) > LINE);
  };

  // Marks are the shapes and texts that tell the answer, of one colour if the question names one. Without panels, they are the
  // areas and the numbers with units. Lines that lead to a mark are marks too. Returns them, and the first panel that has any.
  const marksOf = (svg, colour) => {
    const found = press.bandsOf(svg), within = new Set(), leaders = svg.querySelectorAll("path.s-quiet:not([stroke-dasharray])");
    const marks = [...svg.querySelectorAll(":is(circle, polygon, path:not(.s-grid), text):not(.hf-drag *, .hf-bet *)")].filter((each) => {
      const box = each.getBBox(), number = /\d.*(%|\/s)/.test(each.textContent);
      const inside = found.find((panel) => tells(panel, box));
      const asked = !colour || each.matches(`.s-${colour}, .f-${colour}`);
      if (!(found.length ? inside && asked : each.matches("text") ? number : asked)) return false;
      return within.add(inside);
    });
    const boxes = marks.filter((each) => !each.matches(".s-quiet")).map((each) => each.getBoundingClientRect());
    const {x, width} = svg.viewBox.baseVal, all = {top: 0, left: x, right: x + width};
    if (!found.length) all.bottom = 2 * middle(marks.find((each) => each.matches("polygon")).getBBox())[1];
    return {marks: [...marks, ...[...leaders].filter((line) => leadsTo(line, boxes))],
      panel: found.length ? found.find((each) => within.has(each)) || found[0] : all};
  };

  const clear = () => {
    for (const name of ["hf-blank", "hf-folded", "hf-telling", "hf-covered"])
      document.querySelectorAll(`.${name}`).forEach((each) => each.classList.remove(name));
    for (const each of document.querySelectorAll(".hf-veiled")) {
      each.classList.remove("hf-veiled");
      for (const svg of each.querySelectorAll("svg[aria-labelledby]")) {
        const title = svg.getAttribute("aria-labelledby");
        svg.setAttribute("aria-labelledby", `${title} ${title.replace(/title$/, "desc")}`);
      }
    }
    document.querySelectorAll(".hf-cover, .hf-show, .hf-bet").forEach((each) => each.remove());
  };

  // Does something that may fold or unfold lines, while an element stays where it is on the screen.
  press.keeping = (kept, does) => {
    const before = kept.getBoundingClientRect().top, result = does();
    scrollBy({top: kept.getBoundingClientRect().top - before, behavior: "instant"});
    return result;
  };

  // Names the questions that hide something, leads to them, and offers to show it. A fold also says what the first one asks.
  const offer = (place, asked, lines = 0) => {
    const all = [...document.querySelectorAll(".hf-predict")];
    const links = asked.flatMap(({box}, i) => {
      const words = box.querySelector(".hf-predict-question p")?.textContent.trim() || "";
      const more = lines && !i && asked.length === 1 ? [": ", create("q", "", words)] : [];
      const link = create("a", "", i ? "" : asked.length > 1 ? "questions " : "question ", `${all.indexOf(box) + 1}`, ...more);
      return [i ? " and " : "", Object.assign(link, {href: `#${box.id}`, title: words})];
    });
    const show = Object.assign(create("button", "", `Show ${lines ? "them" : "it"} now`), {type: "button"});
    show.addEventListener("click", () => press.keeping(place, () => asked.forEach(({reveal}) => reveal())));
    const why = create("span", "", lines ? `${lines} hidden lines answer ` : "Answers ", ...links, lines ? "" : ".");
    return create("div", "hf-show", why, " ", show);
  };

  // Puts a button at [x, y, maximum width] in a figure.
  const put = ({made, svg}, at) => at.forEach((units, i) => made.style.setProperty(["left", "margin-top", "max-width"][i],
    `calc(min(100%, var(--hf-picture)) * ${units / svg.viewBox.baseVal.width})`));

  const middleOf = ({svg, panel: {left, right, top, bottom}}) => {
    const {x, y} = svg.viewBox.baseVal;
    return [(left + right) / 2 - x, (top + bottom) / 2 - y, right - left];
  };

  // The place in the panel where a button covers no visible word and as little as possible of what is drawn, nearest to the middle.
  const freePlace = (each) => {
    const {made, svg, panel: {left, right, top, bottom}} = each, centre = middleOf(each);
    const whole = svg.getBoundingClientRect(), unit = whole.width / svg.viewBox.baseVal.width;
    if (!unit) return centre;  // in a figure that is not shown
    const points = press.shapesOf(svg).filter((shape) => !shape.matches(".hf-telling")).flatMap(press.outline)
      .map(([x, y]) => [x - svg.viewBox.baseVal.x, y - svg.viewBox.baseVal.y]);  // from the figure's corner
    const words = [...svg.querySelectorAll("text:not(.hf-telling, .hf-drag *)")].map((each) => each.getBoundingClientRect());
    const {width: wide, height: high} = made.getBoundingClientRect();
    const covers = ([across, down]) => words.some((word) => Math.abs((word.left + word.right) / 2 - whole.left - across * unit)
      < (word.width + wide) / 2 && Math.abs((word.top + word.bottom) / 2 - whole.top - down * unit) < (word.height + high) / 2);
    const drawn = ([across, down]) => points.filter(([x, y]) =>
      Math.abs(x - across) < wide / unit / 2 && Math.abs(y - down) < high / unit / 2).length;
    const off = ([across, down]) => Math.hypot(across - centre[0], down - centre[1]);
    const steps = Array.from({length: 17}, (_, i) => (i - 8) / 18);
    const places = steps.flatMap((a) => steps.map((b) => [centre[0] + a * (right - left), centre[1] + b * (bottom - top)]))
      .filter(([across]) => across * unit >= wide / 2 && across * unit <= whole.width - wide / 2);
    const free = places.filter((at) => !covers(at)).map((at) => [drawn(at), off(at), at]);
    return free.sort(([a, near], [b, far]) => a - b || near - far)[0]?.[2] || centre;
  };

  // What to hide at a place; null if it must stay visible.
  const find = (name) => {
    const [id, colour] = name.split(".");
    const target = document.getElementById(id) || document.getElementById(`claim-${id}`);
    const linked = document.getElementById(location.hash.slice(1));  // a reader who follows a link to it must see it
    if (!target || target.contains(linked)) return null;
    const figures = target.matches("figure") ? [target] : [...target.querySelectorAll("figure")];
    const plots = figures.flatMap((figure) => [...figure.querySelectorAll("svg.hf-figure")]
      .map((svg) => ({figure, svg, ...marksOf(svg, colour)})));
    return {target, plots, runs: runsOf(target)};
  };

  // Neighbouring parts of a place that have only sentences: {parts, blocks, lines}. A part that also has figures or code never folds.
  const runsOf = (target) => {
    const runs = [], line = parseFloat(getComputedStyle(target).lineHeight);
    let run;
    for (const part of [...target.children].flatMap((each) => each.matches(".hf-slot") ? [...each.children] : each)) {
      const blocks = (part.matches(BLOCKS) ? [part] : [...part.querySelectorAll(BLOCKS)]).filter((each) => !each.closest("figure"));
      const mixed = !blocks.length || part.querySelector("figure, pre");
      if (mixed || !run) runs.push(run = {parts: [], blocks: [], lines: 0});
      run.parts.push(part);
      run.blocks.push(...blocks);
      run.lines += mixed ? 0 : part.getBoundingClientRect().height / line;
      if (mixed) run = null;
    }
    return runs;
  };

  // Hides what was found; returns the offers to show it that still need a place.
  const hide = ({target, plots, runs}, asked) => {
    const fresh = plots.filter(({figure}) => !figure.matches(".hf-veiled"));
    for (const {figure} of fresh) figure.classList.add("hf-veiled");
    for (const {svg, marks} of plots) {
      for (const each of marks) each.classList.add("hf-telling");
      svg.setAttribute("aria-labelledby", svg.getAttribute("aria-labelledby").split(" ")[0]);  // its description would tell the answer too
    }
    for (const {parts, blocks, lines} of runs) {
      const open = blocks.filter((block) => !block.closest(".hf-blank, .hf-folded")), folds = lines > MOST + .5;
      if (!open.length) continue;
      if (folds) parts.forEach((part) => part.classList.add("hf-folded"));
      else for (const block of open) if (!block.parentElement.closest(".hf-blank")) block.classList.add("hf-blank");
      target.classList.add("hf-covered");
      parts[0].before(create("div", folds ? "hf-cover hf-fold" : "hf-cover", offer(target, asked, folds && Math.round(lines))));
    }
    return fresh.map((plot) => ({...plot, made: plot.figure.appendChild(offer(plot.figure, asked))}));
  };

  // An error in one figure is reported, but the other figures and the hidden answers don't depend on it.
  const attempt = (does) => { try { does(); } catch (error) { reportError(error); } };

  // `open`: [{box, reveal}] for each unanswered question; `said`: [{box, bet, words, apart, fresh}] for each answer to draw: how far it
  // is from the truth, and whether it was just given.
  press.veil = (open, said) => {
    clear();
    for (const each of said) attempt(() => press.drawGuess(each));
    const places = new Map();  // {place: the questions that hide it}
    for (const each of open) for (const name of (each.box.dataset.reveals || "").split(" ").filter(Boolean))
      places.set(name, [...places.get(name) || [], each]);
    // Reading layout after writing forces a new layout, so everything is read first and written afterwards.
    const found = [...places].map(([name, asked]) => [find(name), asked]);
    const offers = found.flatMap(([place, asked]) => place ? hide(place, asked) : []);
    for (const each of offers) put(each, middleOf(each));
    offers.map((each) => [each, freePlace(each)]).forEach(([each, at]) => put(each, at));
  };
})();
