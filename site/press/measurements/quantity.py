"""Numbers for reading: with as many digits as the spread supports, a prefix that keeps the number short, and a unit."""

import math
from dataclasses import dataclass

NO_BREAK_SPACE = "\u00a0"
MINUS = "\u2212"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DIGITS = 2  # for a number in prose, unless its spread allows a third
SMALLEST, LARGEST = 1e-7, 1e15  # beyond these a number is printed with a power of ten

# Units that differ by a prefix only: {unit: its size in the family's first unit}. A book adds its own, in book.toml.
COMMON = (
    {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40},
    {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9},
    {"MB/s": 1, "GB/s": 1e3, "TB/s": 1e6},
    {"MHz": 1, "GHz": 1e3},
)
PRINTED = {"us": "µs"}  # the others are printed as a record names them
families = [*COMMON]


def use(own: list[dict[str, float]]) -> None:
    """Reads numbers with a book's own families of units in addition to those that every book has."""
    families[:] = [*COMMON, *own]


@dataclass(frozen=True)
class Quantity:
    """A number ready to print. `low` and `high` are empty when there is no spread to show."""

    number: str
    unit: str = ""
    low: str = ""
    high: str = ""

    def __str__(self) -> str:
        gap = "" if self.unit.startswith(("%", "×")) or not self.unit else NO_BREAK_SPACE
        return f"{self.number}{gap}{self.unit}"

    @property
    def spread(self) -> str:
        return f"{self.low}–{self.high}" if self.low else ""


def quantity(value: float, unit: str, low: float | None = None, high: float | None = None, *,
             style: str = "", exact: bool = False, digits: int = 3, rescaled: bool = True) -> Quantity:
    """Formats `value`, given in `unit`, with its 5th and 95th percentile.

    style: "percent" prints a share (unit "1") as a percentage, "times" a ratio (unit "1") with ×, "count" a number rounded up
    to whole things.
    exact: prints every digit given, for quoted numbers and counts.
    digits: the number of digits for a number without a spread, unless last_place() decides otherwise.
    rescaled: uses the unit of the family that keeps the number short; else the one given.
    """
    scale, shown_unit = _scale(value, unit, style, rescaled)
    value = value * scale
    if low is None or high is None:
        low = high = value
    else:
        low, high = low * scale, high * scale
    if style == "count":
        value, low, high = (math.ceil(v) for v in (value, low, high))
    if exact or (low == high and unit == "1" and not style and value == int(value)):
        return Quantity(_exact(value), shown_unit)
    place = max(last_place(value, low, high, digits), 0 if style == "count" else -math.inf)
    number, low_text, high_text = (_rounded(v, place) for v in (value, low, high))
    if low == high:
        return Quantity(_without_trailing_zeros(number), shown_unit)
    if low_text == high_text:
        low_text = high_text = ""
    return Quantity(number, shown_unit, low_text, high_text)


def last_place(value: float, low: float, high: float, digits: int = 3) -> int:
    """The power of ten of the last digit worth printing: the leading digit of half the spread, but at least two and at most
    three significant digits. For a number without spread: `digits` digits, or three for a whole number and for one that would
    otherwise round to 1 or 100%."""
    if value == 0:
        return 0
    leading = math.floor(math.log10(abs(value)))
    half_spread = (high - low) / 2
    if half_spread <= 0:
        three = float(value).is_integer() or float(f"{value:.{digits - 1}e}") in (1, 100)
        return leading - (2 if three else digits - 1)
    return max(leading - 2, min(leading - 1, math.floor(math.log10(half_spread) + 1e-9)))


def rounded(value: float, low: float, high: float, digits: int = 3) -> float:
    """The value with the digits that are worth printing."""
    return round(value, -last_place(value, low, high, digits))


def _scale(value: float, unit: str, style: str, rescaled: bool) -> tuple[float, str]:
    """The factor to multiply by and the unit to print."""
    if style and unit != "1":
        raise ValueError(f'"{style}" needs a value of unit 1, not {unit}')
    if style == "percent":
        return 100.0, "%"
    if style == "times":
        return 1.0, "×"
    if unit == "1":
        return 1.0, ""
    family = next((family for family in families if unit in family), {unit: 1})
    size, shown = family[unit], unit
    if rescaled:
        fitting = [name for name in family if abs(value) * size >= family[name] * (1 - 1e-9)]
        shown = fitting[-1] if fitting else next(iter(family))
    return size / family[shown], PRINTED.get(shown, shown)


def _rounded(value: float, place: int) -> str:
    if _is_far(value):
        return _scientific(value)
    return grouped(f"{round(value, -place):.{max(0, -place)}f}")


def _without_trailing_zeros(text: str) -> str:
    """Zeros after the decimal point would claim a precision that was not measured."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def _exact(value: float) -> str:
    if _is_far(value):
        return _scientific(value)
    return grouped(f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}")


def _is_far(value: float) -> bool:
    return value != 0 and not SMALLEST <= abs(value) < LARGEST


def _scientific(value: float) -> str:
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return f"{grouped(_without_trailing_zeros(mantissa))} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}"


def grouped(text: str) -> str:
    """Groups thousands from five digits on, with commas, and prints a real minus sign."""
    sign = MINUS if text.startswith("-") and text.strip("-0.") else ""
    whole, dot, rest = text.lstrip("-").partition(".")
    if len(whole) >= 5 and whole.isdigit():
        whole = f"{int(whole):,}"
    return f"{sign}{whole}{dot}{rest}"
