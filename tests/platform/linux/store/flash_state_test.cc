// SPDX-License-Identifier: Apache-2.0
// EmberSM: a subnet manager's flash on Linux keeps its word, whenever the power goes.
#include "platform/linux/store/flash_state.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/flash_kernel.h"

namespace ember::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Octets = std::vector<std::byte>;

constexpr FlashContents kContents = {
    .lid_octets = 3000, .blob_octets = 20000, .m_key_octets = 2000};
constexpr std::array kSlots = {StoreSlot::kGuidToLid, StoreSlot::kConfigurationCounter,
                               StoreSlot::kConfigurationTrial, StoreSlot::kConfigurationBlob,
                               StoreSlot::kConfigurationOther};
constexpr std::array<std::size_t, 5> kSizes = {2500, 8, 36, 8000, 7000};

Octets Filled(std::size_t size, unsigned seed) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::byte>(seed * 131 + i * 7 + (i >> 8U));
    }
    return octets;
}

std::optional<Octets> Read(Store& store, StoreSlot slot) {
    Octets room(32768);
    const Result<std::size_t> count = store.Load(slot, room);
    if (!count.ok()) return std::nullopt;
    room.resize(count.value());
    return room;
}

class FlashStateCut : public ::testing::TestWithParam<FlashKind> {
protected:
    static std::unique_ptr<FlashEmulator> Make() {
        if (GetParam() == FlashKind::kMtd) return std::make_unique<NorFlash>(16);
        return std::make_unique<EmmcFlash>(12 * 4);
    }
};

INSTANTIATE_TEST_SUITE_P(Each, FlashStateCut, ::testing::Values(FlashKind::kMtd, FlashKind::kBlock),
                         [](const auto& one) {
                             return one.param == FlashKind::kMtd ? "Mtd" : "Block";
                         });

/// Goal: from the first octet of the formatting on, a cut at any write leaves each slot as it was
/// or as it was to become, the configuration that was not being written always among them.
/// Method: a life of saves through every layer, cut at its first write, its second, and so on.
TEST_P(FlashStateCut, AtAnyWriteLeavesTheOldOrTheNew) {
    constexpr unsigned kSaves = 25;
    constexpr std::uint32_t kDraws = 2;
    std::uint64_t cuts = 0;
    for (std::uint64_t cut = 1;; ++cut) {
        bool was_cut = false;
        for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
            const auto flash = Make();
            EmulatedKernel kernel(*flash, GetParam());
            flash->CutAt(cut, static_cast<std::uint32_t>(cut) * kDraws + draw);
            std::array<std::optional<Octets>, 5> held;
            unsigned i = 0;
            {
                FlashState state(kernel);
                std::string said;
                const std::string wrong = state.Open({"flash"}, kContents, true, said);
                ASSERT_TRUE(wrong.empty() || flash->is_off()) << wrong;
                for (; i < kSaves && !flash->is_off(); ++i) {
                    const Octets octets = Filled(kSizes[i % 5], i);
                    if (state.Save(kSlots[i % 5], octets) == Status::kOk) held[i % 5] = octets;
                }
            }
            if (!flash->is_off()) continue;
            was_cut = true;
            ++cuts;
            flash->PowerUp();
            FlashState next(kernel);
            std::string said;
            ASSERT_EQ(next.Open({"flash"}, kContents, true, said), "") << "cut " << cut;
            for (unsigned which = 0; which < 5; ++which) {
                const std::optional<Octets> found = Read(next, kSlots[which]);
                const bool was_written = i != 0 && which == (i - 1) % 5;
                const bool is_new = was_written && found == Filled(kSizes[which], i - 1);
                const bool may_be_lost = was_written && which >= 3 && !found;
                ASSERT_TRUE(found == held[which] || is_new || may_be_lost)
                    << "slot " << which << ", cut " << cut << ", draw " << draw << " " << said;
                ASSERT_EQ(next.Save(kSlots[which], Filled(50, which)), Status::kOk);
                ASSERT_EQ(Read(next, kSlots[which]), Filled(50, which));
            }
        }
        if (!was_cut) break;
    }
    RecordProperty("cuts", static_cast<int>(cuts));
    EXPECT_GT(cuts, 200U);
}

class FlashStateFile : public ::testing::Test {
protected:
    FlashStateFile() {
        std::string pattern = fs::temp_directory_path() / "ember-flash-XXXXXX";
        root_ = mkdtemp(pattern.data());
        path_ = root_ / "flash";
        std::ofstream{path_}.close();
        fs::resize_file(path_, 16 * 16384);
    }
    ~FlashStateFile() override { fs::remove_all(root_); }

    std::string Open(FlashState& state, bool may_format = false) {
        said_.clear();
        return state.Open({path_}, kContents, may_format, said_);
    }
    void Write(std::uint64_t at, const std::string& text) const {
        std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(at));
        file << text;
    }

    fs::path root_;
    std::string path_;
    std::string said_;
};

TEST_F(FlashStateFile, TakesABlankOneAndFindsItAgain) {
    {
        FlashState state;
        ASSERT_EQ(Open(state), "");
        EXPECT_THAT(said_, HasSubstr("was blank, and was formatted"));
        for (unsigned i = 0; i < 5; ++i) {
            EXPECT_FALSE(Read(state, kSlots[i]));
            ASSERT_EQ(state.Save(kSlots[i], Filled(kSizes[i], i)), Status::kOk);
        }
        FlashState other;
        EXPECT_THAT(Open(other), HasSubstr("in use by another process"));
    }
    FlashState state;
    ASSERT_EQ(Open(state, true), "");  // A file of ours is never formatted.
    EXPECT_EQ(said_, "");
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_EQ(Read(state, kSlots[i]), Filled(kSizes[i], i));
    }
}

TEST_F(FlashStateFile, LeavesWhatIsNotOursUnlessItIsTold) {
    Write(100000, "somebody's letters");
    const auto before = fs::last_write_time(path_);
    {
        FlashState state;
        EXPECT_THAT(Open(state), HasSubstr("holds something else, and is left as it is"));
    }
    EXPECT_EQ(fs::last_write_time(path_), before);
    FlashState state;
    ASSERT_EQ(Open(state, true), "");
    EXPECT_THAT(said_, HasSubstr("held something else, and was erased and formatted"));
    EXPECT_FALSE(Read(state, StoreSlot::kGuidToLid));
}

TEST_F(FlashStateFile, RefusesASizeThatIsNotThatOfTheLabel) {
    {
        FlashState state;
        ASSERT_EQ(Open(state), "");
    }
    {
        FlashState half;
        EXPECT_THAT(half.Open({path_, 0, 8 * 16384}, kContents, true, said_),
                    HasSubstr("with another size"));
    }
    fs::resize_file(path_, 4 * 16384);
    Write(0, std::string(4 * 16384, '\0'));
    FlashState small;
    EXPECT_THAT(Open(small), HasSubstr("is too small: 196608 octets are needed"));
}

TEST_F(FlashStateFile, MendsALabelAndSaysSo) {
    {
        FlashState state;
        ASSERT_EQ(Open(state), "");
        ASSERT_EQ(state.Save(StoreSlot::kConfigurationCounter, Filled(8, 1)), Status::kOk);
    }
    Write(0, "not a label");
    {
        FlashState state;
        ASSERT_EQ(Open(state, true), "");
        EXPECT_THAT(said_, HasSubstr("had lost one of its two labels, which was written again"));
        EXPECT_EQ(Read(state, StoreSlot::kConfigurationCounter), Filled(8, 1));
    }
    FlashState state;
    ASSERT_EQ(Open(state), "");
    EXPECT_EQ(said_, "");
}

TEST_F(FlashStateFile, GoesBackToAnOlderTableOfLidsAndSaysSo) {
    {
        FlashState state;
        ASSERT_EQ(Open(state), "");
        ASSERT_EQ(state.Save(StoreSlot::kGuidToLid, Filled(2000, 1)), Status::kOk);
        ASSERT_EQ(state.Save(StoreSlot::kGuidToLid, Filled(2000, 2)), Status::kOk);
    }
    std::ifstream file(path_, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    const Octets wanted = Filled(2000, 2);
    std::string text(wanted.size(), '\0');
    std::transform(wanted.begin(), wanted.end(), text.begin(),
                   [](std::byte octet) { return std::to_integer<char>(octet); });
    const std::size_t at = whole.find(text);
    ASSERT_NE(at, std::string::npos);
    Write(at + 100, "rot");
    FlashState state;
    ASSERT_EQ(Open(state), "");
    EXPECT_THAT(said_, HasSubstr("has a damaged table of LIDs, and an older one counts"));
    EXPECT_EQ(Read(state, StoreSlot::kGuidToLid), Filled(2000, 1));
}

TEST_F(FlashStateFile, SaysWhenItWasDividedForASmallerBoard) {
    {
        FlashState state;
        ASSERT_EQ(Open(state), "");
    }
    FlashState state;
    ASSERT_EQ(state.Open({path_}, {100000, 20000}, false, said_), "");
    EXPECT_THAT(said_, HasSubstr("divided for a smaller board"));
    EXPECT_EQ(state.Save(StoreSlot::kGuidToLid, Filled(100000, 1)), Status::kFull);
}

TEST_F(FlashStateFile, ServesTwoThreads) {
    FlashState state;
    ASSERT_EQ(Open(state), "");
    std::thread writer([&] {
        for (unsigned i = 0; i < 100; ++i) {
            EXPECT_EQ(state.Save(StoreSlot::kGuidToLid, Filled(2000, i)), Status::kOk);
        }
    });
    for (unsigned i = 0; i < 100; ++i) {
        EXPECT_EQ(state.Save(StoreSlot::kConfigurationCounter, Filled(8, i)), Status::kOk);
        EXPECT_EQ(Read(state, StoreSlot::kConfigurationCounter), Filled(8, i));
    }
    writer.join();
    EXPECT_EQ(Read(state, StoreSlot::kGuidToLid), Filled(2000, 99));
}

}  // namespace
}  // namespace ember::testing
