"""Opens the pull request for a checked record, and answers on the issue. This part alone may write to the project, so it
believes nothing: the files come from a job that read a stranger's record, and only those that such a job may add are taken."""

import base64
import re
from pathlib import Path

from . import Refused
from .github import ApiError, GitHub
from .issue import FOLDER, checked_credit

BRANCHES, PICTURES = "machine", "machine-pictures"  # machine/12-my-phone
MOST_WAITING = 40  # pull requests of this kind
MOST_BYTES, MOST_PICTURE = 1 << 20, 1 << 19
PATH = re.compile(rf"figures/((records|browsers)/(?P<machine>{FOLDER.pattern})/[0-9]{{2}}-[a-z0-9-]+\.json|"
                  rf"credits/(?P<credited>{FOLDER.pattern})\.txt)")
BROKEN = ("Something went wrong on our side, not yours: [what happened]({run}). A maintainer will look at it; "
          "you don't need to do anything.")
REFUSED = "Thank you for measuring. {why}\n\nThe check runs again when you edit this issue."
TAKEN = ("There is already a pull request for this issue, and it keeps the record that was checked. To send another one, open "
         "a new issue.")
CHANGED = "The code of {changed} of the {of} labs has changed since it was measured.\n\n"
BODY = """Adds the machine `{name}`, measured by {credit}: {what}.

{remark}The record passed its check, and the book was built with it: [the run]({run}). \
Close and reopen this pull request to start the other checks, which GitHub doesn't start for a workflow's own.

Closes #{number}"""
ANSWER = """Thank you: `{name}` {opened}.

{picture}"""


class Answer:
    """To issue `number`; `base` is the commit that was checked, and `run` the address of the workflow's run."""

    def __init__(self, github: GitHub, number: int, base: str, run: str) -> None:
        self.github, self.number, self.base, self.run = github, number, base, run

    def say(self, words: str) -> None:
        self.github.post(f"/issues/{self.number}/comments", {"body": words})

    def give(self, found: dict, folder: Path) -> None:
        """Answers what records.py has found; `folder` holds the files, and the picture if there is one."""
        if "refused" in found:
            self.say(REFUSED.format(why=found["refused"]))
            return
        if not found.get("built"):
            self.say(BROKEN.format(run=self.run))
            return
        try:
            self.propose(found, folder)
        except Refused as refused:
            self.say(str(refused))

    def propose(self, found: dict, folder: Path) -> None:
        """The pull request, and the answer with its number."""
        files = taken_files(found, folder / "files")
        branch = self.free_branch(found["name"])
        commit = self.commit(files, f"Add the machine {found['name']}"[:60].rstrip("-"), self.base)
        self.github.post("/git/refs", {"ref": f"refs/heads/{branch}", "sha": commit})
        picture = folder / "roofline.png"
        self.say(ANSWER.format(name=found["name"], opened=self.request(found, branch),
                               picture=self.picture(picture, found["name"]) if picture.is_file() else ""))

    def free_branch(self, name: str) -> str:
        waiting = [ref["ref"].removeprefix("refs/heads/") for ref in self.github.get(f"/git/matching-refs/heads/{BRANCHES}/")]
        if any(branch.startswith(f"{BRANCHES}/{self.number}-") for branch in waiting):
            raise Refused(TAKEN)
        if any(re.fullmatch(rf"{BRANCHES}/[0-9]+-{re.escape(name)}", branch) for branch in waiting):
            raise Refused(f"Another pull request is about to add a machine called {name}: edit the field Name, choose another.")
        if len(waiting) >= MOST_WAITING:
            raise Refused("Thank you for measuring. Too many machines are waiting for a maintainer at the moment: edit this "
                          "issue in a few days, and the check runs again.")
        return f"{BRANCHES}/{self.number}-{name}"

    def commit(self, files: dict[str, bytes], message: str, parent: str = "") -> str:
        """A commit that adds files to those of its parent, or begins anew."""
        tree = []
        for path, content in files.items():
            blob = self.github.post("/git/blobs", {"content": base64.b64encode(content).decode(), "encoding": "base64"})
            tree.append({"path": path, "mode": "100644", "type": "blob", "sha": blob["sha"]})
        base = {"base_tree": self.github.get(f"/git/commits/{parent}")["tree"]["sha"]} if parent else {}
        made = self.github.post("/git/trees", {"tree": tree, **base})
        commit = {"message": message, "tree": made["sha"], "parents": [parent] if parent else []}
        return self.github.post("/git/commits", commit)["sha"]

    def request(self, found: dict, branch: str) -> str:
        """Opens the pull request; how the answer says so. Where the project doesn't let workflows open one, a person does."""
        records = [path for path in found["paths"] if path.endswith(".json")]
        what = "a record of a browser" if "/browsers/" in records[0] else f"records of {len(records)} chapters"
        remark = CHANGED.format(changed=int(found["changed"]), of=len(records)) if found["changed"] else ""
        credit = checked_credit(found["credit"])
        body = BODY.format(name=found["name"], credit=f"`{credit}`" if credit else "somebody who left no name", what=what,
                           remark=remark, run=self.run, number=self.number)
        try:
            made = self.github.post("/pulls", {"title": f"Add the machine {found['name']}", "head": branch, "body": body,
                                               "base": self.github.get("")["default_branch"]})
        except ApiError as error:
            if error.status != 403:
                raise
            return f"passed the check, and is in the branch `{branch}`. A maintainer will open the pull request from it"
        return (f"passed the check, and is in pull request #{int(made['number'])}. It will be in the book as soon as a "
                "maintainer merges that")

    def picture(self, file: Path, name: str) -> str:
        """Keeps the picture in a branch of its own, so that no merge brings it into the book; its Markdown."""
        content = file.read_bytes()
        if len(content) > MOST_PICTURE or not content.startswith(b"\x89PNG\r\n\x1a\n"):
            return ""
        for _ in range(3):  # another issue's picture may be added at the same time
            heads = {ref["ref"]: ref["object"]["sha"] for ref in self.github.get(f"/git/matching-refs/heads/{PICTURES}")}
            head = heads.get(f"refs/heads/{PICTURES}", "")
            commit = self.commit({f"{self.number}.png": content}, f"Show the roofline of issue {self.number}", head)
            try:
                if head:
                    self.github.ask("PATCH", f"/git/refs/heads/{PICTURES}", {"sha": commit})
                else:
                    self.github.post("/git/refs", {"ref": f"refs/heads/{PICTURES}", "sha": commit})
            except ApiError as error:
                if error.status not in (409, 422):
                    raise
                continue
            address = f"{self.github.pages}/raw/{commit}/{self.number}.png"
            return f"![The roof of {name}, in blue, among those of the book's machines]({address})"
        return ""


def taken_files(found: dict, folder: Path) -> dict[str, bytes]:
    """{path in the project: content} of what may be added: records and a credit of the one machine, which is new."""
    files = {}
    for path in found["paths"]:
        match, file = PATH.fullmatch(path), folder / path
        known = match and found["name"] == (match["machine"] or match["credited"])
        if not known or file.is_symlink() or file.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path}: not a file that an issue may add")
        files[path] = file.read_bytes()
    if not any(path.endswith(".json") for path in files):
        raise ValueError("no record")
    return files
