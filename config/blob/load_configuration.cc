// SPDX-License-Identifier: Apache-2.0
// EmberSM: which configuration to run with.
#include "config/blob/load_configuration.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ember {
namespace {

using CounterOctets = std::array<std::byte, sizeof(std::uint64_t)>;

Result<std::uint64_t> LoadCounter(Store& store) {
    CounterOctets octets{};
    const Result<std::size_t> bytes = store.Load(StoreSlot::kConfigurationCounter, octets);
    if (!bytes.ok()) return bytes.status();
    if (bytes.value() != octets.size()) return Status::kMalformed;
    return std::uint64_t{std::bit_cast<Be<std::uint64_t>>(octets)};
}

/// Verifies the stored blob; its own age is not a reason to refuse it.
BlobReport ReadLastGood(const PublicKey& key,
                        Store& store,
                        const LoadingRoom& room,
                        Settings& settings) {
    const Result<std::size_t> bytes = store.Load(StoreSlot::kConfigurationBlob, room.work);
    if (!bytes.ok()) {
        BlobReport report;
        if (bytes.status() != Status::kAbsent) report.verdict = BlobVerdict::kNoBlob;
        return report;
    }
    const auto stored = std::span<const std::byte>(room.work).first(bytes.value());
    return ReadBlob(stored, key, 0, room.tables, settings);
}

bool IsStored(std::span<const std::byte> blob, Store& store, std::span<std::byte> work) {
    const Result<std::size_t> bytes = store.Load(StoreSlot::kConfigurationBlob, work);
    return bytes.ok() && bytes.value() == blob.size() &&
           std::equal(blob.begin(), blob.end(), work.begin());
}

/// The blob goes first: power lost in between leaves a blob newer than the counter, which is
/// accepted again; the other way round would leave a floor that no stored blob reaches. What is
/// there already is not written again, for the sake of flash memory.
Status Keep(std::span<const std::byte> blob,
            std::uint64_t counter,
            Store& store,
            std::span<std::byte> work) {
    if (!IsStored(blob, store, work)) EMBER_TRY(store.Save(StoreSlot::kConfigurationBlob, blob));
    const Result<std::uint64_t> stored = LoadCounter(store);
    if (stored.ok() && stored.value() == counter) return Status::kOk;
    return store.Save(StoreSlot::kConfigurationCounter,
                      std::bit_cast<CounterOctets>(Be<std::uint64_t>(counter)));
}

}  // namespace

ConfigurationOutcome LoadConfiguration(std::span<const std::byte> supplied,
                                       const PublicKey& key,
                                       Store& store,
                                       const LoadingRoom& room,
                                       Settings& settings) {
    ConfigurationOutcome outcome;
    const Result<std::uint64_t> counter = LoadCounter(store);
    if (counter.ok()) {
        outcome.counter_before = counter.value();
    } else if (counter.status() != Status::kAbsent) {
        outcome.counter_read = counter.status();
        Settings unused;
        const BlobReport stored = ReadLastGood(key, store, room, unused);
        if (stored.accepted()) outcome.counter_before = stored.counter;
    }

    outcome.supplied = ReadBlob(supplied, key, outcome.counter_before, room.tables, settings);
    if (outcome.supplied.accepted()) {
        outcome.source = ConfigurationSource::kSupplied;
        outcome.kept = Keep(supplied, outcome.supplied.counter, store, room.work);
        return outcome;
    }
    outcome.last_good = ReadLastGood(key, store, room, settings);
    if (outcome.last_good.accepted()) outcome.source = ConfigurationSource::kLastGood;
    return outcome;
}

}  // namespace ember
