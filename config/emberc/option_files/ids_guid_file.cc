// SPDX-License-Identifier: Apache-2.0
// EmberSM: ids_guid_file.
#include <fmt/format.h>
#include <map>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

struct Entry {
    std::uint64_t number = 0;
    std::size_t line = 0;
};

}  // namespace

std::vector<GuidNumber> ParseIdsGuidFile(std::string_view text, Diagnostics& diagnostics) {
    std::map<Guid, Entry> entries;
    std::map<std::uint64_t, Guid> owners;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        if (!reader.HasWords(2, "a switch's GUID and its number")) continue;
        const Word& first = reader.words()[0];
        const Word& second = reader.words()[1];
        const auto guid = reader.ReadGuid(first);
        const auto number = reader.ReadNumber(second);
        if (!guid || !number) continue;
        const auto [entry, fresh] = entries.try_emplace(*guid, Entry{*number, reader.number()});
        if (!fresh && entry->second.number == *number) {
            reader.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else if (!fresh) {
            reader.Error(second, Code::kContradiction,
                         fmt::format("line {} gives {} the number {}", entry->second.line,
                                     Hex(*guid), entry->second.number));
        } else if (const auto [owner, first_use] = owners.try_emplace(*number, *guid); !first_use) {
            reader.Report(Severity::kWarning, second, Code::kSameNumber,
                          fmt::format("{} has the number {} too, so a link between the two is "
                                      "down from either end",
                                      Hex(owner->second), *number));
        }
    }
    std::vector<GuidNumber> ids;
    for (const auto& [guid, entry] : entries) {
        ids.push_back({.guid = guid, .number = entry.number});
    }
    return ids;
}

std::string AsLine(const GuidNumber& row) {
    return fmt::format("{} {}", Hex(row.guid), row.number);
}

}  // namespace ember::emberc
