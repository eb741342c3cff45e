// SPDX-License-Identifier: Apache-2.0
// EmberSM: the end ports whose traffic is balanced.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "core/base/ids.h"
#include "core/engine_options.h"
#include "core/graph/topology.h"

namespace ember {

/// Which end ports count where routes are balanced. All hosts' do, unless files say which matter:
/// with cn_guid_file those that it or io_guid_file names, and never one that hangs on a port that
/// port_prof_ignore_file names. Others are reached as their switches are. Should none be left,
/// every host counts. io_guid_file alone changes nothing: all hosts then compute or store.
class CountedHosts {
public:
    /// What it looks at.
    static constexpr std::array<std::string_view, 3> kOptions = {"cn_guid_file", "io_guid_file",
                                                                 "port_prof_ignore_file"};

    constexpr CountedHosts() = default;
    /// The tables outlive it.
    CountedHosts(const Topology& topology, const EngineTables& tables)
        : topology_(&topology), tables_(&tables) {
        const auto all = topology.destinations();
        const auto is_left = [this](const Destination& one) { return IsMeant(one); };
        if (std::none_of(all.begin(), all.end(), is_left)) tables_ = nullptr;
    }

    /// Its traffic is balanced. Not so of a destination that hangs on no switch.
    [[nodiscard]] bool Counts(const Destination& one) const {
        return tables_ == nullptr ? one.at != kNoSwitch && one.is_host() : IsMeant(one);
    }

private:
    [[nodiscard]] bool IsMeant(const Destination& one) const {
        if (one.at == kNoSwitch || !one.is_host()) return false;
        if (!tables_->compute_nodes.empty() && !Has(tables_->compute_nodes, one.port_guid) &&
            !Has(tables_->io_nodes, one.port_guid)) {
            return false;
        }
        if (tables_->ignored.empty()) return true;
        const SwitchPort here{.guid = topology_->switch_row(one.at).guid, .port = one.port};
        const auto before = [](const SwitchPort& left, const SwitchPort& right) {
            return left.guid != right.guid ? left.guid < right.guid : left.port < right.port;
        };
        return !std::binary_search(tables_->ignored.begin(), tables_->ignored.end(), here, before);
    }
    [[nodiscard]] static bool Has(std::span<const Guid> guids, Guid guid) {
        return std::binary_search(guids.begin(), guids.end(), guid);
    }

    const Topology* topology_ = nullptr;
    const EngineTables* tables_ = nullptr;  ///< nullptr: every host counts.
};

}  // namespace ember
