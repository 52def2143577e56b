// Files of models, which nobody has vouched for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace jetgram {

// The content of a regular file that is no larger than `limit`; else a ModelError.
std::string read_bytes(const std::filesystem::path& file, std::uintmax_t limit);

}  // namespace jetgram
