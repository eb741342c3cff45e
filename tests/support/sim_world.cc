// SPDX-License-Identifier: Apache-2.0
// EmberSM: whole subnet managers on a simulated fabric.
#include "tests/support/sim_world.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/log/render.h"
#include "tests/support/checkers.h"
#include "tests/support/row_check.h"

namespace ember::testing {

template std::size_t SimWorld::AddManager<kSimSmall>(std::uint32_t, std::uint32_t, const Settings&);

Settings BriskSettings() {
    Settings settings;
    settings.sweep_interval = 1;
    return settings;
}

SimWorld::SimWorld(const net::Netlist& netlist, const Options& options)
    : sim_(netlist, options), seed_(options.faults.seed) {}

std::uint32_t SimWorld::node_of_seat(std::size_t seat) const {
    return sim_.world().port(seats_[seat]->port.row()).node;
}

std::size_t SimWorld::TakeSeat(sim::Attachment& port, const Settings& settings,
                               const Limits& limits) {
    seats_.push_back(std::make_unique<Seat>(port, seed_ + seats_.size()));
    Seat& seat = *seats_.back();
    seat.settings = settings;
    seat.limits = limits;
    seat.chain.assign(seat.engines.All().begin(), seat.engines.All().end());
    return seats_.size() - 1;
}

void SimWorld::Start(Seat& seat) {
    seat.ends = false;
    const SubnetManager::Platform platform{.port = *seat.wire,
                                           .clock = sim_.clock(),
                                           .work_clock = sim_.clock(),
                                           .store = seat.store,
                                           .entropy = seat.entropy,
                                           .state_log = &seat.state_log,
                                           .calendar = calendar_,
                                           .own_port = sim_.world().port(seat.port.row()).guid,
                                           .codec = codec_,
                                           .codes = &seat.codes};
    seat.manager.emplace(seat.fresh_memory(), seat.limits, platform, seat.settings, seat.chain);
    seat.deadline_us = 0;
}

void SimWorld::Kill(std::size_t seat) {
    seats_[seat]->manager.reset();
}

std::uint64_t SimWorld::End(std::size_t seat) {
    const std::uint64_t began_us = now_us();
    seats_[seat]->ends = true;
    sm(seat).Leave();
    while (sm(seat).HandOver() && now_us() < began_us + 2 * kSecondUs) {
        RunFor(kMillisecondUs);
    }
    Kill(seat);
    return now_us() - began_us;
}

void SimWorld::Restart(std::size_t seat) {
    Kill(seat);
    seats_[seat]->port.ForgetInbox();
    Start(*seats_[seat]);
}

void SimWorld::Turn(std::uint64_t limit_us) {
    std::uint64_t next_us = limit_us;
    for (const auto& seat : seats_) {
        if (!seat->manager || seat->hangs) {
            seat->port.ForgetInbox();
            continue;
        }
        if (seat->ends) {
            if (!seat->port.empty() && !seat->manager->HandOver()) seat->port.ForgetInbox();
            continue;
        }
        if (!seat->port.empty() || seat->deadline_us <= now_us()) {
            const std::uint64_t began_us = work_clock_ == nullptr ? 0 : work_clock_->NowUs();
            seat->deadline_us = seat->manager->Step();
            if (work_clock_ != nullptr) seat->worked_us += work_clock_->NowUs() - began_us;
        }
        next_us = std::min(next_us, seat->deadline_us);
    }
    sim_.AdvanceToNextEvent(std::max(next_us, now_us()));
}

bool SimWorld::RunUntil(const std::function<bool()>& done, std::uint64_t limit_us) {
    constexpr std::uint32_t kMostTurnsAtOneTime = 2'000'000;
    const std::uint64_t end_us = now_us() + limit_us;
    std::uint64_t last_us = now_us();
    std::uint32_t turns = 0;
    while (!done()) {
        if (now_us() >= end_us) return false;
        Turn(end_us);
        turns = now_us() == last_us ? turns + 1 : 0;
        last_us = now_us();
        if (turns < kMostTurnsAtOneTime) continue;
        ADD_FAILURE() << "a subnet manager asks to be stepped for ever at " << last_us << " us";
        return false;
    }
    return true;
}

void SimWorld::RunFor(std::uint64_t time_us) {
    RunUntil([] { return false; }, time_us);
}

bool SimWorld::RunUntilUp(std::uint64_t limit_us) {
    std::vector<std::uint64_t> before;
    for (const auto& seat : seats_) {
        const bool fresh = !seat->manager || seat->manager->progress().up_count == 0;
        before.push_back(fresh ? 0 : seat->manager->progress().up_count);
    }
    return RunUntil(
        [&] {
            for (std::size_t i = 0; i < seats_.size(); ++i) {
                if (!seats_[i]->manager) continue;
                const SubnetStatus& status = sm(i).progress();
                const bool rests = status.stage == Stage::kResting;
                if (status.up && rests && status.up_count > before[i]) return true;
            }
            return false;
        },
        limit_us);
}

bool SimWorld::RunUntilQuiet(std::uint64_t limit_us, std::uint64_t calm_us) {
    std::uint64_t sets = sets_received();
    std::uint64_t calm_since_us = now_us();
    return RunUntil(
        [&] {
            if (sets_received() != sets) {
                sets = sets_received();
                calm_since_us = now_us();
            }
            if (now_us() - calm_since_us < calm_us) return false;
            bool up = false;
            for (const auto& seat : seats_) {
                if (!seat->manager) continue;
                if (seat->manager->progress().stage != Stage::kResting) return false;
                up = up || (seat->manager->progress().up && seat->manager->role().is_master());
            }
            return up;
        },
        limit_us);
}

std::size_t SimWorld::masters() {
    return static_cast<std::size_t>(std::count_if(seats_.begin(), seats_.end(), [](const auto& at) {
        return at->manager && at->manager->role().is_master();
    }));
}

std::size_t SimWorld::master() {
    EMBER_ASSERT(masters() == 1);
    for (std::size_t i = 0; i < seats_.size(); ++i) {
        if (alive(i) && sm(i).role().is_master()) return i;
    }
    return 0;
}

bool SimWorld::IsRoutedUpDown(std::size_t seat) {
    const Verdict& verdict = sm(seat).router().verdict();
    const auto turns_none_up = [](std::string_view engine) {
        return engine == "updn" || engine == "dnup" || engine == "ftree" || engine == "pqft";
    };
    // Tables that are kept may be of such an engine too, and those of a chain are where a step is.
    return verdict.outcome == RoutingOutcome::kKept || turns_none_up(verdict.engine) ||
           (verdict.engine == kChainWord &&
            std::any_of(verdict.attempts.begin(), verdict.attempts.end(),
                        [&](const RoutingAttempt& step) { return turns_none_up(step.engine); }));
}

std::string SimWorld::Judge(std::size_t seat) {
    const std::uint32_t node = node_of_seat(seat);
    const Reach reach = IsRoutedUpDown(seat) ? Reach::kHosts : Reach::kEveryPair;
    if (std::string wrong = SubnetIsSound(world(), node, reach); !wrong.empty()) return wrong;
    std::string wrong = EverySwitchReaches(world(), node, seats_[seat]->port.row());
    if (!wrong.empty()) return wrong;
    if (std::string lost = LostRowOf(sm(seat).fabric()); !lost.empty()) return lost;
    const bool rests = sm(seat).stage() == Stage::kResting;
    if (rests && sm(seat).scratch().used_bytes() != 0) return "scratch was not given back";
    const Lid own = world().port(seats_[seat]->port.row()).info.Get(PortInfo::kLid);
    return EveryPortKnowsMaster(world(), node, own);
}

std::uint64_t SimWorld::sets_received() const {
    const auto& sets = sim_.counters().sets;
    return std::accumulate(sets.begin(), sets.end(), std::uint64_t{0});
}

std::string SimWorld::Notes(std::size_t seat) {
    std::uint64_t cursor = 0;
    return NotesFrom(cursor, seat);
}

std::string SimWorld::NotesFrom(std::uint64_t& cursor, std::size_t seat) {
    std::string text;
    std::array<char, kMaxRenderedOctets> line{};
    std::vector<std::string_view> engines;
    for (const RoutingEngine* engine : seats_[seat]->chain) {
        engines.push_back(engine->name());
    }
    const Log& log = sm(seat).log();
    std::uint64_t missed = 0;
    for (LogRecord record; log.Read(cursor, record, missed) == Status::kOk;) {
        text += std::to_string(record.time_us) + " us: ";
        text += Render(record, {engines, &sm(seat).names()}, line);
        text += '\n';
    }
    return text;
}

std::uint64_t SimWorld::Heard(Note note, std::size_t seat) {
    return sm(seat).log().CountOf(note);
}

void SimWorld::Cut(std::uint32_t node, std::uint32_t port) {
    sim_.Do(sim::FabricSim::Action::kCut, sim_.RowOf(node, port));
}

void SimWorld::Join(std::uint32_t node, std::uint32_t port) {
    sim_.Do(sim::FabricSim::Action::kJoin, sim_.RowOf(node, port));
}

}  // namespace ember::testing
