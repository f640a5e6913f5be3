"""What others are told of the book: feed, sitemap, how to cite it, the picture of a chapter."""

from __future__ import annotations

import html
import re
import struct
import xml.etree.ElementTree as ElementTree

import pytest
import yaml
from book import PROJECT
from conftest import LAB
from hardware_first import card
from hardware_first.head import POLICY

ATOM, MAP = "{http://www.w3.org/2005/Atom}", "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ADDRESS = {"html_baseurl": "https://book.example/here"}
CARD = f"---\nquestion: Does it wait?\ncard: 01-small\n---\n\n# The roofline\n\n{{measured}}`{LAB}/ridge_flop_per_byte`\n"


@pytest.fixture
def chapter(site):
    site.page(f"# Book\n\n```{{toctree}}\n{LAB}\n```\n")
    site.page(CARD, LAB)
    site.record()
    return site


def started(day):
    return lambda record: record["run"].update(started=f"2026-{day}T10:00:00Z")


def entries(site):
    root = ElementTree.parse(site.root / "build" / "out" / "feed.xml").getroot()
    return [{part.tag.removeprefix(ATOM): part.text for part in entry} for entry in root.findall(f"{ATOM}entry")]


def test_a_chapter_is_updated_when_its_numbers_are(chapter):
    chapter.record(started("03-01"), published="a-machine")
    chapter.record(started("03-02"))
    assert chapter.build(**ADDRESS).status == 0
    (entry,) = entries(chapter)
    assert entry["id"] == f"https://book.example/here/{LAB}.html" and entry["title"] == "01 The roofline"
    assert entry["updated"] == "2026-03-02T10:00:00Z"
    assert entry["summary"].startswith("Does it wait? Measured on ")
    chapter.record(started("04-05"), published="a-machine")
    chapter.build(**ADDRESS)
    assert entries(chapter)[0]["updated"] == "2026-04-05T10:00:00Z"
    chapter.page("# Book, with other words\n\n```{toctree}\n01-roofline\n```\n")
    chapter.build(**ADDRESS)
    assert entries(chapter)[0]["updated"] == "2026-04-05T10:00:00Z"


def test_the_sitemap_lists_every_page_and_the_day_of_the_chapters_numbers(chapter):
    chapter.record(started("03-02"))
    chapter.build(**ADDRESS)
    root = ElementTree.parse(chapter.root / "build" / "out" / "sitemap.xml").getroot()
    found = {url.find(f"{MAP}loc").text: url.findtext(f"{MAP}lastmod") for url in root}
    assert found == {f"https://book.example/here/{LAB}.html": "2026-03-02", "https://book.example/here/index.html": None}


def test_without_an_address_there_is_neither_and_what_was_there_goes(chapter):
    out = chapter.root / "build" / "out"
    chapter.build(**ADDRESS)
    assert (out / "feed.xml").exists() and (out / "_cards" / f"{LAB}.png").exists()
    chapter.build()
    assert not (out / "feed.xml").exists() and not (out / "sitemap.xml").exists()


def test_the_picture_of_a_chapter_has_the_size_that_is_asked_for_and_is_drawn_anew_only_when_it_changed(chapter):
    chapter.build(**ADDRESS)
    picture = chapter.root / "build" / "out" / "_cards" / f"{LAB}.png"
    data = picture.read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    assert 8_000 < len(data) < 300_000  # an empty page is 4 kB
    made = picture.stat().st_mtime_ns
    chapter.build(**ADDRESS)
    assert picture.stat().st_mtime_ns == made
    chapter.page(CARD.replace("Does it wait?", "Does it compute?"), LAB)
    chapter.build(**ADDRESS)
    assert picture.read_bytes() != data


def test_a_picture_that_was_not_taken_is_taken_with_the_next_build(chapter, monkeypatch):
    chapter.build(**ADDRESS)
    picture = chapter.root / "build" / "out" / "_cards" / f"{LAB}.png"
    data = picture.read_bytes()
    chapter.page(CARD.replace("Does it wait?", "Does it compute?"), LAB)
    monkeypatch.setattr(card, "SECONDS", 0.001)
    chapter.build(**ADDRESS)
    assert picture.read_bytes() == data
    monkeypatch.undo()
    chapter.build(**ADDRESS)
    assert picture.read_bytes() != data


def test_the_browser_that_draws_may_load_what_a_reader_may(tmp_path):
    drawn = card.page(tmp_path, "01", "<b>", "Words", "<svg></svg>")
    assert f'content="{html.escape(POLICY)}"' in drawn and drawn.index("Content-Security-Policy") < drawn.index("<link")


def test_the_page_cites_what_the_citation_file_says(book):
    stated = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", (book / "cite.html").read_text(encoding="utf-8")))
    year = str(stated["date-released"])[:4]
    assert f"Version {stated['version']}, {year}." in page and f"@misc{{hardwarefirst{year}," in page
    assert f"title = {{{{{stated['title']}}}}}," in page  # over two lines
    assert f"author = {{{{{stated['authors'][0]['name']}}}}}," in page
    assert '<a href="cite.html">' in (book / "01-roofline.html").read_text(encoding="utf-8")
