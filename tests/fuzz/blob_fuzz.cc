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

// Some point, of which nobody has the private half.
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
    Require(settings.max_wire_smps >= 1 && settings.max_wire_smps <= 0x7FFFFFFF);
    Require(settings.transaction_timeout >= 1 && settings.transaction_timeout <= 600000);
    Require(settings.transaction_retries >= 1 && settings.transaction_retries <= 255);
    Require(settings.sminfo_polling_timeout >= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static ember::BlobBuffer buffer;
    if (size > buffer.octets.size()) return 0;
    if (size > 0) std::memcpy(buffer.octets.data(), data, size);
    const auto input = std::span<const std::byte>(buffer.octets).first(size);

    ember::Settings settings;
    const ember::BlobReport report = ember::ReadBlob(input, kKey, 0, settings);
    Require(!report.accepted());
    Require(settings == ember::Settings{});

    const ember::PayloadReport inside = ember::ReadPayload(input, settings);
    if (inside.well_formed && inside.field_out_of_range.empty()) {
        RequireRanges(settings);
    } else {
        Require(settings == ember::Settings{});
    }
    if (size > sizeof(ember::BlobHeader)) {
        (void)ember::ReadPayload(input.subspan(sizeof(ember::BlobHeader)), settings);
    }
    (void)ember::ParsePublicKey(input);
    return 0;
}
