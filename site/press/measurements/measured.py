"""{measured}: a number from a record, with its unit and its spread."""

import contextlib
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole

from ..domain import press
from ..page.notice import NOT_YET, NoticeDirective, inline_notice
from ..reader.per_machine import EVERYWHERE, for_each_machine
from .borrowed import label
from .quantity import DIGITS, NO_BREAK_SPACE, Quantity, quantity
from .record import LAB_ID, Machine, NotMeasured, Record, RecordError
from .records import Records

STYLES = {"percent", "times", "count"}
OPTIONS = STYLES | {"plain", "number", "label", "pending"}
BARE = {"number", "label"}  # with nothing after them
COMPARED = "as "  # an option that begins so says what a ratio compares: "as fast"
CITATION_KEY = re.compile(r"[A-Za-z0-9:_.-]+")


class measured_number(nodes.inline):
    """A number. `tooltip` tells where it comes from; `stops`: the keyboard can focus it too (reading.js). `data` is
    for static/reading.js, see place_of() and code_of(). `everywhere` is what each machine measured, for the axis in the
    number's card; reader/per_machine.py lists it. `of` is the (lab, id) of a number that a book's own script may exchange;
    `written` is what the script must know: `as`, how the number is written, and `asks`, what a claim asks of it."""


def visit_measured_number(self, node: measured_number) -> None:
    stop = {"tabindex": "0"} if node.get("stops") else {}
    data = {f"data-{name}": text for name, text in node.get("data", {}).items()}
    if measured := node.get("everywhere"):
        known = self.document.attributes.setdefault(EVERYWHERE, {})
        data["data-everywhere"] = str(known.setdefault(measured, len(known)))
    self.body.append(self.starttag(node, "span", "", title=node["tooltip"], **stop, **data))


def depart_measured_number(self, node: measured_number) -> None:
    self.body.append("</span>")


class WhereMeasured(NoticeDirective):
    """Prose that makes no sense without its numbers: shown if a record has them all."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        content = self.parse_content_to_nodes()  # also if it isn't shown, so that its mistakes are found
        try:
            for target in self.arguments[0].split():
                lab, value_id = split_target(target, self.env.docname)
                domain.note_lab(lab)
                domain.records.choose(lab, having=[("values", value_id)])
        except NotMeasured:
            return []
        return content


class Measured(SphinxRole):
    """{measured}`id`, {measured}`lab/id`, {measured}`id|option|option`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target, *options = (part.strip() for part in self.text.split("|"))
        domain = press(self.env)
        try:
            if unknown := {option for option in options if not option.startswith(COMPARED)} - OPTIONS:
                raise RecordError(f'measured "{target}": unknown option "{unknown.pop()}"; '
                                  f"choose from {', '.join(sorted(OPTIONS))}, as fast")
            lab, value_id = split_target(target, self.env.docname)
            domain.note_lab(lab)
        except RecordError as error:
            return [inline_notice(self.env, self.lineno, str(error))], []
        rows = ()
        with contextlib.suppress(RecordError):  # number() says it
            rows = everywhere(domain.records, lab, value_id, set(options))
        make = lambda machine: self.number(machine, lab, value_id, set(options), rows)
        number = for_each_machine(self.env, make, inline=True)
        return number + self.sources(domain.records, lab, value_id, set(options)), []

    def number(self, machine: Machine, lab: str, value_id: str, options: set[str], rows: tuple) -> list[nodes.Node]:
        """The number of a machine, or a replacement for it; `rows` is what each machine measured."""
        records = press(self.env).records
        try:
            if "." in value_id:
                record = records.choose(lab, machine)
                as_typed = nodes.literal if value_id == "toolchain.flags" else nodes.inline
                shown = as_typed("", fact(record, value_id), classes=["hf-fact"] + ["hf-elsewhere"] * record.elsewhere)
                return [shown, label(records, record)] if record.elsewhere else [shown]
            record = records.choose(lab, machine, having=[("values", value_id)])
            number = number_of(records, machine, record, value_id, options)
            if options <= {"plain", "number", "times"}:
                style = next(iter(options - {"plain"}), "")
                number["of"], number["written"] = (lab, value_id), {"as": style} if style else {}
            number["everywhere"] = rows
            if place := place_of(record, value_id, self.config.press_source):
                number["data"] = {**number.get("data", {}), "at": place}
            if code := code_of(record, value_id, records.root):
                number["data"] = {**number.get("data", {}), "code": code}
            borrowed = record.elsewhere and record.value(value_id)["kind"] != "quoted"
            return [number, label(records, record)] if borrowed else [number]
        except NotMeasured as error:
            if "pending" in options:
                return [pending_number()]
            return [inline_notice(self.env, self.lineno, str(error))]
        except RecordError as error:
            return [inline_notice(self.env, self.lineno, str(error))]

    def sources(self, records: Records, lab: str, value_id: str, options: set[str]) -> list[nodes.Node]:
        """The sources of a quoted number on any machine of the page: each once, because references are counted."""
        values = []
        for machine in records.machines_of(self.env.docname) if "number" not in options else ():
            with contextlib.suppress(RecordError):
                values.append(records.choose(lab, machine, having=[("values", value_id)]).value(value_id))
        sources = {value.get("source", ""): value for value in values if value and value["kind"] != "measured"}
        return [node for value in sources.values() for node in citation(self.env, value, self.lineno, self.inliner)]


def number_of(records: Records, machine: Machine, record: Record, value_id: str, options: set[str]) -> nodes.Node:
    """A record's number as the page of `machine` shows it; another machine's number is marked. Its kind and date are in a
    tooltip, to keep sentences readable."""
    value = record.value(value_id)
    shown = value_quantity(value, options)
    node = measured_number(tooltip=_tooltip(records, machine, record, value, shown, options),
                           classes=["hf-number", f"hf-{value['kind']}"] + ["hf-elsewhere"] * record.elsewhere
                           + ["hf-words"] * ("label" in options))
    compared = next((option for option in options if option.startswith(COMPARED)), "")
    same = compared and is_tie(value["value"], shown, record)
    if "label" in options and "label" not in value:
        raise RecordError(f'value "{value_id}" has no label')
    node += nodes.Text(value["label"] if "label" in options else f"just {compared}" if same else
                       shown.number if "number" in options else str(shown))
    if shown.spread and not options & ({"plain"} | BARE):
        node += nodes.inline("", NO_BREAK_SPACE + shown.spread + "×" * bool(same), classes=["hf-spread"])
        node["stops"] = True
    if compared and not same:
        node += nodes.Text(f" {compared}")
    return node


def everywhere(records: Records, lab: str, value_id: str, options: set[str]) -> tuple[tuple, ...]:
    """(machine's slug, words, value, low, high) of the first machines that measured a value; empty if fewer than two did."""
    rows, of = [], {record.slug: record for record in records.all(lab)[0]}
    for machine in records.few([machine for machine in records.machines() if machine.slug in of]):
        value = of[machine.slug].value(value_id)
        if value and value["kind"] != "quoted":
            ends = (float(f"{value.get(end, value['value']):.4g}") for end in ("value", "low", "high"))
            rows.append((machine.slug, str(value_quantity(value, options)), *ends))
    return tuple(rows) if len(rows) > 1 and "label" not in options else ()


def place_of(record: Record, value_id: str, source: str) -> str:
    """The line that added a value to its record: its address in the project's repository, "https://…", if that is known; else
    "labs/NN-slug/FILE.cpp:LINE"; empty if the record lacks it."""
    at = record.value(value_id).get("at", "")
    path, _, line = at.rpartition(":")
    toolchain = record.data["toolchain"]
    commit = "HEAD" if toolchain.get("dirty") or toolchain["commit"] == "unknown" else toolchain["commit"]
    return f"{source}/blob/{commit}/{path}#L{line}" if at.startswith("labs/") and source else at


def code_of(record: Record, value_id: str, root: Path) -> str:
    """The line of code that added a value to its record, which holds the value's id: the line at its place, or the only such
    line of that file, because a call may have several lines, and a newer file other ones. Empty if there is none."""
    path, _, number = record.value(value_id).get("at", "").rpartition(":")
    quoted = f'"{value_id.partition("[")[0]}"'
    holding = {at: line for at, line in enumerate(source_lines(root / path), 1) if quoted in line}
    return holding.get(int(number or 0)) or (next(iter(holding.values())) if len(holding) == 1 else "")


@cache
def source_lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def is_tie(ratio: float, shown: Quantity, record: Record) -> bool:
    """Whether a ratio can't be distinguished from 1: as printed, or within the noise floor."""
    return float(shown.number) == 1 or abs(ratio - 1) <= record.data["run"]["noise_floor"]


def pending_number() -> measured_number:
    """The replacement for a pending number that no record has. This is not a problem."""
    words = measured_number(tooltip=NOT_YET, classes=["hf-pending"])
    words += nodes.Text("not yet measured")
    return words


def split_target(target: str, docname: str) -> tuple[str, str]:
    """(lab, id) of "lab/id", or of "id" on the lab's own page."""
    lab, slash, name = target.rpartition("/")
    if not slash:
        lab = docname
    if not LAB_ID.fullmatch(lab):
        raise RecordError(f'"{target}" names no lab: on this page, write NN-slug/{name}')
    return lab, name


def value_quantity(value: dict, options: set[str] = frozenset(), rescaled: bool = True) -> Quantity:
    """A record's value, formatted."""
    style = next(iter(options & STYLES), "times" if any(option.startswith(COMPARED) for option in options) else "")
    try:
        return quantity(value["value"], value["unit"], value.get("low"), value.get("high"), style=style, digits=DIGITS,
                        exact=value["kind"] == "quoted", rescaled=rescaled)
    except ValueError as error:
        raise RecordError(f'value "{value["id"]}": {error}') from None


def states(value: dict, options: set[str] = frozenset()) -> str:
    """The two states in which a value was measured, in words; empty if there was only one."""
    if "modes" not in value:
        return ""
    samples = sorted(value["samples"])
    border = round(value["modes"][0]["share"] * len(samples))
    texts = [str(value_quantity({**value, "value": mode["median"], "low": part[0], "high": part[-1]}, options))
             for mode, part in zip(value["modes"], (samples[:border], samples[border:]))]
    return f"two states: {texts[0]} in {border} of {len(samples)} samples, {texts[1]} in the others"


def citation(env: BuildEnvironment, entry: dict, line: int, inliner: Inliner) -> list[nodes.Node]:
    """A reference to the source of a quoted value or series, if it has one."""
    key = entry.get("source", "")
    if "cite" not in env.domains or not CITATION_KEY.fullmatch(key):
        return []
    cite = env.domains["cite"].role("p")
    return [nodes.Text(" "), *cite("cite:p", key, key, line, inliner)[0]]


def fact(record: Record, name: str) -> str:
    """A fact about the run that is not a value of a lab."""
    run, machine, toolchain = (record.data[part] for part in ("run", "machine", "toolchain"))
    facts = {
        "run.seconds": lambda: str(quantity(run["seconds"], "s")),
        "run.started": lambda: record.date,
        "run.noise_floor": lambda: str(quantity(run["noise_floor"], "1", style="percent")),
        "machine.cpu": lambda: record.cpu,
        "machine.cores": lambda: str(machine.get("cores", "an unknown number of")),
        "machine.memory_bytes": lambda: str(quantity(machine["memory_bytes"], "B")),
        "machine.os": lambda: machine["os"],
        "toolchain.compiler": lambda: toolchain["compiler"],
        "toolchain.flags": lambda: toolchain["flags"],
    }
    if name not in facts:
        raise RecordError(f'there is no fact "{name}": choose from {", ".join(facts)}')
    return facts[name]()


def within(value: dict) -> str:
    """The words before the ends of a number's interval; as_read() in labs/record/reading.cpp makes the same."""
    if "definition" in value:
        return f"computed as {value['definition'].replace('_', ' ')}; from sample to sample it is"
    return f"all {len(value['samples'])} samples within" if "few" in value else "90% of samples within"


def _tooltip(records: Records, machine: Machine, record: Record, value: dict, shown: Quantity, options: set[str]) -> str:
    parts = [value.get("label", value["id"].replace("_", " "))]
    if shown.spread:
        parts.append(f"{within(value)} {shown.spread}{NO_BREAK_SPACE}{shown.unit}".rstrip())
    if "modes" in value:
        parts.append(states(value, options))
    if value["kind"] == "quoted":
        parts.append(f"quoted from {value.get('source', 'a source that the record does not name')}")
    else:
        whose = records.called(record) if record.elsewhere else machine.short
        parts.append(f"{value['kind']} on {whose}, {record.date}{record.since}")
    if record.elsewhere:
        parts.append(f"not measured on {machine.short}")
    return "; ".join(parts)
