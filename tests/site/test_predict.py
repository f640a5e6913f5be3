"""{predict}, {predict-table}, {predict-scores}, {predictions-summary}: the questions, and each machine's answers."""

import json
import re

import pytest
from conftest import add_value, change_value, drop_value

SIDE = """
```{predict} ridge
:value: 01-roofline/ridge_flop_per_byte
:choices: little < 4 | much >= 4
:reveals: fig-small simd-pays
A byte takes as *long* as how many FLOPs?
```
"""
NUMBER = """
```{predict} share
:value: 01-roofline/vector_add_peak_share
:range: 0.1 100
:style: percent
What share of the peak?
```
"""
TABLE = """
```{predict-table} kernels
Which waits for what?

| kernel | what |
|---|---|
| naive matmul | three loops |
| dot | `s += a[i] * b[i]` |
```

```{predict-scores} kernels
:name: kernels-scored
```
"""


def answers(page: str) -> list[dict]:
    """The script's data for each answer, and the words beside it."""
    found = re.findall(r'<p class="hf-predict-answer"(?: data-answer="([^"]*)")?>(.*?)</p>', page)
    return [{"answer": answer, "words": re.sub(r"\s", " ", words)} for answer, words in found]


def built(site, text: str, *edits) -> str:
    site.shown(f"# Page\n{text}", *edits)
    return site.html()


def test_a_side_is_the_first_choice_whose_bound_is_kept(site):
    page = built(site, SIDE)
    assert answers(page) == [{"answer": "1", "words": "“much” is right. Measured on this machine: 10.6 FLOP/byte (10.5–10.7)."}]
    assert re.findall(r'data-choice="(\d)">(.*?)<', page) == [("0", "little"), ("1", "much")]
    assert 'data-reveals="fig-small simd-pays"' in page and "as <em>long</em> as" in page
    by_gain = SIDE.replace("ridge_flop_per_byte", "cache_gain")
    assert answers(built(site, by_gain, change_value("cache_gain", 4)))[0]["answer"] == "1"
    assert answers(built(site, by_gain, change_value("cache_gain", 3.9)))[0]["answer"] == "0"


def test_a_number_is_in_what_the_reader_sees(site):
    page = built(site, NUMBER)
    assert answers(page) == [{"answer": "0.5973", "words": "Measured on this machine: 0.597% (0.593–0.605)."}]
    assert 'data-low="0.1"' in page and 'data-high="100"' in page and 'data-unit="%"' in page
    assert 'data-scale="logarithmic"' in page and 'aria-valuetext' not in page


def test_a_point_decides(site):
    page = built(site, """
```{predict} l1
:point: 01-roofline/kernels/GEMV
:range: 0 10
:linear:
How fast?
```
""")
    assert answers(page)[0]["answer"] == "7.963"
    slow = built(site, "\n```{predict} slow\n:point: 01-roofline/kernels/vector add\n:range: 0.1 10\nHow fast?\n```\n")
    assert answers(slow)[0]["words"].startswith("Measured on this machine: 1.00 GFLOP/s")  # the unit of the slider
    assert 'data-unit="GFLOP/s"' in page and 'data-scale="linear"' in page


@pytest.mark.parametrize("options, answer, words", [
    (":answer: 766\n:range: 1 1e6", "766", "The answer: 766."),
    (":answer: 1.8\n:unit: MB\n:range: 0.001 1000", "1.8", "The answer: 1.8 MB."),
    (":answer: range\n:choices: precision | range", "1", "The answer: range."),
])
def test_some_answers_need_no_machine(site, options, answer, words):
    page = built(site, f"\n```{{predict}} known\n{options}\nWhat is it?\n```\n")
    assert answers(page) == [{"answer": answer, "words": words}]


def test_the_answer_may_be_another_machines(site):
    site.record(drop_value("cache_gain"))
    site.record(lambda record: None, published="other-machine")
    site.built("# Page\n" + SIDE.replace("ridge_flop_per_byte", "cache_gain"))
    assert answers(site.html())[0]["words"] == "“much” is right. Measured on Fixture · 2: 22.9 (22.6–23.1)."


def test_what_nobody_has_measured_may_be_asked(site):
    asked = SIDE.replace("ridge_flop_per_byte", "gpu_width")
    site.record()
    site.fails('predict ridge: build/records/01-roofline.json has no value "gpu_width"', page="# Page\n" + asked)
    page = built(site, asked.replace(":choices:", ":pending:\n:choices:"))
    assert answers(page) == [{"answer": "", "words": "Not yet measured on any machine."}]
    page = built(site, asked.replace(":choices:", ":pending:\n:choices:"), add_value(id="gpu_width", value=32, unit="1"))
    assert answers(page)[0]["answer"] == "1"


@pytest.mark.parametrize("wrong, said", [
    (SIDE.replace(":value: 01-roofline/ridge_flop_per_byte\n", ""), "needs exactly one of :value:, :point:, :answer:"),
    (SIDE.replace(":choices:", ":range: 1 2\n:choices:"), "needs exactly one of :choices:, :range:"),
    (SIDE.replace("| much >= 4", ""), ":choices: takes two or more"),
    (SIDE.replace(">= 4", ">= 40"), "none of its :choices: fits the answer, 10.62"),
    (SIDE + SIDE, "another question on the page has this id"),
    (SIDE.replace("{predict} ridge", "{predict} The-Ridge"), "an id has lower-case letters"),
    (SIDE.replace("A byte takes as *long* as how many FLOPs?\n", ""), "needs a body"),
    (NUMBER.replace(":style:", ":drawn: fig-small\n:style:"), ":drawn: takes a figure, an axis and perhaps a value"),
    (NUMBER.replace("0.1 100", "100 0.1"), ":range: takes two numbers"),
    (NUMBER.replace("0.1 100", "0 100"), "both above zero unless it is :linear:"),
    (NUMBER.replace(":value: 01-roofline/vector_add_peak_share", ":answer: much"), ':answer: "much" is not a number'),
    (NUMBER.replace(":value: 01-roofline/vector_add_peak_share", ":point: 01-roofline/kernels/none"), 'has no point "none"'),
    (TABLE.replace("naive matmul", "cheap matmul"), 'the lab has no kernel "cheap matmul"'),
    (TABLE.replace("| kernel | what |\n|---|---|\n", ""), "its body must have exactly one table"),
])
def test_a_mistake_is_named(site, wrong, said):
    site.record()
    site.fails(said, page=f"# Page\n{wrong}")
    assert "Not shown" in site.text()


def test_a_table_of_bets(site):
    page = built(site, TABLE)
    told = answers(page)[0]
    assert json.loads(told["answer"].replace("&quot;", '"')) == {"naive matmul": ["itself"], "dot": ["memory"]}
    assert told["words"] == "Measured on this machine. The roofline got 1 of 2 right."
    assert re.findall(r'role="radiogroup" aria-label="(.*?)"', page) == ["naive matmul", "dot"]
    assert page.count('type="radio"') == 6


def test_the_table_of_scores_is_the_records(site):
    built(site, TABLE)
    text = site.text()
    # dot: 4.098 measured, 4.125 predicted, 8 times as fast near; naive matmul: 175 predicted, which is the peak
    assert "dot –memory ✓ memory 8× 1.01×".replace("–m", "– m") in text.replace("\u00a0", " ")
    assert "naive matmul – arithmetic ✗ itself 2.2× 83×" in text.replace("\u00a0", " ")
    assert 'data-bet-of="index/kernels" data-bet-row="dot"' in site.html()
    assert 'id="kernels-scored"' in site.html()


@pytest.mark.parametrize(("near", "said"), [(1.45, "memory ≈ ≈ both"), (1.7, "memory ✓ ≈ both"), (1.1, "memory ✗ arithmetic")])
def test_near_the_threshold_two_answers_are_right(site, near, said):
    def with_a_gain(record):
        cached = next(each for each in record["series"] if each["id"] == "kernels_in_cache")["points"]
        dot = next(point for point in cached if point["label"] == "dot")  # 8 times as fast near
        dot.update({name: dot[name] * near / 8 for name in ("median", "low", "high") if name in dot},
                   samples=[sample * near / 8 for sample in dot["samples"]])
        count = next(each for each in record["values"] if each["id"] == "prediction_sides_right")
        count["value"] -= near < 1.5

    site.shown(f"# Page\n{TABLE}", with_a_gain)
    assert f"dot –{said}".replace("–m", "– m") in site.text().replace("\u00a0", " ")
    right = json.loads(answers(site.html())[0]["answer"].replace("&quot;", '"'))["dot"]
    assert right == (["arithmetic"] if near < 1.2 else ["memory", "arithmetic"])


def test_sides_that_the_lab_told_apart_in_another_way_are_not_shown(site):
    def of_another_lab(record):
        next(each for each in record["values"] if each["id"] == "prediction_sides_right")["value"] = 6

    site.record(of_another_lab)
    site.page(f"# Page\n{TABLE}")
    assert "this page counts 9 sides predicted correctly, but the record's prediction_sides_right is 6" in site.build().said


def test_only_pages_that_ask_load_the_script(site):
    page = built(site, SIDE)
    assert "predict.js" in page and "predict.css" in page
    assert "predict.js" not in built(site, "Nothing is asked.")


def test_markup_in_a_choice_is_words(site):
    page = built(site, SIDE.replace("little <", "<b>little</b> &amp; <"))
    assert '">&lt;b&gt;little&lt;/b&gt; &amp;amp;</button>' in page


def test_search_keeps_what_a_question_hides_by_itself(site):
    built(site, SIDE + "\n```{claim} 01-roofline/simd-pays\nNot here.\n```\n"
          "\n```{claim} 01-roofline/memory-is-slow\nNot here.\n```\n"
          "\n```{container}\n:name: fig-small\nMuch more.\n```\n")
    text = (site.root / "build" / "out" / "_static" / "search-text.js").read_text(encoding="utf-8")
    (*_, seen, _, hidden), = json.loads(text[text.index("(") + 1:text.rindex(")")])[0][3]
    assert "as long as how many FLOPs" in seen and "at least 4 FLOPs" in seen
    (questions, told), = hidden
    assert questions == ["index/ridge"]
    for words in ("Vectors beat", "Much more", "Measured on", "is right"):
        assert words in told and words not in seen


def test_an_answer_is_drawn_at_what_is_made_of_it(site):
    page = built(site, NUMBER.replace(":style: percent", ":style: percent\n:drawn: fig-small y2 * 01-roofline/cache_gain"))
    assert 'data-figure="fig-small"' in page and 'data-axis="y2"' in page
    assert re.search(r'data-answer="0.5973" data-times="22.9"', page)


def test_a_dot_is_dragged_beside_the_mark_or_at_a_place_but_not_in_a_later_plot(site):
    drawn = NUMBER.replace(":style: percent", ":style: percent\n:drawn: fig-small y2 * 01-roofline/cache_gainWHERE")
    for where, attribute in (("", 'data-at=""'), (" at block of two", 'data-at="block of two"')):
        page = built(site, drawn.replace("WHERE", where))
        assert attribute in page and re.search(r'<input type="number" min="0.1" max="100" step="any"', page)
    page = built(site, drawn.replace("WHERE", " later"))
    assert "data-at" not in page and "move the slider" in page and 'type="number"' not in page
