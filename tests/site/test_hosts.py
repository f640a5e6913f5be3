"""The book on a host with its own Content-Security-Policy, in forced colours, and a GPU that goes away."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from whole import PROJECT, Visit

# The policy that the README recommends.
README = " ".join(re.search(r"must allow at least\s+`([^`]*)`", (PROJECT / "README.md").read_text(encoding="utf-8"))[1].split())
TRUSTED = "require-trusted-types-for 'script'"
GPU = """() => {
  class Device extends EventTarget {
    constructor() { super(); this.lost = new Promise((resolve) => { window.lose = () => resolve({reason: "unknown"}); }); }
    destroy() {}
    %s
  }
  window.devices = 0;
  const gpu = {requestAdapter: async () => ({requestDevice: async () => { ++window.devices; %s }})};
  Object.defineProperty(Navigator.prototype, "gpu", {get: () => gpu, configurable: true});
  Object.assign(window, {GPUShaderStage: {COMPUTE: 4}, GPUBufferUsage: {STORAGE: 1, COPY_SRC: 2, COPY_DST: 4, MAP_READ: 8}});
}"""
MAKE = "return window.device = new Device();"
WAITING = "createBindGroupLayout() {} createPipelineLayout() {} createBuffer() {} createBindGroup() {} " \
          "createShaderModule() {} queue = {writeBuffer() {}}; createComputePipelineAsync() { return new Promise(() => {}); }"
ABSURD = {"copy": 7.81e14, "n": 1024, "naive": 5.97e15, "tiled": 1e12, "launch": 4e-6, "answer": 8e-5,
          "flight": [[1024, 3e9], [4096, 1e10], [16384, 3e10]]}


def visit(browser: Browser, address: str, policy: str) -> Visit:
    """A visit to a page whose host sends a policy with each answer."""
    opened = Visit(browser, "about:blank")

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, headers={**response.headers, "content-security-policy": policy})

    opened.page.route("**/*", answer)
    opened.page.goto(address, wait_until="load")
    return opened


def test_the_scripts_work_where_trusted_types_are_required(browser, served):
    with visit(browser, f"{served}01-roofline.html", TRUSTED) as opened:
        page = opened.page
        select = page.locator("#hf-machine select")
        select.select_option(index=1)
        wanted = select.input_value()
        page.wait_for_function("slug => hardwareFirst.machine === slug", arg=wanted)
        page.goto(f"{served}search.html?q=roofline")
        expect(page.locator(".hf-found li").first).to_be_visible()
        page.goto(f"{served}machines.html")
        expect(page.locator(".hf-pair svg").first).to_be_attached()
        assert opened.errors == []


@pytest.mark.parametrize(("policy", "says"), [
    (TRUSTED, "Measuring"),
    (f"{README}; {TRUSTED}; trusted-types hardware-first", "Measuring"),
    ("default-src 'self'", "host forbids measuring"),
    ("worker-src 'none'", "host forbids measuring"),
    ("script-src 'self'; worker-src blob:", "host forbids measuring"),
])
def test_measuring_works_or_names_the_policy(browser, served, policy, says):
    with visit(browser, f"{served}measure.html", policy) as opened:
        opened.page.get_by_label("How many billion").fill("8")
        opened.page.get_by_role("button", name="Measure", exact=True).click()
        expect(opened.page.locator("[data-widget=measure] output").first).to_contain_text(says)
        if says != "Measuring":
            expect(opened.page.locator("[data-widget=measure] form [type=submit]").first).to_be_enabled()
        else:
            expect(opened.page.locator(".hf-doing").first).to_contain_text("arithmetic")


def gpu_page(browser: Browser, served: str, body: str, make: str) -> Visit:
    opened = Visit(browser, "about:blank")
    opened.page.add_init_script(f"({GPU % (body, make)})()")
    opened.page.goto(f"{served}measure.html")
    return opened


def hide(page: Page) -> None:
    page.evaluate("""() => {
      Object.defineProperty(document, "hidden", {value: true, configurable: true});
      document.dispatchEvent(new Event("visibilitychange"));
      delete document.hidden;
    }""")


@pytest.mark.parametrize(("body", "make", "event", "says"), [
    (WAITING, MAKE, "lose()", "The GPU went away"),
    (WAITING, MAKE, "device.dispatchEvent(Object.assign(new Event('uncapturederror'), {error: {message: 'Out of memory.'}}))",
     "driver reported an error: Out of memory."),
    (WAITING, MAKE, None, "this tab was hidden"),
    ("", "throw new Error('limit exceeded')", "0", "can’t be measured here. The browser reports: limit exceeded"),
    (WAITING.replace("return new Promise(() => {})", "throw new Error('bad shader')"), MAKE, "0", "reports: bad shader"),
])
def test_a_gpu_run_ends_in_words_and_can_start_again(browser, served, body, make, event, says):
    with gpu_page(browser, served, body, make) as opened:
        page, ask = opened.page, opened.page.get_by_role("button", name="Measure the GPU too")
        for devices in (1, 2):
            ask.dblclick() if says == "The GPU went away" else ask.click()
            page.wait_for_function("n => devices === n", arg=devices)
            if make == MAKE and "bad" not in says:
                expect(ask).to_be_disabled()
                expect(page.locator("[data-widget=measure] form [type=submit]").first).to_be_disabled()
            hide(page) if event is None else page.evaluate(event)
            expect(page.locator(".hf-gpu")).to_contain_text(says)
            expect(ask).to_be_enabled()
        assert page.evaluate("hardwareFirst.stored('measured-gpu')") is None
        assert page.evaluate("devices") == 2


@pytest.mark.parametrize("change", [{}, {"copy": 1e11}, {"copy": 1e11, "naive": 1e12, "launch": 1e4},
                                    {"copy": 1e11, "naive": 1e12, "flight": [[16, 1e9], [32, 1e15], [64, 1e9]]}])
def test_absurd_speeds_are_not_shown(browser, served, change):
    with Visit(browser, f"{served}03-gpu.html") as opened:
        opened.page.evaluate("text => hardwareFirst.store('measured-gpu', text)", json.dumps(ABSURD | change))
        opened.page.goto(f"{served}measure.html")
        expect(opened.page.locator(".hf-gpu svg")).to_have_count(0)
        assert opened.page.evaluate("hardwareFirst.rememberedGpu()") is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_forced_colours_override_a_chosen_theme(browser, served, theme):
    with Visit(browser, f"{served}01-roofline.html", forced_colors="active", color_scheme="dark") as opened:
        opened.page.evaluate(f"hardwareFirst.store('theme', '{theme}')")
        opened.page.reload()
        fill, paper = opened.page.evaluate("""() => {
          const text = getComputedStyle(document.querySelector("svg.hf-figure text.f-ink, svg.hf-figure text.f-quiet"));
          return [text.fill, getComputedStyle(document.body).backgroundColor];
        }""")
        assert fill != paper and fill in ("rgb(255, 255, 255)", "rgb(0, 0, 0)")
