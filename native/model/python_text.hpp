// Text as Python's json module writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jetgram {

// The shortest digits that give the same double, laid out as Python's repr does.
std::string python_float(double value);

// In quotes, with everything that is not printable ASCII escaped; `text` is UTF-8.
void append_quoted(std::string_view text, std::string& out);

// Bytes of the first character; 0 where the text does not begin with one in valid UTF-8.
std::size_t utf8_length(std::string_view text);

void append_utf8(char32_t code, std::string& out);

}  // namespace jetgram
