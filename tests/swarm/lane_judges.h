// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges that follow packets lane by lane, and read keys, through the hardware's tables.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "platform/sim/world.h"

namespace ember::swarm {

/// Follows packets from host to host through forwarding tables, SL to VL maps, lanes of links and
/// arbitration tables, and remembers which buffer waits for which.
class Packets {
public:
    /// `has_lanes`: each VL that is used has to have its turn where a link has several.
    Packets(const sim::World& world, bool has_lanes) : world_(world), has_lanes_(has_lanes) {}

    /// The fate of a packet that the host at row `from` sends to `lid` of the one at row `to`;
    /// empty: it arrives.
    [[nodiscard]] std::string Send(std::uint32_t from, std::uint32_t to, std::uint32_t lid,
                                   unsigned sl);
    /// Whether buffers that packets took wait for each other in a circle.
    [[nodiscard]] bool MayDeadlock() const;

private:
    using Buffer = std::pair<std::uint32_t, unsigned>;  ///< Row of the port that sends, and VL.

    [[nodiscard]] unsigned VlAt(std::uint32_t row, std::uint32_t in, std::uint32_t out,
                                unsigned sl) const;
    [[nodiscard]] std::string Leave(std::uint32_t row, unsigned vl) const;
    [[nodiscard]] bool IsServed(std::uint32_t row, unsigned vl) const;

    const sim::World& world_;
    bool has_lanes_;
    std::map<Buffer, std::set<Buffer>> waits_;
};

/// P_Keys of the port at `row`, without empty entries.
[[nodiscard]] std::multiset<std::uint16_t> PKeysAt(const sim::World& world, std::uint32_t row);

}  // namespace ember::swarm
