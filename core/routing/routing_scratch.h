// SPDX-License-Identifier: Apache-2.0
// EmberSM: the scratch memory that routing takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/limits.h"
#include "core/graph/hops.h"
#include "core/graph/subnet_part.h"
#include "core/graph/topology.h"
#include "core/routing/home_column.h"
#include "core/routing/home_row.h"
#include "core/routing/hop_patch.h"
#include "core/routing/kept_tables.h"
#include "core/routing/mend_proof.h"
#include "core/routing/proof_basis.h"
#include "core/routing/step_owners.h"
#include "core/routing/verifier.h"

namespace ember {

/// Octets that the greediest engine takes from the scratch arena.
struct EngineBytes {
    std::size_t making = 0;   ///< To make all routes anew.
    std::size_t mending = 0;  ///< To mend some.
    std::size_t in_step = 0;  ///< To make all of a part of StepLimits().
};

/// The most that a run of Router takes from its arena.
[[nodiscard]] constexpr std::size_t RoutingScratchBytes(const Limits& limits,
                                                        const EngineBytes& engines) {
    const std::size_t changes = ProofBasis::ScratchBytes(limits);
    const std::size_t work = std::max(
        {HopMeter::ScratchBytes(limits), engines.making, KeptTables::ScratchBytes(limits),
         changes + HomeColumn::ScratchBytes(limits), changes + HomeRow::ScratchBytes(limits),
         changes + HopPatch::ScratchBytes(limits), changes + engines.mending,
         changes + HopMeter::ScratchBytes(limits), changes + MendProof::ScratchBytes(limits),
         changes + Verifier::ScratchBytes(limits)});
    const Limits part = StepLimits(limits);
    const std::size_t of_step = DenseRowBytes(limits, part) + Topology::ScratchBytes(part);
    if (limits.max_routing_steps == 1) return Topology::ScratchBytes(limits) + work;
    if (HasStepArena(limits)) {
        return Topology::ScratchBytes(limits) + StepOwners::ScratchBytes(limits) + of_step + work;
    }
    const std::size_t making = std::max(HopMeter::ScratchBytes(part), engines.in_step);
    return Topology::ScratchBytes(limits) +
           std::max(work, of_step +
                              Arena::BytesFor<std::uint8_t>(part.max_switches * LidStride(limits)) +
                              making);
}

}  // namespace ember
