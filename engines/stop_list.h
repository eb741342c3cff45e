// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/engine.h"
#include "core/graph/topology.h"

namespace ember {

/// A destination, as short as the loop over them wants it.
struct Stop {
    Lid lid{};
    SwitchIndex at{};
    std::uint16_t run = 0;  ///< From here on so many end ports hang on the same switch.
    PortNumber port{};
    std::uint8_t lmc = 0;
    [[nodiscard]] bool is_switch() const { return port == kManagementPort; }
};

/// All destinations that hang on a switch: first those of guid_routing_order_file, in its order
/// (what is named again or is nobody here is passed over), then the others in the order of
/// Topology::destinations_by_crowd().
class StopList {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Stop>(limits.max_lid) + Arena::BytesFor<bool>(limits.max_lid);
    }

    /// Both lists stay still until Advance() says kDone.
    void Begin(const Topology& topology, std::span<const Guid> routing_order, Arena& scratch);
    /// Looks at a bounded number of them: a list may have many thousand lines.
    Progress Advance();

    /// Empty until Advance() has said kDone.
    [[nodiscard]] std::span<const Stop> stops() const { return stops_; }
    /// So many of them, the first ones, are of guid_routing_order_file.
    [[nodiscard]] std::size_t named_count() const { return named_count_; }

private:
    static constexpr std::size_t kLinesPerSlice = 2048;

    void Take(DestinationIndex at);
    void JoinRuns();

    const Topology* topology_ = nullptr;
    std::span<const Guid> routing_order_;
    std::span<Stop> room_;
    std::span<bool> taken_;  ///< By destination.
    std::size_t next_ = 0;   ///< Of routing_order_, then of destinations_by_crowd().
    std::size_t count_ = 0;  ///< Of room_ in use.
    std::span<Stop> stops_;
    std::size_t named_count_ = 0;
};

}  // namespace ember
