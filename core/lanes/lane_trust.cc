// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switches give packets the lanes that they are told to.

#include "core/lanes/lane_trust.h"

#include <cstddef>
#include <span>

#include "core/base/assert.h"
#include "core/base/crc32.h"
#include "core/wire/port_info.h"

namespace ember {
namespace {

[[nodiscard]] std::uint64_t GuidOf(const Fabric& fabric, const Switch& row) {
    return Raw(fabric.node(row.node).guid);
}

}  // namespace

/// A switch whose port 0 has not answered yet may take maps.
bool LacksLaneMaps(const Fabric& fabric, const Switch& row) {
    const Port& management = fabric.PortsOf(row.node).front();
    const std::uint32_t mask = management.info.Get(PortInfo::kCapabilityMask);
    return management.has_info && (mask & capability_mask::kIsSlMappingSupported) == 0;
}

std::uint32_t SumOfOneLanes(const Fabric& fabric) {
    std::uint32_t sum = 0;
    ForEachSwitch(fabric, [&](SwitchIndex, const Switch& row) {
        if (!row.has_one_lane) return;
        const std::uint64_t guid = GuidOf(fabric, row);
        sum = Crc32(std::as_bytes(std::span(&guid, 1)), sum);
    });
    return sum;
}

void LaneTrust::Begin(bool writes_maps, bool is_asked_for, std::uint64_t now_us) {
    ForEachSwitch(fabric_, [&](SwitchIndex, Switch& row) {
        if (is_asked_for && row.lane_falls == kMostFalls) --row.lane_falls;
        const bool lacks_maps = writes_maps && LacksLaneMaps(fabric_, row);
        if (lacks_maps && !row.has_one_lane) {
            log_.WriteSparingly<Note::kSwitchWithoutMaps>(now_us, GuidOf(fabric_, row));
        }
        row.has_one_lane = lacks_maps || (writes_maps && row.is_lane_suspect);
    });
}

bool LaneTrust::Suspect(SwitchIndex at, std::uint64_t now_us) {
    Switch& row = fabric_.switch_row(at);
    if (row.is_lane_suspect) return false;
    row.is_lane_suspect = true;
    row.lane_faults = kFaults;
    if (row.lane_falls < kMostFalls) ++row.lane_falls;
    log_.WriteSparingly<Note::kSwitchLanesSuspect>(now_us, GuidOf(fabric_, row));
    return true;
}

bool LaneTrust::Observe(SwitchIndex at, bool is_different, std::uint64_t now_us) {
    Switch& row = fabric_.switch_row(at);
    if (!is_different) {
        if (row.lane_faults != 0) --row.lane_faults;
        return false;
    }
    if (row.lane_faults < kMostFaults) ++row.lane_faults;
    return row.lane_faults >= kFaults && Suspect(at, now_us);
}

bool LaneTrust::PassTrial(SwitchIndex at, std::uint64_t now_us) {
    Switch& row = fabric_.switch_row(at);
    EMBER_ASSERT(row.is_lane_suspect);
    if (row.lane_faults != 0) --row.lane_faults;
    if (row.lane_faults != 0) return false;
    row.is_lane_suspect = false;
    log_.WriteSparingly<Note::kSwitchLanesTaken>(now_us, GuidOf(fabric_, row));
    return true;
}

}  // namespace ember
