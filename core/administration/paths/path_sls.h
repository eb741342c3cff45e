// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of a path.
#pragma once

#include <cstdint>

#include "core/administration/paths/path_decision.h"
#include "core/administration/paths/path_refusal.h"
#include "core/administration/paths/path_wish.h"
#include "core/administration/query/query.h"
#include "core/base/ids.h"

namespace ember {

/// Decides about the service levels (SLs) of paths: the operator's, and those of a routing that
/// keeps paths apart by them.
class PathSls {
public:
    /// `view` outlives it.
    explicit PathSls(const AdministrationView& view) : view_(view) {}

    /// The SL of a path whose P_Key is decided.
    [[nodiscard]] PathRefusal Choose(const PathWish& wish, const PathEnds& ends, const PathLeg& leg,
                                     PathDecision& decision) const;
    /// Answers to packets of this SL come back on the way back.
    [[nodiscard]] bool IsWayBack(std::uint8_t sl, const PathEnds& ends) const;
    /// By the policy packets pass on the way back, `leg`.
    [[nodiscard]] bool AdmitsWayBack(const PathWish& wish, const PathLeg& leg) const;

private:
    [[nodiscard]] bool has_levels() const { return view_.lanes->levels.in_force(); }
    [[nodiscard]] std::uint8_t WantedSl(const PathWish& wish, const PathLeg& leg,
                                        SlOrigin& origin) const;
    [[nodiscard]] PathRefusal ByPolicy(const PathWish& wish, const PathLeg& leg,
                                       PathDecision& decision) const;
    [[nodiscard]] PathRefusal OfLevel(const PathWish& wish, const PathEnds& ends,
                                      const PathLeg& leg, PathDecision& decision) const;
    [[nodiscard]] SlPath PathOf(PortIndex from, PortIndex to, Lid lid) const;
    [[nodiscard]] bool IsDropped(PortIndex source, std::uint8_t sl) const;

    const AdministrationView& view_;
};

}  // namespace ember
