"""{lab-card}, {machines}, {lab-code}, {lab-header}, formulas; and records whose text looks like markup."""

import re

import pytest
from conftest import LAB, points_of

HOSTILE = '<script>alert(1)</script><img src=x onerror=alert(2)> "\'&{raw}`x` [a](javascript:b)'


def test_the_lab_card_says_how_to_run_it(site):
    site.shown("# Page\n\n```{lab-card} 01-roofline\n```")
    text = site.text()
    for part in ("make lab-01", "71.2 s, with the full budget", "labs/01-roofline/ lab.cpp", "01-roofline.json",
                 "20 November 2026, on Fixture Processor, 2 cores"):
        assert part in text
    downloads = re.findall(r'href="(_downloads/[^"]+)"', site.html())
    assert len(downloads) == 2
    assert all((site.root / "build" / "out" / name).exists() for name in downloads)


def test_the_lab_card_has_a_line_for_each_file_that_the_page_quotes(site):
    site.record()
    for name in ("01-roofline/kernels/a.hpp", "01-roofline/kernels/b.hpp", "kit/work.cpp"):
        path = site.root / "labs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("int quoted;\n")
    quotes = [f"```{{lab-code}} {name}\n```\n\n" for name in
              ("01-roofline/kernels/b.hpp", "01-roofline/kernels/a.hpp", "kit/work.cpp",
               "01-roofline/kernels/b.hpp")]
    site.page(f"# Page\n\n{''.join(quotes)}```{{lab-card}} 01-roofline\n```")
    site.page("# Other\n\n```{lab-card} 01-roofline\n```", "other")
    site.build()
    assert "Code: labs/01-roofline/ lab.cpp kernels/b.hpp kernels/a.hpp Time:" in site.text()
    assert "Code: labs/01-roofline/ lab.cpp Time:" in site.text("other")


def test_the_lab_card_without_a_record_still_says_how(site):
    site.page("# Page\n\n```{lab-card} 01-roofline\n```")
    assert site.build().status == 1
    assert "make lab-01" in site.text() and "has not been measured here yet" in site.text()


def test_the_gallery_shows_every_machine_once(site):
    site.page("# Page\n\n```{machines}\n:values: 01-roofline/clock_ghz\n```")
    site.record()
    site.record(published="other-machine")
    site.built()
    text = site.text()
    assert text.count("this machine Processor: Fixture Processor") == 1
    assert text.count("Published as: other-machine") == 1
    assert text.count("GHz") == 2 and "L2 2 MiB" in text and "24 GiB" in text


def test_the_gallery_knows_no_other_books_labs(site):
    site.page("# Page\n\n```{machines}\n:values: 07-other/speed\n```")
    site.record()
    site.build()
    assert 'machines: no lab "07-other": the labs are 01-roofline' in site.text()


def test_the_gallery_notices_a_new_machine(site):
    site.page("# Page\n\n```{machines}\n```")
    site.record()
    site.build()
    site.record(published="new-machine")
    site.built()
    assert "Published as: new-machine" in site.text()


SOURCE = """// [begin: outer]
// [begin: two words]
int before();
// [end: two words]
  // [begin: inner]
  int answer() { return a < b && 42; }
  // [end: inner]
// [end: outer]
// [begin: open]
"""


@pytest.mark.parametrize(("part", "code"), [
    ("inner", "int answer() { return a < b && 42; }"),
    ("two words", "int before();"),
    ("outer", "int before(); int answer() { return a < b && 42; }"),
])
def test_code_on_the_page_is_the_code_that_ran(site, part, code):
    (site.root / "labs" / LAB / "k.hpp").write_text(SOURCE)
    site.built(f"# Page\n\n```{{lab-code}} 01-roofline/k.hpp\n:part: {part}\n```")
    assert f"labs/01-roofline/k.hpp¶ {code}".replace("<", "&lt;").replace("&&", "&amp;&amp;") in site.text()
    assert "[begin" not in site.html()


@pytest.mark.parametrize(("part", "problem"), [
    ("nothing", 'labs/01-roofline/k.hpp has no part "nothing": put it between the lines // [begin: nothing]'),
    ("open", 'has no part "open"'),
])
def test_a_missing_part_is_one_clear_line(site, part, problem):
    (site.root / "labs" / LAB / "k.hpp").write_text(SOURCE)
    site.fails(problem, page=f"# Page\n\n```{{lab-code}} 01-roofline/k.hpp\n:part: {part}\n```")


def test_a_line_of_code_that_is_wider_than_the_page_is_found(site):
    source, wide = site.root / "labs" / LAB / "k.hpp", "// " + 81 * "é"
    site.page("# Page\n\n```{lab-code} 01-roofline/k.hpp\n:part: one\n```")
    source.write_text(f"{wide} outside\n// [begin: one]\n  int x;\n\n  {wide}\n// [end: one]\n")
    assert site.build().said == ""  # 84 columns, because the common indentation of all lines is not shown
    source.write_text(source.read_text().replace(f"  {wide}", f"  {wide}!"))
    assert "index.md:3: WARNING: labs/01-roofline/k.hpp has 85 columns in the line // éé" in site.build().said


def test_code_follows_its_source(site):
    source = site.root / "labs" / LAB / "k.hpp"
    site.page("# Page\n\n```{lab-code} 01-roofline/k.hpp\n```")
    assert site.build().status == 1  # no such file yet
    source.write_text("int one;\n")
    assert site.build().status == 0 and "int one;" in site.text()
    source.write_text("int two;\n")
    assert site.build().status == 0 and "int two;" in site.text()


def test_the_reference_says_when_doxygen_has_not_run(site):
    site.page("# Page\n\n```{lab-header} clock.hpp\n```")
    build = site.build(extensions=["myst_parser", "breathe", "press", "book"],
                       breathe_projects={"harness": str(site.root / "build" / "doxygen" / "xml")})
    assert build.status == 1
    assert "clock.hpp: build/doxygen/xml/index.xml is missing: run doxygen site/Doxyfile" in site.text()


def test_links_to_what_no_page_shows_stay_words(site):
    folder = site.root / "labs" / LAB
    (folder / "shown.hpp").write_text("/// \\file\n/// See other.hpp.\nnamespace hf {\n/// Like other().\nint shown();\n}\n")
    (folder / "other.hpp").write_text("/// \\file\nnamespace hf {\n/// Words.\nint other();\n}\n")
    site.built("# Page\n\n```{lab-header} shown.hpp\n```", **site.doxygen())
    assert "See other.hpp." in site.text() and "Like other()." in site.text()


def test_formulas_are_mathml(site):
    site.built("# Page\n\n$t \\ge \\max(\\frac{W}{P})$\n\n$$ a = b $$ (eq-a)\n\n"
               "$$\n\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}\n$$\n")
    html = site.html()
    assert html.count("<math ") == 3 and "<mfrac>" in html and '<span class="eqno">(1)' in html
    assert html.count("<mtr>") == 2 and "<mi>&</mi>" not in html and "mathjax.js" not in html.lower()


def test_formulas_have_the_spaces_of_tex(site):
    site.built("# Page\n\n$\\max(a)$ and $2\\log_2 n$ and $p\\log(p/q)$ and $(1, -1)$ and $a - b$ and $18{,}432$\n")
    html, space = site.html(), '<mspace width="0.167em" />'
    assert '<mi>max</mi><mo stretchy="false">(</mo>' in html
    assert f"<mn>2</mn>{space}<msub><mi>log</mi><mn>2</mn></msub>{space}<mi>n</mi>" in html
    assert f"<mi>p</mi>{space}<mi>log</mi><mo" in html
    assert '<mo form="prefix" lspace="0" rspace="0">−</mo><mn>1</mn>' in html
    assert "<mi>a</mi><mo>−</mo><mi>b</mi>" in html
    assert '<mn>18</mn><mrow><mo lspace="0" rspace="0">,</mo></mrow><mn>432</mn>' in html


def test_no_line_begins_with_the_full_stop_of_a_formula(site):
    site.built("# Page\n\nA tile of $C$. Its rows ($N$), and $M$ columns.")
    html = re.sub(r"<math.*?</math>", "x", site.html())
    kept = re.findall(r'<span class="hf-unbroken">(.*?</span>[^<]*)</span>', html)
    assert kept == ['<span class="math">x</span>.', '(<span class="math">x</span>),']
    assert "A tile of . Its rows (), and columns." in site.text()


def test_no_line_breaks_within_a_pair_of_greek_letters(site):
    site.built("# Page\n\nThe α–β model holds for 3–5 ranks.\n")
    assert "α–\u2060β model holds for 3–5 ranks" in site.html()


def test_columns_of_numbers_end_at_the_right(site):
    site.built("# Page\n\n| size | time | cycles | what | sum |\n|---|---|---|---|---|\n"
               "| 1 | 12.5 GB/s | 34 to 40 | 3 loops over all rows | $1 + 2$ |\n| 2 | – | ≥ 500 | one | 3 |\n")
    cells = re.findall(r"<(?:td|th)(.*?)>", re.search(r"<table.*?</table>", site.html(), re.S)[0].replace("<thead", ""))
    assert ["text-right" in cell for cell in cells] == [False, True, True, False, True] * 3


@pytest.mark.parametrize("tex", [r"\left( a", r"a^b^c", r"\nosuch x"])
def test_a_formula_that_cannot_be_read_is_warned_of_and_shown_as_written(site, tex):
    site.page(f"# Page\n\n${tex}$")
    assert "formula not understood" in site.build().said
    assert f"<code>{tex}</code>" in site.html()


def test_strings_from_a_record_are_text(site):
    def edit(record):
        record["lab"]["title"] = record["machine"]["cpu"] = record["toolchain"]["flags"] = HOSTILE
        record["run"]["notes"] = [HOSTILE]
        record["run"]["complete"] = False
        for part in ("series", "values"):
            for entry in record[part]:
                entry["label"] = HOSTILE
        for number, point in enumerate(points_of(record, "kernels")):
            point["label"] = f"{HOSTILE} {number}"

    site.record(edit)
    site.built("# Page\n\n{measured}`01-roofline/clock_ghz` {measured}`01-roofline/machine.cpu`\n\n"
               "```{claim} 01-roofline/simd-pays\nx\n```\n\n```{claims-ledger}\n```\n\n```{machines}\n```\n\n"
               "```{lab-card} 01-roofline\n```\n\n```{lab-figure} 01-small\n:series: latency kernels\nIt rises.\n```\n")
    html = site.html()
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert" not in html and "<img src=x" not in html and 'href="javascript:' not in html


def test_the_reference_shows_what_is_public_and_no_box_for_a_namespace(site):
    (site.root / "labs" / LAB / "shown.hpp").write_text("""/// \\file
namespace hf {
namespace inner {
/// A class.
class Shown {
 public:
  /// In sight.
  /// \\throws Interrupted
  int seen();
 private:
  int hidden_ = 0;
};
}
}
""")
    site.built("# Page\n\n```{lab-header} shown.hpp\n```", **site.doxygen())
    text = site.text()
    assert "class Shown" in text and "In sight." in text and "Interrupted" in text and "Interrupted –" not in text
    assert "hidden_" not in text and "Private" not in text and "namespace" not in text
