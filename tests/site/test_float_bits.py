"""The clickable bits below the drawing of a number's bits in chapter 06: compared with Python's floats."""

import math
import random
import re
import struct

import pytest
from chromium import counted
from playwright.sync_api import expect
from whole import Visit

PLACES = {"fp32": (8, 23), "bf16": (8, 7), "fp16": (5, 10), "FP8 E4M3": (4, 3), "FP8 E5M2": (5, 2)}


@pytest.fixture
def bits(browser, book):
    """The page, at the drawing, where the script is loaded."""
    with Visit(browser, f"{book.as_uri()}/06-precision.html#fig-bits") as visit:
        yield visit.page


def panel(page, which: int = 0):
    return page.locator(".hf-bits-one").nth(which)


def pressed(page, which: int = 0) -> str:
    return "".join(panel(page, which).locator(".hf-bit").all_inner_texts())


def words(page, which: int = 0):
    """The line that names the number of the bits."""
    return panel(page, which).locator(".hf-bits-value")


def said(page, which: int = 0) -> str:
    return words(page, which).inner_text().replace("−", "-").replace("\u00a0", " ")


def begins(text: str) -> re.Pattern:
    return re.compile(rf"^\s*{re.escape(text)}".replace("\\ ", r"\s").replace("\\-", "[-−]"))


def choose(page, name: str, which: int = 0, number: object = math.pi) -> None:
    """Chooses a format, and types a number."""
    panel(page, which).get_by_label("Format").select_option(name)
    page.locator(".hf-bits input").fill(str(number))


def put(page, first: int, wanted: str) -> None:
    """Presses those bits, starting at `first`, that differ from the wanted ones."""
    for i, bit in enumerate(wanted, start=first):
        if pressed(page)[i] != bit:
            panel(page).locator(".hf-bit").nth(i).click()


@pytest.mark.parametrize("name", PLACES)
def test_pi_is_rounded_to_the_nearest_mark(bits, name):
    choose(bits, name)
    exponent, mantissa = PLACES[name]
    nearest = round(math.pi * 2 ** (mantissa - 1)) / 2 ** (mantissa - 1)
    expect(panel(bits).locator(".hf-bit")).to_have_count(1 + exponent + mantissa)
    expect(words(bits)).to_contain_text(f"= {nearest:.9g}. The next mark is")
    if name in ("fp32", "fp16"):
        code, whole = {"fp32": ("f", "I"), "fp16": ("e", "H")}[name]
        assert int(pressed(bits), 2) == struct.unpack(whole, struct.pack(code, math.pi))[0]
    if name == "bf16":
        assert int(pressed(bits), 2) == struct.unpack("I", struct.pack("f", math.pi))[0] >> 16


def test_bits_change_the_number(bits):
    choose(bits, "fp16")
    press = lambda i: panel(bits).locator(".hf-bit").nth(i).click()
    press(0)
    expect(words(bits)).to_have_text(re.compile(r"^−\(1 \+ 584/1024\).* = −3\.140625\b"))
    press(0)
    press(1)  # the only bit set in the exponent: now the lowest octave
    expect(words(bits)).to_have_text(begins("(0 + 584/1024) · 2-14 = 3.481 · 10-5."))
    put(bits, 1, "11111")
    expect(words(bits)).to_have_text(begins("not a number"))
    put(bits, 6, "0000000000")
    expect(words(bits)).to_have_text(begins("∞"))


def test_e4m3_has_no_infinity_but_a_largest_number(bits):
    choose(bits, "FP8 E4M3")
    put(bits, 0, "01111110")
    expect(words(bits)).to_contain_text("= 448.")  # its largest number, by the specification
    panel(bits).locator(".hf-bit").nth(7).click()
    expect(words(bits)).to_have_text(begins("not a number"))


def test_the_lowest_octave_has_no_leading_one(bits):
    choose(bits, "FP8 E5M2")
    put(bits, 0, "00000001")
    expect(words(bits)).to_have_text(re.compile(r"^\(0 \+ 1/4\) · 2−14 .*1\.526 · 10−5"))


def patterns(number: float) -> dict[str, str]:
    """A number's bits, from Python's floats and the definition of bf16."""
    whole = struct.unpack("I", struct.pack("f", number))[0]
    upper, lower = divmod(whole, 1 << 16)
    upper += lower > 1 << 15 or (lower == 1 << 15 and upper % 2)
    try:
        half = struct.unpack("H", struct.pack("e", number))[0]
    except OverflowError:
        half = 0x7C00 | 0x8000 * (number < 0)
    return {"fp32": f"{whole:032b}", "bf16": f"{upper:016b}", "fp16": f"{half:016b}"}


def test_a_typed_number_is_rounded_in_both_formats(bits):
    dice = random.Random(6)
    exact = lambda: struct.unpack("f", struct.pack("f", dice.uniform(-1, 1) * 2 ** dice.randint(-30, 20)))[0]
    ties = [1.00390625, 1.01171875, 65520.0, 2.0 ** -25]
    for number in [0.0, -0.0, 1 / 3, -65504.0, 65519.0, *ties, *(exact() for _ in range(20))]:
        right = patterns(number)
        for other in ("fp16", "fp32"):
            choose(bits, "bf16", 0, repr(number))
            choose(bits, other, 1, repr(number))
            for which, name in ((0, "bf16"), (1, other)):
                expect(panel(bits, which).locator(".hf-bits-row"), f"{number} as {name}").to_have_text(right[name])


def test_a_pressed_bit_shows_in_the_other_format_and_in_the_field(bits):
    choose(bits, "bf16", 0, 1)
    choose(bits, "FP8 E4M3", 1, 1)
    put(bits, 9, "1111111")  # 1 and 127/128, which E4M3 cannot represent
    expect(bits.locator(".hf-bits input")).to_have_value("1.9921875")
    expect(panel(bits, 1).locator(".hf-bits-row")).to_have_text("01000000")
    expect(words(bits, 1)).to_have_text(re.compile(r"= 2\..*Off by 0\.39%"))
    expect(words(bits, 0)).not_to_contain_text("Off by")
    button = panel(bits, 0).locator(".hf-bit").nth(3)
    button.press("Enter")
    expect(button).to_be_focused()


def test_what_is_too_large_is_infinite_or_stops_at_the_largest(bits):
    for number, fp16, e4m3 in (("1e6", "∞", "= 448."), ("-1e6", "-∞", "= -448."), ("Infinity", "∞", "= 448."),
                               ("NaN", "not a number", "not a number")):
        choose(bits, "fp16", 0, number)
        choose(bits, "FP8 E4M3", 1, number)
        expect(words(bits, 0)).to_have_text(begins(fp16))
        expect(words(bits, 1)).to_contain_text(e4m3.replace("-", "−"))


def test_what_is_no_number_is_marked_and_changes_nothing(bits):
    field = bits.locator(".hf-bits input")
    choose(bits, "bf16", 0, 2.5)
    before = pressed(bits), said(bits)
    for text in ("two", "", "1.2.3"):
        field.fill(text)
        expect(field).to_have_attribute("aria-invalid", "true")
        assert (pressed(bits), said(bits)) == before
    field.fill("-1e-3")
    expect(field).to_have_attribute("aria-invalid", "false")
    assert (pressed(bits), said(bits)) != before


@pytest.mark.parametrize("width", [360, 1280])
def test_its_height_stays_whatever_is_typed(browser, bits, width):
    bits.set_viewport_size({"width": width, "height": 900})
    heights = set()
    for name in PLACES:
        for number in (1, math.pi, -1.2345e-38, 1e-45, "NaN"):
            choose(bits, name, 0, number)
            choose(bits, name, 1, number)
            heights.add(round(bits.locator(".hf-bits").bounding_box()["height"]))
    with counted(browser):
        assert len(heights) == 1


def test_every_bit_is_a_button_with_a_name_and_a_state(bits):
    choose(bits, "FP8 E5M2")
    button = panel(bits).get_by_role("button", name="exponent, bit 6")
    other = {"true": "false", "false": "true"}[button.get_attribute("aria-pressed")]
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", other)


def test_without_scripts_there_are_no_dead_buttons(browser, base):
    with Visit(browser, f"{base}06-precision.html", java_script_enabled=False) as visit:
        expect(visit.page.locator(".hf-bits button")).to_have_count(0)
        expect(visit.page.locator("svg.hf-06-bits")).to_be_visible()
