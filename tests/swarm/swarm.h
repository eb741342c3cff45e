// SPDX-License-Identifier: Apache-2.0
// EmberSM: a story as it is told, and who watches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/sim_world.h"
#include "tests/swarm/client.h"
#include "tests/swarm/deceiver.h"
#include "tests/swarm/story.h"
#include "tests/swarm/watch.h"

namespace ember::swarm {

/// How a story ended.
struct Outcome {
    std::string oracle;  ///< The one that complained; empty: all is well.
    std::string what;    ///< Of what.
    std::uint64_t at_us = 0;
    std::uint64_t trace = 0;     ///< Of the simulation: equal when two runs told the same story.
    std::uint64_t sound_us = 0;  ///< From the end of all faults until everything was well.
    [[nodiscard]] bool failed() const { return !oracle.empty(); }
};

struct Wishes {
    bool tell = false;  ///< Print what happens, and the managers' notes at the end.
};

/// A story as it is told: hardware, managers, clients and liars, in two phases. First everything
/// that was drawn happens, while the watch sees to safety; then all faults end, everybody is
/// honest, and everything must be well within bounded virtual time, without being asked.
class Swarm final : private Deceiver::Listener {
public:
    Swarm(const Story& story, const Wishes& wishes);
    ~Swarm();
    Swarm(const Swarm&) = delete;
    Swarm& operator=(const Swarm&) = delete;

    [[nodiscard]] Outcome Run();

    // For verbs and oracles.
    [[nodiscard]] const Story& story() const { return story_; }
    [[nodiscard]] bool with_known() const { return story_.with_known; }
    [[nodiscard]] testing::SimWorld& world() { return world_; }
    [[nodiscard]] sim::FabricSim& sim() { return world_.sim(); }
    [[nodiscard]] const sim::World& hardware() { return world_.world(); }
    [[nodiscard]] std::uint64_t now_us() { return world_.now_us(); }
    [[nodiscard]] std::size_t seats() const { return story_.seats.size(); }
    [[nodiscard]] Deceiver& deceiver() { return deceiver_; }
    [[nodiscard]] std::vector<std::unique_ptr<Client>>& clients() { return clients_; }
    [[nodiscard]] Site& site() { return *story_.site; }
    /// All managers that are alive read their option files anew; the others do when they start.
    void ReadSiteAgain();
    /// A device has changed by itself: what managers believe is put right by the scrub, which takes
    /// a while.
    void NoteStrange() { had_liars_ = true; }
    [[nodiscard]] bool IsManagers(std::uint32_t node) const;
    /// Rows of cables between switches, one end each.
    [[nodiscard]] const std::vector<std::uint32_t>& trunks() const { return trunks_; }
    [[nodiscard]] const std::vector<std::uint32_t>& hosts() const { return hosts_; }
    [[nodiscard]] const std::vector<std::uint32_t>& switches() const { return switches_; }
    [[nodiscard]] Watch& watch() { return watch_; }
    /// Settings that are drawn anew for a manager go on from these.
    [[nodiscard]] const Settings& common() const { return story_.seats.front().settings; }

    /// Does `deed` after `delay_us`, unless the fabric is healed before.
    void Later(std::uint64_t delay_us, std::function<void()> deed);
    /// The same of hosts that mean harm: they go on until everybody is honest.
    void LaterByHosts(std::uint64_t delay_us, std::function<void()> deed);
    /// Prints a line about what happens, if it is wanted.
    void Tell(const std::string& line);
    /// As SimWorld::RunUntil(), while everything else goes on too.
    bool RunUntil(const std::function<bool()>& done, std::uint64_t limit_us);
    /// As FabricSim::Do(), of what may part managers.
    void Part(sim::FabricSim::Action action, std::uint32_t at);
    void Restart(std::size_t seat);
    void Kill(std::size_t seat);
    /// Until SimWorld::WakeUp().
    void Hang(std::size_t seat);
    /// The contents of a seat's disk some time ago.
    [[nodiscard]] const std::vector<std::byte>& OldLids(std::size_t seat) const;
    [[nodiscard]] const std::vector<std::byte>& OldLog(std::size_t seat) const;
    /// Says that something is wrong; the first complaint counts.
    void Complain(std::string_view oracle, const std::string& what);
    [[nodiscard]] bool failed() const { return outcome_.failed(); }

private:
    void LoseTheLatest(std::size_t seat);
    struct Due {
        std::uint64_t at_us;
        std::uint64_t number;
        bool is_by_hosts;
        std::function<void()> deed;
        [[nodiscard]] bool operator<(const Due& other) const {
            return at_us != other.at_us ? at_us < other.at_us : number < other.number;
        }
    };
    struct Disk {
        std::vector<std::byte> lids;
        std::vector<std::byte> log;
    };

    void OnRegisterAgain(std::uint32_t node) override;
    void Seat();
    void SeatClients();
    bool Step();
    void RunTo(std::uint64_t until_us);
    void Rage();
    void Heal();
    void SeeToTheHonest();
    void RunHealthy();
    [[nodiscard]] bool MayWrite();
    [[nodiscard]] std::string LookWhetherCalm();
    void RememberDisks();
    void CopyMKeys();
    /// Tells the notes that managers have written since, where the story is told.
    void TellNotes();

    const Story& story_;
    Wishes wishes_;
    testing::SimWorld world_;
    Deceiver deceiver_;
    bool had_liars_ = false;
    std::vector<std::uint32_t> trunks_;
    std::vector<std::uint32_t> hosts_;
    std::vector<std::uint32_t> switches_;
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<Client*> client_of_;  ///< By node; nullptr: none.
    std::set<Due> due_;
    std::uint64_t due_number_ = 0;
    std::vector<Disk> disks_;
    std::uint64_t copy_us_ = 0;  ///< When CopyMKeys() is due.
    Outcome outcome_;
    Watch watch_;
    std::vector<std::uint64_t> told_notes_;  ///< By seat: the next note to tell.
};

/// Tells the story of a case.
[[nodiscard]] Outcome Play(const Case& which, const Wishes& wishes);

}  // namespace ember::swarm
