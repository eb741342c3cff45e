// SPDX-License-Identifier: Apache-2.0
// EmberSM: the rates of a switch's links, looked up once where they are the same.
#pragma once

#include <cstdint>

#include "core/fabric/fabric.h"
#include "core/links/link_rating.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"

namespace ember {

/// The active width and speeds of one end.
[[nodiscard]] inline std::uint32_t ActiveRate(const PortInfo& info) {
    return std::uint32_t{info.Get(PortInfo::kLinkWidthActive)} |
           std::uint32_t{info.Get(PortInfo::kLinkSpeedActive)} << 8U |
           std::uint32_t{info.Get(PortInfo::kLinkSpeedExtActive)} << 16U |
           std::uint32_t{info.Get(PortInfo::kLinkSpeedExtActive2)} << 24U;
}

/// Rates of links of one switch, which mostly are the same: the last is remembered.
class LinkRates {
public:
    explicit LinkRates(const Fabric& fabric) : fabric_(fabric) {}
    [[nodiscard]] Rate Of(const Port& port, const Port& peer) {
        const std::uint64_t key = ActiveRate(port.info) | std::uint64_t{ActiveRate(peer.info)}
                                                              << 32U;
        if (key == key_) return rate_;
        key_ = key;
        rate_ = RateOfLink(fabric_, port.peer);
        return rate_;
    }

private:
    const Fabric& fabric_;
    std::uint64_t key_ = 0;  ///< Of a link that tells nothing.
    Rate rate_ = Rate::kNone;
};

}  // namespace ember
