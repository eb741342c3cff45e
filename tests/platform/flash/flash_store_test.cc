// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store in flash memory keeps its word, whenever the power goes.
#include "platform/flash/flash_store.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "core/base/crc32.h"
#include "tests/support/flash_emulator.h"

namespace ember::testing {
namespace {

using Octets = std::vector<std::byte>;

constexpr StoreSlot kLids = StoreSlot::kGuidToLid;
constexpr StoreSlot kCounter = StoreSlot::kConfigurationCounter;
constexpr StoreSlot kBlob = StoreSlot::kConfigurationBlob;

/// Two slots in two copies, one in a single one.
constexpr std::array<FlashRegion, 3> kRegions = {
    {{kLids, 1, 2, 2}, {kCounter, 5, 1, 2}, {kBlob, 8, 3, 1}}};
constexpr std::uint32_t kSectors = 12;

Octets Filled(std::size_t size, unsigned seed) {
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::byte>(seed * 131 + i * 7 + (i >> 8U));
    }
    return octets;
}

/// What a slot holds; nothing when it is absent or damaged.
std::optional<Octets> Read(FlashStore& store, StoreSlot slot) {
    Octets room(32768);
    const Result<std::size_t> count = store.Load(slot, room);
    if (!count.ok()) return std::nullopt;
    room.resize(count.value());
    return room;
}

Status StatusOfLoad(FlashStore& store, StoreSlot slot) {
    Octets room(16384);
    return store.Load(slot, room).status();
}

enum class Kind { kNor, kEmmc };
std::unique_ptr<FlashEmulator> Make(Kind kind) {
    if (kind == Kind::kNor) return std::make_unique<NorFlash>(kSectors);
    return std::make_unique<EmmcFlash>(kSectors);
}

class FlashStoreTest : public ::testing::TestWithParam<Kind> {
protected:
    FlashStoreTest() : flash_(Make(GetParam())) {}
    ~FlashStoreTest() override {
        const auto* const nor = dynamic_cast<const NorFlash*>(flash_.get());
        EXPECT_TRUE(nor == nullptr || nor->misuses() == 0) << "programmed what was not erased";
    }

    std::unique_ptr<FlashStore> Open(std::uint32_t writes_a_save = 0) {
        auto store = std::make_unique<FlashStore>(*flash_, writes_a_save);
        EXPECT_EQ(store->Open(kRegions), Status::kOk);
        return store;
    }

    std::unique_ptr<FlashEmulator> flash_;
};

INSTANTIATE_TEST_SUITE_P(Each,
                         FlashStoreTest,
                         ::testing::Values(Kind::kNor, Kind::kEmmc),
                         [](const auto& one) { return one.param == Kind::kNor ? "Nor" : "Emmc"; });

TEST_P(FlashStoreTest, GivesBackWhatWasSavedAlsoToAnotherIncarnation) {
    const auto store = Open();
    for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 511U, 512U, 513U, 7000U, 0U, 5U}) {
        ASSERT_EQ(store->Save(kLids, Filled(size, 3)), Status::kOk);
        ASSERT_EQ(store->Save(kBlob, Filled(size + 1, 4)), Status::kOk);
        EXPECT_EQ(Read(*store, kLids), Filled(size, 3));
        const auto next = Open();
        EXPECT_EQ(Read(*next, kLids), Filled(size, 3));
        EXPECT_EQ(Read(*next, kBlob), Filled(size + 1, 4));
    }
    EXPECT_EQ(StatusOfLoad(*store, kCounter), Status::kMalformed)
        << "never written, and full of what the factory left";
    Octets small(4);
    EXPECT_EQ(store->Load(kLids, small).status(), Status::kFull);
    EXPECT_EQ(store->Save(kLids, Filled(2 * 4096, 1)), Status::kFull);
    EXPECT_EQ(Read(*store, kLids), Filled(5, 3));
}

TEST_P(FlashStoreTest, FindsAnErasedDeviceEmpty) {
    std::fill(flash_->octets().begin(), flash_->octets().end(), std::byte{0xFF});
    const auto store = Open();
    for (const StoreSlot slot : {kLids, kCounter, kBlob}) {
        EXPECT_EQ(StatusOfLoad(*store, slot), Status::kAbsent);
    }
}

TEST_P(FlashStoreTest, ErasesOnceInAsManySavesAsFitIntoTwoCopies) {
    const auto store = Open();
    for (unsigned i = 0; i < 1000; ++i) {
        ASSERT_EQ(store->Save(kCounter, Filled(8, i)), Status::kOk);
    }
    EXPECT_EQ(Read(*store, kCounter), Filled(8, 999));
    const bool is_nor = GetParam() == Kind::kNor;
    const std::uint64_t fit = is_nor ? 4096U / 64U : 4096U / 1024U;
    for (const std::uint32_t sector : {5U, 6U}) {
        EXPECT_LE(flash_->erasures(sector), 1000 / fit / 2 + 1);
        EXPECT_GE(flash_->erasures(sector), 1000 / fit / 2 - 1) << "both wear alike";
    }
    for (const std::uint32_t sector : {0U, 7U, 11U}) {
        EXPECT_EQ(flash_->erasures(sector), 0U) << "not ours";
    }
}

/// Goal: after a loss of power in any write, torn in any way, each slot holds what it held or what
/// was being written, and can be written again. Method: a life of saves is cut at its first write,
/// its second, and so on to its last, each with several draws of what the cut leaves.
TEST_P(FlashStoreTest, HoldsTheOldOrTheNewWheneverThePowerIsCut) {
    constexpr unsigned kSaves = 40;
    constexpr std::uint32_t kDraws = 4;
    const auto slot_of = [](unsigned i) {
        return i % 3 == 0 ? kLids : i % 3 == 1 ? kCounter : kBlob;
    };
    const auto size_of = [](unsigned i) {
        return i % 3 == 0 ? 1500U + i * 100 : i % 3 == 1 ? 8U : 9000U + i;
    };
    std::uint64_t cuts = 0;
    for (std::uint64_t cut = 1;; ++cut) {
        bool was_cut = false;
        for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
            const auto flash = Make(GetParam());
            FlashStore store(*flash);
            ASSERT_EQ(store.Open(kRegions), Status::kOk);
            std::array<std::optional<Octets>, 3> held;
            flash->CutAt(cut, static_cast<std::uint32_t>(cut) * kDraws + draw);
            unsigned i = 0;
            for (; i < kSaves && !flash->is_off(); ++i) {
                const Octets octets = Filled(size_of(i), i);
                if (store.Save(slot_of(i), octets) == Status::kOk) held[i % 3] = octets;
            }
            if (!flash->is_off()) continue;
            was_cut = true;
            ++cuts;
            const unsigned last = i - 1;
            flash->PowerUp();
            FlashStore next(*flash);
            ASSERT_EQ(next.Open(kRegions), Status::kOk);
            for (unsigned which = 0; which < 3; ++which) {
                const std::optional<Octets> found = Read(next, slot_of(which));
                const bool is_old = found == held[which];
                const bool is_new = which == last % 3 && found == Filled(size_of(last), last);
                const bool may_be_lost = which == last % 3 && which == 2 && !found;
                ASSERT_TRUE(is_old || is_new || may_be_lost)
                    << "slot " << which << ", cut at write " << cut << ", draw " << draw;
            }
            for (unsigned again = 100; again < 103; ++again) {
                const Octets octets = Filled(size_of(again - 100), again);
                ASSERT_EQ(next.Save(slot_of(again - 100), octets), Status::kOk);
                ASSERT_EQ(Read(next, slot_of(again - 100)), octets);
            }
            const auto* const nor = dynamic_cast<const NorFlash*>(flash.get());
            ASSERT_TRUE(nor == nullptr || nor->misuses() == 0) << "cut at write " << cut;
        }
        if (!was_cut) break;
    }
    RecordProperty("cuts", static_cast<int>(cuts));
    EXPECT_GT(cuts, 1500U);
}

/// Goal: the same when the power goes again and again, before anything is repaired.
TEST_P(FlashStoreTest, LosesNothingWhenThePowerFailsTimeAndAgain) {
    std::mt19937 random(7);
    std::optional<Octets> held;
    std::uint64_t cuts = 0;
    for (unsigned i = 0; i < 3000; ++i) {
        FlashStore store(*flash_);
        ASSERT_EQ(store.Open(kRegions), Status::kOk);
        const Octets octets = Filled(1 + random() % 3000, i);
        flash_->CutAt(1 + random() % 20, static_cast<std::uint32_t>(random()));
        const Status saved = store.Save(kLids, octets);
        if (flash_->is_off()) ++cuts;
        flash_->PowerUp();
        FlashStore next(*flash_);
        ASSERT_EQ(next.Open(kRegions), Status::kOk);
        const std::optional<Octets> found = Read(next, kLids);
        const bool is_right = found == octets || (saved != Status::kOk && found == held);
        ASSERT_TRUE(is_right) << "life " << i;
        held = found;
    }
    EXPECT_GT(cuts, 500U);
}

TEST_P(FlashStoreTest, DoesNoMoreInACallThanItMay) {
    const auto store = Open(3);
    unsigned calls = 0;
    for (unsigned i = 0; i < 20; ++i) {
        const Octets octets = Filled(3000, i);
        Status status = Status::kBusy;
        while (status == Status::kBusy) {
            const std::uint64_t before = flash_->writes();
            status = store->Save(kLids, octets);
            ASSERT_LE(flash_->writes() - before, 3U);
            ++calls;
        }
        ASSERT_EQ(status, Status::kOk);
        ASSERT_EQ(Read(*store, kLids), octets);
    }
    EXPECT_GT(calls, 40U);
}

TEST_P(FlashStoreTest, WaitsForADeviceThatIsBusy) {
    flash_->SetBusyEvery(2);
    const auto store = Open();
    for (unsigned i = 0; i < 20; ++i) {
        const Octets octets = Filled(3000, i);
        unsigned calls = 1;
        while (store->Save(kLids, octets) == Status::kBusy) {
            ASSERT_LT(++calls, 100U);
        }
        EXPECT_GT(calls, 1U);
        ASSERT_EQ(Read(*store, kLids), octets);
    }
}

TEST_P(FlashStoreTest, ServesTwoWhoSaveInTurnAndGivesUpOneWhoDoesNotAsk) {
    const auto store = Open(1);
    const Octets lids = Filled(3000, 1);
    const Octets counter = Filled(8, 2);
    bool lids_done = false;
    bool counter_done = false;
    for (unsigned i = 0; i < 200 && !(lids_done && counter_done); ++i) {
        lids_done = lids_done || store->Save(kLids, lids) == Status::kOk;
        counter_done = counter_done || store->Save(kCounter, counter) == Status::kOk;
    }
    EXPECT_TRUE(lids_done && counter_done);
    EXPECT_EQ(store->Save(kLids, counter), Status::kBusy);  // And never asks again.
    Status status = Status::kBusy;
    for (unsigned i = 0; i < 200 && status == Status::kBusy; ++i) {
        status = store->Save(kCounter, Filled(9, 9));
    }
    EXPECT_EQ(status, Status::kOk);
    EXPECT_EQ(Read(*store, kLids), lids) << "what was not written to its end does not count";
}

TEST_P(FlashStoreTest, NeverBringsOlderOctetsBackWhenNewerOnesAreDamaged) {
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    ASSERT_EQ(store->Save(kCounter, Filled(8, 2)), Status::kOk);
    const Octets wanted = Filled(8, 2);
    const auto at =
        std::search(flash_->octets().begin(), flash_->octets().end(), wanted.begin(), wanted.end());
    ASSERT_NE(at, flash_->octets().end());
    *at ^= std::byte{4};
    EXPECT_EQ(StatusOfLoad(*Open(), kCounter), Status::kMalformed);
    *at ^= std::byte{4};
    // Its predecessor's header: what comes behind it is found all the same.
    flash_->octets()[5 * 4096 + 9] ^= std::byte{1};
    EXPECT_EQ(Read(*Open(), kCounter), wanted);
    const auto next = Open();
    ASSERT_EQ(next->Save(kCounter, Filled(8, 3)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 3));
}

/// Goal:   of the table of LIDs what was there before is better than nothing; and what is written
/// next counts, with both damaged ones behind it.
TEST_P(FlashStoreTest, BringsAnOlderTableOfLidsBackWhenTheNewestIsDamaged) {
    for (const bool in_other_copy : {false, true}) {
        SCOPED_TRACE(in_other_copy);
        const Octets older = Filled(6000, 1);
        const Octets wanted = Filled(in_other_copy ? 5000 : 100, 2);
        {
            const auto store = Open();
            ASSERT_EQ(store->Save(kLids, older), Status::kOk);
            ASSERT_EQ(store->Save(kLids, wanted), Status::kOk);
            EXPECT_FALSE(store->fell_back());
        }
        auto& octets = flash_->octets();
        // The older one holds the same octets somewhere, as they repeat.
        const auto at = std::find_end(octets.begin(), octets.end(), wanted.begin(), wanted.end());
        ASSERT_NE(at, octets.end());
        *at ^= std::byte{4};
        const auto store = Open();
        EXPECT_TRUE(store->fell_back());
        EXPECT_EQ(Read(*store, kLids), older);
        EXPECT_EQ(Read(*Open(), kLids), older) << "as often as one looks";
        flash_->CutAt(1, 7);
        EXPECT_NE(store->Save(kLids, Filled(90, 3)), Status::kOk);
        flash_->PowerUp();
        EXPECT_EQ(Read(*Open(), kLids), older) << "it is not what is erased first";
        ASSERT_EQ(Open()->Save(kLids, Filled(90, 3)), Status::kOk);
        EXPECT_EQ(Read(*Open(), kLids), Filled(90, 3));
        EXPECT_FALSE(Open()->fell_back());
        std::fill(octets.begin(), octets.end(), std::byte{0xFF});
    }
}

TEST_P(FlashStoreTest, HasNoTableOfLidsWhenAllOfThemAreDamaged) {
    for (const unsigned seed : {1U, 2U}) {
        ASSERT_EQ(Open()->Save(kLids, Filled(100, seed)), Status::kOk);
    }
    auto& octets = flash_->octets();
    for (const unsigned seed : {1U, 2U}) {
        const Octets wanted = Filled(100, seed);
        *std::search(octets.begin(), octets.end(), wanted.begin(), wanted.end()) ^= std::byte{4};
    }
    const auto store = Open();
    EXPECT_FALSE(store->fell_back());
    EXPECT_EQ(StatusOfLoad(*store, kLids), Status::kMalformed);
    ASSERT_EQ(store->Save(kLids, Filled(100, 3)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kLids), Filled(100, 3));
}

/// What is saved behind the highest number there is would not be found again.
TEST_P(FlashStoreTest, SavesNothingThatCannotHaveANumber) {
    for (const std::uint64_t forged : {~std::uint64_t{0}, ~std::uint64_t{0} - 1}) {
        std::fill(flash_->octets().begin(), flash_->octets().end(), std::byte{0xFF});
        ASSERT_EQ(Open()->Save(kCounter, Filled(8, 1)), Status::kOk);
        const std::span<std::byte> header = std::span(flash_->octets()).subspan(5 * 4096, 32);
        for (unsigned i = 0; i < 8; ++i) {
            header[8 + i] = static_cast<std::byte>(forged >> (56 - 8 * i));
        }
        const std::uint32_t crc = Crc32(header.first(28));
        for (unsigned i = 0; i < 4; ++i) {
            header[28 + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
        }
        const auto store = Open();
        const bool is_none = forged == ~std::uint64_t{0};
        EXPECT_EQ(store->Save(kCounter, Filled(8, 2)), is_none ? Status::kOk : Status::kFull);
        EXPECT_EQ(Read(*Open(), kCounter), Filled(8, is_none ? 2 : 1));
    }
}

TEST_P(FlashStoreTest, TakesTheOtherCopyWhenAPlaceIsWornAndSaysWhenBothAre) {
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    const Octets low(8, std::byte{0});
    const std::uint32_t grain = GetParam() == Kind::kNor ? 32 : 512;
    flash_->WearOut(5 * 4096 + 3 * grain);  // An octet of the second record in the first copy.
    ASSERT_EQ(store->Save(kCounter, low), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), low);
    flash_->WearOut(8 * 4096 + grain);
    EXPECT_EQ(store->Save(kBlob, Octets(100, std::byte{0})), Status::kDevice);
}

TEST_P(FlashStoreTest, TriesTheSecondCopyOfAnEmptySlotWhenTheFirstCannotBeErased) {
    flash_->Break(5);
    const auto store = Open();
    ASSERT_EQ(store->Save(kCounter, Filled(8, 1)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 1));
    flash_->Break(9);
    EXPECT_EQ(store->Save(kBlob, Filled(8, 1)), Status::kDevice) << "a single copy has no other";
    ASSERT_EQ(store->Save(kLids, Filled(8, 2)), Status::kOk);
    EXPECT_EQ(Read(*Open(), kCounter), Filled(8, 1));
}

TEST(FlashStoreUnits, MayBeAsLargeAsAPageOfMemory) {
    /// Counts what is programmed, and takes whole units only.
    class Pages final : public FlashEmulator {
    public:
        Pages() : FlashEmulator({16384, 4096, 6}) {}

    private:
        void DoProgram(std::uint32_t at, std::span<const std::byte> octets, bool) override {
            std::copy(octets.begin(), octets.end(), &octets_[at]);
        }
        void DoErase(std::uint32_t at, bool) override {
            std::fill_n(&octets_[at], geometry_.erase_bytes, geometry_.erased);
        }
        void DoFlush(bool) override {}
        void LosePower() override {}
    };
    constexpr std::array<FlashRegion, 2> kTwo = {{{kLids, 0, 2, 2}, {kCounter, 4, 1, 2}}};
    Pages flash;
    FlashStore store(flash);
    ASSERT_EQ(store.Open(kTwo), Status::kOk);
    for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 28672U}) {
        ASSERT_EQ(store.Save(kLids, Filled(size, 3)), Status::kOk) << size;
        ASSERT_EQ(store.Save(kCounter, Filled(8, static_cast<unsigned>(size))), Status::kOk);
        FlashStore next(flash);
        ASSERT_EQ(next.Open(kTwo), Status::kOk);
        EXPECT_EQ(Read(next, kLids)->size(), size);
        EXPECT_EQ(Read(next, kCounter), Filled(8, static_cast<unsigned>(size)));
    }
    EXPECT_EQ(store.Save(kLids, Filled(28673, 1)), Status::kFull);
}

TEST_P(FlashStoreTest, RefusesRegionsThatMakeNoSense) {
    const std::vector<std::vector<FlashRegion>> kWrong = {
        {{kLids, 0, 0, 2}},                       // No sector.
        {{kLids, 0, 1, 0}},                       // No copy.
        {{kLids, 0, 1, 3}},                       // Too many.
        {{kLids, 11, 1, 2}},                      // Beyond the end.
        {{kLids, 0xFFFFFFFF, 0xFFFFFFFF, 2}},     // Far beyond.
        {{kLids, 0, 2, 2}, {kCounter, 3, 1, 1}},  // One upon the other.
        {{kCounter, 3, 1, 1}, {kLids, 0, 2, 2}},
        {{kLids, 0, 1, 1}, {kLids, 1, 1, 1}},  // Twice the same.
    };
    for (const auto& regions : kWrong) {
        FlashStore store(*flash_);
        EXPECT_EQ(store.Open(regions), Status::kMalformed);
    }
    const auto store = Open();
    EXPECT_EQ(store->Save(static_cast<StoreSlot>(200), Filled(1, 1)), Status::kAbsent);
    EXPECT_EQ(StatusOfLoad(*store, static_cast<StoreSlot>(200)), Status::kAbsent);
}

TEST(FlashGeometry, ThatMakesNoSenseIsRefused) {
    class Odd final : public FlashEmulator {
    public:
        explicit Odd(const FlashGeometry& geometry) : FlashEmulator({4096, 16, 1}) {
            geometry_ = geometry;
        }

    private:
        void DoProgram(std::uint32_t, std::span<const std::byte>, bool) override {}
        void DoErase(std::uint32_t, bool) override {}
        void DoFlush(bool) override {}
        void LosePower() override {}
    };
    const FlashGeometry kWrong[] = {
        {4096, 0, 1},        {4096, 24, 1}, {8192, 8192, 1},           {256, 16, 1},
        {4096 + 256, 16, 1}, {0, 16, 1},    {1U << 20U, 16, 1U << 12U}};
    for (const FlashGeometry& geometry : kWrong) {
        Odd flash(geometry);
        FlashStore store(flash);
        EXPECT_EQ(store.Open({}), Status::kMalformed) << geometry.erase_bytes;
    }
    Odd good({512, 1, 1});
    FlashStore store(good);
    EXPECT_EQ(store.Open({}), Status::kOk);
}

}  // namespace
}  // namespace ember::testing
