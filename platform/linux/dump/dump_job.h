// SPDX-License-Identifier: Apache-2.0
// EmberSM: makes OpenSM's dump files while the subnet manager goes on with its work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/manager/subnet_manager.h"
#include "core/routing/step_replay.h"
#include "core/settings/settings.h"
#include "engines/catalogue.h"
#include "engines/report/hop_report.h"
#include "engines/report/node_order.h"
#include "platform/linux/dump/dump_sink.h"
#include "platform/linux/dump/dump_text.h"
#include "platform/linux/dump/dumped_state.h"

namespace ember {

/// How a dump ended.
enum class DumpEnd : std::uint8_t {
    kRunning,
    kWritten,     ///< The sink has all of the files.
    kNotUp,       ///< No sweep has brought the subnet up yet.
    kNotResting,  ///< A sweep is under way: ask again.
    kMoved,       ///< The subnet changed meanwhile: the files do not fit each other; or clients
                  ///< register so much that no moment of it could be written, or sweeps do not end.
    kGaveWay,     ///< Others needed the tables.
    kUnwritable,  ///< The sink failed.
};

/// Which files a dump has.
enum class DumpExtent : std::uint8_t {
    kAll,            ///< Of kDumpFiles, those that exist under the engine in use.
    kRouting,        ///< Of these, those that tell of no registrations.
    kRegistrations,  ///< Of these, only those that tell of registrations.
};

/// Gives the files of kDumpFiles to a sink, a slice at a time. Where a chain routes, those of
/// kStepFiles follow for each of its steps, and for each engine of it that failed: engines are run
/// once more for that, each for its part.
///
/// The tables stand still between two heavy sweeps; while one is under way, the dump waits. The
/// state it tells of is compared with the state before (DumpedState): if the sweep has changed some
/// of it, the dump is given up, as half of it would tell of another subnet, else it goes on. A dump
/// of registrations alone does not wait: it is made again after the sweep. Uses no heap. A sink
/// that is busy costs only time: what was made for it waits in the buffer, and no more is made.
class DumpJob {
public:
    struct Room {
        std::span<NodeIndex> nodes;        ///< As many as the board can hold.
        std::span<SwitchIndex> switches;   ///< Likewise.
        std::span<std::byte> computation;  ///< ScratchBytes() at least; begins at Arena::kGrain.
        StepReplay::Memory steps = {};     ///< None: files of steps are left out.
    };
    /// Memory for computations: the more there is, the faster is a dump of updn and dnup.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        const std::size_t whole =
            std::max({HopReport::ScratchBytes(limits), NodeOrder::ScratchBytes(limits),
                      Arena::BytesFor<PortIndex>(limits.max_lid)});
        if (!HasStepArena(limits)) return whole;
        return std::max(whole,
                        StepReplay::KeptBytes(limits) +
                            std::max(HopReport::ScratchBytes(limits),
                                     StepReplay::WorkBytes(limits, EngineScratchBytes(limits))));
    }

    explicit DumpJob(const Room& room);
    DumpJob(const DumpJob&) = delete;
    DumpJob& operator=(const DumpJob&) = delete;

    /// kRunning: call Advance() until it says otherwise; the sink outlives that. Else nothing was
    /// begun.
    [[nodiscard]] DumpEnd Begin(const SubnetManager& sm, DumpSink& sink,
                                DumpExtent extent = DumpExtent::kAll);
    /// Ends a dump that runs; the file it was at does not end.
    void GiveUp() { sink_ = nullptr; }
    /// Works for about `budget_us`, or less if the sink is busy.
    [[nodiscard]] DumpEnd Advance(const SubnetManager& sm, std::uint64_t budget_us);
    [[nodiscard]] bool running() const { return sink_ != nullptr; }
    /// The sink was busy: Advance() has nothing to do but to look whether the subnet moved.
    [[nodiscard]] bool waits() const { return running() && waits_; }
    /// Of kDumpFiles: this one belongs to the dump.
    [[nodiscard]] bool Has(const DumpFile& file) const {
        if (extent_ == DumpExtent::kRegistrations) return file.of_registrations;
        if (extent_ == DumpExtent::kRouting && file.of_registrations) return false;
        if (file.only == DumpFile::Only::kWithNodeOrder) return has_node_order_;
        return file.only != DumpFile::Only::kWithLanes || has_lanes_;
    }
    /// Of SaJournalStatus::changes: what the file of registrations that was written last tells.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

private:
    /// Whether what is dumped is as it was.
    enum class Ground : std::uint8_t { kFirm, kUnsure, kLost };

    [[nodiscard]] bool StandsStill(const SubnetManager& sm) const;
    [[nodiscard]] Ground Look(const SubnetManager& sm, std::uint64_t until_us);
    [[nodiscard]] Ground Compare(const SubnetManager& sm);
    void BeginFiles(const SubnetManager& sm);
    void BeginReports(const SubnetManager& sm);
    [[nodiscard]] bool IsAtEnd(const SubnetManager& sm);
    [[nodiscard]] Status Replay(const SubnetManager& sm);
    [[nodiscard]] bool HasChanged(const SubnetManager& sm) const;
    [[nodiscard]] DumpView ViewOf(const SubnetManager& sm);
    void OpenFile(const SubnetManager& sm);
    void AddPieces(const SubnetManager& sm);
    [[nodiscard]] Status Turn(const SubnetManager& sm);
    [[nodiscard]] DumpEnd Slice(const SubnetManager& sm, std::uint64_t until_us);
    DumpEnd End(DumpEnd how);

    [[nodiscard]] bool GoToNextStep(const SubnetManager& sm);
    [[nodiscard]] std::string_view NameOfFile();
    [[nodiscard]] bool IsOfStep() const { return attempt_ > 0; }

    /// The next task for the file; each is tried again while the sink is busy. kReplay: for the
    /// step that comes.
    enum class Task : std::uint8_t { kReplay, kBegin, kMake, kHandOver, kEnd };

    static constexpr std::size_t kBufferBytes = 4 * kMaxDumpPiece;
    /// So long a dump waits for the end of sweeps.
    static constexpr std::uint64_t kPatienceUs = 300'000'000;
    /// So often what clients register is written anew because they registered more.
    static constexpr int kTries = 64;

    Room room_;
    Arena scratch_;
    HopReport hops_;
    NodeOrder node_order_;
    DumpExtent extent_ = DumpExtent::kAll;
    bool has_node_order_ = false;
    bool has_lanes_ = false;
    std::span<PortIndex> end_ports_;  ///< Of the scratch, while lanes are told of.
    Settings settings_;  ///< As at the beginning: a role that does not sweep may change its own.
    SortedCounts counts_;
    std::uint64_t sweep_ = 0;   ///< Heavy sweeps begun when the subnet was looked at last.
    DumpedState state_;         ///< Of what it is now,
    std::uint64_t digest_ = 0;  ///< and its digest when the first file was begun.
    bool has_digest_ = false;
    bool is_measuring_ = false;
    std::uint64_t unsure_since_us_ = 0;  ///< 0: no sweep is waited for.
    std::size_t file_index_ = 0;
    StepReplay replay_;
    std::size_t attempt_ = 0;  ///< Of the verdict, from 1: whose files are made; 0: of the whole.
    std::uint64_t step_id_ = 0;
    std::string_view step_engine_;
    std::uint64_t runs_ = 0;  ///< Of the router, likewise.
    std::array<char, 64> name_{};
    std::uint64_t changes_ = 0;  ///< Of registrations, when the file was begun.
    int tries_ = 0;
    std::uint64_t file_bytes_ = 0;
    DumpCursor cursor_;
    DumpSink* sink_ = nullptr;
    Task task_ = Task::kBegin;
    bool more_ = false;  ///< Of this file there is more to be made.
    bool waits_ = false;
    std::uint64_t written_bytes_ = 0;
    std::array<char, kBufferBytes> buffer_{};
    FixedText text_{buffer_};
    std::string_view rest_;  ///< Of the text: what the sink has not taken yet.
};

}  // namespace ember
