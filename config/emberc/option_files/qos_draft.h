// SPDX-License-Identifier: Apache-2.0
// EmberSM: a qos_policy_file as read, before its names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/loaded_qos_policy.h"
#include "config/emberc/option_files/qos_text.h"

namespace ember::emberc {

/// The sections of a qos_policy_file, in the order in which they stand there.
struct QosDraft {
    struct Level {
        Spot spot;  ///< Where it begins.
        std::optional<QosName> name{};
        bool has_sl = false;
        LoadedQosPolicy::Level row{};
    };
    struct Group {
        Spot spot;
        std::optional<QosName> name{};
        bool has_members = false;  ///< A line that names members, be they right or wrong.
        LoadedQosPolicy::Group row{};
    };
    struct Rule {
        Spot spot;
        std::optional<QosName> level{};
        std::vector<QosName> sources{};
        std::vector<QosName> destinations{};
        LoadedQosPolicy::Rule row{};
    };
    /// A line of qos-ulps but for its default.
    struct Ulp {
        Spot spot;
        std::uint8_t sl = 0;
        /// PortGUIDs of sources, of targets, or of both.
        LoadedQosPolicy::Ranges guids{};
        bool is_by_source = false;
        bool is_by_target = false;
        LoadedQosPolicy::Rule row{};
    };
    /// The default of qos-ulps.
    struct Default {
        Spot spot;
        std::uint8_t sl = 0;
    };

    std::vector<Level> levels{};
    std::vector<Group> groups{};
    std::vector<Rule> rules{};
    std::vector<Ulp> ulps{};
    std::optional<Default> simple_default{};
    bool has_wrong_default = false;  ///< A line of qos-ulps that was to be its default.
};

// Members of a group, listed in what is left of the present line.
/// "leaf 7 HCA-1/P1": the name of a node, and behind the last '/' a 'P' and the number of a port.
void ReadPortNames(QosText& text, QosDraft::Group& group);
/// Names of partitions, which become their P_Keys.
void ReadPartitions(QosText& text, std::span<const PartitionName> partitions,
                    QosDraft::Group& group);
/// CA, SWITCH, ROUTER, SELF, ALL, in any case.
void ReadNodeTypes(QosText& text, QosDraft::Group& group);

/// Reads the present line, which is one of qos-ulps, into `draft`.
void ReadUlp(QosText& text, QosDraft& draft);

/// Resolves names as OpenSM does: the level called DEFAULT, or else the default of qos-ulps, comes
/// first; rules of qos-match-rules stand before those of qos-ulps. Reports what is not defined,
/// defined twice, or never reached.
[[nodiscard]] LoadedQosPolicy Resolve(const QosDraft& draft, QosText& text);

}  // namespace ember::emberc
