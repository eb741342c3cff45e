// SPDX-License-Identifier: Apache-2.0
// EmberSM: which tables of devices are asked for, and how often.

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <tuple>
#include <vector>

#include "tests/core/administration/records/device_records_harness.h"

namespace ember {
namespace {

using testing::As;
using testing::DeviceRecordsTest;
using testing::kNoSuchTable;
using testing::Told;

TEST_F(DeviceRecordsTest, TablesAreAskedForAheadOfTheirTurn) {
    int rounds = 0;
    const Told told = net_.Ask(lanes_, 0, {}, 1000, [&] {
        ++rounds;
        Serve();
    });
    EXPECT_EQ(told.records.size(), 136U);
    EXPECT_LE(rounds, 20);
    EXPECT_EQ(devices_.sent.size(), 136U);  // Nothing was asked for twice.
}

TEST_F(DeviceRecordsTest, AnAnswerServesForAWhileAndNoLonger) {
    SlToVlMappingTableRecord asked;
    asked.Set(SlToVlMappingTableRecord::kLid, net_.port(6, 1).lid);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(devices_.sent.size(), 1U);
    now_us_ += DeviceTables::kFreshUs + 1000;
    tables_.Step(now_us_);
    EXPECT_EQ(Ask(lanes_, 1, asked.octets()).records.size(), 1U);
    EXPECT_EQ(devices_.sent.size(), 2U);
}

TEST_F(DeviceRecordsTest, ARowOfAnotherNodeByNowIsNotBelieved) {
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kSlToVlMappingTable, 0};
    SmpData data{};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    Serve();
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTable);
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1234};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1235};  // Gone before it was asked.
    Serve();
    net_.fabric().node(net_.built().node(6)).guid = Guid{0x1234};
    EXPECT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kSilent);
}

TEST_F(DeviceRecordsTest, ARowOfAnotherPortOfTheNodeByNowIsNotBelieved) {
    const DeviceTables::Key key{net_.at(3, 2), AttributeId::kPKeyTable, 0};
    SmpData data{};
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    Serve();
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTable);
    net_.port(3, 2).number = PortNumber{3};  // As when the fabric's rows are moved together.
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
}

/// For a second somebody wants all that there is room for, and all is answered at once.
class DeviceFlood : public DeviceRecordsTest {
protected:
    void Want(bool beside_others) {
        constexpr std::uint64_t kStepUs = 250;
        std::vector<DeviceTables::Key> wanted;
        std::uint32_t next = 0;
        for (std::uint64_t passed_us = 0; passed_us < 1'000'000; passed_us += kStepUs) {
            while (wanted.size() < DeviceTables::kRows) {
                const std::uint32_t at = next % 2 == 0 ? 3 : 5;
                wanted.push_back({net_.at(at, 0), AttributeId::kSlToVlMappingTable, next++});
            }
            SmpData data{};
            std::erase_if(wanted, [&](const DeviceTables::Key& key) {
                return tables_.Look(key, data) != DeviceTables::Word::kLater;
            });
            if (beside_others) PostForOthers();
            const std::size_t before = devices_.sent.size();
            now_us_ += kStepUs;
            tables_.Step(now_us_);
            asked_ += devices_.sent.size() - before;
            at_once_ = std::max(at_once_, devices_.sent.size() - before);
            EXPECT_GE(tables_.NextDeadlineUs(), now_us_);
            devices_.AnswerAll(exchange_, now_us_, [this](const Answer& answer) {
                if (answer.cookie.client == kAdministrationClient) tables_.Hear(answer, now_us_);
            });
        }
    }
    void PostForOthers() {
        ember::Ask ask;
        EXPECT_EQ(net_.fabric().PathTo(net_.at(3, 0), ask.path), Status::kOk);
        ask.method = Method::kGet;
        ask.attribute = AttributeId::kNodeInfo;
        ask.cookie.client = Client{2};
        exchange_.Post(ask, now_us_);
    }

    std::size_t asked_ = 0;
    std::size_t at_once_ = 0;
};

TEST_F(DeviceFlood, HoweverMuchIsWantedOnlySoMuchIsAsked) {
    Want(false);
    EXPECT_EQ(at_once_, DeviceTables::kAtOnce);
    EXPECT_LE(asked_, DeviceTables::kPerSecond * 11 / 10);
    EXPECT_GE(asked_, DeviceTables::kPerSecond * 9 / 10);
}

TEST_F(DeviceFlood, WhileOthersAskItKeepsBack) {
    Want(true);
    EXPECT_EQ(at_once_, DeviceTables::kBesideOthers);
    EXPECT_LE(asked_, DeviceTables::kPerSecondBesideOthers * 11 / 10);
    EXPECT_GE(asked_, DeviceTables::kPerSecondBesideOthers * 9 / 10);
}

TEST_F(DeviceRecordsTest, OneDeviceIsAskedForFewTablesAtOnce) {
    SmpData data{};
    for (std::uint32_t i = 0; i < 20; ++i) {
        static_cast<void>(tables_.Look({net_.at(6, 1), AttributeId::kPKeyTable, i}, data));
    }
    tables_.Step(++now_us_);
    EXPECT_EQ(devices_.sent.size(), DeviceTables::kAtOnceOfHost);
    for (std::uint32_t i = 0; i < 20; ++i) {
        static_cast<void>(tables_.Look({net_.at(3, 0), AttributeId::kSlToVlMappingTable, i}, data));
    }
    tables_.Step(++now_us_);
    EXPECT_EQ(devices_.sent.size(), DeviceTables::kAtOnceOfHost + DeviceTables::kAtOnceOfSwitch);
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0}) << "answers wake us";
}

// M8 of the hostile review: 2,048 blocks, and every question under way for a host that is silent.
TEST_F(DeviceRecordsTest, AHostThatClaimsManyKeysAndIsSilentIsLeftAloneAfterAFew) {
    net_.fabric().node(net_.built().node(6)).partition_cap = 0xFFFF;
    devices_.silent = net_.at(6, 1);
    net_.trusted = true;
    PKeyTableRecord asked;
    asked.Set(PKeyTableRecord::kLid, net_.port(6, 1).lid);
    const auto serve = [this] {
        now_us_ += 50'000;
        Serve();
        // Others are served meanwhile.
        SmpData data{};
        const DeviceTables::Key other{net_.at(3, 0), AttributeId::kPKeyTable,
                                      static_cast<std::uint32_t>(now_us_ / 1000)};
        EXPECT_EQ(tables_.Look(other, data), DeviceTables::Word::kLater);
        Serve();
        EXPECT_EQ(tables_.Look(other, data), DeviceTables::Word::kTable);
    };
    EXPECT_TRUE(net_.Ask(keys_, 1, asked.octets(), 1000, serve).records.empty());
    EXPECT_EQ(exchange_.statistics().given_up, DeviceTables::kAtOnceOfHost);
    EXPECT_LT(now_us_, 5'000'000U);
    // A client that asks again soon is answered at once; later the device is asked again.
    const std::size_t sent = devices_.sent.size();
    EXPECT_TRUE(net_.Ask(keys_, 1, asked.octets()).records.empty());
    EXPECT_EQ(devices_.sent.size(), sent);
    devices_.silent = kNoPortIndex;
    now_us_ += DeviceTables::kSilenceUs;
    Serve();
    EXPECT_EQ(Ask(keys_, 1, asked.octets()).records.size(), 32U) << "1,024 keys, and no more";
}

TEST_F(DeviceRecordsTest, WhoFindsNoRowIsWokenWhenRowsHaveAged) {
    SmpData data{};
    const auto key = [this](std::uint32_t i) {
        return DeviceTables::Key{net_.at(3, 0), AttributeId::kSlToVlMappingTable, i};
    };
    for (std::uint32_t i = 0; i < DeviceTables::kRows; ++i) {
        EXPECT_EQ(tables_.Look(key(i), data), DeviceTables::Word::kLater);
    }
    for (int i = 0; i < 100; ++i) {
        Serve();  // All are answered, and no client asks again.
    }
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});
    auto word = tables_.Look(key(1000), data);
    for (int i = 0; i < 100 && word == DeviceTables::Word::kLater; ++i) {
        ASSERT_NE(tables_.NextDeadlineUs(), ~std::uint64_t{0});
        now_us_ = tables_.NextDeadlineUs();
        Serve();
        word = tables_.Look(key(1000), data);
    }
    EXPECT_EQ(word, DeviceTables::Word::kTable);
    EXPECT_GT(now_us_, DeviceTables::kFreshUs);
}

TEST_F(DeviceRecordsTest, WantingAheadLeavesRoomForOthers) {
    SmpData data{};
    for (std::uint32_t i = 0; i < 10 * DeviceTables::kRows; ++i) {
        tables_.Want({net_.at(3, 0), AttributeId::kSlToVlMappingTable, i});
    }
    for (std::uint32_t i = 0; i < DeviceTables::kRows / 2; ++i) {
        EXPECT_EQ(tables_.Look({net_.at(5, 0), AttributeId::kSlToVlMappingTable, i}, data),
                  DeviceTables::Word::kLater);
    }
    for (int i = 0; i < 100; ++i)
        Serve();
    for (std::uint32_t i = 0; i < DeviceTables::kRows / 2; ++i) {
        EXPECT_EQ(tables_.Look({net_.at(5, 0), AttributeId::kSlToVlMappingTable, i}, data),
                  DeviceTables::Word::kTable);
    }
}

TEST_F(DeviceRecordsTest, AFullWindowIsWaitedFor) {
    Settings narrow = net_.settings();
    narrow.max_wire_smps = 1;
    narrow.max_smps_timeout = 0xFFFFFFFF;
    exchange_.Configure(narrow);
    SmpData data{};
    for (std::uint32_t i = 0; i < 3; ++i) {
        static_cast<void>(tables_.Look({net_.at(3, 0), AttributeId::kPKeyTable, i}, data));
    }
    tables_.Step(++now_us_);
    EXPECT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});  // The answer wakes us.
}

TEST_F(DeviceRecordsTest, NoDeviceIsAskedWhileOurOwnPortIsNotKnown) {
    SmpData data{};
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kPKeyTable, 0};
    const PortIndex own = net_.fabric().own_port();
    net_.fabric().SetOwnPort(kNoPortIndex);  // As at the beginning of each sweep.
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    tables_.Step(++now_us_);
    EXPECT_TRUE(devices_.sent.empty());
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});  // The sweep wakes us.
    net_.fabric().SetOwnPort(own);
    Serve();
    EXPECT_EQ(devices_.sent.size(), 1U);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kTable);
}

TEST_F(DeviceRecordsTest, WhoWaitsForADeviceThatCannotBeReachedIsWoken) {
    SmpData data{};
    const DeviceTables::Key key{net_.at(6, 1), AttributeId::kPKeyTable, 0};
    net_.fabric().Disconnect(key.port);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kLater);
    tables_.Step(++now_us_);
    EXPECT_TRUE(devices_.sent.empty());
    EXPECT_LE(tables_.NextDeadlineUs(), now_us_ + 100'000);
    EXPECT_EQ(tables_.Look(key, data), DeviceTables::Word::kSilent);
    tables_.Step(++now_us_);
    EXPECT_EQ(tables_.NextDeadlineUs(), ~std::uint64_t{0});
}

}  // namespace
}  // namespace ember
