#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "python_text.hpp"

namespace jetgram::json {

namespace {

constexpr int max_depth = 64;
constexpr std::size_t max_values = 1 << 20;

class Parser {
   public:
    explicit Parser(std::string_view text) : text_(text) {}

    Value document() {
        Value result = value(0);
        skip_space();
        if (at_ < text_.size()) fail("more text after the end");
        return result;
    }

   private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::invalid_argument("byte " + std::to_string(at_) + ": " + what);
    }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    bool take(char c) {
        if (peek() != c || at_ >= text_.size()) return false;
        ++at_;
        return true;
    }

    bool take(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    Value value(int depth) {
        if (depth > max_depth) fail("nested too deeply");
        if (++values_ > max_values) fail("too many values");
        skip_space();
        if (take('{')) return {object(depth)};
        if (take('[')) return {array(depth)};
        if (take('"')) return {string()};
        if (take("null")) return {nullptr};
        if (take("true")) return {true};
        if (take("false")) return {false};
        return {number()};
    }

    Value::Array array(int depth) {
        Value::Array items;
        skip_space();
        if (take(']')) return items;
        do items.push_back(value(depth + 1));
        while (next_item(']'));
        return items;
    }

    Value::Object object(int depth) {
        Value::Object members;
        skip_space();
        if (take('}')) return members;
        do {
            skip_space();
            if (!take('"')) fail("expected a name in quotes");
            std::string name = string();
            skip_space();
            if (!take(':')) fail("expected a colon");
            members.push_back({std::move(name), value(depth + 1)});
        } while (next_item('}'));
        std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.name < b.name; });
        const auto twice = std::adjacent_find(members.begin(), members.end(),
                                              [](const Member& a, const Member& b) { return a.name == b.name; });
        if (twice != members.end()) fail("the name '" + twice->name + "' stands there twice");
        return members;
    }

    bool next_item(char end) {
        skip_space();
        if (take(',')) return true;
        if (!take(end)) fail(std::string("expected a comma or ") + end);
        return false;
    }

    // After the opening quote.
    std::string string() {
        std::string result;
        while (!take('"')) {
            if (at_ >= text_.size()) fail("a string without an end");
            if (static_cast<unsigned char>(peek()) < 0x20) fail("a control character in a string");
            if (take('\\'))
                append_utf8(escaped(), result);
            else if (const std::size_t length = utf8_length(text_.substr(at_)); length > 0)
                result += text_.substr(std::exchange(at_, at_ + length), length);
            else
                fail("text that is not UTF-8");
        }
        return result;
    }

    // After a backslash.
    char32_t escaped() {
        static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const std::size_t letter = at_ < text_.size() ? letters.find(peek()) : std::string_view::npos;
        if (letter != std::string_view::npos) {
            ++at_;
            return static_cast<unsigned char>(meanings[letter]);
        }
        if (!take('u')) fail("an unknown escape");
        const char32_t unit = four_digits();
        if (unit < 0xD800 || unit > 0xDFFF) return unit;
        if (unit > 0xDBFF || !take("\\u")) fail("half of a surrogate pair");
        const char32_t low = four_digits();
        if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
        return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }

    char32_t four_digits() {
        const std::string_view digits = text_.substr(at_, 4);
        unsigned unit = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4) fail("expected four hex digits");
        at_ += 4;
        return unit;
    }

    std::size_t digits() {
        const std::size_t begin = at_;
        while (peek() >= '0' && peek() <= '9') ++at_;
        return at_ - begin;
    }

    Number number() {
        const std::size_t begin = at_;
        take('-');
        const bool leading_zero = peek() == '0';
        const std::size_t before = digits();
        if (before == 0 || (leading_zero && before > 1)) fail("expected a value");
        bool whole = true;
        if (take('.')) {
            whole = false;
            if (digits() == 0) fail("expected digits after the point");
        }
        if (take('e') || take('E')) {
            whole = false;
            if (!take('+')) take('-');
            if (digits() == 0) fail("expected digits in the exponent");
        }
        const std::string_view token = text_.substr(begin, at_ - begin);
        if (whole) return {token == "-0" ? "0" : std::string(token), true};
        double value = 0;
        if (std::from_chars(token.data(), token.data() + token.size(), value).ec != std::errc())
            fail("a number that no double holds");
        return {python_float(value), false};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t values_ = 0;
};

struct Writer {
    std::string& out;

    void operator()(std::nullptr_t) const { out += "null"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(const Number& number) const { out += number.text; }
    void operator()(const std::string& text) const { append_quoted(text, out); }
    void operator()(const Value::Array& items) const {
        out += '[';
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i) out += ", ";
            std::visit(*this, items[i].content);
        }
        out += ']';
    }
    void operator()(const Value::Object& members) const { write(members, {}, false); }

    void write(const Value::Object& members, std::string_view without, bool skip) const {
        out += '{';
        bool first = true;
        for (const Member& member : members) {
            if (skip && member.name == without) continue;
            if (!std::exchange(first, false)) out += ", ";
            append_quoted(member.name, out);
            out += ": ";
            std::visit(*this, member.value.content);
        }
        out += '}';
    }
};

}  // namespace

const Value* find(const Value::Object& object, std::string_view name) {
    const auto found = std::lower_bound(object.begin(), object.end(), name,
                                        [](const Member& member, std::string_view n) { return member.name < n; });
    return found != object.end() && found->name == name ? &found->value : nullptr;
}

Value parse(std::string_view text) { return Parser(text).document(); }

std::string dump(const Value::Object& object, std::string_view without) {
    std::string out;
    Writer{out}.write(object, without, !without.empty());
    return out;
}

std::string dump(const Value& value) {
    std::string out;
    std::visit(Writer{out}, value.content);
    return out;
}

}  // namespace jetgram::json
