"""{claim}: a sentence the record decides. {claims-ledger}: every claim on every machine."""

from __future__ import annotations

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from .domain import hardware_first
from .measured import split_target
from .notice import block_notice, pending_sentence
from .quantity import NO_BREAK_SPACE, quantity
from .records import NotMeasured, Record, RecordError
from .tables import scrolling_table

BOUND_SIGNS = {">=": "≥", "<=": "≤", ">": ">", "<": "<"}


class Claim(SphinxDirective):
    """The claim's sentence where it holds; the directive's body where it does not."""

    required_arguments = 1
    has_content = True
    option_spec = {"pending": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        try:
            lab, claim_id = split_target(self.arguments[0], self.env.docname)
            domain.note_lab(lab)
            if not self.content:
                raise RecordError(f'claim "{claim_id}" needs a body: the sentence to show where it fails')
            alternative = self.parse_content_to_nodes()  # also where it is not shown, so that mistakes in it are found
            record = domain.records.choose(lab, having=[("claims", claim_id)])
        except RecordError as error:
            if "pending" in self.options and isinstance(error, NotMeasured):
                return [self.target(lab, claim_id, nodes.container("", *pending_claim(lab, self.options["pending"])), "hf-pending")]
            return [block_notice(self.env, self.lineno, str(error))]
        claim = record.claim(claim_id)
        box = nodes.container("", verdict_badge(record, claim, "pending" in self.options))
        box += [nodes.paragraph("", claim["text"], classes=["hf-sentence"])] if claim["holds"] else alternative
        box += nodes.paragraph("", evidence(claim, record.since), classes=["hf-evidence"])
        return [self.target(lab, claim_id, box, "hf-holds" if claim["holds"] else "hf-fails")]

    def target(self, lab: str, claim_id: str, box: nodes.container, verdict: str) -> nodes.container:
        """The box as a place that other pages can link to."""
        anchor = f"claim-{claim_id}"
        hardware_first(self.env).note_claim(lab, claim_id, anchor)
        box["ids"].append(anchor)
        box["classes"] += ["hf-claim", verdict]
        self.state.document.note_explicit_target(box)
        return box


def pending_claim(lab: str, sentence: str) -> list[nodes.Node]:
    return [nodes.paragraph("", "not yet decided", classes=["hf-verdict"]),
            nodes.paragraph("", sentence, classes=["hf-sentence"]), pending_sentence(lab)]


def verdict_badge(record: Record, claim: dict, of_gpu: bool) -> nodes.paragraph:
    place = "here" if record.local else f"on {record.gpu if of_gpu and record.gpu else record.cpu}"
    text = f"✓ holds {place}" if claim["holds"] else f"✗ does not hold {place}"
    return nodes.paragraph("", text, classes=["hf-verdict"])


def evidence(claim: dict, since: str) -> str:
    """What was observed and what the claim asks for; where it fails, also the claim itself."""
    text = f"Observed {observed(claim)}{since}; the claim asks for {bound(claim)}."
    return text if claim["holds"] else f"Put to the test: “{claim['text']}” {text}"


def observed(claim: dict) -> str:
    return str(quantity(claim["observed"], claim["unit"]))


def bound(claim: dict) -> str:
    sign, number = claim["bound"].split()
    return f"{BOUND_SIGNS[sign]}{NO_BREAK_SPACE}{quantity(float(number), claim['unit'], exact=True)}"


class ClaimsLedger(SphinxDirective):
    """A table per lab: its claims, and what each machine says about them."""

    def run(self) -> list[nodes.Node]:
        domain = hardware_first(self.env)
        domain.note_all_labs()
        domain.note_ledger()
        result: list[nodes.Node] = []
        for lab in domain.records.labs():
            records, errors = domain.records.all(lab)
            result += [block_notice(self.env, self.lineno, str(error)) for error in errors]
            if records:
                result += [nodes.rubric("", f"Chapter {lab[:2]}: {records[0].data['lab']['title']}"),
                           ledger_table(lab, records)]
            elif not errors:
                result.append(block_notice(self.env, self.lineno,
                                           f"{lab} is not measured here yet: run make lab-{lab[:2]}"))
        return result


def ledger_table(lab: str, records: list[Record]) -> nodes.Node:
    heads = [nodes.Text("claim"), nodes.Text("asks for"), *map(ledger_head, records)]
    texts: dict[str, dict] = {}
    for record in records:
        for claim in record.data["claims"]:
            texts.setdefault(claim["id"], claim)
    rows = []
    for claim_id, claim in texts.items():
        cells = [claim_link(lab, claim), nodes.Text(bound(claim))]
        cells += [ledger_cell(record.claim(claim_id)) for record in records]
        rows.append(cells)
    return scrolling_table(heads, rows)


def ledger_head(record: Record) -> nodes.Node:
    head = nodes.inline("", record.published_as or "this machine")
    if record.since:
        head += nodes.inline("", record.since, classes=["hf-kind"])
    return head


def claim_link(lab: str, claim: dict) -> nodes.Node:
    """The claim's text, linked to the chapter that states it."""
    return addnodes.pending_xref("", nodes.inline("", claim["text"]), refdomain="hf", reftype="claim",
                                 reftarget=f"{lab}/{claim['id']}", refexplicit=True, refwarn=False)


def ledger_cell(claim: dict | None) -> nodes.Node:
    if claim is None:
        return nodes.Text("not measured")
    mark, verdict = ("✓", "holds") if claim["holds"] else ("✗", "fails")
    return nodes.inline("", f"{mark}{NO_BREAK_SPACE}{observed(claim)}", classes=["hf-verdict", f"hf-{verdict}"])
