// SPDX-License-Identifier: Apache-2.0
// EmberSM: the subnet that the last proof was about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"

namespace ember {

/// All that a proof of a Topology depends on: switches, what is behind each port, and where LIDs
/// live. Kept from one routing run to the next, in a few octets a port, so that the next may find
/// out what is different, by comparing octet for octet and relying on no report.
class ProvedSubnet {
public:
    struct SwitchMark {
        Guid guid = kNoGuid;
        std::uint8_t port_count = 0;
        bool is_home = false;
        [[nodiscard]] bool operator==(const SwitchMark&) const = default;
    };
    struct LidMark {
        Lid lid = kNoLid;
        SwitchIndex at = kNoSwitch;
        PortNumber port = kNoPort;
        std::uint8_t lmc = 0;
        [[nodiscard]] bool operator==(const LidMark&) const = default;
    };
    struct Memory {
        std::span<SwitchMark> switches;  ///< max_switches.
        std::span<SwitchIndex> peers;    ///< By exit: max_ports.
        std::span<LidMark> lids;         ///< By destination: max_lid.
    };
    [[nodiscard]] static constexpr std::size_t Bytes(const Limits& limits) {
        return limits.max_switches * sizeof(SwitchMark) + limits.max_ports * sizeof(SwitchIndex) +
               limits.max_lid * sizeof(LidMark);
    }

    explicit ProvedSubnet(const Memory& memory) : memory_(memory) {}
    ProvedSubnet(const ProvedSubnet&) = delete;
    ProvedSubnet& operator=(const ProvedSubnet&) = delete;

    /// Copies what matters of `topology`. False when there is no room for it.
    [[nodiscard]] bool Keep(const Topology& topology);

    /// How a comparison ended.
    struct Difference {
        bool is_links_only = false;  ///< All else is as it was.
        std::size_t count = 0;       ///< Of `changes` filled in; both ends of a link have one.
    };
    /// Finds what is different in `topology`. More changes than `changes` has room for are not
    /// "links only".
    [[nodiscard]] Difference Compare(const Topology& topology, std::span<LinkChange> changes) const;

private:
    [[nodiscard]] bool SameSwitches(const Topology& topology) const;
    [[nodiscard]] bool SameLids(const Topology& topology) const;

    Memory memory_;
    std::size_t switch_bound_ = 0;
    std::size_t exit_count_ = 0;
    std::size_t lid_count_ = 0;
};

}  // namespace ember
