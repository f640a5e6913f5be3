// Hides what would answer an open question: marks in its figures, and sentences. They keep their space, so that nothing moves when
// they appear; only a long run of hidden lines folds into one. Also draws the reader's answer into the plot. Used by predict.js.
(() => {
  const BLOCKS = "p, ul, ol, table, div.math", MOST = 6;  // lines that are hidden without folding
  const EDGE = 2, TICKS = 112, LINE = 16, STEP = 8, ROOM = 120;  // in units of a figure
  const RISE = 13, FALL = 4, SEAM = 3;  // how far letters reach above and below their line, and what a word hides around them
  const middle = ({x, y, width, height}) => [x + width / 2, y + height / 2];
  const make = (tag, parent, attributes, words = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = words;
    return parent.appendChild(made);
  };

  press.shape = make;

  // Whether a line ends at one of some boxes.
  const leadsTo = (line, boxes) => {
    if (!line.getClientRects().length) return false;  // in a figure that is not shown
    const matrix = line.getScreenCTM(), length = line.getTotalLength();
    const ends = [0, length].map((at) => line.getPointAtLength(at).matrixTransform(matrix));
    return boxes.some(({left, right, top, bottom}) => ends.some(({x, y}) =>
      x > left - EDGE && x < right + EDGE && y > top - EDGE && y < bottom + EDGE));
  };

  // The grid lines of each panel, where they go one way only: a panel ends where the gap to the next line is much larger than the
  // gaps beside it, or the number at the next line is larger.
  const groups = (places, numberAt = () => NaN) => {
    const lines = [...new Set(places)].sort((a, b) => a - b), gaps = lines.slice(1).map((line, i) => line - lines[i]);
    const wide = (gap, i) => gap > 1.5 * Math.max(gaps[i - 1] ?? 0, gaps[i + 1] ?? 0);
    const ends = gaps.flatMap((gap, i) => gaps.length > 1 && wide(gap, i) || numberAt(lines[i + 1]) > numberAt(lines[i]) ? [i + 1] : []);
    return [0, ...ends].map((start, i) => lines.slice(start, ends[i]));
  };

  // The heights of horizontal grid lines, of which one path may hold several.
  const levels = (svg) => [...svg.querySelectorAll(".s-grid")].flatMap((path) =>
    [...path.getAttribute("d").matchAll(/,([\d.]+)L[\d.]+,\1(?![\d.])/g)].map(([, y]) => Number(y)));

  // The number beside a level line; numbers fall from the top of an axis to its bottom.
  const numberBeside = (svg) => {
    const words = [...svg.querySelectorAll("text.f-quiet[text-anchor=end]")].map((text) => [numberOf(text.textContent), text.getBBox()]);
    return (line) => words.find(([, box]) => Math.abs(middle(box)[1] - line) < 2 * EDGE)?.[0] ?? NaN;
  };

  // The rows of panels in a plot, from top to bottom, found by its grid; empty if it has none. Where no upright line tells how high a
  // row is, the axis goes on above its last line, up to a `ceiling`, for less than a gap: else it would have another line.
  const bands = (svg) => {
    const grid = [...svg.querySelectorAll(".s-grid")].map((line) => line.getBBox());
    const level = grid.filter(({height}) => height < 1), upright = grid.filter(({width}) => width < 1);
    const spans = upright.length
      ? upright.map(({y, height}) => ({top: y, bottom: y + height, ceiling: y}))
      : groups(level.map(({y}) => y), numberBeside(svg))
        .map((lines) => ({top: lines[0], bottom: lines.at(-1), ceiling: 2 * lines[0] - lines[1]}));
    const rows = new Map(spans.map((span) => [Math.round(span.top), span]));
    return [...rows.values()].sort((a, b) => a.top - b.top).filter(({top}) => isFinite(top)).map(({top, bottom, ceiling}) => {
      const within = grid.filter(({y, height}) => y > top - EDGE && y + height < bottom + EDGE);
      const rows = levels(svg).filter((y) => y > top - EDGE && y < bottom + EDGE);
      const left = Math.min(...within.map(({x}) => x)), right = Math.max(...within.map(({x, width}) => x + width));
      return {top, bottom, ceiling, rows, within, left, right, end: right};
    });
  };

  // The panels of a plot, row by row. Those side by side have no level lines, which would join them, so the `end` of each is found as
  // a ceiling is.
  const panels = (svg) => bands(svg).flatMap((band) => {
    if (band.within.some(({width}) => width >= 1)) return [band];
    const {x, width} = svg.viewBox.baseVal;
    return groups(band.within.map(({x}) => x)).map((lines) => ({...band, left: lines[0], right: lines.at(-1),
      end: Math.min(2 * lines.at(-1) - lines.at(-2), x + width - LINE)}));
  });

  // Whether a shape or text lies in a panel, to its right, or to its left between the names of two rows.
  const tells = ({top, bottom, left, right, rows}, box) => {
    const [x, y] = middle(box), beside = box.x > right;  // where it may have been moved down to lie on no other text
    if (y < top - LINE || y > bottom + (beside ? LINE : EDGE)) return false;
    return x > left - EDGE || rows.length > 0 && rows.every((row) => Math.abs(y - row) > LINE);
  };

  // Marks are the shapes and texts that tell the answer, of one colour if the question names one. Without panels, they are the
  // areas and the numbers with units. Lines that lead to a mark are marks too. Returns them, and the first panel that has any.
  const marksOf = (svg, colour) => {
    const found = bands(svg), within = new Set(), leaders = svg.querySelectorAll("path.s-quiet:not([stroke-dasharray])");
    const marks = [...svg.querySelectorAll("circle, polygon, path:not(.s-grid), text")].filter((each) => {
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

  const element = (tag, name, ...parts) => {
    const made = Object.assign(document.createElement(tag), {className: name});
    made.append(...parts);
    return made;
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
      const words = box.querySelector(".hf-predict-question").textContent.trim();
      const more = lines && !i && asked.length === 1 ? [": ", element("q", "", words)] : [];
      const link = element("a", "", i ? "" : "question ", `${all.indexOf(box) + 1}`, ...more);
      return [i ? " and " : "", Object.assign(link, {href: `#${box.id}`, title: words})];
    });
    const show = Object.assign(element("button", "", `Show ${lines ? "them" : "it"} now`), {type: "button"});
    show.addEventListener("click", () => press.keeping(place, () => asked.forEach(({reveal}) => reveal())));
    const why = element("span", "", lines ? `${lines} lines answer ` : "Answers ", ...links, lines ? "" : ".");
    return element("div", "hf-show", why, " ", show);
  };

  // Puts a button at [x, y, maximum width] in a figure.
  const put = ({made, svg}, at) => at.forEach((units, i) => made.style.setProperty(["left", "margin-top", "max-width"][i],
    `calc(min(100%, var(--hf-picture)) * ${units / svg.viewBox.baseVal.width})`));

  const middleOf = ({svg, panel: {left, right, top, bottom}}) => {
    const {x, y} = svg.viewBox.baseVal;
    return [(left + right) / 2 - x, (top + bottom) / 2 - y, right - left];
  };

  const shapesOf = (svg) => [...svg.querySelectorAll(":is(circle, polygon, polyline, path):not(.s-grid)")]
    .filter((shape) => shape.getClientRects().length);

  // Points on the outline of a shape, each with half of the line's width.
  const outline = (shape) => Array.from({length: Math.ceil(shape.getTotalLength() / STEP)}, (_, i) => {
    const {x, y} = shape.getPointAtLength(i * STEP);
    return [x, y, shape.getAttribute("stroke-width") / 2];
  });

  // The place in the panel where a button covers no visible word and as little as possible of what is drawn, nearest to the middle.
  const freePlace = (each) => {
    const {made, svg, panel: {left, right, top, bottom}} = each, centre = middleOf(each);
    const whole = svg.getBoundingClientRect(), unit = whole.width / svg.viewBox.baseVal.width;
    if (!unit) return centre;  // in a figure that is not shown
    const points = shapesOf(svg).filter((shape) => !shape.matches(".hf-telling")).flatMap(outline)
      .map(([x, y]) => [x - svg.viewBox.baseVal.x, y - svg.viewBox.baseVal.y]);  // from the figure's corner
    const words = [...svg.querySelectorAll("text:not(.hf-telling)")].map((each) => each.getBoundingClientRect());
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
    return {target, figures, plots, runs: runsOf(target)};
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
  const hide = ({target, figures, plots, runs}, asked) => {
    const fresh = figures.filter((figure) => !figure.matches(".hf-veiled"));
    for (const figure of fresh) figure.classList.add("hf-veiled");
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
      parts[0].before(element("div", folds ? "hf-cover hf-fold" : "hf-cover", offer(target, asked, folds && Math.round(lines))));
    }
    return plots.filter(({figure}) => fresh.includes(figure)).map((plot) => ({...plot, made: plot.figure.appendChild(offer(plot.figure, asked))}));
  };

  // "2¹⁶", "0.5", "16,384", "256 KiB": a number beside an axis.
  const numberOf = (text) => {
    const capacity = text.match(/^(\d+)\s?([KMGT])iB$/);
    if (capacity) return capacity[1] * 1024 ** (1 + "KMGT".indexOf(capacity[2]));
    const power = text.match(/^(\d+)([⁻⁰¹²³⁴-⁹]+)$/);
    if (!power) return Number(text.replace(/[\s,]/g, "") || NaN);
    return power[1] ** Number([...power[2]].map((digit) => digit === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)).join(""));
  };

  // The position of a number on an axis of a panel, judging by the axis labels.
  const placeOn = (svg, {left, right, top, bottom}, axis, number) => {
    const stands = (x, y) => axis === "x" ? y > bottom && y < bottom + TICKS && x > left - LINE && x < right + LINE
      : x < left && y > top - LINE && y < bottom + LINE;
    // Each label's number, its place along the axis, and its distance from the panel: the nearest labels are this panel's own.
    const beside = [...svg.querySelectorAll("text.f-quiet")].map((text) => [numberOf(text.textContent), text.getBBox()])
      .filter(([value, box]) => isFinite(value) && stands(...middle(box)))
      .map(([value, box]) => axis === "x" ? [value, ...middle(box)] : [value, middle(box)[1], left - box.x - box.width]);
    const near = Math.min(...beside.map(([, , away]) => away));
    const ticks = beside.filter(([, , away]) => away < near + EDGE).sort((a, b) => a[0] - b[0]);
    if (ticks.length < 3) return NaN;
    const [[a, from], [b, between], [c, to]] = [ticks[0], ticks[Math.floor(ticks.length / 2)], ticks.at(-1)];
    const on = (scale, value) => from + (to - from) * (scale(value) - scale(a)) / (scale(c) - scale(a));
    const missed = (scale) => Math.abs(on(scale, b) - between);
    return on(a > 0 && missed(Math.log) < missed(Number) ? Math.log : Number, number);
  };

  press.panelsOf = panels;
  // The same for an axis of the plot: "y", or "y2" in its second panel; NaN if there is none.
  press.placeOn = (svg, axis, number) => {
    const panel = panels(svg)[axis[1] ? 1 : 0];
    return panel ? placeOn(svg, panel, axis[0], number) : NaN;
  };

  // Where an element is, in units of its figure, even if it is rotated.
  const boxIn = (svg, element) => {
    const {x, y, width} = svg.viewBox.baseVal, whole = svg.getBoundingClientRect(), unit = whole.width / width;
    const {left, right, top, bottom} = element.getBoundingClientRect();
    return {left: x + (left - whole.left) / unit, right: x + (right - whole.left) / unit,
      top: y + (top - whole.top) / unit, bottom: y + (bottom - whole.top) / unit};
  };

  // How much of what is drawn letters in a box would hide: points of outlines, or the inside of an area.
  const hiddenBy = (shapes) => {
    const points = shapes.flatMap(outline), areas = shapes.filter((shape) => shape.matches("polygon"));
    return ({left, right, base}) => {
      const hits = points.filter(([x, y, half]) => x > left - SEAM - half && x < right + SEAM + half &&
        y > base - RISE - SEAM - half && y < base + FALL + SEAM + half);
      const within = [left, (left + right) / 2, right].map((x) => new DOMPoint(x, base - RISE / 2));
      return hits.length || areas.filter((area) => within.some((point) => area.isPointInFill(point))).length;
    };
  };

  // Writes words at the first of some places, [x, y, anchor, …], where they fit, overlap no others and hide nothing that is drawn;
  // else where they hide the least. Returns the place.
  press.write = (parent, words, places) => {
    const svg = parent.ownerSVGElement, {x: left, y: top, width, height} = svg.viewBox.baseVal;
    const others = [...svg.querySelectorAll("text")].map((each) => boxIn(svg, each));
    const hidden = hiddenBy(shapesOf(svg).filter((shape) => !parent.contains(shape)));
    const text = make("text", parent, {x: 0, y: 0}, words), own = text.getBBox();
    const boxAt = ([x, y, anchor]) => {
      const start = anchor === "end" ? x - own.width : x;
      return {left: start, right: start + own.width, base: y};
    };
    const fits = (box) => box.left >= left && box.right <= left + width && box.base - RISE >= top && box.base + FALL <= top + height &&
      !others.some((other) => other.left < box.right + SEAM && box.left - SEAM < other.right &&
        other.top < box.base && box.base - RISE < other.bottom);
    let best = {place: places[0], hides: Infinity};
    for (const place of places) {
      const box = boxAt(place), hides = fits(box) ? hidden(box) : Infinity;
      if (hides < best.hides) best = {place, hides};
      if (!hides) break;
    }
    const [x, y, anchor] = best.place;
    for (const [name, value] of Object.entries({x, y, "text-anchor": anchor})) text.setAttribute(name, value);
    return best.place;
  };

  // Candidate places for a line's words, the nearest to the line first; words that are not beside it have a leader to it. Beside a
  // vertical line, they go from top to bottom, on the roomier side first; above or below a horizontal one, from left to right.
  const several = (count, at) => Array.from({length: Math.max(0, Math.ceil(count))}, (_, i) => at(i)).flat();
  const besideUpright = ({left, right, top, bottom}, x) => {
    const sides = x > (left + right) / 2 ? [-1, 1] : [1, -1];
    return several((right - left) / LINE, (far) => sides.map((side) => [side, x + side * (8 + far * LINE)])
      .filter(([side, at]) => side > 0 || at > left + ROOM)  // on the left are the names of rows
      .flatMap(([side, at]) => several((bottom - top) / LINE, (row) => {
        const y = top + (row + 1) * LINE, leader = {class: "hf-leader", d: `M${x},${y - RISE / 2}H${at - side * 4}`};
        return [[at, y, side > 0 ? "start" : "end", far ? [leader] : []]];
      })));
  };
  const alongLevel = ({left, right, top, bottom, ceiling}, y) => several((bottom - top) / LINE, (far) =>
    [y - 8 - far * LINE, y + LINE + 6 + far * LINE].filter((row) => row > ceiling + LINE && row < bottom - FALL)
      .flatMap((row) => several(24, (column) => {
        const x = left + 6 + column * (right - left) / 24, end = row < y ? row + FALL + 2 : row - RISE - 2;
        return [[x, row, "start", far ? [{class: "hf-leader", d: `M${x + LINE},${y}V${end}`}] : []]];
      })));

  // The same for an answer beyond an end of the axis: beside a dashed arrow that leads out of the panel there.
  const arrow = (shaft, head) => [{d: shaft, "stroke-dasharray": "5 4"}, {d: head}];
  const beyondUpright = ({left, top, bottom, end: right}, side) => several((bottom - top) / LINE, (row) => {
    const end = side > 0 ? right : left, back = end - side * 7, y = top + (row + 1) * LINE, middle = y - RISE / 2;
    return [[end - side * 36, y, side > 0 ? "end" : "start",
      arrow(`M${end - side * 30},${middle}H${end}`, `M${back},${middle - 5}L${end},${middle}L${back},${middle + 5}`)]];
  });
  const beyondLevel = ({left, right, bottom, ceiling}, side) => several((bottom - ceiling) / LINE, (far) => several(24, (column) => {
    const end = side > 0 ? bottom : ceiling, back = end - side * 7, x = left + 8 + column * (right - left) / 24;
    const y = end - side * (17 + far * LINE) + 5, tail = side > 0 ? y - RISE : y + FALL;
    return [[x + 8, y, "start", arrow(`M${x},${tail}V${end}`, `M${x - 5},${back}L${x},${end}L${x + 5},${back}`)]];
  }));

  const draw = ({box, bet, words, scale: {times, over}}) => {
    const {figure, axis} = box.dataset, upright = axis[0] === "x";
    for (const svg of document.querySelectorAll(`#${CSS.escape(figure)} svg.hf-figure`)) {
      const panel = panels(svg)[axis[1] ? 1 : 0];
      const at = press.placeOn(svg, axis, times ? bet * times : over ? over / bet : bet);
      if (!isFinite(at)) continue;
      const {left, right, end, top, bottom, ceiling} = panel, drawn = make("g", svg, {class: "hf-bet"});
      svg.insertBefore(drawn, svg.querySelector(":scope > text"));  // below the labels, so that it does not cross them out
      const [low, high] = upright ? [left, end] : [ceiling, bottom], beyond = at < low - EDGE ? -1 : at > high + EDGE ? 1 : 0;
      if (!beyond) make("path", drawn, {d: upright ? `M${at},${top}V${bottom}` : `M${left},${at}H${right}`});
      const [outside, inside] = upright ? [beyondUpright, besideUpright] : [beyondLevel, alongLevel];
      const [, , , leader] = press.write(drawn, words, beyond ? outside(panel, beyond) : inside(panel, at));
      for (const path of leader) make("path", drawn, path);
    }
  };

  // An error in one figure is reported, but the other figures and the hidden answers don't depend on it.
  const attempt = (does) => { try { does(); } catch (error) { reportError(error); } };

  // `open`: [{box, reveal}] for each unanswered question; `said`: [{box, bet, words, scale}] for each answer to draw.
  press.veil = (open, said) => {
    clear();
    for (const each of said) attempt(() => draw(each));
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
