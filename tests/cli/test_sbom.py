"""tools/sbom: every package that a lock pins is in the bill of materials, with every hash."""

import json
import re
import shutil

from programs import result_of

LOCKS = ["site/requirements.txt", "tests/site/requirements.txt", "tests/weekly/requirements.txt", "tools/requirements.txt"]


def test_every_pin_is_in_the_bill_with_its_hashes(root):
    run = result_of(root / "tools/sbom", check=True)
    components = json.loads(run.stdout)["components"]
    python = {each["name"]: each for each in components if each["purl"].startswith("pkg:pypi/")}
    locks = "".join((root / lock).read_text() for lock in LOCKS)
    assert {f"{each['name']}=={each['version']}" for each in python.values()} == set(
        re.findall(r"^[\w.-]+==[^ ]+", locks, re.M)
    )
    hashes = {each["content"] for one in python.values() for each in one["hashes"]}
    assert hashes == set(re.findall(r"sha256:(\w+)", locks))
    assert len({each["bom-ref"] for each in components}) == len(components)


def test_a_pin_without_a_hash_is_one_line(root, tmp_path):
    for name in ["CMakeLists.txt", "tools/sbom", *LOCKS]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    (tmp_path / LOCKS[2]).write_text("ruff==1.0\n")
    run = result_of(tmp_path / "tools/sbom")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "sbom: ruff==1.0 has no hash: pin it with pip-compile --generate-hashes\n"
