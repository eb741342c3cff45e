// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that are read whole are files.
#include "platform/linux/system/files.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

namespace ember {
namespace {

using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
protected:
    FilesTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "ember-files-XXXXXX";
        folder_ = mkdtemp(pattern.data());
    }
    ~FilesTest() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string Read(const std::filesystem::path& path) {
        return ReadWhole(path, "the blob", room_, octets_);
    }

    std::filesystem::path folder_;
    std::array<std::byte, 64> room_{};
    std::size_t octets_ = 0;
};

TEST_F(FilesTest, AFileIsReadAlsoThroughALink) {
    std::ofstream(folder_ / "file") << "text";
    std::filesystem::create_symlink("file", folder_ / "link");
    EXPECT_EQ(Read(folder_ / "link"), "");
    EXPECT_EQ(octets_, 4U);
}

/// A reload reads files while the subnet is served: none may keep it waiting.
TEST_F(FilesTest, APipeOrADeviceIsNoFile) {
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_THAT(Read(folder_ / "pipe"), HasSubstr("it is no regular file"));
    EXPECT_THAT(Read("/dev/zero"), HasSubstr("it is no regular file"));
    EXPECT_THAT(Read(folder_), HasSubstr("Is a directory"));
    EXPECT_THAT(Read(folder_ / "nothing"), HasSubstr("No such file"));
}

}  // namespace
}  // namespace ember
