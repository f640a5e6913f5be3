"""The drawings of chapter 02."""

import re
from collections import OrderedDict

from sketch import Sketch, write_all

COLOURS = {"A": "green", "B": "orange", "C": "blue"}


class Shelf:
    """A cache of a few lines that evicts the least recently used; records when each line came and went."""

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


N, FLOATS, PRODUCTS = 8, 4, 16  # rows and columns of a matrix, numbers in a line, products shown


def down(step: int) -> list:
    """The elements that the definition touches in product number `step`, from 1: (matrix, row, column)."""
    j, k = divmod(step - 1, N)
    return [("A", 0, k), ("B", k, j)] + ([("C", 0, j)] if k == N - 1 else [])


def along(step: int) -> list:
    """The same with two loops exchanged."""
    k, j = divmod(step - 1, N)
    return [("A", 0, k), ("B", k, j), ("C", 0, j)]


def walked(walk) -> Shelf:
    """A cache of six lines after all products of a walk."""
    shelf = Shelf(6)
    for step in range(1, PRODUCTS + 1):
        for matrix, row, column in walk(step):
            shelf.use((matrix, row, column // FLOATS), step)
    return shelf


def column_walk() -> Sketch:
    """Sixteen multiplications, down the columns of B and along its rows, through a cache of six lines."""
    drawing = Sketch(
        "02-column", 478, "The walk down a column and the walk along a row",
        f"""The matrices A, B and C, of {N} rows and columns, twice. Memory comes in lines of {FLOATS} numbers along a row.
        Above, the definition goes down a column of B: each multiplication fetches another line of B and uses one of its four
        numbers, and at the second column the lines have been thrown out of a cache of six. Below, two loops have changed
        places and the walk goes along a row of B and of C: each line is used up at once. After the same {PRODUCTS}
        multiplications the upper walk has fetched {len(walked(down).fetches)} lines, the lower one
        {len(walked(along).fetches)}.""",
        data_first=0, data_last=PRODUCTS, data_at=PRODUCTS, data_unit=f"{{}} of {PRODUCTS} products", data_pace=600)
    for top, words, walk in ((0, "The definition: down a column of *B*", down),
                             (244, "Two loops exchanged: along a row of *B*", along)):
        drawing.text(0, top + 18, words, "bold")
        matrices(drawing, {"A": (0, top + 40), "B": (196, top + 40), "C": (392, top + 40)}, walk)
        drawing.text(162, top + 110, "×", "mid big")
        drawing.text(358, top + 110, "=", "mid big")
        drawing.text(0, top + 216, "lines fetched")
        tally(drawing, top + 204, walked(walk).fetches)
    return drawing


def matrices(drawing: Sketch, places: dict, walk, cell: int = 16) -> None:
    """Three matrices, the cached lines in each step, and the numbers in use."""
    for (matrix, row, part), since, until in walked(walk).all_stays(PRODUCTS):
        x, y = places[matrix]
        drawing.rect(x + part * FLOATS * cell + 1, y + row * cell + 1, FLOATS * cell - 2, cell - 2, f"t-{COLOURS[matrix]}",
                     rx=3, data_from=since, data_to=until)
    for matrix, (x, y) in places.items():
        side = N * cell
        drawing.path("".join(f"M{x} {y + i * cell}h{side}M{x + i * cell} {y}v{side}" for i in range(N + 1)), "s-grid thin")
        edges = "".join(f"M{x + i * FLOATS * cell} {y}v{side}" for i in range(N // FLOATS + 1))
        drawing.path(edges + f"M{x} {y}h{side}m0 {side}h-{side}", "s-quiet")
        drawing.text(x + side / 2, y + side + 20, f"*{matrix}*", "mid")
    for step in range(1, PRODUCTS + 1):
        for matrix, row, column in walk(step):
            x, y = places[matrix]
            drawing.rect(x + column * cell + 3, y + row * cell + 3, cell - 6, cell - 6, f"f-{COLOURS[matrix]}",
                         data_from=step, data_to=step)


def tally(drawing: Sketch, y: float, fetches: list) -> None:
    """A square for each line that was fetched, and their number after each step."""
    for place, ((matrix, *_), step) in enumerate(fetches):
        drawing.rect(108 + 17 * place, y, 13, 13, f"f-{COLOURS[matrix]}", data_from=step)
    changes = [0, *sorted({step for _, step in fetches})]
    for step, after in zip(changes, [*changes[1:], PRODUCTS + 1]):
        count = sum(fetched <= step for _, fetched in fetches)
        drawing.text(520, y + 12, str(count), "end bold", data_from=step, data_to=after - 1)


def tile() -> Sketch:
    """A tile of C, the numbers of A and B that one step of its sums needs, and how many products they give."""
    cell, largest, left, top = 20, 12, 62, 62
    drawing = Sketch(
        "02-tile", 330, "A tile, its area and its edge",
        """A square tile of C. For one step of the sum, a short column of A stands at its left edge and a short row of B at
        its upper edge: these numbers are loaded, as many as the tile has along two edges. Each number of the column meets each
        of the row: as many products as the tile has cells. With an edge of 1, two numbers are loaded for one product;
        with 6, twelve for 36; with 12, twenty-four for 144.""",
        data_first=1, data_last=largest, data_at=6, data_unit="edge", data_pace=500)
    room = cell * largest
    drawing.rect(left, top, room, room, "t-ink")
    drawing.text(left + room + 8, top + room, "*C*", "big")
    for edge in range(1, largest + 1):
        size = edge * cell
        with drawing.group(data_from=edge, data_to=edge):
            drawing.rect(left, top, size, size, "t-blue")
            drawing.rect(left, top - 34, size, cell, "t-orange")
            drawing.rect(left - 34, top, cell, size, "t-green")
            inner = "".join(f"M{left + i * cell} {top}v{size}M{left} {top + i * cell}h{size}" for i in range(edge + 1))
            drawing.path(inner, "s-blue thin")
            drawing.path("".join(f"M{left + i * cell} {top - 34}v{cell}" for i in range(edge + 1)) +
                         f"M{left} {top - 34}h{size}m0 {cell}h-{size}", "s-orange")
            drawing.path("".join(f"M{left - 34} {top + i * cell}h{cell}" for i in range(edge + 1)) +
                         f"M{left - 34} {top}v{size}m{cell} 0v-{size}", "s-green")
            drawing.text(left + size + 10, top - 19, "a row of *B*")
            drawing.text(left - 34, top + size + 20, "a column of *A*")
            drawing.text(356, top + 40, f"{2 * edge}", "big bold")
            drawing.text(356, top + 116, f"{edge * edge}", "big bold")
            drawing.text(356, top + 192, f"{edge / 2:g}", "big bold")
    for row, words in enumerate(("numbers loaded:", "products:", "products for each")):
        drawing.text(356, top + 16 + 76 * row, words)
    drawing.text(356, top + 60, "two edges")
    drawing.text(356, top + 136, "the area")
    drawing.text(356, top + 212, "number loaded")
    return drawing


def sets() -> Sketch:
    """A column of 1024 lines in the 1024 sets of a cache of 1 MiB, for rows of 1024 floats and of 1025."""
    lines, count, ways, cell, each = 1024, 1024, 16, 7, 64
    drawing = Sketch(
        "02-sets", 412, "A column in the sets of a cache",
        """Two maps of a cache with 1024 sets of 16 ways, drawn as 32 rows of 32 cells, a cell for each set. A column of a
        matrix is read, line by line. With 1024 floats in a row, every step is 64 lines further: all 1024 lines of the
        column fall into 16 sets, 64 into each; 16 of them fit and 48 have been thrown out. With 1025 floats the column
        spreads over all sets, one line in each.""",
        data_first=0, data_last=lines // each, data_at=lines // each, data_pace=450,
        data_unit="|".join(f"{step * each} lines" for step in range(lines // each + 1)))
    for left, floats in ((0, 1024), (286, 1025)):
        came = {}
        for k in range(lines):
            came.setdefault(k * floats * 4 // 64 % count, []).append(k // each + 1)
        crowded = len(came[0]) > ways
        colour = "f-purple" if crowded else "f-green"
        drawing.text(left, 18, f"rows of {floats} floats", "bold")
        for step in sorted({steps[0] for steps in came.values()}):
            cells = [index for index, steps in came.items() if steps[0] == step]
            drawing.path("".join(f"M{left + index % 32 * cell} {32 + index // 32 * cell}h6v6h-6z" for index in sorted(cells)),
                         colour, data_from=step)
        drawing.rect(left - 2, 30, 32 * cell + 3, 32 * cell + 3, "s-quiet", rx=2)
        since = sorted(steps[0] for steps in came.values())
        changes = [0, *sorted(set(since))]
        for step, after in zip(changes, [*changes[1:], None]):
            in_use = sum(each <= step for each in since)
            drawing.text(left, 284, f"{in_use} of {count} sets in use", data_from=step,
                         data_to=after - 1 if after else None)
        drawing.text(left, 312, "one of them, 16 places:")
        for place, step in enumerate(came[0]):
            x, y = left + place % ways * 14, 322 + place // ways * 15 + 4 * (place >= ways)
            drawing.rect(x + 1, y + 2, 11, 11, colour if place < ways else "s-purple", data_from=step)
        drawing.rect(left - 2, 321, 14 * ways + 3, 17, "s-quiet", rx=2)
        if not crowded:
            drawing.text(left, 362, "all of it stays")
    drawing.text(0, 408, "no place: each throws another out", data_from=5)
    return drawing


def im2col() -> Sketch:
    """A window of 3 by 3 over an image of 5 by 5; each place becomes a column of a matrix."""
    image, window, pixel, cell = 5, 3, 30, 24
    places = image - window + 1
    count, taps = places * places, window * window
    left, top = 300, 34
    drawing = Sketch(
        "02-im2col", 350, "A convolution becomes a matrix product",
        """Left, an image of 5 by 5 pixels with a window of 3 by 3. Right, a matrix: the nine pixels under the window in
        each of its places are copied out as a column, nine columns for nine places. Below it the filter, as a row,
        times this matrix gives nine outputs, one for each place. The pixel in the middle of the image, marked, lies
        under the window in every place and is copied nine times.""",
        data_first=1, data_last=count, data_at=count, data_unit="place {}", data_pace=700)
    middle = (image // 2, image // 2)
    drawing.text(0, 20, "image", "bold")
    drawing.text(left, 20, "patches, as columns", "bold")
    for row in range(image):
        for column in range(image):
            drawing.rect(column * pixel, top + row * pixel, pixel, pixel,
                         f"{'f-orange' if (row, column) == middle else 't-orange'} s-paper")
    for place in range(1, count + 1):
        y, x = divmod(place - 1, places)
        drawing.rect(x * pixel, top + y * pixel, window * pixel, window * pixel, "s-ink thick", rx=2,
                     data_from=place, data_to=place)
        column = left + (place - 1) * cell
        for tap in range(taps):
            here = (y + tap // window, x + tap % window)
            drawing.rect(column, top + tap * cell, cell, cell, f"{'f-orange' if here == middle else 't-orange'} s-paper",
                         data_from=place)
        with drawing.group(data_from=place, data_to=place):
            drawing.rect(column, top, cell, taps * cell, "s-ink thick", rx=2)
            drawing.arrow(image * pixel + 12, top + 66, left - 12, top + 66, "ink")
            drawing.text((image * pixel + left) / 2, top + 56, "copied", "mid")
        drawing.rect(column, top + taps * cell + 26, cell, cell, "t-blue s-paper", data_from=place)
        drawing.rect(column, top + taps * cell + 26, cell, cell, "s-blue thick", rx=2, data_from=place, data_to=place)
    drawing.rect(left, top, count * cell, taps * cell, "s-quiet", rx=2)
    low = top + taps * cell + 26
    for tap in range(taps):
        drawing.rect(left - 30 - (taps - tap) * cell, low, cell, cell, "t-green s-paper")
    drawing.rect(left - 30 - taps * cell, low, taps * cell, cell, "s-green", rx=2)
    drawing.rect(left, low, count * cell, cell, "s-quiet", rx=2)
    drawing.text(left - 30 - taps * cell, low + cell + 20, "the filter, as a row")
    drawing.text(left, low + cell + 20, "nine outputs")
    drawing.text(left - 15, low - 8, "×", "mid")  # between the filter and the patches
    drawing.text(left - 15, low + 18, "=", "mid")
    drawing.text(left - 30 - taps * cell, low - 26, "25 pixels, copied out, are 81")
    return drawing


def packing() -> Sketch:
    """A block of B as it lies in memory, and copied into the order in which the tiles read it."""
    rows, columns, wide, cell, places = 8, 12, 4, 20, 96
    colours = ("orange", "green", "purple")
    drawing = Sketch(
        "02-packing", 330, "A block, packed",
        """A block of B with 8 rows of 12 numbers, cut into three micro-panels that are 4 wide. Each step of a tile reads the 4
        numbers of one row of a micro-panel. As B lies in memory, row after row, these are short pieces far apart.
        Packed, each micro-panel lies in one piece, and the next four numbers are always next door.""",
        data_first=1, data_last=rows, data_at=3, data_unit="row {} of 8", data_pace=600)
    left, top = 0, 34
    drawing.text(left, 20, "a block of *B*, three micro-panels", "bold")
    for panel, colour in enumerate(colours):
        drawing.rect(left + panel * wide * cell, top, wide * cell, rows * cell, f"t-{colour}")
    drawing.path("".join(f"M{left} {top + i * cell}h{columns * cell}" for i in range(rows + 1)) +
                 "".join(f"M{left + i * cell} {top}v{rows * cell}" for i in range(columns + 1)), "s-paper")
    unit = 520 / places
    lies = [(place % columns) // wide for place in range(places)]
    copies = ((224, "as it lies in memory: row after row", lies), (288, "packed: micro-panel after micro-panel", sorted(lies)))
    for y, words, order in copies:
        drawing.text(0, y, words)
        start = 0
        for place in range(1, places + 1):
            if place == places or order[place] != order[start] or (y == 224 and place % wide == 0):
                drawing.rect(start * unit, y + 10, (place - start) * unit, 24, f"t-{colours[order[start]]} s-paper thin")
                start = place
    for row in range(rows):
        with drawing.group(data_from=row + 1, data_to=row + 1):
            drawing.rect(left, top + row * cell, wide * cell, cell, "f-orange s-ink", rx=2)
            drawing.rect(row * columns * unit, 234, wide * unit, 24, "f-orange s-ink", rx=2)
            drawing.rect(row * wide * unit, 298, wide * unit, 24, "f-orange s-ink", rx=2)
    drawing.arrow(270, top + 10, 270, top + rows * cell - 8, "orange")
    drawing.text(284, top + 66, "each step of a tile reads")
    drawing.text(284, top + 86, "four numbers, one row")
    drawing.text(284, top + 106, "of a micro-panel")
    return drawing


def subscripted(words: str) -> str:
    """The content of a text in which k_c has its c as a subscript."""
    first, *rest = re.split(r"(\w_\w)", words)
    for name, after in zip(rest[::2], rest[1::2]):
        first += (f'<tspan font-style="italic">{name[0]}</tspan><tspan font-size="70%" dy="4">{name[2]}</tspan>'
                  f'<tspan dy="-4">{after}</tspan>')
    return re.sub(r"\*(.+?)\*", r'<tspan font-style="italic">\1</tspan>', first)


def five_loops() -> Sketch:
    """The loops around a tile: the part of each matrix in use, its place in memory, and when the next part replaces it."""
    side, top, left, beside = 156, 190, 186, 360
    depths, widths, panels, tiles = 2, 2, 3, 3
    count = depths * widths * panels * tiles
    deep, wide, high, narrow = side // depths, side // widths, side // panels, side // widths // tiles
    drawing = Sketch(
        "02-five-loops", 514, "Five loops, and the memory that holds each piece",
        f"""Matrix A at the left, B above, and their product C between them. The loops pick a block of B, which stays in the
        second cache, L2; a micro-panel of A, which stays in the first, L1; and a tile of C, which stays in registers. In
        this walk the tile changes {count} times, the micro-panel {depths * widths * panels} times and the block
        {depths * widths} times. Below, the five loops: over the depth, over the width of B, over the rows of A, over the
        columns of the block, and over the steps of the sum.""",
        data_first=1, data_last=count, data_at=5, data_unit=f"tile {{}} of {count}", data_pace=350)
    for x, y, name, colour, name_x, name_y in ((0, top, "A", "t-ink", 78, 364), (left, 12, "B", "t-ink", left + 10, 184),
                                               (left, top, "C", "t-ink", left + 78, 364)):
        drawing.rect(x, y, side, side, colour)
        drawing.rect(x, y, side, side, "s-quiet")
        drawing.text(name_x, name_y, f"*{name}*", "mid big")

    def during(step: int, steps: int) -> dict:
        return {"data_from": step * steps + 1, "data_to": (step + 1) * steps}

    def told(x: float, y: float, what: str, where: str, parts: int, colour: str) -> None:
        drawing.rect(x, y - 12, 13, 13, colour)
        drawing.text(x + 20, y, what)
        drawing.text(x, y + 24, where, "bold")
        for part in range(parts):
            drawing.text(x, y + 48, f"{part + 1} of {parts}", **during(part, count // parts))

    blocks = depths * widths
    for block in range(blocks):
        p, j = block // widths * deep, block % widths * wide
        drawing.rect(left + j, 12 + p, wide, deep, "t-orange s-orange", **during(block, count // blocks))
    for panel in range(blocks * panels):
        p = panel // (widths * panels) * deep
        drawing.rect(p, top + panel % panels * high, deep, high, "f-green", **during(panel, tiles))
    for tile_at in range(count):
        block, panel, column = tile_at // (panels * tiles), tile_at // tiles % panels, tile_at % tiles
        x, y = left + block % widths * wide + column * narrow, top + panel * high
        drawing.rect(x, 12 + block // widths * deep, narrow, deep, "f-orange", **during(tile_at, 1))
        drawing.rect(x, y, narrow, high, "f-blue", **during(tile_at, 1))
    told(beside, 40, "block of *B*", "in L2", blocks, "t-orange s-orange")
    told(0, 112, "micro-panel of *A*", "in L1", blocks * panels, "f-green")
    told(beside, top + 28, "tile of *C*", "in registers", count, "f-blue")
    loops = (("for each k_c rows of *B*, and columns of *A*", ""), ("for each n_c columns of *B*", "the block, packed"),
             ("for each m_r rows of *A*", "the micro-panel"), ("for each n_r columns of the block", "the tile"),
             ("for each of the k_c steps", "sums += column × row"))
    for depth, (words, picks) in enumerate(loops):
        y = 402 + 26 * depth
        drawing.add("text", "", subscripted(words), x=22 * depth, y=y)
        drawing.add("text", "end", subscripted(picks), x=520, y=y)
    return drawing


write_all(column_walk(), tile(), sets(), im2col(), packing(), five_loops())
