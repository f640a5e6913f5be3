"""{claim} and {claims-ledger}: sentences that a record confirms or refutes."""

import json
import re
import shutil
from types import SimpleNamespace

import pytest
from conftest import ALIKE, CLAIMS, LAB, PROJECT, add_value, change_value, drop_value
from press.measurements.claims import Statement

PAGE = "# Page\n\n```{claim} 01-roofline/caches-make-a-ladder\nHere the ladder is *flat*.\n```\n"
SENTENCE = next(claim["text"] for claim in CLAIMS if claim["id"] == "caches-make-a-ladder")
fails = change_value("cache_gain", 2.4)


def test_a_claim_that_holds_shows_the_labs_sentence(site):
    site.shown(PAGE)
    assert f"{SENTENCE} claimed ≥ 3×, measured 22.9× ✓" in site.text()
    assert "claimed ≥\xa03×; measured here, 20 November 2026" in site.html()
    assert "flat" not in site.html()
    assert 'id="claim-caches-make-a-ladder"' in site.html()


def test_a_claim_that_fails_shows_the_alternative(site):
    site.shown(PAGE, fails)  # a failing claim is a finding, not a problem
    assert f"✗ does not hold here {SENTENCE} claimed ≥ 3×, measured 2.4× Here the ladder is flat." in site.text()


def between(low: float, high: float):
    """An edit after which the ladder's gain has samples on both sides of its bound, 3."""
    return change_value("cache_gain", 3.1, low=low, high=high)


def test_a_claim_that_is_too_close_to_call_shows_its_interval_and_no_alternative(site):
    site.shown(PAGE, between(2.88, 3.32))
    assert f"{SENTENCE} claimed ≥ 3×, measured 3.1× (2.9–3.3×): too close to call here" in site.text()
    assert "✓" not in site.text() and "flat" not in site.html()


def test_prose_for_machines_where_a_claim_holds_or_fails_is_for_no_other(site):
    site.record(between(2.88, 3.32))
    site.built("# Page\n\n```{where-holds} 01-roofline/caches-make-a-ladder\nIt holds.\n```\n\n"
               "```{where-holds} !01-roofline/caches-make-a-ladder\nIt fails.\n```\n")
    assert "It " not in site.text()


@pytest.mark.parametrize(("low", "high", "bound", "says"), ALIKE["bounds"])
def test_an_answer_is_of_the_whole_interval(low, high, bound, says):
    record = SimpleNamespace(value=lambda _: {"value": 4, "unit": "1", "low": low, "high": high})
    answer = Statement("it-holds", "It holds.", "gain", bound).answer(record)
    assert answer.value == {"fails": "does not hold"}.get(says, says)


@pytest.mark.parametrize(("value", "low", "high", "bound", "shown"), [
    (498.257, 481.593, 516.976, ">= 20", "500×"),  # as in the text
    (2.96, 2.2, 3.6, ">= 3", "2.96×"),  # 3.0 would seem to pass
])
def test_a_rounded_number_stays_on_its_side_of_the_bound(value, low, high, bound, shown):
    measured = {"value": value, "unit": "1", "low": low, "high": high}
    statement = Statement("it-holds", "It holds.", "gain", bound)
    assert str(statement.observed(SimpleNamespace(value=lambda _: measured))) == shown


@pytest.mark.parametrize(("way", "value", "low", "high", "bound", "shown"), [
    ("more", 0.897, 0.629, 1.012, ">= 1.02", "10% the other way"),  # "at least 2% faster"; two digits, for such a spread
    ("more", 0.987, None, None, "<= 1.05", "1.3% the other way"),
    ("percent", -0.0248, None, None, "<= 0.05", "2.5% the other way"),
    ("more", 1.0863, 1.061, 1.122, "<= 1.1", "8.6%"),
    ("more", 1.0996, 1.02, 1.19, "< 1.1", "9.96%"),  # 10% would seem to fail
    ("left", 22.9, 17.2, 31.3, "> 5", "4.4%"),
    ("left", 5.02, 4.1, 6.2, "> 5", "19.9%"),  # 20% would seem to fail
])
def test_what_is_made_of_a_number_has_no_sign_and_no_more_digits_than_its_spread_leaves(way, value, low, high, bound, shown):
    spread = {} if low is None else {"low": low, "high": high}
    measured = {"value": value, "unit": "1", **spread}
    statement = Statement("it-holds", "It holds.", "gain", bound, way)
    assert str(statement.observed(SimpleNamespace(value=lambda _: measured))).replace("\u00a0", " ") == shown


def test_a_number_of_two_states_says_so_beside_the_claim(site):
    site.record(add_value(id="gpu_width", unit="1", value=16.1, low=8.14, high=16.46,
                          samples=[8.1, 8.2, 8.2, 8.3, 16.1, 16.2, 16.3, 16.4, 16.5],
                          modes=[{"median": 8.2, "share": 4 / 9}, {"median": 16.3, "share": 5 / 9}]))
    site.built("# Page\n\n```{claim} 01-roofline/gpus-are-wide\nNot here.\n```\n")
    assert "measured here, 20 November 2026, in two states: 8.2 in 4 of 9 samples, 16.3 in the others" in site.html()


def test_a_claim_decided_elsewhere_says_so(site):
    site.record(published="other-machine")
    site.built(PAGE)
    assert 'title="holds on Fixture\xa0·\xa02"' in site.html()


def test_a_claim_needs_an_alternative(site):
    site.record()
    site.fails('claim "caches-make-a-ladder" needs a body', page="# Page\n\n```{claim} 01-roofline/caches-make-a-ladder\n```\n")


def test_an_unknown_claim_leaves_a_notice(site):
    site.record()
    site.page("# Page\n\n```{claim} 01-roofline/nothing\nx\n```\n")
    assert site.build().status == 1
    assert 'Not shown: labs/01-roofline/claims.json has no claim "nothing"' in site.text()


def test_claims_can_be_linked(site):
    site.record()
    site.page("# Page\n\n{hf:claim}`01-roofline/caches-make-a-ladder` and "
              "{hf:claim}`the ladder <01-roofline/caches-make-a-ladder>`\n\n```{toctree}\n01-roofline\n```")
    site.page(PAGE, LAB)
    site.built(nitpicky=True)
    links = re.findall(r'href="01-roofline.html#claim-caches-make-a-ladder"[^>]*><span[^>]*>(.*?)</span>', site.html())
    assert links == ["caches make a ladder", "the ladder"]


def with_chapter(site):
    """Builds the ledger's page and the chapter that states one of its claims."""
    site.page(PAGE, LAB)
    site.built("# Page\n\n```{claims-ledger}\n```\n\n```{toctree}\n01-roofline\n```")


def ledger(site, page="index"):
    """The text of a page, without the names that cells have on narrow pages."""
    whole = site.html
    site.html = lambda name="index", out="out": re.sub(r'<span class="hf-cell-head">.*?</span>', "", whole(name, out))
    try:
        return site.text(page)
    finally:
        del site.html


def test_a_machine_that_decides_few_claims_of_a_lab_has_no_column_of_empty_cells(site):
    site.record()
    only = lambda record: record.update(values=[each for each in record["values"] if each["id"] == "cache_gain"])
    site.record(lambda record: record["machine"].update(cpu="Small"), only, published="other-machine")
    with_chapter(site)
    head, body = re.search(r"hf-ledger-lab.*?<thead>(.*?)</thead>(.*?)</table>", site.html(), re.S).groups()
    assert "this machine" in head and "Small" not in head
    also = [re.sub("<[^>]*>|\xa0", " ", each).split() for each in re.findall(r'<span class="hf-also">(.*?)</p>', body)]
    assert also == [["Small", "·", "2", "✓", "22.9×"], ["Small", "·", "2", "✓", "4.37%"]]
    assert body.count("not measured") == 1  # for the undecided claim


def test_the_ledger_has_every_claim_on_every_machine(site):
    site.record()
    site.record(fails, published="other-machine")
    with_chapter(site)
    text = site.text()
    for claim in CLAIMS:
        assert claim["text"] in text
    assert "claim bound this machine Fixture · 2" in text
    assert f"{SENTENCE} ≥ 3× ✓ 22.9× ✗ 2.4×" in ledger(site)
    assert 'href="01-roofline.html#claim-caches-make-a-ladder"' in site.html()


def test_a_machine_that_published_its_record_is_listed_once(site):
    published = site.root / "figures" / "records" / "the-same-machine" / f"{LAB}.json"
    published.parent.mkdir(parents=True)
    shutil.copy(site.record(), published)
    with_chapter(site)
    assert site.text().count("✓ 22.9×") == 1


def test_the_ledger_follows_a_claim_that_moved(site):
    site.record()
    site.page("# Index\n\n```{toctree}\nledger\n01-roofline\nsecond\n```")
    site.page("# Ledger\n\n```{claims-ledger}\n```", "ledger")
    site.page(PAGE, LAB)
    site.page("# Page", "second")
    site.build()
    assert 'href="01-roofline.html#claim-caches-make-a-ladder"' in site.html("ledger")
    site.page("# Page", LAB)
    site.page(PAGE, "second")
    site.build()
    assert 'href="second.html#claim-caches-make-a-ladder"' in site.html("ledger")


def test_the_ledger_has_claims_that_no_chapter_shows(site):
    site.record()
    site.page("# Page\n\n```{claims-ledger}\n```\n\nSee {hf:claim}`01-roofline/caches-make-a-ladder`.")
    build = site.build(nitpicky=True)
    assert SENTENCE in site.text() and "#claim-" not in site.html()
    assert build.said.count("caches-make-a-ladder") == 1  # the author's link leads nowhere; the ledger has plain text


@pytest.mark.parametrize(("claim", "shown", "asked"), [
    ("simd-pays", "Vectors beat single numbers at least fourfold. claimed ASKED, measured 29.6× ✓", "≥ 4×"),
    ("vector-add-waits", "Vector add uses under 5% of the arithmetic. claimed ASKED, measured 0.597% ✓", "&lt; 5%"),
    ("memory-is-slow", "A byte takes as long as at least 4 FLOPs. claimed ASKED, measured 10.6 FLOP/byte ✓", "≥ 4 FLOP/byte"),
    ("caches-save-time", "L1 answers in less than a fifth of the time. claimed ASKED, measured 4.37% ✓", "&lt; 20%"),
    ("sides-predicted", "At least eight of ten sides are right. claimed ASKED, measured 9 ✓", "≥ 8"),
])
def test_a_number_is_shown_in_the_terms_of_its_sentence(site, claim, shown, asked):
    site.shown(f"# Page\n\n```{{claim}} 01-roofline/{claim}\nNot here.\n```\n")
    assert shown.replace("ASKED", asked) in site.text()
    assert f"claimed {asked};" in re.sub(r"\s", " ", site.html())


@pytest.mark.parametrize(("way", "shown", "asked"), [
    ("times", "fourfold. 29.6×", "≥ 4×"),
    ("more", "fourfold. 2860%", "≥ 300%"),
    ("left", "fourfold. 3.38%", "≤ 25%"),
    ("saved", "fourfold. 96.6%", "≥ 75%"),
    ("inverse", "fourfold. 0.0338×", "≤ 0.25×"),
    ("rest", "fourfold. 2860% the other way", "≤ −300%"),
    ("whole calls", "fourfold. 30 calls", "≥ 4 calls"),
    ("points", "fourfold. 2960 points", "≥ 400 points"),
])
def test_an_author_says_how_a_number_is_shown(site, way, shown, asked):
    site.record()
    site.change_claims(lambda claim: {"shown": way} if claim["id"] == "simd-pays" else {})
    site.built("# Page\n\n```{claim} 01-roofline/simd-pays\nNot here.\n```\n")
    sentence, number = shown.split(". ")
    assert f"Vectors beat single numbers at least {sentence}. claimed {asked}, measured {number} ✓" in site.text()
    assert f"claimed {asked};" in re.sub(r"\s", " ", site.html())


def test_what_is_true_or_false_shows_no_number(site):
    site.change_claims(lambda claim: {"shown": "nothing"} if claim["id"] == "caches-make-a-ladder" else {})
    site.shown(PAGE + "\nThe end.\n")
    assert f"{SENTENCE} ✓ The end." in site.text()
    site.record(fails)
    site.built()
    assert f"does not hold here {SENTENCE} Here the ladder is flat. The end." in site.text()


def test_an_unknown_way_to_show_a_number_is_one_line(site):
    site.record()
    site.change_claims(lambda claim: {"shown": "loud"} if claim["id"] == "simd-pays" else {})
    site.page(PAGE)
    assert "labs/01-roofline/claims.json: simd-pays: expected one of times, percent" in site.build().said


def test_every_claim_whose_number_is_shown_in_a_way_of_its_own_has_a_value_without_a_unit_on_every_machine():
    found = set()
    labs = list((PROJECT / "labs").glob("*/claims.json"))
    for path in labs:
        claims = [claim for claim in json.loads(path.read_text(encoding="utf-8")) if "shown" in claim]
        for record in (PROJECT / "figures" / "records").glob(f"*/{path.parent.name}.json"):
            units = {value["id"]: value["unit"] for value in json.loads(record.read_text(encoding="utf-8"))["values"]}
            assert [claim["id"] for claim in claims if units.get(claim["value"], "1") != "1"] == [], record
            found |= {path} if claims else set()
    assert found == {path for path in labs if '"shown"' in path.read_text(encoding="utf-8")} != set()


def test_the_chapters_bound_decides_for_every_machine(site):
    site.record(fails)
    site.record(fails, published="other-machine")
    with_chapter(site)
    assert f"{SENTENCE} ≥ 3× ✗ 2.4× ✗ 2.4×" in ledger(site)
    assert "✗ does not hold here" in site.text(LAB)

    site.claims(caches_make_a_ladder=">= 2")
    site.built()
    assert f"{SENTENCE} ≥ 2× ✓ 2.4× ✓ 2.4×" in ledger(site)
    assert f"{SENTENCE} claimed ≥ 2×, measured 2.4× ✓" in site.text(LAB)


def test_the_ledger_counts_what_is_too_close_to_call(site):
    site.record(between(2.88, 3.32))
    site.record(published="other-machine")
    site.built("# Page\n\n```{claims-squares}\n```\n\n```{claims-ledger}\n```")
    assert f"{SENTENCE} ≥ 3× ≈ 2.9–3.3× ✓ 22.9×" in ledger(site)
    assert "hold fail too close to call modelled or simulated not measured this machine 4 1 1 0 1" in site.text()
    assert "hf-row-close" in site.html()


def test_the_ledger_says_what_a_machine_has_not_measured(site):
    site.record(drop_value("cache_gain"))
    site.record(published="other-machine")
    site.built("# Page\n\n```{claims-ledger}\n```")
    assert f"{SENTENCE} ≥ 3× not measured ✓ 22.9×" in ledger(site)
    assert "GPUs are wide. ≥ 8× not measured not measured" in ledger(site)


def test_a_claim_without_its_value_comes_from_a_published_record(site):
    site.record(drop_value("cache_gain"))
    site.fails('build/records/01-roofline.json has no value "cache_gain"', page=PAGE)
    site.record(published="other-machine")
    site.built()
    assert f"{SENTENCE} claimed ≥ 3×, measured 22.9× on Fixture · 2 ✓" in site.text()


@pytest.mark.parametrize("text", [
    "{", "[1]", '[{"id": "a"}]', '[{"id": "a", "text": "A.", "value": "b", "bound": "about 3"}]', "{}",
])
def test_malformed_claims_are_one_line(site, text):
    site.record()
    (site.root / "labs" / LAB / "claims.json").write_text(text)
    site.page(PAGE + "\n```{claims-ledger}\n```\n")
    build = site.build()
    assert build.status == 1
    words = "expected a list of claims with id, text, value, bound and perhaps shown; correct it"
    assert f"labs/01-roofline/claims.json: {words}" in build.said


def test_a_claim_in_a_second_reading_is_folded_and_keeps_its_place(site):
    site.shown("# Page\n\n````{second-reading} More *of* this\n```{claim} 01-roofline/simd-pays\nNot here.\n```\n````")
    fold = re.search(r'<details class="[^"]*\bhf-second\b[^"]*"(?![^>]*\bopen\b)[^>]*>(.*?)</details>', site.html(), re.S)[1]
    assert "Second reading: More <em>of</em> this" in fold and 'id="claim-simd-pays"' in fold and "✓" in fold


def claims(*names: str) -> str:
    return "# Page\n\n" + "".join(f"```{{claim}} 01-roofline/{name}\nNot {name}.\n```\n\n" for name in names)


def folded(site) -> str:
    return "".join(re.findall(r'<details class="[^"]*\bhf-more\b(?![^>]*\bopen\b)[^>]*>(.*?)</details>', site.html(), re.S))


def test_of_an_argument_one_line_is_seen_and_what_fails(site):
    site.record(fails)
    names = ("simd-pays", "caches-make-a-ladder", "vector-add-waits", "memory-is-slow")
    site.built(claims(*names))
    fold = folded(site)
    assert "2 more claims that hold" in fold
    assert [f'id="claim-{name}"' in fold for name in names] == [False, False, True, True]
    assert f"✗ does not hold here {SENTENCE} claimed ≥ 3×, measured 2.4× Not caches-make-a-ladder." in site.text()


def test_claims_with_prose_between_them_are_no_argument(site):
    site.shown(claims("simd-pays") + "And so:\n\n" + claims("vector-add-waits").removeprefix("# Page\n\n"))
    assert folded(site) == ""


def test_each_machine_has_its_own_fold(site):
    site.record()
    site.record(fails, published="other-machine")
    site.built(claims("caches-make-a-ladder", "simd-pays"))
    assert "1 more claim that holds" in folded(site) and "simd-pays" in folded(site)
    other = next((site.root / "build" / "out" / "_machines" / "index").glob("other*.js")).read_text(encoding="utf-8")
    assert "does not hold" in other and "more claims that hold" not in other


def made(kind: str, value: float):
    """An edit after which the ladder's gain has another kind than measured."""
    return change_value("cache_gain", value, kind=kind)


@pytest.mark.parametrize("kind", ["modelled", "simulated"])
def test_what_was_not_measured_says_so_in_place_of_a_tick(site, kind):
    site.shown(PAGE, made(kind, 22.9))
    assert f"{SENTENCE} claimed ≥ 3×, {kind} 23×" in site.text() and "✓" not in site.text()
    assert f"claimed ≥\xa03×; {kind} here, 20 November 2026" in site.html()
    site.record(made(kind, 2.4))
    site.built()
    assert f"✗ does not hold here {SENTENCE} claimed ≥ 3×, {kind} 2.4×" in site.text()


def test_the_ledger_counts_what_was_not_measured_apart(site):
    site.record(made("modelled", 22.9))
    site.record(made("modelled", 2.4), published="other-machine")
    site.built("# Page\n\n```{claims-squares}\n```\n\n```{claims-ledger}\n```")
    assert f"{SENTENCE} ≥ 3× modelled 23× ✗ modelled 2.4×" in ledger(site)
    assert "hold fail too close to call modelled or simulated not measured this machine 4 0 0 2 1" in site.text()
    assert "hf-row-fails" in site.html() and "hf-row-made" not in site.html()
    site.record(made("modelled", 22.9), published="other-machine")
    site.built()
    assert "hf-row-fails" not in site.html() and "hf-row-made" in site.html()


def test_what_the_book_got_wrong_comes_first(site):
    site.record()
    site.claims(simd_pays="> 100")
    site.built("# Page\n\n```{book-mistakes}\n```\n\n```{claims-ledger}\n```")
    first, _, rest = site.text().partition("Show claims")
    assert re.search(r"1 of the 6 claims tested is false on this machine: .* We "
                     r"claimed &gt; 100× and measured [\d.]+× \(chapter 01\)\.", first)
    assert "These predictions were furthest off" not in first and rest  # the fixture's lab declares no predictions


def test_a_machine_that_refutes_nothing_has_no_list(site):
    site.shown("# Page\n\n```{book-mistakes}\n```")
    assert "None of the 6 claims tested are false on this machine." in site.text()
