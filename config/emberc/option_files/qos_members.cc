// SPDX-License-Identifier: Apache-2.0
// EmberSM: the ports of a port-group, by names, partitions and types.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "config/emberc/numbers.h"
#include "config/emberc/option_files/qos_draft.h"
#include "core/partitions/partitions.h"
#include "core/settings/settings.h"

namespace ember::emberc {

void ReadPortNames(QosText& text, QosDraft::Group& group) {
    group.has_members = true;
    static_cast<void>(text.TakeList(false, [&](const Word& item) {
        const auto name = text.ReadName(item);
        if (!name) return;
        const std::string_view whole = name->text;
        const std::size_t slash = whole.rfind('/');
        const bool has_port = slash != std::string_view::npos && slash > 0 &&
                              slash + 2 < whole.size() &&
                              (whole[slash + 1] == 'P' || whole[slash + 1] == 'p');
        const Number port = has_port ? ReadNumber(whole.substr(slash + 2)) : Number{};
        if (!has_port || port.error || port.value < 1 || port.value > 254) {
            return text.Error(item, Code::kNotAName,
                              "a port is named by its node's name, '/P' and its number, 1 to 254");
        }
        std::string node(whole.substr(0, slash));
        node.erase(node.find_last_not_of(' ') + 1);
        if (node.empty() || node.size() > kMostNameOctets) {
            return text.Error(item, Code::kNotAName,
                              fmt::format("a node's name has 1 to {} characters", kMostNameOctets));
        }
        if (item.text.front() != '"' && node.find(' ') != std::string::npos) {
            text.Report(Severity::kNote, item, Code::kBlanksKept,
                        "the blanks count; OpenSM drops them from a name that has no quotation "
                        "marks around it, and then finds no such node");
        }
        LoadedQosPolicy::PortName port_name{.node = std::move(node),
                                            .port = static_cast<std::uint8_t>(port.value)};
        auto& names = group.row.port_names;
        const auto at = std::lower_bound(names.begin(), names.end(), port_name);
        if (at == names.end() || *at != port_name) names.insert(at, std::move(port_name));
    }));
}

void ReadPartitions(QosText& text, std::span<const PartitionName> partitions,
                    QosDraft::Group& group) {
    group.has_members = true;
    static_cast<void>(text.TakeList(false, [&](const Word& item) {
        const auto name = text.ReadName(item);
        if (!name) return;
        const auto found =
            std::find_if(partitions.begin(), partitions.end(),
                         [&](const PartitionName& one) { return one.name == name->text; });
        std::uint16_t p_key = 0;
        if (found != partitions.end()) {
            p_key = found->p_key & kPKeyBase;
        } else if (name->text == "Default") {
            p_key = kDefaultPKey & kPKeyBase;
        } else {
            return text.Error(item, Code::kUndefinedName,
                              fmt::format("there is no partition '{}'; OpenSM would take none of "
                                          "its ports",
                                          name->text));
        }
        AddRange(group.row.p_keys, {.from = p_key, .to = p_key});
    }));
}

void ReadNodeTypes(QosText& text, QosDraft::Group& group) {
    struct Type {
        std::string_view word;
        std::uint8_t bits;
    };
    constexpr std::array kTypes = {
        Type{"ca", qos_node_type::kCa}, Type{"switch", qos_node_type::kSwitch},
        Type{"router", qos_node_type::kRouter}, Type{"self", qos_node_type::kSelf},
        Type{"all", qos_node_type::kAll}};
    group.has_members = true;
    static_cast<void>(text.TakeList(false, [&](const Word& item) {
        const auto name = text.ReadName(item);
        if (!name) return;
        const auto* const type =
            std::find_if(kTypes.begin(), kTypes.end(),
                         [&](const Type& candidate) { return candidate.word == name->key; });
        if (type == kTypes.end()) {
            return text.Error(item, Code::kBadValue,
                              "node types are CA, SWITCH, ROUTER, SELF and ALL; OpenSM refuses "
                              "the file");
        }
        group.row.node_types |= type->bits;
    }));
}

}  // namespace ember::emberc
