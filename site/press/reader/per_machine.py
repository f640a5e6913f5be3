"""Content that differs between machines. Sphinx's tree of a page contains every variant. The written page shows the default
machine's variant in a slot, and a file for each other machine has the contents of all slots for that machine.

    _machines/PAGE/SLUG.js    press.variant("PAGE", "SLUG", [html, …]), one for each slot of the page in order;
                              null if it equals the default machine's
    _machines/PAGE/numbers.js press.numbers("PAGE", [[[slug, words, value, low, high], …], …], {slug: name}): what machines
                              measured, for each number of the page, which static/number-card.js shows in a card
    _machines/PAGE/rest.js    press.rest("PAGE", [[slug, name, short name, file or "", why there is none], …]): machines that
                              the page itself does not list, as there may be hundreds

The files are scripts, because a page opened from a file can load nothing else. static/chosen-machine.js finds out which machine
the reader wants, and static/machine-switcher.js replaces the contents of the slots.
"""

import hashlib
import json
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ..domain import press
from ..measurements.record import Machine
from ..measurements.records import Records
from ..page.later import LATER
from ..pictures.compare import pairs_of_page
from ..pictures.gnuplot import content_digest

FOLDER = "_machines"
BESIDE = Path(__file__).resolve().parents[1] / "static" / "compare-view.js"  # loaded at the first click
EVERYWHERE = "hf-everywhere"  # for the document being written: {what each machine measured of a number: its place in the list}
SLOTS = "hf-slots"  # for the document being written: for each slot {slug: html, or None if it equals the default machine's}


class per_machine(nodes.General, nodes.Element):
    """A place whose content depends on the machine. `of`: {slug: index of the child, a `variant`}, the default machine first.
    A place inside a variant follows the machine of the outer one."""

    def astext(self) -> str:
        return self[next(iter(self["of"].values()))].astext()


class variant(nodes.General, nodes.Element):
    """The content of a place for some of the machines."""


def for_each_machine(env: BuildEnvironment, make: Callable[[Machine], Iterable[nodes.Node]], *,
                     inline: bool = False, everyone: bool = False) -> list[nodes.Node]:
    """One place with the result of `make` for each machine of the page; only the nodes if they are the same for all
    machines. `everyone`: also for those that the page does not draw."""
    records = press(env).records
    made = {machine.slug: list(make(machine)) for machine in
            (records.machines() if everyone else records.machines_of(env.docname))}
    texts = {slug: "".join(node.pformat() for node in made[slug]) for slug in made}
    return _place(texts, lambda text: next(made[slug] for slug in made if texts[slug] == text), inline)


def for_each_answer(env: BuildEnvironment, ask: Callable[[Machine], Hashable],
                    make: Callable[[Hashable], Iterable[nodes.Node]], *, inline: bool = False) -> list[nodes.Node]:
    """One place with the result of `make` for each machine's answer to `ask`. `make` is called once per distinct answer, so it
    may return nodes that the page was parsed into."""
    return _place({machine.slug: ask(machine) for machine in press(env).records.machines_of(env.docname)},
                  lambda answer: list(make(answer)), inline)


def _place(answers: dict[str, Hashable], make: Callable[[Hashable], list[nodes.Node]], inline: bool) -> list[nodes.Node]:
    distinct = list(dict.fromkeys(answers.values()))
    if len(distinct) == 1:
        return make(distinct[0])
    place = per_machine("", inline=inline, of={slug: distinct.index(answer) for slug, answer in answers.items()})
    place += [variant("", *make(answer)) for answer in distinct]
    for other in place.children[1:]:
        other["classes"].append("no-search")  # Sphinx indexes the words of the default machine's page
    return [place]


def visit_per_machine(self, node: per_machine) -> None:
    """Writes the variant of the current machine, or all variants one after another if there is no current machine."""
    if getattr(self, "machine", None):
        node[node["of"].get(self.machine, 0)].walkabout(self)
        raise nodes.SkipNode
    default, *others = (_written(self, node, slug) for slug in node["of"])
    if self.builder.name not in ("html", "dirhtml") or all(other == default for other in others):
        self.body.append(default)
        raise nodes.SkipNode
    slots = self.document.attributes.setdefault(SLOTS, [])
    tag = "span" if node["inline"] else "div"
    self.body.append(f'<{tag} class="hf-slot" data-slot="{len(slots)}">{default}</{tag}>')
    slots.append({slug: html if html != default else None for slug, html in zip(list(node["of"])[1:], others)})
    raise nodes.SkipNode


def _written(self, node: per_machine, slug: str) -> str:
    body, self.body, self.machine = self.body, [], slug
    try:
        node[node["of"][slug]].walkabout(self)
        return "".join(self.body)
    finally:
        self.body, self.machine = body, None


def write_variants(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """html-page-context: writes the files of the page's other machines; for the switcher, adds the list of the page's machines
    and the names of the machines it lacks."""
    records = press(app.env).records
    machines = records.machines_of(page)
    slots = doctree.attributes.get(SLOTS, []) if doctree else []
    folder = Path(app.outdir, FOLDER, page)
    listed, others, files = [], [], {}

    def add(name: str, function: str, *arguments) -> str:
        """Adds a script that calls a function. Returns its address, which changes with its content."""
        text = f"press.{function}({', '.join(json.dumps(each, ensure_ascii=False) for each in arguments)});\n"
        files[name] = text
        version = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{context['pathto'](f'{FOLDER}/{page}/{name}', resource=True)}?v={version}"

    def file_of(machine: Machine) -> str:
        html = [slot.get(machine.slug) for slot in slots]
        return add(f"{machine.slug}.js", "variant", page, machine.slug, html) if any(map(is_given, html)) else ""

    for machine in machines:
        file = file_of(machine)
        listed.append({"slug": machine.slug, "name": machine.name, "short": machine.short, **({"file": file} if file else {})})
    could, listed_slugs = {each.slug for each in records.all_of(page)}, {each.slug for each in machines}
    for machine in (each for each in records.machines() if each.slug not in listed_slugs):
        why = f"{machine.short} is not drawn here" if machine.slug in could else f"Not run on {machine.short}"
        others.append([machine.slug, machine.name, machine.short, file_of(machine), why])
    pairs = {}
    for pair, figures in (pairs_of_page(doctree) if doctree else {}).items():
        pairs[pair] = add(f"{pair}.js", "pair", page, pair, figures)
    measured = list(doctree.attributes.get(EVERYWHERE, ())) if doctree else []
    named = {slug for rows in measured for slug, *_ in rows}
    names = {machine.slug: machine.short for machine in records.machines() if machine.slug in named}
    numbers = add("numbers.js", "numbers", page, measured, names) if measured else ""
    rest = add("rest.js", "rest", page, others) if others else ""
    others_later = doctree.attributes.get(LATER, []) if doctree else []
    later = add("later.js", "later", page, others_later) if others_later else ""
    _replace_files(folder, files)
    if len(records.machines()) < 2:
        return
    app.add_css_file("machine-switcher.css")
    app.add_js_file("chosen-machine.js", priority=100, **{"data-page": page, "data-machines": json.dumps(listed),
                                                   "data-rest": rest, **({"data-later": later} if later else {}),
                                                   **beyond(app, context, records, others)})
    app.add_js_file("machine-switcher.js", loading_method="defer")
    if len(records.machines()) > len(records.few(records.machines())):
        app.add_js_file("more-machines.js", loading_method="defer")
    if numbers:
        app.add_js_file("number-card.js", loading_method="defer", **{"data-page": page, "data-numbers": numbers})
    if pairs:
        beside = f"{context['pathto']('_static/compare-view.js', resource=True)}?v={content_digest(BESIDE)[:8]}"
        app.add_js_file("compare.js", loading_method="defer", **{"data-page": page, "data-pairs": json.dumps(pairs),
                                                                 "data-beside": beside})


def is_given(html: str | None) -> bool:
    return html is not None


def beyond(app: Sphinx, context: dict, records: Records, others: list[list[str]]) -> dict[str, str]:
    """For the list of machines: how many of them the page does not draw, and the page that has them all."""
    drawn = {machine.slug for machine in records.few(records.machines())}
    left = sum(1 for slug, *_, file, _ in others if slug not in drawn and not file)
    galleries = {page for page, _ in press(app.env).data["cards"].values()}
    return {"data-others": str(left), "data-gallery": context["pathto"](min(galleries))} if left and galleries else {}


def _replace_files(folder: Path, files: dict[str, str]) -> None:
    """Makes the folder contain these files and no other scripts."""
    for stale in folder.glob("*.js"):
        if stale.name not in files:
            stale.unlink()
    for name, text in files.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def pages_of_another_list(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """env-updated: all pages if a machine was added or removed, or has measured another lab, because each page lists all
    machines."""
    records = (domain := press(env)).records
    having = [{machine.slug for machine in records.all_of(lab)} for lab in records.labs()]
    machines = [(machine, [machine.slug in of_lab for of_lab in having]) for machine in records.machines()]
    if domain.data.get("machines") == machines:
        return []
    domain.data["machines"] = machines
    return sorted(env.found_docs)


def add_to(app: Sphinx) -> None:
    app.add_node(per_machine, html=(visit_per_machine, None))
    app.add_node(variant, html=(lambda self, node: None, lambda self, node: None))
    app.connect("env-updated", pages_of_another_list)
    app.connect("html-page-context", write_variants)
