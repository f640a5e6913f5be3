"""Places the labels of a figure where they cover nothing.

Point-feature label placement: every label has a list of candidate positions, and each candidate has a cost for what it
covers and for its distance from the point. One label at a time moves to its cheapest candidate, until none can improve.
"""

import functools
import math
import random
from itertools import chain
from pathlib import Path

try:
    from ..json_file import read_json
except ImportError:  # gnuplot.py is run as a script
    from json_file import read_json

TABLE = Path(__file__).parent / "plot" / "advances.json"  # made by tools/subset-fonts
ADVANCES = read_json(TABLE)  # {face: {character: thousandths of an em}}
NEAR, ALONG, END, OVER = "near", "along", "end", "over"  # font names in plot/style.gp; other labels do not move

LABEL_COST, EDGE_COST, MARK_COST, STRUCK_COST, LINE_COST, AMBIGUITY_COST = 1000.0, 10000.0, 120.0, 500.0, 14.0, 60.0
ORDER_COST = 90.0  # names at the ends of curves stay in the order of those ends
LEADER_FROM = 13.0  # units; a label further than this from its point is joined to it by a thin line
ROUNDS, WAYS = 12, 10

WIDER = 1.03  # the width of the fallback font is similar, letter by letter


@functools.cache
def text_width(text, size):
    """The width of `text` in the text face at font size `size`, a little rounded up."""
    em = sum(ADVANCES["regular"].get(letter, 1050 if ord(letter) > 0x2E80 else 700) for letter in text)
    return em * size * WIDER / 1000


class Shape:
    """A convex polygon, or with two corners a segment."""

    def __init__(self, corners):
        self.corners = corners
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        self.x0, self.y0, self.x1, self.y1 = min(xs), min(ys), max(xs), max(ys)


def text_box(text, at=None, above=0.76, below=0.22):
    """The box of a label, rotated like the label; `at` overrides the left end of its baseline, `above` and `below` are in
    em."""
    width = text_width(text.string, text.size)
    shift = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor] if at is None else 0.0
    x, y = at or (text.x, text.y)
    cos, sin = math.cos(math.radians(text.angle)), math.sin(math.radians(text.angle))
    left, right = shift - 3, shift + width + 3  # neighbours on a line stay apart
    corners = ((left, -above), (right, -above), (right, below), (left, below))
    return Shape([(x + a * cos - b * text.size * sin, y + a * sin + b * text.size * cos) for a, b in corners])


def overlap(a, b):
    """True if two shapes overlap, that is, if no line separates them."""
    if a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 or b.y1 <= a.y0:
        return False
    for shape in (a, b):
        for (x0, y0), (x1, y1) in zip(shape.corners, shape.corners[1:] + shape.corners[:1]):
            nx, ny = y0 - y1, x1 - x0
            if nx == 0 and ny == 0:
                continue
            pa, pb = [nx * x + ny * y for x, y in a.corners], [nx * x + ny * y for x, y in b.corners]
            if max(pa) <= min(pb) or max(pb) <= min(pa):
                return False
    return True


class Candidate:
    """One possible place for a label: the left end of the baseline, the box, the leader to its point, and the cost. Shapes are
    computed on demand, because most candidates are too far away to be considered."""

    def __init__(self, text, x, y, cost, point=None, ordered=False):
        self.text, self.x, self.y, self.cost, self.whole_cost, self.ordered = text, x, y, cost, None, ordered
        self.point = point

    @functools.cached_property
    def box(self):
        return text_box(self.text, (self.x, self.y))

    @property
    def letters(self):
        """The part in which a line would look as if it struck out the label."""
        return text_box(self.text, (self.x, self.y), above=0.56, below=0.06)

    @functools.cached_property
    def leader(self):
        if not self.point:
            return None
        box, point = self.box, self.point
        end = (min(max(point[0], box.x0), box.x1), min(max(point[1], box.y0), box.y1))
        length = math.dist(point, end)
        if length < LEADER_FROM:
            return None
        clear = 6 / length  # leave the marker alone
        return Shape([(point[0] + (end[0] - point[0]) * clear, point[1] + (end[1] - point[1]) * clear), end])


def point_of(text):
    """The point of a label: gnuplot centres text on it by lowering the baseline a third of the size."""
    angle = math.radians(text.angle)
    drop = 0.325 * text.size
    return text.x + drop * math.sin(angle), text.y - drop * math.cos(angle)


def near(text, _lines):
    """Around the point, first to the right, then further away."""
    x, y = point_of(text)
    width, height = text_width(text.string, text.size), 0.98 * text.size
    for distance in (10, 14, 19, 26, 34, 44, 56, 70, 86, 104, 124):
        for step in range(16):
            angle = step * math.pi / 8
            cx = x + math.cos(angle) * (distance + width / 2)
            cy = y - math.sin(angle) * (distance + height / 2)
            side = 0 if step == 0 else 1 if step == 8 else 2
            yield Candidate(text, cx - width / 2, cy + 0.27 * text.size, distance * 0.8 + side, (x, y))


def end(text, _lines):
    """Beside the end of a curve, up or down."""
    x, y = point_of(text)
    for step in range(0, 160, 3):
        for dy in {step, -step}:
            yield Candidate(text, x + 12, y + dy + 0.27 * text.size, abs(dy), (x, y), ordered=True)


def over(text, _lines):
    """Centred at its point, or a little to the side."""
    for step in range(0, 90, 3):
        for dx in {step, -step}:
            yield Candidate(text, text.x + dx - text_width(text.string, text.size) / 2, text.y, 4 * step)


def along(text, lines):
    """Along the straight line at its point, above it, above the marks on it, or else below, without leaving it."""
    x, y = point_of(text)
    width = text_width(text.string, text.size)
    text.angle, start, stop = line_through(lines, (x, y), text.angle)
    cos, sin = math.cos(math.radians(text.angle)), math.sin(math.radians(text.angle))
    first = {"start": 0.0, "middle": -width / 2, "end": -width}[text.anchor]
    for step in range(0, 600, 8):
        for slide in {float(step), float(-step)}:
            outside = max(0.0, start - (first + slide)) + max(0.0, first + slide + width - stop)
            for lift, cost in ((-0.36 * text.size, 0), (-0.78 * text.size, 3), (0.98 * text.size, 6)):
                px = x + (first + slide) * cos - lift * sin
                py = y + (first + slide) * sin + lift * cos
                yield Candidate(text, px, py, 0.1 * step + 100 * outside + cost)


def line_through(lines, point, angle):
    """The straight line through `point` at about `angle`: its exact angle, and its length before and after the point."""
    best = (angle, 0.0, 0.0)
    for a, b in chain.from_iterable(line.segments() for line in lines):
        a, b = sorted((a, b), key=lambda end: (end[0], -end[1]))  # text on an upright line reads upwards
        length = math.dist(a, b)
        slope = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
        if length <= best[2] - best[1] or abs(slope - angle) > 2:
            continue
        cos, sin = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        before, off = ((point[0] - a[0]) * cos + (point[1] - a[1]) * sin,
                       (point[0] - a[0]) * sin - (point[1] - a[1]) * cos)
        if abs(off) < 1.5 and -1.5 < before < length + 1.5:
            best = (slope, -before, length - before)
    return best


CANDIDATES = {NEAR: near, ALONG: along, END: end, OVER: over}


class Surroundings:
    """The obstacles, and what it costs a candidate to cover them."""

    def __init__(self, canvas, boxes, marks, segments):
        self.canvas, self.boxes, self.marks, self.segments = canvas, boxes, marks, segments

    def cost(self, candidate):
        """The candidate's whole cost except for overlaps with other labels; computed once."""
        if candidate.whole_cost is None:
            candidate.whole_cost = candidate.cost + self._of_box(candidate.box)
            candidate.whole_cost += STRUCK_COST * min(2, covered(candidate.letters, self.segments))
            if candidate.point:
                candidate.whole_cost += AMBIGUITY_COST * self._closer_marks(candidate)
            if candidate.leader:
                candidate.whole_cost += self._of_leader(candidate)
        return candidate.whole_cost

    def _of_box(self, box):
        outside = box.x0 < 2 or box.y0 < 2 or box.x1 > self.canvas[0] - 2 or box.y1 > self.canvas[1] - 2
        return (EDGE_COST * outside + LABEL_COST * covered(box, self.boxes) + MARK_COST * covered(box, self.marks)
                + LINE_COST * min(4, covered(box, self.segments)))

    def _closer_marks(self, candidate):
        """The number of places, at another x, that are no further from the label than its own point, so that a reader might
        take it to name them."""
        own = distance(candidate.box, candidate.point)
        centres = {((mark.x0 + mark.x1) / 2, (mark.y0 + mark.y1) / 2) for mark in self.marks}  # curves may share a place
        return sum(abs(x - candidate.point[0]) > 1 and distance(candidate.box, (x, y)) <= own + 1 for x, y in centres)

    def _of_leader(self, candidate):
        leader = candidate.leader
        others = [mark for mark in self.marks if distance(mark, candidate.point)]  # than those it begins in
        return (10 + LABEL_COST * covered(leader, self.boxes) + 0.5 * MARK_COST * covered(leader, others)
                + 2 * LINE_COST * min(4, covered(leader, self.segments)))


def distance(box, point):
    """The distance from a point to an upright box."""
    return math.hypot(max(box.x0 - point[0], 0, point[0] - box.x1), max(box.y0 - point[1], 0, point[1] - box.y1))


def covered(shape, obstacles):
    """The number of obstacles that a shape overlaps."""
    x0, y0, x1, y1 = shape.x0, shape.y0, shape.x1, shape.y1
    close = [other for other in obstacles if other.x0 <= x1 and x0 <= other.x1 and other.y0 <= y1 and y0 <= other.y1]
    return sum(overlap(shape, other) for other in close)


def conflict(a, b):
    cost = LABEL_COST * overlap(a.box, b.box)
    cost += 0.3 * LABEL_COST * bool(a.leader and overlap(b.box, a.leader))
    cost += 0.3 * LABEL_COST * bool(b.leader and overlap(a.box, b.leader))
    cost += ORDER_COST * (a.ordered and b.ordered and (a.point[1] - b.point[1]) * (a.y - b.y) < 0)
    return cost + 40 * bool(a.leader and b.leader and overlap(a.leader, b.leader))


def place(texts, marks, lines, canvas):
    """Moves the labels that may move (see press/pictures/plot/style.gp) and returns the leaders to draw, each with its label.

    `texts` have string, x, y, angle, anchor, size, role; `marks` have box(); `lines` have segments(); `canvas` is
    (width, height). Deterministic. Every label gets a place, even if all its candidates cover something.
    """
    moving = [text for text in texts if text.role in CANDIDATES]
    fixed = [text_box(text) for text in texts if text.role not in CANDIDATES]
    segments = [Shape(list(segment)) for line in lines for segment in line.segments()]
    surroundings = Surroundings(canvas, fixed, [Shape(mark.box()) for mark in marks], segments)
    options = [sorted(CANDIDATES[text.role](text, lines), key=lambda c: (c.cost, c.x, c.y)) for text in moving]
    chosen = settle(options, surroundings)
    for text, candidate in zip(moving, chosen):
        anchor(text, candidate)
    return [(candidate.leader.corners, text) for text, candidate in zip(moving, chosen) if candidate.leader]


def anchor(text, candidate):
    """Puts a label in its place, held at the end next to its point, so that it stays there if a page makes it smaller."""
    width, point = text_width(text.string, text.size), candidate.point
    text.anchor = "middle" if not point or candidate.x < point[0] < candidate.x + width else \
                  "start" if point[0] <= candidate.x else "end"
    along = {"start": 0, "middle": width / 2, "end": width}[text.anchor]
    text.x = candidate.x + along * math.cos(math.radians(text.angle))
    text.y = candidate.y + along * math.sin(math.radians(text.angle))


def settle(options, surroundings):
    """The best of a few attempts to settle, each with another order of the labels."""
    order = list(range(len(options)))
    orders = [order, order[::-1]]
    chance = random.Random(0)  # the same orders every time
    for _ in range(WAYS - len(orders)):
        orders.append(chance.sample(order, len(order)))
    between = functools.cache(conflict)  # attempts compare the same pairs again and again
    ways = [settle_in(turns, options, surroundings, between) for turns in orders]
    return min(ways, key=lambda chosen: total_cost(chosen, surroundings))


def settle_in(order, options, surroundings, conflict):
    """Moves one label at a time to its cheapest candidate given the others, until none moves."""
    chosen = {}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for i in order:
            others = [other for j, other in chosen.items() if j != i]
            best, best_cost = None, math.inf
            for candidate in options[i]:
                if candidate.cost >= best_cost:
                    break
                cost = surroundings.cost(candidate)
                if cost < best_cost:
                    cost += sum(conflict(candidate, other) for other in others)
                if cost < best_cost:
                    best, best_cost = candidate, cost
            chosen[i] = best
        if chosen == before:
            break
    return [chosen[i] for i in range(len(options))]


def total_cost(chosen, surroundings):
    pairs = sum(conflict(a, b) for i, a in enumerate(chosen) for b in chosen[:i])
    return sum(surroundings.cost(candidate) for candidate in chosen) + pairs
