// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"

namespace ember {

/// A destination as the loop over all of them needs it, in eight octets.
struct OrderedDestination {
    Lid lid{};              ///< Base LID.
    SwitchIndex at{};       ///< The switch that it is attached to, or is.
    std::uint16_t run = 0;  ///< So many end ports from here on are attached to the same switch.
    PortNumber port{};
    std::uint8_t lmc = 0;
    [[nodiscard]] bool is_switch() const { return port == kManagementPort; }
};

/// All destinations that are attached to a switch, in the order in which LIDs are dealt to ports:
/// first those of guid_routing_order_file, in the order of its lines (a GUID that was named before
/// or is not in the subnet is skipped), then the others in the order of
/// Topology::destinations_by_crowd().
class DestinationOrder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<OrderedDestination>(limits.max_lid) +
               Arena::BytesFor<bool>(limits.max_lid);
    }

    /// `topology` and `routing_order` stay unchanged until Advance() returns kDone.
    void Begin(const Topology& topology, std::span<const Guid> routing_order, Arena& scratch);
    /// Looks at a bounded number of lines and destinations: a file may have many thousand lines.
    Progress Advance();

    /// Empty until Advance() has returned kDone.
    [[nodiscard]] std::span<const OrderedDestination> destinations() const { return destinations_; }
    /// So many of them, from the first on, are named in guid_routing_order_file.
    [[nodiscard]] std::size_t named_count() const { return named_count_; }

private:
    static constexpr std::size_t kLinesPerSlice = 2048;

    void Take(DestinationIndex at);
    void JoinRuns();

    const Topology* topology_ = nullptr;
    std::span<const Guid> routing_order_;
    std::span<OrderedDestination> room_;
    std::span<bool> taken_;  ///< By destination.
    std::size_t next_ = 0;   ///< Row of routing_order_, then of destinations_by_crowd().
    std::size_t count_ = 0;  ///< Rows of room_ in use.
    std::span<OrderedDestination> destinations_;
    std::size_t named_count_ = 0;
};

}  // namespace ember
