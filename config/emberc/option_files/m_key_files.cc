// SPDX-License-Identifier: Apache-2.0
// EmberSM: guid2mkey_file and neighbors_file.
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

/// Reads a port as OpenSM names it in neighbors: its GUID, a colon, its number.
std::optional<std::pair<Guid, PortNumber>> ReadEnd(LineReader& reader, const Word& word) {
    const std::size_t colon = word.text.find(':');
    if (colon == std::string_view::npos) {
        reader.Error(word, Code::kBadRow, "no port: it should be a GUID, a colon and a port");
        return std::nullopt;
    }
    const auto guid = reader.ReadGuid({word.text.substr(0, colon), word.begin});
    const auto port = reader.ReadPort({word.text.substr(colon + 1), word.begin + colon + 1});
    if (!guid || !port) return std::nullopt;
    return std::pair{*guid, *port};
}

}  // namespace

std::vector<PortMKey> ParseGuid2MKeyFile(std::string_view text, Diagnostics& diagnostics) {
    struct Entry {
        std::uint64_t m_key = 0;
        std::size_t line = 0;
    };
    std::map<Guid, Entry> entries;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        if (!reader.HasWords(2, "a port's GUID and its M_Key")) continue;
        const Word& first = reader.words()[0];
        const auto guid = reader.ReadGuid(first);
        const auto m_key = reader.ReadNumber(reader.words()[1]);
        if (!guid || !m_key) continue;
        const auto [entry, fresh] = entries.try_emplace(*guid, Entry{*m_key, reader.number()});
        if (!fresh && entry->second.m_key == *m_key) {
            reader.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else if (!fresh) {
            reader.Error(reader.words()[1], Code::kContradiction,
                         fmt::format("line {} gives this port another M_Key; OpenSM takes that one",
                                     entry->second.line));
        }
    }
    std::vector<PortMKey> rows;
    for (const auto& [guid, entry] : entries) {
        rows.push_back({.guid = guid, .m_key = entry.m_key});
    }
    return rows;
}

std::string AsLine(const PortMKey& row) {
    return fmt::format("{} (not shown)", Hex(row.guid));
}

std::vector<Neighbor> ParseNeighborsFile(std::string_view text, Diagnostics& diagnostics) {
    struct Entry {
        Guid peer = kNoGuid;
        std::size_t line = 0;
    };
    std::map<std::pair<Guid, PortNumber>, Entry> entries;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        if (!reader.HasWords(2, "a port and the port behind it")) continue;
        const auto near_end = ReadEnd(reader, reader.words()[0]);
        const auto far_end = ReadEnd(reader, reader.words()[1]);
        if (!near_end || !far_end) continue;
        const auto [entry, fresh] =
            entries.try_emplace(*near_end, Entry{far_end->first, reader.number()});
        if (!fresh && entry->second.peer == far_end->first) {
            reader.Report(Severity::kWarning, reader.words()[0], Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else if (!fresh) {
            reader.Error(reader.words()[1], Code::kContradiction,
                         fmt::format("line {} puts {} behind this port", entry->second.line,
                                     Hex(entry->second.peer)));
        }
    }
    std::vector<Neighbor> rows;
    for (const auto& [end, entry] : entries) {
        rows.push_back({.guid = end.first, .port = end.second, .peer = entry.peer});
    }
    return rows;
}

std::string AsLine(const Neighbor& row) {
    return fmt::format("{}:{} {}", Hex(row.guid), Raw(row.port), Hex(row.peer));
}

}  // namespace ember::emberc
