// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: what a store hands back after it was damaged: the table of LIDs, and the
// configurations with their counter and record.
//
// Goal:   whatever stands in a slot, nothing is read beyond it, no LID has two owners, and settings
//         are taken from signed blobs only, none of them older than one that was confirmed.
// Method: the first octet says which. A table of LIDs is read from the rest, also with a count put
//         right. The configurations live in a store in memory: the script starts, reloads,
//         confirms, rolls back, and in between damages, cuts, loses and exchanges what is in the
//         slots.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "config/blob/load_configuration.h"
#include "core/lids/lid_map.h"
#include "tests/config/support.h"
#include "tests/support/fuzz_script.h"

namespace ember::test {
namespace {

using testing::Demand;
using testing::Script;

/// For these blobs only; the same in each run, so that an input always means the same.
const emberc::KeyPair& FixedKey() {
    static const emberc::KeyPair kKey = emberc::KeyPair::FromPem(
        "-----BEGIN EC PRIVATE KEY-----\n"
        "MHcCAQEEINDvAyiEYFC8lzi8RyvLxuX58UxLRnrVWK1z46icjjJAoAoGCCqGSM49\n"
        "AwEHoUQDQgAEaNkOfnjMOGwfzfefkYaAUWHVJd0O/bFUztr9nbCa+T0vpFTo2tI6\n"
        "yP6/r+V2P95mqh0humJpP6qECHyentSdAw==\n"
        "-----END EC PRIVATE KEY-----\n");
    return kKey;
}

// The table of LIDs.

constexpr std::uint32_t kMaxLid = 63;

struct LidTable {
    LidTable() : map({rows, slots, words}, kMaxLid) {}
    std::array<KeptLids, kMaxLid + 1> rows{};
    std::array<LidMap::Row, RowIndex<LidMap::Row>::SlotsFor(kMaxLid + 1)> slots{};
    std::array<std::uint64_t, BitSet::WordsFor(0xC000)> words{};
    LidMap map;
};

void ReadTable(std::span<const std::byte> octets, std::uint8_t lmc) {
    MemoryStore store;
    (void)store.Save(StoreSlot::kGuidToLid, octets);
    alignas(Arena::kGrain) static std::array<std::byte, 4096> room;
    Arena scratch(room);
    const auto table = std::make_unique<LidTable>();
    std::uint32_t dropped = 0;
    const Status status = table->map.Load(store, scratch, lmc, dropped);
    std::array<bool, kMaxLid + 1> taken{};
    for (const KeptLids& kept : table->map.entries()) {
        Demand(kept.guid != kNoGuid && table->map.Find(kept.guid) == &kept, "a GUID is found");
        Demand(kept.least != kNoLid && kept.least <= kept.most, "a range has an order");
        for (std::uint32_t lid = Raw(kept.least); lid <= Raw(kept.most); ++lid) {
            Demand(lid <= kMaxLid && !taken[lid], "no LID is kept twice, and none too high");
            taken[lid] = true;
        }
    }
    if (status != Status::kOk) {
        Demand(table->map.entries().empty(), "of a table that is refused nothing is kept");
        return;
    }
    if (table->map.Save(store, scratch) != Status::kOk) return;
    const auto again = std::make_unique<LidTable>();
    Demand(again->map.Load(store, scratch, lmc, dropped) == Status::kOk && dropped == 0,
           "what was written is taken back");
    Demand(again->map.entries().size() == table->map.entries().size(), "all of it");
}

void ReadTables(Script& script) {
    const std::uint8_t lmc = script.Next() % 8;
    std::vector<std::byte> octets;
    for (const std::uint8_t octet : script.rest()) {
        octets.push_back(std::byte{octet});
    }
    ReadTable(octets, lmc);
    const std::size_t entries = octets.size() / 16;
    const std::array head = {'E', 'L', 'M', '2', '\0', '\0', '\0', static_cast<char>(entries)};
    if (entries > 255) return;
    octets.resize(entries * 16);
    octets.insert(octets.begin(), head.size(), std::byte{0});
    std::memcpy(octets.data(), head.data(), head.size());
    ReadTable(octets, lmc);
}

// The configurations.

constexpr std::array kBlobSlots = {StoreSlot::kConfigurationBlob, StoreSlot::kConfigurationOther};
constexpr std::array kSlots = {StoreSlot::kConfigurationCounter, StoreSlot::kConfigurationTrial,
                               StoreSlot::kConfigurationBlob, StoreSlot::kConfigurationOther};

/// Signed, and each another: lmc is its number, and counters go up with it, but for the last, which
/// has the counter of the one before.
const Octets& GoodBlob(std::size_t which) {
    static const std::array kBlobs = {
        emberc::PutTogether(PayloadOf("lmc 1\n"), 5, &FixedKey()),
        emberc::PutTogether(PayloadOf("lmc 2\n"), 6, &FixedKey()),
        emberc::PutTogether(PayloadOf("lmc 3\n"), 7, &FixedKey()),
        emberc::PutTogether(PayloadOf("lmc 4\n"), 7, &FixedKey()),
    };
    return kBlobs[which % kBlobs.size()];
}

class Machine {
public:
    void Act(Script& script) {
        const std::uint8_t what = script.Next();
        switch (what % 8) {
            case 0:
            case 1:
                return Start(script, what % 8 == 1);
            case 2:
                return Confirm();
            case 3:
                static_cast<void>(GiveUpTrial(room().work, store_));
                last_ = {};
                return;
            case 4:
                static_cast<void>(ExcuseStart(store_));
                return;
            case 5:
                return GoBack();
            default:
                return Damage(script, what / 8U);
        }
    }

private:
    [[nodiscard]] LoadingRoom room() {
        return {std::as_writable_bytes(std::span(work_)), SharedRoom()};
    }

    void Start(Script& script, bool is_reload) {
        const std::uint8_t which = script.Next();
        Octets blob;
        if (which % 8 < 5) blob = GoodBlob(which % 8);
        if (which % 8 == 5) Change(blob = GoodBlob(which / 8), script);
        const Aligned supplied(blob);
        Settings settings;
        const ConfigurationOutcome outcome = LoadConfiguration(
            {supplied.octets(), is_reload}, FixedKey().public_key(), store_, room(), settings);
        Judge(outcome, settings);
        const bool is_supplied = outcome.source == ConfigurationSource::kSupplied;
        Demand(is_supplied == outcome.supplied.accepted(), "what is accepted is taken");
        if (is_supplied) {
            Demand(outcome.supplied.counter >= outcome.counter_before, "and is not too old");
            Demand(outcome.supplied.counter >= floor_, "nor older than what was confirmed");
            const bool is_same = settings.lmc == confirmed_lmc_;
            Demand(outcome.supplied.counter > floor_ || confirmed_lmc_ == 0 || is_same,
                   "a counter tells one configuration");
        }
        Demand(outcome.counter_before >= floor_, "the floor does not sink by itself");
        last_ = outcome;
        last_lmc_ = settings.lmc;
    }

    void Judge(const ConfigurationOutcome& outcome, const Settings& settings) {
        if (outcome.source == ConfigurationSource::kUnchanged) {
            Demand(settings == Settings{}, "settings are left alone when there are none");
            return;
        }
        Demand(settings.lmc >= 1 && settings.lmc <= 4, "settings are those of a signed blob");
    }

    /// As the program that runs the subnet manager does when the configuration in force has proved
    /// itself.
    void Confirm() {
        if (!last_.on_trial) return;
        const Status status = ConfirmConfiguration(last_.counter(), store_);
        const bool was_on_trial = last_.on_trial;
        last_.on_trial = false;
        if (status != Status::kOk || !was_on_trial || last_.kept != Status::kOk) return;
        if (was_damaged_) return;
        floor_ = last_.counter();
        confirmed_lmc_ = last_lmc_;
    }

    void GoBack() {
        Settings settings;
        last_ = {};
        Judge(LoadConfirmed(FixedKey().public_key(), store_, room(), settings), settings);
    }

    static void Change(Octets& octets, Script& script) {
        const std::uint8_t count = script.Next() % 8;
        for (int i = 0; i < count && !octets.empty(); ++i) {
            const std::size_t at = script.Next32() % octets.size();
            octets[at] ^= std::byte{script.Next()};
        }
        const std::uint8_t cut = script.Next();
        if (cut != 0) octets.resize(octets.size() - std::min<std::size_t>(cut, octets.size()));
    }

    /// From now on nothing is known of what was confirmed, unless it was the counter alone, which
    /// the confirmed blob tells too.
    void Damage(Script& script, unsigned how) {
        const StoreSlot slot = kSlots[how % kSlots.size()];
        const bool is_counter = slot == StoreSlot::kConfigurationCounter;
        switch (how / kSlots.size() % 4) {
            case 0:
                store_.Damage(slot);
                break;
            case 1:
                store_.Lose(slot);
                break;
            case 2:
                was_damaged_ = was_damaged_ || is_counter;  // The counter may be too high.
                Change(store_.OctetsOf(slot), script);
                break;
            default:
                was_damaged_ = true;
                (void)store_.Save(kBlobSlots[how % 2], GoodBlob(script.Next()));
        }
        if (is_counter) return;
        was_damaged_ = true;
        floor_ = 0;
        confirmed_lmc_ = 0;
        last_ = {};
    }

    MemoryStore store_;
    std::vector<std::uint64_t> work_ = std::vector<std::uint64_t>(1024);
    ConfigurationOutcome last_;
    std::uint8_t last_lmc_ = 0;
    bool was_damaged_ = false;
    std::uint64_t floor_ = 0;  ///< Of what was confirmed in a store that was whole.
    std::uint8_t confirmed_lmc_ = 0;
};

void LiveWithConfigurations(Script& script) {
    Machine machine;
    for (int acts = 0; acts < 16 && !script.ended(); ++acts) {
        machine.Act(script);
    }
}

}  // namespace
}  // namespace ember::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::testing::Script script({data, size});
    if (script.Next() % 2 == 0) {
        ember::test::ReadTables(script);
    } else {
        ember::test::LiveWithConfigurations(script);
    }
    return 0;
}
