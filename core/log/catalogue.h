// SPDX-License-Identifier: Apache-2.0
// EmberSM: every sentence the subnet manager can utter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ember {

enum class Severity : std::uint8_t { kDebug, kInfo, kWarning, kError };

/// Names of the sentences. To add one, write its name here and its row at the same place of
/// kSentences; the compiler refuses a row that stands elsewhere, or is missing.
enum class Note : std::uint16_t {
    // Sweeps and the subnet.
    kHeavySweepStarted,
    kHeavySweepFinished,
    kLightSweepStarted,
    kLightSweepFinished,
    kSweepRestarted,
    kSweepTargeted,
    kSubnetUp,
    kSubnetUpInPart,
    kErrorsDuringInitialization,
    kPhaseFinished,
    kOwnPortDown,
    kOwnPortUp,
    kLimitExhausted,
    kTooManyNodes,
    kTooManySwitches,
    kTooManyPorts,
    kTooWideSwitch,
    // Nodes and cables.
    kNodeFound,
    kNodeLost,
    kLinkFound,
    kLinkLost,
    kDuplicateGuid,
    kLinkConflict,
    kNeighborSilent,
    kPeerSilent,
    kNodeUnusable,
    kLinkWidthReduced,
    kLinkSpeedReduced,
    kLinkMtuReduced,
    kLinkValueZero,
    kLinkQuarantined,
    kLinkReleased,
    kLinkNeeded,
    kLinkDamped,
    kPortDisabled,
    // Datagrams.
    kMadDropped,
    kSetRefused,
    kSetUnanswered,
    kWindowShrunk,
    kDeviceGone,
    kMailboxReset,
    kMailboxStalled,
    kMailboxFaulty,
    kMailboxOverrun,
    kMailboxTorn,
    kMailboxRefused,
    kTrapReceived,
    kTrapUnusable,
    // LIDs.
    kLidGiven,
    kLidMoved,
    kLidDuplicate,
    kLidsExhausted,
    kLidStoreRead,
    // Routing and its proof.
    kOptionGuidsUnknown,
    kOptionPortsUnknown,
    kEngineBegan,
    kEngineFinished,
    kEngineFailed,
    kEngineAbsent,
    kEngineFault,
    kEngineFaultNode,
    kEngineFaultPort,
    kFallbackTaken,
    kRoutesMended,
    kMendingFailed,
    kBalancingStarted,
    kRoutesBalanced,
    kVerified,
    kPairLost,
    kForwardingLoop,
    kLoopMember,
    kCreditLoop,
    kCreditLoopMember,
    kCreditLoopRefused,
    kUnsafeFallback,
    kCreditLoopAccepted,
    kRoutingKept,
    kRoutingRefused,
    // Programming.
    kBlocksProgrammed,
    kBlocksDetoured,
    kPortArmed,
    kPortActivated,
    kPortStateFailed,
    kReregisterAsked,
    // Multicast.
    kMulticastProgrammed,
    kMembersGone,
    kTreeImperfect,
    kNoRoomForGroup,
    // Role.
    kRoleBegins,
    kRoleChanged,
    kOtherSmFound,
    kOtherSmLost,
    kOtherSmIgnored,
    kOtherSmKeyWrong,
    kMasterFollowed,
    kMasterSilent,
    kHandoverSent,
    kHandoverFailed,
    kHandoverReceived,
    kHandoverAwaited,
    kHandoverOverdue,
    kSmInfoSetRefused,
    kSmpKeyWrong,
    // Subnet administration.
    kSaKeyWrong,
    kSaShareUsedUp,
    kSaTransfersUsedUp,
    kReportUnheard,
    kSaRestored,
    kSaNotRestored,
    kSaJournalCut,
    kSaJournalDamaged,
    kSaJournalFailed,
    kSaFileRead,
    kSaFilePassedOver,
    kSaDumped,
    kSaDumpFailed,
    kSaDumpNowhere,
    // Configuration, store, process.
    kStarted,
    kBlobAccepted,
    kBlobRefused,
    kLastBlobKept,
    kOtherBlobTaken,
    kTrialBegan,
    kTrialConfirmed,
    kTrialRolledBack,
    kTrialUnrouted,
    kTrialDied,
    kTrialOverdue,
    kRestartedAfterExit,
    kRestartedAfterSignal,
    kRestartedAfterHang,
    kStoreFailed,
    kStoreMalformed,
    kRestartNeeded,
    kLogLevelChanged,
    kStopped,
    kEnd,  ///< Not a note: how many there are.
};

inline constexpr std::size_t kNotes = static_cast<std::size_t>(Note::kEnd);

/// Values a note carries at most.
inline constexpr std::size_t kMaxValues = 4;

/// A row of the catalogue. A blank stands for one value, in order, and says how it reads:
///   {}        decimal                     {guid}    0x and 16 hexadecimal digits
///   {hex}     0x and as many as needed    {lid}     decimal
///   {port}    decimal                     {status}  a word of kStatusWords
///   {role}    SMInfo:SMState, a word      {reason}  a word of kSweepReasonWords
///   {phase}   a word of kPhaseWords       {limit}   a word of kLimitWords
///   {node}    a word of kNodeWords        {cue}     a word of kCueWords
///   {kind}    EngineKind, a word    {fault}   a word of kEngineFaultWords
///   {file}    OptionFile, an option's name
///   {engine}  a name by index, from a table that whoever renders supplies
struct Sentence {
    Note note;
    Severity severity;
    std::string_view text;
};

// clang-format off
inline constexpr std::array<Sentence, kNotes> kSentences = {{
    {Note::kHeavySweepStarted,   Severity::kInfo,    "heavy sweep {} started: {reason}"},
    {Note::kHeavySweepFinished,  Severity::kInfo,    "heavy sweep {} finished: {} nodes, {} SMPs, {} us"},
    {Note::kLightSweepStarted,   Severity::kDebug,   "light sweep {} started: {reason}"},
    {Note::kLightSweepFinished,  Severity::kDebug,   "light sweep {} finished: {} switches asked, {} changed"},
    {Note::kSweepRestarted,      Severity::kInfo,    "heavy sweep {} begins again: {reason}"},
    {Note::kSweepTargeted,       Severity::kInfo,    "only {} switches are asked, and what is new behind them"},
    {Note::kSubnetUp,            Severity::kInfo,    "SUBNET UP: {} nodes, {} switches, {} links, {} LIDs"},
    {Note::kSubnetUpInPart,      Severity::kWarning, "UP FOR {} OF {} SWITCHES and {} of {} nodes seen: the fabric is larger than this board"},
    {Note::kErrorsDuringInitialization, Severity::kError, "errors during initialization: {} of {} Sets failed; the next sweep is heavy"},
    {Note::kPhaseFinished,       Severity::kInfo,    "{phase} took {} us and {} SMPs"},
    {Note::kOwnPortDown,         Severity::kError,   "own port {guid} is down: nothing can be managed"},
    {Note::kOwnPortUp,           Severity::kInfo,    "own port {guid} is up"},
    {Note::kLimitExhausted,      Severity::kError,   "the fabric exceeds {limit} = {}: it needs at least {}; what does not fit is left alone"},
    {Note::kTooManyNodes,        Severity::kError,   "the fabric has more nodes than max_nodes = {}: it needs {}; the others are left alone"},
    {Note::kTooManySwitches,     Severity::kError,   "the fabric has more switches than max_switches = {}: it needs {}; the others are left alone"},
    {Note::kTooManyPorts,        Severity::kError,   "the fabric has more ports than max_ports = {}: it needs {}; nodes that do not fit are left alone"},
    {Note::kTooWideSwitch,       Severity::kError,   "a switch has more ports than max_switch_ports = {}: it has {}; it is left alone"},

    {Note::kNodeFound,           Severity::kInfo,    "found {guid}, a {node} with {} ports"},
    {Note::kNodeLost,            Severity::kWarning, "lost node {guid}"},
    {Note::kLinkFound,           Severity::kDebug,   "found link {guid} port {port} to {guid} port {port}"},
    {Note::kLinkLost,            Severity::kWarning, "lost the cable at {guid} port {port}"},
    {Note::kDuplicateGuid,       Severity::kError,   "two nodes say they are {guid}: its port {port} was met a second time, behind {guid} port {port}"},
    {Note::kLinkConflict,        Severity::kError,   "{guid} port {port} was met from two sides; it is now linked to {guid} port {port}"},
    {Note::kNeighborSilent,      Severity::kWarning, "nothing answers behind {guid} port {port}; the light sweep keeps asking"},
    {Note::kPeerSilent,          Severity::kWarning, "{guid} stopped answering, at port {port}"},
    {Note::kNodeUnusable,        Severity::kWarning, "the node behind {guid} port {port} cannot be used: {status}"},
    {Note::kLinkWidthReduced,    Severity::kWarning, "{guid} port {port} runs at width code {hex}, both ends can do {hex}"},
    {Note::kLinkSpeedReduced,    Severity::kWarning, "{guid} port {port} runs at speed code {hex}, both ends can do {hex}"},
    {Note::kLinkMtuReduced,      Severity::kInfo,    "{guid} port {port} has MTU code {}, its peer {}; the smaller is used"},
    {Note::kLinkValueZero,       Severity::kWarning, "{guid} port {port} offers MTU code {} and VL code {}; 1 is used where it says 0"},
    {Note::kLinkQuarantined,     Severity::kWarning, "flapping_link_policy quarantine: the cable at {guid} port {port} was lost or complained of {} times; no route uses it for {} s"},
    {Note::kLinkReleased,        Severity::kInfo,    "the cable at {guid} port {port} is out of quarantine and used again"},
    {Note::kLinkNeeded,          Severity::kWarning, "the cable at {guid} port {port} was lost or complained of {} times; it is only damped, as without it a node would be cut off"},
    {Note::kLinkDamped,          Severity::kWarning, "flapping_link_policy damp: the cable at {guid} port {port} was lost or complained of {} times; it stays in use"},
    {Note::kPortDisabled,        Severity::kWarning, "babbling_port_policy: port {port} of {guid} is disabled after {} traps 129 to 131 in a row"},

    {Note::kMadDropped,          Severity::kWarning, "dropped a malformed datagram of class {hex}, attribute {hex}: {status}; {} so far"},
    {Note::kSetRefused,          Severity::kWarning, "{guid} port {port} refused Set of attribute {hex} with status {hex}"},
    {Note::kSetUnanswered,       Severity::kError,   "{guid} port {port} did not answer Set of attribute {hex}, modifier {hex}"},
    {Note::kWindowShrunk,        Severity::kDebug,   "window of SMPs in flight shrunk to {} after {} time-outs"},
    {Note::kDeviceGone,          Severity::kError,   "the management port is gone: {status}"},
    {Note::kMailboxReset,        Severity::kWarning, "the mailbox reset itself with {} datagrams in it; {} times so far"},
    {Note::kMailboxStalled,      Severity::kWarning, "the mailbox has taken nothing for {} ms: its doorbell is rung again; {} times so far"},
    {Note::kMailboxFaulty,       Severity::kError,   "the mailbox is reset, because its register {hex} says {hex}, with {} datagrams in it"},
    {Note::kMailboxOverrun,      Severity::kWarning, "the mailbox was full and lost {} datagrams that arrived; {} so far"},
    {Note::kMailboxTorn,         Severity::kWarning, "dropped a torn descriptor of the mailbox; {} so far"},
    {Note::kMailboxRefused,      Severity::kWarning, "the mailbox refused {} datagrams that were sent; {} so far"},
    {Note::kTrapReceived,        Severity::kInfo,    "trap {} from LID {lid}, issuer {lid}, detail {hex}"},
    {Note::kTrapUnusable,        Severity::kWarning, "trap {} from LID {lid} makes no sense: {status}"},

    {Note::kLidGiven,            Severity::kDebug,   "gave LID {lid} to {guid}, LMC {}"},
    {Note::kLidMoved,            Severity::kWarning, "moved {guid} from LID {lid} to LID {lid}"},
    {Note::kLidDuplicate,        Severity::kWarning, "LID {lid} was held by {guid} and by {guid}; the latter gets another"},
    {Note::kLidsExhausted,       Severity::kError,   "no LID is left for {guid}: {} are given out"},
    {Note::kLidStoreRead,        Severity::kInfo,    "read {} LIDs from the store, {} of them unusable"},

    {Note::kOptionGuidsUnknown,  Severity::kWarning, "{file}: {} GUIDs are not in the subnet, the first is {guid}; they are passed over"},
    {Note::kOptionPortsUnknown,  Severity::kWarning, "{file}: {} ports do not exist, the first is {guid} port {port}; they are passed over"},
    {Note::kEngineBegan,         Severity::kDebug,   "routing by {engine} began: {} switches, {} LIDs"},
    {Note::kEngineFinished,      Severity::kInfo,    "routing by {engine} finished: {} switches, {} LIDs, {} us"},
    {Note::kEngineFailed,        Severity::kError,   "routing by {engine} failed: {status}"},
    {Note::kEngineAbsent,        Severity::kError,   "routing_engine names {kind}, which this board has not"},
    {Note::kEngineFault,         Severity::kError,   "{engine} cannot route this fabric: {fault}"},
    {Note::kEngineFaultNode,     Severity::kError,   "  seen at {guid}"},
    {Note::kEngineFaultPort,     Severity::kError,   "  seen at {guid} port {port}"},
    {Note::kFallbackTaken,       Severity::kWarning, "falling back to {engine}, which is configured next"},
    {Note::kRoutesMended,        Severity::kInfo,    "mended {} routes on {} switches; all others stay"},
    {Note::kMendingFailed,       Severity::kWarning, "the mended routing was refused: all routes were made anew"},
    {Note::kBalancingStarted,    Severity::kInfo,    "balancing the routes anew: nothing has changed for {} s"},
    {Note::kRoutesBalanced,      Severity::kInfo,    "the routes are balanced again: {} LFT blocks were written"},
    {Note::kVerified,            Severity::kInfo,    "verified: {} pairs reached, longest path {} hops, {} VLs, {} us"},
    {Note::kPairLost,            Severity::kError,   "refused a routing: {guid} cannot reach LID {lid} of {guid}; {} pairs lost"},
    {Note::kForwardingLoop,      Severity::kError,   "refused a routing: packets to LID {lid} circle, seen from {guid}"},
    {Note::kLoopMember,          Severity::kError,   "  loop: {guid} leaves by port {port}"},
    {Note::kCreditLoop,          Severity::kWarning, "credit loop possible on VL {} over {} channels"},
    {Note::kCreditLoopMember,    Severity::kWarning, "  credit loop: {guid} leaves by port {port}"},
    {Note::kCreditLoopRefused,   Severity::kError,   "refused the routing by {engine}: it may deadlock, and require_deadlock_free is set"},
    {Note::kUnsafeFallback,      Severity::kError,   "refused the routing by {engine}: it may deadlock, and the first engine of the list promises that nothing does"},
    {Note::kCreditLoopAccepted,  Severity::kWarning, "the routing by {engine} may deadlock; it promises nothing else and is programmed"},
    {Note::kRoutingKept,         Severity::kWarning, "no engine could route the fabric: the switches keep the tables they have, verified anew"},
    {Note::kRoutingRefused,      Severity::kError,   "no routing was accepted: the switches keep their tables"},

    {Note::kBlocksProgrammed,    Severity::kInfo,    "programmed {} LFT blocks on {} switches, {} blocks were right already"},
    {Note::kBlocksDetoured,      Severity::kInfo,    "{} LFT blocks were made to drop first, lest packets run in a circle while others change"},
    {Note::kPortArmed,           Severity::kDebug,   "{guid} port {port} is armed"},
    {Note::kPortActivated,       Severity::kDebug,   "{guid} port {port} is active"},
    {Note::kPortStateFailed,     Severity::kWarning, "{guid} port {port} did not go to state {}: MAD status {hex}"},
    {Note::kReregisterAsked,     Severity::kInfo,    "asked {guid} port {port} to register again"},

    {Note::kMulticastProgrammed, Severity::kInfo,    "multicast: {} trees, {} MFT blocks written, {} of them to drop first, {} not acknowledged"},
    {Note::kMembersGone,         Severity::kInfo,    "multicast: {} memberships ended with their ports"},
    {Note::kTreeImperfect,       Severity::kWarning, "multicast LID {lid}: of {} members {} are not reached; no tree: {}"},
    {Note::kNoRoomForGroup,      Severity::kError,   "no room for the broadcast group: enlarge max_groups or max_mlids"},

    {Note::kRoleBegins,          Severity::kInfo,    "role {role} at {guid}, priority {}"},
    {Note::kRoleChanged,         Severity::kInfo,    "role {role} -> {role}: {cue}"},
    {Note::kOtherSmFound,        Severity::kInfo,    "another SM at {guid}: {role}, priority {}, LID {lid}"},
    {Note::kOtherSmLost,         Severity::kInfo,    "the SM at {guid} is no longer met"},
    {Note::kOtherSmIgnored,      Severity::kInfo,    "the SM at {guid} is ignored, as configured"},
    {Note::kOtherSmKeyWrong,     Severity::kWarning, "the SM at {guid} has another SM_Key; it is not recognised"},
    {Note::kMasterFollowed,      Severity::kInfo,    "the master is {guid}, priority {}; polled every {} ms"},
    {Note::kMasterSilent,        Severity::kWarning, "the SM at {guid} left {} polls in a row unanswered"},
    {Note::kHandoverSent,        Severity::kInfo,    "handed the subnet over to {guid}, priority {}"},
    {Note::kHandoverFailed,      Severity::kWarning, "{guid} did not take the subnet over: {status}, MAD status {hex}"},
    {Note::kHandoverReceived,    Severity::kInfo,    "the SM at {guid}, priority {}, handed the subnet over to us"},
    {Note::kHandoverAwaited,     Severity::kInfo,    "{guid} is master too and ranks below us, priority {}: waiting for its handover"},
    {Note::kHandoverOverdue,     Severity::kWarning, "{guid} is master still, {} s after it should have handed over: serving beside it, and asking it on"},
    {Note::kSmInfoSetRefused,    Severity::kWarning, "refused Set(SMInfo) with modifier {} in role {role}: MAD status {hex}"},
    {Note::kSmpKeyWrong,         Severity::kWarning, "SMInfo was asked for with a wrong M_Key, method {hex}"},

    {Note::kSaKeyWrong,          Severity::kWarning, "a question with a wrong SM_Key from LID {lid} is not answered; {} so far"},
    {Note::kSaShareUsedUp,       Severity::kWarning, "LID {lid} asks more than its share while others wait; {} of its questions are dropped"},
    {Note::kSaTransfersUsedUp,   Severity::kWarning, "{} tables are being told, there is no room (max_sa_transfers) or share for one more: LID {lid} is asked to wait"},
    {Note::kReportUnheard,       Severity::kWarning, "subscriber {guid} acknowledged no try of a notice; {} notices were given up so far"},
    {Note::kSaRestored,          Severity::kInfo,    "registered again from before the restart: {} groups, {} memberships, {} services, {} subscriptions"},
    {Note::kSaNotRestored,       Severity::kWarning, "not registered again: {} of ports that are gone, {} expired, {} unusable; {} groups have another MLID"},
    {Note::kSaJournalCut,        Severity::kInfo,    "the journal of registrations ends in the middle of a change; {} bytes before it count"},
    {Note::kSaJournalDamaged,    Severity::kWarning, "the journal of registrations is not used: {status}"},
    {Note::kSaJournalFailed,     Severity::kError,   "registrations cannot be written down: {status}; it is tried again"},
    {Note::kSaFileRead,          Severity::kInfo,    "registrations are read from sa_db_file, as no journal of them counts"},
    {Note::kSaFilePassedOver,    Severity::kInfo,    "sa_db_file is not read: the journal of registrations is newer"},
    {Note::kSaDumped,            Severity::kDebug,   "sa_db_dump: opensm-sa.dump is written, {} bytes"},
    {Note::kSaDumpFailed,        Severity::kError,   "sa_db_dump: opensm-sa.dump could not be written, error {} of the system; it is tried again after the next sweep"},
    {Note::kSaDumpNowhere,       Severity::kWarning, "sa_db_dump has no effect: embersm was started without --dump-directory"},
    {Note::kStarted,             Severity::kInfo,    "subnet manager started at {guid}, board memory {} bytes"},
    {Note::kBlobAccepted,        Severity::kInfo,    "configuration accepted: counter {}, {} bytes"},
    {Note::kBlobRefused,         Severity::kError,   "configuration refused: {status}, counter {}, last accepted {}"},
    {Note::kLastBlobKept,        Severity::kWarning, "going on with the last good configuration, counter {}"},
    {Note::kOtherBlobTaken,      Severity::kError,   "the last good configuration is damaged: going on with the other one, counter {}"},
    {Note::kTrialBegan,          Severity::kInfo,    "configuration {} is on trial: it has {} s to bring the subnet up by routes of its own"},
    {Note::kTrialConfirmed,      Severity::kInfo,    "configuration {} is confirmed: the subnet is up by routes of its own"},
    {Note::kTrialRolledBack,     Severity::kError,   "configuration {} did not bring the subnet up within {} s: rolled back to configuration {}"},
    {Note::kTrialUnrouted,       Severity::kError,   "no engine of configuration {} could route the fabric within {} s, and the tables that were kept are not its own: rolled back to configuration {}"},
    {Note::kTrialDied,           Severity::kError,   "{} starts with the configuration on trial came to no orderly end: rolled back to configuration {}"},
    {Note::kTrialOverdue,        Severity::kWarning, "configuration {} did not bring the subnet up by routes of its own within {} s, and there is none to go back to"},
    {Note::kRestartedAfterExit,  Severity::kWarning, "restart {} by the supervisor: the process before ended with status {}"},
    {Note::kRestartedAfterSignal, Severity::kError,  "restart {} by the supervisor: the process before was ended by signal {}"},
    {Note::kRestartedAfterHang,  Severity::kError,   "restart {} by the supervisor: the process before gave no sign of life for {} s"},
    {Note::kStoreFailed,         Severity::kError,   "store slot {} could not be written: {status}"},
    {Note::kStoreMalformed,      Severity::kWarning, "store slot {} is damaged and is not used: {status}"},
    {Note::kRestartNeeded,       Severity::kWarning, "the key {key} has changed; it takes a restart of embersm to act"},
    {Note::kLogLevelChanged,     Severity::kInfo,    "notes of severity {} and above are kept"},
    {Note::kStopped,             Severity::kInfo,    "subnet manager stopped"},
}};
// clang-format on

[[nodiscard]] constexpr const Sentence& SentenceOf(Note note) {
    return kSentences[static_cast<std::size_t>(note)];
}

/// The blanks that render.cc knows, with their braces.
inline constexpr std::array<std::string_view, 17> kBlanks = {
    "{}",      "{guid}",   "{hex}",  "{lid}", "{port}", "{status}", "{role}", "{reason}", "{phase}",
    "{limit}", "{engine}", "{node}", "{cue}", "{kind}", "{fault}",  "{file}", "{key}"};

[[nodiscard]] consteval std::size_t BlanksIn(Note note) {
    std::size_t blanks = 0;
    for (const char c : SentenceOf(note).text) {
        if (c == '{') ++blanks;
    }
    return blanks;
}

[[nodiscard]] consteval bool IsKnownBlank(std::string_view braced) {
    for (const std::string_view blank : kBlanks) {
        if (blank == braced) return true;
    }
    return false;
}

/// True when every blank of the text is closed, and one that can be rendered.
[[nodiscard]] consteval bool HasKnownBlanks(std::string_view text) {
    for (std::size_t at = text.find('{'); at != std::string_view::npos;
         at = text.find('{', at + 1)) {
        const std::size_t end = text.find('}', at);
        if (end == std::string_view::npos) return false;
        if (!IsKnownBlank(text.substr(at, end + 1 - at))) return false;
    }
    return true;
}

/// Every row stands at its note, says something, has at most kMaxValues blanks, and only such that
/// can be rendered.
[[nodiscard]] consteval bool CatalogueIsSound() {
    for (std::size_t i = 0; i < kNotes; ++i) {
        const Sentence& sentence = kSentences[i];
        if (sentence.note != static_cast<Note>(i) || sentence.text.empty()) return false;
        if (BlanksIn(sentence.note) > kMaxValues || !HasKnownBlanks(sentence.text)) return false;
    }
    return true;
}
static_assert(CatalogueIsSound(), "a row of kSentences is missing, misplaced or has a bad blank");

}  // namespace ember
