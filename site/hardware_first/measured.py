"""{measured}: a number from a record, with its unit and its spread."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

from .domain import HardwareFirstDomain, hardware_first
from .notice import NOT_YET, block_notice, inline_notice
from .quantity import NO_BREAK_SPACE, Quantity, quantity
from .records import LAB_ID, NotMeasured, Record, RecordError

STYLES = {"percent", "times"}
OPTIONS = STYLES | {"plain", "number", "pending"}
CITATION_KEY = re.compile(r"[A-Za-z0-9:_.-]+")


class measured_number(nodes.inline):
    """A number; `tooltip` says where it comes from."""


def visit_measured_number(self, node: measured_number) -> None:
    self.body.append(self.starttag(node, "span", "", title=node["tooltip"]))


def depart_measured_number(self, node: measured_number) -> None:
    self.body.append("</span>")


class WhereMeasured(SphinxDirective):
    """Prose that says nothing without its numbers: shown where a record has them all."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        content = self.parse_content_to_nodes()  # also where it is not shown, so that mistakes in it are found
        try:
            for target in self.arguments[0].split():
                lab, value_id = split_target(target, self.env.docname)
                domain.note_lab(lab)
                domain.records.choose(lab, having=[("values", value_id)])
        except NotMeasured:
            return []
        except RecordError as error:
            return [block_notice(self.env, self.lineno, str(error))]
        return content


class Measured(SphinxRole):
    """{measured}`id`, {measured}`lab/id`, {measured}`id|option|option`."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        target, *options = (part.strip() for part in self.text.split("|"))
        domain = hardware_first(self.env)
        try:
            if unknown := set(options) - OPTIONS:
                raise RecordError(f'measured "{target}": unknown option "{unknown.pop()}"; '
                                  f"choose from {', '.join(sorted(OPTIONS))}")
            lab, value_id = split_target(target, self.env.docname)
            domain.note_lab(lab)
            try:
                return [self.number(domain, lab, value_id, set(options))], []
            except NotMeasured:
                if "pending" not in options:
                    raise
                return [pending_number()], []
        except RecordError as error:
            return [inline_notice(self.env, self.lineno, str(error))], []

    def number(self, domain: HardwareFirstDomain, lab: str, value_id: str, options: set[str]) -> nodes.Node:
        if "." in value_id:
            record = domain.records.choose(lab)
            as_typed = nodes.literal if value_id == "toolchain.flags" else nodes.inline
            return as_typed("", fact(record, value_id), classes=["hf-fact"])
        record = domain.records.choose(lab, having=[("values", value_id)])
        value = record.value(value_id)
        shown = value_quantity(value, options)
        node = measured_number(tooltip=_tooltip(record, value, shown), classes=["hf-number", f"hf-{value['kind']}"])
        node += nodes.Text(shown.number if "number" in options else str(shown))
        if shown.spread and not options & {"plain", "number"}:
            node += nodes.inline("", NO_BREAK_SPACE + shown.spread, classes=["hf-spread"])
        if value["kind"] != "measured" and "number" not in options:
            node += nodes.inline("", NO_BREAK_SPACE + value["kind"], classes=["hf-kind"])
            node += citation(self.env, value, self.lineno, self.inliner)
        if not record.local and domain.records.local_path(lab).exists():
            processor = record.gpu if "pending" in options and record.gpu else record.cpu
            node += nodes.inline("", f" on {processor}", classes=["hf-kind"])
        return node


def pending_number() -> measured_number:
    """Stands where a number, marked as pending, has no record anywhere. That is no problem."""
    words = measured_number(tooltip=NOT_YET, classes=["hf-pending"])
    words += nodes.Text("not yet measured")
    return words


def split_target(target: str, docname: str) -> tuple[str, str]:
    """(lab, id) of "lab/id", or of "id" on the lab's own page."""
    lab, slash, name = target.rpartition("/")
    if not slash:
        lab = docname
    if not LAB_ID.fullmatch(lab):
        raise RecordError(f'"{target}" names no lab: on this page write it as NN-slug/{name}')
    return lab, name


def value_quantity(value: dict, options: set[str] = frozenset()) -> Quantity:
    """A record's value, formatted."""
    style = next(iter(options & STYLES), "")
    try:
        return quantity(value["value"], value["unit"], value.get("low"), value.get("high"), style=style,
                        exact=value["kind"] == "quoted")
    except ValueError as error:
        raise RecordError(f'value "{value["id"]}": {error}') from None


def citation(env: BuildEnvironment, entry: dict, line: int, inliner: Inliner) -> list[nodes.Node]:
    """A reference to the source of a quoted value or series, when it has one."""
    key = entry.get("source", "")
    if "cite" not in env.domains or not CITATION_KEY.fullmatch(key):
        return []
    cite = env.domains["cite"].role("p")
    return [nodes.Text(" "), *cite("cite:p", key, key, line, inliner)[0]]


def fact(record: Record, name: str) -> str:
    """Facts about the run that are no values of their own."""
    run, machine, toolchain = (record.data[part] for part in ("run", "machine", "toolchain"))
    facts = {
        "run.seconds": lambda: str(quantity(run["seconds"], "s")),
        "run.started": lambda: record.date,
        "run.noise_floor": lambda: str(quantity(run["noise_floor"], "1", style="percent")),
        "machine.cpu": lambda: record.cpu,
        "machine.cores": lambda: str(machine["cores"]),
        "machine.memory_bytes": lambda: str(quantity(machine["memory_bytes"], "B")),
        "machine.os": lambda: machine["os"],
        "toolchain.compiler": lambda: toolchain["compiler"],
        "toolchain.flags": lambda: toolchain["flags"],
    }
    if name not in facts:
        raise RecordError(f'no fact "{name}": choose from {", ".join(facts)}')
    return facts[name]()


def _tooltip(record: Record, value: dict, shown: Quantity) -> str:
    parts = [value.get("label", value["id"].replace("_", " "))]
    if shown.spread:
        parts.append(f"5th to 95th percentile {shown.spread}{NO_BREAK_SPACE}{shown.unit}".rstrip())
    if value["kind"] == "quoted":
        parts.append(f"quoted from {value.get('source', 'a source the record does not name')}")
    else:
        parts.append(f"{value['kind']} on {record.machine_name}, {record.date}{record.since}")
    return "; ".join(parts)
