// SPDX-License-Identifier: Apache-2.0
// EmberSM: port_search_ordering_file, once called dimn_ports_file.
#include <bitset>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"

namespace ember::emberc {
namespace {

struct Entry {
    std::vector<PortNumber> ports;
    std::size_t line = 0;
};

/// The ports of the line at hand; what is wrong with one does not keep the others from being read.
std::vector<PortNumber> ReadPorts(LineReader& reader) {
    std::vector<PortNumber> ports;
    std::bitset<256> seen;
    for (const Word& word : reader.words().subspan(1)) {
        const auto port = reader.ReadPort(word);
        if (!port) continue;
        if (seen[Raw(*port)]) {
            reader.Error(word, Code::kDuplicatePort,
                         fmt::format("port {} stands in this line already", Raw(*port)));
            continue;
        }
        seen.set(Raw(*port));
        ports.push_back(*port);
    }
    return ports;
}

}  // namespace

std::vector<SearchOrder> ParsePortSearchOrderingFile(std::string_view text,
                                                     Diagnostics& diagnostics) {
    std::map<Guid, Entry> entries;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        const Word first = reader.words().front();
        const auto guid = reader.ReadGuid(first);
        if (reader.words().size() == 1) {
            reader.Error(first, Code::kMissingValue, "a line is a switch's GUID and its ports");
            continue;
        }
        const std::vector<PortNumber> ports = ReadPorts(reader);
        if (!guid || ports.empty()) continue;
        const auto [entry, fresh] = entries.try_emplace(*guid, Entry{ports, reader.number()});
        if (!fresh && entry->second.ports == ports) {
            reader.Report(Severity::kWarning, first, Code::kDuplicateEntry,
                          fmt::format("line {} says the same", entry->second.line));
        } else if (!fresh) {
            reader.Error(first, Code::kContradiction,
                         fmt::format("line {} orders the ports of {} in another way",
                                     entry->second.line, Hex(*guid)));
        }
    }
    std::vector<SearchOrder> orders;
    for (auto& [guid, entry] : entries) {
        orders.push_back({.guid = guid, .ports = std::move(entry.ports)});
    }
    return orders;
}

std::string AsLine(const SearchOrder& row) {
    std::string line = Hex(row.guid);
    for (const PortNumber port : row.ports) {
        line += fmt::format(" {}", Raw(port));
    }
    return line;
}

}  // namespace ember::emberc
