"""Draws 07-trips, 07-block, 07-tiles, 07-online and 07-order: trips saved, a matrix that is never stored, an illegal order."""

import math

from sketch import Sketch, number, write_all


def trips():
    """Three operators and one loop: the traffic through the door, trip by trip."""
    sketch = Sketch("07-trips", 424, "Three operators one by one, and the same in one loop",
                    """Between memory, above, and the core, below, nine arrows: each of three operators reads its numbers,
                    reads the lines that it is about to write, and writes them. In one loop there are three arrows: read, read
                    the lines, write.""",
                    data_first=0, data_last=9, data_at=9, data_pace=900, data_says="|".join(said()))
    top = 24
    row(sketch, top, "One by one", (("relu", "x", "t"), ("× 0.5", "t", "u"), ("+ 1", "u", "y")))
    row(sketch, top + 210, "In one loop", (("relu, × 0.5, + 1", "x", "y"),))
    return sketch


def said():
    yield "Nothing has moved."
    for trip in range(1, 10):
        what = ("read", "lines read, because they will be written", "written")[(trip - 1) % 3]
        name = ("x", "t", "t", "t", "u", "u", "u", "y", "y")[trip - 1]
        fused = (f"The loop: {('x: read', 'y: lines read', 'y: written, and it is done')[trip - 1]}." if trip <= 3 else
                 "The loop has long been done." if trip < 9 else "Nine trips against three.")
        yield f"Trip {trip}. One by one: {name}, {what}. {fused}"


def row(sketch, y, name, operators):
    """Memory, arrows in time order, and the core with its operators."""
    left, step, wide = 8, 54, 162
    sketch.text(0, y - 6, name, "bold")
    sketch.rect(0, y + 2, 520, 34, "s-orange t-orange", rx=4)
    sketch.text(519, y - 6, "memory", "end f-quiet")
    if len(operators) == 1:
        sketch.text(left + 3 * step + 24, y + 92, "Done, in a third of the time.", "f-quiet", data_from=3)
    for i, (operator, source, target) in enumerate(operators):
        x = left + i * wide
        sketch.rect(x, y + 136, wide - 12, 34, "s-blue t-blue", rx=4)
        sketch.text(x + wide / 2 - 6, y + 158, operator, "mid")
        for k, array in enumerate((source, target, target)):
            at = x + 22 + k * (step - 2)
            seen = {"data_from": i * 3 + k + 1}
            if k != 1:
                sketch.text(at, y + 24, array, "mid italic", font_style="italic", **seen)
            ends = (y + 130, y + 42) if k == 2 else (y + 42, y + 130)
            sketch.arrow(at, ends[0], at, ends[1], "orange", "thick" if k != 1 else "thick dashed", size=13, **seen)


def block():
    """Layer norm, product, GELU, dropout: by operators, and compiled."""
    names, high, gap, top = ("layer norm", "product", "GELU", "dropout"), 44, 22, 40
    sketch = Sketch("07-block", 344, "Four operators by themselves, and fused around a product",
                    """On the left each of layer norm, product, GELU and dropout reads an array from memory and writes one:
                    eight trips. On the right they hand a few rows to each other while these are near, and two trips are
                    left: one at the start and one at the end.""")
    for x, memory, css, title in ((108, 0, "", "By operators: 8 trips"), (282, 484, "end", "Compiled: 2 trips")):
        sketch.text(0 if memory == 0 else 520, 16, title, f"bold {css}".strip())
        sketch.rect(memory, top - 8, 36, 4 * high + 3 * gap + 16, "s-orange t-orange", rx=4)
        middle = top + 2 * high + 1.5 * gap
        turned = f"rotate(-90 {memory + 18} {middle})"
        sketch.text(memory + 18, middle, "memory", "mid", transform=turned, dy=5)
        for i, name in enumerate(names):
            y = top + i * (high + gap)
            sketch.rect(x, y, 130, high, "s-blue t-blue", rx=4)
            sketch.text(x + 65, y + high / 2 + 5, name, "mid")
            if memory == 0:
                sketch.arrow(38, y + 12, x - 3, y + 12, "orange", size=9)
                sketch.arrow(x - 3, y + high - 12, 38, y + high - 12, "orange", size=9)
            elif i:
                sketch.arrow(x + 65, y - gap + 1, x + 65, y - 2, "ink", size=9)
    end = top + 3 * (high + gap)
    sketch.rect(270, top - 12, 154, 4 * high + 3 * gap + 24, "s-green dashed", rx=10)
    sketch.arrow(482, top + high / 2, 415, top + high / 2, "orange", size=9)
    sketch.arrow(414, end + high / 2, 482, end + high / 2, "orange", size=9)
    sketch.text(347, end + high + 36, "a few rows at a time, near", "mid f-green")
    sketch.text(173, end + high + 36, "all rows", "mid f-quiet")
    return sketch


def tiles():
    """Attention with its matrix, and tile by tile, keeping only a few numbers for each row."""
    n, cell, top = 4, 42, 74
    says = ["Nothing has been computed."]
    for step in range(1, n * n + 1):
        row, column = divmod(step - 1, n)
        done = f"Row {row + 1}: its output is divided by l, and done." if column == n - 1 else \
            f"Row {row + 1} has met {column + 1} of {n} blocks of keys."
        says.append(f"{done} Scores in memory: {step} tile{'s' * (step > 1)} against one.")
    sketch = Sketch("07-tiles", 280, "Attention with its matrix of scores, and tile by tile",
                    """Two grids of four by four tiles of scores; queries go down and keys go across. On the left every tile is
                    kept, until sixteen are in memory. On the right a tile is computed, used and overwritten by the next; for
                    each row of queries only the highest score, the sum and the output so far are kept.""",
                    data_first=0, data_last=n * n, data_at=7, data_pace=900, data_says="|".join(says))
    for left, title in ((40, "With its matrix"), (302, "Tile by tile")):
        sketch.text(left - 39, 18, title, "bold")
        sketch.text(left + n * cell / 2, top - 26, "keys, values", "mid f-quiet")
        middle = top + n * cell / 2
        turned = f"rotate(-90 {left - 28} {middle})"
        sketch.text(left - 28, middle, "queries", "mid f-quiet", transform=turned, dy=5)
        for i in range(n):
            sketch.rect(left + i * cell + 2, top - 18, cell - 4, 12, "s-orange t-orange", rx=2)
            sketch.rect(left - 18, top + i * cell + 2, 12, cell - 4, "s-purple t-purple", rx=2)
    for step in range(1, n * n + 1):
        row, column = divmod(step - 1, n)
        for left, more in ((40, {}), (302, {"data_to": step})):
            at = (left + column * cell + 2, top + row * cell + 2, cell - 4, cell - 4)
            sketch.rect(*at, "s-grid f-paper", rx=3)
            sketch.rect(*at, "s-blue t-blue", rx=3, data_from=step, **more)
        # The numbers kept for the row on the right: they grow with each tile, and are complete after the last.
        grown = (column + 1) / n
        x, y = 302 + n * cell + 8, top + row * cell + 2
        css = "s-green f-green" if column == n - 1 else "s-green t-green"
        sketch.rect(x, y, number(34 * grown), cell - 4, css, rx=2, data_from=step, data_to=None if column == n - 1 else step)
    for row in range(n):
        sketch.rect(302 + n * cell + 8, top + row * cell + 2, 34, cell - 4, "s-grid", rx=2)
    sketch.text(302 + n * cell + 25, top - 26, "m, l, o", "mid italic")
    floor = top + n * cell + 26
    sketch.text(40 + n * cell / 2, floor, "all scores in memory", "mid f-quiet")
    sketch.text(302 + n * cell / 2, floor, "one tile, near", "mid f-quiet")
    return sketch


SCORES = (2.0, 1.2, 3.1, 2.4, 0.6, 3.9, 3.0, 1.8)


def online():
    """A softmax in one pass: scores, the highest so far, and exponentials that shrink when a higher one comes."""
    says, frames, high, total = ["No key has been seen."], [], -math.inf, 0.0
    for i, score in enumerate(SCORES):
        before, high = high, max(high, score)
        exponentials = [math.exp(s - high) for s in SCORES[: i + 1]]
        shrunk = math.exp(before - high)
        total = total * shrunk + math.exp(score - high)
        assert math.isclose(total, sum(exponentials))
        frames.append((high, exponentials, total))
        says.append(f"Key 1: its score is the highest so far, m = {high:g}, and its exponential 1." if i == 0 else
                    f"Key {i + 1}: a higher score, m = {high:g}. All exponentials so far, and their sum, shrink to "
                    f"{shrunk:.0%}." if before < score else
                    f"Key {i + 1}: no higher score. Its exponential is added, and nothing else changes.")
    left, step, base, unit, floor, tall = 90, 54, 165, 30, 315, 100
    sketch = Sketch("07-online", 346, "A softmax in one pass, with the highest score so far",
                    """Above, the scores of eight keys, seen one after the other, and a line at the highest so far. Below, the
                    exponential of each key that was seen, of its score less the highest. When a higher score comes, at
                    keys 3 and 6, all exponentials so far shrink by the same factor, and so does their sum.""",
                    data_first=0, data_last=len(SCORES), data_at=5, data_pace=1600, data_says="|".join(says))
    sketch.text(0, 16, "score")
    sketch.text(0, floor - tall - 12, "exponential")
    for y in (base, floor):
        sketch.path(f"M{left - 8},{y}H{left + len(SCORES) * step - 4}", "s-quiet")
    for i, score in enumerate(SCORES):
        x = left + i * step + 20
        sketch.path(f"M{x},{base}V{number(base - unit * score)}", "s-quiet thin", data_from=i + 1)
        sketch.circle(x, number(base - unit * score), 6, "f-ink", data_from=i + 1)
        sketch.circle(x, number(base - unit * score), 6, "s-grid", data_to=i)
        sketch.text(x, floor + 22, f"key {i + 1}" if i == 0 else str(i + 1), "mid f-quiet")
    for seen, (high, exponentials, total) in enumerate(frames, 1):
        with sketch.group(data_from=seen, data_to=seen):
            y = number(base - unit * high)
            sketch.path(f"M{left - 8},{y}H{left + len(SCORES) * step - 4}", "s-purple dashed")
            sketch.text(left - 14, base - unit * high + 5, f"m = {high:.1f}", "end")
            for i, each in enumerate(exponentials):
                new = " thick" if i == seen - 1 else ""
                sketch.rect(left + i * step + 4, number(floor - tall * each), 32, number(tall * each),
                            f"s-blue t-blue{new}", rx=2)
            sketch.text(left - 14, floor - 6, f"l = {total:.2f}", "end")
    return sketch


def order():
    """A sweep in which each number needs its left neighbour and the one above to the right, in two orders."""
    rows = columns = 4
    by_row = [(r, c) for r in range(rows) for c in range(columns)]
    by_column = [(r, c) for c in range(columns) for r in range(rows)]
    needs = lambda r, c: [(i, j) for i, j in ((r, c - 1), (r - 1, c + 1)) if i >= 0 and 0 <= j < columns]
    says, wrong = ["Each number needs its left neighbour and the one above it to the right."], set()
    for step, at in enumerate(by_column, 1):
        missing = [other for other in needs(*at) if other not in by_column[: step - 1]]
        spoilt = [other for other in needs(*at) if other in wrong]
        if missing or spoilt:
            wrong.add(at)
        verdict = ("the number above to the right has not been computed yet. This one is wrong." if missing else
                   "what it needs is there, but wrong. So is this one." if spoilt else "what it needs is there.")
        says.append(f"By columns: {verdict}")
    says[-1] = f"By rows all {rows * columns} are right; by columns {len(wrong)} are wrong."
    sketch = Sketch("07-order", 262, "A sweep row by row, and with its loops exchanged",
                    f"""Two grids of four by four iterations. Each needs its left neighbour and the one above it to the right.
                    Row by row, both have always been computed. Column by column, the one above to the right has not, from the
                    second iteration on: {len(wrong)} of 16 numbers come out wrong.""",
                    data_first=0, data_last=rows * columns, data_at=6, data_pace=900, data_says="|".join(says))
    pitch, top = 56, 62
    for left, title, sequence in ((28, "Row by row", by_row), (320, "Column by column", by_column)):
        place = lambda r, c, left=left: (left + c * pitch, top + r * pitch)
        bad = wrong if sequence is by_column else set()
        sketch.text(left - 14, 20, title, "bold")
        for step, at in enumerate(sequence, 1):
            x, y = place(*at)
            sketch.circle(x, y, 13, "s-quiet f-paper")
            sketch.circle(x, y, 13, "s-purple f-purple" if at in bad else "s-green t-green", data_from=step)
            sketch.circle(x, y, 17, "s-ink", data_from=step, data_to=step)
            sketch.text(x, y + 5, str(step), f"mid{' f-paper' if at in bad else ''}", data_from=step)
        for step, at in enumerate(sequence, 1):
            for other in needs(*at):
                late = other not in sequence[: step - 1]
                arrow(sketch, place(*other), place(*at), late, data_from=step, data_to=step)
    return sketch


def arrow(sketch, start, end, late, **more):
    """From a number to one that needs it; dashed if it comes too late."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    sketch.arrow(x0 + 14 * dx, y0 + 14 * dy, x1 - 18 * dx, y1 - 18 * dy, "purple" if late else "ink",
                 "thick dashed" if late else "thick", size=11, **more)


if __name__ == "__main__":
    write_all(trips(), block(), online(), tiles(), order())
