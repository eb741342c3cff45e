// SPDX-License-Identifier: Apache-2.0
// EmberSM: the simulated hardware: nodes, ports, cables and the tables inside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/base/assert.h"
#include "core/base/ids.h"
#include "core/wire/node_info.h"
#include "core/wire/port_info.h"
#include "core/wire/smp.h"
#include "core/wire/switch_info.h"

namespace ember::sim {

inline constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

/// Octets that begin as zeros and cost no memory until they are written: the operating system
/// hands out zero pages on first touch, so a fabric pays for the tables it uses.
class ZeroedOctets {
public:
    explicit ZeroedOctets(std::size_t bytes)
        : bytes_(bytes), first_(static_cast<std::uint8_t*>(std::calloc(bytes + 1, 1))) {  // NOLINT
        EMBER_ASSERT(first_ != nullptr);
    }
    ~ZeroedOctets() { std::free(first_); }  // NOLINT: the pair of calloc.
    ZeroedOctets(const ZeroedOctets&) = delete;
    ZeroedOctets& operator=(const ZeroedOctets&) = delete;

    [[nodiscard]] std::span<std::uint8_t> at(std::size_t first, std::size_t count) const {
        EMBER_ASSERT(first + count <= bytes_);
        return {first_ + first, count};
    }

private:
    std::size_t bytes_;
    std::uint8_t* first_;
};

/// The abilities of the chips in a simulated fabric.
struct Hardware {
    Mtu mtu_cap = Mtu::k4096;
    VlCap vl_cap = VlCap::kVl0To7;
    std::uint16_t linear_fdb_cap = 49152;
    std::uint16_t multicast_fdb_cap = 1024;  ///< A multiple of 32.
    std::uint16_t partition_cap = 64;        ///< A multiple of 32, at most 64.
    bool extended_speeds = true;  ///< Ports know FDR and EDR unless the netlist tells their speed.
    bool all_enhanced_port0 = false;  ///< Every switch has an enhanced port 0.
    bool takes_bandwidth = true;      ///< Hosts and routers have kSimBandwidth.
};

/// A node of the simulated hardware.
struct SimNode {
    NodeType type{};
    std::uint8_t port_count = 0;
    bool powered = true;
    bool led = false;
    std::uint16_t partition_cap = 0;
    std::uint32_t first_row = 0;     ///< Port p is row first_row + p. CAs have an unused row 0.
    std::uint32_t switch_index = 0;  ///< Among switches.
    Guid guid = kNoGuid;
    NodeInfo info{};  ///< PortGUID and LocalPortNum are filled in for every answer.
    SmpData description{};
    SwitchInfo switch_info{};
    std::uint32_t sl_to_vl_first = 0;  ///< Octets into the table of SL to VL mappings.

    [[nodiscard]] bool is_switch() const { return type == NodeType::kSwitch; }
};

/// A port. Management data of an end port (LID, M_Key …) are in `info` of that port.
struct SimPort {
    PortInfo info{};
    std::uint32_t node = 0;
    std::uint8_t number = 0;
    bool cut = false;       ///< Somebody pulled the cable at this end.
    bool disabled = false;  ///< PortPhysicalState was set to Disabled.
    bool training = false;  ///< A training of this link is under way.
    Guid guid = kNoGuid;
    std::uint64_t m_key_lease_ns = 0;  ///< When the M_Key's lease ends; 0: it is not running.
};

/// A later effect of an action on the hardware. The simulator takes these and schedules them.
struct Effect {
    enum class Kind : std::uint8_t {
        kTrain,         ///< The link at `at` (a row) begins to train.
        kStateChanged,  ///< The switch `at` saw a port change: it sends trap 128.
    };
    Kind kind;
    std::uint32_t at;
};

/// The simulated hardware, without time: flat tables, every step a few array look-ups.
///
/// Link states follow IBA vol. 1, 7.2.7: a cable whose ends are both powered, enabled and not cut
/// trains and comes up in INITIALIZE; the SM arms and activates it; any of the three going away
/// drops it to DOWN. Each such change sets PortStateChange of the switches at its ends.
class World {
public:
    World(const net::Netlist& netlist, const Hardware& hardware);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    [[nodiscard]] std::span<SimNode> nodes() { return nodes_; }
    [[nodiscard]] std::span<SimPort> ports() { return ports_; }
    [[nodiscard]] SimNode& node(std::uint32_t at) { return nodes_[at]; }
    [[nodiscard]] const SimNode& node(std::uint32_t at) const { return nodes_[at]; }
    [[nodiscard]] SimPort& port(std::uint32_t row) { return ports_[row]; }
    [[nodiscard]] const SimPort& port(std::uint32_t row) const { return ports_[row]; }
    [[nodiscard]] SimNode& node_of(std::uint32_t row) { return nodes_[ports_[row].node]; }
    [[nodiscard]] const SimNode& node_of(std::uint32_t row) const {
        return nodes_[ports_[row].node];
    }
    [[nodiscard]] const Hardware& hardware() const { return hardware_; }
    [[nodiscard]] std::uint32_t switch_count() const { return switch_count_; }
    [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
    [[nodiscard]] std::size_t row_count() const { return ports_.size(); }

    /// The row that holds LID, M_Key and the like for the port at `row`: port 0 of a switch.
    [[nodiscard]] std::uint32_t ManagementRow(std::uint32_t row) const {
        const SimNode& owner = node_of(row);
        return owner.is_switch() ? owner.first_row : row;
    }

    // Cables.
    /// The row at the other end of the cable, or kNoRow; whether it works is another question.
    [[nodiscard]] std::uint32_t Wired(std::uint32_t row) const { return wired_[row]; }
    /// The row that a packet leaving by `row` arrives at, or kNoRow when the link is down.
    [[nodiscard]] std::uint32_t Beyond(std::uint32_t row) const { return beyond_[row]; }
    /// Pulls or plugs this end of the cable.
    void SetCut(std::uint32_t row, bool cut);
    /// A Set(PortInfo) disabled or enabled the port.
    void SetDisabled(std::uint32_t row, bool disabled);
    /// Brings the link to DOWN as Set(PortInfo) does; it trains again at once if it may.
    void Retrain(std::uint32_t row);
    /// The training that Effect::kTrain began has ended: the link comes up if it still may.
    void FinishTraining(std::uint32_t row);
    /// Without power a node is deaf and its links are down.
    void PowerOff(std::uint32_t at);
    /// The node is as from the factory: no LID, no routes, no keys; its links begin to train.
    void PowerOn(std::uint32_t at);
    /// Plugs what is cabled to `row` into `other` and the other way round.
    void SwapLinks(std::uint32_t row, std::uint32_t other);

    // Tables inside the nodes.
    /// The egress port of `lid` at a switch as programmed, whatever LinearFDBTop says; 255: none.
    [[nodiscard]] std::uint8_t LftEntry(std::uint32_t node, std::uint32_t lid) const {
        const std::size_t at = std::size_t{nodes_[node].switch_index} * lft_stride_ + lid;
        return static_cast<std::uint8_t>(~lfts_.at(at, 1)[0]);
    }
    /// 64 entries; false when the block lies beyond LinearFDBCap.
    bool ReadLftBlock(std::uint32_t node, std::uint32_t block, SmpData& data) const;
    bool WriteLftBlock(std::uint32_t node, std::uint32_t block, const SmpData& data);
    /// `watcher(node, block)` is called after every block that is written: who proves that no state
    /// in between is bad must see each.
    using LftWatcher = std::function<void(std::uint32_t node, std::uint32_t block)>;
    void WatchLfts(LftWatcher watcher) { lft_watcher_ = std::move(watcher); }
    /// The same for blocks of multicast tables.
    void WatchMfts(LftWatcher watcher) { mft_watcher_ = std::move(watcher); }
    /// The same for blocks of P_Key tables; the port instead of the node: `watcher(row, block)`.
    void WatchPKeys(LftWatcher watcher) { p_key_watcher_ = std::move(watcher); }
    void NotifyPKeysWritten(std::uint32_t row, std::uint32_t block) const {
        if (p_key_watcher_) p_key_watcher_(row, block);
    }
    void NotifyMftWritten(std::uint32_t node, std::uint32_t block) const {
        if (mft_watcher_) mft_watcher_(node, block);
    }
    /// Fills an LFT with rubbish, as a chip without a defined power-up state shows it.
    void ScrambleLft(std::uint32_t node, std::uint64_t seed);
    /// 64 octets of the tables that are read and written block by block; empty beyond their ends.
    [[nodiscard]] std::span<std::uint8_t> MftBlock(std::uint32_t node, std::uint32_t block,
                                                   std::uint32_t position) const;
    [[nodiscard]] std::span<std::uint8_t> PKeyBlock(std::uint32_t row, std::uint32_t block) const;
    [[nodiscard]] std::span<std::uint8_t> VlArbBlock(std::uint32_t row, std::uint32_t block) const;
    [[nodiscard]] std::span<std::uint8_t> GuidBlock(std::uint32_t row) const;
    /// SimBandwidthTable: all that a host's port sends, then its virtual ports.
    [[nodiscard]] std::span<std::uint8_t> BandwidthBlock(std::uint32_t row,
                                                         std::uint32_t table) const;
    /// 8 octets: VLs of SL 0 to 15 from port `in` to port `out` (both 0 at a CA, port by row).
    [[nodiscard]] std::span<std::uint8_t> SlToVl(std::uint32_t row, std::uint32_t in,
                                                 std::uint32_t out) const;

    /// Changes whenever a link comes up or goes down.
    [[nodiscard]] std::uint64_t link_epoch() const { return link_epoch_; }
    /// Changes whenever a switch may forward by LID differently.
    [[nodiscard]] std::uint64_t route_epoch() const { return route_epoch_; }
    void NoteRouteChange() { ++route_epoch_; }

    /// Hands over what has come about since the last call, and forgets it.
    template <typename Visit>
    void TakeEffects(Visit visit) {
        for (const Effect& effect : effects_) {
            visit(effect);
        }
        effects_.clear();
    }

private:
    void AddNode(const net::NetNode& from, const Hardware& hardware);
    void ResetNode(std::uint32_t at);
    void ResetSwitch(SimNode& node);
    void ResetPort(std::uint32_t row);
    void DescribePort(SimPort& port, const net::NetPort& from, const SimNode& owner) const;
    [[nodiscard]] bool MayTrain(std::uint32_t row) const;
    void UpdateLink(std::uint32_t row);
    void Plug(std::uint32_t one_end, std::uint32_t other_end);
    void DropLink(std::uint32_t row);
    void Negotiate(std::uint32_t row, std::uint32_t other);
    void NoteStateChange(std::uint32_t row);

    Hardware hardware_;
    std::vector<SimNode> nodes_;
    std::vector<SimPort> ports_;
    std::vector<PortInfo> factory_;  ///< PortInfo after power-up, by row.
    std::vector<std::uint32_t> wired_;
    std::vector<std::uint32_t> beyond_;
    std::vector<Effect> effects_;
    std::uint32_t switch_count_ = 0;
    std::size_t lft_stride_ = 0;
    std::size_t mft_stride_ = 0;
    std::uint32_t sl_to_vl_bytes_ = 0;
    std::uint64_t link_epoch_ = 0;
    std::uint64_t route_epoch_ = 0;
    LftWatcher lft_watcher_;
    LftWatcher mft_watcher_;
    LftWatcher p_key_watcher_;
    ZeroedOctets lfts_;  ///< Entries are stored inverted: a fresh page reads 255, "no port".
    ZeroedOctets mfts_;
    ZeroedOctets p_keys_;
    ZeroedOctets vl_arbs_;
    ZeroedOctets guids_;
    ZeroedOctets bandwidths_;
    ZeroedOctets sl_to_vls_;
};

}  // namespace ember::sim
