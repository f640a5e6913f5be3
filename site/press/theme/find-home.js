
// A server may show this page at any address: go up until a folder has the book's search page.
(async () => {
  if (location.pathname.endsWith("/404.html")) return;
  for (let folder = new URL(".", location.href); ; folder = new URL("..", folder)) {
    const found = await fetch(new URL("search.html", folder), { method: "HEAD" }).catch(() => null);
    if (found?.ok) {
      for (const link of document.links) link.href = new URL(link.getAttribute("href"), folder);
      return;
    }
    if (folder.pathname === "/") return;
  }
})();
