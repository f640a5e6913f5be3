// What measure.html found, by the ids of chapter 01's lab: as values, in words, and as a record of that lab.
(() => {
  const hf = window.hardwareFirst, {digits, scaled} = hf.format;
  const SYSTEMS = /Android|iPhone|iPad|Windows|Mac|Linux/;
  const system = navigator.userAgentData?.platform || SYSTEMS.exec(navigator.userAgent)?.[0] || "a system that it does not tell";
  hf.browserName = `browser on ${system}`;

  const values = ({peaks, reads, waits, all: [, flops, bytes]}) => {
    const peak = Math.max(...peaks), dram = reads[reads.length - 1];
    return {
      peak_fp32_gflops: [peak, "GFLOP/s"], peak_fp32_scalar_gflops: [peaks[0], "GFLOP/s"],
      bandwidth_l1_gbs: [reads[1], "GB/s"], bandwidth_dram_gbs: [dram, "GB/s"], latency_l1_ns: [waits[0], "ns"],
      ridge_flop_per_byte: [peak / dram, "FLOP/byte"], flops_per_float_loaded: [4 * peak / dram, "FLOP"],
      ...flops ? {peak_fp32_all_gflops: [flops, "GFLOP/s"], bandwidth_dram_all_gbs: [bytes, "GB/s"]} : {},
    };
  };
  const words = ([value, unit]) => unit === "ns" ? scaled(value * 1e-9, "s")
    : unit[0] === "G" ? scaled(value * 1e9, unit.slice(1)) : `${digits(value)}\u00a0${unit}`;
  hf.valuesInWords = (result) => Object.fromEntries(Object.entries(values(result)).map(([id, value]) => [id, words(value)]));

  const staircase = (id, label, name, unit, medians) => ({
    id, label, kind: "measured", x: {name: "working set", unit: "B"}, y: {name, unit},
    points: medians.map((median, i) => ({x: 2 ** (13 + i), median, samples: [median]})),
  });
  // `empty` says what was measured with. What a browser does not tell is null, or as little as a record may have.
  hf.browserRecord = (empty, result, {began, seconds}) => {
    const unknown = {before: null, after: null}, {reads, waits, step, noise, all: [cores]} = result;
    return {
      ...empty,
      run: {started: `${began.slice(0, 19)}Z`, seconds, budget: "quick", complete: false, quiet: true, pressure: unknown, steal: unknown,
            clock_resolution_ns: 1e6 * step, noise_floor: noise, notes: [
              "measured in a browser, which hides vectors of more than 128 bits, caches, and how much memory there is",
              "a sample is the median of up to nine batches"]},
      machine: {slug: hf.browserName.toLowerCase().replace(/[^a-z0-9]+/g, "-"), cpu: hf.browserName, architecture: "other", isa: [],
                cores, caches: [], numa_nodes: 1, memory_bytes: 2 ** (12 + reads.length), gpus: [], virtualised: false, os: "not told"},
      series: [staircase("bandwidth_read", "read, 1 thread", "bandwidth", "GB/s", reads),
               staircase("latency_4k", "pointer chase, 4 KiB pages", "latency", "ns", waits)],
      values: Object.entries(values(result)).map(([id, [value, unit]]) => ({id, value, unit, kind: "measured"})),
    };
  };
})();
