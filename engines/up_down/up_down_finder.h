// SPDX-License-Identifier: Apache-2.0
// EmberSM: the exits on legal paths, up first and then down.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/table.h"
#include "core/graph/hops.h"
#include "core/routing/engine.h"
#include "engines/exit_finder.h"
#include "engines/spread/min_hop_finder.h"
#include "engines/up_down/levels.h"
#include "engines/up_down/queue_search.h"
#include "engines/up_down/sweep_search.h"

namespace ember {

/// The turns that connect_roots permits. As OpenSM: with a single root in the file it changes
/// nothing of updn.
[[nodiscard]] ExtraTurns TurnsOf(const EngineOptions& options, const Levels& levels,
                                 UpDownRule rule);

/// An exit is a candidate when it is on a least path among those that never go up after they went
/// down. Where all switches are of one level, nothing is forbidden and the candidates are those of
/// MinHopFinder. Where every link joins two levels, SweepSearch finds them, elsewhere QueueSearch,
/// which is the slowest and has the same result where one of the others would do.
///
/// The result of QueueSearch is OpenSM's, and where links join switches of one level it is not
/// always legal. So under Order::kBalanced updn uses SweepSearch there too.
///
/// Under Order::kBalanced odd links (Levels::odd_links()) are left out where no pair of hosts is
/// lost for it: one cable from leaf to leaf would carry alone what two leaves have for each other.
///
/// Several origins may leave end ports without a legal path to each other, above all on a broken
/// tree. Under Order::kBalanced the search is then repeated with one switch above all others
/// (Crown()), which is EngineChoice::bridge: no pair is lost that links connect. The last resort
/// begins with that.
class UpDownFinder final : public ExitFinder {
public:
    /// The most that it takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return StudyBytes(limits) + std::max(SweepBytes(limits), QueueBytes(limits));
    }
    /// The least that a run needs. Where QueueSearch is needed and does not fit beside
    /// RoutingTask::kept_back, Prepare() fails: EngineFault::kNoScratch.
    [[nodiscard]] static constexpr std::size_t LeastScratchBytes(const Limits& limits) {
        return StudyBytes(limits) + SweepBytes(limits);
    }

    explicit UpDownFinder(UpDownRule rule) : rule_(rule) {}

    Status Begin(const RoutingTask& task) override;
    Result<Progress> Prepare() override;
    void Find(SwitchIndex here, std::size_t first, std::size_t words,
              std::span<std::uint64_t> masks) const override;
    [[nodiscard]] Matrix<SwitchIndex, const std::uint8_t> hops() const override;
    /// The finder's choice, as far as it is worth telling.
    [[nodiscard]] const EngineChoice& choice() const { return choice_; }
    /// Why Prepare() failed.
    [[nodiscard]] EngineComplaint complaint() const { return complaint_; }

private:
    enum class Phase : std::uint8_t { kLevels, kChoice, kHops, kSearch, kCheck, kAgain, kDone };
    enum class Search : std::uint8_t { kNone, kSweep, kQueue };

    [[nodiscard]] static constexpr std::size_t StudyBytes(const Limits& limits) {
        return Levels::ScratchBytes(limits) + MinHopFinder::ScratchBytes(limits);
    }
    [[nodiscard]] static constexpr std::size_t SweepBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint64_t>(limits.max_switches) +
               SweepSearch::ScratchBytes(limits);
    }
    /// QueueSearch reads RoutingTask::hops throughout, so its own hops have memory of their own.
    [[nodiscard]] static constexpr std::size_t QueueBytes(const Limits& limits) {
        return Arena::BytesFor<std::uint8_t>(HopBytes(limits)) + QueueSearch::ScratchBytes(limits);
    }

    static constexpr std::size_t kSwitchesPerSlice = 128;

    [[nodiscard]] Progress SearchOn();
    [[nodiscard]] bool IsStrict() const;
    [[nodiscard]] bool IsFree() const;
    Status ChooseSearch();
    Status ChooseQueue();
    void TakeHops();
    void StartQueue();
    void StartSweep(bool free_roots);
    void StartCrowned();
    [[nodiscard]] Phase AfterSearch() const;
    void CheckQueue();
    void Choose();
    [[nodiscard]] bool LosesPair(SwitchIndex here) const;

    UpDownRule rule_;
    Phase phase_ = Phase::kDone;
    Search search_ = Search::kNone;
    RoutingTask task_;
    Levels levels_;
    MinHopFinder free_;
    SweepSearch sweep_;
    QueueSearch queue_;
    bool is_crowned_ = false;
    bool leaves_out_ = false;  ///< Odd links.
    EngineChoice choice_;
    std::size_t mark_ = 0;                    ///< Where the arena stood before the search.
    std::size_t next_ = 0;                    ///< Switch that is checked for lost pairs next.
    Matrix<SwitchIndex, std::uint8_t> hops_;  ///< By these rules.
    EngineComplaint complaint_;
};

}  // namespace ember
