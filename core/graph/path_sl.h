// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of every path of a routing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/status.h"
#include "core/graph/ring_rule.h"

namespace ember {

/// Values that a service level (SL) has, 0..15. IBA vol. 1, 7.6.5.
inline constexpr std::uint8_t kServiceLevels = 16;
/// In place of a service level: the routing knows no such path.
inline constexpr std::uint8_t kNoSl = 0xFF;

/// A path from any port of its first switch, by what may decide its service level.
struct SlPath {
    SwitchIndex from = kNoSwitch;  ///< The switch that its source hangs on, or is.
    SwitchIndex to = kNoSwitch;    ///< The same of its destination.
    Lid lid = kNoLid;              ///< Its DLID.
};

/// Where a switch stands on a grid of rings: x, y, z.
using GridPlace = std::array<std::uint8_t, 3>;

/// The service level of every path, in the cheapest form that holds it: half an octet an entry, or
/// three octets a switch where it follows from coordinates.
///
/// A view of octets of the board's storage, like a span: a copy of it shows the same octets. A
/// routing of one lane leaves the form kNone and needs no octet. Paths of a form have their SL by
/// SwitchIndex and LID, so it holds for the fabric of which it was made.
class PathSl {
public:
    enum class Form : std::uint8_t {
        kNone,            ///< No path differs from another: SL 0.
        kByDestination,   ///< By SlPath::lid.
        kBySwitchPair,    ///< By SlPath::from and to.
        kBySwitchAndLid,  ///< By SlPath::from and lid.
        /// By the places of SlPath::from and to on a grid. Bit d is set where the shorter way round
        /// the ring of dimension d leads from its last place to its first, or back; of two ways
        /// that are equally long, the one that does not counts.
        kByPlaces,
        /// By the same places. Bit d is the lane of the ring of dimension d by its RingRule.
        kByRings,
    };

    constexpr PathSl() = default;
    explicit constexpr PathSl(std::span<std::uint8_t> octets) : octets_(octets) {}

    /// Octets that a form takes for rows of switches 0..switches-1 and LIDs up to `top`.
    [[nodiscard]] static constexpr std::size_t Bytes(Form form, std::size_t switches, Lid top) {
        const std::size_t rows = RowsOf(form, switches);
        return rows * ((ColumnsOf(form, switches, top) + 1) / 2);
    }

    /// Takes this form; every path has SL 0. kFull: there are fewer than Bytes() octets, and all is
    /// as it was (EngineFault::kNoPathSlBytes). Writes Bytes() octets.
    [[nodiscard]] Status Begin(Form form, std::size_t switches, Lid top);
    /// Back to kNone.
    void Clear() { form_ = Form::kNone; }
    /// Says what `other` says, of which it has at least as many octets, in octets of its own.
    void Copy(const PathSl& other);
    /// For kByPlaces: places in each dimension, 1..255. Before it every path has SL 0.
    void SetRadix(const GridPlace& radix);
    /// For kByRings likewise: the rules of the three rings. LaneRound() has a lane for each path.
    void SetRings(const std::array<RingRule, std::tuple_size_v<GridPlace>>& rings);
    /// For both: a switch of Begin(), and coordinates below the radix.
    void SetPlace(SwitchIndex at, const GridPlace& place);
    /// For a form that holds an entry for each path. The path is one of switches and LIDs of
    /// Begin(); `sl` is 0..15.
    void Set(const SlPath& path, std::uint8_t sl);

    /// 0 for kNone; kNoSl where the form has no entry for such switches or such a LID.
    [[nodiscard]] std::uint8_t Of(const SlPath& path) const;
    [[nodiscard]] Form form() const { return form_; }
    /// Paths between the same two switches may differ.
    [[nodiscard]] bool is_by_lid() const {
        return form_ == Form::kByDestination || form_ == Form::kBySwitchAndLid;
    }
    /// A path and the path back always have one SL.
    [[nodiscard]] bool is_two_way() const {
        return form_ == Form::kNone || form_ == Form::kByRings;
    }
    /// Says of every path what another one says, and in the same form.
    [[nodiscard]] bool IsLike(const PathSl& other) const;
    /// Octets that it takes.
    [[nodiscard]] std::size_t bytes() const {
        return form_ == Form::kNone ? 0 : rows_ * RowBytes();
    }

private:
    /// Rows behind those of switches that hold the rules of kByRings: six octets a ring, three a
    /// row.
    static constexpr std::size_t kRuleRows = 6;

    [[nodiscard]] static constexpr bool IsByGrid(Form form) {
        return form == Form::kByPlaces || form == Form::kByRings;
    }
    [[nodiscard]] static constexpr std::size_t RowsOf(Form form, std::size_t switches) {
        switch (form) {
            case Form::kNone:
                return 0;
            case Form::kByDestination:
                return 1;
            case Form::kBySwitchPair:
            case Form::kBySwitchAndLid:
                return switches;
            case Form::kByPlaces:
                return switches + 1;  // The last is the radix.
            case Form::kByRings:
                return switches + kRuleRows;
        }
        return 0;
    }
    [[nodiscard]] static constexpr std::size_t ColumnsOf(Form form, std::size_t switches, Lid top) {
        if (IsByGrid(form)) return 2 * std::tuple_size_v<GridPlace>;
        return form == Form::kBySwitchPair ? switches : Raw(top) + std::size_t{1};
    }
    [[nodiscard]] std::size_t RowBytes() const { return (columns_ + 1) / 2; }
    [[nodiscard]] bool Has(const SlPath& path) const;
    [[nodiscard]] GridPlace PlaceAt(std::size_t row) const;
    [[nodiscard]] RingRule RingAt(std::size_t dimension) const;
    [[nodiscard]] std::size_t SwitchRows() const {
        EMBER_ASSERT(IsByGrid(form_));
        return rows_ - (form_ == Form::kByRings ? kRuleRows : std::size_t{1});
    }
    [[nodiscard]] std::uint8_t ByPlaces(const SlPath& path) const;
    [[nodiscard]] std::uint8_t ByRings(const SlPath& path) const;
    [[nodiscard]] std::size_t OctetOf(const SlPath& path) const;
    [[nodiscard]] std::size_t RowOf(const SlPath& path) const {
        return form_ == Form::kByDestination ? 0 : Raw(path.from);
    }
    [[nodiscard]] std::size_t ColumnOf(const SlPath& path) const {
        return form_ == Form::kBySwitchPair ? Raw(path.to) : Raw(path.lid);
    }

    std::span<std::uint8_t> octets_;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    Form form_ = Form::kNone;
};

}  // namespace ember
