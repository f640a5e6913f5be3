"""Draws a systolic array cycle by cycle: what each register held, what waits, what has left."""

from __future__ import annotations

from dataclasses import dataclass

SIDE = 3  # cells in a row and in a column

# The drawing, in user units: 620 wide, so that text of 16 units can be read on a telephone.
WIDTH, HEIGHT = 620, 530
LEFT, TOP, CELL = 262, 88, 100  # the array
QUEUE, STACK = 36, 26  # between numbers that wait at its left; above and below it


@dataclass(frozen=True)
class Trace:
    """Registers at the end of each cycle, cell by cell, and the three matrices, row by row."""

    moving: list[list[int]]
    held: list[list[int]]
    sums: list[list[int]]
    a: list[list[int]]
    b: list[list[int]]
    c: list[list[int]]

    @property
    def cycles(self) -> int:
        return len(self.moving)

    @property
    def rows(self) -> int:
        """How many rows stream through."""
        return len(self.a)


def frames(trace: Trace) -> str:
    """The SVG of all cycles, of which one is shown, in a box for the script to fill."""
    shown = trace.cycles // 2 + 1
    drawn = "\n".join(frame(trace, cycle, cycle == shown) for cycle in range(trace.cycles + 1))
    title = "A systolic array multiplies two matrices, cycle by cycle"
    description = (f"{SIDE} times {SIDE} cells. Weights shift in from above for {SIDE} cycles and stay. Then the rows of a "
                   "matrix enter from the left, each row of cells one cycle later than the one above it. Every cell "
                   "multiplies what passes by its weight and adds it to the sum from above. Finished sums leave at the "
                   f"bottom, the last of them in cycle {trace.cycles}.")
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" class="hf-figure hf-systolic-svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'role="img" aria-labelledby="hf-systolic-title hf-systolic-desc"><title id="hf-systolic-title">{title}'
           f'</title><desc id="hf-systolic-desc">{description}</desc>\n{drawn}\n</svg>')
    return f'<div class="hf-systolic" data-shown="{shown}">\n{svg}\n</div>'


def frame(trace: Trace, cycle: int, shown: bool) -> str:
    """What is where at the end of a cycle; 0 is before the first."""
    parts = [*waiting_weights(trace, cycle), *waiting_rows(trace, cycle), *cells(trace, cycle),
             *finished_sums(trace, cycle), text(WIDTH / 2, HEIGHT - 10, sentence(trace, cycle), "quiet")]
    hidden = "" if shown else ' class="hf-off"'
    return f'<g data-cycle="{cycle}" data-says="{sentence(trace, cycle)}"{hidden}>{"".join(parts)}</g>'


def sentence(trace: Trace, cycle: int) -> str:
    last_entry = 2 * SIDE + trace.rows - 1
    if cycle == 0:
        doing = "nothing has moved yet"
    elif cycle <= SIDE:
        doing = "weights shift in"
    elif cycle < 2 * SIDE:
        doing = "rows enter, one step behind each other"
    elif cycle <= last_entry:
        doing = "rows flow right, sums flow down"
    else:
        doing = "the last sums leave"
    return f"Cycle {cycle} of {trace.cycles}: {doing}"


def cells(trace: Trace, cycle: int) -> list[str]:
    """The registers: the weight above, what passes in the middle, the sum below. A cell that multiplied is filled."""
    drawn = []
    for row in range(SIDE):
        for column in range(SIDE):
            x, y, cell = LEFT + column * CELL, TOP + row * CELL, row * SIDE + column
            held, moving, total = ((plane[cycle - 1][cell] if cycle else 0)
                                   for plane in (trace.held, trace.moving, trace.sums))
            works = bool(held and moving)
            filled = ' class="hf-works"' if works else ""
            drawn.append(f'<rect x="{x + 3}" y="{y + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="6"{filled}/>')
            if held:
                drawn.append(text(x + CELL / 2, y + 28, f"{moving} × {held}" if works else str(held),
                                  "ink" if works else "blue"))
            if total:
                drawn.append(text(x + CELL / 2, y + 76, f"= {total}" if row == 0 else f"Σ {total}", "ink big"))
    return drawn


def waiting_weights(trace: Trace, cycle: int) -> list[str]:
    """Rows of weights above the array: the one for the bottom enters first."""
    drawn = []
    for row in range(SIDE):
        steps = SIDE - row - cycle  # until it enters
        if steps > 0:
            drawn += [text(LEFT + (column + 0.5) * CELL, TOP - 6 - (steps - 1) * STACK, str(number), "blue")
                      for column, number in enumerate(trace.b[row])]
    return drawn


def waiting_rows(trace: Trace, cycle: int) -> list[str]:
    """The matrix at the left, each of its columns in front of a row of cells, one step further back than the one above."""
    drawn = []
    for row in range(SIDE):
        for number, entering in enumerate(line[row] for line in trace.a):
            steps = SIDE + number + row + 1 - max(cycle, SIDE)  # until it enters
            if steps > 0:
                drawn.append(text(LEFT - 18 - (steps - 1) * QUEUE, TOP + (row + 0.5) * CELL + 6, str(entering), "orange"))
    return drawn


def finished_sums(trace: Trace, cycle: int) -> list[str]:
    """What has left the array, under its column, the first at the bottom."""
    drawn = []
    for column in range(SIDE):
        gone = [trace.c[row][column] for row in range(trace.rows) if cycle >= 2 * SIDE + row + column]
        drawn += [text(LEFT + (column + 0.5) * CELL, TOP + SIDE * CELL + 22 + (len(gone) - 1 - place) * STACK,
                       str(total), "green") for place, total in enumerate(gone)]
    return drawn


def text(x: float, y: float, words: str, classes: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{classes}">{words}</text>'
