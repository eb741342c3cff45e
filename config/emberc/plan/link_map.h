// SPDX-License-Identifier: Apache-2.0
// EmberSM: the links of a topology by exit row: where each leads, and what it carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/wire/rate.h"

namespace ember::plan {

/// No row of a link.
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

/// The links of a topology, by exit row; and where each leads.
class LinkMap {
public:
    explicit LinkMap(const Topology& topology)
        : first_(topology.switch_bound()), peers_(topology.all_exits().size(), kNoSwitch) {
        for (const SwitchIndex at : topology.switches_by_guid()) {
            first_[Raw(at)] = topology.switch_row(at).first_exit;
            for (const Trunk& trunk : topology.trunks(at)) {
                peers_[first(at) + Raw(trunk.port)] = trunk.peer;
                ++count_;
            }
        }
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t rows() const { return peers_.size(); }
    [[nodiscard]] bool Has(std::size_t row) const { return peers_[row] != kNoSwitch; }
    [[nodiscard]] SwitchIndex peer(std::uint32_t row) const { return peers_[row]; }
    [[nodiscard]] std::uint32_t first(SwitchIndex at) const { return first_[Raw(at)]; }

    /// The row of the link that a table's `port` means at `at`; kNowhere when it is none.
    [[nodiscard]] std::uint32_t Row(const Topology& topology, SwitchIndex at,
                                    std::uint8_t port) const {
        if (port > topology.switch_row(at).port_count) return kNowhere;
        const std::uint32_t row = first_[Raw(at)] + port;
        return peers_[row] == kNoSwitch ? kNowhere : row;
    }

private:
    std::vector<std::uint32_t> first_;
    std::vector<SwitchIndex> peers_;
    std::size_t count_ = 0;
};

/// The rate of a link as a part of that of a host's cable; 1 if one of them is not known.
class Capacities {
public:
    Capacities(const Topology& topology, Rate host)
        : topology_(topology),
          host_(DataMegabits(host == Rate::kNone ? topology.speeds().fastest() : host)) {}
    [[nodiscard]] double Of(SwitchIndex at, PortNumber port) const {
        const std::uint32_t rate = DataMegabits(topology_.traits(at, port).rate);
        return rate == 0 || host_ == 0 ? 1 : static_cast<double>(rate) / host_;
    }

private:
    const Topology& topology_;
    std::uint32_t host_;
};

}  // namespace ember::plan
