// SPDX-License-Identifier: Apache-2.0
// EmberSM: node_name_map_name.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "core/base/utf8.h"

namespace ember::emberc {
namespace {

constexpr std::string_view kForm = "a line is a GUID and a name in quotation marks";

struct Entry {
    std::string name;
    std::size_t line = 0;
};

/// Where a name stands in what is behind the GUID, and what is behind it.
struct Found {
    Word name;
    Word from;  ///< The name, its quotation marks and the rest of the line.
    std::size_t end = 0;
};

/// Octets of the typographic quotation mark that the text begins with; 0: it begins with none.
std::size_t MarkOctets(std::string_view text) {
    constexpr std::string_view kMarks[] = {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E"};
    for (const std::string_view mark : kMarks) {
        if (text.starts_with(mark)) return mark.size();
    }
    return 0;
}

/// Between typographic quotation marks, of which the first is there.
std::optional<Found> FindTypeset(LineReader& reader, const Word& behind, std::size_t open) {
    const std::size_t begin = MarkOctets(behind.text);
    std::size_t close = begin;
    while (close < behind.text.size() && MarkOctets(behind.text.substr(close)) == 0) {
        ++close;
    }
    if (close == behind.text.size()) {
        reader.Error(behind, Code::kNotAName, "the quotation mark at its end is missing");
        return std::nullopt;
    }
    const Word name{behind.text.substr(begin, close - begin), behind.begin + begin};
    reader.Report(
        Severity::kWarning, {behind.text.substr(0, begin), behind.begin}, Code::kLookalike,
        "a typographic quotation mark is taken for a plain one; OpenSM would not take it");
    return Found{name, behind, open + close + MarkOctets(behind.text.substr(close))};
}

/// Between quotation marks, or without them up to a blank, as OpenSM's tools take it.
std::optional<Found> FindName(LineReader& reader, const Word& rest) {
    const std::size_t open = rest.text.find_first_not_of(" \t\r");
    if (open == std::string_view::npos || rest.text[open] == '#') {
        reader.Error(rest, Code::kNotAName, std::string(kForm));
        return std::nullopt;
    }
    const Word behind{rest.text.substr(open), rest.begin + open};
    if (MarkOctets(behind.text) != 0) return FindTypeset(reader, behind, open);
    if (behind.text.front() != '"') {
        const std::size_t size =
            std::min(behind.text.find_first_of(" \t\r#\""), behind.text.size());
        const Word name{behind.text.substr(0, size), behind.begin};
        reader.Report(Severity::kNote, name, Code::kNotAName,
                      fmt::format("a name without quotation marks ends at the first blank: \"{}\"",
                                  name.text));
        return Found{name, behind, open + size};
    }
    const std::size_t close = behind.text.find('"', 1);
    if (close == std::string_view::npos) {
        reader.Error(behind, Code::kNotAName, "the quotation mark at its end is missing");
        return std::nullopt;
    }
    return Found{{behind.text.substr(1, close - 1), behind.begin + 1}, behind, open + close + 1};
}

/// Of what stands behind the GUID: the name, and nothing that it may not have in it.
std::optional<Word> ReadName(LineReader& reader, const Word& rest) {
    const auto found = FindName(reader, rest);
    if (!found) return std::nullopt;
    const Word& name = found->name;
    if (name.text.empty() || name.text.size() > kMostNameOctets) {
        reader.Error(found->from, Code::kOutOfRange,
                     fmt::format("a name has 1 to {} octets, as a NodeDescription; this one has {}",
                                 kMostNameOctets, name.text.size()));
        return std::nullopt;
    }
    const std::vector<std::uint8_t> octets(name.text.begin(), name.text.end());
    const std::size_t odd = NameOctets(octets);
    if (odd != octets.size()) {
        const std::size_t length =
            std::max<std::size_t>(1, FirstCharacter(std::span(octets).subspan(odd)).octets);
        reader.Error({name.text.substr(odd, length), name.begin + odd}, Code::kNotAName,
                     "names are characters of UTF-8 that show: no controls, and none that turn the "
                     "direction of text");
        return std::nullopt;
    }
    const std::size_t more = rest.text.find_first_not_of(" \t\r", found->end);
    if (more != std::string_view::npos && rest.text[more] != '#') {
        reader.Report(Severity::kWarning, {rest.text.substr(more), rest.begin + more},
                      Code::kTrailingText,
                      fmt::format("the name ends before: \"{}\" is all of it", name.text));
    }
    return name;
}

}  // namespace

std::vector<NamedNode> ParseNodeNameMap(std::string_view text, Diagnostics& diagnostics) {
    std::map<Guid, Entry> entries;
    LineReader reader(text, diagnostics);
    while (reader.NextLine()) {
        const Word all = reader.all();
        if (all.text.empty() || all.text.front() == '#') continue;
        const std::size_t end = std::min(all.text.find_first_of(" \t\""), all.text.size());
        const Word first{all.text.substr(0, end), all.begin};
        const auto guid = reader.ReadGuid(first);
        if (!guid) continue;
        const auto name = ReadName(reader, {all.text.substr(end), all.begin + end});
        if (!name) continue;
        if (entries.size() == kMostListedGuids && !entries.contains(*guid)) {
            reader.Error(first, Code::kTooLarge,
                         fmt::format("there is room for {} names, as many as a subnet has LIDs",
                                     kMostListedGuids));
            break;  // The lines that follow would all say the same.
        }
        const auto [entry, fresh] =
            entries.try_emplace(*guid, Entry{std::string(name->text), reader.number()});
        if (fresh) continue;
        if (entry->second.name == name->text) {
            reader.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else {
            reader.Error(*name, Code::kContradiction,
                         fmt::format("line {} calls {} \"{}\"", entry->second.line, Hex(*guid),
                                     entry->second.name));
        }
    }
    std::vector<NamedNode> names;
    for (const auto& [guid, entry] : entries) {
        names.push_back({.guid = guid, .name = entry.name});
    }
    return names;
}

std::string AsLine(const NamedNode& row) {
    return fmt::format("{} \"{}\"", Hex(row.guid), row.name);
}

}  // namespace ember::emberc
