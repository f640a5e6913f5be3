"""The search page: a reader's query leads to the right place first, from a server and from files."""

import json
import re
import shutil

import pytest
from playwright.sync_api import expect
from whole import PROJECT, Visit

# Queries, and the place of the first result: a page, or a page with an anchor.
FIRST = {
    "ridge": "glossary.html#term-Ridge",
    "roofline": ("glossary.html#term-Roofline", "01-roofline.html"),
    "cache": "glossary.html#term-Cache",
    "kv cache": "glossary.html#term-KV-cache",
    "systolic array": "glossary.html#term-Systolic-array",
    "GPU": "03-gpu.html",
    "machines": "machines.html",
    "claims": "claims.html",
    "systolik array": "glossary.html#term-Systolic-array",  # a typing error
    "quantization": "glossary.html#term-Quantisation",
    "huge pages": "glossary.html#term-Huge-page",
    "ZeRO": "glossary.html#term-ZeRO",
    "batch size": "glossary.html#term-Batch",
    "FlashAttention": "glossary.html#term-Flash-attention",
}


def look(visit: Visit, words: str) -> list[str]:
    """The addresses of the results, within the book."""
    visit.page.fill(".hf-search input", words)
    visit.page.wait_for_function("""() => {
      const says = document.querySelector(".hf-search-says").textContent;
      return says && says !== "Searching …";
    }""")
    return visit.page.locator(".hf-found a").evaluate_all("links => links.map(link => link.getAttribute('href'))")


def test_what_is_typed_is_found_first(browser, served):
    with Visit(browser, f"{served}search.html") as visit:
        for words, wanted in FIRST.items():
            found = look(visit, words)
            assert found and found[0] in wanted, (words, found[:5])
        assert visit.errors == []


def test_the_ridge_leads_to_its_chapter_and_quotes_prose(browser, served):
    with Visit(browser, f"{served}search.html?q=ridge") as visit:
        visit.page.wait_for_selector(".hf-found li")
        found = visit.page.locator(".hf-found a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        assert any(link.startswith("01-roofline.html") for link in found[:6])
        quoted = visit.page.locator(".hf-found p:has(mark)").all_inner_texts()
        assert quoted and not any("GFLOP/s 100 10 1" in text for text in quoted)
        assert visit.page.locator(".hf-found mark").first.inner_text().lower().startswith("ridge")
        visit.page.click(".hf-found a >> nth=0")
        expect(visit.page).to_have_url(re.compile("#term-Ridge$"))
        assert visit.errors == []


def test_nothing_is_found_without_a_complaint(browser, served):
    with Visit(browser, f"{served}search.html?q=xyzzyq") as visit:
        expect(visit.page.locator(".hf-search-says")).to_have_text(re.compile("^No section"))
        assert look(visit, "roofline") and visit.errors == []


def test_words_are_not_markup(browser, served):
    with Visit(browser, served + "search.html?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E") as visit:
        expect(visit.page.locator(".hf-search-says")).to_have_text(re.compile("^No section"))
        expect(visit.page.locator(".hf-found img")).to_have_count(0)


def test_the_header_searches_from_any_page(browser, served):
    with Visit(browser, f"{served}02-matmul.html") as visit:
        visit.page.fill(".hf-find input", "roofline")
        visit.page.press(".hf-find input", "Enter")
        visit.page.wait_for_selector(".hf-found li")
        expect(visit.page.locator(".hf-search input")).to_have_value("roofline")
        assert visit.errors == []


def test_results_appear_below_the_header_s_field_as_one_types(browser, served, book):
    for address in (f"{served}02-matmul.html", (book / "index.html").as_uri()):
        with Visit(browser, address) as visit:
            assert not any("search" in asked for asked in visit.requests)  # a reader who doesn't search loads nothing for it
            field, links = visit.page.locator(".hf-find input"), visit.page.locator(".hf-find .hf-found a")
            field.press_sequentially("ridg")
            expect(links).to_have_count(5)
            field.press_sequentially("e")
            expect(links.first).to_have_attribute("href", re.compile(r"/glossary\.html#term-Ridge$"))
            visit.page.keyboard.press("Escape")
            expect(links.first).to_be_hidden()
            field.fill("ridge")
            visit.page.keyboard.press("Tab")
            expect(links.first).to_be_focused()
            links.first.click()
            expect(visit.page).to_have_url(re.compile(r"/glossary\.html#term-Ridge$"))
            assert visit.errors == []


def test_figures_texts_and_listings_are_not_searched(site):
    site.shown("""# Head

Prose with a word, and {measured}`01-roofline/peak_fp32_gflops`.

```{lab-figure} 01-small
:series: latency
A caption.
```

```cpp
int listing();
```

| a | b |
|---|---|
| c | d |

## Below

More prose.
""")
    text = (site.root / "build" / "out" / "_static" / "search-text.js").read_text(encoding="utf-8")
    (_, _, _, entries), = json.loads(text[text.index("(") + 1:text.rindex(")")])
    assert [entry[:3] for entry in entries] == [["page", "", "Head"], ["section", "below", "Below"]]
    assert "a · b; c · d" in entries[0][3]  # a table's cells and rows are separated
    assert "Prose with a word" in entries[0][3] and "A caption." in entries[0][3] and entries[1][3] == "More prose."
    assert "viewBox" not in entries[0][3] and "listing" not in entries[0][3]


def test_what_a_page_hides_is_found_once_its_question_is_answered(browser, site):
    site.record()
    site.page("""# Head

```{predict} which
:reveals: simd-pays
:answer: 7
:range: 1 10
How many?
```

```{claim} 01-roofline/simd-pays
Not here.
```

Open prose.
""")
    shutil.copytree(PROJECT / "site" / "press" / "theme", site.root / "theme")
    site.built(html_theme="theme", html_theme_path=[str(site.root)],
               html_additional_pages={"search": "search.html"}, html_js_files=[], html_use_index=False)
    with Visit(browser, f"{(site.root / 'build' / 'out').as_uri()}/search.html") as visit:
        assert look(visit, "open") == ["index.html"] and look(visit, "fourfold") == []
        visit.page.evaluate("press.store('predictions', JSON.stringify({'index/another': {bet: 3}}))")
        visit.page.reload()
        assert look(visit, "fourfold") == []
        visit.page.evaluate("press.store('predictions', JSON.stringify({'index/which': {bet: 3}}))")
        visit.page.reload()
        assert look(visit, "fourfold") == ["index.html"]
        visit.page.evaluate("press.store('predictions', 'nonsense')")
        visit.page.reload()
        assert look(visit, "fourfold") == []
        visit.page.evaluate("press.store('predictions-skipped', 'all')")
        visit.page.reload()
        assert look(visit, "fourfold") == ["index.html"] and visit.errors == []


@pytest.mark.parametrize("page", ["01-roofline", "glossary"])
def test_every_find_has_its_place(browser, served, book, page):
    text = (book / "_static" / "search-text.js").read_text(encoding="utf-8")
    pages = json.loads(text[text.index("(") + 1:text.rindex(")")])
    entries = next(entries for address, _, _, entries in pages if address == f"{page}.html")
    html = (book / f"{page}.html").read_text(encoding="utf-8")
    assert len(entries) > 10
    assert [anchor for _, anchor, *_ in entries if anchor and f'id="{anchor}"' not in html] == []


def test_what_readers_see_is_searched_and_not_what_authors_write(book):
    text = (book / "_static" / "search-text.js").read_text(encoding="utf-8")
    assert not re.search(r"\\(?:times|alpha|cdot)|\bfig-[a-z]|[a-z]{4,}(?:19|20)\d\d\b", text), "keys and TeX"
    assert "2·12·768=18,432" in text and "Waterman and Patterson" in text and "record script" not in text


def test_what_no_place_has_in_full_is_found_in_part(browser, served):
    with Visit(browser, f"{served}search.html") as visit:
        assert "glossary.html#term-Ridge" in look(visit, "ridge xyzzyq")
        expect(visit.page.locator(".hf-search-says")).to_have_text(re.compile("^No section contains all of these words"))
