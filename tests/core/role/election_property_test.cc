// SPDX-License-Identifier: Apache-2.0
// EmberSM: properties of elections: several SMs agree on one master.
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <rapidcheck/gtest.h>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/wire/port_info.h"
#include "tests/core/role/role_harness.h"

namespace ember {
namespace {

constexpr std::uint64_t kSecond = 1000000;

/// An SM as its owner plays it: sweeps when told to, looks after the others every ten seconds, and
/// sweeps when a trap says that another has changed its rank.
struct Player {
    Player(std::uint64_t guid, std::uint8_t priority, std::uint16_t lid) : lone(guid), number(lid) {
        lone.settings.transaction_retries = 3;
        lone.settings.sm_priority = priority;
        lone.exchange.Configure(lone.settings);
        lone.role.SetOwnPort(Guid{guid}, Lid{lid});
    }
    [[nodiscard]] bool Ranks(const Player& other) const {
        const std::uint8_t mine = lone.settings.sm_priority;
        const std::uint8_t its = other.lone.settings.sm_priority;
        return mine != its ? mine > its : guid() < other.guid();
    }
    [[nodiscard]] Guid guid() const { return lone.ReplyInfo().Get(SmInfo::kGuid); }

    LoneRole lone;
    std::uint16_t number;
    bool is_alive = false;
    bool sweeping = false;
    bool sweep_wanted = false;
    std::uint64_t look_us = kNever;  ///< When it looks after the others next, as a master.
};

/// SMs that can all reach each other by one hop: port n leads to SM number n.
///
/// Goal:   after any starts, deaths, losses and returns there is exactly one master, and it is the
///         highest in rank of those alive.
/// Method: virtual time, random delays and losses by seed.
class Subnet {
public:
    explicit Subnet(std::uint64_t seed) : chance_(seed) {}

    Player& Add(std::uint64_t guid, std::uint8_t priority) {
        const auto number = static_cast<std::uint16_t>(players_.size() + 1);
        players_.push_back(std::make_unique<Player>(guid, priority, number));
        // The reply of Serve() is also how a test learns the GUID.
        Player& player = *players_.back();
        EXPECT_EQ(player.lone.Request(Method::kGet, 0, {1, 0, SmState::kStandby}), Status::kOk);
        return player;
    }
    void Start(Player& player) {
        player.is_alive = true;
        player.sweeping = player.sweep_wanted = false;
        player.look_us = kNever;
        player.lone.now = now_;
        player.lone.Start();
        Obey(player);
    }
    void Kill(Player& player) { player.is_alive = false; }

    void RunFor(std::uint64_t us) {
        const std::uint64_t until = now_ + us;
        while (now_ < until) {  // Ends: every pass moves time by a microsecond at least.
            for (const auto& player : players_) {
                if (player->is_alive) StepOne(*player);
            }
            std::uint64_t next = until;
            if (!flying_.empty()) next = std::min(next, flying_.begin()->first);
            for (const auto& player : players_) {
                if (!player->is_alive) continue;
                next = std::min({next, player->lone.exchange.NextDeadlineUs(),
                                 player->lone.role.NextDeadlineUs(), player->look_us});
            }
            now_ = std::max(now_ + 1, next);
            Deliver();
        }
    }

    [[nodiscard]] std::vector<Player*> Masters() const {
        std::vector<Player*> masters;
        for (const auto& player : players_) {
            if (player->is_alive && player->lone.role.is_master()) masters.push_back(player.get());
        }
        return masters;
    }
    [[nodiscard]] Player* Highest() const {
        Player* highest = nullptr;
        for (const auto& player : players_) {
            if (!player->is_alive) continue;
            if (highest == nullptr || player->Ranks(*highest)) highest = player.get();
        }
        return highest;
    }
    [[nodiscard]] bool HasOneMaster() const {
        const std::vector<Player*> masters = Masters();
        return masters.size() == 1 && masters[0] == Highest();
    }
    void ExpectOneMaster() const { RC_ASSERT(HasOneMaster()); }
    /// A link came up: every master hears of it and sweeps, sooner or later.
    void TellMastersToSweep() {
        for (Player* const master : Masters()) {
            master->sweep_wanted = true;
        }
    }

    std::vector<std::unique_ptr<Player>>& players() { return players_; }
    std::uint64_t Chance(std::uint64_t below) { return chance_.Draw() % below; }

    std::uint64_t loss_percent = 0;
    bool is_parted = false;  ///< No SM reaches another one.

private:
    struct Flight {
        std::uint16_t from = 0;
        std::uint16_t to = 0;
        Envelope envelope;
    };

    void StepOne(Player& player) {
        LoneRole& lone = player.lone;
        lone.now = now_;
        Answer answer;
        while (lone.exchange.Expire(now_, answer)) {
            lone.role.Hear(answer, now_);
            Obey(player);
        }
        if (player.sweep_wanted && !player.sweeping) Sweep(player);
        if (now_ >= player.look_us) Look(player);
        lone.role.Step(now_);
        if (player.sweeping && !lone.role.electing()) {
            player.sweeping = false;
            lone.role.Conclude(now_);
            Obey(player);
            lone.role.Step(now_);
        }
        Fly(player);
    }

    void Sweep(Player& player) {
        player.sweep_wanted = false;
        player.sweeping = true;
        player.lone.role.BeginElection();
        for (const auto& other : players_) {
            if (!other->is_alive || other.get() == &player) continue;
            DirectedPath path;
            path.hops = 1;
            path.ports[0] = static_cast<std::uint8_t>(other->number);
            RC_ASSERT(player.lone.role.Invite(other->guid(), Lid{other->number}, path, now_) ==
                      Status::kOk);
        }
    }

    void Look(Player& player) {
        player.look_us = now_ + 10 * kSecond;
        if (player.sweeping || !player.lone.role.is_master()) return;
        if (player.lone.role.watched() != kNoGuid) return;  // Awaits a handover.
        player.sweeping = true;
        player.lone.role.Review();
    }

    void Obey(Player& player) {
        switch (player.lone.role.TakeAct()) {
            case Act::kNothing:
            case Act::kSendTrap:
                break;
            case Act::kSweep:
                player.sweeping = false;
                player.sweep_wanted = true;
                break;
            case Act::kLook:
                player.sweep_wanted = true;
                break;
            case Act::kServe:
                player.lone.role.EndFirstSweep();
                player.look_us = now_ + 10 * kSecond;
                break;
            case Act::kFollow:
            case Act::kSleep:
                player.sweep_wanted = false;
                [[fallthrough]];
            case Act::kHandOver:
            case Act::kAwait:
                player.sweeping = false;
                break;
        }
    }

    void Fly(Player& player) {
        std::deque<Envelope> sent;
        sent.swap(player.lone.port.sent);
        for (const Envelope& envelope : sent) {
            const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
            const bool is_directed = smp.header.mgmt_class == MgmtClass::kSubnDirected;
            if (is_directed && smp.header.hop_count == 0) continue;  // Own ports keep silent.
            const std::uint16_t to = is_directed ? smp.initial_path[1] : Raw(envelope.peer);
            Launch(player.number, to, envelope);
        }
    }

    void Launch(std::uint16_t from, std::uint16_t to, const Envelope& envelope) {
        if (is_parted || Chance(100) < loss_percent) return;
        flying_.emplace(now_ + 5 + Chance(2000), Flight{from, to, envelope});
    }

    void Deliver() {
        while (!flying_.empty() && flying_.begin()->first <= now_) {
            const Flight flight = flying_.begin()->second;
            flying_.erase(flying_.begin());
            Player& player = *players_.at(flight.to - std::size_t{1});
            if (player.is_alive) Arrive(player, flight);
        }
    }

    void Arrive(Player& player, const Flight& flight) {
        LoneRole& lone = player.lone;
        lone.now = now_;
        const Method method = flight.envelope.mad.header.method;
        if (method == Method::kTrap) {
            if (lone.role.is_master()) player.sweep_wanted = true;
            return;
        }
        if (IsResponse(method)) {
            lone.Deliver(flight.envelope);
            Obey(player);
            return;
        }
        Envelope request = flight.envelope;
        auto smp = std::bit_cast<DirectedSmp>(request.mad);
        smp.return_path[1] = static_cast<std::uint8_t>(flight.from);
        request.mad = std::bit_cast<Mad>(smp);
        Envelope reply;
        if (request.mad.header.attribute_id == AttributeId::kPortInfo) {
            PortInfo info;
            info.Set(PortInfo::kCapabilityMask, capability_mask::kIsSm);
            reply.mad = ReplyTo(request.mad, 0, info.octets());
            Launch(player.number, flight.from, reply);
            return;
        }
        const SmpSender sender{.port = players_.at(flight.from - std::size_t{1})->guid(),
                               .is_sm = true};
        const Status served = lone.role.Serve(request, sender, now_, reply);
        Obey(player);
        if (served == Status::kRefused) return;  // The player first asks who the sender is.
        RC_ASSERT(served == Status::kOk);
        Launch(player.number, flight.from, reply);
    }

    FakeEntropy chance_;
    std::uint64_t now_ = 1000;
    std::vector<std::unique_ptr<Player>> players_;
    std::multimap<std::uint64_t, Flight> flying_;
};

/// Two or three SMs with random ranks.
void Populate(Subnet& subnet) {
    const std::uint64_t count = 2 + subnet.Chance(2);
    for (std::uint64_t i = 0; i < count; ++i) {
        subnet.Add(0x100 + subnet.Chance(1000) * 8 + i,
                   static_cast<std::uint8_t>(subnet.Chance(3)));
    }
}

void StartAtRandomTimes(Subnet& subnet) {
    for (auto& player : subnet.players()) {
        subnet.Start(*player);
        // At once, within a round trip, within a sweep, or long after.
        const std::uint64_t pauses[] = {0, 1000, 300000, 30 * kSecond};
        subnet.RunFor(1 + pauses[subnet.Chance(4)]);
    }
}

RC_GTEST_PROP(Election, OneMasterTheHighestWhateverTheOrderOfTheStarts, ()) {
    Subnet subnet(*rc::gen::arbitrary<std::uint64_t>());
    Populate(subnet);
    StartAtRandomTimes(subnet);
    subnet.RunFor(200 * kSecond);
    subnet.ExpectOneMaster();
}

[[nodiscard]] bool AgreeAfterLoss(std::uint64_t seed) {
    Subnet subnet(seed);
    Populate(subnet);
    subnet.loss_percent = 30;
    StartAtRandomTimes(subnet);
    subnet.RunFor(100 * kSecond);
    subnet.loss_percent = 0;
    subnet.TellMastersToSweep();
    subnet.RunFor(300 * kSecond);
    return subnet.HasOneMaster();
}

RC_GTEST_PROP(Election, LossDelaysTheAgreementButDoesNotPreventIt, ()) {
    RC_ASSERT(AgreeAfterLoss(*rc::gen::arbitrary<std::uint64_t>()));
}

/// The answer to a handover was lost, and the traps of the SM that is to take over make the other
/// one sweep again and again.
TEST(Election, AnSmThatDeclinedIsOfferedTheSubnetAgain) {
    EXPECT_TRUE(AgreeAfterLoss(38591));
}

RC_GTEST_PROP(Election, WhenTheMasterDiesTheNextInRankTakesOverAndYieldsWhenItReturns, ()) {
    Subnet subnet(*rc::gen::arbitrary<std::uint64_t>());
    Populate(subnet);
    StartAtRandomTimes(subnet);
    subnet.RunFor(200 * kSecond);
    subnet.ExpectOneMaster();

    Player& dead = *subnet.Masters().front();
    subnet.Kill(dead);
    // At most six periods of polling, twice if two of the rest found each other late.
    subnet.RunFor(200 * kSecond);
    subnet.ExpectOneMaster();

    subnet.Start(dead);
    subnet.RunFor(100 * kSecond);
    subnet.ExpectOneMaster();
    RC_ASSERT(subnet.Masters().front() == &dead);
}

RC_GTEST_PROP(Election, MastersThatMeetAfterAPartitionAgree, ()) {
    Subnet subnet(*rc::gen::arbitrary<std::uint64_t>());
    Populate(subnet);
    subnet.is_parted = true;
    StartAtRandomTimes(subnet);
    subnet.RunFor(10 * kSecond);
    RC_ASSERT(subnet.Masters().size() == subnet.players().size());

    subnet.is_parted = false;
    // Each hears of the new link in its own time.
    for (auto& player : subnet.players()) {
        if (player->lone.role.is_master()) player->sweep_wanted = true;
        subnet.RunFor(1 + subnet.Chance(2) * subnet.Chance(5 * kSecond));
    }
    subnet.RunFor(300 * kSecond);
    subnet.ExpectOneMaster();
}

TEST(Election, TheStandbyTakesOverWithinSixPeriodsOfPolling) {
    Subnet subnet(1);
    Player& first = subnet.Add(0x10, 5);
    Player& second = subnet.Add(0x20, 5);
    subnet.Start(first);
    subnet.RunFor(kSecond);
    subnet.Start(second);
    subnet.RunFor(20 * kSecond);
    ASSERT_TRUE(first.lone.role.is_master());
    ASSERT_EQ(second.lone.role.state(), SmState::kStandby);
    subnet.Kill(first);
    subnet.RunFor(61 * kSecond);
    EXPECT_TRUE(second.lone.role.is_master());
}

TEST(Election, AHigherNewcomerBecomesMasterWithinSeconds) {
    Subnet subnet(1);
    Player& old = subnet.Add(0x10, 5);
    Player& newcomer = subnet.Add(0x20, 6);
    subnet.Start(old);
    subnet.RunFor(60 * kSecond);
    subnet.Start(newcomer);
    subnet.RunFor(2 * kSecond);
    EXPECT_TRUE(newcomer.lone.role.is_master());
    EXPECT_EQ(old.lone.role.state(), SmState::kStandby);
    EXPECT_EQ(old.lone.role.watched(), Guid{0x20});
}

}  // namespace
}  // namespace ember
