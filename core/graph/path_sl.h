// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of every path of a routing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/status.h"

namespace ember {

/// Values that a service level (SL) has, 0..15. IBA vol. 1, 7.6.5.
inline constexpr std::uint8_t kServiceLevels = 16;
/// In place of a service level: the routing knows no such path.
inline constexpr std::uint8_t kNoSl = 0xFF;

/// A path, by what may decide its service level. It begins at any port of its first switch.
struct SlPath {
    SwitchIndex from = kNoSwitch;  ///< The switch that its source hangs on, or is.
    SwitchIndex to = kNoSwitch;    ///< The same of its destination.
    Lid lid = kNoLid;              ///< Its DLID.
};

/// The service level of every path, in the cheapest form that holds it, half an octet an entry.
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
    /// Not for kNone. The path is one of switches and LIDs of Begin(); `sl` is 0..15.
    void Set(const SlPath& path, std::uint8_t sl);

    /// 0 for kNone; kNoSl where the form has no entry for such switches or such a LID.
    [[nodiscard]] std::uint8_t Of(const SlPath& path) const;
    [[nodiscard]] Form form() const { return form_; }

private:
    [[nodiscard]] static constexpr std::size_t RowsOf(Form form, std::size_t switches) {
        return form == Form::kNone ? 0 : form == Form::kByDestination ? 1 : switches;
    }
    [[nodiscard]] static constexpr std::size_t ColumnsOf(Form form, std::size_t switches, Lid top) {
        return form == Form::kBySwitchPair ? switches : Raw(top) + std::size_t{1};
    }
    [[nodiscard]] std::size_t RowBytes() const { return (columns_ + 1) / 2; }
    [[nodiscard]] bool Has(const SlPath& path) const;
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
