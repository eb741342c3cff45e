// SPDX-License-Identifier: Apache-2.0
// EmberSM: the P_Key table of one end port, and of the switch port in front of it: read, placed,
// written, enforced.

#include <algorithm>
#include <bit>

#include "core/base/assert.h"
#include "core/partitions/p_key_upkeep.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

using Job = PKeyUpkeep::Job;

[[nodiscard]] std::uint32_t BlocksOf(std::uint32_t entries) {
    constexpr auto kEntries = static_cast<std::uint32_t>(PKeyTable::kEntries);
    return (entries + kEntries - 1) / kEntries;
}

[[nodiscard]] std::uint16_t ManagedSize(std::uint16_t reported) {
    return static_cast<std::uint16_t>(std::min<std::size_t>(reported, kMostPKeysOfPort));
}

/// The part of a table that a block holds; shorter where the table ends inside it.
[[nodiscard]] std::span<std::uint16_t> BlockOf(std::span<std::uint16_t> table,
                                               std::uint32_t block) {
    const std::size_t first = block * PKeyTable::kEntries;
    EMBER_ASSERT(first < table.size());
    return table.subspan(first, std::min(PKeyTable::kEntries, table.size() - first));
}

void Load(const SmpData& content, std::span<std::uint16_t> block) {
    EMBER_ASSERT(block.size() <= PKeyTable::kEntries);
    const auto table = std::bit_cast<PKeyTable>(content);
    for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = table.p_key(i);
    }
}

[[nodiscard]] SmpData ContentOf(std::span<const std::uint16_t> block) {
    EMBER_ASSERT(block.size() <= PKeyTable::kEntries);
    PKeyTable table{};
    for (std::size_t i = 0; i < block.size(); ++i) {
        table.SetPKey(i, block[i]);
    }
    return std::bit_cast<SmpData>(table);
}

[[nodiscard]] std::span<std::uint16_t> TableOf(Job& job, bool of_guard) {
    return of_guard ? std::span(job.guard_has).first(job.guard_size)
                    : std::span(job.has).first(job.size);
}
[[nodiscard]] std::span<std::uint16_t> NextOf(Job& job, bool of_guard) {
    return of_guard ? std::span(job.guard_next).first(job.guard_size)
                    : std::span(job.next).first(job.size);
}

/// Questions of a stage: a block each, but for the one that lets the guard enforce.
[[nodiscard]] std::uint32_t QuestionsOf(const Job& job) {
    const std::uint32_t blocks = BlocksOf(job.size) + BlocksOf(job.guard_size);
    return job.stage == Job::Stage::kEnforcing ? 1 : blocks;
}

void NoteFailure(Job& job, bool of_guard, Status status) {
    job.failure = status;
    (of_guard ? job.guard_failed : job.has_failed) = true;
}

}  // namespace

std::uint32_t PKeyUpkeep::FreeJobs() const {
    return static_cast<std::uint32_t>(std::count_if(
        jobs_.begin(), jobs_.end(), [](const Job& job) { return job.port == kNoPortIndex; }));
}

/// The switch port in front of the host or router port `at`.
PortIndex PKeyUpkeep::GuardOf(PortIndex at) const {
    const Fabric& fabric = parts_.fabric;
    const Port& port = fabric.port(at);
    if (fabric.node(port.node).type == NodeType::kSwitch || port.peer == kNoPortIndex) {
        return kNoPortIndex;
    }
    const Port& peer = fabric.port(port.peer);
    const bool is_external = fabric.node(peer.node).type == NodeType::kSwitch &&
                             peer.number != kManagementPort && peer.has_info;
    return is_external ? port.peer : kNoPortIndex;
}

/// P_Keys that the end port can hold.
std::uint16_t PKeyUpkeep::TableSizeOf(PortIndex at) const {
    const Fabric& fabric = parts_.fabric;
    const std::uint16_t reported = fabric.node(fabric.port(at).node).partition_cap;
    return std::max<std::uint16_t>(ManagedSize(reported), 1);
}

/// P_Keys that the switch port can enforce; 0: it cannot, or shall not.
std::uint16_t PKeyUpkeep::EnforcementRoom(PortIndex guard) const {
    if (guard == kNoPortIndex || Enforcement() == PartEnforce::kOff) return 0;
    const Fabric& fabric = parts_.fabric;
    const Node& node = fabric.node(fabric.port(guard).node);
    EMBER_ASSERT(node.type == NodeType::kSwitch);
    return ManagedSize(
        fabric.switch_row(node.switch_index).info.Get(SwitchInfo::kPartitionEnforcementCap));
}

/// `first` is block 0 of the port's table.
void PKeyUpkeep::Open(Job& job, PortIndex at, const SmpData& first) {
    EMBER_ASSERT(job.port == kNoPortIndex);
    job.port = at;
    job.guard = GuardOf(at);
    job.generation = ++generation_;
    job.size = TableSizeOf(at);
    job.guard_size = EnforcementRoom(job.guard);
    EMBER_ASSERT(job.size <= job.has.size());
    EMBER_ASSERT(job.guard_size <= job.guard_has.size());
    job.asked = 1;  // Block 0 of the port.
    job.in_flight = 0;
    job.stage = Job::Stage::kReading;
    job.failure = Status::kOk;
    job.checks = is_checking();
    job.has_failed = false;
    job.guard_failed = false;
    job.is_short = false;
    job.later = 0;
    job.has.fill(kNoPKey);
    job.guard_has.fill(kNoPKey);
    Load(first, BlockOf(TableOf(job, false), 0));
}

/// Asks what the window admits, and goes on to the next stage when all of one is answered.
void PKeyUpkeep::Advance(Job& job, std::uint64_t now_us) {
    while (job.port != kNoPortIndex) {
        while (!job.has_failed && job.asked < QuestionsOf(job) && asker_.has_room()) {
            AskNext(job, now_us);
        }
        const bool is_through = job.has_failed || job.asked >= QuestionsOf(job);
        if (!is_through || job.in_flight != 0) return;
        if (job.has_failed || job.stage == Job::Stage::kEnforcing) {
            Close(job, now_us);
        } else if (job.stage == Job::Stage::kReading) {
            BeginStage(job, Job::Stage::kWriting, now_us);
        } else {
            BeginStage(job, Job::Stage::kEnforcing, now_us);
        }
    }
}

void PKeyUpkeep::BeginStage(Job& job, Job::Stage stage, std::uint64_t now_us) {
    EMBER_ASSERT(stage != Job::Stage::kReading);
    EMBER_ASSERT(job.in_flight == 0);
    job.stage = stage;
    job.asked = 0;
    if (stage != Job::Stage::kWriting) return;
    Place(job, now_us);
    PlaceAtGuard(job, now_us);
}

void PKeyUpkeep::AskNext(Job& job, std::uint64_t now_us) {
    EMBER_ASSERT(job.asked < QuestionsOf(job));
    const std::uint32_t at = job.asked++;
    if (job.stage == Job::Stage::kEnforcing) {
        AskToEnforce(job, now_us);
        return;
    }
    const std::uint32_t own_blocks = BlocksOf(job.size);
    const bool of_guard = at >= own_blocks;
    if (of_guard && job.guard_failed) return;
    AskBlock(job, of_guard ? at - own_blocks : at, of_guard, now_us);
}

/// Reads a block, or writes it if it differs.
void PKeyUpkeep::AskBlock(Job& job, std::uint32_t block, bool of_guard, std::uint64_t now_us) {
    EMBER_ASSERT(job.stage != Job::Stage::kEnforcing);
    EMBER_ASSERT(!of_guard || job.guard != kNoPortIndex);
    const bool is_set = job.stage == Job::Stage::kWriting;
    const PortIndex at = of_guard ? job.guard : job.port;
    Ask ask{};
    if (is_set) {
        const std::span<std::uint16_t> next = BlockOf(NextOf(job, of_guard), block);
        const std::span<std::uint16_t> has = BlockOf(TableOf(job, of_guard), block);
        if (std::equal(next.begin(), next.end(), has.begin(), has.end())) return;
        ask.method = Method::kSet;
        ask.data = ContentOf(next);
        NoteDifference(job, now_us);
    }
    if (!asker_.FindPath(at, ask)) {
        NoteFailure(job, of_guard, Status::kUnreachable);
        return;
    }
    ++(is_set ? outcome_.blocks_set : outcome_.blocks_read);
    const PortNumber number = of_guard ? parts_.fabric.port(at).number : kManagementPort;
    ask.attribute = AttributeId::kPKeyTable;
    ask.modifier = PKeyTable::Modifier(number, static_cast<std::uint16_t>(block));
    const Kind kind = of_guard ? (is_set ? Kind::kSetGuard : Kind::kReadGuard)
                               : (is_set ? Kind::kSet : Kind::kRead);
    Post(job, ask, kind, block, now_us);
}

/// The switch port enforces from now on what its table says, or nothing any more. A link below
/// ACTIVE learns it with the Set that makes it ACTIVE.
void PKeyUpkeep::AskToEnforce(Job& job, std::uint64_t now_us) {
    EMBER_ASSERT(job.stage == Job::Stage::kEnforcing);
    if (job.guard == kNoPortIndex || job.guard_failed) return;
    Port& guard = parts_.fabric.port(job.guard);
    guard.p_key_guard = job.guard_size != 0 ? PKeyGuard::kOn : PKeyGuard::kOff;
    parts_.fabric.Touch(job.guard);
    const PortPlan plan = parts_.ports.Plan(job.guard, false);
    const bool is_active = guard.info.Get(PortInfo::kPortState) == PortState::kActive;
    if (!is_active || !plan.enforces_anew() || plan.bounce) return;
    Ask ask{};
    if (!asker_.FindPath(job.guard, ask)) {
        NoteFailure(job, true, Status::kUnreachable);
        return;
    }
    ask.method = Method::kSet;
    ask.attribute = AttributeId::kPortInfo;
    ask.modifier = Raw(guard.number) | (plan.extended ? kExtendedSpeedsModifier : 0U);
    ask.data = std::bit_cast<SmpData>(plan.set);
    ++outcome_.ports_set;
    Post(job, ask, Kind::kEnforce, 0, now_us);
}

void PKeyUpkeep::Post(Job& job, Ask& ask, Kind kind, std::uint32_t block, std::uint64_t now_us) {
    const auto row = static_cast<std::uint32_t>(&job - jobs_.data());
    EMBER_ASSERT(row < jobs_.size());
    ask.cookie.detail = job.generation;
    ++job.in_flight;
    asker_.Post(ask, kind, block << 8U | row, now_us);
}

/// Finds what the port's table shall hold after this step.
void PKeyUpkeep::Place(Job& job, std::uint64_t now_us) {
    EMBER_ASSERT(job.port != kNoPortIndex);
    EMBER_ASSERT(job.stage == Job::Stage::kWriting);
    Job::Entries wanted = job.has;
    Job::Entries fresh{};
    const auto table = std::span(wanted).first(job.size);
    const PKeysLeftOut left_out = PlacePKeys(parts_.partitions, job.port, Rules(), table, fresh);
    const PKeyStep step = IsLive(job.port) ? step_ : PKeyStep::kJoin;
    job.later = PKeysAfter(step, TableOf(job, false), table, NextOf(job, false));
    job.is_short = left_out.count != 0;
    if (!job.is_short) return;
    outcome_.left_out += left_out.count;
    const Port& port = parts_.fabric.port(job.port);
    parts_.log.WriteSparingly<Note::kPKeyTableFull>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                                    Raw(port.number), job.size, left_out.first,
                                                    left_out.count);
}

/// A table that does not fit is not enforced: half of it would cut off who may communicate.
void PKeyUpkeep::PlaceAtGuard(Job& job, std::uint64_t now_us) {
    if (job.guard_size == 0) return;
    EMBER_ASSERT(job.guard != kNoPortIndex);
    if (EnforcePKeys(NextOf(job, false), NextOf(job, true))) return;
    const Port& guard = parts_.fabric.port(job.guard);
    parts_.log.WriteSparingly<Note::kPKeysNotEnforced>(
        now_us, Raw(parts_.fabric.node(guard.node).guid), Raw(guard.number), job.guard_size);
    job.guard_size = 0;
}

/// A Set was acknowledged. A device that does not do what it acknowledges has refused it.
void PKeyUpkeep::TakeSet(Job& job, const Answer& answer) const {
    EMBER_ASSERT(answer.status == Status::kOk);
    const auto kind = static_cast<Kind>(answer.cookie.kind);
    bool is_kept = false;
    if (kind == Kind::kEnforce) {
        const auto& field = PortInfo::kPartitionEnforcement;
        const std::uint8_t sent = std::bit_cast<PortInfo>(answer.asked).Get(field);
        const std::uint8_t kept = std::bit_cast<PortInfo>(answer.data).Get(field);
        parts_.fabric.port(job.guard).info.Set(field, kept);
        is_kept = kept == sent;
    } else {
        Job::Entries sent{};
        Job::Entries kept{};
        const std::size_t entries =
            BlockOf(TableOf(job, kind == Kind::kSetGuard), answer.cookie.subject >> 8U).size();
        Load(answer.asked, std::span(sent).first(entries));
        Load(answer.data, std::span(kept).first(entries));
        is_kept = kept == sent;
    }
    if (!is_kept) NoteFailure(job, kind != Kind::kSet, Status::kRefused);
}

/// The answer to one of the job's questions. A table that cannot be read can still be written.
void PKeyUpkeep::Take(Job& job, const Answer& answer) const {
    EMBER_ASSERT(job.port != kNoPortIndex);
    const auto kind = static_cast<Kind>(answer.cookie.kind);
    const bool of_guard = kind != Kind::kRead && kind != Kind::kSet;
    const bool is_unreadable = answer.method == Method::kGet && answer.status == Status::kRefused;
    if (answer.status != Status::kOk) {
        if (!is_unreadable) NoteFailure(job, of_guard, answer.status);
    } else if (answer.method == Method::kGet) {
        Load(answer.data, BlockOf(TableOf(job, of_guard), answer.cookie.subject >> 8U));
    } else {
        TakeSet(job, answer);
    }
}

/// A check has found what was not written so. A check is told once.
void PKeyUpkeep::NoteDifference(const Job& job, std::uint64_t now_us) {
    if (!job.checks || is_different_) return;
    is_different_ = true;
    const Port& port = parts_.fabric.port(job.port);
    parts_.log.WriteSparingly<Note::kScrubPKeys>(now_us, Raw(parts_.fabric.node(port.node).guid),
                                                 Raw(port.number));
}

/// A check that finds nothing wrong, and is not answered, leaves the port as it was known.
void PKeyUpkeep::GiveUp(const Job& job, PortIndex at, Status status, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(parts_.fabric.port(at).lid) < known_.size());
    if (job.checks && !is_different_) {
        known_[Raw(parts_.fabric.port(at).lid)].state = state_before_check_;
        return;
    }
    Fail(at, status, now_us);
}

void PKeyUpkeep::Close(Job& job, std::uint64_t now_us) {
    EMBER_ASSERT(job.port != kNoPortIndex);
    EMBER_ASSERT(job.in_flight == 0);
    const PortIndex at = job.port;
    job.port = kNoPortIndex;
    has_news_ = has_news_ || !job.checks || is_different_;
    Port& port = parts_.fabric.port(at);
    EMBER_ASSERT(Raw(port.lid) < known_.size());
    if (job.has_failed) {
        GiveUp(job, at, job.failure, now_us);
        return;
    }
    port.lacks_p_keys = false;
    if (at == parts_.fabric.own_port()) parts_.own_p_keys.Learn(port.guid, NextOf(job, false));
    Known& known = known_[Raw(port.lid)];
    if (job.guard_failed) {  // The end port's own table is right.
        GiveUp(job, at, job.failure, now_us);
        known.is_unset = job.is_short;
        return;
    }
    known.state = State::kKnown;
    known.is_unset = job.is_short;
    known.later = job.later >> 1U & 7U;
    later_ |= job.later;
}

}  // namespace ember
