// SPDX-License-Identifier: Apache-2.0
// EmberSM: from a pair of LIDs and what is asked of a path to a PathRecord.
#pragma once

#include <cstdint>

#include "core/administration/paths.h"
#include "core/administration/query.h"
#include "core/base/ids.h"
#include "core/fabric/alias_guids.h"
#include "core/wire/path_record.h"

namespace ember {

/// A value that a request compares with, if it does.
template <typename Value>
struct Wanted {
    bool asked = false;  ///< Both the value and its selector are.
    Selector selector{};
    Value value{};
};

/// What PathRecord and MultiPathRecord ask of a path in common.
struct PathWish {
    Wanted<Mtu> mtu;
    Wanted<Rate> rate;
    Wanted<std::uint8_t> life_time;
    bool has_p_key = false;
    std::uint16_t p_key = 0;
    bool has_sl = false;
    std::uint8_t sl = 0;
    bool raw_traffic = false;
    bool reversible = false;  ///< Only paths whose way back is one.

    /// Values that no path can have are refused at once: kRequestInvalid.
    [[nodiscard]] SaStatus Check() const;
};

/// Two LIDs of two end ports, and how the ports are called in the record.
struct PathEnds {
    PortIndex source = kNoPortIndex;
    Lid source_lid = kNoLid;
    PortIndex destination = kNoPortIndex;
    Lid destination_lid = kNoLid;
    std::uint8_t preference = 0;
    Guid source_guid = kNoGuid;  ///< PortGUIDs, or aliases of them.
    Guid destination_guid = kNoGuid;
    /// Of a path that leaves the subnet by the router `destination`: the prefix of where to; the
    /// GUID is destination_guid. 0: it does not.
    std::uint64_t far_prefix = 0;
};

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

/// Makes path records: the values of a path are those of the way (see Paths), narrowed by what the
/// request allows, as OpenSM does it. Source: reference opensm-behaviour §11.2.
class PathMaker {
public:
    PathMaker(const Paths::Memory& memory,
              const AdministrationView& view,
              const AliasGuids& aliases)
        : view_(view), aliases_(aliases), paths_(memory, view) {}
    PathMaker(const PathMaker&) = delete;
    PathMaker& operator=(const PathMaker&) = delete;

    /// What a path costs of a budget, in rows looked at: two walks of a few switches each.
    static constexpr std::uint32_t kCost = 16;

    void Refresh() { paths_.Refresh(); }

    /// Writes the record of a path that fulfils the wish. False when there is none.
    [[nodiscard]] bool Make(const PathWish& wish, const PathEnds& ends, PathRecord& record);
    /// Goes on through the pairs of LIDs of two ports to the next path: first those of equal offset
    /// (Preference 0), then the others (2). `item`, 0 at first, is where to go on; the pairs are
    /// through when there is no path and budget is left.
    [[nodiscard]] bool MakeNext(const PathWish& wish,
                                const PathPair& pair,
                                std::uint32_t& item,
                                std::uint32_t& budget,
                                PathRecord& record);
    /// All LIDs of an end port.
    [[nodiscard]] LidRange AllOf(PortIndex port) const;
    /// The end port with this GUID, alias or not, if it has a LID; else kNoPortIndex.
    [[nodiscard]] PortIndex FindPort(Guid guid) const;
    /// A GID with this prefix is one of this subnet.
    [[nodiscard]] bool IsOurs(std::uint64_t prefix) const;
    /// The cables of the path, 0xFFFF when it does not arrive.
    [[nodiscard]] std::uint16_t HopsOf(const PathEnds& ends);

    /// `requester` may know of paths between these two ports.
    [[nodiscard]] bool MayTell(PortIndex requester, PortIndex source, PortIndex destination) const;

private:
    struct Values {
        Mtu mtu = Mtu::kNone;
        Rate rate = Rate::kNone;
        std::uint8_t life_time = 0;
    };

    [[nodiscard]] bool Narrow(const PathWish& wish,
                              PortIndex from,
                              PortIndex to,
                              const Route& route,
                              Values& values) const;
    [[nodiscard]] bool ChoosePKey(const PathWish& wish,
                                  const PathEnds& ends,
                                  std::uint16_t& p_key) const;
    [[nodiscard]] static bool ChooseSl(const PathWish& wish, std::uint8_t& sl);
    [[nodiscard]] bool PrefersSmallMtu(const PathWish& wish, PortIndex from, PortIndex to) const;
    [[nodiscard]] Rate RateToTell(Rate rate, const PathEnds& ends, bool reversible) const;

    const AdministrationView& view_;
    const AliasGuids& aliases_;
    Paths paths_;
};

}  // namespace ember
