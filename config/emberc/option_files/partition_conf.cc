// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a partition_config_file says, for people.
#include "config/emberc/option_files/partition_conf.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "config/blob/partition_rows.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/emberc/option_files/partition_words.h"
#include "core/base/mgid.h"
#include "core/multicast/own_groups.h"
#include "core/wire/p_key_table.h"

namespace ember::emberc {
namespace {

std::string MgidText(const Gid& mgid) {
    std::array<std::uint8_t, 16> octets{};
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const std::uint64_t half = i < octets.size() / 2 ? mgid.high : mgid.low;
        octets[i] = static_cast<std::uint8_t>(half >> (56U - i % 8 * 8U));
    }
    std::array<char, INET6_ADDRSTRLEN> text{};
    return inet_ntop(AF_INET6, octets.data(), text.data(), text.size());
}

/// A member as the file has it, and where: the order of turns is that in which members overrule
/// each other, and a class comes before the ports of its turn.
struct Item {
    unsigned turn = 0;
    bool is_port = false;
    std::string text;  ///< Behind name and P_Key.
};

std::string FlagsOf(const PartitionGroup& group) {
    std::string text =
        fmt::format(",mtu={},rate={},sl={},scope={}", unsigned{group.mtu}, unsigned{group.rate},
                    unsigned{group.sl}, unsigned{ScopeOf(group.mgid)});
    if (group.q_key != 0) text += fmt::format(",Q_Key={:#x}", group.q_key);
    if (group.tclass != 0) text += fmt::format(",TClass={}", unsigned{group.tclass});
    if (group.flow_label != 0) text += fmt::format(",FlowLabel={:#x}", group.flow_label);
    return text;
}

bool IsBroadcast(const PartitionGroup& group) {
    const auto p_key = static_cast<std::uint16_t>(group.p_key | kFullMembership);
    return group.mgid == BroadcastMgid(ScopeOf(group.mgid), p_key);
}

/// Prints the partitions of a file: each by name and P_Key, its groups, its members.
class Printer {
public:
    explicit Printer(const PartitionConf& conf) : conf_(conf) {
        for (const PartitionGroup& group : conf.groups) {
            groups_[group.p_key].push_back(&group);
        }
        for (const PartitionClass& row : conf.classes) {
            Keep(row, false, WordOf(row.ports));
        }
        for (const PartitionMember& row : conf.ports) {
            Keep(row, true, Hex(row.port_guid));
        }
    }

    std::vector<PartitionLine> Print() {
        for (const PartitionConf::Partition& partition : conf_.partitions) {
            const std::string head =
                fmt::format("{}={}", partition.name, PKeyText(partition.p_key));
            const std::string sl =
                partition.sl == 0 ? "" : fmt::format(",sl={}", unsigned{partition.sl});
            Add(fmt::format("{}{}: NONE;", head, sl));
            PrintGroups(partition, head);
            PrintMembers(partition.p_key, head);
        }
        return std::move(lines_);
    }

private:
    void Add(std::string text) { lines_.push_back({std::move(text)}); }

    template <typename Row>
    void Keep(const Row& row, bool is_port, std::string_view who) {
        items_[row.p_key].push_back(
            {row.turn, is_port,
             fmt::format("{}: {}={};", row.is_first ? ",indx0" : "", who, WordOf(row.membership))});
    }

    /// The broadcast groups come first: others need them.
    void PrintGroups(const PartitionConf::Partition& partition, const std::string& head) {
        const auto& groups = groups_[partition.p_key];
        for (const bool of_broadcast : {true, false}) {
            for (const PartitionGroup* const group : groups) {
                if (IsBroadcast(*group) != of_broadcast) continue;
                const bool is_implied =
                    of_broadcast && partition.is_ip && group->sl == partition.sl;
                Add(is_implied ? fmt::format("{},ipoib{}: NONE;", head, FlagsOf(*group))
                               : fmt::format("{}: mgid={}{};", head, MgidText(group->mgid),
                                             FlagsOf(*group)));
            }
        }
    }

    void PrintMembers(std::uint16_t p_key, const std::string& head) {
        std::vector<Item>& items = items_[p_key];
        std::stable_sort(items.begin(), items.end(), [](const Item& one, const Item& other) {
            return std::pair(one.turn, one.is_port) < std::pair(other.turn, other.is_port);
        });
        for (const Item& item : items) {
            Add(head + item.text);
        }
    }

    const PartitionConf& conf_;
    std::map<std::uint16_t, std::vector<const PartitionGroup*>> groups_;
    std::map<std::uint16_t, std::vector<Item>> items_;
    std::vector<PartitionLine> lines_;
};

}  // namespace

PartitionSizes SizesOf(const PartitionConf& conf) {
    PartitionSizes sizes;
    std::set<std::uint16_t> of_classes;
    for (const PartitionClass& row : conf.classes) {
        of_classes.insert(row.p_key);
    }
    sizes.most_of_a_port = of_classes.size();
    std::size_t more = 0;
    Guid port = kNoGuid;
    for (const PartitionMember& row : conf.ports) {  // Rows ascend by GUID.
        if (row.port_guid != port) more = 0;
        port = row.port_guid;
        if (!of_classes.contains(row.p_key)) ++more;
        sizes.most_of_a_port = std::max(sizes.most_of_a_port, of_classes.size() + more);
    }
    sizes.blob_bytes = conf.partitions.size() * sizeof(schema::PartitionRow) +
                       conf.ports.size() * sizeof(schema::PartitionMember) +
                       conf.classes.size() * sizeof(schema::PartitionClass) +
                       conf.groups.size() * sizeof(schema::PartitionGroup);
    for (const PartitionConf::Partition& partition : conf.partitions) {
        sizes.blob_bytes += partition.name.size();
    }
    return sizes;
}

CrowdedPorts FindCrowded(const PartitionConf& conf, bool both) {
    CrowdedPorts crowded;
    const auto held = [both](Membership membership) {
        return both && membership == Membership::kBoth ? std::size_t{2} : std::size_t{1};
    };
    std::map<std::uint16_t, std::size_t> of_all;  // P_Keys that every port has.
    std::size_t every = 0;
    const auto note = [&crowded](Guid port, std::size_t p_keys, std::uint32_t line) {
        if (p_keys <= kMostPKeysOfPort) return false;
        if (crowded.p_keys == 0) crowded = {.port = port, .line = line};
        if (crowded.port == port) crowded.p_keys = p_keys;
        return true;
    };
    bool is_crowded = false;
    for (const PartitionClass& row : conf.classes) {  // Rows ascend by class.
        if (row.ports != PortClass::kAll) continue;
        of_all[row.p_key] = held(row.membership);
        every += of_all[row.p_key];
        is_crowded = note(kNoGuid, every, row.line);
    }
    if (is_crowded) crowded.count = 1;
    std::size_t sum = 0;
    Guid port = kNoGuid;
    for (const PartitionMember& row : conf.ports) {  // Rows ascend by GUID.
        if (row.port_guid != port) {
            port = row.port_guid;
            sum = every;
            is_crowded = every > kMostPKeysOfPort;
        }
        if (!of_all.contains(row.p_key)) sum += held(row.membership);
        const bool was_crowded = is_crowded;
        is_crowded = note(port, sum, row.line);
        if (is_crowded && !was_crowded) ++crowded.count;
    }
    return crowded;
}

std::vector<PartitionLine> EntriesOf(const PartitionConf& conf) {
    return Printer(conf).Print();
}

std::string AsLine(const PartitionLine& line) {
    return line.text;
}

}  // namespace ember::emberc
