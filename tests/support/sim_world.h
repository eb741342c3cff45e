// SPDX-License-Identifier: Apache-2.0
// EmberSM: whole subnet managers on a simulated fabric, in virtual time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board/sim_small/profile.h"
#include "config/blob/message_codes.h"
#include "config/netlist/topologies.h"
#include "core/manager/storage.h"
#include "core/manager/subnet_manager.h"
#include "engines/catalogue.h"
#include "platform/sim/fabric_sim.h"
#include "platform/sim/sim_bandwidth.h"
#include "platform/sim/sim_entropy.h"
#include "platform/sim/sim_store.h"
#include "tests/support/sim_state_log.h"

namespace ember::testing {

inline constexpr std::uint64_t kMs = 1'000;
inline constexpr std::uint64_t kSecond = 1'000'000;

/// Settings for tests: as shipped, but sweeping every second, so that a lost trap costs little
/// virtual time.
[[nodiscard]] Settings BriskSettings();

/// A fabric, and subnet managers on it that are stepped in turn. Everything is virtual: time, the
/// store, chance; a run is a function of netlist, options and what the test does.
class SimWorld {
public:
    using Options = sim::FabricSim::Options;

    explicit SimWorld(const net::Netlist& netlist) : SimWorld(netlist, Options{}) {}
    SimWorld(const net::Netlist& netlist, const Options& options);

    /// Seats a subnet manager at port `port` of node `node` (a switch: port 0). Returns its seat.
    template <Limits kLimits = kSimSmall>
    std::size_t AddManager(std::uint32_t node, std::uint32_t port, const Settings& settings);
    /// At the first CA.
    template <Limits kLimits = kSimSmall>
    std::size_t AddManager(const Settings& settings = BriskSettings());

    [[nodiscard]] SubnetManager& sm(std::size_t seat = 0) { return *seats_[seat]->manager; }
    [[nodiscard]] sim::FabricSim& sim() { return sim_; }
    [[nodiscard]] sim::World& world() { return sim_.world(); }
    [[nodiscard]] sim::SimStore& store(std::size_t seat = 0) { return seats_[seat]->store; }
    [[nodiscard]] SimStateLog& state_log(std::size_t seat = 0) { return seats_[seat]->state_log; }
    [[nodiscard]] std::uint32_t node_of_seat(std::size_t seat = 0) const;
    /// The row of its port; port 0 of a switch.
    [[nodiscard]] std::uint32_t attachment_row(std::size_t seat = 0) const {
        return seats_[seat]->port.row();
    }
    [[nodiscard]] std::uint64_t now_us() { return sim_.clock().NowUs(); }
    [[nodiscard]] std::uint64_t trace() const { return sim_.trace(); }

    /// The manager is gone in mid-sentence, as by kill -9; its store stays.
    void Kill(std::size_t seat = 0);
    /// Does what a process does from SIGTERM to its end; returns the time that takes.
    std::uint64_t End(std::size_t seat);
    /// The manager is not stepped any more, and its node answers for itself; as by SIGSTOP.
    void Hang(std::size_t seat) { seats_[seat]->hangs = true; }
    /// The manager goes on where it was; as by SIGCONT.
    void WakeUp(std::size_t seat) {
        seats_[seat]->hangs = false;
        Wake(seat);
    }
    /// Takes another engine on the board, in place of that of its kind, before it starts again.
    void AddEngine(RoutingEngine& engine, std::size_t seat = 0) {
        auto& chain = seats_[seat]->chain;
        chain.insert(chain.begin(), &engine);
    }
    /// From its next start on the board has no engine of this kind.
    void LeaveOut(EngineKind kind, std::size_t seat = 0) {
        std::erase_if(seats_[seat]->chain,
                      [kind](const RoutingEngine* engine) { return engine->kind() == kind; });
    }
    /// From its next start on the board has these engines and no others.
    void TakeEngines(std::vector<RoutingEngine*> engines, std::size_t seat = 0) {
        seats_[seat]->chain = std::move(engines);
    }
    /// From its next start on the manager speaks through `port`, which stands before its
    /// attachment.
    void Interpose(MadPort& port, std::size_t seat = 0) { seats_[seat]->wire = &port; }
    [[nodiscard]] MadPort& attachment(std::size_t seat = 0) { return seats_[seat]->port; }
    /// The calendar of managers that start from now on; it outlives them.
    void SetCalendar(const Calendar* calendar) { calendar_ = calendar; }
    /// How devices take limits of bandwidth, for managers that start from now on; nullptr: they do
    /// not. The codec outlives the managers. Without this: as simulated devices do.
    void SetCodec(const BandwidthCodec* codec) { codec_ = codec; }
    /// The time that managers take is measured by this from now on.
    void SetWorkClock(const Clock* clock) { work_clock_ = clock; }
    /// By that clock, in all steps of all incarnations on that seat since then.
    [[nodiscard]] std::uint64_t worked_us(std::size_t seat) const {
        return seats_[seat]->worked_us;
    }
    /// Settings for the next incarnation on that seat.
    void Reconfigure(const Settings& settings, std::size_t seat = 0) {
        seats_[seat]->settings = settings;
    }
    [[nodiscard]] const Settings& settings(std::size_t seat) const {
        return seats_[seat]->settings;
    }
    /// Steps that manager now, as a host does after it asked for something.
    void Wake(std::size_t seat = 0) { seats_[seat]->deadline_us = 0; }
    /// A new incarnation on the same seat, with the same store.
    void Restart(std::size_t seat = 0);
    /// From its next start on the board has so much scratch memory.
    void LimitScratch(std::size_t octets, std::size_t seat = 0) {
        seats_[seat]->fresh_memory = [octets, whole = seats_[seat]->fresh_memory] {
            SubnetManager::Memory memory = whole();
            memory.scratch = memory.scratch.first(octets);
            return memory;
        };
    }
    [[nodiscard]] bool alive(std::size_t seat) const { return seats_[seat]->manager.has_value(); }

    /// Runs until `done` says so, at most `limit_us` of virtual time. True when it did.
    bool RunUntil(const std::function<bool()>& done, std::uint64_t limit_us);
    void RunFor(std::uint64_t time_us);
    /// Until a master has ended a sweep without errors that began after this call, or before it
    /// when it is the first.
    bool RunUntilUp(std::uint64_t limit_us);
    /// Until every living manager rests, a master is up, and for `calm_us` no Set was received.
    bool RunUntilQuiet(std::uint64_t limit_us, std::uint64_t calm_us = 3 * kSecond);

    [[nodiscard]] std::size_t masters();
    /// The seat of the one master; asserts that there is one.
    [[nodiscard]] std::size_t master();
    /// Its routes turn no packet upwards again: switches without hosts may not reach each other.
    [[nodiscard]] bool IsRoutedUpDown(std::size_t seat);
    /// The verdict of checkers.h on the subnet that the manager at `seat` sees.
    [[nodiscard]] std::string Judge(std::size_t seat = 0);
    [[nodiscard]] std::uint64_t sets_received() const;
    /// The log, for a failing test to show.
    [[nodiscard]] std::string Notes(std::size_t seat = 0);
    /// Its notes from `cursor` on, which stands behind them afterwards.
    [[nodiscard]] std::string NotesFrom(std::uint64_t& cursor, std::size_t seat);
    /// How often `note` was written and is still remembered.
    [[nodiscard]] std::uint64_t Heard(Note note, std::size_t seat = 0);

    void Cut(std::uint32_t node, std::uint32_t port);
    void Join(std::uint32_t node, std::uint32_t port);

private:
    struct Seat {
        Seat(sim::Attachment& attachment, std::uint64_t seed) : port(attachment), entropy(seed) {}
        sim::Attachment& port;
        MadPort* wire = &port;
        Settings settings;
        Limits limits{};
        sim::SimStore store;
        SimStateLog state_log;
        sim::SimEntropy entropy;
        HashedCodes codes;
        Engines engines;
        std::vector<RoutingEngine*> chain;  ///< Of the board.
        std::function<SubnetManager::Memory()> fresh_memory;
        std::shared_ptr<void> storage;
        std::optional<SubnetManager> manager;
        std::uint64_t deadline_us = 0;
        std::uint64_t worked_us = 0;
        bool hangs = false;
        bool ends = false;
    };

    std::size_t TakeSeat(sim::Attachment& port, const Settings& settings, const Limits& limits);
    void Start(Seat& seat);
    /// Steps every manager that is due, then lets the fabric go on to `limit_us` at most.
    void Turn(std::uint64_t limit_us);

    sim::FabricSim sim_;
    std::vector<std::unique_ptr<Seat>> seats_;
    const Calendar* calendar_ = nullptr;
    const Clock* work_clock_ = nullptr;
    sim::SimBandwidth sim_codec_;
    const BandwidthCodec* codec_ = &sim_codec_;
    std::uint64_t seed_;
};

template <Limits kLimits>
std::size_t SimWorld::AddManager(std::uint32_t node, std::uint32_t port, const Settings& settings) {
    const std::size_t at = TakeSeat(sim_.Attach(node, port), settings, kLimits);
    Seat& seat = *seats_[at];
    seat.fresh_memory = [&seat] {
        auto storage = std::make_shared<Storage<kLimits>>();
        seat.storage = storage;
        return storage->memory();
    };
    Start(seat);
    return at;
}

template <Limits kLimits>
std::size_t SimWorld::AddManager(const Settings& settings) {
    for (std::uint32_t i = 0; i < world().node_count(); ++i) {
        if (!world().node(i).is_switch()) return AddManager<kLimits>(i, 1, settings);
    }
    return AddManager<kLimits>(0, 0, settings);
}

// The tables of a board cost a compiler two seconds: one file pays for the usual board.
extern template std::size_t SimWorld::AddManager<kSimSmall>(std::uint32_t, std::uint32_t,
                                                            const Settings&);

}  // namespace ember::testing
