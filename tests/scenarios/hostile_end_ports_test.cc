// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts that are silent, refuse, lie or flap.
//
// Goal:   an end port never gates a switch: it delays no other route by more than ten milliseconds,
//         and keeps the subnet neither from being up nor from being swept by its traps.
// Method: one host of a fat tree changes its answers, or holds them back, while cables between
//         switches are cut elsewhere; the switch's own table is watched.
#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "platform/sim/liar.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

using Lies = std::function<bool(const Mad& asked, Mad& answer)>;

constexpr std::uint32_t kLiar = 20;

/// Puts another PortInfo into an answer.
template <typename Change>
void ChangePortInfo(Mad& answer, Change change) {
    auto smp = std::bit_cast<LidSmp>(answer);
    auto info = std::bit_cast<PortInfo>(smp.data);
    change(info);
    smp.data = info.octets();
    answer = std::bit_cast<Mad>(smp);
}

bool IsPortInfo(const Mad& asked) {
    return asked.header.attribute_id == AttributeId::kPortInfo;
}

class HostileEndPort final : public sim::Liar {
public:
    /// `keeps_all`: no Set takes effect, whatever is answered.
    explicit HostileEndPort(Lies lies, bool keeps_all = false)
        : world_(net::FatTree2(8)), lies_(std::move(lies)), keeps_all_(keeps_all) {
        Settings settings = BriskSettings();
        settings.sweep_interval = 10;
        world_.AddManager(settings);
        world_.sim().SetLiar(this);
    }
    Deed Meet(std::uint32_t node, const Mad& asked) override {
        const bool shams = is_on_ && keeps_all_ && node == kLiar;
        return shams && asked.header.method == Method::kSet ? Deed::kSham : Deed::kAct;
    }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        return !is_on_ || node != kLiar || lies_(asked, answer);
    }
    [[nodiscard]] SimWorld& world() { return world_; }
    void LetItLie() { is_on_ = true; }
    void Replug() {
        world_.Cut(kLiar, 1);
        world_.RunFor(3 * kSecond);
        world_.Join(kLiar, 1);
        world_.RunFor(25 * kSecond);
    }
    /// Of 100 looks in that time, those at which the subnet was up.
    [[nodiscard]] int LooksUp(std::uint64_t time_us) {
        int up = 0;
        for (int look = 0; look < 100; ++look) {
            world_.RunFor(time_us / 100);
            if (world_.sm().is_up()) ++up;
        }
        return up;
    }
    /// Microseconds from the cut of a cable of a leaf until the leaf's table leads no more to it,
    /// the worst of several. `meanwhile` is done every millisecond.
    [[nodiscard]] std::uint64_t WorstHeal(const std::function<void()>& meanwhile = [] {}) {
        std::uint64_t worst_us = 0;
        const auto hosts =
            static_cast<std::uint32_t>(world_.world().node_count() - world_.world().switch_count());
        for (std::uint32_t i = 0; i < 8; ++i) {
            const std::uint32_t leaf = hosts + 1 + i % 3;
            const std::uint32_t port = 5 + i % 2;
            Wait(13 * kSecond + 700 * kMs * i, meanwhile);
            world_.Cut(leaf, port);
            const std::uint64_t began_us = world_.now_us();
            while (Leads(leaf, port) && world_.now_us() - began_us < 30 * kSecond) {
                Wait(kMs, meanwhile);
            }
            worst_us = std::max(worst_us, world_.now_us() - began_us);
            Wait(kSecond + 300 * kMs * i, meanwhile);
            world_.Join(leaf, port);
        }
        return worst_us;
    }

private:
    void Wait(std::uint64_t time_us, const std::function<void()>& meanwhile) {
        const std::uint64_t end_us = world_.now_us() + time_us;
        while (world_.now_us() < end_us) {
            meanwhile();
            world_.RunFor(kMs);
        }
    }
    [[nodiscard]] bool Leads(std::uint32_t leaf, std::uint32_t port) {
        for (std::uint32_t lid = 1; lid <= Raw(world_.sm().fabric().top_lid()); ++lid) {
            if (world_.world().LftEntry(leaf, lid) == port) return true;
        }
        return false;
    }

    SimWorld world_;
    Lies lies_;
    bool keeps_all_;
    bool is_on_ = false;
};

/// A heal takes a millisecond; an end port may delay it by ten.
constexpr std::uint64_t kHealUs = 11 * kMs;

bool IgnoresSets(const Mad& asked, Mad& /*answer*/) {
    return asked.header.method != Method::kSet;
}
bool IgnoresPortInfo(const Mad& asked, Mad& /*answer*/) {
    return !IsPortInfo(asked);
}
bool IgnoresAll(const Mad& /*asked*/, Mad& /*answer*/) {
    return false;
}
bool RefusesSets(const Mad& asked, Mad& answer) {
    if (asked.header.method == Method::kSet) {
        answer.header.status =
            static_cast<std::uint16_t>((answer.header.status & 0x8000U) | kMadStatusInvalidField);
    }
    return true;
}
bool SaysInit(const Mad& asked, Mad& answer) {
    if (IsPortInfo(asked)) {
        ChangePortInfo(
            answer, [](PortInfo& info) { info.Set(PortInfo::kPortState, PortState::kInitialize); });
    }
    return true;
}
bool SaysSmallMtu(const Mad& asked, Mad& answer) {
    if (IsPortInfo(asked)) {
        ChangePortInfo(answer, [](PortInfo& info) { info.Set(PortInfo::kNeighborMtu, Mtu::k256); });
    }
    return true;
}

struct Host {
    const char* name;
    Lies lies;
    bool keeps_all = false;
};
class OneSuchHost : public ::testing::TestWithParam<Host> {};

TEST_P(OneSuchHost, DelaysNobodysRouteAndDoesNotKeepTheSubnetDown) {
    HostileEndPort hostile(GetParam().lies, GetParam().keeps_all);
    SimWorld& world = hostile.world();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    hostile.LetItLie();
    hostile.Replug();
    EXPECT_EQ(hostile.LooksUp(20 * kSecond), 100) << world.Notes();
    EXPECT_LE(hostile.WorstHeal(), kHealUs) << world.Notes();
    EXPECT_TRUE(world.sm().is_up());
}

TEST_P(OneSuchHost, DoesNotKeepTheSubnetFromComingUp) {
    HostileEndPort hostile(GetParam().lies, GetParam().keeps_all);
    SimWorld& world = hostile.world();
    hostile.LetItLie();
    ASSERT_TRUE(world.RunUntilUp(4 * kSecond)) << world.Notes();
    const std::uint64_t ups = world.sm().progress().up_count;
    EXPECT_EQ(hostile.LooksUp(60 * kSecond), 100) << world.Notes();
    EXPECT_LE(world.sm().progress().heavy_sweeps, 30U) << "at the pace of the timer";
    // A configuration on trial waits for a SUBNET UP that began after it.
    world.sm().Configure(world.sm().settings());
    world.Wake();
    ASSERT_TRUE(world.RunUntilUp(4 * kSecond)) << world.Notes();
    EXPECT_GT(world.sm().progress().up_count, ups);
}

INSTANTIATE_TEST_SUITE_P(
    HostileEndPorts, OneSuchHost,
    ::testing::Values(Host{"IgnoresSets", IgnoresSets}, Host{"IgnoresPortInfo", IgnoresPortInfo},
                      Host{"IgnoresAll", IgnoresAll}, Host{"RefusesSets", RefusesSets, true},
                      Host{"RefusesSetsThatItCarriedOut", RefusesSets}, Host{"SaysInit", SaysInit},
                      Host{"SaysSmallMtu", SaysSmallMtu}),
    [](const auto& told) { return std::string(told.param.name); });

TEST(HostileEndPorts, AHostThatFlapsAndIsSilentDelaysNobodysRoute) {
    HostileEndPort hostile(IgnoresAll);
    SimWorld& world = hostile.world();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    hostile.LetItLie();
    std::uint64_t turn = 0;
    EXPECT_LE(hostile.WorstHeal([&] {
        ++turn;
        if (turn % 100 == 0) world.Cut(kLiar, 1);
        if (turn % 100 == 50) world.Join(kLiar, 1);
    }),
              kHealUs)
        << world.Notes();
    EXPECT_TRUE(world.sm().is_up());
}

TEST(HostileEndPorts, ThatRefuseAreCountedAndNamedOnce) {
    HostileEndPort hostile(RefusesSets, true);
    SimWorld& world = hostile.world();
    hostile.LetItLie();
    ASSERT_TRUE(world.RunUntilUp(4 * kSecond)) << world.Notes();
    world.RunFor(60 * kSecond);
    EXPECT_EQ(world.Heard(Note::kEndPortsFailed), 1U) << world.Notes();
    const ProgrammingOutcome& outcome = world.sm().programming().outcome();
    EXPECT_EQ(outcome.end_ports_failed, 1U);
    EXPECT_EQ(outcome.failed, 0U);
    EXPECT_EQ(outcome.failed_end_port.guid, world.world().node(kLiar).guid);
}

TEST(HostileEndPorts, ThatAreSlowAreConfiguredAllTheSame) {
    HostileEndPort hostile([](const Mad&, Mad&) { return true; });
    SimWorld& world = hostile.world();
    ASSERT_TRUE(world.RunUntilQuiet(30 * kSecond));
    // Whatever it says is lost for 300 ms: the third try is answered.
    world.Cut(kLiar, 1);
    world.RunFor(kSecond);
    world.Join(kLiar, 1);
    world.sim().Silence(kLiar, 2);
    world.RunFor(300 * kMs);
    world.sim().EndSilence(kLiar);
    ASSERT_TRUE(world.RunUntilQuiet(60 * kSecond)) << world.Notes();
    EXPECT_EQ(world.Judge(), "") << world.Notes();
}

}  // namespace
}  // namespace ember::testing
