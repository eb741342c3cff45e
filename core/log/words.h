// SPDX-License-Identifier: Apache-2.0
// EmberSM: the words that numbers in notes stand for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/engine_kind.h"

namespace ember {

/// Why a sweep began. The words are kSweepReasonWords.
enum class SweepReason : std::uint8_t {
    kStart,
    kTimer,
    kRequest,  ///< SIGHUP, CONT, emberctl sweep.
    kTrap,     ///< A trap reported a change.
    kChange,   ///< The light sweep saw one.
    kSilence,  ///< A peer stopped answering.
    kErrors,   ///< The sweep before ended with errors.
    kRole,     ///< The role changed: handover, a silent master, another SM.
    kConfiguration,
    kRelease,  ///< A link comes out of quarantine, or is to go into it.
};

/// The change at a port that sent trap 144. The words are kLocalChangeWords. IBA vol. 1, 14.2.5.1.
enum class LocalChange : std::uint8_t {
    kCapabilities,
    kDescription,
    kLinkWidthEnabled,
    kLinkSpeedEnabled,
    kSmPriority,
    kSeveral,  ///< More than one of these.
    kUnknown,  ///< None of these.
};

/// The entry of Limits that was too small. kLimitWords are its names there.
enum class LimitName : std::uint8_t {
    kNodes,
    kSwitches,
    kPorts,
    kSwitchPorts,
    kLids,
    kSmps,
    kOtherSms,
    kJournalNotes,
    kScratchBytes,
};

/// Why a routing engine cannot route a fabric. EngineComplaint says which node is at fault. The
/// words are kEngineFaultWords.
enum class EngineFault : std::uint8_t {
    kNone,  ///< The engine named no fault; the Status is all there is.
    // updn, dnup.
    kNoRoots,       ///< Neither given nor found.
    kNoLeafSwitch,  ///< No switch has an end port.
    // ftree.
    kLmc,                ///< The engine knows only LMC 0.
    kTooFewSwitches,     ///< Fewer than 2.
    kTooFewEndNodes,     ///< Fewer than 2 nodes that are not switches.
    kTooFewHosts,        ///< Fewer than 2.
    kHostsBackToBack,    ///< Two hosts without a switch between them.
    kNoComputeNodeFile,  ///< cn_guid_file is configured and empty.
    kNoIoNodeFile,       ///< io_guid_file is configured and empty.
    kRanking,            ///< The switches cannot be ranked.
    kNoLevels,           ///< All switches are roots.
    kNoComputeNode,      ///< No compute node is linked to a switch.
    kTreeRank,           ///< Not 2..8 levels.
    kLeafRank,           ///< Compute nodes are linked to switches of different levels.
    kNoLeaves,           ///< No leaf switch, or one only.
    kUpGroups,           ///< A switch has other groups of links up than its level's first switch.
    kDownGroups,         ///< Likewise down.
    kUpGroupPorts,       ///< A group of links up has another size than its level's first one.
    kDownGroupPorts,     ///< Likewise down.
    // file.
    kNoFile,       ///< No file is configured.
    kUnknownPort,  ///< The file names a port that the switch does not have.
    // ftree again.
    kTooManyWays,  ///< With reverse hops a node has more paths than can be walked.
    // updn, dnup again.
    kNoScratch,  ///< Links join switches of one level; scratch_bytes cannot hold their paths.
    // Engines that use several lanes.
    kNoPathSlBytes,     ///< path_sl_bytes cannot hold the service levels of the paths.
    kNoLaneMapBytes,    ///< lane_map_bytes cannot hold the SL to VL maps.
    kLanesNotOffered,   ///< By routing_lanes, or by qos under order opensm, no map is written.
    kLanesInSteps,      ///< The steps of a chain share one lane: chain_lanes is off.
    kLanesNotProvable,  ///< scratch_bytes cannot hold the proof of so many lanes.
    kBoardLanes,        ///< max_lanes is less than the engine needs.
    kLinkLanes,         ///< A link has fewer data VLs than the engine needs.
    kSwitchLanes,       ///< So has each link of a switch that does not take SL to VL maps.
    // sssp, dfsssp.
    kApart,  ///< Parts of the subnet have no link between them.
    // torus-2QoS.
    kNoTorusFile,     ///< torus_config names no file.
    kTorusPortOrder,  ///< port_order names a port that a switch does not have.
    kTorusSeed,       ///< No seed has all its switches in the subnet.
    kTorusStranger,   ///< No place of the torus is the switch's.
    kTorusTwice,      ///< The switch's links put it at two places.
    kTorusPorts,      ///< More end ports, port 0 included, than portgroup_max_ports.
    kTorusRing,       ///< A ring is broken in several places.
    kTorusMissing,    ///< Switches are missing that no path can go round without a credit loop.
    kTorusWay,        ///< No path to the switch.
    kTorusSpareSeed,  ///< A seed that is not used yet puts a switch elsewhere: not refused for it.
    // auto.
    kManyRings,       ///< More rings than service levels tell apart.
    kNoLayerScratch,  ///< scratch_bytes cannot hold the search for lanes.
    kManyLevels,      ///< More service levels are needed than there are.
    kManyLaneRows,    ///< More rows of lanes differ than LaneMap::kMostRows.
    kNotMended,       ///< Asked to mend: its lanes depend on all routes, so it makes them anew.
    // pqft.
    kLowLink,  ///< A cable between two trees joins switches that are no roots.
    // A step of a chain, whatever its engine.
    kStepSwitches,  ///< More switches than Limits::max_step_switches.
};

/// The shape that the engine auto takes a fabric for. The words are kFabricShapeWords.
enum class FabricShape : std::uint8_t {
    kUnknown,    ///< No engine has looked at it.
    kTree,       ///< Some switches are above others, and every link joins two levels of them.
    kRing,       ///< A single ring of switches.
    kTorus,      ///< A grid with rings.
    kMesh,       ///< A grid without rings.
    kHypercube,  ///< A grid of two switches in every dimension.
    kDragonfly,  ///< Groups of switches that are all linked to each other, and every two groups.
    kIrregular,  ///< None of these.
    kOneSwitch,  ///< There is nothing to recognise.
};

/// How the engine auto routes. The words are kRoutingSchemeWords.
enum class RoutingScheme : std::uint8_t {
    kNone,
    kLevelOrder,      ///< Up and down in an order that keeps to the levels of a tree.
    kDimensionOrder,  ///< Dimension after dimension; rings by two lanes.
    kOneGlobal,       ///< At most one link between groups; what follows it has a lane of its own.
    kRisingLanes,     ///< Shortest paths; the lane of a packet rises on its path.
    kLayers,          ///< Shortest paths; a lane for each pair of switches.
    kUpDown,          ///< Up and down from one switch.
};

/// Why the engine auto did not take another shape or scheme. The words are kShapeMismatchWords.
enum class ShapeMismatch : std::uint8_t {
    kNone,
    kFlatLinks,  ///< No tree: links join switches of one level, or all have end ports.
    kNoRows,     ///< No grid: links do not form rows and rings.
    kRowsCut,    ///< A grid whose missing links or switches dimension order cannot go round.
};

// Row i is the word of value i. The words of EngineKind stand beside it: core/base/engine_kind.h.
inline constexpr std::array<std::string_view, 10> kSweepReasonWords = {
    "start",  "timer",       "request",           "trap",      "change seen", "peer not answering",
    "errors", "role change", "new configuration", "quarantine"};
inline constexpr std::array<std::string_view, 9> kLimitWords = {
    "max_nodes", "max_switches",  "max_ports",     "max_switch_ports", "max_lid",
    "max_smps",  "max_other_sms", "journal_notes", "scratch_bytes"};
/// SMInfo:SMState. IBA vol. 1, 14.2.5.13.
inline constexpr std::array<std::string_view, 4> kRoleWords = {"NOTACTIVE", "DISCOVERING",
                                                               "STANDBY", "MASTER"};
/// NodeInfo:NodeType. IBA vol. 1, 14.2.5.3.
inline constexpr std::array<std::string_view, 4> kNodeWords = {"node", "host", "switch", "router"};
/// The cause of a change of the role, by Cue; core/role/table.h proves that there are as many.
inline constexpr std::array<std::string_view, 20> kCueWords = {
    "nobody ranks higher",    "a higher SM was met",  "a master was met",
    "own port down",          "the master is silent", "handover received",
    "acknowledge received",   "disable received",     "standby received",
    "discover received",      "handover taken",       "handover not taken",
    "a lower master was met", "own priority changed", "the handover is overdue",
    "handover not awaited",   "relieved at the end",  "spoken to from an unknown place",
    "a higher SM is ready",   "a peer is master too"};
/// By EngineFault: the end of "cannot route this fabric: ".
inline constexpr std::array<std::string_view, 50> kEngineFaultWords = {
    "no reason given",
    "no root switch was given or found",
    "no switch has an end port",
    "it knows only LMC 0",
    "there are fewer than two switches",
    "there are fewer than two hosts and routers",
    "there are fewer than two hosts",
    "two hosts are cabled to each other",
    "cn_guid_file names nobody",
    "io_guid_file names nobody",
    "the switches cannot be ranked",
    "all switches are roots",
    "no compute node hangs on a switch",
    "the tree has not 2 to 8 levels",
    "a compute node hangs on another level than the others",
    "there are no leaf switches to route among",
    "a switch has more or fewer groups of cables up than others of its level",
    "a switch has more or fewer groups of cables down than others of its level",
    "a group of cables up is larger or smaller than others of its level",
    "a group of cables down is larger or smaller than others of its level",
    "no file is named",
    "the file names a port that the switch does not have",
    "reverse hops allow more ways to a node than can be walked",
    "cables join switches of one level, and scratch_bytes is too small for the ways there",
    "path_sl_bytes is too small for the service levels of its paths",
    "lane_map_bytes is too small for its SL to VL maps",
    "its paths need several VLs, and by routing_lanes, or by qos under order opensm, it has one",
    "its paths need several VLs, and steps of a chain share one without chain_lanes",
    "scratch_bytes is too small to prove as many VLs as its paths need",
    "it needs more data VLs than max_lanes",
    "a link has fewer data VLs than it needs",
    "it needs several data VLs, and a switch that does not take SL to VL maps has one",
    "parts of the subnet have no link between them",
    "torus_config names no file",
    "port_order of torus_config names a port that the switch does not have",
    "no seed of torus_config has all its switches here",
    "the switch has no place in the torus of torus_config",
    "the cables of the switch lead to two places in the torus of torus_config",
    "the switch has more end ports, its own included, than portgroup_max_ports",
    "a ring of the torus is broken in several places",
    "switches of the torus are missing, and no path round them is free of credit loops",
    "no path of the torus leads to the switch",
    "a spare seed of torus_config puts the switch elsewhere: with it service levels would change",
    "the fabric has more than three dimensions with rings",
    "scratch_bytes is too small to find lanes for its paths",
    "its paths need more than 16 service levels",
    "its SL to VL maps have more than 256 rows that differ",
    "its lanes depend on all routes, which are made anew",
    "a cable between two trees joins switches that are not their roots",
    "its topology has more switches than this board takes for a later step"};
/// By FabricShape.
inline constexpr std::array<std::string_view, 9> kFabricShapeWords = {
    "unknown",   "tree",      "ring",      "torus",     "mesh",
    "hypercube", "dragonfly", "irregular", "one switch"};
/// By RoutingScheme.
inline constexpr std::array<std::string_view, 7> kRoutingSchemeWords = {
    "none",
    "up and down by levels",
    "dimension order",
    "one link between groups",
    "shortest paths on lanes that rise",
    "shortest paths in layers of lanes",
    "up and down from one switch"};
/// By ShapeMismatch.
inline constexpr std::array<std::string_view, 4> kShapeMismatchWords = {
    "no reason", "links join switches of one level", "links form no rows and rings",
    "links or switches of rows are missing"};
/// The keys of virtual lanes by LanePorts, three for each.
inline constexpr std::array<std::string_view, 15> kLaneKeyWords = {
    "qos_sl2vl",         "qos_vlarb_high",     "qos_vlarb_low",      "qos_ca_sl2vl",
    "qos_ca_vlarb_high", "qos_ca_vlarb_low",   "qos_sw0_sl2vl",      "qos_sw0_vlarb_high",
    "qos_sw0_vlarb_low", "qos_swe_sl2vl",      "qos_swe_vlarb_high", "qos_swe_vlarb_low",
    "qos_rtr_sl2vl",     "qos_rtr_vlarb_high", "qos_rtr_vlarb_low"};
/// OptionFile: options that name files about nodes and ports.
inline constexpr std::array<std::string_view, 11> kOptionFileWords = {"root_guid_file",
                                                                      "ids_guid_file",
                                                                      "cn_guid_file",
                                                                      "io_guid_file",
                                                                      "guid_routing_order_file",
                                                                      "hop_weights_file",
                                                                      "port_prof_ignore_file",
                                                                      "port_search_ordering_file",
                                                                      "lfts_file",
                                                                      "lid_matrix_dump_file",
                                                                      "torus_config"};
/// The keys whose change takes effect when the process starts again.
enum class StartKey : std::uint8_t { kGuid, kSmInactive, kReassignLids };

/// By StartKey: the names in opensm.conf.
inline constexpr std::array<std::string_view, 3> kStartKeyWords = {"guid", "sm_inactive",
                                                                   "reassign_lids"};
inline constexpr std::size_t kStartKeys = kStartKeyWords.size();

/// ember::Status.
inline constexpr std::array<std::string_view, 12> kStatusWords = {
    "ok",          "busy",          "no answer", "malformed", "refused by the peer",
    "unreachable", "limit reached", "absent",    "forged",    "stale",
    "unknown",     "device failed"};

inline constexpr std::array<std::string_view, 4> kSeverityWords = {"debug", "info", "warning",
                                                                   "error"};
inline constexpr std::array<std::string_view, 7> kLocalChangeWords = {
    "capabilities",
    "NodeDescription",
    "enabled link widths",
    "enabled link speeds",
    "SM priority",
    "settings",
    "settings (the trap does not say which)"};
/// Row 0 for trap 129, and so on. IBA vol. 1, 14.2.5.1.
inline constexpr std::array<std::string_view, 3> kLinkErrorWords = {
    "local link integrity errors", "buffer overruns", "late flow control updates"};
/// Row i for bit i of LinkWidthActive. IBA vol. 1, 14.2.5.6.
inline constexpr std::array<std::string_view, 5> kLinkWidthWords = {"1X", "4X", "8X", "12X", "2X"};
/// By ascending speed of a lane; core/links/link_rating.h.
inline constexpr std::array<std::string_view, 8> kLinkSpeedWords = {"SDR", "DDR", "QDR", "FDR",
                                                                    "EDR", "HDR", "NDR", "XDR"};
/// PortState. IBA vol. 1, 14.2.5.6.
inline constexpr std::array<std::string_view, 5> kPortStateWords = {"NOP", "DOWN", "INIT", "ARMED",
                                                                    "ACTIVE"};

static_assert(kSweepReasonWords.size() == static_cast<std::size_t>(SweepReason::kRelease) + 1);
static_assert(kStartKeys == static_cast<std::size_t>(StartKey::kReassignLids) + 1);
static_assert(kLocalChangeWords.size() == static_cast<std::size_t>(LocalChange::kUnknown) + 1);
static_assert(kEngineFaultWords.size() == static_cast<std::size_t>(EngineFault::kStepSwitches) + 1);
static_assert(kFabricShapeWords.size() == static_cast<std::size_t>(FabricShape::kOneSwitch) + 1);
static_assert(kRoutingSchemeWords.size() == static_cast<std::size_t>(RoutingScheme::kUpDown) + 1);
static_assert(kShapeMismatchWords.size() == static_cast<std::size_t>(ShapeMismatch::kRowsCut) + 1);
static_assert(kLimitWords.size() == static_cast<std::size_t>(LimitName::kScratchBytes) + 1);

}  // namespace ember
