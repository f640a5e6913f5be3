/// \file
/// The limits that this process runs under.
#pragma once

namespace hf {

/// Lets no process that a lab starts leave a core file: some probe an instruction or a library's kernels, and crash.
void leave_no_core_files();

/// Checks that a lab's teams of threads can be started, before anything is measured.
/// \throws std::runtime_error, with a one-line message, if not
void check_threads();

}  // namespace hf
