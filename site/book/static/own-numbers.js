// Loads what shows a reader's own measurements, if this browser has stored any, once the machine switcher exists.
{
  const {src, dataset: {fetched}} = document.currentScript, addresses = fetched.split(" ").map((file) => new URL(file, src).href);
  if (press.stored("measured")) document.addEventListener("DOMContentLoaded", async () => {
    for (const address of addresses) await press.load(address);
  });
}
