// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the option files of routing name and a fabric on paper has not.
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/emberc/checks.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/contents.h"
#include "config/emberc/option_files/line_reader.h"
#include "config/netlist/fabric_builder.h"
#include "core/base/assert.h"
#include "core/settings/engine_options.h"

namespace ember::emberc {
namespace {

/// The nodes and ports of a fabric.
class Roll {
public:
    explicit Roll(const net::Netlist& fabric) {
        for (const net::NetNode& node : fabric.nodes) {
            if (node.is_switch()) {
                switches_[node.guid] = node.ports.size();
                end_ports_.insert(node.guid);
                continue;
            }
            hosts_.insert(node.guid);
            for (std::size_t port = 1; port < node.ports.size(); ++port) {
                end_ports_.insert(PortGuid(node, port));
            }
        }
    }
    [[nodiscard]] bool HasSwitch(Guid guid) const { return switches_.contains(guid); }
    [[nodiscard]] bool HasEndPort(Guid guid) const { return end_ports_.contains(guid); }
    [[nodiscard]] bool HasHost(Guid guid) const {
        return hosts_.contains(guid) || (end_ports_.contains(guid) && !HasSwitch(guid));
    }
    [[nodiscard]] bool HasPort(Guid guid, PortNumber port) const {
        const auto found = switches_.find(guid);
        return found != switches_.end() && Raw(port) < found->second;
    }

private:
    std::map<Guid, std::size_t> switches_;  ///< And their ports, port 0 included.
    std::set<Guid> end_ports_;
    std::set<Guid> hosts_;
};

/// GUIDs and ports that a file names in vain.
struct Misses {
    std::size_t guids = 0;
    std::size_t ports = 0;
    Guid first_guid = kNoGuid;
    SwitchPort first_port;

    void Miss(Guid guid) {
        if (guids++ == 0) first_guid = guid;
    }
    void Miss(Guid guid, PortNumber port) {
        if (ports++ == 0) first_port = {.guid = guid, .port = port};
    }
};

class Search {
public:
    Search(const Conf& conf, const net::Netlist& fabric, Diagnostics& report)
        : conf_(conf), roll_(fabric), report_(report) {}

    template <typename Entries, typename Look>
    void Through(std::string_view key, const std::optional<Entries>& contents, Look look) {
        if (!contents || !IsHeardByEngines(conf_, key)) return;
        Misses misses;
        for (const auto& entry : EntriesOf(*contents)) {
            look(entry, misses);
        }
        ReportMisses(key, EntriesOf(*contents).size(), misses);
    }
    [[nodiscard]] const Roll& roll() const { return roll_; }

private:
    void ReportMisses(std::string_view key, std::size_t entries, const Misses& misses) {
        if (misses.guids != 0) {
            Report(key, fmt::format("{}: {} of {} GUIDs are not in the fabric, the first is {}; "
                                    "they are passed over",
                                    key, misses.guids, entries, Hex(misses.first_guid)));
        }
        if (misses.ports != 0) {
            Report(key, fmt::format("{}: {} ports are not there, the first is port {} of {}; they "
                                    "are passed over",
                                    key, misses.ports, Raw(misses.first_port.port),
                                    Hex(misses.first_port.guid)));
        }
    }
    void Report(std::string_view key, std::string text) {
        const auto row = FindKey(key);
        EMBER_ASSERT(row.has_value());
        report_.Add({.severity = Severity::kWarning,
                     .place = conf_[*row].place,
                     .code = Code::kNotInFabric,
                     .text = std::move(text),
                     .source = conf_[*row].source});
    }

    const Conf& conf_;
    Roll roll_;
    Diagnostics& report_;
};

}  // namespace

void CheckInFabric(const Conf& conf, const OptionContents& contents, const net::Netlist& fabric,
                   Diagnostics& report) {
    Search search(conf, fabric, report);
    const Roll& roll = search.roll();
    const auto order = FindKey("order");
    EMBER_ASSERT(order.has_value());
    const bool takes_hosts = conf[*order].value.number != Raw(Order::kOpensm);
    const auto end_port = [&](Guid guid, Misses& misses) {
        if (!roll.HasEndPort(guid)) misses.Miss(guid);
    };
    const auto row_of_switch = [&](const auto& row, Misses& misses) {
        if (!roll.HasSwitch(row.guid)) misses.Miss(row.guid);
    };
    const auto port_of_switch = [&](const auto& row, Misses& misses) {
        if (!roll.HasSwitch(row.guid)) return misses.Miss(row.guid);
        if (!roll.HasPort(row.guid, row.port)) misses.Miss(row.guid, row.port);
    };
    search.Through("root_guid_file", contents.roots, [&](Guid guid, Misses& misses) {
        const bool is_there = roll.HasSwitch(guid) || (takes_hosts && roll.HasHost(guid));
        if (!is_there) misses.Miss(guid);
    });
    search.Through("ids_guid_file", contents.ids, row_of_switch);
    search.Through("cn_guid_file", contents.compute_nodes, end_port);
    search.Through("io_guid_file", contents.io_nodes, end_port);
    search.Through("guid_routing_order_file", contents.routing_order, end_port);
    search.Through("hop_weights_file", contents.hop_weights, port_of_switch);
    search.Through("port_prof_ignore_file", contents.ignored, port_of_switch);
    search.Through("port_search_ordering_file", contents.search,
                   [&](const SearchOrder& row, Misses& misses) {
                       if (!roll.HasSwitch(row.guid)) return misses.Miss(row.guid);
                       for (const PortNumber port : row.ports) {
                           if (!roll.HasPort(row.guid, port)) misses.Miss(row.guid, port);
                       }
                   });
    search.Through("lfts_file", contents.lfts, row_of_switch);
    search.Through("lid_matrix_dump_file", contents.matrix, row_of_switch);
}

}  // namespace ember::emberc
