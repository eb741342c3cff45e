// SPDX-License-Identifier: Apache-2.0
// EmberSM: one attribute of subnet administration: how its records are found, told and changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/query/query.h"

namespace ember {

/// The longest record, by far not reached: ServiceRecord takes 176.
inline constexpr std::size_t kMaxRecordOctets = 256;

/// The result of Next().
enum class Found : std::uint8_t {
    kRecord,  ///< A record was found; the cursor stands behind it.
    kEnd,     ///< There are no more.
    kLater,   ///< The budget is used up, or the answer of a device is awaited: call again.
};

/// The records of one attribute. A source tells the records that a question matches one by one, in
/// an order that does not depend on the requester. Nothing of a question is kept: the cursor holds
/// all that must be remembered. There is one object for each attribute; records.h composes them.
class RecordSource {
public:
    /// Which attribute, and what its methods are.
    struct Traits {
        SaAttribute attribute{};
        std::uint16_t record_octets =
            0;  ///< In an answer; a multiple of 8, at most kMaxRecordOctets.
        bool get = true;
        bool get_table = true;
        bool get_multi = false;
        bool set = false;
        bool remove = false;        ///< SubnAdmDelete.
        SaAttribute answered_as{};  ///< The attribute of a GetMulti's records; 0: this one.
    };
    [[nodiscard]] virtual Traits traits() const = 0;

    /// Checks a Get, GetTable or GetMulti before any record is looked at. kOk: nothing is wrong.
    [[nodiscard]] virtual SaStatus Check(const Query& query) const = 0;

    /// Finds the next record at or after `cursor`, writes it to `record` (record_octets octets, all
    /// of them) and moves the cursor behind it. `budget` is the work left in this slice, counted in
    /// rows looked at (about 10 ns each): it is lowered, and at 0 the answer is kLater with the
    /// cursor where to go on. Only what the requester's partitions allow is told.
    [[nodiscard]] virtual Found Next(const Query& query, Cursor& cursor, std::uint32_t& budget,
                                     std::span<std::uint8_t> record) = 0;

    /// Does a Set or Delete, and writes the record of the answer (record_octets octets).
    [[nodiscard]] virtual SaStatus Change(const Query& query, std::uint64_t now_us,
                                          std::span<std::uint8_t> record) = 0;

protected:
    ~RecordSource() = default;
};

}  // namespace ember
