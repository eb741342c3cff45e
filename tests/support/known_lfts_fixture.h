// SPDX-License-Identifier: Apache-2.0
// EmberSM: KnownLfts of the subnet of a netlist, all links of which are ACTIVE.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/programming/known_lfts.h"
#include "tests/support/fabric_builder.h"

namespace ember {

class KnownLftsFixture : public ::testing::Test {
protected:
    explicit KnownLftsFixture(const net::Netlist& netlist, std::uint8_t lmc = 0)
        : built_(netlist, With(lmc)),
          entries_(built_.limits().max_switches * LidStride(built_.limits())),
          known_words_(KnownLfts::Words(built_.limits())),
          unconfirmed_words_(known_words_.size()),
          rows_(built_.limits().max_switches),
          known_({.entries = entries_,
                  .known_words = known_words_,
                  .unconfirmed_words = unconfirmed_words_,
                  .rows = rows_},
                 built_.limits(), built_.fabric()) {
        ForEachPort(fabric(), [](PortIndex, Port& port) {
            const bool is_up = port.peer != kNoPortIndex || port.number == kManagementPort;
            port.info.Set(PortInfo::kPortState, is_up ? PortState::kActive : PortState::kDown);
            port.info.Set(PortInfo::kLid, port.lid);
        });
        for (std::uint32_t at = 0; at < fabric().switch_count(); ++at) {
            SetTop(static_cast<SwitchIndex>(at), fabric().top_lid());
        }
    }

    [[nodiscard]] static net::BuiltFabric::Options With(std::uint8_t lmc) {
        net::BuiltFabric::Options options;
        options.lmc = lmc;
        return options;
    }
    [[nodiscard]] Fabric& fabric() { return built_.fabric(); }
    void SetTop(SwitchIndex at, Lid top) {
        fabric().switch_row(at).info.Set(SwitchInfo::kLinearFdbTop, top);
    }
    [[nodiscard]] static SmpData Filled(std::uint8_t entry) {
        SmpData block;
        block.fill(entry);
        return block;
    }

    net::BuiltFabric built_;
    std::vector<std::uint8_t> entries_;
    std::vector<std::uint64_t> known_words_;
    std::vector<std::uint64_t> unconfirmed_words_;
    std::vector<KnownLfts::Row> rows_;
    KnownLfts known_;
};

}  // namespace ember
