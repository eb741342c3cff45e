// SPDX-License-Identifier: Apache-2.0
// EmberSM: which configuration to run with.
#include "config/blob/load_configuration.h"

#include <algorithm>
#include <array>
#include <bit>

#include "config/blob/container.h"
#include "core/base/be.h"

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

/// Never lowers it.
Status RaiseCounter(std::uint64_t counter, Store& store) {
    const Result<std::uint64_t> stored = LoadCounter(store);
    if (stored.ok() && stored.value() >= counter) return Status::kOk;
    return store.Save(StoreSlot::kConfigurationCounter,
                      std::bit_cast<CounterOctets>(Be<std::uint64_t>(counter)));
}

/// How a blob compares with the one in a slot.
enum class Likeness : std::uint8_t {
    kOther,       ///< The slot has another configuration, or none that can be read.
    kSignedAnew,  ///< The same, signed another time.
    kSame,
};

Likeness CompareWith(std::span<const std::byte> blob, BlobSlot slot, Store& store,
                     std::span<std::byte> work) {
    const Result<std::size_t> bytes = store.Load(StoreSlotOf(slot), work);
    if (!bytes.ok() || bytes.value() != blob.size()) return Likeness::kOther;
    const auto differ = std::mismatch(blob.begin(), blob.end(), work.begin()).first;
    if (differ == blob.end()) return Likeness::kSame;
    const auto left = static_cast<std::size_t>(blob.end() - differ);
    return left <= kSignatureBytes ? Likeness::kSignedAnew : Likeness::kOther;
}

/// A call of LoadConfiguration().
struct Loading {
    const PublicKey& key;
    Store& store;
    const LoadingRoom& room;
    Settings& settings;
    TrialRecord record;
    ConfigurationOutcome outcome;
    BlobReport confirmed;  ///< Of the confirmed blob, as the store has it.

    void Prepare(bool is_reload);
    // The stack holds one report of a blob at a time.
    [[gnu::noinline]] void TakeSupplied(const SuppliedBlob& blob);
    void TakeStored(bool is_reload);
    [[gnu::noinline]] void TakeConfirmed();

private:
    BlobReport ReadSlot(BlobSlot slot, Settings* into);
    BlobSlot Guess(const Result<std::uint64_t>& counter);
    void FindFloor(const Result<std::uint64_t>& counter);
    BlobVerdict JudgeSupplied(const SuppliedBlob& blob);
    Status KeepOnTrial(const SuppliedBlob& blob);
    [[gnu::noinline]] void GoOnWithTrial(bool is_reload);
    void EndTrial();
    void Keep(Status status) {
        if (outcome.kept == Status::kOk) outcome.kept = status;
    }
};

/// Verifies a stored blob; its own age is not a reason to refuse it.
BlobReport Loading::ReadSlot(BlobSlot slot, Settings* into) {
    const Result<std::size_t> bytes = store.Load(StoreSlotOf(slot), room.work);
    if (!bytes.ok()) {
        BlobReport report;
        if (bytes.status() != Status::kAbsent) report.verdict = BlobVerdict::kNoBlob;
        return report;
    }
    const auto stored = std::span<const std::byte>(room.work).first(bytes.value());
    return ReadBlob(stored, key, 0, room.tables, into);
}

/// Which blob was confirmed, when the record cannot tell: the one that set the counter, else any
/// that is sound.
BlobSlot Loading::Guess(const Result<std::uint64_t>& counter) {
    BlobSlot guess = BlobSlot::kNone;
    for (const BlobSlot slot : {BlobSlot::kA, BlobSlot::kB}) {
        const BlobReport report = ReadSlot(slot, nullptr);
        if (!report.accepted()) continue;
        if (guess == BlobSlot::kNone) guess = slot;
        if (counter.ok() && report.counter == counter.value()) return slot;
    }
    return guess;
}

/// The counter's slot may be damaged, or be gone: the confirmed blob tells its own age in any case.
void Loading::FindFloor(const Result<std::uint64_t>& counter) {
    if (record.confirmed != BlobSlot::kNone) confirmed = ReadSlot(record.confirmed, nullptr);
    if (counter.ok()) outcome.counter_before = counter.value();
    if (confirmed.accepted()) {
        outcome.counter_before = std::max(outcome.counter_before, confirmed.counter);
    }
    const bool is_fresh =
        counter.status() == Status::kAbsent && record.confirmed == BlobSlot::kNone;
    if (!is_fresh) outcome.counter_read = counter.status();
}

void Loading::Prepare(bool is_reload) {
    const Result<std::uint64_t> counter = LoadCounter(store);
    const Result<TrialRecord> read = LoadTrialRecord(store);
    if (read.ok()) {
        record = read.value();
    } else if (read.status() != Status::kAbsent) {
        outcome.record_read = read.status();
        record.confirmed = Guess(counter);
    } else if (counter.status() != Status::kAbsent) {
        record.confirmed = BlobSlot::kA;  // Of a version that knew no trials.
    }
    FindFloor(counter);
    const bool may_end = record.on_trial && record.confirmed != BlobSlot::kNone;
    if (is_reload || !may_end || record.starts < kMaxTrialStarts) return;
    outcome.ended_starts = record.starts;
    EndTrial();
}

/// Remembers the blob that was on trial, lest it be tried for ever.
void Loading::EndTrial() {
    Keep(GiveUpTrial(room.work, store));
    const Result<TrialRecord> read = LoadTrialRecord(store);
    if (read.ok()) record = read.value();
    record.on_trial = false;
}

/// The blob goes first: the slot that it goes to does not count until the record says so. A blob
/// that is there already is not written again, for the sake of flash memory.
Status Loading::KeepOnTrial(const SuppliedBlob& blob) {
    const BlobSlot slot = record.other();
    const bool is_there = CompareWith(blob.octets, slot, store, room.work) == Likeness::kSame;
    if (record.on_trial && is_there) {
        if (blob.is_reload) return Status::kOk;
        record.starts = static_cast<std::uint8_t>(std::min(record.starts + 1, 255));
        return SaveTrialRecord(record, store);
    }
    const bool ends_other = record.on_trial;  // Of another blob, which is about to go.
    record.on_trial = false;
    EMBER_TRY(ends_other ? SaveTrialRecord(record, store) : Status::kOk);
    EMBER_TRY(is_there ? Status::kOk : store.Save(StoreSlotOf(slot), blob.octets));
    record.on_trial = true;
    record.starts = 1;
    return SaveTrialRecord(record, store);
}

/// The verdict of this switch on a blob that is sound.
BlobVerdict Loading::JudgeSupplied(const SuppliedBlob& blob) {
    const bool was_rejected = MarkOf(blob.octets) == record.rejected;
    if (was_rejected && !blob.is_reload) return BlobVerdict::kRolledBack;
    // Another blob with the counter of the confirmed one is refused: else a person with both could
    // go from one to the other at will.
    if (!confirmed.accepted() || confirmed.counter != outcome.supplied.counter) {
        return BlobVerdict::kAccepted;
    }
    const bool is_other =
        CompareWith(blob.octets, record.confirmed, store, room.work) == Likeness::kOther;
    return is_other ? BlobVerdict::kSameCounter : BlobVerdict::kAccepted;
}

void Loading::TakeSupplied(const SuppliedBlob& blob) {
    // Judged first and taken afterwards: the stack has no room for the settings that a refusal
    // would have to bring back.
    outcome.supplied = ReadBlob(blob.octets, key, outcome.counter_before, room.tables, nullptr);
    if (!outcome.supplied.accepted()) return;
    outcome.supplied.verdict = JudgeSupplied(blob);
    if (!outcome.supplied.accepted()) return;
    TakeJudgedBlob(blob.octets, room.tables, settings);
    outcome.source = ConfigurationSource::kSupplied;
    const bool is_confirmed =
        record.confirmed != BlobSlot::kNone &&
        CompareWith(blob.octets, record.confirmed, store, room.work) == Likeness::kSame;
    if (!is_confirmed) {
        outcome.on_trial = true;
        outcome.can_roll_back = record.confirmed != BlobSlot::kNone;
        Keep(KeepOnTrial(blob));
        return;
    }
    // A request for the confirmed blob ends the trial of another one.
    const bool must_save = record.on_trial || outcome.record_read != Status::kOk;
    record.on_trial = false;
    if (must_save) Keep(SaveTrialRecord(record, store));
    Keep(RaiseCounter(outcome.supplied.counter, store));
}

void Loading::GoOnWithTrial(bool is_reload) {
    outcome.stored = ReadSlot(record.other(), &settings);
    if (!outcome.stored.accepted()) {
        record.on_trial = false;  // Lost while it was written, or damaged since.
        Keep(SaveTrialRecord(record, store));
        return;
    }
    outcome.source = ConfigurationSource::kTrial;
    outcome.on_trial = true;
    outcome.can_roll_back = record.confirmed != BlobSlot::kNone;
    if (is_reload) return;
    record.starts = static_cast<std::uint8_t>(std::min(record.starts + 1, 255));
    Keep(SaveTrialRecord(record, store));
}

void Loading::TakeConfirmed() {
    if (record.confirmed != BlobSlot::kNone) {
        outcome.stored = ReadSlot(record.confirmed, &settings);
        outcome.source = ConfigurationSource::kLastGood;
    }
    if (outcome.stored.accepted()) return;
    outcome.source = ConfigurationSource::kUnchanged;
    if (record.on_trial) return;  // The other one is the very one to be got rid of.
    const BlobReport other = ReadSlot(record.other(), &settings);
    if (!other.accepted()) return;
    outcome.stored = other;
    outcome.source = ConfigurationSource::kOther;
}

void Loading::TakeStored(bool is_reload) {
    if (record.on_trial) GoOnWithTrial(is_reload);
    if (outcome.source == ConfigurationSource::kUnchanged) TakeConfirmed();
}

}  // namespace

ConfigurationOutcome LoadConfiguration(const SuppliedBlob& blob, const PublicKey& key, Store& store,
                                       const LoadingRoom& room, Settings& settings) {
    Loading loading{key, store, room, settings, {}, {}, {}};
    loading.Prepare(blob.is_reload);
    loading.TakeSupplied(blob);
    if (loading.outcome.source == ConfigurationSource::kUnchanged) {
        loading.TakeStored(blob.is_reload);
    }
    return loading.outcome;
}

/// The counter goes first: power lost in between leaves the blob on trial, and it is still as old
/// as the counter; the other way round a blob that is older than the confirmed one would pass.
Status ConfirmConfiguration(std::uint64_t counter, Store& store) {
    const Result<TrialRecord> read = LoadTrialRecord(store);
    if (!read.ok()) return read.status() == Status::kAbsent ? Status::kOk : read.status();
    TrialRecord record = read.value();
    if (!record.on_trial) return Status::kOk;
    EMBER_TRY(RaiseCounter(counter, store));
    record.confirmed = record.other();
    record.on_trial = false;
    record.starts = 0;
    return SaveTrialRecord(record, store);
}

Status GiveUpTrial(std::span<std::byte> work, Store& store) {
    const Result<TrialRecord> read = LoadTrialRecord(store);
    if (!read.ok()) return read.status() == Status::kAbsent ? Status::kOk : read.status();
    TrialRecord record = read.value();
    if (!record.on_trial) return Status::kOk;
    if (record.confirmed == BlobSlot::kNone) return Status::kAbsent;
    const Result<std::size_t> bytes = store.Load(StoreSlotOf(record.other()), work);
    if (bytes.ok() && bytes.value() >= kSignatureBytes) {
        record.rejected = MarkOf(std::span<const std::byte>(work).first(bytes.value()));
    }
    record.on_trial = false;
    record.starts = 0;
    return SaveTrialRecord(record, store);
}

ConfigurationOutcome LoadConfirmed(const PublicKey& key, Store& store, const LoadingRoom& room,
                                   Settings& settings) {
    Loading loading{key, store, room, settings, {}, {}, {}};
    loading.Prepare(true);
    loading.TakeConfirmed();
    return loading.outcome;
}

Status ExcuseStart(Store& store) {
    const Result<TrialRecord> read = LoadTrialRecord(store);
    if (!read.ok()) return read.status() == Status::kAbsent ? Status::kOk : read.status();
    TrialRecord record = read.value();
    if (!record.on_trial || record.starts == 0) return Status::kOk;
    --record.starts;
    return SaveTrialRecord(record, store);
}

}  // namespace ember
