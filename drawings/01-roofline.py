"""The drawings of chapter 01."""

from sketch import Sketch, write_all


def kitchen() -> Sketch:
    """Cores, caches, the door and DRAM, with their counterparts in a kitchen."""
    drawing = Sketch(
        "01-kitchen", 262, "A processor as a kitchen with one door",
        """A chip with two cores. Each core, the cooks, has a first and a second cache of its own, shelves within reach;
        both share a third, the pantry. One path leads out of the chip to DRAM, the warehouse: the door. Cache lines
        come through it one after the other, like crates.""")
    drawing.rect(1, 30, 348, 206, "t-ink s-ink", rx=6)
    drawing.text(0, 20, "the chip: a kitchen", "bold")
    for top in (44, 140):
        drawing.rect(14, top, 92, 82, "t-blue s-blue", rx=4)
        drawing.text(60, top + 36, "core", "mid bold")
        drawing.text(60, top + 58, "the cooks", "mid")
        drawing.rect(118, top + 26, 40, 30, "t-green s-green", rx=3)
        drawing.text(138, top + 46, "L1", "mid")
        drawing.rect(170, top + 16, 56, 50, "t-green s-green", rx=3)
        drawing.text(198, top + 46, "L2", "mid")
        for x1, x2 in ((106, 118), (158, 170), (226, 240)):
            drawing.line(x1, top + 41, x2, top + 41, "s-quiet thick")
        drawing.text(118, top + 86, "shelves")
    drawing.rect(240, 44, 78, 178, "t-green s-green", rx=4)
    drawing.text(279, 128, "L3", "mid")
    drawing.text(279, 150, "pantry", "mid")
    drawing.rect(343, 115, 12, 36, "f-paper")  # the gap in the wall
    drawing.path("M349 115h-12m12 36h-12", "s-ink thick")
    drawing.rect(428, 10, 91, 242, "t-orange s-orange", rx=6)
    drawing.text(473, 126, "DRAM", "mid bold")
    drawing.text(473, 148, "warehouse", "mid")
    drawing.line(318, 140, 428, 140, "s-quiet")
    for x in range(322, 420, 20):
        drawing.rect(x, 126, 13, 13, "f-orange s-paper", rx=2)
    drawing.text(356, 106, "the door", "bold")
    drawing.arrow(424, 162, 356, 162, "orange")
    drawing.text(354, 182, "one after")
    drawing.text(354, 200, "the other")
    return drawing


def store() -> Sketch:
    """Traffic through the door for a line that a program writes: with write-allocate and without."""
    cell, cells = 8, 16
    cache, memory = 142, 384
    steps = ("the first store", "the line is read", "four bytes change", "the rest follows", "written back")
    drawing = Sketch(
        "01-store", 352, "What comes through the door for a store",
        """A program fills a cache line of 64 bytes, four bytes at a time. An ordinary store to a line that isn't in any cache
        first reads the line from memory, then changes four bytes of it in the cache; when all sixteen stores are done,
        the line is written back: 128 bytes come through the door. A non-temporal store collects the line in a buffer beside the
        cache and writes it: 64 bytes.""",
        data_first=1, data_last=5, data_at=5, data_pace=1300, data_unit="|".join(steps))

    def strip(x, y, blue, **when):
        """A line whose first few of sixteen numbers are new."""
        for some, colour in ((range(blue), "blue"), (range(blue, cells), "orange")):
            if some:
                cells_of = "".join(f"M{x + k * cell} {y}h{cell}v22h-{cell}z" for k in some)
                drawing.path(cells_of, f"f-{colour} s-paper thin", **when)

    lanes = ((0, "An ordinary store", "cache", True), (182, "A non-temporal store", "buffer", False))
    for top, words, place, ordinary in lanes:
        y = top + 62
        drawing.text(0, top + 18, words, "bold")
        drawing.rect(1, y - 18, 76, 58, "t-blue s-blue", rx=4)
        drawing.text(39, y + 16, "core", "mid")
        drawing.rect(cache - 6, y - 18, 140, 58, "t-green s-green", rx=4)
        drawing.text(cache + 64, y - 26, place, "mid")
        drawing.rect(memory - 6, y - 18, 141, 58, "t-orange s-orange", rx=4)
        drawing.text(memory + 64, y - 26, "DRAM", "mid")
        drawing.rect(cache, y, cell * cells, 22, "f-paper s-quiet thin")
        strip(memory, y, 0, data_to=4)
        strip(memory, y, cells, data_from=5)
        drawing.arrow(82, y + 11, cache - 10, y + 11, "blue", data_to=4)
        if ordinary:
            strip(cache, y, 0, data_from=2, data_to=2)
            strip(cache, y, 1, data_from=3, data_to=3)
            drawing.arrow(memory - 10, y + 2, cache + 138, y + 2, "orange", "thick", 10, data_from=2)
            drawing.text(327, y - 8, "64 bytes", "mid", data_from=2)
        else:
            drawing.path(f"M{cache} {y}h{cell}v22h-{cell}z", "f-blue s-paper thin", data_to=3)
        strip(cache, y, cells, data_from=4)
        drawing.arrow(cache + 138, y + 20, memory - 10, y + 20, "orange", "thick", 10, data_from=5)
        drawing.text(327, y + 42, "64 bytes", "mid", data_from=5)
        total = 128 if ordinary else 64
        for k in range(total // 64):
            since = (2 if k == 0 else 5) if ordinary else 5
            read = ordinary and k == 0
            with drawing.group(data_from=since):
                drawing.rect(k * 130 + 1, y + 63, 124, 22, "t-orange s-orange" if read else "f-orange s-orange", rx=2)
                drawing.text(k * 130 + 63, y + 80, "read" if read else "written", "mid" if read else "mid f-paper")
        before = ((1, 1, 0), (2, 4, 64), (5, 5, 128)) if ordinary else ((1, 4, 0), (5, 5, 64))
        for first, last, count in before:
            drawing.text(274, y + 80, f"{count} bytes passed the door", data_from=first, data_to=last)
    return drawing


def chase() -> Sketch:
    """A chain of loads that wait for one another, and a stream of loads issued ahead, over five latencies."""
    ahead, waits = 10, 5
    tick = 520 / (ahead * waits)
    last = ahead * waits
    drawing = Sketch(
        "01-chase", 326, "A pointer chase and a stream",
        """Loads over time, a bar for each, from its order to its arrival; all bars are equally long. In a pointer chase
        each load begins when the one before has arrived: five in five waits. In a stream the addresses are known, ten
        loads are always under way, and one arrives in every tenth of a wait: fifty in the same time.""",
        data_first=0, data_last=last, data_at=last // 2, data_pace=160,
        data_unit="|".join(f"{step / ahead:.1f} waits" for step in range(last + 1)))

    def load(order, y, height):
        """A bar that is outlined when the load is issued and filled when it has arrived, clipped to the picture."""
        x, end = max(order, 0) * tick, min(order + ahead, last) * tick
        drawing.rect(x + 1, y, end - x - 2, height, "t-orange", rx=2, data_from=max(order, 0))
        if order + ahead <= last:
            drawing.rect(end - 6, y, 5, height, "f-blue", rx=1, data_from=order + ahead)

    drawing.text(0, 18, "A chase: each answer is the next address", "bold")
    for number in range(waits):
        load(number * ahead, 34, 20)
    drawing.text(0, 116, "A stream: many loads are under way, here ten", "bold")
    for number in range(1 - ahead, last):
        load(number, 130 + number % ahead * 14, 11)
    for y, arrived in ((80, lambda step: step // ahead), (294, lambda step: step)):
        counts = [arrived(step) for step in range(last + 1)]
        for count in sorted(set(counts)):
            first, until = counts.index(count), last - counts[::-1].index(count)
            drawing.text(520, y, f"{count} arrived", "bold end", data_from=first, data_to=until)
    for step in range(1, last):
        drawing.path(f"M{step * tick:g} 28V60M{step * tick:g} 124V276", "s-ink thin", data_from=step, data_to=step)
    drawing.rect(0, 306, 26, 12, "t-orange", rx=2)
    drawing.text(34, 317, "a load on its way")
    drawing.rect(176, 306, 6, 12, "f-blue", rx=1)
    drawing.text(190, 317, "arrived")
    return drawing


write_all(kitchen(), store(), chase())
