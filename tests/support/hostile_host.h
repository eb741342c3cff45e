// SPDX-License-Identifier: Apache-2.0
// EmberSM: hosts of the simulated fabric that mean harm: what they send to a subnet manager.
#pragma once

#include <bit>
#include <functional>
#include <gtest/gtest.h>
#include <optional>

#include "core/wire/notice.h"
#include "core/wire/port_info.h"
#include "core/wire/sm_info.h"
#include "core/wire/smp.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// A program on a host that sends SMPs at will, LID routed. Answers must be taken, by Hear(), or
/// time stands still.
class HostileHost {
public:
    HostileHost(SimWorld& world, std::uint32_t node)
        : world_(world),
          port_(world.sim().AttachClient(node, 1)),
          row_(world.sim().RowOf(node, 1)) {}

    [[nodiscard]] Lid lid() { return world_.world().port(row_).info.Get(PortInfo::kLid); }
    [[nodiscard]] Lid master() {
        return world_.world().port(row_).info.Get(PortInfo::kMasterSmLid);
    }

    /// Set(SMInfo) as from a master of the highest rank, to the manager at LID `to`.
    void Command(SmControl control, Lid to, std::uint64_t sm_key = 0) {
        SmInfo info;
        info.Set(SmInfo::kGuid, Guid{0xBAD});
        info.Set(SmInfo::kSmKey, sm_key);
        info.Set(SmInfo::kPriority, std::uint8_t{15});
        info.Set(SmInfo::kSmState, SmState::kMaster);
        Send(Method::kSet, AttributeId::kSmInfo, Raw(control), info.octets(), to);
    }
    /// A trap to the master. Each bears another number in its details.
    void Trap(TrapNumber number) {
        LocalChangesNotice notice;
        notice.Set(Notice::kIsGeneric, std::uint8_t{1});
        notice.Set(Notice::kTrapNumber, number);
        notice.Set(Notice::kIssuerLid, lid());
        notice.Set(Notice::kDataDetails0, ++serial_);
        Send(Method::kTrap, AttributeId::kNotice, 0, notice.octets(), master());
    }
    /// The SMInfo that the master tells, if it tells any within a second.
    std::optional<SmInfo> AskSmInfo() {
        told_.reset();
        for (int tries = 0; tries < 5 && !told_; ++tries) {
            Send(Method::kGet, AttributeId::kSmInfo, 0, SmpData{}, master());
            world_.RunUntil([this] { return Hear(); }, 200 * kMs);
        }
        return told_;
    }
    /// True when the answer to AskSmInfo() has come.
    bool Hear() {
        Envelope envelope;
        while (port_.Receive(envelope) == Status::kOk) {
            const MadHeader& header = envelope.mad.header;
            if (header.method != Method::kGetResp) continue;
            if (header.attribute_id == AttributeId::kSmInfo) {
                told_ = std::bit_cast<SmInfo>(DataOf(envelope.mad));
            }
        }
        return told_.has_value();
    }
    /// For `time_us`, `deed` every `every_us`; `also_hears` after each step of the world.
    void Rage(
        std::uint64_t time_us, std::uint64_t every_us, const std::function<void()>& deed,
        const std::function<void()>& also_hears = [] {}) {
        const std::uint64_t end_us = world_.now_us() + time_us;
        while (world_.now_us() < end_us) {
            deed();
            world_.RunUntil(
                [&] {
                    Hear();
                    also_hears();
                    return false;
                },
                every_us);
        }
    }

private:
    void Send(Method method, AttributeId attribute, std::uint32_t modifier, const SmpData& data,
              Lid to) {
        Envelope envelope;
        envelope.peer = to;
        envelope.mad = MakeLidRouted({.method = method,
                                      .attribute = attribute,
                                      .modifier = modifier,
                                      .id = TransactionId{++serial_},
                                      .data = data});
        static_cast<void>(port_.Send(envelope));
    }

    SimWorld& world_;
    sim::Attachment& port_;
    std::uint32_t row_;
    std::uint64_t serial_ = 0x1000;
    std::optional<SmInfo> told_;
};

/// A host that says it is a subnet manager, of the highest rank, and does nothing with what it is
/// handed.
class Usurper {
public:
    Usurper(SimWorld& world, std::uint32_t node, std::uint64_t sm_key)
        : port_(world.sim().Attach(node, 1)), sm_key_(sm_key) {
        info_.Set(SmInfo::kGuid, world.world().port(world.sim().RowOf(node, 1)).guid);
        info_.Set(SmInfo::kSmKey, sm_key_);
        info_.Set(SmInfo::kPriority, std::uint8_t{15});
        info_.Set(SmInfo::kSmState, SmState::kStandby);
    }
    /// Answers what it was asked, unless `is_silent`.
    void Hear() {
        Envelope envelope;
        while (port_.Receive(envelope) == Status::kOk) {
            const MadHeader& header = envelope.mad.header;
            const bool is_asked = header.method == Method::kGet || header.method == Method::kSet;
            if (is_silent || !is_asked || header.attribute_id != AttributeId::kSmInfo) continue;
            if (header.method == Method::kSet) {
                ++handovers;
                info_.Set(SmInfo::kSmState, SmState::kMaster);
            }
            Envelope reply = envelope;
            reply.answer_within_us = 0;
            reply.mad = ReplyTo(envelope.mad, 0, info_.octets());
            static_cast<void>(port_.Send(reply));
        }
    }

    int handovers = 0;
    bool is_silent = false;

private:
    sim::Attachment& port_;
    std::uint64_t sm_key_;
    SmInfo info_;
};

}  // namespace ember::testing
