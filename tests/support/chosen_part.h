// SPDX-License-Identifier: Apache-2.0
// EmberSM: a part of a subnet that a test chooses.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/subnet_part.h"

namespace ember::testing {

/// Has everything, until something is removed.
class ChosenPart {
public:
    explicit ChosenPart(const Limits& limits)
        : switches_(SubnetPart::Words(limits.max_switches), ~std::uint64_t{0}),
          lids_(SubnetPart::Words(limits.max_lid), ~std::uint64_t{0}),
          part_{switches_, lids_} {}
    ChosenPart(const ChosenPart&) = delete;
    ChosenPart& operator=(const ChosenPart&) = delete;

    void Remove(SwitchIndex at) { Clear(switches_, Raw(at)); }
    void Remove(Lid lid) { Clear(lids_, Raw(lid)); }
    [[nodiscard]] const SubnetPart& part() const { return part_; }

private:
    static void Clear(std::vector<std::uint64_t>& words, std::size_t bit) {
        words[bit / 64] &= ~(std::uint64_t{1} << bit % 64);
    }

    std::vector<std::uint64_t> switches_;
    std::vector<std::uint64_t> lids_;
    SubnetPart part_;
};

}  // namespace ember::testing
