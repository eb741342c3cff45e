// SPDX-License-Identifier: Apache-2.0
// EmberSM: judges that follow packets lane by lane.
#include "tests/swarm/lane_judges.h"

#include <algorithm>

#include "core/wire/port_info.h"
#include "tests/swarm/judges.h"

namespace ember::swarm {

using sim::kNoRow;
using sim::SimNode;

unsigned Packets::VlAt(std::uint32_t row, std::uint32_t in, std::uint32_t out, unsigned sl) const {
    const auto octets = world_.SlToVl(row, in, out);
    return sl % 2 == 0 ? octets[sl / 2] >> 4U : octets[sl / 2] & 15U;
}

/// A table with no weight at all serves every VL.
bool Packets::IsServed(std::uint32_t row, unsigned vl) const {
    bool is_empty = true;
    for (std::uint32_t block = 1; block <= 4; ++block) {
        const auto octets = world_.VlArbBlock(row, block);
        for (std::size_t i = 0; i + 1 < octets.size(); i += 2) {
            if (octets[i + 1] == 0) continue;
            is_empty = false;
            if ((octets[i] & 15U) == vl) return true;
        }
    }
    return is_empty;
}

std::string Packets::Leave(std::uint32_t row, unsigned vl) const {
    const PortInfo& info = world_.port(row).info;
    if (info.Get(PortInfo::kPortState) != PortState::kActive) return "is not ACTIVE";
    const unsigned lanes = DataVls(info.Get(PortInfo::kOperationalVls));
    // Without QoS and without lanes of a routing no map is the manager's: a Set that was spoilt on
    // the wire may have left any, and a link of one VL has no use for it.
    if (vl >= lanes && (has_lanes_ || lanes > 1)) {
        return "has " + std::to_string(lanes) + " VLs, and the packet has VL " + std::to_string(vl);
    }
    if (has_lanes_ && lanes > 1 && !IsServed(row, vl)) {
        return "never sends from VL " + std::to_string(vl);
    }
    return {};
}

std::string Packets::Send(std::uint32_t from, std::uint32_t to, std::uint32_t lid, unsigned sl) {
    const auto at_port = [&](std::uint32_t row, const std::string& wrong) {
        return NameOf(world_, from) + " to LID " + std::to_string(lid) + " of " +
               NameOf(world_, to) + " on SL " + std::to_string(sl) + ": " + NameOf(world_, row) +
               " " + wrong;
    };
    unsigned vl = VlAt(from, 0, 0, sl);
    if (const std::string wrong = Leave(from, vl); !wrong.empty()) return at_port(from, wrong);
    Buffer held{from, vl};
    std::uint32_t row = world_.Beyond(from);
    for (std::uint32_t steps = 0; row != to; ++steps) {
        if (row == kNoRow || steps > world_.switch_count()) return at_port(from, "loses it");
        const SimNode& here = world_.node_of(row);
        if (!here.is_switch()) return at_port(row, "gets it");
        const std::uint8_t out = world_.LftEntry(world_.port(row).node, lid);
        const bool is_beyond = lid > Raw(here.switch_info.Get(SwitchInfo::kLinearFdbTop));
        if (is_beyond || out == 0 || out > here.port_count) return at_port(row, "drops it");
        const std::uint32_t exit = here.first_row + out;
        vl = VlAt(here.first_row, row - here.first_row, out, sl);
        if (const std::string wrong = Leave(exit, vl); !wrong.empty()) return at_port(exit, wrong);
        const Buffer next{exit, vl};
        waits_[held].insert(next);
        held = next;
        row = world_.Beyond(exit);
    }
    return {};
}

bool Packets::MayDeadlock() const {
    auto left = waits_;
    for (;;) {  // Takes away what waits for nothing that waits, until nothing changes.
        const std::size_t before = left.size();
        std::erase_if(left, [&](const auto& row) {
            return std::none_of(row.second.begin(), row.second.end(),
                                [&](const Buffer& next) { return left.contains(next); });
        });
        if (left.size() == before) return !left.empty();
    }
}

std::multiset<std::uint16_t> PKeysAt(const sim::World& world, std::uint32_t row) {
    std::multiset<std::uint16_t> keys;
    for (std::uint32_t block = 0;; ++block) {
        const auto octets = world.PKeyBlock(row, block);
        if (octets.empty()) return keys;
        for (std::size_t i = 0; i + 1 < octets.size(); i += 2) {
            const auto key = static_cast<std::uint16_t>(octets[i] << 8U | octets[i + 1]);
            if ((key & 0x7FFFU) != 0) keys.insert(key);
        }
    }
}

}  // namespace ember::swarm
