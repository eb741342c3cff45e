// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer of explain, for people: paths.
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "config/explain/host/page.h"

namespace ember::explain {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string PathPage(const Json& answer) {
    std::string text =
        fmt::format("a: {}\nb: {}\n", PortText(answer.at("a")), PortText(answer.at("b")));
    const bool is_answered = answer.value("told", false);
    text += is_answered ? "a is told of a path to b.\n"
                        : fmt::format("a is told of no path to b: {}.\n", answer.value("why", ""));
    if (answer.contains("hops")) text += LevelText(answer) + HopsText(answer);
    return is_answered ? text + ValuesText(answer) : text;
}

}  // namespace ember::explain
