// SPDX-License-Identifier: Apache-2.0
// EmberSM: flags of partition_config_file that groups have, and places to come back to.
#include "config/emberc/option_files/partition_flags.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/wire/rate.h"

namespace ember::emberc {
namespace {

template <typename T>
void ReadValue(LineReader& reader, const Assignment& said, std::uint64_t min, std::uint64_t max,
               std::optional<T>& value) {
    if (!said.value || said.value->text.empty()) {
        return reader.Error(
            said.name, Code::kMissingValue,
            fmt::format("'{}' needs a value; OpenSM would pass over it", said.name.text));
    }
    const auto number = reader.ReadNumber(*said.value, said.name.text, min, max);
    if (!number) return;
    if (value && *value != *number) {
        return reader.Error(
            *said.value, Code::kContradiction,
            fmt::format("'{}' is said twice; OpenSM would take the last", said.name.text));
    }
    value = static_cast<T>(*number);
}

}  // namespace

Spot SpotOf(const LineReader& reader, const Word& word) {
    return {.place = {reader.number(), word.begin + 1, std::max<std::size_t>(1, word.text.size())},
            .source = std::string(reader.line())};
}

void ReportAt(Diagnostics& to, Severity severity, const Spot& spot, Code code, std::string text) {
    to.Add({.severity = severity,
            .place = spot.place,
            .code = code,
            .text = std::move(text),
            .source = spot.source});
}

void ReadGroupFlag(LineReader& reader, PartitionFlag flag, const Assignment& said,
                   GroupFlags& flags) {
    constexpr std::uint8_t kLastScope = 15;
    switch (flag) {
        case PartitionFlag::kMtu:
            return ReadValue(reader, said, 1, static_cast<std::uint64_t>(Mtu::k4096), flags.mtu);
        case PartitionFlag::kRate:
            return ReadValue(reader, said, static_cast<std::uint64_t>(Rate::k2Gb5),
                             static_cast<std::uint64_t>(kTopRate), flags.rate);
        case PartitionFlag::kSl:
            return ReadValue(reader, said, 0, 15, flags.sl);
        case PartitionFlag::kQKey:
            return ReadValue(reader, said, 1, 0xFFFFFFFF, flags.q_key);
        case PartitionFlag::kTClass:
            return ReadValue(reader, said, 0, 0xFF, flags.tclass);
        case PartitionFlag::kFlowLabel:
            return ReadValue(reader, said, 0, 0xFFFFF, flags.flow_label);
        case PartitionFlag::kScope:
        case PartitionFlag::kIndex0:
        case PartitionFlag::kIp:
        case PartitionFlag::kUsualMembership:
            break;
    }
    std::optional<std::uint8_t> scope;
    ReadValue(reader, said, 1, kLastScope, scope);
    if (scope) flags.scopes = static_cast<std::uint16_t>(flags.scopes | 1U << *scope);
}

}  // namespace ember::emberc
