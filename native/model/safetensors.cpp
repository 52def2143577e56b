#include "safetensors.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

#include "json.hpp"

namespace jetgram {

namespace {

static_assert(std::endian::native == std::endian::little, "the numbers in the files are little-endian");

constexpr std::size_t length_bytes = 8;
constexpr std::size_t max_dimensions = 8;

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument(what); }

std::uint64_t whole_number(const json::Value& value, const std::string& what) {
    const auto* number = value.as<json::Number>();
    std::uint64_t result = 0;
    if (!number || !number->whole) fail(what + " is no whole number");
    const char* end = number->text.data() + number->text.size();
    const auto parsed = std::from_chars(number->text.data(), end, result);
    if (parsed.ec != std::errc() || parsed.ptr != end) fail(what + " is out of range");
    return result;
}

std::vector<std::uint64_t> whole_numbers(const json::Value::Object& entry, const char* key, std::size_t most,
                                         const std::string& name) {
    const json::Value* value = json::find(entry, key);
    const auto* items = value ? value->as<json::Value::Array>() : nullptr;
    const std::string what = name + ": its " + key;
    if (!items || items->size() > most) fail(what + " is no short list");
    std::vector<std::uint64_t> numbers;
    for (const json::Value& item : *items) numbers.push_back(whole_number(item, what));
    return numbers;
}

// A tensor and its place among the numbers, in bytes.
struct Entry {
    std::string name;
    std::vector<std::int64_t> shape;
    std::uint64_t begin, end;
};

Entry entry_of(const json::Member& member, std::uint64_t bytes) {
    const std::string& name = member.name;
    const auto* fields = member.value.as<json::Value::Object>();
    if (!fields) fail(name + " is not described");
    const json::Value* type = json::find(*fields, "dtype");
    const auto* type_name = type ? type->as<std::string>() : nullptr;
    if (!type_name || *type_name != "F32")
        fail(name + " has the type " + (type_name ? *type_name : "unknown") + "; expected F32");
    const auto offsets = whole_numbers(*fields, "data_offsets", 2, name);
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > bytes) fail(name + " lies outside the file");
    Entry entry{name, {}, offsets[0], offsets[1]};
    // Sizes that multiply to more than the file has would wrap around.
    std::uint64_t floats = 1;
    for (const std::uint64_t size : whole_numbers(*fields, "shape", max_dimensions, name)) {
        if (size > bytes || (size && floats > bytes / size)) fail(name + " is larger than the file");
        floats *= size;
        entry.shape.push_back(static_cast<std::int64_t>(size));
    }
    if (floats * sizeof(float) != entry.end - entry.begin) fail(name + " has not the bytes that its shape needs");
    return entry;
}

std::vector<Entry> entries_of(std::string_view header, std::uint64_t bytes) {
    const json::Value parsed = json::parse(header);
    const auto* members = parsed.as<json::Value::Object>();
    if (!members) fail("its header is no object");
    std::vector<Entry> entries;
    for (const json::Member& member : *members)
        if (member.name != "__metadata__") entries.push_back(entry_of(member, bytes));
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const Entry& entry : entries)
        if (std::exchange(at, entry.end) != entry.begin) fail(entry.name + " overlaps another tensor, or leaves a gap");
    if (at != bytes) fail("it has " + std::to_string(bytes) + " bytes of numbers; its header speaks of " +
                          std::to_string(at));
    return entries;
}

}  // namespace

Tensors parse_safetensors(std::string_view content) {
    std::uint64_t length = 0;
    if (content.size() < length_bytes) fail("it is cut off");
    std::memcpy(&length, content.data(), length_bytes);
    if (length > MAX_HEADER || length > content.size() - length_bytes)
        fail("its header has " + std::to_string(length) + " bytes, of a file of " + std::to_string(content.size()));
    const std::string_view numbers = content.substr(length_bytes + length);
    Tensors tensors;
    for (const Entry& entry : entries_of(content.substr(length_bytes, length), numbers.size())) {
        Tensor tensor{entry.shape, std::vector<float>((entry.end - entry.begin) / sizeof(float))};
        const std::size_t bytes = entry.end - entry.begin;
        if (bytes) std::memcpy(tensor.values.data(), numbers.data() + entry.begin, bytes);
        if (!std::all_of(tensor.values.begin(), tensor.values.end(), [](float x) { return std::isfinite(x); }))
            fail(entry.name + " holds a weight that is not a finite number");
        tensors.emplace(entry.name, std::move(tensor));
    }
    return tensors;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return "(" + text + ")";
}

}  // namespace jetgram
