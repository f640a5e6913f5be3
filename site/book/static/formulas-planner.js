// A training step of a transformer on many chips: the formulas of labs/05-scaling/kernels/planner, under the same names, for
// plans as the lab's search makes them: with fused attention, with sequences divided along with tensors, and with all possible
// overlap. Pure functions; tests/site/formulas compares them with the C++. `use` sets the tables.
(() => {
  window.press ??= {};
  const half = 2, whole = 4; // bytes of bf16, of fp32
  const usableMemory = 0.9, mostTensor = 16, mostContext = 16;
  const no = {arithmetic: 0, memory: 0, tensor: 0, network: 0, bubble: 0}, kinds = Object.keys(no);
  let fitted, flashShare;

  const defaults = {
    tensor: 1, context: 1, data: 1, pipeline: 1, pods: 1, interleave: 1, microBatch: 1, batch: 1, sequence: 2048,
    recompute: "none", sharding: "optimizer",
  };

  const gpt = (layers, hidden, heads) => ({
    layers, hidden, heads, kvHeads: heads, headSize: hidden / heads,
    ffn: 4 * hidden, gated: false, vocabulary: 51200, tied: true, parallel: false,
  });
  const layerWeights = (s) =>
    s.hidden * s.headSize * (2 * s.heads + 2 * s.kvHeads) + s.hidden * s.ffn * (s.gated ? 3 : 2);
  const modelFlops = (s, batch, sequence) => {
    const attention = 4 * sequence * s.heads * s.headSize;
    return 3 * batch * sequence * (s.layers * (2 * layerWeights(s) + attention) + 2 * s.hidden * s.vocabulary);
  };

  const chips = (p) => p.tensor * p.context * p.data * p.pipeline * p.pods;
  const sharers = (p) => p.data * p.context;
  const stateShards = (p) => p.sharding === "none" ? 1 : sharers(p);
  const tokensOf = (p) => p.microBatch * p.sequence / p.context;
  const microBatches = (p) => p.batch / (p.microBatch * p.data * p.pods);
  const divides = (divisor, number) => number % divisor === 0;

  const shortName = (p) => [["t", p.tensor], ["c", p.context], ["p", p.pipeline], ["v", p.interleave],
    [p.sharding === "full" ? "f" : "d", p.data], ["pods ", p.pods]]
    .filter(([, ways]) => ways !== 1).map(([what, ways]) => what + ways).join(" ") || "one chip";

  // Why a plan does not fit the model's sizes, in words; empty if it fits.
  const complaint = (p, s) => {
    const most = layersOfStage(p, s);
    if (!divides(p.tensor, s.heads)) return `Tensor: the model’s ${s.heads} heads can’t be split evenly ${p.tensor} ways.`;
    if (!divides(p.context, p.sequence)) return `Context: a sequence of ${p.sequence} can’t be split evenly ${p.context} ways.`;
    const rows = p.microBatch * p.data * p.pods;
    if (!divides(rows, p.batch)) return `Micro-batch × copies × pods is ${rows}, which doesn’t divide a batch of ${p.batch} evenly.`;
    if (p.pipeline > s.layers) return `A pipeline can’t have more stages than the model has layers (${s.layers}).`;
    if (p.interleave > most) return `A stage can’t have more pieces than layers (${most}).`;
    if (p.interleave > 1 && p.pipeline === 1) return "To cut stages into pieces, use a pipeline of at least two stages.";
    if (p.sharding === "full" && p.pipeline > 1) return "Fully sharded weights can’t be combined with a pipeline.";
    return "";
  };

  const wireBetween = (chip, stride, size, axes) => {
    if (chip.torusAxes > 0) {
      return stride * size <= chip.together
        ? {bandwidth: 2 * chip.link * axes, latency: chip.linkLatency, network: false}
        : {bandwidth: chip.network, latency: chip.networkLatency, network: true};
    }
    const inNode = Math.min(Math.max(Math.floor(chip.together / stride), 1), size);
    if (inNode === size) return {bandwidth: chip.link, latency: chip.linkLatency, network: false};
    const nodes = Math.ceil(size / inNode);
    const latency = ((size - nodes) * chip.linkLatency + (nodes - 1) * chip.networkLatency) / (size - 1);
    return {bandwidth: Math.min(chip.link, inNode * chip.network), latency, network: true};
  };
  const ringSeconds = (wire, n, bytes) => n <= 1 ? 0 : (n - 1) * (wire.latency + bytes / n / wire.bandwidth);

  const productSeconds = (chip, {m, n, k}) => {
    let filled = 1;
    if (chip.units > 0) {
      const share = (rows, columns) => {
        const tiles = Math.ceil(m / rows) * Math.ceil(n / columns);
        return m * n / (rows * columns) / (Math.ceil(tiles / chip.units) * chip.units);
      };
      filled = Math.max(share(128, 256), share(256, 128));
    }
    const arithmetic = 2 * m * n * k / (chip.matmul * fitted.matmul * filled);
    return Math.max(arithmetic, half * (m * k + k * n + m * n) / chip.bandwidth);
  };

  const layersOfStage = (p, s) => Math.ceil(s.layers / p.pipeline);
  const weightsOnChip = (p, s) => {
    const ends = s.vocabulary * s.hidden * (p.pipeline === 1 && !s.tied ? 2 : 1);
    return (layersOfStage(p, s) * layerWeights(s) + ends) / p.tensor;
  };
  const bubbleShare = (p) => (p.pipeline - 1) / (microBatches(p) * p.interleave);
  const total = (t) => t.arithmetic + t.memory + t.tensor + t.network + t.bubble;
  const each = (f) => Object.fromEntries(kinds.map((kind) => [kind, f(kind)]));
  const plus = (a, b) => each((kind) => a[kind] + b[kind]);
  const times = (a, factor) => each((kind) => a[kind] * factor);

  const stepTime = (chip, s, p) => {
    const tokens = tokensOf(p);
    const secondsFor = (bytes) => bytes / (chip.bandwidth * fitted.memory);
    const matrix = (inputs, outputs, forward) => forward * productSeconds(chip, {m: tokens, n: outputs, k: inputs}) +
      productSeconds(chip, {m: tokens, n: inputs, k: outputs}) + productSeconds(chip, {m: inputs, n: outputs, k: tokens});
    const forwards = p.recompute === "full" ? 2 : 1;
    const keys = 2 * Math.max(s.kvHeads / p.tensor, 1) * s.headSize;
    const shows = 1 - fitted.hidden, last = chip.torusAxes > 0 ? 1 : forwards; // XLA removes what is never read

    const layerProducts = () => {
      const heads = s.heads * s.headSize / p.tensor, ffn = s.ffn / p.tensor;
      return matrix(s.hidden, heads + keys, forwards) + matrix(heads, s.hidden, forwards) +
        matrix(s.hidden, (s.gated ? 2 : 1) * ffn, forwards) + matrix(ffn, s.hidden, last);
    };
    const attention = () => {
      const flops = 2 * tokens * p.sequence * s.heads * s.headSize / p.tensor;
      return (2 * forwards + 5) * flops / 2 / (chip.matmul * flashShare);
    };
    const layerBytes = () => {
      const passes = 2 + (p.recompute === "selective" ? 2 : forwards);
      const rotary = 2 * s.headSize * (s.heads + s.kvHeads) / p.tensor;
      const activation = (s.gated ? 3 : 2) * s.ffn / p.tensor;
      return half * tokens * passes * (10 * s.hidden / p.tensor + rotary + activation);
    };
    const layerTensor = () => {
      const pairs = (s.parallel ? 1 : 2) * (1 + forwards), wire = wireBetween(chip, 1, p.tensor, 1);
      return shows * (pairs * 2 * ringSeconds(wire, p.tensor, half * tokens * s.hidden));
    };
    const layerContext = () => {
      const wire = wireBetween(chip, p.tensor, p.context, 1);
      return shows * ((2 + forwards) * ringSeconds(wire, p.context, half * tokens * p.context * keys));
    };
    const layer = {...no, arithmetic: layerProducts() + attention(), memory: secondsFor(layerBytes()),
                   tensor: layerTensor() + layerContext()};
    const vocabulary = s.vocabulary / p.tensor;
    const head = {...no, arithmetic: matrix(s.hidden, vocabulary, 1), memory: secondsFor(20 * tokens * vocabulary)};
    const stage = () => {
      const most = layersOfStage(p, s), last = s.layers - (p.pipeline - 1) * most;
      const full = times(layer, most), end = plus(times(layer, Math.max(last, 0)), head);
      return total(full) > total(end) ? full : end;
    };
    const sentBetweenStages = () => {
      if (p.pipeline === 1) return 0;
      const wire = wireBetween(chip, chips(p) / p.pods / p.pipeline, p.pipeline, 1);
      const sent = half * tokens * s.hidden / p.tensor, one = wire.network ? chip.network : chip.link;
      return 2 * p.interleave * (wire.latency + sent / Math.min(wire.bandwidth, one)) * shows;
    };
    const shown = (seconds, room) => Math.max(shows * seconds, seconds - room);
    const replicas = (work) => {
      const axes = Math.max(1, chip.torusAxes - (p.tensor > 1 ? 1 : 0));
      const wire = wireBetween(chip, p.tensor, sharers(p), axes), weights = weightsOnChip(p, s);
      const ring = (bytesEach, elements) => ringSeconds(wire, sharers(p), bytesEach * elements);
      const far = {bandwidth: chip.network, latency: chip.networkLatency};
      const between = 2 * ringSeconds(far, p.pods, whole * (weights / stateShards(p)));
      const forward = work / (2 + forwards), backward = work - forward, turns = microBatches(p), each = turns * s.layers;
      if (p.sharding === "full") {
        const gather = each * ring(half, weights / s.layers), scatter = each * ring(whole, weights / s.layers);
        return shown(gather, forward) + shown(gather + scatter + between, backward);
      }
      const summed = ring(whole, weights);
      return p.sharding === "none" ? shown(2 * summed + between, backward / turns)
        : shown(summed + between, backward / turns) + shown(ring(half, weights), forward / turns);
    };

    const micro = {...(p.pipeline === 1 ? plus(times(layer, s.layers), head) : stage()), network: sentBetweenStages()};
    const time = times(micro, microBatches(p));
    time.bubble = total(time) * bubbleShare(p);
    time.network += replicas(time.arithmetic + time.memory);
    time.memory += secondsFor((7 * 4 + half) * weightsOnChip(p, s) / stateShards(p));
    return time;
  };

  const whatLimits = (t) => kinds.reduce((most, kind) => t[kind] > t[most] ? kind : most);
  const mfu = (chip, s, p, seconds) => modelFlops(s, p.batch, p.sequence) / (seconds * chips(p) * chip.peak);

  const kept = (s, p) => {
    const queries = s.heads * s.headSize, products = 2 * (queries + 2 * s.kvHeads * s.headSize) + 2 * queries;
    const norms = p.recompute === "selective" ? 4 : s.gated ? 8 : 10; // then only the results of products
    const perceptron = (s.gated ? 4 : 2) + (p.recompute === "selective" ? 0 : 2);
    return tokensOf(p) * (norms * s.hidden + products + perceptron * s.ffn) / p.tensor;
  };
  const layerActivations = (s, p) => p.recompute !== "full"
    ? kept(s, p) : 2 * tokensOf(p) * s.hidden / p.tensor;

  const memoryUse = (s, p) => {
    const weights = weightsOnChip(p, s), full = p.sharding === "full", shards = full ? sharers(p) : 1;
    const gathered = full ? 2 * layerWeights(s) / p.tensor : 0;
    const underWay = Math.min(microBatches(p), p.pipeline);
    const pieces = p.interleave > 1 ? 1 + (p.pipeline - 1) / (p.pipeline * p.interleave) : 1;
    let activations = layersOfStage(p, s) * underWay * pieces * layerActivations(s, p);
    if (p.recompute === "full") activations += kept(s, p);
    if (p.pipeline === 1) activations += 4 * tokensOf(p) * s.vocabulary / p.tensor;
    return {weights: 2 * (weights / shards + gathered), gradients: whole * weights / shards,
            optimizer: 12 * weights / stateShards(p), activations};
  };
  const memoryTotal = (m) => m.weights + m.gradients + m.optimizer + m.activations;

  const divisors = (number, most) =>
    Array.from({length: Math.min(number, most)}, (_, i) => i + 1).filter((one) => divides(one, number));

  // Every plan that search_plans() of the lab considers, in its order.
  function* plans({chip, shape, chips: count, batch, sequence}) {
    const torus = chip.torusAxes > 0, pods = torus ? Math.ceil(count / chip.together) : 1;
    if (!divides(pods, count)) return;
    const inside = count / pods;
    const base = {...defaults, pods, batch, sequence};
    for (const tensor of divisors(inside, mostTensor)) {
      if (!divides(tensor, shape.heads)) continue;
      for (const context of divisors(inside / tensor, mostContext)) {
        if (!divides(context, sequence)) continue;
        for (const pipeline of divisors(inside / tensor / context, torus ? 1 : shape.layers)) {
          const data = inside / tensor / context / pipeline;
          for (const sharding of ["optimizer", "full"]) {
            if (sharding === "full" && (pipeline > 1 || data * context === 1)) continue;
            yield* schedules({...base, tensor, context, pipeline, data, sharding}, shape);
          }
        }
      }
    }
  }
  function* schedules(plan, shape) {
    for (const microBatch of [1, 2, 4, 8, 16]) {
      if (!divides(microBatch * plan.data * plan.pods, plan.batch)) continue;
      for (const interleave of divisors(layersOfStage(plan, shape), plan.pipeline === 1 ? 1 : 64)) {
        const varied = {...plan, microBatch, interleave};
        if (interleave > 1 && !divides(plan.pipeline, microBatches(varied))) continue; // or the pieces do not mesh
        for (const recompute of ["none", "selective", "full"]) yield {...varied, recompute};
      }
    }
  }

  // The fastest plans that fit, fastest first; yields every few plans, so that a page can do something else meanwhile.
  function* search(job, most) {
    const found = [];
    let seen = 0, least = Infinity; // bytes that a plan needs at least; Infinity if no plan divides the model
    for (const plan of plans(job)) {
      if (++seen % 64 === 0) yield;
      const memory = memoryUse(job.shape, plan);
      least = Math.min(least, memoryTotal(memory));
      if (memoryTotal(memory) > usableMemory * job.chip.capacity) continue;
      const time = stepTime(job.chip, job.shape, plan), seconds = total(time);
      const place = found.findIndex((other) => seconds < other.seconds);
      found.splice(place < 0 ? found.length : place, 0, {plan, time, memory, seconds});
      if (found.length > most) found.pop();
    }
    return Object.assign(found, {least});
  }

  const use = (tables) => { ({fitted, flashShare} = tables); };

  press.planner = {complaint, defaults, gpt, layerWeights, memoryTotal, memoryUse, mfu, modelFlops, productSeconds,
                ringSeconds, search, shortName, stepTime, total, usableMemory, use, whatLimits, wireBetween};
})();
