// SPDX-License-Identifier: Apache-2.0
// EmberSM: which switches give packets the lanes that they are told to.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"

namespace ember {

/// Switches whose tables of lanes are not as they should be.
struct LaneFaults {
    std::uint32_t without_maps = 0;  ///< Switches that say that they take no SL to VL maps.
    /// Switches that have refused tables, have not answered, or do not keep them.
    std::uint32_t lacking = 0;
    [[nodiscard]] bool operator==(const LaneFaults&) const = default;
};

/// Decides which switches have one lane (Switch::has_one_lane): those that say so by
/// IsSLMappingSupported (IBA vol. 1, 14.2.5.6), and suspects, which refused SL to VL or VL
/// arbitration tables that routes rely on, did not answer, or did not keep them.
///
/// To routes all packets on a link of such a switch are on VL 0. Whatever lanes it really gives
/// them, a credit loop among these would be one on VL 0 too: so what is proved for one lane holds.
///
/// A suspect becomes one that is believed again by trials (MayTry()) that find its tables as they
/// were written, kFaults in a row. As each change of routes is a moment in which packets of old and
/// new ones may meet, after kMostFalls an operator has to ask for a sweep first.
class LaneTrust {
public:
    LaneTrust(Fabric& fabric, Log& log) : fabric_(fabric), log_(log) {}
    LaneTrust(const LaneTrust&) = delete;
    LaneTrust& operator=(const LaneTrust&) = delete;

    /// Before routes are made; no topology is under way, since only this changes has_one_lane.
    /// `writes_maps`: else no switch has one lane. `is_asked_for`: by an operator.
    void Begin(bool writes_maps, bool is_asked_for, std::uint64_t now_us);
    /// The switch has one lane from the next Begin() on. False: it was suspect before.
    bool Suspect(SwitchIndex at, std::uint64_t now_us);
    /// Tables of a switch were read again, and all are as they were written, or one is not. True:
    /// it is suspect now and was not before.
    bool Observe(SwitchIndex at, bool is_different, std::uint64_t now_us);
    /// A trial of a suspect has found all tables as they should be. True: it is none any more.
    bool PassTrial(SwitchIndex at, std::uint64_t now_us);
    /// Tables may be written and read again to find out whether a suspect keeps them.
    [[nodiscard]] bool MayTry(SwitchIndex at) const {
        return fabric_.switch_row(at).lane_falls < kMostFalls;
    }

private:
    /// Differences that make a switch suspect, less those of readings without one.
    static constexpr std::uint8_t kFaults = 3;
    static constexpr std::uint8_t kMostFaults = 7;
    static constexpr std::uint8_t kMostFalls = 3;

    Fabric& fabric_;
    Log& log_;
};

/// The switch says by port 0's CapabilityMask that it takes no SL to VL maps.
[[nodiscard]] bool LacksLaneMaps(const Fabric& fabric, const Switch& row);

/// A sum over the switches that have one lane: routes made under another one are out of date.
[[nodiscard]] std::uint32_t SumOfOneLanes(const Fabric& fabric);

}  // namespace ember
