"""measure.html: the kernels as WebAssembly compared with references; the page's reaction to unusual clocks, memory and workers;
results in links. Tests that assert times use their own clock, which the kernels advance."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from urllib.parse import parse_qsl

import pytest
from book.browser_lab import KNOWN_TO_BROWSERS
from playwright.sync_api import Browser, Page, Route, expect
from test_access import RULES, violations
from test_storage import FORBIDDEN, LOST
from whole import ADDRESS, PROJECT, Visit, static

sys.path.append(str(PROJECT / "tools"))
from machine_issues import link  # noqa: E402
from machine_issues.records import judged  # noqa: E402

PAGE = "measure.html"
MODULES = ("relaxed", "plain")

# Runs before the worker's own code. A kernel advances the clock by its own time, and is not run if it would be slow. A message
# carries its sender's time, since one thread waits for others. Those may start late.
MACHINE = """
  const wait = setTimeout;
  setTimeout = (run, ms) => wait(run, 100 * ms);
  let virtual = 0;
  Object.defineProperty(navigator, "hardwareConcurrency", {value: 3});
  const STEP = %s, set = {}, real = WebAssembly.instantiate;
  performance.now = () => Math.floor((virtual += 1e-4) / STEP) * STEP;
  const tell = postMessage, hear = ({data}) => { virtual = Math.max(virtual, data.virtual ?? 0); };
  self.postMessage = (told) => tell({...told, virtual});
  addEventListener("message", hear);
  self.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", hear);
    }
    postMessage(sent) { super.postMessage({...sent, virtual}); }
  };
  const costs = {
    peak: (loop, chains, n) => 2 * n * chains * (loop ? 4 : 1) / [10e9, 40e9, 80e9][loop],
    read: (at, count, passes) => 4 * count * passes / (4 * count > 2 ** 25 ? 20e9 : 160e9),
    chase: (together, hops) => hops * (set.lines > 2 ** 18 ? 100e-9 : 2e-9) * Math.max(1, together / 8),
    multiply: (tiled, rows, side) => 2 * rows * side * side / (tiled ? 20e9 : side === 1024 ? .5e9 : 4e9),
  };
  const SHORT = {peak: 1e-6 * 2.5, read: 0, chase: 1e-6, multiply: 5e-5};
  WebAssembly.instantiate = async (bytes) => {
    const {instance: {exports}} = await real(bytes), mine = {...exports};
    for (const [name, cost] of Object.entries(costs)) mine[name] = (...of) => {
      virtual += 1e3 * cost(...of);
      return cost(...of) < SHORT[name] ? exports[name](...of) : 1;
    };
    mine.grow = (at, lines) => { set.lines = lines; if (lines <= 1024) exports.grow(at, lines); };
    mine.fill = (at, count) => { if (count <= 8192) exports.fill(at, count); };
    return {instance: {exports: mine}};
  };
"""
RIGHT = {"peaks": [10, 40, 80], "naive": [4, .5, 4], "tiled": 20, "reads": [160] * 13 + [20] * 3,
         "waits": [2] * 12 + [100] * 4, "chases": [100, 50, 25, 12.5, 12.5], "all": [3, 240, 60]}
# A worker starts with the test's code; the last worker and its messages are kept for the test.
BEFORE = """code => {
  const Plain = Blob, Own = Worker;
  window.Blob = class extends Plain {
    constructor(parts, how) { super(how?.type === "text/javascript" ? [code, ...parts] : parts, how); }
  };
  window.heard = [];
  window.Worker = class extends Own {
    constructor(...given) {
      super(...given);
      window.last = this;
      this.addEventListener("message", ({data}) => window.heard.push(data));
    }
    postMessage(sent) { super.postMessage({...sent, text: code + sent.text}); } // those that it starts begin so, too
  };
}"""
GIVES = """{
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages) {
    if (pages > %d) throw new RangeError("no");
    return grow.call(this, pages);
  };
}"""

QUICK = "{ const now = performance.now.bind(performance); performance.now = () => 10 * now(); }"


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    with Visit(browser, "about:blank") as visit:
        yield visit
        assert visit.errors == []


@pytest.fixture
def at(visit: Visit, served: str, compiled: None) -> Callable[..., Page]:
    """at(code) opens the page; its workers start with that code."""
    page = visit.page

    def open_page(code: str = "", hash: str = "", base: str = served) -> Page:
        page.goto("about:blank")
        page.goto(f"{base}{PAGE}{hash}")
        page.evaluate(f"code => ({BEFORE})(code)", code)
        return page

    return open_page


def press(page: Page, guess: str = "8") -> None:
    page.get_by_label("your guess").evaluate("""(slider, guess) => {
      slider.value = Math.round(slider.max * Math.log(guess) / Math.log(1000));
      slider.dispatchEvent(new Event("input", {bubbles: true})); }""", float(guess))
    page.get_by_role("button", name="Measure", exact=True).click()


def said(page: Page):
    return page.locator("[data-widget=measure] .hf-outcome")


def result(page: Page) -> dict:
    """The results, once everything is measured."""
    expect(page.get_by_role("link", name="Link to this result")).to_be_visible(timeout=300_000)
    return page.evaluate("heard.at(-1).result")


# ---- The kernels ----

ANSWERS = """async ([name, ask]) => {
  const {modules} = JSON.parse(document.querySelector("[data-widget=measure] script").textContent);
  const bytes = Uint8Array.from(atob(modules[name]), c => c.charCodeAt(0));
  const k = (await WebAssembly.instantiate(bytes)).instance.exports;
  const base = 65536 * k.memory.grow(16), floats = (at, n) => [...new Float32Array(k.memory.buffer, at, n)];
  return (%s)(k, base, floats);
}"""


@pytest.fixture(params=range(len(MODULES)), ids=MODULES)
def ask(request, at) -> Callable[[str], list]:
    """ask(code): the module's answer to (kernels, base, floats) => …."""
    return lambda code: at().evaluate(ANSWERS % code, [request.param, code])


def random_number(index: int) -> float:
    """The same as in labs/kit/random.hpp, for sequence 0."""
    x = (index + 1) * 0x9e3779b97f4a7c15 % 2**64
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    x = (x ^ x >> 27) * 0x94d049bb133111eb % 2**64
    return (((x ^ x >> 31) >> 40) - 2**23) / 2**23


def test_memory_is_filled_with_the_labs_random_numbers_and_copied(ask):
    filled, copied = ask("""(k, base, floats) => {
        k.fill(base, 1000);
        k.copy(base + 4096, base, 256, 2);
        return [floats(base, 1000), floats(base + 4096, 257)]; }""")
    right = [random_number(i) for i in range(1000)]
    assert filled == right and copied == [*right[:256], 0]


def test_the_loops_of_arithmetic_do_what_they_say(ask, request):
    found = ask("k => [0, 1, 2].map(loop => [12, 24].map(chains => [1, 2, 3].map(n => k.peak(loop, chains, n, .5, .25))))")
    for loop, of_loop in enumerate(found):
        for chains, of_chains in zip((12, 24), of_loop, strict=True):
            for n, sum_of_lanes in enumerate(of_chains, 1):
                each = [chain * .5**n + .25 * sum(.5**i for i in range(n)) for chain in range(chains)]
                fused = loop < 2 or "relaxed" in request.node.name
                assert sum_of_lanes == (pytest.approx(sum(each), rel=1e-6) if fused else 0)


@pytest.mark.parametrize("n", [1, 4, 13, 37])
def test_the_products_are_those_of_the_definition(ask, n):
    a, b = ([random_number(i + part * n * n) for i in range(n * n)] for part in (0, 1))
    for tiled in (0, 1):
        c = ask(f"""(k, base, floats) => {{ k.fill(base, {2 * n * n}); const size = {4 * n * n};
            k.multiply({tiled}, {n}, {n}, base, base + size, base + 2 * size);
            return floats(base + 2 * size, {n * n + 1}); }}""")
        assert c.pop() == 0  # nothing after the last row
        for at, found in enumerate(c):
            terms = [a[at // n * n + p] * b[p * n + at % n] for p in range(n)]
            assert abs(found - sum(terms)) <= n * 2**-23 * sum(map(abs, terms))


def test_a_chase_meets_every_line_once_and_together_they_go_as_alone(ask):
    lines, ends = ask("""(k, base) => {
        k.grow(base, 100);
        k.grow(base, 1000);
        const lines = Array.from({length: 1000}, () => (k.chase(1, 1) - base) / 64);
        return [lines, [1, 2, 4, 8, 16].map(many => { k.spread(); return k.chase(many, 77); })]; }""")
    assert sorted(lines) == list(range(1000)) and lines[-1] == 0
    assert len(set(ends)) == 1


# ---- A run ----

@pytest.mark.parametrize("step", [.005, .1, 1])
def test_it_finds_the_numbers_of_a_machine_whose_clock_is_coarse(at, step):
    page = at(MACHINE % step)
    press(page, "8")
    found = result(page)
    assert found["step"] == pytest.approx(step, rel=.01)
    for name, right in RIGHT.items():
        assert found[name] == pytest.approx(right, rel=.025), name  # a difference of one step in fifty
    told = said(page).inner_text()
    words = re.search(r"One core does ([\d.]+) billion .* You said 7\.9: off by a factor of ([\d.]+)\.", told)
    assert [float(number) for number in words.groups()] == pytest.approx([40, 5], rel=.03)
    means = page.locator(".hf-means").inner_text()
    assert "8 billion weights in Q4_0" in means and "with 3 threads, one for each core" in means
    assert "wastes 95% of its cycles" in means


def test_what_holds_it_up_now_and_then_spoils_nothing(at):
    """From its first progress message on, every sixth reading of the clock is 60 ms late."""
    page = at(MACHINE % .1 + """{
      const now = performance.now, post = postMessage;
      let looks = 0, begun = false;
      self.postMessage = told => { begun ||= "progress" in told; post(told); };
      performance.now = () => { virtual += begun && ++looks % 6 === 0 ? 60 : 0; return now(); };
    }""")
    press(page)
    found = result(page)
    for name, right in RIGHT.items():
        assert found[name] == pytest.approx(right, rel=.025), name
    assert 0 < found["noise"] < 100


def test_tokens_are_bandwidth_over_bytes(at):
    page = at(MACHINE % .1)
    press(page)
    result(page)
    page.locator("[name=format]").select_option("16")
    page.locator("[name=size]").press("Home")  # 0.1 billion weights, 0.2 GB, at 20 GB/s
    means = page.locator(".hf-means").inner_text()
    tokens = re.search(r"([\d.]+) tokens per second on one core here, and ([\d.]+) with 3 threads,", means)
    assert [float(number) for number in tokens.groups()] == pytest.approx([100, 300], rel=.03)


@pytest.mark.parametrize("code", [
    "self.Worker = undefined;",
    "{ const grow = WebAssembly.Memory.prototype.grow; WebAssembly.Memory.prototype.grow = function (pages) {"
    "    if (pages === 1366) throw new RangeError('no'); return grow.call(this, pages); }; }",  # a third of 256 MiB
    "Worker = class extends Worker { postMessage() {} };"  # killed before they answer
    "setTimeout = (run, ms) => wait(run, ms / 100);",
])
def test_without_the_other_cores_it_says_what_one_does(at, code):
    page = at(MACHINE % .1 + code)
    press(page)
    assert result(page)["all"] == [3, 0, 0]
    expect(page.locator("[data-widget=measure] tr", has_text="several threads at once")).to_contain_text("unavailable in")
    expect(page.locator(".hf-means")).to_contain_text("on one core here, because each")


def test_the_other_cores_are_measured_where_the_host_allows_only_the_books_policy(at, visit):
    def answer(route: Route) -> None:
        response, policy = route.fetch(), "require-trusted-types-for 'script'; trusted-types hardware-first"
        route.fulfill(response=response, headers={**response.headers, "content-security-policy": policy})

    visit.page.route(f"**/{PAGE}", answer)
    page = at(MACHINE % .1)
    press(page)
    assert result(page)["all"] == pytest.approx(RIGHT["all"], rel=.025)


# 16 threads on 2 cores: when a thread has worked for 20 ms, the 7 others on its core have their turns.
TAKE_TURNS = """{
  const now = performance.now;
  let helps = false, seen = 0, worked = 0;
  addEventListener("message", ({data}) => { helps ||= "bytes" in data; seen = virtual; });
  performance.now = () => {
    if (helps) for (worked += virtual - seen; worked >= 20; worked -= 20) virtual += 7 * 20;
    seen = virtual;
    return now();
  };
}"""


def test_threads_that_share_cores_are_not_counted_as_cores(at):
    page = at((MACHINE % .1).replace("{value: 3}", "{value: 16}") + TAKE_TURNS)
    press(page)
    threads, flops, read = result(page)["all"]
    assert threads == 16
    # Each thread's 16 MiB are in its cache. What a thread does may end before or after the last wait.
    assert [flops, read] == pytest.approx([2 * 80, 2 * 160], rel=.15)


def test_a_browser_with_one_thread_has_no_others(at):
    page = at((MACHINE % .1).replace("{value: 3}", "{value: 1}"))
    press(page)
    assert result(page)["all"] == pytest.approx([1, 80, 20], rel=.025)
    rows = dict(row.split("\t") for row in page.locator("[data-widget=measure] table").inner_text().splitlines())
    assert rows["cores that the browser reports"] == "1"
    assert not re.search(r"\b1 (threads|cores)|at once", page.locator("[data-widget=measure]").inner_text())


@pytest.mark.timing
def test_a_browser_that_claims_too_many_cores_gets_no_more_out_of_them(at):
    """With the real kernels and clock. Whatever else runs on a core, it does no more than the fastest loop did alone, because
    that is the median of batches far shorter than an operating system's turn. Its clock may be higher by up to a half."""
    cores = len(os.sched_getaffinity(0))
    claim = f'Object.defineProperty(navigator, "hardwareConcurrency", {{value: {8 * cores}}});'
    page = at(claim + QUICK + GIVES % 600)
    press(page)
    found = result(page)
    threads, flops, _ = found["all"]
    assert threads == 8 * cores and 0 < flops <= 1.5 * cores * max(found["peaks"])


@pytest.mark.timing
@pytest.mark.parametrize("base", ["server", "file"], indirect=True)
def test_it_runs_with_the_real_kernels_and_clock(at, base):
    """The real kernels with the real clock, ten times as fast, and with little memory."""
    page = at(QUICK + GIVES % 600, base=base)
    press(page)
    found = result(page)
    assert len(found["reads"]) == len(found["waits"]) == 13  # up to 32 MiB
    numbers = [*found["peaks"][:2], *found["reads"], *found["waits"], *found["chases"], *found["naive"], found["tiled"]]
    assert all(number > 0 for number in numbers)
    expect(page.locator("[data-widget=measure] svg")).to_have_count(3)


@pytest.mark.parametrize(("code", "why"), [
    (MACHINE % 16.7, "This browser's clock ticks every 17 ms"),
    (GIVES % 500, "this browser gives a page less than 32 MiB"),
    ("WebAssembly.validate = () => false;", "WebAssembly has no 128-bit vectors"),
    (MACHINE % .1 + "delete costs.multiply; costs.multiply = () => 1;", "The matrix product kernel gave a wrong result"),
    (MACHINE % .1 + "delete costs.chase; costs.chase = () => 1;", "The chase kernel gave a wrong result"),
    (MACHINE % .1 + "delete costs.peak; costs.peak = () => 1;", "The multiply and add kernel gave a wrong result"),
    ("atob = () => { throw new Error('no code'); };", "The measurement failed: no code"),
    ("throw 1;", "didn't allow the measurement to start"),
])
def test_what_it_cannot_know_it_refuses(at, code, why):
    page = at(code)
    press(page)
    expect(said(page)).to_contain_text(why)
    expect(page.get_by_role("button", name="Measure", exact=True)).to_be_enabled()
    expect(page.locator("[data-widget=measure] table")).to_have_count(0)


def test_a_worker_that_is_killed_is_missed(at, visit):
    page = at()
    page.clock.install()
    page = at("while (true);")
    press(page)
    page.evaluate("last.terminate()")
    page.clock.run_for(19_000)
    expect(said(page)).to_contain_text("Measuring")
    page.clock.run_for(2_000)
    expect(said(page)).to_contain_text("stopped responding")


def test_a_hidden_tab_stops_it_and_so_does_the_reader(at):
    page = at("while (true);")
    press(page)
    page.evaluate("""() => { Object.defineProperty(document, "hidden", {value: true, configurable: true});
                             document.dispatchEvent(new Event("visibilitychange")); delete document.hidden; }""")
    expect(said(page)).to_contain_text("this tab was hidden")
    page.get_by_label("your guess").focus()
    page.keyboard.press("Enter")  # the keyboard is enough
    expect(said(page)).to_contain_text("Measuring")
    page.keyboard.press("Tab")
    expect(page.locator("[name=stop]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("Stopped.")
    expect(page.get_by_role("button", name="Measure", exact=True)).to_be_focused()


# ---- The reader's own numbers ----

SHORT = "slug => press.machines.find(machine => machine.slug === slug).short"


def number(page: Page, value: str):
    return page.locator(f'[data-value="01-roofline/{value}"]:not([data-asks])').first


def test_a_browsers_numbers_stand_in_chapter_01_until_they_are_forgotten(at):
    page = at(MACHINE % .1)
    press(page)
    result(page)
    page.get_by_role("link", name="The book with these numbers").click()
    machine = page.get_by_label("Numbers from")
    expect(machine).to_have_value("this-browser")
    expect(number(page, "bandwidth_dram_all_gbs")).to_contain_class("hf-own")
    for value, right, unit in (("peak_fp32_gflops", 80, "GFLOP/s"), ("ridge_flop_per_byte", 4, "FLOP/byte")):
        shown = number(page, value).inner_text().split()
        assert float(shown[0]) == pytest.approx(right, rel=.03) and shown[1:] == [unit]
    assert page.locator('[data-value="01-roofline/latency_dram_ns"]').count() == 0  # for huge pages, which it lacks

    first, second = page.evaluate("press.machines.slice(0, 2).map(machine => machine.slug)")
    for slug in (second, first):
        machine.select_option(slug)
        expect(page.locator(".hf-own, .hf-this-browser")).to_have_count(0)
        page.wait_for_function("slug => press.machine === slug", arg=slug)
        theirs = number(page, "peak_fp32_gflops").text_content()  # with its interval, which may be hidden
        machine.select_option("this-browser")
        expect(number(page, "peak_fp32_gflops")).not_to_have_text(theirs)
        expect(page.locator(".hf-this-browser")).to_contain_text(f"from {page.evaluate(SHORT, slug)}.")
    page.reload()
    expect(machine).to_have_value("this-browser")
    page.get_by_role("button", name="Forget them").click()
    expect(number(page, "peak_fp32_gflops")).to_have_text(theirs)
    assert page.evaluate("Object.entries(localStorage).filter(([name]) => /measured|browser/.test(name))") == []
    page.reload()
    expect(page.locator("option[value=this-browser], .hf-own, script[src*='this-browser.js']")).to_have_count(0)


# {chapter: its claims' text in a browser with these numbers, and its figures with a line of the browser's}
OWN = {
    "01-roofline": ({"caches-make-a-ladder": "✓ holds"},
                    {"fig-bandwidth", "fig-latency", "fig-roofline"}),
    "02-matmul": ({"powers-of-two-collide": "✓ holds"}, {"fig-conflict"}),
    "03-gpu": ({"chases-scale": "✗ does not hold"}, {"fig-little"}),
}
BESIDE = "?machine=amd-epyc-zen-4-2-cores-vm"  # whose figures have all their points


@pytest.fixture
def remembered(at) -> Page:
    """A page in a browser that has measured, and in which it is the chosen machine."""
    page = at(MACHINE % .1)
    press(page)
    result(page)
    page.evaluate("press.store('this-browser', 'shown')")
    return page


@pytest.mark.parametrize("chapter", OWN)
def test_a_browser_decides_claims_and_is_drawn_into_figures(remembered, served, chapter):
    page, (claims, figures) = remembered, OWN[chapter]
    page.goto(f"{served}{chapter}.html{BESIDE}")
    expect(page.locator(".hf-this-browser")).to_contain_text("Zen 4")
    expect(page.get_by_label("Numbers from")).to_have_value("this-browser")
    for claim, says in claims.items():
        verdict = page.locator(f"#claim-{claim} .hf-own-verdict")
        expect(verdict).to_have_count(1)
        of_claim = re.match(rf"{says} in this browser: ([\d.]+) \(>= ", verdict.text_content())
        assert float(of_claim[1]) == pytest.approx(8, rel=.03)
    expect(page.locator("figure:has(.hf-own-line)")).to_have_count(len(figures))
    drawn = page.locator("figure:has(.hf-own-line)").evaluate_all("all => all.map(({id}) => id)")
    assert set(drawn) == figures
    page.get_by_label("Numbers from").select_option(index=0)
    expect(page.locator(".hf-own, .hf-own-verdict, .hf-own-line")).to_have_count(0)


def test_a_browsers_lines_leave_the_figures_that_they_were_drawn_in_first(remembered, served):
    # Uses a new page: holding requests back waits for all workers of a page, and a worker that is just ending never answers.
    page, asked = remembered.context.new_page(), []
    # The numbers of the machine in the address arrive after the lines.
    page.route("**/_machines/**", lambda route: asked.append(route))
    page.goto(f"{served}03-gpu.html{BESIDE}", wait_until="domcontentloaded")
    expect(page.locator("#fig-little .hf-own-line")).to_have_count(1)
    assert asked
    for route in asked:
        route.continue_()
    expect(page.locator(".hf-this-browser")).to_contain_text("Zen 4")
    page.get_by_label("Numbers from").select_option(index=0)
    expect(page.locator(".hf-own, .hf-own-verdict, .hf-own-line")).to_have_count(0)


def test_a_browsers_line_lies_where_the_axes_say(remembered, served):
    page = remembered
    page.goto(f"{served}01-roofline.html{BESIDE}")
    expect(page.locator(".hf-this-browser")).to_contain_text("Zen 4")
    expect(page.locator("#fig-bandwidth .hf-own-line polyline")).not_to_have_count(0)
    (fifty, hundred), heights = page.locator("#fig-bandwidth svg.hf-figure").first.evaluate("""svg => {
      const texts = [...svg.querySelectorAll("text.f-quiet")];
      const tick = words => {  // the line of the grid that is nearest to its number
        const y = Number(texts.find(({textContent}) => textContent === words).getAttribute("y"));
        const level = path => path.getAttribute("d").match(/,([\\d.]+)L.*,\\1$/)?.[1];
        const levels = [...svg.querySelectorAll("path.s-grid")].map(level).filter(Boolean).map(Number);
        return levels.reduce((a, b) => Math.abs(a - y) < Math.abs(b - y) ? a : b);
      };
      const points = svg.querySelector(".hf-own-line polyline").getAttribute("points").split(" ");
      return [[tick("50"), tick("100")], points.map(point => Number(point.split(",")[1]))];
    }""")
    octave = fifty - hundred  # 160 GB/s from the caches, 20 from beyond
    assert heights[0] == pytest.approx(hundred - .678 * octave, abs=3)
    assert heights[-1] == pytest.approx(fifty + 1.322 * octave, abs=3)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_a_browsers_numbers_are_shown(remembered, served, scheme):
    page = remembered
    page.emulate_media(color_scheme=scheme)
    for chapter in OWN:
        page.goto(f"{served}{chapter}.html")
        expect(page.locator(".hf-this-browser")).to_be_visible()
        assert violations(page, runOnly=RULES) == []


def test_the_values_that_pages_mark_are_those_that_a_browser_knows(at):
    page = at(MACHINE % .1)
    press(page)
    known = page.evaluate("""result => Object.keys(press.valuesInWords(result,
      JSON.parse(document.querySelector("[data-widget=measure] script").textContent).definitions))""", result(page))
    assert sorted(known) == sorted(f"{lab}/{value}" for lab, values in KNOWN_TO_BROWSERS.items() for value in values)


def test_a_browsers_record_is_published_beside_machines(at, record_tool, tmp_path):
    page = at(MACHINE % .1)
    press(page)
    found = result(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a record").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    tell = lambda *words: subprocess.run([record_tool, *words], capture_output=True, text=True, cwd=tmp_path)
    assert tell("check", file).returncode == 0
    record = json.loads(file.read_text())
    assert "cores" not in record["machine"]
    assert "3 threads, one for each core that the browser reports" in record["run"]["notes"][-1]
    assert record["machine"]["cpu"] == page.locator("[data-widget=measure] td").last.inner_text() == "browser on Linux"
    read = json.loads(tell("read", file).stdout)[str(file)]  # with values derived by definition
    assert {value["id"]: value["value"] for value in read["values"]}["ridge_flop_per_byte"] == pytest.approx(4, rel=.03)
    assert [point["median"] for point in record["series"][1]["points"]] == found["waits"]
    records = tmp_path / "figures" / "records" / "my-phone"
    assert tell("publish", file, "--to", records).returncode == 0
    assert not records.exists() and (tmp_path / "figures/browsers/my-phone/01-roofline.json").exists()
    earlier = tmp_path / "01-roofline.json"  # by a page that believed what the browser said
    earlier.write_text(json.dumps(record | {"machine": record["machine"] | {"cores": 3}}))
    assert tell("publish", earlier, "--to", records).returncode == 0
    records.mkdir(parents=True)
    shutil.copy(file, records)  # typed by hand, as if it were a machine's
    assert "/machine/slug: expected a machine, not a browser on it" in tell("check", "--publish", records / file.name).stderr


# ---- Adding a machine ----

@pytest.fixture
def added(at) -> Page:
    """The page with a result, and a machine and a person to be named."""
    page = at(MACHINE % .1)
    press(page)
    result(page)
    expect(page.locator(".hf-add a")).to_have_attribute("href", re.compile("record=e"))  # packed
    page.get_by_label("What to call it").fill("Ann's Phone")
    page.get_by_label("Who measured it").fill("Ann & Zoë")
    return page


def test_the_longest_link_is_one_that_github_takes(at):
    """The record with most numbers, each with all its digits; a credit takes up to nine letters for each of its own."""
    record = at().evaluate("""() => {
      const {record} = JSON.parse(document.querySelector("[data-widget=measure] script").textContent);
      const some = (count) => Array.from({length: count}, () => 100 * Math.random());
      const result = {peaks: some(3), reads: some(16), waits: some(16), chases: some(5), naive: some(3), tiled: 1 / 3,
                      all: [64, ...some(2)], step: 1 / 3, noise: 1 / 3};
      return press.packed(press.browserRecord(record, result, {began: new Date().toISOString(), seconds: 1 / 3}));
    }""")
    longest = len(link.issue_link(ADDRESS["HARDWARE_FIRST_SOURCE"], 60 * "x", record)) + len("&credit=") + 9 * 80
    assert 2000 < longest <= link.LONGEST, longest


def sends(page: Page) -> dict[str, str]:
    """What the link that adds the machine fills in, by field."""
    address = page.get_by_role("link", name="Add my machine to the book").get_attribute("href")
    assert address.startswith(f"{ADDRESS['HARDWARE_FIRST_SOURCE']}/issues/new?") and len(address) <= link.LONGEST
    return dict(parse_qsl(address.partition("?")[2], keep_blank_values=True))


def test_a_link_opens_a_form_with_the_record_and_nothing_is_sent_before(added, visit):
    found = sends(added)
    assert (found["template"], found["title"]) == (link.FORM, f"{link.TITLE}ann-s-phone")
    assert (found["name"], found["credit"]) == ("ann-s-phone", "Ann & Zoë")
    with added.expect_download() as download:
        added.get_by_role("button", name="Save as a record").click()
    saved = json.loads(download.value.path().read_text())
    assert json.loads(link.unpacked(found["record"])) == saved
    judged(saved, browser=True, sent=datetime.now(UTC))  # as the workflow does
    assert not [url for url in visit.requests if "github" in url]


def test_a_browser_that_cannot_pack_saves_the_record_beside_the_form(at):
    at().add_init_script("delete window.CompressionStream")
    page = at(finished({}))
    press(page)
    link_ = page.get_by_role("link", name="Add my machine to the book")
    expect(link_).to_be_visible()
    assert sends(page)["record"] == ""
    expect(page.get_by_text("drag that into the form’s field")).to_be_visible()
    page.context.route("https://github.com/**", lambda route: route.fulfill(body="a form"))
    with page.expect_download() as download, page.expect_popup():
        link_.click()
    assert download.value.suggested_filename == "01-roofline.json"


def test_a_book_without_an_address_on_github_offers_no_link(browser, book):
    html = (book / PAGE).read_text(encoding="utf-8")
    assert html.count(f'"source":"{ADDRESS["HARDWARE_FIRST_SOURCE"]}"') == 1
    (book / "measure-local.html").write_text(re.sub('"source":"[^"]*"', '"source":""', html), encoding="utf-8")
    try:
        with Visit(browser, f"{book.as_uri()}/measure-local.html") as visit:
            visit.page.evaluate("text => press.store('measured', text)", STORED)
            visit.page.reload()
            expect(visit.page.get_by_role("button", name="Save as a record")).to_be_visible()
            expect(visit.page.locator(".hf-add")).to_be_hidden()
    finally:
        (book / "measure-local.html").unlink()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_form_that_adds_a_machine_fits_and_can_be_used_by_keyboard(added, scheme):
    added.set_viewport_size({"width": 360, "height": 800})
    added.emulate_media(color_scheme=scheme)
    assert added.evaluate("document.documentElement.scrollWidth") <= 360
    assert violations(added, runOnly=RULES) == []
    added.get_by_label("What to call it").focus()
    for _ in range(2):
        added.keyboard.press("Tab")
    assert added.evaluate("document.activeElement.textContent") == "Add my machine to the book"


def test_what_was_measured_before_is_there_again_and_a_link_of_others_is_not_ones_own(at):
    page = at(MACHINE % .1)
    press(page)
    result(page)
    page.reload()
    expect(said(page)).to_contain_text("When this browser last measured")
    own = page.get_by_role("button", name="Save as a record")
    expect(own).to_be_visible()
    page = at(hash=GOOD)
    expect(said(page)).to_contain_text("The numbers in this link")
    expect(own).to_be_hidden()
    page = at()
    page.get_by_role("button", name="Forget").click()
    page.reload()
    expect(said(page)).to_contain_text("Measuring needs")
    expect(page.locator("[data-widget=measure] table")).to_have_count(0)


# ---- The GPU ----

@pytest.fixture(scope="module")
def with_gpu(browser: Browser, chromium: str) -> Iterator[Browser]:
    """A browser whose GPU is emulated on the processor."""
    flags = ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
    browser = browser.browser_type.launch(executable_path=chromium, args=flags)  # the shell has no GPU
    yield browser
    browser.close()


WRONG = """() => {
  const make = GPUDevice.prototype.createShaderModule;
  GPUDevice.prototype.createShaderModule = function ({code}) { return make.call(this, {code: code.replace("%s", "%s")}); };
}"""


@pytest.mark.parametrize("width", [360, 1440])
def test_all_buttons_of_a_result_are_one_row_from_the_left(browser, served, width):
    with Visit(browser, f"{served}{PAGE}", viewport={"width": width, "height": 900}) as visit:
        visit.page.add_init_script("Object.defineProperty(navigator, 'gpu', {value: {}})")
        visit.page.evaluate("text => press.store('measured', text)", STORED)
        visit.page.reload()
        row = visit.page.locator(".hf-widget-measure .hf-links")
        expect(row.get_by_role("button")).to_have_text(["Measure the GPU too", "Save as a record", "Forget"])
        expect(visit.page.locator(".hf-gpu button")).to_have_count(0)
        first, box = row.get_by_role("button").first.bounding_box(), row.bounding_box()
        assert abs(first["x"] - box["x"]) < 1


@pytest.mark.slow
@pytest.mark.parametrize(("code", "says"), [
    ("() => {}", "emulated on the processor"),
    (WRONG % ("at = (at + ", "at = (at + 1 + "), "chain of loads gave a wrong result in this browser"),
    (WRONG % ("c[i] = a[i];", "c[i] = a[i] + 1;"), "The GPU's copy gave a wrong result in this browser, so nothing was timed."),
    (WRONG % ("p < n; p++", "p + 1 < n; p++"), "naive product gave a wrong result in this browser"),
    (WRONG % ("of_b[at.y][at.x] = b", "of_b[at.x][at.y] = b"), "tiled product gave a wrong result in this browser"),
    ("() => { GPU.prototype.requestAdapter = async () => null; }", "This browser doesn’t let pages use the GPU."),
])
def test_what_a_gpu_computes_is_checked_before_it_is_timed(with_gpu, served, code, says):
    with Visit(with_gpu, f"{served}{PAGE}") as visit:
        visit.page.evaluate(f"({code})()")
        visit.page.evaluate("() => { const now = performance.now.bind(performance); performance.now = () => 10 * now(); }")
        visit.page.get_by_role("button", name="Measure the GPU too").click()
        shown = visit.page.locator(".hf-gpu")
        expect(shown).to_contain_text(says, timeout=300_000)
        expect(shown.locator("tr")).to_have_count(9 if "emulated" in says else 0)
        expect(shown.locator("svg")).to_have_count(1 if "emulated" in says else 0)
        assert not re.search(r"NaN|Infinity|undefined|-\d", shown.inner_text())


GPU = {"copy": 2e11, "n": 1024, "naive": 5e11, "tiled": 1e12, "launch": 4e-6, "answer": 8e-5, "fallback": False,
       "flight": [[1024 * 4**i, min(3e9 * 4**i, 3e11)] for i in range(8)]}


def test_a_readers_gpu_stands_in_chapter_03_until_it_is_forgotten(at, served):
    page = at()
    broken = (GPU | {"copy": "<b>1</b>"}, GPU | {"flight": [[1, 2], [3], [4, 5]]})
    for stored in ("{", "[]", '{"flight": 1}', *map(json.dumps, broken)):
        page.evaluate("text => press.store('measured-gpu', text)", stored)
        page.goto(f"{served}03-gpu.html")
        page.locator(".hf-reader-gpu").scroll_into_view_if_needed()
        page.wait_for_function("() => window.press.rememberedGpu")  # its scripts have loaded
        expect(page.locator(".hf-reader-gpu")).to_contain_text("measure it")
    page.evaluate("text => press.store('measured-gpu', text)", json.dumps(GPU))
    page.reload()
    shown = page.locator(".hf-reader-gpu")
    shown.scroll_into_view_if_needed()
    expect(shown.locator("svg circle")).to_have_count(8)
    expect(shown.locator("svg .s-purple")).not_to_have_css("stroke", "none")  # the predicted bend
    rows = dict(row.split("\t") for row in shown.locator("table").inner_text().splitlines())
    assert rows["a dependent load"] == "341\u00a0ns"  # 1024 B in flight bring 3 GB/s
    assert rows["bytes in flight at full speed, by Little’s law"] == "102\u00a0kB"
    assert violations(page, runOnly=RULES) == []
    shown.get_by_role("button", name="Forget it").click()
    expect(shown).to_contain_text("measure it")
    assert page.evaluate("press.stored('measured-gpu')") is None


def test_without_a_gpu_it_says_so(served, browser):
    with Visit(browser, "about:blank") as visit:
        visit.page.add_init_script("delete Navigator.prototype.gpu;")
        visit.page.goto(f"{served}{PAGE}")
        expect(visit.page.locator(".hf-gpu")).to_have_text(
            "This browser has no WebGPU, so it can't measure the GPU.")


# ---- Links ----

GOOD = f"#measured=1:0.1,0.02;10,40,80;{','.join(['160'] * 13)};{','.join(['2'] * 13)};100,50,25,12,7;4,0.5,4;20;8,300,30"
STORED = json.dumps({"link": GOOD, "began": "2026-11-28T10:00:00Z", "seconds": 10, "values": {}, "points": {}})


def test_a_result_comes_back_from_its_link(at):
    page = at(MACHINE % .1)
    press(page)
    result(page)
    numbers = page.locator("[data-widget=measure] table").inner_text().partition("\nname in a saved record")[0]
    link = page.get_by_role("link", name="Link to this result").get_attribute("href")
    assert link.startswith("#measured=1:")
    page = at(hash=link)
    expect(said(page)).to_contain_text("The numbers in this link come from another machine")
    assert page.locator("[data-widget=measure] table").inner_text() == numbers
    expect(page.get_by_role("link", name="Link to this result")).to_have_attribute("href", link)


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("waits", ["2,2,2,3,4,6,9,14,20,30,60,80,100", "1,2,4,8,16,32,64,128,150,160,170,180,190",
                                   ",".join(["150"] * 13)])
def test_no_line_passes_through_a_name(at, waits, width):
    page = at(hash=GOOD.replace(",".join(["2"] * 13), waits))
    page.set_viewport_size({"width": width, "height": 800})
    expect(page.locator(".hf-plots svg")).to_have_count(3)
    assert page.locator(".hf-plots svg").evaluate_all("""all => all.flatMap(svg => {
      const points = [...svg.querySelectorAll("polyline:is([stroke-width='2'], [stroke-width='3'])")].flatMap(line =>
        Array.from({length: line.getTotalLength()}, (_, i) => line.getPointAtLength(i)));
      return [...svg.querySelectorAll("text")].filter(text => {
        const {x, y, width, height} = text.getBBox();
        return points.some(at => at.x > x && at.x < x + width && at.y > y + 3 && at.y < y + height - 3);
      }).map(text => text.textContent);
    })""") == []


@pytest.mark.parametrize("hash", [
    "#measured", "#measured=2:1", GOOD[:-3], GOOD + ";1", GOOD + ",1", GOOD + "0" * 600,
    *(GOOD.replace("40", word) for word in ("-40", "0", "4e9", "12345678", "NaN", "<b>", "", "40,40")),
    GOOD.replace("160", "0", 1), GOOD.replace("2,2,", "2,", 1),
])
def test_a_link_that_holds_no_result_is_said_to(at, hash):
    page = at(hash=hash)
    expect(said(page)).to_contain_text("This link doesn’t contain a valid result")
    expect(page.locator("[data-widget=measure] :is(table, b)")).to_have_count(0)
    page.evaluate("hash => { location.hash = hash; }", GOOD)
    expect(said(page)).to_contain_text("The numbers in this link")


# ---- Results that are impossible, or can't be stored ----

POSSIBLE = {"step": .1, "noise": .02, "peaks": [10, 40, 80], "reads": [160] * 13, "waits": [2] * 13,
            "chases": [100, 50, 25, 12, 7], "naive": [4, .5, 4], "tiled": 20, "all": [8, 300, 30]}
IMPOSSIBLE = [{"peaks": [10, 40, 9e4]}, {"reads": [9e4] + [160] * 12}, {"waits": [.001] + [2] * 12}, {"tiled": 9e4},
              {"chases": [100, 50, 25, 12, .001]}, {"naive": [4, 9e4, 4]}, {"all": [8, 9e4, 30]}, {"all": [8, 300, 9e4]},
              {"all": [9e4, 300, 30]}]


def finished(change: dict) -> str:
    """A worker's code that is done at once."""
    return f"postMessage({{result: {json.dumps(POSSIBLE | change)}, done: true}});"


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_impossible_results_are_neither_stored_nor_shown_nor_read(at, served, change):
    page = at(finished(change))
    press(page)
    expect(said(page)).to_have_text("The times are too short to be real. Nothing was saved. Try again.")
    expect(page.locator("[data-widget=measure] table")).to_have_count(0)
    assert page.evaluate("press.stored('measured')") is None
    groups = [[POSSIBLE["step"], POSSIBLE["noise"]], *({**POSSIBLE, **change}[name] for name in list(POSSIBLE)[2:])]
    link = "#measured=1:" + ";".join(",".join(map(str, each if isinstance(each, list) else [each])) for each in groups)
    page = at(hash=link.replace("90000.0", "90000"))
    expect(said(page)).to_contain_text("This link doesn’t contain a valid result")


@pytest.mark.parametrize(("name", "value", "count"), [
    ("peak_fp32_gflops", 80, 1), ("peak_fp32_gflops", 9e4, 0), ("bandwidth_dram_gbs", 9e4, 0), ("latency_l1_ns", .001, 0),
    ("bandwidth_dram_all_gbs", 9e4, 1), ("bandwidth_dram_all_gbs", 9e9, 0), ("ridge_flop_per_byte", 9e9, 0),
])
def test_an_impossible_stored_value_is_not_shown_in_a_chapter(at, served, name, value, count):
    page = at()
    stored = {"values": {f"01-roofline/{name}": [value, "as measured", .01]}, "points": {}}
    page.evaluate("text => { press.store('measured', text); press.store('this-browser', 'shown'); }",
                  json.dumps(stored))
    page.goto(f"{served}01-roofline.html")
    expect(page.locator("#hf-machine option[value=this-browser]")).to_have_count(count)
    expect(page.locator(".hf-this-browser")).to_have_count(count)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_results_that_are_not_stored_are_shown_and_said_to_be_lost(at, visit, what):
    visit.page.add_init_script(FORBIDDEN[what])
    page = at(finished({}))
    press(page)
    expect(said(page)).to_contain_text(LOST)
    expect(page.get_by_role("button", name="Save as a record")).to_be_visible()
    expect(page.get_by_role("link", name="The book with these numbers")).to_be_hidden()  # it would not have them
    page.get_by_role("button", name="Forget").click()
    expect(said(page)).to_contain_text("Forgotten.")


# ---- The page ----

def test_it_asks_for_nothing_while_it_measures(at, visit):
    page = at(MACHINE % .1)
    asked = len(visit.requests)
    press(page)
    result(page)
    assert [url for url in visit.asked_since(asked) if not url.startswith("blob:")] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_into_360_pixels(at, scheme):
    page = at(hash=GOOD)
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wide = page.locator("[data-widget=measure] :is(label, svg, output, li, button)").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80))")
    assert wide == []


def test_axe_finds_nothing_in_a_result(at):
    page = at(hash=GOOD)
    expect(page.locator("[data-widget=measure] table")).to_have_count(1)
    assert violations(page, runOnly=RULES) == []


def test_without_javascript_it_says_what_it_would_do(browser, served):
    with Visit(browser, f"{served}{PAGE}", java_script_enabled=False) as visit:
        expect(visit.page.locator(".hf-widget-measure .hf-without-script")).to_contain_text("needs JavaScript")


def test_built_without_a_compiler_it_says_so(browser, book):
    html = re.sub(r'"modules":\[[^\]]*\]', '"modules":[]', (book / PAGE).read_text(encoding="utf-8"))
    (book / "measure-without.html").write_text(html, encoding="utf-8")
    try:
        with Visit(browser, f"{book.as_uri()}/measure-without.html") as visit:
            expect(said(visit.page)).to_contain_text("built without a compiler for WebAssembly")
            expect(visit.page.locator("[data-widget=measure] form:visible")).to_have_count(0)
    finally:
        (book / "measure-without.html").unlink()


def test_both_modules_are_in_the_page_and_it_is_small(book, compiled):
    html = (book / PAGE).read_text(encoding="utf-8")
    data = json.loads(re.search(r'data-widget="measure"[^>]*>.*?<script type="application/json">(.*?)</script>', html, re.S)[1])
    assert len(data["modules"]) == 2, "site/browser/build compiles them"
    scripts = ("experiments.js", "measure-plots.js", "measure-record.js", "measure-gpu.js", "measure.js", "widget.js")
    assert len(html.encode()) + sum(static(name).stat().st_size for name in scripts) <= 120_000


def test_this_page_alone_may_compile_and_have_workers(book):
    for page in book.glob("*.html"):
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.read_text(encoding="utf-8"))
        assert policy, page
        assert (page.name == PAGE) == ("'wasm-unsafe-eval'" in policy[1]) == ("worker-src blob:" in policy[1])


def test_a_book_without_compiled_kernels_does_not_offer_them(site):
    site.page("# Page\n\n```{where-browsers-measure}\nThis browser can measure.\n```\n")
    assert site.build().status == 0 and "can measure" not in site.text()
    module = site.root / "build" / "browser" / "plain.wasm"
    module.parent.mkdir()
    module.write_bytes(b"compiled")
    assert site.build().status == 0 and "This browser can measure." in site.text()
