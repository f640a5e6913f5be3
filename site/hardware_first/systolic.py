"""{systolic-array}: a systolic array, moving. Drawn from the simulator's own trace in a record, cycle by cycle.

    ```{systolic-array} 04-tpu
    The takeaway, one paragraph.
    ```

Each cycle is a frame of one SVG. Without JavaScript the frame in the middle is shown; with it, buttons, the arrow keys
and a slider step through all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .domain import hardware_first
from .links import file_link
from .notice import block_notice
from .records import Record, RecordError

SIDE = 3  # cells in a row and in a column
SERIES = ("trace_moving", "trace_held", "trace_sums", "trace_a", "trace_b", "trace_c")

# The drawing, in user units: 620 wide, so that text of 16 units can be read on a telephone.
WIDTH, HEIGHT = 620, 530
LEFT, TOP, CELL = 262, 88, 100  # the array
QUEUE, STACK = 36, 26  # between numbers that wait at its left; above and below it


class SystolicArray(SphinxDirective):
    """The animation, with its caption, its source and what to press."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            return [self.figure()]
        except RecordError as error:
            return [block_notice(self.env, self.lineno, f"The moving array: {error}")]

    def figure(self) -> nodes.figure:
        domain, lab = hardware_first(self.env), self.arguments[0]
        if not self.content:
            raise RecordError("needs a body (its takeaway)")
        domain.note_lab(lab)
        record = domain.records.choose(lab, having=[("series", name) for name in SERIES])
        parsed = self.parse_content_to_nodes()
        if len(parsed) != 1 or not isinstance(parsed[0], nodes.paragraph):
            raise RecordError("its takeaway must be one paragraph")
        figure = nodes.figure("", nodes.raw("", animation(read_trace(record)), format="html"),
                              classes=["hf-lab-figure"])
        figure += nodes.caption("", "", *parsed[0].children)
        figure += nodes.legend(
            "", nodes.paragraph("", "", nodes.strong("", "Simulated"),
                                nodes.Text(": every number in a cell is what a register held at the end of that cycle.")),
            nodes.paragraph("", "", file_link(self.env, record.path, "the record"), classes=["hf-links"]))
        return figure


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


def read_trace(record: Record) -> Trace:
    """The trace in a record; RecordError where its series do not fit together."""
    numbers = {name: [round(point["median"]) for point in record.series(name)["points"]] for name in SERIES}
    cut = lambda name, width: [numbers[name][i:i + width] for i in range(0, len(numbers[name]), width)]
    registers = [cut(name, SIDE * SIDE) for name in SERIES[:3]]
    trace = Trace(*registers, *(cut(name, SIDE) for name in SERIES[3:]))
    whole = all(len(row) == SIDE for matrix in (trace.a, trace.b, trace.c) for row in matrix)
    fits = (len(trace.b) == SIDE and len(trace.a) == len(trace.c) and
            all(len(plane) == trace.cycles and len(plane[-1]) == SIDE * SIDE for plane in registers) and
            trace.cycles == 3 * SIDE + trace.rows - 2)
    if not (whole and fits):
        raise RecordError(f"{record.path.name} has a trace of another array; measure again")
    return trace


def animation(trace: Trace) -> str:
    """The SVG and the script that steps through it."""
    shown = trace.cycles // 2 + 1
    frames = "\n".join(frame(trace, cycle, cycle == shown) for cycle in range(trace.cycles + 1))
    title = "A systolic array multiplies two matrices, cycle by cycle"
    description = (f"{SIDE} times {SIDE} cells. Weights shift in from above for {SIDE} cycles and stay. Then the rows of a "
                   "matrix enter from the left, each row of cells one cycle later than the one above it. Every cell "
                   "multiplies what passes by its weight and adds it to the sum from above. Finished sums leave at the "
                   f"bottom, the last of them in cycle {trace.cycles}.")
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" class="hf-figure hf-systolic-svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'role="img" aria-labelledby="hf-systolic-title hf-systolic-desc"><title id="hf-systolic-title">{title}'
           f'</title><desc id="hf-systolic-desc">{description}</desc><style>{STYLE}</style>\n{frames}\n</svg>')
    return f'<div class="hf-systolic" data-shown="{shown}">\n{svg}\n</div>\n<script>{SCRIPT}</script>'


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


STYLE = (
    "svg.hf-systolic-svg text{font-size:18px;text-anchor:middle;font-variant-numeric:tabular-nums;stroke:none}"
    "svg.hf-systolic-svg rect{fill:none;stroke:var(--hf-quiet,#5b636e);stroke-width:1.2}"
    "svg.hf-systolic-svg .hf-works{fill:var(--hf-grid,#e4e6e9);stroke:var(--hf-ink,#1f2328);stroke-width:2}"
    "svg.hf-systolic-svg .hf-off{display:none}"
    "svg.hf-systolic-svg .big{font-size:20px;font-weight:600}"
    + "".join(f"svg.hf-systolic-svg .{name}{{fill:var(--hf-{name},{colour})}}" for name, colour in (
        ("ink", "#1f2328"), ("quiet", "#5b636e"), ("blue", "#0062a3"), ("orange", "#b34700"), ("green", "#00704f"))))

# Buttons, arrow keys and slider. They are made here, so that a page without scripts shows none.
SCRIPT = """
for (const box of document.querySelectorAll(".hf-systolic:not([data-ready])")) {
  box.dataset.ready = "";
  const frames = [...box.querySelectorAll("g[data-cycle]")], last = frames.length - 1;
  const bar = document.createElement("div");
  bar.style.cssText = "display:flex;gap:.5rem;justify-content:center;align-items:center;flex-wrap:wrap";
  let now = 0, clock = null;
  const show = (cycle) => {
    now = Math.max(0, Math.min(last, cycle));
    frames.forEach((frame, i) => frame.classList.toggle("hf-off", i !== now));
    slider.value = now;
    slider.setAttribute("aria-valuetext", frames[now].dataset.says);
    if (now === last) pause();
  };
  const pause = () => { clearInterval(clock); clock = null; play.textContent = "Play"; };
  const button = (words, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    made.style.cssText = "min-width:4.5rem;padding:.35rem .6rem;font:inherit;cursor:pointer";
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  button("Back", () => { pause(); show(now - 1); });
  const play = button("Play", () => {
    if (clock) return pause();
    if (now === last) show(0);
    play.textContent = "Pause";
    clock = setInterval(() => show(now + 1), 900);
  });
  button("Step", () => { pause(); show(now + 1); });
  const slider = document.createElement("input");
  Object.assign(slider, {type: "range", min: 0, max: last, step: 1});
  slider.setAttribute("aria-label", "cycle");
  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  bar.append(slider);
  box.append(bar);
  box.tabIndex = 0;
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", "A systolic array, moving; the arrow keys step");
  box.addEventListener("keydown", (event) => {
    if (event.target === slider) return;
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    pause();
    show(now + step);
  });
  show(Number(box.dataset.shown));
}
"""
