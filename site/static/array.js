// A systolic array of any size, and any product: its cycles, what they are spent on, and the tiles.
(() => {
  const hf = window.hardwareFirst, {bar, element, svg, table} = hf.make, {digits, duration, percent} = hf.format;
  const names = {ws: ["weights", "K × N"], is: ["inputs", "K × M"], os: ["sums", "M × N"]};
  const WIDTH = 620, HEIGHT = 200, MOST = 48; // tiles that are drawn along a side

  // The matrix that stays, to scale, with the tiles that cover it; what a tile covers beyond it is padding.
  const cover = ({down, across}, {rows, columns}) => {
    const high = hf.systolic.tiles(down, rows), wide = hf.systolic.tiles(across, columns);
    const scale = Math.min((WIDTH - 2) / (wide * columns), (HEIGHT - 2) / (high * rows)), left = 1, top = 1;
    const long = (length) => Math.max(length * scale, 1);
    const rect = (w, h, more) => svg("rect", {x: left, y: top, width: long(w), height: long(h), ...more});
    const line = (x1, y1, x2, y2) => svg("line", {x1, y1, x2, y2, class: "s-ink", "stroke-width": .8});
    const [right, bottom] = [left + wide * columns * scale, top + high * rows * scale];
    const every = (count) => Math.ceil(count / MOST);
    const lines = [], at = (i) => left + i * columns * scale;
    for (let i = 0; i <= wide; i += every(wide)) lines.push(line(at(i), top, at(i), bottom));
    for (let i = 0; i <= high; i += every(high)) lines.push(line(left, top + i * rows * scale, right, top + i * rows * scale));
    return [rect(wide * columns, high * rows, {class: "f-grid"}),
            rect(across, down, {class: "f-blue", "fill-opacity": .35}), ...lines];
  };

  hf.widget("array", ({shown, said}) => {
    const picture = svg("svg", {class: "hf-graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": true});
    const title = element("p", {class: "hf-bar-title"}), work = element("div"), rows = element("div");
    shown.append(title, picture, work, rows);
    return (s) => {
      const twice = s.twice && s.dataflow !== "os", found = hf.systolic.cycles(s.dataflow, s, s, twice);
      const cells = s.rows * s.columns, places = found.total * cells;
      const [what, sides] = names[s.dataflow];
      title.textContent = `What stays: ${what}, ${sides}, in ${digits(found.tiles)} tile${found.tiles === 1 ? "" : "s"}`;
      picture.replaceChildren(...cover(hf.systolic.cut(s.dataflow, s), s));
      const idle = (found.total - found.active) * cells;
      work.replaceChildren(...bar("What all cells do in all cycles", [["useful work", found.macs, "green"],
        ["padding", places - idle - found.macs, "orange"], ["filling and emptying", idle, "grey"]], places, places));
      const time = duration(found.total / (s.clock * 1e6));
      said.textContent = `${digits(found.total)} cycles, ${time} at ${digits(s.clock)} MHz. ` +
        `Of all cells and cycles, ${percent(found.utilisation)} do a multiplication that somebody wanted.`;
      const spent = (name, cycles) => [name, digits(cycles), percent(cycles / found.total)];
      rows.replaceChildren(table(["spent on", "cycles", "of all"], [
        spent("numbers enter", found.active), spent(`${what} shift in`, found.shift),
        spent("the last ones pass through", found.drain), spent("all", found.total)]));
    };
  });
})();
