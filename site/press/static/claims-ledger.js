// The ledger's filter, by verdict and chapter. The address holds the reader's choice.
(() => {
  const ledger = document.querySelector(".hf-ledger"), form = ledger?.querySelector(".hf-ledger-filter");
  if (!form) return;
  const labs = [...ledger.querySelectorAll(".hf-ledger-lab")], output = form.querySelector("output");
  const {"hf-state": states, "hf-chapter": chapter} = form.elements;

  const show = () => {
    let seen = 0, all = 0;
    for (const lab of labs) {
      const rows = [...lab.querySelectorAll("tbody tr")], wanted = !chapter.value || lab.classList.contains(`hf-lab-${chapter.value}`);
      for (const row of rows) row.hidden = states.value !== "all" && !row.classList.contains(`hf-row-${states.value}`);
      const left = rows.filter((row) => !row.hidden).length;
      lab.hidden = !wanted || left === 0;
      seen += wanted ? left : 0;
      all += rows.length;
    }
    output.textContent = `${seen} of ${all} claims`;
  };

  const address = () => {
    const url = new URL(location);
    for (const [name, value] of [["claims", states.value === "all" ? "" : states.value], ["chapter", chapter.value.slice(0, 2)]]) {
      if (value) url.searchParams.set(name, value); else url.searchParams.delete(name);
    }
    history.replaceState(null, "", url);
  };

  const asked = new URL(location).searchParams;
  for (const input of states) input.checked = input.value === (asked.get("claims") || "all") || (input.checked && !asked.has("claims"));
  if (![...states].some((input) => input.checked)) states[0].checked = true;
  chapter.value = [...chapter.options].find((option) => option.text === asked.get("chapter"))?.value || "";
  form.addEventListener("change", () => { show(); address(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})();
