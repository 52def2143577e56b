#include "python_text.hpp"

#include <charconv>
#include <cstdlib>

namespace jetgram {

namespace {

constexpr int fixed_from = -4, fixed_below = 16;  // exponents of ten that repr writes without an exponent

unsigned char byte_of(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

void append_escape(unsigned unit, std::string& out) {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789abcdef"[unit >> shift & 15];
}

// The first character of valid UTF-8 of this length.
char32_t decode(std::string_view text, std::size_t length) {
    if (length == 1) return byte_of(text, 0);
    char32_t code = byte_of(text, 0) & (0x7F >> length);
    for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte_of(text, i) & 0x3F);
    return code;
}

}  // namespace

std::string python_float(double value) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    std::string_view text(buffer, end - buffer);
    std::string sign, digits;
    if (text.front() == '-') {
        sign = "-";
        text.remove_prefix(1);
    }
    const std::size_t mantissa = text.find('e');
    for (const char c : text.substr(0, mantissa))
        if (c != '.') digits += c;
    const int exponent = std::atoi(std::string(text.substr(mantissa + 1)).c_str());
    const int count = static_cast<int>(digits.size());
    if (exponent < fixed_from || exponent >= fixed_below) {
        const std::string size = std::to_string(std::abs(exponent));
        const char *point = count > 1 ? "." : "", *e = exponent < 0 ? "e-" : "e+";
        return sign + digits[0] + point + digits.substr(1) + e + (size.size() < 2 ? "0" : "") + size;
    }
    if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
    if (count <= exponent + 1) return sign + digits + std::string(exponent + 1 - count, '0') + ".0";
    return sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

void append_quoted(std::string_view text, std::string& out) {
    static constexpr std::string_view special = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
    out += '"';
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char32_t code = decode(text, length);
        if (const std::size_t found = special.find(text[0]); found != std::string_view::npos) {
            out += '\\';
            out += letters[found];
        } else if (code >= 0x20 && code < 0x7F) {
            out += text[0];
        } else if (code < 0x10000) {
            append_escape(code, out);
        } else {
            append_escape(0xD800 + ((code - 0x10000) >> 10), out);
            append_escape(0xDC00 + ((code - 0x10000) & 0x3FF), out);
        }
        text.remove_prefix(length);
    }
    out += '"';
}

std::size_t utf8_length(std::string_view text) {
    if (text.empty()) return 0;
    const unsigned char first = byte_of(text, 0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte_of(text, i) & 0xC0) != 0x80) return 0;
    const char32_t code = decode(text, length);
    const bool shortest = code >= (length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u);
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return shortest && !surrogate && code <= 0x10FFFF ? length : 0;
}

void append_utf8(char32_t code, std::string& out) {
    if (code < 0x80) {
        out += static_cast<char>(code);
        return;
    }
    const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    out += static_cast<char>((0xFF00 >> (following + 1) & 0xFF) | code >> (6 * following));
    for (int i = following - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

}  // namespace jetgram
