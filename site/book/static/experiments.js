// The measuring worker: runs chapter 01's kernels, as site/browser/experiments.cpp exports them. The worker's code is the text of
// this function, since a page opened from a file cannot load a worker script. The page sends that text and the modules, in the
// order to try; the worker answers with {progress, doing}, {result} with what is measured so far, and at the end {done}, or
// {refused} with the reason. To measure several threads at once, it starts a copy of itself for each.
window.press.experiments = () => {
  const KiB = 1024, MiB = 1024 * KiB, GUARD = 64 * KiB;
  const SMALLEST = 8 * KiB, LARGEST = 256 * MiB, LEAST = 32 * MiB; // working sets; less memory may fit in cache
  const EACH = 16 * MiB, PATIENCE_WITH_OTHERS = 10; // at least, per thread, when all read; seconds to wait for their answers
  const TURN = 5, TURNS = 5, LONGEST = 2; // batches that a thread does at a time; how often; seconds after which no other turn begins
  const STEPS = 50, BATCH = 4e-3, LONG = 4e-2; // the least length of a batch, in ticks of the clock and in seconds
  const COARSE = 2e-3, PATIENCE = 20; // the coarsest usable clock; after this time, fewer samples are taken; both in seconds
  const FACTOR = .7, ADDEND = .8, CHAINS = [12, 24], TOGETHER = [1, 2, 4, 8, 16], SIDES = [1023, 1024, 1025];
  const ROWS = [4, 128]; // measured of a product, naive and tiled: a few rows suffice

  class Refused extends Error {}
  const now = () => performance.now() / 1e3;
  const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
  const began = now();

  // ---- The clock ----
  // The median step. The smallest would be too optimistic in a browser that blurs its clock.
  const clockStep = () => {
    const steps = [], until = now() + .1;
    for (let last = now(); steps.length < 50 && (last < until || steps.length < 5);) {
      const next = now();
      if (next > last) steps.push(next - last);
      last = next;
    }
    return median(steps);
  };

  // ---- The module ----
  const start = async (modules) => {
    for (const code of modules) {
      const bytes = Uint8Array.from(atob(code), (c) => c.charCodeAt(0));
      if (WebAssembly.validate(bytes)) return (await WebAssembly.instantiate(bytes)).instance.exports;
    }
    throw new Refused("This browser's WebAssembly has no 128-bit vectors.");
  };
  // Reserves memory for the largest working set that fits. Returns its start and size.
  const reserve = ({memory}, most = LARGEST, least = LEAST) => {
    for (let bytes = most; bytes >= least; bytes /= 2) {
      try { return {base: 64 * KiB * memory.grow((bytes + GUARD) / (64 * KiB)), bytes}; } catch { /* try less */ }
    }
    throw new Refused(`Not enough memory: this browser gives a page less than ${LEAST / MiB} MiB, and a smaller array might fit in a cache.`);
  };

  // ---- Check before timing ----
  const close = (found, expected) => Math.abs(found - expected) <= 1e-5 * Math.abs(expected) + 1e-5;
  const checks = {
    "multiply and add": (k) => [0, 1, 2].every((loop) => CHAINS.every((chains) => {
      const once = FACTOR * chains * (chains - 1) / 2 + chains * ADDEND, last = chains * ADDEND / (1 - FACTOR);
      const found = [1, 400].map((n) => k.peak(loop, chains, n, FACTOR, ADDEND));
      return loop === 2 && found[0] === 0 || close(found[0], once) && close(found[1], last);
    })),
    "copy": (k, base) => {
      k.fill(base, 1024);
      k.copy(base + 8192, base, 1024, 1);
      const [from, to] = [base, base + 8192].map((at) => new Float32Array(k.memory.buffer, at, 1024));
      return from.every((x, i) => x === to[i]) && new Set(from).size > 1000;
    },
    "chase": (k, base) => {
      const lines = 1024, seen = new Set();
      k.grow(base, lines);
      for (let i = 0; i < lines; ++i) seen.add(k.chase(1, 1));
      const ends = TOGETHER.map((together) => { k.spread(); return k.chase(together, 100); });
      return seen.size === lines && ends.every((at) => at === ends[0]);
    },
    "matrix product": (k, base) => [0, 1].every((tiled) => {
      const n = 37, [a, b, c] = [0, 1, 2].map((i) => new Float32Array(k.memory.buffer, base + 8192 * i, n * n));
      k.fill(base, 3 * 2048);
      k.multiply(tiled, n, n, a.byteOffset, b.byteOffset, c.byteOffset);
      return c.every((found, at) => {
        let sum = 0, magnitude = 0;
        for (let p = 0, i = Math.floor(at / n), j = at % n; p < n; ++p) {
          sum += a[i * n + p] * b[p * n + j];
          magnitude += Math.abs(a[i * n + p] * b[p * n + j]);
        }
        return Math.abs(found - sum) <= n * 2 ** -23 * magnitude;
      });
    }),
  };
  const check = (kernels, base) => {
    for (const [name, right] of Object.entries(checks))
      if (!right(kernels, base)) throw new Refused(`The ${name} kernel gave a wrong result in this browser, so nothing was timed.`);
  };

  // ---- Batches ----
  const timed = (run, calls) => {
    const from = now();
    for (let i = 0; i < calls; ++i) run();
    return now() - from;
  };
  // Seconds per call, one number from each batch. The warm-up lets the browser finish compiling. If a batch turns out too
  // short, something else slowed the one that set its length, so sampling starts again.
  const sample = (run, batch, rounds) => {
    const until = now() + batch;
    let calls = 1, found = [];
    do run(); while (now() < until);
    while (found.length < rounds) {
      const seconds = timed(run, calls);
      found.push(seconds / calls);
      if (seconds >= batch) continue;
      calls = Math.ceil(calls * Math.min(10, 1.2 * batch / Math.max(seconds, batch / 10)));
      found = [];
    }
    return found.sort((a, b) => a - b);
  };

  // ---- Several threads at once ----
  // As many as the browser admits: some browsers misstate the number of cores, and a quota may allow fewer than there are. If
  // threads outnumber cores, they take turns, and a thread that times itself misses the others' turns. So the page's worker
  // divides what all of them did by the time from its start to its end. Each thread does as much as it can in about the same
  // time, because cores may be unlike. It reads its own memory, as the lab's threads do; nothing is shared, so this needs no
  // permission from the host.
  const help = async ({modules, bytes, batch, best}) => {
    const kernels = await start(modules), {base} = reserve(kernels, bytes, bytes);
    kernels.fill(base, bytes / 4);
    const loops = [() => kernels.peak(...best, FACTOR, ADDEND), () => kernels.read(base, bytes / 4, 1)];
    let calls = 0;
    onmessage = ({data: {loop, rehearse}}) => {
      if (rehearse) calls = Math.ceil(TURN * batch / steadily(loops[loop], batch));
      else timed(loops[loop], calls);
      postMessage({calls});
    };
    postMessage({});
  };
  // Seconds per call while the other threads run too: a median, so that a batch that was held up does not matter.
  const steadily = (run, batch) => {
    const calls = Math.ceil(batch / sample(run, batch, 1)[0]), found = [], until = now() + 10 * batch;
    do found.push(timed(run, calls) / calls); while (now() < until);
    return median(found);
  };
  // For hosts that send "require-trusted-types-for 'script'". The policy and this worker have the book's name.
  const trusted = (address) => {
    if (!self.trustedTypes) return address;
    return self.trustedTypes.createPolicy(self.name, {createScriptURL: (own) => own}).createScriptURL(address);
  };
  // Calls per second of each loop, of all threads together; `say` tells the page that work goes on.
  const together = async ({modules, text}, threads, bytes, batch, best, say) => {
    const code = URL.createObjectURL(new Blob([text], {type: "text/javascript"})), address = trusted(code);
    const helpers = Array.from({length: threads}, () => new Worker(address));
    const ask = (message) => {
      say();
      return Promise.all(helpers.map((helper) => new Promise((resolve, reject) => {
        helper.onmessage = ({data}) => data.refused ? reject(data.refused) : resolve(data.calls);
        helper.onerror = reject;
        setTimeout(reject, 1e3 * PATIENCE_WITH_OTHERS);
        helper.postMessage(message);
      })));
    };
    const rate = async (loop) => {
      await ask({loop, rehearse: true});
      const found = [], first = now();
      for (let from = first, to; found.length < TURNS && from < first + LONGEST; from = to) {
        const calls = await ask({loop});
        to = now();
        found.push(calls.reduce((a, b) => a + b) / (to - from));
      }
      return median(found);
    };
    try {
      await ask({modules, bytes, batch, best});
      return [await rate(0), await rate(1)];
    } finally {
      helpers.forEach((helper) => helper.terminate());
      URL.revokeObjectURL(code);
    }
  };

  const measure = async (sent) => {
    const say = (doing, done, of) => postMessage({doing, progress: done / of});
    const kernels = await start(sent.modules), {base, bytes} = reserve(kernels);
    check(kernels, base);
    const step = clockStep();
    if (step > COARSE) throw new Refused(`This browser's clock ticks every ${Math.round(1e3 * step)} ms, which is too coarse to time these kernels.`);
    const batch = Math.max(BATCH, STEPS * step);
    const sets = Array.from({length: 1 + Math.log2(bytes / SMALLEST)}, (_, i) => SMALLEST * 2 ** i);
    const threads = navigator.hardwareConcurrency || 1;
    const all = 6 + 2 * sets.length + 4 + TOGETHER.length + 1;
    const result = {step: 1e3 * step, noise: 0, peaks: [0, 0, 0], reads: [], waits: [], chases: [], naive: [], tiled: 0, all: [threads, 0, 0]};
    let done = 0, best = [0, 0, 0];
    // The median of a few batches; `doing` says which.
    const time = (doing, run, {least = 0} = {}) => {
      say(doing, done++, all);
      return sample(run, Math.max(batch, least), now() - began < PATIENCE ? 9 : 5);
    };
    const show = () => postMessage({result});

    for (const loop of [0, 1, 2]) for (const chains of CHAINS) {
      const name = ["one number at a time", "four at a time", "four at a time, fused"][loop], n = 4000;
      if (kernels.peak(loop, chains, 1, FACTOR, ADDEND) === 0) { done++; continue; } // no such instruction
      const seconds = time(`arithmetic, ${name}`, () => kernels.peak(loop, chains, n, FACTOR, ADDEND));
      const gflops = 2 * n * chains * (loop ? 4 : 1) / median(seconds) / 1e9;
      if (gflops > Math.max(...result.peaks)) best = [loop, chains, n];
      result.peaks[loop] = Math.max(result.peaks[loop], gflops);
      if (loop === 1) result.noise = Math.max(result.noise, seconds.at(-2) / seconds[1] - 1); // all but the slowest and the fastest
      show();
    }
    for (let at = 0; at < bytes; at += 16 * MiB) {
      say("touching the memory for the first time", done, all);
      kernels.fill(base + at, 4 * MiB);
    }
    const far = (set) => set > 16 * MiB ? {least: LONG} : {};
    const named = (set) => set < MiB ? `${set / KiB} KiB` : `${set / MiB} MiB`;
    for (const set of sets) {
      const passes = Math.ceil(MiB / set);
      result.reads.push(set * passes / median(time(`bandwidth, ${named(set)}`, () => kernels.read(base, set / 4, passes), far(set))) / 1e9);
      show();
    }
    kernels.grow(base, 1);
    const hops = 4000;
    for (const set of sets) {
      say(`linking a chain through ${named(set)}`, done, all);
      kernels.grow(base, set / 64);
      result.waits.push(median(time(`latency, ${named(set)}`, () => kernels.chase(1, hops), far(set))) / hops * 1e9);
      show();
    }
    kernels.spread();
    for (const together of TOGETHER) {
      const seconds = median(time(`latency, loads in flight: ${together}`, () => kernels.chase(together, hops), {least: LONG}));
      result.chases.push(seconds / hops / together * 1e9);
      show();
    }
    kernels.fill(base, 3 * 1025 * 1025 + 1);
    for (const [tiled, side] of [...SIDES.map((side) => [0, side]), [1, 1024]]) {
      const rows = ROWS[tiled], matrix = 4 * side * side;
      const run = () => kernels.multiply(tiled, rows, side, base, base + matrix, base + 2 * matrix);
      const gflops = 2 * rows * side * side / median(time(`a matrix product, ${side}`, run)) / 1e9;
      if (tiled) result.tiled = gflops; else result.naive.push(gflops);
      show();
    }
    if (threads > 1) {
      const each = Math.max(EACH, Math.floor(bytes / threads / GUARD) * GUARD), flops = 2 * best[2] * best[1] * (best[0] ? 4 : 1);
      await together(sent, threads, each, Math.max(batch, LONG), best, () => say(`${threads} threads at once`, done, all))
        .then(([arithmetic, reads]) => { result.all = [threads, arithmetic * flops / 1e9, reads * each / 1e9]; }, () => {});
    } else result.all = [1, Math.max(...result.peaks), result.reads.at(-1)];
    postMessage({progress: 1, doing: "", result, done: true});
  };

  onmessage = ({data}) => (data.bytes ? help(data) : measure(data)).catch((error) =>
    postMessage({refused: error instanceof Refused ? error.message : `The measurement failed: ${error.message}`}));
};
