// SPDX-License-Identifier: Apache-2.0
// EmberSM: the proof of a routing, as a whole or from that of the routing before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/graph/dependencies.h"
#include "core/graph/proved_routes.h"
#include "core/graph/topology.h"
#include "core/routing/engine.h"
#include "core/routing/mend_proof.h"
#include "core/routing/proof_basis.h"
#include "core/routing/route_lanes.h"
#include "core/routing/verifier.h"

namespace ember {

/// Proves a routing with as little work as is enough. Where a run goes on from its basis, and all
/// entries that were written are known, the links and these entries are looked at (MendProof), and
/// of several lanes the LIDs with such an entry. Everything else, and what is not proved so, the
/// verifier looks at as a whole.
class RouteProof {
public:
    struct Task {
        const Topology* topology = nullptr;
        Matrix<SwitchIndex, const std::uint8_t> hops;  ///< Of the topology.
        Matrix<SwitchIndex, const std::uint8_t> lfts;
        const RouteLanes* lanes = nullptr;
        Promise promise{};  ///< Of the engines that made the routes.
        /// The engine that has mended the tables of the basis; nullptr: they were made anew.
        const RoutingEngine* mender = nullptr;
    };

    /// `dependencies`: DependencyGraph::Words() of one lane, in which they outlive the run, or
    /// none.
    RouteProof(std::span<std::uint64_t> dependencies, ProofBasis& basis)
        : memory_(dependencies), basis_(basis) {}
    RouteProof(const RouteProof&) = delete;
    RouteProof& operator=(const RouteProof&) = delete;

    /// All that `task` shows stands still until Advance() says kDone.
    void Begin(const Task& task, Arena& scratch);
    [[nodiscard]] Progress Advance();
    /// After kDone. The findings of the basis, if only changes were looked at.
    [[nodiscard]] const Findings& findings() const {
        return is_of_changes_ ? basis_.findings() : verifier_.findings();
    }
    /// What changed was looked at alone, and the routes are as good as those of the basis.
    [[nodiscard]] bool is_of_changes() const { return is_of_changes_; }

    /// After a proof of all that a plain plan has made by `engine`: leaves it to the next run, if
    /// that can go on from it. `has_weights`: links do not count 1 each.
    void Keep(const RoutingEngine* engine, bool has_weights);
    /// After a proof without a possible credit loop, until scratch is used again.
    [[nodiscard]] ProvedRoutes Show() const;
    /// The dependencies of end ports' traffic; after a proof of changes perhaps more. They outlive
    /// the run where it left a basis.
    [[nodiscard]] const DependencyGraph& dependencies() const { return verifier_.dependencies(); }

private:
    /// What a proof looks at.
    enum class Scope : std::uint8_t {
        kWhole,     ///< Verifier, at everything.
        kChanges,   ///< MendProof.
        kSomeLids,  ///< Verifier, at the LIDs of which an entry has changed.
    };

    void BeginChanges();
    void BeginSomeLids();
    void BeginWhole();
    [[nodiscard]] std::span<std::uint64_t> RoomForDependencies() const;
    [[nodiscard]] bool MayProveChanges() const;
    [[nodiscard]] bool AreLanesKept() const;
    Progress AcceptChanges();

    std::span<std::uint64_t> memory_;
    ProofBasis& basis_;
    Task task_;
    Arena* scratch_ = nullptr;
    std::size_t mark_ = 0;  ///< Where scratch stood at Begin().
    Verifier verifier_;
    MendProof mend_proof_;
    Scope scope_ = Scope::kWhole;
    bool is_of_changes_ = false;
};

}  // namespace ember
