// SHA-256 (FIPS 180-4), by which models are told from damaged ones.
#pragma once

#include <string>
#include <string_view>

namespace jetgram {

// In hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace jetgram
