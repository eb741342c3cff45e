// SPDX-License-Identifier: Apache-2.0
// EmberSM: lines of pages, from the answers of the subnet manager.

#include "platform/linux/emberctl/page_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ember::ctl {

namespace {

using Json = nlohmann::ordered_json;

/// What a blank says, without its braces.
std::string Blank(std::string_view blank, const Json& from) {
    const std::size_t dot = blank.find('.');
    if (dot != std::string_view::npos) {
        const auto inner = from.find(std::string(blank.substr(0, dot)));
        const bool is_there = inner != from.end() && inner->is_object();
        return Blank(blank.substr(dot + 1), is_there ? *inner : Json::object());
    }
    const std::string key(blank.substr(0, blank.find_first_of(",~@")));
    const char kind = blank.size() == key.size() ? ' ' : blank.back();
    if (kind == ',') return Grouped(Count(from, key));
    if (kind == '~') return Duration(Count(from, key));
    const std::string name = kind == '@' ? Text(from, key + "_name") : "";
    const auto member = from.find(key);
    const bool is_number = member != from.end() && member->is_number();
    const std::string text = is_number ? member->dump() : Text(from, key);
    return name.empty() ? text : text + " \"" + name + "\"";
}

}  // namespace

std::string Row(std::string_view label, std::string_view text) {
    return fmt::format("  {:<22} {}\n", label, text);
}

std::string Fill(std::string_view text, const Json& from) {
    std::string filled;
    while (!text.empty()) {
        const std::size_t open = std::min(text.find('{'), text.size());
        filled += text.substr(0, open);
        text.remove_prefix(open);
        const std::size_t close = text.find('}');
        if (close == std::string_view::npos) break;
        filled += Blank(text.substr(1, close - 1), from);
        text.remove_prefix(close + 1);
    }
    return filled;
}

std::string Text(const Json& from, std::string_view key) {
    return from.value(std::string(key), std::string());
}

std::uint64_t Count(const Json& from, std::string_view key) {
    return from.value(std::string(key), std::uint64_t{0});
}

std::string Grouped(std::uint64_t number) {
    const std::string digits = fmt::format("{}", number);
    std::string grouped;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) grouped.push_back(',');
        grouped.push_back(digits[i]);
    }
    return grouped;
}

std::string Duration(std::uint64_t us) {
    if (us < 1000) return fmt::format("{} us", us);
    const double exact = static_cast<double>(us);
    if (us < 1000000) return fmt::format("{:.3f} ms", exact / 1e3);
    if (us < 120000000) return fmt::format("{:.3f} s", exact / 1e6);
    const std::uint64_t minutes = us / 60000000;
    return fmt::format("{} d {:02}:{:02}", minutes / 1440, minutes / 60 % 24, minutes % 60);
}

}  // namespace ember::ctl
