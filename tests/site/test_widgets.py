"""The book's calculators in a browser: their results, their controls, and the page without scripts."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from book.roofs import measured_bandwidths
from chromium import counted
from playwright.sync_api import Browser, Locator, Page, expect
from walk import SETTLED
from whole import PROJECT, Visit

PAGES = {"roofline": "01-roofline.html", "planner": "05-scaling.html", "array": "04-tpu.html", "price": "08-your-model.html"}


def box(page: Page, name: str):
    return page.locator(f"[data-widget={name}]")


def outcome(page: Page, name: str) -> Locator:
    """The calculator's result in words."""
    return box(page, name).locator("output")


def said(page: Page, name: str) -> str:
    return outcome(page, name).inner_text().replace("\u00a0", " ")


def data(page: Page, name: str) -> dict:
    return json.loads(box(page, name).locator("script").inner_text())


def settled(page: Page, name: str = "planner") -> None:
    """Waits for the planner's search; the other calculators answer at once."""
    if name == "planner":
        expect(box(page, name)).to_have_attribute("aria-busy", "false", timeout=30_000)


@pytest.fixture
def at(browser: Browser, served: str) -> Iterator[Callable[..., Page]]:
    """at(name, query) opens a page at its calculator, from the server by default."""
    with Visit(browser, "about:blank") as visit:
        page = visit.page

        def open_page(name: str, query: str = "", base: str = served, width: int = 1280, wait: bool = True) -> Page:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto("about:blank")  # otherwise the same address is not loaded again
            page.goto(f"{base}{PAGES[name]}{query}#fig-live-{name}")
            box(page, name).locator("form").wait_for()
            if wait:
                settled(page, name)
            return page

        yield open_page
        assert visit.errors == []


@pytest.mark.parametrize(("query", "words"), [
    ("chip:h100-sxm,precision:bf16,allocates:false,m:4096,n:4096,k:4096",
     ["at least 139 µs, waiting for arithmetic", "100% of the peak", "137 GFLOP over 101 MB", "1370 FLOP", "at 295"]),
    ("chip:h100-sxm,precision:bf16,allocates:false,op:gemv", ["at least 10 µs, waiting for memory", "is 1 FLOP/byte"]),
    ("chip:own,peak:1000,bandwidth:100,op:chain,operators:8,allocates:false,count:1000000000",
     ["at least 640 ms, waiting for memory", "8 GFLOP over 64 GB"]),
    ("chip:own,peak:1000,bandwidth:100,op:chain,operators:8,allocates:false,count:1000000000,fused:true",
     ["at least 80 ms", "8 GFLOP over 8 GB"]),
    ("chip:h100-sxm,precision:int8,op:gemv", ["Computed in bf16: the book lacks this int8 peak"]),
    ("op:prefill,heads:32,group:5", ["32 heads can’t be split evenly into groups of 5"]),
])
def test_the_roofline_says_what_a_pencil_does(at, query, words):
    page = at("roofline", f"?roofline={query}")
    for each in words:
        expect(outcome(page, "roofline")).to_contain_text(each)


def test_attention_in_decode_stays_where_it_is_and_a_batch_of_vectors_moves(at):
    """The dot's position, for a batch of 1 and one of 4096."""
    page = at("roofline")

    def places(op: str, field: str) -> list[str]:
        page.locator("[name=op]").select_option(op)
        found = []
        for value in ("1", "4096"):
            page.locator(f"[name={field}]").fill(value)
            found.append(page.locator(".hf-dot").evaluate("dot => dot.style.transform"))
        return found

    before, after = places("decode", "sequences")
    assert before == after
    before, after = places("gemv", "vectors")
    assert before != after


def test_what_is_chosen_is_in_the_address_and_comes_back(at, base):
    page = at("roofline", "?machine=here&other=1", base=base)
    page.locator("[name=op]").select_option("convolution")
    page.get_by_label("Channels out").fill("128")
    page.get_by_label("fused").check()
    expect(page).to_have_url(re.compile(r"machine=here&other=1&roofline=.*outputs:128.*fused:true"))
    words, address = said(page, "roofline"), page.url
    page.goto("about:blank")
    page.goto(address)
    expect(outcome(page, "roofline")).to_have_text(words)
    expect(page.get_by_label("Channels out")).to_have_value("128")
    link = page.get_by_role("link", name="Link to these settings").get_attribute("href")
    assert link.endswith("#fig-live-roofline") and "outputs:128" in link


def test_an_address_that_makes_no_sense_does_no_harm(at):
    before = said(at("roofline"), "roofline")
    for query in ("op:nonsense,m:-5,chip:%3Cb%3E,,x:,%E0%A4%A,precision:none", "m:%25", "m:%2525,m:1e999", "__proto__:x,m:1.5",
                  ":,:::", "%00:%00", "m"):
        page = at("roofline", f"?machine=%25%3Cb%3E&roofline={query}")
        expect(outcome(page, "roofline"), query).to_have_text(before)
        expect(page.locator("[aria-invalid=true]"), query).to_have_count(0)
    for name in ("planner", "array"):
        page = at(name, f"?{name}=%25:%25,chips:-1,m:x")
        expect(outcome(page, name)).not_to_be_empty()


def test_a_number_that_nobody_can_have_is_told(at):
    page = at("roofline")
    for text in ("-5", ""):
        page.locator("[name=m]").fill(text)
        expect(outcome(page, "roofline")).to_contain_text("Rows, m: enter a whole number from 1 to")
        expect(page.locator("[name=m]")).to_have_attribute("aria-invalid", "true")
    page.locator("[name=m]").fill("64")
    expect(outcome(page, "roofline")).to_contain_text("waiting for")


def test_the_roof_follows_the_machine_of_the_page(at):
    page = at("roofline")
    machines = {chip["machine"] for chip in data(page, "roofline")["chips"] if "machine" in chip}
    assert machines
    for machine in machines:
        page.evaluate("""slug => { press.machine = slug;
            document.dispatchEvent(new CustomEvent("hf:machine", {detail: {machine: slug, name: slug}})); }""", machine)
        chosen = page.locator("[name=chip]").first.input_value()
        own = [chip for chip in data(page, "roofline")["chips"] if chip["id"] == chosen][0]
        assert own["machine"] == machine
        expect(outcome(page, "roofline")).to_contain_text(f"{own['peaks']['fp32'] / own['bandwidth']:.3g}")


def test_the_roof_of_one_core_has_the_ridge_of_the_chapter(book: Path):
    html = (book / PAGES["roofline"]).read_text()
    found = re.search(r'data-widget="roofline".*?<script type="application/json">(.*?)</script>', html, re.S)
    own = {chip["id"]: chip for chip in json.loads(found[1])["chips"] if "machine" in chip}
    compared = 0
    for path in sorted((PROJECT / "figures" / "records").glob("*/01-roofline.json")):
        values = {value["id"]: value.get("value") for value in json.loads(path.read_text())["values"]}
        chip, stream = own[path.parent.name], values.get("memory_roof_gbs") or values["bandwidth_dram_gbs"]
        assert chip["bandwidth"] == stream and chip["peaks"]["fp32"] == values["peak_fp32_gflops"], path
        if stated := values.get("ridge_flop_per_byte"):  # a newer record leaves it to definitions.json
            assert chip["peaks"]["fp32"] / chip["bandwidth"] == pytest.approx(stated, rel=1e-3), path
        compared += 1
    assert compared > 1


@pytest.mark.parametrize(("streams", "found"), [
    ({"memory_roof_gbs": 63, "bandwidth_dram_gbs": 42, "bandwidth_dram_all_gbs": 47}, {"one core": 63, "all cores": 63}),
    ({"memory_roof_gbs": 44, "bandwidth_dram_gbs": 31, "bandwidth_dram_all_gbs": 90}, {"one core": 44, "all cores": 90}),
    ({"bandwidth_dram_gbs": 15, "bandwidth_dram_all_gbs": 30}, {"one core": 15, "all cores": 30}),
    ({"memory_roof_gbs": 44, "bandwidth_dram_gbs": 31}, {"one core": 44}),
    ({"bandwidth_dram_all_gbs": 30}, {"all cores": 30}),
])
def test_a_measured_roof_has_the_bandwidth_of_the_fastest_stream(streams, found):
    values = {name: {"value": value} for name, value in streams.items()}
    assert measured_bandwidths(SimpleNamespace(value=values.get)) == found


def test_a_link_that_names_a_machine_shows_its_roof(at):
    page = at("roofline")
    machines = list(dict.fromkeys(chip["machine"] for chip in data(page, "roofline")["chips"] if "machine" in chip))
    assert len(machines) > 1
    for machine in machines:
        page = at("roofline", f"?machine={machine}")
        expect(page.locator("[name=chip]")).to_have_value(machine)


OVERLAPS = """svg => {
    const frame = svg.getBoundingClientRect(), words = [...svg.querySelectorAll("text")].map(t => [t.textContent, t]);
    const upright = words.filter(([, t]) => !t.hasAttribute("transform")).map(([w, t]) => [w, t.getBoundingClientRect()]);
    const wrong = words.map(([w, t]) => [w, t.getBoundingClientRect()]).filter(([, b]) => b.left < frame.left - 1 ||
        b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1).map(([w]) => w + " is cut");
    upright.forEach(([a, p], i) => upright.slice(i + 1).forEach(([b, q]) => {
        if (p.left < q.right && q.left < p.right && p.top < q.bottom - 3 && q.top < p.bottom - 3) wrong.push(a + " on " + b);
    }));
    return wrong;
}"""


@pytest.mark.parametrize("width", [320, 1280])
def test_no_label_of_the_roofline_lies_on_another(at, width):
    page = at("roofline", width=width)
    page.locator("[name=chip]").select_option("own")
    for peak, bandwidth in (("1", "1000"), ("1", "1"), ("1000", "100"), ("1e6", "10"), ("1e9", "1000"), ("1e12", "0.001")):
        for op, number in (("gemm", ("m", "1")), ("gemm", ("m", "1048576")), ("chain", ("operators", "1"))):
            page.locator("[name=peak]").fill(peak)
            page.locator("[name=bandwidth]").fill(bandwidth)
            page.locator("[name=op]").select_option(op)
            page.locator(f"[name={number[0]}]").fill(number[1])
            expect(outcome(page, "roofline")).to_contain_text("waiting for")
            assert page.locator("[data-widget=roofline] svg").evaluate(OVERLAPS) == [], (peak, bandwidth, op)


def test_the_table_of_the_page_and_that_of_the_planner_are_offered_once_each(at):
    page = at("roofline")
    names = [chip["name"] for chip in data(page, "roofline")["chips"]]
    assert {"B200", "MI300X", "H100 SXM", "TPU v4", "A100, 40 GB"} <= set(names) and not {"H100", "H200", "A100"} & set(names)


def test_the_planner_finds_what_the_program_finds_and_gives_it_to_the_reader(at):
    page = at("planner")
    first = said(page, "planner")
    rows = box(page, "planner").locator("tbody tr")  # for the plans
    time, code = rows.first.locator("th").inner_text(), rows.first.locator("button").get_attribute("aria-label")
    assert rows.count() == 5 and f" {code.removeprefix('Change ')}: {time} a step".replace("\u00a0", " ") in first
    cuts = box(page, "planner").locator("[data-own=hand]")
    before = cuts.evaluate_all("all => all.map(field => [field.value, field.disabled])")
    rows.first.get_by_role("button").click()
    expect(page.locator("[name=by]")).to_have_value("hand")
    expect(outcome(page, "planner")).to_have_text(first)
    assert before == [[value, True] for value in cuts.evaluate_all("all => all.map(field => field.value)")]
    page.locator("[name=microBatch]").fill("16")
    expect(outcome(page, "planner")).not_to_have_text(first)
    page.locator("[name=tensor]").fill("3")
    expect(outcome(page, "planner")).to_contain_text("evenly")


@pytest.mark.parametrize(("job", "words"), [
    ("chip:h100,model:llama3-405b,chips:16384,batch:2048,tensor:8,pipeline:16,interleave:8",
     "Tensors split 8 ways inside the box, 16 pipeline stages across boxes, each in 8 pieces, 128 copies across boxes "
     "t8 p16 v8 d128:"),
    ("chip:h100,chips:32,tensor:16,context:2,batch:64",
     "Tensors split 16 ways across boxes, tokens split 2 ways across boxes t16 c2:"),
    ("chip:tpu-v4,chips:64,tensor:4,sharding:full",
     "Tensors split 4 ways inside the pod, 16 copies inside the pod with sharded weights t4 f16:"),
    ("chip:h100,chips:1,tensor:1", "All on one chip one chip:"),
])
def test_the_planner_says_a_plan_in_words_with_its_code(at, job, words):
    page = at("planner", f"?planner=by:hand,{job}")
    expect(outcome(page, "planner")).to_have_text(re.compile(rf"\s*{re.escape(words)}"))


def test_where_no_plan_fits_it_says_so(at):
    page = at("planner", "?planner=chip:a100-40,chips:1,model:gpt-1t")
    why = re.fullmatch(r"No plan fits: the smallest needs [\d,]+ GiB per chip, and a chip can use 36 GiB\. "
                       r"On (\d+) chips, one fits\.",
                       said(page, "planner"))
    assert why
    page.locator("[name=chips]").fill(why[1])
    settled(page)
    expect(outcome(page, "planner")).to_contain_text("a step, MFU")
    page.locator("[name=chips]").fill(str(int(why[1]) // 2))
    settled(page)
    expect(outcome(page, "planner")).to_contain_text("No plan fits")


def test_where_chips_do_not_divide_it_names_how_many_would(at):
    page = at("planner", "?planner=chips:1000")
    expect(outcome(page, "planner")).to_have_text(
        "No plan fits: the model and the batch can’t be split evenly over 1000 chips. On 1024 chips, one fits.")


def test_numbers_that_are_not_understood_leave_no_old_result(at):
    page = at("array", "")
    field = page.get_by_label("Rows, M", exact=True)
    shown = box(page, "array").locator(".hf-shown").first
    expect(shown).to_be_visible()
    field.fill("-1")
    expect(outcome(page, "array")).to_contain_text("enter a whole number")
    expect(shown).not_to_be_visible()
    field.fill("2")
    expect(shown).to_be_visible()


def test_the_array_counts_as_the_chapter_does(at):
    page = at("array", "?array=m:256,n:256,k:256,rows:256,columns:256")
    expect(outcome(page, "array")).to_have_text(re.compile(r"1022 cycles, 1\.46\sµs at 700\sMHz"))
    page.get_by_label("Rows, M", exact=True).fill("1")
    expect(outcome(page, "array")).to_have_text(re.compile(r"^767 cycles.* 0\.13%"))
    expect(page.get_by_label("a second register")).to_be_enabled()
    page.get_by_role("combobox", name="Stationary").select_option("os")
    expect(page.get_by_label("a second register")).to_be_disabled()


@pytest.mark.parametrize("name", PAGES)
def test_its_scripts_come_when_it_is_nearly_seen(browser, served, base, name):
    for address in {served, base}:
        with Visit(browser, f"{address}{PAGES[name]}") as visit:
            scripts = visit.page.locator(f"script[src*='/{name}.js']")
            visit.page.evaluate(SETTLED)  # the code that loads scripts near the screen has run
            assert scripts.count() == 0
            visit.page.locator(f"#fig-live-{name}").scroll_into_view_if_needed()
            box(visit.page, name).locator("form").wait_for()
            expect(scripts).to_have_count(1)
            assert visit.errors == []


@pytest.mark.parametrize("width", [360, 1000, 1024, 1280, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_the_picture_comes_first_or_beside_the_form_and_is_on_the_screen(at, name, width):
    page = at(name, width=width)
    picture, *below = box(page, name).evaluate("""box => ["svg, .hf-bar", "output.hf-outcome", "form", "table"].map(
        part => box.querySelector(part).getBoundingClientRect())""")
    if width >= 1024:
        outcome, form, _ = below
        assert picture["right"] < form["left"] and form["top"] < picture["bottom"] and picture["width"] >= 330
        assert outcome["left"] > picture["right"] or 0 <= outcome["top"] - picture["bottom"] < 250  # beside it, or below it
        assert form["width"] + picture["width"] > .7 * box(page, name).bounding_box()["width"]
    else:
        tops = [each["top"] for each in (picture, *below)]
        assert tops == sorted(tops)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.wait_for_function("""name => {  // once the page has scrolled to the calculator
        const of = selector => document.querySelector(selector).getBoundingClientRect();
        const {top, bottom} = of(`[data-widget=${name}] :is(svg, .hf-bar)`);
        return top >= of(".hf-header").bottom && bottom <= innerHeight; }""", arg=name)


@pytest.mark.parametrize("width", [360, 768, 1024, 1280, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_its_place_is_kept_until_its_scripts_are_there(browser, at, name, width):
    """Content below the calculator does not move for a reader who returns to it."""
    page = at(name, width=width)
    kept, needed = box(page, name).evaluate("""box => {
        const kept = parseFloat(getComputedStyle(box).minHeight);
        box.style.minHeight = 0;
        return [kept, box.getBoundingClientRect().height];
    }""")
    with counted(browser):
        assert abs(kept - needed) <= 1


@pytest.mark.parametrize("width", [360, 1024, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_a_slider_is_right_below_its_own_number(at, name, width):
    page = at(name, width=width)
    places = box(page, name).evaluate("""box => [...box.querySelectorAll("form input[type=range]")]
        .filter(slider => slider.checkVisibility()).map(slider => {
          const field = slider.previousElementSibling.querySelector("input");
          const [own, number] = [slider, field].map(each => each.getBoundingClientRect());
          return [own.left - number.left, own.width - number.width, own.top - number.bottom];
        })""")
    assert places
    for left, wider, below in places:
        assert abs(left) < 1 and abs(wider) < 1 and 0 <= below < 8


@pytest.mark.parametrize("width", [360, 1024, 1440])
def test_the_array_is_as_wide_as_its_place(at, width):
    page = at("array", width=width)
    cells, place = (box(page, "array").locator(part).first.bounding_box() for part in ("svg.hf-graph", ".hf-shown"))
    assert cells["width"] > .95 * min(place["width"], 620)


@pytest.mark.parametrize("width", [360, 1440])
def test_plans_are_a_table_in_which_what_differs_from_the_fastest_is_bold(at, width):
    page = at("planner", width=width)
    table = box(page, "planner").locator("table")
    heads = table.locator("thead th").all_inner_texts()
    rows = [row.locator("th, td").evaluate_all("all => all.map(cell => [cell.textContent, Boolean(cell.querySelector('b'))])")
            for row in table.locator("tbody tr").all()]
    first, last = heads.index("t"), heads.index("MFU")
    assert heads[:2] == ["step", "plan"] and heads[first:first + 5] == list("tcpvd") and len(rows) == 5
    for row in rows:
        assert all(bold == (words != fastest) for (words, bold), (fastest, _) in zip(row[first:last], rows[0][first:last]))
    assert any(bold for row in rows for _, bold in row) and not any(bold for _, bold in rows[0])
    for part in ("tbody th", "tbody button"):  # the times and the buttons are on the screen
        for each in table.locator(part).all():
            left, wide = (each.bounding_box()[part] for part in ("x", "width"))
            assert left >= 0 and left + wide <= width


def test_the_dot_says_that_it_can_be_dragged_until_something_changed(at):
    page = at("roofline")
    says = page.locator(".hf-dot text")
    expect(says).to_have_text("drag me")
    expect(says).to_be_visible()
    page.locator("[name=m]").fill("64")
    expect(says).not_to_be_visible()


def test_until_the_scripts_are_there_the_picture_has_a_frame_and_no_words(browser, served):
    with Visit(browser, f"{served}{PAGES['roofline']}") as visit:
        drawn = visit.page.locator("[data-widget=roofline]").evaluate("""box => {
            const {content, height, borderLeftWidth, borderBottomWidth} = getComputedStyle(box, "::before");
            return [content, parseFloat(height), borderLeftWidth, borderBottomWidth, getComputedStyle(box).backgroundColor];
        }""")
        assert drawn[0] == '""' and drawn[1] >= 200 and drawn[2:] == ["1px", "1px", "rgba(0, 0, 0, 0)"]


CHANGES = {
    "roofline": [{"op": op} for op in ("gemv", "prefill", "decode", "convolution", "chain", "gemm")] +
                [{"chip": "own"}, {"chip": "h100-sxm"}, {"precision": "int8"}, {"m": "1"}, {"m": "-1"}],
    "array": [{"dataflow": "os"}, {"dataflow": "is"}, {"rows": "3", "columns": "500"}, {"m": "1000000"}, {"m": "-1"}],
    "price": [{"model": "gpt2"}, {"model": "deepseek-v3"}, {"context": "131072"}, {"context": "0"}],
    "planner": [{"chips": "16384"}, {"chips": "1"}, {"chips": "1000"}, {"chips": "64"}, {"model": "own"}, {"heads": "7"},
                {"by": "hand"}, {"tensor": "3"}],
}


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_its_height_stays_whatever_is_chosen(browser, at, name, width):
    page = at(name, width=width, wait=False)
    places = """box => { const below = (part) => part.nextElementSibling ?? below(part.parentElement);
        return [...box.querySelectorAll(".hf-outcome, form, .hf-more"), box, below(box.closest("figure"))]
        .map(part => part.getBoundingClientRect().top + scrollY); }"""
    page.evaluate("""() => { window.shifted = 0; new PerformanceObserver(list => {
        for (const {value} of list.getEntries()) shifted += value; }).observe({type: "layout-shift"}); }""")
    settled(page, name)
    before, moved, asked = box(page, name).evaluate(places), [], ""
    for change in CHANGES[name]:
        for field, value in change.items():
            place = box(page, name).locator(f"[name={field}]")
            place.select_option(value) if place.evaluate("field => field.tagName") == "SELECT" else place.fill(value)
        settled(page, name)
        asked += said(page, name)
        if box(page, name).evaluate(places) != pytest.approx(before, abs=.9):
            moved.append((change, said(page, name)))
    assert "enter" in asked or "evenly" in asked
    page.evaluate(SETTLED)
    with counted(browser):
        assert moved == [] and page.evaluate("shifted") < .002


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("name", PAGES)
def test_little_of_what_is_kept_for_longer_words_stays_empty(browser, at, name, width):
    page = at(name, width=width)
    empty = box(page, name).evaluate("""box => [...box.querySelectorAll(".hf-outcome, .hf-shown")].map(part => {
        const kept = part.offsetHeight;
        part.style.minHeight = 0;
        return kept - part.offsetHeight;
    })""")
    with counted(browser):
        assert max(empty) <= 40, empty


def test_the_dot_is_dragged_and_its_number_follows(at):
    page = at("roofline", "?roofline=op:gemv")
    dot, number = page.locator(".hf-dot"), page.locator("[name=vectors]")
    place = lambda locator: locator.evaluate(
        "e => { const {x, y, width, height} = e.getBoundingClientRect(); return [x + width / 2, y + height / 2]; }")
    hollow = box(page, "roofline").locator("svg circle[r='3']")
    for power in (6, 3):  # there, and part of the way back
        page.mouse.move(*place(dot))
        page.mouse.down()
        page.mouse.move(*place(hollow.nth(power)), steps=5)
        page.mouse.up()
        expect(number).to_have_value(str(2 ** power))
        expect(page).to_have_url(re.compile(f"vectors:{2 ** power}\\b"))
        page.wait_for_function("([e, x]) => Math.abs(e.getBoundingClientRect().x - x) < 1",
                               arg=[dot.element_handle(), place(hollow.nth(power))[0] - dot.bounding_box()["width"] / 2])
    page.mouse.move(600, 500)
    assert number.input_value() == "8"  # it was released
    page.locator("[name=op]").select_option("decode")
    page.mouse.move(*place(dot))
    page.mouse.down()
    page.mouse.move(100, 300, steps=3)
    page.mouse.up()
    expect(page.locator("[name=sequences]")).to_have_value("1")


def test_the_dot_obeys_the_arrows(at):
    page = at("roofline", "?roofline=op:gemv")
    dot, number = page.get_by_role("slider", name="Vectors (the batch)", exact=True), page.locator("[name=vectors]")
    dot.focus()
    for key, value in (("ArrowRight", "2"), ("ArrowUp", "4"), ("ArrowLeft", "2"), ("End", "65536"), ("ArrowRight", "65536"),
                       ("Home", "1"), ("ArrowDown", "1")):
        page.keyboard.press(key)
        expect(number).to_have_value(value)
        expect(dot).to_have_attribute("aria-valuenow", value)
    expect(dot).to_be_focused()


def test_a_finger_can_drag_the_dot(browser, served):
    address = f"{served}{PAGES['roofline']}?roofline=op:gemv#fig-live-roofline"
    with Visit(browser, address, has_touch=True, viewport={"width": 360, "height": 780}) as visit:
        dot, number = visit.page.locator(".hf-dot"), visit.page.locator("[name=vectors]")
        dot.wait_for()
        visit.page.evaluate("document.querySelector('svg.hf-graph').scrollIntoView({block: 'center', behavior: 'instant'})")
        assert min(dot.bounding_box()[side] for side in ("width", "height")) >= 40
        before = visit.page.evaluate("scrollY")
        visit.drag_by_finger(dot.bounding_box(), 60, -60)
        assert int(number.input_value()) > 1 and visit.page.evaluate("scrollY") == before


AREAS = """svg => Object.fromEntries(["compute", "purple", "memory"].map(colour => [colour, Math.round(
    [...svg.querySelector(`path.f-${colour}`).getAttribute("d").matchAll(/h([\\d.]+)v([\\d.]+)/g)]
      .reduce((sum, [, w, h]) => sum + w * h, 0) * svg.dataset.perUnit)]))"""


@pytest.mark.parametrize("dataflow", ["ws", "os"])
def test_the_wave_of_the_array_is_where_the_numbers_are(at, dataflow):
    """Every cycle of a tile, cell by cell: 5 by 4 cells, of which a product uses 3 by 2."""
    rows, columns, streamed, down, across = 5, 4, 6, 3, 2
    sides = {"ws": f"m:{streamed},k:{down},n:{across}", "os": f"k:{streamed},m:{down},n:{across}"}[dataflow]
    page = at("array", f"?array=rows:{rows},columns:{columns},dataflow:{dataflow},{sides}")
    shift = rows if dataflow == "ws" else 0
    slider, cells = page.get_by_role("slider", name="The wave through the cells"), box(page, "array").locator("svg").first
    last = shift + streamed + rows + columns - 2
    expect(slider).to_have_attribute("max", str(last))
    cells.evaluate("""(svg, count) => { const {width, height} = svg.querySelector("rect").getBBox();
        svg.dataset.perUnit = count / width / height; }""", rows * columns)
    slider.focus()
    page.keyboard.press("Home")
    for cycle in range(last + 1):
        expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^Cycle {cycle} of {last} of the first tile"))
        busy = [(i, j) for i in range(rows) for j in range(columns) if 0 <= cycle - shift - 1 - i - j < streamed]
        useful = sum(i < down and j < across for i, j in busy)
        held = sum(i < min(cycle, shift) for i in range(down)) * across
        assert cells.evaluate(AREAS) == {"compute": useful, "purple": len(busy) - useful, "memory": held}, cycle
        page.keyboard.press("ArrowRight")


def test_the_wave_plays_and_steps_where_motion_is_unwanted(at):
    page = at("array")
    slider = page.get_by_role("slider", name="The wave through the cells")
    button = box(page, "array").locator(".hf-steps button")
    before = int(slider.input_value())
    button.click()
    page.wait_for_function("([slider, before]) => slider.value > before + 20", arg=[slider.element_handle(), before])
    button.click()
    expect(button).to_have_text("Play")
    page.emulate_media(reduced_motion="reduce")
    expect(button).to_have_text("Next")
    page.clock.install()
    at_rest = int(slider.input_value())
    button.click()
    expect(slider).to_have_value(str(at_rest + 15))  # for 894 cycles: the whole play takes sixty steps
    page.clock.run_for(1000)
    expect(slider).to_have_value(str(at_rest + 15))


def test_the_front_page_leads_to_all_calculators(browser, served):
    with Visit(browser, f"{served}index.html") as visit:
        links = visit.page.locator("article a[href*='.html#fig-']").evaluate_all("all => all.map(a => a.getAttribute('href'))")
        assert links == [*(f"{PAGES[name]}#fig-live-{name}" for name in ("roofline", "array", "planner")),
                         "06-precision.html#fig-bits", "08-your-model.html#fig-live-price"]
        for name, page in PAGES.items():
            visit.page.goto(f"{served}{page}")
            assert visit.page.locator(f"article a[href='#fig-live-{name}']:not(.headerlink)").count() == 1


@pytest.mark.parametrize("name", PAGES)
def test_the_keyboard_is_enough(at, name):
    page = at(name)
    form = box(page, name).locator("form")
    settled(page, name)
    form.locator("select, input").first.focus()
    reached = []
    for _ in range(form.locator(":is(select, input):enabled:visible").count()):
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("Tab")
    assert len(set(reached)) == len(reached) and None not in reached
    slider = form.get_by_role("slider").first
    before = said(page, name)
    slider.focus()
    page.keyboard.press("Home")
    settled(page, name)
    expect(outcome(page, name)).not_to_have_text(before)


@pytest.mark.parametrize("name", PAGES)
def test_every_field_has_a_name_and_what_changes_is_told_politely(at, name):
    page = at(name)
    nameless = box(page, name).locator("select, input").evaluate_all(
        "all => all.filter(f => !f.labels.length && !f.getAttribute('aria-label')).map(f => f.outerHTML)")
    assert nameless == []
    assert box(page, name).locator("output").get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("name", PAGES)
def test_it_fits_into_320_pixels(at, name):
    page = at(name, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = box(page, name).locator("label:visible, svg, output").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 80))")
    assert wide == []


@pytest.mark.parametrize("name", PAGES)
def test_without_javascript_a_sentence_stands_in_its_place(browser, served, name):
    with Visit(browser, f"{served}{PAGES[name]}", java_script_enabled=False) as visit:
        place = visit.page.locator(f".hf-widget-{name}")
        expect(place.locator(".hf-without-script")).to_be_visible()
        expect(place.locator("input, select, button")).to_have_count(0)
    with Visit(browser, f"{served}{PAGES[name]}") as visit:
        expect(visit.page.locator(f".hf-widget-{name} .hf-without-script")).not_to_be_visible()


def test_the_form_is_not_printed(at):
    page = at("array")
    page.emulate_media(media="print")
    expect(box(page, "array").locator("form")).not_to_be_visible()
    expect(outcome(page, "array")).to_be_visible()


@pytest.mark.parametrize("name", PAGES)
def test_its_scripts_are_small(book: Path, name):
    html = (book / PAGES[name]).read_text()
    scripts = re.findall(r"[\w-]+\.js", re.search(r'data-scripts="([^"]*)"', html)[1])
    assert scripts == ["widget.js", f"formulas-{name}.js", f"{name}.js"]
    assert sum((book / "_static" / script).stat().st_size for script in scripts) <= 28 * 1024


@pytest.mark.parametrize(("body", "problem"), [
    ("Only a caption.", "needs its takeaway, one paragraph, and below it what is shown without JavaScript"),
    ("- a list\n- first\n\nThen words.", "needs its takeaway"),
])
def test_a_calculator_without_words_leaves_a_notice(site, body, problem):
    site.fails(f"array-explorer: {problem}", page=f"# Page\n\n```{{array-explorer}}\n{body}\n```\n")


def test_chips_of_the_page_come_from_its_table(site):
    site.record()
    (site.root / "labs" / "kit").mkdir(parents=True, exist_ok=True)
    (site.root / "labs" / "kit" / "work.cpp").touch()
    site.page("# Page\n\n| chip | bf16 TFLOP/s | memory TB/s | ridge |\n|---|---|---|---|\n| Mine | 989 | 3.35 | 295 |\n\n"
              "```{roofline-explorer}\nThe roofline.\n\nOther words.\n```\n")
    site.built()
    chips = json.loads(re.search(r'<script type="application/json">(.*?)</script>', site.html(), re.S)[1])["chips"]
    assert [chip["id"] for chip in chips][:3] == ["here", "here.all", "mine"]
    assert "H100" not in {chip["name"] for chip in chips} and "H200" in {chip["name"] for chip in chips}
