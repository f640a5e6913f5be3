"""A page that gets its parts in the order that a test chooses: its fonts, the script with another machine's numbers, and the
page itself from its first figure on."""

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import Browser, Page, Route
from walk import SETTLED
from whole import SUB_PATH, SubPathHandler, Visit

# {part: a condition that is true on the page once the part has arrived}
ARRIVED = {
    "font": """() => [...document.fonts].some(face => face.family.includes("Press Text") && face.status === "loaded")
               && ![...document.fonts].some(face => face.status === "loading")""",
    "machine": """() => performance.getEntriesByType("resource").some(({name}) => name.includes("/_machines/"))""",
    "text": """() => document.querySelector("main")""",
    "figure": """() => document.readyState !== "loading" """,
}
ROUTES = {"font": "**/*.woff2*", "machine": "**/_machines/**"}
FIGURE = b'class="hf-figure"'
PATIENCE = 120  # seconds; a test that fails never releases the parts that the server still has

# Adds up the page's layout shifts from the start, and records what moved. Also makes the page wait, however slow the test, for
# the numbers of the machine in its address.
WATCH = """
  window.seen = {shifted: 0, moved: []};
  const name = node => node?.className || node?.nodeName;
  const place = ({x, y, width, height}) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver(list => {
    for (const {value, sources} of list.getEntries()) {
      seen.shifted += value;
      for (const {node, previousRect, currentRect} of sources)
        seen.moved.push(`${name(node)}: from ${place(previousRect)} to ${place(currentRect)}`);
    }
  }).observe({type: "layout-shift", buffered: true});
  const wait = window.setTimeout;
  window.setTimeout = (run, ms, ...more) => ms === 3000 ? 0 : wait(run, ms, ...more);
"""


class InParts(SubPathHandler):
    """Serves a page's head; its text up to the first figure, or half of the text if there is none; and the rest. The test
    releases each."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or not path.is_file():
            return super().do_GET()
        body = path.read_bytes()
        figure = body.rfind(b"<", 0, body.find(FIGURE)) if FIGURE in body else (body.find(b"<main") + len(body)) // 2
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        text = body.find(b"<body")
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(body[:text])
            self.server.text.wait(PATIENCE)
            self.wfile.write(body[text:figure])
            self.server.figure.wait(PATIENCE)
            self.wfile.write(body[figure:])


class Arrivals:
    """A server of the book that holds pages back before their text and at their first figure."""

    def __init__(self, book: Path) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(InParts, directory=str(book)))
        self.server.text, self.server.figure = threading.Event(), threading.Event()
        self.address = f"http://127.0.0.1:{self.server.server_port}{SUB_PATH}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @contextlib.contextmanager
    def visit(self, browser: Browser, page: str, order: tuple[str, ...], script: str = "", **context) -> Iterator[Page]:
        """Opens a page of the book and releases its parts in this order, each once the page has processed the one before. Its
        text comes first, unless a font is named before all others. The script runs before the page's own scripts."""
        held: dict[str, list[Route] | None] = {part: [] for part in ROUTES}
        gates = {"text": self.server.text, "figure": self.server.figure}
        order = ("font", "text", *order[1:]) if order[0] == "font" else ("text", *order)
        for gate in gates.values():
            gate.clear()
        with Visit(browser, "about:blank", **context) as visit:
            visit.page.add_init_script(WATCH + script)
            for part, address in ROUTES.items():
                visit.page.route(address, hold(held, part))
            try:
                visit.page.goto(self.address + page, wait_until="commit")
                for part in order:
                    waiting, held[part] = held.get(part), None
                    for route in waiting or []:
                        route.continue_()
                    if part in gates:
                        gates[part].set()
                    visit.page.wait_for_function(ARRIVED[part], polling=20)
                    if self.server.text.is_set():  # without text there are no frames
                        visit.page.evaluate(SETTLED)
                visit.page.wait_for_load_state("load")
                visit.page.wait_for_function("() => !document.documentElement.classList.contains('hf-changing')")
                visit.page.evaluate(SETTLED)
                yield visit.page
                assert visit.errors == []
            finally:
                for gate in gates.values():
                    gate.set()


def hold(held: dict[str, list[Route] | None], part: str) -> Callable[[Route], None]:
    """Delays the requests of a part, until the part is released and its list is gone."""
    return lambda route: route.continue_() if held[part] is None else held[part].append(route)


@contextlib.contextmanager
def arrivals_of(book: Path) -> Iterator[Arrivals]:
    """Serves a book for Arrivals.visit."""
    arrivals = Arrivals(book)
    yield arrivals
    arrivals.server.shutdown()
