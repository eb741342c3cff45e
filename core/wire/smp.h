// SPDX-License-Identifier: Apache-2.0
// EmberSM: subnet management packets (SMPs), LID routed and directed route.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/wire/mad.h"

namespace ember {

inline constexpr std::size_t kSmpDataOctets = 64;
inline constexpr std::size_t kMaxHops = 63;  ///< IBA vol. 1, 14.2.2: hop count 0..63.

using SmpData = std::array<std::uint8_t, kSmpDataOctets>;

/// A LID-routed SMP. IBA vol. 1, 14.2.1.1.
struct LidSmp {
    MadHeader header;                         //   0
    Be<std::uint64_t> m_key;                  //  24
    std::array<std::uint8_t, 32> reserved;    //  32
    SmpData data;                             //  64
    std::array<std::uint8_t, 128> reserved2;  // 128
};
static_assert(WireStruct<LidSmp>);
static_assert(sizeof(LidSmp) == kMadOctets);
static_assert(offsetof(LidSmp, data) == 64);

/// A directed-route SMP. IBA vol. 1, 14.2.1.2. Both LIDs are permissive when the whole path is
/// directed. Entry 0 of each path is unused: the first hop has index 1.
struct DirectedSmp {
    MadHeader header;                           //   0
    Be<std::uint64_t> m_key;                    //  24
    Be<Lid> dr_slid;                            //  32
    Be<Lid> dr_dlid;                            //  34
    std::array<std::uint8_t, 28> reserved;      //  36
    SmpData data;                               //  64
    std::array<std::uint8_t, 64> initial_path;  // 128
    std::array<std::uint8_t, 64> return_path;   // 192
};
static_assert(WireStruct<DirectedSmp>);
static_assert(sizeof(DirectedSmp) == kMadOctets);
static_assert(offsetof(DirectedSmp, dr_slid) == 32);
static_assert(offsetof(DirectedSmp, data) == 64);
static_assert(offsetof(DirectedSmp, initial_path) == 128);
static_assert(offsetof(DirectedSmp, return_path) == 192);

/// The output port of each hop, from the SM's own node on. 0 hops: the SM's own node.
struct DirectedPath {
    std::array<std::uint8_t, kMaxHops> ports{};
    std::uint8_t hops = 0;

    [[nodiscard]] constexpr std::span<const std::uint8_t> used() const {
        return std::span(ports).first(hops);
    }
};

/// The content of a request, LID routed or directed.
struct SmpRequest {
    Method method = Method::kGet;
    AttributeId attribute{};
    std::uint32_t modifier = 0;
    std::uint64_t m_key = 0;  ///< The M_Key of the receiver; 0 when it has none.
    TransactionId id{};
    SmpData data{};
};

/// Builds a LID-routed request. Its destination LID stands in the Envelope.
[[nodiscard]] Mad MakeLidRouted(const SmpRequest& request);

/// Builds a request whose whole path is directed. The hop pointer is 0: the SMI of the port
/// advances it. Asserts at most kMaxHops hops. IBA vol. 1, 14.2.2.2.
[[nodiscard]] Mad MakeDirected(const SmpRequest& request, const DirectedPath& path);

/// Turns a received request that passed CheckSmp() into its response: Get and Set into GetResp,
/// Trap into TrapRepress. `status` is one of kMadStatus... or 0. The response does not repeat the
/// M_Key, so that it discloses none. IBA vol. 1, 13.4.5, 14.2.2.2.
[[nodiscard]] Mad ReplyTo(const Mad& request, std::uint16_t status, const SmpData& data);

/// The 64 octets of data of an SMP; both kinds of SMP have them at the same offset.
[[nodiscard]] constexpr SmpData DataOf(const Mad& mad) {
    return std::bit_cast<LidSmp>(mad).data;
}

/// The status without the direction bit.
[[nodiscard]] constexpr std::uint16_t StatusOf(const MadHeader& header) {
    return static_cast<std::uint16_t>(header.status & static_cast<std::uint16_t>(~kDirectionBit));
}

}  // namespace ember
