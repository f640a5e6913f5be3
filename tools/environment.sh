# shellcheck shell=sh
# environment.sh: what the project's scripts, and the programs they start, take from their caller's environment. ./primer and each
# script in tools/ read this file first; make takes the same two lists from it. Whatever is not listed is left as it is: the
# compiler (CXX, CXXFLAGS, LDFLAGS: see tools/build), an index or a proxy of pip, TMPDIR, TERM, BUDGET. A lab decides about the
# variables of its own libraries (labs/harness/report).

# Ignored, because they redirect a program or change what it prints.
ignored='
  CDPATH ENV BASH_ENV POSIXLY_CORRECT GREP_OPTIONS TAR_OPTIONS GZIP MAKEFILES LANGUAGE
  PYTHONPATH PYTHONHOME PYTHONSAFEPATH PYTHONUSERBASE PYTHONSTARTUP PYTHONINSPECT PYTHONWARNINGS PYTHONOPTIMIZE PYTHONIOENCODING
  PYTHONPLATLIBDIR PYTHONCASEOK
  PIP_TARGET PIP_PREFIX PIP_ROOT PIP_PYTHON PIP_REQUIREMENT PIP_CONSTRAINT PIP_BUILD_CONSTRAINT PIP_EDITABLE PIP_NO_DEPS PIP_DRY_RUN
  PIP_NO_BINARY PIP_PLATFORM PIP_ABI PIP_IMPLEMENTATION PIP_PYTHON_VERSION
  GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_PREFIX
  GIT_EXTERNAL_DIFF GIT_DIFF_OPTS GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_ATTR_SOURCE GIT_REPLACE_REF_BASE GIT_DEFAULT_HASH
  GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS
  CTEST_PARALLEL_LEVEL PYTEST_ADDOPTS PYTEST_PLUGINS DOCUTILSCONFIG SHELLCHECK_OPTS'

# Set: a variable wins over a line of pip.conf, and programs' messages are read by other programs.
settings='PIP_USER=0 PYTHONUTF8=1 LC_ALL=C.UTF-8'

# shellcheck disable=SC2086,SC2163  # both are lists of words
unset $ignored && export $settings
