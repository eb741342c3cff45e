// SPDX-License-Identifier: Apache-2.0
// EmberSM: a question to the subnet administrator, as the sources of records see it.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/table.h"
#include "core/fabric/fabric.h"
#include "core/graph/path_sl.h"
#include "core/graph/routing_tables.h"
#include "core/partitions/own_p_keys.h"
#include "core/partitions/partitions.h"
#include "core/settings/settings.h"
#include "core/wire/sa_mad.h"

namespace ember {

/// The tables of the subnet manager from which the subnet administrator answers, between sweeps and
/// during a sweep. `lfts` are the LFTs that the switches are known to have, `lanes` those of the
/// routing that was programmed last; nullptr: one lane.
struct AdministrationView {
    const Fabric& fabric;
    const Settings& settings;
    const Partitions& partitions;
    Matrix<SwitchIndex, const std::uint8_t> lfts;
    /// The number of the state of the tables: it changes whenever fabric, settings or lfts may have
    /// changed. A result may be kept as long as the number stays. 0: no result may be kept.
    std::uint64_t generation = 0;
    const RoutingLanes* lanes = nullptr;
    /// The P_Keys of our own port; nullptr: they are not known.
    const OwnPKeys* own_p_keys = nullptr;

    /// Paths have service levels by that routing.
    [[nodiscard]] bool has_routed_sls() const {
        return lanes != nullptr && lanes->path_sl.form() != PathSl::Form::kNone;
    }
};

/// A question, checked: the header is sound, and the requester is an end port of this subnet.
struct Query {
    Method method{};
    SaAttribute attribute{};
    std::uint32_t modifier = 0;
    std::uint64_t component_mask = 0;
    bool is_trusted = false;  ///< The question carried sa_key.
    PortIndex requester = kNoPortIndex;
    Lid requester_lid = kNoLid;
    std::uint32_t requester_queue_pair = 0;
    std::uint8_t requester_service_level = 0;
    std::uint16_t p_key_index = 0;  ///< Of its P_Key in the table of our own port.
    std::span<const std::uint8_t>
        record;  ///< As asked: kSaDataOctets, or the octets of an RMPP question.

    /// Component `number` of the record (IBA's numbering, from 0) counts in the comparison.
    [[nodiscard]] constexpr bool Has(unsigned number) const {
        return ((component_mask >> number) & 1U) != 0;
    }
};

/// How far an answer has been told: a plain value which a source interprets as it likes (rows,
/// blocks, ...). All zeros: before the first record. A copy of it, taken earlier, tells the same
/// records again as long as the tables stand still: so lost segments are made anew, and an answer
/// of any length takes no memory.
struct Cursor {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
    std::uint32_t item = 0;
    std::uint32_t extra = 0;
    [[nodiscard]] bool operator==(const Cursor&) const = default;
};

}  // namespace ember
