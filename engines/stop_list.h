// SPDX-License-Identifier: Apache-2.0
// EmberSM: destinations in the order in which they are routed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/routing/topology.h"

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
    /// The most that Begin() takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<Stop>(limits.max_lid) + Arena::BytesFor<bool>(limits.max_lid);
    }

    void Begin(const Topology& topology, std::span<const Guid> routing_order, Arena& scratch);

    [[nodiscard]] std::span<const Stop> stops() const { return stops_; }
    /// So many of them, the first ones, are of guid_routing_order_file.
    [[nodiscard]] std::size_t named_count() const { return named_count_; }

private:
    void JoinRuns();

    std::span<Stop> stops_;
    std::size_t named_count_ = 0;
};

}  // namespace ember
