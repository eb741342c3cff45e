// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a question asks of a path.
#pragma once

#include <cstdint>

#include "core/administration/query/query.h"
#include "core/wire/multi_path_record.h"
#include "core/wire/path_record.h"
#include "core/wire/port_info.h"
#include "core/wire/rate.h"
#include "core/wire/sa_mad.h"

namespace ember {

/// A value that a question compares with.
template <typename Value>
struct Wanted {
    bool asked = false;  ///< The question sets both the value and its selector.
    Selector selector{};
    Value value{};
};

/// The wishes for a path that PathRecord and MultiPathRecord have in common.
struct PathWish {
    Wanted<Mtu> mtu{};
    Wanted<Rate> rate{};
    Wanted<std::uint8_t> life_time{};
    bool has_p_key = false;
    std::uint16_t p_key = 0;
    bool has_sl = false;
    std::uint8_t sl = 0;
    bool raw_traffic = false;
    bool reversible = false;  ///< Only paths that can be reversed.
    bool has_service_id = false;
    bool has_qos_class = false;
    std::uint64_t service_id = 0;
    std::uint16_t qos_class = 0;

    /// Values that no path can have are refused at once: kRequestInvalid.
    [[nodiscard]] SaStatus Check() const;
};

[[nodiscard]] inline std::uint64_t ServiceIdOf(const PathRecord& asked) {
    return asked.Get(PathRecord::kServiceId);
}
[[nodiscard]] inline std::uint64_t ServiceIdOf(const MultiPathRecord& asked) {
    return std::uint64_t{asked.Get(MultiPathRecord::kServiceIdHigh)} << 56U |
           asked.Get(MultiPathRecord::kServiceIdLow);
}

/// The wishes of a question for its paths; `asked` is its PathRecord or MultiPathRecord.
template <typename Record>
[[nodiscard]] PathWish WishOf(const Query& query, const Record& asked) {
    using R = Record;
    PathWish wish;
    wish.mtu = {query.Has(R::kHasMtuSelector) && query.Has(R::kHasMtu), asked.Get(R::kMtuSelector),
                asked.Get(R::kMtu)};
    wish.rate = {query.Has(R::kHasRateSelector) && query.Has(R::kHasRate),
                 asked.Get(R::kRateSelector), asked.Get(R::kRate)};
    wish.life_time = {query.Has(R::kHasPacketLifeTimeSelector) && query.Has(R::kHasPacketLifeTime),
                      asked.Get(R::kPacketLifeTimeSelector), asked.Get(R::kPacketLifeTime)};
    wish.has_p_key = query.Has(R::kHasPKey);
    wish.p_key = asked.Get(R::kPKey);
    wish.has_sl = query.Has(R::kHasSl);
    wish.sl = asked.Get(R::kSl);
    wish.raw_traffic = query.Has(R::kHasRawTraffic) && asked.Get(R::kRawTraffic) != 0;
    wish.reversible = query.Has(R::kHasReversible) && asked.Get(R::kReversible) != 0;
    wish.has_service_id = query.Has(R::kHasServiceIdHigh) && query.Has(R::kHasServiceIdLow);
    wish.has_qos_class = query.Has(R::kHasQosClass);
    if (wish.has_service_id) wish.service_id = ServiceIdOf(asked);
    if (wish.has_qos_class) wish.qos_class = asked.Get(R::kQosClass);
    return wish;
}

// Each brings a path's value to what is asked of it. False: the path has it not.
[[nodiscard]] bool FitMtu(const Wanted<Mtu>& wanted, Mtu& mtu);
[[nodiscard]] bool FitRate(const Wanted<Rate>& wanted, Rate& rate);
[[nodiscard]] bool FitLifeTime(const Wanted<std::uint8_t>& wanted, std::uint8_t& life_time);

}  // namespace ember
