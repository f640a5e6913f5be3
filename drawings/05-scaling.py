"""Draws 05-sides, 05-ring, 05-pipeline and 05-shards: a tensor cut, a sum that goes round, an assembly line, shares."""

from sketch import Sketch, number, write_all

CHIPS = ("blue", "orange", "green", "purple")


def ring():
    """An all-reduce of four lists round a table; a number is as many stripes as have been added up in it."""
    friends, shops = ("Ada", "Ben", "Cem", "Dana"), "ABCD"
    n, cell, gap = 4, 44, 4
    wide = n * (cell + gap) - gap
    homes = ((2, 30), (518 - wide, 30), (518 - wide, 246), (2, 246))
    ends = {n - 1: "Each holds one total: the reduce-scatter is done.", n: "Now the totals go round.",
            2 * n - 2: "All have all totals. Each has passed on one and a half lists."}
    said = ["Each has spent something in four shops, A to D; everyone's own figures have one colour."]
    for turn in range(1, 2 * n - 1):
        passed = ", ".join(f"{friend}{' passes' * (not who)} {shops[sent(who, turn, n)]}" for who, friend in enumerate(friends))
        said.append(f"Round {turn}: {passed}. {ends.get(turn, '')}".strip())
    sketch = Sketch("05-ring", 332, "A ring all-reduce, round by round",
                    """Four friends sit round a table, each with a list of four figures. In every round each passes one
                    figure to the next, where it is added to the neighbour's own. After three rounds each friend holds the
                    total of one shop. In three more rounds the totals go round once, and all four have all of them.""",
                    data_first=0, data_last=2 * n - 2, data_at=2, data_pace=2200, data_says="|".join(said))
    x0, x1, y0, y1 = wide + 12, 508 - wide, 30 + cell / 2, 246 + cell / 2
    sketch.arrow(x0, y0, x1, y0, "quiet", size=10)
    sketch.arrow(x1, y1, x0, y1, "quiet", size=10)
    sketch.arrow(518 - wide / 2, 112, 518 - wide / 2, 218, "quiet", size=10)
    sketch.arrow(2 + wide / 2, 218, 2 + wide / 2, 112, "quiet", size=10)
    sketch.text(260, 158, "everyone passes", "mid f-quiet")
    sketch.text(260, 180, "one to the next", "mid f-quiet")
    place = lambda who, shop: (homes[who][0] + shop * (cell + gap), homes[who][1])
    for who, friend in enumerate(friends):
        x, y = homes[who]
        sketch.text(x + wide / 2, y - 10, friend, "mid bold")
        for shop in range(n):
            sketch.rect(*place(who, shop), cell, cell, "s-grid f-paper", rx=4)
            stripes(sketch, [who], cell, transform="translate({} {})".format(*place(who, shop)))
            sketch.text(place(who, shop)[0] + cell / 2, y + cell + 19, shops[shop], "mid f-quiet")
    for turn in range(1, 2 * n - 1):
        for who in range(n):
            shop, to = sent(who, turn, n), (who + 1) % n
            added = [(who - back) % n for back in range(min(turn, n))]
            there, here = place(who, shop), place(to, shop)
            moves = [there] * turn + [here]  # it lies on the figure that it is a copy of, then goes
            stripes(sketch, added, cell, data_from=turn - 1, data_places=" ".join(f"{x},{y}" for x, y in moves))
            sketch.rect(here[0] - 1, here[1] - 1, cell + 2, cell + 2, "s-ink", rx=5, data_from=turn, data_to=turn)
    return sketch


def sent(who, turn, n):
    """Which figure a friend passes in a round."""
    return (who - turn if turn < n else who - (turn - n)) % n


def stripes(sketch, owners, cell, **more):
    """What a figure is the sum of: a stripe for each friend whose part is in it."""
    wide = (cell - 8) / 4
    with sketch.group(**more):
        for owner in owners:
            sketch.rect(4 + owner * wide, 5, wide - 1.5, cell - 10, f"f-{CHIPS[owner]}", rx=1)


def sides():
    """The numbers between two layers, cut into four along each side, and a network's layers."""
    sketch = Sketch("05-sides", 462, "A network cut in four ways, and what must travel then",
                    """The numbers between two layers form a box, with the texts of a batch upwards, their tokens into the
                    depth, and the width to the right. Cut by texts, chips send gradients. Cut by tokens, they send keys and
                    values, and gradients. Cut across the width, they send activations in every layer. With whole layers on
                    each chip, they send activations to the next.""")
    wide, high, deep = 150, 84, 44
    solid(sketch, 150, 116, wide, high, deep, [(0, 1, "quiet")], "y")
    sketch.text(150 + wide / 2, 138, "width", "mid")
    sketch.text(142, 116 - high / 2 + 5, "texts", "end")
    sketch.text(150 + wide + deep / 2 + 20, 116 - deep * .16, "tokens")
    sketch.text(372, 40, "four chips", "")
    for i, colour in enumerate(CHIPS):
        sketch.rect(372 + 20 * i, 50, 15, 15, f"s-{colour} t-{colour}", rx=2)
    quarters = [(i / 4, (i + 1) / 4, colour) for i, colour in enumerate(CHIPS)]
    panels = (("Texts: data parallel", "y", ("gradients,", "once a step")),
              ("Tokens: context parallel", "z", ("keys, values,", "gradients")),
              ("Width: tensor parallel", "x", ("activations,", "in every layer")),
              ("Layers: pipeline", None, ("activations,", "to the next")))
    for i, (title, axis, travels) in enumerate(panels):
        left, top = 268 * (i % 2), 168 + 156 * (i // 2)
        sketch.path(f"M{left},{top}h252", "s-grid")
        sketch.text(left + (1 if left == 0 else 0), top + 24, title, "bold")
        if axis:
            solid(sketch, left + 6, top + 130, 96, 60, 28, quarters, axis)
        else:
            for k, colour in enumerate(CHIPS):
                solid(sketch, left + 6 + 31 * k, top + 130, 16, 60, 16, [(0, 1, colour)], "y")
        for line, words in enumerate(("travels:", *travels)):
            sketch.text(left + 144, top + 74 + 22 * line, words, "f-quiet" if line == 0 else "")
    return sketch


def solid(sketch, x, y, wide, high, deep, parts, axis):
    """A box whose lower front left corner is at x, y, cut along an axis; parts are from, to (as shares) and a colour."""
    rise = .62  # of the depth, upwards
    corner = lambda a, b, c: (x + a * wide + c * deep, y - b * high - c * deep * rise)
    for low, top, colour in (reversed(parts) if axis == "z" else parts):
        gap = .03 if len(parts) > 1 else 0
        span = {"x": (0, 1), "y": (0, 1), "z": (0, 1), axis: (low, top - gap)}
        (a0, a1), (b0, b1), (c0, c1) = span["x"], span["y"], span["z"]
        faces = ([(a1, b0, c0), (a1, b0, c1), (a1, b1, c1), (a1, b1, c0)],  # right, upper, front
                 [(a0, b1, c0), (a1, b1, c0), (a1, b1, c1), (a0, b1, c1)],
                 [(a0, b0, c0), (a1, b0, c0), (a1, b1, c0), (a0, b1, c0)])
        tint = "t-ink" if colour == "quiet" else f"t-{colour}"
        for face in faces:
            points = " ".join(f"{number(px)},{number(py)}" for px, py in (corner(*at) for at in face))
            sketch.add("polygon", f"s-{colour} {tint}", points=points)


def pipeline():
    """Four stages, and a batch that is cut into ever smaller parts; time runs to the right, the work is always the same."""
    stages, cuts, left, top, row = 4, (1, 2, 4, 8, 16), 66, 34, 44
    whole = 450 / stages  # units of time for a stage's work
    shares = [(stages - 1) / (m + stages - 1) for m in cuts]
    said = [("The batch is whole: " if m == 1 else f"{m} micro-batches: ") +
            f"each stage works in {m} of {m + stages - 1} beats and stands idle for {share:.0%} of the time."
            for m, share in zip(cuts, shares, strict=True)]
    said = [words.replace("%", " %").replace("in 1 of", "in one of") for words in said]
    sketch = Sketch("05-pipeline", 252, "A pipeline of four stages, with more and more micro-batches",
                    """Four rows, one for each stage, over time. With the batch in one piece, one stage works and three wait:
                    three quarters of the time are lost. Cut into 2, 4, 8 and 16 parts, the stages work at the same time, the
                    whole is done earlier, and the idle corners at the start and the end shrink to 60, 43, 27 and 16 %.""",
                    data_first=0, data_last=len(cuts) - 1, data_at=2, data_pace=1800, data_says="|".join(said))
    sketch.text(left, 18, "works", "")
    sketch.rect(left - 20, 6, 14, 14, "f-blue", rx=2)
    sketch.text(left + 82, 18, "waits for the others", "")
    sketch.rect(left + 62, 6, 14, 14, "t-orange", rx=2)
    for s in range(stages):
        sketch.text(0, top + s * row + 24, f"stage {s + 1}", "small")
    for step, m in enumerate(cuts):
        beat = whole / m
        with sketch.group(data_from=step, data_to=step):
            for s in range(stages):
                y = top + s * row
                sketch.rect(left, y, (m + stages - 1) * beat, row - 8, "t-orange", rx=2)
                for k in range(m):
                    sketch.rect(left + (s + k) * beat, y, beat, row - 8, "s-paper f-blue", rx=2)
            end = left + (m + stages - 1) * beat
            sketch.path(f"M{end},{top - 6}V{top + stages * row}", "s-ink dashed")
            sketch.text(min(end, 516), top + stages * row + 18, "done", "mid" if end < 490 else "end")
    sketch.arrow(left, 246, 518, 246, "quiet", size=8)
    sketch.text(left, 238, "time", "small f-quiet")
    return sketch


def shards():
    """What each of four chips keeps for a weight, in bytes, as more and more of it is kept in shares."""
    chips, scale, base = 4, 12, 232
    kinds = (("weights", 2, "blue"), ("gradients", 2, "orange"), ("optimiser's state", 12, "purple"))
    said = ["Data parallel: every chip keeps everything, 16 bytes for each weight.",
            "The state in shares: 7 bytes for each weight. As many bytes travel as before.",
            "The gradients too: 5½ bytes. Still as many bytes travel.",
            "The weights too: 4 bytes. They are gathered when they are needed: half as many bytes again travel."]
    sketch = Sketch("05-shards", 268, "What each chip keeps for a weight, with state in shares",
                    """Four chips side by side. At first each keeps 2 bytes of weight, 2 of gradient and 12 of optimiser's state
                    for every weight: 16 bytes. With the state divided among them it is 7, with the gradients too 5.5, and with
                    the weights too 4. Each chip's share is another one.""",
                    data_first=0, data_last=3, data_at=1, data_pace=2200, data_says="|".join(said))
    for i, (name, _, colour) in enumerate(kinds):
        x = (0, 112, 238)[i]
        sketch.rect(x, 4, 14, 14, f"f-{colour}", rx=2)
        sketch.text(x + 21, 17, name)
    wide, gap = 92, 38
    for chip in range(chips):
        x = 8 + chip * (wide + gap)
        sketch.text(x + wide / 2, base + 24, f"chip {chip + 1}", "mid")
        sketch.path(f"M{x - 6},{base + 2}h{wide + 12}", "s-quiet")
    for step in range(4):
        with sketch.group(data_from=step, data_to=step):
            for chip in range(chips):
                stack(sketch, 8 + chip * (wide + gap), base, wide, scale, kinds, step, chip, chips)
    return sketch


def stack(sketch, x, base, wide, scale, kinds, cut, chip, chips):
    """One chip's bytes: the last `cut` kinds only as its own share, where the whole would be."""
    y = base
    for i, (_, size, colour) in enumerate(kinds):
        height = size * scale
        y -= height
        if i < len(kinds) - cut:
            sketch.rect(x, y, wide, height - 2, f"f-{colour}", rx=2)
            continue
        sketch.rect(x, y, wide, height - 2, "s-grid", rx=2)
        part = (height - 2) / chips
        sketch.rect(x, y + chip * part, wide, part, f"f-{colour}", rx=1)


if __name__ == "__main__":
    write_all(sides(), ring(), pipeline(), shards())
