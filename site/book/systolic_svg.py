"""Draws a systolic array with a step for each cycle: the waiting numbers, the registers and the product so far.

static/steps.js moves the numbers, using the attributes described in drawing.py. Their positions follow from the plan of the
array, after a check that the record's trace agrees with it."""

from collections.abc import Iterator
from dataclasses import dataclass

from press.pictures.drawing import with_steps

SIDE = 3  # cells in a row and in a column

# In user units, 520 wide as all drawings are.
WIDTH, HEIGHT = 520, 474
LEFT, TOP, CELL = 200, 88, 82  # the array
QUEUE, STACK = 30, 26  # between waiting numbers: at the left; above
APART = 22  # of both factors from the middle of their cell
EQUATION, ROW, DIGIT, SUM = 366, 26, 26, 40  # A × B = C below it: its top; rows and columns of digits and of sums
FOLLOWED = (1, 0)  # the number of A with a ring: row, column


class TraceError(Exception):
    """A trace that does not match the plan of this array."""


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
        """The number of rows that stream through the array."""
        return len(self.a)

    @property
    def last(self) -> int:
        """The step in which the last sum reaches its place."""
        return self.cycles + 1

    def at(self, plane: list[list[int]], cycle: int, row: int, column: int) -> int:
        return plane[cycle - 1][row * SIDE + column]

    def check(self) -> None:
        """Raises TraceError unless every number is where the drawing shows it."""
        for cycle in range(1, self.cycles + 1):
            for row in range(SIDE):
                for column in range(SIDE):
                    if (self.at(self.moving, cycle, row, column) != self.planned_moving(cycle, row, column) or
                            self.at(self.held, cycle, row, column) != self.planned_held(cycle, row, column)):
                        raise TraceError(f"cycle {cycle}, cell {row}, {column}")
        if any(self.at(self.sums, leaves(row, column), SIDE - 1, column) != self.c[row][column]
               for row in range(self.rows) for column in range(SIDE)):
            raise TraceError("a sum")

    def planned_moving(self, cycle: int, row: int, column: int) -> int:
        number = cycle - enters(0, row) - column
        return self.a[number][row] if 0 <= number < self.rows else 0

    def planned_held(self, cycle: int, row: int, column: int) -> int:
        number = SIDE - min(cycle, SIDE) + row
        return self.b[number][column] if number < SIDE else 0


def enters(row: int, column: int) -> int:
    """The first cycle at whose end number (row, column) of A is in the array, in row `column` of the cells."""
    return SIDE + row + column + 1


def leaves(row: int, column: int) -> int:
    """The cycle at whose end a sum of C is complete, in the lowest cell of its column."""
    return 2 * SIDE + row + column


def drawing(trace: Trace, shown: int) -> str:
    """The SVG and a sentence for each step, at step `shown` until a reader moves it."""
    title = "A systolic array multiplies two matrices, cycle by cycle"
    description = (f"{SIDE} times {SIDE} cells. Weights shift in from above for {SIDE} cycles and stay. Then the rows of a "
                   "matrix enter from the left, each row of cells one cycle later than the one above it. Every cell "
                   "multiplies each number that passes through it by its weight, and adds the product to the sum from above. "
                   f"Finished sums leave at the bottom, the last of them in cycle {trace.cycles}, and take their places in the "
                   "product below.")
    says = "|".join(sentence(trace, step) for step in range(trace.last + 1))
    parts = [*cells(trace, shown), *sums(trace, shown), *weights(trace, shown), *rows(trace, shown),
             *equation(trace), *product(trace, shown)]
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" class="hf-drawing hf-systolic" translate="no" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="hf-systolic-title hf-systolic-desc" '
           f'data-first="0" data-last="{trace.last}" data-at="{shown}" data-pace="1100" data-says="{says}">'
           f'<title id="hf-systolic-title">{title}</title>'
           f'<desc id="hf-systolic-desc">{description}</desc>\n' + "\n".join(parts) + "\n</svg>")
    return with_steps(svg, says, shown)


def sentence(trace: Trace, step: int) -> str:
    last_entry = enters(trace.rows - 1, SIDE - 1)
    if step == 0:
        doing = "nothing has moved yet"
    elif step <= SIDE:
        doing = "weights shift in"
    elif step < 2 * SIDE:
        doing = "rows enter, each one cycle after the row above"
    elif step <= last_entry:
        doing = "rows flow right, sums flow down"
    elif step <= trace.cycles:
        doing = "the last sums leave"
    else:
        return f"After {trace.cycles} cycles: the product is complete"
    return f"Cycle {step} of {trace.cycles}: {doing}"


def centre(row: int, column: int) -> tuple[float, float]:
    return LEFT + (column + 0.5) * CELL, TOP + (row + 0.5) * CELL


def cells(trace: Trace, shown: int) -> Iterator[str]:
    """The grid; a cell that multiplies is filled and shows a multiplication sign between its factors."""
    for row in range(SIDE):
        for column in range(SIDE):
            x, y = LEFT + column * CELL, TOP + row * CELL
            box = f'x="{x + 3}" y="{y + 3}" width="{CELL - 6}" height="{CELL - 6}" rx="6"'
            first = enters(0, row) + column
            yield f'<rect {box} class="s-quiet"/>'
            yield lasting(f'<rect {box} class="s-blue t-ink"/>{text(x + CELL / 2, y + 34, "×")}',
                          first, first + trace.rows - 1, shown)


def sums(trace: Trace, shown: int) -> Iterator[str]:
    """The contents of the upper cells' registers; those of the lowest cells are sums of C."""
    for cycle in range(1, trace.cycles + 1):
        for row in range(SIDE - 1):
            for column in range(SIDE):
                total, (x, y) = trace.at(trace.sums, cycle, row, column), centre(row, column)
                if total:
                    yield lasting(text(x, y + 24, f"{'Σ' if row else '='} {total}"), cycle, cycle, shown)


def weights(trace: Trace, shown: int) -> Iterator[str]:
    """The numbers of B; those for the bottom row enter first."""
    for row, line in enumerate(trace.b):
        for column, number in enumerate(line):
            x, _ = centre(0, column)
            places = []
            for step in range(SIDE + 1):
                waits = SIDE - row - step
                y = TOP - 8 - (waits - 1) * STACK if waits > 0 else centre(-waits, 0)[1] - 7
                places.append((x + APART, y))
            yield placed(text(0, 0, number, "f-orange"), places, shown)


def rows(trace: Trace, shown: int) -> Iterator[str]:
    """The numbers of A: each waits in front of its row of cells, passes through, and disappears."""
    for row, line in enumerate(trace.a):
        for column, number in enumerate(line):
            _, y = centre(column, 0)
            entry = enters(row, column)
            places = []
            for step in range(entry + SIDE):
                waits = entry - max(step, SIDE)
                x = LEFT - 18 - (waits - 1) * QUEUE if waits > 0 else centre(0, -waits)[0] - APART
                places.append((x, y - 7))
            ring = '<circle cx="0" cy="-5.5" r="13" class="s-purple"/>' if (row, column) == FOLLOWED else ""
            yield lasting(placed(ring + text(0, 0, number, "f-green"), places, shown), 0, entry + SIDE - 1, shown)


def equation(trace: Trace) -> Iterator[str]:
    """A × B =, below the array."""
    left, middle, _ = columns()
    for matrix, at, colour in ((trace.a, left, "f-green"), (trace.b, middle, "f-orange")):
        top = EQUATION + (trace.rows - len(matrix)) / 2 * ROW
        for row, line in enumerate(matrix):
            for column, number in enumerate(line):
                yield text(at + column * DIGIT, top + row * ROW, number, colour)
    row, column = FOLLOWED
    yield f'<circle cx="{left + column * DIGIT:g}" cy="{EQUATION + row * ROW - 5.5}" r="13" class="s-purple"/>'
    y = EQUATION + (trace.rows - 1) / 2 * ROW
    yield text(middle - 38, y, "×") + text(columns()[2] - 52, y, "=")


def columns() -> tuple[float, float, float]:
    """The positions of the first columns of A, B and C."""
    return 80, 80 + 2 * DIGIT + 76, 80 + 4 * DIGIT + 76 + 92


def product(trace: Trace, shown: int) -> Iterator[str]:
    """The numbers of C: each appears in the lowest cell and moves to its place, marked by a dot until then."""
    for row in range(trace.rows):
        for column in range(SIDE):
            x, y = centre(SIDE - 1, column)
            whole, place = leaves(row, column), (columns()[2] + column * SUM, EQUATION + row * ROW)
            yield lasting(text(*place, "·", "f-quiet"), 0, whole, shown)
            total = text(0, 0, trace.c[row][column], "f-blue bold")
            yield lasting(placed(total, [(x, y + 24)] * (whole + 1) + [place], shown), whole, trace.last, shown)


def lasting(drawn: str, first: int, last: int, shown: int) -> str:
    """An element that is visible only in some steps."""
    off = "" if first <= shown <= last else ' class="hf-off"'
    return f'<g data-from="{first}" data-to="{last}"{off}>{drawn}</g>'


def placed(drawn: str, places: list[tuple[float, float]], shown: int) -> str:
    """An element with another position in each step; the last position remains."""
    x, y = places[min(shown, len(places) - 1)]
    return (f'<g data-places="{" ".join(f"{x:g},{y:g}" for x, y in places)}" transform="translate({x:g} {y:g})">'
            f'{drawn}</g>')


def text(x: float, y: float, words: object, classes: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{" ".join(["mid", *classes.split()])}">{words}</text>'
