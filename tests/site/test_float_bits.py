"""Bits to press, under the drawing of a number's bits in chapter 06: held against the floats of Python."""

import math
import struct

import pytest
from book import Visit

PLACES = {"fp32": (8, 23), "bf16": (8, 7), "fp16": (5, 10), "FP8 E4M3": (4, 3), "FP8 E5M2": (5, 2)}


@pytest.fixture(scope="module")
def bits(browser, book):
    """A visit to the page, and what presses a format, reads its bits and what is said of them."""
    with Visit(browser, f"{book.as_uri()}/06-precision.html") as visit:
        yield visit.page


def pressed(page) -> str:
    return "".join(page.locator(".hf-bit").all_inner_texts())


def said(page) -> str:
    return page.locator(".hf-bits-value").inner_text().replace("−", "-")


def choose(page, name: str) -> None:
    page.locator(".hf-bits-formats button", has_text=name).click()


def put(page, first: int, wanted: str) -> None:
    """Presses the bits from the `first` that are not as they are wanted."""
    for i, bit in enumerate(wanted, start=first):
        if pressed(page)[i] != bit:
            page.locator(".hf-bit").nth(i).click()


@pytest.mark.parametrize("name", PLACES)
def test_pi_is_rounded_to_the_nearest_mark(bits, name):
    choose(bits, name)
    exponent, mantissa = PLACES[name]
    nearest = round(math.pi * 2 ** (mantissa - 1)) / 2 ** (mantissa - 1)
    assert len(pressed(bits)) == 1 + exponent + mantissa
    assert f"= {nearest:.9g}. The next mark is" in said(bits)
    if name in ("fp32", "fp16"):
        code, whole = {"fp32": ("f", "I"), "fp16": ("e", "H")}[name]
        assert int(pressed(bits), 2) == struct.unpack(whole, struct.pack(code, math.pi))[0]
    if name == "bf16":
        assert int(pressed(bits), 2) == struct.unpack("I", struct.pack("f", math.pi))[0] >> 16


def test_bits_change_the_number(bits):
    choose(bits, "fp16")
    press = lambda i: bits.locator(".hf-bit").nth(i).click()
    press(0)
    assert said(bits).startswith("-(1 + 584/1024)") and "= -3.140625" in said(bits)
    press(0)
    press(1)  # the exponent's only one: now the lowest octave
    assert said(bits).startswith("(0 + 584/1024) · 2-14 = 3.481 · 10-5.")
    put(bits, 1, "11111")
    assert said(bits).startswith("not a number")
    put(bits, 6, "0000000000")
    assert said(bits).startswith("∞")


def test_e4m3_has_no_infinity_but_a_largest_number(bits):
    choose(bits, "FP8 E4M3")
    put(bits, 0, "01111110")
    assert "= 448." in said(bits)  # its largest, by the specification
    bits.locator(".hf-bit").nth(7).click()
    assert said(bits).startswith("not a number")


def test_the_lowest_octave_has_no_leading_one(bits):
    choose(bits, "FP8 E5M2")
    put(bits, 0, "00000001")
    assert said(bits).startswith("(0 + 1/4) · 2-14") and "1.526 · 10-5" in said(bits)


def test_every_bit_is_a_button_with_a_name_and_a_state(bits):
    choose(bits, "FP8 E5M2")
    button = bits.get_by_role("button", name="exponent, bit 6")
    before = button.get_attribute("aria-pressed")
    button.focus()
    button.press("Enter")
    assert {before, button.get_attribute("aria-pressed")} == {"true", "false"}


def test_without_scripts_there_are_no_dead_buttons(browser, base):
    with Visit(browser, f"{base}06-precision.html", java_script_enabled=False) as visit:
        assert visit.page.locator(".hf-bits button").count() == 0 and visit.page.locator("svg.hf-06-bits").is_visible()
