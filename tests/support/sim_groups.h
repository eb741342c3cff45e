// SPDX-License-Identifier: Apache-2.0
// EmberSM: groups of a simulated manager, joined without datagrams.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>

#include "tests/support/sim_world.h"

namespace ember::testing {

/// Groups that the manager on a seat knows.
class SimGroups {
public:
    SimGroups(SimWorld& world, std::size_t seat) : world_(world), seat_(seat) {}

    /// Port 1 of `host` joins the group of this number as a full member; it is made if need be.
    void Join(std::uint64_t number, std::uint32_t host) const {
        const Gid mgid = MgidOf(number);
        if (groups().Find(mgid) == kNoGroup) {
            const GroupValues values{.p_key = 0xFFFF, .mtu = Mtu::k2048, .rate = Rate::k10Gb};
            ASSERT_TRUE(groups().Create(mgid, values, {}).ok());
        }
        Member who;
        who.port_guid = GuidOf(host);
        who.join_state = join_state::kFull;
        ASSERT_TRUE(groups().Join(groups().Find(mgid), who, world_.now_us()).ok());
        world_.Wake(seat_);
    }
    /// Port 1 of `host` leaves. Asserts that it is a member.
    void Leave(std::uint64_t number, std::uint32_t host) const {
        const MemberIndex member = groups().FindMember(groups().Find(MgidOf(number)), GuidOf(host));
        ASSERT_NE(member, kNoMember);
        static_cast<void>(groups().Leave(member, join_state::kAll, world_.now_us()));
        world_.Wake(seat_);
    }
    [[nodiscard]] bool Has(std::uint64_t number, std::uint32_t host) const {
        const GroupIndex group = groups().Find(MgidOf(number));
        return group != kNoGroup && groups().FindMember(group, GuidOf(host)) != kNoMember;
    }

private:
    [[nodiscard]] static Gid MgidOf(std::uint64_t number) { return {0xFF12A01C00000000, number}; }
    [[nodiscard]] Groups& groups() const { return world_.sm(seat_).multicast().groups(); }
    [[nodiscard]] Guid GuidOf(std::uint32_t host) const {
        return world_.world().port(world_.sim().RowOf(host, 1)).guid;
    }

    SimWorld& world_;
    std::size_t seat_;
};

}  // namespace ember::testing
