// SPDX-License-Identifier: Apache-2.0
// EmberSM: the QoS policy of a blob: what its rows must be.
#include "config/blob/qos_rows.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "core/partitions/partitions.h"
#include "core/settings/settings.h"

namespace ember::option_files {
namespace {

using Ranges = WireStructs<schema::QosRange>;

constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};
constexpr std::uint8_t kNodeTypes = qos_node_type::kAll | qos_node_type::kSelf;

/// Takes the ranges of rows one after the other.
class RangeReader {
public:
    explicit RangeReader(const Ranges* ranges) : ranges_(ranges) {}

    /// Whether the next `count` ranges are there, ascend, do not meet, and lie in min..max.
    [[nodiscard]] bool Take(std::size_t count, std::uint64_t min, std::uint64_t max) {
        if (count > SizeOf(ranges_) - next_) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& range = *ranges_->Get(static_cast<flatbuffers::uoffset_t>(next_ + i));
            if (range.from() < min || range.to() > max || range.to() < range.from()) return false;
            if (range.to() == kAnyNumber && i + 1 < count) return false;
            numbers_ += range.to() - range.from() + 1;
            min = range.to() + 1;
        }
        next_ += count;
        return true;
    }
    [[nodiscard]] bool TakePKeys(std::size_t count) { return Take(count, 1, kPKeyBase); }
    [[nodiscard]] bool at_end() const { return next_ == SizeOf(ranges_); }
    /// Numbers in all ranges that were taken since Count() was called last.
    [[nodiscard]] std::uint64_t Count() { return std::exchange(numbers_, 0); }

private:
    const Ranges* ranges_;
    std::size_t next_ = 0;
    std::uint64_t numbers_ = 0;
};

[[nodiscard]] bool IsLevel(const QosLevel& level) {
    const bool has_mtu = level.mtu_limit >= Mtu::k256 && level.mtu_limit <= Mtu::k4096;
    return level.sl <= kTopSl && (has_mtu || level.mtu_limit == Mtu::kNone) &&
           (IsRate(level.rate_limit) || level.rate_limit == Rate::kNone) &&
           (level.packet_life <= kMostPacketLife || level.packet_life == kNoPacketLife);
}

[[nodiscard]] bool AreLevels(const schema::OptionFiles& from) {
    if (SizeOf(from.qos_levels()) > kMostQosLevels) return false;
    if (SizeOf(from.qos_level_ranges()) > kMostQosRanges) return false;
    RangeReader ranges(from.qos_level_ranges());
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.qos_levels()); ++i) {
        const QosLevel level = CoreRow(*from.qos_levels()->Get(i));
        if (!IsLevel(level) || !ranges.TakePKeys(level.p_keys)) return false;
    }
    return ranges.at_end();
}

[[nodiscard]] bool AreGroups(const schema::OptionFiles& from) {
    if (SizeOf(from.qos_groups()) > kMostQosGroups) return false;
    if (SizeOf(from.qos_group_ranges()) > kMostQosRanges) return false;
    RangeReader ranges(from.qos_group_ranges());
    std::uint64_t p_keys = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.qos_groups()); ++i) {
        const QosGroup group = CoreRow(*from.qos_groups()->Get(i));
        if ((group.node_types & ~kNodeTypes) != 0) return false;
        if (!ranges.Take(group.guids, 1, kAnyNumber)) return false;
        static_cast<void>(ranges.Count());
        if (!ranges.TakePKeys(group.p_keys)) return false;
        p_keys += ranges.Count();
    }
    return ranges.at_end() && p_keys <= kMostQosGroupPKeys;
}

/// Whether the ranges of `rule`, which come next, are there and lie in what they mean.
[[nodiscard]] bool TakeRule(const QosRule& rule, std::size_t groups, RangeReader& ranges) {
    const bool has_groups = groups > 0 || (rule.sources == 0 && rule.destinations == 0);
    return has_groups && ranges.Take(rule.sources, 0, groups - 1) &&
           ranges.Take(rule.destinations, 0, groups - 1) &&
           ranges.Take(rule.service_ids, 0, kAnyNumber) && ranges.TakePKeys(rule.p_keys) &&
           ranges.Take(rule.qos_classes, 0, kTopQosClass);
}

[[nodiscard]] bool AreRules(const schema::OptionFiles& from) {
    if (SizeOf(from.qos_rules()) > kMostQosRules) return false;
    if (SizeOf(from.qos_rule_ranges()) > kMostQosRanges) return false;
    const std::size_t lines = SizeOf(from.qos_rule_lines());
    if (lines != 0 && lines != SizeOf(from.qos_rules())) return false;
    RangeReader ranges(from.qos_rule_ranges());
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.qos_rules()); ++i) {
        const QosRule rule = CoreRow(*from.qos_rules()->Get(i));
        if (rule.level >= SizeOf(from.qos_levels())) return false;
        if (!TakeRule(rule, SizeOf(from.qos_groups()), ranges)) return false;
    }
    return ranges.at_end();
}

using NameOctets = std::span<const std::uint8_t>;

/// The sort key of rows of port names.
struct PortNameKey {
    NameOctets name;
    unsigned port = 0;
    unsigned group = 0;
};

[[nodiscard]] bool IsBefore(const PortNameKey& left, const PortNameKey& right) {
    if (!std::equal(left.name.begin(), left.name.end(), right.name.begin(), right.name.end())) {
        return std::lexicographical_compare(left.name.begin(), left.name.end(), right.name.begin(),
                                            right.name.end());
    }
    return std::tie(left.port, left.group) < std::tie(right.port, right.group);
}

[[nodiscard]] bool IsPortName(const schema::QosPortName& row, std::size_t groups) {
    return row.group() < groups && row.port() >= 1 && row.port() <= kMaxTablePorts &&
           row.octets() >= 1 && row.octets() <= kMostNameOctets;
}

/// Names of ports: their order, too, by which one is found by halving.
[[nodiscard]] bool ArePortNames(const schema::OptionFiles& from) {
    const auto* const octets = from.qos_port_name_octets();
    if (SizeOf(from.qos_port_names()) > kMostQosRanges) return false;
    std::size_t next = 0;
    PortNameKey before;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(from.qos_port_names()); ++i) {
        const schema::QosPortName& row = *from.qos_port_names()->Get(i);
        if (!IsPortName(row, SizeOf(from.qos_groups()))) return false;
        if (row.octets() > SizeOf(octets) - next) return false;
        const PortNameKey key{NameOctets(octets->Data() + next, row.octets()), row.port(),
                              row.group()};
        if (!IsAName(key.name) || !IsBefore(before, key)) return false;
        before = key;
        next += key.name.size();
    }
    return next == SizeOf(octets);
}

/// A name for each level and each group.
[[nodiscard]] bool AreNames(const schema::OptionFiles& from) {
    const auto* const octets = from.qos_names();
    std::size_t names = 0;
    std::size_t begin = 0;
    for (flatbuffers::uoffset_t i = 0; i < SizeOf(octets); ++i) {
        const std::uint8_t octet = octets->Get(i);
        if (octet != 0 && !IsNameOctet(octet)) return false;
        if (octet != 0) continue;
        if (i == begin || i - begin > kMostNameOctets) return false;
        ++names;
        begin = i + std::size_t{1};
    }
    return begin == SizeOf(octets) &&
           names == SizeOf(from.qos_levels()) + SizeOf(from.qos_groups());
}

}  // namespace

bool IsQosPolicy(const schema::OptionFiles& from) {
    const bool has_rows = SizeOf(from.qos_groups()) + SizeOf(from.qos_rules()) > 0;
    if (has_rows && SizeOf(from.qos_levels()) == 0) return false;
    return AreLevels(from) && AreGroups(from) && AreRules(from) && ArePortNames(from) &&
           AreNames(from);
}

}  // namespace ember::option_files
