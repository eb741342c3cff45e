// SPDX-License-Identifier: Apache-2.0
// EmberSM: the capabilities of this subnet administrator.
#include "core/administration/records/class_port_infos.h"

#include <algorithm>

#include "core/base/time.h"

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

Found ClassPortInfos::Next(const Query& /*query*/, Cursor& cursor, std::uint32_t& /*budget*/,
                           std::span<std::uint8_t> record) {
    EMBER_ASSERT(record.size() >= sizeof(ClassPortInfo));
    if (cursor.row != 0) return Found::kEnd;
    cursor.row = 1;
    ClassPortInfo info;
    info.Set(ClassPortInfo::kBaseVersion, kBaseVersion);
    info.Set(ClassPortInfo::kClassVersion, kSubnAdmClassVersion);
    info.Set(ClassPortInfo::kCapabilityMask, mask_);
    info.Set(ClassPortInfo::kCapabilityMask2, mask2_);
    const std::uint64_t timeout_us = view_.settings.transaction_timeout * kMillisecondUs;
    info.Set(ClassPortInfo::kRespTimeValue, TimeCode(timeout_us));
    // No client is redirected; these fields are as OpenSM has them all the same.
    info.Set(ClassPortInfo::kRedirectQp, std::uint32_t{1});
    info.Set(ClassPortInfo::kRedirectQKey, kGeneralServicesQKey);
    info.Set(ClassPortInfo::kTrapQKey, kGeneralServicesQKey);
    std::copy(info.octets().begin(), info.octets().end(), record.begin());
    return Found::kRecord;
}

}  // namespace ember
