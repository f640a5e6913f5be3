"""The published book behind a server, and a browser's visit to it."""

import contextlib
import functools
import gzip
import io
import json
import os
import subprocess
import sys
import tomllib
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Self

import made
from playwright.sync_api import Browser, Page

PROJECT = made.ROOT
STATIC_FOLDERS = [PROJECT / "site" / extension / "static" for extension in ("press", "book")]
SUB_PATH = "/books/hardware-first/"
CHAPTERS = sorted(path.stem for path in (PROJECT / "chapters").glob("[0-9][0-9]-*.md"))
LEFT_OUT = [chapter for chapter in CHAPTERS if not any((PROJECT / "figures" / "records").glob(f"*/{chapter}.json"))]
BOOK = tomllib.loads((PROJECT / "book.toml").read_text(encoding="utf-8"))
DEFAULT = BOOK["default_machine"]
# The site on the web is built with these, and with its own address.
PUBLISHED = {"MEASURE": "no", "STRICT": "1", "BOOK": "build/web"}
ADDRESS = {"HARDWARE_FIRST_URL": "https://hardware-first.example/", "HARDWARE_FIRST_SOURCE": "https://github.com/reader/book"}


def render() -> tuple[Path, subprocess.CompletedProcess]:
    """The folder of the published book, brought up to date as `make site` would, and the result of the build.

    HARDWARE_FIRST_RENDERED means that tools/test has just done so: a second run would replace the folder while tests read it.
    """
    if "HARDWARE_FIRST_RENDERED" in os.environ:
        return PROJECT / PUBLISHED["BOOK"] / "site", subprocess.CompletedProcess([], 0, "", "")
    environment = {**ADDRESS, **os.environ, **PUBLISHED, "NO_COLOR": "1"}
    doxygen = ["tools/reference"]
    for command in (["site/browser/build"], doxygen, ["tools/alone", "tools/site"]):
        result = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, env=environment)
        if result.returncode:
            break
    return PROJECT / PUBLISHED["BOOK"] / "site", result


def render_own(folder: Path) -> Path:
    """A small book of this machine, which measured chapters 01 and 02, beside two published machines: its home, those chapters,
    and the glossary."""
    labs, tree = ("01-roofline", "02-matmul"), folder / "tree"
    for entry in [*PROJECT.iterdir(), *(PROJECT / "labs").iterdir(), *(PROJECT / "figures").iterdir()]:
        link = tree / entry.relative_to(PROJECT)
        link.parent.mkdir(parents=True, exist_ok=True)
        if entry.name not in ("labs", "figures", "records") and (entry.name in labs or entry.name not in CHAPTERS):
            link.symlink_to(entry)
    for lab in labs:
        write(folder / "records" / f"{lab}.json", json.dumps(made.record(lab)))
        for machine in ("intel-xeon-2-cores-vm", "amd-epyc-zen-5-2-cores-vm"):
            if (record := made.RECORDS / machine / f"{lab}.json").exists():
                write(tree / "figures" / "records" / machine / f"{lab}.json", record.read_text(encoding="utf-8"))
    others = {path.stem for path in (PROJECT / "chapters").glob("*.md")} - {"index", "glossary", *labs}
    settings = {"press_build": folder, "press_root": tree, "press_default_machine": "",
                "press_record_tool": os.environ.get("HARDWARE_FIRST_RECORD_TOOL", PROJECT / "build/bin/record"),
                "exclude_patterns": ",".join(f"{page}.md" for page in sorted(others))}
    command = [sys.executable, "-m", "sphinx", "--quiet", "-c", "site", "chapters", folder / "site"]
    flags = [f"--define={name}={value}" for name, value in settings.items()]
    run = subprocess.run([*command, *flags], cwd=PROJECT, capture_output=True, text=True, env={**os.environ, "MEASURE": "yes"})
    assert run.returncode <= 1, run.stderr  # links lead to pages that are left out
    return folder / "site"


def static(name: str) -> Path:
    """A style or script of the site."""
    return next(path for folder in STATIC_FOLDERS if (path := folder / name).exists())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


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
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the visit ended before the response
            super().copyfile(source, output)

    def log_message(self, *_):
        pass


def pages(book: Path) -> list[str]:
    return sorted(path.name for path in book.glob("*.html"))


class Visit:
    """A page that records its requests and errors."""

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
        """The page's requests after its first START ones, without its icon, which browsers load at any time."""
        return [url for url in self.requests[start:] if not url.endswith("/favicon.svg")]

    def drag_by_finger(self, box: dict[str, float], across: float, down: float, steps: int = 12) -> None:
        """Touches the middle of a box, drags the finger that far, and lifts it. Needs a context with has_touch."""
        session = self.context.new_cdp_session(self.page)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for step in range(steps + 1):
            point = {"x": x + across * step / steps, "y": y + down * step / steps}
            session.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [point]})
            self.page.evaluate("new Promise(requestAnimationFrame)")  # a finger is slower than a program
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def note_failure(self, request) -> None:
        if request.failure != "net::ERR_ABORTED":  # left the page before its icon arrived
            self.errors.append(f"{request.failure}: {request.url}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.context.close()
