// A systolic array of any size, and any product: its cycles, what they are spent on, and the tiles.
(() => {
  const hf = window.hardwareFirst, {element, svg, table} = hf.make, {digits, duration, percent} = hf.format;
  const names = {ws: ["weights", "K × N"], is: ["inputs", "K × M"], os: ["sums", "M × N"]};
  const WIDTH = 620, KEYS = [30, 195, 365], MOST = 48; // tiles that are drawn along a side

  // The matrix that stays, to scale, with the tiles that cover it; what a tile covers beyond it is padding.
  const cover = ({down, across}, {rows, columns}, title) => {
    const high = hf.systolic.tiles(down, rows), wide = hf.systolic.tiles(across, columns);
    const scale = Math.min(560 / (wide * columns), 200 / (high * rows)), left = 30, top = 32;
    const rect = (w, h, more) => svg("rect", {x: left, y: top, width: Math.max(w * scale, 1), height: Math.max(h * scale, 1), ...more});
    const line = (x1, y1, x2, y2) => svg("line", {x1, y1, x2, y2, class: "s-ink", "stroke-width": .8});
    const [right, bottom] = [left + wide * columns * scale, top + high * rows * scale];
    const every = (count) => Math.ceil(count / MOST);
    const lines = [];
    for (let i = 0; i <= wide; i += every(wide)) lines.push(line(left + i * columns * scale, top, left + i * columns * scale, bottom));
    for (let i = 0; i <= high; i += every(high)) lines.push(line(left, top + i * rows * scale, right, top + i * rows * scale));
    return [svg("text", {x: left, y: 20, class: "f-ink"}, title), rect(wide * columns, high * rows, {class: "f-grid"}),
            rect(across, down, {class: "f-blue", "fill-opacity": .35}), ...lines];
  };

  // What all cells do in all cycles: multiply what is wanted, multiply padding, fill and drain.
  const bar = (shares, y) => {
    let x = 30;
    return shares.flatMap(([name, share, colour, opacity], i) => {
      const width = share * (WIDTH - 60), at = x;
      x += width;
      return [svg("rect", {x: at, y, width, height: 26, class: `f-${colour}`, "fill-opacity": opacity}),
              svg("rect", {x: KEYS[i], y: y + 40, width: 14, height: 14, class: `f-${colour}`, "fill-opacity": opacity}),
              svg("text", {x: KEYS[i] + 20, y: y + 53, class: "f-ink"}, `${name} ${percent(share)}`)];
    });
  };

  hf.widget("array", ({shown, said}) => {
    const picture = svg("svg", {class: "hf-figure hf-plot", viewBox: `0 0 ${WIDTH} 330`, role: "img",
      "aria-label": "The matrix that stays, cut into tiles, and what the cells do; the words and the table below say it"});
    const rows = element("div");
    shown.append(picture, rows);
    return (s) => {
      const twice = s.twice && s.dataflow !== "os", found = hf.systolic.cycles(s.dataflow, s, s, twice);
      const cells = s.rows * s.columns, places = found.total * cells, cut = hf.systolic.cut(s.dataflow, s);
      const [what, sides] = names[s.dataflow];
      const shares = [["useful", found.utilisation, "green", 1], ["padding", (found.active * cells - found.macs) / places, "orange", 1],
                      ["filling, emptying", (found.total - found.active) / found.total, "quiet", .45]];
      picture.replaceChildren(...cover(cut, s, `${what}, ${sides}, in ${digits(found.tiles)} tile${found.tiles === 1 ? "" : "s"}`), ...bar(shares, 258));
      said.textContent = `${digits(found.total)} cycles, ${duration(found.total / (s.clock * 1e6))} at ${digits(s.clock)} MHz. ` +
        `Of all cells and cycles, ${percent(found.utilisation)} do a multiplication that somebody wanted.`;
      const spent = (name, cycles) => [name, digits(cycles), percent(cycles / found.total)];
      rows.replaceChildren(table(["cycles", "", "of all"], [spent("numbers enter", found.active), spent(`${what} shift in`, found.shift),
        spent("the last ones pass through", found.drain), spent("all", found.total)]));
    };
  });
})();
