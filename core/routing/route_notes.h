// SPDX-License-Identifier: Apache-2.0
// EmberSM: notes about the results of the router.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/log/log.h"
#include "core/routing/engine.h"
#include "core/routing/option_check.h"
#include "core/routing/router.h"

namespace ember {

/// The resorts of a round, in this order, after every engine was refused.
enum class Resort : std::uint8_t {
    kNone,      ///< The engines of the list.
    kKeeping,   ///< The present tables of the switches, if the verifier lets them pass.
    kSafe,      ///< The safest routing that the board has.
    kDropping,  ///< The present tables without entries that lead into dead links.
};

/// Notes the results of the router's runs. A result that stays the same is noted once.
class RouteNotes {
public:
    /// The time of a run.
    struct Work {
        std::uint64_t routing_us = 0;
        std::uint64_t verifying_us = 0;
    };

    /// All outlive it. `engines`: all that the board has.
    RouteNotes(Log& log, const Router& router, std::span<RoutingEngine* const> engines)
        : log_(log), router_(router), engines_(engines) {}
    RouteNotes(const RouteNotes&) = delete;
    RouteNotes& operator=(const RouteNotes&) = delete;

    /// The run for `resort` has ended. `switches`: of the subnet.
    void LogResult(Resort resort, const Work& work, std::size_t switches, std::uint64_t now_us);
    /// New settings: GUIDs and ports of option files that are not in the subnet are noted again.
    void ForgetOptionMisses() { logged_misses_ = {}; }
    /// The number by which a note names an engine: its place in `engines`.
    [[nodiscard]] std::uint64_t NumberOf(std::string_view engine) const;

private:
    void LogRefusal(const RoutingAttempt& attempt, std::uint64_t now_us);
    void LogPlace(const EngineComplaint& complaint, std::uint64_t now_us);
    void LogComplaint(const RoutingAttempt& attempt, std::uint64_t now_us);
    void LogAttempts(std::uint64_t now_us);
    void LogRefusedStep(std::size_t at, std::uint64_t now_us);
    void LogChain(const Work& work, std::size_t switches, std::uint64_t now_us);
    void LogKept(const Work& work, std::uint64_t now_us);
    void LogVerified(const Work& work, std::uint64_t now_us);
    void LogSafe(const Work& work, std::uint64_t now_us);
    void LogApart(std::uint64_t now_us);
    void LogCreditLoop(std::uint64_t now_us);
    void LogOptionMisses(std::uint64_t now_us);
    void LogChoice(std::uint64_t now_us);

    Log& log_;
    const Router& router_;
    std::span<RoutingEngine* const> engines_;
    OptionReport logged_misses_;      ///< As in the last note about each option file.
    EngineChoice logged_choice_;      ///< Of the last note about it.
    ChannelList logged_loop_;         ///< Whose channels were noted last.
    std::uint64_t logged_apart_ = 0;  ///< Findings::switch_pairs_apart by the last note about it.
};

}  // namespace ember
