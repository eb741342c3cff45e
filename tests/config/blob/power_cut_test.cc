// SPDX-License-Identifier: Apache-2.0
// EmberSM: two configurations in flash memory, and the power fails at every write of their life.
#include <array>
#include <gtest/gtest.h>
#include <memory>

#include "config/blob/load_configuration.h"
#include "platform/flash/flash_store.h"
#include "tests/config/support.h"
#include "tests/support/flash_emulator.h"

namespace ember::test {
namespace {

using ember::testing::EmmcFlash;
using ember::testing::FlashEmulator;
using ember::testing::NorFlash;

/// The blobs in one copy each: that is what the trial is for.
constexpr std::array<FlashRegion, 4> kRegions = {{{StoreSlot::kConfigurationCounter, 0, 1, 2},
                                                  {StoreSlot::kConfigurationTrial, 2, 1, 2},
                                                  {StoreSlot::kConfigurationBlob, 4, 1, 1},
                                                  {StoreSlot::kConfigurationOther, 5, 1, 1}}};
constexpr std::uint32_t kSectors = 6;

const Octets& Blob(std::uint64_t counter) {
    static std::array<Octets, 10> blobs;
    Octets& blob = blobs.at(static_cast<std::size_t>(counter));
    if (blob.empty()) blob = BlobOf("lmc " + std::to_string(counter % 8) + "\n", counter);
    return blob;
}

/// A machine: a store that is opened anew at each start, and what its owner was told.
class Machine {
public:
    explicit Machine(FlashEmulator& flash) : flash_(flash) { Restart(); }

    void Restart() {
        store_ = std::make_unique<FlashStore>(flash_);
        const Status opened = store_->Open(kRegions);
        EXPECT_TRUE(opened == Status::kOk || flash_.is_off());
    }
    ConfigurationOutcome Load(std::span<const std::byte> blob, bool is_reload = false) {
        const Aligned copy(blob);
        settings_ = Settings{};
        return LoadConfiguration({copy.octets(), is_reload}, TrustedKey().public_key(), *store_,
                                 room(), settings_);
    }
    void Install(std::uint64_t counter, bool is_reload) {
        if (flash_.is_off()) return;
        const ConfigurationOutcome outcome = Load(Blob(counter), is_reload);
        has_one_ = has_one_ || (outcome.on_trial && outcome.kept == Status::kOk);
    }
    void Confirm(std::uint64_t counter) {
        if (flash_.is_off()) return;
        if (ConfirmConfiguration(counter, *store_) == Status::kOk) confirmed_ = counter;
    }
    void GiveUp() { static_cast<void>(GiveUpTrial(room().work, *store_)); }
    void StartWith(std::span<const std::byte> blob) {
        if (flash_.is_off()) return;
        Restart();
        static_cast<void>(Load(blob));
    }
    void Excuse() { static_cast<void>(ExcuseStart(*store_)); }

    [[nodiscard]] bool has_one() const { return has_one_; }
    [[nodiscard]] std::uint64_t confirmed() const { return confirmed_; }
    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] LoadingRoom room() {
        return {std::as_writable_bytes(std::span(work_)), SharedRoom()};
    }

private:
    FlashEmulator& flash_;
    std::unique_ptr<FlashStore> store_;
    std::vector<std::uint64_t> work_ = std::vector<std::uint64_t>(1024);
    Settings settings_;
    bool has_one_ = false;
    std::uint64_t confirmed_ = 0;
};

/// Everything that happens to configurations: a first one, a second that is confirmed, one that is
/// rolled back and offered again, one with which the process dies twice, one after an orderly end.
void Live(Machine& machine) {
    machine.Install(1, false);
    machine.Confirm(1);
    machine.Install(2, true);
    machine.Confirm(2);
    machine.Install(3, true);
    machine.GiveUp();
    machine.StartWith(Blob(3));
    machine.Install(4, true);
    machine.StartWith({});
    machine.StartWith({});
    machine.Install(5, true);
    machine.Excuse();
    machine.StartWith(Blob(5));
    machine.Confirm(5);
}

std::unique_ptr<FlashEmulator> MakeFlash(bool is_nor) {
    if (is_nor) return std::make_unique<NorFlash>(kSectors);
    return std::make_unique<EmmcFlash>(kSectors);
}

/// Goal: after any cut there is a configuration to start with, signed and no older than the last
/// one that was confirmed; the counter never falls; and the machine takes a new one. Method: the
/// life above is cut at its first write, its second, and so on; what the cut leaves is drawn.
class PowerCut : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Each, PowerCut, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "Nor" : "Emmc"; });

TEST_P(PowerCut, AtAnyWriteLeavesOneOfTheTwoConfigurations) {
    constexpr std::uint32_t kDraws = 3;
    std::uint64_t cuts = 0;
    for (std::uint64_t cut = 1;; ++cut) {
        bool was_cut = false;
        for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
            const auto flash = MakeFlash(GetParam());
            Machine machine(*flash);
            flash->CutAt(cut, static_cast<std::uint32_t>(cut) * kDraws + draw);
            Live(machine);
            if (!flash->is_off()) continue;
            was_cut = true;
            ++cuts;
            flash->PowerUp();
            machine.Restart();
            const ConfigurationOutcome outcome = machine.Load({});
            const bool is_there = outcome.source != ConfigurationSource::kUnchanged;
            ASSERT_TRUE(is_there || !machine.has_one()) << "cut " << cut << ", draw " << draw;
            ASSERT_GE(outcome.counter_before, machine.confirmed()) << "cut " << cut;
            if (is_there) {
                ASSERT_GE(outcome.counter(), machine.confirmed()) << "cut " << cut;
                ASSERT_EQ(machine.settings().lmc, outcome.counter() % 8) << "cut " << cut;
            }
            if (machine.confirmed() > 1) {
                ASSERT_EQ(machine.Load(Blob(1)).supplied.verdict, BlobVerdict::kStale);
            }
            ASSERT_EQ(machine.Load(Blob(9), true).kept, Status::kOk) << "cut " << cut;
            machine.Confirm(9);
            machine.Restart();
            ASSERT_EQ(machine.Load({}).source, ConfigurationSource::kLastGood) << "cut " << cut;
            ASSERT_EQ(machine.settings().lmc, 1);
        }
        if (!was_cut) break;
    }
    RecordProperty("cuts", static_cast<int>(cuts));
    EXPECT_GT(cuts, 200U);
}

}  // namespace
}  // namespace ember::test
