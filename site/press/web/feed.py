"""feed.xml, the Atom feed, with an entry for each chapter, and sitemap.xml. Both need the site's address, html_baseurl;
without it neither is written, and no page links to them.

A chapter's entry names the machines that measured its lab, and its date is that of the lab's newest record.
"""

from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from sphinx.application import Sphinx

from ..domain import press
from ..measurements.record import RecordError
from ..measurements.records import Records
from ..page.chapters import Chapter, chapters

FEED, SITEMAP = "feed.xml", "sitemap.xml"
NOT_LISTED = {"404", "search", "genindex"}


@dataclass(frozen=True)
class Measured:
    """The time of the newest of a chapter's records, as 2026-11-22T10:00:00Z, and the machines that measured it, newest
    first."""

    time: str
    machines: list[str]


def measured(records: Records, lab: str) -> Measured | None:
    """None if no machine has measured the lab."""
    times = {}
    for machine in records.machines_of(lab):
        try:
            record = records.choose(lab, machine)
        except RecordError:
            continue
        if not record.elsewhere:
            times[machine.name] = record.data["run"]["started"]
    if not times:
        return None
    newest_first = sorted(times, key=lambda name: times[name], reverse=True)
    return Measured(max(times.values()), newest_first)


def entry(address: str, chapter: Chapter, numbers: Measured) -> str:
    page = f"{address}{chapter.page}.html"
    said = f"{chapter.question} Measured on {'; '.join(numbers.machines)}.".strip()
    return (f"<entry><id>{escape(page)}</id><title>{escape(f'{chapter.number} {chapter.title}')}</title>"
            f'<link href="{escape(page)}"/><updated>{numbers.time}</updated><summary>{escape(said)}</summary></entry>')


def feed(address: str, title: str, author: str, entries: dict[Chapter, Measured]) -> str:
    """The feed, newest first, as feed readers show entries."""
    newest_first = sorted(entries.items(), key=lambda each: each[1].time, reverse=True)
    return ('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
            f"<id>{escape(address)}</id><title>{escape(title)}</title><author><name>{escape(author)}</name></author>"
            f'<link href="{escape(address)}"/><link rel="self" href="{escape(address + FEED)}"/>'
            f"<updated>{max(numbers.time for numbers in entries.values())}</updated>"
            + "\n".join(entry(address, chapter, numbers) for chapter, numbers in newest_first) + "</feed>\n")


def sitemap(address: str, pages: dict[str, str]) -> str:
    """The sitemap of `pages`, {page: the day it was last changed, or ""}."""
    days = {page: f"<lastmod>{day}</lastmod>" if day else "" for page, day in pages.items()}
    return ('<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
            + "\n".join(f"<url><loc>{escape(address + page)}.html</loc>{day}</url>" for page, day in days.items())
            + "\n</urlset>\n")


def address_of(app: Sphinx) -> str:
    """The site's address, with a slash at the end; empty if it is not known."""
    return app.config.html_baseurl.rstrip("/") + "/" if app.config.html_baseurl else ""


def write(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: writes both files, or neither."""
    folder, address = Path(app.outdir), address_of(app)
    for name in (FEED, SITEMAP):
        (folder / name).unlink(missing_ok=True)
    if exception or not address or app.builder.name != "html":
        return
    records = press(app.env).records
    found = {chapter: measured(records, chapter.page) for chapter in chapters(records.root / "chapters")
             if chapter.page in app.env.found_docs}
    with_numbers = {chapter: numbers for chapter, numbers in found.items() if numbers}
    if with_numbers:
        text = feed(address, app.config.html_title, app.config.author, with_numbers)
        (folder / FEED).write_text(text, encoding="utf-8")
    days = {chapter.page: numbers.time[:10] for chapter, numbers in with_numbers.items()}
    listed = {page: days.get(page, "") for page in sorted(app.env.found_docs) if page not in NOT_LISTED}
    (folder / SITEMAP).write_text(sitemap(address, listed), encoding="utf-8")


def offer(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """html-page-context: `feed`, the address of the feed, for the templates; empty if there is no feed."""
    context["feed"] = address_of(app) + FEED if address_of(app) else ""


def add_to(app: Sphinx) -> None:
    app.connect("html-page-context", offer)
    app.connect("build-finished", write)
