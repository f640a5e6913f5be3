// Shows the reader's own GPU in chapter 03, if measure.html has measured one. live.js loads this when the reader gets near.
(() => {
  const hf = window.hardwareFirst, box = document.querySelector(".hf-reader-gpu"), found = box && hf.rememberedGpu();
  if (!found) return;
  const {element} = hf.make, forget = element("button", {type: "button"}, "Forget it");
  const pictures = element("div", {class: "hf-shown hf-plots"}), words = element("p", {}, ["Your GPU, as this browser measured it. ", forget]);
  const before = [...box.childNodes];
  box.replaceChildren(words, pictures);
  pictures.append(...hf.gpuInPictures(found, Math.min(620, Math.max(330, Math.round(box.clientWidth)))));
  forget.addEventListener("click", () => { hf.store("measured-gpu", null); box.replaceChildren(...before); });
})();
