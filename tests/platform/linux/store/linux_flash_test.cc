// SPDX-License-Identifier: Apache-2.0
// EmberSM: MTD, block devices and plain files are told apart, used with care, and by one process.
#include "platform/linux/store/linux_flash.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/flash_kernel.h"

namespace ember::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LinuxFlashFile : public ::testing::Test {
protected:
    LinuxFlashFile() {
        std::string pattern = fs::temp_directory_path() / "ember-flash-XXXXXX";
        root_ = mkdtemp(pattern.data());
        path_ = root_ / "flash";
    }
    ~LinuxFlashFile() override { fs::remove_all(root_); }

    void Make(std::uintmax_t bytes) const {
        std::ofstream{path_}.close();
        fs::resize_file(path_, bytes);
    }

    fs::path root_;
    std::string path_;
};

TEST_F(LinuxFlashFile, IsReadWrittenAndErasedWhereItWasToldTo) {
    Make(5 * 16384);
    {
        LinuxFlash flash;
        ASSERT_EQ(flash.Open({path_, 16384, 3 * 16384}), "");
        EXPECT_EQ(flash.geometry().erase_bytes, 16384U);
        EXPECT_EQ(flash.geometry().program_bytes, 4096U);
        EXPECT_EQ(flash.geometry().sectors, 3U);
        EXPECT_EQ(flash.geometry().erased, std::byte{0});
        std::vector<std::byte> octets(8192, std::byte{0x5A});
        ASSERT_EQ(flash.Program(4096, octets), Status::kOk);
        ASSERT_EQ(flash.Program(16384, octets), Status::kOk);
        ASSERT_EQ(flash.Erase(1), Status::kOk);
        ASSERT_EQ(flash.Flush(), Status::kOk);
        std::vector<std::byte> read(10);
        ASSERT_EQ(flash.Read(4095, read), Status::kOk);
        EXPECT_EQ(read[0], std::byte{0});
        EXPECT_EQ(read[1], std::byte{0x5A});
        EXPECT_EQ(flash.Read(4 * 16384 - 5, read), Status::kDevice) << "past the end of the file";
    }
    std::ifstream file(path_, std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    ASSERT_EQ(all.size(), 5 * 16384U);
    EXPECT_EQ(std::count(all.begin(), all.end(), 'Z'), 8192);
    EXPECT_EQ(all.find('Z'), 16384U + 4096U);
}

TEST_F(LinuxFlashFile, TakesAllOfAFileButWhatIsNoWholeSector) {
    Make(3 * 16384 + 5);
    LinuxFlash flash;
    ASSERT_EQ(flash.Open({path_}), "");
    EXPECT_EQ(flash.geometry().sectors, 3U);
}

TEST_F(LinuxFlashFile, BelongsToOneAtATimeAndItsPartsToOneEach) {
    Make(4 * 16384);
    LinuxFlash front;
    ASSERT_EQ(front.Open({path_, 0, 2 * 16384}), "");
    EXPECT_THAT(LinuxFlash().Open({path_}), HasSubstr("is in use by another process"));
    EXPECT_THAT(LinuxFlash().Open({path_, 16384, 16384}), HasSubstr("in use"));
    LinuxFlash back;
    EXPECT_EQ(back.Open({path_, 2 * 16384, 2 * 16384}), "");
}

TEST_F(LinuxFlashFile, SaysWhyAPartWillNotDo) {
    Make(4 * 16384);
    const auto refusal = [&](std::uint64_t offset, std::uint64_t bytes) {
        return LinuxFlash().Open({path_, offset, bytes});
    };
    EXPECT_THAT(refusal(5 * 16384, 16384), HasSubstr("has 65536 octets: the part named is not"));
    EXPECT_THAT(refusal(5 * 16384, 0), HasSubstr("is not inside"));
    EXPECT_THAT(refusal(3 * 16384, 2 * 16384), HasSubstr("is not inside"));
    EXPECT_THAT(refusal(16384, ~std::uint64_t{0}), HasSubstr("is not inside"));
    EXPECT_THAT(refusal(4096, 16384), HasSubstr("must begin and end with one"));
    EXPECT_THAT(refusal(0, 4096), HasSubstr("must begin and end with one"));
    EXPECT_THAT(refusal(4 * 16384, 0), HasSubstr("no whole sector"));
    EXPECT_THAT(LinuxFlash().Open({root_}), HasSubstr("is no device and no file"));
    EXPECT_THAT(LinuxFlash().Open({root_ / "missing"}), HasSubstr("No such file"));
    EXPECT_THAT(LinuxFlash().Open({"/dev/null"}), HasSubstr("is no memory technology device"));
    fs::resize_file(path_, LinuxFlash::kMaxBytes + 16384);  // Without a block on the disk.
    EXPECT_THAT(refusal(0, 0), HasSubstr("larger than 1 GiB"));
    EXPECT_EQ(refusal(LinuxFlash::kMaxBytes, 16384), "");
}

TEST(LinuxFlashMtd, IsUsedByItsOwnSectorsAndUnits) {
    NorFlash chip(8);
    EmulatedKernel kernel(chip, FlashKind::kMtd);
    kernel.is_halting = true;
    LinuxFlash flash(kernel);
    ASSERT_EQ(flash.Open({"/dev/mtd3", 4096, 6 * 4096}), "");
    EXPECT_EQ(flash.geometry().erase_bytes, 4096U);
    EXPECT_EQ(flash.geometry().program_bytes, 16U);
    EXPECT_EQ(flash.geometry().sectors, 6U);
    EXPECT_EQ(flash.geometry().erased, std::byte{0xFF});
    EXPECT_EQ(kernel.unlocked.start, 4096U);
    EXPECT_EQ(kernel.unlocked.length, 6 * 4096U);
    ASSERT_EQ(flash.Erase(5), Status::kOk);
    EXPECT_EQ(chip.erasures(6), 1U);
    const std::vector<std::byte> octets(32, std::byte{7});
    ASSERT_EQ(flash.Program(5 * 4096 + 16, octets), Status::kOk);
    std::vector<std::byte> read(32);
    ASSERT_EQ(flash.Read(5 * 4096 + 16, read), Status::kOk);
    EXPECT_EQ(read, octets);
    EXPECT_EQ(flash.Flush(), Status::kOk);
    chip.CutAt(1, 1);
    EXPECT_EQ(flash.Erase(0), Status::kDevice);
    EXPECT_EQ(flash.Program(0, octets), Status::kDevice);
    EXPECT_EQ(flash.Read(0, read), Status::kDevice);
}

TEST(LinuxFlashMtd, IsRefusedWhenItCannotBeUsed) {
    NorFlash chip(8);
    const auto refusal = [&](const auto& change) {
        EmulatedKernel kernel(chip, FlashKind::kMtd);
        change(kernel);
        return LinuxFlash(kernel).Open({"/dev/mtd3"});
    };
    EXPECT_EQ(refusal([](EmulatedKernel&) {}), "");
    EXPECT_EQ(refusal([](EmulatedKernel& kernel) { kernel.info.writesize = 1; }), "");
    EXPECT_THAT(refusal([](EmulatedKernel& kernel) { kernel.info.type = MTD_NANDFLASH; }),
                HasSubstr("raw NAND"));
    EXPECT_THAT(refusal([](EmulatedKernel& kernel) { kernel.info.type = MTD_MLCNANDFLASH; }),
                HasSubstr("raw NAND"));
    EXPECT_THAT(refusal([](EmulatedKernel& kernel) { kernel.info.flags = 0; }),
                HasSubstr("cannot be written"));
    EXPECT_THAT(refusal([](EmulatedKernel& kernel) { kernel.kinds_of_sectors = 2; }),
                HasSubstr("sectors of several sizes"));
    for (const std::uint32_t unit : {3U, 8192U}) {
        EXPECT_THAT(refusal([&](EmulatedKernel& kernel) { kernel.info.writesize = unit; }),
                    HasSubstr("cannot be used"));
    }
    for (const std::uint32_t sector : {0U, 256U, 4097U}) {
        EXPECT_THAT(refusal([&](EmulatedKernel& kernel) { kernel.info.erasesize = sector; }),
                    HasSubstr("cannot be used"));
    }
    EXPECT_EQ(chip.writes(), 0U);
}

}  // namespace
}  // namespace ember::testing
