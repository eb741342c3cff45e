// SPDX-License-Identifier: Apache-2.0
// EmberSM: what became of the configurations that were given.

#include "platform/common/configuration_report.h"

#include <array>

namespace ember {

std::string_view WordOf(ConfigurationSource source) {
    static constexpr std::array<std::string_view, 5> kWords = {
        "supplied blob", "last good blob", "built-in defaults", "stored blob on trial",
        "other stored blob, for the last good one is damaged"};
    static_assert(kWords.size() == static_cast<std::size_t>(ConfigurationSource::kOther) + 1);
    return kWords[static_cast<std::size_t>(source)];
}

std::string_view WordOf(TrialWait wait) {
    static constexpr std::array<std::string_view, 4> kWords = {"subnet up", "own routes", "calm",
                                                               "mastership"};
    static_assert(kWords.size() == static_cast<std::size_t>(TrialWait::kMastership) + 1);
    return kWords[static_cast<std::size_t>(wait)];
}

namespace {

/// The event that the trial needs to end well.
std::string_view Explain(TrialWait wait) {
    static constexpr std::array<std::string_view, 4> kWords = {
        "waits for SUBNET UP",
        "waits for routes of its own: no engine of its list could route the fabric, "
        "and tables of before are kept",
        "the subnet is up with it, waits for the next light sweep to find it so",
        "waits until this subnet manager is master, and its time stands still"};
    static_assert(kWords.size() == static_cast<std::size_t>(TrialWait::kMastership) + 1);
    return kWords[static_cast<std::size_t>(wait)];
}

void AddTrial(FixedText& text, const ConfigurationReport& report) {
    text.Add("; on trial: ").Add(Explain(report.trial_waits_for));
    if (report.trial_left_us == 0) return;
    text.Add("; ").AddNumber(report.trial_left_us / 1'000'000).Add(" s are left");
}

}  // namespace

Status StatusOf(BlobVerdict verdict) {
    switch (verdict) {
        case BlobVerdict::kAccepted:
            return Status::kOk;
        case BlobVerdict::kAbsent:
            return Status::kAbsent;
        case BlobVerdict::kUnsigned:
        case BlobVerdict::kOtherKey:
        case BlobVerdict::kForged:
        case BlobVerdict::kBadKey:
            return Status::kForged;
        case BlobVerdict::kUnknownContainer:
        case BlobVerdict::kUnknownSchema:
            return Status::kUnknown;
        case BlobVerdict::kStale:
        case BlobVerdict::kSameCounter:
            return Status::kStale;
        case BlobVerdict::kTooLarge:
            return Status::kFull;
        case BlobVerdict::kRolledBack:
        case BlobVerdict::kNotEnforceable:
            return Status::kRefused;
        case BlobVerdict::kNoCrypto:
            return Status::kDevice;
        case BlobVerdict::kTruncated:
        case BlobVerdict::kNoBlob:
        case BlobVerdict::kMalformed:
        case BlobVerdict::kOutOfRange:
            return Status::kMalformed;
    }
    return Status::kMalformed;
}

void AddVerdict(FixedText& text, const BlobReport& report, std::size_t room_bytes) {
    text.Add(Explain(report.verdict));
    if (!report.field.empty()) text.Add(" (").Add(report.field).Add(')');
    if (report.verdict != BlobVerdict::kTooLarge) return;
    text.Add(" (").AddNumber(report.room_bytes).Add(" octets of ");
    text.AddNumber(room_bytes).Add(')');
}

void AddConfiguration(FixedText& text, const ConfigurationReport& report) {
    const ConfigurationOutcome& outcome = report.outcome;
    text.Add("running with ").Add(WordOf(outcome.source));
    if (outcome.source == ConfigurationSource::kSupplied) {
        text.Add(", counter ").AddNumber(outcome.supplied.counter);
    } else {
        if (outcome.source != ConfigurationSource::kUnchanged) {
            text.Add(", counter ").AddNumber(outcome.counter());
        }
        if (outcome.supplied.verdict != BlobVerdict::kAbsent) {
            text.Add("; the supplied blob was refused: ").Add(Explain(outcome.supplied.verdict));
            if (!outcome.supplied.field.empty()) {
                text.Add(" (").Add(outcome.supplied.field).Add(')');
            }
        }
    }
    if (outcome.on_trial) AddTrial(text, report);
    for (const StartKey key : report.restart_keys) {
        text.Add("; ").Add(kStartKeyWords[static_cast<std::size_t>(key)]);
        text.Add(" has changed and takes a restart");
    }
    if (report.complaint_bytes == 0) return;
    text.Add("; the last one read was refused: ");
    text.Add(std::string_view(report.complaint.data(), report.complaint_bytes));
}

}  // namespace ember
