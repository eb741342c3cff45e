// SPDX-License-Identifier: Apache-2.0
// EmberSM: ServiceRecord: a service that a port offers.
#pragma once

#include <array>
#include <cstdint>

#include "core/base/gid.h"
#include "core/wire/record.h"

namespace ember {

/// ServiceRecord. IBA vol. 1, 15.2.5.14. ServiceID, ServiceGID and ServiceP_Key together identify
/// it.
class ServiceRecord : public Attribute<176> {
public:
    /// ServiceLease without an end.
    static constexpr std::uint32_t kForever = 0xFFFFFFFF;

    // clang-format off
    static constexpr Field<std::uint64_t> kServiceId      {   0,  64};
    static constexpr Field<std::uint64_t> kServiceGidHigh {  64,  64};
    static constexpr Field<std::uint64_t> kServiceGidLow  { 128,  64};
    static constexpr Field<std::uint16_t> kServicePKey    { 192,  16};
    static constexpr Field<std::uint16_t> kReserved208    { 208,  16};
    static constexpr Field<std::uint32_t> kServiceLease   { 224,  32};  ///< Seconds.
    static constexpr Part                 kServiceKey     { 256, 128};
    static constexpr Part                 kServiceName    { 384, 512};
    static constexpr Part                 kServiceData8   { 896, 128};
    static constexpr Part                 kServiceData16  {1024, 128};
    static constexpr Part                 kServiceData32  {1152, 128};
    static constexpr Part                 kServiceData64  {1280, 128};

    /// By number, as the component mask counts them: each word of data is one.
    enum Component : std::uint8_t {
        kHasServiceId = 0, kHasServiceGid = 1, kHasServicePKey = 2, kHasReserved = 3,
        kHasServiceLease = 4, kHasServiceKey = 5, kHasServiceName = 6, kHasServiceData8 = 7,
        kHasServiceData16 = 23, kHasServiceData32 = 31, kHasServiceData64 = 35,
    };
    // clang-format on
    static constexpr std::size_t kComponentCount = 37;
    /// Their extents, the words of data laid out one by one.
    static constexpr std::array<Extent, kComponentCount> kComponents = [] {
        std::array<Extent, kComponentCount> all{};
        all[kHasServiceId] = kServiceId;
        all[kHasServiceGid] = Extent{64, 128};
        all[kHasServicePKey] = kServicePKey;
        all[kHasReserved] = kNotCompared;
        all[kHasServiceLease] = kServiceLease;
        all[kHasServiceKey] = kServiceKey;
        all[kHasServiceName] = kServiceName;
        std::uint16_t bit = kServiceData8.bit;
        std::uint16_t width = 8;
        for (std::size_t i = kHasServiceData8; i < kComponentCount; ++i) {
            if (i == kHasServiceData16) width = 16;
            if (i == kHasServiceData32) width = 32;
            if (i == kHasServiceData64) width = 64;
            all[i] = Extent{bit, width};
            bit = static_cast<std::uint16_t>(bit + width);
        }
        return all;
    }();

    [[nodiscard]] constexpr Gid gid() const { return {Get(kServiceGidHigh), Get(kServiceGidLow)}; }
    constexpr void SetGid(const Gid& gid) {
        Set(kServiceGidHigh, gid.high);
        Set(kServiceGidLow, gid.low);
    }
};

}  // namespace ember
