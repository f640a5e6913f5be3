"""The page of machines. {machines}: their headline values in one table, and a card for each. Of many, the page itself has the
first; a book's script can show the others, which come in a file (later.py).

    ```{machines}
    :values: 01-sorting/quicksort_ns …         the headline values
    ```

Event "press-machines": app.emit(…, {machine: {lab: record}}) asks for nodes that draw the machines, to show before the table.
Event "press-machines-later": app.emit(…, {machine: {lab: record}}, others) asks for {slug: (group, drawing)} of the others.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ..domain import press
from ..measurements.measured import split_target, value_quantity
from ..measurements.quantity import NO_BREAK_SPACE, quantity
from ..measurements.record import Machine, Record, RecordError
from .later import later
from .links import file_link
from .notice import NoticeDirective
from .tables import fields, scrolling_table

SHARED = ("A virtual machine shares its host with others. It may report the host's caches as its own, its neighbours use the "
          "same memory and last-level cache, and the host may pause its cores. A container with a CPU limit is paused too; its "
          "record counts these pauses only if the system reports them to the container. If the host reports that it took more "
          "than 2% of the cores' time during a run, the card at the chapter's end says that other programs used the processor.")


class Gallery(NoticeDirective):
    """A directive that reads every machine's records."""

    option_spec = {"values": directives.unchanged}

    def read(self) -> dict[Machine, dict[str, Record]]:
        """Each machine's valid records by lab; the errors of the others are in `notices`."""
        domain = press(self.env)
        domain.note_all_labs()
        self.notices: list[nodes.Node] = []
        found: dict[str, dict[str, Record]] = {}
        for lab in domain.records.labs():
            records, errors = domain.records.all(lab)
            self.notices += [self.notice(str(error)) for error in errors]
            for record in records:
                found.setdefault(record.slug, {})[lab] = record
        return {machine: found[machine.slug] for machine in domain.records.machines() if machine.slug in found}

    def wanted(self) -> list[tuple[str, str]]:
        """(lab, id) of each headline value. Raises RecordError for a lab that the book doesn't have."""
        wanted = [split_target(each, "") for each in self.options.get("values", "").split()]
        for lab, _ in wanted:
            press(self.env).records.expect(lab)
        return wanted


class Machines(Gallery):
    """All machines, this one first."""

    def run(self) -> list[nodes.Node]:
        machines = self.read()
        self.notices += map(self.notice, press(self.env).records.misplaced())
        if not machines:
            return [*self.notices, self.notice("no machine has been measured yet: run make site")]
        try:
            wanted = self.wanted()
        except RecordError as error:
            return [*self.notices, self.notice(f"machines: {error}")]
        few = press(self.env).records.few(list(machines))
        cards = [self.card(machine, machines[machine]) for machine in few]
        table = [headlines({machine: machines[machine] for machine in few}, wanted)] if wanted else []
        others = self.later(machines, list(machines)[len(few):])
        virtual = any(record.data["machine"]["virtualised"] for records in machines.values() for record in records.values())
        shared = [nodes.paragraph("", SHARED)] if virtual else []
        drawn = [node for nodes_of_one in self.env.events.emit("press-machines", machines) for node in nodes_of_one]
        both = nodes.container("", *cards, classes=["hf-machine-cards"])
        return [*self.notices, nodes.container("", *drawn, *table, both, *shared, classes=["hf-machines-page"]), *others]

    def later(self, machines: dict[Machine, dict[str, Record]], others: list[Machine]) -> list[nodes.Node]:
        """The cards of the other machines, whose records are in numbers.csv, and not copied into the site."""
        more = {slug: said for found in self.env.events.emit("press-machines-later", machines, others)
                for slug, said in found.items()} if others else {}
        return [later("", self.card(machine, machines[machine], linked=False), classes=["no-search"],
                      entry=[machine.slug, machine.short, group], drawn=drawn)
                for machine in others for group, drawn in [more.get(machine.slug, ("", ""))]]

    def card(self, machine: Machine, records: dict[str, Record], linked: bool = True) -> nodes.container:
        """A machine's hardware, and its measurements; `linked` to its records, and by others."""
        first = next(iter(records.values()))
        facts = [("Processor", first.cpu), *hardware_facts(first.data["machine"])]
        facts += [("Published as", first.published_as)] if first.published_as else []
        facts += [("Measured by", by)] if (by := press(self.env).credit(machine.slug)) else []
        for record in records.values():
            facts += network_facts(record)
        compilers = dict.fromkeys((each.data["toolchain"]["compiler"], each.data["toolchain"]["flags"])
                                  for each in records.values())
        pairs = [(term, [nodes.Text(text)]) for term, text in dict(facts).items()]
        pairs += [("Compiler", [nodes.Text(f"{compiler} with "), nodes.literal("", flags)]) for compiler, flags in compilers]
        pairs[2:2] = instruction_sets(first.data["machine"])
        pairs += [("Labs", *self.labs(list(records.values()), linked))]
        name = nodes.inline("", f" {machine.name}" * (machine.name != machine.short), classes=["hf-kind"])
        title = nodes.rubric("", "", nodes.Text(machine.short), name)
        card = nodes.container("", title, fields(pairs), classes=["hf-card", "hf-machine"], ids=[f"machine-{machine.slug}"])
        if linked:
            press(self.env).note_card(machine.slug, card["ids"][0])
            self.state.document.note_explicit_target(card)
        return card

    def labs(self, records: list[Record], linked: bool) -> list[list[nodes.Node]]:
        """The records, one line for each date and state."""
        lines: dict[str, list[nodes.Node]] = {}
        for record in records:
            notes = record.since + (", with the quick budget" if record.data["run"]["budget"] == "quick" else "")
            lines.setdefault(f"({record.date}{notes})", []).append(
                file_link(self.env, record.path, record.lab[:2]) if linked else nodes.Text(record.lab[:2]))
        return [[*(part for link in links for part in (link, nodes.Text(" "))), nodes.Text(said)]
                for said, links in lines.items()]


def headlines(machines: dict[Machine, dict[str, Record]], wanted: list[tuple[str, str]]) -> nodes.table:
    """A line for each machine that has measured any of the values, with a column for each value."""
    heads = ["machine", *(label(machines, lab, name) for lab, name in wanted)]
    rows = []
    for machine, records in machines.items():
        to_card = nodes.reference("", machine.short, refid=f"machine-{machine.slug}", internal=True)
        values = [value_of(records, lab, name) for lab, name in wanted]
        if any(values):
            rows.append([to_card, *(str(value_quantity(value)) if value else "–" for value in values)])
    return scrolling_table(heads, rows)


def value_of(records: dict[str, Record], lab: str, name: str) -> dict | None:
    return records[lab].value(name) if lab in records else None


def label(machines: dict[Machine, dict[str, Record]], lab: str, name: str) -> str:
    """The name of a value, without a machine's number of threads."""
    value = next((found for records in machines.values() if (found := value_of(records, lab, name))), {})
    words = value.get("label") or name.replace("_", " ")
    return words.rpartition(",")[0] + ", all threads" if words.endswith("threads") else words


def network_facts(record: Record) -> list[tuple[str, str]]:
    """A record's facts about several hosts: how many there are, whether they are one machine, and how fast their network is."""
    def number(value_id: str) -> float:
        return (record.value(value_id) or {"value": 0})["value"]

    hosts, machines = int(number("hosts")), int(number("machines"))
    if hosts < 2:
        return []
    text = f"{hosts}{', all on this one machine' if machines == 1 else ''}"
    if wire := record.value("network_wire_gbs"):
        text += f", each with a link of {value_quantity(wire)}"
    return [("Hosts", text)]


def instruction_sets(machine: dict) -> list[tuple[str, nodes.admonition]]:
    """All instruction sets, folded into one line; empty if none is known."""
    names = machine["isa"]
    fold = nodes.admonition("", nodes.title("", f"{len(names)} extensions of {machine['architecture']}"),
                            nodes.paragraph("", ", ".join(names)), classes=["hf-folded"], collapsible="closed")
    return [("Instruction sets", fold)] if names else []


def hardware_facts(machine: dict) -> list[tuple[str, str]]:
    """The facts about a machine that a reader wants to know, as on a data sheet."""
    caches = [f"L{cache['level']}{'' if cache['kind'] == 'unified' else ' ' + cache['kind']}"
              f"{NO_BREAK_SPACE}{quantity(cache['bytes'], 'B')}" for cache in machine["caches"]
              if cache["kind"] != "instruction"]
    counted = machine.get("cores", 0)  # a browser doesn't know them
    threads = machine.get("physical_cores", counted) < counted
    kinds = " + ".join(map(str, machine.get("core_kinds", [])))
    timed = f", one thread on kind {machine['timed_kind']}, the fastest being 1" if "timed_kind" in machine else ""
    quota, turbo = machine.get("cpu_quota"), machine.get("turbo")
    cores = [str(counted or ""), f"hardware threads of {machine['physical_cores']} cores" if threads else "",
             f"of different kinds: {kinds}{timed}" if kinds else "",
             f"limited to the processor time of {quota:g} {'core' if quota == 1 else 'cores'}" if quota else "",
             "in a virtual machine" if machine["virtualised"] else "", "in a container" if machine.get("container") else ""]
    facts = [("Cores", ", ".join(filter(None, cores))),
             ("Frequency", ", ".join(filter(None, [f"governor {machine['governor']}" if "governor" in machine else "",
                                                   "" if turbo is None else f"turbo {'on' if turbo else 'off'}"]))),
             ("Caches, as reported", ", ".join(caches)),
             ("Memory", str(quantity(machine["memory_bytes"], "B"))),
             ("GPUs", ", ".join(gpu["name"] for gpu in machine["gpus"])),
             ("System", f"{machine['os']}, {machine['architecture']}")]
    return [(name, text) for name, text in facts if text]


def add_to(app: Sphinx) -> None:
    app.add_event("press-machines")
    app.add_event("press-machines-later")
    app.add_directive("machines", Machines)
