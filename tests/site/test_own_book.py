"""A book of the machine that builds it: its numbers come first, beside published machines."""

import re

import made
import pytest
from conftest import LAB
from whole import Visit

EPYC, XEON = "amd-epyc-zen-5-2-cores-vm", "intel-xeon-2-cores-vm"  # the second has measured only chapter 01
SWITCH = "#hf-machine select"
READ = "[...document.querySelectorAll('.hf-slot')].map(slot => slot.innerHTML)"
LABEL = "select => select.selectedOptions[0].label"


def switch(visit: Visit, slug: str) -> None:
    visit.page.locator(SWITCH).select_option(slug)
    visit.page.wait_for_function(f"() => press.machine === '{slug}'")


def test_its_numbers_are_this_machines(browser, own):
    values = {value["id"]: value["value"] for value in made.record(LAB)["values"]}
    with Visit(browser, f"{own}index.html") as visit:
        headline = visit.page.locator(".hf-headline").inner_text()
        told = float(f"{values['peak_fp32_gflops'] * values['latency_dram_ns']:.2g}")
        assert f"could do {told:.0f} calculations" in re.sub(r"(?<=\d)\D(?=\d{3})", "", headline)  # between thousands
        visit.page.goto(f"{own}{LAB}.html")
        assert visit.page.evaluate("press.machine") == "here"
        assert visit.page.locator(SWITCH).evaluate(LABEL) == "this machine"
        assert visit.page.locator(".hf-provenance", has_text="this machine").count() >= 4
        assert visit.errors == []


def test_a_published_machine_can_be_chosen_and_left_again(browser, own):
    with Visit(browser, f"{own}{LAB}.html") as visit:
        before = visit.page.evaluate(READ)
        switch(visit, EPYC)
        assert visit.page.evaluate(READ) != before
        switch(visit, "here")
        assert visit.page.evaluate(READ) == before
        assert visit.errors == []


def test_where_the_chosen_machine_has_measured_nothing_this_one_stands_in(browser, own):
    with Visit(browser, f"{own}{LAB}.html") as visit:
        switch(visit, XEON)
        visit.page.goto(f"{own}02-matmul.html")
        visit.page.wait_for_function("() => press.machine === 'here'")
        assert visit.page.locator(".hf-chosen > span").inner_text() == "this machine"
        assert visit.page.locator("#hf-machine [role=status]").inner_text().startswith("Not run on Xeon")
        assert visit.errors == []


@pytest.mark.parametrize("width", [360, 1440])
def test_no_page_scrolls_sideways(browser, own, width):
    with Visit(browser, f"{own}index.html", viewport={"width": width, "height": 800}) as visit:
        for page in ("index", LAB, "02-matmul"):
            visit.page.goto(f"{own}{page}.html")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, page
