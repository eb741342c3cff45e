// SPDX-License-Identifier: Apache-2.0
// EmberSM: from what shall be to Set() datagrams, and only those that change something.

#include "core/programming/programming.h"

namespace ember {

Programming::Programming(const Memory& memory, const Limits& limits, const Parts& parts,
                         const Settings& settings)
    : asker_({parts.fabric, parts.exchange, parts.log}, settings, outcome_),
      known_(memory.known, limits, parts.fabric),
      ports_({parts.fabric, parts.exchange, parts.log, parts.planner, asker_, outcome_}),
      reading_({parts.fabric, known_, asker_, outcome_}),
      switches_({parts.fabric, known_, asker_, outcome_}, settings),
      blocks_(memory.blocks, limits, {parts.fabric, known_, asker_, switches_, outcome_}) {}

void Programming::BeginRound(bool first_master_sweep, bool only_touched, bool keeps_registrations) {
    Abandon();
    asker_.BeginRound();
    const bool had_failures = outcome_.failed != 0;
    outcome_ = ProgrammingOutcome{};
    ports_.BeginRound(first_master_sweep && !keeps_registrations,
                      only_touched && !first_master_sweep);
    const bool all_kept = known_.BeginRound(first_master_sweep || reads_anew_);
    reads_anew_ = false;
    blocks_.BeginRound(!had_failures && all_kept);
}

void Programming::BeginBalancing() {
    const ProgrammingOutcome before = outcome_;
    BeginRound(false);
    outcome_.end_ports_failed = before.end_ports_failed;
    outcome_.failed_end_port = before.failed_end_port;
    Begin(Stage::kIdle);
}

void Programming::Begin(Stage stage) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    EMBER_ASSERT(stage != Stage::kBlocks);
    stage_ = stage;
    progress_ = stage == Stage::kIdle ? StageProgress::kEnd : StageProgress::kMore;
    switch (stage) {
        case Stage::kIdle:
        case Stage::kBlocks:
            break;
        case Stage::kPorts:
            ports_.Begin();
            break;
        case Stage::kReading:
            reading_.Begin();
            break;
        case Stage::kSwitches:
            switches_.Begin();
            break;
        case Stage::kActivation:
            ports_.BeginActivation();
            break;
    }
}

void Programming::BeginBlocks(const LftPlan& plan) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    stage_ = Stage::kBlocks;
    progress_ = StageProgress::kMore;
    blocks_.Begin(plan);
}

void Programming::Step(std::uint64_t now_us) {
    if (progress_ == StageProgress::kEnd) return;
    switch (stage_) {
        case Stage::kIdle:
            break;
        case Stage::kPorts:
        case Stage::kActivation:
            progress_ = ports_.Step(now_us);
            break;
        case Stage::kReading:
            progress_ = reading_.Step(now_us);
            break;
        case Stage::kSwitches:
            progress_ = switches_.Step(now_us);
            break;
        case Stage::kBlocks:
            progress_ = blocks_.Step(now_us);
            break;
    }
}

void Programming::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take(answer, now_us)) return;
    switch (static_cast<RoundAsker::Kind>(answer.cookie.kind)) {
        case RoundAsker::Kind::kPort:
        case RoundAsker::Kind::kActivate:
        case RoundAsker::Kind::kCheckPort:
        case RoundAsker::Kind::kCheckSet:
            ports_.Hear(answer, now_us);
            break;
        case RoundAsker::Kind::kReadBlock:
            reading_.Hear(answer);
            break;
        case RoundAsker::Kind::kSwitch:
            switches_.Hear(answer, now_us);
            break;
        case RoundAsker::Kind::kSetBlock:
            blocks_.Hear(answer, now_us);
            break;
    }
}

void Programming::Abandon() {
    asker_.Abandon();
    blocks_.Abandon();
    stage_ = Stage::kIdle;
    progress_ = StageProgress::kEnd;
}

void Programming::Correct(SwitchIndex at, std::uint32_t block, const SmpData& content) {
    EMBER_ASSERT(asker_.in_flight() == 0);
    known_.Take(at, block, content);
    blocks_.NoteUnlike();
}

}  // namespace ember
