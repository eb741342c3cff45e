// SPDX-License-Identifier: Apache-2.0
// EmberSM: a new configuration while the subnet manager runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/blob/trial_guard.h"
#include "core/log/fixed_text.h"
#include "core/manager/subnet_manager.h"
#include "core/platform.h"
#include "platform/linux/configuration/configure.h"

namespace ember {

/// Reads the configuration's file again when an operator asks for it (SIGHUP, `emberctl reload`),
/// and hands it to the subnet manager when it is signed, sound and not older than the one before.
/// In every other case what is in force stays so, and the log says why.
///
/// Tables of option files live in one of two rooms. Settings in force are never written to: a new
/// configuration goes into the room that nothing in force looks into. So a second one has to wait
/// until the subnet manager has taken over the first, at its next heavy sweep. Uses no heap. Reads
/// a file and writes slots of the store, which takes milliseconds of one step.
///
/// A new configuration is on trial: TrialGuard judges it by the subnet, and the store is told. A
/// verdict that has begun to be written is gone on with, whatever becomes of the subnet meanwhile,
/// and takes effect when it is safe.
class Reloader {
public:
    struct Parts {
        SubnetManager& sm;
        const Clock& clock;  ///< The subnet manager's, for the log.
        Store& store;
        ConfigurationRoom room;  ///< Its tables: where those in force are.
        OptionRoom other_tables;
        ConfigurationReport& report;        ///< Of Configure(); kept up to date.
        std::uint64_t trial_us = kTrialUs;  ///< The time to bring the subnet up.
        /// The same store, for what a trial came to, without waiting for it: Save() may say kBusy,
        /// and then Load() of that slot too (StoreWriter::strict()). nullptr: `store`.
        Store* verdicts = nullptr;
    };
    static constexpr std::uint64_t kTrialUs = 120'000'000;

    explicit Reloader(const Parts& parts) : parts_(parts), at_start_(parts.sm.settings()) {}
    Reloader(const Reloader&) = delete;
    Reloader& operator=(const Reloader&) = delete;

    /// Copies what Configure() was given, and accepted, for the heap is out of bounds later.
    void Remember(const ConfigurationFiles& files);

    /// True: the subnet manager has been configured anew and will sweep. False: `why` has a
    /// sentence. No dump may look into tables meanwhile.
    [[nodiscard]] bool Reload(FixedText& why);

    /// To be called once before the first step, and done by Reload() itself: if the configuration
    /// is on trial, its time begins.
    void BeginTrial();
    /// To be called often. Confirms a configuration on trial, or rolls it back and has the subnet
    /// swept with the last good one. A dump that looks into tables puts the latter off, which
    /// waits_for_tables() tells.
    void WatchTrial(bool tables_are_read);
    [[nodiscard]] bool waits_for_tables() const { return waits_for_tables_; }
    /// Call WatchTrial() again within so many microseconds; the largest number: no need to.
    [[nodiscard]] std::uint64_t watch_within_us() const;
    /// The process ends in order; no save says kBusy any more. With `confirms`, as no other process
    /// will watch the trial, a configuration with which the subnet is up, routed as configured, is
    /// confirmed.
    void EndInOrder(bool confirms);

private:
    [[nodiscard]] bool OtherTablesAreInForce() const;
    [[nodiscard]] TrialView View() const;
    /// The verdict that is being written.
    enum class Verdict : std::uint8_t { kNone, kConfirmed, kRolledBack };
    [[nodiscard]] Store& Verdicts() const {
        return parts_.verdicts != nullptr ? *parts_.verdicts : parts_.store;
    }
    void Confirm();
    [[nodiscard]] bool FindFallback();
    void RollBack();
    void TakeFallback();
    void NoteKept(Status status);
    void NoteRestartKeys(const Settings& settings);
    struct Refusal {
        Status status = Status::kOk;
        std::string_view sentence;  ///< Its end, if `why` has its beginning.
        std::uint64_t counter = 0;
        std::uint64_t last_counter = 0;
    };
    [[nodiscard]] bool Refuse(const Refusal& refusal, FixedText& why);
    [[nodiscard]] bool ReadFile(std::size_t& octets, FixedText& why);

    static constexpr std::size_t kPathBytes = 4096;

    /// The values of the keys that act at the start.
    struct AtStart {
        explicit AtStart(const Settings& settings)
            : guid(settings.guid),
              sm_inactive(settings.sm_inactive),
              reassign_lids(settings.reassign_lids) {}
        Guid guid;
        bool sm_inactive;
        bool reassign_lids;
    };

    Parts parts_;
    AtStart at_start_;
    TrialGuard guard_;
    ConfigurationOutcome before_;  ///< Of what was in force before the last one accepted.
    Verdict verdict_ = Verdict::kNone;
    bool waits_for_tables_ = false;
    Settings fallback_;  ///< While a roll-back is being written: what comes into force then.
    ConfigurationOutcome fallback_outcome_;
    bool has_files_ = false;
    std::array<char, kPathBytes> path_{};
};

}  // namespace ember
