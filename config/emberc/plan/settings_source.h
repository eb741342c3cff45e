// SPDX-License-Identifier: Apache-2.0
// EmberSM: the settings of a plan, from a blob or an opensm.conf.
#pragma once

#include <memory>
#include <string>

#include "config/emberc/configuration.h"
#include "core/settings/settings.h"

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
    /// are compiled from it on the same terms, signed or not.
    [[nodiscard]] const std::string& digest() const { return digest_; }
    /// Read from an opensm.conf, of whose files the diagnostics say what the fabric has not.
    [[nodiscard]] bool is_from_text() const { return is_from_text_; }

private:
    friend std::unique_ptr<PlanSettings> LoadSettings(const std::string& path,
                                                      const emberc::ReadingTerms& terms);
    struct Room;

    Settings settings_;
    std::string digest_;
    bool is_from_text_ = false;
    std::unique_ptr<Room> room_;
};

/// Reads a blob (its signature is not verified: a plan changes no subnet), a bare payload, or an
/// opensm.conf, which is read as `emberc compile` reads it, default files and all: what is said of
/// a plan holds for the blob. But a plan writes none, so that a key without effect is no error.
/// Diagnostics go to standard error; nullptr when there were errors, or warnings that count as
/// such. Throws emberc::FileError when a file cannot be read.
[[nodiscard]] std::unique_ptr<PlanSettings> LoadSettings(const std::string& path,
                                                         const emberc::ReadingTerms& terms = {});

}  // namespace ember::plan
