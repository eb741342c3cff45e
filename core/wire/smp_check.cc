// SPDX-License-Identifier: Apache-2.0
// EmberSM: the check of a received SMP.
#include "core/wire/smp_check.h"

#include <bit>

#include "core/wire/smp.h"

namespace ember {
namespace {

/// The methods of subnet management. IBA vol. 1, 14.2.4.
bool IsSubnMethod(Method method) {
    return method == Method::kGet || method == Method::kSet || method == Method::kGetResp ||
           method == Method::kTrap || method == Method::kTrapRepress;
}

/// True when the path of a directed-route SMP may end here. A request has made all its hops: its
/// pointer stands at the last hop, or one behind it when the receiving SMI has stepped it already.
/// A response is back at hop 0, or at 1 when the SMI has not stepped it yet. Simulators that follow
/// the path without stepping the pointer (ibsim) deliver requests with 0.
bool HasArrived(const DirectedSmp& smp) {
    const unsigned pointer = smp.header.hop_pointer;
    const unsigned count = smp.header.hop_count;
    if (IsResponse(smp.header.method)) return pointer <= 1;
    return pointer == 0 || pointer == count || pointer == count + 1;
}

Status CheckDirected(const DirectedSmp& smp) {
    if (smp.header.hop_count > kMaxHops) return Status::kMalformed;
    if (!HasArrived(smp)) return Status::kMalformed;

    const bool returns = (smp.header.status & kDirectionBit) != 0;
    if (returns != IsResponse(smp.header.method)) return Status::kMalformed;

    if (smp.dr_slid != kPermissiveLid) return Status::kMalformed;
    if (smp.dr_dlid != kPermissiveLid) return Status::kMalformed;
    return Status::kOk;
}

}  // namespace

Status CheckSmp(const Mad& mad) {
    if (mad.header.base_version != kBaseVersion) return Status::kMalformed;
    const bool directed = mad.header.mgmt_class == MgmtClass::kSubnDirected;
    if (!directed && mad.header.mgmt_class != MgmtClass::kSubnLid) return Status::kMalformed;
    if (mad.header.class_version != kSubnClassVersion) return Status::kMalformed;
    if (!IsSubnMethod(mad.header.method)) return Status::kMalformed;
    return directed ? CheckDirected(std::bit_cast<DirectedSmp>(mad)) : Status::kOk;
}

}  // namespace ember
