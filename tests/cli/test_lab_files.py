"""labs/NN-slug/README.md says in which order to read the lab's files. It and the reader's task name only files that are there."""

import json
import re

import pytest
from conftest import ROOT

LABS = sorted(folder for folder in (ROOT / "labs").glob("[0-9][0-9]-*") if folder.is_dir())


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_lab_says_in_which_order_to_read_it(lab):
    lines = (lab / "README.md").read_text().splitlines()
    steps = lines[2:]
    assert lines[0].startswith(f"# Lab {lab.name[:2]}, ") and 5 <= len(steps) <= 12
    assert [re.match(r"\d+", step)[0] for step in steps] == [str(i + 1) for i in range(len(steps))]
    assert steps[0].startswith("1. `lab.cpp`")
    named = [name for step in steps for name in re.findall(r"`([\w./-]+)`", step)]
    assert [name for name in named if not (lab / name).exists()] == []


@pytest.mark.parametrize("path", sorted((ROOT / "labs").glob("*/yours/path.json")), ids=lambda path: path.parts[-3])
def test_the_readers_task_names_files_that_are_there(path):
    told = json.loads(path.read_text())
    named = [path.parents[1] / told["flags_of"]]
    named += [ROOT / name for step in told["steps"] for name in re.findall(r"labs/[\w./-]+\w", step.get("solution", ""))]
    assert [str(name.relative_to(ROOT)) for name in named if not name.exists()] == []
