// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a routing algorithm is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/arena.h"
#include "core/base/engine_kind.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/static_vector.h"
#include "core/base/status.h"
#include "core/base/table.h"
#include "core/graph/routing_tables.h"
#include "core/graph/topology.h"
#include "core/log/words.h"
#include "core/routing/changes.h"
#include "core/settings/engine_options.h"

namespace ember {

/// The promise of an engine about every routing it finishes. The verifier holds it to that.
struct Promise {
    bool shortest = false;       ///< Every path is a shortest one.
    bool deadlock_free = false;  ///< No cycle of channel dependencies among end ports' traffic.
    /// Every switch reaches every switch's own LID. Up/down routing cannot, between two roots.
    bool all_switches = true;
    /// Asked by RoutingTask::last_resort it routes every subnet that is connected: no pair is lost
    /// and no credit loop possible, whatever the options say and whatever it promises else.
    bool last_resort = false;
    /// Asked by RoutingTask::classes it gives lanes to the paths of tables that it leaves as they
    /// are.
    bool lays_lanes = false;
};

/// Why an engine cannot route a fabric, and the place where that is seen.
struct EngineComplaint {
    EngineFault what = EngineFault::kNone;
    Guid guid = kNoGuid;        ///< The node at fault, kNoGuid: none in particular.
    PortNumber port = kNoPort;  ///< And its port, kNoPort: none in particular.
    [[nodiscard]] bool operator==(const EngineComplaint&) const = default;
};

/// The complaint of who needs more lanes than the link of a port has.
[[nodiscard]] inline EngineComplaint ComplaintOfLink(const Topology& topology, SwitchIndex at,
                                                     PortNumber port) {
    const SwitchIndex cause = topology.OneLaneAt(at, port);
    if (cause != kNoSwitch) {
        return {.what = EngineFault::kSwitchLanes, .guid = topology.switch_row(cause).guid};
    }
    return {.what = EngineFault::kLinkLanes, .guid = topology.switch_row(at).guid, .port = port};
}

/// A cable between two switches that the shape of a fabric has no place for.
struct OddLink {
    Guid one = kNoGuid;
    Guid other = kNoGuid;
    PortNumber port = kNoPort;
    PortNumber other_port = kNoPort;
    [[nodiscard]] bool operator==(const OddLink&) const = default;
};

/// A fabric as an engine found it, and how it is routed. Engines that do not look say nothing.
struct EngineChoice {
    FabricShape shape = FabricShape::kUnknown;
    RoutingScheme scheme = RoutingScheme::kNone;
    bool is_damaged = false;  ///< Links or switches of that shape are missing.
    ShapeMismatch not_tree = ShapeMismatch::kNone;  ///< Why it is no tree,
    ShapeMismatch not_grid = ShapeMismatch::kNone;  ///< and why not routed as a grid.
    EngineComplaint shortage;  ///< Of lanes or memory: a better scheme was given up for it.
    /// Pairs of switches with end ports, in either direction, whose path the scheme makes longer
    /// than the shortest.
    std::uint64_t detours = 0;
    /// An entry of its option file that is not in use, and would not fit when it is.
    EngineComplaint misfit;
    /// Cables that no route uses, lest they cost the shape: the first of them.
    StaticVector<OddLink, 4> odd;
    std::uint32_t odd_count = 0;      ///< All of them.
    std::uint32_t assumed_roots = 0;  ///< Switches taken for roots that the options do not name.
    Guid assumed_root = kNoGuid;      ///< The first of them by GUID.
    /// The switch over which end ports are connected that the roots of up/down would leave apart.
    Guid bridge = kNoGuid;
    [[nodiscard]] bool operator==(const EngineChoice&) const = default;
};

/// Changes made by mending.
struct Mended {
    std::uint64_t entries = 0;
    std::uint32_t switches = 0;  ///< With any of these.
};

/// The memory of a hop matrix, for an engine that needs room more than it needs the hops.
class HopRoom {
public:
    constexpr HopRoom() = default;
    explicit HopRoom(Matrix<SwitchIndex, std::uint8_t> hops) : hops_(hops) {}
    HopRoom(const HopRoom&) = delete;
    HopRoom& operator=(const HopRoom&) = delete;

    /// From now on it may hold anything. The core measures the hops again when the engine has
    /// ended, which takes far less time than the routes.
    [[nodiscard]] Matrix<SwitchIndex, std::uint8_t> Spend() {
        is_spent_ = true;
        return hops_;
    }
    [[nodiscard]] bool is_spent() const { return is_spent_; }
    void Fill(Matrix<SwitchIndex, std::uint8_t> hops) {
        hops_ = hops;
        is_spent_ = false;
    }

private:
    Matrix<SwitchIndex, std::uint8_t> hops_;
    bool is_spent_ = false;
};

/// Pairs of switches in classes, by the parts of the subnet that both have end ports of.
struct PairClasses {
    /// By SwitchIndex: bit i for an end port in the part of class i + 1.
    std::span<const std::uint16_t> parts;
    std::size_t count = 1;  ///< Classes, with class 0.

    /// The highest part that both have; 0: there is none.
    [[nodiscard]] std::size_t Of(SwitchIndex one, SwitchIndex other) const {
        return static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(parts[Raw(one)]) &
                                                       static_cast<unsigned>(parts[Raw(other)])));
    }
};

/// The input of an engine, and the tables that it fills. Everything lives until the engine is done.
struct RoutingTask {
    const Topology* topology = nullptr;      ///< Stands still meanwhile.
    const EngineOptions* options = nullptr;  ///< Not always those of the Settings in force.
    /// Least hops between two switches, by EngineTables::hop_weights if there are any; kNoHops:
    /// no way. Columns are SwitchIndex too.
    Matrix<SwitchIndex, const std::uint8_t> hops;
    HopRoom* hop_room = nullptr;  ///< The memory behind `hops`.
    /// The LFTs are prefilled with 255 by the core, as far as the block of the topology's top LID,
    /// and the lanes are cleared: an engine of one lane does not touch them. Meanwhile an engine
    /// may use the LFTs for what it likes; at its end only the entries of the topology's
    /// destinations on its switches count.
    RoutingTables tables;
    std::uint8_t max_lanes = 1;  ///< The most that RoutingLanes::count may be.
    /// The complaint of an engine that needs more lanes than max_lanes.
    EngineFault lane_fault = EngineFault::kBoardLanes;
    Arena* scratch = nullptr;  ///< Rewound by the core when the engine is done.
    /// Bytes of `scratch` that who finds the candidates leaves to who chooses among them.
    std::size_t kept_back = 0;
    /// Not null: `tables` holds an earlier routing, which is to be mended. Entries that may stay
    /// do, whatever they look like, and only the others are chosen anew. Counted here.
    Mended* mended = nullptr;
    /// When mending. Null, or: an engine of this kind made `tables` on an earlier topology under
    /// these options, switches and LIDs are the same, and whatever distance or cable an exit of
    /// `from` towards `to` depends on is as it was unless (from, to) is one of these. So an engine
    /// whose candidates depend on the distances of a switch and its neighbors alone need look
    /// nowhere else.
    const SwitchPairs* suspects = nullptr;
    /// When mending: who notes here all that it writes is proved the sooner. See ChangeLog.
    ChangeLog* log = nullptr;
    /// When mending: where the engine has no way and a cable is still behind an entry, it stays as
    /// it is if it is one that HomeColumn or HomeRow may have completed. The core sees to these
    /// when the engine has ended.
    bool completes_home = false;
    /// Later steps of a chain write over much of what is made: to search long for the best balance
    /// of all of it is of no use.
    bool is_base = false;
    /// The configured engines could not route this subnet. See Promise::last_resort.
    bool last_resort = false;
    /// Not null: `tables` holds routes of other engines, not proved, which stay. The engine makes
    /// their lanes, such that two classes of pairs share none. See Promise::lays_lanes.
    const PairClasses* classes = nullptr;

    /// Tables shall be as good as they can be, and need not be OpenSM's.
    [[nodiscard]] bool is_balanced() const {
        return last_resort || options->order == Order::kBalanced;
    }
};

/// Turns a topology into forwarding tables.
///
/// An engine is a pure function cut into slices: the same topology and options (and, when mending,
/// the same earlier tables) give the same tables, and nothing is sent, logged or kept outside
/// `scratch`. The core serves the management port between two slices, so one must be short (below a
/// millisecond, Begin() included).
class RoutingEngine {
public:
    [[nodiscard]] virtual EngineKind kind() const = 0;
    /// The word that selects it in the option routing_engine. Only an engine of a test, which
    /// stands in for another, has one of its own.
    [[nodiscard]] virtual std::string_view name() const { return EngineName(kind()); }
    /// Under these options: one of them may cost a promise.
    [[nodiscard]] virtual Promise promise(const EngineOptions& options) const = 0;

    /// The engine understands RoutingTask::mended under these options. If it is asked to and fails,
    /// the tables are as they were. If it complains of EngineFault::kNotMended it is asked to make
    /// all routes anew; its lanes may have changed.
    [[nodiscard]] virtual bool can_mend(const EngineOptions& /*options*/) const { return false; }

    /// Studies the topology. Not kOk: this engine cannot route this fabric.
    virtual Status Begin(const RoutingTask& task) = 0;

    /// Does the next slice. Not ok: it cannot be routed after all.
    virtual Result<Progress> Advance() = 0;

    /// Why Begin() or Advance() failed; it stays until the next Begin().
    [[nodiscard]] virtual EngineComplaint complaint() const { return {}; }

    /// After it has routed: what it took the fabric for.
    [[nodiscard]] virtual EngineChoice choice() const { return {}; }

protected:
    ~RoutingEngine() = default;
};

/// The engine of this kind; nullptr: there is none.
[[nodiscard]] inline RoutingEngine* FindEngine(std::span<RoutingEngine* const> engines,
                                               EngineKind kind) {
    for (RoutingEngine* const engine : engines) {
        if (engine->kind() == kind) return engine;
    }
    return nullptr;
}

/// The engine that Promise::last_resort is said of under these options; nullptr: there is none.
[[nodiscard]] inline RoutingEngine* FindLastResort(std::span<RoutingEngine* const> engines,
                                                   const EngineOptions& options) {
    for (RoutingEngine* const engine : engines) {
        if (engine->promise(options).last_resort) return engine;
    }
    return nullptr;
}

/// The engine that Promise::lays_lanes is said of under these options; nullptr: there is none.
[[nodiscard]] inline RoutingEngine* FindLaneEngine(std::span<RoutingEngine* const> engines,
                                                   const EngineOptions& options) {
    for (RoutingEngine* const engine : engines) {
        if (engine->promise(options).lays_lanes) return engine;
    }
    return nullptr;
}

}  // namespace ember
