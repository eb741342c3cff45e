// SPDX-License-Identifier: Apache-2.0
// EmberSM: a part of the subnet, as a topology of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/assert.h"
#include "core/graph/topology.h"

namespace ember {

/// A part of a subnet: some of its switches and of their ports, and some of the end ports on them.
/// A view.
struct SubnetPart {
    /// Bit i % 64 of word i / 64: the switch in row i is in the part. Others are not.
    std::span<const std::uint64_t> switches;
    /// Likewise by base LID: the end port, which may be a switch's port 0.
    std::span<const std::uint64_t> lids;
    /// Likewise: bit i * `port_stride` + p is port p of the switch in row i. None: a switch of the
    /// part has all its ports there.
    std::span<const std::uint64_t> switch_ports = {};
    std::size_t port_stride = 0;  ///< Above the number of every port.

    /// Words for bits 0..top.
    [[nodiscard]] static constexpr std::size_t Words(std::size_t top) { return top / 64 + 1; }
    [[nodiscard]] bool Has(SwitchIndex at) const { return Has(switches, Raw(at)); }
    [[nodiscard]] bool Has(Lid lid) const { return Has(lids, Raw(lid)); }
    /// Asserted: `port` is below the stride.
    [[nodiscard]] bool Has(SwitchIndex at, PortNumber port) const {
        if (switch_ports.empty()) return Has(at);
        EMBER_ASSERT(Raw(port) < port_stride);
        return Has(at) && Has(switch_ports, Raw(at) * port_stride + Raw(port));
    }

private:
    [[nodiscard]] static bool Has(std::span<const std::uint64_t> words, std::size_t bit) {
        return bit / 64 < words.size() && (words[bit / 64] >> bit % 64 & 1U) != 0;
    }
};

/// Switches of `whole` that are in the part.
[[nodiscard]] std::size_t CountSwitches(const Topology& whole, const SubnetPart& part);

/// Makes `topology` that of a part of `whole`. Rows of switches are those of `whole`; a switch that
/// is left out is a hole. A link counts when the ports at both its ends are in the part. End ports
/// that are left out, and those behind a switch or port that is, are no destinations, and their
/// ports are free. Takes at most
/// Topology::ScratchBytes() of `scratch`, and as long as Topology::Build().
void BuildPart(const Topology& whole, const SubnetPart& part, Arena& scratch, Topology& topology);

/// Octets that BuildDensePart() takes beside the topology.
[[nodiscard]] constexpr std::size_t DenseRowBytes(const Limits& whole, const Limits& part) {
    return Arena::BytesFor<SwitchIndex>(whole.max_switches) +
           Arena::BytesFor<SwitchIndex>(part.max_switches);
}
/// The same without holes: row i is the switch in row `result[i]` of `whole`. So all that is taken
/// for it is as large as the part, not as the whole.
[[nodiscard]] std::span<const SwitchIndex> BuildDensePart(const Topology& whole,
                                                          const SubnetPart& part, Arena& scratch,
                                                          Topology& topology);

}  // namespace ember
