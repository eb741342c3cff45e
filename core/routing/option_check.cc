// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that is not in the subnet.

#include "core/routing/option_check.h"

#include <algorithm>

#include "core/graph/named_roots.h"
#include "core/log/words.h"

namespace ember {

static_assert(kOptionFileWords.size() == kOptionFiles);

std::string_view NameOf(OptionFile file) {
    return kOptionFileWords[Raw(file)];
}

void OptionCheck::Begin(const Topology& topology, const EngineOptions& options) {
    topology_ = &topology;
    options_ = &options;
    tables_ = &options.tables;
    file_ = line_ = 0;
    report_ = {};
}

Progress OptionCheck::Advance() {
    left_ = kLinesPerSlice;
    while (file_ < kOptionFiles && left_ != 0) {  // Ends: CheckFile() uses lines up, or a file.
        CheckFile();
    }
    return file_ < kOptionFiles ? Progress::kMore : Progress::kDone;
}

/// Some lines of the present file.
void OptionCheck::CheckFile() {
    const EngineTables& tables = *tables_;
    const auto by_port_guid = [this](Guid guid) { CheckPortGuid(guid); };
    const auto by_switch = [this](const auto& line) { CheckSwitch(line.guid); };
    const auto by_switch_port = [this](const auto& line) {
        const SwitchIndex at = CheckSwitch(line.guid);
        if (at != kNoSwitch) CheckPort(at, line.port);
    };
    switch (static_cast<OptionFile>(file_)) {
        case OptionFile::kRoots:  // A GUID that is no switch's is looked for among all end ports.
            left_ = std::min(left_, kRootsPerSlice);
            return CheckLines(tables.roots, [this](Guid guid) { CheckRoot(guid); });
        case OptionFile::kIds:
            return CheckLines(tables.ids, by_switch);
        case OptionFile::kComputeNodes:
            return CheckLines(tables.compute_nodes, by_port_guid);
        case OptionFile::kIoNodes:
            return CheckLines(tables.io_nodes, by_port_guid);
        case OptionFile::kRoutingOrder:
            return CheckLines(tables.routing_order, by_port_guid);
        case OptionFile::kHopWeights:
            return CheckLines(tables.hop_weights, by_switch_port);
        case OptionFile::kIgnoredPorts:
            return CheckLines(tables.ignored, by_switch_port);
        case OptionFile::kSearchOrder:
            return CheckLines(tables.search,
                              [this](const PortOrder& line) { CheckSearchOrder(line); });
        case OptionFile::kLfts:
            return CheckLines(tables.lfts, by_switch);
        case OptionFile::kLidMatrix:
            return CheckLines(tables.matrix, by_switch);
        case OptionFile::kTorus:
            return CheckLines(tables.torus_seeds,
                              [this](const TorusSeed& seed) { CheckSeed(seed); });
    }
}

template <typename Line, typename Check>
void OptionCheck::CheckLines(std::span<const Line> lines, Check check) {
    const std::size_t count = std::min(left_, lines.size() - line_);
    for (const Line& line : lines.subspan(line_, count)) {
        check(line);
    }
    line_ += count;
    left_ -= count;
    if (line_ < lines.size()) return;
    line_ = 0;
    ++file_;
}

void OptionCheck::CheckPortGuid(Guid guid) {
    if (topology_->FindDestination(guid) == kNoDestination) MissGuid(guid);
}

/// A switch, or a host or router that names its switches (NamedRoots).
void OptionCheck::CheckRoot(Guid guid) {
    if (topology_->FindSwitch(guid) != kNoSwitch) return;
    const auto& all = topology_->destinations();
    const bool is_host = NamedRoots(*options_).TakeHosts() &&
                         std::any_of(all.begin(), all.end(), [guid](const Destination& one) {
                             return one.at != kNoSwitch && !one.is_switch() &&
                                    (one.port_guid == guid || one.node_guid == guid);
                         });
    if (!is_host) return MissGuid(guid);
    OptionMisses& misses = report_[static_cast<OptionFile>(file_)];
    if (misses.hosts++ == 0) misses.first_host = guid;
}

/// The switch, or kNoSwitch and a miss.
SwitchIndex OptionCheck::CheckSwitch(Guid guid) {
    const SwitchIndex at = topology_->FindSwitch(guid);
    if (at == kNoSwitch) MissGuid(guid);
    return at;
}

/// False, and a miss, when the switch has no such port. Port 0 is one.
bool OptionCheck::CheckPort(SwitchIndex at, PortNumber port) {
    if (Raw(port) <= topology_->switch_row(at).port_count) return true;
    OptionMisses& misses = report_[static_cast<OptionFile>(file_)];
    if (misses.ports++ == 0) {
        misses.first_switch = topology_->switch_row(at).guid;
        misses.first_port = port;
    }
    return false;
}

void OptionCheck::CheckSearchOrder(const PortOrder& line) {
    const SwitchIndex at = CheckSwitch(line.guid);
    if (at == kNoSwitch) return;
    for (const PortNumber port : tables_->search_ports.subspan(line.first, line.count)) {
        if (!CheckPort(at, port)) return;  // A single miss leaves the line out.
    }
}

/// Each switch of it that is not there is a miss.
void OptionCheck::CheckSeed(const TorusSeed& seed) {
    CheckSwitch(seed.from);
    for (const Guid guid : seed.to) {
        if (guid != kNoGuid) CheckSwitch(guid);
    }
}

void OptionCheck::MissGuid(Guid guid) {
    OptionMisses& misses = report_[static_cast<OptionFile>(file_)];
    if (misses.guids++ == 0) misses.first_guid = guid;
}

}  // namespace ember
