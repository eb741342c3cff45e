// SPDX-License-Identifier: Apache-2.0
// EmberSM: flags of partition_config_file that groups have, and places to come back to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/emberc/option_files/partition_words.h"

namespace ember::emberc {

/// A place of the file that a later line has something to say about.
struct Spot {
    Place place;
    std::string source;
};
[[nodiscard]] Spot SpotOf(const LineReader& reader, const Word& word);
void ReportAt(Diagnostics& to, Severity severity, const Spot& spot, Code code, std::string text);

/// Flags of a definition or a group that are for groups.
struct GroupFlags {
    std::optional<std::uint8_t> mtu, rate, sl, tclass;
    std::optional<std::uint32_t> q_key, flow_label;
    std::uint16_t scopes = 0;  ///< Bit n: scope n.
};

/// Reads the value of a flag that groups have. A mistake in it is reported.
void ReadGroupFlag(LineReader& reader, PartitionFlag flag, const Assignment& said,
                   GroupFlags& flags);

}  // namespace ember::emberc
