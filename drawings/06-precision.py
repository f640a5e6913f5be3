"""Draws 06-bits, 06-block, 06-drawer, 06-rotation and 06-sparse: the bits of a number, eight numbers in Q4_0, numbers that
share a ruler, the benefit of rotation, and the cost of an index."""

import math
import struct

from sketch import Sketch, number, write_all

SIGN, EXPONENT, MANTISSA = "ink", "purple", "green"
NUMBER = math.pi


def float_bits(value, exponent_bits, mantissa_bits):
    """The bits of a positive normal number in a format, and the number that they encode: rounded to nearest, ties to even."""
    octave = math.floor(math.log2(value))
    steps = round(value / 2 ** (octave - mantissa_bits))  # Python rounds ties to even
    bias = 2 ** (exponent_bits - 1) - 1
    mantissa = format(steps - 2 ** mantissa_bits, f"0{mantissa_bits}b")
    return "0" + format(octave + bias, f"0{exponent_bits}b") + mantissa, steps * 2 ** (octave - mantissa_bits)


def bits():
    """π in six formats, with their bits one below the other; and a block of Q4_0, at a smaller scale."""
    cell = 16.25
    sketch = Sketch("06-bits", 324, "What the bits of a number are for, in six formats and in a block",
                    """The number pi, bit by bit. fp32 has a sign, 8 bits of exponent and 23 of mantissa. bf16 is its upper
                    half: 8 and 7. fp16 has 5 and 10, E4M3 4 and 3, E5M2 5 and 2; int8 is an integer times a scale. Below,
                    32 numbers of 4 bits with one scale of 16, a block of Q4_0.""")
    for x, name, colour in ((0, "sign", SIGN), (70, "exponent: which octave", EXPONENT),
                            (292, "mantissa: which mark", MANTISSA)):
        sketch.rect(x, 3, 14, 14, f"s-{colour} t-{colour}", rx=2)
        sketch.text(x + 20, 16, name)
    y = 34
    for name, exponent, mantissa in (("fp32", 8, 23), ("bf16", 8, 7), ("fp16", 5, 10), ("FP8 E4M3", 4, 3), ("FP8 E5M2", 5, 2)):
        pattern, value = float_bits(NUMBER, exponent, mantissa)
        assert name != "fp32" or int(pattern, 2) == struct.unpack("I", struct.pack("f", NUMBER))[0]
        colours = [SIGN] + [EXPONENT] * exponent + [MANTISSA] * mantissa
        says = f"{name}: {value:.7g}"
        if len(pattern) == 32:
            sketch.text(0, y + 14, says)
            y += 20
        cells(sketch, y, cell, pattern, colours)
        if len(pattern) < 32:
            sketch.text(len(pattern) * cell + 14, y + 17, says)
        y += 34
    scale = 1 / 32
    steps = round(NUMBER / scale)
    cells(sketch, y, cell, format(steps, "08b"), [SIGN] + [MANTISSA] * 7)
    sketch.text(8 * cell + 14, y + 17, f"int8: {steps} × {scale:.5g} = {steps * scale:.7g}")
    y += 58
    sketch.text(0, y, "Q4_0: a scale of 16 bits, and 32 numbers of 4: 18 bytes")
    wide = 520 / 36  # a group of four bits
    sketch.rect(0, y + 10, 4 * wide - 2, 24, f"s-{EXPONENT} t-{EXPONENT}", rx=3)
    sketch.text(2 * wide - 1, y + 27, "scale", "mid")
    for i in range(32):
        sketch.rect((4 + i) * wide, y + 10, wide - 2, 24, f"s-{MANTISSA} t-{MANTISSA}", rx=2)
    return sketch


def cells(sketch, y, cell, pattern, colours):
    for i, (bit, colour) in enumerate(zip(pattern, colours, strict=True)):
        sketch.rect(i * cell + .75, y, cell - 1.5, 24, f"s-{colour} t-{colour}", rx=2)
        sketch.text(number(i * cell + cell / 2), y + 17, bit, "mid")


LEVELS = 7  # marks above zero on a ruler of 4 bits
SMALL = (.62, .35, .9, .18, .74, .5, .28, None, .83, .42, .22, .95, .57, .31, .7, .12)  # None: the giant


def drawer():
    """Sixteen magnitudes as bars, rounded to the marks of a ruler as long as the largest."""
    giants, unit, base, wide, gap = (1, 1.6, 2.8, 4.4, 6, 6), 42, 284, 20, 10
    stored = lambda value, top: round(value * LEVELS / top) * top / LEVELS
    says = ["All are about equally large, so seven marks are enough to tell them apart."]
    for giant in giants[1:-1]:
        kept = [stored(value, giant) for value in SMALL if value]
        lost = f", and {kept.count(0)} of them became zero" if 0 in kept else ""
        says.append(f"One number is larger, and the ruler must reach it. The small ones share {len(set(kept))} marks{lost}.")
    says.append("With a ruler for each drawer, only the numbers that share one with the giant lose marks.")
    sketch = Sketch("06-drawer", 312, "One ruler for all, and a ruler for each drawer",
                    """Sixteen bars are rounded to the seven marks of a ruler that is as long as the tallest. While they are
                    about equal, each keeps its height. As one of them grows, the marks move apart, and the others are
                    rounded to one of two marks or to zero. With a ruler for each half, only the half with the tall one
                    loses.""",
                    data_first=0, data_last=len(giants) - 1, data_at=4, data_pace=1800, data_says="|".join(says))
    with sketch.group("key"):
        sketch.rect(0, 3, 14, 14, "s-quiet", rx=1)
        sketch.text(21, 16, "the number")
        sketch.rect(128, 3, 14, 14, "f-green", rx=1)
        sketch.text(149, 16, "what is stored")
    left = 24
    half = len(SMALL) // 2 * (wide + gap)
    for step, giant in enumerate(giants):
        with sketch.group(data_from=step, data_to=step):
            last = step == len(giants) - 1
            drawers = ((0, 8), (8, 16)) if last else ((0, 16),)
            for first, end in drawers:
                values = [giant if value is None else value for value in SMALL[first:end]]
                top = max(values) if last or giant > 1 else 1
                x0, x1 = left + first * (wide + gap) - 6, left + end * (wide + gap) - 4
                for mark in range(LEVELS + 1):
                    y = base - unit * top * mark / LEVELS
                    sketch.path(f"M{x0},{number(y)}H{x1 - 6}", "s-purple thin")
                for i, value in enumerate(values):
                    x = left + (first + i) * (wide + gap)
                    kept = stored(value, top)
                    if kept:
                        sketch.rect(x, base - unit * kept, wide, unit * kept, "f-green")
                    sketch.rect(x, base - unit * value, wide, unit * value, "s-ink")
            sketch.path(f"M{left - 8},{base}H{left + 2 * half - 4}", "s-ink thick")
            if last:
                for first in (0, 8):
                    sketch.text(left + first * (wide + gap) + half / 2, base + 22, "one ruler", "mid f-quiet")
            else:
                sketch.text(left + half, base + 22, "one ruler", "mid f-quiet")
    return sketch


BLOCK = (.62, -.08, .31, -1.2, .13, .77, -.26, 1.15)


def block():
    """Eight numbers, the marks of the ruler that fits them, and the 4-bit code of each."""
    farthest = max(BLOCK, key=abs)
    scale = farthest / -8
    codes = [min(15, int(value / scale + 8.5)) for value in BLOCK]
    signed = lambda value, digits: f"{value:.{digits}f}".replace("-", "−")
    sketch = Sketch("06-block", 380, "Eight numbers in Q4_0, before and after",
                    f"""Eight numbers from {farthest} to {max(BLOCK)}. The one farthest from zero becomes minus eight, so
                    its sixteen marks are {scale:g} apart, from minus eight to seven of them. Each number moves to the nearest
                    mark, and only the mark's number is kept, in four bits. 1.15 lies above the last mark, at 1.05, and is cut
                    off there.""")
    sketch.circle(7, 10, 4.5, "f-ink")
    sketch.text(19, 16, "the number")
    sketch.rect(128, 3, 14, 14, "f-green", rx=1)
    sketch.text(149, 16, "what is stored")
    left, wide, zero, step = 78, 54, 176, 15
    height = lambda value: zero - step * value / scale
    for mark in range(-8, 8):
        sketch.path(f"M{left - 12},{number(height(mark * scale))}H{left + wide * len(BLOCK) - 8}",
                    "s-purple thin" if mark else "s-ink")
    for mark in (7, 0, -8):
        sketch.text(left - 22, number(height(mark * scale) + 6), signed(mark, 0), "end")
    for i, (value, code) in enumerate(zip(BLOCK, codes, strict=True)):
        x, kept = left + i * wide, (code - 8) * scale
        top, bottom = sorted((height(kept), zero))
        if bottom > top:
            sketch.rect(x, number(top), 30, number(bottom - top), "f-green")
        sketch.circle(x + 15, number(height(value)), 4.5, "f-ink")
        sketch.text(x + 15, 330, signed(value, 2), "mid")
        sketch.text(x + 15, 352, signed(code - 8, 0), "mid")
        sketch.text(x + 15, 374, signed(kept, 2), "mid f-quiet")
    for y, words in ((330, "number"), (352, "mark"), (374, "back")):
        sketch.text(0, y, words, "f-quiet")
    return sketch


def rotation():
    """The vector (100, 1) among the marks of a ruler of 4 bits, along the original axes and along axes rotated by 45
    degrees."""
    sketch = Sketch("06-rotation", 292, "A loud channel, before and after axes are turned by 45 degrees",
                    """On the left the vector (100, 1) lies along one axis: the marks must reach 100 in both directions, and
                    are far apart. On the right the axes are turned by 45 degrees. The same vector is (71.4, 70.0): the
                    marks need only reach 71.4, and are closer together, by the root of two.""")
    marks_and_vector(sketch, 130, 0, 100, "(100, 1)")
    marks_and_vector(sketch, 392, 45, 101 / math.sqrt(2), "(71.4, 70.0)")
    return sketch


def marks_and_vector(sketch, middle, degrees, reach, says):
    """Axes rotated by an angle in degrees, marks on them up to a distance, and the vector (100, 1)."""
    level, unit, angle = 138, 1.08, math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)

    def place(a, b):
        return middle + unit * reach * (a * cos - b * sin), level - unit * reach * (a * sin + b * cos)

    for along, across in ((1, 0), (0, 1)):
        sketch.line(*place(-along, -across), *place(along, across), "s-quiet thin")
    for i in range(-LEVELS, LEVELS + 1):
        for j in range(-LEVELS, LEVELS + 1):
            sketch.circle(*place(i / LEVELS, j / LEVELS), 1.6, "f-purple")
    corners = [place(a, b) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    sketch.path("M" + "L".join(f"{number(x)},{number(y)}" for x, y in corners) + "Z", "s-purple")
    sketch.arrow(middle, level, middle + unit * 100, level - unit, colour="ink", css="thick", size=11)
    sketch.text(middle, 282, says, "mid")


def sparse():
    """Eight weights, half of them dropped, stored in four ways; a unit of width is half a bit."""
    weights, cell, top, row = (.9, -.1, .3, -1.2, .1, .7, -.2, .4), 64, 22, 60
    keep = [sorted(sorted(range(first, first + 4), key=lambda i: -abs(weights[i]))[:2]) for first in (0, 4)]
    kept = keep[0] + keep[1]
    sketch = Sketch("06-sparse", 278, "Half of the weights left out, and what it costs to say which",
                    """Eight weights of 32 bits take 256 bits. Of each four, the two largest stay. Stored with an index of 32
                    bits each they take 256 bits again; with a bitmask of one bit for each place 136; with two bits for each
                    that stays, by the rule of two in four, 136 as well.""")
    say = lambda at, words: sketch.text(1, at, words)
    value = lambda x, y, i, css: (sketch.rect(x + 1, y, cell - 2, 26, css, rx=3),
                                  sketch.text(x + cell / 2, y + 18, f"{weights[i]:g}".replace("-", "−"), "mid"))
    y = top
    say(y - 6, "Dense: 8 × 32 bits = 256 bits")
    for i in range(8):
        value(i * cell + 4 * (i > 3), y, i, "s-green t-green" if i in kept else "s-grid f-paper")
    y += row + 4
    say(y - 6, "An index beside each: 4 × (32 + 32) = 256 bits")
    for place, i in enumerate(kept):
        value(2 * place * cell, y, i, "s-green t-green")
        sketch.rect((2 * place + 1) * cell + 1, y, cell - 2, 26, "s-purple t-purple", rx=3)
        sketch.text((2 * place + 1.5) * cell, y + 18, f"at {i}", "mid")
    y += row
    say(y - 6, "A bitmask: 8 × 1 + 4 × 32 = 136 bits")
    sketch.rect(0, y, 16, 26, "s-purple t-purple", rx=2)
    for place, i in enumerate(kept):
        value(18 + place * cell, y, i, "s-green t-green")
    mask = "".join(str(int(i in kept)) for i in range(8))
    sketch.path(f"M8,{y + 28}V{y + 40}H22", "s-purple thin")
    sketch.text(27, y + 45, mask, "mono")
    sketch.text(112, y + 45, "one bit for each place, full or empty", "f-quiet")
    y += row + 22
    say(y - 6, "2:4: 4 × (2 + 32) = 136 bits")
    for place, i in enumerate(kept):
        x = place * (cell + 5)
        sketch.rect(x, y, 4, 26, "f-purple", rx=1)
        value(x + 5, y, i, "s-green t-green")
        sketch.text(x + 5 + cell / 2, y + 45, format(i % 4, "02b"), "mid mono")
    sketch.text(4 * (cell + 5) + 10, y + 18, "two bits: which of the four", "f-quiet")
    return sketch


if __name__ == "__main__":
    write_all(bits(), block(), drawer(), rotation(), sparse())
