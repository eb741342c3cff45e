// SPDX-License-Identifier: Apache-2.0
// EmberSM: dimension order routing against what OpenSM 3.3.23 made of the same fabrics.
//
// Goal:   under Order::kOpensm the forwarding tables are OpenSM's, octet for octet.
// Method: tests/golden/dor holds netlists with the LIDs and tables of `opensm -R dor` on ibsim
//         (tests/golden/record.py). Netlist, LIDs and options go in, tables are compared.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "engines/dor.h"
#include "tests/support/routing_golden.h"

namespace ember {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(EMBER_SOURCE_DIR) / "tests" / "golden" / "dor";

class DorGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(DorGolden, MakesTheTablesOfOpensm) {
    Dor dor;
    testing::ExpectGoldenTables(testing::ReadGolden(kFolder, GetParam()), dor);
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
    return testing::GoldenName(info.param);
}

INSTANTIATE_TEST_SUITE_P(Recorded, DorGolden, ::testing::ValuesIn(testing::GoldenCases(kFolder)),
                         NameOf);

}  // namespace
}  // namespace ember
