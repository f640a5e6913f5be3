"""What the checks of chapters find, and what they accept. Each rule must be able to fail."""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "site"))

from press.checks import rules as check  # noqa: E402
from press.checks.myst import parse  # noqa: E402
from press.defaults import read_book  # noqa: E402

RULES = check.Rules(*map(read_book(PROJECT).get, ("chapter", "units")))


def numbers(text):
    return [problem for _, problem in check.numbers_problems(RULES, *parse(text))]


@pytest.mark.parametrize("words", [
    "171 GFLOP/s", "171\u00a0GFLOP/s", "1.2e3 GB/s", "0.5 TFLOP/s", "16.5 GB/s", "12 GiB/s", "1,000 MB/s", "80 ns", "80ns",
    "3 µs", "3 us", "12 ms", "2.95 GHz", "ten nanoseconds", "5 cycles", "88 %", "88%", "88 percent", "12 FLOP/byte",
    "3.5x", "3.5 × faster", "2 times as fast", "675 W", "640 pJ", "20 dB", "100 tokens/s", "748 Gop/s", "92 TOPS",
    "85 GFLOPS", "3 GB per second", "70–80 ns", "`171 GFLOP/s`", "a *171 GFLOP/s* roof",
])
def test_a_typed_number_is_found(words):
    assert len(numbers(f"Here a core reaches {words} or so.")) == 1


@pytest.mark.parametrize("sentence", [
    "It reaches {measured}`peak_fp32_gflops`, in {measured}`run.seconds|plain`.",
    "A machine with 2 cores, 64-byte lines, 4 KiB pages and 32 MiB of cache.",
    "An fp32 number has 32 bits; 512-bit registers hold sixteen of them.",
    "Vector add does 1/12 FLOP/byte: one FLOP for 12 bytes.",
    "A matrix of size $N$ takes $2N^3$ FLOPs; see chapter 01, in GFLOP/s.",
    "A machine with ten times the arithmetic would run it no faster.",
    "An H200 reads 4.8 TB/s {cite:p}`maker`.",
    "The GPU was born in 1999; the i9-9900K has 8 cores.",
])
def test_innocent_text_passes(sentence):
    assert numbers(sentence) == []


def test_the_right_line_is_named():
    (problem,) = check.numbers_problems(RULES, *parse("# Title\n\nFine.\n\nHere:\n171 GFLOP/s.\n"))
    assert problem[0] == 6


QUOTED = ":::{admonition} Makers say\n:class: quoted\n\nAn A100 reads 2.0 TB/s.\n\n| chip | TB/s |\n|---|---|\n| A100 | 2.0 |\n\n%s\n:::\n"


def test_a_quoted_box_with_its_source_passes_and_without_is_found():
    assert numbers(QUOTED % "As told by {cite:t}`maker`.") == []
    assert numbers(QUOTED % "As told.") == ["a quoted box names no source: add a {cite}"]


def test_what_follows_a_quoted_box_is_outside_it():
    assert len(numbers(QUOTED % "{cite:t}`maker`" + "\nOurs reads 3.0 TB/s.\n")) == 1


def test_a_citation_covers_its_own_paragraph_only():
    assert len(numbers("It reads 4.8 TB/s {cite:p}`maker`.\n\nAnd 5.0 TB/s at night.")) == 1


def test_numbers_in_other_boxes_in_captions_and_in_code_are_found():
    assert len(numbers(":::{admonition} Solution\n:class: solution\n:collapsible: closed\nIt is 3 ns.\n:::")) == 1
    assert len(numbers("```{lab-figure} 01-x\n:series: a b\nIt peaks at 3 GB/s.\n```")) == 1
    assert len(numbers("```\n$ make lab-01\npeak 171 GFLOP/s\n```")) == 1


def test_a_column_of_measured_numbers_is_found():
    table = "| size | GB/s |\n|---|---|\n| 1 KiB | 135 |\n| 2 KiB | – |\n"
    assert numbers(table) == ['"135 under GB/s" is typed by hand: use {measured}, or quote it with a {cite}']


SOLUTION = ":::{admonition} Solution\n:class: solution\n:collapsible: closed\nThat.\n:::\n"
CHAPTER = """---
question: How fast?
card: 01-speed
---

# The title

:::{admonition} The promise
:class: promise
You will know.
:::

Guess.

```{predict} how-fast
:value: speed
:range: 1 100
:reveals: fig-speed it-pays said
How fast?
```

## The body

```{lab-code} 01-thing/lab.cpp
:part: kernel
```

```{lab-figure} 01-speed
:name: fig-speed
It falls.
```

```{drawing} 01-door
It opens.
```

```{container}
:name: said
It reaches {measured}`speed`, a {term}`roof`, {cite:p}`maker`; see [home](index.md).
```

```{claim} it-pays
It does not.
```

```{predictions-summary}
```

## Takeaway

:::{admonition} The takeaway
:class: takeaway
**Look.** The mental model: a door.
:::

## Exercises

""" + "".join(f"**{exercise}.** What?\n\n{SOLUTION}\n" for exercise in ("1. By hand", "2. By hand", "3. Change the lab")) + """## Go deeper

**Conceptual.** One.

**Architecture.** Two.

**Implementation.** Three.

## Run it yourself

```{lab-card} 01-thing
```
"""


@pytest.fixture
def book(tmp_path):
    """A small book without problems."""
    files = {
        "chapters/01-thing.md": CHAPTER,
        "chapters/index.md": "# Home\n\n[a page](https://example.org/)\n",
        "chapters/glossary.md": "# Glossary\n\n{.glossary}\nRoof\n: A limit.\n",
        "chapters/references.bib": "@misc{maker,\n  year = {2026}\n}\n",
        "labs/01-thing/lab.cpp": '// [begin: kernel]\nauto id = "speed";\n// [end: kernel]\n',
        "figures/01-speed.gp": "plot 1\n",
        "drawings/01-thing.py": 'write_all(Sketch(\n    "01-door", 100, "A door", "It opens."))\n',
        "labs/01-thing/claims.json": json.dumps([{"id": "it-pays", "text": "It pays.", "value": "speed", "bound": ">= 2"}]),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    shutil.copy(PROJECT / "book.toml", tmp_path)
    return tmp_path


def change(book, old, new):
    """Replaces a text of the chapter."""
    page = book / "chapters/01-thing.md"
    assert old in page.read_text()
    page.write_text(page.read_text().replace(old, new, 1))


def run(book):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        return subprocess.CompletedProcess([], check.main(book), stderr=said.getvalue())


def test_a_book_in_order_passes(book):
    result = run(book)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(("old", "new", "problem"), [
    (":class: promise", ":class: note", "the promise (an admonition of class promise) is missing"),
    ("## The body\n", "```{predict} a\nHow?\n```\n\n```{predict} b\nHow?\n```\n\n## The body\n", "3 questions before the first section, but at most 2: put each above the figure"),
    ("```{lab-code} 01-thing/lab.cpp\n:part: kernel\n```", "", "an excerpt of the lab ({lab-code}) is missing"),
    ("## Takeaway", "## Takeaways", "## Takeaway is missing"),
    ("mental model", "idea", "the mental model is missing"),
    ("## Go deeper", "## Deeper", "## Go deeper is missing"),
    ("**Architecture.**", "**Building.**", "**Architecture.** is missing"),
    ("## Run it yourself", "## Run", "## Run it yourself is missing"),
    ("```{lab-card} 01-thing\n```", "", "the lab card ({lab-card}) is missing"),
    ("**3. Change the lab.**", "**3. By hand.**", "no exercise begins with **N. Change the lab.**"),
    ("**2. By hand.**", "**4. By hand.**", "exercise 2 is misnumbered"),
    (":collapsible: closed", "", "exercise 1 has no hidden solution"),
    ("{lab-figure} 01-speed", "{lab-figure} 01-spede", "figures/01-speed.gp is not shown"),
    ("{drawing} 01-door", "{drawing} 01-dor", "drawings/01-thing.py draws 01-door, which is not shown"),
    ("{claim} it-pays", "{claim} it-costs", "how-fast reveals it-pays, which is neither a :name: nor a claim"),
    ("question: How fast?\n", "", "its front matter has no question:"),
    ("card: 01-speed", "card: 01-spede", "its front matter has no card:"),
    ("{predict} how-fast", "{note} how-fast", "a question to answer ({predict}) is missing"),
    (":reveals: fig-speed", ":reveals: fig-spede", "how-fast reveals fig-spede, which is neither a :name: nor a claim"),
    (":reveals: fig-speed it-pays said", ":reveals: fig-speed it-pays", "01-thing.md:39: speed answers the question how-fast"),
    ("```{predictions-summary}\n```", "", "the reader's answers are never summed up"),
    ("Guess.", "Guess 171 GFLOP/s.", '01-thing.md:13: "171 GFLOP/s" is typed by hand'),
    ("Guess.", "| a | b |\n|---|---|\n| c | {measured}`speed|plain` |", "01-thing.md:15: {measured}`speed ends at its bar"),
])
def test_each_fault_is_named(book, old, new, problem):
    change(book, old, new)
    result = run(book)
    assert result.returncode == 1
    assert problem in result.stderr
    assert all(line.startswith(("chapters/01-thing.md:", "labs/01-thing/")) for line in result.stderr.splitlines())


def test_a_book_without_rules_for_its_chapters_is_not_told_of_parts(book):
    (book / "book.toml").write_text("[chapter]\n")
    (book / "labs/01-thing/claims.json").unlink()
    (book / "chapters/01-thing.md").write_text("# Thing\n\nIt takes 3 ns.\n\n```{lab-code} 01-thing/lab.cpp\n:part: kernel\n```\n"
                                               "\n```{lab-figure} 01-speed\n```\n\n```{drawing} 01-door\n```\n")
    assert run(book).stderr == 'chapters/01-thing.md:3: "3 ns" is typed by hand: use {measured}, or quote it with a {cite}\n'


def test_a_problem_fails_a_strict_build_with_its_line(book):
    (book / "site").mkdir()
    (book / "site/conf.py").write_text('extensions = ["myst_parser", "press"]\nhtml_theme = "press"\n')
    for page in (book / "chapters").iterdir():
        page.unlink()
    (book / "chapters/index.md").write_text("# Home\n\nIt takes 3 ns.\n")
    build = lambda: subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "-c", "site", "chapters", "out"], cwd=book, check=False,
                                   text=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(PROJECT / "site")})  # fmt: skip
    run = build()
    assert run.returncode and 'chapters/index.md:3: WARNING: "3 ns" is typed by hand' in run.stderr
    (book / "book.toml").write_text("")
    assert (build().returncode, build().stderr) == (0, "")


@pytest.mark.parametrize(("text", "said"), [
    ("title = 7 8", "book.toml: "), ("titles = 'A'", "book.toml: titles: expected one of title, "),
    ("chapter = 7", "book.toml: chapter: expected a table"), ("[title]", "book.toml: title: expected text"),
])  # fmt: skip
def test_a_book_toml_with_a_mistake_is_named(book, capsys, text, said):
    (book / "book.toml").write_text(text)
    with pytest.raises(SystemExit):
        read_book(book)
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_link_of_a_page_beside_the_book_leads_to_a_file(book):
    (book / "README.md").write_text("# Book\n\n[here](chapters/index.md) and [there](chapters/none.md#part)\n")
    assert run(book).stderr == "README.md:3: the link to chapters/none.md#part leads nowhere\n"


def test_an_escaped_bar_belongs_to_its_role(book):
    change(book, ":name: said\n", ":name: said\n| a | b |\n|---|---|\n| c | {measured}`speed\\|plain` |\n\n")
    assert run(book).returncode == 0


def test_a_part_that_nobody_quotes_is_found(book):
    source = book / "labs/01-thing/lab.cpp"
    source.write_text(f"{source.read_text()}// [begin: tail]\n// [end: tail]\n")
    line = len(source.read_text().splitlines()) - 1
    assert f'labs/01-thing/lab.cpp:{line}: no chapter quotes the part "tail"' in run(book).stderr


def test_parts_in_another_order_are_found(book):
    takeaway = CHAPTER[CHAPTER.index("## Takeaway"):CHAPTER.index("## Exercises")]
    change(book, takeaway, "")
    change(book, "## Go deeper", f"{takeaway}## Go deeper")
    assert "## Exercises is in the wrong place" in run(book).stderr


def test_too_few_exercises_are_found(book):
    change(book, f"**2. By hand.** What?\n\n{SOLUTION}\n**3.", "**2.")
    assert "2 exercises: expected 3 to 6" in run(book).stderr


def test_what_is_pending_need_not_be_measured_but_must_be_named(book):
    change(book, "{measured}`speed`", "{measured}`speedy|pending`")
    assert 'no source in labs/01-thing/ records "speedy"' in run(book).stderr
    source = book / "labs/01-thing/lab.cpp"
    source.write_text(source.read_text() + 'auto id = "speedy";\n')
    assert run(book).stderr == ""


def test_what_is_pending_may_be_made_of_parts(book):
    change(book, "{measured}`speed`", "{measured}`speed_gpu|pending`")
    source = book / "labs/01-thing/lab.cpp"
    source.write_text(source.read_text() + 'for (auto where : {"cpu", "gpu"}) record("speed_" + where);\n')
    assert run(book).stderr == ""
    source.write_text(source.read_text().replace('"speed_"', '"speed"'))
    assert 'no source in labs/01-thing/ records "speed_gpu"' in run(book).stderr


def test_a_lab_without_a_chapter_is_found(book):
    (book / "labs/02-other").mkdir()
    (book / "labs/02-other/lab.cpp").touch()
    assert "labs/02-other/lab.cpp:1: chapters/02-other.md is missing" in run(book).stderr


def test_the_drawings_that_this_books_scripts_name_are_those_that_they_draw(root, tmp_path):
    for script in sorted((root / "drawings").glob("[0-9][0-9]-*.py")):
        folder = tmp_path / script.stem
        folder.mkdir()
        subprocess.run([sys.executable, script, folder], check=True)
        assert sorted(check.drawings(root, script.name[:2])) == sorted(svg.stem for svg in folder.iterdir()) != []


CLAIM = "```{claim} a\nNo.\n```\n\n"


def too_many(text):
    return [problem for _, problem in check.claim_problems(RULES, parse(text)[1])]


def test_six_claims_stand_in_the_open_and_any_number_in_folds():
    assert too_many(CLAIM * 6) == []
    assert too_many(CLAIM * 7) == ["7 claims shown, but at most 6 allowed: drop those that carry no argument"]
    assert too_many(f"````{{second-reading}} More\n{CLAIM * 9}````\n") == []
    assert too_many(f"````{{admonition}} Solution\n:class: solution\n\n{CLAIM * 9}````\n") == []


def test_a_question_may_name_its_bound_and_nothing_else_may():
    question = "```{predict} a\n:value: share\nIs it at least 80%% of that, %s?\n```"
    assert numbers(question % "or not") == []
    assert len(numbers(question % "which is 3 GB/s")) == 1
    assert len(numbers("It keeps at least 80% of that.")) == 1


GLOSSARY = """# Glossary

{.glossary}
Cache
: Small memory.

Page
: A piece of memory.

ZeRO
: A way to train.
"""


@pytest.fixture
def road(book):
    """road(text, text of the next chapter): the problems of two chapters, the first of which has `text` in place of one
    sentence."""
    def said(first, second=""):
        (book / "chapters/glossary.md").write_text(GLOSSARY)
        (book / "chapters/01-thing.md").write_text(CHAPTER.replace("It reaches {measured}", f"{first}\n\nIt reaches {{measured}}"))
        (book / "chapters/02-more.md").write_text(f"# More\n\nAbout caches.\n\n{second}")
        return [line for line in run(book).stderr.splitlines() if "is used before" in line or "is shown" in line]
    return said


@pytest.mark.parametrize("first", [
    "A **cache** is small. Caches are fast.",
    "The {term}`caches <Cache>` are small. A cache is fast.",
    "Caches are fast: a **{term}`cache`** is small.",
    "Each `cache` has $cache$ lines, and is cached; zero of them have a page.",
    "````{second-reading} More\nA cache.\n````",
])  # fmt: skip
def test_a_term_is_defined_in_the_section_that_first_uses_it(road, first):
    assert road(first, "## One\n\nA **cache**, **ZeRO** and a **page**.") == []


@pytest.mark.parametrize(("first", "second", "said"), [
    ("A cache is fast.", "## One\n\nA **cache** is small.", '"cache" is used before 02-more.md:7 defines it'),
    ("A cache is fast.", "A {term}`cache <Cache>`.", '"cache" is used before 02-more.md:5 defines it'),
    ("Caches are fast.\n\n## Next\n\nA **cache** is small.", "", '"Caches" is used before 01-thing.md:43 defines it'),
    ("ZeRO is fast.\n\n## Next\n\n**ZeRO** is a way.", "", '"ZeRO" is used before'),
])  # fmt: skip
def test_a_term_that_is_used_before_is_found(road, first, second, said):
    (line,) = road(first, second)
    assert line.startswith("chapters/01-thing.md:39: ") and said in line


def test_the_head_of_a_chapter_may_name_the_terms_that_it_defines(road):
    assert road("Fine.", "## One\n\nA **cache** is small.") == []


@pytest.mark.parametrize(("first", "found"), [
    ("See {numref}`fig-far`.\n\n## Next\n\n```{drawing} 01-d\n:name: fig-far\nIt opens.\n```", []),
    ("See {numref}`this <fig-far>`.\n\n## Next\n\nText.\n\n## Later\n\n```{drawing} 01-d\n:name: fig-far\nIt opens.\n```",
     ["chapters/01-thing.md:39: fig-far is shown 2 sections further down: say it there, or show the figure earlier"]),
    ("See {numref}`fig-next` and {numref}`a-section`.", ["chapters/01-thing.md:39: fig-next is shown in 02-more.md: say it there, or show the figure earlier"]),
])  # fmt: skip
def test_a_figure_is_mentioned_where_it_is_near(road, first, found):
    assert [line for line in road(first, "```{drawing} 01-door\n:name: fig-next\nIt opens.\n```\n\nSee {numref}`fig-speed`.") if "fig" in line] == found
