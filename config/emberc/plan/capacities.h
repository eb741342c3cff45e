// SPDX-License-Identifier: Apache-2.0
// EmberSM: what links carry beside the cables of hosts.
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/wire/rate.h"

namespace ember::plan {

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
