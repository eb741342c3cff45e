// SPDX-License-Identifier: Apache-2.0
// EmberSM: limits of bandwidth in the devices that take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/aliases/alias_guids.h"
#include "core/aliases/guid_tables.h"
#include "core/bandwidth/bandwidth_policy.h"
#include "core/base/assert.h"
#include "core/base/limits.h"
#include "core/base/time.h"
#include "core/exchange/exchange.h"
#include "core/fabric/fabric.h"
#include "core/log/log.h"
#include "core/partitions/partitions.h"
#include "core/port_tables/port_tables.h"
#include "core/port_tables/table_programming.h"
#include "core/settings/settings.h"
#include "core/wire/bandwidth.h"

namespace ember {

inline constexpr Client kBandwidthClient{14};

/// Gives end ports the limits of enhanced_qos_policy_file, in the attribute of the board's
/// BandwidthCodec. Without a policy no port is asked; when a policy ends while the subnet manager
/// runs, its limits are taken back.
///
/// A port has a table of its own, one of its virtual port 0, and one of each alias GUID. Tables
/// have numbers: two a LID, then one for each row of AliasGuids. After a sweep the rule of each
/// port is looked up, a few ports at a time, and kept until the next one begins. TableProgramming
/// does the rest: it reads a table that is not known, writes it if it differs, tells once of what
/// fails and tries it again after the next sweep.
///
/// No port is waited for that does not answer: when no other one has moved for a quarter of a
/// second, links may go to ACTIVE. Ports that shall have a limit and whose device takes none are
/// told, as often as their number changes.
class BandwidthUpkeep final : public PortTablePlanner {
public:
    /// Views of the board's storage; none where Limits::bandwidth_tables is 0.
    struct Memory {
        std::span<TableProgramming::Known> known;  ///< TablesFor().
        std::span<BandwidthSetIndex> sets;         ///< PortsFor(): the rule of each LID's port.
    };
    [[nodiscard]] static constexpr std::size_t PortsFor(const Limits& limits) {
        return limits.bandwidth_tables == 0 ? 0 : limits.max_lid + std::size_t{1};
    }
    [[nodiscard]] static constexpr std::size_t TablesFor(const Limits& limits) {
        if (limits.bandwidth_tables == 0) return 0;
        return PortsFor(limits) * limits.bandwidth_tables + limits.max_alias_guids;
    }
    /// All outlive it.
    struct Parts {
        const Fabric& fabric;
        Exchange& exchange;
        Log& log;
        const Partitions& partitions;
    };

    /// `settings` may change between two rounds.
    BandwidthUpkeep(const Memory& memory, const Parts& parts, const Settings& settings);
    BandwidthUpkeep(const BandwidthUpkeep&) = delete;
    BandwidthUpkeep& operator=(const BandwidthUpkeep&) = delete;

    /// Says how devices take limits (nullptr: they do not), where alias GUIDs are kept, and by whom
    /// their changes are counted. All outlive it. Before the first round.
    void Know(const BandwidthCodec* codec, const AliasGuids& aliases,
              const GuidTables& guid_tables) {
        EMBER_ASSERT(!manages_);
        // Without memory what a device takes could not be remembered.
        codec_ = sets_.empty() ? nullptr : codec;
        aliases_ = &aliases;
        guid_tables_ = &guid_tables;
    }
    /// Starts a round after a sweep in which all end ports got their LIDs. `forgets_all`: all
    /// tables are read anew.
    void Begin(bool forgets_all);
    /// Sends what the window admits. True: there is more to do at once.
    bool Step(std::uint64_t now_us);
    /// Takes an answer to a datagram of kBandwidthClient.
    void Hear(const Answer& answer, std::uint64_t now_us) { writer_.Hear(answer, now_us); }
    /// Gives up what is under way. Tables that were not finished are read again.
    void Abandon();
    /// When Step() has something to do that no answer brings about; kNever: never.
    [[nodiscard]] std::uint64_t NextDeadlineUs() const;

    /// No port is waited for any more: links may go to ACTIVE.
    [[nodiscard]] bool is_settled() const { return is_settled_; }
    /// The outcome of the present round.
    [[nodiscard]] const TableOutcome& outcome() const { return writer_.outcome(); }
    /// A port did not answer, and has to be asked again after another sweep.
    [[nodiscard]] bool lacks() const { return silent_ != 0; }
    /// Ports that shall have a limit and whose device takes none.
    [[nodiscard]] std::uint32_t not_taken() const { return not_taken_; }

    [[nodiscard]] TableIndex Next(std::uint32_t& cursor) const override;
    [[nodiscard]] bool Find(TableIndex at, PortTable& table, SmpData& wanted) const override;
    void Settle(TableIndex at, Status status) override;

private:
    static constexpr std::uint32_t kTablesOfLid = 2;  ///< The port's, and virtual port 0's.

    [[nodiscard]] PortIndex EndPortAt(std::uint32_t lid) const;
    [[nodiscard]] bool Takes(PortIndex at) const;
    [[nodiscard]] std::uint32_t FirstAlias() const;
    void FindRule(std::uint32_t lid);
    void EndSearch(std::uint64_t now_us);
    void FollowAliases(std::uint64_t now_us);
    [[nodiscard]] bool FindOfAlias(AliasIndex at, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] bool Place(PortIndex at, const BandwidthTarget& target,
                             const BandwidthRates& rates, PortTable& table, SmpData& wanted) const;
    [[nodiscard]] std::uint64_t PatienceEndsUs() const;

    Parts parts_;
    std::span<BandwidthSetIndex> sets_;
    BandwidthPolicy policy_;
    TableProgramming writer_;
    const BandwidthCodec* codec_ = nullptr;
    const AliasGuids* aliases_ = nullptr;
    const GuidTables* guid_tables_ = nullptr;
    bool manages_ = false;   ///< There has been a policy since the start.
    bool searches_ = false;  ///< The rules of ports are looked up.
    bool is_open_ = false;   ///< Tables may be looked at: the rules are those of the present round.
    bool is_settled_ = true;
    bool has_moved_ = false;
    std::uint32_t cursor_ = 0;  ///< The LID whose rule is looked up next.
    std::uint32_t silent_ = 0;  ///< Tables of ports that did not answer in this round.
    std::uint32_t not_taken_ = 0;
    std::uint32_t logged_not_taken_ = 0;
    PortIndex first_not_taken_ = kNoPortIndex;
    std::uint32_t aliases_seen_ = 0;         ///< GuidTables::revision().
    std::uint64_t aliases_due_us_ = kNever;  ///< When their tables are looked at.
    std::uint64_t moved_us_ = 0;
};

}  // namespace ember
