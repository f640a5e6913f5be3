"""The pages of a machine that lacks many things: one core, no vectors, no GPU, no huge pages, and an empty /sys."""

import re

import pytest
from conftest import LAB
from test_strangers import FRONT, GALLERY, PAGE
from whole import Visit

NOTES = ["no huge pages: the system gives none, so both latency curves are on base pages", "no GPU on this machine",
         "no sizes of the caches: /sys cannot be read"]
LACKED_VALUES = (r".*_all(_.*)?|peak_bf16.*|peak_int8.*|simd_over.*|clock_ghz|latency_\w+_cycles|huge_page.*|bandwidth_l2.*|"
                 r"latency_l2.*|nontemporal.*")
MORE = f"""
{{measured}}`{LAB}/bandwidth_dram_all_gbs|pending`

```{{where-measured}} {LAB}/peak_bf16_gflops
Half as wide, {{measured}}`{LAB}/peak_bf16_gflops`.
```

```{{claim}} {LAB}/simd-pays
:pending:
Not so.
```

```{{measure-here}}
The takeaway.

Other words.
```
"""


def lacks(record: dict) -> None:
    record["machine"].update(isa=[], caches=[], cores=1, gpus=[], huge_pages=False, memory_bytes=2_000_000_000,
                             virtualised=False)  # fmt: skip
    record["machine"].pop("microarchitecture", None)
    record["run"]["notes"] = NOTES
    record["values"] = [value for value in record["values"] if not re.fullmatch(LACKED_VALUES, value["id"])]
    record["series"] = [series for series in record["series"] if not re.fullmatch(r".*(_all|_nt)", series["id"])]


@pytest.fixture(params=["this machine", "published"])
def lacking(request, site):
    """A small book whose default is this machine, beside another one, and the result of its build."""
    site.record(published="another")
    published = request.param == "published"
    site.record(lacks, published="lacking" if published else "")
    for source in ("labs/kit/work.cpp", "site/browser/experiments.cpp"):
        (site.root / source).parent.mkdir(parents=True)
        (site.root / source).touch()
    (site.root / "labs" / LAB / "laws.json").write_text("[]")
    site.page(FRONT)
    site.page(PAGE + MORE, LAB)
    site.page(GALLERY, "machines")
    return site, site.build(press_published_only=published,
                            press_default_machine="lacking" if published else "another")


def test_the_pages_of_a_machine_that_lacks_things_say_so(browser, lacking):
    site, build = lacking
    assert (build.status, build.said) == (0, "")
    chapter = site.text(LAB)
    assert all(note in chapter for note in NOTES)
    assert "Fixture Processor, 1 core" in chapter and re.search("this machine|Fixture · 1", site.text())
    assert "1 cores" not in "".join(map(site.html, ("index", LAB, "machines")))
    with Visit(browser, "about:blank") as visit:
        for page in ("index", LAB, "machines"):
            visit.page.goto((site.root / "build" / "out" / f"{page}.html").as_uri())
            text = visit.page.evaluate("document.body.innerText")
            assert visit.errors == [], page
            assert not re.search(r"\b(undefined|NaN|None|null|Infinity)\b|\[object", text), page
