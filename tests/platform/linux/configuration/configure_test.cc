// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the configuration that a Linux process starts with.
#include "platform/linux/configuration/configure.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "platform/sim/sim_store.h"
#include "tests/platform/linux/configuration/blobs.h"

namespace ember::test {
namespace {

class ConfigureTest : public testing::Test {
protected:
    static constexpr std::size_t kBytes = std::size_t{16} * 1024;

    void SetUp() override {
        std::string pattern = testing::TempDir() + "configure.XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        key_ = Path("key");
        std::ofstream(key_) << TrustedKeyPem();
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string Path(const std::string& name) const { return folder_ + "/" + name; }

    /// A file with a blob with so many roots in it.
    [[nodiscard]] std::string FileWithRoots(std::uint64_t count) const {
        return FileWith(BlobWithRoots(count, 1));
    }
    [[nodiscard]] std::string FileWith(const std::vector<std::byte>& blob) const {
        const std::string path = Path("blob");
        std::ofstream file(path, std::ios::binary);
        for (const std::byte octet : blob) {
            file.put(static_cast<char>(octet));
        }
        return path;
    }

    std::string Run(const std::string& blob, const ConfigurationRoom& room) {
        return Configure({blob, key_}, store_, room, settings_, report_);
    }

    std::string folder_;
    std::string key_;
    sim::SimStore store_;
    std::unique_ptr<ConfigurationMemory<kBytes>> memory_ =
        std::make_unique<ConfigurationMemory<kBytes>>();
    Settings settings_;
    ConfigurationReport report_;
};

TEST_F(ConfigureTest, PutsTheTablesOfABlobWhereTheyStay) {
    EXPECT_EQ(Run(FileWithRoots(1000), memory_->room()), "");
    EXPECT_EQ(report_.outcome.source, ConfigurationSource::kSupplied);
    ASSERT_EQ(settings_.tables.roots.size(), 1000U);
    EXPECT_EQ(settings_.tables.roots[999], Guid{1000});
}

TEST_F(ConfigureTest, GoesOnWithTheTablesOfTheBlobThatWasKept) {
    EXPECT_EQ(Run(FileWithRoots(7), memory_->room()), "");
    settings_ = {};
    EXPECT_EQ(Run("", memory_->room()), "");
    EXPECT_EQ(report_.outcome.source, ConfigurationSource::kTrial);
    EXPECT_EQ(settings_.tables.roots.size(), 7U);
}

TEST_F(ConfigureTest, SaysHowMuchRoomTablesNeedThatDoNotFit) {
    ConfigurationRoom room = memory_->room();
    room.tables.octets = room.tables.octets.first(1024);
    const std::string sentence = Run(FileWithRoots(1000), room);
    EXPECT_EQ(report_.outcome.supplied.verdict, BlobVerdict::kTooLarge);
    EXPECT_NE(sentence.find("8000 octets of 1024"), std::string::npos) << sentence;
    EXPECT_EQ(settings_, Settings{});
}

/// To go on without them would be to run another fabric than was asked for.
TEST_F(ConfigureTest, TakesLimitsOfBandwidthWhereDevicesTakeThemAndNowhereElse) {
    const std::string blob = FileWith(BlobWithBandwidths(1));
    const std::string sentence = Run(blob, memory_->room());
    EXPECT_EQ(report_.outcome.supplied.verdict, BlobVerdict::kNotEnforceable);
    EXPECT_NE(sentence.find("no device here takes limits"), std::string::npos) << sentence;
    EXPECT_EQ(settings_, Settings{});
    ConfigurationRoom room = memory_->room();
    room.tables.takes_bandwidth = true;
    EXPECT_EQ(Run(blob, room), "");
    ASSERT_EQ(settings_.manager_tables.bandwidth_sets.size(), 1U);
    EXPECT_EQ(settings_.manager_tables.bandwidth_sets[0].rates[1], 50U);
}

TEST_F(ConfigureTest, SaysWhenABlobIsLargerThanTheBoardHolds) {
    const std::string sentence = Run(FileWithRoots(3000), memory_->room());
    EXPECT_NE(sentence.find("is larger than the 16384 octets"), std::string::npos) << sentence;
    EXPECT_EQ(settings_, Settings{});
}

}  // namespace
}  // namespace ember::test
