/// \file
/// Which file a library of the system is.
#pragma once

#include <filesystem>
#include <string>

namespace hf {

/// Stands before the path of a shared library in what the build writes: which file that is, is told when the lab runs.
inline const std::string kFoundAt = "found at ";

/// "libgomp" for "/usr/lib/gcc/x86_64-linux-gnu/12/libgomp.so".
std::string library_name(const std::filesystem::path& file);

/// Which library a file is: the name that links lead to, which often ends in a version, and the beginning of its SHA-256,
/// or its size where it is too large to be read each time: "libgomp.so.1.0.0, sha256 94ab12cd01ef". "none" for no file.
std::string library_identity(const std::filesystem::path& file);

}  // namespace hf
