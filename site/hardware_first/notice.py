"""Visible notices in the place of what could not be shown, quiet ones in the place of what nobody has measured yet."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .domain import hardware_first
from .per_machine import for_each_machine
from .records import Machine, Record, RecordError, Records


def block_notice(env: BuildEnvironment, line: int, text: str) -> nodes.Element:
    """A box that says what is missing; the problem is counted."""
    hardware_first(env).note_problem(line, text)
    return nodes.container("", nodes.paragraph("", "", nodes.strong("", "Not shown: "), nodes.Text(text)),
                           classes=["hf-notice"])


def inline_notice(env: BuildEnvironment, line: int, text: str) -> nodes.Element:
    """A few words in the place of a number; the problem, in full, is counted."""
    hardware_first(env).note_problem(line, text)
    return nodes.inline("", "not measured here yet", classes=["hf-notice"])


NOT_YET = "no machine that could has measured this yet"


def pending_line(text: str, end: str = ".") -> nodes.paragraph:
    """Stands where a figure, or a part of one, marked as pending, has no record anywhere. That is no problem."""
    return nodes.paragraph("", "", nodes.strong("", "Not yet measured"), nodes.Text(f": {text}{end}"), classes=["hf-pending"])


def add_banner(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: says at the top of a page when its numbers are provisional or another machine's, and what waits."""
    labs, title = hardware_first(app.env).labs_used(app.env.docname), doctree.next_node(nodes.title)
    if title is None:
        return
    lines = lambda machine: [nodes.paragraph("", text) for text in warnings(app.env, machine, labs)]
    boxed = lambda content: [nodes.container("", *content, classes=["hf-banner"])] if content else []
    if waits := waiting(app, doctree):
        banner = boxed(for_each_machine(app.env, lines) + waits)
    else:
        banner = for_each_machine(app.env, lambda machine: boxed(lines(machine)))
    place = title.parent.index(title) + 1
    title.parent[place:place] = banner


def warnings(env: BuildEnvironment, machine: Machine, labs: list[str]) -> list[str]:
    """What a reader should know of the labs' records before their numbers, as a machine's page shows them."""
    records, said, quick = hardware_first(env).records, [], []
    for lab in labs:
        try:
            record = records.choose(lab, machine)
        except RecordError:
            continue
        said += warnings_of(record, lab, machine, records, lab == env.docname)
        quick += [lab] if record.data["run"]["budget"] == "quick" else []
    if len(quick) == 1:
        said.append(f"Lab {quick[0]} was measured with the quick budget: its numbers are rough. "
                    f"make lab-{quick[0][:2]} measures them in full.")
    elif quick:
        said.append(f"Labs {', '.join(lab[:2] for lab in quick)} were measured with the quick budget: their numbers are rough. "
                    f"make lab-{quick[0][:2]}, for example, measures one in full.")
    return said


def warnings_of(record: Record, lab: str, machine: Machine, records: Records, is_its_page: bool) -> list[str]:
    """Those of one lab, but for its budget."""
    run, said, first = record.data["run"], [], records.machines()[0]
    whose = f"measured on {record.machine_name}, {record.date}{record.since}"
    if first.local and not records.local_path(lab).exists() and (machine.local or is_its_page):
        said.append(f"Lab {lab} has not run on this machine: its numbers here were {whose}. make lab-{lab[:2]} measures yours.")
    elif record.elsewhere:
        said.append(f"{machine.name} has not measured lab {lab}: its numbers here were {whose}.")
    if record.data["machine"].get("emulated", False):
        said.append(f"Lab {lab} ran on an emulated machine: its numbers are the emulator's.")
    if not run["complete"]:
        said.append(f"The record of lab {lab} is incomplete: {'; '.join(run.get('notes', [])) or 'see its record'}.")
    return said


def waiting(app: Sphinx, doctree: nodes.document) -> list[nodes.Node]:
    """What no machine has measured yet, in one place: how many figures, and the claims, which leave theirs for a list that
    is folded away. Which machine could measure them, the page says in its front matter: `pending: a machine with …`."""
    claims = [node for node in doctree.findall(nodes.container) if {"hf-claim", "hf-pending"} <= set(node["classes"])]
    figures = sum("hf-pending" in node["classes"] for node in doctree.findall(nodes.figure))
    if not (claims or figures):
        return []
    whose = app.env.metadata[app.env.docname].get("pending", "another machine")
    what = " and ".join(counted(count, word) for count, word in ((figures, "figure"), (len(claims), "claim")) if count)
    sentence = f"No record here is from {whose}: {what} on this page wait{'s' * (figures + len(claims) == 1)} for one."
    if not claims:
        return [nodes.paragraph("", sentence)]
    items = nodes.bullet_list()
    for claim in claims:
        claim.parent.remove(claim)
        items += nodes.list_item("", *claim.children, ids=claim["ids"])
    folded = nodes.admonition("", nodes.title("", sentence), items, classes=["hf-waiting"], collapsible="closed")
    return [folded]


def counted(count: int, word: str) -> str:
    return f"{count} {word}{'s' if count != 1 else ''}"
