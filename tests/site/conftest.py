"""Small sites, each in its own folder, built by the same extension as the book."""

import contextlib
import copy
import functools
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn

import pytest
from arrivals import Arrivals, arrivals_of
from playwright.sync_api import Browser, Playwright, sync_playwright
from walk import Walk, Walked
from whole import BOOK, PROJECT, SUB_PATH, SubPathHandler, pages, render, render_own

FIXTURE = Path(__file__).parent / "fixtures" / "01-roofline.json"
sys.path.insert(0, str(PROJECT / "site"))

from press.measurements import quantity  # noqa: E402
from press.pictures.drawing import draw  # noqa: E402
from sphinx.application import Sphinx  # noqa: E402
from sphinx.util.docutils import docutils_namespace, patch_docutils  # noqa: E402

quantity.use(BOOK["units"]["families"])  # as a build does
LAB = "01-roofline"
ALIKE = json.loads((PROJECT / "tests" / "alike.json").read_text(encoding="utf-8"))  # cases that three languages share
CLAIMS = [
    {"id": "simd-pays", "text": "Vectors beat single numbers at least fourfold.", "value": "simd_over_scalar_fp32",
     "bound": ">= 4"},
    {"id": "caches-make-a-ladder", "text": "L1 delivers at least 3 times the bandwidth of DRAM.",
     "value": "cache_gain", "bound": ">= 3"},
    {"id": "vector-add-waits", "text": "Vector add uses under 5% of the arithmetic.", "value": "vector_add_peak_share",
     "bound": "< 0.05"},
    {"id": "memory-is-slow", "text": "A byte takes as long as at least 4 FLOPs.", "value": "ridge_flop_per_byte",
     "bound": ">= 4"},
    {"id": "sides-predicted", "text": "At least eight of ten sides are right.", "value": "prediction_sides_right",
     "bound": ">= 8"},
    {"id": "caches-save-time", "text": "L1 answers in less than a fifth of the time.", "value": "cache_gain",
     "bound": "> 5", "shown": "left"},
    {"id": "gpus-are-wide", "text": "GPUs are wide.", "value": "gpu_width", "bound": ">= 8"},
]
DOOR = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 10"><title>A door</title><desc>It is open.</desc></svg>'
# Parts of the pages that tests write.
CLAIM = f"```{{claim}} {LAB}/memory-is-slow\nNot so.\n```\n"
DRAWING = "```{drawing} 01-door\nA door.\n```\n"
FIGURE = "```{lab-figure} 01-small\n:series: latency\nIt rises.\n```\n"
FIGURE_SCRIPT = """\
# title: A small figure
# needs: latency
# shows: latency
height = 300
load "style.gp"
set logscale x 2
plot tables."/latency.tsv" using 1:2 with lines linecolor rgb blue
"""


Edit = Callable[[dict], object]  # changes a record


@dataclass
class Build:
    """The result of a build: its exit status, its standard error, and the pages that it read."""

    status: int
    said: str
    read: list[str]


def renew_key(record: dict) -> None:
    """Makes the key of a record that of its inputs."""
    inputs = record["lab"]["inputs"]
    others = [f"{name}\0{inputs[name]}\n" for name in sorted(inputs) if not name.startswith("source:")]
    sources = sorted({inputs[name] for name in inputs if name.startswith("source:")})
    text = "".join([*others, *(f"{content}\n" for content in sources)])
    record["lab"]["key"] = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


class Site:
    """A project folder with one lab, one figure and the pages that a test writes."""

    def __init__(self, root: Path, tool: Path) -> None:
        self.root, self.tool = root, tool
        self.chapters = root / "chapters"
        self.record_path = root / "build" / "records" / f"{LAB}.json"
        for folder in ("chapters", "figures/records", "build/records"):
            (root / folder).mkdir(parents=True)
        self.lab(LAB)
        self.claims()
        (root / "figures" / "01-small.gp").write_text(FIGURE_SCRIPT)

    def lab(self, lab: str) -> None:
        """Adds a lab to the book."""
        (self.root / "labs" / lab).mkdir(parents=True)
        (self.root / "labs" / lab / "lab.cpp").write_text("int main() {}\n")

    def claims(self, **bounds: str) -> None:
        """Writes the claims of chapter 01, with other bounds for the named claims."""
        self.change_claims(lambda claim: {"bound": bounds.get(claim["id"].replace("-", "_"), claim["bound"])})

    def change_claims(self, change: Callable[[dict], dict]) -> None:
        """Writes the claims of chapter 01, each replaced by the result of `change`."""
        claims = [{**claim, **change(claim)} for claim in CLAIMS]
        (self.root / "labs" / LAB / "claims.json").write_text(json.dumps(claims), encoding="utf-8")

    def drawing(self, svg: str = DOOR, name: str = "01-door") -> Path:
        """Writes the drawing script of chapter 01, with one drawing."""
        script = self.root / "drawings" / f"{LAB}.py"
        script.parent.mkdir(exist_ok=True)
        script.write_text(f"import pathlib, sys\npathlib.Path(sys.argv[1], '{name}.svg').write_text({svg!r})\n")
        return script

    def page(self, text: str, name: str = "index") -> None:
        (self.chapters / f"{name}.md").write_text(text, encoding="utf-8")

    def record(self, *edits: Edit, published: str = "", lab: str = LAB) -> Path:
        """Writes the fixture record, after these edits, as this machine's or as a published one. It claims to be measured from
        the site's current sources."""
        record = copy.deepcopy(fixture_record())
        record["lab"]["id"] = lab
        path, source = self.root / "build" / "records" / f"{lab}.json", f"labs/{lab}/lab.cpp"
        if published:
            path = self.root / "figures" / "records" / published / f"{lab}.json"
            record["machine"]["slug"] = published
        inputs = record["lab"]["inputs"]
        tokens = re.findall(r"\w+|[^\w\s]", (self.root / source).read_text())  # it has no others
        digest = hashlib.sha256("".join(f"{token}\n" for token in tokens).encode()).hexdigest()[:16]
        inputs[f"source:{source}"] = digest
        renew_key(record)
        for edit in edits:
            edit(record)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record), encoding="utf-8")
        return path

    def doxygen(self) -> dict:
        """Reads the headers below labs/, as the Makefile does; returns the settings for a build that shows them."""
        folder = self.root / "build" / "doxygen"
        folder.mkdir()
        settings = "INPUT = labs\nRECURSIVE = YES\nGENERATE_XML = YES\nGENERATE_HTML = NO\nGENERATE_LATEX = NO\n" \
                   f"OUTPUT_DIRECTORY = {folder}\nQUIET = YES\nWARNINGS = NO\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=self.root, check=True)
        return {"extensions": ["myst_parser", "breathe", "press", "book"], "breathe_default_project": "harness",
                "breathe_projects": {"harness": str(folder / "xml")}, "suppress_warnings": ["duplicate_declaration.cpp"]}

    def cites(self) -> dict:
        """Writes a bibliography; returns the settings for a build that cites `maker2020`."""
        file = self.chapters / "r.bib"
        file.write_text("@misc{maker2020, author={Maker, A.}, title={Chip}, year={2020}}")
        return {"extensions": ["myst_parser", "sphinxcontrib.bibtex", "press", "book"], "bibtex_bibfiles": [str(file)],
                "bibtex_reference_style": "author_year"}

    def build(self, *, parallel: int = 1, out: str = "out", builder: str = "html", during=lambda: None, **config) -> Build:
        """Builds what is out of date, as `sphinx-build` would; runs `during` between reading and writing."""
        settings = {"extensions": ["myst_parser", "press", "book"], "html_theme": "basic",
                    "myst_enable_extensions": ["dollarmath", "amsmath"], "html_math_renderer": "mathml",
                    "press_root": str(self.root), "press_build": str(self.root / "build"),
                    "press_record_tool": str(self.tool), "press_units": BOOK["units"], **config}
        said, read = io.StringIO(), []
        target = self.root / "build" / out
        with patch_docutils(), docutils_namespace():
            app = Sphinx(self.chapters, None, target, target / ".doctrees", builder, settings, status=None,
                         warning=said, parallel=parallel)
            app.connect("env-before-read-docs", lambda app, env, names: read.extend(names))
            app.connect("env-updated", lambda app, env: during())
            app.build()
        return Build(app.statuscode, re.sub(r"\x1b\[[\d;]*m", "", said.getvalue()), read)

    def built(self, page: str = "", **settings) -> Build:
        """Builds the book, with this text as its page if there is one. There is nothing to complain about."""
        if page:
            self.page(page)
        build = self.build(**settings)
        assert (build.status, build.said) == (0, "")
        return build

    def shown(self, page: str, *edits: Edit, **settings) -> Build:
        """Builds the book with this page and this machine's record, after these edits."""
        self.record(*edits)
        return self.built(page, **settings)

    def fails(self, *problems: str, page: str = "", **settings) -> Build:
        """Builds the book; these problems are among its complaints."""
        if page:
            self.page(page)
        build = self.build(**settings)
        assert build.status == 1
        assert [problem for problem in problems if problem not in build.said] == [], build.said
        return build

    def html(self, name: str = "index", out: str = "out") -> str:
        return (self.root / "build" / out / f"{name}.html").read_text(encoding="utf-8")

    def text(self, name: str = "index") -> str:
        """A page's text as a reader sees it, on one line, with ordinary spaces and quotation marks."""
        body = re.search(r'<div class="body" role="main">(.*?)<div class="clearer">', self.html(name), re.S)[1]
        body = re.sub(r"<(svg|math)\b.*?</\1>", "", body, flags=re.S)
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", body)).strip()
        return text.replace("“", '"').replace("”", '"')


def fixture_record() -> dict:
    record = json.loads(FIXTURE.read_text(encoding="utf-8"))
    add_value(id="cache_gain", value=22.9, low=22.6, high=23.1, unit="1")(record)  # no law derives it from others
    return record


def change_value(value_id: str, value: float, **more):
    """An edit that replaces a value of a record by one without samples, which may have an interval or another kind."""
    def edit(record):
        entry = next(entry for entry in record["values"] if entry["id"] == value_id)
        record["values"].remove(entry)
        add_value(id=value_id, unit=entry["unit"], value=value, **more)(record)
    return edit


def drop_value(value_id: str):
    """An edit that removes a value from a record."""
    def edit(record):
        record["values"] = [entry for entry in record["values"] if entry["id"] != value_id]
    return edit


def add_value(**value):
    """An edit that adds a value to a record."""
    return lambda record: record["values"].append({"kind": "measured", **value})


def points_of(record: dict, series_id: str) -> list[dict]:
    return next(series for series in record["series"] if series["id"] == series_id)["points"]


def scale_series(series_id: str, factor: float):
    """An edit that multiplies the measured points of a series."""
    def edit(record):
        for point in points_of(record, series_id):
            point.update({name: factor * point[name] for name in ("median", "low", "high") if name in point})
            if "samples" in point:
                point["samples"] = [factor * sample for sample in point["samples"]]
    return edit


def pytest_configure(config) -> None:
    config.addinivalue_line("markers", "slow: all extreme machines' figures, axe on all pages, SwiftShader, Firefox; weekly")
    config.addinivalue_line("markers", "browser: needs the rendered book or a browser, as its fixtures tell")
    config.addinivalue_line("markers", "timing: depends on how quickly something runs; runs alone, after all others")


def pytest_collection_modifyitems(items) -> None:
    """Marks the tests that wait for the book or the browser, so that `make test` can run the others in parallel."""
    for item in items:
        if {"rendered", "browser"} & set(item.fixturenames):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def record_tool() -> Path:
    tool = Path(os.environ.get("HARDWARE_FIRST_RECORD_TOOL") or PROJECT / "build" / "bin" / "record")
    if not tool.exists():
        pytest.fail(f"{tool} is missing: run cmake --build build", pytrace=False)
    return tool.resolve()


@pytest.fixture
def site(tmp_path: Path, record_tool: Path) -> Site:
    return Site(tmp_path, record_tool)


@pytest.fixture(scope="session")
def drawings(tmp_path_factory) -> list[Path]:
    """The book's drawings, as their scripts draw them."""
    folder = tmp_path_factory.mktemp("drawings")
    for script in sorted((PROJECT / "drawings").glob("[0-9][0-9]-*.py")):
        draw(script, folder)
    return sorted(folder.glob("*.svg"))


def lacking(what: str) -> NoReturn:
    """Skips a test for lack of an optional kit, or fails it where nobody reads which tests were skipped, as in ../../primer."""
    said = f"{what} is missing: ./primer test installs it where apt has it"
    if os.environ.get("CI"):
        pytest.fail(said, pytrace=False)
    pytest.skip(said)


def installed(program: str) -> str:
    return shutil.which(program) or lacking(program)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The full browser, which prints, draws preview pictures and has a GPU."""
    return installed("chromium")


@pytest.fixture(scope="session")
def compiled() -> None:
    """The kernels of the page that measures a browser, which site/browser/build compiles."""
    if not (PROJECT / "build" / "browser" / "plain.wasm").exists():
        lacking("Clang with libc++ for WebAssembly")


def launch(playwright: Playwright, *flags: str) -> Browser:
    """A headless Chromium. Its layout is the same as the full browser's, with half of the processor time on 111 tests;
    HARDWARE_FIRST_TESTED names another, and the weekly tests use the full one."""
    found = installed(os.environ.get("HARDWARE_FIRST_TESTED") or "chromium-headless-shell")
    hinting = "--font-render-hinting=none"  # as in a browser with windows; otherwise some lines break elsewhere
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox", hinting, *flags])


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright, "--disable-gpu")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def rendered(record_tool) -> tuple[Path, subprocess.CompletedProcess]:
    """The published book's folder, and the result of building it."""
    return render()


@pytest.fixture(scope="session")
def book(rendered) -> Path:
    folder, result = rendered
    if not (folder / "index.html").exists():
        pytest.fail(f"the book was not rendered: {result.stderr}", pytrace=False)
    return folder


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(SubPathHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}{SUB_PATH}"
    server.shutdown()


@pytest.fixture(scope="session")
def served(book) -> Iterator[str]:
    with serving(book) as address:
        yield address


@pytest.fixture(scope="session")
def own(tmp_path_factory, record_tool) -> Iterator[str]:
    """The address of a small book with made-up numbers for this machine."""
    with serving(render_own(tmp_path_factory.mktemp("own"))) as address:
        yield address


@pytest.fixture(scope="session")
def arrivals(book) -> Iterator[Arrivals]:
    with arrivals_of(book) as arrivals:
        yield arrivals


@pytest.fixture
def base(request, book, served) -> str:
    """The address of the book's folder: on the server, or on disk if a test asks for "file"."""
    return f"{book.as_uri()}/" if getattr(request, "param", "server") == "file" else served


@pytest.fixture(scope="session")
def walked(browser, book, served) -> Callable[[Walk], Walked]:
    """walked(walk): every page's answers. Each walk is done only once."""
    return functools.cache(lambda walk: walk.take(browser, served, pages(book)))
