"""Visible notices in place of what could not be shown, and quiet ones in place of what has not been measured yet."""

import contextlib
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from ..domain import press
from ..measurements.record import Machine, Record, RecordError
from ..measurements.records import Records
from ..reader.per_machine import for_each_machine


class NoticeDirective(SphinxDirective):
    """A directive with a notice in place of what it can't show. A subclass has show(), which may raise a RecordError; `subject`
    is how the notice then begins, with the directive's {name} and its {0}th argument."""

    subject = ""

    def run(self) -> list[nodes.Node]:
        try:
            return self.show()
        except RecordError as error:
            return [self.notice(f"{self.subject.format(*self.arguments, name=self.name)}{error}")]

    def notice(self, text: str) -> nodes.Element:
        """A box that says what is missing; the problem is counted."""
        press(self.env).note_problem(self.lineno, text)
        return nodes.container("", nodes.paragraph("", "", nodes.strong("", "Not shown: "), nodes.Text(text)),
                               classes=["hf-notice"])


def inline_notice(env: BuildEnvironment, line: int, text: str) -> nodes.Element:
    """A few words in place of a number; the problem is counted and listed in full."""
    press(env).note_problem(line, text)
    return nodes.inline("", "not measured here yet", classes=["hf-notice"])


NOT_YET = "not yet measured on any machine"


def pending_line(text: str, end: str = ".") -> nodes.paragraph:
    """Replaces a pending figure, or a part of one, that no record has. This is not a problem."""
    return nodes.paragraph("", "", nodes.strong("", "Not yet measured"), nodes.Text(f": {text}{end}"), classes=["hf-pending"])


def add_banner(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: says at the top of a page, or below a front page's summary, if its numbers are provisional or from another
    machine, and what is not measured yet."""
    labs, title = press(app.env).labs_used(app.env.docname), doctree.next_node(nodes.title)
    if title is None:
        return
    lines = lambda machine: shown(warnings(app.env, machine, labs))
    boxed = lambda content: [nodes.container("", *content, classes=["hf-banner"])] if content else []
    if waits := waiting(app, doctree):
        banner = boxed(for_each_machine(app.env, lines) + waits)
    else:
        banner = for_each_machine(app.env, lambda machine: boxed(lines(machine)))
    summary = next((each for each in title.parent.children if "hf-front-top" in each.get("classes", ())), title)
    place = title.parent.index(summary) + 1
    title.parent[place:place] = banner


@dataclass(frozen=True)
class Notice:
    """Information about the records of some labs that a reader should have: one sentence, and for several labs a line about
    each."""

    sentence: str
    details: tuple[str, ...] = ()


def shown(notices: list[Notice]) -> list[nodes.Node]:
    """The sentences; clicking them opens the details."""
    sentences = " ".join(notice.sentence for notice in notices)
    details = [nodes.list_item("", nodes.paragraph("", line)) for notice in notices for line in notice.details]
    return [folded(sentences, details)] if details else [nodes.paragraph("", sentences)] if sentences else []


def folded(sentence: str, items: list[nodes.list_item]) -> nodes.admonition:
    return nodes.admonition("", nodes.title("", sentence), nodes.bullet_list("", *items), classes=["hf-fold"],
                            collapsible="closed")


def warnings(env: BuildEnvironment, machine: Machine, labs: list[str]) -> list[Notice]:
    """The notices about the labs' records that a machine's page shows before their numbers."""
    records = press(env).records
    used = list(filter(None, (chosen(records, lab, machine) for lab in labs)))
    # A chapter offers this machine only with a record of its lab; otherwise this says that the record is missing.
    not_run = [record for record in used if records.machines()[0].local and not records.local_path(record.lab).exists()
               and (machine.local or record.lab == env.docname)]
    elsewhere = [record for record in used if record.elsewhere and record not in not_run]
    emulated = [record for record in used if record.data["machine"].get("emulated", False)]
    incomplete = [record for record in used if not record.data["run"]["complete"]]
    quick = [record for record in used if record.data["run"]["budget"] == "quick"]
    return [*from_elsewhere(not_run, "This machine", records), *from_elsewhere(elsewhere, machine.short, records),
            *of_emulators(emulated), *with_gaps(incomplete), *measured_quickly(quick)]


def chosen(records: Records, lab: str, machine: Machine) -> Record | None:
    with contextlib.suppress(RecordError):
        return records.choose(lab, machine)


def from_elsewhere(used: list[Record], machine: str, records: Records) -> list[Notice]:
    """For labs whose numbers come from another machine, because `machine` has not measured them."""
    if not used:
        return []
    remedy = f" Run make lab-{used[0].lab[:2]} to measure them here." if machine == "This machine" else ""
    where = "this machine" if machine == "This machine" else machine
    measured = [f"measured on {records.called(record)}, {record.date}{record.since}" for record in used]
    if len(used) == 1:
        return [Notice(f"{capital(named(used))} has not been run on {where}: the numbers here were {measured[0]}.{remedy}")]
    names = {records.called(record) for record in used}
    whose = names.pop() if len(names) == 1 else "other machines"
    remedy = remedy and " Run make site to measure them here."
    return [Notice(f"{capital(named(used))} have not been run on {where}: their numbers here come from {whose}.{remedy}",
                    tuple(f"Lab {record.lab}: {how}." for record, how in zip(used, measured)))]


def of_emulators(used: list[Record]) -> list[Notice]:
    if not used:
        return []
    return [Notice(f"{capital(named(used))} ran under emulation: {its(used)} numbers describe the emulator.")]


def with_gaps(used: list[Record]) -> list[Notice]:
    """For incomplete records."""
    gaps = ["; ".join(record.data["run"].get("notes", [])) or "see its record" for record in used]
    if len(used) > 1:
        return [Notice(f"The records of {named(used)} are incomplete.",
                        tuple(f"Lab {record.lab}: {gap}." for record, gap in zip(used, gaps)))]
    return [Notice(f"The record of {named(used)} is incomplete: {gap}.") for gap in gaps]


def measured_quickly(used: list[Record]) -> list[Notice]:
    if not used:
        return []
    was, one = ("was", "it") if len(used) == 1 else ("were", "one of them")
    return [Notice(f"{capital(named(used))} {was} run with the quick budget: {its(used)} numbers are rough. "
                    f"Run make lab-{used[0].lab[:2]} to measure {one} in full.")]


def named(used: list[Record]) -> str:
    """lab 01-sorting; labs 01, 02 and 03"""
    *others, last = [record.lab[:2] for record in used]
    return f"labs {', '.join(others)} and {last}" if others else f"lab {used[0].lab}"


def its(used: list[Record]) -> str:
    return "its" if len(used) == 1 else "their"


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def waiting(app: Sphinx, doctree: nodes.document) -> list[nodes.Node]:
    """What no machine has measured yet: the number of figures, and the claims, which move into a folded list. The page's front
    matter names the machine that could measure them: `pending: a machine with …`."""
    claims = [node for node in doctree.findall(nodes.container) if {"hf-claim", "hf-pending"} <= set(node["classes"])]
    figures = sum("hf-pending" in node["classes"] for node in doctree.findall(nodes.figure))
    if not (claims or figures):
        return []
    needed = app.env.metadata[app.env.docname].get("pending", "another machine")
    what = " and ".join(counted(count, word) for count, word in ((figures, "figure"), (len(claims), "claim")) if count)
    are, need = ("is", "it needs") if figures + len(claims) == 1 else ("are", "they need")
    sentence = f"{what} on this page {are} not yet measured: {need} {needed}."
    if not claims:
        return [nodes.paragraph("", sentence)]
    items = []
    for claim in claims:
        claim.parent.remove(claim)
        items.append(nodes.list_item("", *claim.children, ids=claim["ids"]))
    return [folded(sentence, items)]


def counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"
