// SPDX-License-Identifier: Apache-2.0
// EmberSM: how the subnet is, in one word and in one line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/log/fixed_text.h"
#include "core/manager/subnet_manager.h"

namespace ember {

/// How the subnet is. Of several that hold it is the first: what is worse stands before.
enum class Condition : std::uint8_t {
    kStandingBy,  ///< Another subnet manager is master.
    kNotActive,   ///< By `sm_inactive`, or told so by the master.
    kTwoMasters,  ///< We are master, and so is another subnet manager that we know of.
    kNotUp,
    kNodesLost,     ///< Up, but more than half of the nodes were lost in one sweep: GreatLoss.
    kTooLarge,      ///< Up as far as the board's limits go: the fabric is larger.
    kTablesKept,    ///< Up, but no engine could route: the switches keep the tables they have.
    kSafeRouting,   ///< Up, but no engine could route: by the safe routing.
    kCreditLoop,    ///< Up, but the routes in force could deadlock.
    kLanesLacking,  ///< Up, but switches lack SL to VL or VL arbitration tables.
    kNotEnforced,   ///< Up, but a port does not hold, or not enforce, what its partitions say.
    kUp,
};
/// By Condition.
inline constexpr std::array<std::string_view, 12> kConditionWords = {
    "standing-by", "not-active",   "two-masters", "not-up",        "nodes-lost",   "too-large",
    "tables-kept", "safe-routing", "credit-loop", "lanes-lacking", "not-enforced", "up"};
static_assert(kConditionWords.size() == static_cast<std::size_t>(Condition::kUp) + 1);

/// As master: another master that has not settled with us who stays; kNoGuid: none.
[[nodiscard]] Guid SecondMaster(const SubnetManager& sm);
[[nodiscard]] Condition ConditionOf(const SubnetManager& sm);

[[nodiscard]] constexpr std::string_view WordOf(Condition condition) {
    return kConditionWords[static_cast<std::size_t>(condition)];
}

/// Adds a line without its end: "SUBNET UP" if nothing is to be said against that, else what is.
void AddHeadline(FixedText& text, const SubnetManager& sm);

}  // namespace ember
