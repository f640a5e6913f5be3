"""Published records: their machine, whether the lab has changed since, and files that do not belong among them."""

import re
import shutil

import pytest
from conftest import CLAIM, FIGURE, LAB, add_value

SINCE = "code changed since this run"
SPEED = {"id": "speed", "unit": "GFLOP/s", "value": 300}
PAGE = "# Page\n\nIt is {measured}`01-roofline/speed`.\n\n" + CLAIM.replace("memory-is-slow", "caches-make-a-ladder") + \
       f"\n{FIGURE}\n```{{lab-card}} 01-roofline\n```\n"
GALLERY = "# Page\n\n```{machines}\n```\n"
LEDGER = "# Page\n\n```{claims-ledger}\n```\n\n```{toctree}\nother\n```\n"


def change_the_lab(site):
    (site.root / "labs" / LAB / "lab.cpp").write_text("int main() { return 1; }\n")


def test_a_record_whose_lab_has_changed_says_so_wherever_it_stands_in(site):
    site.record(add_value(**SPEED), published="other-machine")
    site.built(PAGE)
    assert SINCE not in site.html()

    change_the_lab(site)
    site.built()  # this is a fact about the record, not a problem
    text = site.text()
    assert f'20 November 2026; {SINCE}"' in site.html()  # the number's title
    assert f'measured on Fixture\xa0·\xa02, 20 November 2026; {SINCE}">22.9×' in site.html()  # the claim
    assert re.search(rf'title="The [^"]*half the range [^"]*; 20 November 2026; {SINCE}"', site.html())  # the figure
    assert f"on Fixture Processor, 2 cores; {SINCE}" in text  # the card


def test_what_is_published_while_the_book_is_rendered_belongs_to_the_next_one(site):
    site.record(add_value(**SPEED), published="one-machine")
    site.page(PAGE)
    site.page(GALLERY, "machines")

    def publish():
        site.record(published="other-machine")

    build = site.build(during=publish)
    assert (build.status, "other-machine" in site.html("machines")) == (0, False), build.said
    assert site.build().status == 0 and "other-machine" in site.html("machines")


@pytest.mark.parametrize("page", [GALLERY, LEDGER])
def test_gallery_and_ledger_say_which_records_the_lab_has_outrun(site, page):
    site.record()
    site.record(published="other-machine")
    site.page(page)
    site.page(PAGE.partition("It is")[0] + PAGE[PAGE.index("```{claim}"):], "other")
    assert site.build().status == 0
    assert "code changed since this run" not in site.text()
    change_the_lab(site)
    assert site.build().status == 0
    assert site.text().count("code changed since this run") == 1  # this machine can be measured again


def test_a_published_record_that_is_fresh_again_is_silent(site):
    site.record(published="other-machine")
    site.page(GALLERY)
    change_the_lab(site)
    site.build()
    assert SINCE in site.text()
    site.record(published="other-machine")
    site.build()
    assert SINCE not in site.text()


def test_machines_are_told_apart_by_the_names_they_were_published_under(site):
    of_one_slug = lambda **more: lambda record: record["machine"].update(slug="one-slug", **more)
    site.record(of_one_slug(), published="first")
    site.record(of_one_slug(microarchitecture="Zen 5", memory_bytes=2**36), published="second")
    site.built(GALLERY + "\n```{claims-ledger}\n```\n")
    first, second = site.text().split("Published as: first")
    assert "24 GiB" in first and "64 GiB" in second.partition("Published as: second")[0]
    assert "claim bound Fixture · 2 Zen 5 · 2" in site.text()


@pytest.mark.parametrize(("place", "edit", "problem"), [
    (f"other-machine/{LAB}.json", lambda record: record["run"].update(budget="quick"), "/run/budget"),
    (f"other-machine/{LAB}.json", lambda record: record["machine"].update(emulated=True), "/machine/emulated"),
    ("other-machine/01-roof.json", lambda record: None, "name the file 01-roofline.json"),
    ("other-machine/02-none.json", lambda record: None, "name the file 01-roofline.json"),
    ("other-machine/02-none.json", lambda record: record["lab"].update(id="02-none"), "an existing lab, not 02-none"),
    (f"{LAB}.json", lambda record: None, "expected a folder of one machine's records"),
])
def test_what_does_not_belong_among_published_records_is_an_error(site, place, edit, problem):
    site.shown(GALLERY)
    published = site.record(edit, published="elsewhere")
    wrong = site.root / "figures" / "records" / place
    wrong.parent.mkdir(exist_ok=True)
    shutil.move(published, wrong)
    published.parent.rmdir()
    site.fails(problem, f"figures/records/{place}")
    assert "Published as" not in site.text() and "this machine" in site.text()


def test_hosts_that_share_a_machine_are_not_taken_for_so_many_machines(site):
    site.record(add_value(id="hosts", unit="1", value=4), add_value(id="machines", unit="1", value=1),
                add_value(id="network_wire_gbs", unit="GB/s", value=0.125), published="four-hosts")
    site.built(GALLERY)
    assert "4, all on this one machine, each with a link of 125 MB/s" in site.text().replace("\N{NO-BREAK SPACE}", " ")


def test_records_of_two_machines_in_one_folder_are_an_error(site):
    site.lab("02-other")
    site.record(published="a-machine")
    other = site.record(lambda record: record["lab"].update(id="02-other"), published="b-machine")
    shutil.move(other, site.root / "figures/records/a-machine/02-other.json")
    other.parent.rmdir()
    site.fails("a-machine/02-other.json: /machine/slug: expected a-machine", page=GALLERY)


def test_the_gallery_says_who_measured_a_machine_as_text(site):
    for name in ("first", "second"):
        site.record(lambda record, name=name: record["machine"].update(slug=name), published=name)
    credit = site.root / "figures/credits/first.txt"
    credit.parent.mkdir()
    credit.write_text("<b>Zoë</b> *&* `Ann`\n", encoding="utf-8")
    site.built(GALLERY)
    assert site.text().count("Measured by") == 1
    assert "&lt;b&gt;Zoë&lt;/b&gt; *&amp;* `Ann`" in site.html()


def test_a_record_that_goes_while_the_book_is_rendered_is_an_error(site):
    record = site.record(add_value(**SPEED), published="other-machine")
    site.page(PAGE)
    site.fails("01-roofline.json was deleted while the book was rendered: render again", during=lambda: record.unlink())
    site.record(add_value(**SPEED), published="other-machine")
    site.built()
