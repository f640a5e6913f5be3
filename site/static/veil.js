// What an open question would give away: the marks in its figures, and the sentences that tell. Their places stay as they
// are, so that nothing moves when they are shown. And what the reader said, drawn into the plot. For predict.js.
(() => {
  const BLOCKS = "p, ul, ol, table, div.math", OFFER = "Hidden until you answer: show me";
  const EDGE = 2, TICKS = 112, LINE = 16;  // in units of a figure
  const middle = ({x, y, width, height}) => [x + width / 2, y + height / 2];
  const make = (tag, parent, attributes, words = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = words;
    return parent.appendChild(made);
  };

  hardwareFirst.shape = make;

  // Whether a line ends at one of some boxes.
  const leadsTo = (line, boxes) => {
    if (!line.getClientRects().length) return false;  // in a figure that is not shown
    const matrix = line.getScreenCTM(), length = line.getTotalLength();
    const ends = [0, length].map((at) => line.getPointAtLength(at).matrixTransform(matrix));
    return boxes.some(({left, right, top, bottom}) => ends.some(({x, y}) =>
      x > left - EDGE && x < right + EDGE && y > top - EDGE && y < bottom + EDGE));
  };

  // Where there are level lines alone, a panel ends where the next line is much further down than they usually are.
  const stacked = (lines) => {
    const gaps = lines.slice(1).map((y, i) => y - lines[i]), usual = [...gaps].sort((a, b) => a - b)[gaps.length >> 1];
    const ends = [...gaps.flatMap((gap, i) => gap > 1.5 * usual ? [i + 1] : []), lines.length];
    return ends.map((end, i) => ({y: lines[i ? ends[i - 1] : 0], height: lines[end - 1] - lines[i ? ends[i - 1] : 0]}));
  };

  // The panels of a plot, one below the other, as its grid shows them; none where it has none.
  const panels = (svg) => {
    const grid = [...svg.querySelectorAll(".s-grid")].map((line) => line.getBBox());
    const level = grid.filter(({height}) => height < 1), upright = grid.filter(({width}) => width < 1);
    const heights = new Map((upright.length ? upright : stacked(level.map(({y}) => y).sort((a, b) => a - b)))
      .map(({y, height}) => [Math.round(y), {top: y, bottom: y + height}]));
    return [...heights.values()].sort((a, b) => a.top - b.top).filter(({top}) => isFinite(top)).map(({top, bottom}) => {
      const within = grid.filter(({y, height}) => y > top - EDGE && y + height < bottom + EDGE);
      return {top, bottom, left: Math.min(...within.map(({x}) => x)), right: Math.max(...within.map(({x, width}) => x + width))};
    });
  };

  // Marks are what lies in a panel or to the right of it, in the one colour if the question names one. Where there are no
  // panels, they are the areas and the numbers with units. A line that leads to a mark is one, too. Returns them, and the first
  // panel that has any.
  const marksOf = (svg, colour) => {
    const found = panels(svg), within = new Set(), leaders = svg.querySelectorAll("path.s-quiet:not([stroke-dasharray])");
    const marks = [...svg.querySelectorAll("circle, polygon, path:not(.s-grid), text")].filter((each) => {
      const [x, y] = middle(each.getBBox()), number = /\d.*(%|\/s)/.test(each.textContent);
      const inside = found.find(({top, bottom, left}) => y > top - LINE && y < bottom + EDGE && x > left - EDGE);
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
    document.querySelectorAll(".hf-blank").forEach((each) => each.classList.remove("hf-blank"));
    document.querySelectorAll(".hf-telling").forEach((each) => each.classList.remove("hf-telling"));
    for (const each of document.querySelectorAll(".hf-veiled")) {
      each.classList.remove("hf-veiled");
      for (const svg of each.querySelectorAll("svg[aria-labelledby]")) {
        const title = svg.getAttribute("aria-labelledby");
        svg.setAttribute("aria-labelledby", `${title} ${title.replace(/title$/, "desc")}`);
      }
    }
    document.querySelectorAll(".hf-cover, .hf-show, .hf-bet").forEach((each) => each.remove());
  };

  const button = (parent, press) => {
    const made = Object.assign(document.createElement("button"), {type: "button", className: "hf-show", textContent: OFFER});
    made.addEventListener("click", press);
    return parent.appendChild(made);
  };

  // Puts a button at [across, down, at most as wide] in a figure.
  const put = ({made, svg}, at) => at.forEach((units, i) => made.style.setProperty(["left", "margin-top", "max-width"][i],
    `calc(min(100%, var(--hf-picture)) * ${units / svg.viewBox.baseVal.width})`));

  const middleOf = ({svg, panel: {left, right, top, bottom}}) => {
    const {x, y} = svg.viewBox.baseVal;
    return [(left + right) / 2 - x, (top + bottom) / 2 - y, right - left];
  };

  // Where a button is as near to the middle of its panel as it can be without covering a word that is seen.
  const freePlace = (each) => {
    const {made, svg, panel: {left, right, top, bottom}} = each, centre = middleOf(each);
    const whole = svg.getBoundingClientRect(), unit = whole.width / svg.viewBox.baseVal.width;
    const words = [...svg.querySelectorAll("text:not(.hf-telling)")].map((each) => each.getBoundingClientRect());
    const {width: wide, height: high} = made.getBoundingClientRect();
    const covers = ([across, down]) => words.some((word) => Math.abs((word.left + word.right) / 2 - whole.left - across * unit)
      < (word.width + wide) / 2 && Math.abs((word.top + word.bottom) / 2 - whole.top - down * unit) < (word.height + high) / 2);
    const off = ([across, down]) => Math.hypot(across - centre[0], down - centre[1]);
    const steps = Array.from({length: 17}, (_, i) => (i - 8) / 18);
    const places = steps.flatMap((a) => steps.map((b) => [centre[0] + a * (right - left), centre[1] + b * (bottom - top)]))
      .filter(([across]) => across * unit >= wide / 2 && across * unit <= whole.width - wide / 2);
    return places.sort((a, b) => off(a) - off(b)).find((at) => !covers(at)) || centre;
  };

  // Where a place is, and what hiding it takes; null where it is to be seen.
  const find = (name) => {
    const [id, colour] = name.split(".");
    const target = document.getElementById(id) || document.getElementById(`claim-${id}`);
    const linked = document.getElementById(location.hash.slice(1));  // whoever follows a link to it wants to see it
    if (!target || target.contains(linked)) return null;
    const figures = target.matches("figure") ? [target] : [...target.querySelectorAll("figure")];
    const plots = figures.flatMap((figure) => [...figure.querySelectorAll("svg.hf-figure")]
      .map((svg) => ({figure, svg, ...marksOf(svg, colour)})));
    const from = target.getBoundingClientRect().top;
    const blocks = [...target.querySelectorAll(BLOCKS)].filter((each) => !each.closest("figure"))
      .map((block) => ({block, top: block.getBoundingClientRect().top - from}));
    return {target, figures, plots, blocks};
  };

  // Hides what was found; returns the buttons that have yet to find their place.
  const hide = ({target, figures, plots, blocks}, press) => {
    const fresh = figures.filter((figure) => !figure.matches(".hf-veiled"));
    for (const figure of fresh) figure.classList.add("hf-veiled");
    for (const {svg, marks} of plots) {
      for (const each of marks) each.classList.add("hf-telling");
      svg.setAttribute("aria-labelledby", svg.getAttribute("aria-labelledby").split(" ")[0]);  // its description tells, too
    }
    const open = blocks.filter(({block}) => !block.closest(".hf-blank"));
    for (const {block} of open) if (!block.parentElement.closest(".hf-blank")) block.classList.add("hf-blank");
    if (open.length) {
      // Over the sentences the button stays on the screen while they are scrolled past.
      const cover = Object.assign(document.createElement("div"), {className: "hf-cover"});
      [...target.children].find((child) => child.contains(open[0].block)).before(cover);  // the last child is still the last
      cover.style.top = `${open[0].top}px`;
      button(cover, press);
    }
    return plots.filter(({figure}) => fresh.includes(figure)).map((plot) => ({...plot, made: button(plot.figure, press)}));
  };

  // "2¹⁶", "0.5", "1 %", "256 KiB": a number beside an axis.
  const numberOf = (text) => {
    const capacity = text.match(/^(\d+)\s?([KMGT])iB$/);
    if (capacity) return capacity[1] * 1024 ** (1 + "KMGT".indexOf(capacity[2]));
    const power = text.match(/^(\d+)([⁻⁰¹²³⁴-⁹]+)$/);
    if (!power) return Number(text.replace(/\s/g, "") || NaN);
    return power[1] ** Number([...power[2]].map((digit) => digit === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)).join(""));
  };

  // Where a number lies on an axis of a panel, by the numbers that stand there.
  const placeOn = (svg, {left, right, top, bottom}, axis, number) => {
    const stands = (x, y) => axis === "x" ? y > bottom && y < bottom + TICKS && x > left - LINE && x < right + LINE
      : x < left && y > top - LINE && y < bottom + LINE;
    const beside = [...svg.querySelectorAll("text.f-quiet")].map((text) => [numberOf(text.textContent), ...middle(text.getBBox())])
      .filter(([value, x, y]) => isFinite(value) && stands(x, y)), row = Math.min(...beside.map(([, , y]) => y));
    const ticks = beside.filter(([, , y]) => axis === "y" || y < row + EDGE).map(([value, x, y]) => [value, axis === "x" ? x : y])
      .sort((a, b) => a[0] - b[0]);
    if (ticks.length < 3) return NaN;
    const [[a, from], [b, between], [c, to]] = [ticks[0], ticks[Math.floor(ticks.length / 2)], ticks.at(-1)];
    const on = (scale, value) => from + (to - from) * (scale(value) - scale(a)) / (scale(c) - scale(a));
    const missed = (scale) => Math.abs(on(scale, b) - between);
    return on(a > 0 && missed(Math.log) < missed(Number) ? Math.log : Number, number);
  };

  hardwareFirst.panelsOf = panels;
  // The same in the plot that an axis is of, "y" or that of its second panel, "y2"; NaN where there is none.
  hardwareFirst.placeOn = (svg, axis, number) => {
    const panel = panels(svg)[axis[1] ? 1 : 0];
    return panel ? placeOn(svg, panel, axis[0], number) : NaN;
  };

  // Writes words at the first of some places, [x, y, anchor], where they fit and lie on no others; at the first if there is none.
  hardwareFirst.write = (parent, words, places) => {
    const svg = parent.ownerSVGElement, whole = svg.getBoundingClientRect();
    const others = [...svg.querySelectorAll("text")].map((each) => each.getBoundingClientRect());
    const text = make("text", parent, {}, words);
    const put = ([x, y, anchor]) => {
      for (const [name, value] of Object.entries({x, y, "text-anchor": anchor})) text.setAttribute(name, value);
      const own = text.getBoundingClientRect(), letters = own.height * 0.7;  // the rest of a line is room above and below
      return own.left >= whole.left && own.right <= whole.right && !others.some(({left, right, top, bottom}) =>
        left < own.right && own.left < right && top < own.top + letters && own.bottom - letters < bottom);
    };
    if (!places.some(put)) put(places[0]);
  };

  // Where the words of a line can stand: beside it from the top down, where there is more room first; above it or below, from
  // the left to the right.
  const besideUpright = ({left, right, top, bottom}, x) => {
    const sides = [[x + 8, "start"], [x - 8, "end"]], rows = Math.ceil((bottom - top) / LINE);
    if (x > (left + right) / 2) sides.reverse();
    return sides.flatMap(([at, anchor]) => Array.from({length: rows}, (_, i) => [at, top + (i + 1) * LINE, anchor]));
  };
  const alongLevel = ({left, right, top}, y) => [y - 8, y + LINE + 6, y - 2 * LINE, y - 4 * LINE, y + 3 * LINE]
    .filter((row) => row > top + LINE)
    .flatMap((row) => Array.from({length: 12}, (_, i) => [left + 6 + i * (right - left) / 12, row, "start"]));

  const draw = ({box, bet, words, scale: {times, over}}) => {
    const {figure, axis} = box.dataset, within = (low, at, high) => Math.max(low, Math.min(high, at));
    for (const svg of document.querySelectorAll(`#${CSS.escape(figure)} svg.hf-figure`)) {
      const panel = panels(svg)[axis[1] ? 1 : 0];
      const at = hardwareFirst.placeOn(svg, axis, times ? bet * times : over ? over / bet : bet);
      if (!isFinite(at)) continue;
      const {left, right, top, bottom} = panel, drawn = make("g", svg, {class: "hf-bet"});
      svg.insertBefore(drawn, svg.querySelector("text"));  // it strikes out no label
      const x = within(left, at, right), y = within(top, at, bottom);
      make("path", drawn, {d: axis[0] === "x" ? `M${x},${top}V${bottom}` : `M${left},${y}H${right}`});
      hardwareFirst.write(drawn, words, axis[0] === "x" ? besideUpright(panel, x) : alongLevel(panel, y));
    }
  };

  // `open`: [{box, press}] of the questions without an answer; `said`: [{box, bet, words, scale}] of what is to be drawn.
  hardwareFirst.veil = (open, said) => {
    clear();
    said.forEach(draw);
    const presses = new Map();  // a place that several questions hide is shown by one press
    for (const {box, press} of open) for (const name of (box.dataset.reveals || "").split(" ").filter(Boolean))
      presses.set(name, [...presses.get(name) || [], press]);
    // A page is laid out again when something is read of it after something was written. So all is read, then all written.
    const found = [...presses].map(([name, all]) => [find(name), () => all.forEach((press) => press())]);
    const offers = found.flatMap(([place, press]) => place ? hide(place, press) : []);
    for (const each of offers) put(each, middleOf(each));
    const places = offers.map(freePlace);
    offers.forEach((each, i) => put(each, places[i]));
  };
})();
