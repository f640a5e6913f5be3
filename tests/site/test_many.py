"""Many machines: a page draws the first of them, stays as light as with few, and the others are a file or a search away."""

import csv
import importlib.machinery
import importlib.util
import json
import re

import pytest
from book.computer_kinds import group_of
from conftest import LAB, Site, change_value
from playwright.sync_api import expect
from press.measurements.record import Data, Record
from whole import PROJECT, Visit

GALLERY = ("# Machines\n\n```{machines}\n:values: 01-roofline/peak_fp32_gflops\n```\n\n"
           "```{compare-machines}\n:values: 01-roofline/peak_fp32_gflops\n```\n")
PAGES = {
    "index": ("# Page\n\n```{claims-squares}\n```\n\n```{book-mistakes}\n```\n\n```{claims-ledger}\n```\n\n"
              "```{toctree}\n:hidden:\n\n01-roofline\npredictions\nmachines\nnumbers\n```\n"),
    LAB: "# Chapter\n\nIt is {measured}`cache_gain`.\n\n```{claim} memory-is-slow\nNot so.\n```\n",
    "predictions": f"# Predictions\n\n```{{predictions-overview}}\n```\n\n```{{predictions}} {LAB}\n```\n",
    "machines": GALLERY,
    "numbers": "# Numbers\n\n```{all-numbers}\n```\n",
}
PAIRS = {"pairs": [{"what": "kernels", "predicted": "kernels_predicted", "measured": "kernels"}]}
DRAWN, HEAVIER = 2, 1.2
CPUS = ("AMD EPYC 9654", "AMD Ryzen 7 7840U", "Snapdragon 8 Gen 3", "AMD Ryzen 9 9950X")


def named(number):
    def edit(record):
        record["machine"].update(cpu=CPUS[number % len(CPUS)], virtualised=False)
        record["machine"].pop("microarchitecture", None)
        change_value("cache_gain", 2 + number / 10)(record)
    return edit


def with_machines(site, count):
    """A book of published machines, of which each page draws two."""
    for number in range(count):
        site.record(named(number), published=f"machine-{number:02}")
    (site.root / "labs" / LAB / "predictions.json").write_text(json.dumps(PAIRS))
    for name, text in PAGES.items():
        site.page(text, name)
    build = site.build(press_published_only=True, press_machines_drawn=DRAWN)
    assert build.said == ""
    return site


@pytest.fixture(scope="module")
def few(tmp_path_factory, record_tool):
    return with_machines(Site(tmp_path_factory.mktemp("few"), record_tool), DRAWN + 3)


@pytest.fixture(scope="module")
def many(tmp_path_factory, record_tool):
    return with_machines(Site(tmp_path_factory.mktemp("many"), record_tool), 40)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_about_as_light_with_many_machines_as_with_a_few(few, many, page):
    before, after = (len(site.html(page).encode()) for site in (few, many))
    assert after <= HEAVIER * before


def test_a_chapter_draws_the_first_machines_and_says_of_the_others_that_it_does_not(many):
    files = many.root / "build" / "out" / "_machines" / LAB
    assert sorted(file.name for file in files.glob("machine-*.js")) == ["machine-01.js"]
    rest = (files / "rest.js").read_text(encoding="utf-8")
    assert rest.count("is not drawn here") == 38 and "machine-39" in rest and "machine-01" not in rest
    numbers = (files / "numbers.js").read_text(encoding="utf-8")
    assert "machine-01" in numbers and "machine-02" not in numbers
    others = many.html(LAB)
    assert 'data-others="38"' in others and 'data-gallery="machines.html"' in others and "machine-02" not in others


def test_one_machine_more_than_a_page_draws_is_drawn_too(site):
    for number in range(DRAWN + 1):
        site.record(named(number), published=f"machine-{number}")
    site.built(f"# Page\n\nIt is {{measured}}`{LAB}/cache_gain`.\n\n{GALLERY[12:]}", press_published_only=True,
               press_machines_drawn=DRAWN)
    assert "data-gallery" not in site.html() and 'data-rest=""' in site.html() and "machine-2" in site.html()


def test_what_is_only_words_has_every_machines(many):
    """The claims that fail on a machine, and its predictions."""
    for page in ("index", "predictions"):
        files = many.root / "build" / "out" / "_machines" / page
        assert len(list(files.glob("machine-*.js"))) == 39
    assert "machine-39" in (many.root / "build/out/_machines/predictions/machine-39.js").read_text(encoding="utf-8")


def test_the_others_share_a_row_of_squares_a_column_of_verdicts_and_a_hill_of_predictions(many):
    page = many.html()
    says = re.findall(r'<g data-says="([^"]*)">', page)
    assert len(says) == 7 and "true on 38" in says  # a claim that holds everywhere
    # L1 is 2 + n/10 times as fast as memory on machine n, and the claim asks for 3: it fails on 02 to 09 of 02 to 39.
    assert "true on 30, false on 8" in says and "not measured on 38" in says
    text = many.text()
    assert "the other 38, on average" in text and "✓ 30 ✗ 8" in re.sub(r"\s+", " ", text.replace("\u00a0", " "))
    text = many.text("predictions")
    assert "The other 38 machines" in text and f"{38 * 10:d} " in text
    assert "the other 38" in text and many.html("predictions").count("<path") == 2  # all chapters, and the one


def test_the_file_of_all_numbers_has_each_published_value_once(many):
    with open(many.root / "build" / "out" / "numbers.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["machine", "chapter", "id", "value", "low", "high", "unit", "kind", "date"]
    (own,) = (row for row in rows if (row["machine"], row["id"]) == ("machine-07", "cache_gain"))
    assert own == {"machine": "machine-07", "chapter": LAB, "id": "cache_gain", "value": "2.7", "low": "", "high": "",
                   "unit": "1", "kind": "measured", "date": "2026-11-20"}
    assert len({(row["machine"], row["chapter"], row["id"]) for row in rows}) == len(rows)
    assert f"{len(rows):,} numbers of 40 machines" in many.text("numbers")
    record = json.loads((many.root / f"figures/records/machine-07/{LAB}.json").read_text(encoding="utf-8"))
    measured = {row["id"]: row for row in rows if row["machine"] == "machine-07"}
    for value in record["values"]:
        assert float(measured[value["id"]]["value"]) == pytest.approx(value["value"], rel=1e-8)


def test_the_file_has_nothing_of_this_machine_and_is_absent_where_no_page_describes_it(site):
    site.record()
    site.record(published="other")
    site.built(PAGES["numbers"])
    text = (site.root / "build" / "out" / "numbers.csv").read_text(encoding="utf-8")
    assert "\nother," in text and "\nhere," not in text
    site.built("# Page", out="without")
    assert not (site.root / "build" / "without" / "numbers.csv").exists()


@pytest.mark.parametrize(("cpu", "more", "group"), [
    ("AMD EPYC 9654 96-Core Processor", {}, "server"), ("Intel(R) Xeon(R) Platinum 8480+", {}, "server"),
    ("Neoverse-V2", {}, "server"), ("AMD Ryzen 7 7840U w/ Radeon 780M", {}, "laptop"),
    ("Intel(R) Core(TM) Ultra 7 155H", {}, "laptop"), ("Apple M3", {}, "laptop"),
    ("AMD Ryzen 9 9950X 16-Core Processor", {}, "desktop"), ("Snapdragon 8 Gen 3", {}, "phone"),
    ("browser on Android", {}, "phone"), ("some processor", {"virtualised": True}, "server"),
    ("some processor", {"gpus": [{"name": "X200"}]}, "GPU"),
])
def test_a_machine_belongs_to_one_kind_of_computer(cpu, more, group):
    machine = {"cpu": cpu, "os": "Linux", "gpus": [], "virtualised": False, **more}
    assert group_of(Record(PROJECT, False, {"machine": machine, "series": [], "values": []})) == group


def test_data_of_a_record_keeps_its_series_packed_and_equals_only_the_same():
    path = PROJECT / "tests/site/fixtures/01-roofline.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    data = Data(record)
    own = Record(path, False, data)
    assert [each["id"] for each in data["series"]] == [each["id"] for each in record["series"]]
    assert not any("samples" in point for each in data["series"] for point in each["points"])
    point = own.value("kernels[naive_matmul]")
    assert point["value"] == next(p for p in own.series("kernels")["points"] if p["label"] == "naive matmul")["median"]
    assert own.value("kernels[nothing]") is None and own.value("nothing") is None
    assert data == Data(record)
    record["series"][0]["points"][0]["median"] += 1
    assert data != Data(record)


# In a browser, from files.

@pytest.fixture(scope="module")
def shown(many):
    build = many.build(press_published_only=True, press_machines_drawn=DRAWN, html_theme="press", project="Book", out="shown")
    assert build.said == ""
    return (many.root / "build" / "shown").as_uri()


SAYS, SELECT = "#hf-machine [role=status]", "#hf-machine select"


def test_a_machine_that_a_chapter_does_not_draw_is_named_and_its_claims_are_shown(browser, shown):
    with Visit(browser, f"{shown}/{LAB}.html?machine=machine-05") as visit:
        expect(visit.page.locator(SAYS)).to_have_text(re.compile("^machine-05 is not drawn here; numbers from$"))
        expect(visit.page.locator("article")).to_be_visible()
        assert visit.page.evaluate("press.machine") == "machine-00"
        assert visit.page.locator(f"{SELECT} option").all_inner_texts()[2:] == ["38 more, on the page of machines …"]
        assert visit.errors == []
    with Visit(browser, f"{shown}/index.html?machine=machine-05") as visit:
        visit.page.wait_for_function("press.machine === 'machine-05'")
        expect(visit.page.locator(".hf-mistakes")).to_contain_text("false on machine-05")
        expect(visit.page.locator("article")).to_be_visible()
        assert visit.errors == []


def test_the_list_of_machines_is_loaded_when_it_is_opened_and_leads_to_the_page_of_machines(browser, shown):
    with Visit(browser, f"{shown}/index.html") as visit:
        options = visit.page.locator(f"{SELECT} option")
        expect(options).to_have_count(2)
        visit.page.locator(SELECT).focus()
        expect(options).to_have_count(40)
        visit.page.locator(SELECT).select_option("machine-05")
        expect(visit.page.locator(".hf-mistakes")).to_contain_text("false on machine-05")
        assert visit.errors == []
    with Visit(browser, f"{shown}/{LAB}.html") as visit:
        visit.page.locator(SELECT).select_option("machines.html")
        visit.page.wait_for_url("**/machines.html")


def test_the_page_of_machines_finds_every_machine_and_draws_its_roof(browser, shown):
    with Visit(browser, f"{shown}/machines.html") as visit:
        names, cards = visit.page.locator(".hf-roof-names li"), visit.page.locator(".hf-machine-cards > *")
        expect(names).to_have_count(DRAWN)
        field, kind = visit.page.get_by_label("Find a machine"), visit.page.get_by_label("among")
        field.focus()
        expect(visit.page.locator(".hf-roof")).to_have_count(40)
        field.fill("7840u")
        expect(visit.page.locator(".hf-machine-search output")).to_have_text("9 of 38 more")
        expect(names).to_have_count(DRAWN + 9)
        expect(cards).to_have_count(DRAWN + 9)
        field.fill("")
        kind.select_option("phone")
        expect(visit.page.locator(".hf-machine-search output")).to_have_text("10 of 38 more")
        names.last.hover()
        picked = visit.page.locator(".hf-roof.hf-picked")
        assert f"#machine-{picked.get_attribute('data-machine')}" == names.last.locator("a").get_attribute("href")
        assert visit.errors == []


def test_without_scripts_the_page_of_machines_has_the_first_and_no_search(browser, shown):
    with Visit(browser, f"{shown}/machines.html", java_script_enabled=False) as visit:
        expect(visit.page.locator(".hf-roof-names li")).to_have_count(DRAWN)
        expect(visit.page.get_by_label("Find a machine")).not_to_be_visible()


@pytest.fixture(scope="module")
def growth():
    loader = importlib.machinery.SourceFileLoader("growth", str(PROJECT / "tools" / "growth"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def test_the_benchmarks_machines_are_ones_that_could_be_published(growth, record_tool, tmp_path):
    growth.publish(tmp_path, range(3))
    records = tmp_path / "figures" / "records"
    said = growth.subprocess.run([record_tool, "check", "--json", "--tree", PROJECT, records], capture_output=True, text=True)
    assert set(map(str, json.loads(said.stdout).values())) == {"[]"}
    made = json.loads((records / "machine-001" / f"{LAB}.json").read_text(encoding="utf-8"))
    assert made["machine"]["cpu"] == growth.NAMES[1] and made["machine"]["slug"] == "machine-001"


def test_the_benchmark_changes_times_and_speeds_in_opposite_ways_and_no_ratio(growth):
    of = lambda unit: growth.scaled(unit, 1.25)
    assert (of("ns"), of("GB/s"), of("GHz"), of("1"), of("%"), of("B")) == (1.25, 0.8, 0.8, 1, 1, 1)
    number = {"value": 8, "low": 4, "samples": [4, 8], "modes": [{"median": 4, "share": 1}]}
    growth.change(number, 1.25)
    assert number == {"value": 10, "low": 5, "samples": [5, 10], "modes": [{"median": 5, "share": 1}]}
    assert "1.50" in growth.table({6: {"KB": 20.0}, 300: {"KB": 30.0}})
