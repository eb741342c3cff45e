// SPDX-License-Identifier: Apache-2.0
// EmberSM: an opensm.conf and the files that it names.
#include "config/emberc/configuration.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

#include "config/emberc/keys.h"
#include "config/emberc/keys_without_effect.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/option_files.h"
#include "config/emberc/step_files.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

/// What a later release acts on may go on being allowed; nothing is lost by it.
void CheckAllowances(const Allowances& allowances, Diagnostics& report) {
    for (const std::string& name : allowances.keys) {
        const std::optional<std::size_t> key = FindKey(name);
        if (!key || Keys()[*key].use != Use::kActedOn || name == kPartitionsKey) continue;
        report.Add({.severity = Severity::kNote,
                    .place = {},
                    .code = Code::kNoEffect,
                    .text = fmt::format("EmberSM acts on '{}': there is nothing to allow", name),
                    .source = {}});
    }
}

/// Limits of bandwidth are for boards whose devices take them: any other refuses the blob.
void CheckBandwidths(const Configuration& read, const ReadingTerms& terms, Diagnostics& report) {
    if (!read.contents.bandwidths) return;
    const std::optional<std::size_t> key = FindKey(option_files::EnhancedQosPolicyFile::kOption);
    EMBER_ASSERT(key.has_value());
    const Setting& file = read.conf[*key];
    const auto say = [&](Severity severity, std::string text) {
        report.Add({.severity = severity,
                    .place = file.value_place,
                    .code = Code::kNotTaken,
                    .text = std::move(text),
                    .source = file.source});
        report.Sort();
    };
    if (terms.limits == nullptr) {
        say(Severity::kWarning,
            "a board whose devices take no limits of bandwidth refuses this configuration; --board "
            "tells whether one does");
    } else if (terms.limits->bandwidth_tables == 0) {
        say(Severity::kError,
            fmt::format("no device of the board {} takes limits of bandwidth: it would refuse this "
                        "configuration",
                        terms.board));
    }
}

/// Adds a warning at the value of a key.
void WarnAt(const Configuration& read, std::string_view name, std::string text, Diagnostics& to) {
    const std::optional<std::size_t> key = FindKey(name);
    EMBER_ASSERT(key.has_value());
    const Setting& setting = read.conf[*key];
    to.Add({.severity = Severity::kWarning,
            .place = setting.value_place,
            .code = Code::kNoEffect,
            .text = std::move(text),
            .source = setting.source});
    to.Sort();
}

/// Port groups act through the rules and topologies that name them, topologies through a chain.
void CheckPortGroups(const Configuration& read, Diagnostics& report) {
    const OptionContents& contents = read.contents;
    if (contents.topologies && !contents.chain) {
        WarnAt(read, option_files::TopoPolicyFile::kOption,
               "its topologies change nothing: rch_policy_file names no chain", report);
    }
    if (!contents.port_groups || contents.topologies) return;
    const auto is_named = [](const LoadedBandwidths::GroupRule& rule) {
        return rule.group >= kMostQosGroups;
    };
    const auto& bandwidths = contents.bandwidths;
    if (bandwidths && std::any_of(bandwidths->groups.begin(), bandwidths->groups.end(), is_named)) {
        return;
    }
    WarnAt(read, option_files::PgrpPolicyFile::kOption,
           "its port groups change nothing: no topology of topo_policy_file and no rule of "
           "enhanced_qos_policy_file names one of them",
           report);
}

/// While `qos` is off no port is given SL to VL maps, and paths and groups have SL 0.
void CheckPartitionLevels(const Configuration& read, Diagnostics& report) {
    const std::optional<std::size_t> qos = FindKey("qos");
    EMBER_ASSERT(qos.has_value());
    if (!read.contents.partitions || read.conf[*qos].value.number != 0) return;
    std::set<std::uint32_t> lines;
    for (const PartitionConf::Partition& row : read.contents.partitions->partitions) {
        if (row.sl != 0) lines.insert(row.line);
    }
    for (const PartitionGroup& group : read.contents.partitions->groups) {
        if (group.sl != 0) lines.insert(group.line);
    }
    if (lines.empty()) return;
    WarnAt(read, kPartitionsKey,
           fmt::format("qos is FALSE, so paths and multicast groups have SL 0: `sl=` counts for "
                       "nothing in {} {} of the file",
                       lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", ")),
           report);
}

/// A board may take fewer steps than a configuration has, or have one lane.
void CheckChain(const Configuration& read, const ReadingTerms& terms, Diagnostics& report) {
    if (!read.contents.chain || terms.limits == nullptr) return;
    const auto refuse = [&](std::string_view name, std::string text) {
        const std::optional<std::size_t> key = FindKey(name);
        EMBER_ASSERT(key.has_value());
        report.Add({.severity = Severity::kError,
                    .place = read.conf[*key].value_place,
                    .code = Code::kNotTaken,
                    .text = std::move(text),
                    .source = read.conf[*key].source});
    };
    const std::size_t steps = read.contents.chain->steps.size();
    if (steps > terms.limits->max_routing_steps) {
        refuse(option_files::RchPolicyFile::kOption,
               fmt::format("the board {} takes {} unicast-steps, and this chain has {}",
                           terms.board, terms.limits->max_routing_steps, steps));
    }
    const std::optional<std::size_t> lanes = FindKey("chain_lanes");
    EMBER_ASSERT(lanes.has_value());
    if (read.conf[*lanes].value.number != 0 && terms.limits->max_lanes == 1) {
        refuse("chain_lanes",
               fmt::format("the board {} routes by one lane, which all steps share", terms.board));
    }
    report.Sort();
}

}  // namespace

std::vector<Value> Configuration::values() const {
    std::vector<Value> values(conf.size());
    std::transform(conf.begin(), conf.end(), values.begin(),
                   [](const Setting& setting) { return setting.value; });
    return values;
}

Configuration ReadConfiguration(const std::string& name,
                                std::string_view text,
                                const ReadingTerms& terms) {
    Configuration read;
    Diagnostics& report = read.reports.emplace_back(name == "-" ? "(standard input)" : name);
    const FilePlaces places{.folder = std::filesystem::path(name).parent_path(),
                            .default_files = terms.default_files,
                            .default_folder = terms.default_folder,
                            .without_partitions = terms.allowances.Has(kPartitionsKey)};
    CheckAllowances(terms.allowances, report);
    read.conf = ParseOpensmConf(text, report, terms.allowances);
    read.contents = ReadOptionFiles(read.conf, places, read.reports, terms.fabric);
    if (read.contents.chain) ReadStepFiles(read.conf, places, read.contents, read.reports);
    CheckBandwidths(read, terms, read.reports.front());
    CheckPortGroups(read, read.reports.front());
    CheckPartitionLevels(read, read.reports.front());
    CheckChain(read, terms, read.reports.front());
    read.is_good = CountOf(read.reports, Severity::kError) == 0 &&
                   (!terms.strict || CountOf(read.reports, Severity::kWarning) == 0);
    return read;
}

}  // namespace ember::emberc
