/// \file
/// What a lab and the programs that it starts see of the environment. Many variables steer libraries and change what a
/// lab measures; environment.csv lists them and what happens to each. Those to remove are removed before any library
/// starts, since OpenMP's reads its variables before main().
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hf {

/// The variables that were removed since this program started, or by the program that started it as a rank:
/// "OMP_DYNAMIC, PYTHONPATH"; empty if there were none.
std::string removed_variables();

/// Removes one more, and lists it.
void remove_variable(const std::string& name);

/// Tells a rank, through its environment, what this program removed.
void pass_on_removed_variables();

/// Removes from LD_PRELOAD what the loader could not load, and complains about in each program that a lab starts.
void forget_missing_preloads();

/// Lines for the record's notes: which variables were removed, and which act although they could not be.
std::vector<std::string> environment_notes();

/// The names of the variables in the environment that begin with one of these words, with commas between them.
std::string variables_that_begin_with(const std::vector<std::string>& beginnings);

/// Sets TMPDIR, for this process and the programs that it starts, to this folder.
void keep_temporary_files_in(const std::filesystem::path& folder);

/// Makes the programs that a lab starts speak English, in the terminal's encoding.
void speak_english();

/// Makes a compiler behind ccache or sccache (CXX='ccache g++', or /usr/lib/ccache in PATH) compile each time, since labs
/// time it.
void bypass_compiler_caches();

}  // namespace hf
