// SPDX-License-Identifier: Apache-2.0
// EmberSM: which M_Key a port shall have, and which one a question to it bears.

#include "core/fabric/m_key.h"

#include <bit>

namespace ember {
namespace {

/// The state of SipHash (Aumasson and Bernstein, 2012). Its 128-bit key is the secret twice, the
/// second time inverted: the secret of a site has 64 bits.
struct SipState {
    std::uint64_t v0, v1, v2, v3;

    explicit constexpr SipState(std::uint64_t secret)
        : v0(secret ^ 0x736F6D6570736575U),
          v1(~secret ^ 0x646F72616E646F6DU),
          v2(secret ^ 0x6C7967656E657261U),
          v3(~secret ^ 0x7465646279746573U) {}

    constexpr void Round() {
        v0 += v1;
        v2 += v3;
        v1 = std::rotl(v1, 13) ^ v0;
        v3 = std::rotl(v3, 16) ^ v2;
        v0 = std::rotl(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = std::rotl(v1, 17) ^ v2;
        v3 = std::rotl(v3, 21) ^ v0;
        v2 = std::rotl(v2, 32);
    }
    constexpr void Take(std::uint64_t word) {
        v3 ^= word;
        Round();
        Round();
        v0 ^= word;
    }
    constexpr std::uint64_t Finish() {
        v2 ^= 0xFFU;
        for (int round = 0; round < 4; ++round) {
            Round();
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

}  // namespace

std::uint64_t MKeyFrom(const MKeyRule& rule, Guid guid) {
    if (rule.secret == 0 || !rule.per_port) return rule.secret;
    if (guid == kNoGuid) return 0;
    SipState state(rule.secret);
    state.Take(Raw(guid));
    state.Take(std::uint64_t{sizeof(Guid)} << 56U);  // The length of the message ends it.
    const std::uint64_t key = state.Finish();
    return key != 0 ? key : 1;
}

PortIndex MKeyPortOf(const Fabric& fabric, PortIndex at) {
    const Node& node = fabric.node(fabric.port(at).node);
    return node.type == NodeType::kSwitch ? node.first_port : at;
}

std::uint64_t MKeyOf(const Fabric& fabric, const Settings& settings, PortIndex at) {
    const Port& port = fabric.port(MKeyPortOf(fabric, at));
    const std::uint64_t seen = port.info.Get(PortInfo::kMKey);
    if (seen != 0 && settings.m_key_lookup) return seen;
    return MKeyFrom(RuleOf(settings), port.has_info ? port.guid : kNoGuid);
}

std::uint64_t MKeyBeyond(const Fabric& fabric, const Settings& settings, PortIndex exit) {
    const PortIndex peer = fabric.port(exit).peer;
    if (peer != kNoPortIndex) return MKeyOf(fabric, settings, peer);
    return MKeyFrom(RuleOf(settings), kNoGuid);
}

}  // namespace ember
