// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files name that is not in the subnet.

#include "core/routing/option_check.h"

#include <span>

#include "core/log/words.h"

namespace ember {

namespace {

static_assert(kOptionFileWords.size() == kOptionFiles);

/// Compares the lines of one file.
class Checker {
public:
    explicit Checker(const Topology& topology) : topology_(topology) {}
    [[nodiscard]] const OptionMisses& misses() const { return misses_; }

    void CheckPortGuid(Guid guid) {
        if (topology_.FindDestination(guid) == kNoDestination) MissGuid(guid);
    }
    /// The switch, or kNoSwitch and a miss.
    SwitchIndex CheckSwitch(Guid guid) {
        const SwitchIndex at = topology_.FindSwitch(guid);
        if (at == kNoSwitch) MissGuid(guid);
        return at;
    }
    /// False, and a miss, when the switch has no such port. Port 0 is one.
    bool CheckPort(SwitchIndex at, PortNumber port) {
        if (Raw(port) <= topology_.switch_row(at).port_count) return true;
        if (misses_.ports++ == 0) {
            misses_.first_switch = topology_.switch_row(at).guid;
            misses_.first_port = port;
        }
        return false;
    }
    void CheckSwitchPort(Guid guid, PortNumber port) {
        const SwitchIndex at = CheckSwitch(guid);
        if (at != kNoSwitch) static_cast<void>(CheckPort(at, port));
    }

private:
    void MissGuid(Guid guid) {
        if (misses_.guids++ == 0) misses_.first_guid = guid;
    }

    const Topology& topology_;
    OptionMisses misses_;
};

/// Runs `check(checker, line)` over the lines of a file.
template <typename Line, typename Check>
OptionMisses CheckLines(const Topology& topology, std::span<const Line> lines, Check check) {
    Checker checker(topology);
    for (const Line& line : lines) {
        check(checker, line);
    }
    return checker.misses();
}

OptionMisses CheckSearchOrder(const Topology& topology, const OptionTables& tables) {
    return CheckLines(topology, tables.search, [&](Checker& checker, const PortOrder& line) {
        const SwitchIndex at = checker.CheckSwitch(line.guid);
        if (at == kNoSwitch) return;
        for (const PortNumber port : tables.search_ports.subspan(line.first, line.count)) {
            if (!checker.CheckPort(at, port)) return;  // One is enough to leave the line out.
        }
    });
}

}  // namespace

std::string_view NameOf(OptionFile file) {
    return kOptionFileWords[Raw(file)];
}

OptionReport CheckOptionFiles(const Topology& topology, const OptionTables& tables) {
    const auto by_port = [](Checker& checker, Guid guid) { checker.CheckPortGuid(guid); };
    const auto by_switch = [](Checker& checker, const auto& line) {
        static_cast<void>(checker.CheckSwitch(line.guid));
    };
    const auto by_switch_port = [](Checker& checker, const auto& line) {
        checker.CheckSwitchPort(line.guid, line.port);
    };
    OptionReport report;
    report[OptionFile::kRoots] = CheckLines(
        topology, tables.roots,
        [](Checker& checker, Guid guid) { static_cast<void>(checker.CheckSwitch(guid)); });
    report[OptionFile::kIds] = CheckLines(topology, tables.ids, by_switch);
    report[OptionFile::kComputeNodes] = CheckLines(topology, tables.compute_nodes, by_port);
    report[OptionFile::kIoNodes] = CheckLines(topology, tables.io_nodes, by_port);
    report[OptionFile::kRoutingOrder] = CheckLines(topology, tables.routing_order, by_port);
    report[OptionFile::kHopWeights] = CheckLines(topology, tables.hop_weights, by_switch_port);
    report[OptionFile::kIgnoredPorts] = CheckLines(topology, tables.ignored, by_switch_port);
    report[OptionFile::kSearchOrder] = CheckSearchOrder(topology, tables);
    report[OptionFile::kLfts] = CheckLines(topology, tables.lfts, by_switch);
    report[OptionFile::kLidMatrix] = CheckLines(topology, tables.matrix, by_switch);
    return report;
}

}  // namespace ember
