"""Draws 05-sides, 05-ring, 05-pipeline, 05-orders, 05-prompt and 05-shards: a tensor that is cut, a sum that goes around a
ring, an assembly line, two orders of its work, a prompt among answers, and shards."""

from sketch import Sketch, number, write_all

CHIPS = ("ink", "quiet", "green", "purple")  # the other two hues have meanings


def ring():
    """An all-reduce of four lists around a table; a number has one stripe for each list added to it."""
    friends, goods = ("Ada", "Ben", "Cem", "Dana"), ("bread", "milk", "fruit", "shoes")
    n, cell, gap = 4, 44, 4
    wide = n * (cell + gap) - gap
    homes = ((2, 30), (518 - wide, 30), (518 - wide, 246), (2, 246))
    ends = {n - 1: "Each holds one total: the reduce-scatter is done.", n: "Now the totals go round.",
            2 * n - 2: "Everyone has every total."}
    said = ["Each has spent something on bread, milk, fruit and shoes; each friend's own figures have one colour."]
    for turn in range(1, 2 * n - 1):
        passed = ", ".join(f"{friend}{' passes' * (not who)} {goods[sent(who, turn, n)]}" for who, friend in enumerate(friends))
        said.append(f"Round {turn}: {passed}. {ends.get(turn, '')}".strip())
    sketch = Sketch("05-ring", 332, "A ring all-reduce, round by round",
                    """Four friends sit round a table, each with a list of four figures. In every round each passes one
                    figure to the next, where it is added to the neighbour's own. After three rounds each friend holds the
                    total of one thing. In three more rounds the totals go round once, and then everyone has every total.""",
                    data_first=0, data_last=2 * n - 2, data_at=2, data_pace=2200, data_says="|".join(said))
    x0, x1, y0, y1 = wide + 12, 508 - wide, 30 + cell / 2, 246 + cell / 2
    sketch.arrow(x0, y0, x1, y0, "quiet", size=10)
    sketch.arrow(x1, y1, x0, y1, "quiet", size=10)
    sketch.arrow(518 - wide / 2, 112, 518 - wide / 2, 218, "quiet", size=10)
    sketch.arrow(2 + wide / 2, 218, 2 + wide / 2, 112, "quiet", size=10)
    sketch.text(260, 158, "everyone passes", "mid f-quiet")
    sketch.text(260, 180, "one to the next", "mid f-quiet")
    place = lambda who, figure: (homes[who][0] + figure * (cell + gap), homes[who][1])
    for who, friend in enumerate(friends):
        x, y = homes[who]
        sketch.text(x + wide / 2, y - 10, friend, "mid bold")
        for i, good in enumerate(goods):
            sketch.rect(*place(who, i), cell, cell, "s-grid f-paper", rx=4)
            stripes(sketch, [who], cell, transform="translate({} {})".format(*place(who, i)))
            sketch.text(place(who, i)[0] + cell / 2, y + cell + 19, good, "mid f-quiet")
    for turn in range(1, 2 * n - 1):
        for who in range(n):
            figure, to = sent(who, turn, n), (who + 1) % n
            added = [(who - back) % n for back in range(min(turn, n))]
            there, here = place(who, figure), place(to, figure)
            moves = [there] * turn + [here]  # the copy covers the original figure, then moves away
            stripes(sketch, added, cell, data_from=turn - 1, data_places=" ".join(f"{x},{y}" for x, y in moves))
            sketch.rect(here[0] - 1, here[1] - 1, cell + 2, cell + 2, "s-ink", rx=5, data_from=turn, data_to=turn)
    return sketch


def sent(who, turn, n):
    """The index of the figure that a friend passes on in a round."""
    return (who - turn if turn < n else who - (turn - n)) % n


def stripes(sketch, owners, cell, **more):
    """The summands of a figure: a stripe for each friend whose part is in it."""
    wide = (cell - 8) / 4
    with sketch.group(**more):
        for owner in owners:
            sketch.rect(4 + owner * wide, 5, wide - 1.5, cell - 10, f"f-{CHIPS[owner]}", rx=1)


def sides():
    """The numbers between two layers, cut into four along each side, and the layers of a network."""
    sketch = Sketch("05-sides", 462, "A network cut in four ways, and what must travel then",
                    """The numbers between two layers form a box, with the texts of a batch upwards, their tokens into the
                    depth, and the width to the right. Cut by texts, chips send gradients. Cut by tokens, they send keys and
                    values, and gradients. Cut across the width, they send activations in every layer. With whole layers on
                    each chip, they send activations to the next.""")
    wide, high, deep = 150, 84, 44
    solid(sketch, 150, 116, wide, high, deep, [(0, 1, "ink")], "y")
    sketch.text(150 + wide / 2, 138, "width", "mid")
    sketch.text(142, 116 - high / 2 + 5, "texts", "end")
    sketch.text(150 + wide + deep / 2 + 20, 116 - deep * .16, "tokens")
    sketch.text(372, 40, "four chips")
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
    """A box whose lower front left corner is at x, y, cut along an axis; each part is (from, to, colour), with from and to as
    shares."""
    rise = .62  # of the depth, upwards
    corner = lambda a, b, c: (x + a * wide + c * deep, y - b * high - c * deep * rise)
    for low, top, colour in (reversed(parts) if axis == "z" else parts):
        gap = .03 if len(parts) > 1 else 0
        span = {"x": (0, 1), "y": (0, 1), "z": (0, 1), axis: (low, top - gap)}
        (a0, a1), (b0, b1), (c0, c1) = span["x"], span["y"], span["z"]
        faces = ([(a1, b0, c0), (a1, b0, c1), (a1, b1, c1), (a1, b1, c0)],  # right, upper, front
                 [(a0, b1, c0), (a1, b1, c0), (a1, b1, c1), (a0, b1, c1)],
                 [(a0, b0, c0), (a1, b0, c0), (a1, b1, c0), (a0, b1, c0)])
        for face in faces:
            points = " ".join(f"{number(px)},{number(py)}" for px, py in (corner(*at) for at in face))
            sketch.add("polygon", f"s-{colour} t-{colour}", points=points)


def pipeline():
    """Four stages, and a batch that is cut into smaller and smaller parts; time runs to the right, beat by beat, and the work
    is always the same. The last cut appears at once, because by then you know the pattern."""
    stages, cuts, left, top, row = 4, (1, 2, 4, 8, 16), 66, 34, 44
    whole = 450 / stages  # units of time for one stage's work
    said, ends = [], []
    for m in cuts:
        name, beats = "The batch is whole" if m == 1 else f"{m} micro-batches", m + stages - 1
        for beat in range(1, beats) if m < cuts[-1] else ():
            works = sum(0 <= beat - 1 - s < m for s in range(stages))
            said.append(f"{name}, beat {beat} of {beats}: {works} work{'s' * (works == 1)}, {stages - works} "
                        f"wait{'s' * (stages - works == 1)}.".replace("0 wait", "none wait"))
        said.append(f"{name}: each stage works in {'one' if m == 1 else m} of {beats} beats and stands idle for "
                    f"{(stages - 1) / beats * 100:.0f}% of the time.")
        ends.append(len(said) - 1)
    sketch = Sketch("05-pipeline", 252, "A pipeline of four stages, with more and more micro-batches",
                    """Four rows, one for each stage, over time. With the batch in one piece, one stage works and three wait:
                    three quarters of the time are lost. Cut into 2, 4, 8 and 16 parts, the stages work at the same time, the
                    whole is done earlier, and the idle corners at the start and the end shrink to 60, 43, 27 and 16%.""",
                    data_first=0, data_last=ends[-1], data_at=ends[2], data_pace=600, data_says="|".join(said))
    sketch.text(left, 18, "works")
    sketch.rect(left - 20, 6, 14, 14, "f-blue", rx=2)
    sketch.text(left + 82, 18, "waits for the others")
    sketch.rect(left + 62, 6, 14, 14, "t-quiet", rx=2)
    for s in range(stages):
        sketch.text(0, top + s * row + 24, f"stage {s + 1}")
    for m, first, last in zip(cuts, [0, *(end + 1 for end in ends)], ends, strict=False):
        long, beats = whole / m, m + stages - 1
        with sketch.group(data_from=first, data_to=last):
            for beat in range(beats):
                with sketch.group(data_from=min(first + beat, last)):
                    for s in range(stages):
                        x, y = left + beat * long, top + s * row
                        sketch.rect(x, y, long, row - 8, f"s-paper {'f-blue' if 0 <= beat - s < m else 't-quiet'}", rx=2)
            end = left + beats * long
            with sketch.group(data_from=last):
                sketch.path(f"M{end},{top - 6}V{top + stages * row}", "s-ink dashed")
                sketch.text(min(end, 516), top + stages * row + 18, "done", "mid" if end < 490 else "end")
    sketch.arrow(left, 246, 518, 246, "quiet", size=8)
    sketch.text(left, 238, "time", "f-quiet")
    return sketch


def order(name, stages, micros):
    """When each stage of a pipeline works: lists of (micro-batch, is it backward, start), backward twice as long as forward."""
    todo = []
    for s in range(stages):
        ahead = micros if name == "GPipe" else min(micros, stages - s)
        works = [(k, False) for k in range(ahead)]
        if name == "GPipe":
            works += [(k, True) for k in reversed(range(micros))]
        else:
            for k in range(micros):
                works += [(k, True)] + ([(k + ahead, False)] if k + ahead < micros else [])
        todo.append(works)
    done, clock, placed = {}, [0] * stages, [[] for _ in range(stages)]
    while any(todo):
        for s in range(stages):
            while todo[s]:
                k, back = todo[s][0]
                before = (s + 1, k, True) if back and s + 1 < stages else (s, k, False) if back else (s - 1, k, False)
                if before[0] >= 0 and before not in done:
                    break
                start = max(clock[s], done.get(before, 0))
                clock[s] = done[s, k, back] = start + 1 + back
                placed[s].append((k, back, start))
                todo[s].pop(0)
    return placed


def orders():
    """GPipe and 1F1B on one clock, and the number of micro-batches that the first stage keeps meanwhile."""
    stages, micros, left, row, wide = 4, 8, 66, 26, 450
    end = 3 * (micros + stages - 1)
    unit = wide / end
    sketch = Sketch("05-orders", 474, "Two orders of a pipeline's work: GPipe and 1F1B",
                    """Four stages over time, twice. With GPipe every stage does all eight forward passes, then all eight
                    backward passes, and the first stage keeps up to eight micro-batches. With 1F1B a stage alternates as soon
                    as it can, and the first keeps at most four. Both end at the same time, with gaps of the same size.""")
    sketch.rect(left, 6, 14, 14, "f-blue", rx=2)
    sketch.text(left + 20, 18, "forward")
    sketch.rect(left + 106, 6, 14, 14, "s-blue t-blue", rx=2)
    sketch.text(left + 126, 18, "backward")
    sketch.rect(left + 226, 6, 14, 14, "t-purple s-purple", rx=2)
    sketch.text(left + 246, 18, "kept by stage 1")
    for panel, name in enumerate(("GPipe", "1F1B")):
        top = 56 + 214 * panel
        sketch.text(left, top - 8, name, "bold")
        placed = order(name, stages, micros)
        for s, works in enumerate(placed):
            y = top + s * row
            sketch.text(0, y + 17, f"stage {s + 1}")
            sketch.rect(left, y, wide, row - 4, "t-ink", rx=2)
            for _, back, start in works:
                colour = "s-blue t-blue" if back else "s-blue f-blue"
                sketch.rect(left + start * unit + .8, y + .8, (1 + back) * unit - 1.6, row - 5.6, f"{colour} thin", rx=2)
        base, high = top + stages * row + 66, 56 / micros
        changes = [(start + 2, -1) if back else (start, 1) for _, back, start in placed[0]]
        kept, path, most = 0, f"M{number(left)},{number(base)}", 0
        for at in sorted({at for at, _ in changes}):
            kept += sum(change for then, change in changes if then == at)
            most = max(most, kept)
            path += f"H{number(left + at * unit)}V{number(base - kept * high)}"
        sketch.path(path + "Z", "s-purple t-purple")
        sketch.path(f"M{left},{base}h{wide}", "s-quiet")
        sketch.text(left - 8, base - most * high + 6, str(most), "end")
        sketch.text(left - 8, base + 4, "0", "end")
    sketch.arrow(left, 462, left + wide, 462, "quiet", size=8)
    sketch.text(0, 467, "time", "f-quiet")
    return sketch


def prompt():
    """A server's steps when a prompt arrives among three answers: whole, in chunks, on its own machine. Reading a prompt is
    arithmetic, writing a token is reading weights: hence the colours."""
    left, wide, row = 66, 446, 24
    sketch = Sketch("05-prompt", 470, "One prompt among three running answers, by three methods",
                    """Three rows of dots are the tokens of three answers, a fourth the prompt and the answer to it. With the
                    whole prompt in one step, all three answers pause while it is read. In chunks, each step takes a little
                    longer, no answer pauses for long, and the new answer begins later. Separately, the three answers go on as
                    before, another machine reads, and the new answer begins when its cache has been carried over.""")
    sketch.rect(left, 6, 14, 14, "f-blue", rx=2)
    sketch.text(left + 20, 18, "prompt is read")
    sketch.circle(left + 163, 13, 5, "f-orange")
    sketch.text(left + 174, 18, "a token")
    sketch.path(f"M{left + 256},2V26", "s-ink dashed")
    sketch.text(left + 264, 18, "it arrives")
    token, whole, chunk, pieces, arrives = 22, 132, 50, 3, 92
    for panel, title in enumerate(("Whole", "In chunks", "Separately")):
        top = 58 + 138 * panel
        sketch.text(left, top - 8, title, "bold")
        steps, reads, x = [], [], 0  # where steps end; the prompt's pieces; now
        waiting, starts = pieces if title == "In chunks" else 1, None
        while x + token <= wide:
            if title != "Separately" and x >= arrives - 1e-9 and waiting:
                long = whole if title == "Whole" else chunk
                reads.append((x, long))
                x += long
                waiting -= 1
                if title == "In chunks":
                    steps.append(x)
                if not waiting:
                    starts = x
            else:
                x += token
                steps.append(x)
        if title == "Separately":
            reads, starts = [(arrives, whole)], next(end for end in steps if end >= arrives + whole + 30)
        for user in range(3):
            y = top + 10 + user * row
            sketch.text(0, y + 5, f"user {user + 1}")
            sketch.path(f"M{left},{y}h{wide}", "s-grid")
            for end in steps:
                sketch.circle(left + end, y, 5, "f-orange")
        y = top + 10 + 3 * row
        sketch.text(0, y + 5, "newcomer")
        sketch.path(f"M{left + 20},{y}H{left + wide}", "s-grid")
        for at, long in reads:
            sketch.rect(left + at, y - 9, long - 2, 18, "f-blue", rx=2)
        if title == "Separately":
            sketch.arrow(left + arrives + whole, y, left + starts - 2, y, "ink", size=7)
        for end in [starts, *(each for each in steps if each > starts)]:
            sketch.circle(left + end, y, 5, "s-paper f-orange")
        sketch.path(f"M{left + arrives},{top - 4}V{top + 22 + 3 * row}", "s-ink dashed")
    sketch.arrow(left, 460, left + wide, 460, "quiet", size=8)
    sketch.text(0, 465, "time", "f-quiet")
    return sketch


def shards():
    """The bytes that each of four chips keeps for a weight, as more and more of it is sharded."""
    chips, scale, base = 4, 12, 232
    kinds = (("weights", 2, 1), ("gradients", 2, .65), ("optimiser's state", 12, .35))  # all are memory, in different amounts
    said = ["Data parallel: every chip keeps everything, 16 bytes for each weight.",
            "The state in shares: 7 bytes for each weight. As many bytes travel as before.",
            "The gradients too: 5½ bytes. Still as many bytes travel.",
            "The weights too: 4 bytes. They are gathered when they are needed, so 1.5 times as many bytes travel."]
    sketch = Sketch("05-shards", 268, "What each chip keeps for a weight, with state in shares",
                    """Four chips side by side. At first each keeps 2 bytes of weight, 2 of gradient and 12 of optimiser's state
                    for every weight: 16 bytes. With the state divided among them it is 7, with the gradients too 5.5, and with
                    the weights too 4. Each chip keeps a different share.""",
                    data_first=0, data_last=3, data_at=1, data_pace=2200, data_says="|".join(said))
    for i, (name, _, strength) in enumerate(kinds):
        x = (0, 112, 238)[i]
        sketch.rect(x, 4, 14, 14, "f-orange", rx=2, fill_opacity=strength)
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
    """One chip's bytes, with its own shard of the last `cut` kinds in place of the whole."""
    y = base
    for i, (_, size, strength) in enumerate(kinds):
        height = size * scale
        y -= height
        if i < len(kinds) - cut:
            sketch.rect(x, y, wide, height - 2, "f-orange", rx=2, fill_opacity=strength)
            continue
        sketch.rect(x, y, wide, height - 2, "s-grid", rx=2)
        part = (height - 2) / chips
        sketch.rect(x, y + chip * part, wide, part, "f-orange", rx=1, fill_opacity=strength)


if __name__ == "__main__":
    write_all(sides(), ring(), pipeline(), orders(), prompt(), shards())
