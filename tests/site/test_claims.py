"""{claim} and {claims-ledger}: sentences that a record decides."""

import re
import shutil

from conftest import LAB, fixture_record

PAGE = "# Page\n\n```{claim} 01-roofline/caches-make-a-ladder\nHere the ladder is *flat*.\n```\n"
SENTENCE = next(c["text"] for c in fixture_record()["claims"] if c["id"] == "caches-make-a-ladder")


def fails(record):
    for claim in record["claims"]:
        if claim["id"] == "caches-make-a-ladder":
            claim.update(holds=False, bound=">= 100")


def test_a_claim_that_holds_shows_the_labs_sentence(site):
    site.record()
    site.page(PAGE)
    build = site.build()
    assert (build.status, build.said) == (0, "")
    assert f"✓ holds here {SENTENCE} Observed 23; the claim asks for ≥ 3." in site.text()
    assert "flat" not in site.html()
    assert 'id="claim-caches-make-a-ladder"' in site.html()


def test_a_claim_that_fails_shows_the_alternative(site):
    site.record(fails)
    site.page(PAGE)
    assert site.build().status == 0  # a failing claim is a finding, not a problem
    assert f"✗ does not hold here Here the ladder is flat. Put to the test: \"{SENTENCE}\" Observed 23; " \
           "the claim asks for ≥ 100." in site.text()


def test_a_claim_decided_elsewhere_says_so(site):
    site.record(published="other-machine")
    site.page(PAGE)
    assert site.build().status == 0
    assert "✓ holds on Fixture Processor" in site.text()


def test_a_claim_needs_an_alternative(site):
    site.record()
    site.page("# Page\n\n```{claim} 01-roofline/caches-make-a-ladder\n```\n")
    build = site.build()
    assert build.status == 1
    assert 'claim "caches-make-a-ladder" needs a body' in build.said


def test_an_unknown_claim_leaves_a_notice(site):
    site.record()
    site.page("# Page\n\n```{claim} 01-roofline/nothing\nx\n```\n")
    assert site.build().status == 1
    assert 'Not shown: build/records/01-roofline.json has no claim "nothing"' in site.text()


def test_claims_can_be_linked(site):
    site.record()
    site.page("# Page\n\n{hf:claim}`01-roofline/caches-make-a-ladder` and "
              "{hf:claim}`the ladder <01-roofline/caches-make-a-ladder>`\n\n```{toctree}\n01-roofline\n```")
    site.page(PAGE, LAB)
    build = site.build(nitpicky=True)
    assert (build.status, build.said) == (0, "")
    links = re.findall(r'href="01-roofline.html#claim-caches-make-a-ladder"[^>]*><span[^>]*>(.*?)</span>', site.html())
    assert links == ["caches make a ladder", "the ladder"]


def test_the_ledger_has_every_claim_on_every_machine(site):
    site.record()
    site.record(fails, published="other-machine")
    site.page("# Page\n\n```{claims-ledger}\n```\n\n```{toctree}\n01-roofline\n```")
    site.page(PAGE, LAB)
    build = site.build()
    assert (build.status, build.said) == (0, "")
    text = site.text()
    for claim in fixture_record()["claims"]:
        assert claim["text"] in text
    assert "this machine other-machine" in text
    assert f"{SENTENCE} ≥ 3 ✓ 23 ✗ 23" in text
    assert 'href="01-roofline.html#claim-caches-make-a-ladder"' in site.html()


def test_a_machine_that_published_its_record_is_listed_once(site):
    published = site.root / "figures" / "records" / "the-same-machine" / f"{LAB}.json"
    published.parent.mkdir(parents=True)
    shutil.copy(site.record(), published)
    site.page("# Page\n\n```{claims-ledger}\n```\n\n```{toctree}\n01-roofline\n```")
    site.page(PAGE, LAB)
    assert site.build().status == 0
    assert site.text().count("✓ 23") == 1


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
