// SPDX-License-Identifier: Apache-2.0
// EmberSM: what this subnet administrator is able to do.
#include "core/administration/class_port_infos.h"

#include <algorithm>

namespace ember {
namespace {

/// The Q_Key of queue pair 1. IBA vol. 1, 3.5.3.
inline constexpr std::uint32_t kGeneralServicesQKey = 0x80010000;

/// The shortest time on the scale 4.096 us x 2^n, n = 0..31, that is no shorter than `time_us`.
[[nodiscard]] std::uint8_t TimeCode(std::uint64_t time_us) {
    std::uint8_t code = 0;
    while (code < 31 && (std::uint64_t{4096} << code) < time_us * 1000)
        ++code;
    return code;
}

}  // namespace

void ClassPortInfos::Tell(std::span<std::uint8_t> record) const {
    ClassPortInfo info;
    info.Set(ClassPortInfo::kBaseVersion, kBaseVersion);
    info.Set(ClassPortInfo::kClassVersion, kSubnAdmClassVersion);
    info.Set(ClassPortInfo::kCapabilityMask, mask_);
    info.Set(ClassPortInfo::kCapabilityMask2, mask2_);
    const std::uint64_t timeout_us = std::uint64_t{view_.settings.transaction_timeout} * 1000;
    info.Set(ClassPortInfo::kRespTimeValue, TimeCode(timeout_us));
    // Redirected is nobody; OpenSM names the general services here all the same, and so do we.
    info.Set(ClassPortInfo::kRedirectQp, std::uint32_t{1});
    info.Set(ClassPortInfo::kRedirectQKey, kGeneralServicesQKey);
    info.Set(ClassPortInfo::kTrapQKey, kGeneralServicesQKey);
    std::copy(info.octets().begin(), info.octets().end(), record.begin());
}

}  // namespace ember
