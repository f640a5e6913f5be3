"""The book opened from files, where a browser may fetch nothing: what works differently than on a server."""

from urllib.parse import urlsplit

import pytest
from conftest import LAB
from walk import CALCULATORS, SETTLED
from whole import Visit

XEON = "intel-xeon-2-cores-vm"
SWITCH = "#hf-machine select"
FACES = """async () => {
  await document.fonts.ready;
  return [...document.fonts].filter(face => face.status === "loaded").map(face => face.family.replaceAll('"', ""));
}"""
READ = "[...document.querySelectorAll('.hf-slot')].map(slot => slot.textContent)"


@pytest.fixture(scope="module")
def files(book) -> str:
    return f"{book.as_uri()}/"


def chosen(visit: Visit, slug: str) -> None:
    visit.page.wait_for_function(f"() => press.machine === '{slug}'")


@pytest.mark.parametrize("page", ["index", LAB, "05-scaling", "measure"])
def test_a_page_has_its_faces_and_calculators_and_asks_for_files_alone(browser, files, page):
    with Visit(browser, f"{files}{page}.html") as visit:
        visit.page.evaluate(CALCULATORS)
        visit.page.evaluate(SETTLED)
        assert "Press Text" in visit.page.evaluate(FACES)
        assert visit.page.locator("math").count() == 0 or "Press Math" in visit.page.evaluate(FACES)
        assert {urlsplit(url).scheme for url in visit.requests} <= {"file", "data"}
        assert visit.errors == []


def test_search_finds_the_chapter(browser, files):
    with Visit(browser, f"{files}search.html?q=roofline") as visit:
        visit.page.wait_for_selector(f".hf-found li a[href^='{LAB}.html']")
        assert visit.errors == []


def test_a_machine_is_chosen_and_remembered(browser, files, served):
    with Visit(browser, f"{served}{LAB}.html?machine={XEON}") as visit:
        chosen(visit, XEON)
        wanted = visit.page.evaluate(READ)
    with Visit(browser, f"{files}{LAB}.html") as visit:
        assert visit.page.evaluate(READ) != wanted
        visit.page.locator(SWITCH).select_option(XEON)
        chosen(visit, XEON)
        assert visit.page.evaluate(READ) == wanted
        visit.page.goto(f"{files}glossary.html")
        assert visit.page.locator(SWITCH).input_value() == XEON
        assert visit.errors == []


def test_two_machines_stand_side_by_side(browser, files):
    with Visit(browser, f"{files}{LAB}.html") as visit:
        visit.page.evaluate("document.querySelectorAll('.hf-predict-skip').forEach(button => button.click())")
        visit.page.locator(".hf-compare[data-figure='01-latency'] button").press("Enter")
        box = visit.page.locator(".hf-beside:visible")
        box.wait_for()
        assert box.locator("svg").count() == 2
        assert visit.errors == []
