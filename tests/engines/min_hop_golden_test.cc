// SPDX-License-Identifier: Apache-2.0
// EmberSM: min-hop against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet.
// Method: tests/golden/minhop holds netlists with the LIDs and tables of `opensm -R minhop` on
//         ibsim (record.py beside them makes them). Netlist and LIDs go in, tables are compared.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "config/netlist/netlist.h"
#include "engines/min_hop.h"
#include "tests/support/routing_run.h"

namespace ember {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "minhop";

struct Golden {
    std::map<std::string, std::uint32_t> options;
    std::map<Guid, Lid> lids;
    std::map<Guid, std::vector<std::uint8_t>> tables;
};

Golden ReadGolden(const std::filesystem::path& path) {
    Golden golden;
    std::ifstream file(path);
    std::string word;
    std::string name;
    std::string value;
    file >> std::hex;
    while (file >> word) {
        std::uint64_t guid = 0;
        if (word == "option") {
            file >> name >> golden.options[name];
        } else if (word == "lids") {
            std::uint32_t first = 0;
            file >> guid >> first >> value;
            golden.lids[static_cast<Guid>(guid)] = static_cast<Lid>(first);
        } else if (word == "table") {
            file >> guid >> value;
            auto& table = golden.tables[static_cast<Guid>(guid)];
            for (std::size_t i = 0; i < value.size(); i += 2) {
                table.push_back(static_cast<std::uint8_t>(std::stoul(value.substr(i, 2), {}, 16)));
            }
        } else {
            ADD_FAILURE() << path << ": " << word;
        }
    }
    return golden;
}

net::Netlist ReadNet(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    net::NetErrors errors;
    net::Netlist netlist = net::ParseNetlist(text.str(), path.string(), errors);
    EXPECT_TRUE(errors.empty()) << errors.front();
    return netlist;
}

class MinHopGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(MinHopGolden, MakesTheTablesOfOpensm) {
    const net::Netlist netlist = ReadNet(kFolder / (GetParam() + ".net"));
    Golden golden = ReadGolden(kFolder / (GetParam() + ".txt"));
    ember::testing::BuiltFabric::Options options;
    options.lmc = static_cast<std::uint8_t>(golden.options.at("lmc"));
    options.lids = golden.lids;
    ember::testing::RoutingRun run(netlist, options);
    ASSERT_EQ(run.reference().destinations().size(), golden.lids.size());
    ASSERT_EQ(run.reference().switches().size(), golden.tables.size());
    Settings settings;
    settings.lmc = options.lmc;
    settings.port_profile_switch_nodes = golden.options.at("port_profile_switch_nodes") != 0;

    MinHop min_hop;
    const Verdict& verdict = run.Route(min_hop, settings);

    EXPECT_TRUE(verdict.may_program());
    const auto planned = run.planned();
    std::size_t compared = 0;
    for (const std::uint32_t node : run.reference().switches()) {
        const auto& theirs = golden.tables.at(netlist.nodes[node].guid);
        const auto& ours = planned.at(node);
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t lid = 0; lid < ours.size(); ++lid) {
            ASSERT_EQ(ours[lid], theirs[lid])
                << "switch " << netlist.nodes[node].id << ", LID " << lid;
            compared += ours[lid] != 255 ? 1U : 0U;
        }
    }
    EXPECT_GT(compared, 0U);
    RecordProperty("entries_compared", static_cast<int>(compared));
}

std::vector<std::string> Cases() {
    std::vector<std::string> cases;
    for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
        if (entry.path().extension() == ".txt") cases.push_back(entry.path().stem());
    }
    std::sort(cases.begin(), cases.end());
    return cases;
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, MinHopGolden, ::testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace ember
