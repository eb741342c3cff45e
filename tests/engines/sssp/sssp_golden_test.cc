// SPDX-License-Identifier: Apache-2.0
// EmberSM: sssp against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet.
// Method: tests/golden/sssp holds netlists with the LIDs and tables of `opensm -R sssp` on ibsim
//         (tests/golden/record.py). Netlist, LIDs and options go in, tables are compared.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "engines/sssp/sssp.h"
#include "tests/support/routing_golden.h"

namespace ember {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "sssp";

class SsspGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(SsspGolden, MakesTheTablesOfOpensm) {
    Sssp engine;
    testing::ExpectGoldenTables(testing::ReadGolden(kFolder, GetParam()), engine);
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, SsspGolden, ::testing::ValuesIn(testing::GoldenCases(kFolder)),
                         NameOf);

}  // namespace
}  // namespace ember
