// SPDX-License-Identifier: Apache-2.0
// EmberSM: hop_weights_file.
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

struct Entry {
    std::uint64_t hops = 0;
    std::size_t line = 0;
};

}  // namespace

std::vector<HopWeight> ParseHopWeightsFile(std::string_view text, Diagnostics& diagnostics) {
    std::map<std::pair<Guid, PortNumber>, Entry> entries;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        if (!reader.HasWords(3, "a switch's GUID, a port and its weight")) continue;
        const auto guid = reader.ReadGuid(reader.words()[0]);
        const auto port = reader.ReadPort(reader.words()[1]);
        const auto hops = reader.ReadNumber(reader.words()[2], "weight", 1, 255);
        if (!guid || !port || !hops) continue;
        const auto [entry, fresh] =
            entries.try_emplace({*guid, *port}, Entry{*hops, reader.number()});
        if (!fresh && entry->second.hops == *hops) {
            reader.Report(Severity::kWarning, reader.words()[0], Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else if (!fresh) {
            reader.Error(reader.words()[2], Code::kContradiction,
                         fmt::format("line {} gives this port the weight {}", entry->second.line,
                                     entry->second.hops));
        }
    }
    std::vector<HopWeight> weights;
    for (const auto& [place, entry] : entries) {
        weights.push_back({.guid = place.first,
                           .port = place.second,
                           .hops = static_cast<std::uint8_t>(entry.hops)});
    }
    return weights;
}

std::string AsLine(const HopWeight& row) {
    return fmt::format("{} {} {}", Hex(row.guid), Raw(row.port), row.hops);
}

}  // namespace ember::emberc
