// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a QoS level leaves of a path.
#pragma once

#include <cstdint>
#include <span>

#include "core/graph/path_sl.h"
#include "core/partitions/partitions.h"
#include "core/settings/qos_tables.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

// As OpenSM 3.3.24 does it (osm_sa_path_record.c): a level narrows what the links of a path admit,
// before the question's own MTU, rate and life-time are compared with it.

/// The values that a path admits.
struct PathValues {
    Mtu mtu = Mtu::kNone;
    Rate rate = Rate::kNone;
    std::uint8_t life_time = 0;
    [[nodiscard]] bool operator==(const PathValues&) const = default;
};

/// Narrows `values` to the limits of `level`: MTU and rate become no larger than its limits. Its
/// packet life replaces the life-time of a path that leaves its port.
constexpr void Limit(const QosLevel& level, bool leaves_port, PathValues& values) {
    if (level.mtu_limit != Mtu::kNone && values.mtu > level.mtu_limit) values.mtu = level.mtu_limit;
    if (level.rate_limit != Rate::kNone && RateRank(values.rate) > RateRank(level.rate_limit)) {
        values.rate = level.rate_limit;
    }
    if (level.packet_life != kNoPacketLife && leaves_port) {
        values.life_time = level.packet_life;
    }
}

/// The service level of a path before the routing has its say: that of the level, null for none,
/// else the one asked for. kNoSl: both are there and differ, so there is no path.
[[nodiscard]] constexpr std::uint8_t SlUnder(const QosLevel* level, bool has_sl, std::uint8_t sl) {
    if (level == nullptr) return has_sl ? sl : std::uint8_t{0};
    return has_sl && sl != level->sl ? kNoSl : level->sl;
}

/// Whether a level that lists these P_Keys, none for all, admits a path of `p_key`.
[[nodiscard]] constexpr bool Admits(std::span<const QosRange> p_keys, std::uint16_t p_key) {
    const std::uint64_t base = p_key & kPKeyBase;
    for (const QosRange& range : p_keys) {
        if (base >= range.from && base <= range.to) return true;
    }
    return p_keys.empty();
}

/// Packets of `p_key`, whichever membership it says, pass between two ports: one of the two is a
/// full member. A limited member may not send to itself either. IBA vol. 1, 10.9.3.
[[nodiscard]] bool MayCarry(const Partitions& partitions, PortIndex one, PortIndex other,
                            std::uint16_t p_key);

/// The P_Key of a path between two ports, where the question asks for none: the lowest one that
/// they share and that is listed, which is told without the bit of membership, as by OpenSM; the
/// lowest one that they share where none is listed. kNoPKey: there is none, and no path.
[[nodiscard]] std::uint16_t SharedPKey(const Partitions& partitions, PortIndex one, PortIndex other,
                                       std::span<const QosRange> p_keys);

}  // namespace ember
