"""Visible notices in the place of what could not be shown, quiet ones in the place of what nobody has measured yet."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from .domain import hardware_first
from .records import RecordError


def block_notice(env: BuildEnvironment, line: int, text: str) -> nodes.Element:
    """A box that says what is missing; the problem is counted."""
    hardware_first(env).note_problem(line, text)
    return nodes.container("", nodes.paragraph("", "", nodes.strong("", "Not shown: "), nodes.Text(text)),
                           classes=["hf-notice"])


def inline_notice(env: BuildEnvironment, line: int, text: str) -> nodes.Element:
    """A few words in the place of a number; the problem, in full, is counted."""
    hardware_first(env).note_problem(line, text)
    return nodes.inline("", "not measured here yet", classes=["hf-notice"])


def pending_sentence(lab: str) -> nodes.paragraph:
    """Stands where a figure or a claim, marked as pending, has no record anywhere. That is no problem."""
    return nodes.paragraph("", "", nodes.strong("", "Not yet measured"), nodes.Text(f": {needed(lab)}."),
                           classes=["hf-pending"])


def needed(lab: str) -> str:
    """Which machine could measure what is marked as pending."""
    return f"needs a new record of lab {lab[:2]}, perhaps from a machine with an NVIDIA GPU"


def add_banner(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: says at the top of a page when its numbers are provisional or another machine's."""
    domain = hardware_first(app.env)
    sentences = []
    for lab in domain.labs_used(app.env.docname):
        try:
            record = domain.records.choose(lab)
        except RecordError:
            continue
        if not record.local:
            sentences.append(f"Lab {lab} has not run on this machine: its numbers here were measured on "
                             f"{record.machine_name}, {record.date}{record.since}. make lab-{lab[:2]} measures yours.")
        if record.data["run"]["budget"] == "quick":
            sentences.append(f"Lab {lab} was measured with the quick budget: its numbers are rough. "
                             f"make lab-{lab[:2]} measures them in full.")
        if record.data["machine"].get("emulated", False):
            sentences.append(f"Lab {lab} ran on an emulated machine: its numbers are the emulator's.")
        if not record.data["run"]["complete"]:
            missing = "; ".join(record.data["run"].get("notes", [])) or "see its record"
            sentences.append(f"The record of lab {lab} is incomplete: {missing}.")
    title = doctree.next_node(nodes.title)
    if sentences and title is not None:
        banner = nodes.container("", *(nodes.paragraph("", text) for text in sentences), classes=["hf-banner"])
        title.parent.insert(title.parent.index(title) + 1, banner)
