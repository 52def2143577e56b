#include "fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "jetgram/tagger.hpp"

namespace jetgram {

namespace {

std::optional<double> real_of(const json::Value& value) {
    const auto* number = value.as<json::Number>();
    double result = 0;
    if (!number) return {};
    const char* end = number->text.data() + number->text.size();
    const auto parsed = std::from_chars(number->text.data(), end, result);
    if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(result)) return {};
    return result;
}

std::string shortened(std::string text) {
    constexpr std::size_t most = 60;
    return text.size() > most ? text.substr(0, most) + "..." : text;
}

}  // namespace

Fields::Fields(const json::Value& value, std::string where)
    : object_(value.as<json::Value::Object>()), where_(std::move(where)) {
    if (!object_) throw ModelError(where_ + ": found " + shortened(json::dump(value)) + "; expected an object");
}

void Fields::refuse(std::string_view name, const std::string& found, const std::string& expected) const {
    throw ModelError(where_ + ": " + std::string(name) + ": found " + found + "; expected " + expected);
}

template <class T>
const T& Fields::get(std::string_view name, const char* expected) const {
    const json::Value* value = json::find(*object_, name);
    if (!value) refuse(name, "nothing", expected);
    const T* content = value->as<T>();
    if (!content) refuse(name, shortened(json::dump(*value)), expected);
    return *content;
}

bool Fields::is_null(std::string_view name) const {
    const json::Value* value = json::find(*object_, name);
    return !value || value->is_null();
}

Fields Fields::object(std::string_view name) const {
    get<json::Value::Object>(name, "an object");
    return Fields(*json::find(*object_, name), where_ + ": " + std::string(name));
}

std::string Fields::text(std::string_view name) const { return get<std::string>(name, "a string"); }

bool Fields::truth(std::string_view name) const { return get<bool>(name, "true or false"); }

double Fields::real(std::string_view name) const {
    get<json::Number>(name, "a number");
    const std::optional<double> value = real_of(*json::find(*object_, name));
    if (!value) refuse(name, json::dump(*json::find(*object_, name)), "a finite number");
    return *value;
}

std::int64_t Fields::whole(std::string_view name, std::int64_t least, std::int64_t most) const {
    const auto& number = get<json::Number>(name, "a whole number");
    const char* end = number.text.data() + number.text.size();
    std::int64_t value = 0;
    const auto parsed = std::from_chars(number.text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || value < least || value > most)
        refuse(name, number.text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return value;
}

std::vector<std::string> Fields::texts(std::string_view name) const {
    std::vector<std::string> result;
    for (const json::Value& item : get<json::Value::Array>(name, "a list of strings")) {
        if (!item.as<std::string>()) refuse(name, shortened(json::dump(item)), "a list of strings");
        result.push_back(*item.as<std::string>());
    }
    return result;
}

std::vector<std::string> Fields::labels(std::string_view name) const {
    std::vector<std::string> result;
    for (const json::Value& item : get<json::Value::Array>(name, "a list of labels")) {
        const auto* number = item.as<json::Number>();
        if (const auto* string = item.as<std::string>())
            result.push_back(*string);
        else if (number && number->whole)
            result.push_back(number->text);
        else
            refuse(name, shortened(json::dump(item)), "a string or a whole number");
    }
    return result;
}

std::vector<double> Fields::reals(std::string_view name, std::optional<double> instead_of_null) const {
    std::vector<double> result;
    for (const json::Value& item : get<json::Value::Array>(name, "a list of numbers")) {
        const std::optional<double> value = item.is_null() ? instead_of_null : real_of(item);
        if (!value) refuse(name, shortened(json::dump(item)), "a list of finite numbers");
        result.push_back(*value);
    }
    return result;
}

void Fields::only(std::initializer_list<std::string_view> names) const {
    for (const json::Member& member : *object_)
        if (std::find(names.begin(), names.end(), member.name) == names.end())
            refuse(member.name, shortened(json::dump(member.value)),
                   "nothing of this name; a newer jetgram may have written it");
}

}  // namespace jetgram
