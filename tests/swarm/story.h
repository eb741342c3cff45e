// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a seed draws: a fabric, boards, settings, and what happens to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/netlist/netlist.h"
#include "config/netlist/random.h"
#include "core/settings/settings.h"
#include "platform/sim/faults.h"
#include "platform/sim/world.h"

namespace ember::swarm {

inline constexpr std::uint64_t kMs = 1'000;
inline constexpr std::uint64_t kSecond = 1'000'000;

/// Which story is told. As text: "SEED", and behind it, each after a blank, "managers" (another
/// story of the same seed: two to five managers that replicate, and more that happens to them), and
/// what makes it smaller: "only=3,7" (of its events, these), "less=2" (a fabric two steps smaller)
/// and "without=keys,chain" (parts of the site).
struct Case {
    std::uint64_t seed = 1;
    bool managers = false;
    std::optional<std::vector<std::uint32_t>> only{};  ///< Ascending numbers of events.
    std::uint32_t less = 0;
    std::uint32_t without = 0;  ///< Parts of the site that are left out, a bit each.
    bool with_known =
        false;  ///< With verbs and lies that are known to fail. Not a part of the text.
    bool operator==(const Case&) const = default;
};
[[nodiscard]] std::string TextOf(const Case& which);
/// nullopt: the text makes no sense.
[[nodiscard]] std::optional<Case> CaseOf(std::string_view text);

/// Which board a manager stands on: all but the first are too small for many of the fabrics.
enum class Board : std::uint8_t {
    kRoomy,
    kFewNodes,
    kFewSwitches,
    kFewPorts,
    kFewLids,
    kNarrow,        ///< Switches of six ports at most.
    kFewClients,    ///< Next to no room for what clients register, ask and are told.
    kFewDatagrams,  ///< Two SMPs in flight, a log of 16 notes, one other manager.
    // As they are sold, and large enough for every story.
    kSimSmall,
    kSwitchSmall,
    kCount,
};
/// Behind the first.
inline constexpr std::uint32_t kSmallBoards = static_cast<std::uint32_t>(Board::kFewDatagrams);

/// A manager's place and how it is configured.
struct SeatPlan {
    std::uint32_t node = 0;
    std::uint32_t port = 0;
    Settings settings;
    std::uint64_t start_us = 0;
};

/// Something that happens at a time. Its draws come from its own seed, so that they stay the same
/// when others are left out.
struct Event {
    std::uint64_t at_us = 0;
    std::size_t verb = 0;  ///< As VerbAt() takes it.
    std::uint64_t seed = 0;
};

class Site;

/// Everything that a seed draws.
struct Story {
    std::string shape;  ///< As TopologyByName() calls it.
    net::Netlist netlist;
    sim::Hardware hardware;
    sim::Timing timing;
    Board board = Board::kRoomy;
    bool with_known = false;
    std::shared_ptr<Site> site;  ///< The option files; see site.h.
    std::vector<SeatPlan> seats;
    std::vector<Event> events;  ///< By time; those that Case::only leaves out have been taken out.
    std::vector<std::uint32_t> numbers;  ///< Of the events, as drawn.
    std::uint32_t drawn = 0;             ///< Events, with those that were left out.
    std::uint64_t rage_us = 0;           ///< Until when anything happens.
};
[[nodiscard]] Story Draw(const Case& which);

/// The settings of a manager, as they may be drawn for it again later. `common` is drawn once for
/// all managers of a story: keys and what they must agree upon.
[[nodiscard]] Settings DrawSettings(net::Random& random, const Settings& common);

}  // namespace ember::swarm
