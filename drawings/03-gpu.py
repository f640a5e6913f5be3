"""The drawings of chapter 03."""

from sketch import Sketch, write_all


def warps() -> Sketch:
    """One scheduler, warps that compute for a tick and wait for twenty, over three rounds."""
    wait, most, ticks = 20, 21, 63
    left, top, row, tick = 0, 52, 12, 520 / ticks
    drawing = Sketch(
        "03-warps", top + most * row + 64, "Warps over time",
        f"""A row for each warp, time from left to right, {ticks} ticks. A warp computes for one tick and then waits {wait}
        for memory, again and again. The lowest row is the scheduler: filled in every tick in which some warp computes.
        With one warp it works 3 of {ticks} ticks, a twenty-first of the time. Each further warp fills another tick.
        With 21 it is never idle, though each warp waits as long as before.""",
        data_first=1, data_last=most, data_at=most, data_unit="|".join(f"{w} warp{'s' * (w > 1)}" for w in range(1, most + 1)),
        data_pace=350)
    drawing.text(0, 16, "each warp:")
    drawing.rect(88, 4, 14, 14, "f-blue")
    drawing.text(110, 16, "computes")
    drawing.line(196, 11, 226, 11, "s-orange")
    drawing.text(234, 16, "waits for memory")
    drawing.arrow(430, 11, 520, 11, "quiet")
    drawing.text(420, 16, "time", "end")
    for warp in range(most):
        y = top - 16 + warp * row
        with drawing.group(data_from=warp + 1):
            for start in range(warp, ticks, wait + 1):
                until = min(start + wait + 1, ticks)
                drawing.rect(left + start * tick, y, tick, row - 3, "f-blue")
                if until > start + 1:
                    drawing.line(left + (start + 1) * tick + 2, y + row / 2 - 1.5, left + until * tick - 2, y + row / 2 - 1.5,
                                 "s-orange thin")
    low = top + most * row - 4
    drawing.rect(0, low, 520, 20, "s-quiet", rx=2)
    for warp in range(most):
        drawing.path("".join(f"M{left + start * tick:.2f} {low + 1}h{tick:.2f}v18h-{tick:.2f}z"
                             for start in range(warp, ticks, wait + 1)), "f-blue", data_from=warp + 1)
    drawing.text(0, low + 42, "the scheduler")
    for count in range(1, most + 1):
        busy = sum(len(range(warp, ticks, wait + 1)) for warp in range(count))
        drawing.text(520, low + 42, f"works {busy} of {ticks} ticks", "end bold", data_from=count, data_to=count)
    return drawing


def sectors() -> Sketch:
    """A warp's 32 loads of four bytes, at strides of 1 to 8 floats, and the sectors of 32 bytes that they touch."""
    lanes, floats, widest = 32, 8, 8
    unit = 520 / (lanes * widest)
    strides = list(range(1, widest + 1))
    drawing = Sketch(
        "03-sectors", 250, "A warp's loads and the sectors they touch",
        """Above, the 32 threads of a warp; below, memory in sectors of 32 bytes, eight floats each. Each thread loads one
        float. Side by side, the 32 floats lie in 4 sectors and every byte that is fetched is used. With every second
        float it is 8 sectors, half of them used; with every eighth, 32 sectors, of which an eighth is used.""",
        data_first=1, data_last=widest, data_at=widest, data_unit="|".join(
            "side by side" if s == 1 else f"{s} floats apart" for s in strides), data_pace=900)
    drawing.text(0, 18, "32 threads of a warp, a float each", "bold")
    drawing.text(0, 184, "memory, in sectors of 32 bytes")
    thread, high, low, side = 520 / lanes, 30, 140, 12
    for lane in range(lanes):
        drawing.rect(lane * thread + 2, high, side, side, "f-blue", rx=2)
    for stride in strides:
        touched = sorted({lane * stride // floats for lane in range(lanes)})
        with drawing.group(data_from=stride, data_to=stride):
            drawing.path("".join(f"M{s * floats * unit + 0.5:.2f} {low}h{floats * unit - 1:.2f}v24h-{floats * unit - 1:.2f}z"
                                 for s in touched), "t-orange s-orange thin")
            drawing.path("".join(f"M{lane * thread + 8:.2f} {high + side}L{(lane * stride + 0.5) * unit:.2f} {low}"
                                 for lane in range(lanes)), "s-blue thin")
            drawing.path("".join(f"M{lane * stride * unit:.2f} {low}h{unit:.2f}v24h-{unit:.2f}z"
                                 for lane in range(lanes)), "f-blue")
            drawing.text(0, 224, f"{len(touched)} sectors fetched", "bold")
            drawing.text(0, 246, f"{len(touched) * 32} bytes, of which 128 are used")
            share = 128 / (len(touched) * 32)
            drawing.rect(300, 212, 220, 18, "t-orange s-orange", rx=2)
            drawing.rect(300, 212, 220 * share, 18, "f-blue", rx=2)
    walls = "".join(f"M{s * floats * unit:.2f} {low}v24" for s in range(lanes + 1))
    drawing.path(walls + f"M0 {low}h520m0 24h-520", "s-quiet thin")
    return drawing


def divergence() -> Sketch:
    """Eight lanes, a short way of one tick and a long one of four; mixed and sorted."""
    lanes, short, long = 8, 1, 4
    mixed = ["sslsssss", "ssssssls", "ssssslss", "slssssss"]
    ordered = ["llllssss", "ssssssss", "ssssssss", "ssssssss"]
    tick, lane = 20, 13
    drawing = Sketch(
        "03-divergence", 384, "Neighbours who disagree",
        """Four vectors of eight lanes, over time. A number takes a short way of one tick or a long way of four; one in
        eight takes the long one. Mixed, each vector holds one of them: all eight lanes go through the short way and
        through the long one, seven of them sitting out four ticks, and the four vectors take 20 ticks. Sorted, the four
        long ways stand in one vector, and the same numbers take 8 ticks.""")
    for top, words, vectors in ((0, "mixed", mixed), (196, "sorted", ordered)):
        drawing.text(0, top + 18, words, "bold")
        at = 0
        for vector in vectors:
            y = top + 34
            spans = [(kind, ticks) for kind, ticks in (("s", short), ("l", long)) if kind in vector]
            start = at
            for kind, ticks in spans:
                for number, way in enumerate(vector):
                    mine = way == kind
                    drawing.rect(at * tick + 1.5, y + number * lane + 1, ticks * tick - 3, lane - 2,
                                 ("f-blue" if kind == "s" else "f-purple") if mine else "s-quiet thin", rx=2)
                at += ticks
            drawing.rect(start * tick + 0.2, y - 3, (at - start) * tick - 0.4, lanes * lane + 6, "s-ink", rx=3)
        drawing.arrow(0, top + 154, 520, top + 154, "quiet")
        drawing.text(at * tick, top + 174, f"{at} ticks", "bold end")
    drawing.rect(222, 252, 14, 14, "f-blue", rx=2)
    drawing.text(244, 264, "on the short way")
    drawing.rect(222, 276, 14, 14, "f-purple", rx=2)
    drawing.text(244, 288, "on the long way")
    drawing.rect(222, 300, 14, 14, "s-quiet thin", rx=2)
    drawing.text(244, 312, "sitting out the other’s way")
    return drawing


def belt() -> Sketch:
    """Little's law: a belt as long as the latency, which delivers a fixed number of crates per minute; each request is a crate
    on its way."""
    room, left, width, crate, ride = 20, 74, 384, 14, 4
    y = 70
    drawing = Sketch(
        "03-belt", 208, "Little’s law as a belt",
        """A belt from memory to a core. A crate takes 20 minutes from one end to the other, and the belt has room to hand
        over one crate each minute. A crate that arrives lets the core ask for another. With one request out, one crate
        arrives in 20 minutes; with five, five; with twenty the belt is full, and one arrives in each minute.""",
        data_first=1, data_last=room, data_at=5, data_pace=900,
        data_unit="|".join(f"{k} request{'s' * (k > 1)} out" for k in range(1, room + 1)))
    # The crates ride for as long as one takes from end to end, then stop: there must be a way to stop anything that moves for
    # more than five seconds.
    drawing.style(f"""
        @media (prefers-reduced-motion: no-preference) {{
          .OWN .ride {{
            animation: OWN-ride linear;
            animation-duration: calc({ride}s / var(--n));
            animation-iteration-count: var(--n)
          }}
        }}
        @keyframes OWN-ride {{ to {{ transform: translateX(calc({width}px / var(--n))) }} }}""")
    drawing.add("clipPath", inside=f'<rect x="{left}" y="{y}" width="{width}" height="30"/>', id="hf-03-belt-road")
    drawing.rect(left, y, width, 28, "t-ink")
    drawing.line(left, y + 28, left + width, y + 28, "s-ink")
    for count in range(1, room + 1):
        with drawing.group(data_from=count, data_to=count):
            # One more than are in flight: it enters while the last one leaves.
            with drawing.group(clip_path="url(#hf-03-belt-road)"), drawing.group("ride", style=f"--n:{count}"):
                middles = (left + width * (k + 0.5) / count for k in range(-1, count))
                drawing.path("".join(f"M{x - crate / 2:.1f} {y + 28 - crate}h{crate}v{crate}h-{crate}z" for x in middles),
                             "f-orange s-paper")
            drawing.text(0, 152, f"{count} under way", "bold")
            drawing.text(0, 198, f"= 20 minutes × {count / room:g} a minute")
            drawing.rect(300, 182, 220 * count / room, 18, "f-orange", rx=2)
            drawing.text(300, 174, f"{count / room:g} of 1 crate a minute")
    for x, far, colour, words in ((0, left, "orange", "memory"), (left + width, 520, "blue", "core")):
        drawing.rect(x, y - 14, far - x, 56, "f-paper")
        drawing.rect(x + 1, y - 14, far - x - 2, 56, f"t-{colour} s-{colour}", rx=3)
        drawing.text((x + far) / 2, y + 19, words, "mid")
    drawing.arrow(left, 40, left + width, 40, "quiet")
    drawing.text(260, 28, "latency: 20 minutes", "mid")
    drawing.text(0, 176, "= latency × throughput")
    drawing.rect(300, 182, 220, 18, "s-quiet", rx=2)
    drawing.text(300, 152, "throughput", "bold")
    return drawing


def ring() -> Sketch:
    """Four buffers between memory and the tensor cores: one in use, three on their way."""
    buffers, steps, left, wide, gap, top, tall = 4, 8, 164, 36, 6, 58, 72
    drawing = Sketch(
        "03-ring", 206, "A ring of buffers",
        """Four buffers in shared memory, between memory and the tensor cores. The tensor cores multiply the tiles of one.
        The copy engine fills the other three: the next tiles are nearly there, those of the last have just been sent for.
        In the next step the buffer that was in use is empty and is sent for again.""",
        data_first=1, data_last=steps, data_at=1, data_pace=900,
        data_unit="|".join(f"tile {tile} is multiplied" for tile in range(1, steps + 1)))
    drawing.rect(0, 4, 14, 14, "f-blue", rx=2)
    drawing.text(22, 16, "in use")
    drawing.rect(106, 4, 14, 14, "f-orange", rx=2)
    drawing.text(128, 16, "has arrived")
    middle = top + tall / 2
    for x, far, colour, words in ((0, 66, "orange", ("memory",)), (434, 520, "blue", ("tensor", "cores"))):
        drawing.rect(x + 1, top, far - x - 2, tall, f"t-{colour} s-{colour}", rx=3)
        for line, word in enumerate(words):
            drawing.text((x + far) / 2, middle + 5 + 20 * (line - (len(words) - 1) / 2), word, "mid")
    end = left + buffers * (wide + gap) - gap
    drawing.arrow(70, middle, left - 6, middle, "orange")
    drawing.text((70 + left - 6) / 2, middle - 12, "copy", "mid")
    drawing.text((70 + left - 6) / 2, middle + 24, "engine", "mid")
    drawing.arrow(end + 6, middle, 430, middle, "blue")
    for step in range(1, steps + 1):
        with drawing.group(data_from=step, data_to=step):
            for ahead in range(buffers):
                tile = step + ahead
                x = left + (tile - 1) % buffers * (wide + gap)
                if ahead == 0:
                    drawing.rect(x, top, wide, tall, "f-blue", rx=2)
                else:
                    filled = tall * (buffers - 1 - ahead) / (buffers - 1)
                    drawing.rect(x, top + tall - filled, wide, filled, "f-orange", rx=2)
                drawing.rect(x, top, wide, tall, "s-ink", rx=2)
                drawing.text(x + wide / 2, top - 8, f"{tile}", "mid bold" if ahead == 0 else "mid")
    drawing.text(0, 172, "producer: sends for a tile")
    drawing.text(0, 194, "where a buffer is empty")
    drawing.text(520, 172, "consumers: multiply it", "end")
    drawing.text(520, 194, "where a buffer is full", "end")
    return drawing


write_all(warps(), sectors(), divergence(), belt(), ring())
