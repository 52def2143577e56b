// The members of a JSON object by name and type; every wrong one is a ModelError that says where it is.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json.hpp"

namespace jetgram {

class Fields {
   public:
    // `where` is what messages begin with: the file, and the place in it.
    Fields(const json::Value& value, std::string where);

    bool has(std::string_view name) const { return json::find(*object_, name) != nullptr; }
    bool is_null(std::string_view name) const;  // or missing
    Fields object(std::string_view name) const;
    std::string text(std::string_view name) const;
    bool truth(std::string_view name) const;
    double real(std::string_view name) const;
    std::int64_t whole(std::string_view name, std::int64_t least, std::int64_t most) const;
    std::vector<std::string> texts(std::string_view name) const;
    // Strings and whole numbers, both as text.
    std::vector<std::string> labels(std::string_view name) const;
    // Finite numbers; where null may stand among them, `instead_of_null` is taken for it.
    std::vector<double> reals(std::string_view name, std::optional<double> instead_of_null = {}) const;

    // Refuses members of any other name: they may say something that is not understood.
    void only(std::initializer_list<std::string_view> names) const;
    // `found` about the member of this name is not as expected.
    [[noreturn]] void refuse(std::string_view name, const std::string& found, const std::string& expected) const;

    const json::Value::Object& members() const { return *object_; }
    const std::string& where() const { return where_; }

   private:
    template <class T>
    const T& get(std::string_view name, const char* expected) const;

    const json::Value::Object* object_;
    std::string where_;
};

}  // namespace jetgram
