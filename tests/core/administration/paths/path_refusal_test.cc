// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rule by which there is no path, and what decided about one that there is.
#include "core/administration/paths/path_refusal.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/core/administration/paths/path_records_fixture.h"

namespace ember::testing {
namespace {

class PathRefusals : public PathRecordsTest {
protected:
    [[nodiscard]] PathEnds Ends(std::uint32_t from, std::uint32_t to) {
        return {.source = net_.fabric().IndexOf(Host(from)),
                .source_lid = Host(from).lid,
                .destination = net_.fabric().IndexOf(Host(to)),
                .destination_lid = Host(to).lid,
                .source_guid = Host(from).guid,
                .destination_guid = Host(to).guid};
    }
    /// The refusal of Decide(); Make() agrees, and makes a record if and only if nothing refuses.
    PathRefusal Decide(const PathWish& wish, std::uint32_t from = 0, std::uint32_t to = 4) {
        net_.maker().Refresh();
        const PathRefusal refusal = net_.maker().Decide(wish, Ends(from, to), decision_);
        PathRecord record;
        EXPECT_EQ(net_.maker().Make(wish, Ends(from, to), record), refusal);
        EXPECT_EQ(record.Get(PathRecord::kDlid),
                  refusal == PathRefusal::kNone ? Host(to).lid : kNoLid);
        return refusal;
    }

    PathDecision decision_;
};

TEST_F(PathRefusals, NameTheValueThatCannotBeHad) {
    EXPECT_EQ(Decide({}), PathRefusal::kNone);
    EXPECT_EQ(decision_.values.mtu, Mtu::k4096);
    EXPECT_EQ(decision_.record_rate, Rate::k10Gb);
    EXPECT_EQ(decision_.p_key, kDefaultPKey);
    EXPECT_EQ(decision_.sl_origin, SlOrigin::kDefault);
    EXPECT_EQ(Decide({.rate = {true, Selector::kExactly, Rate::k20Gb}}), PathRefusal::kRate);
    EXPECT_EQ(Decide({.life_time = {true, Selector::kBelow, 0}}), PathRefusal::kLifeTime);
    EXPECT_EQ(Decide({.has_p_key = true, .p_key = 0x8005}), PathRefusal::kPKeyNotShared);
    net_.port(3, 4).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    net_.port(3, 5).info.Set(PortInfo::kMtuCap, Mtu::k1024);
    EXPECT_EQ(Decide({.mtu = {true, Selector::kExactly, Mtu::k2048}}), PathRefusal::kMtu);
    EXPECT_EQ(Decide({.mtu = {true, Selector::kExactly, Mtu::k512}}), PathRefusal::kNone);
    EXPECT_EQ(decision_.links.mtu, Mtu::k1024);
    EXPECT_EQ(decision_.values.mtu, Mtu::k512);
}

TEST_F(PathRefusals, NameTablesThatLeadNowhereAndWaysBackThatDo) {
    net_.exit(6, Host(4).lid) = 255;
    EXPECT_EQ(Decide({}), PathRefusal::kUnrouted);
    net_.exit(6, Host(4).lid) = 1;
    net_.exit(3, Host(0).lid) = 255;
    EXPECT_EQ(Decide({}), PathRefusal::kNone);
    EXPECT_FALSE(decision_.reversible);
    EXPECT_EQ(Decide({.reversible = true}), PathRefusal::kNotReversible);
}

TEST_F(PathRefusals, NameServiceLevelsThatAreDropped) {
    net_.settings().qos = true;
    auto& map = net_.settings().lanes[static_cast<std::size_t>(LanePorts::kAny)].sl_to_vl;
    for (std::uint8_t sl = 0; sl < kSlToVlEntries; ++sl) {
        ASSERT_EQ(map.TryPush(sl == 4 ? std::uint8_t{15} : std::uint8_t{0}), Status::kOk);
    }
    EXPECT_EQ(Decide({.has_sl = true, .sl = 4}), PathRefusal::kSlDropped);
    EXPECT_EQ(Decide({.has_sl = true, .sl = 3}), PathRefusal::kNone);
    EXPECT_EQ(decision_.sl_origin, SlOrigin::kQuestion);
}

TEST_F(PathRefusals, LinksFollowTheTablesOneByOne) {
    const PortIndex to = net_.fabric().IndexOf(Host(4));
    const Lid lid = Host(4).lid;
    std::vector<unsigned> exits;
    PortIndex at = net_.fabric().IndexOf(Host(0));
    Paths::Link link;
    for (int i = 0; i < 9 && net_.maker().LinkFrom(at, to, lid, link); ++i) {
        exits.push_back(Raw(net_.fabric().port(link.exit).number));
        EXPECT_EQ(net_.fabric().port(link.exit).peer, link.entry);
        EXPECT_EQ(link.mtu, Mtu::k4096);
        EXPECT_EQ(link.rate, Rate::k10Gb);
        at = link.entry;
    }
    EXPECT_EQ(at, to);
    EXPECT_EQ(exits, (std::vector<unsigned>{1, net_.exit(3, lid), 1}));
    // To port 0 of a switch there is no link behind the last one.
    const PortIndex home = net_.fabric().IndexOf(Host(6));
    EXPECT_FALSE(net_.maker().LinkFrom(home, home, Host(6).lid, link));
    net_.exit(3, lid) = 255;
    EXPECT_FALSE(net_.maker().LinkFrom(net_.fabric().IndexOf(net_.port(3, 1)), to, lid, link));
}

}  // namespace
}  // namespace ember::testing
