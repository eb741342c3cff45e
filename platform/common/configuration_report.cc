// SPDX-License-Identifier: Apache-2.0
// EmberSM: what became of the configurations that were given.

#include "platform/common/configuration_report.h"

namespace ember {

std::string_view WordOf(ConfigurationSource source) {
    switch (source) {
        case ConfigurationSource::kSupplied:
            return "supplied blob";
        case ConfigurationSource::kLastGood:
            return "last good blob";
        case ConfigurationSource::kUnchanged:
            return "built-in defaults";
        case ConfigurationSource::kTrial:
            return "stored blob on trial";
        case ConfigurationSource::kOther:
            return "other stored blob, for the last good one is damaged";
    }
    return "unknown";
}

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
            return Status::kStale;
        case BlobVerdict::kTooLarge:
            return Status::kFull;
        case BlobVerdict::kRolledBack:
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
    if (outcome.on_trial) text.Add("; on trial until the subnet is up");
    if (report.complaint_bytes == 0) return;
    text.Add("; the last one read was refused: ");
    text.Add(std::string_view(report.complaint.data(), report.complaint_bytes));
}

}  // namespace ember
