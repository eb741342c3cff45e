// SPDX-License-Identifier: Apache-2.0
// EmberSM: one role with the parts it stands on, for tests.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "core/role/role.h"
#include "tests/support/fake_port.h"

namespace ember {

/// A role over a port whose datagrams the test answers by hand.
struct LoneRole {
    explicit LoneRole(std::uint64_t guid = 0x50, std::size_t max_others = 4)
        : others(max_others), transactions(16), due(16), notes(256) {
        settings.transaction_retries = 1;
        settings.sminfo_polling_timeout = 10000;
        exchange.Configure(settings);
        role.SetOwnPort(Guid{guid}, Lid{1});
    }

    void Start() { role.Start(now); }

    /// Brings it to `state` by the shortest way and takes the acts that this gives.
    void BringTo(SmState state) {
        settings.sm_inactive = state == SmState::kNotActive;
        Start();
        if (state == SmState::kStandby) {
            HoldElection({{0x10, 15, SmState::kMaster, settings.sm_key}});
        } else if (state == SmState::kMaster) {
            HoldElection({});
        }
        static_cast<void>(role.TakeAct());
        port.sent.clear();
    }

    struct Peer {
        std::uint64_t guid;
        std::uint8_t priority;
        SmState state;
        std::uint64_t sm_key = 1;
        bool answers = true;
    };

    void HoldElection(const std::vector<Peer>& peers) {
        role.BeginElection();
        DirectedPath path;
        path.hops = 1;
        for (const Peer& peer : peers) {
            ++path.ports[0];
            static_cast<void>(role.Invite(Guid{peer.guid}, Lid{77}, path, now));
        }
        Answer(peers);
        role.Conclude(now);
    }

    /// Answers the invitations by what their paths say, then lets the silent ones time out.
    void Answer(const std::vector<Peer>& peers) {
        port.sent.clear();
        role.Step(now);
        const auto asked = port.sent;
        for (const Envelope& envelope : asked) {
            const auto smp = std::bit_cast<DirectedSmp>(envelope.mad);
            const Peer& peer = peers.at(smp.initial_path[1] - std::size_t{1});
            if (peer.answers) Deliver(InfoAnswer(envelope, peer));
        }
        if (role.electing()) Pass(1000000);
    }

    [[nodiscard]] static Envelope InfoAnswer(const Envelope& request, const Peer& peer) {
        Envelope response = ResponseTo(request);
        auto smp = std::bit_cast<DirectedSmp>(response.mad);
        smp.data = InfoOf(peer).octets();
        response.mad = std::bit_cast<Mad>(smp);
        return response;
    }
    [[nodiscard]] static SmInfo InfoOf(const Peer& peer) {
        SmInfo info;
        info.Set(SmInfo::kGuid, Guid{peer.guid});
        info.Set(SmInfo::kSmKey, peer.sm_key);
        info.Set(SmInfo::kPriority, peer.priority);
        info.Set(SmInfo::kSmState, peer.state);
        return info;
    }

    void Deliver(const Envelope& envelope) {
        ember::Answer answer;
        if (exchange.Take(envelope, now, answer) == Status::kOk) role.Hear(answer, now);
    }
    void Pass(std::uint64_t us) {
        now += us;
        ember::Answer answer;
        while (exchange.Expire(now, answer)) {
            role.Hear(answer, now);
        }
        role.Step(now);
    }

    /// A Set(SMInfo) or Get from `peer`, three hops away, whose port the last sweep met as IsSM or,
    /// if not `is_sm`, as a host's; returns what Serve() said.
    Status Request(Method method, std::uint32_t modifier, const Peer& peer, std::uint64_t m_key = 0,
                   bool is_sm = true) {
        Envelope request;
        DirectedPath path;
        path.hops = 3;
        path.ports = {9, 9, 9};
        request.mad = MakeDirected({method, AttributeId::kSmInfo, modifier, m_key, TransactionId{5},
                                    InfoOf(peer).octets()},
                                   path);
        auto smp = std::bit_cast<DirectedSmp>(request.mad);
        smp.return_path[1] = 21;
        smp.return_path[2] = 22;
        smp.return_path[3] = 23;
        smp.header.hop_pointer = 4;
        request.mad = std::bit_cast<Mad>(smp);
        return role.Serve(request, {.port = Guid{peer.guid}, .is_sm = is_sm}, now, reply);
    }
    [[nodiscard]] SmInfo ReplyInfo() const { return std::bit_cast<SmInfo>(DataOf(reply.mad)); }

    Settings settings;
    std::vector<OtherSm> others;
    std::vector<Exchange::Transaction> transactions;
    std::vector<DueQueue::Entry> due;
    std::vector<LogRecord> notes;
    FakePort port;
    FakeEntropy entropy;
    Exchange exchange{Exchange::Memory{transactions, due}, port, entropy};
    Log log{notes};
    Role role{Role::Memory{others}, exchange, log, settings};
    std::uint64_t now = 1000;
    Envelope reply;
};

inline void LetPollsGoUnanswered(LoneRole& lone, std::uint32_t polls) {
    for (std::uint32_t i = 0; i < polls; ++i) {
        lone.Pass(std::uint64_t{lone.settings.sminfo_polling_timeout} * 1000U);
        lone.Pass(std::uint64_t{lone.settings.transaction_timeout} * 1000U);
    }
}

}  // namespace ember
