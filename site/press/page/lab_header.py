"""{lab-header}: the reference of one header, under the header's name, made by Doxygen and shown by Breathe."""

import re
from pathlib import Path

from breathe.directives.file import DoxygenFileDirective
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ..domain import press
from .notice import NoticeDirective

DOXYGEN_ID = re.compile(r"(?:namespace|struct|class|union|concept)\w+_1\w+|\w+_8[ch]pp\w*", re.ASCII)


class LabHeader(NoticeDirective):
    """The output of Breathe's doxygenfile for a header, named without its folder; a notice if Doxygen has not run."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        domain, header = press(self.env), self.arguments[0]
        xml = Path(next(iter(self.config.breathe_projects.values())))
        for file in (xml / "index.xml", *sorted(xml.glob("*.xml"))):
            domain.note_file(file)
        if not (xml / "index.xml").exists():
            shown = domain.records.shown(xml / "index.xml")
            return [self.notice(f"{header}: {shown} is missing: run doxygen site/Doxyfile")]
        breathe = DoxygenFileDirective(self.name, [header], {}, self.content, self.lineno, self.content_offset,
                                       self.block_text, self.state, self.state_machine)
        reference = nodes.container("", *breathe.run())
        for heading in reference.findall(nodes.rubric):
            heading["ids"] = []  # Breathe gives every "Functions" heading on a page the same id
        reference.insert(0, nodes.rubric("", "", nodes.literal("", header)))
        leave_out_private(reference)
        open_namespaces(reference)
        end_dashes(reference)
        return [reference]


def leave_out_private(reference: nodes.Element) -> None:
    """Removes private members: Breathe's doxygenfile shows all members."""
    for members in list(reference.findall(nodes.container)):
        if members.get("objtype", "").startswith("private"):
            members.parent.remove(members)


def open_namespaces(reference: nodes.Element) -> None:
    """Replaces the box of a namespace by its contents: the page names the namespace, and every header opens the same one."""
    while box := next((each for each in reference.findall(addnodes.desc) if is_namespace(each)), None):
        place = box.parent.index(box)
        box.parent[place:place + 1] = box.next_node(addnodes.desc_content).children


def is_namespace(box: addnodes.desc) -> bool:
    keyword = box[0].next_node(addnodes.desc_sig_keyword)
    return keyword is not None and keyword.astext() == "namespace"


def end_dashes(reference: nodes.Element) -> None:
    """Removes the dash after an exception without a description."""
    for text in list(reference.findall(nodes.Text)):
        after = text.parent.children[text.parent.index(text) + 1:]
        if text.strip() == "--" and not any(each.astext().strip() for each in after):
            text.parent.remove(text)


def words_without_a_place(app: Sphinx, env: BuildEnvironment, link: addnodes.pending_xref, words: nodes.Node):
    """missing-reference: leaves Doxygen's links to files, and to names whose header no page shows, as plain text."""
    return words if link.get("reftype") == "ref" and DOXYGEN_ID.fullmatch(link["reftarget"]) else None


def forget_missing_xml(app: Sphinx, env: BuildEnvironment, *_: set) -> list[str]:
    """env-get-outdated, before Breathe, which stops the whole build if XML that it has read is gone."""
    state = getattr(env, "breathe_file_state", {})
    for name in [name for name in state if not Path(name).exists()]:
        del state[name]
    return []
