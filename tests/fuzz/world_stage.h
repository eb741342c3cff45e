// SPDX-License-Identifier: Apache-2.0
// EmberSM: the stage of the fuzz target of worlds: a small subnet with managers, clients and liars.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/wire/path_record.h"
#include "platform/sim/liar.h"
#include "tests/support/fuzz_script.h"
#include "tests/support/lies.h"
#include "tests/support/sa_client.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// Small, so that tables fill up.
inline constexpr Limits kWorldLimits = [] {
    Limits limits = kSimSmall;
    limits.max_nodes = 20;
    limits.max_switches = 8;
    limits.max_switch_ports = 8;
    limits.max_ports = 120;
    limits.max_lid = 191;
    limits.max_smps = 8;
    limits.max_other_sms = 2;
    limits.journal_notes = 256;
    limits.scratch_bytes = 256U << 10U;
    limits.max_sa_requests = 8;
    limits.max_sa_transfers = 2;
    limits.max_sa_sources = 4;
    limits.max_groups = 6;
    limits.max_members = 12;
    limits.max_mlids = 32;
    limits.max_events = 8;
    return limits;
}();

inline constexpr std::uint64_t kPrefix = 0xFE80000000000000;
inline constexpr std::size_t kClients = 3;

inline const net::Netlist& NetOf(std::uint8_t which) {
    static const std::array kNets = {net::Ring(4, 1), net::FatTree2(4), net::DualRail(4, 2)};
    return kNets[which % kNets.size()];
}

inline Settings SettingsOf(std::uint8_t how) {
    Settings settings = BriskSettings();
    settings.lmc = how & 1U;
    settings.reassign_lids = (how & 2U) != 0;
    settings.sweep_interval = (how & 4U) != 0 ? 10 : 1;
    constexpr std::array kEngines = {EngineKind::kMinHop, EngineKind::kUpDn, EngineKind::kFtree,
                                     EngineKind::kDnUp};
    settings.routing_engine.clear();
    static_cast<void>(settings.routing_engine.TryPush(kEngines[how / 8 % kEngines.size()]));
    return settings;
}

/// Wrong octets in the answers of some nodes, each at its place in an attribute. A Set whose answer
/// lies was carried out.
class Forger final : public sim::Liar {
public:
    struct Lie {
        std::uint32_t node = sim::kNoRow;
        AttributeId attribute{};
        std::size_t at = 0;
        std::uint8_t octet = 0;
    };
    void Add(const Lie& lie) { lies_[next_++ % lies_.size()] = lie; }
    [[nodiscard]] Lies& lies() { return told_; }
    bool Answer(std::uint32_t node, const Mad& asked, Mad& answer) override {
        told_.Answer(node, asked, answer);
        auto smp = std::bit_cast<LidSmp>(answer);
        for (const Lie& lie : lies_) {
            if (lie.node != node || lie.attribute != asked.header.attribute_id) continue;
            smp.data[lie.at] = lie.octet;
        }
        answer = std::bit_cast<Mad>(smp);
        return true;
    }

private:
    Lies told_;
    std::array<Lie, 8> lies_{};
    std::size_t next_ = 0;
};

/// A stage of one or two managers, clients on other hosts, and what is demanded of them all.
class Stage {
public:
    explicit Stage(Script& script) : script_(script), world_(NetOf(script.Next()), MakeOptions()) {
        const std::uint8_t how = script.Next();
        for (std::uint32_t i = 0; i < nodes(); ++i) {
            if (!node(i).is_switch()) hosts_.push_back(i);
        }
        const std::size_t managers = 1 + how / 64 % 2;
        for (std::size_t i = 0; i < managers; ++i) {
            Settings settings = SettingsOf(how);
            settings.sm_priority = static_cast<std::uint8_t>(i);
            world_.AddManager<kWorldLimits>(hosts_[i], 1, settings);
            settings_.push_back(settings);
        }
        for (std::size_t i = managers; i < std::min(hosts_.size(), managers + kClients); ++i) {
            clients_.push_back(std::make_unique<SaClient>(world_, hosts_[i]));
        }
        // Time stands still while something waits for one of them.
        for (std::size_t i = 0; i < clients_.size(); ++i) {
            clients_[i]->neighbor = clients_[(i + 1) % clients_.size()].get();
        }
        ListenUntilUp(10 * kSecond);
    }

protected:
    static SimWorld::Options MakeOptions() {
        SimWorld::Options options;
        options.hardware.linear_fdb_cap = 256;
        options.hardware.multicast_fdb_cap = 32;
        options.capacity = {.packets = 2048, .inbox = 1024, .scheduled_faults = 64};
        return options;
    }
    [[nodiscard]] std::uint32_t nodes() {
        return static_cast<std::uint32_t>(world_.world().node_count());
    }
    [[nodiscard]] const sim::SimNode& node(std::uint32_t at) { return world_.world().node(at); }

    // Whom a line is about, by number.
    std::uint32_t AnyNode() { return script_.Next() % nodes(); }
    std::size_t AnySeat() { return script_.Next() % settings_.size(); }
    SaClient& AnyClient() { return *clients_[script_.Next() % clients_.size()]; }
    std::uint32_t AnyRow() {
        const std::uint32_t at = AnyNode();
        return world_.sim().RowOf(at, 1 + script_.Next() % node(at).port_count);
    }
    /// Of a host's port, mostly; else one that no port has.
    Guid AnyGuid() {
        const std::uint8_t which = script_.Next();
        if (which >= 240) return Guid{which};
        return world_.world().port(world_.sim().RowOf(hosts_[which % hosts_.size()], 1)).guid;
    }
    Lid AnyLid() {
        const std::uint8_t which = script_.Next();
        if (which >= 240) return Lid{which};
        const std::uint32_t row = world_.sim().RowOf(hosts_[which % hosts_.size()], 1);
        return world_.world().port(row).info.Get(PortInfo::kLid);
    }

    void HearAll() {
        for (const auto& client : clients_) {
            client->Hear();
        }
    }
    /// Lets time go by; clients hear what comes.
    void Listen(std::uint64_t time_us) {
        const auto hear = [this] {
            HearAll();
            return false;
        };
        world_.RunUntil(hear, time_us);
    }
    void ListenUntilUp(std::uint64_t limit_us) {
        const auto is_up = [this] {
            HearAll();
            return world_.masters() == 1 && world_.sm(world_.master()).is_up();
        };
        world_.RunUntil(is_up, limit_us);
    }

    void Check() {
        for (std::size_t seat = 0; seat < settings_.size(); ++seat) {
            if (!world_.alive(seat)) continue;
            const Administration& sa = world_.sm(seat).administration();
            Demand(sa.transfers() <= kWorldLimits.max_sa_transfers, "transfers are bounded");
            Demand(sa.waiting() <= kWorldLimits.max_sa_requests, "questions are bounded");
        }
    }

    void Swap(std::uint32_t one, std::uint32_t other) {
        world_.sim().SwapLinks(one, other);
        swapped_.emplace_back(one, other);
    }
    /// Two hosts on one cable are a subnet of their own, which keeps no promise to the others.
    void SwapBack() {
        for (; !swapped_.empty(); swapped_.pop_back()) {
            world_.sim().SwapLinks(swapped_.back().first, swapped_.back().second);
        }
    }
    void MakeAllHonest() {
        sim::Faults& faults = world_.sim().faults();
        const std::uint64_t seed = faults.seed;
        faults = {};
        faults.seed = seed;
        world_.sim().SetLiar(nullptr);
        SwapBack();
        for (std::uint32_t at = 0; at < nodes(); ++at) {
            forger_.lies().Tell(at, ember::testing::Lie::kNone);
            world_.sim().EndSilence(at);
            world_.sim().Do(sim::FabricSim::Action::kPowerOn, at);
            for (std::uint32_t port = 1; port <= node(at).port_count; ++port) {
                world_.sim().Do(sim::FabricSim::Action::kJoin, world_.sim().RowOf(at, port));
            }
        }
        for (const auto& client : clients_) {
            client->acknowledges = true;
        }
        for (std::size_t seat = 0; seat < settings_.size(); ++seat) {
            world_.store(seat).SetBusy(0);
            // A manager that a forged SMInfo told to sleep sleeps until it is started again.
            world_.Reconfigure(settings_[seat], seat);
            world_.Restart(seat);
        }
        ListenUntilUp(120 * kSecond);
        for (std::size_t seat = 0; seat < settings_.size(); ++seat) {
            world_.sm(seat).RequestSweep(SweepCue::kHeavyRequest);
            world_.Wake(seat);
        }
        Listen(60 * kSecond);
    }

    void TellNotes() {
        for (std::size_t seat = 0; seat < settings_.size(); ++seat) {
            if (!world_.alive(seat)) continue;
            std::fprintf(stderr, "manager %zu\n%s\n", seat, world_.Notes(seat).c_str());
        }
    }
    void Judge() {
        if (world_.masters() != 1) TellNotes();
        Demand(world_.masters() == 1, "there is one master");
        const std::size_t seat = world_.master();
        Demand(world_.sm(seat).is_up(), "the subnet is up");
        const std::string wrong = world_.Judge(seat);
        if (!wrong.empty()) {
            TellNotes();
            std::fprintf(stderr, "%s\n", wrong.c_str());
        }
        Demand(wrong.empty(), "the subnet is sound");
        const Administration& sa = world_.sm(seat).administration();
        Demand(sa.transfers() == 0, "no transfer is under way when nobody asks");
        PathRecord record;
        record.Set(PathRecord::kSgidPrefix, kPrefix);
        record.Set(PathRecord::kSgidGuid, clients_.front()->guid());
        record.Set(PathRecord::kDgidPrefix, kPrefix);
        record.Set(PathRecord::kDgidGuid, clients_.back()->guid());
        record.Set(PathRecord::kNumbPath, std::uint8_t{1});
        const SaMad answer =
            clients_.front()->Ask(Method::kGet, SaAttribute::kPathRecord, 0x100CU, record);
        Demand(answer.header.status == 0, "a client is told its path");
    }

    Script& script_;
    Forger forger_;  // The fabric asks it as long as it lives.
    SimWorld world_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> swapped_;  ///< Ports, in order.
    std::vector<std::uint32_t> hosts_;
    std::vector<Settings> settings_;
    std::vector<std::unique_ptr<SaClient>> clients_;
};

}  // namespace ember::testing
