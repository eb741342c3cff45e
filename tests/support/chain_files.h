// SPDX-License-Identifier: Apache-2.0
// EmberSM: the three files of a routing chain in one text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "config/blob/option_files.h"
#include "config/blob/payload.h"
#include "config/emberc/diagnostics.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/option_files/chain_members.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/contents_writer.h"
#include "config/emberc/payload_writer.h"
#include "config/netlist/netlist.h"

namespace ember::testing {

/// The chain files that emberc reads from a text.
struct ChainFiles {
    emberc::Diagnostics diagnostics{"chain files"};
    emberc::OptionContents contents;  ///< Groups, topologies and steps.
};

inline constexpr std::string_view kApart = "----\n";

struct alignas(64) Grain {
    std::array<std::byte, 64> octets;
};

/// The text as far as the next line that keeps files apart, which goes too.
inline std::string_view TakeFile(std::string_view& text) {
    const std::size_t end = std::min(text.find(kApart), text.size());
    const std::string_view file = text.substr(0, end);
    text.remove_prefix(std::min(end + kApart.size(), text.size()));
    return file;
}

/// Reads pgrp_policy_file, topo_policy_file and rch_policy_file, in this order, apart by a line
/// "----", for this fabric, with lmc 1.
[[nodiscard]] inline ChainFiles ReadChainFiles(std::string_view text, const net::Netlist& fabric) {
    ChainFiles read;
    emberc::OptionContents& contents = read.contents;
    emberc::Diagnostics& diagnostics = read.diagnostics;
    contents.port_groups =
        emberc::ParsePgrpPolicyFile(TakeFile(text), diagnostics, {.fabric = &fabric});
    contents.topologies = emberc::ParseTopoPolicyFile(
        TakeFile(text), diagnostics, {.policy_port_groups = contents.port_groups->groups});
    contents.chain = emberc::ParseRchPolicyFile(
        TakeFile(text), diagnostics,
        {.lmc = 1,
         .policy_port_groups = contents.port_groups->groups,
         .port_group_policy = &*contents.port_groups,
         .topologies = &*contents.topologies,
         .has_step_lanes = true,
         .is_chain_sound = diagnostics.CountOf(emberc::Severity::kError) == 0,
         .fabric = &fabric});
    return read;
}

/// Whether a blob of it is accepted and says the same.
[[nodiscard]] inline bool IsTakenBySwitch(const emberc::OptionContents& contents) {
    std::vector<emberc::Value> values;
    for (const emberc::Setting& setting : emberc::DefaultConf()) {
        values.push_back(setting.value);
    }
    const std::vector<std::byte> payload = emberc::WritePayload(values, contents);
    std::vector<Grain> buffer(payload.size() / sizeof(Grain) + 1);
    std::vector<Grain> room(OptionRoomBytesFor(payload.size()) / sizeof(Grain));
    const auto octets = std::as_writable_bytes(std::span(buffer));
    std::copy(payload.begin(), payload.end(), octets.begin());
    Settings settings;
    const PayloadReport report =
        ReadPayload(octets.first(payload.size()),
                    OptionRoom{std::as_writable_bytes(std::span(room)), true}, settings);
    return report.accepted() && emberc::ReadContents(payload) == contents;
}

}  // namespace ember::testing
