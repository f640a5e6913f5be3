"""Other people's shells, folders and trees: what the tools ignore, and the one line that they print where they can't."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

SCRIPTS = ("primer", "site/browser/build", ".ci/run", "tests/labs/labs-without")
ALONE = ("bundled-measure", "bundled-mpirun", "keep-dependencies", "measure", "measure-gpu")  # work in a bundle, or change no folder


def listed(root, name):
    """The words of one list in tools/environment.sh."""
    script = f'. "$0/tools/environment.sh"; echo ${name}'
    return subprocess.run(["sh", "-c", script, root], capture_output=True, text=True, check=True).stdout.split()


def test_every_script_reads_the_one_list_first(root):
    tools = [path for path in (root / "tools").iterdir() if path.is_file() and path.name not in ALONE]
    for path in [*tools, *(root / name for name in SCRIPTS)]:
        text = path.read_text(encoding="utf-8")
        if re.match(r"#!/bin/(ba)?sh\n", text):
            first_cd = text.find("\ncd ")
            assert 0 < text.find("/environment.sh") < (first_cd if first_cd > 0 else len(text)), path


@pytest.mark.parametrize("command", [["./primer", "lab-01"], ["make", "lab-01"], ["tools/build", "labs"]])
def test_what_a_caller_exports_does_not_reach_the_programs(door, root, command):
    ignored, settings = listed(root, "ignored"), dict(word.split("=") for word in listed(root, "settings"))
    assert {"GIT_DIR", "PIP_TARGET", "PYTHONSAFEPATH"} <= {*ignored}
    assert door.run("sh", "./primer", "test").returncode == 0
    door.use_real("make")
    (door.folder / "build/bin").mkdir(parents=True)
    seen = door.folder / "seen"
    door.stub("cmake", f"env >{seen}")
    variables = {name: "elsewhere" for name in [*ignored, *settings] if name != "MAKEFILES"}
    door.run(*command, PIP_INDEX_URL="https://index", MY_OWN="kept", **variables)
    found = dict(line.partition("=")[::2] for line in seen.read_text(encoding="utf-8").splitlines())
    assert not {*ignored} & {*found}
    assert {name: found[name] for name in settings} == settings
    assert (found["PIP_INDEX_URL"], found["MY_OWN"]) == ("https://index", "kept")


@pytest.mark.parametrize("tool", ["tools/build", "tools/new-chapter", "primer"])
def test_cdpath_leads_nowhere_else(door, tool, tmp_path):
    (tmp_path / "elsewhere/tools").mkdir(parents=True)
    run = door.run("sh", tool, *(["--version"] if tool == "primer" else []), CDPATH=str(tmp_path / "elsewhere"))
    assert str(tmp_path / "elsewhere") not in run.stdout + run.stderr
    assert not (tmp_path / "elsewhere/build").exists()


@pytest.mark.parametrize("name", ["a#b", "a:b", "a;b", 'a"b', "a\\b", "a\nb"])
@pytest.mark.parametrize("command", [["./primer", "lab-01"], ["make", "lab-01"]], ids=["primer", "make"])
def test_a_folder_that_cmake_cannot_read_is_one_line(door, name, command):
    door.use_real("make")
    moved = door.folder.with_name(name)
    door.folder.rename(moved)
    door.folder = moved
    run = door.run(*command)
    (line,) = run.stderr.splitlines()
    character = name.strip("ab").replace("\n", "a line break")
    assert run.returncode != 0 and f"the path of this folder contains {character}, which CMake and Doxygen cannot read" in line
    assert door.calls("cmake", "apt-get", "python3") == []


@pytest.mark.parametrize("name", ["Bücher 1", "C++ (2)", "a$b", "Anna's"])
def test_other_folders_are_as_good_as_any(door, name):
    moved = door.folder.with_name(name)
    door.folder.rename(moved)
    door.folder = moved
    run = door.run("./primer", "--missing", "lab-01")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize("script", ["tools/alone", "site/browser/build"])
@pytest.mark.parametrize("command", [["sh", "primer", "lab-01"], ["make", "lab-01"]], ids=["primer", "make"])
def test_a_lost_permission_is_one_line_and_its_remedy_mends_it(door, script, command):
    door.use_real("make")
    (door.folder / script).chmod(0o644)
    run = door.run(*command)
    (line,) = run.stderr.splitlines()
    assert run.returncode != 0 and f"{script} cannot be executed" in line
    remedy = re.search(r"run (chmod .*); else", line).group(1)
    door.run("sh", "-c", remedy)
    assert os.access(door.folder / script, os.X_OK)


def test_make_stops_where_the_primer_cannot_start(door):
    door.use_real("make")
    (door.folder / "primer").chmod(0o644)
    run = door.run("make", "lab-01")
    (line,) = run.stderr.splitlines()
    assert run.returncode != 0 and "Permission denied: sh primer JOB says why" in line
    assert door.calls("cmake") == []
    assert "primer cannot be executed" in door.run("sh", "primer", "lab-01").stderr


def test_windows_line_ends_are_one_line(door, shell):
    primer = door.folder / "primer"
    primer.write_bytes(primer.read_bytes().replace(b"\n", b"\r\n"))
    run = door.run(*shell, "primer", "lab-01")
    assert run.returncode != 0
    assert run.stderr == "primer: its lines end in CR LF: get the project again with git clone -c core.autocrlf=false\n"


def test_a_clone_with_autocrlf_has_lf(root, tmp_path):
    source, clone = tmp_path / "source", tmp_path / "clone"
    source.mkdir()
    git = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=true", *words],
                                        check=True, capture_output=True)  # fmt: skip
    for name in (".gitattributes", "primer", "site/press/static/fonts/math.woff2"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, source / name)
    git("init", "--quiet", source)
    git("-C", source, "add", ".")
    git("-C", source, "commit", "--quiet", "--message", "a")
    git("clone", "--quiet", source, clone)
    for name in ("primer", "site/press/static/fonts/math.woff2"):
        assert (clone / name).read_bytes() == (root / name).read_bytes()


@pytest.mark.parametrize("reason", ["Function not implemented", "No locks available", "Operation not supported"])
def test_a_folder_without_locks_is_not_called_busy(door, reason):
    door.stub("flock", f"echo 'flock: 9: {reason}' >&2; exit 71")
    run = door.run("tools/alone", "true")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (f"build/.lock cannot be locked (flock: 9: {reason}): keep build/ on a local disk; build may be a link to "
                          "a folder there\n")  # fmt: skip


def test_without_flock_its_package_is_named(door):
    door.remove("flock")
    run = door.run("tools/alone", "true")
    assert run.returncode == 1 and run.stderr.endswith(": install util-linux\n") and len(run.stderr.splitlines()) == 1


def test_cleaning_empties_a_build_folder_that_is_a_link(door, tmp_path):
    door.use_real("make")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "bin").mkdir(parents=True)
    (door.folder / "build").symlink_to(elsewhere)
    assert door.run("make", "clean").returncode == 0
    assert [path.name for path in elsewhere.iterdir()] == [".lock"] and (door.folder / "build").is_symlink()


@pytest.mark.parametrize("missing", [{"CXX": "no-such-c++"}, {"CXX": "no-such-cache g++"}])
def test_a_compiler_that_is_not_there_is_one_line(door, missing):
    run = door.run("./primer", "lab-01", **missing)
    assert run.returncode == 1
    word = missing["CXX"].split()[0]
    assert run.stderr == f"primer: CXX='{missing['CXX']}': there is no command {word}: install it, or unset CXX\n"


def test_headers_are_looked_for_with_the_compiler_of_the_build(door):
    door.stub("other-c++", "echo header:doctest/doctest.h")
    run = door.run("./primer", "--missing", "lab-01", CXX="other-c++ -std=gnu++17", CXXFLAGS="-isystem /conda")
    assert run.stdout == "missing for lab-01: doctest-dev; ./primer lab-01 installs it\n"
    assert door.calls("c++", "other-c++") == ["other-c++ -std=gnu++17 -isystem /conda -x c++ -E -P -"]


@pytest.mark.parametrize("change", [{"CXX": "clang++"}, {"CXX": "ccache g++"}, {"CXXFLAGS": "-I/conda"}, {"LDFLAGS": "-fuse-ld=gold"},
                                    {"CMAKE_BUILD_TYPE": "Debug"}])  # fmt: skip
def test_a_build_for_another_compiler_or_flags_is_configured_again(door, change):
    build = lambda **variables: (door.run("tools/build", "record", **variables), door.calls("cmake"))
    door.stub("cmake", "mkdir -p build; : >build/build.ninja; echo CMAKE_HOME_DIRECTORY:INTERNAL=$PWD >build/CMakeCache.txt")
    compiled = ["cmake --build build --target record"]
    assert build()[1] == ["cmake --fresh --preset default", *compiled]
    assert build()[1] == compiled
    run, calls = build(**change)
    ((name, value),) = change.items()
    assert calls == ["cmake --fresh --preset default", *compiled]
    assert run.stdout == f"build: {name}={value} differs from the last time: configuring build/ again\n"
    assert build(**change)[1] == compiled
    assert build()[1] == ["cmake --fresh --preset default", *compiled]


def test_a_compiler_that_was_replaced_configures_the_build_again(door):
    door.stub("cmake", "mkdir -p build; : >build/build.ninja; echo CMAKE_HOME_DIRECTORY:INTERNAL=$PWD >build/CMakeCache.txt")
    for version in ("12.2", "14.1"):
        door.stub("c++", f"echo c++ {version}")
        door.run("tools/build", "record")
        assert "cmake --fresh --preset default" in door.calls("cmake")


def test_python_packages_that_went_elsewhere_get_no_stamp(door):
    assert door.run("sh", "./primer", "test").returncode == 0
    (door.folder / "site/requirements.txt").write_text("package==2.0 --hash=sha256:00\n", encoding="utf-8")
    python = door.folder / ".venv/bin/python"
    python.write_text(python.read_text(encoding="utf-8").replace(
        "#!/bin/sh\n", '#!/bin/sh\ncase $1 in tools/importable) echo "sphinx cannot be found in .venv" >&2; exit 1 ;; esac\n'),
        encoding="utf-8")  # fmt: skip
    for _ in range(2):
        run = door.run("sh", "./primer", "site")
        assert run.returncode == 1
        assert run.stderr == ("primer: the packages of site/requirements.txt were installed, but sphinx cannot be found in .venv: "
                              "remove the target, prefix or root that pip config list shows\n")  # fmt: skip
        assert door.run("sh", "./primer", "--missing", "site").returncode == 1


def importable(root, tmp_path, pins, **variables):
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(pins, encoding="utf-8")
    return subprocess.run([root / ".venv/bin/python", root / "tools/importable", requirements], capture_output=True, text=True,
                          env={**os.environ, **variables}, check=False)  # fmt: skip


def test_packages_are_imported_before_they_count_as_installed(root, tmp_path):
    assert importable(root, tmp_path, "pyyaml==6.0 --hash=sha256:00\nmarkdown-it-py==3.0\n").returncode == 0
    absent = importable(root, tmp_path, "no-such-package==1.0\n")
    assert absent.returncode == 1 and "no-such-package cannot be found in .venv" in absent.stderr
    (tmp_path / "jinja2.py").write_text("raise OSError('of another project')", encoding="utf-8")
    broken = importable(root, tmp_path, "jinja2==3.0\n", PYTHONPATH=str(tmp_path))
    assert broken.stderr == "jinja2 cannot be imported: OSError: of another project\n"


def test_no_file_and_no_program_is_read_in_the_encoding_of_the_locale(root):
    files = [path for folder in ("tools", "site", "drawings") for path in (root / folder).rglob("*")
             if path.is_file() and "__pycache__" not in path.parts]
    sources = [path for path in files if path.suffix == ".py" or (not path.suffix and path.read_bytes().startswith(b"#!/usr/bin/env py"))]
    assert len(sources) > 40
    # A zip file's entries and a network's answers are bytes.
    unnamed = re.compile(r"(?<!\bpacked)(?<!\bopener)\.(?:read_text|write_text|open)\((?!.*encoding)|\btext=True")
    assert [f"{path}: {line}" for path in sources for line in path.read_text(encoding="utf-8").splitlines()
            if unnamed.search(line)] == []  # fmt: skip


@pytest.mark.parametrize("tool", [["-m", "press", "."], ["tools/check-voice", "."], ["tools/tally", "suite.xml"]])
def test_a_locale_that_is_not_utf_8_changes_nothing(root, tmp_path, tool):
    name, *arguments = tool
    name = name if name == "-m" else root / name
    (tmp_path / "chapters").mkdir()
    (tmp_path / "chapters/page.md").write_text("# “Ü” → [ü](https://ü.example/) and [none](ü.md)\n", encoding="utf-8")
    (tmp_path / "suite.xml").write_text('<testsuite><testcase name="ü → “q”"><failure/></testcase></testsuite>', encoding="utf-8")
    run = lambda **variables: subprocess.run([sys.executable, name, *arguments], cwd=tmp_path, capture_output=True, check=False,
                                             env={**os.environ, "PYTHONPATH": str(root / "site"), **variables})  # fmt: skip
    ascii_only = run(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    usual = run(LC_ALL="C.UTF-8")
    assert (ascii_only.returncode, ascii_only.stdout) == (usual.returncode, usual.stdout)
    assert b"Traceback" not in ascii_only.stderr


@pytest.mark.parametrize("check", [["-m", "press"], ["tools/check-voice"]])
def test_a_check_of_nothing_is_an_error(root, tmp_path, check):
    run = subprocess.run([sys.executable, *check, tmp_path], cwd=root, capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": str(root / "site")})
    assert (run.returncode, len(run.stderr.splitlines())) == (1, 1) and "run it in the project's folder" in run.stderr


@pytest.fixture
def headers(door):
    """A header, and a Doxygen that lists the headers it finds."""
    (door.folder / "site/Doxyfile").touch()
    for name in ("labs/01-roofline/one.hpp", "labs/01-roofline/kernels/two.hpp"):
        (door.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (door.folder / name).write_text("int i;", encoding="utf-8")
    door.stub("doxygen", "mkdir build/doxygen/xml; : >build/doxygen/xml/index.xml")
    assert door.run("tools/reference").returncode == 0
    assert door.run("tools/reference").returncode == 0
    assert door.calls("doxygen") == ["doxygen site/Doxyfile"]
    return door.folder / "labs/01-roofline"


@pytest.mark.parametrize("change", ["edited", "deleted", "added", "Doxyfile"])
def test_the_reference_is_made_again_when_a_header_changes(door, headers, change):
    if change == "edited":
        (headers / "kernels/two.hpp").write_text("int j;", encoding="utf-8")
    elif change == "deleted":
        (headers / "one.hpp").unlink()
    elif change == "added":
        (headers / "kernels/three.hpp").touch()
    else:
        (door.folder / "site/Doxyfile").write_text("QUIET = YES", encoding="utf-8")
    stale = door.folder / "build/doxygen/xml/one_8hpp.xml"
    stale.touch()
    assert door.run("tools/reference").returncode == 0
    assert door.calls("doxygen") == ["doxygen site/Doxyfile"] and not stale.exists()


@pytest.mark.parametrize(("compiler", "arguments", "flags"), [("env g++", " g++", ""), ("g++ -std=gnu++17", " -std=gnu++17", "-std=gnu++17 "),
                                                              ("env g++ -std=gnu++17", " g++ -std=gnu++17", "-std=gnu++17 ")])  # fmt: skip
def test_a_compiler_of_several_words_is_passed_on_and_recorded(root, tmp_path, compiler, arguments, flags):
    subprocess.run(["cmake", "-S", root, "-B", tmp_path, "-G", "Ninja", "-DHARDWARE_FIRST_CUDA=OFF"], check=True, capture_output=True,
                   env={**os.environ, "CXX": compiler})  # fmt: skip
    commands = json.loads((tmp_path / "compile_commands.json").read_text(encoding="utf-8"))
    [command] = [each["command"] for each in commands if each["file"].endswith("07-compilers/kernels/compiler/toolchain.cpp")]
    assert f'HARDWARE_FIRST_CXX_ARGUMENTS="\\"{arguments}\\""' in command
    ninja = (tmp_path / "build.ninja").read_text(encoding="utf-8")
    assert f"--flags={flags}-O3 -DNDEBUG -std=c++20" in ninja


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("ccache") is None, reason="ccache is not installed")
def test_a_lab_built_through_a_cache_compiles_its_loops_through_it(root, tmp_path):
    """Without CXX in the lab's environment, since a reader sets it once, to configure."""
    build = tmp_path / "build"
    run = lambda *command, **variables: subprocess.run(command, check=True, capture_output=True, encoding="utf-8",
                                                       env={**os.environ, "CXX": "", "TMPDIR": str(tmp_path), **variables})  # fmt: skip
    run("cmake", "-S", root, "-B", build, "-G", "Ninja", "-DHARDWARE_FIRST_CUDA=OFF", CXX="ccache g++")
    run("cmake", "--build", build, "--target", "lab-07-compilers")
    inputs = json.loads((build / "bin/lab-07-compilers.inputs.json").read_text(encoding="utf-8"))
    assert inputs["compiler"].startswith("GNU ") and inputs["flags"].startswith("-O3 ")
    said = run(build / "bin/lab-07-compilers", "--budget", "quick", "--only", "fusion").stdout
    assert re.search(r"^ *fusion_attention_gain +[0-9.]+", said, re.M)


@pytest.mark.parametrize(("variables", "named"), [({"LDFLAGS": "-fuse-ld=gold"}, "-fuse-ld=gold"),
                                                  ({"CXXFLAGS": "-O2 -fuse-ld=bfd -fuse-ld=gold"}, "-fuse-ld=gold"),
                                                  ({"LDFLAGS": "-fuse-ld=gold -fuse-ld=bfd"}, None)])  # fmt: skip
def test_a_linker_whose_map_lists_too_little_is_refused_when_configuring(root, tmp_path, variables, named):
    run = subprocess.run(["cmake", "-S", root, "-B", tmp_path, "-G", "Ninja", "-DHARDWARE_FIRST_CUDA=OFF"], capture_output=True,
                         encoding="utf-8", env={**os.environ, **variables}, check=False)  # fmt: skip
    assert (f"{named}: expected GNU ld" in run.stderr) if named else run.returncode == 0
