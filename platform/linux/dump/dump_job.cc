// SPDX-License-Identifier: Apache-2.0
// EmberSM: writes OpenSM's dump files while the subnet manager goes on with its work.

#include "platform/linux/dump/dump_job.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

#include "core/base/assert.h"
#include "core/routing/hops.h"
#include "platform/linux/clock.h"

namespace ember {

namespace {

/// Pieces between two looks at the clock: together well below a millisecond.
constexpr int kPiecesAtOnce = 2;

/// The name a file has until it is complete.
void NameUnfinished(std::string_view name, std::span<char> room) {
    FixedText text(room);
    text.Add(name).Add(".new").Add('\0');
    EMBER_ASSERT(!text.full());
}

/// Not so when a sweep was given up, as by who is no longer master: the hops may be of a smaller
/// subnet then, or of none.
bool IsRouted(const SubnetManager& sm) {
    const std::size_t bound = sm.fabric().switch_bound();
    const auto hops = sm.router().hops();
    return sm.router().phase() == Router::Phase::kDone && hops.rows() >= bound &&
           hops.stride() >= HopStride(bound);
}

}  // namespace

DumpJob::DumpJob(const Room& room) : room_(room), scratch_(room.computation) {}

bool DumpJob::StandsStill(const SubnetManager& sm) const {
    const SubnetStatus& status = sm.progress();
    const bool resting = status.stage == Stage::kResting || status.stage == Stage::kLightSweep;
    return resting && status.heavy_sweeps == sweep_ && IsRouted(sm);
}

DumpEnd DumpJob::Begin(const SubnetManager& sm, const char* directory, DumpExtent extent) {
    EMBER_ASSERT(!running());
    extent_ = extent;
    const SubnetStatus& status = sm.progress();
    if (status.up_count == 0) return DumpEnd::kNotUp;
    sweep_ = status.heavy_sweeps;
    if (!StandsStill(sm)) return DumpEnd::kNotResting;
    directory_ = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory_ < 0) return End(DumpEnd::kUnwritable);
    counts_ = SortAsOpensm(sm.fabric(), room_.nodes, room_.switches);
    BeginReports(sm);
    file_index_ = 0;
    written_bytes_ = 0;
    tries_ = 0;
    if (IsAtEnd()) return End(DumpEnd::kWritten);
    return OpenFile(sm) ? DumpEnd::kRunning : End(DumpEnd::kUnwritable);
}

/// What the engine whose routes count would say; without one, as under min-hop.
void DumpJob::BeginReports(const SubnetManager& sm) {
    EngineKind kind = EngineKind::kMinHop;
    for (const RoutingEngine* const engine : sm.engines()) {
        if (engine->name() == sm.router().verdict().engine) kind = engine->kind();
    }
    settings_ = sm.settings();
    has_node_order_ = NodeOrder::Exists(kind, settings_);
    scratch_.Reset();
    hops_.Begin({.fabric = &sm.fabric(),
                 .settings = &settings_,
                 .engine = kind,
                 .hops = sm.router().hops(),
                 .order = room_.switches.first(counts_.switches)},
                scratch_);
}

void DumpJob::GiveUp() {
    if (running()) End(DumpEnd::kMoved);
}

/// Whether there is no file any more; else on to the one that is next, or stays there.
bool DumpJob::IsAtEnd() {
    while (file_index_ < std::size(kDumpFiles) && !Has(kDumpFiles[file_index_])) {
        ++file_index_;
    }
    return file_index_ == std::size(kDumpFiles);
}

bool DumpJob::OpenFile(const SubnetManager& sm) {
    if (kDumpFiles[file_index_].only_with_node_order) {  // The hops have been told by now.
        scratch_.Reset();
        node_order_.Begin(sm.fabric(), settings_, scratch_);
    }
    std::array<char, kNameBytes> name{};
    NameUnfinished(kDumpFiles[file_index_].name, name);
    file_ = openat(directory_, name.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    cursor_ = {};
    text_.clear();
    file_bytes_ = 0;
    changes_ = sm.sa_journal().status().changes;
    return file_ >= 0;
}

bool DumpJob::HasChanged(const SubnetManager& sm) const {
    return kDumpFiles[file_index_].of_registrations && sm.sa_journal().status().changes != changes_;
}

bool DumpJob::WriteOut() {
    std::string_view rest = text_.text();
    while (!rest.empty()) {  // Ends: every turn writes at least one octet or gives up.
        const ssize_t wrote = write(file_, rest.data(), rest.size());
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    file_bytes_ += text_.size();
    text_.clear();
    return true;
}

bool DumpJob::CloseFile() {
    std::array<char, kNameBytes> unfinished{};
    std::array<char, kNameBytes> name{};
    NameUnfinished(kDumpFiles[file_index_].name, unfinished);
    FixedText(name).Add(kDumpFiles[file_index_].name).Add('\0');
    const bool closed = close(file_) == 0;
    file_ = -1;
    written_bytes_ += file_bytes_;
    return closed && renameat(directory_, unfinished.data(), directory_, name.data()) == 0;
}

DumpEnd DumpJob::Advance(const SubnetManager& sm, std::uint64_t budget_us) {
    EMBER_ASSERT(running());
    if (!StandsStill(sm)) return End(DumpEnd::kMoved);
    if (HasChanged(sm)) {
        close(file_);
        file_ = -1;
        if (++tries_ == kTries) return End(DumpEnd::kMoved);
        if (!OpenFile(sm)) return End(DumpEnd::kUnwritable);
    }
    const DumpEnd how = Slice(sm, LinuxClock().NowUs() + budget_us);
    return how == DumpEnd::kRunning ? how : End(how);
}

bool DumpJob::AddPieces(const DumpView& view, bool& more) {
    for (int i = 0; i < kPiecesAtOnce && more; ++i) {
        if (text_.left() < kMaxDumpPiece && !WriteOut()) return false;
        more = kDumpFiles[file_index_].add(view, cursor_, text_);
        EMBER_ASSERT(!text_.full());
    }
    return true;
}

DumpEnd DumpJob::Slice(const SubnetManager& sm, std::uint64_t until_us) {
    const DumpView view{sm.fabric(),
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
                        room_.switches.first(counts_.switches)};
    while (LinuxClock().NowUs() < until_us) {
        bool more = true;
        if (!AddPieces(view, more)) return DumpEnd::kUnwritable;
        if (more) continue;
        const DumpEnd how = EndFile(sm);
        if (how != DumpEnd::kRunning) return how;
    }
    return DumpEnd::kRunning;
}

/// The file is whole; kRunning: the next is begun.
DumpEnd DumpJob::EndFile(const SubnetManager& sm) {
    if (!WriteOut() || !CloseFile()) return DumpEnd::kUnwritable;
    ++file_index_;
    if (IsAtEnd()) return DumpEnd::kWritten;
    return OpenFile(sm) ? DumpEnd::kRunning : DumpEnd::kUnwritable;
}

DumpEnd DumpJob::End(DumpEnd how) {
    error_ = how == DumpEnd::kUnwritable ? errno : 0;
    if (file_ >= 0) close(file_);
    if (directory_ >= 0) close(directory_);
    file_ = directory_ = -1;
    return how;
}

}  // namespace ember
