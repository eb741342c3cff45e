// SPDX-License-Identifier: Apache-2.0
// EmberSM: no kill loses what was acknowledged before, drawn by seeds.
//
// Goal:   whatever was acknowledged half a second before a kill is known to the next master.
// Method: managers, faults of the wire, joins, leaves and kills are drawn; a plain model
//         of what was acknowledged is compared.
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

#include "tests/scenarios/replication_fixture.h"

namespace ember::testing {
namespace {

/// Everything drawn from the seed: managers, faults of the wire, joins and leaves, kills.
class Drawn {
public:
    explicit Drawn(std::uint64_t seed)
        : chance_(seed),
          world_(net::FatTree2(6), {.faults = {.seed = seed,
                                               .loss = Below(3) * 20'000,
                                               .duplication = Below(2) * 20'000,
                                               .jitter_ns = Below(2) * 200'000}}),
          seats_(2 + Below(4)) {
        for (std::uint32_t i = 0; i < seats_; ++i) {
            world_.AddManager(i * 3, 1, Replicating(static_cast<std::uint8_t>(9 - i)));
        }
    }

    /// Empty: all went well.
    std::string Tell() {
        followed = 0;
        if (!RunUntilServed()) return "no master at first";
        world_.RunFor(8 * kSecond);
        for (int act = 0; act < 4; ++act) {
            const std::size_t master = world_.master();
            Stir(master);
            world_.RunFor(Below(1000) * kMs);
            if (!world_.alive(master) || world_.masters() != 1 || world_.master() != master) {
                return "the master changed by itself";
            }
            const auto old = Members(master);
            world_.RunFor(600 * kMs);
            const auto last = Members(master);
            const bool is_followed = IsFollowed(master);
            if (is_followed) ++followed;
            world_.Kill(master);
            if (!RunUntilServed()) return "no master after kill " + std::to_string(act);
            const std::string lost = Compare(old, last, Members(world_.master()));
            if (is_followed && !lost.empty()) {
                return "kill " + std::to_string(act) + ": " + lost + '\n' +
                       world_.Notes(world_.master());
            }
            world_.Restart(master);
            if (!RunUntilServed()) return "no master after a restart";
            world_.RunFor((10 + Below(10)) * kSecond);
            if (world_.masters() != 1) return "two masters";
        }
        return {};
    }

    int followed = 0;  ///< Kills, of four, after which nothing may be lost.

private:
    using Set = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t>;

    std::uint32_t Below(std::uint32_t end) { return static_cast<std::uint32_t>(chance_() % end); }
    Groups& groups(std::size_t seat) { return world_.sm(seat).multicast().groups(); }
    bool RunUntilServed() {
        return world_.RunUntil(
            [&] {
                if (world_.masters() != 1) return false;
                const SubnetManager& sm = world_.sm(world_.master());
                return sm.is_up() && sm.stage() == Stage::kResting;
            },
            120 * kSecond);
    }
    /// Every living standby holds a replica, so that no client will be asked.
    bool IsFollowed(std::size_t master) {
        for (std::size_t i = 0; i < seats_; ++i) {
            if (i == master || !world_.alive(i)) continue;
            if (!world_.sm(i).replication().holds_replica()) return false;
        }
        return true;
    }
    void Stir(std::size_t master) {
        const std::uint32_t changes = 1 + Below(40);
        for (std::uint32_t i = 0; i < changes; ++i) {
            const Gid mgid{0xFF12A01C00000000ULL, 1 + Below(8)};
            if (groups(master).Find(mgid) == kNoGroup) {
                const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
                static_cast<void>(groups(master).Create(mgid, values, {}));
            }
            const GroupIndex group = groups(master).Find(mgid);
            Member who;
            who.port_guid = world_.world().port(world_.sim().RowOf(Below(18), 1)).guid;
            who.join_state = join_state::kFull;
            const MemberIndex at = groups(master).FindMember(group, who.port_guid);
            if (at == kNoMember) {
                static_cast<void>(groups(master).Join(group, who, world_.now_us()));
            } else if (Below(2) == 0) {
                static_cast<void>(groups(master).Leave(at, join_state::kAll, world_.now_us()));
            }
            world_.Wake(master);
            world_.RunFor(Below(60) * kMs);
        }
    }
    Set Members(std::size_t seat) {
        Set all;
        for (std::size_t i = 0; i < groups(seat).member_bound(); ++i) {
            const auto at = static_cast<MemberIndex>(i);
            if (!groups(seat).IsLive(at)) continue;
            const Member& member = groups(seat).member(at);
            const Group& group = groups(seat).group(member.group);
            all[{group.mgid.low, Raw(member.port_guid)}] = Raw(group.mlid);
        }
        return all;
    }
    /// A member both half a second before the end and at the end is a member after it.
    static std::string Compare(const Set& old, const Set& last, const Set& now) {
        for (const auto& [who, mlid] : old) {
            if (!last.contains(who)) continue;
            const auto found = now.find(who);
            if (found == now.end()) return "a member is lost";
            if (found->second != mlid) return "a group has another MLID";
        }
        return {};
    }

    std::mt19937_64 chance_;
    SimWorld world_;
    std::uint32_t seats_;
};

TEST(ReplicationDrawn, NoKillLosesWhatWasAcknowledgedBefore) {
    int followed = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Drawn drawn(seed);
        ASSERT_EQ(drawn.Tell(), "") << "replay with seed " << seed;
        followed += drawn.followed;
    }
    EXPECT_GE(followed, 150) << "of 200: else little was tested";
}

}  // namespace
}  // namespace ember::testing
