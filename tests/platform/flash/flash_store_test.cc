// SPDX-License-Identifier: Apache-2.0
// EmberSM: a store in flash memory keeps its word, whenever the power goes.
#include "platform/flash/flash_store.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

#include "tests/platform/flash/flash_store_fixture.h"

namespace ember::testing::flash {
namespace {

INSTANTIATE_TEST_SUITE_P(Each, FlashStoreTest, ::testing::Values(Kind::kNor, Kind::kEmmc),
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
        {{kLids, 0, 2, 2}, {kCounter, 3, 1, 1}},  // Overlapping.
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
}  // namespace ember::testing::flash
