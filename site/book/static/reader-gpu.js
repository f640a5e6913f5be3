// Shows the reader's own GPU in chapter 03, if measure.html has measured one. live.js loads this when the reader gets near.
(() => {
  const box = document.querySelector(".hf-reader-gpu"), found = box && press.rememberedGpu();
  if (!found) return;
  const {element} = press.make, forget = element("button", {type: "button"}, "Forget it");
  const pictures = element("div", {class: "hf-shown hf-plots"}), words = element("p", {}, ["Your GPU, as this browser measured it. ", forget]);
  const before = [...box.childNodes];
  box.replaceChildren(words, pictures);
  pictures.append(...press.gpuInPictures(found, Math.min(620, Math.max(330, Math.round(box.clientWidth)))));
  forget.addEventListener("click", () => { press.store("measured-gpu", null); box.replaceChildren(...before); });
})();
