// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding tables, a LID after the other by least paths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/progress.h"
#include "core/base/status.h"
#include "core/routing/engine.h"
#include "engines/sssp/path_search.h"

namespace ember {

/// The tables of OpenSM's sssp, octet for octet. A LID is routed over the links as the LIDs before
/// have loaded them: hosts first, of the switch with the most LIDs first, in the order of its
/// ports; those of cn_guid_file and then of io_guid_file before others; then switches. OpenSM
/// routes no routers: here they come last, so that all else is as it has it.
class PathTables {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return PathSearch::ScratchBytes(limits) +
               Arena::BytesFor<DestinationIndex>(limits.max_lid) +
               Arena::BytesFor<bool>(limits.max_lid) +
               Arena::BytesFor<SwitchIndex>(limits.max_switches);
    }

    /// The keys of opensm.conf that it looks at.
    static constexpr std::array<std::string_view, 3> kOptions = {"cn_guid_file", "io_guid_file",
                                                                 "avoid_throttled_links"};

    constexpr PathTables() = default;
    PathTables(const PathTables&) = delete;
    PathTables& operator=(const PathTables&) = delete;

    /// Not kOk: see complaint().
    [[nodiscard]] Status Begin(const RoutingTask& task);
    /// Routes some LIDs.
    [[nodiscard]] Progress Advance();
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    static constexpr std::size_t kLinksPerSlice = 100'000;  ///< About half a millisecond.

    void OrderSwitches();
    void OrderDestinations();
    void AddEndPorts(std::span<const Guid> guids, bool wants_named);
    void AddSwitches();
    void AddRouters();
    void RouteLid(const Destination& destination, Lid lid);
    void Add(DestinationIndex at);

    RoutingTask task_;
    PathSearch search_;
    std::span<SwitchIndex> switches_;    ///< By LIDs, most first.
    std::span<DestinationIndex> order_;  ///< In which destinations are routed.
    std::span<bool> is_ordered_;         ///< By destination.
    std::size_t count_ = 0;              ///< In order_.
    std::size_t next_ = 0;               ///< Of order_,
    std::uint32_t next_lid_ = 0;         ///< and of its LIDs.
    EngineComplaint complaint_;
};

}  // namespace ember
