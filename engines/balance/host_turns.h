// SPDX-License-Identifier: Apache-2.0
// EmberSM: in which order the end ports of a switch get their exits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/graph/topology.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The turn of an end port among those of its switch, where exits are taken in turn.
enum class HostTurn : std::uint8_t {
    kCompute,
    kIo,
    kOther,
    kNone,  ///< Its traffic is not balanced: it is reached as its switch is.
};

/// Turns of hosts by option files, with the classes of OpenSM's ftree. Each class has all equal
/// exits evenly, before the traffic of all is balanced: a switch whose compute nodes are every
/// other of its ports would else have every other exit for them.
///
/// cn_guid_file names the compute nodes; without it all are that io_guid_file does not name. A host
/// on a port that port_prof_ignore_file names has no turn, nor has what is no host. Should these
/// lines leave no host, they count for nothing.
class HostTurns {
public:
    /// The options that it looks at.
    static constexpr std::array<std::string_view, 3> kOptions = {"cn_guid_file", "io_guid_file",
                                                                 "port_prof_ignore_file"};
    static constexpr std::array kTurns = {HostTurn::kCompute, HostTurn::kIo, HostTurn::kOther};

    constexpr HostTurns() = default;
    /// Both outlive it.
    HostTurns(const Topology& topology, const EngineTables& tables)
        : topology_(&topology), tables_(&tables), ignored_(tables.ignored) {
        const auto all = topology.destinations();
        const bool is_one_left =
            std::any_of(all.begin(), all.end(),
                        [this](const Destination& one) { return Of(one) != HostTurn::kNone; });
        if (!is_one_left) ignored_ = {};
    }

    [[nodiscard]] HostTurn Of(const Destination& one) const {
        if (one.at == kNoSwitch || !one.is_host() || IsIgnored(one)) return HostTurn::kNone;
        const bool has_compute = !tables_->compute_nodes.empty();
        if (Has(tables_->compute_nodes, one.port_guid)) return HostTurn::kCompute;
        if (Has(tables_->io_nodes, one.port_guid)) return HostTurn::kIo;
        return has_compute ? HostTurn::kOther : HostTurn::kCompute;
    }

private:
    [[nodiscard]] bool IsIgnored(const Destination& one) const {
        if (ignored_.empty()) return false;
        const SwitchPort here{.guid = topology_->switch_row(one.at).guid, .port = one.port};
        return std::binary_search(ignored_.begin(), ignored_.end(), here,
                                  [](const SwitchPort& left, const SwitchPort& right) {
                                      return left.guid != right.guid ? left.guid < right.guid
                                                                     : left.port < right.port;
                                  });
    }
    [[nodiscard]] static bool Has(std::span<const Guid> guids, Guid guid) {
        return std::binary_search(guids.begin(), guids.end(), guid);
    }

    const Topology* topology_ = nullptr;
    const EngineTables* tables_ = nullptr;
    std::span<const SwitchPort> ignored_;
};

}  // namespace ember
