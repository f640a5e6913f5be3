"""{claim}: a sentence the record decides. {claims-ledger}: every claim on every machine."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .domain import HardwareFirstDomain, hardware_first
from .measured import split_target
from .notice import block_notice
from .quantity import NO_BREAK_SPACE
from .records import NotMeasured, Record, RecordError
from .statements import Statement, read_statements
from .tables import scrolling_table


class Claim(SphinxDirective):
    """The claim's sentence where it holds; the directive's body where it does not."""

    required_arguments = 1
    has_content = True
    option_spec = {"pending": directives.flag}

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        try:
            lab, claim_id = split_target(self.arguments[0], self.env.docname)
            domain.note_lab(lab)
            statement = next((each for each in statements(domain, lab) if each.id == claim_id), None)
            if not self.content:
                raise RecordError(f'claim "{claim_id}" needs a body: the sentence to show where it fails')
            alternative = self.parse_content_to_nodes()  # also where it is not shown, so that mistakes in it are found
            if statement is None:
                raise RecordError(f'labs/{lab}/claims.json has no claim "{claim_id}"')
            record = domain.records.choose(lab, having=[("values", statement.value)])
        except RecordError as error:
            if "pending" in self.options and isinstance(error, NotMeasured):
                waits = nodes.container("", nodes.paragraph("", statement.text))  # add_banner() puts it on its list
                return [self.target(lab, claim_id, waits, "hf-pending")]
            return [block_notice(self.env, self.lineno, str(error))]
        holds = statement.holds(record)
        box = nodes.container("", verdict_badge(record, holds, "pending" in self.options))
        box += [nodes.paragraph("", statement.text, classes=["hf-sentence"])] if holds else alternative
        box += nodes.paragraph("", evidence(statement, record), classes=["hf-evidence"])
        return [self.target(lab, claim_id, box, "hf-holds" if holds else "hf-fails")]

    def target(self, lab: str, claim_id: str, box: nodes.container, verdict: str) -> nodes.container:
        """The box as a place that other pages can link to."""
        anchor = f"claim-{claim_id}"
        hardware_first(self.env).note_claim(lab, claim_id, anchor)
        box["ids"].append(anchor)
        box["classes"] += ["hf-claim", verdict]
        self.state.document.note_explicit_target(box)
        return box


def statements(domain: HardwareFirstDomain, lab: str) -> list[Statement]:
    """A lab's claims; the page being read depends on their file."""
    path = domain.records.root / "labs" / lab / "claims.json"
    domain.note_file(path)
    return read_statements(path, domain.records.shown(path))


def verdict_badge(record: Record, holds: bool, of_gpu: bool) -> nodes.paragraph:
    place = "here" if record.local else f"on {record.gpu if of_gpu and record.gpu else record.cpu}"
    text = f"✓ holds {place}" if holds else f"✗ does not hold {place}"
    return nodes.paragraph("", text, classes=["hf-verdict"])


def evidence(statement: Statement, record: Record) -> str:
    """What was observed and what the claim asks for; where it fails, also the claim itself."""
    text = f"Observed {statement.observed(record)}{record.since}; the claim asks for {statement.asked(record)}."
    return text if statement.holds(record) else f"Put to the test: “{statement.text}” {text}"


class ClaimsLedger(SphinxDirective):
    """A table per lab: its claims, and what each machine says about them."""

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        domain.note_all_labs()
        domain.note_ledger()
        return [node for lab in domain.records.labs() for node in self.of_lab(domain, lab)]

    def of_lab(self, domain: HardwareFirstDomain, lab: str) -> list[nodes.Node]:
        records, errors = domain.records.all(lab)
        try:
            stated = statements(domain, lab)
        except RecordError as error:
            stated, errors = [], [*errors, error]
        notices = [block_notice(self.env, self.lineno, str(error)) for error in errors]
        if records and stated:
            title = nodes.rubric("", f"Chapter {lab[:2]}: {records[0].data['lab']['title']}")
            return [*notices, title, ledger_table(lab, stated, records)]
        if not records and not errors:
            return [block_notice(self.env, self.lineno, f"{lab} is not measured here yet: run make lab-{lab[:2]}")]
        return notices


def ledger_table(lab: str, stated: list[Statement], records: list[Record]) -> nodes.Node:
    heads = [nodes.Text("claim"), nodes.Text("asks for"), *map(ledger_head, records)]
    rows = []
    for statement in stated:
        having = next((record for record in records if record.value(statement.value)), None)
        rows.append([claim_link(lab, statement), nodes.Text(statement.asked(having)),
                     *(ledger_cell(statement, record) for record in records)])
    return scrolling_table(heads, rows)


def ledger_head(record: Record) -> nodes.Node:
    head = nodes.inline("", record.published_as or "this machine")
    if record.since:
        head += nodes.inline("", " " + record.since.removeprefix(", and "), classes=["hf-kind"])
    return head


def claim_link(lab: str, statement: Statement) -> nodes.Node:
    """The claim's text, linked to the chapter that states it."""
    return addnodes.pending_xref("", nodes.inline("", statement.text), refdomain="hf", reftype="claim",
                                 reftarget=f"{lab}/{statement.id}", refexplicit=True, refwarn=False)


def ledger_cell(statement: Statement, record: Record) -> nodes.Node:
    if not record.value(statement.value):
        return nodes.Text("not measured")
    mark, verdict = ("✓", "holds") if statement.holds(record) else ("✗", "fails")
    return nodes.inline("", f"{mark}{NO_BREAK_SPACE}{statement.observed(record)}", classes=["hf-verdict", f"hf-{verdict}"])
