"""Hostile contributions: records whose texts look like markup, folders with hostile names, and a very large number of
machines."""

import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import CLAIM, FIGURE, LAB, Site, renew_key, scale_series
from press.pictures import compare, gnuplot
from whole import Visit

EVIL = 'x"><meta http-equiv=refresh content=0></script><script>alert(1)</script>`touch hacked`{{ 1 }}{% x %}@^_{}\'%s\\'
PUBLISHED = {"press_published_only": True, "press_default_machine": "hostile"}
PAGE = """# Page

{measured}`01-roofline/ridge_flop_per_byte`,
{measured}`01-roofline/machine.cpu`, {measured}`01-roofline/machine.os`,
{measured}`01-roofline/toolchain.compiler`, {measured}`01-roofline/toolchain.flags`.

""" + f"{CLAIM}\n{FIGURE}\n" + """```{predict} ridge
:value: 01-roofline/ridge_flop_per_byte
:choices: little < 4 | much >= 4
How much?
```

```{lab-card} 01-roofline
```

```{predict-scores} kernels
:name: kernels-scored
```
"""
GALLERY = """# Machines

```{machines}
:values: 01-roofline/ridge_flop_per_byte
```

```{compare-machines}
:values: 01-roofline/ridge_flop_per_byte
```

```{claims-ledger}
```
"""
FRONT = "# Book\n\n```{front-figure} 01-small\n```\n\n```{book-in-numbers}\n```\n\n" \
        "```{roofline-explorer}\nThe roofline.\n\nOther words.\n```\n\n```{toctree}\n01-roofline\nmachines\n```\n"
TEXTS = 'load tables."/values.gp"\nset title machine_cpu.lab_title textcolor rgb ink\nplot '
LABELS = ', tables."/kernels.tsv" using 1:2:5 with labels textcolor rgb ink\n'


def hostile(record):
    """The record with all its free texts replaced by hostile ones."""
    record["lab"]["title"] = EVIL
    record["run"]["notes"] = [EVIL]
    record["machine"].update(cpu=EVIL, os=EVIL, microarchitecture="", gpus=[{"name": EVIL, "driver": EVIL}])
    del record["machine"]["microarchitecture"]
    record["toolchain"].update(compiler=EVIL, flags=f"-O3 -DNDEBUG {EVIL}", libraries={EVIL: EVIL})
    record["lab"]["inputs"]["flags"] = record["toolchain"]["flags"]
    renew_key(record)
    for series in record["series"]:
        series["label"] = series["x"]["name"] = series["y"]["name"] = EVIL
        for point in series["points"]:
            if "label" in point:
                point["label"] += EVIL
    for value in record["values"]:
        value["label"] = EVIL


class Elements(HTMLParser):
    """The elements of a text: (name, attributes, the text that follows)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), ""))

    def handle_data(self, data):
        if self.found:
            self.found[-1] = (*self.found[-1][:2], self.found[-1][2] + data)


def foreign(text: str) -> list:
    """The effects that a hostile record would have had in HTML."""
    return [each for each in Elements(text).found if (each[0] == "meta" and each[1].get("http-equiv") == "refresh") or
            (each[0] == "script" and "type" not in each[1] and "alert" in each[2])]


def texts(value) -> list[str]:
    """All strings in JSON."""
    if isinstance(value, str):
        return [value]
    return [each for part in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else [])
            for each in texts(part)]


@pytest.fixture(scope="module")
def attacked(tmp_path_factory, record_tool) -> Site:
    """A book whose default machine's record is hostile, beside an honest one."""
    site = Site(tmp_path_factory.mktemp("attacked"), record_tool)
    script = site.root / "figures" / "01-small.gp"
    script.write_text(script.read_text().replace("plot ", TEXTS).rstrip("\n") + LABELS)
    (site.root / "labs" / "kit").mkdir(parents=True, exist_ok=True)
    (site.root / "labs" / "kit" / "work.cpp").touch()
    site.record(hostile, published="hostile")
    site.record(scale_series("latency", 3), published="constructor")  # javaScript knows it too
    site.page(FRONT)
    site.page(PAGE, LAB)
    site.page(GALLERY, "machines")
    build = site.build(html_baseurl="https://book.example/", **PUBLISHED)
    assert build.said == ""
    return site


def test_a_hostile_text_is_a_text_wherever_it_is_written(attacked):
    out, seen = attacked.root / "build" / "out", 0
    for page in out.glob("*.html"):
        assert foreign(page.read_text(encoding="utf-8")) == [], page.name
        seen += "alert(1)" in page.read_text(encoding="utf-8")
    scripts = [*out.glob("_machines/*/*.js"), out / "_static" / "search-text.js"]
    for script in scripts:
        called = script.read_text(encoding="utf-8")
        arguments = json.loads(f"[{called[called.index('(') + 1:called.rindex(')')]}]")
        assert [found for text in texts(arguments) for found in foreign(text) if text.startswith("<")] == [], script.name
        seen += "alert(1)" in called
    assert seen >= 5 and len(scripts) >= 4  # it is shown as text
    assert "alert(1)" in (out / "feed.xml").read_text(encoding="utf-8") and "<script" not in (out / "feed.xml").read_text()
    assert not [*attacked.root.rglob("hacked")] and not Path("hacked").exists()


def test_in_a_browser_a_hostile_record_adds_no_element(browser, attacked):
    out = attacked.root / "build" / "out"
    foreigners = """[...document.querySelectorAll("meta[http-equiv=refresh], script:not([type])")].filter(
        each => each.matches("meta") || each.textContent.includes("alert")).length"""
    for page in ("index", LAB, "machines"):
        with Visit(browser, (out / f"{page}.html").as_uri()) as visit:
            visit.page.on("dialog", lambda dialog: visit.errors.append(dialog.message))
            assert "alert(1)" in visit.page.content() and visit.page.evaluate(foreigners) == 0
            for button in visit.page.locator(".hf-predict-skip, .hf-compare button").all():
                button.click()
            for slug in ("constructor", "hostile"):
                visit.page.evaluate(f"press.showMachine('{slug}')")
                facts = visit.page.locator(".hf-fact").all_inner_texts()
                assert any("alert" in fact for fact in facts) == (slug == "hostile" and page == LAB)
            assert visit.page.evaluate(foreigners) == 0 and visit.page.url.endswith(f"{page}.html")
            assert visit.errors == []


@pytest.mark.parametrize("name", ["a: b", "here", "a.js", 'x"><meta http-equiv=refresh content=0>', "`touch hacked`{{",
                                  "a" * 81, os.fsdecode(b"a\xff"), "a\u202eb\u2028c"])
def test_a_folder_with_another_name_costs_itself_and_no_page(site, name):
    site.record(published="honest")
    site.record(published="stranger").parent.rename(site.root / "figures" / "records" / name)
    site.page(GALLERY)
    build = site.build(press_published_only=True)
    assert build.status == 1 and build.said.count("expected the name of a machine: ") == 1
    assert len(build.said.strip().splitlines()) == 2 and "Published as: honest" in site.text()
    assert site.text().count("Published as") == 1 and foreign(site.html()) == []


def test_a_link_among_the_records_is_none(site):
    honest = site.record(published="honest")
    (honest.parent.parent / "again").symlink_to(honest.parent)
    (honest.parent.parent / "other").mkdir()
    (honest.parent.parent / "other" / honest.name).symlink_to("/dev/zero")
    site.page(GALLERY)
    build = site.build(press_published_only=True)
    assert build.status == 1 and site.text().count("Published as") == 1
    assert "records/again: expected a folder" in build.said and "not a link to one" in build.said


@pytest.mark.parametrize("edit", [
    lambda record: record["run"].update(started="2999-01-01T00:00:00Z"),
    lambda record: record["values"][0].update(value=1.7e308),
    lambda record: record["machine"].update(cpu="a\uffff"),
    lambda record: record["machine"].update(cpu="a\u202e"),
    lambda record: record["series"][0]["points"].extend([{"x": 1, "median": 1, "label": f"{i}"} for i in range(300)]),
    lambda record: record.update(values=7),
])
def test_a_bad_record_costs_itself_and_no_page(site, edit):
    site.record(published="honest")
    site.record(edit, published="bad")
    site.page(GALLERY)
    site.page(PAGE, LAB)
    site.fails("figures/records/bad/01-roofline.json: ", press_published_only=True)
    assert site.text().count("Published as: honest") == 1 and "FLOP/byte" in site.text() and "Not shown" not in site.text(LAB)


def test_a_copy_under_another_name_does_not_take_the_place_of_the_machine(site):
    site.record(published="honest")
    path = site.root / "figures" / "records" / "a-copy"
    path.mkdir()
    (path / f"{LAB}.json").write_bytes((path.parent / "honest" / f"{LAB}.json").read_bytes())
    site.built(GALLERY, press_published_only=True, press_default_machine="honest")
    assert site.html().index("machine-honest") < site.html().index("machine-a-copy")


def test_with_every_machine_a_book_grows_by_the_same(site, monkeypatch):
    """Ten machines: drawings and files grow with their number, and not with the number of pairs."""
    drawn, compared, plot = [], [], gnuplot.run_gnuplot(
        site.root / "figures" / "01-small.gp", site.record(), site.tool)
    draws = gnuplot.draw
    monkeypatch.setattr(gnuplot, "run_gnuplot", lambda *_: plot)
    monkeypatch.setattr(gnuplot, "draw", lambda *given, **more: drawn.append((given, more)) or draws(*given, **more))
    both = compare.both_drawn
    monkeypatch.setattr(compare, "both_drawn", lambda *given: compared.append(given) or both(*given))
    site.page(PAGE + GALLERY.partition("# Machines")[2], LAB)
    site.record_path.unlink()
    weights = []
    for number in range(10):
        site.record(scale_series("latency", number + 2), published=f"machine-{number}")
        if number in (3, 6, 9):
            compared.clear()
            site.built(out=f"out{number}", master_doc=LAB, press_machines_drawn=20)
            out = site.root / "build" / f"out{number}"
            weights.append(sum(file.stat().st_size for file in [*out.glob("*.html"), *out.glob("_machines/*/*")]))
    assert len(compared) == 9 and all(pair[1].slug == "machine-0" for pair in compared)
    assert len({(folder, more.get("name")) for (_, _, folder, *_), more in drawn}) == 10 + 2 * 9
    more, more_again = weights[1] - weights[0], weights[2] - weights[1]
    assert abs(more_again - more) < 0.02 * more


def test_what_no_page_names_is_not_kept(site):
    site.record()
    other = site.record(scale_series("latency", 10), published="other-machine")
    figure = f"# Page\n\n{FIGURE}"
    site.page(figure + "\n```{toctree}\nmore\n```\n")
    (site.root / "figures" / "01-more.gp").write_bytes((site.root / "figures" / "01-small.gp").read_bytes())
    site.page(figure.replace("01-small", "01-more"), "more")
    site.build()
    compared = site.root / "build" / "compared"
    kept = lambda: {file.name for file in compared.rglob("*.*")}
    assert {"01-small.json", "01-more.json", "01-more-on-here.svg"} <= kept()
    site.page("# No figure any more", "more")
    site.build()
    assert kept() == {"01-small.json", "01-small-on-here.svg", "01-small-on-other-machine.svg"}
    other.unlink()
    site.build()
    assert kept() == set() and not [*compared.iterdir()]
