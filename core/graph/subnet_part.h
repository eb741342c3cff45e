// SPDX-License-Identifier: Apache-2.0
// EmberSM: a part of the subnet, as a topology of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/graph/topology.h"

namespace ember {

/// A part of a subnet: some of its switches, and some of the end ports on them. A view.
struct SubnetPart {
    /// Bit i % 64 of word i / 64: the switch in row i is in the part. What has no bit is not.
    std::span<const std::uint64_t> switches;
    /// Likewise by base LID: the end port, which may be a switch's port 0.
    std::span<const std::uint64_t> lids;

    /// Words for bits 0..top.
    [[nodiscard]] static constexpr std::size_t Words(std::size_t top) { return top / 64 + 1; }
    [[nodiscard]] bool Has(SwitchIndex at) const { return Has(switches, Raw(at)); }
    [[nodiscard]] bool Has(Lid lid) const { return Has(lids, Raw(lid)); }

private:
    [[nodiscard]] static bool Has(std::span<const std::uint64_t> words, std::size_t bit) {
        return bit / 64 < words.size() && (words[bit / 64] >> bit % 64 & 1U) != 0;
    }
};

/// Makes `topology` that of a part of `whole`. Rows of switches are those of `whole`; a switch that
/// is left out is a hole, and links to it are none. End ports that are left out, and those behind a
/// switch that is, are no destinations, and their ports are free. Takes at most
/// Topology::ScratchBytes() of `scratch`, and as long as Topology::Build().
void BuildPart(const Topology& whole, const SubnetPart& part, Arena& scratch, Topology& topology);

}  // namespace ember
