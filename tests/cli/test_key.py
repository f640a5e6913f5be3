"""A lab's key follows every file that its program was built from, but for those that only print, and no other: asked of
ninja and of the programs themselves."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

LABS = sorted(path.parent.name for path in Path(__file__).resolve().parents[2].glob("labs/[0-9][0-9]-*/lab.cpp"))

ONLY_PRINT = {"labs/harness/terminal.cpp", "labs/harness/terminal.hpp", "labs/harness/text.hpp",
              "labs/record/claims.cpp", "labs/record/claims.hpp"}  # fmt: skip


def ninja(build, *words):
    return subprocess.run(["ninja", "-C", build, "--quiet", *words], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def build(root):
    build = root / "build"
    assert LABS and all((build / f"bin/lab-{lab}").exists() for lab in LABS), "build first: cmake --build build"
    return build


@pytest.fixture(scope="module")
def read_for(build):
    """Object file → the files that were read to make it, by ninja's own log."""
    objects, read = None, {}
    for line in ninja(build, "-t", "deps").splitlines():
        if match := re.fullmatch(r"(\S.*): #deps \d+, .*", line):
            objects = read.setdefault(match[1], [])
        elif line.startswith("    "):
            objects.append(Path(os.path.normpath(build / line.strip())))
    return read


def sources(root, build, files):
    """Names below the root of those that no build made."""
    inside = {path.relative_to(root) for path in files if path.is_relative_to(root)}
    return {path.as_posix() for path in inside if not path.is_relative_to(build.relative_to(root))}


def symbols(*files):
    """Functions and data that one file alone may define, by file."""
    lines = subprocess.run(["nm", "--defined-only", "--extern-only", "--print-file-name", *files],
                           capture_output=True, text=True, check=True).stdout.splitlines()  # fmt: skip
    defined = {}
    for match in (re.fullmatch(r"(.*?): ?[0-9a-f]+ [TDBR] (\S+)", line) for line in lines):
        if match:
            defined.setdefault(match[1], set()).add(match[2])
    return defined


def built_from(root, build, read_for, lab):
    """The sources of the objects that are in the program, those of whose symbols it has one: what the key must follow."""
    program = build / f"bin/lab-{lab}"
    files = ninja(build, "-t", "inputs", f"bin/lab-{lab}").splitlines()
    objects = [path for path in files if path.startswith("labs/") and path.endswith(".o")]  # not those of the record tool
    offered = symbols(*(build / path for path in objects))
    taken = symbols(program)[str(program)]
    linked = [path for path in objects if offered.get(str(build / path), set()) & taken]
    all_of_them = set().union(*(sources(root, build, read_for[path]) for path in linked))
    assert all_of_them >= ONLY_PRINT
    return all_of_them - ONLY_PRINT


def key_inputs(build, lab):
    return json.loads((build / f"bin/lab-{lab}.inputs.json").read_text())


@pytest.mark.parametrize("lab", LABS)
def test_every_source_and_header_of_a_lab_is_in_its_key(root, build, read_for, lab):
    wanted = built_from(root, build, read_for, lab) | {f"labs/{lab}/laws.json", "labs/record/schema.json"}
    assert f"labs/{lab}/lab.cpp" in wanted and "labs/harness/run_lab.cpp" in wanted and len(wanted) > 80
    listed = {name.removeprefix("source:") for name in key_inputs(build, lab) if name.startswith("source:")}
    assert wanted <= listed
    assert not ONLY_PRINT & listed
    assert f"labs/{lab}/claims.json" not in listed  # a sentence or a bound measures nothing


def test_chapters_are_measured_again_for_what_they_use_and_nothing_else(build):
    assert "source:labs/02-matmul/kernels/attention.cpp" in key_inputs(build, "02-matmul")
    assert "source:labs/02-matmul/kernels/gemm.cpp" in key_inputs(build, "04-tpu")
    assert "source:labs/02-matmul/kernels/attention.cpp" not in key_inputs(build, "04-tpu")
    assert "source:labs/01-roofline/kernels/kernels.hpp" in key_inputs(build, "02-matmul")
    assert all("source:labs/record/samples.cpp" in key_inputs(build, lab) for lab in LABS)
    assert "library:libgomp" in key_inputs(build, "02-matmul")


class Copy:
    """The sources, and of the build what the linker and the compilers said, in another place, to be changed."""

    def __init__(self, root, build, folder):
        self.root, self.build, self.tool = folder, folder / "build", build / "bin/record"
        shutil.copytree(root / "labs", folder / "labs")
        for path in build.rglob("*"):
            generated = ("_text.cpp", "_texts.cpp", "_py.hpp", "_cpp.hpp", "_hpp.hpp", "_json.hpp", "_wide.cpp")
            kept = path.suffix in (".map", ".read") or path.name == "compile_commands.json" or path.name.endswith(generated)
            if path.suffix == ".o" and path.with_name(path.name + ".read").exists():
                self.place(build, path, b"")
            elif kept and path.is_file():
                self.place(build, path, path.read_bytes().replace(os.fsencode(root) + b"/", os.fsencode(folder) + b"/"))

    def place(self, build, path, content):
        to = self.build / path.relative_to(build)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(content)

    def inputs(self, lab):
        out = self.root / "inputs.json"
        subprocess.run([self.tool, "inputs", "--root", self.root, "--build", self.build, "--map", self.build / f"bin/lab-{lab}.map",
                        "--output", out, "--compiler", "c", "--flags=-O3"], check=True)  # fmt: skip
        return json.loads(out.read_text())


def test_changing_any_of_them_changes_the_inputs_of_the_labs_that_use_it(root, build, read_for, tmp_path):
    copy = Copy(root, build, tmp_path / "copy")
    before = {lab: copy.inputs(lab) for lab in LABS}
    for path in (copy.root / "labs").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes() + b"\n")
    for lab in LABS:
        after = copy.inputs(lab)
        for name in built_from(root, build, read_for, lab) | {f"labs/{lab}/laws.json"}:
            assert after[f"source:{name}"] != before[lab][f"source:{name}"], name


def test_a_chapter_is_not_measured_again_for_what_it_does_not_use(root, build, tmp_path):
    copy = Copy(root, build, tmp_path / "copy")
    before = {lab: copy.inputs(lab) for lab in LABS}
    for name in ("labs/02-matmul/kernels/attention.cpp", "labs/02-matmul/claims.json", "labs/CMakeLists.txt"):
        path = copy.root / name
        path.write_bytes(path.read_bytes() + b"\n")
    assert [lab for lab in LABS if copy.inputs(lab) != before[lab]] == ["02-matmul", "07-compilers"]
    path = copy.root / "labs/02-matmul/kernels/gemm.cpp"
    path.write_bytes(path.read_bytes() + b"\n")
    assert [lab for lab in LABS if copy.inputs(lab) != before[lab]] == ["02-matmul", "04-tpu", "05-scaling", "06-precision", "07-compilers"]
