// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer of explain, for people.
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

/// A node: its name, or its GUID.
std::string NodeText(const Json& place) {
    if (place.contains("node_name")) return place.value("node_name", "");
    return place.value("node", "");
}

/// An end port: its name, GUID, number and LID.
std::string PortText(const Json& port) {
    return fmt::format("{} port {} (LID {}, GUID {})", NodeText(port), port.value("port", 0),
                       port.value("lid", 0), port.value("guid", ""));
}

/// A partition: its P_Key, its name, and where it is defined.
std::string PartitionText(const Json& partition) {
    std::string text = "partition " + partition.value("p_key", "");
    if (partition.contains("name")) text += fmt::format(" \"{}\"", partition.value("name", ""));
    const std::string line = LineText(partition);
    return line.empty() ? text : fmt::format("{} ({})", text, line);
}

/// "a full member (line 4)".
std::string MemberText(const Json& member) {
    const std::string kind = member.value("membership", "");
    if (kind == "none") return "no member";
    const std::string line = LineText(member);
    const std::string text = kind == "both" ? std::string("a full and a limited member")
                                            : fmt::format("a {} member", kind);
    return line.empty() ? text : fmt::format("{}, {}", text, line);
}

// Whether two ports may talk, or one may join a group.

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

// The path between two ports.

std::string PlaceText(const Json& place) {
    return fmt::format("{} port {}", NodeText(place), place.value("port", 0));
}

std::string LevelText(const Json& answer) {
    if (!answer.contains("qos")) {
        return answer.value("qos_enabled", false) ? "  no QoS policy is in force\n"
                                                  : "  qos is off: no QoS policy\n";
    }
    const Json& qos = answer.at("qos");
    std::string text = fmt::format("  QoS level \"{}\", ", qos.value("level", ""));
    if (!qos.contains("rule")) {
        text += "as no rule of qos_policy_file fits";
    } else {
        text += fmt::format("by rule {} of qos_policy_file", qos.value("rule", std::uint64_t{0}));
        if (qos.contains("line")) text += fmt::format(" (line {})", qos.value("line", 0));
    }
    text += fmt::format(": SL {}", qos.value("sl", 0));
    if (qos.contains("mtu_limit"))
        text += fmt::format(", MTU at most {}", qos.value("mtu_limit", 0));
    if (qos.contains("rate_limit")) {
        text += fmt::format(", at most {} Gb/s", qos.value("rate_limit", ""));
    }
    if (qos.contains("packet_life")) {
        text += fmt::format(", packet life {}", qos.value("packet_life", 0));
    }
    return text + "\n";
}

std::string HopsText(const Json& answer) {
    const Json& hops = answer.at("hops");
    std::string text = fmt::format("  {} hops, from LID {} to LID {}\n", hops.size(),
                                   answer.value("slid", 0), answer.value("dlid", 0));
    std::size_t number = 0;
    for (const Json& hop : hops) {
        text +=
            fmt::format("  {:>3}  {} -> {}  MTU {}, {} Gb/s", ++number, PlaceText(hop.at("from")),
                        PlaceText(hop.at("to")), hop.value("mtu", 0), hop.value("rate", ""));
        if (hop.contains("vl")) {
            const int vl = hop.value("vl", 0);
            text += vl == 15 ? std::string(", dropped") : fmt::format(", VL {}", vl);
        }
        text += "\n";
    }
    return text;
}

/// The limit that holds a value down.
std::string LimitText(const Json& limit) {
    const std::string by = limit.value("by", "");
    if (by == "link") {
        if (!limit.contains("from")) return "that of the port itself";
        return fmt::format("that of the link from {} to {}", PlaceText(limit.at("from")),
                           PlaceText(limit.at("to")));
    }
    if (by == "level") return "the limit of the QoS level";
    if (by == "question") return "as asked for";
    if (by == "port") return "that of the port itself";
    if (by == "client") return "the highest that the asking port knows";
    return "the limit of " + by;
}

std::string SlText(const std::string& by) {
    if (by == "question") return "as asked for";
    if (by == "level") return "that of the QoS level";
    if (by == "partition") return "that of the partition";
    if (by == "routing") return "that of the routing";
    if (by == "rtr_pr_sl") return "that of rtr_pr_sl";
    return "nothing says any";
}

std::string ValuesText(const Json& answer) {
    std::string text;
    if (answer.contains("partition")) {
        const Json& partition = answer.at("partition");
        text +=
            fmt::format("  P_Key {}: {}\n", answer.value("p_key", ""), PartitionText(partition));
        text +=
            fmt::format("    {}: {}\n", NodeText(answer.at("a")), MemberText(partition.at("a")));
        text +=
            fmt::format("    {}: {}\n", NodeText(answer.at("b")), MemberText(partition.at("b")));
    }
    text += fmt::format("  SL {}: {}\n", answer.value("sl", 0), SlText(answer.value("sl_by", "")));
    text +=
        fmt::format("  MTU {}: {}\n", answer.value("mtu", 0), LimitText(answer.at("mtu_limit")));
    text += fmt::format("  rate {} Gb/s: {}\n", answer.value("rate", ""),
                        LimitText(answer.at("rate_limit")));
    text += fmt::format("  packet life-time {}; {}\n", answer.value("packet_life_time", 0),
                        answer.value("reversible", false) ? "reversible" : "not reversible");
    return text;
}

std::string PathPage(const Json& answer) {
    std::string text =
        fmt::format("a: {}\nb: {}\n", PortText(answer.at("a")), PortText(answer.at("b")));
    const bool is_answered = answer.value("told", false);
    text += is_answered ? "a is told of a path to b.\n"
                        : fmt::format("a is told of no path to b: {}.\n", answer.value("why", ""));
    if (answer.contains("hops")) text += LevelText(answer) + HopsText(answer);
    return is_answered ? text + ValuesText(answer) : text;
}

}  // namespace

std::string Page(const Json& answer) {
    const std::string kind = answer.value("explain", "");
    if (kind == "path") return PathPage(answer);
    return kind == "join" ? JoinPage(answer) : PartitionPage(answer);
}

}  // namespace ember::explain
