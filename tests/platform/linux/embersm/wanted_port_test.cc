// SPDX-License-Identifier: Apache-2.0
// EmberSM: which port is wanted: by the command line, by the key `guid`, or any.
#include "platform/linux/embersm/wanted_port.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_store.h"
#include "tests/platform/linux/configuration/blobs.h"
#include "tests/support/sim_world.h"

namespace ember::test {
namespace {

using ::testing::HasSubstr;

class WantedPort : public ::testing::Test {
protected:
    WantedPort() {
        std::string pattern = ::testing::TempDir() + "wanted.XXXXXX";
        folder_ = mkdtemp(pattern.data());
        options_.public_key = folder_ + "/key";
        std::ofstream(options_.public_key) << TrustedKeyPem();
    }
    ~WantedPort() override { std::filesystem::remove_all(folder_); }
    void Supply(const std::vector<std::byte>& blob) {
        options_.blob = folder_ + "/blob";
        std::ofstream file(options_.blob, std::ios::binary);
        for (const std::byte octet : blob) {
            file.put(static_cast<char>(octet));
        }
    }
    std::string Find() {
        Settings settings;
        return FindPortWish(options_, store_, memory_->room(), settings, wish_);
    }

    static constexpr std::size_t kBytes = std::size_t{16} * 1024;
    std::string folder_;
    Options options_;
    sim::SimStore store_;
    std::unique_ptr<ConfigurationMemory<kBytes>> memory_ =
        std::make_unique<ConfigurationMemory<kBytes>>();
    PortWish wish_;
};

TEST_F(WantedPort, IsAnyWhenNobodySaysOtherwise) {
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, kNoGuid);
    Supply(BlobOfConf("lmc 1\n", 5));
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, kNoGuid);
}

TEST_F(WantedPort, IsThatOfTheKeyUnlessTheCommandLineNamesOne) {
    Supply(BlobOfConf("guid 0x1234\n", 5));
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, Guid{0x1234});
    EXPECT_TRUE(wish_.is_of_key);
    options_.guid = Guid{0x99};
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, Guid{0x99});
    EXPECT_FALSE(wish_.is_of_key);
}

TEST_F(WantedPort, IsFoundWithoutWritingAnything) {
    Supply(BlobOfConf("guid 0x1234\n", 5));
    EXPECT_EQ(Find(), "");
    std::array<std::byte, 64> octets{};
    for (const StoreSlot slot : {StoreSlot::kConfigurationCounter, StoreSlot::kConfigurationBlob,
                                 StoreSlot::kConfigurationOther, StoreSlot::kConfigurationTrial}) {
        EXPECT_EQ(store_.Load(slot, octets).status(), Status::kAbsent);
    }
}

TEST_F(WantedPort, IsThatOfTheStoredConfigurationWhenNoneIsSupplied) {
    Supply(BlobOfConf("guid 0x1234\n", 5));
    Settings settings;
    ConfigurationReport report;
    EXPECT_EQ(
        Configure({options_.blob, options_.public_key}, store_, memory_->room(), settings, report),
        "");
    EXPECT_EQ(ConfirmConfiguration(5, store_), Status::kOk);
    options_.blob.clear();
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, Guid{0x1234});
}

TEST_F(WantedPort, IsThatOfTheLastGoodOneAtTheStartThatGivesATrialUp) {
    const auto start = [&] {
        Settings settings;
        ConfigurationReport report;
        return Configure({options_.blob, options_.public_key}, store_, memory_->room(), settings,
                         report);
    };
    Supply(BlobOfConf("guid 0x11\n", 5));
    EXPECT_EQ(start(), "");
    EXPECT_EQ(ConfirmConfiguration(5, store_), Status::kOk);
    Supply(BlobOfConf("guid 0x1234\n", 6));
    for (int i = 0; i < kMaxTrialStarts; ++i) {
        EXPECT_EQ(Find(), "");
        EXPECT_EQ(wish_.guid, Guid{0x1234});
        EXPECT_EQ(start(), "");
    }
    EXPECT_EQ(Find(), "");
    EXPECT_EQ(wish_.guid, Guid{0x11});
}

TEST_F(WantedPort, IsNotFoundInABlobThatIsRefused) {
    std::vector<std::byte> forged = BlobOfConf("guid 0x1234\n", 5);
    forged[forged.size() / 2] ^= std::byte{1};
    Supply(forged);
    EXPECT_THAT(Find(), HasSubstr("is refused"));
}

TEST(ExplainNoPort, SaysWhichPortsThereAre) {
    const std::vector<Guid> few = {Guid{0x11}, Guid{0x12}};
    EXPECT_EQ(ExplainNoPort(Guid{0x99}, few),
              "no port with port GUID 0x0000000000000099; there is 0x0000000000000011, "
              "0x0000000000000012");
    EXPECT_THAT(ExplainNoPort(Guid{0x99}, std::vector<Guid>(20, Guid{7})),
                HasSubstr("and 12 more"));
}

TEST(FabricSim, SeatsAManagerByItsPortGuidOrNot) {
    sim::FabricSim sim(net::FatTree2(4));
    const std::vector<Guid> there = sim.EndPorts();
    EXPECT_EQ(there.size(), 8U + 6U) << "hosts, and port 0 of switches";
    for (const Guid guid : there) {
        sim::Attachment* const seat = sim.AttachAt(guid);
        ASSERT_NE(seat, nullptr);
        EXPECT_EQ(sim.world().port(seat->row()).guid, guid);
    }
    EXPECT_EQ(sim.AttachAt(Guid{0x1234}), nullptr);
}

}  // namespace
}  // namespace ember::test
