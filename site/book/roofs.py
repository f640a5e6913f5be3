"""The rooflines of all machines in one plot, as chapter 01 draws that of one core."""

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass

from press.measurements.quantity import quantity
from press.measurements.record import Machine, Record

LAB = "01-roofline"
WIDTH, HEIGHT, TOP, BOTTOM, LEFT, RIGHT = 600, 436, 30, 64, 62, 24  # of the plot, and of its margins, in pixels
ONE, ALL = "one core", "all cores"
PEAKS = {ONE: "peak_fp32_gflops", ALL: "peak_fp32_all_gflops"}


@dataclass(frozen=True)
class Roof:
    """A peak in GFLOP/s and a bandwidth in GB/s."""

    peak: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        """In FLOP/byte."""
        return self.peak / self.bandwidth

    def at(self, intensity: float) -> float:
        return min(self.peak, intensity * self.bandwidth)


@dataclass(frozen=True)
class Roofline:
    """The data drawn for a machine: its roofs with one thread and with all, and (FLOP/byte, GFLOP/s, name) for each kernel."""

    one: Roof
    all: Roof
    kernels: tuple[tuple[float, float, str], ...]


def roofline(record: Record) -> Roofline | None:
    """The roofline in a record of lab 01; None if it lacks one of the four numbers."""
    bandwidths, peaks = measured_bandwidths(record), {cores: record.value(name) for cores, name in PEAKS.items()}
    if not all(peaks[cores] and peaks[cores]["value"] > 0 and bandwidths.get(cores, 0) > 0 for cores in PEAKS):
        return None
    kernels = (record.series("kernels") or {"points": []})["points"]
    return Roofline(*(Roof(peaks[cores]["value"], bandwidths[cores]) for cores in PEAKS),
                    tuple((point["x"], point["median"], point.get("label", "")) for point in kernels))


def measured_bandwidths(record: Record) -> dict[str, float]:
    """GB/s, as in chapter 01's figure: the fastest stream of one core, which an older record has for reading alone. All cores
    were only seen to read; they can also do what one of them does."""
    roof, reads, all_read = (value and value["value"] for value in map(
        record.value, ("memory_roof_gbs", "bandwidth_dram_gbs", "bandwidth_dram_all_gbs")))
    one = roof or reads
    return {cores: value for cores, value in ((ONE, one), (ALL, all_read and max(all_read, one or 0))) if value}


@dataclass(frozen=True)
class Scale:
    """The axes that all drawings share: whole powers of ten around everything that is drawn."""

    x: tuple[int, int]
    y: tuple[int, int]

    def place(self, intensity: float, speed: float) -> tuple[float, float]:
        def share(value: float, ends: tuple[int, int]) -> float:
            return max(0.0, min(1.0, (math.log10(value) - ends[0]) / (ends[1] - ends[0])))

        x, y = share(intensity, self.x), share(speed, self.y)
        return round(LEFT + x * (WIDTH - LEFT - RIGHT), 1), round(TOP + (1 - y) * (HEIGHT - BOTTOM - TOP), 1)


def scale_of(rooflines: Iterable[Roofline]) -> Scale:
    """The scale for at least one roofline."""
    dots = [(x, y) for each in rooflines for x, y, _ in each.kernels if y > 0 and x > 0]
    corners = [(roof.ridge, roof.peak) for each in rooflines for roof in (each.one, each.all)]
    xs, ys = zip(*dots, *corners)
    return Scale((math.floor(math.log10(min(xs))), math.ceil(math.log10(max(xs) * 1.5))),
                 (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))))


def path(roof: Roof, scale: Scale) -> str:
    """The roof from one end of the axis to the other, as an SVG path."""
    return "M" + "L".join(corners(roof, scale))


def corners(roof: Roof, scale: Scale) -> list[str]:
    """Where the roof begins, its ridge, and where it ends."""
    left, right = 10.0 ** scale.x[0], 10.0 ** scale.x[1]
    points = [(left, roof.at(left)), (roof.ridge, roof.peak), (right, roof.peak)]
    lowest = 10.0 ** scale.y[0]
    if points[0][1] < lowest:  # the roof enters through the bottom edge
        points[0] = (lowest / roof.bandwidth, lowest)
    return ["{:g},{:g}".format(*scale.place(*point)) for point in points]


def picture(rooflines: dict[Machine, Roofline], scale: Scale) -> str:
    """All machines' rooflines, the first one picked out; static/gallery.js picks another when the reader points at it."""
    *others, first = [group(machine, own, scale) for machine, own in reversed(rooflines.items())]
    drawn = "".join(others) + first.replace("hf-roof", "hf-roof hf-picked", 1)  # on top
    told = " ".join(f"{machine.short}: {described(own)}" for machine, own in rooflines.items())
    return (f'<svg class="hf-roofs" translate="no" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            'aria-labelledby="roofs-title roofs-desc">'
            f'<title id="roofs-title">The rooflines of all machines</title><desc id="roofs-desc">{html.escape(told)}</desc>'
            f"{grid(scale)}{drawn}</svg>")


def group(machine: Machine, own: Roofline, scale: Scale) -> str:
    """One machine's roofline: the roof of one core in two colours, that of all cores, the kernels, and the machine's name."""
    start, ridge, end = corners(own.one, scale)
    dots = "".join('<circle cx="{:g}" cy="{:g}" r="4"><title>{}</title></circle>'.format(
        *scale.place(x, y), html.escape(f"{label}: {quantity(float(f'{y:.3g}'), 'GFLOP/s')}"))
        for x, y, label in own.kernels if x > 0 and y > 0)
    right, top = scale.place(10.0 ** scale.x[1], own.all.peak)
    return (f'<g class="hf-roof" data-machine="{html.escape(machine.slug)}"><path class="hf-reach" d="{path(own.all, scale)}"/>'
            f'<path class="hf-all" d="{path(own.all, scale)}"/><path class="hf-memory" d="M{start}L{ridge}"/>'
            f'<path class="hf-compute" d="M{ridge}L{end}"/>{dots}'
            f'<text x="{right:g}" y="{top - 8:g}" text-anchor="end">{html.escape(machine.short)}</text></g>')


def described(own: Roofline) -> str:
    """The drawing in words."""
    def roof(each: Roof) -> str:
        return f"{quantity(each.peak, 'GFLOP/s')} over {quantity(each.bandwidth, 'GB/s')}, ridge at {each.ridge:.2g} FLOP/byte"

    return f"All threads: {roof(own.all)}. One thread: {roof(own.one)}. {len(own.kernels)} kernels of one thread as dots."


def grid(scale: Scale) -> str:
    """The grid, and the axes' numbers and titles, at powers of ten."""
    def power(exponent: int, unit: str = "") -> str:
        return html.escape(f"{10.0 ** exponent:g}{unit}")

    lines = []
    for exponent in range(scale.x[0], scale.x[1] + 1):
        x, floor = scale.place(10.0 ** exponent, 10.0 ** scale.y[0])
        lines.append(f'<line x1="{x:g}" x2="{x:g}" y1="{TOP}" y2="{floor:g}"/>'
                     f'<text x="{x:g}" y="{HEIGHT - 38}" text-anchor="middle">{power(exponent)}</text>')
    for exponent in range(scale.y[0], scale.y[1] + 1):
        x, y = scale.place(10.0 ** scale.x[0], 10.0 ** exponent)
        lines.append(f'<line x1="{x:g}" x2="{WIDTH - RIGHT}" y1="{y:g}" y2="{y:g}"/>'
                     f'<text x="{x - 4:g}" y="{y + 5:g}" text-anchor="end">{power(exponent)}</text>')
    lines.append(f'<text x="2" y="14">speed, GFLOP/s</text>'
                 f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">intensity, FLOP/byte</text>')
    return f'<g class="hf-axes" aria-hidden="true">{"".join(lines)}</g>'
