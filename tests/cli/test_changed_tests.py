"""tools/changed-tests: which C++ test programs a change can affect, according to ninja and ctest."""

import shutil
import subprocess

import pytest
from programs import result_of

FILES = {
    "CMakeLists.txt": """
        cmake_minimum_required(VERSION 3.25)
        project(small LANGUAGES CXX)
        enable_testing()
        set(passes ${CMAKE_CURRENT_SOURCE_DIR}/tools/reuse-pass ${CMAKE_BINARY_DIR}/passes)
        add_library(sums STATIC labs/sums.cpp)
        add_executable(lab labs/lab.cpp)
        configure_file(labs/text.hpp.in ${CMAKE_BINARY_DIR}/labs/script_py.hpp)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS labs/script.py)
        foreach(name IN ITEMS sums text)
          add_executable(test-${name} tests/labs/${name}.cpp)
          target_include_directories(test-${name} PRIVATE labs ${CMAKE_BINARY_DIR}/labs)
          add_test(NAME the-${name} COMMAND ${passes}/${name} $<TARGET_FILE:test-${name}>
                   ${CMAKE_CURRENT_SOURCE_DIR}/tests/labs/${name}.data -- $<TARGET_FILE:test-${name}>)
          set_tests_properties(the-${name} PROPERTIES LABELS "test-${name};lab-01")
        endforeach()
        target_link_libraries(test-sums PRIVATE sums)""",
    "labs/sums.cpp": '#include "sums.hpp"\nint sum() { return depth; }',
    "labs/sums.hpp": '#include "deep.hpp"\nint sum();',
    "labs/deep.hpp": "constexpr int depth = 2;",
    "labs/lab.cpp": "int main() {}",
    "labs/text.hpp.in": "// Generated from labs/script.py and labs/text.hpp.in\nconstexpr int text = 1;",
    "labs/script.py": "print(1)",
    "tests/labs/sums.cpp": '#include "sums.hpp"\nint main() { return sum() - 2; }',
    "tests/labs/sums.data": "",
    "tests/labs/text.cpp": '#include "script_py.hpp"\nint main() { return text - 1; }',
}


@pytest.fixture(scope="module")
def project(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n")
    (folder / "tools").mkdir()
    shutil.copy(root / "tools/reuse-pass", folder / "tools")
    subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", folder / "build"], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize(("changed", "reached"), [
    ([], []),
    (["labs/sums.cpp"], ["test-sums"]),
    (["labs/deep.hpp"], ["test-sums"]),
    (["tests/labs/text.cpp"], ["test-text"]),
    (["tests/labs/text.cpp", "labs/sums.hpp"], ["test-sums", "test-text"]),
    (["tests/labs/sums.data"], ["test-sums"]),
    (["labs/script.py"], ["test-text"]),
    (["labs/text.hpp.in"], ["test-text"]),
    (["labs/lab.cpp"], []),
    (["chapters/01.md", "tests/site/test_page.py"], []),
    (["CMakeLists.txt"], ["test-sums", "test-text"]),
    (["labs/deleted.hpp"], ["test-sums", "test-text"]),
])
def test_a_change_reaches_the_programs_that_are_made_from_it(root, project, changed, reached):
    told = result_of(root / "tools/changed-tests", "build", input="\n".join(changed), cwd=project, check=True)
    assert told.stdout.split() == reached


def test_a_program_that_is_not_built_is_reached(root, project):
    for folder in project.glob("build/CMakeFiles/test-text.dir/**/*.o"):
        folder.unlink()
    (project / "build/.ninja_deps").unlink()
    told = result_of(root / "tools/changed-tests", "build", input="labs/lab.cpp", cwd=project, check=True)
    assert told.stdout.split() == ["test-sums", "test-text"]
