"""Numbers are printed as precisely as they were measured, and not more."""

import pytest
from conftest import ALIKE
from press.measurements.quantity import DIGITS, MINUS, NO_BREAK_SPACE, quantity


@pytest.mark.parametrize(("value", "unit", "low", "high", "text", "spread"), [
    (171.26, "GFLOP/s", 168.1, 173.4, "171 GFLOP/s", "168–173"),  # whole numbers: half the spread is 2.65
    (16.512, "GB/s", 16.21, 16.83, "16.5 GB/s", "16.2–16.8"),
    (133.4, "ns", 110.0, 190.0, "130 ns", "110–190"),  # two digits: the spread is in the tens
    (133.4, "ns", 10.0, 900.0, "130 ns", "10–900"),  # never fewer than two digits
    (2.98765, "GHz", 2.98764, 2.98766, "2.99 GHz", ""),  # never more than three, and no empty spread
    (0.0056, "1", 0.0055, 0.0057, "0.0056", "0.0055–0.0057"),
    (99.96, "GB/s", 99.9, 100.1, "100.0 GB/s", "99.9–100.1"),
    (1234.0, "GFLOP/s", 1200.0, 1260.0, "1.23 TFLOP/s", "1.20–1.26"),
    (0.45, "GFLOP/s", 0.44, 0.46, "450 MFLOP/s", "440–460"),
    (1500.0, "ns", 1400.0, 1600.0, "1.5 µs", "1.4–1.6"),
    (12345678.0, "1", 12000000.0, 12700000.0, "12,300,000", "12,000,000–12,700,000"),
    (24512.0, "FLOP", 24300.0, 24700.0, "24,500 FLOP", "24,300–24,700"),  # counted, so not in kFLOP
    (5.294e9, "updates/s", 5.2e9, 5.4e9, "5.3 billion updates/s", "5.2–5.4"),  # "Gupdates/s" is not a word
    (71.2, "s", None, None, "71.2 s", ""),
    (49152, "B", None, None, "48 KiB", ""),
    (2097152, "B", None, None, "2 MiB", ""),
    (25e9, "B", None, None, "23.3 GiB", ""),
    (0.006, "1", None, None, "0.006", ""),
    (9, "1", None, None, "9", ""),
    (0, "GB/s", 0, 0, "0 MB/s", ""),
    (-3.21, "dB", -3.3, -3.1, "-3.2 dB", "-3.3–-3.1"),
    (1e300, "1", None, None, "1 × 10³⁰⁰", ""),
    (-2.5e-12, "1", None, None, "-2.5 × 10⁻¹²", ""),
    (3e30, "GB/s", 2.9e30, 3.1e30, "3 × 10²⁷ TB/s", "2.9 × 10²⁷–3.1 × 10²⁷"),
    (10.6, "FLOP/byte", 10.4, 10.8, "10.6 FLOP/byte", "10.4–10.8"),
])
def test_number_unit_and_spread(value, unit, low, high, text, spread):
    shown = quantity(value, unit, low, high)
    assert (plain(str(shown)), plain(shown.spread)) == (text, spread)


@pytest.mark.parametrize(("value", "text"), ALIKE["numbers"])
def test_a_number_without_a_spread_has_three_digits(value, text):
    assert quantity(value, "1").number == text


@pytest.mark.parametrize(("value", "unit", "style", "text"), [
    (71.26, "s", "", "71 s"), (19687.3, "FLOP", "", "20,000 FLOP"), (784 * 1024, "B", "", "784 KiB"), (1349, "1", "", "1349"),
    (0.502, "1", "", "0.5"), (1.44, "1", "times", "1.4×"), (1.04, "1", "times", "1.04×"), (1.034, "1", "percent", "103%"),
    (0.9996, "1", "percent", "100%"), (0.8854, "1", "percent", "89%"),
])
def test_in_prose_two_digits_are_enough_where_no_spread_allows_a_third(value, unit, style, text):
    assert plain(str(quantity(value, unit, style=style, digits=DIGITS))) == text
    assert plain(str(quantity(171.26, "GFLOP/s", 168.1, 173.4, digits=DIGITS))) == "171 GFLOP/s"


@pytest.mark.parametrize(("value", "style", "text"), [
    (0.0056, "percent", "0.56%"), (1.0, "percent", "100%"), (23.1, "times", "23.1×"), (2, "times", "2×"),
    (6.41, "count", "7"), (91.57, "count", "92"), (5163.55, "count", "5160"),
])
def test_styles(value, style, text):
    assert plain(str(quantity(value, "1", style=style))) == text


def test_whole_things_have_a_whole_spread():
    shown = quantity(6.41, "1", 5.2, 9.7, style="count")
    assert (str(shown), shown.spread) == ("7", "6–10")


def test_quoted_numbers_keep_their_digits():
    assert plain(str(quantity(3.35, "TB/s", exact=True))) == "3.35 TB/s"
    assert plain(str(quantity(312, "TFLOP/s", exact=True))) == "312 TFLOP/s"
    assert plain(str(quantity(1 / 12, "FLOP/byte", exact=True))) == "0.0833333 FLOP/byte"
    assert plain(str(quantity(4194304, "1", exact=True))) == "4,194,304"
    assert plain(str(quantity(1e300, "1", exact=True))) == "1 × 10³⁰⁰"


@pytest.mark.parametrize("style", ["percent", "times", "count"])
def test_a_style_needs_a_bare_number(style):
    with pytest.raises(ValueError, match="unit 1, not GB/s"):
        quantity(3, "GB/s", style=style)


def plain(text: str) -> str:
    return text.replace(NO_BREAK_SPACE, " ").replace(MINUS, "-")
