// SPDX-License-Identifier: Apache-2.0
// EmberSM: prefix_routes_file.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

inline constexpr std::uint64_t kLinkLocalPrefix = 0xFE80000000000000;

/// Hexadecimal, with 0x or without, and not 0; `*` is 0.
std::optional<std::uint64_t> ReadHex(LineReader& reader, const Word& word, std::string_view what) {
    if (word.text == "*") return 0;
    std::string_view digits = word.text;
    if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
    std::uint64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number, 16);
    if (error == std::errc{} && stop == end && number != 0) return number;
    reader.Error(word, Code::kNotAPrefixRoute,
                 fmt::format("\"{}\" is neither {} in hexadecimal digits nor *", word.text, what));
    return std::nullopt;
}

}  // namespace

std::vector<PrefixRoute> ParsePrefixRoutesFile(std::string_view text, Diagnostics& diagnostics,
                                               const SubnetFacts& subnet) {
    std::vector<PrefixRoute> routes;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        const Word& word = reader.words().front();
        if (!reader.HasWords(2, "a prefix and the GUID of a router's port")) continue;
        const auto prefix = ReadHex(reader, word, "a GID prefix");
        const auto router = ReadHex(reader, reader.words()[1], "a port GUID");
        if (!prefix || !router) continue;
        if (routes.size() == kMostPrefixRoutes) {
            reader.Error(word, Code::kTooLarge,
                         fmt::format("there is room for {} of them", kMostPrefixRoutes));
            break;  // The lines that follow would all say the same.
        }
        if (*prefix == subnet.prefix || *prefix == kLinkLocalPrefix) {
            reader.Report(Severity::kWarning, word, Code::kNoEffect,
                          "GIDs of this prefix are of this subnet: no router is asked for them");
        }
        const bool is_hidden = std::any_of(routes.begin(), routes.end(), [&](const auto& route) {
            return route.prefix == 0 || route.prefix == *prefix;
        });
        if (is_hidden) {
            reader.Report(Severity::kWarning, word, Code::kNeverReached,
                          "a line before this one fits whatever this one fits");
        }
        routes.push_back({.prefix = *prefix, .router = Guid{*router}});
    }
    return routes;
}

std::string AsLine(const PrefixRoute& row) {
    const auto part = [](std::uint64_t number) {
        return number == 0 ? std::string("*") : fmt::format("{:#018x}", number);
    };
    return part(row.prefix) + " " + part(Raw(row.router));
}

}  // namespace ember::emberc
