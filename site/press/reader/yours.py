"""{yours}: a reader's own kernel: the steps of the lab's path.json, each with its goal and a hint; how far, where the book was
built by the reader."""

from docutils import nodes

from ..domain import press
from ..json_file import read_json
from ..page.links import file_link
from ..page.notice import NoticeDirective


class Yours(NoticeDirective):
    """What to write, how to try it, and the steps on the way."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        domain, lab = press(self.env), self.arguments[0]
        file = domain.records.root / "labs" / lab / "yours" / "path.json"
        domain.note_file(file)
        try:
            path = read_json(file)
        except (OSError, ValueError) as error:
            return [self.notice(f"yours: {lab}: {file.name} cannot be read ({error})")]
        attempts = domain.records.attempts(lab)
        for each in attempts or [file.with_name("no attempt yet")]:
            domain.note_file(each)
        try:
            done = {step for each in attempts for step in read_json(each)["reached"]}
        except (OSError, ValueError, LookupError, TypeError) as error:
            return [self.notice(f"yours: {lab}: an attempt cannot be read ({error})")]
        box = nodes.admonition("", nodes.title("", path["title"]), classes=["hf-yours", "no-search"])
        box += nodes.paragraph("", "", *self.how(lab, path))
        if "note" in path:
            box += nodes.paragraph("", path["note"])
        steps = nodes.enumerated_list("", enumtype="arabic", prefix="", suffix=".")
        steps += [self.step(step, step["id"] in done) for step in path["steps"]]
        box += steps
        return [box]

    def how(self, lab: str, path: dict) -> list[nodes.Node]:
        then = "checks it, races it against this chapter's, and draws it into the chapter's figure"
        if path.get("emulated"):
            then = "checks it on an emulator, and counts its memory requests and those of this chapter's kernels"
        start = press(self.env).records.root / "labs" / lab / "yours" / "start.cpp"
        return [nodes.literal("", f"make yours-{lab[:2]}"), nodes.Text(" writes "), nodes.literal("", f"yours/{lab}.cpp"),
                nodes.Text(", a "), file_link(self.env, start, "slow first version"),
                nodes.Text(" for you to change. Run the command again after each change: it compiles your code, "
                           f"{then}. Nothing is sent anywhere.")]

    def step(self, step: dict, done: bool) -> nodes.list_item:
        goal = f"{step['goal']} The goal: {step['means']}."
        first = nodes.paragraph("", goal + (" ✓" if done else ""))
        hint = nodes.admonition("", nodes.title("", "Hint"), nodes.paragraph("", step["hint"]),
                                classes=["hf-hint"], collapsible="closed")
        hint += nodes.paragraph("", "The lab's own version: ", nodes.literal("", step["solution"]), nodes.Text("."))
        return nodes.list_item("", first, hint)
