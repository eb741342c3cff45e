// SPDX-License-Identifier: Apache-2.0
// EmberSM: which of the two stored configurations counts, and whether the other one is on trial.
#include "config/blob/trial_record.h"

#include <algorithm>
#include <bit>

#include "config/blob/container.h"
#include "core/base/assert.h"
#include "core/base/be.h"

namespace ember {
namespace {

constexpr std::uint8_t kVersion = 1;

struct Stored {
    std::uint8_t version = kVersion;
    std::uint8_t confirmed = 0;
    std::uint8_t on_trial = 0;
    std::uint8_t starts = 0;
    BlobMark rejected{};
};
static_assert(WireStruct<Stored>);
static_assert(sizeof(Stored) == 36);
using StoredOctets = std::array<std::byte, sizeof(Stored)>;

}  // namespace

BlobMark MarkOf(std::span<const std::byte> signed_blob) {
    EMBER_ASSERT(signed_blob.size() >= kSignatureBytes);
    BlobMark mark{};
    const auto signature = signed_blob.last(kSignatureBytes);
    std::copy_n(signature.begin(), mark.size(), mark.begin());
    return mark;
}

StoreSlot StoreSlotOf(BlobSlot slot) {
    EMBER_ASSERT(slot != BlobSlot::kNone);
    return slot == BlobSlot::kA ? StoreSlot::kConfigurationBlob : StoreSlot::kConfigurationOther;
}

Result<TrialRecord> LoadTrialRecord(Store& store) {
    StoredOctets octets{};
    const Result<std::size_t> bytes = store.Load(StoreSlot::kConfigurationTrial, octets);
    if (bytes.status() == Status::kFull) return Status::kMalformed;
    if (!bytes.ok()) return bytes.status();
    if (bytes.value() != octets.size()) return Status::kMalformed;
    const auto stored = std::bit_cast<Stored>(octets);
    if (stored.version != kVersion || stored.on_trial > 1) return Status::kMalformed;
    if (stored.confirmed > static_cast<std::uint8_t>(BlobSlot::kB)) return Status::kMalformed;
    TrialRecord record;
    record.confirmed = static_cast<BlobSlot>(stored.confirmed);
    record.on_trial = stored.on_trial != 0;
    record.starts = stored.starts;
    record.rejected = stored.rejected;
    return record;
}

Status SaveTrialRecord(const TrialRecord& record, Store& store) {
    Stored stored;
    stored.confirmed = static_cast<std::uint8_t>(record.confirmed);
    stored.on_trial = record.on_trial ? 1 : 0;
    stored.starts = record.starts;
    stored.rejected = record.rejected;
    return store.Save(StoreSlot::kConfigurationTrial, std::bit_cast<StoredOctets>(stored));
}

}  // namespace ember
