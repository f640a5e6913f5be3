"""The Makefile: it installs nothing, prints one line if something is wrong, and repairs its own build folder."""

import os
import shutil

import pytest
from programs import script


@pytest.fixture
def make(door):
    """Runs the real make in the sandbox, where everything else is a stub and present."""
    assert door.run("sh", "./primer", "test").returncode == 0
    door.use_real("make")
    door.calls()

    def run(*words):
        return door.run("make", *words)

    return run


def only_line(run):
    (line,) = run.stderr.splitlines()
    return line


def test_help_lists_the_jobs(make):
    listing = make().stdout
    assert listing == make("help").stdout
    for job in ("site", "test", "lab-NN", "serve", "publish", "new-chapter", "check", "calibrate", "clean"):
        assert f"  make {job} " in listing


def test_a_missing_tool_is_named_and_not_installed(make, door):
    door.remove("cmake", "doxygen")
    run = make("site")
    assert run.returncode != 0
    assert "missing for site: cmake doxygen; ./primer site installs it" in only_line(run)
    assert door.calls("apt-get", "sudo", "dpkg") == []


def test_an_unknown_lab_is_answered_with_those_there_are(make):
    run = make("lab-99")
    assert run.returncode != 0
    assert "there is no lab 99; the labs are: lab-01" in only_line(run)


@pytest.mark.parametrize(("name", "values"), [("BUDGET", "quick or full"), ("MEASURE", "yes or no")])
@pytest.mark.parametrize("value", ["fast", "", "quick full"])
def test_a_wrong_budget_or_measure_is_refused(make, door, name, values, value):
    run = make("site", f"{name}={value}")
    assert run.returncode != 0
    assert f"{name}='{value}': expected {values}" in only_line(run)
    assert door.calls("cmake") == []


def test_the_budget_reaches_the_lab(make, door):
    lab(door, f'echo "lab $BUDGET" >>{door.log}')
    figures = "figures/01-bandwidth.gp figures/01-roofline.gp"
    for figure in figures.split():
        (door.folder / figure).parent.mkdir(exist_ok=True)
        (door.folder / figure).touch()
    for words, budget in ((["BUDGET=quick"], "quick"), ([], "full")):
        assert make("lab-01", *words).returncode == 0
        *built, measured, drawn = door.calls("cmake", "lab", "python3")
        assert any("lab-01-roofline" in call for call in built)
        assert measured == f"lab {budget}"
        assert {*figures.split(), "build/records/01-roofline.json"} <= set(drawn.split())


def configured_in(door, home, generator="Ninja"):
    build = door.folder / "build"
    build.mkdir(exist_ok=True)
    (build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
    if generator == "Ninja":
        (build / "build.ninja").touch()


def build(door):
    return door.run("sh", "tools/build", "record")


def test_a_configured_build_is_left_as_it_is(make, door):
    configured_in(door, door.folder)
    assert build(door).returncode == 0
    assert door.calls("cmake") == ["cmake --build build --target record"]


@pytest.mark.parametrize("state", ["none", "moved", "generator"])
def test_a_build_of_another_place_or_generator_is_configured_afresh(make, door, state):
    if state == "moved":
        configured_in(door, "/some/other/place")
    elif state == "generator":
        configured_in(door, door.folder, "Unix Makefiles")
    assert build(door).returncode == 0
    assert door.calls("cmake") == ["cmake --fresh --preset default", "cmake --build build --target record"]


def test_nothing_is_built_where_configuring_failed(make, door):
    door.stub("cmake", "exit 1")
    assert build(door).returncode != 0
    assert door.calls("cmake") == ["cmake --fresh --preset default"]


@pytest.mark.parametrize("command", [["sh", "tools/build", "two"], ["make", "site", "MEASURE=no"], ["make", "clean"]])
def test_a_second_job_waits_for_the_first_and_says_so(make, door, tmp_path, command):
    began, go = tmp_path / "began", tmp_path / "go"
    os.mkfifo(began)
    os.mkfifo(go)
    configured_in(door, door.folder)
    (door.folder / "site/Doxyfile").touch()
    door.stub("cmake", f"echo >{began}; read -r line <{go}; echo end >>{door.log}")
    first = door.start("sh", "tools/build", "one")
    began.read_text()
    second = door.start(*command)
    assert second.stdout.readline() == "another job is running in build/; waiting for it to finish\n"
    assert (door.folder / "build/build.ninja").exists()
    door.stub("cmake", f"echo end >>{door.log}")
    with go.open("w") as pipe:
        pipe.write("\n")
    assert (first.wait(), second.wait()) == (0, 0)
    assert door.calls("cmake", "end")[:2] == ["cmake --build build --target one", "end"]
    assert (door.folder / "build/build.ninja").exists() == (command[-1] != "clean")


def test_a_job_within_a_job_does_not_wait(make, door):
    outer = door.run("tools/alone", "tools/alone", "sh", "-c", "")
    assert (outer.returncode, outer.stdout) == (0, "")


@pytest.mark.parametrize("job", [["site", "MEASURE=no"], ["lab-01"], ["pdf"], ["clean"], ["publish", "MACHINE=name"]])
def test_a_folder_that_cannot_be_written_is_one_line(make, door, job):
    (door.folder / "build").touch()
    run = make(*job)
    assert run.returncode != 0
    assert "build/ cannot be written: make it writable, or work in a copy of this folder" in run.stderr.splitlines()[0]


RENDERING = "Rendering the book: the figures of new records, and pages that changed\n"


def test_what_is_wrong_with_the_text_is_told_once_and_before_anything_is_measured(make, door):
    lab(door, "echo measuring >&2; mkdir -p build/records; echo >build/records/01-roofline.json")
    script(door.folder / ".venv/bin/python", "mkdir -p build/rendered; : >build/rendered/index.html; echo a typo >&2; exit 1")
    run = door.run("sh", "tools/site")
    assert run.returncode == 1
    assert run.stderr == "a typo\nmeasuring\nsite: the book has gaps; the lines above say where\n"


def test_a_failed_lab_does_not_keep_the_book_from_being_rendered(make, door):
    for how in ("built", "measured"):
        door.stub("cmake", f'case "$*" in *labs*) [ {how} = measured ] ;; esac')
        lab(door, "exit 1")
        run = door.run("sh", "tools/site")
        assert run.returncode == 1
        assert run.stderr.endswith("site: a lab did not finish; the lines above say where\n")
        assert any("-m sphinx" in call for call in door.calls("venv-python"))


def lab(door, body):
    """The book's lab, as a script."""
    script(door.folder / "build/bin/lab-01-roofline", body)


def test_the_book_is_there_before_anything_is_measured_and_renewed_when_a_lab_is_done(make, door):
    page = door.folder / "build/site/index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    lab(door, f"echo lab >>{door.log}; mkdir -p build/records; echo >build/records/01-roofline.json")
    run = door.run("sh", "tools/site")
    assert run.returncode == 0, run.stderr
    assert run.stdout == (f"{RENDERING}A book to read in the meantime: {page}\nThe book now has this machine's numbers for chapter 01\nThe book: {page}\n")
    assert [call.split()[0] for call in door.calls("venv-python", "cmake", "lab")] == ["venv-python", "cmake", "cmake", "lab", "venv-python"]
    lab(door, f"echo lab >>{door.log}")  # it is up to date
    assert door.run("sh", "tools/site").stdout == f"{RENDERING}A book to read in the meantime: {page}\nThe book: {page}\n"
    assert [call.split()[0] for call in door.calls()].count("venv-python") == 1


def test_a_book_of_published_records_measures_nothing(make, door):
    lab(door, "exit 0")
    for measure in ("no", "yes"):
        assert door.run("sh", "tools/site", MEASURE=measure).returncode == 0
        calls = door.calls("cmake", "venv-python")
        assert any("--target labs" in call for call in calls) == (measure == "yes")
        assert any("-m sphinx" in call for call in calls)


def test_gaps_in_the_book_make_the_status_fail(make, door):
    door.stub("broken-pip")
    run = door.run("sh", "tools/site")
    assert run.returncode == 1
    assert run.stderr.endswith("; the lines above say where\n") and "the book has gaps" in run.stderr


def test_a_check_that_cannot_list_its_files_compiles_nothing(make, door):
    script(door.folder / "tools/list-files", "echo list-files: git cannot open this checkout >&2; exit 1")
    run = door.run("sh", "./primer", "check")
    assert run.returncode == 2 and "git cannot open this checkout" in run.stderr
    assert door.calls("cmake") == []


@pytest.mark.parametrize("folder", ["build/rendered", "build/doctrees"])
def test_a_folder_that_cannot_be_written_is_named_before_anything_is_measured(make, door, folder):
    (door.folder / "build").mkdir()
    (door.folder / folder).touch()
    run = door.run("sh", "tools/site")
    assert run.returncode == 1
    assert only_line(run) == f"render: {folder} cannot be written: remove it, or make it writable; the previous book is unchanged"
    assert door.calls("cmake") == []


@pytest.fixture(params=["build", "build/web"])
def book(make, door, request):
    """Renders with a fake Sphinx that follows instructions, in either folder; its page names the rendering."""
    python, folder = door.folder / ".venv/bin/python", request.param

    def start(does):
        python.write_text(f"#!/bin/sh\ncd {folder}\n[ -e doctrees/read ] && how=quickly\n: >doctrees/read\n"
                          f'echo "$how" >rendered/index.html\n{does}\n')  # fmt: skip
        return door.start("tools/render", **({} if folder == "build" else {"BOOK": folder}))

    start.folder = door.folder / folder
    page = start.folder / "site/index.html"
    start.page = lambda: page.read_text().strip() if page.exists() else None
    return start


def test_a_book_that_does_not_render_leaves_the_one_there_was(book):
    assert book("").wait() == 0 and book.page() == ""
    assert book("").wait() == 0 and book.page() == "quickly"
    assert book("echo half >rendered/index.html; exit 2").wait() == 2 and book.page() == "quickly"
    assert book("").wait() == 0 and book.page() == ""  # pages read before it failed are read again
    assert book("exit 1").wait() == 1 and book.page() == "quickly"  # it has gaps


def test_a_page_that_could_not_be_written_costs_the_new_book_and_is_one_line(book, door):
    assert book("").wait() == 0
    full = book("echo 'WARNING: error writing file a.html: [Errno 28] No space left on device' >&2; echo more >&2")
    assert (full.wait(), book.page()) == (2, "")
    assert full.stderr.read() == ("render: error writing file a.html: [Errno 28] No space left on device: free up space in "
                                  f"{book.folder.relative_to(door.folder)}/, or make it writable; the previous book is unchanged\n")  # fmt: skip


def test_a_book_in_a_place_of_its_own_that_cannot_be_moved_stays(book, door):
    """A disk that is mounted there."""
    assert book("").wait() == 0
    door.stub("mv", f'''case "$*" in *site.previous*) echo "mv: cannot move '$1' to '$2': Device or resource busy" >&2; exit 1 ;; esac
exec {shutil.which("mv")} "$@"''')  # fmt: skip
    busy = book("")
    assert (busy.wait(), book.page()) == (2, "")
    site = (book.folder / "site").relative_to(door.folder)
    assert busy.stderr.read() == (f"render: {site} cannot be replaced (Device or resource busy): unmount it, or make the folder "
                                  "that contains it writable; the previous book is unchanged\n")  # fmt: skip
    assert sorted(path.name for path in book.folder.glob("site*")) == ["site"]


def test_a_web_server_can_read_the_book_whatever_the_umask(make, door):
    assert door.run("sh", "-c", "umask 077; exec tools/render").returncode == 0
    site = door.folder / "build/site"
    assert site.stat().st_mode & 0o005 == 0o005 and (site / "index.html").stat().st_mode & 0o004


def test_a_book_that_is_killed_leaves_the_one_there_was_and_is_rendered_from_the_start_again(book):
    assert book("echo one >rendered/index.html").wait() == 0
    killed = book("echo half >rendered/index.html; kill -9 $PPID")
    assert killed.wait() == -9 and book.page() == "one"
    (book.folder / "site").rename(book.folder / "site.previous")  # as if it had been written later
    assert book("exit 2").wait() == 2 and book.page() == "one"
    assert book("").wait() == 0 and book.page() == ""


@pytest.mark.parametrize(("warning", "kept"), [
    ("/x/chapters/a.md:3: WARNING: Unknown target", {"b.doctree", "environment.pickle"}),
    ("WARNING: duplicate label", {"a.doctree", "b.doctree"}),
    ("/x/chapters/b.md:1: ERROR: no series\nERROR: 1 problem with measurements; the rest of the site is complete:",
     {"a.doctree", "environment.pickle"}),
    ("a chapter is left out", {"a.doctree", "b.doctree", "environment.pickle"}),
])  # fmt: skip
def test_a_page_with_a_warning_is_read_again_so_that_it_warns_again(book, warning, kept):
    names = {"a.doctree", "b.doctree", "environment.pickle"}
    write = " ".join(f": >doctrees/{name};" for name in sorted(names))
    assert book(f"{write} printf '%s\\n' '{warning}' >&2; exit 1").wait() == 1
    assert {path.name for path in (book.folder / "doctrees").iterdir()} & names == kept


def test_a_whole_book_is_announced_by_its_path(make, door):
    page = door.folder / "build/site/index.html"
    page.parent.mkdir(parents=True)
    page.touch()
    run = door.run("sh", "tools/site", MEASURE="no")
    assert (run.returncode, run.stdout) == (0, f"{RENDERING}The book: {page}\n")
    assert not any("--fail-on-warning" in call for call in door.calls("venv-python"))
    assert door.run("sh", "tools/site", MEASURE="no", STRICT="1").returncode == 0
    assert any("--fail-on-warning --keep-going" in call for call in door.calls("venv-python"))


@pytest.fixture
def record(door):
    """A record in the sandbox, and a record tool that logs its calls and publishes without checking."""
    configured_in(door, door.folder)
    path = door.folder / "build/records/01-roofline.json"
    path.parent.mkdir()
    path.write_text("{}")
    script(door.folder / "build/bin/record", f"""echo "record $*" >>{door.log}
[ "$1" = publish ] || exit
shift; mkdir -p figures/records
for each; do to=$each; done; mkdir -p "$to"
while [ "$1" != --to ]; do cp "$1" "$to" || exit; shift; done""")  # fmt: skip
    return path


@pytest.mark.parametrize("name", ["", "-", "../up", "My-Machine", "a--b", "a b", "x;y", "a'b", "$(id)"])
def test_a_bad_machine_name_is_refused(make, door, record, name):
    run = make("publish", f"MACHINE={name}")
    assert run.returncode != 0 and run.stderr.splitlines()[0].startswith(f"publish: MACHINE='{name}': expected")
    assert door.calls("record", "id") == []


def test_the_records_are_published_under_the_machines_name_without_those_that_were_refused(make, door, record):
    record.with_name("01-roofline.refused.json").write_text("{}")
    assert make("publish", "MACHINE=my-machine").returncode == 0
    published = door.folder / "figures/records/my-machine"
    assert [path.name for path in published.iterdir()] == ["01-roofline.json"]


@pytest.mark.parametrize("folder", ["USB STICK", "Anna's", "p(1)", "a$b", "x;touch y", "a#b", "`id`", 'say "x"'])
@pytest.mark.parametrize("pattern", ["*.json", "01-roofline.json"])
def test_records_are_published_from_any_folder(make, door, record, folder, pattern):
    (door.folder / folder).mkdir()
    record.rename(door.folder / folder / record.name)
    run = make("publish", "MACHINE=my-machine", f"RECORDS={folder}/{pattern}")
    assert run.returncode == 0, run.stderr
    assert (door.folder / "figures/records/my-machine/01-roofline.json").exists()
    assert not (door.folder / "y").exists() and door.calls("id") == []


def test_several_records_can_be_named(make, door, record):
    other = record.with_name("02-matmul.json")
    other.write_text("{}")
    assert make("publish", "MACHINE=my-machine", f"RECORDS={record} {other.parent}/02-*.json").returncode == 0
    assert len([*(door.folder / "figures/records/my-machine").iterdir()]) == 2


@pytest.mark.parametrize("pattern", ["no/such.json", "a b/*.json", "build/records/*.txt"])
def test_a_pattern_without_a_file_is_one_line(make, door, record, pattern):
    run = make("publish", "MACHINE=my-machine", f"RECORDS={pattern}")
    assert run.returncode != 0 and run.stderr.startswith(f"publish: RECORDS='{pattern}': there is no such file: expected records")
    assert door.calls("record") == []


def test_what_the_record_tool_refuses_is_not_published(make, door, record):
    (door.folder / "build/bin/record").write_text("#!/bin/sh\necho 'record: no' >&2\nexit 1\n")
    run = make("publish", "MACHINE=my-machine")
    assert run.returncode != 0 and run.stderr.startswith("record: no\n")


def test_publishing_without_a_record_says_how_to_get_one(make, door, record):
    record.unlink()
    run = make("publish", "MACHINE=my-machine")
    expected = "publish: build/records/: expected a record, found {}: run make site to measure this machine\n"
    assert run.returncode != 0 and run.stderr.startswith(expected.format("none"))
    record.with_suffix(".refused.json").touch()
    refused = make("publish", "MACHINE=my-machine").stderr
    assert refused.startswith(expected.format("build/records/01-roofline.refused.json (refused when measured)"))
    assert door.calls("record") == []


def test_the_built_site_is_served(make, door):
    assert make("serve", "PORT=8001").returncode == 0
    assert door.calls("python3")[-1] == "python3 tools/serve build/site 8001"
