// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a lie changes an answer.
#pragma once

#include <array>
#include <bit>

#include "config/netlist/random.h"
#include "core/wire/smp.h"

namespace ember::swarm {

template <typename Info>
[[nodiscard]] Info Read(const Mad& mad) {
    return std::bit_cast<Info>(DataOf(mad));
}
inline void Write(Mad& mad, const SmpData& data) {
    auto smp = std::bit_cast<LidSmp>(mad);
    smp.data = data;
    mad = std::bit_cast<Mad>(smp);
}
/// Changes an attribute of an answer, if it is of that kind and went well.
template <typename Info, typename Change>
void Alter(AttributeId attribute, Mad& answer, Change change) {
    if (answer.header.attribute_id != attribute || StatusOf(answer.header) != 0) return;
    auto info = Read<Info>(answer);
    change(info);
    Write(answer, info.octets());
}

template <typename Value, std::size_t kCount>
[[nodiscard]] Value OneOf(net::Random& random, const std::array<Value, kCount>& values) {
    return values[random.Below(kCount)];
}

}  // namespace ember::swarm
