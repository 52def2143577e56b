// JSON from files that nobody has vouched for: a reader with limits, and a writer whose text is that of Python's
// json.dumps(value, sort_keys=True), over which models are sealed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jetgram::json {

struct Member;

// As Python would write it: the shortest digits that give the same double.
struct Number {
    std::string text;
    bool whole;  // without point and exponent
};

struct Value {
    using Array = std::vector<Value>;
    using Object = std::vector<Member>;  // sorted by name, each name once

    std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> content;

    template <class T>
    const T* as() const {
        return std::get_if<T>(&content);
    }
    bool is_null() const { return std::holds_alternative<std::nullptr_t>(content); }
};

struct Member {
    std::string name;
    Value value;
};

// The member of an object, or null where there is none.
const Value* find(const Value::Object& object, std::string_view name);

// Throws std::invalid_argument that says what is wrong and at which byte. Nesting and the number of values are limited.
Value parse(std::string_view text);

// The text of an object without one of its members.
std::string dump(const Value::Object& object, std::string_view without = {});
// The text of any value.
std::string dump(const Value& value);

}  // namespace jetgram::json
