"""The book on a host with its own Content-Security-Policy, and a GPU that goes away."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from test_storage import FORBIDDEN, LOST
from whole import PROJECT, Visit

# The policy that the README recommends.
README = " ".join(re.search(r"must allow at least\s+`([^`]*)`", (PROJECT / "README.md").read_text(encoding="utf-8"))[1].split())
TRUSTED = "require-trusted-types-for 'script'"
GPU = (Path(__file__).parent / "fixtures" / "gpu.js").read_text(encoding="utf-8")
STEPS = ("checking its results", "copying", "loads in flight", "naive matrix product", "tiled matrix product",
         "launching kernels", "checking its results again")
HIDDEN = """
  Object.defineProperty(document, "hidden", {value: true, configurable: true});
  document.dispatchEvent(new Event("visibilitychange"));
  delete document.hidden;
"""
FOUND = {"copy": 2e11, "naive": 5e11, "tiled": 1e12, "launch": 4e-6, "answer": 8.4e-5}  # by the clock of fixtures/gpu.js
ABSURD = {"copy": 7.81e14, "n": 1024, "naive": 5.97e15, "tiled": 1e12, "launch": 4e-6, "answer": 8e-5,
          "flight": [[1024, 3e9], [4096, 1e10], [16384, 3e10]]}
POSSIBLE = {"copy": 1e11, "naive": 1e12}


def visit(browser: Browser, address: str, policy: str = "", code: str = "") -> Visit:
    """A visit to a page that begins with a script and whose host sends a policy with each answer."""
    opened = Visit(browser, "about:blank")

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "content-security-policy": policy})

    if policy:
        opened.page.route("**/*", answer)
    opened.page.add_init_script(code)
    opened.page.goto(address, wait_until="load")
    return opened


@pytest.mark.parametrize(("address", "press", "shows"), [
    ("search.html?q=roofline", "", ".hf-found li"),
    ("machines.html", "", ".hf-pair svg"),
    ("01-roofline.html", ".hf-compare button", ".hf-beside svg"),
    ("01-roofline.html", ".hf-widget-roofline", ".hf-widget-roofline form"),
    ("04-tpu.html", ".hf-widget-array", ".hf-widget-array form"),
    ("05-scaling.html", ".hf-widget-planner", ".hf-widget-planner form"),
    ("06-precision.html", ".hf-float-bits", ".hf-float-bits button"),
    ("measure.html", "text=Measure the GPU too", ".hf-gpu table"),
    ("03-gpu.html", ".hf-reader-gpu", ".hf-reader-gpu svg"),
])
def test_the_scripts_work_where_trusted_types_are_required(browser, served, address, press, shows):
    code = f"({GPU})(); localStorage['hardware-first:measured-gpu'] = '{json.dumps(ABSURD | POSSIBLE)}';"
    with visit(browser, served + address, f"{TRUSTED}; trusted-types hardware-first", code) as opened:
        if press:
            opened.page.locator(press).first.scroll_into_view_if_needed()
            opened.page.locator(press).first.click()
        expect(opened.page.locator(shows).first).to_be_visible()
        assert opened.errors == []


def test_another_machine_is_shown_where_trusted_types_are_required(browser, served):
    with visit(browser, f"{served}01-roofline.html", TRUSTED) as opened:
        select = opened.page.locator("#hf-machine select")
        select.select_option(index=1)
        opened.page.wait_for_function("slug => press.machine === slug", arg=select.input_value())
        assert opened.errors == []


@pytest.mark.parametrize(("policy", "says"), [
    (TRUSTED, "Measuring"),
    (f"{README}; {TRUSTED}; trusted-types hardware-first", "Measuring"),
    ("default-src 'self'", "host forbids measuring"),
    ("worker-src 'none'", "host forbids measuring"),
    ("script-src 'self'; worker-src blob:", "host forbids measuring"),
])
def test_measuring_works_or_names_the_policy(browser, served, compiled, policy, says):
    with visit(browser, f"{served}measure.html", policy) as opened:
        opened.page.get_by_label("your guess").press("ArrowRight")
        opened.page.get_by_role("button", name="Measure", exact=True).click()
        expect(opened.page.locator("[data-widget=measure] .hf-outcome")).to_contain_text(says)
        if says != "Measuring":
            expect(opened.page.locator("[data-widget=measure] form [type=submit]").first).to_be_enabled()
        else:
            expect(opened.page.locator(".hf-doing").first).to_contain_text("arithmetic")


def stored(page: Page) -> dict | None:
    return json.loads(page.evaluate("press.stored('measured-gpu')") or "null")


@pytest.mark.parametrize(("failure", "says"), [
    ("lose()", "The GPU became unavailable"),
    ("driverFails()", "driver reported an error: Out of memory."),
    (HIDDEN, "this tab was hidden"),
])
def test_a_gpu_run_that_fails_at_any_step_ends_in_words_and_can_start_again(browser, served, failure, says):
    with visit(browser, f"{served}measure.html", code=f"({GPU})()") as opened:
        page, ask = opened.page, opened.page.get_by_role("button", name="Measure the GPU too")
        others = page.locator("[data-widget=measure] form [type=submit]").first

        def measure(step: str, press: Callable[[], None] = ask.dblclick) -> None:
            page.evaluate("step => { stopAt = `Measuring the GPU: ${step}`; stuck = false; }", step)
            ask.scroll_into_view_if_needed()
            before = ask.bounding_box()
            press()
            assert ask.bounding_box() == before  # a second click finds the button again, not what it would have moved away for

        def fail(step: str) -> None:
            measure(step)
            page.wait_for_function("() => stuck")
            expect(ask).to_be_disabled()
            expect(others).to_be_disabled()
            page.evaluate(f"() => {{ {failure} }}")
            expect(page.locator(".hf-gpu")).to_contain_text(says)
            expect(page.locator(".hf-gpu :is(svg, table)")).to_have_count(0)
            expect(ask).to_be_enabled()
            expect(others).to_be_enabled()

        for step in STEPS:
            fail(step)
            assert stored(page) is None
        measure("no step", ask.click)  # this run is over before a second click, which would begin another
        expect(page.locator(".hf-gpu tr")).to_have_count(8)
        found = stored(page)
        assert {name: found[name] for name in FOUND} == pytest.approx(FOUND)
        fail(STEPS[-1])
        assert stored(page) == found
        assert page.evaluate("[devices, alive]") == [len(STEPS) + 2, 0]
        assert opened.errors == []


@pytest.mark.parametrize("what", FORBIDDEN)
def test_gpu_results_that_are_not_stored_are_shown_and_said_to_be_lost(browser, served, what):
    with visit(browser, f"{served}measure.html", code=f"({GPU})(); {FORBIDDEN[what]}") as opened:
        opened.page.get_by_role("button", name="Measure the GPU too").click()
        expect(opened.page.locator(".hf-gpu tr")).to_have_count(8)
        expect(opened.page.locator(".hf-gpu")).to_contain_text(LOST)
        assert opened.errors == []


@pytest.mark.parametrize(("code", "says"), [
    ("navigator.gpu.requestAdapter = async () => ({requestDevice() { throw new Error('limit exceeded'); }});",
     "can’t be measured here. The browser reports: limit exceeded"),
    ("Device.prototype.createComputePipelineAsync = () => { throw new Error('bad shader'); };", "reports: bad shader"),
    ("Object.defineProperty(performance, 'now', {get: () => () => 0});", "sooner than is possible"),
])
def test_a_gpu_that_cannot_be_measured_is_named_each_time(browser, served, code, says):
    with visit(browser, f"{served}measure.html", code=f"({GPU})(); {code}") as opened:
        for _ in range(2):
            opened.page.get_by_role("button", name="Measure the GPU too").click()
            expect(opened.page.locator(".hf-gpu")).to_contain_text(says)
        assert stored(opened.page) is None


@pytest.mark.parametrize("change", [{}, {"copy": 1e11}, {"copy": 1e11, "naive": 1e12, "launch": 1e4},
                                    {"copy": 1e11, "naive": 1e12, "flight": [[16, 1e9], [32, 1e15], [64, 1e9]]}])
def test_absurd_speeds_are_not_shown(browser, served, change):
    with Visit(browser, f"{served}03-gpu.html") as opened:
        opened.page.evaluate("text => press.store('measured-gpu', text)", json.dumps(ABSURD | change))
        opened.page.goto(f"{served}measure.html")
        expect(opened.page.locator(".hf-gpu svg")).to_have_count(0)
        assert opened.page.evaluate("press.rememberedGpu()") is None
