"""{book-mistakes}: the claims that fail on the machine that is chosen, and the largest misses of its predictions.
{claims-squares}: a square for each claim and machine. {claims-ledger}: every claim, its bound, and the verdict of every
machine. Of many machines, the first have rows and columns of their own, and the others share one. static/claims-ledger.js
filters the ledger, and leads from a square to its claim."""

import html
from collections import Counter
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx

from ..domain import PressDomain, press
from ..page.links import cross_reference, page_link
from ..page.notice import NoticeDirective, counted
from ..page.tables import scrolling_table
from ..reader.per_machine import for_each_machine
from ..reader.predict import script_controls
from .claim_boxes import statements
from .claims import MEASURED, NOTHING, Answer, Statement
from .outcomes import Outcome, missed
from .predictions_page import about, outcomes_of
from .quantity import NO_BREAK_SPACE
from .record import CHANGED, Machine, Record, RecordError
from .records import Records

STATES = (("all", "all"), ("fails", "false somewhere"), ("close", "too close to call somewhere"),
          ("holds", "true everywhere"), ("made", "modelled or simulated"), ("open", "not yet measured"))
MARKS = {"holds": "✓", "fails": "✗", "close": "≈"}
SAID = {"holds": "true", "fails": "false", "close": "too close to call", "made": "modelled or simulated",
        "open": "not measured"}
HIGH = 10  # pixels of a square
CHAPTERS_APART = 1.5  # squares
SAYS = "Each square is a claim, chapter by chapter. Point at one to read it; press it to go there."
MOST, LARGE = 5, 2  # misses listed; the least factor for that


@dataclass(frozen=True)
class Entry:
    """A claim and the record of each machine that decides it."""

    lab: str
    statement: Statement
    records: dict[str, Record]  # by the machine's slug

    def of(self, record: Record) -> str:
        """One of STATES for one record: "made" if the claim holds but its number was not measured."""
        answer = self.statement.answer(record)
        holds = "holds" if self.statement.kind(record) == MEASURED else "made"
        return {Answer.FAILS: "fails", Answer.TOO_CLOSE: "close", Answer.HOLDS: holds}[answer]

    @property
    def state(self) -> str:
        """One of STATES: the machines' worst verdict on the claim."""
        found = {self.of(record) for record in self.records.values()}
        return next((state for state in ("fails", "close", "holds", "made") if state in found), "open")


class BookMistakes(NoticeDirective):
    """What a machine's records refuted: a list of claims, and one of predictions."""

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        domain.note_ledger()
        self.claims = [entry for lab in domain.records.labs() for entry in entries(domain, lab)]
        self.found = {machine.slug: self.misses(domain, machine) for machine in domain.records.machines()}
        return [nodes.container("", *for_each_machine(self.env, self.of_machine, everyone=True), classes=["hf-mistakes"])]

    def misses(self, domain: PressDomain, machine: Machine) -> list[tuple[str, Outcome]]:
        """(lab, outcome) of the largest misses, at most one for each thing predicted."""
        found = [(record.lab, each) for record in domain.records.of_machine(machine)
                 for each in outcomes_of(domain, record.lab, record)]
        worst: dict[tuple[str, str], tuple[str, Outcome]] = {}  # of one kind of prediction
        for lab, each in sorted(found, key=lambda one: one[1].miss, reverse=True):
            worst.setdefault((lab, each.what), (lab, each))
        return [each for each in worst.values() if each[1].miss >= LARGE][:MOST]

    def of_machine(self, machine: Machine) -> list[nodes.Node]:
        decided = [entry for entry in self.claims if machine.slug in entry.records]
        failed = [entry for entry in decided if entry.of(entry.records[machine.slug]) == "fails"]
        if not decided:
            return [nodes.paragraph("", f"No claims have been measured on {machine.short}.")]
        are = "is" if len(failed) == 1 else "are"
        false = f"{len(failed) or 'None'} of the {counted(len(decided), 'claim')} tested {are} false"
        first = nodes.paragraph("", f"{false} on {machine.short}{':' if failed else '.'}")
        content = [first, *([bullets([refuted(entry, entry.records[machine.slug]) for entry in failed])] if failed else [])]
        if misses := self.found[machine.slug]:
            content += [nodes.paragraph("", "These predictions were furthest off on this machine:"),
                        bullets([miss(lab, each) for lab, each in misses])]
        return content


def bullets(lines: list[list[nodes.Node]]) -> nodes.bullet_list:
    return nodes.bullet_list("", *(nodes.list_item("", nodes.paragraph("", "", *line)) for line in lines))


def refuted(entry: Entry, record: Record) -> list[nodes.Node]:
    """A claim that fails, then what was claimed and what was found."""
    number, kind = str(entry.statement.observed(record)), entry.statement.kind(record)
    found = f" We claimed {entry.statement.asked(record)} and {'measured' if kind == MEASURED else 'computed'} {number}"
    return [nodes.strong("", "", claim_link(entry)), nodes.Text(found if number else " It fails here"),
            *in_chapter(entry.lab), nodes.Text(".")]


def miss(lab: str, outcome: Outcome) -> list[nodes.Node]:
    words = about(outcome)
    found = f" We predicted {outcome.predicted} and measured {outcome.measured}, a miss of {missed(outcome.miss)}"
    return [nodes.strong("", f"{words[0].upper()}{words[1:]}."), nodes.Text(found), *in_chapter(lab), nodes.Text(".")]


def in_chapter(lab: str) -> list[nodes.Node]:
    return [nodes.Text(" ("), page_link(lab, f"chapter {lab[:2]}"), nodes.Text(")")]


class ClaimsSquares(NoticeDirective):
    """A row of squares for each machine that decides a claim, and their totals."""

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        found = [entry for lab in domain.records.labs() for entry in entries(domain, lab)]
        says = script_controls(html=f'<p class="hf-square-says" aria-live="polite">{SAYS}</p>\n')
        return [nodes.container("", says, sums(domain.records, found), classes=["hf-ledger-sums"])] if found else []


class ClaimsLedger(NoticeDirective):
    """A table for each lab."""

    def run(self) -> list[nodes.Node]:
        domain = press(self.env)
        domain.note_all_labs()
        domain.note_ledger()
        labs = domain.records.labs()
        read = {lab: self.of_lab(domain, lab) for lab in labs}
        everything = [entry for found, _ in read.values() for entry in found]
        result = [notice for _, notices in read.values() for notice in notices]
        if not everything:
            return result
        box = nodes.container("", script_controls(html=filters(labs)), classes=["hf-ledger"])
        for lab, (found, _) in read.items():
            if found:
                part = nodes.container("", nodes.rubric("", "", chapter_link(domain, lab)), table(domain.records, found),
                                       classes=["hf-ledger-lab", f"hf-lab-{lab}", "no-search"])
                box += part
        return [*result, box]

    def of_lab(self, domain: PressDomain, lab: str) -> tuple[list[Entry], list[nodes.Node]]:
        """A lab's claims, and the problems of its records."""
        records, errors = domain.records.all(lab)
        try:
            found = entries(domain, lab)
        except RecordError as error:
            found, errors = [], [*errors, error]
        if not records and not errors:
            errors = [domain.records.not_measured(lab)]
        return found if records else [], [self.notice(str(error)) for error in errors]


def entries(domain: PressDomain, lab: str) -> list[Entry]:
    """A lab's claims. Raises RecordError if they are malformed."""
    records, _ = domain.records.all(lab)
    return [Entry(lab, each, {record.slug: record for record in records if record.value(each.value)})
            for each in statements(domain, lab)]


def sums(records: Records, entries: list[Entry]) -> nodes.table:
    """Which claims each machine confirms, refutes or leaves open: a square for each claim, and how many there are."""
    places, width = places_of(entries)
    axis = "".join(f'<text x="{x:.2f}%" y="14">{lab[:2]}</text>' for lab, x in starts(entries, places).items())
    what = '<span class="visually-hidden">a square for each claim</span>'
    rows, deciding = [], {slug for entry in entries for slug in entry.records}
    having = [machine for machine in records.machines() if machine.slug in deciding]
    few = records.few(having)
    for machine in few:
        found = [entry.of(record) if (record := entry.records.get(machine.slug)) else "open" for entry in entries]
        squares = "".join(f'<rect class="hf-{state}" x="{x:.2f}%" width="{width:.2f}%"/>' for state, x in zip(found, places))
        rows.append([machine.short, nodes.raw("", svg(squares), format="html"), *(str(found.count(state)) for state in SAID)])
    if others := having[len(few):]:
        verdicts = [verdicts_of(entry, others) for entry in entries]
        squares = "".join(parted(each, x, width) for each, x in zip(verdicts, places))
        means = (f"{sum(each[state] for each in verdicts) / len(others):.0f}" for state in SAID)
        rows.append([f"the other {len(others)}, on average", nodes.raw("", svg(squares), format="html"), *means])
    return scrolling_table(["machine", nodes.raw("", svg(axis) + what, format="html"), "hold", "fail", "too close to call",
                            "modelled or simulated", "not measured"], rows)


def verdicts_of(entry: Entry, machines: list[Machine]) -> Counter[str]:
    """How many of these machines find each of STATES."""
    return Counter(entry.of(record) if (record := entry.records.get(machine.slug)) else "open" for machine in machines)


def parted(verdicts: Counter[str], x: float, width: float) -> str:
    """A square for many machines: the share that refute the claim is orange, from below."""
    decided = sum(verdicts.values()) - verdicts["open"]
    most = max(("holds", "made", "close"), key=lambda state: verdicts[state]) if decided else "open"
    place = f'x="{x:.2f}%" width="{width:.2f}%"'
    high = HIGH * verdicts["fails"] / decided if decided else 0
    false = f'<rect class="hf-fails" {place} style="y:{4 + HIGH - high:.0f}px;height:{high:.0f}px"/>' if high else ""
    return f'<g data-says="{said(verdicts)}"><rect class="hf-{most}" {place}/>{false}</g>'


def said(verdicts: Counter[str]) -> str:
    return ", ".join(f"{words} on {verdicts[state]}" for state, words in SAID.items() if verdicts[state])


def places_of(entries: list[Entry]) -> tuple[list[float], float]:
    """Where the square of each claim begins, and how wide it is, in percent of their row: chapters are apart."""
    labs = list(dict.fromkeys(entry.lab for entry in entries))
    pitch = 100 / (len(entries) + CHAPTERS_APART * (len(labs) - 1))
    return [pitch * (number + CHAPTERS_APART * labs.index(entry.lab)) for number, entry in enumerate(entries)], .8 * pitch


def starts(entries: list[Entry], places: list[float]) -> dict[str, float]:
    """Where each lab's squares begin."""
    return dict(reversed([(entry.lab, x) for entry, x in zip(entries, places)]))


def svg(content: str) -> str:
    """Hidden from screen readers, because the tables say the same."""
    return f'<svg class="hf-squares" translate="no" aria-hidden="true">{content}</svg>'


def table(records: Records, entries: list[Entry]) -> nodes.table:
    """A table with a column for each machine that decides at least half as many claims as the one that decides most. The
    verdicts of the other machines are below the claims; of many machines, in the last column together."""
    counts = {machine: count for machine in records.machines()
              if (count := sum(machine.slug in entry.records for entry in entries))}
    many = [machine for machine, count in counts.items() if max(counts.values()) <= 2 * count]
    columns, below = records.few(many), records.few([machine for machine in counts if machine not in set(many)])
    drawn = {*columns, *below}
    rest = [machine for machine in counts if machine not in drawn]
    heads = ["claim", "bound", *(head(machine, entries) for machine in columns), *[f"the other {len(rest)}"] * bool(rest)]
    made = scrolling_table(heads, [row(entry, columns, below, rest) for entry in entries])
    for entry, line in zip(entries, list(made.findall(nodes.row))[1:]):
        line["classes"].append(f"hf-row-{entry.state}")
    return made


def head(machine: Machine, entries: list[Entry]) -> nodes.Node:
    made = nodes.inline("", machine.short)
    record = next(entry.records[machine.slug] for entry in entries if machine.slug in entry.records)
    if record.changed:
        made += nodes.inline("", CHANGED, classes=["hf-kind"])
    return made


def row(entry: Entry, columns: list[Machine], others: list[Machine], rest: list[Machine]) -> list[nodes.Node]:
    having = next(iter(entry.records.values()), None)
    asked = nodes.inline("", "", nodes.inline("", "bound ", classes=["hf-cell-head"]),
                         nodes.Text("true" if entry.statement.shown == NOTHING else entry.statement.asked(having)))
    also = (nodes.inline("", "", cell(entry, machine), classes=["hf-also"]) for machine in others
            if machine.slug in entry.records)
    return [nodes.inline("", "", claim_link(entry), *also), asked, *(cell(entry, machine) for machine in columns),
            *[cell_of_rest(entry, rest)] * bool(rest)]


def claim_link(entry: Entry) -> nodes.Node:
    """The claim's text, linked to the chapter that states it."""
    return cross_reference("hf:claim", f"{entry.lab}/{entry.statement.id}", entry.statement.text)


def cell(entry: Entry, machine: Machine) -> nodes.Node:
    """The verdict, with the machine's name if the table has no column for it. For a number that was not measured, its kind
    replaces the tick."""
    whose = nodes.inline("", f"{machine.short} ", classes=["hf-cell-head"])
    record = entry.records.get(machine.slug)
    if record is None:
        return nodes.inline("", "", whose, nodes.inline("", "not measured", classes=["hf-unmeasured"]))
    state, kind = entry.of(record), entry.statement.kind(record)
    number = entry.statement.range(record) if state == "close" else entry.statement.observed(record)
    marks = [*([MARKS[state]] if state in MARKS else []), *([] if kind == MEASURED else [kind])]
    words = f"{' '.join(marks)}{NO_BREAK_SPACE}{number}".rstrip()
    return nodes.inline("", "", whose, nodes.inline("", words, classes=["hf-verdict", f"hf-{state}"]))


def cell_of_rest(entry: Entry, machines: list[Machine]) -> nodes.Node:
    """How many of these machines find the claim true, false or too close to call; "made" counts without a sign."""
    verdicts = verdicts_of(entry, machines)
    words = "  ".join(f"{MARKS.get(state, '')}{NO_BREAK_SPACE}{verdicts[state]}".strip() for state in (*MARKS, "made")
                      if verdicts[state])
    whose = nodes.inline("", f"the other {len(machines)} ", classes=["hf-cell-head"])
    return nodes.inline("", "", whose, nodes.inline("", words or "–", classes=["hf-verdict"]))


def chapter_link(domain: PressDomain, lab: str) -> nodes.Node:
    records, _ = domain.records.all(lab)
    return page_link(lab, f"Chapter {lab[:2]}: {records[0].data['lab']['title']}")


def filters(labs: list[str]) -> str:
    """The filter's buttons; visible only if scripts run."""
    states = "".join(f'<label><input type="radio" name="hf-state" value="{state}"{" checked" * (state == "all")}> '
                     f"{words}</label>" for state, words in STATES)
    chapters = "".join(f'<option value="{html.escape(lab)}">{lab[:2]}</option>' for lab in labs)
    return (f'<form class="hf-ledger-filter"><fieldset><legend>Show claims</legend>{states}</fieldset>'
            f'<label>in chapter <select name="hf-chapter"><option value="">any</option>{chapters}</select></label>'
            '<output></output></form>\n')


def add_to(app: Sphinx) -> None:
    app.add_directive("book-mistakes", BookMistakes)
    app.add_directive("claims-squares", ClaimsSquares)
    app.add_directive("claims-ledger", ClaimsLedger)
