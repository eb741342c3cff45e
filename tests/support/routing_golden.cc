// SPDX-License-Identifier: Apache-2.0
// EmberSM: routings that OpenSM made, to compare with.

#include "tests/support/routing_golden.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sstream>
#include <utility>

#include "tests/support/routing_run.h"

namespace ember::testing {

namespace {

net::Netlist ReadNet(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    net::NetErrors errors;
    net::Netlist netlist = net::ParseNetlist(text.str(), path.string(), errors);
    EXPECT_TRUE(errors.empty()) << errors.front();
    return netlist;
}

/// The rest of a line, without the blank before it.
std::string RestOf(std::istringstream& line) {
    std::string rest;
    std::getline(line, rest);
    return rest.empty() ? rest : rest.substr(1);
}

std::vector<std::uint8_t> OctetsOf(const std::string& text) {
    std::vector<std::uint8_t> octets;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        octets.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), {}, 16)));
    }
    return octets;
}

std::uint8_t LevelOf(char digit) {
    if (digit == '-') return kNoSl;
    return static_cast<std::uint8_t>(std::stoul(std::string(1, digit), nullptr, 16));
}

void TakeLine(RoutingGolden& golden, const std::string& text) {
    std::istringstream line(text);
    std::string word;
    std::string name;
    std::uint64_t guid = 0;
    line >> word >> std::hex;
    if (word == "option") {
        std::uint64_t value = 0;
        line >> name >> value;
        golden.options[name] = value;
    } else if (word == "file") {
        line >> name;
        golden.files[name].push_back(RestOf(line));
    } else if (word == "dump") {
        line >> name;
        golden.dumps[name].push_back(RestOf(line));
    } else if (word == "routed_by") {
        line >> golden.routed_by;
    } else if (word == "lids") {
        std::uint16_t first = 0;
        line >> guid >> first;
        golden.lids[static_cast<Guid>(guid)] = static_cast<Lid>(first);
    } else if (word == "table") {
        line >> guid >> name;
        golden.tables[static_cast<Guid>(guid)] = OctetsOf(name);
    } else if (word == "levels") {
        std::uint32_t lid = 0;
        line >> lid >> name;
        std::transform(name.begin(), name.end(), std::back_inserter(golden.levels[lid]), LevelOf);
    } else if (word == "layers") {
        std::size_t pairs = 0;
        while (line >> pairs) {
            golden.layers.push_back(pairs);
        }
    } else {
        ADD_FAILURE() << text;
    }
}

/// The numbers of each line that is neither empty nor a comment.
std::vector<std::vector<std::uint64_t>> NumbersOf(const std::vector<std::string>& lines) {
    std::vector<std::vector<std::uint64_t>> rows;
    for (const std::string& text : lines) {
        std::istringstream line(text);
        std::string word;
        std::vector<std::uint64_t> row;
        while (line >> word && word[0] != '#') {
            row.push_back(std::stoull(word, nullptr, 0));
        }
        if (!row.empty()) rows.push_back(row);
    }
    return rows;
}

/// Rows as EngineTables wants them: ascending by `key`, none twice. The first of equals stays.
template <typename Row, typename Key>
void SortRows(std::vector<Row>& rows, Key key) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const Row& one, const Row& other) { return key(one) < key(other); });
    const auto same = [&](const Row& one, const Row& other) { return key(one) == key(other); };
    rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

Guid GuidOf(const std::vector<std::uint64_t>& row) {
    return static_cast<Guid>(row.at(0));
}

SwitchPort PortOf(const std::vector<std::uint64_t>& row) {
    return {GuidOf(row), static_cast<PortNumber>(row.at(1))};
}

}  // namespace

RoutingGolden ReadGolden(const std::filesystem::path& folder, const std::string& name) {
    RoutingGolden golden;
    golden.netlist = ReadNet(folder / (name + ".net"));
    std::ifstream file(folder / (name + ".txt"));
    EXPECT_TRUE(file.good()) << folder << ": " << name;
    std::string line;
    while (std::getline(file, line)) {
        TakeLine(golden, line);
    }
    return golden;
}

std::vector<std::string> GoldenCases(const std::filesystem::path& folder) {
    std::vector<std::string> cases;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".txt") cases.push_back(entry.path().stem());
    }
    std::sort(cases.begin(), cases.end());
    return cases;
}

std::vector<std::string> GoldenCasesWith(const std::filesystem::path& folder,
                                         const std::string& dump) {
    std::vector<std::string> cases = GoldenCases(folder);
    const auto lacks = [&](const std::string& name) {
        std::ifstream file(folder / (name + ".txt"));
        std::string line;
        while (std::getline(file, line)) {
            if (line.rfind("dump " + dump + ' ', 0) == 0) return false;
        }
        return true;
    };
    cases.erase(std::remove_if(cases.begin(), cases.end(), lacks), cases.end());
    return cases;
}

GoldenSettings::GoldenSettings(const RoutingGolden& golden) {
    settings_.order = Order::kOpensm;
    for (const auto& [name, value] : golden.options) {
        TakeOption(name, value);
    }
    for (const auto& [option, lines] : golden.files) {
        TakeFile(option, lines);
    }
}

void GoldenSettings::TakeOption(const std::string& name, std::uint64_t value) {
    const std::map<std::string, bool Settings::*> switches = {
        {"port_profile_switch_nodes", &Settings::port_profile_switch_nodes},
        {"connect_roots", &Settings::connect_roots},
        {"quasi_ftree_indexing", &Settings::quasi_ftree_indexing},
        {"do_mesh_analysis", &Settings::do_mesh_analysis},
        {"port_shifting", &Settings::port_shifting},
        {"guid_routing_order_no_scatter", &Settings::guid_routing_order_no_scatter}};
    if (const auto found = switches.find(name); found != switches.end()) {
        settings_.*found->second = value != 0;
    } else if (name == "lmc") {
        settings_.lmc = static_cast<std::uint8_t>(value);
    } else if (name == "lash_start_vl") {
        settings_.lash_start_vl = static_cast<std::uint8_t>(value);
    } else if (name == "max_reverse_hops") {
        settings_.max_reverse_hops = static_cast<std::uint16_t>(value);
    } else if (name == "scatter_ports") {
        settings_.scatter_ports = static_cast<std::uint32_t>(value);
    } else {
        ADD_FAILURE() << "option " << name;
    }
}

void GoldenSettings::TakeFile(const std::string& option, const std::vector<std::string>& lines) {
    const auto rows = NumbersOf(lines);
    const std::map<std::string, std::span<const Guid> EngineTables::*> lists = {
        {"root_guid_file", &EngineTables::roots},
        {"cn_guid_file", &EngineTables::compute_nodes},
        {"io_guid_file", &EngineTables::io_nodes},
        {"guid_routing_order_file", &EngineTables::routing_order}};
    EngineTables& tables = settings_.tables;
    if (option == "root_guid_file") tables.has_roots = true;
    if (option == "cn_guid_file") tables.has_compute_nodes = true;
    if (option == "io_guid_file") tables.has_io_nodes = true;
    if (const auto found = lists.find(option); found != lists.end()) {
        std::vector<Guid>& guids = guids_[option];
        std::transform(rows.begin(), rows.end(), std::back_inserter(guids), GuidOf);
        if (option != "guid_routing_order_file") {
            SortRows(guids, [](Guid guid) { return guid; });
        }
        tables.*found->second = guids;
    } else if (option == "ids_guid_file") {
        for (const auto& row : rows) {
            ids_.push_back({GuidOf(row), row.at(1)});
        }
        SortRows(ids_, [](const GuidNumber& row) { return row.guid; });
        tables.ids = ids_;
    } else if (option == "hop_weights_file") {
        for (const auto& row : rows) {
            const SwitchPort port = PortOf(row);
            hop_weights_.push_back({port.guid, port.port, static_cast<std::uint8_t>(row.at(2))});
        }
        SortRows(hop_weights_, [](const HopWeight& row) { return std::pair(row.guid, row.port); });
        tables.hop_weights = hop_weights_;
    } else if (option == "port_prof_ignore_file") {
        std::transform(rows.begin(), rows.end(), std::back_inserter(ignored_), PortOf);
        SortRows(ignored_, [](const SwitchPort& row) { return std::pair(row.guid, row.port); });
        tables.ignored = ignored_;
    } else if (option == "port_search_ordering_file") {
        TakeSearchOrder(rows);
    } else {
        ADD_FAILURE() << "file of " << option;
    }
}

void GoldenSettings::TakeSearchOrder(const std::vector<std::vector<std::uint64_t>>& rows) {
    for (const auto& row : rows) {
        search_.push_back({.guid = static_cast<Guid>(row.at(0)),
                           .first = static_cast<std::uint32_t>(search_ports_.size()),
                           .count = static_cast<std::uint32_t>(row.size() - 1)});
        for (std::size_t i = 1; i < row.size(); ++i) {
            search_ports_.push_back(static_cast<PortNumber>(row[i]));
        }
    }
    SortRows(search_, [](const PortOrder& row) { return row.guid; });
    settings_.tables.search = search_;
    settings_.tables.search_ports = search_ports_;
}

namespace {

bool HasEndPorts(const Fabric& fabric, NodeIndex node) {
    for (const Port& port : fabric.PortsOf(node)) {
        if (port.peer == kNoPortIndex) continue;
        if (fabric.node(fabric.port(port.peer).node).type != NodeType::kSwitch) return true;
    }
    return false;
}

/// Whose columns the core may complete: the manager's own port, and when that is on a switch
/// without end ports, other such switches.
std::vector<const Port*> Completed(const Fabric& fabric) {
    const Port& own = fabric.port(fabric.own_port());
    std::vector<const Port*> ports{&own};
    const bool is_bare = own.number == kManagementPort && !HasEndPorts(fabric, own.node);
    if (!is_bare) return ports;
    ForEachSwitch(fabric, [&](SwitchIndex at, const Switch& row) {
        if (!HasEndPorts(fabric, row.node))
            ports.push_back(&fabric.port(fabric.ManagementPortOf(at)));
    });
    return ports;
}

}  // namespace

SlowTables PlannedLikeOpensm(const RoutingGolden& golden, RoutingRun& run) {
    SlowTables planned = run.planned();
    const Fabric& fabric = run.built().fabric();
    if (fabric.own_port() == kNoPortIndex) return planned;
    const std::vector<const Port*> completed = Completed(fabric);
    for (auto& [node, row] : planned) {
        const auto& theirs = golden.tables.at(golden.netlist.nodes[node].guid);
        for (const Port* const port : completed) {
            for (std::size_t i = 0; i < std::size_t{1} << port->lmc; ++i) {
                const std::size_t lid = Raw(port->lid) + i;
                if (lid < theirs.size() && theirs[lid] == kNoHops) row[lid] = kNoHops;
            }
        }
    }
    return planned;
}

void ExpectGoldenTables(const RoutingGolden& golden, RoutingEngine& engine, std::uint8_t lanes) {
    GoldenSettings settings(golden);
    settings.settings().qos = lanes > 1;
    BuiltFabric::Options options;
    options.lmc = settings.settings().lmc;
    options.lids = golden.lids;
    options.max_lanes = lanes;
    RoutingRun run(golden.netlist, options);
    ASSERT_EQ(run.reference().destinations().size(), golden.lids.size());
    ASSERT_EQ(run.reference().switches().size(), golden.tables.size());

    const Verdict& verdict = run.Route(engine, settings.settings());
    ASSERT_EQ(verdict.may_program(), golden.routed_by == engine.name())
        << "OpenSM: by " << golden.routed_by;
    if (!verdict.may_program()) return;

    const SlowTables planned = PlannedLikeOpensm(golden, run);
    std::size_t compared = 0;
    for (const std::uint32_t node : run.reference().switches()) {
        const auto& theirs = golden.tables.at(golden.netlist.nodes[node].guid);
        const auto& ours = planned.at(node);
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t lid = 0; lid < ours.size(); ++lid) {
            ASSERT_EQ(ours[lid], theirs[lid])
                << "switch " << golden.netlist.nodes[node].id << ", LID " << lid;
            compared += ours[lid] != kNoHops ? 1U : 0U;
        }
    }
    EXPECT_GT(compared, 0U);
}

std::string GoldenName(const std::string& name) {
    std::string plain = name;
    std::replace(plain.begin(), plain.end(), '-', '_');
    return plain;
}

}  // namespace ember::testing
