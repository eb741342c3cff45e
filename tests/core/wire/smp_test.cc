// SPDX-License-Identifier: Apache-2.0
// EmberSM: requests are made, answered and checked as the clauses say.

#include "core/wire/smp.h"

#include <array>
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <type_traits>
#include <vector>

#include "core/wire/smp_check.h"

namespace ember {
namespace {

constexpr std::uint64_t kKey = 0x1122334455667788;

DirectedPath PathOf(std::uint8_t hops) {
    DirectedPath path;
    path.hops = hops;
    for (std::uint8_t i = 0; i < hops; ++i) {
        path.ports[i] = static_cast<std::uint8_t>(i + 1);
    }
    return path;
}

SmpData DataFilledWith(std::uint8_t octet) {
    SmpData data;
    data.fill(octet);
    return data;
}

Mad Request(MgmtClass mgmt_class = MgmtClass::kSubnDirected, Method method = Method::kGet,
            std::uint8_t hops = 3) {
    const SmpRequest request{.method = method,
                             .attribute = AttributeId::kSmInfo,
                             .modifier = 7,
                             .m_key = kKey,
                             .id = TransactionId{99},
                             .data = DataFilledWith(0x5A)};
    if (mgmt_class == MgmtClass::kSubnLid) {
        return MakeLidRouted(request);
    }
    return MakeDirected(request, PathOf(hops));
}

/// The request as it stands at its destination: every hop stepped.
Mad Delivered(Mad mad) {
    mad.header.hop_pointer = static_cast<std::uint8_t>(mad.header.hop_count + 1);
    return mad;
}

TEST(Smp, ADirectedRequestNamesTheFirstHopAtIndexOne) {
    const auto smp = std::bit_cast<DirectedSmp>(Request());
    EXPECT_EQ(smp.header.hop_count, 3);
    EXPECT_EQ(smp.header.hop_pointer, 0);
    EXPECT_EQ(smp.initial_path[0], 0);
    EXPECT_EQ(smp.initial_path[1], 1);
    EXPECT_EQ(smp.initial_path[3], 3);
    EXPECT_EQ(smp.initial_path[4], 0);
    EXPECT_EQ(smp.dr_slid, kPermissiveLid);
    EXPECT_EQ(smp.dr_dlid, kPermissiveLid);
    EXPECT_EQ(smp.m_key, kKey);
    EXPECT_EQ(smp.data, DataFilledWith(0x5A));
}

TEST(Smp, TheLongestPathFillsTheFrame) {
    const auto smp =
        std::bit_cast<DirectedSmp>(Request(MgmtClass::kSubnDirected, Method::kGet, kMaxHops));
    EXPECT_EQ(smp.header.hop_count, 63);
    EXPECT_EQ(smp.initial_path[63], 63);
}

TEST(Smp, ALidRoutedRequestHasNoPathAndNoPermissiveLids) {
    const auto smp = std::bit_cast<LidSmp>(Request(MgmtClass::kSubnLid));
    EXPECT_EQ(smp.header.mgmt_class, MgmtClass::kSubnLid);
    EXPECT_EQ(smp.reserved, (std::array<std::uint8_t, 32>{}));
    EXPECT_EQ(smp.reserved2, (std::array<std::uint8_t, 128>{}));
    EXPECT_EQ(smp.data, DataFilledWith(0x5A));
}

TEST(Smp, AReplyKeepsTheTransactionAndTheWayAndTurnsTheDirection) {
    Mad request = Delivered(Request());
    auto directed = std::bit_cast<DirectedSmp>(request);
    directed.return_path = {0, 9, 8, 7};
    request = std::bit_cast<Mad>(directed);

    const auto reply = std::bit_cast<DirectedSmp>(ReplyTo(request, 0, DataFilledWith(0xA5)));
    EXPECT_EQ(reply.header.method, Method::kGetResp);
    EXPECT_EQ(reply.header.status, kDirectionBit);
    EXPECT_EQ(reply.header.hop_pointer, 4);  // IBA C14-10: one behind the last hop.
    EXPECT_EQ(reply.header.hop_count, 3);
    EXPECT_EQ(reply.header.transaction_id, TransactionId{99});
    EXPECT_EQ(reply.header.attribute_id, AttributeId::kSmInfo);
    EXPECT_EQ(reply.header.attribute_modifier, 7U);
    EXPECT_EQ(reply.initial_path, directed.initial_path);
    EXPECT_EQ(reply.return_path, directed.return_path);
    EXPECT_EQ(reply.data, DataFilledWith(0xA5));
}

TEST(Smp, AReplyLeavesAPointerThatASimulatorNeverStepped) {
    const Mad reply = ReplyTo(Request(), 0, DataFilledWith(0xA5));  // ibsim delivers pointer 0.
    EXPECT_EQ(reply.header.hop_pointer, 0);
    EXPECT_EQ(reply.header.hop_count, 3);
    EXPECT_EQ(reply.header.status, kDirectionBit);
}

TEST(Smp, AReplyDoesNotTellTheMKey) {
    for (const MgmtClass way : {MgmtClass::kSubnDirected, MgmtClass::kSubnLid}) {
        const auto reply = std::bit_cast<LidSmp>(ReplyTo(Request(way), 0, SmpData{}));
        EXPECT_EQ(reply.m_key, 0U);
    }
}

TEST(Smp, AReplyCarriesItsStatusBesideTheDirection) {
    const Mad directed = ReplyTo(Request(), kMadStatusBadMethodAttribute, SmpData{});
    EXPECT_EQ(directed.header.status, kDirectionBit | kMadStatusBadMethodAttribute);
    EXPECT_EQ(StatusOf(directed.header), kMadStatusBadMethodAttribute);
    const Mad routed = ReplyTo(Request(MgmtClass::kSubnLid), kMadStatusBusy, SmpData{});
    EXPECT_EQ(routed.header.status, kMadStatusBusy);
}

TEST(Smp, ATrapIsAnsweredByRepressingIt) {
    const Mad trap = Request(MgmtClass::kSubnLid, Method::kTrap);
    EXPECT_EQ(ReplyTo(trap, 0, DataOf(trap)).header.method, Method::kTrapRepress);
    const Mad set = Request(MgmtClass::kSubnLid, Method::kSet);
    EXPECT_EQ(ReplyTo(set, 0, DataOf(set)).header.method, Method::kGetResp);
}

TEST(SmpDeathTest, AResponseIsNotAnswered) {
    const Mad response = ReplyTo(Request(), 0, SmpData{});
    EXPECT_DEATH((void)ReplyTo(response, 0, SmpData{}), "");
}

/// A datagram with one change, and the status that the edge gives it.
struct Case {
    const char* what;
    Mad mad;
    Status expected;
};

template <typename Change>
Mad Changed(Mad mad, Change change) {
    auto smp = std::bit_cast<DirectedSmp>(mad);
    change(smp);
    return std::bit_cast<Mad>(smp);
}

/// A response that has come home: the SMI of our own port has stepped the pointer to 0.
Mad Home(Mad mad) {
    mad.header.hop_pointer = 0;
    return mad;
}

std::vector<Case> HeaderCases() {
    const Mad get = Delivered(Request());
    const Mad routed = Request(MgmtClass::kSubnLid);
    const auto class_of = [](Mad mad, MgmtClass mgmt_class) {
        mad.header.mgmt_class = mgmt_class;
        return mad;
    };
    const auto method_of = [](Mad mad, Method method) {
        mad.header.method = method;
        return mad;
    };
    return {
        {"Get, directed", get, Status::kOk},
        {"Get, LID routed", routed, Status::kOk},
        {"Set", method_of(get, Method::kSet), Status::kOk},
        {"Trap", method_of(routed, Method::kTrap), Status::kOk},
        {"TrapRepress", method_of(routed, Method::kTrapRepress), Status::kOk},
        {"GetResp, LID routed", method_of(routed, Method::kGetResp), Status::kOk},
        {"base version 2", Changed(get, [](auto& smp) { smp.header.base_version = 2; }),
         Status::kMalformed},
        {"class version 2", Changed(get, [](auto& smp) { smp.header.class_version = 2; }),
         Status::kMalformed},
        {"class SubnAdm", class_of(routed, MgmtClass::kSubnAdm), Status::kMalformed},
        {"class 0", class_of(routed, MgmtClass{0}), Status::kMalformed},
        {"method Send", method_of(get, Method::kSend), Status::kMalformed},
        {"method GetTable", method_of(get, Method::kGetTable), Status::kMalformed},
        {"method Report", method_of(routed, Method::kReport), Status::kMalformed},
        {"method ReportResp", method_of(routed, Method::kReportResp), Status::kMalformed},
        {"method 0", method_of(get, Method{0}), Status::kMalformed},
        {"method 0x82, a response to Set", method_of(routed, Method{0x82}), Status::kMalformed},
        {"a reserved bit", Changed(get, [](auto& smp) { smp.reserved[27] = 0xFF; }), Status::kOk},
    };
}

std::vector<Case> RouteCases() {
    const Mad get = Delivered(Request());
    const Mad answer = Home(ReplyTo(get, 0, SmpData{}));
    const auto pointer = [](Mad mad, unsigned value) {
        mad.header.hop_pointer = static_cast<std::uint8_t>(value);
        return mad;
    };
    const auto count = [](Mad mad, unsigned value) {
        mad.header.hop_count = static_cast<std::uint8_t>(value);
        mad.header.hop_pointer = static_cast<std::uint8_t>(value);
        return mad;
    };
    return {
        {"answer", answer, Status::kOk},
        {"answer before the last step", pointer(answer, 1), Status::kOk},
        {"answer still under way", pointer(answer, 2), Status::kMalformed},
        {"answer as it left", ReplyTo(get, 0, SmpData{}), Status::kMalformed},
        {"answer with an error", Home(ReplyTo(get, kMadStatusInvalidField, SmpData{})),
         Status::kOk},
        {"request at its last hop", pointer(get, 3), Status::kOk},
        {"request of a simulator that does not step", pointer(get, 0), Status::kOk},
        {"request still under way", pointer(get, 2), Status::kMalformed},
        {"request beyond its way", pointer(get, 5), Status::kMalformed},
        {"no hop at all", count(get, 0), Status::kOk},
        {"63 hops", count(get, 63), Status::kOk},
        {"64 hops", count(get, 64), Status::kMalformed},
        {"255 hops, where pointer and count wrap", count(get, 255), Status::kMalformed},
        {"64 hops, answer", Changed(answer, [](auto& smp) { smp.header.hop_count = 64; }),
         Status::kMalformed},
        {"request that returns", Changed(get, [](auto& smp) { smp.header.status = kDirectionBit; }),
         Status::kMalformed},
        {"answer that does not", Changed(answer, [](auto& smp) { smp.header.status = 0; }),
         Status::kMalformed},
        {"partly LID routed from the source", Changed(get, [](auto& smp) { smp.dr_slid = Lid{1}; }),
         Status::kMalformed},
        {"partly LID routed to the target", Changed(get, [](auto& smp) { smp.dr_dlid = Lid{1}; }),
         Status::kMalformed},
    };
}

TEST(CheckSmp, JudgesTheHeader) {
    for (const Case& one : HeaderCases()) {
        EXPECT_EQ(CheckSmp(one.mad), one.expected) << one.what;
    }
}

TEST(CheckSmp, JudgesTheDirectedRoute) {
    for (const Case& one : RouteCases()) {
        EXPECT_EQ(CheckSmp(one.mad), one.expected) << one.what;
    }
}

RC_GTEST_PROP(CheckSmp, WhatPassesCanBeAnsweredAndTheAnswerPassesAtHome, ()) {
    using Octets = std::array<std::uint8_t, kMadOctets>;
    auto octets = *rc::gen::container<Octets>(rc::gen::arbitrary<std::uint8_t>());
    // Random octets hardly ever pass: make the likely ones likely.
    octets[0] = octets[2] = 1;
    octets[1] = *rc::gen::element<std::uint8_t>(0x01, 0x81);
    octets[3] = *rc::gen::element<std::uint8_t>(1, 2, 5, 7, 0x81, 0x82);
    octets[4] = *rc::gen::element<std::uint8_t>(0, 0x80);
    octets[6] = *rc::gen::inRange<std::uint8_t>(0, 66);
    octets[7] = *rc::gen::inRange<std::uint8_t>(0, 66);
    octets[32] = octets[33] = octets[34] = octets[35] = 0xFF;
    const Mad mad = std::bit_cast<Mad>(octets);
    if (CheckSmp(mad) != Status::kOk || IsResponse(mad.header.method)) return;

    const Mad reply = Home(ReplyTo(mad, 0, SmpData{}));
    RC_ASSERT(CheckSmp(reply) == Status::kOk);
    RC_ASSERT(IsResponse(reply.header.method));
}

}  // namespace
}  // namespace ember
