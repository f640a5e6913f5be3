/// \file
/// The limits that this process runs under.
#pragma once

#include <string>
#include <vector>

namespace hf {

/// Lets no process that a lab starts leave a core file: some probe an instruction or a library's kernels, and crash.
void leave_no_core_files();

/// Lines for the record's notes: limits that may keep parts of a lab from being measured.
std::vector<std::string> limit_notes();

/// Lets this rank copy through shared memory where it may not read another's (process_vm_readv), as in many containers:
/// Open MPI would try each message, fail, and print a line. Called before MPI is initialised.
/// \return a line for the record's notes; empty if it may
std::string copy_without_reading_ranks();

/// Checks that a lab's teams of threads can be started, before anything is measured.
/// \throws std::runtime_error, with a one-line message, if not
void check_threads();

/// Checks that this lab isn't one of several copies that `srun` started without telling them which rank each is.
/// \throws std::runtime_error, with a one-line message, if it is
void check_single_copy();

}  // namespace hf
