// SPDX-License-Identifier: Apache-2.0
// EmberSM: files with a GUID in each line, and what it is given: its place in a list, ports, a
// number.
#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "core/settings/settings.h"

namespace ember::emberc {
namespace {

/// GUIDs in the order of the lines. A GUID of `compute_nodes`, which ascends, draws a warning.
std::vector<Guid> Parse(std::string_view text, Diagnostics& diagnostics,
                        std::span<const Guid> compute_nodes) {
    std::vector<Guid> guids;
    std::map<Guid, std::size_t> lines;
    LineReader reader(text, diagnostics);
    while (reader.NextWords()) {
        const Word& word = reader.words().front();
        const auto guid = reader.ReadGuid(word);
        (void)reader.HasWords(1, "a GUID");
        if (!guid) continue;
        const auto [seen, fresh] = lines.try_emplace(*guid, reader.number());
        if (!fresh) {
            reader.Report(Severity::kWarning, word, Code::kDuplicateEntry,
                          fmt::format("{} stands in line {} already", Hex(*guid), seen->second));
            continue;
        }
        if (guids.size() == kMostListedGuids) {
            reader.Error(word, Code::kTooLarge,
                         fmt::format("a subnet has no more than {} of them", kMostListedGuids));
            break;  // The lines that follow would all say the same.
        }
        guids.push_back(*guid);
        if (std::binary_search(compute_nodes.begin(), compute_nodes.end(), *guid)) {
            reader.Report(Severity::kWarning, word, Code::kBothKinds,
                          "cn_guid_file has it too: it counts as a compute node");
        }
    }
    return guids;
}

}  // namespace

// root_guid_file, cn_guid_file, io_guid_file, guid_routing_order_file.

std::vector<Guid> ParseGuidList(std::string_view text, Diagnostics& diagnostics) {
    return Parse(text, diagnostics, {});
}

std::vector<Guid> ParseGuidSet(std::string_view text, Diagnostics& diagnostics) {
    std::vector<Guid> guids = Parse(text, diagnostics, {});
    std::sort(guids.begin(), guids.end());
    return guids;
}

std::vector<Guid> ParseIoGuidFile(std::string_view text, Diagnostics& diagnostics,
                                  const SubnetFacts& subnet) {
    std::vector<Guid> guids = Parse(text, diagnostics, subnet.compute_nodes);
    std::sort(guids.begin(), guids.end());
    return guids;
}

std::string AsLine(Guid guid) {
    return Hex(guid);
}

// port_prof_ignore_file and edge_ports.

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

// hop_weights_file.

std::vector<HopWeight> ParseHopWeightsFile(std::string_view text, Diagnostics& diagnostics) {
    struct Entry {
        std::uint64_t hops = 0;
        std::size_t line = 0;
    };
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

// ids_guid_file.

std::vector<GuidNumber> ParseIdsGuidFile(std::string_view text, Diagnostics& diagnostics) {
    struct Entry {
        std::uint64_t number = 0;
        std::size_t line = 0;
    };
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

// port_search_ordering_file, once called dimn_ports_file.

namespace {

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
    struct Entry {
        std::vector<PortNumber> ports;
        std::size_t line = 0;
    };
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
