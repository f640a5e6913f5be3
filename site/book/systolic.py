"""{systolic-array}: a systolic array, moving. Drawn from the simulator's own trace in a record, cycle by cycle.

    ```{systolic-array} 04-tpu
    The takeaway, one paragraph.
    ```

Each cycle is a step of one SVG (systolic_svg.py); static/steps.js moves through the steps. Without JavaScript, the page shows
a step in the middle, where the array is busiest.
"""

from docutils import nodes
from press.domain import press
from press.measurements.record import Record, RecordError
from press.page.links import file_link
from press.page.notice import NoticeDirective
from press.pictures.drawing import DRAWN, STEPPED
from press.pictures.lab_figure import takeaway

from .systolic_svg import SIDE, Trace, TraceError, drawing

SERIES = ("trace_moving", "trace_held", "trace_sums", "trace_a", "trace_b", "trace_c")


class SystolicArray(NoticeDirective):
    """The animation, with its caption, source and controls."""

    required_arguments = 1
    has_content = True
    subject = "The moving array: "

    def show(self) -> list[nodes.Node]:
        domain, lab = press(self.env), self.arguments[0]
        domain.note_lab(lab)
        record = domain.records.choose(lab, having=[("series", name) for name in SERIES])
        figure = nodes.figure("", nodes.raw("", moving(read_trace(record)), format="html"),
                              classes=["hf-lab-figure", DRAWN, STEPPED])
        figure += takeaway(self)
        figure += nodes.legend(
            "", nodes.paragraph("", "", nodes.strong("", "Simulated"),
                                nodes.Text(": every number in a cell is what a register held at the end of that cycle.")),
            nodes.paragraph("", "", file_link(self.env, record.path, "the record"), classes=["hf-links"]))
        return [figure]


def moving(trace: Trace) -> str:
    return drawing(trace, trace.cycles // 2 + 2)


def read_trace(record: Record) -> Trace:
    """The trace in a record. Raises RecordError if its series are inconsistent."""
    numbers = {name: [round(point["median"]) for point in record.series(name)["points"]] for name in SERIES}
    cut = lambda name, width: [numbers[name][i:i + width] for i in range(0, len(numbers[name]), width)]
    registers = [cut(name, SIDE * SIDE) for name in SERIES[:3]]
    trace = Trace(*registers, *(cut(name, SIDE) for name in SERIES[3:]))
    whole = all(len(row) == SIDE for matrix in (trace.a, trace.b, trace.c) for row in matrix)
    fits = (len(trace.b) == SIDE and len(trace.a) == len(trace.c) and
            all(len(plane) == trace.cycles and len(plane[-1]) == SIDE * SIDE for plane in registers) and
            trace.cycles == 3 * SIDE + trace.rows - 2)
    try:
        if not (whole and fits):
            raise TraceError("size")
        trace.check()
    except TraceError as error:
        raise RecordError(f"{record.path.name} has a trace of another array ({error}); measure again") from None
    return trace
