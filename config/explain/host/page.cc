// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer of explain, for people: partitions and joins.
#include "config/explain/host/page.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ember::explain {
namespace {

using Json = nlohmann::ordered_json;

std::string LineText(const Json& row) {
    if (!row.contains("line")) return {};
    return fmt::format("line {}", row.value("line", std::uint64_t{0}));
}

/// How many more there are than are listed.
std::string MoreText(std::size_t listed, std::uint64_t count) {
    return count > listed ? fmt::format("  ... and {} more\n", count - listed) : std::string();
}

std::string SharedText(const Json& answer) {
    const std::string a = NodeText(answer.at("a"));
    const std::string b = NodeText(answer.at("b"));
    std::string text;
    for (const Json& row : answer.at("shared")) {
        text +=
            fmt::format("  {}{}\n", PartitionText(row),
                        row.value("may_talk", false) ? "" : ": two limited members do not talk");
        text += fmt::format("    {}: {}\n", a, MemberText(row.at("a")));
        text += fmt::format("    {}: {}\n", b, MemberText(row.at("b")));
    }
    return text +
           MoreText(answer.at("shared").size(), answer.value("shared_count", std::uint64_t{0}));
}

/// The partitions of one of two ports that share none.
std::string AllText(const std::string& name, const Json& all) {
    const Json& rows = all.at("partitions");
    if (rows.empty()) return fmt::format("  {} is in no partition\n", name);
    std::string text = fmt::format("  {} is in\n", name);
    for (const Json& row : rows) {
        text += fmt::format("    {}: {}\n", PartitionText(row), MemberText(row.at("member")));
    }
    return text + MoreText(rows.size(), all.value("count", std::uint64_t{0}));
}

std::string PartitionPage(const Json& answer) {
    const bool may_talk = answer.value("may_talk", false);
    std::string text =
        fmt::format("a: {}\nb: {}\n", PortText(answer.at("a")), PortText(answer.at("b")));
    if (!may_talk) {
        text += answer.at("shared").empty()
                    ? "They may not talk: they share no partition.\n"
                    : "They may not talk: they are limited members of what they share.\n";
    } else if (answer.contains("p_key")) {
        text += fmt::format("They may talk; a sends by P_Key {}.\n", answer.value("p_key", ""));
    } else {
        text += "They may talk: they are one port.\n";
    }
    text += SharedText(answer);
    if (!may_talk) {
        text += AllText(NodeText(answer.at("a")), answer.at("a_is_in"));
        text += AllText(NodeText(answer.at("b")), answer.at("b_is_in"));
    }
    if (!answer.value("configured", false)) {
        text += "No partition_config_file: every port is a full member of the default partition.\n";
    } else {
        text += "Lines are those of partition_config_file.\n";
    }
    return text;
}

std::string GroupText(const Json& answer) {
    const Json& group = answer.at("group");
    std::string text;
    if (answer.value("exists", false)) {
        text +=
            fmt::format("  the group has MLID {} and {} members{}\n", group.value("mlid", ""),
                        group.value("members", std::uint64_t{0}),
                        group.value("well_known", false) ? "; it exists without members too" : "");
    } else {
        text += "  the group is not there: the join would make it\n";
    }
    text += fmt::format("  it is of {}, with Q_Key {}, SL {}, MTU {}, {} Gb/s\n",
                        PartitionText(group.at("partition")), group.value("q_key", ""),
                        group.value("sl", 0), group.value("mtu", 0), group.value("rate", ""));
    text += fmt::format("  in that partition the port is {}\n",
                        MemberText(answer.at("member_of_partition")));
    return text;
}

std::string JoinPage(const Json& answer) {
    std::string text =
        fmt::format("port: {}\nMGID: {}\n", PortText(answer.at("port")), answer.value("mgid", ""));
    if (answer.value("admitted", false)) {
        text += answer.contains("join_state") ? "It may join; it is a member already.\n"
                                              : "It may join.\n";
    } else {
        text += fmt::format("It may not join: {} (status {}).\n", answer.value("why", ""),
                            answer.value("status", ""));
    }
    if (answer.contains("group")) text += GroupText(answer);
    const Json& port = answer.at("port_can");
    text += fmt::format("  the port can MTU {}, {} Gb/s\n", port.value("mtu", 0),
                        port.value("rate", ""));
    return text;
}

}  // namespace

std::string NodeText(const Json& place) {
    if (place.contains("node_name")) return place.value("node_name", "");
    return place.value("node", "");
}

std::string PortText(const Json& port) {
    return fmt::format("{} port {} (LID {}, GUID {})", NodeText(port), port.value("port", 0),
                       port.value("lid", 0), port.value("guid", ""));
}

std::string PartitionText(const Json& partition) {
    std::string text = "partition " + partition.value("p_key", "");
    if (partition.contains("name")) text += fmt::format(" \"{}\"", partition.value("name", ""));
    const std::string line = LineText(partition);
    return line.empty() ? text : fmt::format("{} ({})", text, line);
}

std::string MemberText(const Json& member) {
    const std::string kind = member.value("membership", "");
    if (kind == "none") return "no member";
    const std::string line = LineText(member);
    const std::string text = kind == "both" ? std::string("a full and a limited member")
                                            : fmt::format("a {} member", kind);
    return line.empty() ? text : fmt::format("{}, {}", text, line);
}

std::string Page(const Json& answer) {
    const std::string kind = answer.value("explain", "");
    if (kind == "path") return PathPage(answer);
    return kind == "join" ? JoinPage(answer) : PartitionPage(answer);
}

}  // namespace ember::explain
