// The results of measure.html under the ids of the labs: as values, in words, as points for figures, and as a record of chapter 01.
(() => {
  const {digits, scaled} = press.format;
  const SYSTEMS = /Android|iPhone|iPad|Windows|Mac|Linux/;
  const system = navigator.userAgentData?.platform || SYSTEMS.exec(navigator.userAgent)?.[0] || "an unknown system";
  press.browserName = `browser on ${system}`;

  const LINE = 64; // bytes
  // {lab: {id: value}}; null if it was not measured.
  const values = ({peaks, reads, waits, chases, naive, all: [, flops, bytes]}) => {
    const of = {peak_fp32_gflops: Math.max(...peaks), peak_fp32_all_gflops: flops || null};
    return {
      "01-roofline": {
        ...of, peak_fp32_scalar_gflops: peaks[0], bandwidth_l1_gbs: reads[1], bandwidth_dram_gbs: reads.at(-1),
        memory_roof_gbs: reads.at(-1), // no other stream was timed
        bandwidth_dram_all_gbs: bytes || null, latency_l1_ns: waits[0],
      },
      "02-matmul": {...of, ...Object.fromEntries(naive.map((speed, i) => [`naive_gflops_${1023 + i}`, speed]))},
      "03-gpu": {mlp_gain_16: chases[0] / chases.at(-1)},
    };
  };
  // {id: [value, its relative error]}, including values derived by the book's definitions; in C++: labs/record/reading.cpp.
  const withDefined = (found, definitions) => definitions.reduce((all, {id: defined, factors}) => {
    const parts = factors.map(({id, number}) => id ? all[id] : [number, 0]);
    if (!parts.every((part) => part?.[0])) return all;
    const product = factors.reduce((product, {divides}, i) => divides ? product / parts[i][0] : product * parts[i][0], 1);
    return {...all, [defined]: [product, Math.hypot(...parts.map(([, off]) => off))]};
  }, found);
  const UNITS = {gflops: "GFLOP/s", gbs: "GB/s", ns: "ns", byte: "FLOP/byte", loaded: "FLOP"}; // by the last word of an id, ignoring a number after it
  const unit = (id) => UNITS[id.replace(/(_\d+)$/, "").split("_").at(-1)] ?? "1";
  const known = (found) => Object.entries(found).filter(([, value]) => value);
  const words = (id, value) => {
    const of = unit(id);
    return of === "ns" ? scaled(value * 1e-9, "s") : of === "1" ? digits(value)
      : of[0] === "G" ? scaled(value * 1e9, of.slice(1)) : `${digits(value)}\u00a0${of}`;
  };
  // {lab/id: [value, in words, relative error]}. The memory roof is left out: here it is just the bandwidth of reading.
  press.valuesInWords = (result, definitions) => Object.fromEntries(Object.entries(values(result)).flatMap(([lab, found]) => {
    const measured = Object.fromEntries(known(found).map(([id, value]) => [id, [value, result.noise]]));
    const {memory_roof_gbs, ...told} = withDefined(measured, definitions[lab]);
    return Object.entries(told).map(([id, [value, off]]) => [`${lab}/${id}`, [value, words(id, value), off]]);
  }));

  // {figure: its points}, as the figure's axes have them.
  press.pointsOf = ({peaks, reads, waits, chases, naive}) => {
    const peak = Math.max(...peaks), dram = reads.at(-1), ridge = peak / dram;
    const intensities = [...Array.from({length: 41}, (_, i) => 2 ** (i / 2 - 8)), ridge].sort((a, b) => a - b);
    const sets = (medians) => medians.map((median, i) => [2 ** (13 + i), median]);
    return {"fig-bandwidth": sets(reads), "fig-latency": sets(waits), "fig-roofline": intensities.map((x) => [x, Math.min(peak, x * dram)]),
            "fig-conflict": naive.map((speed, i) => [1023 + i, speed]), "fig-little": chases.map((wait, i) => [2 ** i, LINE / wait])};
  };

  const staircase = (id, label, name, unit, medians) => ({
    id, label, kind: "measured", x: {name: "working set", unit: "B"}, y: {name, unit},
    points: medians.map((median, i) => ({x: 2 ** (13 + i), median, samples: [median]})),
  });
  // `empty` names the compiler and the modules. What a browser hides is null, or the least that a record allows.
  press.browserRecord = (empty, result, {began, seconds}) => {
    const unknown = {before: null, after: null}, {reads, waits, step, noise, all: [threads]} = result;
    return {
      ...empty,
      run: {started: `${began.slice(0, 19)}Z`, seconds, budget: "quick", complete: false, quiet: true, pressure: unknown, steal: unknown,
            clock_resolution_ns: 1e6 * step, noise_floor: noise, notes: [
              "measured in a browser, which hides vectors wider than 128 bits, the caches and the size of memory",
              "a sample is the median of up to nine batches",
              `all cores: ${threads} thread${threads === 1 ? "" : "s"}, one for each core that the browser reports`]},
      machine: {slug: press.browserName.toLowerCase().replace(/[^a-z0-9]+/g, "-"), cpu: press.browserName, architecture: "other", isa: [],
                caches: [], numa_nodes: 1, memory_bytes: 2 ** (12 + reads.length), gpus: [], virtualised: false, os: "unknown"},
      series: [staircase("bandwidth_read", "read, 1 thread", "bandwidth", "GB/s", reads),
               staircase("latency_4k", "pointer chase, 4 KiB pages", "latency", "ns", waits)],
      values: known(values(result)["01-roofline"]).map(([id, value]) => ({id, value, unit: unit(id), kind: "measured"})),
    };
  };
  // A record for a link, as tools/machine_issues/link.py unpacks it.
  press.packed = async (record) => {
    const zipped = new Blob([JSON.stringify(record)]).stream().pipeThrough(new CompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(zipped).arrayBuffer());
    return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (letter) => ({"+": "-", "/": "_"})[letter] ?? "");
  };
})();
