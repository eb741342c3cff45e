// SPDX-License-Identifier: Apache-2.0
// EmberSM: the QoS policy: which level a path has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/administration/policy/rule_index.h"
#include "core/base/bit_set.h"
#include "core/base/ids.h"
#include "core/base/limits.h"
#include "core/base/status.h"
#include "core/fabric/fabric.h"
#include "core/partitions/partitions.h"
#include "core/port_groups/port_groups.h"
#include "core/settings/settings.h"

namespace ember {

/// The values that a rule looks at beside the ends of a path.
struct QosValues {
    bool has_service_id = false;
    bool has_p_key = false;
    bool has_qos_class = false;
    std::uint64_t service_id = 0;
    std::uint16_t p_key = 0;  ///< Whichever membership it says.
    std::uint16_t qos_class = 0;
};

/// All that a rule looks at.
struct QosQuestion {
    PortIndex source = kNoPortIndex;  ///< End ports with LIDs.
    PortIndex destination = kNoPortIndex;
    QosValues values{};
};

/// The answer of a policy to a question.
struct QosChoice {
    static constexpr std::size_t kNoRule = static_cast<std::size_t>(-1);
    const QosLevel* level = nullptr;  ///< nullptr: no policy is in force.
    std::size_t rule = kNoRule;       ///< Row of ManagerTables::qos_rules; kNoRule: none fits.
};

/// The answers for a path and for the way back, whose ends are the other way round.
struct QosChoices {
    QosChoice forth{};
    QosChoice back{};
};

/// The QoS policy of qos_policy_file, where `qos` is on: the first rule that fits a question has
/// the level of its paths; where no rule fits, it is level 0. As in OpenSM a rule fits when all
/// that it names fits: a rule that names a service ID fits no question without one. Source:
/// OpenSM 3.3.24, behaviour of osm_qos_policy.c.
///
/// A question costs the same whatever the number of rules. Each kind of criterion gives a set of
/// rules, as bits, and the first bit that all five sets have is the rule: the sets of source and
/// destination are kept by port, those of values in a RuleIndex. Rejected: a walk along the rules,
/// which with 100 of them and their groups costs more than the path; a hash of whole questions,
/// whose service IDs clients choose.
///
/// The sets of a port are made when it is first asked for, and hold until the next sweep ends or
/// the settings change: so a sweep under way costs nothing, and a policy of many names no pause.
/// Ports that are in the same groups have the same sets, which are kept once. A policy that tells
/// more than kMostPortSets ports apart makes them anew now and then.
class QosPolicy {
public:
    /// The sets of the port of a row, by its base LID.
    struct PortMark {
        std::uint32_t guid = 0;   ///< Folded; LIDs may have moved since.
        std::uint16_t set = 0;    ///< Number of its sets.
        std::uint16_t stamp = 0;  ///< Holds while it equals stamp_.
    };
    static constexpr std::size_t kMostPortSets = 512;
    /// Views of the board's storage; without rules (Limits::max_qos_rules) nothing.
    struct Memory {
        std::span<PortMark> ports;            ///< PortsFor().
        std::span<std::uint64_t> port_sets;   ///< PortSetsFor() times WordsFor() twice.
        std::span<std::uint64_t> bounds;      ///< BoundsFor().
        std::span<std::uint64_t> value_sets;  ///< SetsFor() times WordsFor().
    };

    [[nodiscard]] static constexpr std::size_t PortsFor(const Limits& limits) {
        return limits.max_qos_rules == 0 ? 0 : limits.max_lid + std::size_t{1};
    }
    [[nodiscard]] static constexpr std::size_t PortSetsFor(const Limits& limits) {
        return limits.max_qos_rules == 0 ? 0 : kMostPortSets;
    }
    [[nodiscard]] static constexpr std::size_t WordsFor(const Limits& limits) {
        return BitSet::WordsFor(limits.max_qos_rules);
    }
    /// Stretches of all three kinds of values.
    [[nodiscard]] static constexpr std::size_t BoundsFor(const Limits& limits) {
        return limits.max_qos_rules == 0
                   ? 0
                   : RuleIndex::StretchesFor(limits.max_qos_ranges) + kValueKinds - 1;
    }
    [[nodiscard]] static constexpr std::size_t SetsFor(const Limits& limits) {
        return limits.max_qos_rules == 0 ? 0 : BoundsFor(limits) + kValueKinds;
    }

    /// All that it refers to outlives it. There is no policy before Load().
    QosPolicy(const Memory& memory, const Fabric& fabric, const Partitions& partitions,
              const Settings& settings)
        : memory_(memory),
          fabric_(fabric),
          settings_(settings),
          port_groups_(fabric, partitions, settings) {}
    QosPolicy(const QosPolicy&) = delete;
    QosPolicy& operator=(const QosPolicy&) = delete;

    /// Takes over the policy of the settings. Call it whenever their tables have changed, before
    /// the next question. kFull: the board has no room for so many rules or ranges, and no policy
    /// is in force.
    Status Load();
    /// A sweep has ended: ports may be in other groups now.
    void FollowSweep();

    [[nodiscard]] bool is_in_force() const { return is_in_force_; }
    /// The level of the path that a question is for and of the way back, and the rules which give
    /// them. Takes the same time whatever was asked before, but for the first question about a port
    /// after a sweep. Asserts that both ends are end ports with LIDs.
    [[nodiscard]] QosChoices ChoicesOf(const QosQuestion& question);
    [[nodiscard]] const QosLevel* LevelOf(const QosQuestion& question) {
        return ChoicesOf(question).forth.level;
    }
    /// The P_Keys that a level admits, without the bit of membership; none: it admits all.
    [[nodiscard]] std::span<const QosRange> PKeysOf(const QosLevel& level) const {
        return tables().qos_level_ranges.subspan(level.first, level.p_keys);
    }
    /// Rules and ranges of values that the settings ask room for.
    [[nodiscard]] std::size_t rule_count() const { return tables().qos_rules.size(); }
    [[nodiscard]] std::size_t CountRanges() const;

private:
    static constexpr std::size_t kValueKinds = 3;
    static constexpr std::size_t kMostWords = BitSet::WordsFor(kMostQosRules);

    [[nodiscard]] const ManagerTables& tables() const { return settings_.manager_tables; }
    void BuildIndexes();
    /// Rules that take the service ID, the P_Key, and the QoS class of a question.
    using ValueSets = std::array<const std::uint64_t*, kValueKinds>;

    [[nodiscard]] ValueSets SetsOf(const QosValues& values) const;
    [[nodiscard]] QosChoice First(const std::uint64_t* sources, const std::uint64_t* destinations,
                                  const ValueSets& values) const;
    /// Both sets of a port: rules that it may be the source of, then the destination.
    [[nodiscard]] const std::uint64_t* SetsOf(PortIndex at);
    [[nodiscard]] std::span<std::uint64_t> PortSets(std::size_t number) const {
        return memory_.port_sets.subspan(number * words_ * 2, words_ * 2);
    }
    void MakeSets(PortIndex at, std::span<std::uint64_t> sets) const;
    [[nodiscard]] std::uint16_t Keep(std::span<const std::uint64_t> sets);

    Memory memory_;
    const Fabric& fabric_;
    const Settings& settings_;
    PortGroups port_groups_;
    bool is_in_force_ = false;
    std::size_t words_ = 0;  ///< Of a set.
    std::uint16_t stamp_ = 0;
    std::size_t port_sets_ = 0;  ///< Sets of ports that are kept.
    RuleIndex service_ids_;
    RuleIndex p_keys_;
    RuleIndex qos_classes_;
};

}  // namespace ember
