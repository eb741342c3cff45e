// SPDX-License-Identifier: Apache-2.0
// EmberSM: which of the two stored configurations counts, and whether the other one is on trial.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/status.h"
#include "core/platform.h"

namespace ember {

/// The two slots of the store that hold configurations, or none.
enum class BlobSlot : std::uint8_t { kNone, kA, kB };

/// Tells blobs apart: the first half of the signature, which only the signer can choose, and
/// which stays when another writes the same signature in its other form (s as -s).
using BlobMark = std::array<std::byte, 32>;

/// Of a signed blob, at least kSignatureBytes long.
[[nodiscard]] BlobMark MarkOf(std::span<const std::byte> signed_blob);

/// The content of the slot kConfigurationTrial. A change of the configuration changes this last, in
/// one write, and so from one state to the next or not at all.
///
///                   a new blob: the other slot       SUBNET UP, and it stays
///   {A, no trial} -------------------------> {A, trial of B} ------------> {B, no trial}
///         ^                                        |
///         +------ the deadline, or a second start -+   (B's mark is kept: not again by itself)
struct TrialRecord {
    BlobSlot confirmed = BlobSlot::kNone;  ///< Has brought the subnet up; kNone: none ever has.
    bool on_trial = false;                 ///< The blob in the other slot waits for its verdict.
    std::uint8_t starts = 0;               ///< Of the process with it that did not end orderly.
    BlobMark rejected{};                   ///< Of the blob that was rolled back last; 0: of none.

    /// Where a new blob goes, and where the one on trial is.
    [[nodiscard]] constexpr BlobSlot other() const {
        return confirmed == BlobSlot::kA ? BlobSlot::kB : BlobSlot::kA;
    }
};

/// A blob that this many starts ended in a crash or a loss of power is not tried again.
inline constexpr std::uint8_t kMaxTrialStarts = 2;

/// Where in the store; not of kNone.
[[nodiscard]] StoreSlot StoreSlotOf(BlobSlot slot);

/// kAbsent: never written, so no blob was, or one by a version that knew no trials. kMalformed:
/// damaged, or a value that makes no sense.
[[nodiscard]] Result<TrialRecord> LoadTrialRecord(Store& store);

/// As Store::Save().
Status SaveTrialRecord(const TrialRecord& record, Store& store);

}  // namespace ember
