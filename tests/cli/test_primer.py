"""The primer script, under every shell available, on machines that lack something."""

import pytest

INSTALLERS = ("apt-get", "dpkg", "sudo", "venv-python")

# What pip 23 and apt 2.6 print when the machine's own certificates, proxy or disk are the problem.
PIP_RETRY = """\
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by '%s': /simple/breathe/
ERROR: Could not find a version that satisfies the requirement breathe==1.0 (from versions: none)
ERROR: No matching distribution found for breathe==1.0"""
PIP_CERTIFICATE = ("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed:"
                   " self-signed certificate in certificate chain (_ssl.c:992)'))")
PIP_PROXY = "ProxyError('Cannot connect to proxy.', NewConnectionError('Failed to establish a new connection: Connection refused'))"
PIP_VERSION = """\
ERROR: Ignored the following versions that require a different python version: 9.0 Requires-Python >=3.13
ERROR: Could not find a version that satisfies the requirement breathe==99.1 (from versions: 1.0, 2.0)
ERROR: No matching distribution found for breathe==99.1"""
PIP_DISK = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
PIP_HASHES = """\
ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated the package versions, update them.
    breathe==1.0 from breathe.whl (from -r requirements.txt (line 1)):
        Expected sha256 00
             Got        11
"""
PIP_LATER = PIP_RETRY.splitlines()[0] % "ReadTimeoutError('Read timed out.')" + "\n" + PIP_DISK
APT_CERTIFICATE = """\
W: Failed to fetch https://mirror/InRelease  Certificate verification failed: The certificate is NOT trusted.
W: Some index files failed to download. They have been ignored, or old ones used instead."""
APT_PROXY = """\
E: Failed to fetch http://mirror/doxygen.deb  Could not connect to 127.0.0.1:9 (127.0.0.1). - connect (111: Connection refused)
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?"""
APT_UNKNOWN = "E: Unable to locate package doxygen"


def settle(door):
    """Runs the primer once with everything present, so that the virtual environment exists too."""
    assert door.run("sh", "./primer", "test").returncode == 0
    door.calls()


def last_line(run):
    return run.stderr.splitlines()[-1]


def test_help_is_shown_without_a_job(door, shell):
    bare, asked = door.run(*shell, "./primer"), door.run(*shell, "./primer", "--help")
    assert bare.returncode == asked.returncode == 0
    assert bare.stdout == asked.stdout and "usage: ./primer JOB" in bare.stdout


def test_version_is_the_projects(door, shell):
    assert door.run(*shell, "./primer", "--version").stdout == "hardware-first 0.1.0\n"


def test_with_everything_in_place_only_make_is_called(door, shell):
    settle(door)
    run = door.run(*shell, "./primer", "site", "BUDGET=quick")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert door.calls(*INSTALLERS) == []
    door.run(*shell, "./primer", "site", "BUDGET=quick")
    assert door.calls("make") == ["make site BUDGET=quick"]


def test_a_clang_without_its_sanitizers_is_not_enough(door, shell):
    settle(door)
    assert "libclang-rt-dev" not in door.run(*shell, "./primer", "--missing", "test-slow").stdout
    door.stub("clang++", "echo /no/such/libclang_rt.builtins.a")
    assert "libclang-rt-dev" in door.run(*shell, "./primer", "--missing", "test-slow").stdout


def test_it_can_be_called_from_elsewhere(door, shell):
    settle(door)
    run = door.run(*shell, "-c", 'cd / && exec "$0" site', str(door.folder / "primer"))
    assert run.returncode == 0 and door.calls("make") == ["make site"]


def test_root_installs_what_is_missing_after_listing_it(door, shell):
    settle(door)
    door.remove("cmake", "doxygen")
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 0, run.stderr
    assert "primer: site needs these packages: cmake doxygen\n" in run.stdout
    calls = door.calls("apt-get", "sudo", "dpkg", "make")
    assert calls[0] == "dpkg --configure -a"
    assert calls[-2:] == ["apt-get -q install --yes --no-install-recommends cmake doxygen", "make site"]
    assert not any("update" in call or call.startswith("sudo") for call in calls)


def test_others_install_through_sudo(door, shell):
    settle(door)
    door.remove("gnuplot")
    door.stub("id", "echo 1000")
    door.stub("apt-get", door.apt(refuse=f"printf '#!/bin/sh\\n' >{door.bin}/gnuplot; /bin/chmod +x {door.bin}/gnuplot"))
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 0, run.stderr
    assert "primer: installing them: sudo apt-get install gnuplot-nox\n" in run.stdout
    assert any(call.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get") for call in door.calls("sudo"))


def test_without_root_and_sudo_one_line_says_what_to_do(door, shell):
    door.remove("cmake", "sudo")
    door.stub("id", "echo 1000")
    run = door.run(*shell, "./primer", "site")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "primer: site needs these packages, but installing them requires root or sudo: apt-get install cmake\n"
    assert door.calls("make", *INSTALLERS) == []


def test_without_apt_the_missing_is_named(door, shell):
    door.remove("cmake", "ninja", "apt-get")
    run = door.run(*shell, "./primer", "site")
    assert (run.returncode, run.stdout) == (1, "")
    assert len(run.stderr.splitlines()) == 1 and "cmake ninja-build" in run.stderr and "no apt-get" in run.stderr
    assert door.calls("make", *INSTALLERS) == []


def test_without_apt_but_complete_the_job_runs(door, shell):
    settle(door)
    door.remove("apt-get", "dpkg")
    assert door.run(*shell, "./primer", "site").returncode == 0
    assert door.calls("make") == ["make site"]


def test_only_what_has_ranks_needs_mpi(door, shell):
    settle(door)
    door.remove("mpicxx", "mpirun")
    for job in ("lab-05", "site", "test"):
        run = door.run(*shell, "./primer", "--missing", job)
        assert run.stdout == f"missing for {job}: libopenmpi-dev openmpi-bin; ./primer {job} installs it\n"
    assert door.run(*shell, "./primer", "--missing", "lab-01").stdout == ""


EXTRAS = {"wasm": ("wasm-ld-19", "lld-19", 'lab 01 and the page "Your machine, here" cannot measure a browser'),
          "browser": ("chromium", "chromium", "lab 01 cannot measure a browser")}


@pytest.fixture(params=EXTRAS)
def extra(request, door):
    """The package of a program that `site` can do without, and what is lost without it; the program is missing, everything else
    is present."""
    settle(door)
    program, package, cost = EXTRAS[request.param]
    door.remove(program)
    return package, cost


@pytest.mark.parametrize("job", ["site", "lab-01"])
def test_what_measures_a_browser_is_installed_too(door, shell, extra, job):
    package, _ = extra
    door.stub("apt-get", door.apt(refuse="for each; do :; done; [ $each != lld-19 ] || set -- install wasm-ld-19"))
    run = door.run(*shell, "./primer", job)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines()[0] == f"primer: {job} needs these packages: {package}"
    assert door.calls("apt-get", "make")[-2:] == [f"apt-get -q install --yes --no-install-recommends {package}", f"make {job}"]


@pytest.mark.parametrize("hindrance", ["no apt", "unknown to apt", "no network", "no sudo", "installs nothing"])
def test_without_what_measures_a_browser_the_job_goes_on_and_says_so(door, shell, extra, hindrance):
    package, cost = extra
    if hindrance == "no apt":
        door.remove("apt-get", "dpkg")
    elif hindrance == "unknown to apt":
        door.stub("apt-get", door.says(APT_UNKNOWN))
    elif hindrance == "no network":
        door.stub("apt-get", f'case "$*" in *--simulate*) ;; *) {door.says(APT_PROXY)} ;; esac')
    elif hindrance == "no sudo":
        door.remove("sudo")
        door.stub("id", "echo 1000")
    else:
        door.stub("apt-get")
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 0
    assert last_line(run) == f"primer: site continues without {package}: {cost}"
    calls = door.calls("apt-get", "make")
    assert calls[-1] == "make site"
    assert hindrance != "unknown to apt" or len(calls) == 2  # the lists are not updated in each run
    assert door.run(*shell, "./primer", "--missing", "site").returncode == 0


def test_the_tests_go_on_without_what_measures_a_browser_and_say_so(door, shell, extra):
    package, cost = extra
    door.stub("apt-get", door.says(APT_UNKNOWN))
    run = door.run(*shell, "./primer", "test")
    assert run.returncode == 0 and door.calls("make") == ["make test"]
    assert last_line(run) == f"primer: test continues without {package}: {cost}, and the tests that need it are skipped"


@pytest.mark.parametrize("program", ["wasm-ld-19", "chromium", "chromium-headless-shell"])
def test_where_nobody_reads_which_were_skipped_no_test_may_be(door, shell, program):
    settle(door)
    door.remove(program)
    door.stub("apt-get", door.says(APT_UNKNOWN))
    run = door.run(*shell, "./primer", "test", CI="true")
    assert run.returncode == 1 and door.calls("make") == []
    assert "could not update the package lists" in last_line(run)


NEWER = "libc++-16-dev-wasm32 - WASI\nlibc++-22-dev-wasm32 - WASI\nlibc++-21-dev-wasm32 - WASI"


@pytest.fixture
def newer(door):
    """A system with LLVM 21, of which clang is installed already, and 22 instead of 19."""
    settle(door)
    door.remove("wasm-ld-19", "clang++-19", "clang-tidy-19")
    door.stub("clang++-21")
    door.stub("apt-cache", f"printf '{NEWER}\\n'")
    return door


def test_the_newest_llvm_of_a_system_is_installed(newer, shell):
    assert newer.run(*shell, "./primer", "site").returncode == 0
    [install] = [call for call in newer.calls("apt-get") if " install --yes" in call]
    assert install.split()[5:] == ["clang-22", "lld-22"]
    assert newer.run(*shell, "./primer", "--missing", "check").stdout.split()[3] == "clang-tidy-22,"


@pytest.mark.parametrize(("installed", "used"), [([21], 21), ([21, 22], 22), ([19, 21, 22], 19)])
def test_an_installed_llvm_is_used(newer, shell, installed, used):
    for version in installed:
        for program in ("clang++", "wasm-ld", "clang-tidy"):
            newer.stub(f"{program}-{version}")
    newer.stub("clang++-23")  # whose linker is missing
    newer.stub("clang++-14")
    assert newer.run(*shell, "tools/llvm", "clang++", "wasm-ld").stdout == f"{used}\n"
    assert newer.run(*shell, "./primer", "site").returncode == 0
    assert newer.calls("apt-get") == []
    assert "clang-tidy" not in newer.run(*shell, "./primer", "--missing", "check").stdout


def test_without_any_llvm_none_is_named(newer, shell):
    run = newer.run(*shell, "tools/llvm", "clang++", "wasm-ld")
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "")


def test_headers_are_asked_of_the_compiler(door, shell):
    door.stub("c++", "echo header:doctest/doctest.h")
    run = door.run(*shell, "./primer", "--missing", "lab-01")
    assert run.returncode == 1
    assert run.stdout == "missing for lab-01: doctest-dev; ./primer lab-01 installs it\n"


def test_without_a_compiler_every_header_is_missing(door, shell):
    door.remove("c++")
    run = door.run(*shell, "./primer", "--missing", "lab-01")
    headers = [package for package, evidence, kit in door.table() if evidence.startswith("header:") and kit == "build"]
    assert run.stdout.split(";")[0].split()[3:] == ["build-essential", *headers]


def test_package_lists_are_updated_only_where_a_package_is_unknown(door, shell):
    settle(door)
    door.remove("doxygen")
    door.stub("apt-get", 'case "$*" in *--simulate*) exit 100 ;; esac' + door.apt())
    assert door.run(*shell, "./primer", "site").returncode == 0
    assert [call.split()[2] for call in door.calls("apt-get")] == ["--simulate", "update", "install"]


def test_a_full_disk_gets_one_line_and_the_next_run_mends_it(door, shell):
    settle(door)
    door.remove("doxygen")
    door.stub("apt-get", door.apt(refuse='echo "E: You don\'t have enough free space in /var/cache/apt." >&2; exit 100'))
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert run.stderr == (
        "primer: could not install doxygen: E: You don't have enough free space in /var/cache/apt.;"
        " fix that, then run ./primer site again\n"
    )
    assert door.calls("make") == []
    door.stub("apt-get", door.apt())
    assert door.run(*shell, "./primer", "site").returncode == 0


@pytest.mark.parametrize(("update", "install", "cause"), [
    ("", APT_UNKNOWN, APT_UNKNOWN),
    (APT_CERTIFICATE, APT_UNKNOWN, APT_CERTIFICATE.splitlines()[0]),
    (APT_CERTIFICATE, "E: Package 'doxygen' has no installation candidate", APT_CERTIFICATE.splitlines()[0]),
    (APT_CERTIFICATE, APT_PROXY, APT_PROXY.splitlines()[0]),
    ("", APT_PROXY, APT_PROXY.splitlines()[0]),
    ("", "dpkg: error processing archive doxygen.deb\n cannot copy: No space left on device",
     "dpkg: error processing archive doxygen.deb"),
    ("", "Killed", "Killed"),
    ("", "", "no reason given"),
])
def test_a_package_that_cannot_be_had_shows_why(door, shell, update, install, cause):
    settle(door)
    door.remove("doxygen")
    door.stub("apt-get", f"""case "$*" in
*--simulate*) exit 100 ;;
*' update') {door.says(update).replace("100", "0")} ;;
*) {door.says(install)} ;;
esac""")  # fmt: skip
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert run.stderr == f"primer: could not install doxygen: {cause}; fix that, then run ./primer site again\n"


@pytest.mark.parametrize(("said", "cause"), [
    (PIP_RETRY % PIP_CERTIFICATE, PIP_CERTIFICATE),
    (PIP_RETRY % PIP_PROXY, PIP_PROXY),
    (PIP_VERSION, PIP_VERSION.splitlines()[1]),
    (PIP_DISK, PIP_DISK.strip()),
    (PIP_HASHES, PIP_HASHES.splitlines()[0]),
    (PIP_LATER, PIP_DISK.strip()),
])
def test_a_python_package_that_cannot_be_had_shows_why(door, shell, said, cause):
    settle(door)
    (door.folder / "site/requirements.txt").write_text("breathe==1.0 --hash=sha256:22\n")
    door.stub("broken-pip", door.says(said))
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert last_line(run) == (
        f"primer: could not install the packages of site/requirements.txt: {cause}; fix that, then run ./primer site again"
    )


@pytest.mark.parametrize(("value", "named"), [("1", True), ("on", True), ("0", False), ("off", False), ("", False)])
def test_a_setting_that_keeps_pip_from_its_index_is_named(door, shell, value, named):
    settle(door)
    (door.folder / "site/requirements.txt").write_text("breathe==1.0 --hash=sha256:22\n")
    said = "\n".join(PIP_RETRY.splitlines()[1:])
    door.stub("broken-pip", door.says(said))
    run = door.run(*shell, "./primer", "site", PIP_NO_INDEX=value)
    cause = f"PIP_NO_INDEX='{value}' keeps pip from its index: unset it, or name a folder with the packages in PIP_FIND_LINKS"
    assert run.returncode == 1
    assert f": {cause if named else said.splitlines()[0]}; fix that, then run ./primer site again" in last_line(run)


def test_missing_python_packages_are_not_called_missing_files(door, shell):
    door.remove("doxygen")
    run = door.run(*shell, "./primer", "--missing", "test")
    assert run.stdout == (
        "missing for test: doxygen, Python packages of site/requirements.txt,"
        " Python packages of tests/site/requirements.txt; ./primer test installs it\n"
    )


def test_an_installation_that_changes_nothing_is_noticed(door, shell):
    door.remove("doxygen")
    door.stub("apt-get", "exit 0")
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert run.stderr == "primer: installed, but still not found: doxygen\n"


def test_python_packages_are_installed_again_only_when_their_pins_change(door, shell):
    settle(door)
    (door.folder / "site/requirements.txt").write_text("package==2.0 --hash=sha256:11\n")
    run = door.run(*shell, "./primer", "site")
    assert run.stdout == "primer: installing the packages of site/requirements.txt into .venv\n"
    installs = [call for call in door.calls("venv-python") if " install " in call]
    assert len(installs) == 1 and "--require-hashes -r site/requirements.txt" in installs[0]
    assert door.run(*shell, "./primer", "site").stdout == ""


def test_a_failed_python_installation_is_tried_again(door, shell):
    settle(door)
    (door.folder / "site/requirements.txt").write_text("package==2.0 --hash=sha256:22\n")
    door.stub("broken-pip", door.says(PIP_HASHES))
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert last_line(run).startswith("primer: could not install the packages of site/requirements.txt: ERROR: THESE PACKAGES DO NOT MATCH")
    assert door.calls("make") == []
    door.remove("broken-pip")
    assert door.run(*shell, "./primer", "site").returncode == 0
    assert len([call for call in door.calls("venv-python") if " install " in call]) == 1


def test_an_old_python_is_named(door, shell):
    door.stub("python3", 'case "$1" in -V) echo Python 3.9.2 ;; *) exit 1 ;; esac')
    primer = door.folder / "primer"
    primer.write_text(primer.read_text().replace("/usr/bin/python3", "no-other-python"))
    run = door.run(*shell, "./primer", "site")
    assert run.returncode == 1
    assert "Python 3.11" in last_line(run) and "3.9.2" in last_line(run)


def test_an_unknown_job_installs_nothing(door, shell):
    door.remove("cmake")
    run = door.run(*shell, "./primer", "sight")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "primer: there is no job 'sight'; make help lists the jobs\n"
    assert door.calls(*INSTALLERS) == []


def test_a_second_job_and_unknown_options_are_refused(door, shell):
    assert "expected one job" in door.run(*shell, "./primer", "site", "test").stderr
    assert "unknown option '--fast'" in door.run(*shell, "./primer", "--fast").stderr


def test_every_job_of_make_is_a_job_of_the_door(door):
    door.use_real("make")
    jobs = [line.split()[1] for line in door.run("make").stdout.splitlines() if line.startswith("  make ")]
    assert {"site", "test", "lab-NN", "check", "publish"} <= set(jobs)
    for job in jobs:
        assert "no job" not in door.run("sh", "./primer", "--missing", job.replace("NN", "01")).stderr
