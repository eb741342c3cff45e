// SPDX-License-Identifier: Apache-2.0
// EmberSM: torus-2QoS against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   forwarding tables and SL to VL maps are OpenSM's, octet for octet, and what it refuses is
//         refused.
// Method: tests/golden/torus holds netlists with the LIDs, tables and maps of `opensm -R
// torus-2QoS`
//         on ibsim (tests/golden/record.py).

#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/engines/torus/torus_run.h"
#include "tests/support/routing_golden.h"

namespace ember {
namespace {

using testing::RoutingGolden;
using testing::TorusFile;
using testing::TorusRun;

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "torus";

/// A line of torus_config as cases.py writes it.
void TakeLine(const std::string& text, TorusFile& file) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "torus" || word == "mesh") {
        for (std::size_t d = 0; d < 3; ++d) {
            std::string radix;
            line >> radix;
            const bool is_row = radix.back() == 'm' || (word == "mesh" && radix.back() != 't');
            file.shape.radix.at(d) = static_cast<std::uint8_t>(std::stoul(radix));
            if (is_row || file.shape.radix.at(d) == 2)
                file.shape.open |= static_cast<std::uint8_t>(1U << d);
        }
    } else if (word == "next_seed") {
        file.seeds.emplace_back();
    } else if (word == "port_order") {
        for (unsigned port = 0; line >> port;)
            file.ports.push_back(static_cast<PortNumber>(port));
    } else if (word == "portgroup_max_ports") {
        unsigned ports = 0;
        line >> ports;
        file.shape.group_ports = static_cast<std::uint8_t>(ports);
    } else {
        if (file.seeds.empty()) file.seeds.emplace_back();
        TorusSeed& seed = file.seeds.back();
        const auto axis = static_cast<std::size_t>(word[0] - 'x');
        if (word.ends_with("_link")) {
            std::string from;
            std::string to;
            line >> from >> to;
            seed.from = static_cast<Guid>(std::stoull(from, nullptr, 0));
            seed.to.at(2 * axis + (word[1] == 'p' ? 1 : 0)) =
                static_cast<Guid>(std::stoull(to, nullptr, 0));
        } else {
            ASSERT_TRUE(word.ends_with("_dateline")) << text;
            int moved = 0;
            line >> moved;
            const int radix = file.shape.radix.at(axis);
            seed.place.at(axis) = static_cast<std::uint8_t>((radix - moved) % radix);
        }
    }
}

class TorusGolden : public ::testing::TestWithParam<std::string> {
protected:
    TorusGolden() : golden_(testing::ReadGolden(kFolder, GetParam())) {
        for (const std::string& line : golden_.files["torus_config"]) {
            if (!line.empty()) TakeLine(line, file_);
        }
    }
    net::BuiltFabric::Options Options() {
        return {.lmc = static_cast<std::uint8_t>(golden_.options["lmc"]), .lids = golden_.lids};
    }

    RoutingGolden golden_;
    TorusFile file_;
};

TEST_P(TorusGolden, MakesTheTablesOfOpensmAndNoCreditLoop) {
    TorusRun run(golden_.netlist, Options());
    const bool is_routed = run.Route(file_) == Status::kOk;
    ASSERT_EQ(is_routed, golden_.routed_by == "torus-2QoS")
        << kEngineFaultWords[Raw(run.complaint().what)];
    if (!is_routed) return;
    std::size_t compared = 0;
    for (const auto& [guid, octets] : golden_.tables) {
        const SwitchIndex at = run.topology().FindSwitch(guid);
        ASSERT_NE(at, kNoSwitch);
        for (std::size_t lid = 1; lid < octets.size(); ++lid) {
            ASSERT_EQ(run.Entry(at, static_cast<Lid>(lid)), octets[lid])
                << std::hex << Raw(guid) << " to LID " << lid;
            ++compared;
        }
    }
    EXPECT_GE(compared, 400U);
    const Findings& findings = run.Verify();
    EXPECT_EQ(findings.fault, Findings::Fault::kNone);
    EXPECT_FALSE(findings.end_ports_may_deadlock);
    EXPECT_EQ(findings.switch_pairs_apart, 0U);
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, TorusGolden, ::testing::ValuesIn(testing::GoldenCases(kFolder)),
                         NameOf);

using TorusMaps = TorusGolden;

TEST_P(TorusMaps, AreThoseOfOpensm) {
    TorusRun run(golden_.netlist, Options());
    ASSERT_EQ(run.Route(file_), Status::kOk);
    SwitchIndex at = kNoSwitch;
    std::size_t compared = 0;
    for (const std::string& text : golden_.dumps["opensm-sl2vl.dump"]) {
        std::istringstream line(text);
        std::string word;
        line >> word;
        if (word.empty()) continue;
        if (word == "Switch") {
            line >> word;
            at = run.topology().FindSwitch(static_cast<Guid>(std::stoull(word, nullptr, 0)));
        } else if (word == "Channel") {
            at = kNoSwitch;
        }
        if (at == kNoSwitch || word.find_first_not_of("0123456789") != std::string::npos) continue;
        LaneTurn turn{.at = at, .in = static_cast<PortNumber>(std::stoul(word))};
        unsigned out = 0;
        line >> out >> word;
        ASSERT_EQ(word, ":") << text;
        turn.out = static_cast<PortNumber>(out);
        LaneRow expected;
        for (std::uint8_t sl = 0; sl < kServiceLevels; ++sl) {
            unsigned lane = 0;
            line >> lane;
            expected.Set(sl, static_cast<std::uint8_t>(lane));
        }
        EXPECT_EQ(run.lanes().lane_map.RowOf(turn), expected) << text;
        ++compared;
    }
    EXPECT_GE(compared, 1000U);
}

INSTANTIATE_TEST_SUITE_P(Recorded, TorusMaps,
                         ::testing::ValuesIn(testing::GoldenCasesWith(kFolder,
                                                                      "opensm-sl2vl.dump")),
                         NameOf);

}  // namespace
}  // namespace ember
