"""What check-voice finds, and what it accepts. Each rule has sentences that are refused and sentences that are not."""

import importlib.util
import json
import os
import shutil
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from programs import git, result_of

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check-voice"
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOL.parent))
loader = SourceFileLoader("check_voice", str(TOOL))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_voice", loader))
loader.exec_module(check)


def problems(text):
    return [problem for _, _, problem in check.page_problems(text)]


@pytest.mark.parametrize(("text", "problem"), [
    ("Each row is read anew.", '"anew": say: again'),
    ("It is seldom used.", '"seldom": say: rarely'),
    ("Memory is dear here.", '"dear": say: expensive'),
    ("It is another machine's, for\nwant of this one's.", '"for want of": say: because'),
    ("The speed was held against the roof.", '"held against": say: compared with'),
    ("Hold each\nof them against a wire.", '"Hold each of them against": say: compared with'),
    ("They were timed in turn with the kernel.", '"in turn with": say: alternately with'),
    ("It takes half as long again as reading.", '"as long again as": say: 1.5×'),
    ("We aimed at 10%.", '"aimed at": say: claimed'),
    ("Unless somebody fuses them, it is slow.", '"somebody": say: you or we'),
    ("It is a table in which one can look.", '"one can": say: you or we'),
    ("It copies every second row.", '"every second row": say: every other'),
    ("Each addition waits for the\none before.", '"the one before": say: the previous one'),
    ("It comes from memory behind the last cache.", '"behind the last cache": say: beyond'),
    ("The longest way has 16 hops.", '"longest way": say: route'),
    ("How many times as fast is it?", '"How many times as": say: how much faster'),
    ("It is a number of 4 bytes.", '"number of 4 bytes": say: a 4-byte number'),
    ("At the end of this chapter you will look at a loop.", '"At the end of this chapter you will": say: by the end of this chapter'),
    ("It is slow, for they wait.", '"for they": say: because, since'),
    ("A chip serves 16 readers at once.", '"16 readers": say: user'),
    ("It takes {measured}`a`, {measured}`b|plain`,\n{measured}`c` and {measured}`d|as fast` as that.", "4 numbers in a sentence: say it in 2"),
    ("It keeps three fifths of the cache.", '"three fifths": write it in digits'),
    ("It falls by two-thirds.", '"two-thirds": write it in digits'),
    ("It takes a tenth of the time.", '"a tenth of": write it in digits'),
    ("Nine in ten of the runs did.", '"Nine in ten": write it in digits'),
    ("It takes 13 % of the time.", '"3 %": no space before %'),
    ("A vocabulary of 50257 tokens.", '"50257": write thousands with commas'),
    ("All 16 384 chips ran.", '"16 384": write thousands with commas'),
    ("What brings more work per byte is limited by arithmetic.", "begin with a noun"),
    ("It is so. *Whoever has too little in flight waits.*", "begin with a noun"),
    ("- What is left to the program is this.", "begin with a noun"),
    ("## Who stays?", "a heading that asks: state what the section finds"),
    ("It is faster:\n\n```{claim} fast\nNo.\n```", "a colon leads into a claim, which may fail"),
    ("```{lab-figure} 01-x\n:name: fig-x\nAbove, the speed falls. Below, it stays.\n```", "say what the axes are"),
    ("```{drawing} 01-x\nThe roofline of one core, with five kernels.\n```", "a caption without a verb"),
])  # fmt: skip
def test_each_fault_is_found_once(text, problem):
    (found,) = problems(text)
    assert found.startswith(problem)


@pytest.mark.parametrize("text", [
    "What brings more work per byte?",
    "What a core does while it waits is another question.",
    "What you measure is what you get. What matters is the product.",
    "| what | took |\n|---|---|\n| What is left to the cores is this. | 1 |",
    "The words `anew`, $50257$, {cite:p}`seldom`, [here](anew.md#anew) and ``anew``.",
    "```cpp\n// anew, 50257, 13 %\n```",
    "% A comment says anew.",
    "In 2024 the chip had 1024 cores, 20,000 threads and 13% of 0.12345; see RFC1234567, 2.50257 and 10⁵.",
    "Half of it, a third of it and a quarter of it; the fifth of five, and a tenth chip.",
    "Again and again. You can look. It claimed 10%.",
    "One of the two cans, as long as it takes, and against the wall. It is held, and it leans against a wall.",
    "It is faster.\n\n```{claim} fast\nNo.\n```",
    "There are two:\n\n- One.\n- Two.",
    "```{lab-figure} 01-x\n:name: fig-x\nLeft: speed over size. Right: bytes moved. Look where the line jumps.\n```",
    "**What counts.** Each lab says so.",
    "Layers 16 and 384 of 512 1024 times.",
    "Every second the door lets 50 through, one every second. The one before it waits, behind it a queue; it waits for them, for it may.",
    "The book shows it to one reader of this book, and to readers who don't measure. Blocks of 32 numbers; a long way to go.",
    "It takes {measured}`a`, {measured}`b` and {measured}`c` on {measured}`d|label`. It takes {measured}`d` there.",
    "| a | b |\n|---|---|\n| {measured}`a` {measured}`b` {measured}`c` | {measured}`d` |",
])  # fmt: skip
def test_innocent_text_passes(text):
    assert problems(text) == []


def test_the_line_and_the_sentence_are_named():
    page = "# Title\n\nFine. It is\nread {term}`over\n<Over>` and\nthen anew, at {measured}`speed`.\n"
    ((line, sentence, _),) = check.page_problems(page)
    assert (line, sentence) == (6, "It is read over and then anew, at ….")


@pytest.fixture
def book(tmp_path):
    """A small book without problems, in a git repository with main and a branch that is checked out."""
    files = {
        "chapters/01-thing.md": "# Title\n\nIt is plain.\n",
        "README.md": "# Book\n\nRead it.\n",
        "labs/01-thing/README.md": "# Thing\n\nBegin here.\n",
        "examples/some/chapters/00-some.md": "# Some\n\nAn example.\n",
        "labs/01-thing/yours/path.json": json.dumps({"steps": [{"goal": "Go on."}]}),
        "labs/01-thing/claims.json": json.dumps([{"id": "it-pays", "text": "It pays.", "value": "speed", "bound": ">= 2"}], indent=1),
        "labs/01-thing/predictions.json": json.dumps({"pairs": [{"what": "ten kernels"}], "left_out": [{"ids": ["a"], "why": "A count."}]}, indent=1),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "tools").mkdir()
    for name in ("changed", "environment.sh", "list-files"):
        shutil.copy(TOOL.parent / name, tmp_path / "tools" / name)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "Old: " + 70 * "x")
    git(tmp_path, "checkout", "--quiet", "-b", "branch")
    return tmp_path


def run(book):
    environment = {name: value for name, value in os.environ.items() if name != "BASE"}
    return result_of(sys.executable, TOOL, book, env=environment)


def test_a_book_in_order_passes(book):
    result = run(book)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(("name", "old", "new", "said"), [
    ("chapters/01-thing.md", "plain", "anew", 'chapters/01-thing.md:3: "It is anew.": "anew": say: again'),
    ("README.md", "it", "it anew", 'README.md:3: "Read it anew.": "anew": say: again'),
    ("labs/01-thing/README.md", "here", "anew", 'labs/01-thing/README.md:3: "Begin anew.": "anew": say: again'),
    ("examples/some/chapters/00-some.md", "An", "Somebody's", '"Somebody": say: you or we'),
    ("labs/01-thing/yours/path.json", "Go on.", "Go on anew.", '"Go on anew.": "anew": say: again'),
    ("labs/01-thing/claims.json", "It pays.", "It pays 13 %.", 'labs/01-thing/claims.json:4: "It pays 13 %.": "3 %": no space before %'),
    ("labs/01-thing/claims.json", "It pays.", "It " + 18 * "often " + "pays.", "this claim has 20 words; at most 18 are allowed"),
    ("labs/01-thing/predictions.json", "ten kernels", "kernels anew", '"kernels anew": "anew": say: again'),
    ("labs/01-thing/predictions.json", "A count.", "Seldom.", '"Seldom.": "Seldom": say: rarely'),
])  # fmt: skip
def test_pages_and_claims_are_read(book, name, old, new, said):
    (book / name).write_text((book / name).read_text().replace(old, new))
    result = run(book)
    assert result.returncode == 1 and said in result.stderr and len(result.stderr.splitlines()) == 1


def test_subjects_of_commits_since_main_are_short(book):
    git(book, "commit", "--quiet", "--allow-empty", "--message", "Say " + 56 * "x")
    assert run(book).stderr == ""
    git(book, "commit", "--quiet", "--allow-empty", "--message", "Say " + 57 * "x")
    result = run(book)
    assert result.returncode == 1 and result.stderr.startswith("commit ") and result.stderr.endswith("61 characters; at most 60 are allowed\n")


def test_without_git_the_pages_are_read_alone(book):
    shutil.rmtree(book / ".git")
    assert run(book).stderr == ""
