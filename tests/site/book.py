"""The real book, rendered from the fixture records, behind a server, and a browser's visit to it."""

from __future__ import annotations

import contextlib
import functools
import gzip
import io
import os
import shutil
import subprocess
import sys
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

from playwright.sync_api import Browser, Page

PROJECT = Path(__file__).resolve().parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
SUB_PATH = "/books/hardware-first/"
CHAPTERS = sorted(path.stem for path in (PROJECT / "chapters").glob("[0-9][0-9]-*.md"))
LEFT_OUT = [chapter for chapter in CHAPTERS if not (FIXTURES / f"{chapter}.json").exists()]


def tree_of_what_has_a_record(folder: Path) -> Path:
    """The project's tree as links, without the labs of chapters that are left out."""
    (folder / "labs").mkdir(parents=True)
    for entry in [*PROJECT.iterdir(), *(PROJECT / "labs").iterdir()]:
        link = folder / entry.relative_to(PROJECT)
        if entry.name not in LEFT_OUT and not link.exists():
            link.symlink_to(entry)
    return folder


def render(build: Path, record_tool: Path) -> tuple[Path, subprocess.CompletedProcess]:
    """The book's folder below `build`, and how building it went."""
    (build / "records").mkdir()
    for fixture in FIXTURES.glob("*.json"):
        shutil.copy(fixture, build / "records" / fixture.name)
    doxyfile = (PROJECT / "site" / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {build / 'doxygen'}\n" \
                                                            f"WARN_LOGFILE = {build / 'doxygen.log'}\n"
    (build / "doxygen").mkdir()
    subprocess.run(["doxygen", "-"], input=doxyfile, text=True, cwd=PROJECT, check=True)
    result = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "site",
         "-D", f"hardware_first_build={build}", "-D", f"hardware_first_record_tool={record_tool}",
         "-D", f"breathe_projects.harness={build / 'doxygen' / 'xml'}",
         "-D", f"hardware_first_root={tree_of_what_has_a_record(build / 'tree')}",
         "-D", "exclude_patterns=" + ",".join(f"{chapter}.md" for chapter in LEFT_OUT), "chapters", build / "site"],
        cwd=PROJECT, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    return build / "site", result


@functools.cache
def zipped(path: Path, changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


class SubPathHandler(SimpleHTTPRequestHandler):
    """Serves the book below a path, and its 404 page everywhere else, with gzip, as hosts of static pages do."""

    protocol_version = "HTTP/1.1"

    def send_head(self):
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".svg", ".json") or not path.is_file():
            return super().send_head()
        body = zipped(path, path.stat().st_mtime_ns)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(SUB_PATH.rstrip("/"))) if path.startswith(SUB_PATH) else ""

    def send_error(self, code, message=None, explain=None):
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def copyfile(self, source, output):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the visit was over before the answer was
            super().copyfile(source, output)

    def log_message(self, *_):
        pass


def pages(book: Path) -> list[str]:
    return sorted(path.name for path in book.glob("*.html"))


class Visit:
    """A page that notes what it asks for and what goes wrong."""

    def __init__(self, browser: Browser, address: str, **context) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        self.page: Page = self.context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", self.note_failure)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda entry: self.errors.append(entry.text) if entry.type == "error" else None)
        self.page.goto(address, wait_until="load")

    def asked_since(self, start: int) -> list[str]:
        """What the page asked for after its first START requests, without its icon: browsers load that when they like."""
        return [url for url in self.requests[start:] if not url.endswith("/favicon.svg")]

    def note_failure(self, request) -> None:
        if request.failure != "net::ERR_ABORTED":  # left the page before its icon arrived
            self.errors.append(f"{request.failure}: {request.url}")

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_) -> None:
        self.context.close()
