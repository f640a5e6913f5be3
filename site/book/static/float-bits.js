// Clickable bits and a number field, below the drawing of a number's bits: the number as two formats round it.
(() => {
  // Bits of exponent and mantissa. E4M3 has no infinities: in its highest octave, only the last mark is not a number.
  const FORMATS = {
    fp32: {exponent: 8, mantissa: 23},
    bf16: {exponent: 8, mantissa: 7},
    fp16: {exponent: 5, mantissa: 10},
    "FP8 E4M3": {exponent: 4, mantissa: 3, finite: true},
    "FP8 E5M2": {exponent: 5, mantissa: 2},
  };

  const make = (tag, css, words = "") => Object.assign(document.createElement(tag), {className: css, textContent: words});

  // The number that the bits encode, and its parts; the lowest octave has no leading one.
  const decode = ({exponent, mantissa, finite}, bits) => {
    const from = (first, count) => bits.slice(first, first + count).reduce((sum, bit) => 2 * sum + bit, 0);
    const sign = bits[0] ? -1 : 1, raised = from(1, exponent), marks = from(1 + exponent, mantissa);
    const bias = 2 ** (exponent - 1) - 1, top = 2 ** exponent - 1, step = marks / 2 ** mantissa;
    if (raised === top && (!finite || marks === 2 ** mantissa - 1)) {
      return {sign, value: !finite && marks === 0 ? sign * Infinity : NaN};
    }
    const octave = Math.max(raised, 1) - bias, lead = Number(raised > 0);
    return {sign, octave, lead, marks, value: sign * (lead + step) * 2 ** octave, next: 2 ** (octave - mantissa)};
  };

  // The bits of the mark nearest to a number; ties go to the even one. A format without infinity saturates.
  const encode = (format, number) => {
    const bits = Array(1 + format.exponent + format.mantissa).fill(Number(Number.isNaN(number))), size = Math.abs(number);
    if (Number.isNaN(number)) return bits;
    for (let i = 1; i < bits.length; ++i) {  // the last mark below: each bit that does not overshoot
      bits[i] = 1;
      if (!(decode(format, bits).value <= size)) bits[i] = 0;
    }
    const below = decode(format, bits), rest = 2 * (size - below.value);
    if (rest > below.next || (rest === below.next && below.marks % 2)) {
      const up = [...bits], i = bits.lastIndexOf(0);
      up.fill(0, i + 1)[i] = 1;
      if (!Number.isNaN(decode(format, up).value)) bits.splice(0, bits.length, ...up);
    }
    bits[0] = Number(number < 0 || Object.is(number, -0));
    return bits;
  };

  const sign = (number) => String(number).replace("-", "−");

  // A number in text and, where it is very large or small, a power of ten.
  const words = (number) => {
    if (Number.isNaN(number)) return ["not a number"];
    if (!Number.isFinite(number)) return [number > 0 ? "∞" : "−∞"];
    const size = Math.abs(number);
    if (size === 0 || (size >= 1e-4 && size < 1e7)) return [sign(Number(number.toPrecision(9)))];
    const [digits, power] = number.toExponential(3).split("e");
    return [`${sign(digits)} · 10`, make("sup", "", sign(Number(power)))];
  };

  const formula = (format, {sign: minus, octave, lead, marks, value, next}) => {
    if (!Number.isFinite(value)) return [...words(value), `: the ${format.finite ? "last mark" : "largest exponent"} is reserved for it.`];
    return [`${minus < 0 ? "−" : ""}(${lead} + ${marks}/${2 ** format.mantissa}) · 2`, make("sup", "", sign(octave)), " = ",
            ...words(value), ". The next mark is ", ...words(next), " away."];
  };

  // In words, how far a mark is from the number it represents; empty if it is exact.
  const missed = (value, number) => {
    const off = Math.abs(value / number - 1);
    return off > 0 && off < Infinity ? ` Off by ${Number((100 * off).toPrecision(2))}%.` : "";
  };

  // A format's choice, bits and words. Calls pressed(value) when the reader presses a bit; put(number) shows another number.
  const panel = (chosen, pressed) => {
    const choice = make("select", ""), row = make("div", "hf-bits-row"), told = make("p", "hf-bits-value");
    const box = make("div", "hf-bits-one");
    let number, bits;
    choice.append(...Object.keys(FORMATS).map((name) => new Option(name, name, false, name === chosen)));
    choice.setAttribute("aria-label", "Format");
    told.setAttribute("aria-live", "polite");
    const format = () => FORMATS[choice.value];
    const show = () => {
      const found = decode(format(), bits);
      told.replaceChildren(...formula(format(), found), missed(found.value, number));
      [...row.children].forEach((button, i) => {
        button.textContent = bits[i];
        button.setAttribute("aria-pressed", String(Boolean(bits[i])));
      });
    };
    const part = (i) => (i === 0 ? "sign" : i <= format().exponent ? "exponent" : "mantissa");
    const lay = () => row.replaceChildren(...bits.map((_, i) => {
      const button = make("button", `hf-bit hf-bit-${part(i)}`);
      button.type = "button";
      button.setAttribute("aria-label", `${part(i)}, bit ${bits.length - 1 - i}`);
      button.addEventListener("click", () => {
        bits[i] = 1 - bits[i];
        number = decode(format(), bits).value;
        show();
        pressed(number);
      });
      return button;
    }));
    const put = (next) => {
      number = next;
      const before = bits?.length;
      bits = encode(format(), number);
      if (bits.length !== before) lay(); // otherwise keeps the buttons, and the focus
      show();
    };
    choice.addEventListener("input", () => { bits = []; put(number); });
    box.append(choice, told, row);
    return {box, put};
  };

  const build = (drawing) => {
    const box = make("div", "hf-bits"), field = make("input", "");
    const label = make("label", "hf-bits-asked", "Type a number or flip a bit: ");
    Object.assign(field, {type: "text", inputMode: "decimal", autocomplete: "off", value: Math.PI});
    const follow = (other) => (number) => {
      field.value = number;
      field.setAttribute("aria-invalid", "false");
      other().put(number);
    };
    const left = panel("bf16", follow(() => right)), right = panel("fp16", follow(() => left));
    const typed = () => {
      const number = Number(field.value.trim().replace("−", "-") || NaN), wrong = Number.isNaN(number) && field.value !== "NaN";
      field.setAttribute("aria-invalid", String(wrong));
      if (!wrong) for (const each of [left, right]) each.put(number);
    };
    field.addEventListener("input", typed);
    label.append(field);
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "A number's bits in two formats");
    box.append(label, left.box, right.box);
    drawing.after(box);
    typed();
  };
  document.querySelectorAll("svg.hf-06-bits").forEach(build);
})();
