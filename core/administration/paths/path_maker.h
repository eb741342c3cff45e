// SPDX-License-Identifier: Apache-2.0
// EmberSM: PathRecords: the path of two LIDs, narrowed by what is asked of it.
#pragma once

#include <cstdint>
#include <span>

#include "core/administration/paths/level_limits.h"
#include "core/administration/paths/path_decision.h"
#include "core/administration/paths/path_refusal.h"
#include "core/administration/paths/path_sls.h"
#include "core/administration/paths/path_wish.h"
#include "core/administration/paths/paths.h"
#include "core/administration/policy/qos_policy.h"
#include "core/administration/query/query.h"
#include "core/aliases/alias_guids.h"
#include "core/base/ids.h"
#include "core/wire/path_record.h"

namespace ember {

/// The LIDs of an end port that a question means: all of them, or one.
struct LidRange {
    PortIndex port = kNoPortIndex;
    Lid first = kNoLid;
    std::uint32_t count = 0;
    Guid guid = kNoGuid;  ///< As which the port was named.
};

/// Two end ports whose LIDs are to be paired.
struct PathPair {
    LidRange source;
    LidRange destination;
    std::uint64_t far_prefix = 0;  ///< As in PathEnds.
};

/// Makes PathRecords: the values of a path are those of its links (see Paths), narrowed by what the
/// question asks and by the level that the QoS policy gives it, as OpenSM does it. Source: OpenSM,
/// osm_sa_path_record.c.
///
/// The service level of a level is OpenSM's hint to the routing: a routing that has service levels
/// of its own decides, because they keep it free of deadlocks. A routing that has levels of service
/// too takes that of the hint (RoutingLanes::SlOf()).
class PathMaker {
public:
    /// `policy`, null for none, outlives it like all others.
    PathMaker(const Paths::Memory& memory, const AdministrationView& view,
              const AliasGuids& aliases, QosPolicy* policy = nullptr)
        : view_(view), aliases_(aliases), policy_(policy), paths_(memory, view), sls_(view) {}
    PathMaker(const PathMaker&) = delete;
    PathMaker& operator=(const PathMaker&) = delete;

    /// The cost of a path to a budget, in rows looked at: two walks of a few switches each.
    static constexpr std::uint32_t kCost = 16;

    void Refresh() { paths_.Refresh(); }

    /// Decides about a path, as far as it goes: the rules behind the one that refuses it were not
    /// looked at. Every path that is told goes through here.
    [[nodiscard]] PathRefusal Decide(const PathWish& wish, const PathEnds& ends,
                                     PathDecision& decision);
    /// Writes the record of a path that fulfils the wish, unless there is none.
    [[nodiscard]] PathRefusal Make(const PathWish& wish, const PathEnds& ends, PathRecord& record);
    /// The next path of the pairs of LIDs of two ports: first the pairs of equal offset (Preference
    /// 0), then the others (2). `item`, 0 at first, is where to go on. False with budget left:
    /// there are no more.
    [[nodiscard]] bool MakeNext(const PathWish& wish, const PathPair& pair, std::uint32_t& item,
                                std::uint32_t& budget, PathRecord& record);
    /// All LIDs of an end port.
    [[nodiscard]] LidRange AllOf(PortIndex port) const;
    /// The end port with this GUID, alias or not, if it has a LID; else kNoPortIndex.
    [[nodiscard]] PortIndex FindPort(Guid guid) const;
    /// A GID with this prefix is one of this subnet.
    [[nodiscard]] bool IsOurs(std::uint64_t prefix) const;
    /// The router port by which GIDs of this prefix are reached: that of the first line of
    /// prefix_routes_file that fits the prefix. kNoPortIndex: no line does, or what it names is not
    /// there, or no router, as with OpenSM.
    [[nodiscard]] PortIndex RouterTo(std::uint64_t prefix);
    /// The GUID by which other subnets know a port: the alias that routers need, if it has one.
    [[nodiscard]] Guid NameAbroad(Guid port) const {
        const Guid alias = aliases_.RouterAliasOf(port);
        return alias != kNoGuid ? alias : port;
    }
    /// The first link of a path from `at`, as Paths::LinkFrom().
    [[nodiscard]] bool LinkFrom(PortIndex at, PortIndex to, Lid lid, Paths::Link& link) {
        return paths_.LinkFrom(at, to, lid, link);
    }
    /// The links of the path; 0xFFFF when it does not arrive.
    [[nodiscard]] std::uint16_t HopsOf(const PathEnds& ends);

    /// `requester` may know of paths between these two ports.
    [[nodiscard]] bool MayKnow(PortIndex requester, PortIndex source, PortIndex destination) const;

private:
    [[nodiscard]] PortIndex FirstRouter();
    [[nodiscard]] QosChoices ChoicesOf(const PathWish& wish, PortIndex from, PortIndex to);
    [[nodiscard]] PathValues ValuesOf(const PathWish& wish, const PathLeg& leg,
                                      const Route& route) const;
    [[nodiscard]] PathRefusal Narrow(const PathWish& wish, const PathLeg& leg,
                                     PathValues& values) const;
    [[nodiscard]] PathRefusal ChoosePKey(const PathWish& wish, const PathLeg& leg,
                                         std::uint16_t& p_key) const;
    [[nodiscard]] bool IsReversible(const PathWish& wish, const PathEnds& ends,
                                    const PathDecision& forth);
    [[nodiscard]] bool AdmitsWayBack(const PathWish& wish, const PathLeg& leg,
                                     const QosLevel* forth) const;
    [[nodiscard]] std::span<const QosRange> ListedBy(const PathWish& wish,
                                                     const PathLeg& leg) const;
    [[nodiscard]] bool PrefersSmallMtu(const PathWish& wish, PortIndex from, PortIndex to) const;
    [[nodiscard]] Rate RateOfRecord(Rate rate, const PathEnds& ends, bool reversible) const;

    const AdministrationView& view_;
    const AliasGuids& aliases_;
    QosPolicy* policy_;
    Paths paths_;
    PathSls sls_;
    // The result of FirstRouter(), and the generation of the tables for which it holds.
    std::uint64_t router_generation_ = 0;
    PortIndex first_router_ = kNoPortIndex;
};

}  // namespace ember
