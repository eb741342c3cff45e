// SPDX-License-Identifier: Apache-2.0
// EmberSM: by which virtual lane a switch sends on a packet of a service level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/base/status.h"

namespace ember {

/// In place of a data lane in a map: the switch drops the packet. IBA vol. 1, 7.6.6.
inline constexpr std::uint8_t kNoLane = 15;

/// How a packet passes a switch. Port 0 is the switch itself, as source or destination.
struct LaneTurn {
    SwitchIndex at = kNoSwitch;
    PortNumber in{};
    PortNumber out{};
};

/// The lane of each service level at one turn. IBA vol. 1, 14.2.5.8 (SLtoVLMappingTable).
class LaneRow {
public:
    /// Every packet is dropped.
    constexpr LaneRow() = default;
    /// The lane has the number of the service level; 15: kNoLane.
    [[nodiscard]] static constexpr LaneRow Identity() { return LaneRow(0xFEDC'BA98'7654'3210U); }
    /// As bits() says.
    explicit constexpr LaneRow(std::uint64_t bits) : bits_(bits) {}

    /// 0..14 or kNoLane, for service level 0..15.
    [[nodiscard]] constexpr std::uint8_t Of(std::uint8_t sl) const {
        EMBER_ASSERT(sl < 16);
        return static_cast<std::uint8_t>(bits_ >> (4U * sl) & kNoLane);
    }
    constexpr void Set(std::uint8_t sl, std::uint8_t lane) {
        EMBER_ASSERT(sl < 16 && lane <= kNoLane);
        bits_ &= ~(std::uint64_t{kNoLane} << (4U * sl));
        bits_ |= std::uint64_t{lane} << (4U * sl);
    }
    /// The lane of SL i in the bits 4i..4i+3.
    [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
    [[nodiscard]] constexpr bool operator==(const LaneRow&) const = default;

private:
    std::uint64_t bits_ = ~std::uint64_t{0};
};

/// The SL to VL maps of all switches.
///
/// A map by input and output port can let the lane of a packet rise on its path though its service
/// level never changes, which is what frees arbitrary shortest paths of credit loops. A map that
/// looks at one of the ports only, as for dateline routings of tori (out) and dragonflies (in), is
/// one whose rows are alike. Few rows differ in any routing: each is kept once, and a turn takes an
/// octet.
///
/// Where a row depends on what kinds of link the packet comes from and goes to, as on a torus, a
/// port takes an octet, its class, and two classes a row.
///
/// A view of words of the board's storage, like a span: a copy of it shows the same words. The form
/// kIdentity needs no word.
class LaneMap {
public:
    enum class Form : std::uint8_t {
        kIdentity,   ///< LaneRow::Identity() at each turn.
        kByPorts,    ///< By LaneTurn.
        kByClasses,  ///< By the classes of the two ports of LaneTurn.
    };
    /// Rows that differ, the one that drops everything included.
    static constexpr std::size_t kMostRows = 256;
    /// Classes of ports.
    static constexpr std::size_t kMostClasses = 16;

    constexpr LaneMap() = default;
    explicit constexpr LaneMap(std::span<std::uint64_t> words) : words_(words) {}

    /// Words that kByPorts takes for switches 0..switches-1, the largest of which has so many
    /// external ports, when `rows` rows differ.
    [[nodiscard]] static constexpr std::size_t Words(std::size_t switches, std::uint8_t most_ports,
                                                     std::size_t rows) {
        return TurnWords(switches, most_ports) + rows;
    }

    /// Takes the form kByPorts; every packet is dropped at every turn. kFull: there are fewer than
    /// Words() for one row, and all is as it was (EngineFault::kNoLaneMapBytes).
    [[nodiscard]] Status Begin(std::size_t switches, std::uint8_t most_ports);
    /// Words that kByClasses takes likewise.
    [[nodiscard]] static constexpr std::size_t ClassWords(std::size_t switches,
                                                          std::uint8_t most_ports,
                                                          std::size_t classes) {
        return OctetWords(switches * (most_ports + std::size_t{1})) + classes * classes;
    }

    /// Takes the form kByClasses; all ports are of class 0, and every packet is dropped. kFull as
    /// above, by ClassWords(). `classes`: 1..kMostClasses.
    [[nodiscard]] Status BeginClasses(std::size_t switches, std::uint8_t most_ports,
                                      std::size_t classes);
    /// For kByClasses. The port is one of BeginClasses().
    void SetClass(SwitchIndex at, PortNumber port, std::uint8_t port_class);
    /// For kByClasses: the row of all turns from a port of the one class to a port of the other.
    void SetRow(std::uint8_t in_class, std::uint8_t out_class, LaneRow row);

    /// For kByPorts. The turn is one of the switches and ports of Begin(). kFull: no word is
    /// left for one more row, or kMostRows differ; all is as it was.
    [[nodiscard]] Status Set(const LaneTurn& turn, LaneRow row);
    /// Back to kIdentity.
    void Clear() { rows_ = 0; }
    /// Says what `other` says, of which it has at least as many words, in words of its own.
    void Copy(const LaneMap& other);

    /// A turn of a switch or port that Begin() did not count has a row that drops everything.
    [[nodiscard]] LaneRow RowOf(const LaneTurn& turn) const {
        if (rows_ == 0) return LaneRow::Identity();
        if (!Has(turn)) return {};
        if (classes_ == 0) return LaneRow(words_[first_row_ + OctetAt(PlaceOf(turn))]);
        return LaneRow(words_[RowOfClasses(OctetAt(PortPlace(turn.at, turn.in)),
                                           OctetAt(PortPlace(turn.at, turn.out)))]);
    }
    /// 0..14 or kNoLane, for service level 0..15.
    [[nodiscard]] std::uint8_t Of(const LaneTurn& turn, std::uint8_t sl) const {
        return RowOf(turn).Of(sl);
    }
    /// Words that it takes.
    [[nodiscard]] std::size_t words() const { return rows_ == 0 ? 0 : first_row_ + rows_; }
    /// Of the same form and sizes as another one, with the same rows. The two differ at the
    /// switches for which IsSameAt() is false, and may do so nowhere else.
    [[nodiscard]] bool IsLike(const LaneMap& other) const;
    /// All turns at a switch have the rows that they have in another one that IsLike().
    [[nodiscard]] bool IsSameAt(const LaneMap& other, SwitchIndex at) const;
    /// And those to one of its ports.
    [[nodiscard]] bool IsSameTo(const LaneMap& other, SwitchIndex at, PortNumber out) const;
    [[nodiscard]] Form form() const {
        if (rows_ == 0) return Form::kIdentity;
        return classes_ == 0 ? Form::kByPorts : Form::kByClasses;
    }

private:
    static constexpr std::size_t kPlaces = sizeof(std::uint64_t);  // Of turns, in a word.

    [[nodiscard]] static constexpr std::size_t TurnWords(std::size_t switches,
                                                         std::uint8_t most_ports) {
        const std::size_t ports = most_ports + std::size_t{1};
        return OctetWords(switches * ports * ports);
    }
    [[nodiscard]] static constexpr std::size_t OctetWords(std::size_t octets) {
        return (octets + kPlaces - 1) / kPlaces;
    }
    [[nodiscard]] bool Has(const LaneTurn& turn) const {
        return Raw(turn.at) < switches_ && Raw(turn.in) < ports_ && Raw(turn.out) < ports_;
    }
    [[nodiscard]] std::size_t PlaceOf(const LaneTurn& turn) const {
        return (Raw(turn.at) * ports_ + Raw(turn.out)) * ports_ + Raw(turn.in);
    }
    [[nodiscard]] std::size_t PortPlace(SwitchIndex at, PortNumber port) const {
        return Raw(at) * ports_ + Raw(port);
    }
    [[nodiscard]] std::size_t RowOfClasses(std::size_t in_class, std::size_t out_class) const {
        return first_row_ + out_class * classes_ + in_class;
    }
    [[nodiscard]] static constexpr unsigned ShiftOf(std::size_t place) {
        return static_cast<unsigned>(8 * (place % kPlaces));
    }
    [[nodiscard]] std::size_t OctetAt(std::size_t place) const {
        return words_[place / kPlaces] >> ShiftOf(place) & 0xFFU;
    }
    /// The octets of a switch: so many, from PlaceOf() or PortPlace() of its port 0 on.
    [[nodiscard]] std::size_t OctetsAt() const { return classes_ == 0 ? ports_ * ports_ : ports_; }
    void SetOctet(std::size_t place, std::uint64_t octet) {
        EMBER_ASSERT(octet <= 0xFF);
        std::uint64_t& word = words_[place / kPlaces];
        word &= ~(std::uint64_t{0xFF} << ShiftOf(place));
        word |= octet << ShiftOf(place);
    }

    // An octet a turn, by switch, output port and input port: which row it has; by classes an octet
    // a port instead. Then the rows.
    std::span<std::uint64_t> words_;
    std::size_t switches_ = 0;
    std::size_t ports_ = 0;      ///< Of the largest switch, port 0 included.
    std::size_t first_row_ = 0;  ///< Word of row 0, which drops everything.
    std::size_t rows_ = 0;       ///< 0: kIdentity.
    std::size_t classes_ = 0;    ///< 0: not kByClasses.
};

}  // namespace ember
