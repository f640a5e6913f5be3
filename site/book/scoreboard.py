"""{scoreboard}: tokens per second of one small language model, a row for each chapter up to the page's own; elsewhere all rows.

No lab measures these rows: each is computed from a machine's records of labs 00, 06 and 08. All rows of a board are from one
machine; if it has not measured a number that a row needs, the row says so. Only a GPU's tokens, measured by lab 03, may be from
another machine: until a record has them, that row is modelled.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import NamedTuple

from docutils import nodes
from press.domain import press
from press.measurements.measured import citation
from press.measurements.quantity import DIGITS, NO_BREAK_SPACE, grouped, quantity
from press.measurements.record import Machine, NotMeasured, Record
from press.measurements.records import Records
from press.page.links import file_link, machine_link
from press.page.notice import NoticeDirective
from press.page.numbering import CHAPTER
from press.page.tables import scrolling_table
from press.pictures.compare import listed
from press.pictures.lab_figure import DOT, sources_fold, spread
from press.pictures.labels import text_width
from press.reader.per_machine import for_each_machine

from .widgets import planner_tables

WORKLOAD, GPU, PRECISION, MODEL = "00-workload", "03-gpu", "06-precision", "08-your-model"
NEEDED = ("decode_tokens_per_s", "decode_predicted_tokens_per_s", "flops_decode")  # without these there is no board
SMALLEST_MODEL = 2e8  # FLOPs of a token: GPT-2 small takes 2.7e8; with too little memory or time, lab 00 ran a smaller model
PROMPT = 512  # tokens that lab 00 reads with GPT-2 small
MEMORY, ARITHMETIC = "memory", "arithmetic"
COLOURS = {MEMORY: "orange", ARITHMETIC: "blue"}
TBS = {chip["name"]: chip["bandwidth"] / 1e12 for chip in planner_tables()["chips"]}
QUOTED = {"03": ("an H100", TBS["h100"], "mlengineering"), "04": ("a TPU v5p", TBS["tpu-v5p"], "googletpu")}  # with the source
TEXTS = {"05": 32, "06": 100, "07": 100, "08": 256}  # before the token; in the other rows 500
WIDTH, LEFT, RIGHT, ROW, NAME, THICK, FOOT = 560, 8, 84, 56, 20, 15, 52  # of the drawing, as wide as all figures
NOT_MEASURED = "not measured on this machine"


class Bar(NamedTuple):
    """Tokens per second, their 5th and 95th percentile where measured, and the bound with the roof it comes from."""

    speed: float
    low: float | None = None
    high: float | None = None
    bound: float = 0
    roof: str = ""

    @property
    def words(self) -> tuple[str, str]:
        """The speed and the bound, for reading."""
        limit = f"{quantity(self.bound, '1', digits=DIGITS).number} ({self.roof})" if self.bound else "–"
        return quantity(self.speed, "1", self.low, self.high, digits=DIGITS).number, limit


class Numbers(NamedTuple):
    """The values of a machine's records. Raises KeyError for one that it has not measured."""

    records: list[Record]

    def value(self, name: str) -> dict:
        value = next((found for record in self.records if (found := record.value(name))), None)
        if value and value["value"] > 0:
            return value
        raise KeyError(name)

    def __getitem__(self, name: str) -> float:
        return self.value(name)["value"]

    def measured(self, name: str, bound: float, roof: str) -> Bar:
        value = self.value(name)
        return Bar(value["value"], value.get("low"), value.get("high"), bound, roof)


def prompt(of: Numbers) -> Bar:
    ms, bound = of.value("prefill_ms"), of["peak_during_passes_gflops"] * 1e9 * PROMPT / of["flops_prefill"]
    return Bar(*(1e3 * PROMPT / ms[name] if name in ms else None for name in ("value", "high", "low")), bound, ARITHMETIC)


def products_alone(of: Numbers) -> Bar:
    seconds = 1 / of["decode_tokens[q4_0]"] - 1e-6 * of["decode_between_us"]
    if seconds <= 0:  # the two medians are inconsistent
        raise KeyError("decode_between_us")
    return Bar(1 / seconds, bound=of["decode_tokens_predicted[q4_0]"], roof=MEMORY)


class Row(NamedTuple):
    """The chapter's number, what is done, "measured" or "modelled", and how it follows from the records."""

    chapter: str
    name: str
    kind: str
    bar: Callable[[Numbers], Bar]

    def of(self, numbers: Numbers) -> Bar | None:
        with suppress(KeyError):
            return self.bar(numbers)


ROWS = (
    Row("00", "one user, 32-bit weights", "measured",
        lambda of: of.measured("decode_tokens_per_s", of["decode_predicted_tokens_per_s"], MEMORY)),
    Row("01", "if only arithmetic took time", "modelled",
        lambda of: Bar(of["peak_during_passes_gflops"] * 1e9 / of["flops_decode"],
                       bound=of["decode_predicted_tokens_per_s"], roof=MEMORY)),
    Row("02", f"reading a prompt of {PROMPT} tokens", "measured", prompt),
    *(Row(chapter, f"one user, at the bandwidth of {name}", "modelled",
          lambda of, rate=rate: Bar(rate * 1e12 / of["decode_bytes_per_token"]))
      for chapter, (name, rate, _) in QUOTED.items()),
    Row("05", "16 users together", "measured",
        lambda of: of.measured("batch_speed[16]", *min((of["batch_bytes[16]"], MEMORY), (of["batch_flops[16]"], ARITHMETIC)))),
    Row("06", "one user, 4-bit weights", "measured",
        lambda of: of.measured("decode_tokens[q4_0]", of["decode_tokens_predicted[q4_0]"], MEMORY)),
    Row("07", "the same, if only matrix products took time", "modelled", products_alone),
    Row("08", "one user, 32-bit weights, in PyTorch", "measured",
        lambda of: of.measured("gpt2_tokens_per_s", of["gpt2_bound_per_s"], MEMORY)))


def measured_gpu(records: Records) -> tuple[Row, Record] | None:
    """The row of the first machine whose GPU has run the model, and its record."""
    all_of_lab = records.all(GPU)[0] if GPU in records.labs() else []
    record = next((each for each in all_of_lab if each.value("gpu_tokens_per_s")), None)
    if not record:
        return None
    of_gpu, name = Numbers([record]), record.data["machine"]["gpus"][0]["name"]
    return Row("03", f"one user, 16-bit weights, {name}", "measured",
               lambda _: of_gpu.measured("gpu_tokens_per_s", of_gpu["gpu_tokens_bound_per_s"], MEMORY)), record


class Board(NamedTuple):
    """A machine's records and its bars, in order; a bar is None if it was not measured."""

    records: list[Record]
    bars: dict[Row, Bar | None]


def board(records: Records, machine: Machine, rows: list[Row], labs: list[str]) -> Board:
    """The board for a machine's page: its own, or the first complete one, which is then marked as another machine's."""
    for each in (machine, *records.machines()):
        workload = records.choose(WORKLOAD, each, having=[("values", name) for name in NEEDED])
        if workload.value("flops_decode")["value"] >= SMALLEST_MODEL:
            break
    else:
        raise NotMeasured(f"no record of {WORKLOAD} has a model as large as GPT-2 small")
    owner = records.machine_of(workload)
    used = [replace(workload, elsewhere=owner != machine)]
    used += [records.read(path) for lab in labs[1:] if (path := records.path_of(owner, lab)).exists()]
    return Board(used, {row: row.of(Numbers(used)) for row in rows})


class Scoreboard(NoticeDirective):
    """The board of the page's chapter, for each machine."""

    subject = "The scoreboard: "

    def show(self) -> list[nodes.Node]:
        domain, chapter = press(self.env), CHAPTER.fullmatch(self.env.docname)
        new = chapter[1] if chapter else ""
        rows = [row for row in ROWS if row.chapter <= (new or "99")]
        gpu = measured_gpu(domain.records)
        rows = [gpu[0] if gpu and row.chapter == gpu[0].chapter else row for row in rows]
        labs = [WORKLOAD, *(lab for lab in (PRECISION, MODEL) if lab[:2] <= rows[-1].chapter)]
        for lab in labs if new else "*":  # all labs, without naming any: the machine is named below the board, without a banner
            domain.note_lab(lab)
        self.options["name"] = f"fig-{new}-scoreboard" if new else "fig-scoreboard"
        boards = {machine: board(domain.records, machine, rows, labs)
                  for machine in domain.records.machines_of(self.env.docname)}
        each = lambda make: for_each_machine(self.env, lambda machine: make(boards[machine]))
        figure = nodes.figure("", *each(lambda board: [nodes.raw("", drawing(board, new), format="html")]), caption(rows, new),
                              nodes.legend("", sources_fold(each(self.sign), *each(self.provenance),
                                                       *self.sources(rows, gpu and gpu[1]), *each(data_table))),
                              classes=["hf-lab-figure", "hf-scoreboard"])
        self.add_name(figure)
        return [figure]

    def sign(self, board: Board) -> list[nodes.Node]:
        first = board.records[0]
        whose = press(self.env).records.machine_of(first).short
        return [nodes.inline("", whose, classes=["hf-elsewhere"] * first.elsewhere)]

    def provenance(self, board: Board) -> list[nodes.Node]:
        """One line: the kinds of numbers, the machine and its noise, and the records with their dates."""
        first = board.records[0]
        whose, kinds = press(self.env).records.machine_of(first), dict.fromkeys(row.kind for row in board.bars)
        points = [{"median": bar.speed, "low": bar.low, "high": bar.high} for bar in board.bars.values() if bar and bar.low]
        classes = ["hf-provenance", *["hf-elsewhere"] * first.elsewhere]
        line = nodes.paragraph("", listed(list(kinds)).capitalize(), classes=classes)
        line += [nodes.Text(DOT), machine_link(whose.slug, whose.name), nodes.Text(DOT),
                 spread(first, [{"kind": "measured", "points": points}])]
        for record in board.records:
            quick = ", with the quick budget" if record.data["run"]["budget"] == "quick" else ""
            line += [nodes.Text(DOT), file_link(self.env, record.path, f"record {record.lab[:2]}"),
                     nodes.Text(f", {record.date}{record.since}{quick}")]
        return [line]

    def sources(self, rows: list[Row], gpu: Record | None) -> list[nodes.Node]:
        """The sources of other machines' numbers, and how the rows differ in their conditions."""
        line, of_gpu = nodes.paragraph(), nodes.paragraph()
        if gpu and any(row.chapter == "03" for row in rows):
            whose = press(self.env).records.machine_of(gpu)
            of_gpu += [nodes.Text("Row 03: "), machine_link(whose.slug, whose.short), nodes.Text(DOT),
                       file_link(self.env, gpu.path, "record 03"), nodes.Text(f", {gpu.date}{gpu.since}")]
        for row in rows:
            if row.chapter not in QUOTED or row.kind == "measured":
                continue
            name, rate, source = QUOTED[row.chapter]
            line += [nodes.Text(f"{DOT if line.children else 'Bandwidth of '}{name}: {rate:g}{NO_BREAK_SPACE}TB/s"),
                     *citation(self.env, {"source": source}, self.lineno, self.state.inliner)]
        shorter = [row.chapter for row in rows if row.chapter in TEXTS]
        said = []
        for tokens in dict.fromkeys(TEXTS[chapter] for chapter in shorter):
            where = [chapter for chapter in shorter if TEXTS[chapter] == tokens]
            said.append(f"{tokens} in row{'s' if where[1:] else ''} {listed(where)}")
        lengths = f"Context: about 500 tokens; {', '.join(said)}. A shorter context means fewer bytes."
        return [*(each for each in (of_gpu, line) if each.children),
                *[nodes.paragraph("", lengths)] * bool(said)]


def caption(rows: list[Row], new: str) -> nodes.caption:
    """What the axis is, and what to see."""
    many, dashed = (", one bar for each chapter", ", dashed ones modelled") if rows[1:] else ("", "")
    bold = " The row of this chapter is bold." if new and rows[1:] else ""
    return nodes.caption("", f"Tokens per second of one small language model (the shape of GPT-2 small){many}. The axis is "
                             f"logarithmic. Filled bars are measured{dashed}. The line across a bar is its bound: the speed "
                             "that ",
                         nodes.inline("", MEMORY, classes=["memory"]), nodes.Text(" or "),
                         nodes.inline("", ARITHMETIC, classes=["compute"]), nodes.Text(f" allows.{bold}"))


def data_table(board: Board) -> list[nodes.Node]:
    """The same data as a table."""
    rows = [[*row[:3], *(bar.words if bar else ("–", NOT_MEASURED))] for row, bar in board.bars.items()]
    table = scrolling_table(["chapter", "what", "kind", "tokens/s", "bound"], rows)
    return [nodes.container("", table, classes=["hf-data"])]


def drawing(board: Board, new: str) -> str:
    """A machine's board as SVG; the row of chapter `new` is emphasised."""
    known = [speed for bar in board.bars.values() if bar for speed in (bar.speed, bar.bound) if speed]
    first, last = math.floor(math.log10(min([10, *known]))), math.ceil(math.log10(max([10_000, *known])))
    at = lambda speed: round(LEFT + (math.log10(speed) - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)
    bottom, name, parts = ROW * len(board.bars), f"hf-scoreboard-{new or 'all'}", []
    for exponent in range(first, last + 1):
        x = at(10.0 ** exponent)
        parts += [f'<path class="s-grid" stroke-width="0.8" d="M{x},0L{x},{bottom}"/>',
                  text(x, bottom + 20, grouped(f"{10.0 ** exponent:g}"), "quiet", "middle" if x > LEFT else "start")]
    parts.append(text(at(10.0 ** last), bottom + 43, "tokens per second", "quiet", "end"))
    for place, (row, bar) in enumerate(board.bars.items()):
        parts += drawn(row, bar, ROW * place, at, "ink" if new in ("", row.chapter) else "grey", row.chapter == new)
    bound = lambda bar: f"; bound {bar.words[1]}" if bar.bound else ""
    told = lambda row, bar: f"{bar.words[0]}, {row.kind}{bound(bar)}" if bar else NOT_MEASURED
    said = " ".join(f"{row.chapter}, {row.name}: {told(row, bar)}." for row, bar in board.bars.items())
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="hf-figure" translate="no" '
            f'viewBox="0 0 {WIDTH} {bottom + FOOT}" role="img" aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">Tokens per second of a small language model</title>'
            f'<desc id="{name}-desc">{escape(said)}</desc>{"".join(parts)}</svg>')


def drawn(row: Row, bar: Bar | None, top: float, at: Callable[[float], float], colour: str, bold: bool) -> Iterator[str]:
    """A row: its name, the bar, the bound across it, the number behind it."""
    y, filled = top + NAME + 8, f'class="f-{colour}"'
    yield text(LEFT, top + NAME, f"{row.chapter}{NO_BREAK_SPACE} {row.name}", colour, bold=bold)
    if not bar:
        yield text(LEFT, y + 14, NOT_MEASURED, "quiet")
        return
    end, words = at(bar.speed), bar.words[0]
    dashed = f'class="s-{colour} f-paper" stroke-width="1.6" stroke-dasharray="4,4"'
    yield f'<rect {dashed if row.kind == "modelled" else filled} x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{THICK}"/>'
    if bar.bound:
        tick = at(bar.bound)
        yield f'<path class="s-{COLOURS[bar.roof]}" stroke-width="3.5" d="M{tick},{y - 4}L{tick},{y + THICK + 4}"/>'
        end = tick if end < tick <= end + text_width(words, 18) + 14 else end
    yield text(end + 8, y + 14, words, "ink", bold=bold)


def text(x: float, y: float, words: str, colour: str, anchor: str = "start", bold: bool = False) -> str:
    more = (f' text-anchor="{anchor}"' if anchor != "start" else "") + ' font-weight="700"' * bold
    return f'<text class="f-{colour}" x="{x:g}" y="{y:g}"{more}>{escape(words)}</text>'
