// SPDX-License-Identifier: Apache-2.0
// EmberSM: a story as it is told.
#include "tests/swarm/swarm.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "tests/swarm/boards.h"
#include "tests/swarm/bounds.h"
#include "tests/swarm/site.h"
#include "tests/swarm/standby_keys.h"
#include "tests/swarm/verbs.h"

namespace ember::swarm {
namespace {

using Action = sim::FabricSim::Action;

/// All is well, and stays so.
constexpr std::uint64_t kCalmUs = 4 * kSecond;
constexpr int kCalmLooks = 5;
constexpr std::uint64_t kLookUs = 250 * kMs;
/// How often standbys are given the master's file of M_Keys.
constexpr std::uint64_t kCopyUs = 250 * kMs;
/// 0.7 s, a poll of a second, and what the wire may take.
constexpr std::uint64_t kMayBeLostUs = 2 * kSecond;
/// Notes of a manager to whom nothing happens, in that time: a heavy sweep a second writes as many.
constexpr std::uint64_t kCalmNotes = 160;

sim::FabricSim::Options OptionsOf(const Story& story) {
    return {.hardware = story.hardware,
            .timing = story.timing,
            .faults = {.seed = Raw(story.netlist.nodes[0].guid) ^ story.rage_us},
            .capacity = {.packets = 3'000 + 20 * story.netlist.nodes.size(),
                         .inbox = 500,
                         .scheduled_faults = 16}};
}

}  // namespace

Swarm::Swarm(const Story& story, const Wishes& wishes)
    : story_(story),
      wishes_(wishes),
      world_(story.netlist, OptionsOf(story)),
      deceiver_(world_.world(), *this),
      client_of_(story.netlist.nodes.size(), nullptr),
      disks_(story.seats.size()),
      watch_(*this) {
    for (std::uint32_t node = 0; node < hardware().node_count(); ++node) {
        (hardware().node(node).is_switch() ? switches_ : hosts_).push_back(node);
    }
    for (std::uint32_t row = 0; row < hardware().row_count(); ++row) {
        const std::uint32_t other = hardware().Wired(row);
        if (other == sim::kNoRow || other < row) continue;
        if (!hardware().node_of(row).is_switch() || !hardware().node_of(other).is_switch())
            continue;
        trunks_.push_back(row);
    }
    sim().SetLiar(&deceiver_);
    if (site().has_partitions()) sim().CheckPKeys();
}

Swarm::~Swarm() {
    sim().SetLiar(nullptr);
}

bool Swarm::IsManagers(std::uint32_t node) const {
    return std::any_of(story_.seats.begin(), story_.seats.end(),
                       [&](const SeatPlan& seat) { return seat.node == node; });
}

void Swarm::Tell(const std::string& line) {
    if (!wishes_.tell) return;
    std::cout << "  " << static_cast<double>(now_us()) / 1e6 << " s: " << line << '\n';
}

void Swarm::Complain(std::string_view oracle, const std::string& what) {
    if (outcome_.failed()) return;
    outcome_.oracle = oracle;
    outcome_.what = what;
    outcome_.at_us = now_us();
    Tell("FAILED " + outcome_.oracle + ": " + what);
}

void Swarm::Later(std::uint64_t delay_us, std::function<void()> deed) {
    due_.insert({now_us() + delay_us, due_number_++, false, std::move(deed)});
}
void Swarm::LaterByHosts(std::uint64_t delay_us, std::function<void()> deed) {
    due_.insert({now_us() + delay_us, due_number_++, true, std::move(deed)});
}

void Swarm::OnRegisterAgain(std::uint32_t node) {
    if (client_of_[node] != nullptr) client_of_[node]->RegisterAgain();
}

void Swarm::Seat() {
    const std::vector<std::byte> m_keys = MKeysOfBefore(story_);
    for (std::size_t seat = 0; seat < story_.seats.size(); ++seat) {
        const SeatPlan& plan = story_.seats[seat];
        AddToBoard(world_, story_.board, plan);
        if (!m_keys.empty()) static_cast<void>(world_.store(seat).Save(StoreSlot::kMKeys, m_keys));
        if (plan.start_us == 0) continue;
        world_.Kill(seat);
        Later(plan.start_us, [this, seat] { Restart(seat); });
    }
    for (const std::uint32_t node : hosts_) {
        if (IsManagers(node)) continue;
        clients_.push_back(std::make_unique<Client>(world_, node));
        client_of_[node] = clients_.back().get();
    }
}

void Swarm::Restart(std::size_t seat) {
    world_.Restart(seat);
    watch_.NoteRestart(seat);
}

void Swarm::ReadSiteAgain() {
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        Settings settings = world_.settings(seat);
        site().PutInto(settings);
        world_.Reconfigure(settings, seat);
        if (!world_.alive(seat)) continue;
        world_.sm(seat).Configure(settings);
        world_.Wake(seat);
    }
}

/// A master of several that replicate takes with it what it told clients a moment ago, and no
/// standby may know: docs/replication.md says how long that is.
void Swarm::Kill(std::size_t seat) {
    LoseTheLatest(seat);
    world_.Kill(seat);
}

void Swarm::Hang(std::size_t seat) {
    LoseTheLatest(seat);
    world_.Hang(seat);
}

void Swarm::LoseTheLatest(std::size_t seat) {
    const bool was_alive = world_.alive(seat);
    const bool replicates = was_alive && world_.sm(seat).peers().is_on();
    if (replicates && world_.sm(seat).role().is_master()) {
        for (const auto& client : clients_) {
            client->LoseWhatIsHeldSince(now_us() - std::min(now_us(), kMayBeLostUs));
        }
    }
}

/// A master that reaches a standby no longer is dead to it: what it told clients a moment ago the
/// standby may not know, as it takes over.
void Swarm::Part(sim::FabricSim::Action action, std::uint32_t at) {
    const std::vector<bool> before = SeatsThatMeet(*this);
    sim().Do(action, at);
    const std::vector<bool> after = SeatsThatMeet(*this);
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i] && !after[i]) LoseTheLatest(i / seats());
    }
}

const std::vector<std::byte>& Swarm::OldLids(std::size_t seat) const {
    return disks_[seat].lids;
}
const std::vector<std::byte>& Swarm::OldLog(std::size_t seat) const {
    return disks_[seat].log;
}

void Swarm::RememberDisks() {
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        const auto lids = world_.store(seat).octets(StoreSlot::kGuidToLid);
        disks_[seat].lids.assign(lids.begin(), lids.end());
        disks_[seat].log = world_.state_log(seat).octets();
    }
}

/// The copies of MKeysOfBefore() are kept fresh.
void Swarm::CopyMKeys() {
    if (now_us() < copy_us_ || !site().has_hidden_keys()) return;
    copy_us_ = now_us() + kCopyUs;
    if (world_.masters() != 1) return;
    const auto file = world_.store(world_.master()).octets(StoreSlot::kMKeys);
    for (std::size_t seat = 0; seat < seats() && !file.empty(); ++seat) {
        // A disk may be broken: the next copy goes there.
        if (seat != world_.master()) {
            static_cast<void>(world_.store(seat).Save(StoreSlot::kMKeys, file));
        }
    }
}

/// Looks and acts after every turn. True: the story is over.
bool Swarm::Step() {
    while (!due_.empty() && due_.begin()->at_us <= now_us()) {
        const std::function<void()> deed = due_.begin()->deed;
        due_.erase(due_.begin());
        deed();
    }
    for (const auto& client : clients_) {
        client->Step(now_us());
    }
    CopyMKeys();
    watch_.OnStep();
    return failed();
}

bool Swarm::RunUntil(const std::function<bool()>& done, std::uint64_t limit_us) {
    const std::uint64_t end_us = now_us() + limit_us;
    while (!failed() && now_us() < end_us) {
        std::uint64_t next_us = due_.empty() ? end_us : std::min(end_us, due_.begin()->at_us);
        for (const auto& client : clients_) {
            next_us = std::min(next_us, client->NextDueUs());
        }
        bool is_done = false;
        const auto look = [&] {
            TellNotes();
            is_done = !Step() && done();
            return is_done || failed();
        };
        world_.RunUntil(look, std::max(next_us, now_us() + 1) - now_us());
        if (is_done) return true;
    }
    return false;
}

void Swarm::RunTo(std::uint64_t until_us) {
    if (until_us > now_us()) RunUntil([] { return false; }, until_us - now_us());
}

void Swarm::Rage() {
    for (std::size_t i = 0; i < story_.events.size() && !failed(); ++i) {
        const Event& event = story_.events[i];
        RunTo(event.at_us);
        if (failed()) return;
        const Verb& verb = VerbAt(event.verb);
        if (!verb.known.empty() && !story_.with_known) continue;
        Tell("[" + std::to_string(story_.numbers[i]) + "] " + std::string(verb.name));
        net::Random random(event.seed);
        verb.act(*this, random);
        if (i % 4 == 0) RememberDisks();
    }
    RunTo(story_.rage_us);
}

/// The fabric is whole again, and everybody who does not mean harm does well.
void Swarm::Heal() {
    std::erase_if(due_, [](const Due& due) { return !due.is_by_hosts; });
    sim().faults().loss = sim().faults().duplication = sim().faults().corruption = 0;
    sim().faults().jitter_ns = sim().faults().busy = 0;
    for (std::uint32_t node = 0; node < hardware().node_count(); ++node) {
        if (!hardware().node(node).powered) sim().Do(Action::kPowerOn, node);
        sim().EndSilence(node);
    }
    for (std::uint32_t row = 0; row < hardware().row_count(); ++row) {
        if (hardware().port(row).cut) sim().Do(Action::kJoin, row);
    }
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        world_.store(seat).SetBroken(false);
        world_.store(seat).SetBusy(0);
        world_.state_log(seat).SetBroken(false);
        world_.state_log(seat).SetBusy(0);
        world_.state_log(seat).HoldBack(false);
        if (!world_.alive(seat)) Restart(seat);
        world_.WakeUp(seat);
    }
    Tell("the fabric is whole");
}

/// The choice among too many nodes may change with each sweep, and a cable that comes out of
/// quarantine is used again.
bool Swarm::MayWrite() {
    const SubnetManager& master = world_.sm(world_.master());
    const FlappingLinks& flapping = master.flapping();
    return master.settings().offsweep_balancing_enabled || master.fabric().shortage().any() ||
           flapping.CountOf(LinkVerdict::kQuarantined) != 0 ||
           flapping.CountOf(LinkVerdict::kDamped) != 0;
}

/// Lets some time go by, in which nothing is to be written to switches and little into journals.
std::string Swarm::LookWhetherCalm() {
    if (world_.masters() != 1) return "there is not one master";
    const auto sets = sim().counters().sets;
    const bool might_write = MayWrite();
    std::vector<std::uint64_t> notes;
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        notes.push_back(world_.sm(seat).log().next_sequence());
    }
    RunTo(now_us() + kCalmUs);
    if (failed()) return {};
    if (world_.masters() != 1) return "there is not one master any more";
    if (sim().counters().sets != sets && !might_write && !MayWrite()) {
        std::string what = "though nothing happens Sets of attribute";
        for (std::size_t id = 0; id < sets.size(); ++id) {
            const std::uint64_t count = sim().counters().sets[id] - sets[id];
            if (count != 0) what += " " + std::to_string(id) + ": " + std::to_string(count);
        }
        return what;
    }
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        if (world_.sm(seat).log().next_sequence() - notes[seat] > kCalmNotes) {
            return "notes though nothing happens";
        }
    }
    return {};
}

void Swarm::RunHealthy() {
    const std::uint64_t since_us = now_us();
    const std::uint64_t patience_us = HealthyWithinUs(*this, had_liars_);
    std::string_view oracle;
    std::string complaint;
    bool is_healthy = false;
    while (!failed() && !is_healthy && now_us() - since_us < patience_us) {
        RunTo(now_us() + kLookUs);
        is_healthy = !failed() && watch_.IsHealthy(oracle, complaint);
    }
    if (!is_healthy) return Complain(oracle, complaint);
    outcome_.sound_us = now_us() - since_us;
    Tell("all is well");
    if (complaint = RegistrationsStand(*this); !complaint.empty()) {
        return Complain("registrations stand", complaint);
    }
    // Values lied about may be read again, and put right, one switch after the other.
    for (int looks = 0; looks < kCalmLooks; ++looks) {
        complaint = LookWhetherCalm();
        if (failed()) return;
        if (complaint.empty()) break;
    }
    if (!complaint.empty()) return Complain("calm", complaint);
    // A board that is too small knocks at what it refused, by each M_Key that it knows.
    const bool is_short =
        world_.masters() == 1 && world_.sm(world_.master()).fabric().shortage().any();
    RunUntil([&] { return watch_.IsHealthy(oracle, complaint); },
             is_short ? 5 * kSecond : 2 * kSecond);
    if (!watch_.IsHealthy(oracle, complaint)) {
        return Complain(oracle, "no longer: " + complaint);
    }
    if (complaint = RegistrationsStand(*this); !complaint.empty()) {
        Complain("registrations stand", complaint);
    }
}

void Swarm::TellNotes() {
    if (!wishes_.tell) return;
    told_notes_.resize(seats());
    for (std::size_t seat = 0; seat < seats(); ++seat) {
        if (!world_.alive(seat)) continue;
        std::uint64_t& cursor = told_notes_[seat];
        const std::uint64_t next = world_.sm(seat).log().next_sequence();
        if (next == cursor) continue;
        if (next < cursor) cursor = 0;  // Another process.
        std::cout << "manager " << seat << ":\n" << world_.NotesFrom(cursor, seat);
    }
}

/// Hosts alone lie: the others are well in spite of that.
void Swarm::SeeToTheHonest() {
    const std::uint64_t end_us = now_us() + HonestWithinUs(*this, had_liars_);
    std::string complaint = watch_.Honest();
    while (!complaint.empty() && now_us() < end_us && !failed()) {
        RunTo(now_us() + kLookUs);
        complaint = watch_.Honest();
    }
    if (!complaint.empty()) Complain("the honest are well", complaint);
}

Outcome Swarm::Run() {
    Seat();
    Rage();
    if (!failed()) Heal();
    const bool hosts_lie = deceiver_.AnyLies(false) || !due_.empty();
    const bool switches_lie = deceiver_.AnyLies(true);
    if (!failed() && hosts_lie && !switches_lie && !watch_.is_deceived() &&
        (story_.board == Board::kRoomy || story_.board > Board::kFewDatagrams)) {
        Tell("hosts go on lying");
        SeeToTheHonest();
    }
    had_liars_ = had_liars_ || hosts_lie || switches_lie || watch_.is_deceived();
    for (std::uint32_t node = 0; node < hardware().node_count(); ++node) {
        deceiver_.End(node);
    }
    due_.clear();
    Tell("everybody is honest");
    if (!failed()) RunHealthy();
    TellNotes();
    outcome_.trace = world_.trace();
    return outcome_;
}

Outcome Play(const Case& which, const Wishes& wishes) {
    const Story story = Draw(which);
    if (wishes.tell) {
        std::cout << "seed " << TextOf(which) << ": " << story.shape << ", board "
                  << static_cast<int>(story.board) << ", " << story.seats.size() << " managers, "
                  << story.events.size() << " events in " << story.rage_us / kSecond << " s\n";
    }
    return Swarm(story, wishes).Run();
}

}  // namespace ember::swarm
