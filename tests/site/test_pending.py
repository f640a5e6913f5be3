"""`pending`: what may not have been measured on any machine yet."""

import pytest
from conftest import LAB, add_value, drop_value

GPU = "---\npending: a machine with a GPU\n---\n"
NUMBER = "# Page\n\nIt is {measured}`01-roofline/%s`."
CLAIM = "# Page\n\n```{claim} 01-roofline/%s\n:pending:\nHere the ladder is *flat*.\n```\n"
FIGURE = "# Page\n\n```{lab-figure} 01-small\n%s\n:name: fig-small\nIt *rises*.\n```\n"


def add_series(series_id):
    """An edit that adds a series like the latency."""
    def edit(record):
        like = next(series for series in record["series"] if series["id"] == "latency")
        record["series"].append({**like, "id": series_id, "label": "on the GPU"})
    return edit


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("target", ["speed|pending", "speed|times|plain|pending", "speed|pending|number"])
def test_a_number_nobody_has_is_no_problem(site, target, measured):
    if measured:
        site.record()
    site.built(NUMBER % target)
    assert "It is not yet measured." in site.text()
    assert 'class="hf-pending" title="not yet measured on any machine"' in site.html()
    assert "hf-notice" not in site.html()


def test_a_pending_number_is_shown_once_somebody_has_it(site):
    site.page(NUMBER % "speed|pending")
    site.record()
    assert site.build().status == 0 and "It is not yet measured." in site.text()
    site.record(add_value(id="speed", value=300, unit="GFLOP/s"), published="other-machine")
    assert site.build().status == 0 and "It is 300 GFLOP/s (Fixture · 2)." in site.text()
    site.record(add_value(id="speed", value=171, unit="GFLOP/s"))
    assert site.build().status == 0 and "It is 171 GFLOP/s." in site.text()


def test_what_a_gpu_did_names_the_gpu(site):
    site.record(drop_value("cache_gain"))
    site.record(add_value(id="speed", value=300, unit="GFLOP/s"),
                lambda record: record["machine"].update(gpus=[{"name": "Fixture GPU"}]), published="other-machine")
    site.built(CLAIM % "caches-make-a-ladder" + "\nIt is {measured}`01-roofline/speed|pending`.")
    assert "22.9× on Fixture GPU" in site.text()
    assert "It is 300 GFLOP/s (Fixture GPU)." in site.text()
    assert "measured on Fixture GPU, 20 November 2026" in site.html()


@pytest.mark.parametrize("page", [NUMBER % "speed|loud|pending", NUMBER % "clock_ghz|times|pending",
                                  "# Page\n\nIt is {measured}`02-none/speed|pending`.",
                                  CLAIM % "gpus-are-wide" + "\nIt is {measured}`01-roofline/nothing`.",
                                  CLAIM % "nothing", FIGURE % ":series: nothing\n:pending: no_gpu", FIGURE % ":pending:"])
def test_the_mark_excuses_nothing_else(site, page):
    site.record()
    site.fails("1 problem with measurements", page=page)


@pytest.mark.parametrize("page", [NUMBER % "speed|pending", CLAIM % "gpus-are-wide", FIGURE % ":pending: no_gpu"])
def test_an_invalid_record_is_a_problem_all_the_same(site, page):
    site.record_path.write_text("{")
    site.page(page)
    assert site.build().status == 1


@pytest.mark.parametrize("measured", [True, False])
def test_a_claim_nobody_decided_says_so_and_can_be_linked(site, measured):
    if measured:
        site.record()
    site.page("# Page\n\n{hf:claim}`01-roofline/gpus-are-wide`\n\n```{toctree}\n01-roofline\n```")
    site.page(GPU + CLAIM % "gpus-are-wide", LAB)
    site.built(nitpicky=True)
    assert "1 claim on this page is not yet measured: it needs a machine with a GPU. GPUs are wide." in site.text(LAB)
    assert "flat" not in site.html(LAB)
    assert site.html(LAB).count("GPUs are wide") == 1
    assert 'href="01-roofline.html#claim-gpus-are-wide"' in site.html()


def test_a_pending_claim_is_shown_once_somebody_has_it(site):
    site.record(drop_value("cache_gain"))
    site.record(published="other-machine")
    site.built(CLAIM % "caches-make-a-ladder")
    assert "22.9× on Fixture · 2" in site.text() and "not measured yet" not in site.text()


@pytest.mark.parametrize("measured", [True, False])
def test_a_figure_of_nothing_but_pending_series_is_one_line(site, measured):
    if measured:
        site.record()
    site.built(FIGURE % ":pending: no_gpu" + "\nSee {ref}`it <fig-small>`.")
    assert "1 figure on this page is not yet measured: it needs another machine." in site.text()
    assert "Not yet measured: A small figure." in site.text() and "It rises" not in site.text()
    assert 'id="fig-small"' in site.html() and "<svg" not in site.html()


def test_a_figure_is_drawn_without_its_pending_series(site):
    site.shown(FIGURE % ":series: latency\n:pending: no_gpu")
    assert "<svg" in site.html() and "Not yet measured: some of its lines" in site.text()


def test_a_figure_comes_from_the_record_that_has_the_pending_series(site):
    site.record()
    site.record(add_series("no_gpu"), published="other-machine")
    site.built(FIGURE % ":series: latency\n:pending: no_gpu")
    assert "Measured · Fixture Processor, 2 cores · " in site.text()
    assert "on the GPU" in site.text() and "Not yet measured" not in site.text()


def test_prose_that_is_nothing_without_its_numbers_is_left_out_until_they_are_there(site):
    site.record()
    site.page("# Page\n\n```{where-measured} 01-roofline/speed 01-roofline/clock_ghz\n"
              "It is {measured}`01-roofline/speed|pending`.\n```\n")
    assert site.build().status == 0 and "It is" not in site.text()
    site.record(add_value(id="speed", value=171, unit="GFLOP/s"))
    assert site.build().status == 0 and "It is 171 GFLOP/s." in site.text()


def test_prose_left_out_hides_no_mistake(site):
    site.record()
    site.page("# Page\n\n```{where-measured} 01-roofline/speed\nIt is {measured}`01-roofline/nothing`.\n```\n")
    assert site.build().status == 1
