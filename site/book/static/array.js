// A systolic array of any size, and any product: the wave of work through its cells, the number of cycles and how they are
// spent, and the tiles.
(() => {
  const {bar, element, svg, table} = press.make, {digits, duration, percent, scaled} = press.format;
  const names = {ws: ["weights", "K × N"], is: ["inputs", "K × M"], os: ["sums", "M × N"]};
  const few = (count) => count < 1e6 ? digits(count) : scaled(count, ""); // keeps the sentence short for large products
  const SIDE = 300, MOST = 48; // of the picture; the most cells drawn along a side

  // The cells in one cycle of the first tile. Each row and each column gets its numbers one cycle after the previous one, so
  // cell (i, j) works on number t - i - j of those that stream through it.
  const wave = ({rows, columns}, {down, across, streamed}, shift, cycle) => {
    const scale = (SIDE - 2) / Math.max(rows, columns), drawn = Math.min(rows, MOST);
    const left = 1, used = Math.min(across, columns), t = cycle - shift - 1;
    const high = rows / drawn * scale; // of a strip, which is one row of cells or, in tall arrays, several
    const strip = (r, from, to) =>
      to > from ? `M${left + from * scale},${1 + r * high}h${(to - from) * scale}v${high}h${(from - to) * scale}z` : "";
    let [held, works, pads] = ["", "", ""];
    for (let r = 0; r < drawn; ++r) {
      const i = Math.floor(r * rows / drawn), from = Math.max(0, t - i - streamed + 1), to = Math.min(columns, t - i + 1);
      const good = i < down ? used : 0; // cells of this row whose results are used
      if (i < Math.min(cycle, shift)) held += strip(r, 0, good);
      works += strip(r, from, Math.min(to, good));
      pads += strip(r, Math.max(from, good), to);
    }
    const lines = (count, long, at) =>
      count > MOST ? "" : Array.from({length: count + 1}, (_, i) => at(i * scale) + long).join("");
    return [svg("rect", {x: left, y: 1, width: columns * scale, height: rows * scale, class: "f-grid"}),
      svg("path", {d: held, class: "f-memory", "fill-opacity": .35}), svg("path", {d: works, class: "f-compute"}),
      svg("path", {d: pads, class: "f-purple"}),
      svg("path", {d: lines(rows, `h${columns * scale}`, (y) => `M${left},${1 + y}`) +
                      lines(columns, `v${rows * scale}`, (x) => `M${left + x},1`), class: "s-paper", fill: "none"})];
  };

  press.widget("array", ({shown, more, said}) => {
    const cells = svg("svg", {class: "hf-graph", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": true}), work = element("div");
    const steps = element("div", {class: "hf-steps"}), [size, at] = ["", ""].map(() => element("p", {class: "hf-bar-title"}));
    shown.append(size, cells, steps, at, work);
    let show = () => "";
    const go = press.stepper(steps, {last: 1, at: 0, pace: 60, label: "The wave through the cells"}, (cycle) => show(cycle));
    return (s) => {
      const twice = s.twice && s.dataflow !== "os", found = press.systolic.cycles(s.dataflow, s, s, twice);
      const all = s.rows * s.columns, places = found.total * all;
      const [what, sides] = names[s.dataflow], cut = press.systolic.cut(s.dataflow, s);
      size.textContent = `${digits(s.rows)} × ${digits(s.columns)} cells. Stationary ${what}, ${sides}: ${few(found.tiles)} tile${found.tiles === 1 ? "" : "s"}`;
      const shift = s.dataflow === "os" ? 0 : s.rows, last = shift + cut.streamed + s.rows + s.columns - 2;
      show = (cycle) => {
        cells.replaceChildren(...wave(s, cut, shift, cycle));
        const doing = cycle < 1 ? "nothing has moved yet" : cycle <= shift ? `${what} shift in`
          : cycle < last ? "the wave passes" : "the last cell is done";
        return at.textContent = `Cycle ${digits(cycle)} of ${digits(last)} of the first tile: ${doing}`;
      };
      go(last, shift + Math.ceil((s.rows + s.columns) / 2));
      const idle = (found.total - found.active) * all;
      work.replaceChildren(...bar("Where the cells’ cycles go", [["useful work", found.macs, "compute"],
        ["padding", places - idle - found.macs, "purple"], ["filling and emptying", idle, "grey"]], places, places));
      const time = duration(found.total / (s.clock * 1e6));
      said.textContent = `${few(found.total)} cycles, ${time} at ${digits(s.clock)} MHz. ` +
        `The cells spend ${percent(found.utilisation)} of their cycles on useful multiplications.`;
      const spent = (name, cycles) => [name, digits(cycles), percent(cycles / found.total)];
      more.replaceChildren(table(["phase", "cycles", "share"], [
        spent("numbers stream in", found.active), spent(`${what} shift in`, found.shift),
        spent("the last numbers drain", found.drain), spent("total", found.total)]));
    };
  });
})();
