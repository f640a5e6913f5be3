"""The site's formulas compared with the labs': thousands of random cases, computed in the browser and by the C++.

Every run has the same cases, and the weekly run has others too: a failing test prints the seed, and HARDWARE_FIRST_SEED=…
repeats its cases."""

import json
import math
import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ALIKE, PROJECT
from playwright.sync_api import Browser, Page

STATIC = PROJECT / "site" / "book" / "static"
TABLES = PROJECT / "labs" / "05-scaling" / "data" / "planner.json"
SEEDS = [os.environ.get("HARDWARE_FIRST_SEED") or "15", pytest.param(str(secrets.randbits(32)), marks=pytest.mark.slow)]

# answers(cases) -> [[the site's answer, the correct answer], …], for each kind of case.
ANSWERS = {
    "roofline/roof": """c => [{seconds: r.seconds(c, c.work), side: r.side(c, c.work), ridge: r.ridge(c),
        intensity: c.work.flops / c.work.bytes, traffic: r.traffic(c.work)}, c.answer]""",
    "roofline/product": "c => [r.product(c), c.answer]",
    "roofline/convolution": """c => [{parts: r.convolution({...c, inputs: c.in, outputs: c.out}), places: r.places(c)},
        {parts: c.answer, places: c.places}]""",
    "roofline/attention": "c => [r.attention(c), c.answer]",
    "roofline/chain": "c => [r.chain(c), [c.answer]]",
    "array/formula": "c => [s.cycles(c.dataflow, c, c, c.twice).total, c.answer]",
    "array/simulated": """c => { const {active, shift, drain, total, macs, utilisation} = s.cycles(c.dataflow, c, c, c.twice);
        return [{active, shift, drain, cycles: total, macs, utilisation}, c.answer]; }""",
    "planner/step": """c => { const time = p.stepTime(chip[c.chip], model[c.model], c.plan), total = p.total(time);
        return [{time, total, memory: p.memoryUse(model[c.model], c.plan), limits: names[p.whatLimits(time)],
                 mfu: p.mfu(chip[c.chip], model[c.model], c.plan, total), name: p.shortName(c.plan),
                 fits: p.complaint(c.plan, model[c.model]) === ""}, c.answer]; }""",
    "planner/shape": """c => { const mine = p.gpt(c.layers, c.hidden, c.heads);
        return [{flops: p.modelFlops(mine, c.batch, c.sequence),
                 layer: p.layerWeights(mine)}, c.answer]; }""",
    "planner/wire": """c => { const wire = p.wireBetween(chip[c.chip], c.stride, c.size, c.axes);
        return [{...wire, ring: p.ringSeconds(wire, c.size, c.bytes)}, c.answer]; }""",
    "planner/product": "c => [p.productSeconds(chip[c.chip], c), c.answer]",
    "planner/search": """c => { const job = {...c, chip: chip[c.chip], shape: model[c.model]}, walk = p.search(job, 5);
        let step; do step = walk.next(); while (!step.done);
        return [step.value.map(({plan, memory, seconds}) => ({plan, total: seconds, memory: p.memoryTotal(memory)})),
                c.answer]; }""",
}
ASK = """text => {  // as text, which is quicker
    const [cases, tables] = JSON.parse(text);
    const {roofline: r, systolic: s, planner: p} = window.press;
    const names = {arithmetic: "arithmetic", memory: "memory", tensor: "tensor links", network: "network",
                   bubble: "bubble"};
    const named = list => Object.fromEntries(list.map(one => [one.name, one]));
    const chip = named(tables.chips), model = named(tables.models);
    p.use(tables);
    return JSON.stringify(cases.map(%s));
}"""


@pytest.fixture(scope="session")
def formulas() -> Path:
    program = Path(os.environ.get("HARDWARE_FIRST_FORMULAS") or
                   PROJECT / "build" / "tests" / "site" / "formulas" / "formulas")
    if not program.exists():
        pytest.fail(f"{program} is missing: run tools/build formulas", pytrace=False)
    return program


@pytest.fixture(scope="session", params=SEEDS, ids=["fixed", "random"])
def cases(request, formulas) -> tuple[str, dict]:
    said = subprocess.run([formulas, request.param], capture_output=True, text=True, check=True).stdout
    return request.param, json.loads(said)


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    for script in sorted(STATIC.glob("formulas-*.js")):
        page.add_script_tag(path=script)
    yield page
    page.close()


def same(said: object, right: object) -> bool:
    """Equal to twelve digits; a compiler may contract a product and a sum, but a browser may not."""
    if isinstance(right, dict):
        return said.keys() == right.keys() and all(same(said[key], right[key]) for key in right)
    if is_ranking(right):
        return is_ranking(said) and same_ranking(said, right)
    if isinstance(right, list):
        return len(said) == len(right) and all(map(same, said, right))
    if isinstance(right, float | int) and not isinstance(right, bool):
        return math.isclose(said, right, rel_tol=1e-12)
    return said == right


def is_ranking(plans: object) -> bool:
    return isinstance(plans, list) and bool(plans) and all(isinstance(each, dict) and "plan" in each for each in plans)


def same_ranking(said: list[dict], right: list[dict]) -> bool:
    """The same plans, the fastest first. Plans that are equally fast have no order, and any of them may be last."""
    equally_fast = lambda one, other: math.isclose(one["total"], other["total"], rel_tol=1e-12)
    return len(said) == len(right) and all(map(equally_fast, said, right)) and all(
        equally_fast(plan, right[-1]) or any(same(plan, each) for each in right if equally_fast(plan, each))
        for plan in said)


def test_plans_that_are_equally_fast_have_no_order():
    fast, one, other = ({"plan": {"tensor": tensor}, "total": seconds} for tensor, seconds in ((1, 1.0), (2, 2.0), (4, 2.0)))
    assert same([fast, one, other], [fast, other, one]) and same([fast, one], [fast, other])
    assert not same([one, fast], [fast, one]) and not same([{**fast, "plan": {"tensor": 8}}, one], [fast, one])


@pytest.mark.parametrize("kind", ANSWERS)
def test_the_browser_answers_as_the_labs_do(cases, page, kind):
    seed, asked = cases
    group, name = kind.split("/")
    asked = asked[group][name]
    assert asked
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    answered = json.loads(page.evaluate(ASK % ANSWERS[kind], json.dumps([asked, tables])))
    wrong = [(case, said) for case, (said, right) in zip(asked, answered, strict=True) if not same(said, right)]
    assert not wrong, f"seed {seed}: {len(wrong)} of {len(asked)}, the first: {wrong[0]}"


def test_a_browser_decides_and_rounds_as_the_labs_and_the_book_do(page):
    page.evaluate("window.press ??= {}")
    for script in ("this-browser.js", "widget.js"):
        page.add_script_tag(path=STATIC / script)
    decided, rounded = page.evaluate("""({bounds, numbers}) => [bounds.map(([low, high, bound]) =>
        press.answer(low, high, bound)), numbers.map(([number]) => press.format.digits(number))]""", ALIKE)
    assert decided == [says for *_, says in ALIKE["bounds"]]
    assert rounded == [text for _, text in ALIKE["numbers"]]
