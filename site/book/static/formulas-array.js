// The cycles of a systolic array (labs/04-tpu/kernels/systolic.cpp), by phase. Pure functions; tests/site/formulas compares them
// with the C++.
(() => {
  window.press ??= {};
  const tiles = (length, side) => Math.ceil(length / side);

  // How a dataflow cuts a product: the stationary matrix is cut along `down` and `across`; `streamed` numbers pass each tile.
  const cut = (dataflow, {m, n, k}) => ({
    os: {down: m, across: n, streamed: k},
    ws: {down: k, across: n, streamed: m},
    is: {down: k, across: m, streamed: n},
  })[dataflow];

  // Cycles by phase; `twice`: each cell has a second register for the stationary number.
  const cycles = (dataflow, array, shape, twice) => {
    const {rows, columns} = array, {down, across, streamed} = cut(dataflow, shape);
    const count = tiles(down, rows) * tiles(across, columns), active = count * streamed;
    const drain = (twice ? 1 : count) * (rows + columns - 2);
    const shift = dataflow === "os" ? 0 : twice ? rows + (count - 1) * Math.max(rows - streamed, 0) : count * rows;
    const total = active + shift + drain, macs = shape.m * shape.n * shape.k;
    return {tiles: count, active, shift, drain, total, macs, utilisation: macs / (total * rows * columns)};
  };

  press.systolic = {cut, cycles, tiles};
})();
