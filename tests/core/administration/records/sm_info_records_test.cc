// SPDX-License-Identifier: Apache-2.0
// EmberSM: SMInfoRecords: the subnet managers, without their keys.
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "core/administration/records/subnet_records.h"
#include "tests/core/administration/records/told_records.h"

namespace ember {
namespace {

using testing::As;
using testing::FindsByEachComponent;
using testing::kLid;
using testing::LidsOf;
using testing::Naming;
using testing::RecordNet;
using testing::Told;

class ListedManagers final : public Managers {
public:
    [[nodiscard]] std::size_t manager_count() const override { return infos.size(); }
    [[nodiscard]] SmInfo manager(std::size_t at) const override { return infos[at]; }
    std::vector<SmInfo> infos;
};

SmInfo Manager(Guid guid, std::uint8_t priority, SmState state) {
    SmInfo info;
    info.Set(SmInfo::kGuid, guid);
    info.Set(SmInfo::kSmKey, std::uint64_t{0xABCD});
    info.Set(SmInfo::kActCount, std::uint32_t{77});
    info.Set(SmInfo::kPriority, priority);
    info.Set(SmInfo::kSmState, state);
    return info;
}

TEST(SmInfoRecords, TellWhoManagesTheSubnetButNotTheirKeys) {
    RecordNet net;
    ListedManagers managers;
    managers.infos = {Manager(net.port(0, 1).guid, 5, SmState::kMaster), SmInfo{},
                      Manager(net.port(2, 1).guid, 3, SmState::kStandby),
                      Manager(Guid{0x999}, 15, SmState::kStandby)};  // This SM has left the subnet.
    SmInfoRecords source(net.view(), managers);
    const Told told = net.Ask(source, 0, {}, 1);
    ASSERT_EQ(told.records.size(), 2U);
    const auto first = As<SmInfoRecord>(told.records[0]);
    const auto info = Take<SmInfo>(first, SmInfoRecord::kSmInfo);
    EXPECT_EQ(first.Get(SmInfoRecord::kLid), net.port(0, 1).lid);
    EXPECT_EQ(info.Get(SmInfo::kSmKey), 0U);
    EXPECT_EQ(info.Get(SmInfo::kActCount), 77U);
    EXPECT_EQ(info.Get(SmInfo::kPriority), 5);
    EXPECT_EQ(info.Get(SmInfo::kSmState), SmState::kMaster);
    EXPECT_EQ(LidsOf(told)[1], net.port(2, 1).lid);
    FindsByEachComponent(net, source, SmInfoRecord::kComponents, {kLid});
    EXPECT_EQ(LidsOf(net.Ask(source, 1, Naming(net.port(2, 1).lid))),
              std::vector<Lid>{net.port(2, 1).lid});
    EXPECT_TRUE(net.Ask(source, 1, Naming(net.port(1, 1).lid)).records.empty());
    net.fabric().GiveLids(net.at(2, 1), kNoLid, 0);
    EXPECT_EQ(net.AskAll(source).records.size(), 1U);
}

}  // namespace
}  // namespace ember
