"""The book to print and bind: tools/print-book."""

import html
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from walk import CALCULATORS
from whole import CHAPTERS, PROJECT, Visit

pytestmark = pytest.mark.usefixtures("chromium")


@pytest.fixture(scope="module")
def folded(book) -> str:
    """A chapter in which claims are folded; in which they are, depends on the machine that the book shows."""
    fold = '<details class="hf-more'
    return next(chapter for chapter in CHAPTERS[2:] if fold in (book / f"{chapter}.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def printed(book, folded, tmp_path_factory) -> Path:
    """A short book: the rendered one with few pages in its contents."""
    folder, pages = tmp_path_factory.mktemp("short"), ["start", "01-roofline", folded, "machines"]
    shutil.copytree(book / "_static", folder / "_static")
    for page in pages:
        shutil.copy(book / f"{page}.html", folder)
    home = (book / "index.html").read_text(encoding="utf-8")
    links = "".join(f'<a href="{page}.html">{page}</a>' for page in pages)
    short = re.sub(r'(<nav id="contents".*?>).*?(</nav>)', rf"\1{links}\2", home, flags=re.S)
    (folder / "index.html").write_text(short, encoding="utf-8")
    out = folder / "book.pdf"
    subprocess.run([sys.executable, PROJECT / "tools" / "print-book", folder, out], check=True)
    return out


def test_the_browser_that_prints_may_load_what_a_reader_may(tmp_path):
    """A page that would load something its policy forbids is printed without it."""
    policy = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'unsafe-inline'">"""
    home = f'{policy}<nav id="contents"><a href="01-a.html">A</a></nav><article></article>'
    (tmp_path / "index.html").write_text(home)
    (tmp_path / "foreign.html").write_text("<p>Foreign</p>")
    (tmp_path / "01-a.html").write_text('<article><section id="a"><h1>A</h1><p>Own</p>'
                                        '<iframe src="foreign.html"></iframe></section></article>')
    command = [sys.executable, PROJECT / "tools" / "print-book", tmp_path, tmp_path / "out.pdf"]
    subprocess.run(command, check=True)
    assert "Own" in text(tmp_path / "out.pdf") and "Foreign" not in text(tmp_path / "out.pdf")
    (tmp_path / "index.html").write_text(home.replace(policy, ""))
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 1 and "has no content policy: render the book again" in result.stderr


def text(pdf: Path, first: int = 1, last: int = 999) -> str:
    command = ["pdftotext", "-layout", "-f", str(first), "-l", str(last), str(pdf), "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def listed(pdf: Path) -> dict[str, int]:
    """{number or name: page} in the table of contents."""
    contents = text(pdf).partition("Contents")[2].partition("\f")[0]
    found = re.findall(r"^\s*(?:(\d\d|\d\.\d+)\s{2,})?(\S.*?)\s{2,}(\d+)$", contents, re.M)
    return {number or name: int(page) for number, name, page in found}


def test_it_is_a4_with_an_outline_and_in_the_books_faces(printed):
    told = subprocess.run(["pdfinfo", printed], capture_output=True, text=True, check=True).stdout
    assert re.search(r"Page size:.*A4", told) and int(re.search(r"Pages:\s+(\d+)", told)[1]) > 20
    assert b"/Outlines" in printed.read_bytes()
    faces = subprocess.run(["pdffonts", printed], capture_output=True, text=True, check=True).stdout
    assert "PressText" in faces and "STIXTwoMath" in faces and "Serif" not in faces


def test_the_table_of_contents_has_the_pages_of_the_headings_and_chapters_begin_on_right_hand_pages(book, folded, printed):
    pages, number = listed(printed), folded[:2]
    assert {"01", number, "1.1", f"{int(number)}.1", "Machines"} <= pages.keys()
    own = re.search(r"<h1><span.*?</span>(.*?)<a", (book / f"{folded}.html").read_text("utf-8"))
    for name, title in (("01", "The roofline"), (number, plain(own[1])), ("1.6", "The stopwatch"), ("Machines", "Machines")):
        assert title in text(printed, pages[name], pages[name])
        assert re.search(rf"^\s*{pages[name]}\s*$", text(printed, pages[name], pages[name]), re.M)  # as printed at its foot
    assert pages["01"] % 2 == 1 and pages[number] % 2 == 1
    assert "01 The roofline" in re.sub(r" +", " ", text(printed, pages["01"] + 2, pages["01"] + 2)).splitlines()[0]


def test_solutions_are_in_and_what_only_a_screen_has_is_not(printed):
    whole = text(printed)
    assert len(re.findall(r"^\W*Solution", whole, re.M)) >= 8
    for words in ("Skip to the text", "Skip: show me", "Previous", "The data as a table", "Copy"):
        assert not re.search(rf"^\s*{words}", whole, re.M), words


def test_answers_and_folded_claims_are_in(book, folded, printed):
    page = (book / f"{folded}.html").read_text(encoding="utf-8")
    folds = re.findall(r'<details class="hf-more.*?</details>', page, re.S)
    claims = [plain(each) for fold in folds for each in re.findall(r'<p class="hf-sentence">(.*?)<', fold, re.S)]
    answers = [plain(each) for each in re.findall(r'class="hf-predict-answer"[^>]*>(.*?)</', page, re.S)]
    assert claims and answers
    told = subprocess.run(["pdftotext", printed, "-"], capture_output=True, text=True, check=True).stdout
    found = " ".join(told.split())
    assert [each for each in claims + answers if each not in found] == []


def plain(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", markup)).split())


def filled(pdf: Path, folder: Path) -> list[float]:
    """The share of each page's height above its last ink, without its number; 0 if it is empty."""
    subprocess.run(["pdftoppm", "-r", "10", "-gray", pdf, folder / "page"], check=True)
    shares = []
    for page in sorted(folder.glob("*.pgm")):
        _, size, _, rows = page.read_bytes().split(b"\n", 3)
        width, height = map(int, size.split())
        written = [y / height for y in range(height) if min(rows[y * width:(y + 1) * width]) < 220 and 0.07 < y / height < 0.93]
        shares.append(max(written, default=0))
    return shares


def test_few_pages_are_mostly_empty(printed, tmp_path):
    before_a_part = {page - 1 for page in listed(printed).values()}  # blank, so that the part begins on the right
    pages = filled(printed, tmp_path)
    short = [number for number, share in enumerate(pages[3:], 4) if share < 0.25 and (share or number not in before_a_part)]
    assert len(short) <= 0.1 * len(pages)


@pytest.mark.parametrize(("page", "most"), [("05-scaling", 23), ("08-your-model", 15), ("predictions", 9), ("machines", 5),
                                            ("claims", 7), ("glossary", 10)])
def test_no_sheet_of_a_page_is_half_empty_and_none_has_only_the_footer(browser, served, tmp_path, page, most):
    with Visit(browser, f"{served}{page}.html") as visit:
        visit.page.evaluate(CALCULATORS)
        visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    *sheets, last = filled(tmp_path / "page.pdf", tmp_path)
    assert len(sheets) < most and min(sheets) > 0.6 and last > 0.11


# Content beyond the text area of a sheet, the height of the highest figure and the size of its smallest words.
CUT = """() => {
  const {left, right} = document.querySelector("article").getBoundingClientRect();
  const shown = [...document.querySelectorAll("article :is(figure, svg.hf-figure, figcaption, .admonition)")]
    .map(each => [each.id || each.tagName, each.getBoundingClientRect()]).filter(([, {width}]) => width);
  return [shown.filter(([, box]) => box.left < left - 1 || box.right > right + 1).map(([name]) => name),
          Math.max(...[...document.querySelectorAll("figure svg.hf-figure")].map(svg => svg.getBoundingClientRect().height)),
          Math.min(...[...document.querySelectorAll("figure svg.hf-figure")].map(svg => 18 * svg.getScreenCTM().a))];
}"""


def test_a_page_printed_from_the_site_is_light_and_has_its_solutions(browser, book, tmp_path):
    with Visit(browser, (book / "01-roofline.html").as_uri(), color_scheme="dark") as visit:
        visit.page.evaluate("document.documentElement.dataset.theme = 'dark'")
        visit.page.emulate_media(media="print")
        colours = visit.page.evaluate("""() => [document.querySelector('article p'), document.body].map(
            element => getComputedStyle(element)[element === document.body ? 'backgroundColor' : 'color'])""")
        visit.page.set_viewport_size({"width": 672, "height": 990})  # an A4 sheet within its margins
        cut, high, small = visit.page.evaluate(CUT)
        visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert cut == [] and high <= 600 and small >= 10.6  # 16 cm, and 8 points
    told = subprocess.run(["pdfinfo", tmp_path / "page.pdf"], capture_output=True, text=True, check=True).stdout
    assert int(re.search(r"Pages:\s+(\d+)", told)[1]) <= 19
    assert not re.search(r"^\W*\d+ more claims? that hold", text(tmp_path / "page.pdf"), re.M)  # which stand below it
    ink, paper = (sum(map(float, re.findall(r"[\d.]+", colour)[:3])) for colour in colours)
    assert ink < 300 and (paper > 700 or "rgba" in colours[1])
    solution = re.search(r'class="[^"]*solution.*?<p>(\w[\w ,]{20,40})', (book / "01-roofline.html").read_text(), re.S)[1]
    assert " ".join(solution.split()[:4]) in " ".join(text(tmp_path / "page.pdf").split())


@pytest.mark.parametrize("page", ["claims", "machines", "07-compilers"])
def test_no_table_is_cut_at_the_edge_of_a_sheet(browser, book, page):
    with Visit(browser, (book / f"{page}.html").as_uri(), viewport={"width": 680, "height": 1000}) as visit:
        visit.page.emulate_media(media="print")
        right = visit.page.locator("article").evaluate("article => article.getBoundingClientRect().right")
        assert visit.page.evaluate("""right => [...document.querySelectorAll("article table")]
          .filter(table => table.offsetWidth && table.getBoundingClientRect().right > right + 1)
          .map(table => table.textContent.trim().slice(0, 60))""", right) == []


def test_a_calculator_is_printed_as_it_is_and_says_nothing_of_scripts(browser, served, tmp_path):
    for seen in (True, False):
        with Visit(browser, f"{served}01-roofline.html") as visit:
            if seen:
                visit.page.locator("#fig-live-roofline").scroll_into_view_if_needed()
                visit.page.locator("[name=m]").fill("64")
            visit.page.pdf(path=tmp_path / "page.pdf", format="A4")
        words = " ".join(text(tmp_path / "page.pdf").split())
        assert ("Takes at least" in words) == seen and ("does 1024/6 FLOPs" in words) != seen
        assert "JavaScript" not in words and "is loading" not in words


@pytest.mark.parametrize(("page", "figure"), [("01-roofline", "#fig-live-roofline"), ("04-tpu", "#fig-live-array")])
def test_a_printed_calculator_leaves_room_on_its_sheet(browser, served, page, figure):
    with Visit(browser, f"{served}{page}.html", viewport={"width": 672, "height": 990}) as visit:
        visit.page.locator(figure).scroll_into_view_if_needed()
        svg = visit.page.locator(f"{figure} svg").first
        svg.wait_for()
        visit.page.emulate_media(media="print")
        assert 300 < svg.bounding_box()["width"] <= 400


def test_nothing_of_a_printed_strip_is_cut_off(browser, served):
    with Visit(browser, f"{served}index.html", viewport={"width": 672, "height": 990}) as visit:
        visit.page.emulate_media(media="print")
        beyond = visit.page.evaluate("""() => {
            const {left, right} = document.querySelector("article").getBoundingClientRect();
            return [...document.querySelectorAll(".hf-front-numbers svg :is(circle, text)")].filter(each => {
              const box = each.getBoundingClientRect();
              return box.left < left || box.right > right; }).length; }""")
        assert beyond == 0 and visit.page.locator(".hf-front-numbers circle").count() > 0


def test_what_cannot_be_printed_is_said_in_one_line(tmp_path):
    result = subprocess.run([sys.executable, PROJECT / "tools" / "print-book", tmp_path, tmp_path / "out.pdf"],
                            capture_output=True, text=True)
    assert result.returncode == 1 and result.stderr.count("\n") == 1 and "make site" in result.stderr


def test_a_full_disk_is_one_line_and_the_book_printed_before_stays(tmp_path):
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    (tmp_path / "index.html").write_text(policy + '<nav id="contents"><a href="page.html">A page</a></nav>')
    (tmp_path / "page.html").write_text(f"<article><p>{'word ' * 1000}</p></article>")
    before = tmp_path / "book.pdf"
    before.write_text("old")
    chromium = tmp_path / "bin/chromium"  # ends successfully, as the real one does
    chromium.parent.mkdir()
    chromium.write_text('#!/bin/sh\nfor each; do case $each in --print-to-pdf=*) echo %PDF >"${each#*=}" ;; esac; done\n')
    chromium.chmod(0o755)
    files = sorted(tmp_path.iterdir())
    run = subprocess.run([sys.executable, PROJECT / "tools" / "print-book", tmp_path, before], capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))  # fmt: skip
    (line,) = run.stderr.splitlines()
    half = subprocess.run([sys.executable, PROJECT / "tools" / "print-book", tmp_path, before], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{chromium.parent}:{os.environ['PATH']}"})  # fmt: skip
    draft = before.with_suffix(".part.pdf")
    assert (half.returncode, half.stderr) == (1, f"print-book: {draft}: was written only in part: free up space there\n")
    assert (run.returncode, line) == (1, f"print-book: {before}: File too large: free up space there, or make it writable")
    assert before.read_text() == "old" and sorted(tmp_path.iterdir()) == files


@pytest.mark.slow
def test_the_whole_book_is_printed(book, tmp_path):
    """Every chapter and figure, in embedded fonts, and no word beyond the edge of its page."""
    whole = tmp_path / "book.pdf"
    subprocess.run([sys.executable, PROJECT / "tools" / "print-book", book, whole], check=True)
    told = subprocess.run(["pdfinfo", whole], capture_output=True, text=True, check=True).stdout
    assert 150 < int(re.search(r"Pages:\s+(\d+)", told)[1]) < 700
    _, _, *faces = subprocess.run(["pdffonts", whole], capture_output=True, text=True, check=True).stdout.splitlines()
    assert faces and [face for face in faces if face.split()[-5] != "yes"] == []
    found = " ".join(text(whole).split())
    places = subprocess.run(["pdfinfo", "-dests", whole], capture_output=True, text=True, check=True).stdout
    assert set(CHAPTERS) <= set(re.findall(r'"([^"]+)"', places))
    captions = [number for chapter in CHAPTERS
                for number in re.findall(r'class="caption-number">\s*(\S[^<]*?)\s*<', (book / f"{chapter}.html").read_text())]
    assert len(captions) > 50 and [number for number in captions if plain(number) not in found] == []
    assert beyond_the_edge(whole) == []


def beyond_the_edge(pdf: Path) -> list[str]:
    """The words that are cut off at the edge of their page."""
    words = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    width, height = (float(size) for size in re.search(r'<page width="([\d.]+)" height="([\d.]+)"', words).groups())
    boxes = re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<', words)
    return [word for left, top, right, bottom, word in boxes
            if float(left) < 0 or float(top) < 0 or float(right) > width or float(bottom) > height]
