// SPDX-License-Identifier: Apache-2.0
// EmberSM: hops by port, as OpenSM keeps them under each engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/graph/hops.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/settings/engine_options.h"
#include "engines/file/file_finder.h"
#include "engines/up_down/levels.h"
#include "engines/up_down/queue_search.h"

namespace ember {

/// How many hops a switch is away from another by each of its ports: what OpenSM 3.3.23 holds in
/// memory for every (switch, LID, port) and dumps. EmberSM keeps least hops only, so this finds
/// the others again for a dump.
///
/// updn, dnup: offers of the QueueSearch, which forbids illegal paths. The search goes from
/// destination to destination while a dump goes from switch to switch. So as many switches as the
/// arena can hold are done together, and all destinations are searched anew for the next of them.
/// file: what lid_matrix_dump_file says, if there is one. All other engines: the neighbor's least
/// hops and what the link counts. OpenSM's ftree keeps these too; its own paths are in the tables.
class HopReport {
public:
    /// Enough for all engines, and for the largest switch.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t largest =
            HopStride(limits.max_switches) * (limits.max_switch_ports + std::size_t{1});
        return Topology::ScratchBytes(limits) + Arena::BytesFor<std::uint8_t>(limits.max_ports) +
               std::max(Levels::ScratchBytes(limits) + QueueSearch::ScratchBytes(limits) +
                            Arena::BytesFor<std::uint32_t>(limits.max_switches) +
                            Arena::BytesFor<std::uint8_t>(largest),
                        FileFinder::ScratchBytes(limits));
    }

    HopReport() = default;
    HopReport(const HopReport&) = delete;
    HopReport& operator=(const HopReport&) = delete;

    /// All of it stays unchanged while the report is used.
    struct Case {
        const Fabric* fabric = nullptr;
        const EngineOptions* options = nullptr;  ///< The routes were made with them.
        EngineKind engine = EngineKind::kMinHop;
        Matrix<SwitchIndex, const std::uint8_t> hops;  ///< Least hops: Router::hops().
        std::span<const SwitchIndex> order;            ///< In which the switches will be asked.
    };
    /// Takes from `scratch` from where it stands, more the more it has. About 1 ms for 1,620
    /// switches.
    void Begin(const Case& given, Arena& scratch);

    /// Hops() may be asked of the switch at `row` of the order.
    [[nodiscard]] bool Has(std::size_t row) const {
        if (phase_ != Phase::kReady) return false;
        return !searches_ || (row >= first_row_ && row < end_row_);
    }
    /// A slice, well below a millisecond, of what Has() waits for. Rows that were there before may
    /// be gone.
    void WorkOn(std::size_t row);

    /// From `at` to `to` by `port`; port 0: by the best one. kNoHops: no path. Has(row of `at`) is
    /// asserted.
    [[nodiscard]] std::uint8_t Hops(SwitchIndex at, SwitchIndex to, std::size_t port) const;

private:
    enum class Phase : std::uint8_t { kFile, kLevels, kReady, kSearch };

    void WeighLinks();
    void BeginSearch(std::size_t row);
    void KeepOffers();
    [[nodiscard]] std::uint8_t HopsByNeighbor(SwitchIndex at, SwitchIndex to,
                                              std::size_t port) const;
    [[nodiscard]] std::uint8_t HopsByFile(SwitchIndex at, SwitchIndex to, std::size_t port) const;
    [[nodiscard]] std::size_t width(SwitchIndex at) const {
        return topology_.switch_row(at).port_count + std::size_t{1};
    }

    Case case_;
    Arena* scratch_ = nullptr;
    Topology topology_;
    RoutingTask task_;
    std::span<std::uint8_t> weights_;  ///< By exit: what its link counts.
    bool reads_ = false;               ///< Hops are those of the file.
    bool searches_ = false;            ///< Hops are found by the search.
    FileFinder file_;
    UpDownRule rule_ = UpDownRule::kFromRoots;
    Levels levels_;
    QueueSearch search_;
    std::size_t mark_ = 0;  ///< Where scratch stands before a search.
    Phase phase_ = Phase::kReady;
    std::size_t first_row_ = 0;  ///< Of the order: rows first_row_ .. end_row_ - 1 are held.
    std::size_t end_row_ = 0;
    std::span<std::uint8_t> kept_;    ///< By held switch, destination and port.
    std::span<std::uint32_t> place_;  ///< By switch: where its part of kept_ begins.
};

}  // namespace ember
