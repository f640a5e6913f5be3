// Measures the reader's GPU through WebGPU: copying, the bytes in flight needed to read at full speed, a naive and a tiled matrix
// product, and the cost of a launch. Each kernel is checked before it is timed, and again at the end, because a lost device
// may report its work as done. A wrong result, a missing feature or a lost device throws an error that says so.
(() => {
  const MiB = 2 ** 20, COPIED = 128 * MiB, TILE = 16, CHECKED = 3 * TILE, SIDES = [256, 1024]; // a slow GPU gets the smaller side
  const WIDE = 16, GROUP = 64; // bytes of a load; threads that start together
  const THREADS = [64, 256, 1024, 4096, 16384, 65536, 262144, 1048576], LOADS = [16, 4096, 2 ** 24]; // of a thread, and of all
  const LONG = 50, SLOW = 20, ROUNDS = 5; // a batch; a launch: both in ms
  const SILENCE = 120e3, MOST = 2 ** 20; // a step that takes longer (ms) has failed; no batch has more launches

  class Told extends Error {} // its message is for the reader

  const HEAD = (type) => `
    @group(0) @binding(0) var<storage, read> a: array<${type}>;
    @group(0) @binding(1) var<storage, read> b: array<${type}>;
    @group(0) @binding(2) var<storage, read_write> c: array<${type}>;
    override n: u32 = 1;`;
  const COPY = `${HEAD("vec4f")}
    @compute @workgroup_size(256) fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
      for (var i = id.x; i < n; i += 256 * groups.x) { c[i] = a[i]; }
    }`;
  // A thread's next address depends on its last load, so each thread has one load in flight. The numbers are below 1, so they never
  // change the address.
  const WAIT = `${HEAD("vec4f")}
    @compute @workgroup_size(${GROUP}) fn wait(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
      var at = id.x;
      for (var i = 0u; i < n; i++) { at = (at + ${GROUP} * groups.x + u32(abs(a[at].x))) % ${COPIED / WIDE}; }
      c[id.x] = vec4f(f32(at));
    }`;
  const PRODUCTS = `${HEAD("f32")}
    @compute @workgroup_size(${TILE}, ${TILE}) fn naive(@builtin(global_invocation_id) id: vec3u) {
      var sum = 0.0;
      for (var p = 0u; p < n; p++) { sum += a[id.y * n + p] * b[p * n + id.x]; }
      c[id.y * n + id.x] = sum;
    }
    var<workgroup> of_a: array<array<f32, ${TILE}>, ${TILE}>;
    var<workgroup> of_b: array<array<f32, ${TILE}>, ${TILE}>;
    @compute @workgroup_size(${TILE}, ${TILE})
    fn tiled(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) at: vec3u) {
      var sum = 0.0;
      for (var p = 0u; p < n; p += ${TILE}) {
        of_a[at.y][at.x] = a[id.y * n + p + at.x];
        of_b[at.y][at.x] = b[(p + at.y) * n + id.x];
        workgroupBarrier();
        for (var k = 0u; k < ${TILE}; k++) { sum += of_a[at.y][k] * of_b[k][at.x]; }
        workgroupBarrier();
      }
      c[id.y * n + id.x] = sum;
    }`;

  const random = (count) => Float32Array.from({length: count}, () => 2 * Math.random() - 1);

  // Prepares buffers, and functions to run a kernel over two arrays into a third and to read that.
  const prepare = async (device, signal) => {
    const access = ["read-only-storage", "read-only-storage", "storage"];
    const entries = access.map((type, binding) => ({binding, visibility: GPUShaderStage.COMPUTE, buffer: {type}}));
    const bindGroupLayout = device.createBindGroupLayout({entries});
    const layout = device.createPipelineLayout({bindGroupLayouts: [bindGroupLayout]});
    const {STORAGE, COPY_SRC, COPY_DST, MAP_READ} = GPUBufferUsage;
    const buffers = access.map(() => device.createBuffer({size: COPIED, usage: STORAGE | COPY_SRC | COPY_DST}));
    const bound = device.createBindGroup({layout: bindGroupLayout, entries: buffers.map((buffer, binding) => ({binding, resource: {buffer}}))});
    const submit = async (fill) => {
      const encoder = device.createCommandEncoder();
      fill(encoder);
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      signal.throwIfAborted();
    };
    const kernel = async (code, entryPoint, n, groups) => {
      const compute = {module: device.createShaderModule({code}), entryPoint, constants: {n}};
      const pipeline = await device.createComputePipelineAsync({layout, compute});
      return (times) => submit((encoder) => {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bound);
        for (let i = 0; i < times; ++i) pass.dispatchWorkgroups(...groups);
        pass.end();
      });
    };
    const read = async (bytes) => {
      const copy = device.createBuffer({size: bytes, usage: MAP_READ | COPY_DST});
      await submit((encoder) => encoder.copyBufferToBuffer(buffers[2], 0, copy, 0, bytes));
      await copy.mapAsync(GPUMapMode.READ);
      return new Float32Array(copy.getMappedRange());
    };
    return {kernel, read, write: (which, numbers) => device.queue.writeBuffer(buffers[which], 0, numbers)};
  };
  const product = (gpu, name, n) => gpu.kernel(PRODUCTS, name, n, [n / TILE, n / TILE]);
  const copying = (gpu, bytes) => gpu.kernel(COPY, "copy", bytes / 16, [Math.min(4096, Math.ceil(bytes / 4096))]);
  const waiting = (gpu, threads, loads) => gpu.kernel(WAIT, "wait", loads, [threads / GROUP]);

  const check = async (gpu) => {
    const n = CHECKED, a = random(n * n), b = random(n * n), wrong = (what) => new Told(`The GPU's ${what} gave a wrong result in this browser, so nothing was timed.`);
    gpu.write(0, a);
    gpu.write(1, b);
    await (await copying(gpu, a.byteLength))(1);
    if (!(await gpu.read(a.byteLength)).every((x, i) => x === a[i])) throw wrong("copy");
    for (const name of ["naive", "tiled"]) {
      await (await product(gpu, name, n))(1);
      const right = (found, at) => {
        let sum = 0;
        for (let p = 0; p < n; ++p) sum += a[Math.floor(at / n) * n + p] * b[p * n + at % n];
        return Math.abs(found - sum) <= 1e-4;
      };
      if (!(await gpu.read(a.byteLength)).every(right)) throw wrong(`${name} product`);
      gpu.write(2, new Float32Array(n * n)); // so that the second check cannot pass on the first one's result
    }
    const threads = 2 * GROUP, loads = 5;
    await (await waiting(gpu, threads, loads))(1);
    if (!(await gpu.read(WIDE * threads)).every((x, i) => x === Math.floor(i / 4) + loads * threads)) throw wrong("chain of loads");
  };

  const took = async (run, times) => {
    const from = performance.now();
    await run(times);
    return performance.now() - from;
  };
  // Milliseconds per launch: the time of additional launches, without the cost of waiting for the batch.
  const each = async (run) => {
    let times = 1;
    while (await took(run, times) < LONG)
      if ((times *= 2) > MOST) throw new Told("The GPU reported its work as done sooner than is possible. Nothing was saved. Try again.");
    const found = [];
    for (let i = 0; i < ROUNDS; ++i) found.push((await took(run, 3 * times) - await took(run, times)) / (2 * times));
    return found.sort((a, b) => a - b)[ROUNDS >> 1];
  };

  // [bytes in flight, bytes that arrive per second] for each number of threads.
  const arriving = async (gpu, slow) => {
    const found = [], [least, most, all] = LOADS;
    for (const threads of THREADS) {
      const loads = Math.max(least, Math.min(most, all / threads / (slow ? 16 : 1)));
      found.push([WIDE * threads, 1e3 * WIDE * threads * loads / await each(await waiting(gpu, threads, loads))]);
    }
    return found;
  };

  const measure = async (say, controller) => {
    const adapter = await navigator.gpu.requestAdapter({powerPreference: "high-performance"});
    if (!adapter) throw new Told("This browser doesn’t let pages use the GPU.");
    const device = await adapter.requestDevice(), {signal} = controller;
    signal.addEventListener("abort", () => device.destroy());
    if (signal.aborted) device.destroy();
    device.lost.then(() => controller.abort(new Told("The GPU became unavailable during the measurement. Nothing was saved. Try again.")));
    device.addEventListener("uncapturederror", ({error}) =>
      controller.abort(new Told(`The GPU's driver reported an error: ${error.message} Nothing was saved.`)));
    say("checking its results");
    const gpu = await prepare(device, signal), waits = [], [small, large] = SIDES;
    await check(gpu);
    say("copying");
    const copy = 2e3 * COPIED / await each(await copying(gpu, COPIED));
    const slow = await took(await product(gpu, "naive", small), 1) > SLOW, n = slow ? small : large, speeds = {};
    say("loads in flight");
    const flight = await arriving(gpu, slow);
    for (const name of ["naive", "tiled"]) {
      say(`${name} matrix product`);
      speeds[name] = 2e3 * n ** 3 / await each(await product(gpu, name, n));
    }
    say("launching kernels");
    const nothing = await gpu.kernel(COPY, "copy", 0, [1]), launch = await each(nothing) / 1e3;
    for (let i = 0; i < 25; ++i) waits.push(await took(nothing, 1));
    say("checking its results again");
    await check(gpu);
    const found = {copy, n, ...speeds, launch, answer: waits.sort((a, b) => a - b)[12] / 1e3, flight,
                   fallback: Boolean(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter)};
    if (!press.plausibleGpu(found)) throw new Told("The GPU's times are too short to be real. Nothing was saved. Try again.");
    return found;
  };

  // The results, in B/s, FLOP/s and s; `say` gets the name of each step. The page may abort `controller` with an error that says why.
  press.measureGpu = async (say, controller) => {
    let watch = 0;
    const step = (doing) => {
      clearTimeout(watch);
      watch = setTimeout(() => controller.abort(new Told("The GPU stopped responding. Nothing was saved. Try again.")), SILENCE);
      if (!controller.signal.aborted) say(doing);
    };
    const aborted = new Promise((_, reject) => controller.signal.addEventListener("abort", () => reject(controller.signal.reason)));
    try {
      return await Promise.race([aborted, measure(step, controller)]);
    } catch (error) {
      // A lost device also makes the step in progress fail, in the browser's words; the reason is more useful.
      const reason = controller.signal.reason ?? error;
      throw reason instanceof Told || controller.signal.aborted ? reason : new Told(`The GPU can’t be measured here. The browser reports: ${reason.message}`);
    } finally {
      clearTimeout(watch);
      controller.abort(); // ends what is still at work, and frees the GPU
    }
  };
})();
