"""{machines}: the gallery of machines whose records are in this copy of the book."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from .domain import hardware_first
from .links import file_link
from .measured import split_target, value_quantity
from .notice import block_notice
from .quantity import NO_BREAK_SPACE, quantity
from .records import Record, RecordError
from .tables import fields


class Machines(SphinxDirective):
    """One card per machine, this one first, the others by the names they were published under. `:values:` names headline
    numbers as lab/id."""

    option_spec = {"values": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        domain.note_all_labs()
        machines: dict[tuple[bool, str], list[Record]] = {}
        result: list[nodes.Node] = []
        for lab in domain.records.labs():
            records, errors = domain.records.all(lab)
            result += [block_notice(self.env, self.lineno, str(error)) for error in errors]
            for record in records:
                machines.setdefault((not record.local, record.published_as), []).append(record)
        result += [block_notice(self.env, self.lineno, line) for line in domain.records.misplaced()]
        if not machines:
            result.append(block_notice(self.env, self.lineno, "no machine is measured yet: run make site"))
        try:
            wanted = [split_target(each, "") for each in self.options.get("values", "").split()]
        except RecordError as error:
            return [*result, block_notice(self.env, self.lineno, f"machines: {error}")]
        return result + [self.card(machines[key], wanted) for key in sorted(machines)]

    def card(self, records: list[Record], wanted: list[tuple[str, str]]) -> nodes.Node:
        first = records[0]
        name = f"{first.machine_name} · {first.published_as or 'this machine'}"
        pairs = [(term, [nodes.Text(text)]) for term, text in hardware_facts(first.data["machine"])]
        for record in records:
            pairs += [(term, [nodes.Text(text)]) for term, text in network_facts(record)]
            for lab, value_id in wanted:
                value = record.value(value_id) if record.lab == lab else None
                if value:
                    label = value.get("label", value_id.replace("_", " "))
                    pairs.append((label, [nodes.Text(str(value_quantity(value)))]))
            pairs.append((f"Lab {record.lab[:2]}", [
                file_link(self.env, record.path, record.data["lab"]["title"]),
                nodes.Text(f", {record.date}, {record.data['toolchain']['compiler']}{record.since}")]))
        card = nodes.container("", nodes.rubric("", name), fields(pairs), classes=["hf-card", "hf-machine"])
        card["ids"].append(f"machine-{first.slug}")
        hardware_first(self.env).note_card(first.slug, card["ids"][0])
        self.state.document.note_explicit_target(card)
        return card


def network_facts(record: Record) -> list[tuple[str, str]]:
    """What a record of several hosts says of them: how many, whether they are one machine, how fast their wires are."""
    def number(value_id: str) -> float:
        return (record.value(value_id) or {"value": 0})["value"]

    hosts, machines = int(number("hosts")), int(number("machines"))
    if hosts < 2:
        return []
    text = f"{hosts}{' that share this one machine' if machines == 1 else ''}"
    if wire := record.value("network_wire_gbs"):
        text += f", each on a wire of {value_quantity(wire)}"
    return [("Hosts", text)]


def hardware_facts(machine: dict) -> list[tuple[str, str]]:
    """What a reader wants to know about a machine, in the words of a data sheet."""
    caches = [f"L{cache['level']}{'' if cache['kind'] == 'unified' else ' ' + cache['kind']}"
              f"{NO_BREAK_SPACE}{quantity(cache['bytes'], 'B')}" for cache in machine["caches"]
              if cache["kind"] != "instruction"]
    facts = [("Cores", f"{machine['cores']}{', in a virtual machine' if machine['virtualised'] else ''}"),
             ("Instruction sets", ", ".join(machine["isa"])),
             ("Caches, as reported", ", ".join(caches)),
             ("Memory", str(quantity(machine["memory_bytes"], "B"))),
             ("GPUs", ", ".join(gpu["name"] for gpu in machine["gpus"])),
             ("System", f"{machine['os']}, {machine['architecture']}")]
    return [(name, text) for name, text in facts if text]
