// SPDX-License-Identifier: Apache-2.0
// EmberSM: topo_policy_file: parts of the fabric, made of port groups.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/paragraphs.h"
#include "config/emberc/suggestion.h"
#include "core/settings/qos_tables.h"

namespace ember::emberc {
namespace {

enum class Qualifier : std::uint8_t { kId, kSwitches, kEndPorts };

/// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kQualifiers = {"id", "sw-grp", "hca-grp"};

constexpr ParagraphForm kForm{
    .begin = "topology", .end = "end-topology", .qualifiers = kQualifiers, .mandatory = 0b111};

/// A group of pgrp_policy_file, or a predefined one.
struct Group {
    std::uint16_t row = 0;
    std::string name;
};

class TopologyReader final : public ParagraphClient {
public:
    TopologyReader(std::string_view text, Diagnostics& diagnostics, const SubnetFacts& subnet)
        : text_(text, diagnostics), groups_(subnet.policy_port_groups) {}

    LoadedTopologies Read();
    void Begin(const Spot& spot) override { drafts_.push_back({.spot = spot}); }
    void Read(std::size_t qualifier, const Spot& spot, QosText& text) override;

private:
    struct Draft {
        Spot spot;
        Spot id_spot{};
        std::optional<std::uint64_t> id{};
        std::optional<Group> switches{};
        std::optional<Group> end_ports{};
    };

    [[nodiscard]] std::optional<Group> ReadGroup(std::uint8_t types, std::string_view what);
    [[nodiscard]] std::optional<Group> FindGroup(const QosName& name);
    [[nodiscard]] LoadedTopologies Resolve();

    QosText text_;
    std::span<const LoadedPortGroups::Group> groups_;
    std::vector<Draft> drafts_;
};

/// A group that is defined again is the last of its rows.
std::optional<Group> TopologyReader::FindGroup(const QosName& name) {
    if (const PredefinedPortGroup* const predefined = FindPredefined(name.key)) {
        return Group{static_cast<std::uint16_t>(kGroupOfTypes | predefined->node_types),
                     std::string(predefined->name)};
    }
    const auto found = std::find_if(
        groups_.rbegin(), groups_.rend(),
        [&name](const LoadedPortGroups::Group& group) { return KeyOf(group.name) == name.key; });
    if (found != groups_.rend()) {
        return Group{static_cast<std::uint16_t>(groups_.rend() - found - 1), found->name};
    }
    std::vector<std::string_view> names;
    for (const LoadedPortGroups::Group& group : groups_) {
        names.push_back(group.name);
    }
    for (const PredefinedPortGroup& group : kPredefinedPortGroups) {
        names.push_back(group.name);
    }
    const std::string_view nearest = Nearest(name.text, names);
    text_.ReportAt(
        Severity::kError, name.spot, Code::kUndefinedName,
        nearest.empty()
            ? fmt::format("there is no port-group '{}' in pgrp_policy_file", name.text)
            : fmt::format("there is no port-group '{}'; did you mean '{}'?", name.text, nearest));
    return std::nullopt;
}

/// `types`: of the nodes whose ports are looked for in the group.
std::optional<Group> TopologyReader::ReadGroup(std::uint8_t types, std::string_view what) {
    const auto name = text_.TakeName();
    if (!name) return std::nullopt;
    auto group = FindGroup(*name);
    if (group && group->row >= kGroupOfTypes && (group->row & types) == 0) {
        text_.ReportAt(Severity::kError, name->spot, Code::kNeverMatches,
                       fmt::format("{} has no {}", group->name, what));
        return std::nullopt;
    }
    return group;
}

void TopologyReader::Read(std::size_t qualifier, const Spot& spot, QosText& text) {
    Draft& draft = drafts_.back();
    switch (static_cast<Qualifier>(qualifier)) {
        case Qualifier::kId:
            draft.id_spot = spot;
            draft.id = text.TakeNumber("id of a topology", 1, ~std::uint64_t{0});
            return;
        case Qualifier::kSwitches:
            draft.switches = ReadGroup(qos_node_type::kSwitch, "switch");
            return;
        case Qualifier::kEndPorts:
            draft.end_ports =
                ReadGroup(qos_node_type::kCa | qos_node_type::kRouter, "host or router");
            return;
    }
}

LoadedTopologies TopologyReader::Resolve() {
    LoadedTopologies loaded;
    if (drafts_.size() > kMostTopologies) {
        text_.ReportAt(
            Severity::kError, {}, Code::kTooLarge,
            fmt::format("{} topologies are more than {}", drafts_.size(), kMostTopologies));
        return loaded;
    }
    for (const Draft& draft : drafts_) {
        if (!draft.id) continue;
        const auto same = std::find_if(
            loaded.topologies.begin(), loaded.topologies.end(),
            [&draft](const LoadedTopologies::Topology& one) { return one.row.id == *draft.id; });
        if (same != loaded.topologies.end()) {
            text_.ReportAt(Severity::kError, draft.id_spot, Code::kContradiction,
                           fmt::format("line {} begins a topology of this id", same->row.line));
            continue;
        }
        LoadedTopologies::Topology topology{
            .row = {.id = *draft.id, .line = static_cast<std::uint32_t>(draft.spot.place.line)}};
        if (draft.switches) {
            topology.row.switches = draft.switches->row;
            topology.switches = draft.switches->name;
        }
        if (draft.end_ports) {
            topology.row.end_ports = draft.end_ports->row;
            topology.end_ports = draft.end_ports->name;
        }
        loaded.topologies.push_back(std::move(topology));
    }
    std::sort(loaded.topologies.begin(), loaded.topologies.end(),
              [](const auto& one, const auto& other) { return one.row.id < other.row.id; });
    return loaded;
}

LoadedTopologies TopologyReader::Read() {
    ReadParagraphs(kForm, text_, *this);
    return Resolve();
}

}  // namespace

LoadedTopologies ParseTopoPolicyFile(std::string_view text, Diagnostics& diagnostics,
                                     const SubnetFacts& subnet) {
    return TopologyReader(text, diagnostics, subnet).Read();
}

std::string AsLine(const TopologyEntry& entry) {
    return entry.line;
}

std::vector<TopologyEntry> EntriesOf(const LoadedTopologies& loaded) {
    std::vector<TopologyEntry> entries;
    for (const LoadedTopologies::Topology& one : loaded.topologies) {
        entries.push_back({fmt::format("topology {} of line {}, sw-grp {}, hca-grp {}", one.row.id,
                                       one.row.line, one.switches, one.end_ports)});
    }
    return entries;
}

}  // namespace ember::emberc
