// The ledger's filter, by verdict and chapter, whose choice is in the address; and its squares, which name their claims.
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

  const address = () => press.address({claims: states.value === "all" ? "" : states.value, chapter: chapter.value.slice(0, 2)});

  const asked = new URL(location).searchParams;
  for (const input of states) input.checked = input.value === (asked.get("claims") || "all") || (input.checked && !asked.has("claims"));
  if (![...states].some((input) => input.checked)) states[0].checked = true;
  chapter.value = [...chapter.options].find((option) => option.text === asked.get("chapter"))?.value || "";
  form.addEventListener("change", () => { show(); address(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  show();

  // The squares of a machine are in the order of the claims below.
  const VERDICTS = {holds: "true", fails: "false", close: "too close to call", made: "modelled or simulated", open: "not measured"};
  const verdictOf = (square) => square.dataset.says ?? VERDICTS[square.getAttribute("class").slice("hf-".length)];
  const sums = document.querySelector(".hf-ledger-sums"), says = sums?.querySelector(".hf-square-says");
  const claims = labs.flatMap((lab) => [...lab.querySelectorAll("tbody tr")]);
  const claimOf = (square) => claims[[...square.parentElement.children].indexOf(square)];
  const squareOf = ({target}) => target.closest?.(".hf-squares > :is(rect, g)");
  sums?.addEventListener("pointerover", (event) => {
    const square = squareOf(event);
    if (!square) return;
    const claim = claimOf(square), [chapter] = claim.closest(".hf-ledger-lab").querySelector(".rubric").textContent.split(":");
    const machine = square.closest("tr").cells[0].textContent.replace(/,.*/, "");  // of many: ", on average"
    says.textContent = `${chapter}: “${claim.querySelector("a, span").textContent}” On ${machine}: ${verdictOf(square)}.`;
  });
  sums?.addEventListener("click", (event) => {
    const square = squareOf(event);
    if (!square) return;
    [states[0].checked, chapter.value] = [true, ""];
    show();
    address();
    ledger.querySelector("tr.hf-sought")?.classList.remove("hf-sought");
    claimOf(square).classList.add("hf-sought");
    claimOf(square).scrollIntoView({block: "center"});
  });
})();
