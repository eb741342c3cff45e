// SPDX-License-Identifier: Apache-2.0
// EmberSM: makes OpenSM's dump files while the subnet manager goes on with its work.

#include "platform/linux/dump/dump_job.h"

#include <algorithm>
#include <ctime>
#include <iterator>

#include "core/base/assert.h"
#include "core/graph/hops.h"
#include "platform/linux/system/clock.h"

namespace ember {

namespace {

/// Pieces between two looks at the clock: together well below a millisecond.
constexpr int kPiecesAtOnce = 2;

/// Not so when a sweep was given up, as by who is no longer master: the hops may be of a smaller
/// subnet then, or of none.
bool IsRouted(const SubnetManager& sm) {
    const std::size_t bound = sm.fabric().switch_bound();
    const auto hops = sm.router().hops();
    return sm.router().phase() == Router::Phase::kDone && hops.rows() >= bound &&
           hops.stride() >= HopStride(bound);
}

/// No sweep is under way that writes the tables.
bool Rests(const SubnetManager& sm) {
    const Stage stage = sm.progress().stage;
    return stage == Stage::kResting || stage == Stage::kLightSweep;
}

}  // namespace

DumpJob::DumpJob(const Room& room) : room_(room), scratch_(room.computation), replay_(room.steps) {}

bool DumpJob::StandsStill(const SubnetManager& sm) const {
    return Rests(sm) && sm.progress().heavy_sweeps == sweep_ && sm.router().runs() == runs_ &&
           IsRouted(sm);
}

DumpEnd DumpJob::Begin(const SubnetManager& sm, DumpSink& sink, DumpExtent extent) {
    EMBER_ASSERT(!running());
    extent_ = extent;
    const SubnetStatus& status = sm.progress();
    if (status.up_count == 0) return DumpEnd::kNotUp;
    sweep_ = status.heavy_sweeps;
    runs_ = sm.router().runs();
    if (!StandsStill(sm)) return DumpEnd::kNotResting;
    has_digest_ = is_measuring_ = false;
    unsure_since_us_ = 0;
    BeginFiles(sm);
    if (IsAtEnd(sm)) return DumpEnd::kWritten;
    sink_ = &sink;
    return DumpEnd::kRunning;
}

void DumpJob::BeginFiles(const SubnetManager& sm) {
    counts_ = SortAsOpensm(sm.fabric(), room_.nodes, room_.switches);
    BeginReports(sm);
    file_index_ = 0;
    attempt_ = 0;
    written_bytes_ = 0;
    tries_ = 0;
    task_ = Task::kBegin;
    waits_ = false;
}

/// Reports as the engine whose routes count would; without one, as under min-hop.
void DumpJob::BeginReports(const SubnetManager& sm) {
    EngineKind kind = EngineKind::kMinHop;
    for (const RoutingEngine* const engine : sm.engines()) {
        if (engine->name() == sm.router().verdict().engine) kind = engine->kind();
    }
    settings_ = sm.settings();
    has_node_order_ = NodeOrder::Exists(kind, settings_);
    has_lanes_ = settings_.qos || !sm.router().programmed_lanes().is_one_lane();
    end_ports_ = {};
    scratch_.Reset();
    hops_.Begin({.fabric = &sm.fabric(),
                 .options = &settings_,
                 .engine = kind,
                 .hops = sm.router().hops(),
                 .order = room_.switches.first(counts_.switches)},
                scratch_);
}

/// Whether there is no file any more; else on to the one that is next, or stays there.
bool DumpJob::IsAtEnd(const SubnetManager& sm) {
    if (IsOfStep()) return file_index_ == std::size(kStepFiles) && !GoToNextStep(sm);
    while (file_index_ < std::size(kDumpFiles) && !Has(kDumpFiles[file_index_])) {
        ++file_index_;
    }
    return file_index_ == std::size(kDumpFiles) && !GoToNextStep(sm);
}

/// On to the next engine that was asked for a step, whatever came of it. False: there is none.
bool DumpJob::GoToNextStep(const SubnetManager& sm) {
    if (extent_ == DumpExtent::kRegistrations || room_.steps.lfts.empty()) return false;
    const auto& attempts = sm.router().verdict().attempts;
    while (attempt_ < attempts.size()) {
        const RoutingAttempt& attempt = attempts[attempt_++];
        if (attempt.step_id == 0) continue;
        const RoutingStep& step = sm.router().plan().steps[attempt.step];
        const auto chosen =
            std::find_if(step.alternatives.begin(), step.alternatives.end(),
                         [&attempt](const Alternative& one) { return one.id == attempt.step_id; });
        if (chosen == step.alternatives.end()) continue;
        step_id_ = attempt.step_id;
        step_engine_ = attempt.engine;
        scratch_.Reset();
        const bool is_base = attempt.step == 0 && sm.router().plan().steps.size() > 1;
        replay_.Begin(sm.fabric(), step, *chosen, is_base, scratch_);
        file_index_ = 0;
        task_ = Task::kReplay;
        return true;
    }
    return false;
}

/// Runs the engine; then its files are made. HopReport has the hops of the part.
Status DumpJob::Replay(const SubnetManager& sm) {
    if (replay_.Advance() == Progress::kMore) return Status::kOk;
    counts_ = SortPart(sm.fabric(), replay_, room_.nodes, room_.switches);
    hops_.Begin({.fabric = &sm.fabric(),
                 .options = &settings_,
                 .hops = replay_.hops(),
                 .order = room_.switches.first(counts_.switches)},
                scratch_);
    task_ = Task::kBegin;
    return Status::kOk;
}

std::string_view DumpJob::NameOfFile() {
    if (!IsOfStep()) return kDumpFiles[file_index_].name;
    const StepFile& file = kStepFiles[file_index_];
    FixedText name(name_);
    name.Add(file.front).AddNumber(step_id_).Add('.').Add(step_engine_).Add(file.back);
    EMBER_ASSERT(!name.full());
    return name.text();
}

/// The sink knows of the file.
void DumpJob::OpenFile(const SubnetManager& sm) {
    const auto only = IsOfStep() ? DumpFile::Only::kAlways : kDumpFiles[file_index_].only;
    if (only != DumpFile::Only::kAlways) scratch_.Reset();  // The hops have been told by now.
    if (only == DumpFile::Only::kWithNodeOrder) {
        node_order_.Begin(sm.fabric(), settings_, scratch_);
    }
    if (only == DumpFile::Only::kWithLanes) {
        end_ports_ = scratch_.Take<PortIndex>(sm.fabric().CountPortsWithLids());
        end_ports_ = end_ports_.first(SortEndPorts(sm.fabric(), end_ports_));
    }
    cursor_ = {};
    text_.clear();
    file_bytes_ = 0;
    more_ = true;
    changes_ = sm.sa_journal().status().changes;
}

/// A file that is made already tells of one moment, however long the sink takes to take it.
bool DumpJob::HasChanged(const SubnetManager& sm) const {
    if (IsOfStep() || task_ == Task::kBegin || !more_) return false;
    return kDumpFiles[file_index_].of_registrations && sm.sa_journal().status().changes != changes_;
}

DumpView DumpJob::ViewOf(const SubnetManager& sm) {
    return {sm.fabric(),
            sm.programming(),
            sm.lid_map(),
            sm.multicast().tables(),
            sm.multicast().groups(),
            sm.records().aliases(),
            sm.records().services(),
            sm.records().subscriptions(),
            settings_.subnet_prefix,
            static_cast<std::uint64_t>(std::time(nullptr)),
            hops_,
            node_order_,
            room_.nodes.first(counts_.nodes),
            room_.switches.first(counts_.switches),
            IsOfStep() ? &replay_ : nullptr,
            &settings_,
            &sm.router().programmed_lanes(),
            end_ports_};
}

void DumpJob::AddPieces(const SubnetManager& sm) {
    const DumpView view = ViewOf(sm);
    for (int i = 0; i < kPiecesAtOnce && more_ && text_.left() >= kMaxDumpPiece; ++i) {
        const DumpPiece add =
            IsOfStep() ? kStepFiles[file_index_].add : kDumpFiles[file_index_].add;
        more_ = add(view, cursor_, text_);
        EMBER_ASSERT(!text_.full());
    }
}

/// Takes a digest before the first file, and after each sweep; waits while one is under way.
DumpJob::Ground DumpJob::Look(const SubnetManager& sm, std::uint64_t until_us) {
    const bool is_still = StandsStill(sm);
    if (extent_ == DumpExtent::kRegistrations) return is_still ? Ground::kFirm : Ground::kLost;
    if (has_digest_ && !is_measuring_ && is_still) return Ground::kFirm;
    if (unsure_since_us_ == 0) unsure_since_us_ = until_us;
    waits_ = !Rests(sm);
    if (waits_) {
        is_measuring_ = false;
        return until_us > unsure_since_us_ + kPatienceUs ? Ground::kLost : Ground::kUnsure;
    }
    if (!IsRouted(sm)) return Ground::kLost;
    if (!is_measuring_ || !is_still) {
        sweep_ = sm.progress().heavy_sweeps;
        runs_ = sm.router().runs();
        state_.Begin();
        is_measuring_ = true;
        if (!has_digest_ && !is_still) BeginFiles(sm);
    }
    while (state_.Advance(sm) == Progress::kMore) {
        if (LinuxClock().NowUs() >= until_us) return Ground::kUnsure;
    }
    return Compare(sm);
}

DumpJob::Ground DumpJob::Compare(const SubnetManager& sm) {
    is_measuring_ = false;
    unsure_since_us_ = 0;
    if (!has_digest_) {
        has_digest_ = true;
        digest_ = state_.digest();
        return Ground::kFirm;
    }
    if (state_.digest() != digest_) return Ground::kLost;
    if (task_ != Task::kReplay) return Ground::kFirm;
    --attempt_;  // The sweep has used the engine that was at work for the step.
    return GoToNextStep(sm) ? Ground::kFirm : Ground::kLost;
}

DumpEnd DumpJob::Advance(const SubnetManager& sm, std::uint64_t budget_us) {
    EMBER_ASSERT(running());
    const Ground ground = Look(sm, LinuxClock().NowUs() + budget_us);
    if (ground == Ground::kLost) return End(DumpEnd::kMoved);
    if (ground == Ground::kUnsure) return DumpEnd::kRunning;
    if (HasChanged(sm)) {
        if (++tries_ == kTries) return End(DumpEnd::kMoved);
        task_ = Task::kBegin;
    }
    const DumpEnd how = Slice(sm, LinuxClock().NowUs() + budget_us);
    return how == DumpEnd::kRunning ? how : End(how);
}

DumpEnd DumpJob::Slice(const SubnetManager& sm, std::uint64_t until_us) {
    while (LinuxClock().NowUs() < until_us) {
        const Status status = Turn(sm);
        waits_ = status == Status::kBusy;
        if (waits_) return DumpEnd::kRunning;
        if (status != Status::kOk) return DumpEnd::kUnwritable;
        if (task_ == Task::kBegin && IsAtEnd(sm)) return DumpEnd::kWritten;
    }
    return DumpEnd::kRunning;
}

/// A bounded piece of work on the file, or of the sink's.
Status DumpJob::Turn(const SubnetManager& sm) {
    switch (task_) {
        case Task::kReplay:
            return Replay(sm);
        case Task::kBegin:
            EMBER_TRY(
                sink_->Begin(NameOfFile(), !IsOfStep() && kDumpFiles[file_index_].holds_keys));
            OpenFile(sm);
            task_ = Task::kMake;
            return Status::kOk;
        case Task::kMake:
            AddPieces(sm);
            if (more_ && text_.left() >= kMaxDumpPiece) return Status::kOk;
            rest_ = text_.text();
            task_ = Task::kHandOver;
            return Status::kOk;
        case Task::kHandOver:
            EMBER_TRY(sink_->Write(rest_));
            file_bytes_ += text_.size();
            text_.clear();
            task_ = more_ ? Task::kMake : Task::kEnd;
            return Status::kOk;
        case Task::kEnd:
            EMBER_TRY(sink_->End());
            written_bytes_ += file_bytes_;
            ++file_index_;
            task_ = Task::kBegin;
            return Status::kOk;
    }
    return Status::kOk;
}

DumpEnd DumpJob::End(DumpEnd how) {
    GiveUp();
    return how;
}

}  // namespace ember
