"""tools/add-machine and its workflow, with a stand-in for GitHub: what becomes of issues, honest and hostile."""

import base64
import copy
import io
import json
import os
import re
import subprocess
import sys
import zipfile
import zlib

import pytest
import stand_in
import yaml
from programs import git, result_of

sys.path.append(os.path.join(os.path.dirname(__file__), "../../tools"))
from machine_issues import link  # noqa: E402
from machine_issues.records import LIMITS  # noqa: E402

OPENED = "2026-12-24T10:00:00Z"
PARTS = "### Name\n\n{}\n\n### Credit\n\n{}\n\n### Record\n\n{}\n"
EMPTY = "_No response_"
FILE = "/user-attachments/files/123/my-machine.zip"
THANKS = "Thank you for measuring. "
NATIVE = "amd-epyc-zen-3-2-cores-vm"


class Project:
    """A checkout with the published records, and its GitHub."""

    def __init__(self, root, folder):
        self.folder, self.root, self.github = folder, root, stand_in.GitHub()
        for name in ("labs", "build"):
            (folder / name).symlink_to(root / name)
        for kind in ("records", "browsers"):
            (folder / "figures" / kind).mkdir(parents=True)
            for machine in (root / "figures" / kind).iterdir():
                (folder / "figures" / kind / machine.name).symlink_to(machine)

    def run(self, *words, body="", number=12):
        event = {"action": "opened", "issue": {"number": number, "body": body, "created_at": OPENED, "title": "Machine: x"}}
        (self.folder / "event.json").write_text(json.dumps(event))
        github = {"EVENT_PATH": "event.json", "API_URL": f"{self.github.address}/api", "SERVER_URL": self.github.address,
                  "REPOSITORY": stand_in.REPOSITORY, "TOKEN": "secret", "SHA": stand_in.BASE, "RUN_ID": "7", "OUTPUT": "output"}
        environment = {**os.environ, **{f"GITHUB_{name}": value for name, value in github.items()}}
        return result_of(sys.executable, self.root / "tools/add-machine", *words, cwd=self.folder, env=environment)

    def send(self, body, number=12):
        """What the workflow does with an issue; the answer on it."""
        found = f"found-{len(list(self.folder.glob('found-*')))}"
        for job in ("check", "draw", "answer"):
            if job == "draw" and "accepted=no" in (self.folder / "output").read_text():
                continue
            done = self.run(job, found, body=body, number=number)
            assert done.returncode == 0, done.stderr
        (self.folder / "output").unlink()
        at, said = self.github.comments[-1]
        assert at == number
        return said

    def attach(self, content, path=FILE, status=200, target=""):
        """What the field Record holds once a file is attached."""
        self.github.attached[path] = (status, content, target)
        return f"[my-machine.zip]({self.github.address}{path})"

    def added(self):
        """The files in figures/ that weren't there before."""
        return sorted(str(file.relative_to(self.folder)) for file in (self.folder / "figures").rglob("*") if file.is_file())


@pytest.fixture
def project(root, tmp_path):
    project = Project(root, tmp_path)
    yield project
    project.github.close()


@pytest.fixture(scope="session")
def browsers(root):
    return json.loads((root / "figures/browsers/chromium-on-zen-3/01-roofline.json").read_text())


@pytest.fixture(scope="session")
def natives(root):
    return {file.name: file.read_bytes() for file in sorted((root / "figures/records" / NATIVE).glob("0[14]*.json"))}


def zipped(files, method=zipfile.ZIP_DEFLATED):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as packing:
        for name, content in files.items():
            packing.writestr(name, content)
    return archive.getvalue()


def issue(record, name="my-phone", credit=EMPTY):
    return PARTS.format(name, credit, record if isinstance(record, str) else link.packed(record))


def packed_text(text):
    return base64.urlsafe_b64encode(zlib.compress(text if isinstance(text, bytes) else text.encode(), 9)).decode().rstrip("=")


def changed(record, place, value):
    """A copy of a record with another value at /a/path/0."""
    record = copy.deepcopy(record)
    *way, last = [int(key) if key.isdigit() else key for key in place.split("/")[1:]]
    inner = record
    for key in way:
        inner = inner[key]
    inner[last] = value
    return record


# ---- Honest issues ----

def test_a_browsers_record_becomes_a_pull_request_with_a_picture(project, browsers):
    said = project.send(issue(browsers, "My phone", "Zoë O'Hara (@zoe)"))
    assert said.startswith("Thank you: `my-phone` passed the check, and is in pull request #101.")
    (pull,) = project.github.pulls
    assert (pull["head"], pull["base"], pull["title"]) == ("machine/12-my-phone", "main", "Add the machine my-phone")
    assert "measured by `Zoë O'Hara (@zoe)`: a record of a browser." in pull["body"] and "Closes #12" in pull["body"]
    files = project.github.files("machine/12-my-phone")
    assert sorted(files) == ["figures/browsers/my-phone/01-roofline.json", "figures/credits/my-phone.txt"]
    assert files["figures/credits/my-phone.txt"].decode() == "Zoë O'Hara (@zoe)\n"
    assert json.loads(files["figures/browsers/my-phone/01-roofline.json"]) == browsers
    commit, = re.findall(r"/raw/([0-9a-f]{40})/12\.png\)", said)
    assert commit == project.github.refs["refs/heads/machine-pictures"]
    assert project.github.files("machine-pictures")["12.png"].startswith(b"\x89PNG")


def test_the_records_of_a_machine_come_in_an_attached_file_asked_for_without_a_token(project, natives):
    file = project.attach(b"", status=302, target=f"{project.github.address}/kept")
    project.github.attached["/kept"] = (200, zipped(natives), "")
    said = project.send(issue(file, "my-server"))
    assert "`my-server` passed the check" in said and "![The roof of my-server" in said
    assert sorted(project.github.files("machine/12-my-server")) == [f"figures/records/my-server/{name}" for name in natives]
    assert "records of 2 chapters" in project.github.pulls[0]["body"]
    assert [token for _, path, token in project.github.asked if path in (FILE, "/kept")] == [None, None]


def test_name_and_credit_may_be_left_open(project, browsers, natives):
    assert "`browser-on-linux-7` passed" in project.send(issue(browsers, EMPTY), 7)
    assert "somebody who left no name" in project.github.pulls[0]["body"]
    assert f"`{NATIVE[:-3]}` passed" in project.send(issue(project.attach(zipped(natives)), EMPTY), 8)


def test_lines_may_end_as_in_windows_and_a_long_record_may_be_broken(project, browsers):
    record = "\n".join(re.findall(".{1,76}", link.packed(browsers)))
    assert "passed the check" in project.send(issue(record).replace("\n", "\r\n"))


def test_a_refused_issue_may_be_edited_but_not_one_with_a_pull_request(project, browsers):
    """The workflow reads each event's own text, so an edit during a check doesn't change what that checks."""
    assert "The name must" in project.send(issue(browsers, "mein Händi"))
    assert "passed the check" in project.send(issue(browsers, "mein-handy"))
    pulled = project.github.refs["refs/heads/machine/12-mein-handy"]
    assert "keeps the record that was checked" in project.send(issue(changed(browsers, "/run/seconds", 9), "other"))
    assert project.github.refs["refs/heads/machine/12-mein-handy"] == pulled and len(project.github.pulls) == 1


def test_where_workflows_may_open_no_pull_request_the_answer_names_the_branch(project, browsers):
    project.github.forbids.add("/pulls")
    assert "is in the branch `machine/12-my-phone`. A maintainer will open" in project.send(issue(browsers))


def test_pictures_are_kept_beside_each_other(project, browsers):
    for number, name in ((12, "one"), (13, "two")):
        project.send(issue(browsers, name), number)
    assert sorted(project.github.files("machine-pictures")) == ["12.png", "13.png"]


# ---- Hostile issues ----

BOMB = packed_text(b"[" + b"0," * 50_000_000 + b"0]")
# [what is hostile about it, the issue's text made from a browser's record, and how the answer begins]
HOSTILE = [
    ("a decompression bomb", lambda r: issue(BOMB[:12_000]), "The packed record unpacks to more than 64 KiB"),
    ("a path as a name", lambda r: issue(r, "../../.github/workflows/x"), "The name must consist of letters from a to z"),
    ("a name with a line of YAML", lambda r: issue(r, "x\nrun: id"), "The name must"),
    ("shell metacharacters as a name", lambda r: issue(r, "$(touch /tmp/x);`id`"), "The name must"),
    ("an option as a name", lambda r: issue(r, "--to=/etc"), "The name must"),
    ("the word for this machine as a name", lambda r: issue(r, "here"), "The name must"),
    ("a device of Windows as a name", lambda r: issue(r, "con"), "The name must"),
    ("HTML as a name", lambda r: issue(r, "<script>alert(1)</script>"), "The name must"),
    ("a name of Cyrillic letters", lambda r: issue(r, "аmd-еpyc"), "The name must"),
    ("somebody else's machine", lambda r: issue(r, "chromium-on-zen-3"), "The book already has a machine called chromium-on-zen-3"),
    ("the default machine's folder", lambda r: issue(r, NATIVE.upper()), f"The book already has a machine called {NATIVE}"),
    ("HTML as a credit", lambda r: issue(r, credit="<img src=x onerror=alert(1)>"), "The credit must be a name"),
    ("Markdown as a credit", lambda r: issue(r, credit="[free](https://evil.example)"), "The credit must"),
    ("a command in backquotes as a credit", lambda r: issue(r, credit="`id`"), "The credit must"),
    ("a credit of two lines", lambda r: issue(r, credit="Ann\n@everyone"), "The credit must"),
    ("a credit written from right to left", lambda r: issue(r, credit="Ann \u202efdp.exe"), "The credit must"),
    ("a credit with a letter of no width", lambda r: issue(r, credit="A\u200bnn"), "The credit must"),
    ("a credit of a letter that is not seen", lambda r: issue(r, credit="\u3164"), "The credit must"),
    ("a credit of accents on accents", lambda r: issue(r, credit="A" + "\u0316" * 40), "The credit must"),
    ("NaN", lambda r: issue(packed_text(json.dumps(changed(r, "/values/0/value", float("nan"))))), "The record isn't strict JSON"),
    ("1e999", lambda r: issue(packed_text(json.dumps(r).replace("12.802", "1e999"))), "The record isn't strict JSON"),
    ("a key twice", lambda r: issue(packed_text(json.dumps(r).replace('"schema": 4', '"schema": 4, "schema": 4'))),
     "The record isn't strict JSON"),
    ("lists in lists", lambda r: issue(packed_text("[" * 60_000)), "The record isn't strict JSON"),
    ("a number of 50,000 digits", lambda r: issue(packed_text(f'{{"schema": {"9" * 50_000}}}')), "The record isn't strict JSON"),
    ("bytes that are not UTF-8", lambda r: issue(packed_text(b'{"a": "\xff"}')), "The record isn't strict JSON"),
    ("a list", lambda r: issue(packed_text("[]")), "The record isn't strict JSON"),
    ("another chapter", lambda r: issue(changed(r, "/lab/id", "02-matmul")), "A browser's record is one of chapter 01 alone"),
    ("a chapter that is a path", lambda r: issue(changed(r, "/lab/id", "../../tools/x")), "A record is of a chapter that the book"),
    ("a chapter that is no text", lambda r: issue(changed(r, "/lab/id", {"a": 1})), "A record is of a chapter that the book"),
    ("a forged hash of the kernels", lambda r: issue(changed(r, "/lab/inputs/module:plain.wasm", "0" * 64)),
     "The check of the record says: `01-roofline.json: /lab/key: expected sha256:"),
    ("arithmetic a billion times as fast", lambda r: issue(changed(r, "/values/0/value", 49e9)),
     "The check of the record says: `01-roofline.json: /values/7/value: expected about 2.83544e+09"),
    ("all numbers a billion times as fast", lambda r: issue(billion_times(r)),
     "The record has a number, 6.9e+10 GB/s, that no core can reach"),
    ("a machine that is faster than any", lambda r: issue(changed(r, "/series/0/points/0", {"x": 8192, "median": 9e9, "samples": [9e9]})),
     "The record has a number, 9e+09 GB/s, that no core can reach"),
    ("sizes that the page doesn't measure", lambda r: issue(changed(r, "/series/1/points", r["series"][1]["points"][:3])),
     "The record doesn't have the sizes of data"),
    ("a home folder in a note", lambda r: issue(changed(r, "/run/notes/0", "measured in /home/ann/book")),
     "The check of the record says: `01-roofline.json: /run/notes/0: expected text without an absolute path"),
    ("a host's address in a note", lambda r: issue(changed(r, "/run/notes/0", "measured on 10.1.2.3")),
     "The check of the record says: `01-roofline.json: /run/notes/0: expected text without an IP"),
    ("a mention in a note", lambda r: issue(changed(r, "/run/notes/0", "thanks to @everyone")), "The record has a text at `/run/notes/0`"),
    ("HTML as the processor", lambda r: issue(changed(r, "/machine/cpu", "<img src=x onerror=alert(1)>")),
     "The record has a text at `/machine/cpu`"),
    ("Markdown in an unknown key", lambda r: issue({**r, "](https://evil.example) @everyone `": 1}),
     "The check of the record says: `01-roofline.json:"),
    ("a record from the future", lambda r: issue(changed(r, "/run/started", "2098-01-01T00:00:00Z")),
     "The record says that it was measured after this issue"),
    ("two records", lambda r: issue(r) + f"\n### Record\n\n{link.packed(r)}\n", "The issue holds two records"),
    ("two records in one field", lambda r: issue(link.packed(r) + "\n" + link.packed(r)), "A part of the packed record is missing"),
    ("a second name", lambda r: "### Name\n\nother\n\n" + issue(r), "The issue must have the headings"),
    ("no headings", lambda r: link.packed(r), "The issue must have the headings"),
    ("no text", lambda r: "", "The issue must have the headings"),
    ("no record", lambda r: issue(EMPTY), "The field Record is empty"),
    ("a truncated record", lambda r: issue(link.packed(r)[:-40]), "A part of the packed record is missing"),
    ("a record with one letter changed", lambda r: issue(flipped(link.packed(r))), "A part of the packed record is missing"),
    ("a record with spaces that are none", lambda r: issue(link.packed(r)[:99] + "\u200b" + link.packed(r)[99:]),
     "The field Record doesn't hold a packed record"),
    ("65,536 letters", lambda r: (issue(r) + "x" * 65_536)[:65_536], "The issue has more than 16,000 letters"),
    ("a file on another server", lambda r: issue("[x.zip](https://evil.example/user-attachments/files/1/x.zip)"),
     "The field Record must hold a zip or JSON file attached to this issue"),
    ("an address in the cloud's own network", lambda r: issue("[x.zip](http://169.254.169.254/latest/meta-data)"),
     "The field Record must hold a zip or JSON file attached to this issue"),
    ("a file on this machine", lambda r: issue("[x.zip](file:///etc/passwd)"), "The field Record must hold"),
]


def billion_times(record):
    """A record that is consistent, and whose machine is 10⁹ times as fast."""
    record = copy.deepcopy(record)
    for each in record["values"]:
        each["value"] *= 1e9 if each["unit"] in ("GFLOP/s", "GB/s") else 1
    for point in record["series"][0]["points"]:
        point.update(median=point["median"] * 1e9, samples=[point["median"] * 1e9])
    return record


def flipped(text):
    middle = len(text) // 2
    return text[:middle] + ("A" if text[middle] != "A" else "B") + text[middle + 1:]


@pytest.mark.parametrize(("make", "why"), [each[1:] for each in HOSTILE], ids=[each[0] for each in HOSTILE])
def test_a_hostile_issue_is_refused_in_words_and_changes_nothing(project, browsers, make, why):
    before = project.added()
    said = project.send(make(browsers))
    assert said.startswith(THANKS + why), said
    assert said.endswith(".\n\nThe check runs again when you edit this issue.") and len(said) < 500
    bare = re.sub("`[^`]*`", "", said)  # in code nothing has a meaning
    assert not re.search(r"[<>\[\]$`\u200b\u202e]|@(?!,)|://", bare.replace(".,'()-_@&+", "")), said
    assert project.added() == before and not project.github.pulls and list(project.github.refs) == ["refs/heads/main"]


LONG = b"0" * (40 << 20)
# [what is hostile about it, how the file is made, how it is attached, and how the answer begins]
FILES = [
    ("a zip bomb", lambda: zipped({"01-roofline.json": LONG}), {}, "A file in the zip unpacks to more than 1 MiB"),
    ("an LZMA bomb", lambda: zipped({"01-roofline.json": LONG}, zipfile.ZIP_LZMA), {}, "The attached zip file can't be read"),
    ("many files", lambda: zipped({f"{i}.json": b"{}" for i in range(300)}), {}, "The attached zip file must hold 1 to 20 records"),
    ("an empty zip", lambda: zipped({}), {}, "The attached zip file must hold 1 to 20 records"),
    ("no zip", lambda: b"MZ" * 999, {}, "The attached zip file can't be read"),
    ("a damaged zip", lambda: zipped({"01-roofline.json": os.urandom(9999)})[:-400], {}, "The attached zip file can't be read"),
    ("a redirection to the cloud's network", lambda: b"", {"status": 302, "target": "http://169.254.169.254/latest/meta-data"},
     "The attached file isn't kept by GitHub"),
    ("a redirection to a file", lambda: b"", {"status": 302, "target": "file:///etc/passwd"}, "GitHub doesn't have the attached file"),
    ("a file that is gone", lambda: b"", {"status": 404}, "GitHub doesn't have the attached file"),
    ("a file of 6 MiB", lambda: b"0" * (6 << 20), {}, "The attached file has more than 5 MiB"),
]


@pytest.mark.parametrize(("make", "more", "why"), [each[1:] for each in FILES], ids=[each[0] for each in FILES])
def test_a_hostile_file_is_refused_in_words(project, make, more, why):
    said = project.send(issue(project.attach(make(), **more)))
    assert said.startswith(THANKS + why), said
    assert not project.github.pulls and list(project.github.refs) == ["refs/heads/main"]


@pytest.mark.parametrize(("edit", "why"), [
    (lambda r: r["run"].update(budget="quick"), '/run/budget: expected "full" for publication'),
    (lambda r: r["run"]["notes"].append("in /home/ann/book"), "expected text without an absolute path"),
    (lambda r: r["run"]["notes"].append("on ann@node17.example.org"), "expected text without an e-mail address"),
    (lambda r: r["toolchain"].update(flags="-O3 -I/home/ann/include"), "expected text without an absolute path"),
    (lambda r: r["lab"].update(id="09-none"), "A record is of a chapter that the book doesn't have"),
    (lambda r: r["lab"].update(id="02-matmul"), "A record says that it is of 02-matmul, but wasn't measured by that lab"),
    (lambda r: r["machine"].update(slug="../x"), "The record doesn't say what machine it is from"),
    (lambda r: r["machine"].update(emulated=True), "/machine/emulated: expected false"),
    (lambda r: r["machine"].update(cpu="@everyone <b>"), ""),  # a page shows it as text
])
def test_a_hostile_record_of_a_machine_is_refused_by_the_record_tool(project, natives, edit, why):
    record = json.loads(natives["01-roofline.json"])
    edit(record)
    said = project.send(issue(project.attach(zipped({"../../x": json.dumps(record)})), "my-server"))
    if why:
        assert said.startswith(THANKS) and why in said and not project.github.pulls, said
        return
    assert list(project.github.files("machine/12-my-server")) == ["figures/records/my-server/01-roofline.json"]
    assert "everyone" not in said + project.github.pulls[0]["body"]


def test_two_files_or_a_file_and_a_record_are_refused(project, natives, browsers):
    file = project.attach(zipped(natives))
    assert "names more than one file" in project.send(issue(f"{file} {file}"))
    assert "and nothing else" in project.send(issue(f"{file} {link.packed(browsers)}"))
    assert "names more than one file" in project.send(issue(f"[{project.github.address}/x](https://evil.example/x.zip)"))
    twice = project.attach(zipped({"a": natives["01-roofline.json"], "b": natives["01-roofline.json"]}))
    assert "two records of one chapter" in project.send(issue(twice))
    mixed = project.attach(zipped({"a": json.dumps(browsers), **natives}))
    assert project.send(issue(mixed)).startswith(THANKS)
    assert not project.github.pulls


def test_a_name_that_waits_is_not_given_twice_and_not_too_many_wait(project, browsers):
    project.github.refs["refs/heads/machine/9-my-phone"] = stand_in.BASE
    assert "Another pull request is about to add a machine called my-phone" in project.send(issue(browsers))
    project.github.refs |= {f"refs/heads/machine/{100 + i}-m": stand_in.BASE for i in range(40)}
    assert "Too many machines are waiting" in project.send(issue(browsers, "other"))
    assert not project.github.pulls


@pytest.mark.parametrize("edit", [
    lambda found: found.update(paths=[".github/workflows/x.yml"]),
    lambda found: found.update(paths=["figures/records/other/01-roofline.json"]),
    lambda found: found.update(paths=["figures/browsers/my-phone/../../../README.md"]),
    lambda found: found.update(name="../x"),
    lambda found: found.update(paths=[]),
])
def test_the_job_that_may_write_takes_only_what_an_issue_may_add(project, browsers, edit):
    """Even if a record has taken over the job that read it."""
    for job in ("check", "draw"):
        assert project.run(job, "found", body=issue(browsers)).returncode == 0
    file = project.folder / "found/found.json"
    found = json.loads(file.read_text())
    edit(found)
    file.write_text(json.dumps(found))
    done = project.run("answer", "found")
    assert done.returncode and "Something went wrong on our side" in project.github.comments[-1][1]
    assert not project.github.pulls and list(project.github.refs) == ["refs/heads/main"]


@pytest.mark.parametrize("lost", ["found", "built"])
def test_what_fails_on_our_side_is_said_to(project, browsers, lost):
    if lost == "built":  # the book could not be built with it
        assert project.run("check", "found", body=issue(browsers)).returncode == 0
    assert project.run("answer", "found").returncode == 0
    assert project.github.comments == [(12, "Something went wrong on our side, not yours: [what happened]"
                                            f"({project.github.address}/{stand_in.REPOSITORY}/actions/runs/7). A maintainer will look at it; "
                                            "you don't need to do anything.")]


# ---- The link ----

@pytest.mark.parametrize(("origin", "source"), [
    ("https://github.com/reader/book.git", "https://github.com/reader/book"),
    ("git@github.com:reader/book.git", "https://github.com/reader/book"),
    ("https://gitlab.example/reader/book", ""),
    ("https://github.com.evil.example/reader/book", ""),
    (None, ""),
])
def test_the_projects_address_is_that_of_its_clone(tmp_path, origin, source):
    git(tmp_path, "init")
    if origin:
        git(tmp_path, "remote", "add", "origin", origin)
    assert link.project_address(tmp_path, "") == source
    assert link.project_address(tmp_path, "https://github.com/other/fork/") == "https://github.com/other/fork"


def test_what_make_publish_says_sends_the_records(project, browsers, natives, monkeypatch, root):
    monkeypatch.setenv("HARDWARE_FIRST_SOURCE", "https://github.com/reader/book")
    said = project.run("link", "chromium-on-zen-3").stdout
    address = re.fullmatch(r"to add it to the book without git, open (\S+)\n", said)[1]
    assert len(address) < link.LONGEST and json.loads(link.unpacked(re.search("record=([^&]+)", address)[1])) == browsers

    (project.folder / "build").unlink()
    (project.folder / "build").mkdir()
    said = project.run("link", NATIVE).stdout
    assert re.fullmatch(rf"to add it .* open \S+&name={NATIVE}&record= and drag \S+/build/{NATIVE}\.zip into its field Record\n", said)
    with zipfile.ZipFile(project.folder / f"build/{NATIVE}.zip") as archive:
        assert {name: archive.read(name) for name in natives} == natives
    monkeypatch.delenv("HARDWARE_FIRST_SOURCE")
    assert project.run("link", NATIVE).stdout == ""  # where is the project?


def test_form_workflow_page_and_tool_agree(root):
    form = yaml.safe_load((root / ".github/ISSUE_TEMPLATE" / link.FORM).read_text())
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert [field["id"] for field in fields] == ["name", "credit", "record"]
    assert [field["attributes"]["label"] for field in fields] == ["Name", "Credit", "Record"]
    assert form["title"] == link.TITLE
    workflow = yaml.safe_load((root / ".github/workflows/machine.yml").read_text())
    assert f"startsWith(github.event.issue.title, '{link.TITLE.strip()}')" in workflow["jobs"]["check"]["if"]
    limits = re.search(r"LIMITS = \{(.*)\}, CORES", (root / "site/book/static/plausible.js").read_text())[1]
    found = re.findall(r'(\w+|""): \[([^,]+), ([^\]]+)\]', limits)
    unit = {"gflops": "GFLOP/s", "gbs": "GB/s", "ns": "ns", '""': ""}
    assert {unit[name]: (float(least), float(most)) for name, least, most in found} == LIMITS


def test_the_tool_says_what_it_expects(root):
    done = subprocess.run([sys.executable, root / "tools/add-machine"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "add-machine: expected one of link, check, draw, answer, and a name\n")
