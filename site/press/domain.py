"""The extension's state between builds: the inputs of each page, the place of each claim, and the problems. A page's state is
dropped when the page is read again."""

import gc
import sys
from collections.abc import Callable, Hashable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.domains import Domain
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from .measurements.record_tool import record_tool
from .measurements.records import Records
from .pictures.gnuplot import content_digest

logger = logging.getLogger(__name__)


class PressDomain(Domain):
    """What a measured book refers to."""

    name = "hf"
    label = "Measured book"
    roles = {"claim": XRefRole(innernodeclass=nodes.inline), "machine": XRefRole(innernodeclass=nodes.inline)}
    data_version = 5
    initial_data = {
        "inputs": {},  # page → {input: fingerprint when the page was read}
        "claims": {},  # "lab/claim" → (page, anchor)
        "cards": {},  # a machine's slug → (page, anchor)
        "ledgers": set(),  # pages that link to claims on other pages
        "numbers_files": set(),  # pages that link to the file of all numbers
        "numbers": {},  # page → {anchor: "Figure 1.2"}
        "problems": {},  # page → [(line, text)]
        "found": {},  # page → {name: (of which reading, what of_page() found)}
    }

    @cached_property
    def records(self) -> Records:
        """The project's records, which are kept for the whole process, so that each is checked once."""
        return records_of(self.env.config)

    def note_lab(self, lab: str) -> None:
        """Notes that the page being read depends on the lab's records, even if there are none yet."""
        self._note_input(f"lab:{lab}")

    def note_all_labs(self) -> None:
        """Notes that the page being read depends on the records of every lab."""
        self.note_lab("*")

    def note_file(self, path: Path) -> None:
        """Notes that the page being read depends on the file, even if it does not exist yet."""
        self._note_input(f"file:{path}")

    def note_folder(self, path: Path) -> None:
        """Notes that the page being read depends on what is in the folder, by name."""
        self._note_input(f"folder:{path}")

    def credit(self, machine: str) -> str:
        """Who measured a published machine, for the page being read: the line in figures/credits/MACHINE.txt; "" without it."""
        file = self.records.root / "figures" / "credits" / f"{machine}.txt"
        self.note_file(file)
        return file.read_text(encoding="utf-8").strip() if file.is_file() else ""

    def _note_input(self, name: str) -> None:
        inputs = self.data["inputs"].setdefault(self.env.docname, {})
        if name not in inputs:
            inputs[name] = self._fingerprint(name)

    def _fingerprint(self, name: str) -> str:
        kind, _, what = name.partition(":")
        if kind == "file":
            return content_digest(Path(what))
        if kind == "folder":
            return " ".join(sorted(path.name for path in Path(what).glob("*")))
        return self.records.fingerprint_of_all() if what == "*" else self.records.fingerprint(what)

    def changed_pages(self) -> set[str]:
        """The pages whose inputs have changed since the page was read."""
        now: dict[str, str] = {}
        for inputs in self.data["inputs"].values():
            now.update((name, self._fingerprint(name)) for name in inputs if name not in now)
        return {page for page, inputs in self.data["inputs"].items()
                if any(now[name] != then for name, then in inputs.items())}

    def labs_used(self, page: str) -> list[str]:
        """The labs whose records the page was read from, ledgers aside."""
        names = (name.partition(":")[2] for name in self.data["inputs"].get(page, {}) if name.startswith("lab:"))
        return sorted(name for name in names if name != "*")

    def note_claim(self, lab: str, claim: str, anchor: str) -> None:
        self.data["claims"][f"{lab}/{claim}"] = (self.env.docname, anchor)

    def note_card(self, machine: str, anchor: str) -> None:
        self.data["cards"][machine] = (self.env.docname, anchor)

    def note_ledger(self) -> None:
        self.data["ledgers"].add(self.env.docname)

    def note_numbers_file(self) -> None:
        self.data["numbers_files"].add(self.env.docname)

    def note_problem(self, line: int, text: str) -> None:
        """Notes that something on the page being read could not be shown: the build continues and ends with status 1."""
        problems = self.data["problems"].setdefault(self.env.docname, [])
        if (line, text) not in problems:
            problems.append((line, text))

    def problems(self) -> Iterator[tuple[str, int, str]]:
        for page in sorted(self.data["problems"]):
            for line, text in sorted(self.data["problems"][page]):
                yield page, line, text

    def clear_doc(self, docname: str) -> None:
        self.data["inputs"].pop(docname, None)
        self.data["problems"].pop(docname, None)
        self.data["found"].pop(docname, None)
        self.data["ledgers"].discard(docname)
        self.data["numbers_files"].discard(docname)
        for places in (self.data["claims"], self.data["cards"]):
            for name in [name for name, (page, _) in places.items() if page == docname]:
                del places[name]

    def resolve_xref(self, env, fromdocname, builder, typ, target, node, contnode):
        places = self.data["cards" if typ == "machine" else "claims"]
        if target not in places:  # for example a book without a gallery, or a claim that no chapter shows
            return contnode if typ == "machine" or node.get("or_words_alone") else None
        page, anchor = places[target]
        if not node.get("refexplicit"):
            contnode = nodes.inline("", target.partition("/")[2].replace("-", " "))
        return make_refnode(builder, fromdocname, page, anchor, contnode)

    def resolve_any_xref(self, env, fromdocname, builder, target, node, contnode):
        found = self.resolve_xref(env, fromdocname, builder, "claim", target, node, contnode)
        return [("hf:claim", found)] if found else []


def records_of(config: Config) -> Records:
    """The records of the project that the configuration names."""
    root, build = Path(config.press_root), Path(config.press_build)
    tool = Path(config.press_record_tool or record_tool(build)).absolute()
    return Records(root, build, tool, published_only=config.press_published_only,
                   default=config.press_default_machine, most=config.press_machines_drawn)


def leave_out_chapters(app: Sphinx, config: Config) -> None:
    """config-inited: a book of published records leaves out chapters without one, and says so."""
    for lab in records_of(config).left_out():
        config.exclude_patterns = [*config.exclude_patterns, f"{lab}.md"]
        print(f"{lab} is left out: it has no published record", file=sys.stderr)


def press(env: BuildEnvironment) -> PressDomain:
    return env.get_domain("hf")


def of_page(env: BuildEnvironment, page: str, name: str, find: Callable[[nodes.document], Any],
            but_for: Hashable = None) -> Any:
    """The result of `find` in a page's tree, which is loaded only if the page was read again or `but_for` has changed."""
    known, reading = press(env).data["found"].setdefault(page, {}), (env.all_docs[page], but_for)
    if known.get(name, [None])[0] != reading:
        known[name] = (reading, find(env.get_doctree(page)))
        gc.collect()  # the tree, whose nodes are in circles, before the next one is loaded
    return known[name][1]


def outdated_pages(app: Sphinx, env: BuildEnvironment, added: set, changed: set, removed: set) -> set[str]:
    """env-get-outdated: pages to read again because a record, script or source changed, vanished or came back."""
    return press(env).changed_pages() - removed


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-updated: a ledger links to sentences on other pages, which may have moved."""
    return sorted(press(env).data["ledgers"])


def vanished_files(env: BuildEnvironment) -> Iterator[tuple[str, int, str]]:
    """Reports files that existed when a page was read, but not when the link to them was written."""
    for name, (pages, _) in env.dlfiles.items():
        if not (env.srcdir / name).exists():
            for page in sorted(pages):
                yield page, 0, f"{Path(name).name} was deleted while the book was rendered: render again"


def report_problems(app: Sphinx, exception: Exception | None) -> None:
    """build-finished: lists every problem, including those of pages that were not read again, and sets a non-zero status."""
    if exception:
        return
    problems = [*press(app.env).problems(), *vanished_files(app.env)]
    if not problems:
        return
    app.statuscode = 1
    logger.error("%d problem%s with measurements; the rest of the site is complete:",
                 len(problems), "s" if len(problems) > 1 else "")
    for page, line, text in problems:
        logger.error(text, location=(page, line), type="press", subtype="problem")
