"""{claim}: a sentence that the record confirms or refutes. {where-holds}: prose for machines where it holds.

    ```{claim} simd-pays                       an id of the lab's claims.json, or lab/id
    :pending:                                  may not be measured on any machine yet
    The sentence to show if the claim fails.
    ```

A line reads "claimed ≥ 3×, measured 22.9× ✓". For a modelled or simulated number, that word replaces "measured", without a
tick. If a record cannot decide, the line shows the interval of the number, without tick or body. Consecutive claims form one
argument: the first that holds is a line, the others that hold are folded below it, and claims that fail or are too close to
call are always visible.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ..domain import PressDomain, press
from ..page.notice import NoticeDirective, counted
from ..reader.per_machine import for_each_answer, for_each_machine
from .claims import MEASURED, Answer, Statement, read_statements
from .measured import measured_number, split_target, states
from .quantity import NO_BREAK_SPACE
from .record import Machine, NotMeasured, Record, RecordError
from .records import Records


class Claim(NoticeDirective):
    """Shows the claim's sentence if it holds, else the directive's body."""

    required_arguments = 1
    has_content = True
    option_spec = {"pending": directives.flag}

    def show(self) -> list[nodes.Node]:
        domain = press(self.env)
        lab, statement = named_claim(self.env, self.arguments[0])
        if not self.content:
            raise RecordError(f'claim "{statement.id}" needs a body: the sentence to show where it fails')
        alternative = self.parse_content_to_nodes()  # also if it isn't shown, so that its mistakes are found
        verdicts = {machine: verdict(domain.records, lab, statement, machine)
                    for machine in domain.records.machines_of(self.env.docname)}
        if "pending" in self.options and all(isinstance(each, NotMeasured) for each in verdicts.values()):
            waits = nodes.container("", nodes.paragraph("", statement.text))  # add_banner() lists it
            return [self.target(lab, statement.id, waits, ["hf-pending"])]

        def each(make: Callable[[Verdict], nodes.Node]) -> list[nodes.Node]:
            """The result of `make` for the verdict on each machine that has one."""
            return for_each_machine(self.env, lambda machine: [make(found)] if isinstance(found := verdicts[machine], Verdict)
                                    else [])

        def shown(answer: Answer | str) -> list[nodes.Node]:
            if isinstance(answer, str):
                return [self.notice(answer)]
            if answer is Answer.HOLDS:
                return [nodes.container("", *each(passing), classes=["hf-holds"])]
            if answer is Answer.TOO_CLOSE:
                return [nodes.container("", *each(undecided), classes=["hf-close"])]
            return [nodes.container("", *each(badge), *each(sentence), *alternative, classes=["hf-fails"])]

        answers = {machine: found.answer if isinstance(found, Verdict) else str(found) for machine, found in verdicts.items()}
        content = for_each_answer(self.env, answers.__getitem__, shown)
        box = self.target(lab, statement.id, nodes.container("", *content), [])
        box["holds"] = {machine.slug: answer is Answer.HOLDS for machine, answer in answers.items()}
        return [box]

    def target(self, lab: str, claim_id: str, box: nodes.container, classes: list[str]) -> nodes.container:
        """The box as a link target for other pages."""
        anchor = f"claim-{claim_id}"
        press(self.env).note_claim(lab, claim_id, anchor)
        box["ids"].append(anchor)
        box["classes"] += ["hf-claim", *classes]
        self.state.document.note_explicit_target(box)
        return box


def named_claim(env: BuildEnvironment, name: str) -> tuple[str, Statement]:
    """The lab and the claim called "lab/claim-id", or "claim-id" on the lab's own page; the page being read depends on both.
    Raises RecordError when there is no such claim."""
    domain = press(env)
    lab, claim_id = split_target(name, env.docname)
    domain.note_lab(lab)
    for statement in statements(domain, lab):
        if statement.id == claim_id:
            return lab, statement
    raise RecordError(f'labs/{lab}/claims.json has no claim "{claim_id}"')


def statements(domain: PressDomain, lab: str) -> list[Statement]:
    """A lab's claims; the page being read depends on their file."""
    path = domain.records.root / "labs" / lab / "claims.json"
    domain.note_file(path)
    return read_statements(path, domain.records.shown(path))


@dataclass(frozen=True)
class Verdict:
    """A record's verdict on a claim. `whose` says if the record is from another machine than the page's."""

    statement: Statement
    record: Record
    whose: str  # "here", "on NAME"

    @property
    def answer(self) -> Answer:
        return self.statement.answer(self.record)

    @property
    def kind(self) -> str:
        return self.statement.kind(self.record)


def verdict(records: Records, lab: str, statement: Statement, machine: Machine) -> Verdict | RecordError:
    """The verdict for the page of a machine, or why there is none."""
    try:
        record = records.choose(lab, machine, having=[("values", statement.value)])
        statement.asked(record)
    except RecordError as error:
        return error
    here = record.local and not record.elsewhere
    return Verdict(statement, record, "here" if here else f"on {records.called(record)}")


def sentence(verdict: Verdict) -> nodes.paragraph:
    """One line: the sentence, the claimed bound, and the number that decides the claim."""
    record, statement = verdict.record, verdict.statement
    line = nodes.paragraph("", statement.text, classes=["hf-sentence"])
    number = str(statement.observed(record))
    if number:
        line += nodes.Text(" ")  # outside the part kept on one line, so that the line can break here
        line += nodes.inline("", f"claimed{NO_BREAK_SPACE}{statement.asked(record)}, {verdict.kind}", classes=["hf-claimed"])
        tooltip = f"claimed {statement.asked(record)}; {verdict.kind} {verdict.whose}, {record.date}{record.since}"
        if two := states(record.value(statement.value)):
            tooltip += f", in {two}"
        observed = measured_number(tooltip=tooltip, classes=["hf-observed"] + ["hf-elsewhere"] * record.elsewhere)
        observed += nodes.Text(number)
        observed["of"], observed["written"] = (record.lab, statement.value), {"asks": statement.bound}
        line += [nodes.Text(" "), observed]
    return line


def passing(verdict: Verdict) -> nodes.paragraph:
    """For a claim that holds: its line, with a tick if its number was measured."""
    line = sentence(verdict)
    if words := f"{kind_unsaid(verdict)} {verdict.whose * verdict.record.elsewhere}".strip():
        line += nodes.inline("", f" {words}", classes=["hf-kind"])
    if verdict.kind == MEASURED:
        tick = measured_number(tooltip=f"holds {verdict.whose}", classes=["hf-verdict"])
        tick += nodes.Text(f"{NO_BREAK_SPACE}✓")
        line += tick
    return line


def kind_unsaid(verdict: Verdict) -> str:
    """"modelled" and the like, for a claim whose line has no number that the word could follow; empty if the number was
    measured."""
    shows_number = bool(str(verdict.statement.observed(verdict.record)))
    return "" if verdict.kind == MEASURED or shows_number else verdict.kind


def undecided(verdict: Verdict) -> nodes.paragraph:
    """For a bound inside the number's interval: the sentence, the interval, and that it is too close to call."""
    line, where = sentence(verdict), verdict.whose if verdict.record.elsewhere else "here"
    line += nodes.inline("", f" ({verdict.statement.range(verdict.record)}): {Answer.TOO_CLOSE.value} {where}",
                         classes=["hf-kind"])
    return line


def badge(verdict: Verdict) -> nodes.paragraph:
    kind = f", {unsaid}" if (unsaid := kind_unsaid(verdict)) else ""
    return nodes.paragraph("", f"✗ does not hold {verdict.whose}{kind}", classes=["hf-verdict"])


class WhereHolds(NoticeDirective):
    """Prose for the machines on which the claims hold; after a "!", for those on which one fails. A verdict from another
    machine's record does not count."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    subject = "{name}: "

    def show(self) -> list[nodes.Node]:
        records = press(self.env).records
        content = self.parse_content_to_nodes()  # also if it isn't shown, so that its mistakes are found
        wanted = [(Answer.FAILS if name.startswith("!") else Answer.HOLDS, *named_claim(self.env, name.removeprefix("!")))
                  for name in self.arguments[0].split()]

        def shown(machine: Machine) -> bool:
            return all(isinstance(found := verdict(records, lab, statement, machine), Verdict)
                       and found.answer is answer and not found.record.elsewhere for answer, lab, statement in wanted)

        return for_each_answer(self.env, shown, lambda answer: content if answer else [])


def arguments(doctree: nodes.document) -> Iterator[list[nodes.container]]:
    """Groups of two or more consecutive claims."""
    run: list[nodes.container] = []
    for box in [box for box in doctree.findall(nodes.container) if "holds" in box]:
        if run and box.previous_sibling() is run[-1]:
            run.append(box)
            continue
        if len(run) > 1:
            yield run
        run = [box]
    if len(run) > 1:
        yield run


def fold(app: Sphinx, doctree: nodes.document) -> None:
    """doctree-read: shows the first claim of each group that holds, and folds the others that hold below it."""
    for run in list(arguments(doctree)):
        parent, place = run[0].parent, run[0].parent.index(run[0])

        def shown(verdicts: tuple[bool, ...], run=run) -> list[nodes.Node]:
            boxes = [box.deepcopy() for box in run]
            first, *others = [box for box, holds in zip(boxes, verdicts) if holds] or [None]
            title = f"{counted(len(others), 'more claim')} that hold{'s' * (len(others) == 1)}"
            more = nodes.admonition("", nodes.title("", title), *others,
                                    classes=["hf-more"], collapsible="closed")
            return [box for box in boxes if box not in others] + [more] * bool(others)

        parent[place:place + len(run)] = for_each_answer(
            app.env, lambda machine, run=run: tuple(box["holds"][machine.slug] for box in run), shown)


def add_to(app: Sphinx) -> None:
    app.add_directive("claim", Claim)
    app.add_directive("where-holds", WhereHolds)
    app.connect("doctree-read", fold)
