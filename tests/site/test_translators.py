"""Extensions that rewrite pages: those that translate wrap each text in elements of their own, and others darken colours."""

import pytest
from playwright.sync_api import Browser, expect
from whole import Path, Visit, pages

# As translators do it, and again with whatever scripts add later; what has translate="no" stays as it is.
TRANSLATE = """() => {
  const wrap = (text) => {
    const outer = document.createElement("font"), inner = document.createElement("font");
    text.replaceWith(outer);
    outer.append(inner);
    inner.append(text);
  };
  const kept = "[translate=no], .notranslate, pre, code, script, style, font, select, textarea";
  const translate = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (text.data.trim() && !text.parentElement.closest(kept)) found.push(text);
    }
    found.forEach(wrap);
    return found.length;
  };
  const isShown = (each) => each.isConnected && each.nodeType === 1;
  const added = (all) => all.flatMap(({addedNodes}) => [...addedNodes]).filter(isShown);
  new MutationObserver((all) => added(all).forEach(translate)).observe(document.body, {childList: true, subtree: true});
  return translate(document.body);
}"""
UNGUARDED = """() => [...document.querySelectorAll("math, svg:has(text)")].filter((each) => !each.closest("[translate=no]"))
  .map((each) => each.outerHTML.slice(0, 100))"""
LABELS = """() => [...document.querySelectorAll("svg text, math *")].map((each) => {
  const {width, height} = each.getBoundingClientRect();
  return `${each.textContent} ${Math.round(width)} ${Math.round(height)}`;
})"""
NUMBERS = "() => [...document.querySelectorAll('.hf-slot .hf-number')].map((each) => each.textContent).join()"


def test_no_label_of_a_figure_and_no_formula_is_translated(browser: Browser, book: Path, served: str):
    with Visit(browser, served) as visit:
        found = {}
        for page in pages(book):
            visit.page.goto(served + page)
            visit.page.wait_for_function("() => document.readyState === 'complete'")
            found |= {page: left} if (left := visit.page.evaluate(UNGUARDED)) else {}
        assert found == {}


@pytest.mark.parametrize("page", ["01-roofline.html", "06-precision.html"])
def test_a_translated_page_keeps_its_labels_and_follows_the_machine(browser: Browser, served: str, page: str):
    with Visit(browser, served + page) as visit:
        before, first = visit.page.evaluate(LABELS), visit.page.evaluate(NUMBERS)
        other = visit.page.evaluate("press.machines[1].slug")
        assert visit.page.evaluate(TRANSLATE) > 500
        assert visit.page.evaluate(LABELS) == before
        visit.page.locator("#hf-machine select").select_option(other)
        visit.page.wait_for_function("other => press.machine === other", arg=other)
        translated = visit.page.evaluate(NUMBERS)
        assert translated != first and visit.errors == []
        visit.page.goto(f"{served}{page}?machine={other}")
        visit.page.wait_for_function("other => press.machine === other", arg=other)
        assert visit.page.evaluate(NUMBERS) == translated


def test_every_page_says_that_it_has_dark_colours_of_its_own(browser: Browser, book: Path, served: str):
    with Visit(browser, served) as visit:
        for page in [*pages(book), "nowhere.html"]:
            visit.page.goto(served + page)
            expect(visit.page.locator("head meta[name=darkreader-lock]")).to_have_count(1)
