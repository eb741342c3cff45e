// SPDX-License-Identifier: Apache-2.0
// EmberSM: the switches that root_guid_file names.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The lines of root_guid_file. A line is the NodeGUID of a switch; or that of a host or router, or
/// the PortGUID of one, which names the switches that it hangs on. Under Order::kOpensm the latter
/// says nothing, as in OpenSM 3.3.23.
class NamedRoots {
public:
    explicit NamedRoots(const EngineOptions& options)
        : guids_(options.tables.roots), takes_hosts_(options.order != Order::kOpensm) {}

    [[nodiscard]] bool TakeHosts() const { return takes_hosts_; }

    /// Whether a line names the switch, or an end port at it.
    [[nodiscard]] bool Has(const Topology& topology, SwitchIndex at) const {
        if (Has(topology.switch_row(at).guid)) return true;
        if (!takes_hosts_) return false;
        const auto exits = topology.exits(at);
        return std::any_of(exits.begin(), exits.end(), [&](const Exit& exit) {
            if (exit.destination == kNoDestination) return false;
            const Destination& one = topology.destination(exit.destination);
            return !one.is_switch() && (Has(one.port_guid) || Has(one.node_guid));
        });
    }

private:
    [[nodiscard]] bool Has(Guid guid) const {
        return std::binary_search(guids_.begin(), guids_.end(), guid);
    }

    std::span<const Guid> guids_;  ///< Ascend.
    bool takes_hosts_;
};

}  // namespace ember
