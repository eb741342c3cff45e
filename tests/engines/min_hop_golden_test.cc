// SPDX-License-Identifier: Apache-2.0
// EmberSM: min-hop against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet.
// Method: tests/golden/minhop holds netlists with the LIDs and tables of `opensm -R minhop` on
//         ibsim (tests/golden/record.py). Netlist, LIDs and options go in, tables are compared.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "engines/min_hop.h"
#include "tests/support/routing_golden.h"

namespace ember {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "minhop";

class MinHopGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(MinHopGolden, MakesTheTablesOfOpensm) {
    MinHop min_hop;
    testing::ExpectGoldenTables(testing::ReadGolden(kFolder, GetParam()), min_hop);
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, MinHopGolden, ::testing::ValuesIn(testing::GoldenCases(kFolder)),
                         NameOf);

}  // namespace
}  // namespace ember
