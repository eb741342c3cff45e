// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: the configuration blob as a switch reads it, from every side.
//
// A fuzzer cannot sign, so what stands behind the signature is fed in directly: the worst case is
// one who has the key. What is accepted must lie in range.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "config/blob/blob_reader.h"
#include "config/blob/container.h"
#include "config/blob/payload.h"
#include "config/blob/public_key.h"

namespace {

constexpr std::size_t kLargestInput = std::size_t{64} * 1024;

// A point whose private half is not known.
constexpr ember::PublicKey kKey{{4, 1, 2, 3}};

void Require(bool holds) {
    if (!holds) std::abort();
}

void RequireRanges(const ember::Settings& settings) {
    Require(settings.lmc <= 7);
    Require(settings.sm_priority <= 15 && settings.sm_sl <= 15);
    Require(settings.packet_life_time <= 31 && settings.subnet_timeout <= 31);
    Require(settings.max_op_vls >= 1 && settings.max_op_vls <= 5);
    Require(settings.head_of_queue_lifetime <= 31 && settings.leaf_head_of_queue_lifetime <= 31);
    Require(settings.vl_stall_count <= 7 && settings.leaf_vl_stall_count <= 7);
    Require(settings.local_phy_errors_threshold <= 15 && settings.overrun_errors_threshold <= 15);
    Require(settings.m_key_protection_level <= 3);
    Require(settings.max_wire_smps <= 0x7FFFFFFF);
    Require(settings.transaction_timeout >= 1 && settings.transaction_timeout <= 600000);
    Require(settings.transaction_retries >= 1 && settings.transaction_retries <= 255);
}

bool IsCable(ember::PortNumber port) {
    return ember::Raw(port) >= 1 && ember::Raw(port) <= 254;
}

template <typename Row>
void RequireAscendingGuids(std::span<const Row> rows) {
    std::uint64_t before = 0;
    for (const Row& row : rows) {
        Require(ember::Raw(row.guid) > before);
        before = ember::Raw(row.guid);
    }
}

void RequireOwners(std::span<const ember::LidOwner> owners) {
    std::uint32_t before = 0;
    for (const ember::LidOwner& owner : owners) {
        Require(ember::Raw(owner.lid) > before && owner.lid <= ember::kTopUnicastLid);
        before = ember::Raw(owner.lid);
    }
}

/// The facts that an engine relies upon: ports exist, ranges lie inside.
void RequireTables(const ember::EngineTables& tables) {
    RequireAscendingGuids(tables.ids);
    RequireAscendingGuids(tables.search);
    RequireAscendingGuids(tables.lfts);
    RequireAscendingGuids(tables.matrix);
    RequireOwners(tables.lft_owners);
    RequireOwners(tables.matrix_owners);
    for (const ember::HopWeight& row : tables.hop_weights) {
        Require(IsCable(row.port) && row.hops >= 1);
    }
    for (const ember::SwitchPort& row : tables.ignored) {
        Require(IsCable(row.port));
    }
    for (const ember::PortOrder& row : tables.search) {
        for (const ember::PortNumber port : tables.search_ports.subspan(row.first, row.count)) {
            Require(IsCable(port));
        }
    }
    for (const ember::FileTable& row : tables.lfts) {
        Require(std::size_t{row.first} + row.count <= tables.lft_ports.size());
    }
    for (const ember::FileMatrix& row : tables.matrix) {
        const std::size_t octets = row.lids * (row.port_count + std::size_t{1});
        Require(row.port_count >= 1 && row.first + octets <= tables.matrix_hops.size());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    alignas(64) static std::array<std::byte, kLargestInput> buffer;
    alignas(64) static std::array<std::byte, ember::OptionRoomBytesFor(kLargestInput)> memory;
    if (size > buffer.size()) return 0;
    if (size > 0) std::memcpy(buffer.data(), data, size);
    const auto input = std::span<const std::byte>(buffer).first(size);
    const ember::OptionRoom room{memory};

    ember::Settings settings;
    const ember::BlobReport report = ember::ReadBlob(input, kKey, 0, room, settings);
    Require(!report.accepted());
    Require(settings == ember::Settings{});

    const ember::PayloadReport inside = ember::ReadPayload(input, room, settings);
    // The room is as large as any blob of this size can ask for.
    Require(!inside.well_formed || inside.room_suffices);
    if (inside.accepted()) {
        RequireRanges(settings);
        RequireTables(settings.tables);
        for (const ember::SwitchPort& row : settings.manager_tables.edge_ports) {
            Require(IsCable(row.port));
        }
        RequireAscendingGuids(settings.manager_tables.m_keys);
        RequireAscendingGuids(settings.manager_tables.port_lids);
        for (const ember::PortLids& row : settings.manager_tables.port_lids) {
            Require(row.least != ember::kNoLid && row.least <= row.most);
            Require(row.most <= ember::kTopUnicastLid);
        }
        for (const ember::Neighbor& row : settings.manager_tables.neighbors) {
            Require(IsCable(row.port));
        }
    } else {
        Require(settings == ember::Settings{});
    }
    if (size > sizeof(ember::BlobHeader)) {
        (void)ember::ReadPayload(input.subspan(sizeof(ember::BlobHeader)), room, settings);
    }
    (void)ember::ParsePublicKey(input);
    return 0;
}
