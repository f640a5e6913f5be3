// The pictures of measure.html, for the results so far: the reader's roof over a published machine's, the two staircases, and a
// GPU's bandwidth by bytes in flight. Both axes are logarithmic, as in the chapters' figures.
(() => {
  const {svg, table} = press.make, {digits, scaled} = press.format;
  const HEIGHT = 300, LEFT = 66, TOP = 40, BOTTOM = 250, MARGIN = 32, YOU = "this browser";

  const text = (x, y, words, colour, anchor = "start") => svg("text", {x, y, class: `f-${colour}`, "text-anchor": anchor}, words);
  const path = (points, colour, width, more = {}) =>
    svg("polyline", {points: points.map((p) => p.map((v) => v.toFixed(1))).join(" "), class: `s-${colour}`, "stroke-width": width, fill: "none", ...more});
  const powers = (low, high, base, every) => {
    const [first, last] = [low, high].map((v) => Math.log(v) / Math.log(base)), found = [];
    for (let e = Math.ceil(first - 1e-9); e <= last + 1e-9; e++) if (e % every === 0) found.push(base ** e);
    return found;
  };
  const capacity = (bytes) => bytes < 2 ** 20 ? `${bytes / 1024} KiB` : `${bytes / 2 ** 20} MiB`;

  // axes {title, of: [x, y], x: [low, high, base of its ticks, each how many powers, their words], y: likewise}; lines(to) are drawn over the grid.
  const plot = ({title, of, x, y}, width, lines) => {
    const right = width - MARGIN, share = (v, [low, high]) => Math.log(Math.max(v, low) / low) / Math.log(high / low);
    const to = {right, x: (v) => LEFT + (right - LEFT) * Math.min(1, share(v, x)), y: (v) => BOTTOM - (BOTTOM - TOP) * Math.min(1, share(v, y)),
                point: (p) => [to.x(p[0]), to.y(p[1])]};
    return svg("svg", {class: "hf-graph", role: "img", viewBox: `0 0 ${width} ${HEIGHT}`}, [
      svg("title", {}, title), svg("desc", {}, "The numbers are in the table below."),
      ...powers(...x.slice(0, 4)).flatMap((v) => [path([[to.x(v), TOP], [to.x(v), BOTTOM]], "grid", .8),
        text(to.x(v), BOTTOM + 20, x[4](v), "quiet", "middle")]),
      ...powers(...y.slice(0, 4)).flatMap((v) => [path([[LEFT, to.y(v)], [right, to.y(v)]], "grid", .8),
        text(LEFT - 8, to.y(v) + 5, y[4](v), "quiet", "end")]),
      text(4, 16, of[1], "quiet"), text(right, HEIGHT - 8, of[0], "quiet", "end"), ...lines(to)]);
  };

  const INTENSITIES = [1 / 16, 1024];
  const roof = (peak, bandwidth) => [...new Set([INTENSITIES[0], Math.min(Math.max(peak / bandwidth, INTENSITIES[0]), INTENSITIES[1]), INTENSITIES[1]])]
    .map((x) => [x, Math.min(peak, x * bandwidth)]);
  // Memory's part of it and arithmetic's, in their colours.
  const slopes = (points) => [path(points.slice(0, -1), "orange", 3), path(points.slice(-2), "blue", 3)];
  // The names of two lines that lie close together: above the upper one, below the lower one.
  const apart = (y, other) => y < other ? -9 : 20;
  const roofline = ({peak, scalar, bandwidth}, machine, width) => {
    const highest = 2 * Math.max(peak, machine?.peak ?? 0, 1), lowest = Math.min(.3, (scalar || 1) / 3, (bandwidth || 1) / 32);
    return plot({title: "The rooflines of this browser and a published machine", of: ["intensity, FLOP/byte", "speed, FLOP/s"],
                 x: [...INTENSITIES, 2, width < 480 ? 4 : 2, (v) => v < 1 ? `1/${1 / v}` : String(v)],
                 y: [lowest, highest, 10, 1, (v) => scaled(v * 1e9, "")]}, width, (to) => [
      ...(machine ? [path(roof(machine.peak, machine.bandwidth).map(to.point), "quiet", 2),
        text(to.right, to.y(machine.peak) + apart(-machine.peak, -peak), `${machine.name}: ${scaled(machine.peak * 1e9, "FLOP/s")}`, "quiet", "end")] : []),
      ...!peak ? [] : [path([[to.x(bandwidth ? scalar / bandwidth : INTENSITIES[0]), to.y(scalar)], [to.right, to.y(scalar)]], "blue", 1.4, {"stroke-dasharray": "5 4"}),
      text(to.right, to.y(scalar) + 20, "one number at a time", "blue", "end"),
      ...bandwidth ? slopes(roof(peak, bandwidth).map(to.point)) : [path([to.point([INTENSITIES[0], peak]), to.point([INTENSITIES[1], peak])], "blue", 3)],
      text(to.right, to.y(peak) + apart(-peak, -(machine?.peak ?? 0)), width < 480 ? YOU : `${YOU}: ${scaled(peak * 1e9, "FLOP/s")}`, "blue", "end")],
    ]);
  };
  const staircase = ({title, unit, points, others, name}, width) => {
    const heights = (list) => list.map(([, y]) => y);
    const low = Math.min(...heights(points).map((y) => y / 1.5), ...heights(others).map((y) => y / 3));
    const high = Math.max(...heights(points).map((y) => y * 1.5), ...heights(others).map((y) => y * 2));
    const steps = high / low < 100 ? [2, 1] : [10, 1];
    return plot({title, of: ["working set", unit], x: [2 ** 13, 2 ** 28, 2, width < 480 ? 5 : 3, capacity],
                 y: [low, high, ...steps, digits]}, width, (to) => [
      path(others.map(to.point), "quiet", 2), path(points.map(to.point), "blue", 3), ...names(to, [[points, YOU, "blue"], [others, name, "quiet"]]),
      ...points.map((p) => svg("circle", {cx: to.x(p[0]), cy: to.y(p[1]), r: 3, class: "f-blue"}))]);
  };

  // A name is at the first point of its line where it meets neither a line nor the other name: the name of the line that begins
  // higher above it if possible, the other one below.
  const names = (to, lines) => {
    const drawn = lines.map(([line, ...more]) => [line.map(to.point), ...more]).filter(([line]) => line.length).sort(([a], [b]) => a[0][1] - b[0][1]);
    const taken = drawn.flatMap(([line]) => line.flatMap(([x, y], i) => Array.from({length: 16}, (_, part) =>
      [x + part / 16 * ((line[i + 1] ?? [x])[0] - x), y + part / 16 * ((line[i + 1] ?? [0, y])[1] - y)])));
    return drawn.map(([line, words, colour], i) => {
      const width = 8 * words.length, meets = ([left, y]) => taken.some(([x, at]) => x > left - 4 && x < left + width && at > y - 16 && at < y + 7);
      const places = (i ? [22, -9] : [-9, 22]).flatMap((by) => line.map(([x, y]) => [Math.min(x + 6, to.right - width), y + by]));
      const [left, y] = places.find((place) => place[1] > TOP && place[1] < BOTTOM && !meets(place)) ?? places[0];
      for (let x = left; x < left + width; x += 8) taken.push([x, y - 5]);
      return text(left, y, words, colour);
    });
  };

  // Every picture that has data; points of a staircase are at powers of two, from 8 KiB.
  press.measuredPlots = (found, machine, width) => {
    const result = found ?? {peaks: [], reads: [], waits: []}, peak = Math.max(0, ...result.peaks), sets = (values) => values.map((v, i) => [2 ** (13 + i), v]);
    const stair = (title, unit, values, others = []) =>
      Math.max(values.length, others.length) > 1 ? [staircase({title, unit, points: sets(values), others, name: machine?.name}, width)] : [];
    const bandwidth = result.waits.length ? result.reads.at(-1) : 0; // the last one, once all are measured
    return [...(peak || machine ? [roofline({peak, scalar: result.peaks[0], bandwidth}, machine, width)] : []),
            ...stair("Bandwidth by working set", "read, GB/s", result.reads, machine?.reads),
            ...stair("Latency by working set", "time of a dependent load, ns", result.waits, machine?.waits)];
  };

  // ---- A GPU ----
  // The stored results; null if there are none, or invalid ones.
  press.rememberedGpu = () => {
    try {
      const found = JSON.parse(press.stored("measured-gpu"));
      return press.plausibleGpu(found) ? found : null;
    } catch { return null; }
  };
  // A picture and a table. By Little's law, the bend is at one load's latency times the full speed.
  press.gpuInPictures = ({copy, n, naive, tiled, launch, answer, flight, fallback}, width) => {
    const [[fewest, slowest]] = flight, speeds = flight.map(([, speed]) => speed), full = Math.max(...speeds);
    const alone = fewest / slowest, bend = alone * full, last = flight.at(-1)[0];
    const picture = plot({title: "Bandwidth of this GPU by bytes in flight", of: ["bytes in flight, whole device", "bandwidth, B/s"],
                          x: [fewest, last, 2, 4, capacity],
                          y: [Math.min(...speeds) / 1.5, 2 * full, 10, 1, (v) => scaled(v, "")]}, width, (to) => [
      path([[to.x(bend), TOP], [to.x(bend), BOTTOM]], "purple", 1.4, {"stroke-dasharray": "5 4"}),
      text(to.x(bend) + (bend > fewest * 64 ? -8 : 8), BOTTOM - 12, "predicted bend", "purple", bend > fewest * 64 ? "end" : "start"),
      path(flight.map(to.point), "blue", 3), ...flight.map((p) => svg("circle", {cx: to.x(p[0]), cy: to.y(p[1]), r: 3, class: "f-blue"}))]);
    return [picture, table(null, [
      ["copying 128 MiB", scaled(copy, "B/s")], ["a dependent load", scaled(alone, "s")],
      ["reading, with enough in flight", scaled(full, "B/s")],
      ["bytes in flight at full speed, by Little\u2019s law", scaled(bend, "B")],
      [`naive product, N = ${n}`, scaled(naive, "FLOP/s")], [`tiled product, N = ${n}`, scaled(tiled, "FLOP/s")],
      ["one launch among many", scaled(launch, "s")], ["one launch, including the time to notify the page", scaled(answer, "s")],
      ...fallback ? [["kind of GPU", "emulated on the processor"]] : []])];
  };
})();
