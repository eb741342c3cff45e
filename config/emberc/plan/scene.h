// SPDX-License-Identifier: Apache-2.0
// EmberSM: what commands on a fabric on paper begin with: a netlist, settings, and mistakes.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/plan/board.h"
#include "config/emberc/plan/commands.h"
#include "config/emberc/plan/planner.h"
#include "config/emberc/plan/settings_source.h"
#include "config/emberc/say.h"
#include "config/netlist/netlist.h"

namespace ember::plan {

/// A mistake in what was asked for, in one sentence.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A netlist or configuration that cannot be used; what is wrong has been said.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The settings of a blob or an opensm.conf; the defaults where `path` is empty. Throws InputError.
[[nodiscard]] std::unique_ptr<PlanSettings> SettingsOf(const std::string& path,
                                                       const emberc::ReadingTerms& terms);

/// The netlist that is called so, or a fabric of a well-known shape. Throws UsageError and
/// InputError.
[[nodiscard]] net::Netlist ReadFabric(const std::string& name);

/// A netlist and what a manager sees of it.
struct Scene {
    net::Netlist whole;
    net::NetEnd home;              ///< Where the manager sits, after Seat().
    const Board* board = nullptr;  ///< The one to route on; nullptr: one that lacks nothing.

    /// `word`: as FindHome() has it, by the names and else the port of the settings. Throws
    /// UsageError.
    void Seat(const std::string& word, const Settings& settings);
    [[nodiscard]] std::unique_ptr<Planned> Route(const Settings& settings) const;
    /// The same on a board that lacks nothing.
    [[nodiscard]] std::unique_ptr<Planned> RouteWithoutBounds(const Settings& settings) const;
};

/// Reads the fabric of a request. The board is the one asked for, else that of embersm. Throws
/// UsageError and InputError.
[[nodiscard]] Scene SceneOf(const PlanRequest& request);

/// The `terms`, with the fabric of the scene to compare option files with.
[[nodiscard]] inline emberc::ReadingTerms TermsIn(const Scene& scene, emberc::ReadingTerms terms) {
    terms.fabric = &scene.whole;
    return terms;
}

/// Runs `work` and says what went wrong.
template <typename Work>
int Guarded(Work work) {
    try {
        return work();
    } catch (const emberc::FileError&) {
        throw;
    } catch (const emberc::DateError&) {
        throw;
    } catch (const UsageError& error) {
        emberc::Say(stderr, "emberc: {}\n", error.what());
        return emberc::kUsageIsWrong;
    } catch (const std::runtime_error& error) {
        emberc::Say(stderr, "emberc: {}\n", error.what());
        return emberc::kInputIsWrong;
    }
}

}  // namespace ember::plan
