// SPDX-License-Identifier: Apache-2.0
// EmberSM: what there is to be said of a subnet and its manager.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/ids.h"
#include "core/discovery/discovery.h"
#include "core/fabric/fabric.h"
#include "core/lids/lids.h"
#include "core/manager/scrub.h"
#include "core/manager/up_notes.h"
#include "core/multicast/multicast_upkeep.h"
#include "core/partitions/p_key_upkeep.h"
#include "core/platform.h"
#include "core/port_tables/table_counts.h"
#include "core/programming/programming.h"

namespace ember {

/// Where a bring-up stands.
enum class Stage : std::uint8_t {
    kResting,      ///< Nothing to do until a deadline, a trap or a request.
    kDiscovering,  ///< Heavy sweep under way.
    kElecting,     ///< Other subnet managers are being asked who they are.
    kPreparing,    ///< Ports and switches are being set while routes are computed and verified.
    kProgramming,  ///< LFT blocks are being written.
    kActivating,   ///< Links are going to ACTIVE.
    kLightSweep,   ///< Switches are being asked whether anything changed.
};
inline constexpr std::size_t kStages = 7;

/// Trees of multicast may be computed and written.
[[nodiscard]] constexpr bool LeavesTimeForTrees(Stage stage) {
    return stage == Stage::kResting || stage == Stage::kLightSweep;
}
/// A sweep or programming may change the tables that clients are answered from.
[[nodiscard]] constexpr bool MovesTables(Stage stage) {
    return stage != Stage::kElecting && !LeavesTimeForTrees(stage);
}

/// The values of the status page. A plain value; times are those of the last complete bring-up.
struct SubnetStatus {
    Stage stage = Stage::kResting;
    /// The last heavy sweep as master ended without errors at any switch, or link between switches.
    /// Hosts and routers that could not be configured are counted in `programming`.
    bool up = false;
    /// More than half of so many nodes were lost, in one sweep; 0: no such loss, or it is over.
    std::size_t nodes_before_loss = 0;
    bool cut_off = false;           ///< Our own port's link is up, and its neighbor is silent.
    SubnetUpSummary up_summary;     ///< Of the last SUBNET UP.
    PartitionGaps partition_gaps;   ///< Ports at which partitions do not hold, while it is up.
    std::uint64_t up_since_us = 0;  ///< When `up` became true first as master.
    std::uint64_t up_count = 0;     ///< Heavy sweeps that ended in SUBNET UP.
    /// Changes of partitions that needed no sweep, and that every port has taken.
    std::uint64_t partition_changes = 0;
    std::uint64_t heavy_sweeps = 0;
    std::uint64_t targeted_sweeps = 0;  ///< Of the heavy ones, those that asked some switches only.
    std::uint64_t light_sweeps = 0;
    std::uint64_t balancings = 0;  ///< Off-sweep.
    bool mended = false;           ///< Routes were mended since they were last balanced.
    /// An engine of the list in force has routed this subnet under the routing settings in force,
    /// now or before tables had to be kept. False: the tables kept are of another routing.
    bool routed_as_configured = false;
    SweepReason last_reason = SweepReason::kStart;
    std::size_t nodes = 0;
    std::size_t switches = 0;
    std::size_t end_ports = 0;  ///< Ports that have LIDs, switch port 0 included.
    std::size_t links = 0;
    Lid top_lid = kNoLid;
    LidOutcome lids{};
    Discovery::Outcome discovery;
    ProgrammingOutcome programming;
    MulticastStatus multicast;
    ScrubStatus scrub;
    PortTableCounts port_tables;
    std::array<std::uint64_t, kStages> stage_work_us{};  ///< By Stage: our own work in it.
    std::array<std::uint64_t, kStages> stage_us{};  ///< By Stage: clock time of the last bring-up.
    std::array<std::uint64_t, kStages> stage_smps{};  ///< By Stage: SMPs sent in it.
    std::uint64_t routing_us = 0;    ///< Topology, hops and engine: time inside Advance().
    std::uint64_t verifying_us = 0;  ///< Verifier: time inside Advance().
    std::uint64_t bring_up_us = 0;   ///< From the start of the sweep to SUBNET UP.
    std::uint64_t longest_step_us = 0;
    std::uint64_t malformed_mads = 0;
    std::uint64_t unexpected_mads = 0;
    std::uint64_t traps = 0;          ///< Received as master.
    std::uint64_t traps_refused = 0;  ///< Of these, beyond the share of their issuer.
};

}  // namespace ember
