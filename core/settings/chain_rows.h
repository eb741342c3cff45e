// SPDX-License-Identifier: Apache-2.0
// EmberSM: what topo_policy_file and rch_policy_file say, as rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/engine_kind.h"

namespace ember {

/// Groups that PortTopology names are rows of ManagerTables::port_groups below this, or this and a
/// set of qos_node_type: all ports of nodes of these types.
inline constexpr std::uint16_t kGroupOfTypes = 0x8000;

/// A topology of topo_policy_file: a part of the subnet.
struct PortTopology {
    std::uint64_t id = 0;         ///< Not 0: that is the whole subnet.
    std::uint32_t line = 0;       ///< Where the file defines it, from 1.
    std::uint16_t switches = 0;   ///< sw-grp: its switches, and the ports of them that it uses.
    std::uint16_t end_ports = 0;  ///< hca-grp: its hosts and routers.
    [[nodiscard]] bool operator==(const PortTopology&) const = default;
};

// ChainStep::own and ChainStep::values: an option of EngineOptions each.
namespace step_option {
inline constexpr std::uint16_t kPortProfileSwitchNodes = 1U << 0U;
inline constexpr std::uint16_t kConnectRoots = 1U << 1U;
inline constexpr std::uint16_t kQuasiFtreeIndexing = 1U << 2U;
inline constexpr std::uint16_t kPortShifting = 1U << 3U;
inline constexpr std::uint16_t kNoScatter = 1U << 4U;
inline constexpr std::uint16_t kMaxReverseHops = 1U << 5U;
inline constexpr std::uint16_t kScatterPorts = 1U << 6U;
inline constexpr std::uint16_t kMeshAnalysis = 1U << 7U;
inline constexpr std::uint16_t kNueIncludeSwitches = 1U << 8U;
inline constexpr std::uint16_t kAll = 0x1FF;
/// Options that are on or off.
inline constexpr std::uint16_t kSwitches = 0x19F;
}  // namespace step_option

// ChainStep::own_files: an option file of EngineTables each.
namespace step_file {
inline constexpr std::uint16_t kRoots = 1U << 0U;
inline constexpr std::uint16_t kIds = 1U << 1U;
inline constexpr std::uint16_t kComputeNodes = 1U << 2U;
inline constexpr std::uint16_t kIoNodes = 1U << 3U;
inline constexpr std::uint16_t kRoutingOrder = 1U << 4U;
inline constexpr std::uint16_t kHopWeights = 1U << 5U;
inline constexpr std::uint16_t kIgnored = 1U << 6U;
inline constexpr std::uint16_t kSearch = 1U << 7U;
inline constexpr std::uint16_t kTorus = 1U << 8U;
inline constexpr std::uint16_t kAll = 0x1FF;
}  // namespace step_file

/// A unicast-step of rch_policy_file. Rows ascend by `id`. The first that is no fallback is for the
/// whole subnet and all LIDs.
struct ChainStep {
    std::uint64_t id = 0;             ///< Not 0.
    std::uint32_t line = 0;           ///< Where the file defines it, from 1.
    std::uint32_t scatter_ports = 0;  ///< As EngineOptions, if `own` says so.
    std::uint16_t max_reverse_hops = 0;
    std::uint16_t own = 0;         ///< step_option: the step's file says them, not the main one.
    std::uint16_t values = 0;      ///< step_option: those of kSwitches that are on.
    std::uint16_t own_files = 0;   ///< step_file: likewise; no file where the tables lack it.
    std::uint8_t tables = 0;       ///< Row of ManagerTables::step_tables + 1; 0: none.
    std::uint8_t topology = 0;     ///< Row of ManagerTables::topologies + 1; 0: the whole subnet.
    std::uint8_t fallback_of = 0;  ///< Row of another step + 1, which is no fallback; 0: none.
    std::uint8_t path_bit = 0;     ///< The LID of each port that it routes, from its base LID on.
    EngineKind engine = EngineKind::kMinHop;
    [[nodiscard]] bool operator==(const ChainStep&) const = default;
};

// Limits of a configuration; emberc and the blob's reader take no more.
inline constexpr std::size_t kMostTopologies = 128;
inline constexpr std::size_t kMostChainSteps = 16;
inline constexpr std::uint8_t kMostPathBits = 127;

/// Which chains may have steps of an engine.
enum class ChainUse : std::uint8_t {
    kAny,
    kWithLanes,  ///< Chains whose steps have lanes of their own: its routes need several.
    kNone,       ///< Its tables are those of the whole subnet.
};
[[nodiscard]] constexpr ChainUse ChainUseOf(EngineKind kind) {
    switch (kind) {
        case EngineKind::kMinHop:
        case EngineKind::kUpDn:
        case EngineKind::kDnUp:
        case EngineKind::kDor:
        case EngineKind::kFtree:
        case EngineKind::kAuto:
        case EngineKind::kPqft:
        case EngineKind::kSssp:
        case EngineKind::kNue:  // A single lane is enough for it.
            return ChainUse::kAny;
        case EngineKind::kLash:
        case EngineKind::kTorus2Qos:
        case EngineKind::kDfsssp:
            return ChainUse::kWithLanes;
        case EngineKind::kFile:
            return ChainUse::kNone;
    }
    return ChainUse::kNone;
}

/// Whether a chain whose steps have lanes of their own, or share one, may have this engine.
[[nodiscard]] constexpr bool IsForChains(EngineKind kind, bool has_step_lanes) {
    const ChainUse use = ChainUseOf(kind);
    return use == ChainUse::kAny || (use == ChainUse::kWithLanes && has_step_lanes);
}

}  // namespace ember
