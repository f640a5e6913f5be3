// Reads the axes of plots, and draws the reader's answers into them, with a bracket from each to the truth. Used by predict.js,
// predict-veil.js and predict-drag.js.
(() => {
  const EDGE = 2, TICKS = 112, LINE = 16, STEP = 8, ROOM = 120, NEAR = 8;  // in units of a figure
  const RISE = 13, FALL = 4, SEAM = 3;  // how far letters reach above and below their line, and what a word hides around them
  const middle = ({x, y, width, height}) => [x + width / 2, y + height / 2];
  const make = (tag, parent, attributes, words = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.textContent = words;
    return parent.appendChild(made);
  };

  press.shape = make;

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

  const shapesOf = (svg) => [...svg.querySelectorAll(":is(circle, polygon, polyline, path):not(.s-grid)")]
    .filter((shape) => shape.getClientRects().length && !shape.closest(".hf-drag"));

  // Points on the outline of a shape, each with half of the line's width.
  const outline = (shape) => Array.from({length: Math.ceil(shape.getTotalLength() / STEP)}, (_, i) => {
    const {x, y} = shape.getPointAtLength(i * STEP);
    return [x, y, shape.getAttribute("stroke-width") / 2];
  });

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
    const stands = (x, y) => axis === "x" ? y > bottom && y < bottom + TICKS && x > left - EDGE && x < right + LINE
      : x < left && y > top - LINE && y < bottom + LINE;
    const rows = levels(svg), level = (y) => rows.find((row) => Math.abs(row - y) < 2 * EDGE) ?? y;  // the grid line beside a label
    // Each label's number, its place along the axis, and its distance from the panel: the nearest labels are this panel's own.
    const beside = [...svg.querySelectorAll("text.f-quiet")].map((text) => [numberOf(text.textContent), text.getBBox()])
      .filter(([value, box]) => isFinite(value) && stands(...middle(box)))
      .map(([value, box]) => axis === "x" ? [value, ...middle(box)] : [value, level(middle(box)[1]), left - box.x - box.width]);
    const near = Math.min(...beside.map(([, , away]) => away));
    const ticks = beside.filter(([, , away]) => away < near + EDGE).sort((a, b) => a[0] - b[0]);
    if (ticks.length < 3) return NaN;
    const [[a, from], [b, between], [c, to]] = [ticks[0], ticks[Math.floor(ticks.length / 2)], ticks.at(-1)];
    const on = (scale, value) => from + (to - from) * (scale(value) - scale(a)) / (scale(c) - scale(a));
    const missed = (scale) => Math.abs(on(scale, b) - between);
    return on(a > 0 && missed(Math.log) < missed(Number) ? Math.log : Number, number);
  };

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
  // else where they hide the least, or not at all if they need not be written. Returns the place.
  press.write = (parent, words, places, must = true) => {
    const svg = parent.ownerSVGElement, {x: left, y: top, width, height} = svg.viewBox.baseVal;
    const others = [...svg.querySelectorAll("text:not(.hf-drag *)")].map((each) => boxIn(svg, each));
    const hidden = hiddenBy(shapesOf(svg).filter((shape) => !parent.contains(shape) || shape.matches(".hf-ghost, .hf-bracket")));
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
    if (best.hides && !must) return text.remove();
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

  // The mark that answers a question: of the circles and polygons at the answer's place on its axis, the nearest to a place on the
  // other axis. A bar is at its end.
  const markAt = (svg, box, {top, bottom}, upright, truth, across) => {
    const colour = (box.dataset.reveals || "").match(new RegExp(`(?:^| )${box.dataset.figure}\\.(\\S+)`))?.[1];
    const asked = colour ? `:is(.f-${colour}, .s-${colour})` : "";
    const near = [...svg.querySelectorAll(`:is(circle, polygon):not(.hf-bet *, .hf-drag *)${asked}`)].map((shape) => {
      const own = shape.getBBox(), [x, y] = middle(own), bar = upright && own.width > 2 * LINE;
      const [along, other] = upright ? [bar ? own.x + own.width : x, y] : [y, x];
      return {shape, own, bar, y, across: other, off: Math.hypot(along - truth, (across ?? other) - other)};
    });
    const [best] = near.filter(({y}) => y > top - EDGE && y < bottom + EDGE).sort((a, b) => a.off - b.off);
    return best?.off < NEAR ? best : null;
  };

  // A place on the other axis: a number there, or the name of a row.
  const acrossAt = (svg, axis, place) => {
    const row = isNaN(place) && [...svg.querySelectorAll("text")].find((text) => text.textContent === place);
    if (row) return middle(row.getBBox())[1];
    const other = axis[0] === "x" ? "y" : "x", tried = [other + axis.slice(1), `${other}2`];  // its ticks may be below another panel
    return tried.map((name) => press.placeOn(svg, name, Number(place))).find(isFinite);
  };

  // Where a bet on a question is in its plot: {at, truth} on its axis, `across` on the other, its panel, and the mark that is the
  // truth, if one is. Undefined if the axis can't be read.
  press.guessIn = (svg, box, bet) => {
    const {axis, at: place} = box.dataset, {answer, times, over} = box.querySelector(".hf-predict-answer")?.dataset || {};
    const placed = (number) => press.placeOn(svg, axis, times ? number * times : over ? over / number : number);
    const panel = panels(svg)[axis[1] ? 1 : 0], at = placed(bet), truth = answer ? placed(answer) : NaN;
    if (!isFinite(at)) return undefined;
    const named = place ? acrossAt(svg, axis, place) : undefined, mark = markAt(svg, box, panel, axis[0] === "x", truth, named);
    const centre = axis[0] === "x" ? (panel.top + panel.bottom) / 2 : (panel.left + panel.right) / 2;
    return {at, truth, panel, mark, across: named ?? mark?.across ?? centre};
  };

  // The truth grows out of the guess: its mark moves from there, the bracket opens, and the words at it count up.
  const grow = ({mark, bracket, text, upright, at, truth}) => {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const timing = {duration: 600, easing: "ease-out"}, start = performance.now(), words = text?.textContent;
    const way = at - truth, {x, width} = mark?.own || {};
    const from = mark?.bar ? `scaleX(${Math.max(0, (at - x) / width)})` : upright ? `translateX(${way}px)` : `translateY(${way}px)`;
    if (mark?.bar) mark.shape.style.transformOrigin = `${x}px 0`;
    mark?.shape.animate([{transform: from}, {transform: "none"}], timing);
    const length = bracket?.getTotalLength();
    bracket?.animate([{strokeDasharray: `0 ${length}`}, {strokeDasharray: `${length} 0`}], timing);
    const count = (now) => {
      const share = Math.min(1, (now - start) / timing.duration);
      text.textContent = share < 1 ? words.replace(/^[\d.,]+/, (number) => Number((number.replace(/,/g, "") * share).toPrecision(2))) : words;
      if (share < 1 && text.isConnected) requestAnimationFrame(count);
    };
    if (words) requestAnimationFrame(count);
  };

  // Candidate places for the words of a bracket, the nearest to its centre first: along it, then further away from it.
  const besideBracket = (upright, side, centre, half, [across, away]) => {
    const shifts = several(12, (i) => [(i % 2 ? 1 : -1) * ((i + 1) >> 1) * LINE]);
    if (upright) return several(6, (out) => shifts.map((shift) =>
      [centre - 3 * LINE + shift, away + side * (10 + out * LINE) + (side > 0 ? RISE : 0), "start", []]));
    const rows = shifts.filter((shift) => Math.abs(shift) <= half);
    return several(5, (out) => rows.flatMap((shift) => [side, -side].map((to) =>
      [(to === side ? away : across) + to * (8 + out * LINE), centre + shift + RISE / 2, to > 0 ? "start" : "end", []])));
  };

  // The guess leaves a ghost where it was dropped, and a bracket leads from there to the truth; beside it stands how far apart they
  // are, if there is room.
  const bracketTo = (drawn, {at, truth, across, panel: {left, right, top, bottom}}, upright, apart) => {
    const spot = (along, other) => upright ? [along, other] : [other, along], [x, y] = spot(at, across);
    make("circle", drawn, {class: "hf-ghost", cx: x, cy: y, r: 8});
    if (!apart || !(Math.abs(at - truth) > LINE)) return {};
    const side = upright ? (across - top < 3 * LINE ? 1 : -1) : across > (left + right) / 2 ? -1 : 1, away = across + side * LINE;
    const path = [[at, across + side * 10], [at, away], [truth, away], [truth, across + side * 10]].map((each) => spot(...each).join());
    const bracket = make("path", drawn, {class: "hf-bracket", d: `M${path.join("L")}`});
    press.write(drawn, apart, besideBracket(upright, side, (at + truth) / 2, Math.abs(at - truth) / 2, [across, away]), false);
    return {bracket, text: drawn.querySelector("text")};
  };

  const draw = ({box, bet, words, apart, fresh}) => {
    const {figure, axis} = box.dataset, upright = axis[0] === "x";
    for (const svg of document.querySelectorAll(`#${CSS.escape(figure)} svg.hf-figure`)) {
      const guess = press.guessIn(svg, box, bet);
      if (!guess) continue;
      const {at, panel, truth} = guess, {left, right, end, top, bottom, ceiling} = panel, drawn = make("g", svg, {class: "hf-bet"});
      svg.insertBefore(drawn, svg.querySelector(":scope > text"));  // below the labels, so that it does not cross them out
      const [low, high] = upright ? [left, end] : [ceiling, bottom], beyond = at < low - EDGE ? -1 : at > high + EDGE ? 1 : 0;
      const dropped = box.dataset.at !== undefined && !beyond, level = dropped ? {class: "hf-level"} : {};
      if (!beyond) make("path", drawn, {...level, d: upright ? `M${at},${top}V${bottom}` : `M${left},${at}H${right}`});
      const [outside, inside] = upright ? [beyondUpright, besideUpright] : [beyondLevel, alongLevel];
      const bracket = dropped ? bracketTo(drawn, guess, upright, apart) : {};
      const [, , , leader] = press.write(drawn, words, beyond ? outside(panel, beyond) : inside(panel, at));
      for (const path of leader) make("path", drawn, path);
      if (fresh && isFinite(truth)) grow({...guess, ...bracket, upright});
    }
  };

  Object.assign(press, {bandsOf: bands, panelsOf: panels, shapesOf, outline, drawGuess: draw});
})();
