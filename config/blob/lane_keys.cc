// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lists and limits of the `qos_*` keys.
#include "config/blob/lane_keys.h"

#include <cstdint>

#include "core/base/assert.h"

namespace ember {
namespace {

using Entries = flatbuffers::Vector<const schema::VlWeight*>;
using Octets = flatbuffers::Vector<std::uint8_t>;

void CopyEntries(const Entries* from, VlWeights& to) {
    to.clear();
    if (from == nullptr) return;
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
        const Status pushed = to.TryPush({from->Get(i)->vl(), from->Get(i)->weight()});
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

void CopyMap(const Octets* from, LaneSettings& to) {
    to.sl_to_vl.clear();
    if (from == nullptr) return;
    EMBER_ASSERT(from->size() == kSlToVlEntries);
    for (flatbuffers::uoffset_t sl = 0; sl < from->size(); ++sl) {
        const Status pushed = to.sl_to_vl.TryPush(from->Get(sl));
        EMBER_ASSERT(pushed == Status::kOk);
    }
}

void Copy(std::int32_t high_limit, const Entries* high, const Entries* low, const Octets* sl_to_vl,
          LaneSettings& to) {
    to.high_limit = high_limit;
    CopyEntries(high, to.high);
    CopyEntries(low, to.low);
    CopyMap(sl_to_vl, to);
}

}  // namespace

/// In the order of LanePorts.
void CopyLanes(const schema::Settings& from, std::array<LaneSettings, kLanePortKinds>& to) {
    Copy(from.qos_high_limit(), from.qos_vlarb_high(), from.qos_vlarb_low(), from.qos_sl2vl(),
         to[0]);
    Copy(from.qos_ca_high_limit(), from.qos_ca_vlarb_high(), from.qos_ca_vlarb_low(),
         from.qos_ca_sl2vl(), to[1]);
    Copy(from.qos_sw0_high_limit(), from.qos_sw0_vlarb_high(), from.qos_sw0_vlarb_low(),
         from.qos_sw0_sl2vl(), to[2]);
    Copy(from.qos_swe_high_limit(), from.qos_swe_vlarb_high(), from.qos_swe_vlarb_low(),
         from.qos_swe_sl2vl(), to[3]);
    Copy(from.qos_rtr_high_limit(), from.qos_rtr_vlarb_high(), from.qos_rtr_vlarb_low(),
         from.qos_rtr_sl2vl(), to[4]);
}

}  // namespace ember
