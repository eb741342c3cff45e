// SPDX-License-Identifier: Apache-2.0
// EmberSM: the routing that was proved last, and what has changed since.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/graph/topology.h"
#include "core/routing/changes.h"
#include "core/routing/engine.h"
#include "core/routing/proved_subnet.h"
#include "core/routing/verifier.h"

namespace ember {

/// Ends of links that may differ from the subnet of before, for a proof of what changed.
inline constexpr std::size_t kMostLinkChanges = 1024;

/// The routing of the run before, if it was proved, from which a run may go on: its subnet, engine
/// and findings; and what is different now: links, pairs of switches that may see other distances,
/// entries that were written.
class ProofBasis {
public:
    /// The most that a run takes from its arena.
    [[nodiscard]] static constexpr std::size_t ScratchBytes(const Limits& limits) {
        return Arena::BytesFor<LinkChange>(kMostLinkChanges) + SwitchPairs::ScratchBytes(limits) +
               ChangeLog::ScratchBytes(limits);
    }

    /// `memory` may be none: then there is never a basis.
    ProofBasis(const ProvedSubnet::Memory& memory, const Limits& limits)
        : proved_(memory), log_room_(ChangeLog::Room(limits)) {}
    ProofBasis(const ProofBasis&) = delete;
    ProofBasis& operator=(const ProofBasis&) = delete;

    /// A run begins and writes hops and tables: it leaves a basis only by Keep().
    void Begin();
    /// The run before left one.
    [[nodiscard]] bool was_there() const { return was_there_; }
    /// After Begin(), if it did. True: nothing but changes() is different in `topology`.
    [[nodiscard]] bool Compare(const Topology& topology, Arena& scratch);
    /// After Compare() said true: the run goes on from the basis.
    void GoOn(const Topology& topology, Arena& scratch);
    /// The run does not go on from it: what was taken from scratch is not used any more.
    void Forget();
    [[nodiscard]] bool goes_on() const { return goes_on_; }

    /// After Compare().
    [[nodiscard]] std::span<const LinkChange> changes() const { return changes_; }
    /// After GoOn(). Filled in by HopPatch.
    [[nodiscard]] const SwitchPairs& suspects() const { return suspects_; }
    /// Entries written since, if the engine notes them. Not open and without room before
    /// BeginLog().
    [[nodiscard]] ChangeLog& log() { return log_; }
    [[nodiscard]] const ChangeLog& log() const { return log_; }
    /// After GoOn(): an engine begins, and may note the entries that it writes.
    void BeginLog() { log_ = ChangeLog(log_entries_); }

    /// An engine of this run has had the tables in its hands and was refused.
    void Touch() { is_touched_ = true; }
    /// The run goes on from the basis, and the tables are as this engine left them.
    [[nodiscard]] bool IsOf(const RoutingEngine* engine) const {
        return goes_on_ && !is_touched_ && engine == engine_;
    }
    [[nodiscard]] const Findings& findings() const { return findings_; }
    /// The lanes of the basis are those that switches have.
    [[nodiscard]] bool is_programmed() const { return is_programmed_; }
    void Commit() { is_programmed_ = true; }

    /// After a run that was proved: the next one may go on from it, if there is room.
    void Keep(const Topology& topology, const RoutingEngine* engine, const Findings& findings);
    /// Likewise, but steps of a chain alone may stay as they are: ChainMending.
    void KeepSubnet(const Topology& topology) { is_there_ = proved_.Keep(topology); }
    /// The run before left a basis, whose subnet `topology` is, link by link.
    [[nodiscard]] bool IsUnchanged(const Topology& topology) const {
        // Without room for a change none may be there.
        return is_there_ && proved_.Compare(topology, {}).is_links_only;
    }

private:
    ProvedSubnet proved_;
    std::size_t log_room_;
    bool is_there_ = false;
    bool was_there_ = false;
    bool is_programmed_ = false;
    bool is_touched_ = false;
    bool goes_on_ = false;
    const RoutingEngine* engine_ = nullptr;
    Findings findings_;
    std::span<const LinkChange> changes_;
    SwitchPairs suspects_;
    std::span<ChangeLog::Entry> log_entries_;
    ChangeLog log_;
};

}  // namespace ember
