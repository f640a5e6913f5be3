// Chapter 01's experiments in the browser: the reader's guess, a worker that measures, pictures as results arrive, and what they
// mean. A link contains the result after "#", which no server sees; it is validated before use.
(() => {
  const {element, table} = press.make, {digits, percent, scaled} = press.format;
  const box = document.querySelector("[data-widget=measure]");
  if (!box) return;
  const {modules, machines, record, definitions, source} = JSON.parse(box.querySelector("script").textContent);
  const SIZES = [.1, .3, .5, 1, 1.5, 3, 4, 7, 8, 14, 27, 32, 70, 123, 235, 405, 671]; // of well-known models, in billions of weights
  const SILENCE = 20e3; // a worker silent for this long has died: even the longest batch is far shorter

  // ---- A result in the address: #measured=1:step,noise;peaks;reads;waits;chases;naive;tiled;threads,their GFLOP/s,their GB/s ----
  const PARTS = [["step", "noise"], "peaks", "reads", "waits", "chases", "naive", ["tiled"], "all"];
  const COUNTS = [[2, 2], [3, 3], [13, 16], [13, 16], [5, 5], [3, 3], [1, 1], [3, 3]]; // the least and greatest length of each part
  const written = (result) => "#measured=1:" + PARTS.map((part) => (Array.isArray(part) ? part.map((name) => result[name]) : result[part])
    .map((v) => Number(v.toPrecision(4)).toFixed(6).replace(/\.?0+$/, "")).join(",")).join(";");
  // The result in an address; null unless it is possible and has exactly the form that written() makes.
  const read = (hash) => {
    if (hash.length > 600 || !/^#measured=1:[0-9.,;]+$/.test(hash)) return null;
    const groups = hash.slice("#measured=1:".length).split(";").map((group) => group.split(","));
    const fine = (word, zero) => /^\d{1,6}(\.\d{1,6})?$/.test(word) && (zero || Number(word) > 0);
    if (groups.length !== PARTS.length || groups[2].length !== groups[3].length) return null;
    if (!groups.every((group, i) => group.length >= COUNTS[i][0] && group.length <= COUNTS[i][1] &&
        group.every((word, j) => fine(word, i === 0 && j === 1 || i === 1 && j === 2 || i === 7 && j)))) return null; // no noise; no fused loop; no threads
    const result = {};
    PARTS.forEach((part, i) => {
      const numbers = groups[i].map(Number);
      if (Array.isArray(part)) part.forEach((name, j) => { result[name] = numbers[j]; }); else result[part] = numbers;
    });
    return press.plausible(result) ? result : null;
  };

  // ---- The page ----
  const [form, soWhat, add] = [...box.querySelector("template").content.cloneNode(true).children];
  const {stop, guess} = form.elements, button = form.querySelector("[type=submit]"), {behind, format, size} = soWhat.elements;
  const guessed = () => guess.dataset.moved ? Number((1000 ** (guess.value / guess.max)).toPrecision(2)) : 0;
  guess.addEventListener("input", () => {
    guess.dataset.moved = "yes";
    guess.previousElementSibling.textContent = `${digits(guessed())} billion`;
    guess.setAttribute("aria-valuetext", `${digits(guessed())} billion`);
  });
  const said = element("output", {class: "hf-outcome", "aria-live": "polite"});
  const doing = element("p", {class: "hf-doing"}), bar = element("progress", {max: 1, value: 0, "aria-label": "measured so far"});
  const pictures = element("div", {class: "hf-shown hf-plots"}), rows = element("div", {class: "hf-shown"}), means = element("ul", {class: "hf-means"});
  const link = element("a", {hidden: ""}, "Link to this result");
  const chapter = element("a", {href: "01-roofline.html"}, "The book with these numbers");
  const [save, forget] = ["Save as a record", "Forget"].map((words) => element("button", {type: "button"}, words));
  const own = element("span", {hidden: ""}, [chapter, save, forget]), links = element("p", {class: "hf-links"}, [own, link]);
  const running = element("div", {hidden: ""}, [bar, doing]);
  for (const {slug, name} of machines) behind.append(element("option", {value: slug}, name));
  const gpu = element("div", {class: "hf-shown hf-gpu"}), ofGpu = element("div"), ask = element("button", {type: "button"}, "Measure the GPU too");
  soWhat.querySelector("fieldset").append(means);
  box.append(form, said, running, pictures, soWhat, rows, links, add, gpu); // so that later parts do not move earlier ones

  // `mine` is this browser's stored result; null if the result shown came from elsewhere.
  let result = null, mine = null, began = 0, worker = null, watch = 0, width = 0;
  let run = null; // of the GPU: an AbortController
  // Two runs at once would disturb each other, so neither button works during a run.
  const allow = () => {
    button.disabled = ask.disabled = Boolean(worker || run);
    button.hidden = Boolean(worker);  // Stop has its place
  };

  const draw = () => {  // before there is a result, the other machine's curves stand alone
    pictures.replaceChildren(...press.measuredPlots(result, machines.find(({slug}) => slug === behind.value), width || 620));
  };
  const gflops = (v) => scaled(v * 1e9, "FLOP/s"), gbs = (v) => scaled(v * 1e9, "B/s"), ns = (v) => scaled(v * 1e-9, "s");
  const tabulate = ({peaks, reads, waits, chases, naive, tiled, all: [threads, flops, bytes], step, noise}) => {
    const last = (list) => list[list.length - 1];
    rows.replaceChildren(table(null, [
      ["one number at a time", gflops(peaks[0])], ["four at a time", gflops(peaks[1])],
      ["four at a time, fused", peaks[2] ? gflops(peaks[2]) : "unavailable in this browser"],
      ["reading 8 KiB repeatedly", gbs(reads[0])], [`reading ${2 ** (reads.length - 8)} MiB`, gbs(last(reads))],
      ["one load from 8 KiB", ns(waits[0])], [`one load from ${2 ** (waits.length - 8)} MiB`, ns(last(waits))],
      ["… per load, with 16 in flight", ns(last(chases))],
      ...naive.map((v, i) => [`naive product, N = ${1023 + i}`, gflops(v)]), ["tiled product, N = 1024", gflops(tiled)],
      ["cores that the browser reports", String(threads)],
      ...threads === 1 ? [] : flops ? [[`arithmetic, ${threads} threads`, gflops(flops)], [`reading, ${threads} threads`, gbs(bytes)]]
        : [["several threads at once", "unavailable in this browser"]],
      ["resolution of the clock", scaled(step / 1e3, "s")], ["repeated batches differ by", percent(noise)], ...mine ? [["name in a saved record", press.browserName]] : [],
    ]));
  };
  // By chapter 06's formula, bytes over bandwidth, and by chapter 02's ladder.
  const explain = () => {
    const weights = SIZES[size.value], bits = Number(format.value), {peaks, reads, naive, chases, all} = result;
    const bytes = weights * 1e9 * bits / 8, peak = Math.max(...peaks), tokens = (gbs) => digits(gbs * 1e9 / bytes);
    const threads = all[0] > 1 && all[2] ? `, and ${tokens(all[2])} with ${all[0]} threads, one for each core that the browser reports` : "";
    size.setAttribute("aria-valuetext", `${digits(weights)} billion weights`);
    const name = format.selectedOptions[0].text.split(",")[0];
    means.replaceChildren(...[
      `A model of ${digits(weights)} billion weights in ${name} could generate at most ${tokens(reads[reads.length - 1])} tokens per second on one core here${threads}, because each token reads all ${scaled(bytes, "B")} of weights.`,
      `A naive matrix product wastes ${Math.round(100 * Math.max(0, 1 - naive[0] / peak))}% of its cycles here, and takes ${digits(naive[0] / naive[1])} times as long at N = 1024 as at 1023.`,
      `A load from memory takes ${ns(chases[0])}. With 16 loads in flight, ${digits(chases[0] / chases[4])} arrive in that time.`,
    ].map((words) => element("li", {}, words)));
  };

  // ---- The stored result ----
  // Returns what the store returned.
  const remember = () => {
    const seconds = (Date.now() - began) / 1e3, values = press.valuesInWords(result, definitions), points = press.pointsOf(result);
    mine = {link: written(result), began: new Date(began).toISOString(), seconds, values, points};
    return press.store("measured", JSON.stringify(mine));
  };
  const remembered = () => {
    try { mine = JSON.parse(press.stored("measured")); } catch { /* treated as none */ }
    result = typeof mine?.link === "string" ? read(mine.link) : null;
    if (!result) mine = null;
    return result;
  };

  const conclude = (from) => {
    const multiplied = Math.max(...result.peaks) / 2, bet = guessed();
    const off = Math.max(bet / multiplied, multiplied / bet);
    const verdict = from || !bet ? "" : off < 1.1 ? " Your guess was right." : ` You said ${digits(bet)}: off by a factor of ${digits(off)}.`;
    said.textContent = `${from || "One core does"} ${digits(multiplied)} billion multiplications per second, and as many additions.${verdict}`;
    link.href = written(result);
    own.hidden = !mine;
    link.hidden = soWhat.hidden = false;
    offer();
    tabulate(result);
    explain();
    draw();
  };

  // ---- The record: in a file, or in a link that opens a form on GitHub. Only that form's button sends anything. ----
  const [words, to] = add.querySelectorAll("p, a");
  let packed = ""; // the record; without it, the link saves the file
  const address = () => {
    const name = add.elements.name.value.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    const fields = {template: "machine.yml", title: `Machine: ${name}`, name, credit: add.elements.credit.value, record: packed};
    to.href = `${source}/issues/new?${new URLSearchParams(fields)}`;
    words.hidden = Boolean(packed);
  };
  const offer = async () => {
    if (add.hidden = !mine || !source) return;
    try {
      packed = await press.packed(press.browserRecord(record, result, mine));
    } catch {
      packed = ""; // an old browser can't pack, and what was stored may lack a part
    }
    address();
  };
  add.addEventListener("input", address);
  add.addEventListener("submit", (event) => { event.preventDefault(); to.click(); });
  to.addEventListener("click", () => { if (!packed) save.click(); });

  // ---- Measuring ----
  const end = (words) => {
    worker?.terminate(); // also ends the workers that it started
    worker = null;
    clearTimeout(watch);
    allow();
    stop.hidden = running.hidden = true;
    if (words) said.textContent = words;
  };
  const listen = () => {
    clearTimeout(watch);
    watch = setTimeout(() => end("The measurement stopped responding; the browser may have ended it. Nothing was saved. Close some tabs and try again."), SILENCE);
  };
  const FORBIDDEN = "This site’s host forbids measuring. Its Content-Security-Policy header must allow script-src 'self' " +
    "'wasm-unsafe-eval' and worker-src blob:. You can measure with a copy of this page opened from disk.";
  document.addEventListener("securitypolicyviolation", ({effectiveDirective}) => {
    if (/^(worker|child|script)-src|^require-trusted-types/.test(effectiveDirective)) end(FORBIDDEN);
  });
  const hear = ({data}) => {
    if (data.refused) return end(/content security policy/i.test(data.refused) ? FORBIDDEN : data.refused);
    listen();
    if (data.progress !== undefined) {
      bar.value = data.progress;
      doing.textContent = data.doing;
    }
    if (data.result) {
      result = data.result;
      draw();
    }
    if (!data.done) return;
    if (!press.plausible(result)) {
      result = null;
      draw();
      return end("The times are too short to be real. Nothing was saved. Try again.");
    }
    end();
    const lost = remember();
    conclude("");
    said.append(lost);
    chapter.hidden = Boolean(lost);
  };
  const begin = () => {
    if (run) return;
    end();
    result = mine = null;
    began = Date.now();
    own.hidden = link.hidden = soWhat.hidden = add.hidden = true;
    draw();
    rows.replaceChildren();
    const text = `(${press.experiments})()`, code = URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    worker = new Worker(press.trusted.createScriptURL(code), {name: press.book});
    worker.onmessage = hear;
    worker.onerror = (event) => { event.preventDefault(); if (worker) end("The browser didn't allow the measurement to start."); };
    worker.postMessage({modules, text});
    URL.revokeObjectURL(code);
    listen();
    allow();
    stop.hidden = running.hidden = false;
    said.textContent = "Measuring. Keep this tab in front, and leave the machine alone.";
  };

  // ---- The GPU ----
  gpu.append(ofGpu);
  const tell = (words) => ofGpu.replaceChildren(element("p", {role: "status"}, words));
  const fetched = () => press.load(`${document.documentElement.dataset.content_root}_static/${box.dataset.scripts}`)
    .catch(() => { throw new Error("The script that measures the GPU did not load. Try again."); });
  const measureGpu = async () => {
    if (worker || run) return;
    run = new AbortController();
    gpu.style.minHeight = `${gpu.offsetHeight}px`; // while results are replaced by a line, the button stays where it is
    allow();
    tell("Measuring the GPU. Keep this tab in front.");
    try {
      await fetched();
      const found = await press.measureGpu((doing) => tell(`Measuring the GPU: ${doing}.`), run);
      const lost = press.store("measured-gpu", JSON.stringify(found));
      ofGpu.replaceChildren(...press.gpuInPictures(found, width || 620), element("p", {role: "status"}, lost));
    } catch (error) {
      tell(error.message);
    }
    run = null;
    gpu.style.minHeight = "";
    allow();
  };
  ask.addEventListener("click", measureGpu);
  const seen = location.hash ? null : press.rememberedGpu();
  if (seen) ofGpu.append(...press.gpuInPictures(seen, 620));
  if (navigator.gpu) links.prepend(ask);
  else if (!seen) tell("This browser has no WebGPU, so it can't measure the GPU.");

  form.addEventListener("submit", (event) => { event.preventDefault(); begin(); });
  stop.addEventListener("click", () => { end("Stopped."); button.focus(); });
  chapter.addEventListener("click", () => press.store("this-browser", "shown"));
  save.addEventListener("click", () => {
    const file = URL.createObjectURL(new Blob([JSON.stringify(press.browserRecord(record, result, mine), null, 1)], {type: "application/json"}));
    element("a", {href: file, download: "01-roofline.json"}).click();
    setTimeout(() => URL.revokeObjectURL(file), 1e4); // by then the browser has started to save it
  });
  forget.addEventListener("click", () => {
    press.store("measured", null);
    press.store("measured-gpu", null);
    own.hidden = add.hidden = true;
    said.textContent = "Forgotten. The numbers stay on this page until you leave it.";
    button.focus();
  });
  document.addEventListener("visibilitychange", () => {
    const words = "Stopped: this tab was hidden, and browsers slow hidden tabs down. Nothing was saved.";
    if (worker && document.hidden) end(words);
    if (document.hidden) run?.abort(new Error(words));
  });
  soWhat.addEventListener("submit", (event) => event.preventDefault());
  soWhat.addEventListener("input", () => { explain(); draw(); });
  const follow = () => { if (machines.some(({slug}) => slug === press.machine)) behind.value = press.machine; draw(); };
  document.addEventListener("hf:machine", follow);
  new ResizeObserver(() => {
    const now = Math.min(620, Math.max(330, Math.round(pictures.clientWidth)));
    if (now === width) return;
    width = now;
    draw();
  }).observe(pictures);

  const fromLink = () => {
    if (!location.hash.startsWith("#measured")) return;
    end();
    const found = read(location.hash);
    mine = null;
    if (!found) { said.textContent = "This link doesn’t contain a valid result; part of it may be missing."; return; }
    result = found;
    conclude("The numbers in this link come from another machine: one core there did");
  };
  addEventListener("hashchange", fromLink);
  follow();
  if (!modules.length) {
    form.hidden = true;
    said.textContent = "This copy of the book was built without a compiler for WebAssembly, so this page can’t measure. The next section says how to run the labs instead.";
  } else said.textContent = "Measuring needs 512 MiB of memory. Your curves will appear beside the grey ones.";
  if (location.hash.startsWith("#measured")) fromLink();
  else if (remembered()) conclude("When this browser last measured, one core did");
})();
