// SPDX-License-Identifier: Apache-2.0
// EmberSM: a pgrp_policy_file as read, before its names are resolved.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "config/emberc/option_files/loaded_port_groups.h"
#include "config/emberc/option_files/qos_text.h"

namespace ember::emberc {

/// The paragraphs of a pgrp_policy_file, in the order in which they stand there.
struct PortGroupDraft {
    using Pair = std::pair<QosName, QosName>;

    struct Group {
        Spot spot;  ///< Where it begins.
        std::optional<QosName> name{};
        bool has_name = false;   ///< A line for it, be it right or wrong.
        bool has_rules = false;  ///< A rule, be it right or wrong.
        LoadedPortGroups::Group row{};
        std::vector<Pair> unions{};
        std::vector<Pair> subtractions{};
    };

    std::vector<Group> groups{};
    std::vector<LoadedPattern> patterns{};
};

// Rules of a group, in what is left of the present line.
/// "0x283@5-8/12, 0x286": PortGUIDs, each with ports or with all of them.
void ReadPortGuids(QosText& text, LoadedPortGroups::Group& group);
/// "0x283-0x289".
void ReadPortGuidRange(QosText& text, LoadedPortGroups::Group& group);
/// "hostname=kuku; port=2; hca_idx=1, hostname=host1".
void ReadHosts(QosText& text, LoadedPortGroups::Group& group);
/// "SW.*:3": an expression and a port.
void ReadPattern(QosText& text, LoadedPortGroups::Group& group,
                 std::vector<LoadedPattern>& patterns);

/// Puts ranges of GUIDs in order: they ascend and none meets another, and a single port is named
/// where not all are taken anyway.
void PutGuidsInOrder(std::vector<PortGroupRule>& guids);

/// Resolves the names of groups, which may be defined later. Reports what is not defined, or only
/// by itself.
[[nodiscard]] LoadedPortGroups Resolve(const PortGroupDraft& draft, QosText& text);

}  // namespace ember::emberc
