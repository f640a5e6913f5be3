"""The page of machines: rooflines on one scale, values in one table, two machines in one drawing."""

import json
import re

import pytest
from book.roofs import HEIGHT, WIDTH, Roof, Roofline, path, roofline, scale_of
from conftest import LAB, Site, change_value, drop_value
from playwright.sync_api import Locator, expect
from press.measurements.record import Record
from whole import PROJECT, Visit

PAGE = """# Page

```{machines}
:values: 01-roofline/peak_fp32_gflops 01-roofline/cache_gain
```

```{compare-machines}
:values: 01-roofline/peak_fp32_gflops 01-roofline/cache_gain
```
"""


def test_a_roof_is_slanted_then_flat_and_stays_on_the_scale():
    roof = Roof(peak=100, bandwidth=10)
    assert roof.ridge == 10 and roof.at(1) == 10 and roof.at(1000) == 100
    line = Roofline(roof, roof, ((0.5, 4, "dot"), (80, 90, "matmul")))
    scale = scale_of([line])
    assert scale.x == (-1, 3) and scale.y == (0, 2)
    left, right = scale.place(0.1, 1), scale.place(1000, 100)
    assert path(roof, scale) == "M{:g},{:g}L{:g},{:g}L{:g},{:g}".format(*left, *scale.place(10, 100), *right)


def test_no_kernel_lies_far_above_the_roof_of_its_machine():
    for file in (PROJECT / "figures" / "records").glob("*/01-roofline.json"):
        record = Record(file, False, json.loads(file.read_text(encoding="utf-8")))
        if record.value("memory_roof_gbs"):  # older records have reading alone
            own = roofline(record)
            assert all(y <= 1.2 * own.one.at(x) for x, y, _ in own.kernels), file


def test_instruction_sets_are_folded_and_labs_of_one_date_share_a_line(site):
    site.lab("02-other")
    site.record(lambda record: record["machine"].update(isa=["avx", "avx2", "fma"]))
    site.record(lab="02-other")
    site.built(PAGE)
    fold = re.search(r"<details[^>]*hf-folded[^>]*>(.*?)</details>", site.html(), re.S)[1]
    assert "3 extensions of x86_64" in re.search(r"<summary.*?</summary>", fold, re.S)[0] and "avx, avx2, fma" in fold
    assert "01 02 (20 November 2026)" in site.text()


def test_a_scale_holds_every_machine():
    slow = Roofline(Roof(1, 1), Roof(2, 1), ((0.01, 0.003, "a"),))
    fast = Roofline(Roof(6e4, 4e3), Roof(1e6, 5e3), ((300, 9e5, "b"),))
    scale = scale_of([slow, fast])
    assert scale.x[0] <= -2 and scale.y == (-3, 6)
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in (scale.place(0.01, 0.003), scale.place(300, 9e5)))


def test_each_machine_has_a_roof_a_line_and_a_card(site):
    site.record()
    site.record(change_value("cache_gain", 2.5), published="other-machine")
    site.built(PAGE)
    page, text = site.html(), site.text()
    assert page.count('class="hf-roofs"') == 1 and re.findall(r'class="(hf-roof[^"]*)" data-machine="([^"]*)"', page) == [
        ("hf-roof", "other-machine"), ("hf-roof hf-picked", "here")]
    assert 'id="machine-here"' in page and 'id="machine-other-machine"' in page
    assert page.count("<circle") == 20  # ten kernels on each
    assert "this machine 175 GFLOP/s 22.9" in text and "Fixture · 2 175 GFLOP/s 2.5" in text
    assert "ridge at 11 FLOP/byte; with all cores, 11" in text  # 347.1 over 32.67, 175.2 over 16.49
    assert "GNU 12.2.0 with -O3 -DNDEBUG -march=native" in text


@pytest.mark.parametrize("virtual", [True, False])
def test_what_a_virtual_machine_shares_is_said_where_there_is_one(site, virtual):
    site.shown(PAGE, lambda record: record["machine"].update(virtualised=virtual))
    assert ("A virtual machine shares its host" in site.text()) == virtual
    assert ("2, in a virtual machine" in site.text()) == virtual


def test_a_machine_without_a_roofline_has_its_line_and_card(site):
    site.record()
    site.record(drop_value("peak_fp32_all_gflops"), published="other-machine")
    site.built(PAGE)
    assert site.html().count('class="hf-roofs"') == 1 and 'id="machine-other-machine"' in site.html()
    assert "so far there is only one" in site.text()


@pytest.fixture(scope="module")
def page(tmp_path_factory, record_tool):
    site = Site(tmp_path_factory.mktemp("machines"), record_tool)
    site.record()
    site.record(change_value("cache_gain", 45.8), published="second")
    site.record(change_value("cache_gain", 11.45), published="third")
    site.page(PAGE)
    site.page("# Chapter", LAB)
    site.build()
    return (site.root / "build" / "out" / "index.html").as_uri()


def ratio(visit) -> Locator:
    return visit.page.locator(".hf-compare-two tr", has_text="cache gain").locator("td").last


def test_two_are_compared_and_the_address_says_which(browser, page):
    with Visit(browser, page) as visit:
        expect(ratio(visit)).to_have_text("2.0×")
        expect(visit.page.locator(".hf-compare-two svg path.hf-all")).to_have_count(2)
        visit.page.get_by_label("and").select_option(index=2)
        expect(ratio(visit)).to_have_text("0.50×")
        expect(visit.page).to_have_url(re.compile("compare=here.*third"))
        asked = visit.page.url
        assert visit.errors == []
    with Visit(browser, asked) as visit:
        expect(ratio(visit)).to_have_text("0.50×")


def test_without_scripts_nothing_is_to_choose(browser, page):
    with Visit(browser, page, java_script_enabled=False) as visit:
        expect(visit.page.locator("select:visible")).to_have_count(0)
        expect(visit.page.locator("svg.hf-roofs:visible")).to_have_count(1)
        expect(visit.page.locator(".hf-roof text:visible")).to_have_count(1)


def test_pointing_at_a_roof_or_a_name_picks_that_machine_out(browser, page):
    with Visit(browser, page) as visit:
        def picked(machine):
            expect(visit.page.locator(".hf-roof.hf-picked")).to_have_attribute("data-machine", machine)
            expect(visit.page.locator(".hf-roof-names .hf-picked")).to_have_attribute("href", f"#machine-{machine}")
            expect(visit.page.locator(".hf-roof text:visible")).to_have_count(1)

        picked("here")
        visit.page.locator(".hf-roof-names a").nth(1).hover()
        picked("second")
        visit.page.locator(".hf-roof-names a").nth(2).focus()
        picked("third")
        visit.page.locator("[data-machine=here] .hf-reach").dispatch_event("pointerover")
        picked("here")
        assert visit.errors == []
