// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the log is told when the process starts.

#include "platform/linux/embersm/start_notes.h"

#include <utility>

#include "core/platform.h"

namespace ember {
namespace {

std::uint64_t Number(Status status) {
    return static_cast<std::uint64_t>(status);
}

void NoteSource(Log& log, const ConfigurationReport& configuration, std::uint64_t now_us) {
    const ConfigurationOutcome& outcome = configuration.outcome;
    if (outcome.source == ConfigurationSource::kSupplied) {
        log.Write<Note::kBlobAccepted>(now_us, outcome.supplied.counter, configuration.octets);
        return;
    }
    if (outcome.supplied.verdict != BlobVerdict::kAbsent) {
        log.Write<Note::kBlobRefused>(now_us, Number(StatusOf(outcome.supplied.verdict)),
                                      outcome.supplied.counter, outcome.counter_before);
    }
    if (outcome.source == ConfigurationSource::kLastGood) {
        log.Write<Note::kLastBlobKept>(now_us, outcome.counter());
    }
    if (outcome.source == ConfigurationSource::kOther) {
        log.Write<Note::kOtherBlobTaken>(now_us, outcome.counter());
    }
}

}  // namespace

void NoteSeat(Log& log, Guid own_port, std::span<const MemoryRow> memory, std::uint64_t now_us) {
    std::uint64_t bytes = 0;
    for (const MemoryRow& row : memory) {
        bytes += row.bytes;
    }
    log.Write<Note::kStarted>(now_us, own_port, bytes);
}

void NoteRestart(Log& log, const Supervision& supervision, std::uint64_t now_us) {
    const std::uint64_t restarts = supervision.restarts;
    const auto number = static_cast<std::uint64_t>(supervision.before.number);
    switch (supervision.before.kind) {
        case Fate::Kind::kNone:
            return;
        case Fate::Kind::kExit:
            return log.Write<Note::kRestartedAfterExit>(now_us, restarts, number);
        case Fate::Kind::kSignal:
            return log.Write<Note::kRestartedAfterSignal>(now_us, restarts, number);
        case Fate::Kind::kHang:
            return log.Write<Note::kRestartedAfterHang>(now_us, restarts, number);
    }
}

void NoteConfiguration(Log& log, const ConfigurationReport& configuration, std::uint64_t now_us) {
    NoteSource(log, configuration, now_us);
    const ConfigurationOutcome& outcome = configuration.outcome;
    if (outcome.ended_starts != 0) {
        log.Write<Note::kTrialDied>(now_us, outcome.ended_starts, outcome.counter());
    }
    const std::pair<StoreSlot, Status> kRead[] = {
        {StoreSlot::kConfigurationCounter, outcome.counter_read},
        {StoreSlot::kConfigurationTrial, outcome.record_read}};
    for (const auto& [slot, status] : kRead) {
        if (status == Status::kOk) continue;
        log.Write<Note::kStoreMalformed>(now_us, static_cast<std::uint64_t>(slot), Number(status));
    }
    if (outcome.kept != Status::kOk) {
        const auto slot = static_cast<std::uint64_t>(StoreSlot::kConfigurationBlob);
        log.Write<Note::kStoreFailed>(now_us, slot, Number(outcome.kept));
    }
}

}  // namespace ember
