// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a site is beside a fabric and its managers: devices of other kinds, engines,
// lanes, a chain, partitions, keys.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <optional>
#include <string_view>
#include <vector>

#include "config/netlist/netlist.h"
#include "config/netlist/random.h"
#include "core/settings/settings.h"
#include "tests/core/administration/policy/policy_model.h"
#include "tests/support/partition_file.h"
#include "tests/swarm/story.h"

namespace ember::swarm {

/// Parts that a site may have. Each is drawn from a stream of its own, so that a story without it
/// is the same in all else.
enum class SitePart : std::uint8_t {
    kSize,        ///< A fabric of some hundred LIDs.
    kDevices,     ///< An aggregation node on each switch.
    kBoard,       ///< A board that is sold.
    kEngines,     ///< Engines of all kinds, with lanes and without.
    kLanes,       ///< Arbitration and SL to VL maps of the operator's.
    kPolicy,      ///< QoS levels.
    kChain,       ///< Two to four steps.
    kPartitions,  ///< Partitions beside the default one.
    kKeys,        ///< M_Keys: one or one a port, of any level, leased or not.
    kChanges,     ///< Devices change by themselves, and operators their files: kVerbsOfDevices.
    kCount,
};
inline constexpr std::size_t kSiteParts = static_cast<std::size_t>(SitePart::kCount);

/// A row a part.
struct SitePartRow {
    std::string_view name;
    std::uint32_t one_in;  ///< So many stories.
    /// As Verb::known.
    std::string_view known;
};

// clang-format off
inline constexpr std::array<SitePartRow, kSiteParts> kSitePartRows = {{
    {"size",       20, {}},
    {"devices",     8, {}},
    {"board",      10, {}},
    {"engines",     3, {}},
    {"lanes",       3, {}},
    {"policy",      6, {}},
    {"chain",       8, {}},
    {"partitions",  4, {}},
    {"keys",        6, {}},
    {"changes",     2, {}},
}};
// clang-format on

/// The chance of a part; nullopt: this story does not have it.
[[nodiscard]] std::optional<net::Random> Takes(const Case& which, SitePart part);

/// The option files of a story, as its managers read them; never moved, as settings have views of
/// them.
class Site {
public:
    Site(const Case& which, const net::Netlist& netlist);
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    /// Of a fabric that was drawn as a torus, "torus:3x4:2", torus_config says so. To be called
    /// before PutInto().
    void DescribeTorus(std::string_view shape, const net::Netlist& netlist);
    void PutInto(Settings& settings) const;

    [[nodiscard]] bool has_partitions() const { return !files_.empty(); }
    /// The partitions in force.
    [[nodiscard]] const testing::PartitionFile& partitions() const { return files_.back(); }
    [[nodiscard]] bool has_keys() const { return m_key_ != 0; }
    /// A port tells nothing without its M_Key, which is made from its GUID: a manager that has not
    /// met it finds it by the master's file of keys alone.
    [[nodiscard]] bool has_hidden_keys() const { return m_key_per_port_ && m_key_level_ > 1; }
    /// Gives keys that a port does not show a lease, as docs/security.md asks, where a manager may
    /// not know them: a host that made up a GUID has one that no later run knows, and what one of
    /// several managers has changed another knows half. To be called before PutInto().
    void LeaseKeys(std::size_t managers);
    [[nodiscard]] bool has_lanes() const { return qos_; }

    // Somebody edits a file. Managers have to be told.
    void ChangeMembers(net::Random& random);
    void ChangeEngines(net::Random& random);
    void ChangeMKey(net::Random& random);

private:
    void DrawEngines(net::Random& random);
    void DrawLanes(net::Random& random);
    void DrawPolicy(net::Random& random);
    void DrawChain(net::Random& random, const net::Netlist& netlist);
    void DrawHalf(net::Random& random, const net::Netlist& netlist);
    void DrawPartitions(net::Random& random, const net::Netlist& netlist);
    void DrawKeys(net::Random& random);

    bool has_engines_ = false;
    EngineList engines_;
    bool qos_ = false;
    bool require_deadlock_free_ = false;
    std::vector<TorusShape> torus_;
    std::vector<TorusSeed> torus_seeds_;
    std::array<LaneSettings, kLanePortKinds> lanes_;
    testing::PolicyModel policy_model_;
    std::optional<testing::PolicyTables> policy_;
    // A chain.
    bool chain_lanes_ = false;
    std::vector<PortTopology> topologies_;
    std::vector<ChainStep> steps_;
    std::vector<PortGroup> groups_;
    std::vector<PortGroupRule> rules_;
    /// Files that were in force before too: a manager compares them. The last one counts.
    std::list<testing::PartitionFile> files_;
    ManagerTables partition_tables_;
    // Keys.
    std::uint64_t m_key_ = 0;
    bool m_key_per_port_ = false;
    std::uint8_t m_key_level_ = 0;
    std::uint16_t m_key_lease_ = 0;
};

}  // namespace ember::swarm
