"""What other sites get: feed, sitemap, citation, and the preview picture of a chapter; in a small site, and in the published
book, which is rendered with an address (HARDWARE_FIRST_URL, HARDWARE_FIRST_SOURCE)."""

import datetime
import html
import json
import re
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml
from conftest import LAB
from press.pictures import drawing
from press.web import link_preview
from press.web.head import POLICY
from whole import CHAPTERS, PROJECT, STATIC_FOLDERS, Visit, pages

ATOM, MAP = "{http://www.w3.org/2005/Atom}", "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ADDRESS = {"html_baseurl": "https://book.example/here"}
CARD = f"---\nquestion: Does it wait?\ncard: 01-small\n---\n\n# The roofline\n\n{{measured}}`{LAB}/ridge_flop_per_byte`\n"


@pytest.fixture
def chapter(site):
    site.page(f"# Book\n\n```{{toctree}}\n{LAB}\n```\n")
    site.page(CARD, LAB)
    site.record()
    return site


def is_a_card(picture: bytes) -> bool:
    """Has the promised size, and is not empty (an empty picture has 4 kB)."""
    return struct.unpack(">II", picture[16:24]) == link_preview.SIZE and 8_000 < len(picture) < 300_000


def started(day):
    return lambda record: record["run"].update(started=f"2026-{day}T10:00:00Z")


def entries(folder: Path):
    root = ElementTree.parse(folder / "feed.xml").getroot()
    return [{part.tag.removeprefix(ATOM): part.text for part in entry} for entry in root.findall(f"{ATOM}entry")]


def sitemap(folder: Path):
    root = ElementTree.parse(folder / "sitemap.xml").getroot()
    return {url.find(f"{MAP}loc").text: url.findtext(f"{MAP}lastmod") for url in root}


def test_a_chapter_is_updated_when_its_numbers_are(chapter):
    chapter.record(started("03-01"), published="a-machine")
    chapter.record(started("03-02"))
    assert chapter.build(**ADDRESS).status == 0
    out = chapter.root / "build" / "out"
    (entry,) = entries(out)
    assert entry["id"] == f"https://book.example/here/{LAB}.html" and entry["title"] == "01 The roofline"
    assert entry["updated"] == "2026-03-02T10:00:00Z"
    assert entry["summary"].startswith("Does it wait? Measured on ")
    chapter.record(started("04-05"), published="a-machine")
    chapter.build(**ADDRESS)
    assert entries(out)[0]["updated"] == "2026-04-05T10:00:00Z"
    chapter.page("# Book, with other words\n\n```{toctree}\n01-roofline\n```\n")
    chapter.build(**ADDRESS)
    assert entries(out)[0]["updated"] == "2026-04-05T10:00:00Z"


def test_the_sitemap_lists_every_page_and_the_day_of_the_chapters_numbers(chapter):
    chapter.record(started("03-02"))
    chapter.build(**ADDRESS)
    here = "https://book.example/here"
    assert sitemap(chapter.root / "build" / "out") == {f"{here}/{LAB}.html": "2026-03-02", f"{here}/index.html": None}


@pytest.mark.usefixtures("chromium")
def test_without_an_address_there_is_neither_and_what_was_there_goes(chapter):
    out = chapter.root / "build" / "out"
    chapter.build(**ADDRESS)
    assert (out / "feed.xml").exists() and (out / "_cards" / f"{LAB}.png").exists()
    chapter.build()
    assert not (out / "feed.xml").exists() and not (out / "sitemap.xml").exists()


@pytest.mark.usefixtures("chromium")
def test_the_picture_of_a_chapter_has_the_size_that_is_asked_for_and_is_drawn_anew_only_when_it_changed(chapter):
    chapter.build(**ADDRESS)
    picture = chapter.root / "build" / "out" / "_cards" / f"{LAB}.png"
    data = picture.read_bytes()
    assert is_a_card(data)
    made = picture.stat().st_mtime_ns
    chapter.build(**ADDRESS)
    assert picture.stat().st_mtime_ns == made
    chapter.page(CARD.replace("Does it wait?", "Does it compute?"), LAB)
    chapter.build(**ADDRESS)
    assert picture.read_bytes() != data


@pytest.mark.usefixtures("chromium")
def test_a_picture_that_was_not_taken_is_taken_with_the_next_build(chapter, monkeypatch):
    chapter.build(**ADDRESS)
    picture = chapter.root / "build" / "out" / "_cards" / f"{LAB}.png"
    data = picture.read_bytes()
    chapter.page(CARD.replace("Does it wait?", "Does it compute?"), LAB)
    monkeypatch.setattr(link_preview, "SECONDS", 0.001)
    chapter.build(**ADDRESS)
    assert picture.read_bytes() == data
    monkeypatch.undo()
    chapter.build(**ADDRESS)
    assert picture.read_bytes() != data


def test_the_browser_that_draws_may_load_what_a_reader_may(tmp_path):
    drawn = link_preview.page(tmp_path, "Book", "01", "<b>", "Words", "<svg></svg>")
    assert f'content="{html.escape(POLICY)}"' in drawn and drawn.index("Content-Security-Policy") < drawn.index("<link")


def test_the_page_cites_what_the_citation_file_says(book):
    stated = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))
    page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", (book / "cite.html").read_text(encoding="utf-8")))
    year = str(stated["date-released"])[:4]
    assert f"Version {stated['version']}, {year}." in page and f"@misc{{hardwarefirst{year}," in page
    assert f"title = {{{{{stated['title']}}}}}," in page  # over two lines
    assert f"author = {{{{{stated['authors'][0]['name']}}}}}," in page
    assert '<a href="cite.html">' in (book / "01-roofline.html").read_text(encoding="utf-8")


@pytest.fixture
def address(book) -> str:
    """The published book's address, from its front page."""
    front = (book / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<link rel="canonical" href="(https://.*/)index\.html">', front)
    assert found, "the published book was rendered without an address: set HARDWARE_FIRST_URL"
    return found[1]


def named(page: str, pattern: str) -> str:
    """The only element of a page's head with these words."""
    (found,) = re.findall(pattern, page)
    return html.unescape(found)


@pytest.mark.usefixtures("chromium")
def test_every_page_of_the_book_names_its_own_address_and_its_picture(book, address):
    pictures = {}
    for name in pages(book):
        if name == "404.html":
            continue
        page = (book / name).read_text(encoding="utf-8")
        assert named(page, r'<link rel="canonical" href="(.*?)">') == address + name
        assert named(page, r'<meta property="og:url" content="(.*?)">') == address + name
        assert named(page, r'<link rel="alternate" type="application/atom\+xml"[^>]*? href="(.*?)">') == f"{address}feed.xml"
        picture = named(page, r'<meta property="og:image" content="(.*?)">').removeprefix(address)
        own = Path(name).stem
        assert picture == f"_cards/{own if own in CHAPTERS else 'index'}.png"
        pictures[picture] = (book / picture).read_bytes()
    assert len(pictures) == len({*pictures.values()}) == len(CHAPTERS) + 1
    assert [name for name, picture in pictures.items() if not is_a_card(picture)] == []


def test_the_books_feed_has_every_chapter_and_the_time_of_its_newest_record(book, address):
    found = entries(book)
    times = [entry["updated"] for entry in found]
    assert times == sorted(times, reverse=True)
    assert all(datetime.datetime.fromisoformat(time).tzinfo == datetime.UTC for time in times)
    records = {chapter: [json.loads(path.read_text(encoding="utf-8"))
                         for path in (PROJECT / "figures" / "records").glob(f"*/{chapter}.json")] for chapter in CHAPTERS}
    newest = {f"{address}{chapter}.html": max(record["run"]["started"] for record in records[chapter]) for chapter in CHAPTERS}
    assert {entry["id"]: entry["updated"] for entry in found} == newest
    days = {page: time[:10] for page, time in newest.items()}
    assert sitemap(book) == {address + page: days.get(address + page) for page in pages(book)
                             if page not in ("404.html", "search.html")}


def test_the_book_says_where_the_project_is(book):
    front = (book / "index.html").read_text(encoding="utf-8")
    assert re.search(r'href="https://[^"]+">\s*download the project\s*</a>', front), "set HARDWARE_FIRST_SOURCE"


def test_a_card_shows_its_figure_whole_and_no_sentence_of_its_steps(browser, drawings, tmp_path):
    """Sentences, one for each step, precede an animated drawing; the page shows one at a time."""
    shown = """() => [...document.querySelectorAll("header, h1, p, figure > *")].filter(each => each.checkVisibility())
        .map(each => [each.tagName, each.getBoundingClientRect().toJSON()])"""
    with Visit(browser, "about:blank", viewport=dict(zip(("width", "height"), link_preview.SIZE, strict=True))) as visit:
        for path in drawings:
            picture = drawing.as_html(drawing.read(path))
            file = tmp_path / f"{path.stem}.html"
            page = link_preview.page(STATIC_FOLDERS[0], "Book", "07", "A chapter", "A question?", picture)
            file.write_text(page, encoding="utf-8")
            visit.page.goto(file.as_uri())
            boxes = visit.page.evaluate(shown)
            assert [tag for tag, _ in boxes] == ["HEADER", "H1", "P", "svg"], path.stem
            (_, header), *words, (_, figure) = boxes
            assert all(box["right"] < figure["left"] for _, box in words), path.stem
            width, height = link_preview.SIZE
            assert header["bottom"] < figure["top"] and figure["bottom"] <= height and figure["right"] <= width
            assert figure["width"] > width / 2, path.stem
