#include "files.hpp"

#include <fstream>
#include <system_error>

#include "jetgram/tagger.hpp"

namespace jetgram {

std::string read_bytes(const std::filesystem::path& file, std::uintmax_t limit) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) throw ModelError(file.string() + " is missing");
    if (!std::filesystem::is_regular_file(file, error)) throw ModelError(file.string() + " is not a regular file");
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) throw ModelError(file.string() + ": " + error.message());
    if (size > limit)
        throw ModelError(file.string() + " has " + std::to_string(size) + " bytes; expected at most " +
                         std::to_string(limit));
    std::string content(size, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(content.data(), static_cast<std::streamsize>(size));
    if (!stream || stream.gcount() != static_cast<std::streamsize>(size))
        throw ModelError(file.string() + " cannot be read");
    return content;
}

}  // namespace jetgram
