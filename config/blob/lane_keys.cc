// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lists and limits of the `qos_*` keys.
#include "config/blob/lane_keys.h"

#include <cstdint>

#include "core/base/assert.h"

namespace ember {
namespace {

using Entries = flatbuffers::Vector<const schema::VlWeight*>;
using Octets = flatbuffers::Vector<std::uint8_t>;

/// The fields of one kind of ports.
struct LaneFields {
    std::int32_t (schema::Settings::*high_limit)() const;
    const Entries* (schema::Settings::*high)() const;
    const Entries* (schema::Settings::*low)() const;
    const Octets* (schema::Settings::*sl_to_vl)() const;
};

// clang-format off
/// By LanePorts.
constexpr std::array<LaneFields, kLanePortKinds> kFields = {{
    {&schema::Settings::qos_high_limit,     &schema::Settings::qos_vlarb_high,
     &schema::Settings::qos_vlarb_low,      &schema::Settings::qos_sl2vl},
    {&schema::Settings::qos_ca_high_limit,  &schema::Settings::qos_ca_vlarb_high,
     &schema::Settings::qos_ca_vlarb_low,   &schema::Settings::qos_ca_sl2vl},
    {&schema::Settings::qos_sw0_high_limit, &schema::Settings::qos_sw0_vlarb_high,
     &schema::Settings::qos_sw0_vlarb_low,  &schema::Settings::qos_sw0_sl2vl},
    {&schema::Settings::qos_swe_high_limit, &schema::Settings::qos_swe_vlarb_high,
     &schema::Settings::qos_swe_vlarb_low,  &schema::Settings::qos_swe_sl2vl},
    {&schema::Settings::qos_rtr_high_limit, &schema::Settings::qos_rtr_vlarb_high,
     &schema::Settings::qos_rtr_vlarb_low,  &schema::Settings::qos_rtr_sl2vl},
}};
// clang-format on

VlWeights CopyEntries(const Entries* from) {
    VlWeights to;
    if (from == nullptr) return to;
    for (flatbuffers::uoffset_t i = 0; i < from->size(); ++i) {
        const Status pushed = to.TryPush({from->Get(i)->vl(), from->Get(i)->weight()});
        EMBER_ASSERT(pushed == Status::kOk);
    }
    return to;
}

}  // namespace

void CopyLanes(const schema::Settings& from, std::array<LaneSettings, kLanePortKinds>& to) {
    for (std::size_t kind = 0; kind < kLanePortKinds; ++kind) {
        const LaneFields& fields = kFields[kind];
        LaneSettings& lanes = to[kind];
        lanes = LaneSettings{};
        lanes.high_limit = (from.*fields.high_limit)();
        lanes.high = CopyEntries((from.*fields.high)());
        lanes.low = CopyEntries((from.*fields.low)());
        const Octets* const map = (from.*fields.sl_to_vl)();
        if (map == nullptr) continue;
        EMBER_ASSERT(map->size() == kSlToVlEntries);
        for (flatbuffers::uoffset_t sl = 0; sl < map->size(); ++sl) {
            const Status pushed = lanes.sl_to_vl.TryPush(map->Get(sl));
            EMBER_ASSERT(pushed == Status::kOk);
        }
    }
}

}  // namespace ember
