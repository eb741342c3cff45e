// SPDX-License-Identifier: Apache-2.0
// EmberSM: how simulated links come up and go down.
#include <bit>

#include "platform/sim/world.h"

namespace ember::sim {

bool World::MayTrain(std::uint32_t row) const {
    const std::uint32_t other = wired_[row];
    if (other == kNoRow) return false;
    const auto willing = [this](std::uint32_t end) {
        return !ports_[end].cut && !ports_[end].disabled && node_of(end).powered;
    };
    return willing(row) && willing(other);
}

void World::NoteStateChange(std::uint32_t row) {
    SimNode& node = node_of(row);
    if (!node.is_switch() || !node.powered) return;
    node.switch_info.Set(SwitchInfo::kPortStateChange, std::uint8_t{1});
    effects_.push_back({Effect::Kind::kStateChanged, ports_[row].node});
}

/// The widest and fastest that both ends have enabled; 1x and SDR always work.
void World::Negotiate(std::uint32_t row, std::uint32_t other) {
    PortInfo& one = ports_[row].info;
    PortInfo& two = ports_[other].info;
    const auto best = [&](Field<std::uint8_t> enabled) {
        const unsigned common = unsigned{one.Get(enabled)} & unsigned{two.Get(enabled)};
        return static_cast<std::uint8_t>(std::bit_floor(common));
    };
    std::uint8_t width = best(PortInfo::kLinkWidthEnabled);
    if (width == 0) width = link_width::k1x;
    std::uint8_t speed = best(PortInfo::kLinkSpeedEnabled);
    if (speed == 0) speed = link_speed::kSdr;
    std::uint8_t fast = best(PortInfo::kLinkSpeedExtEnabled);
    if (fast > link_speed_ext::kNdr) fast = 0;  // 30: switched off.
    const std::uint8_t faster = best(PortInfo::kLinkSpeedExtEnabled2);
    if (faster != 0) fast = 0;
    const bool is_extended = fast != 0 || faster != 0;
    for (PortInfo* info : {&one, &two}) {
        info->Set(PortInfo::kLinkWidthActive, width);
        info->Set(PortInfo::kLinkSpeedActive, is_extended ? link_speed::kExtended : speed);
        info->Set(PortInfo::kLinkSpeedExtActive, fast);
        info->Set(PortInfo::kLinkSpeedExtActive2, faster);
    }
}

void World::FinishTraining(std::uint32_t row) {
    const std::uint32_t other = wired_[row];
    ports_[row].training = false;
    if (other == kNoRow) return;
    ports_[other].training = false;
    if (beyond_[row] != kNoRow || !MayTrain(row)) return;
    beyond_[row] = other;
    beyond_[other] = row;
    Negotiate(row, other);
    for (const std::uint32_t end : {row, other}) {
        ports_[end].info.Set(PortInfo::kPortState, PortState::kInitialize);
        ports_[end].info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kLinkUp);
        NoteStateChange(end);
    }
    ++link_epoch_;
}

void World::DropLink(std::uint32_t row) {
    const std::uint32_t other = beyond_[row];
    if (other == kNoRow) return;
    beyond_[row] = beyond_[other] = kNoRow;
    for (const std::uint32_t end : {row, other}) {
        ports_[end].info.Set(PortInfo::kPortState, PortState::kDown);
        ports_[end].info.Set(PortInfo::kPortPhysicalState, PortPhysicalState::kPolling);
        NoteStateChange(end);
    }
    ++link_epoch_;
}

void World::UpdateLink(std::uint32_t row) {
    if (!MayTrain(row)) {
        DropLink(row);
    } else if (beyond_[row] == kNoRow && !ports_[row].training) {
        ports_[row].training = true;
        ports_[wired_[row]].training = true;
        effects_.push_back({Effect::Kind::kTrain, row});
    }
}

void World::SetCut(std::uint32_t row, bool cut) {
    ports_[row].cut = cut;
    UpdateLink(row);
}

void World::SetDisabled(std::uint32_t row, bool disabled) {
    ports_[row].disabled = disabled;
    UpdateLink(row);
    if (beyond_[row] != kNoRow) return;
    ports_[row].info.Set(PortInfo::kPortPhysicalState,
                         disabled ? PortPhysicalState::kDisabled : PortPhysicalState::kPolling);
}

void World::Retrain(std::uint32_t row) {
    DropLink(row);
    UpdateLink(row);
}

void World::PowerOff(std::uint32_t at) {
    SimNode& node = nodes_[at];
    node.powered = false;
    for (std::uint32_t p = 1; p <= node.port_count; ++p) {
        UpdateLink(node.first_row + p);
    }
    ++link_epoch_;  // Datagrams on their way to its management port are lost too.
}

void World::PowerOn(std::uint32_t at) {
    SimNode& node = nodes_[at];
    if (node.powered) return;
    node.powered = true;
    ResetNode(at);
    for (std::uint32_t p = 1; p <= node.port_count; ++p) {
        UpdateLink(node.first_row + p);
    }
    ++link_epoch_;
}

void World::SwapLinks(std::uint32_t row, std::uint32_t other) {
    const std::uint32_t peer = wired_[row];
    const std::uint32_t other_peer = wired_[other];
    EMBER_ASSERT(peer != other && peer != row && other_peer != other);
    DropLink(row);
    DropLink(other);
    wired_[row] = wired_[other] = kNoRow;
    if (other_peer != kNoRow) Plug(row, other_peer);
    if (peer != kNoRow) Plug(peer, other);
}

void World::Plug(std::uint32_t one_end, std::uint32_t other_end) {
    wired_[one_end] = other_end;
    wired_[other_end] = one_end;
    ports_[one_end].training = ports_[other_end].training = false;
    UpdateLink(one_end);
}

}  // namespace ember::sim
