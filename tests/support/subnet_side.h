// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a manager knows of the subnet besides registrations, with storage of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "config/blob/message_codes.h"
#include "config/netlist/topologies.h"
#include "core/replication/replicated_state.h"
#include "platform/sim/sim_store.h"
#include "tests/support/fabric_builder.h"
#include "tests/support/fake_port.h"

namespace ember::testing {

struct SubnetSide {
    static constexpr std::uint32_t kMaxLid = 200;
    static constexpr std::string_view kKey = "0123456789abcdef";

    explicit SubnetSide(std::uint64_t seed) : entropy(seed) {
        limits.max_lid = kMaxLid;
        settings.flapping_link_hold = 10;
        has_key = codes.TakeKey(std::as_bytes(std::span(kKey))) == Status::kOk;
    }
    [[nodiscard]] LidMap& map() { return lids.map(); }

    net::BuiltFabric built{net::FatTree2(4)};
    Limits limits = built.limits();
    Settings settings;
    std::vector<LogRecord> notes = std::vector<LogRecord>(64);
    Log log{notes};
    sim::SimStore store;
    FakeEntropy entropy;
    HashedCodes codes;
    bool has_key = false;
    net::ArenaStorage scratch{1U << 20U};
    std::vector<KeptLids> rows = std::vector<KeptLids>(kMaxLid + 1);
    std::vector<LidMap::Row> slots =
        std::vector<LidMap::Row>(RowIndex<LidMap::Row>::SlotsFor(kMaxLid + 1));
    std::vector<std::uint64_t> kept = std::vector<std::uint64_t>(BitSet::WordsFor(0xC000));
    LidUpkeep lids{{rows, slots, kept},
                   WithTop(limits),
                   {built.fabric(), log, store, scratch.arena()},
                   settings};
    KnownMKeys m_keys{{built.fabric(), log, store}, settings};
    std::vector<FlappingLink> links = std::vector<FlappingLink>(4);
    FlappingLinks flapping{links, built.fabric(), log, settings};
    std::vector<std::uint64_t> marks = std::vector<std::uint64_t>(BitSet::WordsFor(kMaxLid + 1));
    ReplicatedState state{marks, {lids, m_keys, flapping, &codes, entropy}};

private:
    [[nodiscard]] static Limits WithTop(Limits limits) {
        limits.max_lid = kMaxLid;
        return limits;
    }
};

}  // namespace ember::testing
