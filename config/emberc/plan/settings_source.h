// SPDX-License-Identifier: Apache-2.0
// EmberSM: the settings of a plan, from a blob or an opensm.conf.
#pragma once

#include <memory>
#include <string>

#include "core/settings.h"

namespace ember::plan {

/// Settings and the memory of the tables that they refer to.
class PlanSettings {
public:
    /// The defaults.
    PlanSettings();
    ~PlanSettings();
    PlanSettings(const PlanSettings&) = delete;
    PlanSettings& operator=(const PlanSettings&) = delete;

    [[nodiscard]] const Settings& settings() const { return settings_; }
    /// SHA-256 of the payload, in hexadecimal: the same for an opensm.conf and for the blobs that
    /// are compiled from it with --no-default-files, signed or not.
    [[nodiscard]] const std::string& digest() const { return digest_; }

private:
    friend std::unique_ptr<PlanSettings> LoadSettings(const std::string& path, bool strict);
    struct Room;

    Settings settings_;
    std::string digest_;
    std::unique_ptr<Room> room_;
};

/// Reads a blob (its signature is not verified: a plan changes no subnet), a bare payload, or an
/// opensm.conf with the files that it names. Diagnostics go to standard error; nullptr when there
/// were errors, or warnings and `strict`. Throws emberc::FileError when a file cannot be read.
[[nodiscard]] std::unique_ptr<PlanSettings> LoadSettings(const std::string& path,
                                                         bool strict = false);

}  // namespace ember::plan
