// The roofline (labs/kit/work.cpp), and the work and traffic of operators as chapters 00 and 07 count them. Pure
// functions; tests/site/formulas compares them with the C++. A number has `size` bytes; the labs' have 4.
(() => {
  window.press ??= {};
  const work = (flops, bytes, allocated) => ({flops, bytes, allocated});
  const traffic = (w) => w.bytes + w.allocated;

  // peak: GFLOP/s, bandwidth: GB/s of traffic.
  const seconds = (roof, w) => Math.max(w.flops / (roof.peak * 1e9), traffic(w) / (roof.bandwidth * 1e9));
  const side = (roof, w) => w.flops / roof.peak < traffic(w) / roof.bandwidth ? "memory" : "compute";
  const ridge = (roof) => roof.peak / roof.bandwidth;

  // Reads and writes the given counts of numbers; the output is not among the input, so write-allocate reads its lines first.
  const streaming = (flops, read, written, size) => work(flops, size * (read + written), size * written);

  const product = ({m, n, k}, size = 4) => [streaming(2 * m * n * k, m * k + k * n, m * n, size)];

  // The number of positions of a window along a side padded by half the window.
  const places = ({side, kernel, stride}) => Math.floor((side + 2 * Math.floor(kernel / 2) - kernel) / stride) + 1;

  // Lays patches out as columns and multiplies, picture by picture; fused, it never writes the columns.
  const convolution = (shape, size = 4) => {
    const {inputs, outputs, kernel, side, batch = 1, fused} = shape;
    const n = batch * places(shape) ** 2, k = inputs * kernel * kernel, pictures = batch * inputs * side * side;
    const [multiply] = product({m: outputs, n, k}, size);
    return fused ? [streaming(multiply.flops, pictures + outputs * k, outputs * n, size)]
                 : [streaming(0, pictures, k * n, size), multiply];
  };

  // Attention of `batch` sequences. Heads may share keys and values; causal, the last query sees all keys and each one
  // before it one less. Unfused, scores are written, turned into weights in place, and read.
  const attention = (shape, size = 4) => {
    const {queries, keys, d, heads = 1, kvHeads = heads, batch = 1, causal, fused, flopsPerScore = 26} = shape;
    const seen = causal ? queries * (keys - queries) + queries * (queries + 1) / 2 : queries * keys;
    const weights = batch * heads * seen, products = 4 * weights * d, others = flopsPerScore * weights;
    const results = size * batch * heads * queries * d, cache = size * batch * kvHeads * keys * d, scores = size * weights;
    return fused ? [work(products + others, 2 * results + 2 * cache, results)]
                 : [work(products / 2, results + cache + scores, scores), work(others, 2 * scores, 0),
                    work(products / 2, results + cache + scores, results)];
  };

  // A chain of operators of one FLOP each; fused, they need one pass.
  const chain = ({count, operators = 3, fused, allocates = true}, size = 4) => {
    const passes = fused ? 1 : operators, bytes = size * count;
    return [work(operators * count, 2 * passes * bytes, allocates ? passes * bytes : 0)];
  };

  const sum = (parts) => parts.reduce((a, b) => work(a.flops + b.flops, a.bytes + b.bytes, a.allocated + b.allocated));

  press.roofline = {attention, chain, convolution, places, product, ridge, seconds, side, sum, traffic};
})();
