// SPDX-License-Identifier: Apache-2.0
// EmberSM: what became of the configurations that were given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/blob/load_configuration.h"
#include "config/blob/public_key.h"
#include "config/blob/trial_guard.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/log/fixed_text.h"
#include "core/log/words.h"

namespace ember {

/// The configuration in force, and what became of the last one that was handed in.
struct ConfigurationReport {
    bool given = false;      ///< There was a key, and so perhaps a blob that it fits.
    PublicKey key{};         ///< The key, if given.
    std::size_t octets = 0;  ///< Of the blob that is in force, or of the refused one at the start.
    ConfigurationOutcome outcome{};  ///< How that came to be in force.
    std::uint64_t reloads = 0;       ///< Since the start: configurations taken over from a file.
    std::uint64_t refused_reloads = 0;
    std::uint64_t confirmed_trials = 0;
    std::uint64_t failed_trials = 0;  ///< Rolled back, or overdue with nothing to go back to.
    std::uint64_t trial_left_us = 0;  ///< Of the time that a trial has, while one runs.
    TrialWait trial_waits_for = TrialWait::kSubnetUp;  ///< While one runs.
    /// Keys that are not as they were at the start, when they act.
    StaticVector<StartKey, kStartKeys> restart_keys;
    std::array<char, 384> complaint{};  ///< Why the last one was refused.
    std::size_t complaint_bytes = 0;    ///< 0: it was not.
};

/// "supplied blob", ... by ConfigurationSource.
[[nodiscard]] std::string_view WordOf(ConfigurationSource source);

/// "subnet up", ... by TrialWait.
[[nodiscard]] std::string_view WordOf(TrialWait wait);

/// The nearest word that a note has for a verdict.
[[nodiscard]] Status StatusOf(BlobVerdict verdict);

/// Why a blob was refused: the verdict, the field, or how much room its tables take of
/// `room_bytes`.
void AddVerdict(FixedText& text, const BlobReport& report, std::size_t room_bytes);

/// Adds a sentence on what is in force, without a full stop.
void AddConfiguration(FixedText& text, const ConfigurationReport& report);

}  // namespace ember
