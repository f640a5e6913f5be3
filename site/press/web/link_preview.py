"""The preview picture of a page for links on other sites: 1200 × 630, the chapter's figure beside its question.

Previews need absolute addresses, so they are made only if the site's address is known (html_baseurl), with Chromium, the
site's styles and the default machine's record. Without Chromium the pages have no previews, and the build says so in one line.
"""

import html
import shutil
import subprocess
import tempfile
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

from ..domain import press
from ..measurements.record import RecordError
from ..page.chapters import Chapter, chapters
from ..page.front_page import picture
from ..pictures import drawing as drawings
from .feed import address_of
from .head import POLICY

FOLDER, BOOK = "_cards", "index"
SIZE = (1200, 630)
SECONDS = 60
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-device-scale-factor=1"]
STYLE = """
html { color-scheme: light; }
body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 56px 60px; display: grid; gap: 44px;
  grid-template: auto 1fr / 430px 1fr; font: 27px/1.35 var(--hf-text); background: #fdfcfa; color: #1f2328;
  border-top: 12px solid #0062a3; }
header { grid-column: 1 / 3; display: flex; justify-content: space-between; font-weight: 700; }
header span { font-weight: 400; color: #5b636e; }
h1 { font-size: 62px; line-height: 1.08; margin: 0 0 26px; text-wrap: balance; }
p { margin: 0; }
figure { margin: 0; min-height: 0; display: flex; align-items: center; --hf-picture: none; }
figure svg { width: 100%; height: auto; max-width: none; max-height: 440px; }
figure :is(.hf-says, .hf-steps) { display: none; }
"""
logger = logging.getLogger(__name__)


def page(static: Path, book: str, number: str, title: str, words: str, figure: str) -> str:
    """The HTML of the card, for the browser to take a picture of."""
    sheets = "".join(f'<link rel="stylesheet" href="{(static / name).as_uri()}">'
                     for name in ("fonts.css", "figures.css", "drawings.css"))
    kicker = f"<span>Chapter {number}</span>" if number else ""
    return (f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">{sheets}<style>{STYLE}</style><body>'
            f"<header>{html.escape(book)}{kicker}</header><div><h1>{html.escape(title)}</h1><p>{html.escape(words)}</p></div>"
            f"<figure>{figure}</figure></body></html>")


def figure_of(app: Sphinx, name: str) -> str:
    """A chapter's figure on the default machine, or its drawing, as SVG. Raises RecordError or DrawingError."""
    records = press(app.env).records
    if (records.root / "figures" / f"{name}.gp").exists():
        return picture(app.env, name, records.machines()[0])[1]
    return drawings.as_html(drawings.read(drawings.drawn(records, name)))


def wanted(app: Sphinx) -> dict[str, Chapter]:
    """{page: chapter} of the chapters that name a figure for their card."""
    folder = press(app.env).records.root / "chapters"
    return {chapter.page: chapter for chapter in chapters(folder) if chapter.card and chapter.page in app.env.found_docs}


def offer(app: Sphinx, name: str, template: str, context: dict, doctree) -> None:
    """html-page-context: `card`, the address of the page's picture; pages other than chapters show the book's."""
    if not hasattr(app, "_hf_cards"):
        app._hf_cards = wanted(app) if address_of(app) and browser() else {}
    cards = app._hf_cards
    context["card"] = f"{address_of(app)}{FOLDER}/{name if name in cards else BOOK}.png" if cards else ""


def write(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: takes pictures of the pages that changed."""
    if exception or not address_of(app) or app.builder.name != "html":
        return
    if not browser():
        logger.info("chromium is missing, so links to the book will have no preview picture")
        return
    cards, static, out = wanted(app), Path(app.outdir, "_static"), Path(app.outdir, FOLDER)
    sources = {}
    for name, chapter in cards.items():
        try:
            sources[name] = page(static, app.config.project, chapter.number, chapter.title, chapter.question,
                                 figure_of(app, chapter.card))
        except (RecordError, drawings.DrawingError) as error:
            logger.info("chapter %s has no preview picture: %s", chapter.number, error)
    preview = app.config.press_preview  # {"chapter": …, "words": …} of the book's own picture
    if preview.get("chapter") in cards:
        sources[BOOK] = page(static, app.config.project, "", app.config.html_title, preview["words"],
                             figure_of(app, cards[preview["chapter"]].card))
    out.mkdir(exist_ok=True)
    for name, source in sources.items():
        kept = Path(app.doctreedir, f"card-{name}.html")
        taken = (out / f"{name}.png").exists() and kept.exists() and kept.read_text(encoding="utf-8") == source
        if not taken and take(source, out / f"{name}.png"):
            kept.write_text(source, encoding="utf-8")


def browser() -> str | None:
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def take(source: str, picture: Path) -> bool:
    """Takes a picture of a page, or writes nothing and prints one line if the browser fails."""
    with tempfile.TemporaryDirectory() as folder:
        page, taken = Path(folder, "card.html"), Path(folder, "card.png")
        page.write_text(source, encoding="utf-8")
        try:
            subprocess.run([browser(), *FLAGS, f"--user-data-dir={folder}/profile", f"--window-size={SIZE[0]},{SIZE[1]}",
                            f"--screenshot={taken}", page.as_uri()], capture_output=True, timeout=SECONDS, check=True)
            shutil.move(taken, picture)
        except (OSError, subprocess.SubprocessError) as error:
            logger.info("%s was not drawn: %s", picture.name, error)
            return False
    return True


def add_to(app: Sphinx) -> None:
    app.connect("html-page-context", offer)
    app.connect("build-finished", write)
