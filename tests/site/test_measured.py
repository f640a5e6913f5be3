"""{measured}: numbers in the prose."""

import pytest
from conftest import LAB, add_value

PAGE = "# Page\n\nIt is {measured}`01-roofline/%s`."


@pytest.mark.parametrize(("target", "text"), [
    ("speed", "It is 171 GFLOP/s 168–173."),
    ("speed|plain", "It is 171 GFLOP/s."),
    ("speed|number", "It is 171."),
    ("share|percent", "It is 0.56 % 0.55–0.57."),
    ("share|percent|plain", "It is 0.56 %."),
    ("ratio|times|plain", "It is 23.1×."),
    ("model", "It is 9.5 GB/s modelled."),
    ("machine.cores", "It is 2."),
    ("machine.memory_bytes", "It is 24 GiB."),
    ("run.started", "It is 20 November 2026."),
    ("machine.cpu", "It is Fixture Processor."),
])
def test_formats(site, target, text):
    def edit(record):
        add_value(id="speed", value=171.3, low=168.1, high=173.2, unit="GFLOP/s")(record)
        add_value(id="share", value=0.0056, low=0.0055, high=0.0057, unit="1")(record)
        add_value(id="ratio", value=23.1, unit="1")(record)
        add_value(id="model", value=9.5, unit="GB/s", kind="modelled")(record)

    site.record(edit)
    site.page(PAGE % target)
    build = site.build()
    assert (build.status, build.said) == (0, "")
    assert text in site.text()


@pytest.mark.parametrize(("core", "shown"), [("Zen 5", "Fixture Processor (Zen 5)"), ("Processor", "Fixture Processor")])
def test_a_processor_is_shown_with_its_core_where_its_name_does_not_say_it(site, core, shown):
    site.record(lambda record: record["machine"].update(microarchitecture=core))
    site.page(PAGE % "machine.cpu")
    assert site.build().status == 0
    assert f"It is {shown}." in site.text()


def test_a_chapter_means_its_own_lab(site):
    site.record(add_value(id="speed", value=171.3, unit="GFLOP/s"))
    site.page("# Index\n\n```{toctree}\n01-roofline\n```")
    site.page("# Chapter\n\nIt is {measured}`speed`.", LAB)
    assert site.build().status == 0
    assert "It is 171 GFLOP/s." in site.text(LAB)


@pytest.mark.parametrize(("role", "problem"), [
    ("{measured}`01-roofline/nothing`", 'build/records/01-roofline.json has no value "nothing"'),
    ("{measured}`02-none/speed`", 'no lab "02-none": the labs are 01-roofline'),
    ("{measured}`speed`", '"speed" names no lab: on this page write it as NN-slug/speed'),
    ("{measured}`01-roofline/clock_ghz|loud`", 'unknown option "loud"'),
    ("{measured}`01-roofline/clock_ghz|times`", '"times" needs a value of unit 1, not GHz'),
    ("{measured}`01-roofline/machine.secret`", 'no fact "machine.secret"'),
])
def test_what_cannot_be_shown_is_seen_and_counted(site, role, problem):
    site.record()
    site.page(f"# Page\n\nIt is {role}.")
    build = site.build()
    assert build.status == 1
    assert "1 problem with measurements" in build.said
    assert problem in build.said and "index.md:3" in build.said
    assert "It is not measured here yet." in site.text()


def test_numbers_say_where_they_come_from(site):
    site.record(add_value(id="speed", value=171.3, low=168.1, high=173.2, unit="GFLOP/s"))
    site.page(PAGE % "speed|number")
    site.build()
    assert 'title="speed; 5th to 95th percentile 168–173\xa0GFLOP/s; measured on Fixture Processor, 2 cores, ' \
           '20 November 2026"' in site.html()


def test_quoted_values_are_cited(site):
    site.record(add_value(id="peak", value=312, unit="TFLOP/s", kind="quoted", source="maker2020"))
    (site.chapters / "r.bib").write_text("@misc{maker2020, author={Maker, A.}, title={Chip}, year={2020}}")
    site.page(PAGE % "peak" + "\n\n```{bibliography}\n```")
    build = site.build(extensions=["myst_parser", "sphinxcontrib.bibtex", "hardware_first"],
                       bibtex_bibfiles=[str(site.chapters / "r.bib")], bibtex_reference_style="author_year")
    assert (build.status, build.said) == (0, "")
    assert "312 TFLOP/s quoted [Maker, 2020]" in site.text()
