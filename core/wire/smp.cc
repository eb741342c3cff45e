// SPDX-License-Identifier: Apache-2.0
// EmberSM: making subnet management packets.
#include "core/wire/smp.h"

#include "core/base/assert.h"

namespace ember {
namespace {

constexpr MadHeader HeaderOf(const SmpRequest& request, MgmtClass mgmt_class) {
    EMBER_ASSERT(!IsResponse(request.method));
    MadHeader header{};
    header.base_version = kBaseVersion;
    header.mgmt_class = mgmt_class;
    header.class_version = kSubnClassVersion;
    header.method = request.method;
    header.transaction_id = request.id;
    header.attribute_id = request.attribute;
    header.attribute_modifier = request.modifier;
    return header;
}

}  // namespace

Mad MakeLidRouted(const SmpRequest& request) {
    LidSmp smp{};
    smp.header = HeaderOf(request, MgmtClass::kSubnLid);
    smp.m_key = request.m_key;
    smp.data = request.data;
    return std::bit_cast<Mad>(smp);
}

Mad MakeDirected(const SmpRequest& request, const DirectedPath& path) {
    EMBER_ASSERT(path.hops <= kMaxHops);

    DirectedSmp smp{};
    smp.header = HeaderOf(request, MgmtClass::kSubnDirected);
    smp.header.hop_count = path.hops;
    smp.m_key = request.m_key;
    smp.dr_slid = kPermissiveLid;
    smp.dr_dlid = kPermissiveLid;
    smp.data = request.data;
    for (std::size_t hop = 0; hop < path.hops; ++hop) {
        smp.initial_path[hop + 1] = path.ports[hop];
    }
    return std::bit_cast<Mad>(smp);
}

Mad ReplyTo(const Mad& request, std::uint16_t status, const SmpData& data) {
    EMBER_ASSERT(!IsResponse(request.header.method));
    EMBER_ASSERT((status & kDirectionBit) == 0);

    auto reply = std::bit_cast<DirectedSmp>(request);
    reply.header.method = ResponseOf(request.header.method);
    reply.header.status = status;
    reply.m_key = 0;
    reply.data = data;
    if (request.header.mgmt_class != MgmtClass::kSubnDirected) return std::bit_cast<Mad>(reply);

    // The response takes the return path that the request collected, from its far end on: the
    // pointer stands one behind the last hop, and the SMI steps it down before it sends. A
    // simulator that does not step the pointer (ibsim) delivers 0, and takes no reply with anything
    // else.
    reply.header.status = static_cast<std::uint16_t>(status | kDirectionBit);
    if (request.header.hop_pointer != 0) {
        reply.header.hop_pointer = static_cast<std::uint8_t>(request.header.hop_count + 1U);
    }
    reply.dr_slid = std::bit_cast<DirectedSmp>(request).dr_dlid;
    reply.dr_dlid = std::bit_cast<DirectedSmp>(request).dr_slid;
    return std::bit_cast<Mad>(reply);
}

}  // namespace ember
