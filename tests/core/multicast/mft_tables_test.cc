// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is known of multicast tables that are empty.
#include "core/multicast/mft_tables.h"

#include <gtest/gtest.h>

#include "config/netlist/topologies.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/multicast_store.h"

namespace ember {
namespace {

constexpr SwitchIndex kSwitch{0};

class MftTablesTest : public ::testing::Test {
protected:
    MftTablesTest() : built_(net::FatTree2(4)), store_(built_.limits()) {
        EXPECT_FALSE(tables().Fit(built_.fabric()));
    }
    MftTables& tables() { return store_.tables(); }
    [[nodiscard]] std::size_t Block(std::size_t number) {
        return tables().BlockAt(number, tables().run(kSwitch).first);
    }
    [[nodiscard]] std::size_t LastNumber() { return tables().block_num_count() - 1; }
    /// All blocks of the switch are known, or none is.
    void ExpectKnown(bool is_known) {
        for (std::size_t number = 0; number <= LastNumber(); ++number) {
            EXPECT_EQ(tables().IsKnown(Block(number)), is_known) << number;
        }
    }
    /// A mask in the last block of the switch.
    void WantLast(std::uint16_t mask) {
        const auto mlid = static_cast<MlidIndex>(LastNumber() * MftTables::kEntries);
        tables().Want(mlid, tables().run(kSwitch).first, mask);
    }

    testing::BuiltFabric built_;
    testing::MftStore store_;
};

TEST_F(MftTablesTest, BlocksThatWereNeverUsedAreKnownAndForgottenToo) {
    ExpectKnown(false);
    tables().LearnEmpty(kSwitch);
    ExpectKnown(true);
    EXPECT_EQ(tables().NextDifference(0), tables().block_bound());
    tables().ForgetSwitch(kSwitch);
    ExpectKnown(false);
    EXPECT_EQ(tables().NextDifference(0), tables().block_bound());
}

TEST_F(MftTablesTest, WhatIsWantedDiffersFromATableThatIsKnownToBeEmpty) {
    WantLast(0x0006);
    EXPECT_EQ(tables().NextDifference(0), Block(LastNumber())) << "to be read";
    tables().LearnEmpty(kSwitch);
    EXPECT_EQ(tables().NextDifference(0), Block(LastNumber())) << "to be written";
    WantLast(0);
    EXPECT_EQ(tables().NextDifference(0), tables().block_bound());
}

/// A switch that was reset has lost what was written.
TEST_F(MftTablesTest, AnEmptyTableTakesThePlaceOfWhatWasWritten) {
    MftTables::Block content{};
    content[0] = 0x0006;
    WantLast(0x0006);
    tables().Learn(Block(LastNumber()), content);
    EXPECT_EQ(tables().NextDifference(0), tables().block_bound());
    tables().LearnEmpty(kSwitch);
    EXPECT_EQ(tables().programmed(Block(LastNumber())), MftTables::Block{});
    EXPECT_EQ(tables().NextDifference(0), Block(LastNumber()));
}

}  // namespace
}  // namespace ember
