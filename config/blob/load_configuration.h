// SPDX-License-Identifier: Apache-2.0
// EmberSM: which configuration to run with: the one supplied, or else the last good one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/blob/blob_reader.h"
#include "config/blob/container.h"
#include "core/base/status.h"
#include "core/platform.h"
#include "core/settings.h"

namespace ember {

/// Where the settings in force come from.
enum class ConfigurationSource : std::uint8_t {
    kSupplied,   ///< The blob that was handed in.
    kLastGood,   ///< The blob that the store had kept.
    kUnchanged,  ///< Neither would do: `settings` was not touched.
};

/// What happened, for the caller to log: the core knows nothing of blobs.
struct ConfigurationOutcome {
    ConfigurationSource source = ConfigurationSource::kUnchanged;
    BlobReport supplied;                ///< Verdict on the blob that was handed in.
    BlobReport last_good;               ///< Verdict on the stored one; kAbsent when not looked at.
    std::uint64_t counter_before = 0;   ///< The floor that the supplied blob was held against.
    Status counter_read = Status::kOk;  ///< kMalformed: the stored counter is damaged, see below.
    Status kept = Status::kOk;          ///< Not kOk: the accepted blob could not be stored.
};

/// Memory to load with, lent by the board.
struct LoadingRoom {
    std::span<std::byte> work;  ///< Begins at a multiple of 8: for the blob that the store kept.
    OptionRoom tables;          ///< Not in use: what stays of a blob.
};

/// Accepts `supplied` if it may be, and keeps it and its counter in `store`; otherwise falls back
/// to the blob that was accepted last, verified again as if it were new (its age apart).
///
/// `supplied` must begin at a multiple of 8 and lie outside `room`. A stored blob that is larger
/// than room.work counts as none. room.tables may be written even when the outcome is kUnchanged;
/// with any other one `settings` points into it. A stored counter that is damaged does not stop the
/// switch from being configured: the counter of the stored blob takes its place. Nothing is written
/// to the store when the same blob is accepted again.
[[nodiscard]] ConfigurationOutcome LoadConfiguration(std::span<const std::byte> supplied,
                                                     const PublicKey& key,
                                                     Store& store,
                                                     const LoadingRoom& room,
                                                     Settings& settings);

}  // namespace ember
