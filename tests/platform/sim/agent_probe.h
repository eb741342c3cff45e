// SPDX-License-Identifier: Apache-2.0
// EmberSM: asks simulated agents by hand.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <initializer_list>

#include "core/wire/smp.h"
#include "platform/sim/fabric_sim.h"

namespace ember::sim {

/// The reply, if one came.
struct Reply {
    bool came = false;
    std::uint16_t status = 0xFFFF;
    SmpData data{};
    Mad mad{};

    template <typename Info>
    [[nodiscard]] Info As() const {
        return std::bit_cast<Info>(data);
    }
};

/// Asks through one attachment and waits for the answer.
class Probe {
public:
    Probe(FabricSim& sim, Attachment& port) : sim_(sim), port_(port) {}

    using Path = std::initializer_list<std::uint8_t>;

    Reply Get(Path path, AttributeId attribute, std::uint32_t modifier = 0) {
        return Ask(path, Method::kGet, attribute, modifier, {});
    }
    template <typename Info>
    Reply Set(Path path, AttributeId attribute, std::uint32_t modifier, const Info& info) {
        return Ask(path, Method::kSet, attribute, modifier, std::bit_cast<SmpData>(info));
    }
    Reply Ask(Path path, Method method, AttributeId attribute, std::uint32_t modifier,
              const SmpData& data) {
        DirectedSmp smp{};
        Prepare(smp.header, method, attribute, modifier);
        smp.header.mgmt_class = MgmtClass::kSubnDirected;
        smp.header.hop_count = static_cast<std::uint8_t>(path.size());
        smp.m_key = m_key;
        smp.dr_slid = kPermissiveLid;
        smp.dr_dlid = kPermissiveLid;
        smp.data = data;
        std::copy(path.begin(), path.end(), smp.initial_path.begin() + 1);
        return Exchange(std::bit_cast<Mad>(smp), kPermissiveLid);
    }
    Reply AskByLid(Lid lid, Method method, AttributeId attribute, std::uint32_t modifier) {
        LidSmp smp{};
        Prepare(smp.header, method, attribute, modifier);
        smp.m_key = m_key;
        return Exchange(std::bit_cast<Mad>(smp), lid);
    }
    /// Sends it as it is.
    Reply Exchange(const Mad& mad, Lid peer) {
        Envelope envelope;
        envelope.peer = peer;
        envelope.mad = mad;
        EXPECT_EQ(port_.Send(envelope), Status::kOk);
        Reply reply;
        if (!sim_.AdvanceToNextEvent(sim_.clock().NowUs() + 10'000)) return reply;
        EXPECT_EQ(port_.Receive(envelope), Status::kOk);
        reply.came = true;
        reply.status = StatusOf(envelope.mad.header);
        reply.data = DataOf(envelope.mad);
        reply.mad = envelope.mad;
        return reply;
    }

    std::uint64_t m_key = 0;

private:
    void Prepare(MadHeader& header, Method method, AttributeId attribute, std::uint32_t modifier) {
        header.base_version = kBaseVersion;
        header.mgmt_class = MgmtClass::kSubnLid;
        header.class_version = kSubnClassVersion;
        header.method = method;
        header.transaction_id = TransactionId{++last_tid_};
        header.attribute_id = attribute;
        header.attribute_modifier = modifier;
    }

    FabricSim& sim_;
    Attachment& port_;
    std::uint64_t last_tid_ = 0x1234;
};

}  // namespace ember::sim
