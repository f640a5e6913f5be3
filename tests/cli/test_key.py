"""A lab's key depends on every file that can change a number and that its program was built from, and on no other, according to
ninja and the programs themselves."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from programs import result_of

LABS = sorted(path.parent.name for path in Path(__file__).resolve().parents[2].glob("labs/[0-9][0-9]-*/lab.cpp"))

# The folders that only print, check or write. What is found about a machine is in a key by itself.
SAY = ("labs/record/", "labs/harness/report/", "labs/harness/machine/")


def ninja(build, *words):
    return result_of("ninja", "-C", build, "--quiet", *words, check=True).stdout


@pytest.fixture(scope="module")
def build(root):
    build = root / "build"
    assert LABS and all((build / f"bin/lab-{lab}").exists() for lab in LABS), "build first: cmake --build build"
    return build


@pytest.fixture(scope="module")
def read_for(build):
    """Object file → the files that were read to make it, according to ninja's log."""
    objects, read = None, {}
    for line in ninja(build, "-t", "deps").splitlines():
        if match := re.fullmatch(r"(\S.*): #deps \d+, .*", line):
            objects = read.setdefault(match[1], [])
        elif line.startswith("    "):
            objects.append(Path(os.path.normpath(build / line.strip())))
    return read


def sources(root, build, files):
    """Names, below the root, of files that no build made."""
    inside = {path.relative_to(root) for path in files if path.is_relative_to(root)}
    return {path.as_posix() for path in inside if not path.is_relative_to(build.relative_to(root))}


def symbols(*files):
    """Functions and data that only one file may define, by file."""
    lines = result_of("nm", "--defined-only", "--extern-only", "--print-file-name", *files, check=True).stdout.splitlines()
    defined = {}
    for match in (re.fullmatch(r"(.*?): ?[0-9a-f]+ [TDBR] (\S+)", line) for line in lines):
        if match:
            defined.setdefault(match[1], set()).add(match[2])
    return defined


def built_from(root, build, read_for, lab):
    """The sources of the objects in the program, that is, of those with a symbol in it: the key must depend on them."""
    program = build / f"bin/lab-{lab}"
    files = ninja(build, "-t", "inputs", f"bin/lab-{lab}").splitlines()
    objects = [path for path in files if path.startswith("labs/") and path.endswith(".o")]  # without the record tool's
    offered = symbols(*(build / path for path in objects))
    taken = symbols(program)[str(program)]
    linked = [path for path in objects if offered.get(str(build / path), set()) & taken]
    all_of_them = set().union(*(sources(root, build, read_for[path]) for path in linked))
    assert all(any(name.startswith(room) for name in all_of_them) for room in SAY)
    return {name for name in all_of_them if not name.startswith(SAY)}


def key_inputs(build, lab):
    return json.loads((build / f"bin/lab-{lab}.inputs.json").read_text())


@pytest.mark.parametrize("lab", LABS)
def test_every_source_and_header_of_a_lab_is_in_its_key(root, build, read_for, lab):
    wanted = built_from(root, build, read_for, lab)
    assert f"labs/{lab}/lab.cpp" in wanted and "labs/harness/measure/sampling.cpp" in wanted and len(wanted) > 40
    listed = {name.removeprefix("source:") for name in key_inputs(build, lab) if name.startswith("source:")}
    assert wanted <= listed
    assert not any(name.startswith(SAY) or name.endswith(("CMakeLists.txt", "laws.json", "definitions.json", "claims.json")) for name in listed)


def test_no_object_on_the_path_of_sampling_calls_what_only_says(build):
    objects = [name.partition(":")[0] for name in ninja(build, "-t", "targets", "all").splitlines()]
    rooms = {room: [build / name for name in objects if re.fullmatch(rf"labs/.*\.dir/{room}/[^/]+\.o", name)]
             for room in ("measure", "report")}  # fmt: skip
    record = [build / name for name in objects if name.startswith("labs/record/") and name.endswith(".o")]
    said = set().union(*symbols(*rooms["report"], *record).values())
    assert len(rooms["measure"]) > 15 and len(rooms["report"]) > 5 and len(said) > 50
    undefined = result_of("nm", "--undefined-only", "--format=just-symbols", *rooms["measure"], check=True).stdout.split()
    assert said & set(undefined) == set()


def test_chapters_are_measured_again_for_what_they_use_and_nothing_else(build):
    assert "source:labs/02-matmul/kernels/attention.cpp" in key_inputs(build, "02-matmul")
    assert "source:labs/kit/gemm/gemm.cpp" in key_inputs(build, "04-tpu")
    assert "source:labs/02-matmul/kernels/attention.cpp" not in key_inputs(build, "04-tpu")
    assert "source:labs/kit/softmax.hpp" in key_inputs(build, "02-matmul")
    assert "source:labs/01-roofline/kernels/kernels.hpp" not in key_inputs(build, "02-matmul")
    assert all("source:labs/harness/measure/samples.cpp" in key_inputs(build, lab) for lab in LABS)
    assert "library:libgomp" in key_inputs(build, "02-matmul")


class Copy:
    """The sources, and the build's linker and compiler output, copied to another place for changes."""

    def __init__(self, root, build, folder):
        self.root, self.build, self.tool = folder, folder / "build", build / "bin/record"
        shutil.copytree(root / "labs", folder / "labs")
        for path in build.rglob("*"):
            kept = path.suffix in (".map", ".read", ".cpp", ".hpp") or path.name == "compile_commands.json"  # some sources are generated
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
            path.write_bytes(path.read_bytes() + b"\nint changed;\n")
    for lab in LABS:
        after = copy.inputs(lab)
        for name in built_from(root, build, read_for, lab):
            assert after[f"source:{name}"] != before[lab][f"source:{name}"], name


def append(copy, text, *names):
    for name in names:
        path = copy.root / name
        path.write_bytes(path.read_bytes() + text)


def test_a_chapter_is_not_measured_again_for_what_it_does_not_use(root, build, tmp_path):
    copy = Copy(root, build, tmp_path / "copy")
    before = {lab: copy.inputs(lab) for lab in LABS}
    append(copy, b"\nint changed;\n", "labs/02-matmul/kernels/attention.cpp", "labs/harness/report/run_lab.cpp", "labs/record/law.cpp",
           "labs/harness/machine/machine_isa.cpp")  # fmt: skip
    append(copy, b"\n", "labs/02-matmul/claims.json", "labs/02-matmul/laws.json", "labs/02-matmul/definitions.json",
           "labs/record/schema.json", "labs/CMakeLists.txt",
           "labs/02-matmul/CMakeLists.txt")  # fmt: skip
    assert [lab for lab in LABS if copy.inputs(lab) != before[lab]] == ["02-matmul"]
    append(copy, b"\nint changed;\n", "labs/kit/gemm/gemm.cpp")
    assert [lab for lab in LABS if copy.inputs(lab) != before[lab]] == ["02-matmul", "04-tpu", "05-scaling", "06-precision", "07-compilers"]
    append(copy, b"\nint changed;\n", "labs/harness/measure/sampling.cpp")
    assert [lab for lab in LABS if copy.inputs(lab) != before[lab]] == LABS


def test_words_and_layout_measure_nothing(root, build, tmp_path):
    copy = Copy(root, build, tmp_path / "copy")
    before = {lab: copy.inputs(lab) for lab in LABS}
    for path in (copy.root / "labs").rglob("*"):
        if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
            text = path.read_text().replace("\n\n", "\n\n\n")
            path.write_text(f'// [begin: all]\n#include "elsewhere.hpp"\n{text}\n/* [end: all] */\n')
    assert {lab: copy.inputs(lab) for lab in LABS} == before


def test_another_flag_of_a_kernel_measures_the_labs_that_use_it(root, build, tmp_path):
    copy = Copy(root, build, tmp_path / "copy")
    before = {lab: copy.inputs(lab) for lab in LABS}
    commands = copy.build / "compile_commands.json"
    steps = json.loads(commands.read_text())
    for step in steps:
        if step["file"].endswith("kit/gemm/gemm.cpp"):
            step["command"] = step["command"].replace(" -O3 ", " -O2 ")
    commands.write_text(json.dumps(steps))
    after = {lab: copy.inputs(lab) for lab in LABS}
    assert [lab for lab in LABS if after[lab] != before[lab]] == ["02-matmul", "04-tpu", "05-scaling", "06-precision", "07-compilers"]
    assert " -O2 " in after["04-tpu"]["source:labs/kit/gemm/gemm.cpp"]
