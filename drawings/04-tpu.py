"""Draws 04-brigade, 04-dataflows, 04-edges, 04-chip and 04-torus: how numbers get to where they are used; nobody runs.

Orange: weights, which come from memory; green: the numbers multiplied with them; blue: cells and sums.
"""

from sketch import Sketch, number, write_all


def person(sketch, x, y, colour="ink"):
    """A person with both hands held out at bucket height; x, y is where the person stands."""
    sketch.circle(x, y - 46, 7, f"f-{colour}")
    sketch.path("M0,-37V-16L-6,0M0,-16L6,0M-13,-26L0,-34L13,-26", f"s-{colour}", stroke_width=2.6,
                transform=f"translate({x} {y})")


def bucket(sketch, **more):
    """A bucket of water, with the middle of its handle at 0, 0."""
    with sketch.group(**more):
        sketch.path("M-6,4Q0,-6 6,4", "s-ink", stroke_width=1.3)
        sketch.path("M-7,4H7L5,17H-5Z", "f-blue")


def water(sketch, x, y, width, height):
    sketch.rect(x, y, width, height, "t-blue", rx=4)
    for row in range(int(height / 16)):
        wave = "".join("q4,-5 8,0t8,0" for _ in range(int(width / 16) - 1))
        sketch.path(f"M{x + 7 + 5 * (row % 2)},{y + 14 + 16 * row}{wave}", "s-blue thin")


FLAME = "M0,-51c6,18 24,24 24,36c0,12 -12,15 -24,15c-12,0 -24,-3 -24,-15c0,-15 18,-18 24,-36Z"


def fire(sketch, x, y):
    for scale, colour in ((1, "t-orange"), (.62, "f-orange")):
        sketch.path(FLAME, f"{colour} s-orange", transform=f"translate({x} {y}) scale({scale})")


def brigade():
    people, beats = 7, 12
    says = ["Nobody has moved yet."]
    for beat in range(1, beats + 1):
        done = max(0, beat - people)
        says.append(f"Beat {beat}: " + (f"{beat} of {people} pairs of hands are full." if beat <= people and not done else
                    f"all hands are full, and one bucket arrives on every beat: {done} so far."))
    sketch = Sketch("04-brigade", 322, "Fetching each bucket, and passing buckets on",
                    """Above, three people each run from a fire to the river and back for every bucket. Below, seven people
                    stand in a row between the river and the fire. On each beat everyone passes a bucket to the next. The
                    first bucket takes a beat for each of them to get there, and then one arrives on every beat.""",
                    data_first=0, data_last=beats, data_at=9, data_pace=800, data_says="|".join(says))
    sketch.text(1, 18, "Everyone fetches: each bucket is a trip there and back.")
    water(sketch, 0, 34, 56, 100)
    fire(sketch, 484, 118)
    for row, (x, there) in enumerate(((330, True), (150, False), (235, True))):
        y = 52 + 30 * row
        sketch.path(f"M62,{y}H446", "s-quiet dashed thin")
        sketch.circle(x, y, 7, "f-ink")
        sketch.arrow(x + (-12 if there else 12), y, x + (-44 if there else 44), y, "ink", size=8)
        if not there:
            with sketch.group(transform=f"translate({x - 15} {y - 9})"):
                bucket(sketch)
    ground = 262
    sketch.text(1, 178, "A brigade: on each beat, everyone passes a bucket on.")
    water(sketch, 0, ground - 66, 56, 68)
    step = 54
    first = 88
    fire(sketch, 484, ground - 8)
    for i in range(people):
        person(sketch, first + i * step, ground)
    hands = ground - 30
    for late in range(beats):
        entered = late + 1  # the beat in which it leaves the river
        places = []
        for beat in range(beats + 1):
            at = beat - entered  # the person who holds it
            x = 40 if at < 0 else min(first + at * step + 14, 478)
            y = hands if at < people else ground - 34
            places.append(f"{x},{y}")
        bucket(sketch, data_places=" ".join(places), data_from=entered, data_to=min(entered + people, beats))
    for x, words in ((28, "river"), (first + 3 * step, "people in a row"), (484, "fire")):
        sketch.text(x, ground + 24, words, "mid")
    for x, words in ((34, "memory"), (first + 3 * step, "cells, each wired to the next"), (484, "results")):
        sketch.text(x, ground + 46, words, "f-quiet mid")
    return sketch


SIDE, CELL, SLOT = 4, 34, 15


def dataflows():
    """Two arrays of 4 × 4 cells multiply the same two matrices of 4 × 4: one keeps its weights in place, the other its sums."""
    last = 3 * SIDE - 1
    work = lambda t: sum(0 <= t - 1 - r - c < SIDE for r in range(SIDE) for c in range(SIDE))
    says = ["Before the start: each row waits one step longer than the one above it. That is the skew."]
    says += [f"{work(t)} of 16 cells work." for t in range(1, last)]
    says.append("Done. Left, the sums have come out at the bottom; right, they are where they were made.")
    sketch = Sketch("04-dataflows", 398, "Weights that stay, and sums that stay, cycle by cycle",
                    """Two arrays of four by four cells. In the left one weights stay in the cells, rows of the input move to
                    the right and sums move down and leave at the bottom. In the right one the sums stay, the input moves to
                    the right and the weights move down. In both, numbers enter one step later for each row and column, so
                    that the cells at work form a diagonal wave: 1, 3, 6, 10, 12, 12, 10, 6, 3 and 1 of 16 cells.""",
                    data_first=0, data_last=last, data_at=4, data_pace=1000, data_unit=f"cycle {{}} of {last}",
                    data_says="|".join(says))
    top = 156
    for left, stays in ((116, "weights"), (376, "sums")):
        sketch.text(left - 112, 18, f"The {stays} stay", "bold")
        for r in range(SIDE):
            for c in range(SIDE):
                x, y = left + c * CELL, top + r * CELL
                cell = (x + 1.5, y + 1.5, CELL - 3, CELL - 3)
                sketch.rect(*cell, "s-grid f-paper", rx=4)
                sketch.rect(*cell, "s-ink t-ink", rx=4, data_from=r + c + 1, data_to=r + c + SIDE)
                if stays == "weights":
                    sketch.rect(x + 12, y + 6, 10, 10, "f-orange", rx=1)
                else:
                    for filled in range(SIDE):  # a sum grows by a term in each cycle
                        sketch.circle(x + 17, y + 22, 3 + 1.5 * filled, "f-blue", data_from=r + c + 1 + filled,
                                      data_to=r + c + 1 + filled if filled < SIDE - 1 else last)
        for r in range(SIDE):
            for m in range(SIDE):
                across(sketch, left, top, r, m, last, 11, 24 if stays == "weights" else 10)
                if stays == "weights":
                    fallen(sketch, left, top, r, m, last)
                else:
                    down(sketch, left, top, r, m, last)
    legend = 60
    for y, shape, words in ((legend, "green", "input"), (legend + 24, "orange", "weights"), (legend + 48, "blue", "sums")):
        if shape == "orange":
            sketch.rect(12, y - 11, 10, 10, "f-orange", rx=1)
        else:
            sketch.circle(17, y - 6, 5.5, f"f-{shape}")
        sketch.text(32, y, words)
    return sketch


def queue(steps):
    """The distance from the array of a number that enters after this many steps."""
    return 4 + SLOT * (steps - .5)


def across(sketch, left, top, row, number_in_row, last, dx, dy):
    """An input: waits at the left of its row, passes through it, and disappears."""
    places, enters = [], row + number_in_row + 1
    for t in range(last + 1):
        c = t - enters
        x, y = (left + c * CELL + dx, dy) if c >= 0 else (left - queue(-c), CELL / 2)
        places.append(f"{x},{top + row * CELL + y}")
    sketch.circle(0, 0, 5.5, "f-green", data_places=" ".join(places), data_to=min(enters + SIDE - 1, last))


def down(sketch, left, top, column, number_in_column, last):
    """A weight that moves: waits above its column, passes through it, and disappears."""
    places, enters = [], column + number_in_column + 1
    for t in range(last + 1):
        r = t - enters
        x, y = (24, top + r * CELL + 10) if r >= 0 else (CELL / 2, top - queue(-r))
        places.append(f"{left + column * CELL + x},{y}")
    sketch.rect(-5, -5, 10, 10, "f-orange", rx=1, data_places=" ".join(places), data_to=min(enters + SIDE - 1, last))


def fallen(sketch, left, top, column, row, last):
    """A sum that moves: begins in the uppermost cell, goes down, and stops below the array."""
    places, begins = [], column + row + 1
    for t in range(last + 1):
        r = t - begins
        y = top + r * CELL + 24 if r < SIDE else top + SIDE * CELL + 14 + (min(t, last) - begins - SIDE) * 16
        places.append(f"{left + column * CELL + (24 if r < SIDE else CELL / 2)},{y}")
    sketch.circle(0, 0, 5.5, "f-blue", data_places=" ".join(places), data_from=begins)


def edges():
    """One large array and sixteen small ones with the same total number of cells, and the wires that feed them."""
    sketch = Sketch("04-edges", 312, "One array, and sixteen with as many cells, with the wires that feed them",
                    """On the left a square with sixteen wires into its left side and sixteen into its top. On the right the
                    same square, cut into sixteen small ones, each with four wires at each of the two sides: four times as
                    many wires for as many cells.""")
    side, top = 168, 52
    square(sketch, 46, top + 22, side, 16)
    small = side / 4
    for i in range(4):
        for j in range(4):
            square(sketch, 290 + j * (small + 16), top - 6 + i * (small + 17), small, 4)
    sketch.text(46 + side / 2, 18, "256 × 256", "mid bold")
    sketch.text(290 + 2 * small + 24, 18, "16 of 64 × 64", "mid bold")
    sketch.text(46 + side / 2, 300, "512 wires", "mid f-quiet")
    sketch.text(290 + 2 * small + 24, 300, "2048 wires", "mid f-quiet")
    return sketch


def square(sketch, x, y, side, wires):
    """An array with its wires: rows of numbers from the left, weights from above."""
    sketch.rect(x, y, side, side, "s-ink t-ink", rx=3)
    for i in range(wires):
        at = (i + .5) * side / wires
        sketch.path(f"M{number(x - 9)},{number(y + at)}h8", "s-green thick")
        sketch.path(f"M{number(x + at)},{number(y - 9)}v8", "s-orange thick")


def chip():
    """The first TPU's data path."""
    percent, gbs = 1300, .055  # square units for one percent of the die; units of width for one GB/s
    sketch = Sketch("04-chip", 338, "The first TPU's data path, with areas and arrows to scale",
                    """Weights come from DRAM at 34 gigabytes a second through a thin arrow into the matrix unit, a quarter of
                    the die. The unified buffer, nearly a third, feeds it with 256 numbers a tick, 179 gigabytes a second. Its
                    sums fall into accumulators in a broad arrow, 717 gigabytes a second, go through the activation unit, and
                    back into the buffer.""")
    sketch.rect(56, 56, 463, 100 * percent / 463, "s-quiet t-ink", rx=8)
    sketch.text(219, 78, "the die", "f-quiet")
    left, top, wide = 68, 62, 140
    side = (24 * percent) ** .5
    unit, middle = 510 - side, 510 - side / 2
    tall, low = 29 * percent / wide, 6 * percent / side
    below = top + side + 26
    block(sketch, left, top, wide, tall, "green", "unified", "buffer", "24 MiB", "29%")
    block(sketch, unit, top, side, side, "blue")
    part = side / 8
    upright = "".join(f"M{number(unit + i * part)},{top}v{number(2 * part)}m0,{number(4 * part)}v{number(2 * part)}"
                      for i in range(1, 8))
    level = "".join(f"M{number(unit)},{number(top + i * part)}h{number(side)}" for i in (1, 2, 6, 7))  # clear of the words
    sketch.path(upright + level, "s-blue thin", stroke_opacity=".35")
    words(sketch, middle, top + side / 2, "matrix unit", "256 × 256 cells", "24%")
    block(sketch, unit, below, side, low, "blue", "accumulators", "6%")
    act = 102
    block(sketch, unit - 14 - act, below - 15, act, 6 * percent / act, "purple", "activation", "6%")
    sketch.rect(middle - 74, 1, 148, 30, "s-orange t-orange", rx=4)
    sketch.text(middle, 21, "weights in DRAM", "mid")
    band(sketch, (middle, 33), (middle, top - 2), 34 * gbs, "orange")
    sketch.text(middle - 10, 49, "34 GB/s", "end")
    row = top + 80
    band(sketch, (left + wide + 2, row), (unit - 2, row), 179 * gbs, "green")
    sketch.text((left + wide + unit) / 2, row - 18, "179 GB/s:", "mid")
    sketch.text((left + wide + unit) / 2, row + 28, "a row a tick", "mid")
    band(sketch, (middle, top + side + 2), (middle, below - 2), 717 * gbs, "blue")
    sketch.text(middle - 28, top + side + 17, "717 GB/s", "end")
    sketch.arrow(unit - 1, below + 20, unit - 13, below + 20, size=8)
    sketch.arrow(unit - 15 - act, below + 20, left + wide + 1, below + 20, size=8)
    sketch.text(0, 190, "host")
    sketch.arrow(2, 200, left - 3, 200, size=8)
    sketch.arrow(left - 3, 214, 2, 214, size=8)
    return sketch


def torus():
    """A row of chips, open and with its ends joined, with the hops from the first chip to each."""
    chips, step, side, left = 8, 58, 36, 40
    sketch = Sketch("04-torus", 214, "A row of chips, and a row whose ends are joined",
                    """Above, eight chips in a row, each wired to the next. From the first chip to the others it is 1, 2, 3, 4,
                    5, 6 and 7 hops. Below, one more wire joins the last chip to the first. Now it is 1, 2, 3, 4, 3, 2 and 1
                    hops: the longest way is 4 instead of 7.""")
    for row, (says, joined) in enumerate((("A row: at most 7 hops", False), ("Its ends joined: at most 4 hops", True))):
        top = 34 + 92 * row
        sketch.text(left, top - 14, says, "bold")
        middle = top + side / 2
        for i in range(chips):
            x = left + i * step
            hops = min(i, chips - i) if joined else i
            colour = "orange" if i and hops == (chips // 2 if joined else chips - 1) else "blue"
            if i + 1 < chips:
                sketch.path(f"M{x + side},{middle}h{step - side}", "s-ink thick")
            sketch.rect(x, top, side, side, f"s-{colour} t-{colour}", rx=4)
            sketch.text(x + side / 2, middle + 6, str(hops), "mid")
        if joined:
            first, last, below = left + side / 2, left + (chips - 1) * step + side / 2, top + side
            sketch.path(f"M{first},{below}v14q0,10 10,10H{last - 10}q10,0 10,-10v-14", "s-ink thick")
    return sketch


def block(sketch, x, y, width, height, colour, *lines):
    sketch.rect(x, y, width, height, f"s-{colour} t-{colour}", rx=4)
    words(sketch, x + width / 2, y + height / 2, *lines)


def words(sketch, x, y, *lines):
    """Lines of text, centred at x, y."""
    for i, line in enumerate(lines):
        sketch.text(x, y + 5 + 20 * (i - (len(lines) - 1) / 2), line, "mid")


def band(sketch, start, end, width, colour):
    """A straight arrow whose width shows the traffic through it."""
    (x0, y0), (x1, y1) = start, end
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** .5
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    tip = min(max(8, width * .6), length * .55)
    wide = max(6, width / 2 + 5)
    bx, by = x1 - tip * ux, y1 - tip * uy
    half = width / 2
    corners = [(x0 - uy * half, y0 + ux * half), (bx - uy * half, by + ux * half), (bx - uy * wide, by + ux * wide), (x1, y1),
               (bx + uy * wide, by - ux * wide), (bx + uy * half, by - ux * half), (x0 + uy * half, y0 - ux * half)]
    sketch.add("polygon", f"f-{colour}", points=" ".join(f"{number(x)},{number(y)}" for x, y in corners))


if __name__ == "__main__":
    write_all(brigade(), dataflows(), edges(), chip(), torus())
