// SPDX-License-Identifier: Apache-2.0
// EmberSM: port_prof_ignore_file and edge_ports.
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {

std::vector<SwitchPort> ParseSwitchPorts(std::string_view text, Diagnostics& diagnostics) {
    std::map<std::pair<Guid, PortNumber>, std::size_t> lines;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        if (!reader.HasWords(2, "a switch's GUID and a port")) continue;
        const auto guid = reader.ReadGuid(reader.words()[0]);
        const auto port = reader.ReadPort(reader.words()[1]);
        if (!guid || !port) continue;
        const auto [seen, fresh] = lines.try_emplace({*guid, *port}, reader.number());
        if (fresh) continue;
        reader.Report(Severity::kWarning, reader.words()[0], Code::kDuplicateEntry,
                      fmt::format("line {} says the same", seen->second));
    }
    std::vector<SwitchPort> ports;
    for (const auto& [place, line] : lines) {
        ports.push_back({.guid = place.first, .port = place.second});
    }
    return ports;
}

std::string AsLine(const SwitchPort& row) {
    return fmt::format("{} {}", Hex(row.guid), Raw(row.port));
}

}  // namespace ember::emberc
