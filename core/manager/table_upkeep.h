// SPDX-License-Identifier: Apache-2.0
// EmberSM: the tables of ports that a round writes beside PortInfo.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/administration/records.h"
#include "core/bandwidth/bandwidth_upkeep.h"
#include "core/base/assert.h"
#include "core/lanes/lane_upkeep.h"
#include "core/partitions/p_key_upkeep.h"

namespace ember {

/// P_Key tables, those of virtual lanes, and limits of bandwidth. All are written while a round
/// goes on and after it.
class TableUpkeep {
public:
    struct Memory {
        PKeyUpkeep::Memory p_keys;
        BandwidthUpkeep::Memory bandwidths;
    };
    /// All outlive it.
    struct Parts {
        Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const Partitions& partitions;
        OwnPKeys& own_p_keys;
        const PortPlanner& ports;
    };

    /// `settings` may change between two rounds.
    TableUpkeep(const Memory& memory, const Parts& parts, const Settings& settings)
        : p_keys_(memory.p_keys,
                  {parts.fabric, parts.exchange, parts.log, parts.partitions, parts.own_p_keys,
                   parts.ports},
                  settings),
          lanes_({parts.fabric, parts.exchange, parts.log}, settings),
          bandwidths_(memory.bandwidths,
                      {parts.fabric, parts.exchange, parts.log, parts.partitions}, settings) {}

    /// Says how devices take limits of bandwidth (nullptr: they do not), and who keeps the alias
    /// GUIDs of ports. Both outlive it.
    void Know(const BandwidthCodec* codec, const Records& records) {
        bandwidths_.Know(codec, records.aliases(), records.guid_tables());
    }

    /// Starts a round after a sweep. `forgets_all`: no table is known.
    void Begin(bool forgets_all, std::uint64_t now_us) {
        p_keys_.Begin(forgets_all);
        lanes_.Begin(forgets_all, now_us);
        bandwidths_.Begin(forgets_all);
    }
    /// The partitions have changed, and nothing else: P_Key tables follow (PKeyUpkeep::Mark(),
    /// BeginChange()), and limits of bandwidth, as groups of ports may name P_Keys.
    void Mark(Guid port) { p_keys_.Mark(port); }
    void BeginChange(bool concerns_all) {
        p_keys_.BeginChange(concerns_all);
        bandwidths_.Begin(false);
    }
    /// The lanes of the routes change. See LaneUpkeep.
    void Compare(const RoutingLanes& before, const RoutingLanes& next) {
        lanes_.Compare(before, next);
    }
    /// The switches have routes, on these lanes: their tables follow. See LaneUpkeep.
    void FollowRoutes(const RoutingLanes& lanes) { lanes_.FollowRoutes(lanes); }
    /// Sends what the window admits. True: there is more to do at once.
    bool Step(std::uint64_t now_us) {
        bool more = p_keys_.Step(now_us);
        more = lanes_.Step(now_us) || more;
        return bandwidths_.Step(now_us) || more;
    }
    /// Takes an answer to a datagram of kPKeyClient, kLaneClient or kBandwidthClient.
    void Hear(const Answer& answer, std::uint64_t now_us) {
        if (answer.cookie.client == kPKeyClient) {
            p_keys_.Hear(answer, now_us);
        } else if (answer.cookie.client == kBandwidthClient) {
            bandwidths_.Hear(answer, now_us);
        } else {
            EMBER_ASSERT(answer.cookie.client == kLaneClient);
            lanes_.Hear(answer, now_us);
        }
    }
    /// Begins to read P_Key tables, or those of lanes, of one port again, and to write what is not
    /// as it was written. False: there is nothing to check there, or other work is under way.
    bool CheckPKeys(PortIndex at, std::uint64_t now_us) {
        return !is_checking() && p_keys_.Check(at, now_us);
    }
    bool CheckLanes(PortIndex at, std::uint64_t now_us) {
        return !is_checking() && lanes_.Check(at, now_us);
    }
    /// See LaneUpkeep. To be called now and then while the subnet rests.
    void TryLanesAgain(std::uint64_t now_us) { lanes_.TryAgain(now_us); }
    /// A check of one port is under way.
    [[nodiscard]] bool is_checking() const { return p_keys_.is_checking() || lanes_.is_checking(); }

    /// Gives up what is under way.
    void Abandon() {
        p_keys_.Abandon();
        lanes_.Abandon();
        bandwidths_.Abandon();
    }
    /// When Step() has something to do that no answer brings about; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const {
        return std::min(
            {p_keys_.NextDeadlineUs(), lanes_.NextDeadlineUs(), bandwidths_.NextDeadlineUs()});
    }

    /// No port is waited for any more: links may go to ACTIVE.
    [[nodiscard]] bool are_settled() const {
        return p_keys_.is_settled() && lanes_.is_settled() && bandwidths_.is_settled();
    }
    /// Some port has to be asked again after another sweep.
    [[nodiscard]] bool lack() const {
        return p_keys_.lacks() || lanes_.lacks() || bandwidths_.lacks();
    }

    /// True, once, when other ports than before may lack P_Keys, or not enforce them.
    [[nodiscard]] bool TakePartitionNews() { return p_keys_.TakeNews(); }

    /// Blocks of tables that were set since the start.
    [[nodiscard]] PortTableCounts counts() const {
        return {p_keys_.counts(), lanes_.maps(), lanes_.arbitrations()};
    }
    [[nodiscard]] const PKeyUpkeep& p_keys() const { return p_keys_; }
    [[nodiscard]] const LaneUpkeep& lanes() const { return lanes_; }
    [[nodiscard]] const BandwidthUpkeep& bandwidths() const { return bandwidths_; }

private:
    PKeyUpkeep p_keys_;
    LaneUpkeep lanes_;
    BandwidthUpkeep bandwidths_;
};

}  // namespace ember
