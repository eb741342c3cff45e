// SPDX-License-Identifier: Apache-2.0
// EmberSM: routings that OpenSM made, to compare with. tests/golden/record.py records them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "config/netlist/netlist.h"
#include "core/base/ids.h"
#include "core/graph/path_sl.h"
#include "core/routing/engine.h"
#include "core/settings/settings.h"
#include "tests/support/routing_reference.h"
#include "tests/support/routing_run.h"

namespace ember::testing {

/// A fabric, the options under which OpenSM 3.3.23 routed it on ibsim, and its result.
struct RoutingGolden {
    net::Netlist netlist;
    std::map<std::string, std::uint64_t> options;           ///< By opensm.conf's names.
    std::map<std::string, std::vector<std::string>> files;  ///< By the option: lines of its file.
    std::map<std::string, std::vector<std::string>> dumps;  ///< Files OpenSM wrote, by name.
    std::string routed_by;  ///< Not the engine that was asked for, when that refused.
    std::map<Guid, Lid> lids;
    std::map<Guid, std::vector<std::uint8_t>> tables;
    /// Service levels of paths from a LID, by the other LID; kNoSl: none. Of some engines alone.
    std::map<std::uint32_t, std::vector<std::uint8_t>> levels;
    /// lash: ordered pairs of switches on each lane, before some are drawn to be moved.
    std::vector<std::size_t> layers;
};

/// Reads FOLDER/name.net and FOLDER/name.txt. Mistakes are test failures.
[[nodiscard]] RoutingGolden ReadGolden(const std::filesystem::path& folder,
                                       const std::string& name);

/// The cases of a folder, sorted; for ::testing::ValuesIn().
[[nodiscard]] std::vector<std::string> GoldenCases(const std::filesystem::path& folder);
/// The cases that have this dump.
[[nodiscard]] std::vector<std::string> GoldenCasesWith(const std::filesystem::path& folder,
                                                       const std::string& dump);

/// Settings with what a golden's options and files say, and the tables that the settings point to.
class GoldenSettings {
public:
    explicit GoldenSettings(const RoutingGolden& golden);
    GoldenSettings(const GoldenSettings&) = delete;
    GoldenSettings& operator=(const GoldenSettings&) = delete;

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] Settings& settings() { return settings_; }

private:
    void TakeOption(const std::string& name, std::uint64_t value);
    void TakeFile(const std::string& option, const std::vector<std::string>& lines);
    void TakeSearchOrder(const std::vector<std::vector<std::uint64_t>>& rows);

    Settings settings_;
    std::map<std::string, std::vector<Guid>> guids_;  ///< By the option.
    std::vector<GuidNumber> ids_;
    std::vector<HopWeight> hop_weights_;
    std::vector<SwitchPort> ignored_;
    std::vector<PortOrder> search_;
    std::vector<PortNumber> search_ports_;
};

/// The tables that `run` planned, without the ways to and from the subnet manager that EmberSM
/// completes where OpenSM has none.
[[nodiscard]] SlowTables PlannedLikeOpensm(const RoutingGolden& golden, RoutingRun& run);

/// Routes the golden's fabric with `engine` under its settings, with the LIDs that OpenSM gave.
/// Each octet that differs is a test failure; so is an engine that routes what OpenSM's refused, or
/// the other way round. `lanes`: the most that a path may be given; with several `qos` is on.
void ExpectGoldenTables(const RoutingGolden& golden, RoutingEngine& engine, std::uint8_t lanes = 1);

/// The case's name as GoogleTest wants it.
[[nodiscard]] std::string GoldenName(const std::string& name);

}  // namespace ember::testing
