// SPDX-License-Identifier: Apache-2.0
// EmberSM: which configuration to run with: the one supplied, the one on trial, or the last good
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/blob/blob_reader.h"
#include "config/blob/container.h"
#include "config/blob/trial_record.h"
#include "core/base/status.h"
#include "core/platform.h"
#include "core/settings/settings.h"

namespace ember {

/// Where the settings in force come from.
enum class ConfigurationSource : std::uint8_t {
    kSupplied,   ///< The blob that was handed in.
    kLastGood,   ///< The stored blob that was confirmed last.
    kUnchanged,  ///< None would do: `settings` was not touched.
    kTrial,      ///< The stored blob that is on trial.
    kOther,      ///< The other stored blob, for the one that was confirmed is damaged.
};

/// A blob that is handed in; empty: none is.
struct SuppliedBlob {
    std::span<const std::byte> octets;  ///< Begins at a multiple of 8 and lies outside the room.
    /// Somebody asks for it while the subnet manager runs: no start is counted, and a blob that was
    /// rolled back gets another trial.
    bool is_reload = false;
};

/// The outcome, for the caller to log: the core knows nothing of blobs.
struct ConfigurationOutcome {
    ConfigurationSource source = ConfigurationSource::kUnchanged;
    BlobReport supplied;               ///< Verdict on the blob that was handed in.
    BlobReport stored;                 ///< On the stored one; kAbsent when none was needed.
    std::uint64_t counter_before = 0;  ///< The floor that the supplied blob was held against.
    /// kMalformed: the stored counter is damaged; kAbsent: it is gone though a blob was confirmed.
    Status counter_read = Status::kOk;
    Status record_read = Status::kOk;  ///< kMalformed: so is the TrialRecord.
    Status kept = Status::kOk;         ///< Not kOk: what was decided could not be stored.
    bool on_trial = false;             ///< The settings are those of a blob on trial.
    bool can_roll_back = false;        ///< And there is a confirmed one.
    /// A trial was given up here: so many starts with it came to no orderly end. 0: none was.
    std::uint8_t ended_starts = 0;

    /// Of the configuration in force; 0 when there is none.
    [[nodiscard]] constexpr std::uint64_t counter() const {
        if (source == ConfigurationSource::kUnchanged) return 0;
        return source == ConfigurationSource::kSupplied ? supplied.counter : stored.counter;
    }
};

/// Memory to load with, lent by the board.
struct LoadingRoom {
    std::span<std::byte> work;  ///< Begins at a multiple of 8: for a blob that the store kept.
    OptionRoom tables;          ///< Not in use: what stays of a blob.
};

/// Decides which configuration to run with.
///
/// A supplied blob that is acceptable and is not the confirmed one is stored beside that and is on
/// trial until ConfirmConfiguration() or GiveUpTrial(). Without one it is the stored blob on trial,
/// or the confirmed one, or, when that is damaged, the other; each is verified as if it were new
/// (their age apart: they were accepted before). A trial that kMaxTrialStarts starts ended in is
/// given up, if there is a confirmed blob. Its blob is then refused (kRolledBack) until it comes by
/// a reload.
///
/// The counter below which a supplied blob is refused is raised when a blob is confirmed, and is
/// never less than that of the confirmed blob: a counter that is damaged or gone neither stops the
/// switch from being configured nor lets it go back. A counter tells one configuration: a blob with
/// that of the confirmed one that says something else is refused (kSameCounter). A TrialRecord that
/// is damaged is told from the counter. A stored blob
/// that is larger than room.work counts as none. room.tables may be written even when the outcome
/// is kUnchanged; with any other one `settings` points into it. Nothing is written when nothing has
/// changed. The power may be lost between any two writes: docs/decisions/0024 goes through them.
[[nodiscard]] ConfigurationOutcome LoadConfiguration(const SuppliedBlob& blob, const PublicKey& key,
                                                     Store& store, const LoadingRoom& room,
                                                     Settings& settings);

/// The blob on trial, with this counter, has proved itself: it is the last good one from now on,
/// and nothing older than it is accepted. kOk also when nothing is on trial. Otherwise as
/// Store::Save(), and to be called again after kBusy.
Status ConfirmConfiguration(std::uint64_t counter, Store& store);

/// The blob on trial has failed: it is not used again by itself. `work` is lent as for
/// LoadConfiguration(). Otherwise as ConfirmConfiguration(); kAbsent: no blob was ever confirmed,
/// so the trial goes on.
Status GiveUpTrial(std::span<std::byte> work, Store& store);

/// Reads the confirmed blob into `settings`, or the other one if that is damaged and not on trial:
/// what a trial is rolled back to. The outcome is kLastGood, kOther or kUnchanged.
[[nodiscard]] ConfigurationOutcome LoadConfirmed(const PublicKey& key, Store& store,
                                                 const LoadingRoom& room, Settings& settings);

/// The process ends in order: this start is not held against the blob on trial, if one is.
Status ExcuseStart(Store& store);

}  // namespace ember
