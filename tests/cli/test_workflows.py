"""The workflows: they pin what they run, have only the permissions that they need, and never let a contributor's text become
part of a shell command."""

import re
from pathlib import Path

import pytest
import yaml

PINNED = re.compile(r"\./\.github/workflows/\w+\.yml|actions/[\w-]+@[0-9a-f]{40}")
IMAGE = re.compile(r"[\w/]+:[\w.-]+@sha256:[0-9a-f]{64}")
NAMES = sorted(path.stem for path in (Path(__file__).resolve().parents[2] / ".github/workflows").iterdir())


@pytest.fixture(params=NAMES)
def workflow(root, request):
    return yaml.safe_load((root / f".github/workflows/{request.param}.yml").read_text())


def test_what_runs_is_pinned_and_no_expression_stands_in_a_script(workflow):
    for job in workflow["jobs"].values():
        assert "uses" not in job or PINNED.fullmatch(job["uses"])
        assert "container" not in job or IMAGE.fullmatch(job["container"])
        for step in job.get("steps", []):
            assert "uses" not in step or PINNED.fullmatch(step["uses"])
            assert "${{" not in step.get("run", "")
            assert "checkout" not in step.get("uses", "") or step["with"]["persist-credentials"] is False


def test_nothing_is_permitted_but_by_a_job(workflow):
    assert workflow["permissions"] == {} and all("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize(("name", "last"), [("publish", "deploy"), ("release", "release")])
def test_what_is_published_waits_for_the_gate_and_is_not_cut_off(root, name, last):
    workflow = yaml.safe_load((root / f".github/workflows/{name}.yml").read_text())
    assert workflow["concurrency"]["cancel-in-progress"] is False
    while last != "gate":
        assert "if" not in workflow["jobs"][last]  # such as always(), which would neither wait nor be skipped with the gate
        last = workflow["jobs"][last]["needs"]
    assert workflow["jobs"]["gate"]["uses"] == "./.github/workflows/gate.yml"


def test_a_fork_deploys_no_pages(root):
    """A fork has no Pages: without the owner's variable, no job of a workflow that deploys them runs."""
    for name in NAMES:
        jobs = yaml.safe_load((root / f".github/workflows/{name}.yml").read_text())["jobs"]
        deploys = any("-pages@" in step.get("uses", "") for job in jobs.values() for step in job.get("steps", []))
        first = [job for job in jobs.values() if "needs" not in job]
        assert not deploys or [job.get("if") for job in first] == ["vars.DEPLOY_PAGES == 'yes'"] * len(first), name


def test_what_reads_a_strangers_text_may_write_nothing(root):
    """Anybody can open an issue. The job that reads it may only read; the job that may write checks out main, and runs none of
    what was found. Each issue has its own turn, so that none cancels another's."""
    workflow = yaml.safe_load((root / ".github/workflows/machine.yml").read_text())
    check, answer = workflow["jobs"]["check"], workflow["jobs"]["answer"]
    assert workflow[True] == {"issues": {"types": ["opened", "edited"]}}  # YAML's `on`
    assert check["permissions"] == {"contents": "read"}
    assert answer["permissions"] == {"contents": "write", "issues": "write", "pull-requests": "write"}
    assert not any("env" in step for step in check["steps"])  # no token
    assert [step["run"] for step in answer["steps"] if "run" in step] == ["tools/add-machine answer found"]
    assert not any("ref" in step.get("with", {}) for job in (check, answer) for step in job["steps"])
    assert workflow["concurrency"] == {"group": "machine-${{ github.event.issue.number }}", "cancel-in-progress": False}


def test_where_the_book_asks_git_the_checkout_is_trusted_first(root):
    for name in NAMES:
        for job in yaml.safe_load((root / f".github/workflows/{name}.yml").read_text())["jobs"].values():
            said = "\n".join(step.get("run", "") for step in job.get("steps", []))
            asks = [said.find(command) for command in (".ci/run", "test-weekly") if command in said]
            assert not asks or 0 <= said.find('safe.directory "$GITHUB_WORKSPACE"') < min(asks)
