// Whether results are possible. A device that went away, or a clock that jumped, can make a machine appear far faster than any: the
// limits are some ten times what the fastest can do. Results of a run, in a link and in storage must all meet them.
(() => {
  const within = (number, least, most) => typeof number === "number" && number >= least && number <= most;

  // ---- The processor ----
  // [least, most] of one core that has 128-bit registers, by unit; "" is a ratio.
  const LIMITS = {gflops: [0, 2e3], gbs: [0, 2e3], ns: [.05, 1e6], "": [0, 1e4]}, CORES = 1e4;
  const possible = (number, unit, cores = 1) => within(number, LIMITS[unit][0], cores * LIMITS[unit][1]);
  const PARTS = {peaks: "gflops", naive: "gflops", tiled: "gflops", reads: "gbs", waits: "ns", chases: "ns"};
  press.plausible = ({all: [cores, flops, bytes], ...result}) =>
    Object.entries(PARTS).every(([part, unit]) => [result[part]].flat().every((number) => possible(number, unit))) &&
    cores <= CORES && possible(flops, "gflops", cores) && possible(bytes, "gbs", cores);
  // A stored value, by its id.
  press.plausibleValue = (id, value) => possible(value, /_(gflops|gbs|ns)(_\d+)?$/.exec(id)?.[1] ?? "", /_all_/.test(id) ? CORES : 1);

  // ---- The GPU ----
  const MOST = {copy: 1e14, n: 1024, naive: 1e15, tiled: 1e15, launch: 10, answer: 10}; // B/s, FLOP/s, s
  press.plausibleGpu = (found) => {
    const {flight, ...numbers} = found ?? {}, fine = (number, most) => number > 0 && within(number, 0, most);
    return Object.entries(MOST).every(([name, most]) => fine(numbers[name], most)) && Array.isArray(flight) && flight.length > 2 &&
      flight.every((point) => Array.isArray(point) && point.length === 2 && fine(point[0], 1e9) && fine(point[1], MOST.copy));
  };
})();
