"""tools/compare-machines: which neighbour a machine is compared with, and that a contributor's file names do no harm."""

import json
import shutil

import pytest
from programs import git, result_of, script

RECORD_TOOL = r"""
echo "$1: $2 → $3"
printf '\n</pre><b>& `date`</b>\n'
exit 1
"""


@pytest.fixture
def book(root, tmp_path):
    """A checkout with one machine and a tool that prints its arguments."""
    for file in ("tools/compare-machines", "site/press/json_file.py"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(root / file, tmp_path / file)
    script(tmp_path / "build/bin/record", RECORD_TOOL)
    publish(tmp_path, "zen-4-vm", "Zen 4", 25)
    git(tmp_path, "init", "--quiet")
    return commit(tmp_path)


def commit(folder):
    git(folder, "add", "--all", "figures")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "Records")
    return folder


def publish(folder, slug, core="Zen 5", family=26, lab="01-roofline"):
    path = folder / "figures/records" / slug / f"{lab}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": {"microarchitecture": core, "family": family, "architecture": "x86_64"}}))
    return path


def compare(folder, base="HEAD~1"):
    return result_of(folder / "tools/compare-machines", base)


def neighbours(folder):
    """The pairs that the tool was called with: each record and its neighbour."""
    asked = [line.split() for line in compare(folder).stdout.splitlines() if line.startswith("diff: ")]
    return {after.split("/")[2]: before.split("/")[2] for _, before, _, after in asked}


def test_without_a_record_there_is_nothing_to_say(book):
    (book / "figures/prose.md").touch()
    commit(book)
    assert compare(book).stdout == ""


def test_a_machine_stands_beside_its_own_kind_else_its_family_else_its_architecture(book):
    publish(book, "arm", "Neoverse V2", 0).write_text('{"machine": {"architecture": "aarch64"}}')
    publish(book, "a-skylake", "Skylake", 6)
    commit(book)
    publish(book, "zen-4-bare", "Zen 4", 25)
    publish(book, "golden-cove", "Golden Cove", 6)
    commit(book)
    assert neighbours(book) == {"zen-4-bare": "zen-4-vm", "golden-cove": "a-skylake"}


def test_without_kin_a_machine_stands_beside_the_one_with_the_most_records(book):
    publish(book, "zen-4-vm", "Zen 4", 25, "02-matmul")
    publish(book, "a-lesser", "Zen 3", 23)
    commit(book)
    publish(book, "unlike", "Skylake", 6)
    commit(book)
    assert neighbours(book) == {"unlike": "zen-4-vm"}


def test_a_record_that_changed_is_compared_and_one_alone_in_its_lab_is_said(book):
    publish(book, "zen-4-b", "Zen 4", 25)
    commit(book)
    publish(book, "zen-4-vm", "Zen 4c", 25)
    publish(book, "zen-4-vm", "Zen 4", 25, "02-matmul")
    commit(book)
    assert neighbours(book) == {"zen-4-vm": "zen-4-b"}
    assert "zen-4-vm/02-matmul.json: no other machine has a record of this lab" in compare(book).stdout


@pytest.mark.parametrize("slug", ["$(touch bad)", "`touch bad`", "--git", "a\nb", "<script>x", "a b|c", "é", "..."])
def test_a_strangers_folder_is_shown_as_text_and_never_used(book, slug):
    publish(book, slug)
    commit(book)
    run = compare(book)
    assert (run.returncode, run.stderr) == (0, "") and "not a machine's record: <code>" in run.stdout
    assert "diff:" not in run.stdout and "<script>" not in run.stdout
    assert not list(book.rglob("bad"))


@pytest.mark.parametrize("text", ["", "[]", '{"machine": 3}', "[" * 100_000, '{"machine": {"family": NaN}}', "\udcff"])
def test_a_strangers_record_may_be_anything_and_nothing_of_it_is_markup(book, text):
    publish(book, "new").write_bytes(text.encode(errors="surrogateescape"))
    commit(book)
    run = compare(book)
    assert (run.returncode, run.stderr) == (0, "") and "diff: figures/records/zen-4-vm/" in run.stdout
    assert "&lt;/pre&gt;&lt;b&gt;&amp; `date`" in run.stdout and "\n\n&lt;" not in run.stdout


def test_a_link_is_not_followed(book, tmp_path):
    target = publish(tmp_path / "elsewhere", "other")
    (book / "figures/records/linked").symlink_to(target.parent)
    (book / "figures/records/new").mkdir()
    (book / "figures/records/new/01-roofline.json").symlink_to(target)
    commit(book)
    assert "diff:" not in compare(book).stdout


def test_without_the_record_tool_there_is_one_line(book):
    publish(book, "new")
    commit(book)
    (book / "build/bin/record").unlink()
    run = compare(book)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "compare-machines: build/bin/record is missing: run make tool\n"


@pytest.mark.parametrize("base", ["no-such-commit", "--output=bad", "HEAD:bad"])
def test_a_base_that_is_not_here_is_one_line(book, base):
    run = compare(book, base)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and not (book / "bad").exists()
