// SPDX-License-Identifier: Apache-2.0
// EmberSM: the sentences of the log.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/log/notes.h"

namespace ember {

/// A row of the catalogue: a kind of line. People and their tools know the line by its code. A code
/// never changes once released, while rows may move and texts may change (docs/events.md).
///
/// A blank of the text stands for one value, in order: {kind:name}, or {kind} when the name is the
/// same word. The name is the value's key in JSON. The kind says how the value is rendered:
///   {:name}   decimal                     {guid}    0x and 16 hexadecimal digits, and the name
///   {hex}     0x and as many as needed              that Vocabulary has for it
///   {port}    decimal                     {lid}     decimal
///   {status}  a word of kStatusWords      {role}    SMInfo:SMState, a word
///   {reason}  a word of kSweepReasonWords {limit}   a word of kLimitWords
///   {node}    a word of kNodeWords        {cue}     a word of kCueWords
///   {kind}    EngineKind, a word          {fault}   a word of kEngineFaultWords
///   {file}    OptionFile, an option       {change}  a word of kLocalChangeWords
///   {errors}  trap 129..131, a word       {width}   a word of kLinkWidthWords
///   {speed}   a word of kLinkSpeedWords   {state}   PortState, a word
///   {severity} Severity, a word        {key}     StartKey, the name of an option
///   {shape}   a word of kFabricShapeWords {scheme}  a word of kRoutingSchemeWords
///   {doubt}   a word of kShapeDoubtWords  {lane_key} a word of kLaneKeyWords
///   {engine}  a name by index, from the table of Vocabulary
struct Sentence {
    Note note;
    std::string_view code;
    Severity severity;
    std::string_view text;
};

// clang-format off
inline constexpr std::array<Sentence, kNotes> kSentences = {{
    {Note::kHeavySweepStarted,    "sweep-heavy-started",    Severity::kInfo,    "heavy sweep {:sweep} started: {reason}"},
    {Note::kHeavySweepFinished,   "sweep-heavy-finished",   Severity::kInfo,    "heavy sweep {:sweep} finished: {:nodes} nodes, {:smps} SMPs, {:took_us} us"},
    {Note::kLightSweepStarted,    "sweep-light-started",    Severity::kDebug,   "light sweep {:sweep} started: {reason}"},
    {Note::kLightSweepFinished,   "sweep-light-finished",   Severity::kDebug,   "light sweep {:sweep} finished: {:asked} switches asked, {:changed} changed"},
    {Note::kSweepTargeted,        "sweep-targeted",         Severity::kInfo,    "only {:switches} switches are asked, and what is new behind them"},
    {Note::kSubnetUp,             "subnet-up",              Severity::kInfo,    "SUBNET UP: {:nodes} nodes, {:switches} switches, {:links} links, {:lids} LIDs"},
    {Note::kSubnetUpInPart,       "subnet-up-in-part",      Severity::kWarning, "UP FOR {:switches} OF {:has_switches} SWITCHES and {:nodes} of {:has_nodes} nodes seen: the fabric is larger than this board"},
    {Note::kErrorsDuringInitialization, "sets-failed",            Severity::kError,   "errors during initialization: {:failed} of {:sets} Sets failed; the next sweep is heavy"},
    {Note::kOwnPortDown,          "own-port-down",          Severity::kError,   "own port {guid} is down: nothing can be managed"},
    {Note::kOwnPortUp,            "own-port-up",            Severity::kInfo,    "own port {guid} is up again"},
    {Note::kOwnNeighborSilent,    "own-neighbor-silent",    Severity::kError,   "nothing answers behind own port {guid}, though its link is up: nothing can be managed"},
    {Note::kLimitExhausted,       "limit-reached",          Severity::kError,   "the fabric exceeds {limit} = {:has}: it needs at least {:needs}; what does not fit is left alone"},
    {Note::kTooManyNodes,         "limit-nodes",            Severity::kError,   "the fabric has more nodes than max_nodes = {:has}: it needs {:needs}; the others are left alone"},
    {Note::kTooManySwitches,      "limit-switches",         Severity::kError,   "the fabric has more switches than max_switches = {:has}: it needs {:needs}; the others are left alone"},
    {Note::kTooManyPorts,         "limit-ports",            Severity::kError,   "the fabric has more ports than max_ports = {:has}: it needs {:needs}; nodes that do not fit are left alone"},
    {Note::kTooWideSwitch,        "limit-switch-ports",     Severity::kError,   "a switch has more ports than max_switch_ports = {:has}: it has {:needs}; it is left alone"},

    {Note::kNodeFound,            "node-found",             Severity::kDebug,   "found {guid}, a {node} with {:ports} ports"},
    {Note::kNodesFound,           "nodes-found",            Severity::kInfo,    "found {:switches} switches, {:hosts} hosts and {:routers} routers"},
    {Note::kNodeJoined,           "node-joined",            Severity::kInfo,    "{guid} is new, a {node} with {:ports} ports"},
    {Note::kNodeReturned,         "node-returned",          Severity::kInfo,    "{guid} is back, a {node} with {:ports} ports"},
    {Note::kNodeLost,             "node-lost",              Severity::kWarning, "lost {guid}, a {node} with {:ports} ports"},
    {Note::kNodesLostInDoubt,     "nodes-lost-in-doubt",    Severity::kWarning, "only {:nodes} of {:before} nodes are left; the subnet is looked at again before it counts as up"},
    {Note::kNodesLostForGood,     "nodes-lost-for-good",    Severity::kError,   "only {:nodes} of {:before} nodes are left, and a second look sees no more; the subnet is up without the others"},
    {Note::kLinkUp,               "link-up",                Severity::kInfo,    "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} is up"},
    {Note::kLinkLost,             "link-lost",              Severity::kWarning, "lost the cable between {guid} port {port} and {guid:peer} port {port:peer_port}"},
    {Note::kLinkRetrained,        "link-retrained",         Severity::kWarning, "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} was down and is up again"},
    {Note::kChangesUntold,        "changes-untold",         Severity::kWarning, "not told one by one, as they were many: {:nodes_lost} nodes and {:links_lost} cables lost, {:nodes_gained} nodes and {:links_gained} cables gained, {:links_retrained} retrained, {:links_reduced} narrow or slow"},
    {Note::kDuplicateGuid,        "guid-duplicate",         Severity::kError,   "two nodes say they are {guid}: port {port} was met again behind {guid:door} port {port:door_port}; it stays behind {guid:kept} port {port:kept_port}"},
    {Note::kEdgePortRefused,      "edge-port-refused",      Severity::kError,   "{guid} port {port} is one of edge_ports, and {guid:switch} behind it says it is a switch: it is left alone"},
    {Note::kQuotaUsedUp,          "door-shut",              Severity::kWarning, "what is behind {guid} port {port} is left alone: the path to it leads through a port that was an end node's, and behind such ports an eighth of a table is taken"},
    {Note::kRoomMade,             "room-made",              Severity::kWarning, "the board is full: {:nodes} nodes behind {guid} port {port} are left alone from now on, because that port leads to the most and other nodes found no room"},
    {Note::kNeighborSilent,       "neighbor-silent",        Severity::kWarning, "nothing answers behind {guid} port {port}; the light sweep keeps asking"},
    {Note::kPeerSilent,           "node-silent",            Severity::kWarning, "{guid} stopped answering, at port {port}"},
    {Note::kNodeUnusable,         "node-unusable",          Severity::kWarning, "the node behind {guid} port {port} cannot be used: its NodeInfo makes no sense"},
    {Note::kCapabilitiesChanged,  "capabilities-changed",   Severity::kInfo,    "{guid} port {port} tells other capabilities than before (attribute {hex:attribute}): what follows from them is set anew"},
    {Note::kLinkWidthReduced,     "link-narrow",            Severity::kWarning, "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} runs at width {width}, both ends can do {width:possible}"},
    {Note::kLinkSpeedReduced,     "link-slow",              Severity::kWarning, "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} runs at speed {speed}, both ends can do {speed:possible}"},
    {Note::kLinkQuarantined,      "link-quarantined",       Severity::kWarning, "flapping_link_policy quarantine: the cable between {guid} port {port} and {guid:peer} port {port:peer_port} was lost or complained of {:events} times; no route uses it for {:hold_s} s"},
    {Note::kLinkReleased,         "link-released",          Severity::kInfo,    "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} is out of quarantine and used again"},
    {Note::kLinkNeeded,           "link-needed",            Severity::kWarning, "the cable between {guid} port {port} and {guid:peer} port {port:peer_port} was lost or complained of {:events} times; it is only damped, as without it a node would be cut off"},
    {Note::kLinkDamped,           "link-damped",            Severity::kWarning, "flapping_link_policy damp: the cable between {guid} port {port} and {guid:peer} port {port:peer_port} was lost or complained of {:events} times; it stays in use"},
    {Note::kNodeRestarts,         "node-restarts",          Severity::kWarning, "{guid} was lost with all its cables {:times} times in {:seconds} s; it is restarted again and again, and its cables are not blamed"},
    {Note::kPortDisabled,         "port-disabled",          Severity::kWarning, "babbling_port_policy: {guid} port {port}, cabled to {guid:peer} port {port:peer_port}, is disabled after {:traps} traps 129 to 131 in a row"},

    {Note::kMadDropped,           "mad-malformed",          Severity::kWarning, "dropped a malformed datagram of class {hex:class}, attribute {hex:attribute}: {status}; {:total} so far"},
    {Note::kSetRefused,           "set-refused",            Severity::kWarning, "{guid} port {port} refused Set of attribute {hex:attribute} with status {hex:mad_status}"},
    {Note::kSetUnanswered,        "set-unanswered",         Severity::kError,   "{guid} port {port} did not answer Set of attribute {hex:attribute}, modifier {hex:modifier}"},
    {Note::kSwitchWithoutMaps,    "switch-without-maps",    Severity::kWarning, "{guid} says that it takes no SL to VL maps: to routes each of its links has one VL"},
    {Note::kSwitchLanesSuspect,   "switch-lanes-suspect",   Severity::kWarning, "{guid} does not take or does not keep its SL to VL and VL arbitration tables: to routes each of its links has one VL until it does"},
    {Note::kSwitchLanesTaken,     "switch-lanes-taken",     Severity::kInfo,    "{guid} takes and keeps its SL to VL and VL arbitration tables again"},
    {Note::kLaneTablesLacking,    "lane-tables-lacking",    Severity::kWarning, "{:switches} switches lack SL to VL or VL arbitration tables that they should have; the first is {guid}"},
    {Note::kPKeysUnset,           "p-keys-unset",           Severity::kWarning, "the P_Keys of {guid} port {port} are not as its partitions say: {status}; they are tried again after the next sweep"},
    {Note::kPKeyTableFull,        "p-key-table-full",       Severity::kError,   "{guid} port {port} has room for {:room} P_Keys, and none for P_Key {hex:p_key}; {:left_out} are left out"},
    {Note::kPKeysNotEnforced,     "p-keys-not-enforced",    Severity::kWarning, "{guid} port {port} enforces no partitions: it has room for {:room} P_Keys, and the port behind it has more"},
    {Note::kPartitionGaps,        "partition-gaps",         Severity::kWarning, "{:unenforced} switch ports do not enforce the partitions of the port behind them, and {:unset} ports do not hold the P_Keys of theirs; the first is {guid} port {port}"},
    {Note::kPartitionGapsClosed,  "partition-gaps-closed",  Severity::kInfo,    "all ports hold, and all switch ports enforce, the P_Keys of their partitions again"},
    {Note::kPartitionsChange,     "partitions-change",      Severity::kInfo,    "the partitions are others, and nothing else is: the P_Keys of their ports follow without a sweep"},
    {Note::kPartitionsChanged,    "partitions-changed",     Severity::kInfo,    "the new partitions are in force: {:blocks} blocks of P_Keys were written"},
    {Note::kDeviceGone,           "device-gone",            Severity::kError,   "the management port is gone: {status}"},
    {Note::kMailboxReset,         "mailbox-reset",          Severity::kWarning, "the mailbox reset itself with {:datagrams} datagrams in it; {:total} times so far"},
    {Note::kMailboxStalled,       "mailbox-stalled",        Severity::kWarning, "the mailbox has taken nothing for {:silent_ms} ms: its doorbell is rung again; {:total} times so far"},
    {Note::kMailboxFaulty,        "mailbox-faulty",         Severity::kError,   "the mailbox is reset, because its register {hex:register} says {hex:value}, with {:datagrams} datagrams in it"},
    {Note::kMailboxOverrun,       "mailbox-overrun",        Severity::kWarning, "the mailbox was full and lost {:datagrams} datagrams that arrived; {:total} so far"},
    {Note::kMailboxTorn,          "mailbox-torn",           Severity::kWarning, "dropped a torn descriptor of the mailbox; {:total} so far"},
    {Note::kMailboxRefused,       "mailbox-refused",        Severity::kWarning, "the mailbox refused {:datagrams} datagrams that were sent; {:total} so far"},
    {Note::kTrapReceived,         "trap",                   Severity::kInfo,    "trap {:trap} from {guid}, LID {lid}, producer type or vendor {hex:producer}, details {hex:details}"},
    {Note::kTrapLinkState,        "trap-link-state",        Severity::kInfo,    "trap 128: {guid} saw a port change its state"},
    {Note::kTrapPortErrors,       "trap-port-errors",       Severity::kWarning, "trap {:trap}: {guid} port {port}, cabled to {guid:peer} port {port:peer_port}, complains of {errors}"},
    {Note::kTrapLocalChanges,     "trap-changes",           Severity::kInfo,    "trap 144: {guid} changed its {change}"},
    {Note::kTrapSystemImageGuid,  "trap-system-image",      Severity::kInfo,    "trap 145: {guid} has another SystemImageGUID: {hex:system_image_guid}"},
    {Note::kTrapMKey,             "trap-m-key",             Severity::kWarning, "trap 256: {guid} met a wrong M_Key, from LID {lid:sender} {guid:sender_guid}: method {hex:method}, attribute {hex:attribute}"},
    {Note::kTrapPKey,             "trap-p-key",             Severity::kWarning, "trap 257: {guid} met a wrong P_Key, {hex:key}: from LID {lid:sender} {guid:sender_guid} to LID {lid:target}"},
    {Note::kTrapQKey,             "trap-q-key",             Severity::kWarning, "trap 258: {guid} met a wrong Q_Key, {hex:key}: from LID {lid:sender} {guid:sender_guid} to LID {lid:target}"},
    {Note::kTrapSwitchPKey,       "trap-switch-p-key",      Severity::kWarning, "trap 259: {guid} port {port} met a wrong P_Key, {hex:key}: from LID {lid:sender} {guid:sender_guid} to LID {lid:target}"},
    {Note::kTrapUnusable,         "trap-unusable",          Severity::kWarning, "trap {:trap} from LID {lid} is dropped: no port has that LID"},
    {Note::kTrapRefused,          "trap-refused",           Severity::kWarning, "trap {:trap} from {guid} is dropped: its traps come too often"},

    {Note::kLidMoved,             "lid-moved",              Severity::kWarning, "moved {guid} from LID {lid:before} to LID {lid}"},
    {Note::kLidsMoved,            "lids-moved",             Severity::kWarning, "moved {:ports} ports to other LIDs; the first of them are told above"},
    {Note::kLidDuplicate,         "lid-duplicate",          Severity::kWarning, "LID {lid} was held by {guid} and by {guid:other}; the latter gets another"},
    {Note::kLidsExhausted,        "lids-exhausted",         Severity::kError,   "no LID is left for {:ports} ports, the first is {guid}: board and switches have room up to LID {:highest}, {:needs} would do"},
    {Note::kSwitchLeftOut,        "switch-left-out",        Severity::kError,   "{guid} is left out, no route leads through it: its LinearFDBCap {:cap} has no room for LID {lid}, which is in force"},
    {Note::kSwitchTakenIn,        "switch-taken-in",        Severity::kInfo,    "{guid} is routed through again: its LinearFDBCap {:cap} has room for the LIDs in force"},
    {Note::kLidStoreRead,         "lid-store-read",         Severity::kInfo,    "read {:lids} LIDs from the store, {:unusable} of them unusable"},

    {Note::kOptionGuidsUnknown,   "option-guids-unknown",   Severity::kWarning, "{file}: {:guids} GUIDs are not in the subnet, the first is {guid:first}; they are passed over"},
    {Note::kOptionPortsUnknown,   "option-ports-unknown",   Severity::kWarning, "{file}: {:ports} ports do not exist, the first is {guid:first} port {port}; they are passed over"},
    {Note::kEngineFinished,       "routing-finished",       Severity::kInfo,    "routing by {engine} finished: {:switches} switches, {:lids} LIDs, {:took_us} us"},
    {Note::kShapeTaken,           "shape-taken",            Severity::kInfo,    "{engine} takes the fabric for: {shape}; it routes by: {scheme}, on {:vls} VLs; {:detours} pairs of switches take longer paths for it"},
    {Note::kShapeDoubted,         "shape-doubted",          Severity::kInfo,    "  no {shape}: {doubt}"},
    {Note::kSchemeGivenUp,        "scheme-given-up",        Severity::kWarning, "  a scheme with shorter paths was given up: {fault}"},
    {Note::kSpareOptionUnfit,     "spare-option-unfit",     Severity::kWarning, "{engine} routes this fabric, but {fault}"},
    {Note::kLaneMapsIgnored,      "lane-maps-ignored",      Severity::kWarning, "{lane_key} counts for no port while {engine} routes: it has SL to VL maps of its own"},
    {Note::kLanesUnfair,          "lanes-unfair",           Severity::kWarning, "{lane_key} shares links between switches unequally: {engine} spreads a level of service over {:vls} VLs, which should have one weight each"},
    {Note::kLanesOfNoLink,        "lanes-of-no-link",       Severity::kWarning, "{lane_key} gives weight to VLs 2 to 7 on links of end ports, where {engine} uses VL 0 and VL 1 alone"},
    {Note::kEngineFailed,         "routing-failed",         Severity::kError,   "routing by {engine} failed: {status}"},
    {Note::kEngineAbsent,         "engine-absent",          Severity::kError,   "routing_engine names {kind}, which this board has not"},
    {Note::kEngineFault,          "engine-fault",           Severity::kError,   "{engine} cannot route this fabric: {fault}"},
    {Note::kEngineFaultNode,      "engine-fault-node",      Severity::kError,   "  seen at {guid}"},
    {Note::kEngineFaultPort,      "engine-fault-port",      Severity::kError,   "  seen at {guid} port {port}"},
    {Note::kFallbackTaken,        "routing-fallback",       Severity::kWarning, "falling back to {engine}, which is configured next"},
    {Note::kChainFinished,        "chain-finished",         Severity::kInfo,    "routing by the chain finished: {:steps} steps, {:switches} switches, {:lids} LIDs, {:took_us} us"},
    {Note::kChainStepRouted,      "chain-step-routed",      Severity::kInfo,    "  unicast-step {:id} is routed by {engine}"},
    {Note::kChainStepStayed,      "chain-step-stayed",      Severity::kInfo,    "  unicast-step {:id} by {engine} stays: nothing of its part has changed"},
    {Note::kChainStepRefused,     "chain-step-refused",     Severity::kWarning, "  that was unicast-step {:id} of the chain, by {engine}"},
    {Note::kChainFallback,        "chain-fallback",         Severity::kWarning, "unicast-step {:id} by {engine} takes the place of unicast-step {:refused}, as fallback-to says"},
    {Note::kChainStepEmpty,       "chain-step-empty",       Severity::kWarning, "unicast-step {:id} routes nothing: no end port of the subnet, on a switch of it, is in its topology"},
    {Note::kChainTooLong,         "chain-too-long",         Severity::kError,   "rch_policy_file has {:steps} unicast-steps, this board takes {:most}: the first one, which is for the whole subnet, routes alone"},
    {Note::kStepLanesRefused,     "chain-lanes-refused",    Severity::kError,   "the steps of the chain get no lanes of their own: {fault}"},
    {Note::kRoutesMended,         "routes-mended",          Severity::kInfo,    "mended {:routes} routes on {:switches} switches; all others stay"},
    {Note::kMendingFailed,        "mending-refused",        Severity::kWarning, "the mended routing was refused: all routes were made anew"},
    {Note::kBalancingStarted,     "balancing-started",      Severity::kInfo,    "balancing the routes anew: nothing has changed for {:rest_s} s"},
    {Note::kRoutesBalanced,       "balancing-finished",     Severity::kInfo,    "the routes are balanced again: {:blocks} LFT blocks were written"},
    {Note::kVerified,             "routing-verified",       Severity::kInfo,    "verified: {:pairs} pairs reached, longest path {:hops} hops, {:vls} VLs, {:took_us} us"},
    {Note::kPairLost,             "routing-pair-lost",      Severity::kError,   "refused a routing: {guid} cannot reach LID {lid} of {guid:target}; {:pairs} pairs lost"},
    {Note::kForwardingLoop,       "routing-loop",           Severity::kError,   "refused a routing: packets to LID {lid} circle, seen from {guid}"},
    {Note::kLoopMember,           "routing-loop-member",    Severity::kError,   "  loop: {guid} leaves by port {port}"},
    {Note::kCreditLoop,           "credit-loop",            Severity::kWarning, "credit loop possible on VL {:vl} over {:channels} channels"},
    {Note::kCreditLoopMember,     "credit-loop-member",     Severity::kWarning, "  credit loop: {guid} leaves by port {port}"},
    {Note::kCreditLoopRefused,    "credit-loop-refused",    Severity::kError,   "refused the routing by {engine}: it may deadlock, and require_deadlock_free is set"},
    {Note::kUnsafeFallback,       "credit-loop-fallback",   Severity::kError,   "refused the routing by {engine}: it may deadlock, and the first engine of the list promises that nothing does"},
    {Note::kCreditLoopAccepted,   "credit-loop-accepted",   Severity::kWarning, "the routing by {engine} may deadlock; it promises nothing else and is programmed"},
    {Note::kWaysApart,            "routing-ways-apart",     Severity::kInfo,    "up/down has no way for {:pairs} pairs of a switch and a LID, none of them between end ports; the first is from {guid} to LID {lid} of {guid:target}"},
    {Note::kRoutingKept,          "routing-kept",           Severity::kWarning, "no engine could route the fabric: the switches keep the tables they have, verified anew"},
    {Note::kSafeRoutingTaken,     "routing-safe",           Severity::kError,   "neither {engine} nor what follows it in routing_engine could route the fabric: the safe routing, up and down from one switch, takes over until one can; restore what was lost, or configure an engine for what is left"},
    {Note::kSafeRoutingEnded,     "routing-safe-ended",     Severity::kInfo,    "routing by {engine} is accepted again: the safe routing ends"},
    {Note::kRoutingRefused,       "routing-refused",        Severity::kError,   "no routing was accepted: the switches keep their tables, but for routes into dead links"},
    {Note::kDeadRoutesDropped,    "routing-dead-dropped",   Severity::kWarning, "routes into dead links were dropped: {:blocks} LFT blocks were written"},

    {Note::kBlocksProgrammed,     "lft-programmed",         Severity::kInfo,    "programmed {:blocks} LFT blocks on {:switches} switches, {:right} blocks were right already"},
    {Note::kBlocksDetoured,       "lft-detours",            Severity::kInfo,    "{:blocks} LFT blocks were made to drop first, lest packets run in a circle while others change"},
    {Note::kBlocksYielded,        "lft-yields",            Severity::kInfo,    "packets to {:lids} LIDs were dropped where their routes change, before others changed: with old and new ones beside each other a credit loop was possible"},
    {Note::kBlocksUnordered,      "lft-unordered",         Severity::kWarning, "old and new routes to {:lids} LIDs were beside each other for a while, and a credit loop was possible: service levels or virtual lanes change too, so no order of writing avoids that"},
    {Note::kNoRoomForOrder,       "lft-order-no-room",     Severity::kWarning, "old and new routes to {:lids} LIDs were beside each other for a while; the scratch memory of this board has no room to find out whether a credit loop was possible"},
    {Note::kPortArmed,            "port-armed",             Severity::kDebug,   "{guid} port {port} is armed"},
    {Note::kPortActivated,        "port-active",            Severity::kDebug,   "{guid} port {port} is active"},
    {Note::kPortStateFailed,      "port-state-failed",      Severity::kWarning, "{guid} port {port}, cabled to {guid:peer} port {port:peer_port}, did not go to state {state}"},
    {Note::kEndPortsFailed,       "end-ports-failed",       Severity::kWarning, "{:ports} Sets for hosts or routers failed, the first for {guid} port {port}; the others do not wait for them"},
    {Note::kRoundGivenUp,         "round-given-up",         Severity::kWarning, "{:sets} Sets to switches were not answered after a targeted sweep: a heavy one follows at once"},
    {Note::kReregisterAsked,      "reregister-asked",       Severity::kDebug,   "asked {guid} port {port} to register again"},
    {Note::kReregistersAsked,     "reregisters-asked",      Severity::kInfo,    "asked {:ports} ports to register again"},
    {Note::kScrubLft,             "scrub-lft",              Severity::kWarning, "{guid} has another LFT block {:block} than was written to it: it is written again"},
    {Note::kScrubMft,             "scrub-mft",              Severity::kWarning, "{guid} has another MFT block {:block} at position {:position} than was written to it: it is written again"},
    {Note::kScrubOther,           "scrub-other",            Severity::kWarning, "{guid} port {port} does not say what it said (attribute {hex:attribute}): the subnet is swept"},
    {Note::kScrubPKeys,           "scrub-p-keys",           Severity::kWarning, "the P_Keys of {guid} port {port}, or those that the switch port in front of it enforces, are not as they were written: they are written again"},
    {Note::kScrubLanes,           "scrub-lanes",            Severity::kWarning, "{guid} port {port} has {:tables} VL arbitration or SL to VL tables that are not as they were written: they are written again"},

    {Note::kMulticastProgrammed,  "multicast-programmed",   Severity::kInfo,    "multicast: {:trees} trees, {:blocks} MFT blocks written, {:detours} of them to drop first, {:failed} not acknowledged"},
    {Note::kMembersGone,          "multicast-members-gone", Severity::kInfo,    "multicast: {:members} memberships ended with their ports"},
    {Note::kTreeImperfect,        "multicast-unreached",    Severity::kWarning, "multicast LID {lid}: of {:members} members {:unreached} are not reached; no tree: {:no_tree}"},
    {Note::kMulticastLoop,        "multicast-credit-loop",  Severity::kWarning, "the tree of multicast LID {lid} and the routes of end ports together may close a credit loop over {:channels} channels"},
    {Note::kMulticastManagementLoop, "multicast-switch-loop", Severity::kWarning, "the tree of multicast LID {lid} and the routes from and to switches' own LIDs together may close a credit loop over {:channels} channels; with the routes of end ports alone it does not"},
    {Note::kMulticastLoopMember,  "multicast-loop-member",  Severity::kWarning, "  credit loop: {guid} leaves by port {port} on VL {:vl}"},
    {Note::kMulticastLoopEnded,   "multicast-loop-ended",   Severity::kInfo,    "multicast and unicast together close no credit loop any more"},
    {Note::kMulticastUnproved,    "multicast-unproved",     Severity::kWarning, "multicast is not proved together with unicast: the scratch arena of {:bytes} bytes has no room for it on this subnet"},
    {Note::kTreeRerooted,         "multicast-rerooted",     Severity::kInfo,    "the shortest tree of multicast LID {lid} would close a credit loop together with unicast: parts of one tree with its root at {guid} replace it and others that would"},
    {Note::kMulticastHeld,        "multicast-held",         Severity::kInfo,    "multicast: {:mlids} MLIDs that switches forward for an earlier SM stay so for {:seconds} s, until their members have registered again"},
    {Note::kMulticastHoldEnded,   "multicast-hold-ended",   Severity::kInfo,    "multicast: {:mlids} MLIDs of an earlier SM are left to who has registered; {:nameless} of them have no group and are forwarded no more"},
    {Note::kNoRoomForGroup,       "multicast-no-room",      Severity::kError,   "no room for a group that exists without members: enlarge max_groups or max_mlids"},

    {Note::kRoleBegins,           "role-begins",            Severity::kInfo,    "role {role}, priority {:priority}"},
    {Note::kRoleChanged,          "role-changed",           Severity::kInfo,    "role {role:before} -> {role}: {cue}"},
    {Note::kPrioritySet,          "priority-set",           Severity::kInfo,    "our priority is {:priority} now, by hand; sm_priority holds again when the configuration is read"},
    {Note::kOtherSmFound,         "sm-found",               Severity::kInfo,    "another SM at {guid}: {role}, priority {:priority}, LID {lid}"},
    {Note::kOtherSmLost,          "sm-lost",                Severity::kInfo,    "the SM at {guid} is no longer met"},
    {Note::kOtherSmIgnored,       "sm-ignored",             Severity::kInfo,    "the SM at {guid} is ignored, as ignore_other_sm says"},
    {Note::kOtherSmKeyWrong,      "sm-key-wrong",           Severity::kWarning, "the SM at {guid} has another SM_Key; it is not recognised"},
    {Note::kOtherSmUnlisted,      "sm-unlisted",            Severity::kWarning, "there is an SM at {guid}, which sm_peers does not list; it takes no part"},
    {Note::kMasterFollowed,       "master-followed",        Severity::kInfo,    "the master is {guid}, priority {:priority}; polled every {:interval_ms} ms"},
    {Note::kMasterSilent,         "master-silent",          Severity::kWarning, "the SM at {guid} left {:polls} polls in a row unanswered"},
    {Note::kHandoverSent,         "handover-sent",          Severity::kInfo,    "handed the subnet over to {guid}, priority {:priority}"},
    {Note::kHandoverFailed,       "handover-failed",        Severity::kWarning, "{guid} did not take the subnet over: {status}, MAD status {hex:mad_status}"},
    {Note::kHandoverReceived,     "handover-received",      Severity::kInfo,    "the SM at {guid}, priority {:priority}, handed the subnet over to us"},
    {Note::kHandoverWaits,        "handover-waits",         Severity::kInfo,    "{guid}, priority {:priority}, ranks above us: it is handed the subnet when it knows what clients have registered, in {:wait_s} s at the latest"},
    {Note::kHandoverHeld,         "handover-held",          Severity::kWarning, "{guid}, priority {:priority}, ranks above us and leaves greetings unanswered, which proves nothing under standby_consistency strict: it is handed the subnet when sm_peers lists it, or by hand"},
    {Note::kHandoverAwaited,      "handover-awaited",       Severity::kInfo,    "{guid} is master too and ranks below us, priority {:priority}: waiting for its handover"},
    {Note::kHandoverOverdue,      "handover-overdue",       Severity::kWarning, "{guid} is master still, {:late_s} s after it should have handed over: serving beside it, and asking it on"},
    {Note::kTwoMasters,           "two-masters",            Severity::kWarning, "the peer at {guid}, priority {:priority}, says that it is master too, for {:seconds} s by now: two masters write to the same switches, and no sweep has settled which one stays"},
    {Note::kTwoMastersEnded,      "two-masters-ended",      Severity::kInfo,    "the peer at {guid} is not heard as a second master any more"},
    {Note::kWasAbsent,            "was-absent",             Severity::kWarning, "this process did not run for {:absent_ms} ms: another SM may be master by now, so the subnet is swept before anything is written"},
    {Note::kSmInfoSetRefused,     "sminfo-set-refused",     Severity::kWarning, "refused Set(SMInfo) with modifier {:modifier} in role {role}: MAD status {hex:mad_status}"},
    {Note::kSmpKeyWrong,          "sminfo-m-key-wrong",     Severity::kWarning, "SMInfo was asked for with a wrong M_Key, method {hex:method}"},
    {Note::kPeerProved,           "peer-proved",            Severity::kInfo,    "the SM at {guid}, priority {:priority}, is a peer: it has our replication_key"},
    {Note::kNoMessageCodes,       "no-message-codes",       Severity::kError,   "no codes can be made of replication_key ({status}): no other SM is a peer"},
    {Note::kPeerLost,             "peer-lost",              Severity::kInfo,    "the peer at {guid} is not heard any more"},
    {Note::kPeerKeyWrong,         "peer-key-wrong",         Severity::kWarning, "a message in the name of {guid} is not of our replication_key; {:total} so far"},
    {Note::kPeerOtherVersion,     "peer-other-version",     Severity::kWarning, "the SM at {guid} replicates by version {:version} and we by {:own_version}: neither follows the other"},
    {Note::kPeerConfiguredOtherwise, "peer-configured-otherwise", Severity::kWarning, "the peer at {guid} has another configuration, counter {:counter}; ours has {:own_counter}"},
    {Note::kPeerOtherFormat,      "peer-other-format",      Severity::kWarning, "the peer at {guid} follows records of format {:format} and we of {:own_format}: of what the lower one does not tell nothing is known after a takeover"},
    {Note::kStandbyAside,         "standby-aside",          Severity::kWarning, "standby_consistency strict: we are configured otherwise than the master at {guid}, and stay out of elections"},
    {Note::kStandbyAgain,         "standby-again",          Severity::kInfo,    "takes part in elections again, as a standby of {guid}"},
    {Note::kPeerFallsBehind,      "peer-falls-behind",      Severity::kWarning, "the standby at {guid} does not acknowledge what it is sent: it is fed again later"},
    {Note::kPeerTooSmall,         "peer-too-small",         Severity::kWarning, "the standby at {guid} has no room for our registrations: as master it would ask clients to register again"},
    {Note::kRegistrationsMerged,  "registrations-merged",   Severity::kInfo,    "another master has yielded: what our clients registered holds ({:members} members, {:services} services, {:subscriptions} subscriptions), its own are asked to register again, and {:gone} entries of ports that it had taken over end"},
    {Note::kReplicaWhole,         "replica-whole",          Severity::kInfo,    "the registrations of the master at {guid} are here: {:groups} groups, {:members} members, {:services} services, {:subscriptions} subscriptions"},
    {Note::kReplicaTooLarge,      "replica-too-large",      Severity::kWarning, "the registrations of the master at {guid} do not fit on this board: {:unusable} of them are left out"},
    {Note::kReplicaUsed,          "replica-used",           Severity::kInfo,    "takes over the registrations of the master before: {:groups} groups, {:members} members, {:services} services, {:subscriptions} subscriptions; no client is asked to register again"},
    {Note::kReplicaLate,          "replica-late",           Severity::kInfo,    "takes over registrations of the master before, of which some may be missing: {:groups} groups, {:members} members, {:services} services, {:subscriptions} subscriptions; clients are asked to register again"},

    {Note::kMKeysRefused,         "m-keys-refused",         Severity::kWarning, "{guid} port {port}: what is behind it answers to none of {:keys} M_Keys"},
    {Note::kMKeyForeign,          "m-key-foreign",          Severity::kWarning, "{guid} can be read and not set: it has an M_Key that is not known here"},
    {Note::kMKeyTakenOver,        "m-key-taken-over",       Severity::kWarning, "{guid} had an M_Key that no rule of ours gives; it has ours now"},
    {Note::kMKeysChanged,         "m-keys-changed",         Severity::kInfo,    "{:changed} ports have got another M_Key, {:failed} have not"},

    {Note::kSaKeyWrong,           "sa-key-wrong",           Severity::kWarning, "a question with a wrong SM_Key from LID {lid} is not answered; {:total} so far"},
    {Note::kSaPKeyWrong,          "sa-p-key-wrong",         Severity::kWarning, "a question from LID {lid} is not answered: it came at P_Key index {:index}, by which that port and ours may not communicate; {:total} so far"},
    {Note::kRegistrationsEnded,   "registrations-ended",    Severity::kInfo,    "{:services} services and {:subscriptions} subscriptions ended, as their ports have left the partitions"},
    {Note::kSaShareUsedUp,        "sa-share-used-up",       Severity::kWarning, "LID {lid} asks more than its share while others wait; {:dropped} of its questions are dropped"},
    {Note::kSaDenied,             "sa-denied",              Severity::kWarning, "LID {lid} was denied a change of SA attribute {hex:attribute} that is another port's, or in use; {:total} so far"},
    {Note::kSaTransfersUsedUp,    "sa-transfers-used-up",   Severity::kWarning, "{:transfers} tables are being told, there is no room (max_sa_transfers) or share for one more: LID {lid} is asked to wait"},
    {Note::kReportUnheard,        "sa-report-unheard",      Severity::kWarning, "subscriber {guid} acknowledged no try of a notice; {:total} notices were given up so far"},
    {Note::kQosPolicyTooLarge,    "qos-policy-too-large",   Severity::kError,   "the QoS policy has {:rules} rules with {:ranges} ranges, and the board has room for {:most_rules} (max_qos_rules) with {:most_ranges} (max_qos_ranges): no policy is in force"},
    {Note::kBandwidthNotTaken,    "bandwidth-not-taken",    Severity::kWarning, "{:ports} ports have a limit of bandwidth that their devices do not take, the first of them {guid} port {port}: it is not in force there"},
    {Note::kSaRestored,           "sa-restored",            Severity::kInfo,    "registered again from before the restart: {:groups} groups, {:members} memberships, {:services} services, {:subscriptions} subscriptions"},
    {Note::kSaNotRestored,        "sa-not-restored",        Severity::kWarning, "not registered again: {:gone} of ports that are gone, {:expired} expired, {:unusable} unusable; {:moved} groups have another MLID"},
    {Note::kRouterAliases,        "router-aliases",         Severity::kInfo,    "rtr_aguid_enable: {:ports} ports have the alias GUID of their LID now; {:without} ports have none, for lack of a place or because a client has it"},
    {Note::kSaJournalCut,         "sa-journal-cut",         Severity::kInfo,    "the journal of registrations ends in the middle of a change; {:bytes} bytes before it count"},
    {Note::kSaJournalDamaged,     "sa-journal-damaged",     Severity::kWarning, "the journal of registrations is not used: {status}"},
    {Note::kSaJournalFailed,      "sa-journal-failed",      Severity::kError,   "registrations cannot be written down: {status}; it is tried again"},
    {Note::kSaFileRead,           "sa-file-read",           Severity::kInfo,    "registrations are read from sa_db_file, as no journal of them counts"},
    {Note::kSaFilePassedOver,     "sa-file-passed-over",    Severity::kInfo,    "sa_db_file is not read: the journal of registrations is newer"},
    {Note::kSaDumped,             "sa-dumped",              Severity::kDebug,   "sa_db_dump: opensm-sa.dump is written, {:bytes} bytes"},
    {Note::kSaDumpFailed,         "sa-dump-failed",         Severity::kError,   "sa_db_dump: opensm-sa.dump could not be written, error {:errno} of the system; it is tried again after the next sweep"},
    {Note::kSaDumpNowhere,        "sa-dump-nowhere",        Severity::kWarning, "sa_db_dump has no effect: embersm was started without --dump-directory"},

    {Note::kStarted,              "started",                Severity::kInfo,    "subnet manager started at {guid}, board memory {:bytes} bytes"},
    {Note::kBlobAccepted,         "configuration-accepted", Severity::kInfo,    "configuration accepted: counter {:counter}, {:bytes} bytes"},
    {Note::kBlobRefused,          "configuration-refused",  Severity::kError,   "configuration refused: {status}, counter {:counter}, last accepted {:last}"},
    {Note::kLastBlobKept,         "configuration-last-good", Severity::kWarning, "going on with the last good configuration, counter {:counter}"},
    {Note::kOtherBlobTaken,       "configuration-other",    Severity::kError,   "the last good configuration is damaged: going on with the other one, counter {:counter}"},
    {Note::kTrialBegan,           "trial-began",            Severity::kInfo,    "configuration {:counter} is on trial: it has {:patience_s} s to bring the subnet up by routes of its own"},
    {Note::kTrialConfirmed,       "trial-confirmed",        Severity::kInfo,    "configuration {:counter} is confirmed: the subnet is up by routes of its own"},
    {Note::kTrialRolledBack,      "trial-rolled-back",      Severity::kError,   "configuration {:counter} did not bring the subnet up within {:patience_s} s: rolled back to configuration {:good}"},
    {Note::kTrialUnrouted,        "trial-unrouted",         Severity::kError,   "no engine of configuration {:counter} could route the fabric within {:patience_s} s, and the tables that were kept are not its own: rolled back to configuration {:good}"},
    {Note::kTrialDied,            "trial-died",             Severity::kError,   "{:starts} starts with the configuration on trial came to no orderly end: rolled back to configuration {:good}"},
    {Note::kTrialOverdue,         "trial-overdue",          Severity::kWarning, "configuration {:counter} did not bring the subnet up by routes of its own within {:patience_s} s, and there is none to go back to"},
    {Note::kRestartedAfterExit,   "restarted-after-exit",   Severity::kWarning, "restart {:restart} by the supervisor: the process before ended with status {:exit_status}"},
    {Note::kRestartedAfterSignal, "restarted-after-signal", Severity::kError,   "restart {:restart} by the supervisor: the process before was ended by signal {:signal}"},
    {Note::kRestartedAfterHang,   "restarted-after-hang",   Severity::kError,   "restart {:restart} by the supervisor: the process before gave no sign of life for {:silent_s} s"},
    {Note::kStoreFailed,          "store-failed",           Severity::kError,   "store slot {:slot} could not be written: {status}"},
    {Note::kStoreMalformed,       "store-damaged",          Severity::kWarning, "store slot {:slot} is damaged and is not used: {status}"},
    {Note::kRestartNeeded,        "restart-needed",         Severity::kWarning, "the key {key} has changed; it takes a restart of embersm to act"},
    {Note::kLogLevelChanged,      "log-level",              Severity::kInfo,    "from now on notes of severity {severity} and above are kept"},
    {Note::kNotesMissed,          "notes-missed",           Severity::kWarning, "{:notes} notes were lost: read too late"},
    {Note::kStopped,              "stopped",                Severity::kInfo,    "subnet manager stopped"},
}};
// clang-format on

[[nodiscard]] constexpr const Sentence& SentenceOf(Note note) {
    return kSentences[static_cast<std::size_t>(note)];
}

}  // namespace ember
