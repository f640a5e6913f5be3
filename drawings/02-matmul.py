#!/usr/bin/env python3
"""The drawings of chapter 02: drawings/02-matmul.py [FOLDER] writes them, here or there."""

from collections import OrderedDict

from sketch import Sketch, write_all

COLOURS = {"A": "green", "B": "orange", "C": "blue"}


class Shelf:
    """A cache of a few lines that throws out the one not used for longest; when each came and went."""

    def __init__(self, places: int) -> None:
        self.places, self.lines, self.stays, self.fetches = places, OrderedDict(), [], []

    def use(self, line, step: int) -> None:
        if line not in self.lines:
            if len(self.lines) == self.places:
                gone, since = self.lines.popitem(last=False)
                self.stays.append((gone, since, step - 1))
            self.lines[line] = step
            self.fetches.append((line, step))
        self.lines.move_to_end(line)

    def all_stays(self, last: int):
        return self.stays + [(line, since, last) for line, since in self.lines.items()]


def column_walk() -> Sketch:
    """Sixteen multiplications, down the columns of B and along its rows, through a cache of six lines."""
    n, floats, cell, last = 8, 4, 16, 16
    drawing = Sketch(
        "02-column", 478, "The walk down a column and the walk along a row",
        f"""The matrices A, B and C, of 8 rows and columns, twice. Memory comes in lines of {floats} numbers along a row. Above,
        the definition goes down a column of B: each multiplication fetches another line of B and uses one of its four numbers,
        and at the second column the lines have been thrown out of a cache of six. Below, two loops have changed places and the
        walk goes along a row of B and of C: each line is used up at once. After the same sixteen multiplications the upper walk
        has fetched 22 lines, the lower one 7.""",
        data_first=0, data_last=last, data_at=last, data_unit="{} of 16 products", data_pace=600)

    def definition(step):
        j, k = divmod(step - 1, n)
        return [("A", 0, k), ("B", k, j)] + ([("C", 0, j)] if k == n - 1 else [])

    def rows(step):
        k, j = divmod(step - 1, n)
        return [("A", 0, k), ("B", k, j), ("C", 0, j)]

    for top, words, walk in ((0, "The definition: down a column of *B*", definition),
                             (244, "Two loops exchanged: along a row of *B*", rows)):
        places = {"A": (0, top + 40), "B": (196, top + 40), "C": (392, top + 40)}
        drawing.text(0, top + 18, words, "bold")
        shelf, used = Shelf(6), []
        for step in range(1, last + 1):
            for matrix, row, column in walk(step):
                shelf.use((matrix, row, column // floats), step)
                used.append((matrix, row, column, step))
        for (matrix, row, part), since, until in shelf.all_stays(last):
            x, y = places[matrix]
            drawing.rect(x + part * floats * cell + 1, y + row * cell + 1, floats * cell - 2, cell - 2, f"t-{COLOURS[matrix]}",
                         rx=3, data_from=since, data_to=until)
        for matrix, (x, y) in places.items():
            lines = "".join(f"M{x} {y + i * cell}h{n * cell}M{x + i * cell} {y}v{n * cell}" for i in range(n + 1))
            drawing.path(lines, "s-grid thin")
            edges = "".join(f"M{x + i * floats * cell} {y}v{n * cell}" for i in range(n // floats + 1))
            drawing.path(edges + f"M{x} {y}h{n * cell}m0 {n * cell}h-{n * cell}", "s-quiet")
            drawing.text(x + n * cell / 2, y + n * cell + 20, f"*{matrix}*", "mid")
        for matrix, row, column, step in used:
            x, y = places[matrix]
            drawing.rect(x + column * cell + 3, y + row * cell + 3, cell - 6, cell - 6, f"f-{COLOURS[matrix]}",
                         data_from=step, data_to=step)
        drawing.text(162, top + 110, "×", "mid big")
        drawing.text(358, top + 110, "=", "mid big")
        drawing.text(0, top + 216, "lines fetched", "small")
        for place, ((matrix, *_), step) in enumerate(shelf.fetches):
            drawing.rect(108 + 17 * place, top + 204, 13, 13, f"f-{COLOURS[matrix]}", data_from=step)
        counts = [0] + [step for _, step in shelf.fetches]
        for step in range(last + 1):
            count = sum(1 for _, fetched in shelf.fetches if fetched <= step)
            if step == 0 or step in counts:
                until = min((s for s in counts if s > step), default=last + 1) - 1
                drawing.text(520, top + 216, str(count), "end bold", data_from=step, data_to=until)
    return drawing


write_all(column_walk())
