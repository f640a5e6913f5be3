// Bits to press, under the drawing of a number's bits: what each of them does to the number that they are.
(() => {
  // Bits of exponent and of mantissa. E4M3 has no infinities: of the uppermost octave, only its last mark is not a number.
  const FORMATS = {
    fp32: {exponent: 8, mantissa: 23},
    bf16: {exponent: 8, mantissa: 7},
    fp16: {exponent: 5, mantissa: 10},
    "FP8 E4M3": {exponent: 4, mantissa: 3, finite: true},
    "FP8 E5M2": {exponent: 5, mantissa: 2},
  };

  const make = (tag, css, words = "") => Object.assign(document.createElement(tag), {className: css, textContent: words});

  // The number that bits are: {value, octave, mantissa, kind}; the lowest octave has no leading one.
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

  // The bits of the mark nearest to a positive number in the format's range; half-way, the even one.
  const encode = (format, value) => {
    const bits = Array(1 + format.exponent + format.mantissa).fill(0);
    for (let i = 1; i < bits.length; ++i) {  // the last mark below: each bit that does not overshoot
      bits[i] = 1;
      if (!(decode(format, bits).value <= value)) bits[i] = 0;
    }
    const below = decode(format, bits), rest = 2 * (value - below.value);
    if (rest > below.next || (rest === below.next && below.marks % 2)) {
      let i = bits.length - 1;
      while (bits[i]) bits[i--] = 0;
      bits[i] = 1;
    }
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
    if (!Number.isFinite(value)) return [...words(value), `: the ${format.finite ? "last mark" : "uppermost exponent"} is kept for this.`];
    return [`${minus < 0 ? "−" : ""}(${lead} + ${marks}/${2 ** format.mantissa}) · 2`, make("sup", "", sign(octave)), " = ",
            ...words(value), ". The next mark is ", ...words(next), " away."];
  };

  const build = (drawing) => {
    const box = make("div", "hf-bits"), choice = make("div", "hf-bits-formats"), row = make("div", "hf-bits-row");
    const told = make("p", "hf-bits-value");
    let name = "bf16", bits = encode(FORMATS[name], Math.PI);
    const show = () => {
      told.replaceChildren(...formula(FORMATS[name], decode(FORMATS[name], bits)));
      [...row.children].forEach((button, i) => {
        button.textContent = bits[i];
        button.setAttribute("aria-pressed", String(Boolean(bits[i])));
      });
      for (const button of choice.children) button.setAttribute("aria-pressed", String(button.textContent === name));
    };
    const part = (i) => (i === 0 ? "sign" : i <= FORMATS[name].exponent ? "exponent" : "mantissa");
    const lay = () => {
      row.replaceChildren(...bits.map((_, i) => {
        const button = make("button", `hf-bit hf-bit-${part(i)}`);
        button.type = "button";
        button.setAttribute("aria-label", `${part(i)}, bit ${bits.length - 1 - i}`);
        button.addEventListener("click", () => { bits[i] = 1 - bits[i]; show(); });
        return button;
      }));
      show();
    };
    for (const format of Object.keys(FORMATS)) {
      const button = make("button", "", format);
      button.type = "button";
      button.addEventListener("click", () => { name = format; bits = encode(FORMATS[name], Math.PI); lay(); });
      choice.append(button);
    }
    const asked = "Press a bit, and see what the number becomes";
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", asked);
    told.setAttribute("aria-live", "polite");
    box.append(make("p", "hf-bits-asked", `${asked}:`), choice, row, told);
    drawing.after(box);
    lay();
  };
  document.querySelectorAll("svg.hf-06-bits").forEach(build);
})();
