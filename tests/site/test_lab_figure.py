"""{lab-figure}: a figure with everything needed to judge it."""

import re

from conftest import fixture_record, points_of

PAGE = """# Page

```{lab-figure} 01-small
:series: latency
:name: fig-small
It rises from {measured}`01-roofline/latency_l1_ns|plain`.
```
"""


def test_a_figure_stands_with_its_provenance(site):
    site.shown(PAGE)
    html, text = site.html(), site.text()
    assert 'role="img"' in html and "<desc" in html and "A small figure" in html
    assert 'id="fig-small"' in html
    assert "It rises from 1.7" in text
    assert re.search(r"Measured · this machine · ±[\d.]+%, at most ±[\d.]+% · record Drawn by this script", text)
    assert re.search(r'title="The (?:first|largest) [^"]*half the range [^"]*\. Noise floor [\d.]+%; 20 November 2026"', html)
    points = points_of(fixture_record(), "latency")
    assert html.count("<tr") == len(points) + 1
    for link in ("record", "script"):
        target = re.search(r'href="([^"]+)"[^>]*><span[^>]*>' + link + "<", html)[1]
        assert (site.root / "build" / "out" / target).stat().st_size > 0


def state(record, quantity, unit, label, points):
    """Adds to a record in which state the machine measured its series."""
    record["series"].append({
        "id": f"conditions_{quantity}", "label": label, "kind": "measured", "x": {"name": "measurement", "unit": "1"},
        "y": {"name": quantity, "unit": unit},
        "points": [{"x": x, "label": of, "median": median, "low": median, "high": median, "samples": [median]}
                   for x, (of, median) in enumerate(points.items(), 1)]})


def hot(record):
    state(record, "clock", "MHz", "clock", {"GPU, copy": 1980, "latency": 1755, "bandwidth_read": 1980})
    state(record, "temperature", "°C", "temperature", {"latency": 61.2, "bandwidth_read": 40})
    state(record, "limited_by_power", "%", "limited by power", {"latency": 96.8, "bandwidth_read": 0.2})


def test_a_figure_says_in_which_state_the_machine_was(site):
    site.shown(PAGE, hot)
    assert "Measured at 1755 MHz, 61 °C, limited by power in 97% of readings Measured · this machine" in site.text()


def test_series_measured_in_different_states_are_named(site):
    site.shown(PAGE.replace("latency\n:name", "latency bandwidth_read bandwidth_read_all kernels_predicted\n:name"), hot)
    assert ("Measured pointer chase (huge pages) at 1755 MHz, 61 °C, limited by power in 97% of readings; "
            "read (1 thread) at 1980 MHz, 40 °C Measured and modelled · ") in site.text()


def test_a_record_without_states_has_no_such_line(site):
    site.shown(PAGE)
    assert "hf-conditions" not in site.html() and "Measured at" not in site.text()


def test_without_series_of_its_own_a_table_has_those_of_the_script(site):
    site.shown(PAGE)
    named = site.text()
    site.built(PAGE.replace(":series: latency\n", ""))
    assert site.text() == named


def test_a_spread_of_nothing_is_left_out(site):
    def alike(record):
        for series in record["series"]:
            for point in series["points"]:
                if "samples" in point:
                    point.update(low=point["median"], high=point["median"], samples=[point["median"]])
    site.shown(PAGE, alike)
    text = site.text()
    assert "±" not in text and re.search(r"Measured · this machine · noise floor [\d.]+% · record", text)


def test_where_most_points_have_no_spread_the_largest_is_said_alone(site):
    def mostly_alike(record):
        for point in points_of(record, "latency")[1:]:
            point.update(low=point["median"], high=point["median"], samples=[point["median"]])
    site.shown(PAGE, mostly_alike)
    assert re.search(r"Measured · this machine · at most ±[\d.]+% · record", site.text())


def test_a_figure_follows_its_script(site):
    site.record()
    site.page(PAGE)
    site.build()
    script = site.root / "figures" / "01-small.gp"
    script.write_text(script.read_text().replace("A small figure", "A better figure"))
    site.built()
    assert "A better figure" in site.html()


def test_a_figure_that_cannot_be_drawn_costs_its_place_only(site):
    site.record()
    site.page(PAGE + "\nThe text goes on.")
    (site.root / "figures" / "01-small.gp").unlink()
    site.fails("Figure 01-small: figures/01-small.gp")
    text = site.text()
    assert "Not shown: Figure 01-small" in text and "The text goes on." in text


def test_a_broken_script_is_named(site):
    site.record()
    site.page(PAGE)
    (site.root / "figures" / "01-small.gp").write_text("# title: t\n# needs: latency\n# shows: latency\nplot (\n")
    site.fails("figures/01-small.gp: gnuplot reported:")


def test_kinds_are_named(site):
    site.record()
    site.page(PAGE.replace(":series: latency", ":series: latency kernels_predicted canonical_roof"))
    site.build()
    text = site.text()
    assert "Measured, modelled and quoted · this machine" in text
    assert "(modelled)" in text and "(quoted)" in text


def test_a_series_nobody_has_leaves_a_notice(site):
    site.record()
    site.page(PAGE.replace("latency\n:name", "nothing\n:name"))
    assert site.build().status == 1
    assert 'has no series "nothing"' in site.text()


def test_quick_and_incomplete_records_carry_a_banner(site):
    site.shown(PAGE, lambda record: record["run"].update(budget="quick", complete=False, notes=["no huge pages"]))
    text = site.text()
    assert "Lab 01-roofline was run with the quick budget" in text
    assert "The record of lab 01-roofline is incomplete: no huge pages." in text


def test_labs_measured_quickly_share_a_line_of_the_banner(site):
    quickly = lambda record: record["run"].update(budget="quick")
    site.lab("02-other")
    site.record(quickly)
    site.record(quickly, lab="02-other")
    site.built(PAGE + "\n{measured}`02-other/ridge_flop_per_byte`\n")
    assert "Labs 01 and 02 were run with the quick budget: their numbers are rough. Run make lab-01 to" in site.text()
    assert site.text().count("quick budget") == 1


def test_an_emulated_machine_carries_a_banner(site):
    site.shown(PAGE, lambda record: record["machine"].update(emulated=True))
    assert "Lab 01-roofline ran under emulation: its numbers describe the emulator." in site.text()
