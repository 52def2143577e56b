// Weights in the format of safetensors: eight bytes with the length of a header, the header in JSON, which says where
// each tensor is, and the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jetgram {

inline constexpr std::size_t MAX_HEADER = 1 << 20;  // bytes

struct Tensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

using Tensors = std::map<std::string, Tensor>;

// Throws std::invalid_argument unless the tensors are finite numbers in float32 that fill the file, without gap or
// overlap.
Tensors parse_safetensors(std::string_view content);

// "(40, 7)".
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace jetgram
