// SPDX-License-Identifier: Apache-2.0
// EmberSM: the settings of a plan, from a blob or an opensm.conf.
#include "config/emberc/plan/settings_source.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fmt/format.h>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "config/blob/option_files.h"
#include "config/blob/payload.h"
#include "config/blob/signature.h"
#include "config/emberc/blob_file.h"
#include "config/emberc/configuration.h"
#include "config/emberc/files.h"
#include "config/emberc/payload_writer.h"
#include "config/emberc/say.h"

namespace ember::plan {
namespace {

/// Memory that begins where a board's would.
struct alignas(64) Grain {
    std::array<std::byte, 64> octets;
};

/// Text has no octet 0; a blob's header and a FlatBuffers payload have many.
bool IsText(std::span<const std::byte> file) {
    return std::find(file.begin(), file.end(), std::byte{0}) == file.end();
}

std::vector<std::byte> PayloadOfDefaults() {
    emberc::Configuration defaults;
    defaults.conf = emberc::DefaultConf();
    return emberc::WritePayload(defaults.values());
}

std::string DigestOf(std::span<const std::byte> payload) {
    const Result<Digest> digest = Sha256(payload);
    if (!digest.ok()) throw std::runtime_error("the crypto library cannot compute SHA-256");
    return fmt::format("{:02x}", fmt::join(digest.value(), ""));
}

/// A plan writes no blob: what would be an error for a key without effect is a warning.
std::vector<std::byte> PayloadOfText(const std::string& path, std::string_view text,
                                     emberc::ReadingTerms terms) {
    terms.allowances.refuses = false;
    const emberc::Configuration read = emberc::ReadConfiguration(path, text, terms);
    emberc::SayDiagnostics(stderr, read.reports, terms.showing);
    if (!emberc::AreSilent(read.reports)) {
        emberc::Say(stderr, "{}: {}\n", path, emberc::Summary(read.reports, terms.showing));
    }
    if (!read.is_good) return {};
    return emberc::WritePayload(read.values(), read.contents);
}

}  // namespace

struct PlanSettings::Room {
    std::vector<Grain> grains;
};

PlanSettings::PlanSettings() : digest_(DigestOf(PayloadOfDefaults())) {}
PlanSettings::~PlanSettings() = default;

std::unique_ptr<PlanSettings> LoadSettings(const std::string& path,
                                           const emberc::ReadingTerms& terms) {
    const std::vector<std::byte> file = emberc::ReadFile(path);
    std::vector<std::byte> payload;
    if (IsText(file)) {
        std::string text(file.size(), '\0');
        std::ranges::transform(file, text.begin(),
                               [](std::byte octet) { return std::to_integer<char>(octet); });
        payload = PayloadOfText(path, text, terms);
        if (payload.empty()) return nullptr;
    } else {
        payload = emberc::TakeApart(file).payload;
    }
    auto loaded = std::make_unique<PlanSettings>();
    loaded->digest_ = DigestOf(payload);
    loaded->is_from_text_ = IsText(file);
    loaded->room_ = std::make_unique<PlanSettings::Room>();
    std::vector<Grain>& grains = loaded->room_->grains;
    // The reader asks for a payload that begins at a multiple of 8.
    std::vector<Grain> aligned((payload.size() + sizeof(Grain) - 1) / sizeof(Grain));
    std::ranges::copy(payload, std::as_writable_bytes(std::span(aligned)).begin());
    const auto octets = std::as_bytes(std::span(aligned)).first(payload.size());
    grains.resize(OptionRoomBytesFor(payload.size()) / sizeof(Grain));
    const PayloadReport report =
        ReadPayload(octets, {std::as_writable_bytes(std::span(grains)), true}, loaded->settings_);
    if (!report.accepted()) {
        throw std::runtime_error(
            fmt::format("{} holds no valid configuration{}", path,
                        report.field_out_of_range.empty()
                            ? std::string()
                            : fmt::format(": {} is out of range", report.field_out_of_range)));
    }
    return loaded;
}

}  // namespace ember::plan
