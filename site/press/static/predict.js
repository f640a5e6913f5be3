// Predict first: this browser stores the reader's answers, scores them against the chosen machine's, and hides what would give an
// answer away until the reader commits (predict-veil.js). Nothing is sent anywhere.
(() => {
  // How far off an answer may be, as a factor or as a share of a linear scale, to count as near or not far off; else it is far.
  const NEAR = 1.5, SIZE = 3, NEAR_SHARE = .1, SIZE_SHARE = .25;
  const boxes = [...document.querySelectorAll(".hf-predict")];

  const make = (tag, words = "", more = {}) => Object.assign(document.createElement(tag), {textContent: words, ...more});
  const digits = (number) => Number(number.toPrecision(2)).toLocaleString("en", {useGrouping: "min2"});
  const quantity = (number, unit) => digits(number) + (["×", "%"].includes(unit) || !unit ? unit : `\u00a0${unit}`);
  const answer = (box) => box.querySelector(".hf-predict-answer")?.dataset || {};
  const id = (box) => box.dataset.predict;
  const rounded = (number) => Number(Number(number).toPrecision(2));
  // The number at a step of a question's slider, and the other way round.
  const STEPS = 120;
  press.valueAt = ({dataset: {low, high, scale}}, step) =>
    rounded(scale === "linear" ? Number(low) + step / STEPS * (high - low) : low * (high / low) ** (step / STEPS));
  press.stepOf = ({dataset: {low, high, scale}}, number) =>
    Math.round(STEPS * (scale === "linear" ? (number - low) / (high - low) : Math.log(number / low) / Math.log(high / low)));

  // For each kind of question, whether a bet is valid.
  const takes = {
    choices: (box, bet) => [...box.querySelectorAll("[data-choice]")].some(({dataset}) => Number(dataset.choice) === bet),
    range: ({dataset: {low, high}}, bet) => typeof bet === "number" && bet >= rounded(low) && bet <= rounded(high),
    table(box, bet) {
      const rows = [...box.querySelectorAll("[data-row]")];
      return Object.keys(bet).length === rows.length && rows.every((row) =>
        [...row.querySelectorAll("input")].some(({value}) => value === bet[row.dataset.row]));
    },
  };

  // {question: {bet, place, near, of, off, took}}: the bet (null: skipped), the question's place on its page, how many of how many
  // answers were near, the factor by which a number was off, and the true number over the bet. The stored text may be anything;
  // invalid entries are dropped.
  const fits = ([name, entry]) => {
    if (entry?.bet === undefined || !name.includes("/")) return false;
    const box = boxes.find((each) => id(each) === name), {bet, near = 0, of = 0, off, took} = entry;
    if (!box && name.startsWith(`${document.body.dataset.page}/`)) return false; // the page no longer has this question
    const counted = Number.isInteger(near) && Number.isInteger(of) && near >= 0 && near <= of && of <= 100;
    return counted && [off, took].every((factor) => factor == null || factor > 0 && factor < Infinity) && (!box || bet === null || takes[box.dataset.kind](box, bet));
  };
  const load = () => {
    try { return Object.fromEntries(Object.entries(JSON.parse(press.stored("predictions"))).filter(fits)); }
    catch { return {}; }
  };
  let said = load();
  let skipsAll = press.stored("predictions-skipped") === "all";

  const grade = (off, near, size) => off <= near ? "near" : off <= size ? "size" : "far";
  const inGrade = {near: "close", size: "not far off", far: "far off"};

  // For each kind of question, the score of a bet: {text, grade, near, of, off}.
  const scores = {
    choices(box, bet, right) {
      const words = box.querySelector(`[data-choice="${bet}"]`).textContent, near = Number(bet === Number(right));
      return {text: `You said “${words}”: ${near ? "right" : "wrong"}.`, grade: near ? "near" : "far", near, of: 1};
    },
    range(box, bet, right) {
      const {unit, scale, low, high} = box.dataset, apart = bet - right, too = apart > 0 ? "too high" : "too low";
      const words = `You said ${quantity(bet, unit)}`, linear = scale === "linear", factor = Math.max(bet / right, right / bet);
      const found = linear ? grade(Math.abs(apart) / (high - low), NEAR_SHARE, SIZE_SHARE) : grade(factor, NEAR, SIZE);
      const exact = linear ? digits(bet) === digits(Number(right)) : factor < 1.1;
      const off = !linear ? `${digits(factor)}×` : unit === "%" ? `${digits(Math.abs(apart))} points` : quantity(Math.abs(apart), unit);
      const verdict = exact ? "right" : `${inGrade[found]}, ${off} ${too}`;
      return {text: `${words}: ${verdict}.`, grade: found, apart: exact ? "" : `${off} ${too}`,
              near: Number(found === "near"), of: 1, ...linear ? {} : {off: factor, took: right / bet}};
    },
    table(box, bet, right) {
      const sides = JSON.parse(right), rows = Object.keys(bet), truths = rows.map((row) => sides[row]);
      const near = rows.filter((row) => sides[row].includes(bet[row])).length;
      const count = (side) => truths.filter((each) => each.includes(side)).length;
      const always = truths.flat().reduce((most, side) => count(side) > count(most) ? side : most);
      return {text: `You got ${near} of ${rows.length} right. Answering “${always}” every time would get ${count(always)} right.`,
              grade: near === rows.length ? "near" : near < count(always) ? "far" : "size", near, of: rows.length};
    },
  };

  // The reader's answer, or a skip if all questions are skipped; undefined while the question is open.
  const given = (box) => said[id(box)] ?? (skipsAll ? {bet: null} : undefined);

  const show = (box) => {
    const entry = given(box), kind = box.dataset.kind, {answer: right} = answer(box);
    const score = entry && entry.bet !== null && right !== undefined ? scores[kind](box, entry.bet, right) : null;
    if (entry) Object.assign(entry, {place: boxes.indexOf(box), near: score?.near, of: score?.of, off: score?.off, took: score?.took});
    box.classList.toggle("hf-answered", Boolean(entry));
    box.classList.toggle("hf-near", score?.grade === "near");
    box.classList.toggle("hf-far", score?.grade === "far");
    const line = box.querySelector(".hf-predict-score");
    line.textContent = score?.text || (entry ? (entry.bet === null ? "Skipped." : "Noted.") : "");
    if (entry && (entry.bet === null || box.matches(".hf-front-try *"))) {  // a dropped dot counts as an answer, so it can be taken back
      const offer = entry.bet !== null ? "Try again" : skipsAll ? "Turn all questions back on" : "Answer it after all";
      const again = make("button", offer, {type: "button"});
      again.addEventListener("click", () => askAgain(box));
      line.append(" ", again);
    }
    if (kind === "table") showRows(box, entry?.bet, right && JSON.parse(right));
  };

  // A table of questions: each row shows what its kernel waits for and whether the reader was right; so does the table of
  // scores.
  const showRows = (box, bet, sides) => {
    const verdict = (name) => bet && sides ? (sides[name].includes(bet[name]) ? "hf-right" : "hf-wrong") : "";
    for (const row of box.querySelectorAll("[data-row]")) {
      const {row: name} = row.dataset;
      for (const input of row.querySelectorAll("input")) {
        if (bet !== undefined) input.checked = input.value === bet?.[name];
      }
      row.className = verdict(name);
      row.querySelector(".hf-predict-truth")?.remove();
      if (bet === undefined || !sides) continue;
      row.append(make("span", sides[name].length > 1 ? "≈ both" : sides[name][0], {className: "hf-predict-truth"}));
    }
    for (const cell of document.querySelectorAll(`[data-bet-of="${id(box)}"]`)) {
      const {betRow: name} = cell.dataset;
      cell.className = bet?.[name] ? verdict(name) : "";
      cell.textContent = bet?.[name] ? `${bet[name]} ${cell.className === "hf-right" ? "✓" : "✗"}` : "–";
    }
  };

  const say = (box, bet) => {
    if (given(box)) return;
    said[id(box)] = {bet};
    const lost = press.keeping(box, () => refresh(box));
    if (bet !== null) box.querySelector(".hf-predict-score").append(lost);
  };

  const skipAll = (does) => {
    skipsAll = does;
    press.store("predictions-skipped", does ? "all" : null);
    refresh();
  };

  const askAgain = (box) => {
    const skipped = given(box).bet === null;
    delete said[id(box)];
    if (skipped) skipAll(false); else refresh();
    box.querySelector("button, input").focus({preventScroll: true});
  };

  const drawable = ({dataset: {figure, kind}}, entry) => figure && kind === "range" && entry && entry.bet !== null;
  const toDraw = (box, {bet}, {answer: right}) => ({box, bet, words: `you said ${quantity(bet, box.dataset.unit)}`,
    apart: right === undefined ? "" : scores.range(box, bet, right).apart});
  // Stores the answers before it draws them, so that no plot can lose one. Returns what the store returned.
  const refresh = (fresh) => {
    boxes.forEach(show);
    const lost = press.store("predictions", JSON.stringify(said));
    document.querySelectorAll(".hf-predict-summary").forEach(summarise);
    press.veil(boxes.filter((box) => !given(box)).map((box) => ({box, reveal: () => say(box, null)})),
                       boxes.filter((box) => drawable(box, given(box)))
                         .map((box) => ({...toDraw(box, given(box), answer(box)), fresh: box === fresh})));
    document.dispatchEvent(new Event("hf:guesses"));
    return lost;
  };

  // How far off the reader's guesses were: the true number over each.
  press.guesses = () => Object.values(said).flatMap(({took}) => took || []);
  const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)];
  const tally = (entries) => {
    const scored = entries.filter((entry) => entry.of), offs = scored.map((entry) => entry.off).filter(Boolean);
    return {near: scored.reduce((sum, entry) => sum + entry.near, 0), of: scored.reduce((sum, entry) => sum + entry.of, 0),
            off: offs.length ? median(offs) : 0};
  };
  const inWords = ({near, of, off}) => `${near} of ${of} right or close` + (off ? `, median miss ${digits(off)}×` : "");

  // How the reader's intuition changed: this chapter compared with earlier ones, and a row of dots for each.
  const summarise = (place) => {
    const chapters = new Map();
    const asked = Object.entries(said).map(([name, entry]) => [name.split("/")[0], entry]);
    for (const [page, entry] of asked.sort(([a, x], [b, y]) => a.localeCompare(b) || x.place - y.place)) {
      if (entry.of) chapters.set(page, [...(chapters.get(page) || []), entry]);
    }
    const here = boxes.length ? id(boxes[0]).split("/")[0] : "";
    const before = [...chapters].filter(([page]) => page < here).flatMap(([, entries]) => entries);
    place.replaceChildren();
    place.hidden = false;
    place.append(make("p", "Your predictions", {className: "hf-predict-title"}));
    const now = tally(chapters.get(here) || []), then = tally(before);
    let words = now.of ? `In this chapter: ${inWords(now)}.` : "None in this chapter yet.";
    if (now.of && then.of) {
      const [share, old] = [now.near / now.of, then.near / then.of];
      const moved = Math.abs(share - old) < .1 ? "About as good as before" : share > old ? "Better than before" : "Worse than before";
      words += ` ${moved}: ${inWords(then)} in earlier chapters.`;
    }
    place.append(make("p", words, {className: "hf-predict-moved"}));
    const list = make("ul");
    for (const [page, entries] of chapters) {
      const row = make("li", "", {className: page === here ? "hf-here" : ""}), sum = tally(entries);
      const dots = make("span", entries.map(({near, of}) => "●".repeat(near) + "○".repeat(of - near)).join(""));
      dots.setAttribute("aria-hidden", "true");
      row.append(make("span", /^\d/.test(page) ? page.slice(0, 2) : "–"), dots, make("span", inWords(sum)));
      list.append(row);
    }
    if (chapters.size) place.append(list);
    const forget = make("button", "Forget my answers", {type: "button"});
    forget.addEventListener("click", () => { said = {}; skipAll(false); });
    const note = make("p", "“Close” means within a factor of 1.5, or within 10 points on a scale from 0% to 100%. " +
      "Your answers stay in this browser. ");
    if (skipsAll || Object.keys(said).length) note.append(forget);
    place.append(note);
  };

  for (const box of boxes) {
    const slider = box.querySelector("input[type=range]"), commit = box.querySelector(".hf-predict-commit");
    const {unit, kind} = box.dataset, exact = box.querySelector("input[type=number]");
    const value = () => Number(exact?.value) || press.valueAt(box, slider.value);
    slider?.addEventListener("input", () => {
      const words = quantity(press.valueAt(box, slider.value), unit);
      if (exact) exact.value = press.valueAt(box, slider.value); else box.querySelector("output").textContent = words;
      slider.setAttribute("aria-valuetext", words);
      commit.disabled = false;
    });
    exact?.addEventListener("input", () => {
      commit.disabled = !takes.range(box, exact.valueAsNumber);
      if (!commit.disabled) slider.value = press.stepOf(box, exact.valueAsNumber);
      slider.setAttribute("aria-valuetext", quantity(exact.valueAsNumber || 0, unit));
      slider.dispatchEvent(new Event("hf:moved"));
    });
    for (const field of [exact, slider])
      field?.addEventListener("keydown", (event) => { if (event.key === "Enter" && !commit.disabled) commit.click(); });
    const chosen = () => Object.fromEntries([...box.querySelectorAll("[data-row]")].map(
        (row) => [row.dataset.row, row.querySelector("input:checked")?.value]));
    box.addEventListener("change", () => { if (kind === "table") commit.disabled = Object.values(chosen()).includes(undefined); });
    box.addEventListener("click", ({target}) => {
      const button = target.closest(".hf-predict-form button");
      if (!button) return;
      if (button.matches(".hf-predict-all")) skipAll(true);
      else if (button.matches(".hf-predict-skip")) say(box, null);
      else say(box, kind === "choices" ? Number(button.dataset.choice) : kind === "range" ? value() : chosen());
      if (box.contains(document.activeElement)) box.querySelector(".hf-predict-score").focus({preventScroll: true});
    });
  }
  document.addEventListener("hf:machine", () => refresh());
  window.addEventListener("hashchange", () => {  // a link may lead into folded lines
    const linked = document.getElementById(location.hash.slice(1));
    if (!linked?.closest(".hf-folded")) return;
    refresh();
    linked.scrollIntoView();
  });
  window.addEventListener("storage", ({key}) => { if (!key?.startsWith(press.key("predictions"))) return;
    said = load();
    skipsAll = press.stored("predictions-skipped") === "all";
    refresh();
  });
  refresh();
})();
