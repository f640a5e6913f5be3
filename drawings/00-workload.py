"""The drawings of chapter 00."""

from sketch import Sketch, write_all


def layer() -> Sketch:
    """The four products of a layer of GPT-2 small with their weights to scale, for 1 to 512 rows."""
    products = (("queries, keys and values", 768, 2304), ("output", 768, 768), ("up", 768, 3072), ("down", 3072, 768))
    scale, rows = 16, [2**power for power in range(10)]
    weights = sum(k * n for _, k, n in products)
    drawing = Sketch(
        "00-layer", 498, "The products of a layer, to scale",
        f"""The four products of a layer of GPT-2 small, to scale: rows times weights gives rows. The weights take
        {weights * 4 / 1e6:.1f} MB, however many rows there are. To write a token there is one row: a hairline beside the
        weights, with 0.5 FLOPs for each byte. To read a prompt there are 512 rows: broad bands, with more than 100 FLOPs
        for each byte.""",
        data_first=0, data_last=9, data_at=9, data_pace=900, data_unit="|".join(
            f"{m} row{'s' * (m > 1)}" for m in rows))
    drawing.rect(0, 5, 14, 14, "f-green")
    drawing.text(20, 18, "rows in")
    drawing.rect(96, 5, 14, 14, "t-orange s-orange")
    drawing.text(116, 18, "weights")
    drawing.rect(200, 5, 14, 14, "f-blue")
    drawing.text(220, 18, "rows out")
    top = 56
    for name, k, n in products:
        wide, high, out = k / scale, k / scale, n / scale
        x, w = 0, wide + 24
        y = w + out + 24
        middle = top + high / 2
        drawing.rect(w, top, out, high, "t-orange s-orange")
        drawing.text(0, top - 8, f"{name}: {k} × {n}")
        drawing.text(w - 12, middle + 6, "×", "mid")
        drawing.text(w + out + 12, middle + 6, "=", "mid")
        for step, m in enumerate(rows):
            tall = max(m / scale, 1.2)
            with drawing.group(data_from=step, data_to=step):
                drawing.rect(x, middle - tall / 2, wide, tall, "f-green")
                drawing.rect(y, middle - tall / 2, out, tall, "f-blue")
        top += high + 34
    for step, m in enumerate(rows):
        flops = 2 * m * weights
        size = 4 * sum(k * n + m * k + m * n for _, k, n in products)
        with drawing.group(data_from=step, data_to=step):
            drawing.text(354, 350, "writing" if m == 1 else "reading" if m == 512 else "a batch", "bold")
            drawing.text(354, 372, f"{m} row{'s' * (m > 1)}")
            work = f"{flops / 1e6:.0f} million" if flops < 1e9 else f"{flops / 1e9:.2g} billion"
            drawing.text(354, 398, f"{work} FLOPs")
            drawing.text(354, 420, f"{size / 1e6:.1f} million bytes")
            drawing.text(354, 450, f"{flops / size:.1f}" if m < 64 else f"{flops / size:.0f}", "big bold")
            drawing.text(354, 472, "FLOPs for each byte")
    return drawing


def cache() -> Sketch:
    """One head of attention: a prompt of five tokens read at once, then seven written, one after the other."""
    words = "The cat sat on the | mat and fell fast asleep .".replace(" |", "").split()
    prompt, count, width = 5, len(words), 4
    cell, unit = 17, 15
    left_q, left_s, left_o = 0, 104, 352
    y = 238
    drawing = Sketch(
        "00-cache", y + prompt * cell + 76, "Attention with a KV cache that grows",
        """One head of attention, over time. First a prompt of five tokens is read at once: five rows of queries, five
        columns of keys, a triangle of scores, five rows of values, five rows out. Then one token at a time goes
        through, the one that was written last: one query is multiplied by all keys so far, and one row of scores mixes
        all values so far. The keys and values of each token are kept, so the cache grows by one of each in every step.
        Queries and scores are not kept.""",
        data_first=0, data_last=count - prompt, data_at=3, data_pace=1000,
        data_unit="|".join(["the prompt"] + [f"“{word}”" for word in words[prompt:]]))

    def grid(x, top, columns, rows, colour, solid=False, width=unit, **when):
        drawing.path("".join(f"M{x + c * width + 1} {top + r * cell + 1}h{width - 2}v{cell - 2}h-{width - 2}z"
                             for r in range(rows) for c in range(columns)), ("f-" if solid else "t-") + colour, **when)

    drawing.text(left_s, y - 4 * cell - 16, "keys", "bold")
    drawing.text(left_o, 14, "values", "bold")
    # Keys and values: a column and a row for each token; the newest is solid, older ones are tinted.
    for token in range(count):
        since = max(0, token - prompt + 1)
        for solid, first, until in ((True, since, since), (False, since + 1, None)):
            when = {"data_from": first, "data_to": until}
            grid(left_s + token * cell, y - 4 * cell - 6, 1, width, "orange", solid, cell, **when)
            grid(left_o, y - 6 - (count - token) * cell, width, 1, "green", solid, **when)
        drawing.text(left_o + 4 * unit + 10, y - 6 - (count - token) * cell + 14, words[token], data_from=since)
    for step in range(count - prompt + 1):
        rows, seen = (prompt, prompt) if step == 0 else (1, prompt + step)
        with drawing.group(data_from=step, data_to=step):
            grid(left_q, y, width, rows, "blue", True)
            for row in range(rows):
                grid(left_s, y + row * cell, row + 1 if step == 0 else seen, 1, "purple", True, width=cell)
            grid(left_o, y, width, rows, "blue")
            drawing.text(left_s, y + rows * cell + 16, "scores: not kept")
            low = y + prompt * cell
            drawing.text(0, low + 46, f"{rows} row{'s' * (rows > 1)} through the network", "bold")
            drawing.text(0, low + 68, f"{2 * seen} rows kept: the KV cache of this head")
    drawing.text(left_q, y - 12, "queries", "bold")
    for x in (left_s, left_o):  # × is between a row and its factor, the arrow before the result
        drawing.text(x - 20, y - 6, "×", "mid")
        drawing.text(x - 22, y + 14, "→", "mid")
    drawing.text(left_o + 4 * unit + 10, y + 14, "out", "bold")
    return drawing


def batch() -> Sketch:
    """One delivery of the weights for 1 to 16 users, on an imaginary machine whose ridge is at eight."""
    most, ridge, each = 16, 8, 0.25
    drawing = Sketch(
        "00-readers", 374, "What a batch shares",
        f"""On an imaginary machine, the weights take as long to arrive as the arithmetic for {ridge} users. The weights are
        delivered once for all users, and a KV cache for each. Up to 10 users the delivery takes longer than the
        arithmetic, and another user adds little time. From 11 on the arithmetic takes longer, and another user adds
        a full share. A token takes the whole delivery with 1 user, and 1/8 of that time with 16.""",
        data_first=1, data_last=most, data_at=4, data_pace=600,
        data_unit="|".join(f"{k} user{'s' * (k > 1)}" for k in range(1, most + 1)))
    unit = 24
    drawing.text(0, 18, "delivered once", "bold")
    drawing.rect(1, 30, 128, 128, "t-orange s-orange", rx=3)
    drawing.text(65, 100, "weights", "mid")
    drawing.text(196, 18, "delivered for each user", "bold")
    for user in range(most):
        x, y = 196 + user % 8 * 41, 30 + user // 8 * 66
        with drawing.group(data_from=user + 1):
            drawing.rect(x, y, 36, 8, "f-quiet", rx=1)
            drawing.rect(x, y + 14, 36, 32, "t-green s-green", rx=2)
    drawing.rect(196, 170, 36, 8, "f-quiet", rx=1)
    drawing.text(240, 179, "a row")
    drawing.rect(302, 166, 24, 16, "t-green s-green", rx=2)
    drawing.text(334, 179, "a KV cache")
    drawing.text(0, 216, "the delivery takes")
    drawing.text(0, 276, "the arithmetic takes")
    for count in range(1, most + 1):
        delivery, arithmetic = ridge + each * count, float(count)
        time = max(delivery, arithmetic)
        longest = delivery >= arithmetic
        with drawing.group(data_from=count, data_to=count):
            drawing.rect(0, 224, ridge * unit, 22, "f-orange" if longest else "t-orange s-orange", rx=2)
            drawing.rect(ridge * unit, 224, each * count * unit, 22, "f-green" if longest else "t-green s-green", rx=2)
            drawing.rect(0, 284, arithmetic * unit, 22, "t-blue s-blue" if longest else "f-blue", rx=2)
            drawing.line(time * unit, 218, time * unit, 312, "s-ink dashed")
            tokens, decides = f"token{'s' * (count > 1)}", "memory" if longest else "arithmetic"
            drawing.text(0, 344, f"{decides} is the limit: {time:g} ticks for {count} {tokens}", "bold")
            drawing.text(0, 368, f"{time / count:.3g} tick{'s' * (time > count)} for each token")
    return drawing


def kinds() -> Sketch:
    """The numbers that each result needs, in the three kinds of work and in copying."""
    every = [(a, b) for a in range(5) for b in range(5)]
    panels = (("matrix multiplication", "each number has many uses", "blue", every),
              ("elementwise", "each number has one use", "green", [(k, k) for k in range(5)]),
              ("reduction", "many numbers become one", "purple", [(k, 2) for k in range(5)]),
              ("copying", "the same numbers elsewhere", "orange", [(0, 3), (1, 0), (2, 4), (3, 1), (4, 2)]))
    drawing = Sketch(
        "00-kinds", 330, "Three kinds of work, and copying",
        """Four pictures of numbers above and numbers below, with a line where one is needed for the other. In a matrix
        multiplication every number above has a line to every number below. In elementwise work each has a line straight down.
        In a reduction all lines run to one number. In copying each number is only moved to another place.""")
    for panel, (title, words, colour, lines) in enumerate(panels):
        x, y = panel % 2 * 280, panel // 2 * 170
        drawing.text(x, y + 16, title, "bold")
        drawing.text(x, y + 36, words)
        drawing.path("".join(f"M{x + 20 + a * 48} {y + 68}L{x + 20 + b * 48} {y + 134}" for a, b in lines), f"s-{colour}")
        below = sorted({b for _, b in lines})
        for row, places in ((y + 58, range(5)), (y + 144, below)):
            for place in places:
                drawing.rect(x + 10 + place * 48, row - 10, 20, 20, f"t-{colour} s-{colour}", rx=3)
    return drawing


write_all(kinds(), layer(), cache(), batch())
