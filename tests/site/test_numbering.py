"""Numbers of chapters, sections and figures, and the links that name them."""

import re

import pytest
from whole import pages

NUMBERS = {"numfig_format": {"figure": "Figure %s", "section": "section %s"}, "html_secnumber_suffix": " "}
FIGURE = "```{lab-figure} 01-small\n:series: latency\n:name: fig-small\nThe takeaway.\n```\n"
DRAWING = "```{drawing} 01-idea\n:name: fig-idea\nAn idea.\n```\n"
INDEX = "# Book\n\nSee {numref}`fig-small`.\n\n```{toctree}\n00-first\n01-second\n```\n"


@pytest.fixture
def chapters(site):
    site.drawing('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 100"><title>Idea</title><desc>An idea.</desc></svg>',
                 "01-idea")
    site.record()
    site.page(INDEX)
    site.page("# First\n\n## A part\n\nSee chapter 01, {numref}`fig-small`, {numref}`below`, {numref}`deeper`, "
              "not chapter 00.\n", "00-first")
    site.page(f"# Second\n\n## A part\n\n(deeper)=\n### Deeper\n\n{DRAWING}\n(below)=\n## Another\n\n{FIGURE}", "01-second")
    return site


def numbers(html: str, kind: str) -> list[str]:
    found = re.findall(rf'<(?:h\d|figcaption>\s*<p)><span class="{kind}-number">([^<]*)</span>', html)
    return [number.strip() for number in found]


def test_chapters_are_called_as_their_files_and_sections_and_figures_are_numbered_in_them(chapters):
    assert chapters.build(**NUMBERS).status == 0
    assert numbers(chapters.html("00-first"), "section") == ["00", "0.1"]
    assert numbers(chapters.html("01-second"), "section") == ["01", "1.1", "1.2"]
    assert numbers(chapters.html("01-second"), "caption") == ["Figure 1.1", "Figure 1.2"]
    assert numbers(chapters.html(), "section") == []


def test_references_name_the_numbers_and_mentions_of_other_chapters_are_links(chapters):
    assert chapters.build(**NUMBERS).status == 0
    first = chapters.html("00-first")
    assert re.search(r'href="01-second.html#fig-small"><span class="std std-numref">Figure\xa01.2<', first)
    assert re.search(r'href="01-second.html#below"><span class="std std-numref">section\xa01.2<', first)
    assert re.search(r'href="01-second.html#deeper"><span class="std std-numref">section\xa01.1<', first)
    assert re.search(r'<a class="reference internal" href="01-second.html">chapter\s01</a>', first)
    assert "not chapter 00" in first


def test_what_names_a_number_is_written_again_when_it_changes(chapters):
    chapters.build(**NUMBERS)
    chapters.page(f"# Second\n\n(below)=\n## Another\n\n(deeper)=\n### Deeper\n\n{FIGURE}", "01-second")
    chapters.build(**NUMBERS)
    assert "Figure\xa01.1<" in chapters.html() and "section\xa01.1<" in chapters.html("00-first")
    assert chapters.build(**NUMBERS).read == []


def test_every_figure_of_a_chapter_has_its_number_once_and_in_order(book):
    for page in pages(book):
        found = numbers((book / page).read_text(encoding="utf-8"), "caption")
        chapter = re.match(r"(\d\d)-", page)
        assert found == ([f"Figure {int(chapter[1])}.{place}" for place in range(1, len(found) + 1)] if chapter else [])
        assert len(found) >= 2 or not chapter
