// The axis in a number's card: what each machine measured, with its spread, on one scale. A page's numbers come as a script when
// the first card opens.
(() => {
  const {page, numbers} = document.currentScript.dataset;
  let measured = [], names = {};
  press.numbers = (of, ...lists) => { if (of === page) [measured, names] = lists; };

  const make = (className, textContent, style = "") =>
    Object.assign(document.createElement("span"), {className, textContent, style});

  // Where a number lies between 0 and 1. The scale is logarithmic if a linear one would press the smallest against its end.
  const scaleOf = rows => {
    const low = Math.min(...rows.map(row => row[3])), high = Math.max(...rows.map(row => row[4]));
    const [first, last] = [Math.min(0, low), Math.max(0, high)];
    if (low > 0 && high > 12 * low) return value => Math.log(value / low * 1.5) / Math.log(high / low * 1.5);
    return value => (value - first) / (last - first || 1);
  };

  press.axisOf = async number => {
    await press.load(numbers);
    const rows = measured[number.dataset.everywhere], at = scaleOf(rows), box = make("hf-axis", "");
    const percent = value => `${(100 * at(value)).toFixed(1)}%`;
    for (const [slug, words, value, low, high] of rows) {
      const row = make(slug === press.machine ? "hf-axis-own" : "", "");
      const places = `--at: ${percent(value)}; --low: ${percent(low)}; --high: ${percent(high)}`;
      row.append(make("", names[slug]), make("hf-axis-track", "", places), make("", words));
      box.append(row);
    }
    return box;
  };
})();
