"""Content that differs between machines: the page of the default machine, and the files of the others."""

import json
import re

import pytest
from conftest import add_value, change_value, drop_value, scale_series
from press.measurements.record import Record
from whole import DEFAULT, PROJECT

NUMBER = "# Page\n\nIt is {measured}`01-roofline/speed`."
CLAIM = "```{claim} 01-roofline/caches-make-a-ladder\nHere it is *flat*: {measured}`01-roofline/speed|plain`.\n```\n"
OTHER = "other-machine"


def speed(value, cpu="Fixture Processor"):
    """An edit that gives a machine its name and its speed."""
    def edit(record):
        record["machine"]["cpu"] = cpu
        add_value(id="speed", value=value, unit="GFLOP/s")(record)
    return edit


def variant(site, slug=OTHER, page="index") -> list[str | None]:
    """The contents of a page's slots on another machine, as text on one line; None if nothing differs."""
    text = (site.root / "build" / "out" / "_machines" / page / f"{slug}.js").read_text(encoding="utf-8")
    arguments = json.loads("[" + re.fullmatch(r"press\.variant\((.*)\);\n", text, re.S)[1] + "]")
    assert arguments[:2] == [page, slug]
    return [html and re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).strip() for html in arguments[2]]


def machines(site, page="index") -> list[dict]:
    """The machines that a page offers."""
    found = re.search(r'data-machines="([^"]*)"', site.html(page))
    return json.loads(found[1].replace("&quot;", '"').replace("&#34;", '"')) if found else []


def test_a_page_has_the_default_machines_numbers_and_files_with_the_others(site):
    site.record(speed(171))
    site.record(speed(300, "Fast Processor"), published=OTHER)
    site.built(NUMBER)
    assert "It is 171 GFLOP/s." in site.text() and "300" not in site.text()
    assert variant(site) == ["300 GFLOP/s"]
    assert [(each["slug"], each["name"]) for each in machines(site)] == [
        ("here", "this machine"), (OTHER, "Fast Processor, 2 cores")]


def test_where_one_machine_is_all_there_is_nothing_to_choose(site):
    site.shown(NUMBER, speed(171))
    assert "hf-slot" not in site.html() and "machine-switcher.js" not in site.html() and machines(site) == []
    assert not list((site.root / "build" / "out").glob("_machines/*/*"))


def test_what_is_the_same_everywhere_is_no_slot(site):
    site.record(speed(171))
    site.record(speed(171), published=OTHER)
    site.built("# Page\n\nIt has {measured}`01-roofline/machine.cores` cores.")
    assert "hf-slot" not in site.html() and len(machines(site)) == 2


def test_of_published_machines_the_one_that_the_project_names_is_the_default(site):
    site.lab("02-other")
    site.record(speed(171, "Small"), published="a-machine")
    site.record(speed(200, "Second"), published="b-machine")
    site.record(speed(300, "Large"), published="c-machine")
    site.record(published="c-machine", lab="02-other")
    site.page(NUMBER)
    named = {"press_default_machine": "b-machine"}
    site.built(**named)
    assert "It is 200 GFLOP/s." in site.text() and variant(site, "a-machine") == ["171 GFLOP/s"]
    assert [each["slug"] for each in machines(site)] == ["b-machine", "c-machine", "a-machine"]
    site.built()
    assert "It is 300 GFLOP/s." in site.text()  # if none is named, the one with most labs
    site.record(speed(5))
    site.built(**named)
    assert "It is 5 GFLOP/s." in site.text()


def test_a_default_machine_without_records_is_a_problem_and_another_stands_in(site):
    site.record(speed(171), published=OTHER)
    site.page(NUMBER + "\n\n```{machines}\n```\n")
    build = site.build(press_default_machine="nobody")
    assert build.status == 1 and "It is 171 GFLOP/s." in site.text()
    assert "book.toml: default_machine: expected a machine with a valid record in figures/records, not nobody" in build.said


def test_the_book_names_a_machine_that_has_measured_every_lab():
    labs = {path.parent.name for path in PROJECT.glob("labs/[0-9][0-9]-*/lab.cpp")}
    assert {path.stem for path in (PROJECT / "figures" / "records" / DEFAULT).glob("*.json")} >= labs


def test_machines_of_one_name_are_told_apart_and_a_network_says_its_hosts(site):
    for name in ("a-machine", "b-machine"):
        site.record(speed(1), published=name)
    site.record(add_value(id="hosts", value=4, unit="1"), published="c-machine")
    site.record(*(add_value(id=name, value=value, unit="1") for name, value in (("hosts", 2), ("machines", 1))),
                published="d-machine")
    site.built(NUMBER)
    assert [each["name"] for each in machines(site)] == [
        "Fixture Processor, 2 cores (a-machine)", "Fixture Processor, 2 cores (b-machine)",
        "four hosts, each Fixture Processor, 2 cores", "two hosts in one Fixture Processor, 2 cores"]


def test_a_verdict_changes_with_the_machine_and_with_it_what_follows_from_it(site):
    site.record(speed(171))
    site.record(speed(300), change_value("cache_gain", 2.4), published=OTHER)
    site.built(f"# Page\n\n{CLAIM}\n```{{where-holds}} 01-roofline/caches-make-a-ladder 01-roofline/memory-is-slow\n"
               "A ladder of *caches*.\n```\n\n```{where-holds} !01-roofline/caches-make-a-ladder\nNo ladder at "
               "{measured}`01-roofline/speed`.\n```\n")
    text = site.text()
    assert "22.9×" in text and "A ladder of caches." in text and "flat" not in text and "No ladder" not in text
    claim, ladder, no_ladder = variant(site)
    assert "✗ does not hold on Fixture · 2" in claim and "measured 2.4×" in claim
    assert "Here it is flat: 300 GFLOP/s." in claim and "171" not in claim
    assert (ladder, no_ladder) == ("", "No ladder at 300 GFLOP/s.")
    assert site.html().count('id="claim-caches-make-a-ladder"') == 1


def test_prose_on_an_unknown_claim_is_a_problem(site):
    site.record()
    site.page("# Page\n\n```{where-holds} 01-roofline/nothing\nProse.\n```\n")
    site.fails('where-holds: labs/01-roofline/claims.json has no claim "nothing"')


def test_prose_on_a_claim_that_nobody_decided_is_left_out(site):
    site.record()
    site.page("# Page\n\n```{where-holds} 01-roofline/gpus-are-wide\nWide.\n```\n\n"
              "```{where-holds} !01-roofline/gpus-are-wide\nNarrow.\n```\n")
    assert site.build().status == 0 and site.text() == "Page¶"


def test_a_figure_its_provenance_and_its_table_change_and_its_caption_with_them(site):
    site.record(speed(171))
    site.record(speed(300, "Slow"), scale_series("latency", 10), published=OTHER)
    site.built("# Page\n\n```{lab-figure} 01-small\n:series: latency\n:name: fig-small\n"
               "At {measured}`01-roofline/speed|plain`.\n```\n")
    drawing, number, sign, provenance, table = variant(site)
    assert "1416 ns" in drawing and number == "300 GFLOP/s"
    assert sign == "Slow · 2" and provenance.startswith("Measured · Slow, 2 cores · ±") and "1420" in table
    html = site.html()
    assert html.count("<figure") == html.count("<figcaption") == html.count('id="fig-small"') == 1


def test_a_machine_without_the_lab_borrows_the_numbers_and_says_whose(site):
    site.lab("02-other")
    site.record(speed(171))
    site.record(published=OTHER, lab="02-other")
    site.built(f"{NUMBER}\n\n{CLAIM}")
    banner, number, claim = variant(site)
    assert banner == "Lab 01-roofline has not been run on Fixture · 2: the numbers here were measured on the machine " \
                     "that built this book, 20 November 2026."
    builder = "the machine that built this book"
    assert number == f"171 GFLOP/s ({builder})" and claim.endswith(f"measured 22.9× on {builder} ✓")
    text = (site.root / "build" / "out" / "_machines" / "index" / f"{OTHER}.js").read_text()
    assert 'hf-number hf-measured hf-elsewhere' in text and "not measured on Fixture\u00a0·\u00a02" in text
    assert "hf-elsewhere" not in site.html() and "hf-banner" not in site.html()


def test_missing_labs_share_one_sentence_with_folded_details(site):
    for lab in ("02-other", "03-third"):
        site.lab(lab)
        site.record(published="first", lab=lab)
    site.record(published="first")
    site.record(lambda record: record["machine"].update(cpu="Second"), published=OTHER)
    site.page("# Page\n\n{measured}`01-roofline/clock_ghz` {measured}`02-other/clock_ghz` {measured}`03-third/clock_ghz`")
    site.built(press_default_machine="first")
    banner = variant(site)[0]
    assert banner.startswith("Labs 02 and 03 have not been run on Second · 2: their numbers here come from Fixture · 2. "
                             "Lab 02-other: measured on Fixture · 2, 20 November 2026")
    assert banner.count("not been run") == 1 and "Lab 03-third: measured on" in banner
    assert "hf-banner" not in site.html()


def test_what_a_measured_lab_lacks_is_another_machines_and_marked(site):
    site.record(lambda record: record["machine"].update(cpu="First"))
    site.record(speed(300, "Second"), published=OTHER)
    site.built(NUMBER)
    assert "It is 300 GFLOP/s (Second · 2)." in site.text() and "hf-elsewhere" in site.html()
    assert "measured on Second\u00a0·\u00a02, 20 November 2026; not measured on this machine" in site.html()


def borrowing(site, page):
    """A page's text on a machine that has measured `slow`, beside another that has measured `speed` and `width` too."""
    site.record(add_value(id="slow", value=1, unit="1"), lambda record: record["machine"].update(cpu="First"),
                published="first")
    site.record(speed(300, "Second Processor (Fine)"), add_value(id="slow", value=2, unit="1"),
                add_value(id="width", value=8, unit="1"), published=OTHER)
    page = re.sub(r"\{(?!container)(\w+)\}", r"{measured}`01-roofline/\1`", page)
    site.built(f"# Page\n\n{page}", press_default_machine="first")
    return site.text().removeprefix("Page¶ ")


@pytest.mark.parametrize(("page", "first"), [
    ("Ours is {slow}, theirs {width}.", "Ours is 1, theirs 8 (Second · 2)."),
    ("It is {speed}, {width} wide.", "It is 300 GFLOP/s (Second · 2), 8 wide."),
    ("It is {speed}, {slow} slow, {width} wide.", "It is 300 GFLOP/s (Second · 2), 1 slow, 8 wide."),
    ("It is {speed}.\n\nIt is {width}.", "It is 300 GFLOP/s (Second · 2). It is 8."),
    ("It is {speed}.\n\n## Next\n\nIt is {width}.", "It is 300 GFLOP/s (Second · 2). Next¶ It is 8 (Second · 2)."),
    ("```{container} hf-headline\n{speed}!\n```\n\nIt is {width}.", "300 GFLOP/s! It is 8 (Second · 2)."),
    ("| a | b |\n|---|---|\n| {speed} | {width} |\n| {slow} | {width} |",
     "a b 300 GFLOP/s (Second · 2) 8 1 8"),
])
def test_a_section_names_the_machine_that_it_borrows_from_once(site, page, first):
    assert borrowing(site, page) == first
    assert "Fine" not in " ".join(html for html in variant(site) if html)  # the source of its numbers


def test_a_column_with_a_borrowed_number_is_one_of_numbers(site):
    text = borrowing(site, "| of | here | there | words |\n|---|---|---|---|\n| a | {slow} | {speed} | {slow} loop of many |")
    assert text == "of here there words a 1 300 GFLOP/s (Second · 2) 1 loop of many"
    cells = re.findall(r"<t[dh]\b[^>]*>", site.html())
    assert ["text-right" in cell for cell in cells] == [False, True, True, False] * 2


@pytest.mark.parametrize(("machine", "short"), [
    ({"cpu": "Intel(R) Xeon(R) Processor", "microarchitecture": "Emerald Rapids"}, "Emerald Rapids · 2"),
    ({"cpu": "AMD EPYC 9654 96-Core Processor", "cores": 192}, "EPYC 9654 · 192"),
    ({"cpu": "Intel(R) Xeon(R) CPU @ 2.20GHz"}, "Xeon · 2"),
    ({"gpus": [{"name": "NVIDIA H100 80GB HBM3"}]}, "H100"),
    ({"gpus": [{"name": "NVIDIA A100-SXM4-40GB"}]}, "A100"),
    ({"gpus": [{"name": "NVIDIA GeForce RTX 4090"}]}, "RTX 4090"),
])
def test_a_machine_has_a_short_name(machine, short):
    data = {"machine": {"cpu": "Fixture", "cores": 2, "gpus": [], **machine}}
    assert Record(PROJECT / "x.json", True, data).short_name == short


def test_machines_of_one_short_name_are_called_as_they_were_published(site):
    for name in ("a-machine", "b-machine"):
        site.record(speed(1, "Fixture Processor" if name == "a-machine" else "Fixture"), published=name)
    site.record(add_value(id="hosts", value=4, unit="1"), published="c-machine")
    site.built(NUMBER)
    assert [each["short"].replace("\u00a0", " ") for each in machines(site)] == ["a-machine", "b-machine", "Fixture · 4 hosts"]


def test_what_a_machine_has_not_decided_is_not_said_of_it(site):
    site.record(drop_value("cache_gain"))
    site.record(published=OTHER)
    site.built("# Page\n\n```{where-holds} 01-roofline/caches-make-a-ladder\nA ladder.\n```\n")
    assert "A ladder" not in site.text() and variant(site) == ["A ladder."]


def test_a_quoted_number_is_no_machines(site):
    site.record()
    site.record(add_value(id="peak", value=312, unit="TFLOP/s", kind="quoted", source="its maker"), published=OTHER)
    site.page("# Page\n\nIt is {measured}`01-roofline/peak`.")
    assert site.build().status == 0 and "It is 312 TFLOP/s." in site.text()


def test_a_chapter_offers_the_machines_that_have_measured_its_lab_and_names_the_others(site):
    site.lab("02-other")
    site.record(speed(171), published="a-machine")
    site.record(speed(300, "Second"), published=OTHER)
    site.record(published=OTHER, lab="02-other")
    site.page(NUMBER + "\n\n```{toctree}\n02-other\n```\n")
    site.page(f"# Chapter\n\n{NUMBER[8:]} {{measured}}`clock_ghz`", "02-other")
    site.built()
    assert [each["slug"] for each in machines(site)] == [OTHER, "a-machine"]
    assert [each["slug"] for each in machines(site, "02-other")] == [OTHER]
    assert "It is 300 GFLOP/s" in site.text("02-other") and "hf-slot" not in site.html("02-other")
    rest = (site.root / "build/out/_machines/02-other/rest.js").read_text(encoding="utf-8")
    assert '["a-machine", "Fixture Processor' in rest and '"", "Not run on Fixture\u00a0·\u00a02"]' in rest
    site.record(published="a-machine", lab="02-other")
    site.build()
    assert len(machines(site, "02-other")) == 2


def test_a_chapter_that_this_machine_has_not_measured_is_another_machines_and_says_so(site):
    site.record(speed(300, "Second"), published=OTHER)
    site.lab("02-other")
    site.record(lab="02-other")
    site.page("# Index\n\n```{toctree}\n01-roofline\n```\n")
    site.page(NUMBER, "01-roofline")
    site.built()
    assert [each["slug"] for each in machines(site, "01-roofline")] == [OTHER]
    said = "Lab 01-roofline has not been run on this machine: the numbers here were measured on Second · 2"
    assert said in site.text("01-roofline")
    assert "hf-elsewhere" not in site.html("01-roofline")


def test_what_nobody_measured_is_the_same_notice_for_all(site):
    site.record()
    site.record(published=OTHER)
    site.page(NUMBER)
    build = site.build()
    assert build.status == 1 and build.said.count("has no value") == 1
    assert "It is not measured here yet." in site.text()


def test_a_machine_comes_changes_and_goes(site):
    site.record(speed(171))
    site.page(NUMBER + "\n\n```{toctree}\nquiet\n```\n")
    site.page("# A page without numbers", "quiet")
    site.build()
    assert machines(site, "quiet") == []
    path = site.record(speed(300), published=OTHER)
    assert site.build().read == ["index"]
    assert variant(site) == ["300 GFLOP/s"] and len(machines(site, "quiet")) == 2  # a page without a lab offers all machines
    first = next(each["file"] for each in machines(site) if each["slug"] == OTHER)
    site.record(speed(301), published=OTHER)
    site.build()
    assert variant(site) == ["301 GFLOP/s"]
    assert first != next(each["file"] for each in machines(site) if each["slug"] == OTHER)  # no outdated file from a cache
    path.unlink()
    site.build()
    assert machines(site) == machines(site, "quiet") == []
    assert not (site.root / "build" / "out" / "_machines" / "index" / f"{OTHER}.js").exists()


def test_a_book_of_published_records_leaves_this_machines_aside(site):
    site.record(speed(171))
    site.record(speed(300, "Fast"), published=OTHER)
    site.built(NUMBER, press_published_only=True)
    assert "It is 300 GFLOP/s." in site.text() and "171" not in site.html() and "this machine" not in site.html()
    assert site.build().read == ["index"] and "It is 171 GFLOP/s." in site.text()


def test_a_new_lab_of_this_machine_makes_it_the_default_everywhere(site):
    site.lab("02-other")
    site.record(speed(300), published=OTHER)
    site.page(NUMBER)
    site.build()
    assert "hf-banner" not in site.html()
    site.record(lab="02-other")
    assert site.build().read == ["index"]
    assert "Lab 01-roofline has not been run on this machine" in site.text() and variant(site)[1] == "300 GFLOP/s"


def test_a_broken_published_record_costs_its_machine_only(site):
    site.record(speed(171))
    site.record(speed(300), published=OTHER).write_text("{")
    site.built(NUMBER)  # the gallery and `make check` name it
    assert "It is 171 GFLOP/s." in site.text() and machines(site) == []


def test_a_broken_record_here_leaves_the_others_alone(site):
    site.record(speed(300), published=OTHER)
    site.record_path.write_text("{")
    site.fails("build/records/01-roofline.json", page=NUMBER)
    assert "It is not measured here yet." in site.text() and variant(site)[-1] == "300 GFLOP/s"


def test_a_quoted_number_is_cited_once_for_all_machines(site):
    quoted = {"id": "peak", "unit": "TFLOP/s", "kind": "quoted", "source": "maker2020"}
    site.record(add_value(**quoted, value=312))
    site.record(add_value(**quoted, value=313), published=OTHER)
    site.built("# Page\n\nIt is {measured}`01-roofline/peak`.\n\n```{bibliography}\n```", **site.cites())
    assert "It is 312 TFLOP/s [Maker, 2020]." in site.text() and variant(site) == ["313 TFLOP/s"]


def test_the_search_knows_the_default_machines_page_only(site):
    site.record(speed(171, "Firstnamed"))
    site.record(speed(300, "Secondnamed"), published=OTHER)
    site.page("# Page\n\nIt is {measured}`01-roofline/machine.cpu`.")
    site.build()
    index = (site.root / "build" / "out" / "searchindex.js").read_text()
    assert "firstnam" in index and "secondnam" not in index
