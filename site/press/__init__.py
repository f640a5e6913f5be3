"""The Sphinx extension that fills the prose with numbers from records.

Roles and directives, as authors write them in MyST (in chapter NN-slug.md, the lab is NN-slug unless another is named):

    {measured}`speed`                          171 M/s 168–173        number, unit, 5th to 95th percentile
    {measured}`01-sorting/quicksort_ns`        from any page
    {measured}`id|plain`                       without the spread
    {measured}`id|number`                      without unit and spread
    {measured}`id|label`                       the label in the record, instead of the number
    {measured}`id|percent`  {measured}`id|times`   a share as per cent, a ratio with ×
    {measured}`id|as fast`                     a ratio in a sentence: "1.3× as fast", or "just as fast" if it equals 1 within
                                               the noise; "as long", "as much memory", …
    {measured}`id|count`                       a whole number, rounded up
    {measured}`id|pending`                     if no machine has measured it, shows "not yet measured" without a problem
    {measured}`run.seconds`                    also run.started, run.noise_floor, machine.cpu, machine.cores,
                                               machine.memory_bytes, machine.os, toolchain.compiler, toolchain.flags

If the shown machine has not measured a number, the sentence uses another machine's number with a dotted line below it; the
first one in a section names that machine: "3.8 µs (X200)". If its record doesn't decide a claim, {where-holds} shows nothing.

    ```{claim} claim-id                        a sentence of labs/NN-slug/claims.json and the verdict on it; link with
                                               {hf:claim}`lab/claim-id`; its "shown": how its number is shown
    :pending:                                  optional; if no machine has decided it yet, says so without a problem
    The sentence to show if the claim fails.
    ```

    ```{lab-figure} 01-speed                   figures/01-speed.gp
    :series: quicksort insertion               optional; the series in the table (default: all that the script shows); a
                                               published record with these can replace the machine's own
    :pending: gpu_latency                      optional; more series, which perhaps no machine has measured yet: the figure
                                               is then drawn without them; without :series:, "not yet measured" replaces
                                               the figure
    :name: fig-speed                           optional, for {ref}
    :lab: 01-sorting                           optional; the lab with the figure's number
    The takeaway, one paragraph.
    ```
    If the record has series whose ids begin with conditions_, such as a GPU's clock, a line below the figure shows the points
    that are labelled with the ids of the figure's series.

    ```{drawing} 01-swap                       an idea, drawn by drawings/01-sorting.py; {step}`words <fig-swap 3>` show a step
    :name: fig-swap                            optional
    The takeaway, one paragraph.
    ```

    ```{lab-code} 01-sorting/kernels/quicksort.hpp     below labs/
    :part: swap                                between // [begin: swap] and // [end: swap]; else the whole file
    :caption: words  :emphasize-lines: 2,3     optional
    ```

    ```{where-measured} id lab/id              prose that needs these values: left out if no record has them
    The prose.
    ```

    ```{where-holds} claim-id !lab/claim-id    prose for the machines on which these claims hold and those marked ! fail
    The prose.
    ```

    ````{second-reading} What it is about       a fold for optional parts: closed on the page, open on paper
    Prose, figures, claims.
    ````

    ```{lab-card} 01-sorting                   how to run it yourself
    ```{yours} 01-sorting                      the steps to a kernel of the reader's own: labs/01-sorting/yours/path.json
    ```{lab-header} clock.hpp                  the header's reference, from Doxygen
    ```{machines}                              every machine; :values: lab/id … for headline numbers
    ```{book-mistakes}                         the claims that fail on the machine shown, and its largest misses
    ```{claims-squares}                        a square for each claim and machine
    ```{claims-ledger}                         every claim on every machine

    ```{predict} id                            a question to answer before the page shows the answer: reader/predict.py
    ```{predictions-summary}                   before the takeaway

    ```{all-numbers}                           the file of all published numbers: a link, and what its columns are
    ```{how-to-cite}                           a sentence and an entry for BibTeX, from CITATION.cff

    [cooks]{.compute}, [door]{.memory}         the two colours of the figures, in a few words of prose

Chapters, sections and figures are numbered (page/numbering.py): {numref}`fig-name` reads "Figure 1.2",
{numref}`name-of-section` "section 1.3"; a plain "chapter 02" becomes a link.

A page with something pending names the machine that could measure it in its front matter, `pending: a machine with …`;
a line at the top of the page counts the pending figures and lists the pending claims.

If something cannot be shown, a visible notice replaces it; the build continues, lists the problems at the end and returns 1.
"""

import ast
import zlib
from pathlib import Path

from sphinx.application import Sphinx

from . import defaults, ebook
from .checks import rules
from .domain import PressDomain, leave_out_chapters, outdated_pages, pages_to_write, report_problems
from .measurements import borrowed, claim_boxes, claims_ledger, predictions_page
from .measurements.measured import Measured, WhereMeasured, depart_measured_number, measured_number, visit_measured_number
from .page import cite, contents, front_page, glossary, later, machines_page, mathml, numbering, unbroken, wide_tables
from .page.lab_card import LabCard
from .page.lab_code import LabCode
from .page.lab_header import LabHeader, forget_missing_xml, words_without_a_place
from .page.notice import add_banner
from .page.second_reading import SecondReading
from .pictures import beside, compare, drawing
from .pictures.lab_figure import LabFigure
from .reader import per_machine, predict
from .reader.yours import Yours
from .web import all_numbers, assets, feed, head, link_preview, search

HERE = Path(__file__).parent
SOURCES = [path for path in sorted(HERE.rglob("*.py")) if path.parent.name != "ebook"]  # which only writes what was read


def setup(app: Sphinx) -> dict:
    root = Path(app.confdir).resolve().parent
    app.add_config_value("press_root", str(root), "env", str)
    app.add_config_value("press_build", str(root / "build"), "env", str)
    app.add_config_value("press_record_tool", "", "env", str)
    app.add_config_value("press_default_machine", "", "env", str)
    app.add_config_value("press_machines_drawn", 6, "env", int)
    app.add_config_value("press_rights", "", "html", str)
    app.add_config_value("press_promise", "", "", str)
    app.add_config_value("press_preview", {}, "", dict)
    app.add_config_value("press_ebook", {}, "", dict)
    app.add_config_value("press_units", {}, "env", dict)
    app.add_config_value("press_chapter", {}, "env", dict)
    app.add_config_value("press_published_only", False, "env", bool)
    app.add_config_value("press_source", "", "env", str)
    app.add_html_theme("press", str(Path(__file__).parent / "theme"))
    app.add_domain(PressDomain)
    app.add_node(measured_number, html=(visit_measured_number, depart_measured_number))
    app.add_role("measured", Measured())
    for name, directive in (("lab-figure", LabFigure),
                            ("lab-card", LabCard), ("lab-code", LabCode), ("lab-header", LabHeader),
                            ("second-reading", SecondReading),
                            ("yours", Yours),
                            ("where-measured", WhereMeasured)):
        app.add_directive(name, directive)
    for part in (claim_boxes, borrowed, front_page, claims_ledger, machines_page, predict, predictions_page, numbering,
                 glossary, contents, head, feed, link_preview, rules, cite, compare, search, unbroken, wide_tables, defaults,
                 assets, per_machine, drawing, beside, all_numbers, later, ebook):
        part.add_to(app)  # assets before per_machine, which emits the event that assets must have connected to
    app.add_html_math_renderer("mathml", (mathml.visit_inline, None), (mathml.visit_block, None))
    app.connect("config-inited", leave_out_chapters)
    app.connect("env-get-outdated", forget_missing_xml, priority=100)
    app.connect("env-get-outdated", outdated_pages)
    app.connect("missing-reference", words_without_a_place)
    app.connect("doctree-read", add_banner)
    app.connect("env-updated", pages_to_write)
    app.connect("build-finished", report_problems)
    # Reading isn't parallel, because each merge of Sphinx's C++ domain would duplicate what {lab-header} added to it.
    return {"version": "0.1.0", "env_version": digest_of_code(SOURCES), "parallel_read_safe": False,
            "parallel_write_safe": True}


def digest_of_code(sources: list[Path]) -> int:
    """An extension's version: if its code changes, all pages are read again; comments and layout don't count."""
    return zlib.crc32("".join(ast.dump(ast.parse(source.read_text(encoding="utf-8"))) for source in sources).encode())
