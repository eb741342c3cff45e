// SPDX-License-Identifier: Apache-2.0
// EmberSM: from the tables that ports shall have to Set() datagrams.

#include "core/port_tables/table_programming.h"

#include <algorithm>
#include <array>

#include "core/base/assert.h"
#include "core/base/crc32.h"
#include "core/base/time.h"
#include "core/port_tables/devices.h"

namespace ember {
namespace {

/// Tables looked at in one Step(): some 300 nanoseconds each.
inline constexpr std::size_t kTablesAtOnce = 2048;

}  // namespace

TableProgramming::TableProgramming(std::span<Known> known, const Parts& parts,
                                   const Settings& settings)
    : known_(known), parts_(parts), asker_(parts.fabric, parts.exchange, settings, parts.client) {
    EMBER_ASSERT(known.size() <= Raw(kNoTable));
    std::fill(known_.begin(), known_.end(), Known{});
}

void TableProgramming::Observe(bool forgets_all) {
    PortTable table;
    SmpData wanted;
    for (std::size_t i = 0; i < known_.size(); ++i) {
        if (known_[i].state != State::kKnown) continue;
        const bool is_kept = !forgets_all &&
                             parts_.planner.Find(static_cast<TableIndex>(i), table, wanted) &&
                             HasOurTables(parts_.fabric, table.port);
        if (!is_kept) known_[i].state = State::kUnknown;
    }
}

void TableProgramming::Begin() {
    outcome_ = TableOutcome{};
    TryAgain();
}

void TableProgramming::TryAgain() {
    for (Known& known : known_) {
        if (known.state == State::kFailed) known.state = State::kUnknown;
    }
    Revise();
}

void TableProgramming::Revise() {
    silent_.clear();
    LookAgain();
}

void TableProgramming::LookAgain() {
    looks_again_ = looks_again_ || !at_end_;
    at_end_ = false;
}

void TableProgramming::Abandon() {
    asker_.Abandon();
    for (Known& known : known_) {
        if (known.state == State::kAsked) known.state = State::kUnknown;
    }
    cursor_ = 0;
    at_end_ = true;
    looks_again_ = false;
    holds_ = false;
}

void TableProgramming::Step(std::uint64_t now_us) {
    for (std::size_t i = 0; i < kTablesAtOnce && !at_end_ && MaySend(now_us); ++i) {
        const TableIndex at = parts_.planner.Next(cursor_);
        if (at != kNoTable) {
            Look(at, now_us);
            continue;
        }
        cursor_ = 0;
        at_end_ = !looks_again_;
        looks_again_ = false;
    }
}

/// When a sweep begins our own port is not known yet, and so no directed route.
bool TableProgramming::MaySend(std::uint64_t now_us) const {
    if (!asker_.has_room() || parts_.fabric.own_port() == kNoPortIndex) return false;
    return parts_.gap_us == 0 || asker_.is_alone() || now_us >= next_us_;
}

std::uint64_t TableProgramming::NextDeadlineUs() const {
    // An answer makes room, a sweep finds our own port; both are followed by a step.
    const bool waits = !asker_.has_room() || parts_.fabric.own_port() == kNoPortIndex;
    if (at_end_ || waits) return kNever;
    return parts_.gap_us == 0 || asker_.is_alone() ? 0 : next_us_;
}

/// The sum includes the name of the table: its number, or a row of the fabric, may be given to
/// another one.
std::uint32_t TableProgramming::SumOf(const PortTable& table, const SmpData& content) const {
    const std::array<std::uint64_t, 2> name{
        Raw(NodeOf(table)), std::uint64_t{Raw(parts_.fabric.port(table.port).number)} << 48U |
                                std::uint64_t{Raw(table.attribute)} << 32U | table.modifier};
    const std::uint32_t named = Crc32(std::as_bytes(std::span(name)));
    return Crc32(std::as_bytes(std::span(content)), named);
}

Guid TableProgramming::NodeOf(const PortTable& table) const {
    return parts_.fabric.node(parts_.fabric.port(table.port).node).guid;
}

bool TableProgramming::IsSilent(Guid node) const {
    return std::find(silent_.begin(), silent_.end(), node) != silent_.end();
}

bool TableProgramming::IsRight(TableIndex at) const {
    EMBER_ASSERT(Raw(at) < known_.size());
    PortTable table;
    SmpData wanted;
    const Known& known = known_[Raw(at)];
    return known.state == State::kKnown && parts_.planner.Find(at, table, wanted) &&
           known.Says(SumOf(table, wanted));
}

/// Compares a table with what is wanted, and asks its node if need be.
void TableProgramming::Look(TableIndex at, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(at) < known_.size());
    Known& known = known_[Raw(at)];
    PortTable table;
    SmpData wanted;
    if (known.state == State::kAsked || !parts_.planner.Find(at, table, wanted)) return;
    const bool is_known = known.state == State::kKnown;
    const bool is_same = known.Says(SumOf(table, wanted));
    // The table is right, or the failed content is wanted no longer: a failure would be news.
    if (is_known == is_same) known.is_logged = false;
    if (known.state == State::kFailed && is_same) return;
    if (is_known && is_same) {
        if (table.is_passing) known.state = State::kUnknown;
        parts_.planner.Settle(at, Status::kOk);
        return;
    }
    if (table.after != kNoTable && !IsRight(table.after)) {
        holds_ = true;
    } else if (MaySend(now_us)) {
        Send(at, table, wanted, now_us);
    } else {
        LookAgain();
    }
}

void TableProgramming::Send(TableIndex at, const PortTable& table, const SmpData& wanted,
                            std::uint64_t now_us) {
    EMBER_ASSERT(Raw(at) < known_.size());
    EMBER_ASSERT(known_[Raw(at)].state != State::kAsked);
    Known& known = known_[Raw(at)];
    Ask ask{};
    const bool is_set = known.state == State::kKnown || table.is_blind;
    known.Remember(SumOf(table, wanted));
    if (IsSilent(NodeOf(table))) {
        GiveUp(at, Status::kTimeout);
        return;
    }
    if (!asker_.FindPath(table.port, ask)) {
        GiveUp(at, Status::kUnreachable);
        return;
    }
    ask.method = is_set ? Method::kSet : Method::kGet;
    ask.attribute = table.attribute;
    ask.modifier = table.modifier;
    if (is_set) ask.data = wanted;
    ++(is_set ? outcome_.set : outcome_.read);
    known.state = State::kAsked;
    asker_.Post(ask, ask.method, Raw(at), now_us);
    next_us_ = now_us + parts_.gap_us;
}

void TableProgramming::GiveUp(TableIndex at, Status status) {
    EMBER_ASSERT(Raw(at) < known_.size());
    EMBER_ASSERT(status != Status::kOk);
    known_[Raw(at)].state = State::kFailed;
    ++outcome_.failed;
    parts_.planner.Settle(at, status);
}

void TableProgramming::Hear(const Answer& answer, std::uint64_t now_us) {
    if (!asker_.Take()) return;  // Abandoned meanwhile.
    const auto at = static_cast<TableIndex>(answer.cookie.subject);
    const bool is_unreadable = answer.method == Method::kGet && answer.status == Status::kRefused;
    if (answer.status == Status::kOk || is_unreadable) {
        Take(at, answer, now_us);
    } else {
        Fail(at, answer, now_us);
    }
}

/// A table was read, or a Set acknowledged. The wanted content may have changed meanwhile.
void TableProgramming::Take(TableIndex at, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(Raw(at) < known_.size());
    EMBER_ASSERT(known_[Raw(at)].state == State::kAsked);
    Known& known = known_[Raw(at)];
    PortTable table;
    SmpData wanted;
    known.state = State::kUnknown;
    if (!parts_.planner.Find(at, table, wanted)) return;
    known.state = State::kKnown;
    if (answer.method == Method::kGet) {  // A table that cannot be read can still be written.
        known.Remember(SumOf(table, answer.status == Status::kOk ? answer.data : SmpData{}));
    }
    Look(at, now_us);
    if (!holds_) return;
    holds_ = false;
    LookAgain();
}

void TableProgramming::Fail(TableIndex at, const Answer& answer, std::uint64_t now_us) {
    EMBER_ASSERT(answer.status != Status::kOk);
    EMBER_ASSERT(Raw(at) < known_.size());
    EMBER_ASSERT(known_[Raw(at)].state == State::kAsked);
    Known& known = known_[Raw(at)];
    PortTable table;
    SmpData wanted;
    known.state = State::kUnknown;
    if (!parts_.planner.Find(at, table, wanted)) return;
    const bool is_same = known.Says(SumOf(table, wanted));
    if (!is_same) {  // Something else is wanted by now, or the number is another table's.
        LookAgain();
        return;
    }
    if (answer.status == Status::kTimeout && !IsSilent(NodeOf(table))) {
        static_cast<void>(silent_.TryPush(NodeOf(table)));
    }
    if (answer.method == Method::kSet && !known.is_logged && !table.is_quiet) {
        known.is_logged = true;
        LogFailure(parts_.fabric, table.port, answer, parts_.log, now_us);
    }
    GiveUp(at, answer.status);
}

}  // namespace ember
