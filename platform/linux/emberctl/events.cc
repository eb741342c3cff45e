// SPDX-License-Identifier: Apache-2.0
// EmberSM: the lines of the log by their codes, for people.

#include "platform/linux/emberctl/events.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/log/blanks.h"
#include "core/log/render.h"

namespace ember::ctl {
namespace {

/// The meaning of a line to an operator, where the line itself does not say it.
struct Meaning {
    Note note;
    std::string_view text;
};

// By ascending note.
// clang-format off
constexpr std::array kMeanings = {
    Meaning{Note::kSweepTargeted, "A switch reported a change: only it is read again. A whole sweep confirms what it told when the timer is due."},
    Meaning{Note::kSubnetUp, "Every port that could be configured is ACTIVE, every route is proved and written."},
    Meaning{Note::kErrorsDuringInitialization, "The lines before name who refused or did not answer. It is tried again at once, then every sweep_interval."},
    Meaning{Note::kOwnPortDown, "Check the cable of the port that the subnet manager sits at, or bind another one: guid."},
    Meaning{Note::kLimitExhausted, "The board is too small for the fabric: choose a larger one (emberc boards)."},
    Meaning{Note::kTooManyNodes, "The board is too small for the fabric: choose a larger one (emberc boards)."},
    Meaning{Note::kTooManySwitches, "The board is too small for the fabric: choose a larger one (emberc boards)."},
    Meaning{Note::kTooManyPorts, "The board is too small for the fabric: choose a larger one (emberc boards)."},
    Meaning{Note::kTooWideSwitch, "The board is too small for the fabric: choose a larger one (emberc boards)."},
    Meaning{Note::kNodeJoined, "It was not there since the subnet manager started, or left long ago."},
    Meaning{Note::kNodeReturned, "It was told as lost before, under the same GUID."},
    Meaning{Note::kNodeLost, "It does not answer any more, or no cable leads to it. Its routes are mended around it, or end with it."},
    Meaning{Note::kNodesLostInDoubt, "Who was met is served at once. Another sweep decides two seconds later."},
    Meaning{Note::kNodesLostForGood, "Look at the switches and cables near the subnet manager first. The condition stays nodes-lost until half are there again, or until emberctl sweep heavy takes the subnet for what it is."},
    Meaning{Note::kLinkRetrained, "It went down and came up between two sweeps: look at its error counters."},
    Meaning{Note::kChangesUntold, "One sweep tells 64 of each kind one by one; emberctl status and the dumps have them all."},
    Meaning{Note::kDuplicateGuid, "Two devices carry the same GUID, or a cable was moved while it was asked. The one that had its place is managed, the other one is left alone: give it a GUID of its own, or ask who plays another."},
    Meaning{Note::kEdgePortRefused, "Somebody plugged a switch in, or a host says it is one. If it shall be there, take the port out of edge_ports."},
    Meaning{Note::kQuotaUsedUp, "A host plays a fabric, or one grew where a host was. What stays the same for a minute is let in; a restart of the subnet manager, or another cable to it, lets it in at once."},
    Meaning{Note::kRoomMade, "Behind that port is a host that plays a fabric, or the fabric is larger than the board: choose a larger one (emberc boards)."},
    Meaning{Note::kNeighborSilent, "The link is up, and what is behind it takes no SMPs: it may be starting, or its firmware hangs."},
    Meaning{Note::kNodeUnusable, "It has no GUID, no ports, an unknown type, or answers from a port that it does not have."},
    Meaning{Note::kLinkWidthReduced, "Lanes are lost: reseat or replace the cable. Widths that are not enabled are not missed."},
    Meaning{Note::kLinkSpeedReduced, "It was trained at a lower speed than both ends have enabled: reseat or replace the cable."},
    Meaning{Note::kLinkQuarantined, "Replace the cable. See flapping_link_count, flapping_link_window and flapping_link_hold."},
    Meaning{Note::kPortDisabled, "Replace the cable; then the port has to be enabled by hand (ibportstate)."},
    Meaning{Note::kSetRefused, "The device does not support a value, or another subnet manager has set an M_Key."},
    Meaning{Note::kSwitchWithoutMaps, "An engine that needs several VLs is refused, or takes another scheme. Look for newer firmware."},
    Meaning{Note::kSwitchLanesSuspect, "Routes are made anew so that they do not rely on it. It is tried again each minute; after the third time only after emberctl sweep heavy."},
    Meaning{Note::kSwitchLanesTaken, "Routes may use its VLs again."},
    Meaning{Note::kLaneTablesLacking, "Packets there may have other lanes, or another share of links, than qos_* keys say. See set-refused and set-unanswered; they are tried again each minute."},
    Meaning{Note::kPKeysUnset, "The port, or the switch port in front of it, did not answer or refused. A link that was not up stays below ACTIVE."},
    Meaning{Note::kPKeyTableFull, "Put the port into fewer partitions."},
    Meaning{Note::kPKeysNotEnforced, "The end port alone guards its partitions: put it into fewer."},
    Meaning{Note::kPartitionGaps,
            "The condition is not-enforced until they do; the lines before name each port and why."},
    Meaning{Note::kTrapReceived, "A trap of a vendor, or of a number that IBA does not name."},
    Meaning{Note::kTrapPortErrors, "Look at the error counters of both ends. Many of them put the cable into quarantine."},
    Meaning{Note::kTrapMKey, "Somebody who does not know the M_Key tried to manage this node."},
    Meaning{Note::kTrapPKey, "A packet crossed partitions: a node is configured otherwise than the subnet manager, or tries what it may not."},
    Meaning{Note::kTrapSwitchPKey, "A packet crossed partitions: a node is configured otherwise than the subnet manager, or tries what it may not."},
    Meaning{Note::kTrapUnusable, "The sender was not given that LID, or has left since."},
    Meaning{Note::kTrapRefused, "A port has a share of the traps that are heard, and this one sends more: it is broken, or means to disturb."},
    Meaning{Note::kLidMoved, "Connections to it break. It had a LID that is kept for another port, does not fit its LMC, or lies above max_lid."},
    Meaning{Note::kLidDuplicate, "Two subnets were joined, or another subnet manager gave out LIDs."},
    Meaning{Note::kLidsExhausted, "These ports are not reached: lower lmc, or choose a larger board (below max_lid: switches of a larger LinearFDBCap)."},
    Meaning{Note::kSwitchLeftOut, "Replace it, or let reassign_lids give out lower LIDs. What hangs on it reaches nobody."},
    Meaning{Note::kFiledLidPassedOver, "The store or the device is newer than the file: what is in use stays. Take the file anew, or delete the key."},
    Meaning{Note::kFiledLidTaken, "The LID is in use by another port, which keeps it."},
    Meaning{Note::kFiledLidUnfit, "lmc was another when the file was written, or the board holds fewer LIDs: max_lid."},
    Meaning{Note::kOddCable, "Plug it where the plan of the fabric has it, or take it out."},
    Meaning{Note::kSchemeGivenUp, "Routes are safe, and some are longer or share links more than they need. Set what the line names, or let routing_engine name another engine."},
    Meaning{Note::kRootsAssumed, "Nothing is wrong where these are the switches at the top. Else let root_guid_file name the roots."},
    Meaning{Note::kRootsBridged, "Every pair talks. Hosts, storage and aggregation nodes on several roots need this; OpenSM leaves them apart, or lets their packets wait for each other."},
    Meaning{Note::kSpareOptionUnfit, "Nothing is wrong until a switch of the first seed fails: correct the file before. emberc check --fabric names the line."},
    Meaning{Note::kLevelsOutOfForce, "Set routing_lanes FALSE to have the levels instead: paths are longer then, or share links; emberc plan says what that costs."},
    Meaning{Note::kLevelsLackVls, "Ask for fewer service levels, or send several of them to one VL by qos_swe_sl2vl; or set routing_lanes FALSE to have them on one lane each: emberc plan says what that costs."},
    Meaning{Note::kLevelsLackSls, "Ask for fewer service levels; or set routing_lanes FALSE to have them on one lane each: emberc plan says what that costs."},
    Meaning{Note::kLevelsInForce, "Nothing to do. emberctl explain path tells the SL of a pair, and its level."},
    Meaning{Note::kLaneMapsIgnored, "The routing is free of credit loops by its own maps: take the key out."},
    Meaning{Note::kLanesUnfair, "Packets of one level of service are served differently, by the way that they take. Give its VLs one weight each."},
    Meaning{Note::kLanesOfNoLink, "The weights of VLs that the link has not count for others. Give VLs 2 to 7 no weight there."},
    Meaning{Note::kEngineFault, "Correct the fabric or the option file that it names, or add an engine to routing_engine that knows this shape."},
    Meaning{Note::kStepLanesRefused, "Correct what it names, or set chain_lanes FALSE: steps then share one lane, and a credit loop of two of them is told."},
    Meaning{Note::kStepLanesLaid, "Nothing to do. chain_lanes TRUE says so from the first; with routing_lanes FALSE the chain is refused, or its credit loop is told."},
    Meaning{Note::kPairLost, "Add an engine to routing_engine that routes this fabric, or mend the fabric."},
    Meaning{Note::kCreditLoop, "Packets may wait for each other for ever. updn, dnup and ftree promise that this cannot be."},
    Meaning{Note::kWaysApart, "Only what switches themselves send by LID is concerned, as counters read there; traps do reach the subnet manager. emberctl status has the number."},
    Meaning{Note::kRoutingKept, "See the lines before for what every engine was refused for. New cables and hosts are not routed over before an engine is accepted again."},
    Meaning{Note::kSafeRoutingTaken, "Every pair is reached and no credit loop is possible, but much goes through few switches. See the lines before for what every engine was refused for. no_fallback forbids it."},
    Meaning{Note::kSafeRoutingEnded, "What was lost is back, or another engine was configured."},
    Meaning{Note::kRoutingRefused, "Add an engine to routing_engine; emberc plan shows which ones route this fabric."},
    Meaning{Note::kDeadRoutesDropped, "Pairs that these routes served are apart until a routing is accepted."},
    Meaning{Note::kScrubLft, "A tool, another subnet manager or a defect of the switch has changed it."},
    Meaning{Note::kScrubMft, "A tool, another subnet manager or a defect of the switch has changed it."},
    Meaning{Note::kScrubOther, "It was changed behind the back of the subnet manager, was reset, or does not tell the truth."},
    Meaning{Note::kScrubPKeys, "A tool, another subnet manager or the port itself has changed them: who may do so may cross partitions."},
    Meaning{Note::kScrubLanes, "A tool, another subnet manager or a defect of the device has changed them."},
    Meaning{Note::kMulticastHeld, "This SM took over and does not know the groups of the one before: see multicast_hold."},
    Meaning{Note::kNoRoomForGroup, "IP over InfiniBand does not work: choose a larger board."},
    Meaning{Note::kOtherSmKeyWrong, "It has another sm_key: two masters may fight over the subnet. Give both the same one."},
    Meaning{Note::kOtherSmUnlisted, "Stop it, or list its port in sm_peers."},
    Meaning{Note::kHandoverHeld, "It is of another kind, lacks our replication_key, or cannot be heard. Give it the key; or say that it is of another kind: list it in sm_peers, or hand it the subnet with emberctl."},
    Meaning{Note::kHandoverOverdue, "It ignores other SMs, hangs, or does not meet us: stop one of the two."},
    Meaning{Note::kTwoMasters, "One of the two does not meet the other in its sweeps: look at what both say of the switches between them, and stop one if it lasts."},
    Meaning{Note::kNoMessageCodes, "The library of cryptography fails, for example for want of entropy: restart the manager, or take replication_key away."},
    Meaning{Note::kPeerKeyWrong, "Give all subnet managers one replication_key. If they have it, a port of the subnet makes up messages."},
    Meaning{Note::kPeerOtherVersion, "One of the two runs another release: upgrade it."},
    Meaning{Note::kPeerConfiguredOtherwise, "What it would do as master differs from what we do: give both the same configuration. sm_priority, sm_inactive and guid may differ."},
    Meaning{Note::kPeerOtherFormat, "One of the two runs another release, or its board keeps no records: a takeover between them asks clients to register again."},
    Meaning{Note::kStandbyAside, "Give both the same configuration and release. Until then no other SM of this kind follows if the master dies, unless it is configured alike."},
    Meaning{Note::kPeerFallsBehind, "The way to it loses datagrams, or it hangs."},
    Meaning{Note::kPeerTooSmall, "Choose a larger board for it."},
    Meaning{Note::kReplicaTooLarge, "This SM would ask clients to register again when it takes over: choose a larger board."},
    Meaning{Note::kMKeysRefused, "It is off or starting, or guards itself with another M_Key: until its lease is over, if it has one, no manager without that key reaches it."},
    Meaning{Note::kMKeyForeign, "Another subnet manager has set it. Ask its owner for the key, or reset the device."},
    Meaning{Note::kMKeyTakenOver, "Another subnet manager has set it and left it readable (protection level 0)."},
    Meaning{Note::kSaKeyWrong, "A client asks as if it were trusted, with another sa_key."},
    Meaning{Note::kSaPKeyWrong, "The sender puts a P_Key into its packets that it was not given, or another P_Key index of our port is meant by now."},
    Meaning{Note::kSaDenied, "A port tried to change what is another's: see sa_allow_proxies, and sa_key for programs that shall."},
    Meaning{Note::kBlobRefused, "Nothing of it is in force. emberc show says what the file holds and who signed it."},
    Meaning{Note::kTrialRolledBack, "emberctl reload tries the same file again; see docs/survival.md."},
    Meaning{Note::kRestartedAfterSignal, "A defect: please report it, with the lines before."},
    Meaning{Note::kRestartedAfterHang, "A defect, or a machine that is overloaded: see --hang-timeout."},
    Meaning{Note::kStoreFailed, "A restart will not know it: look at the disk, and at the rights of --state-dir."},
    Meaning{Note::kNotesMissed, "Whoever reads the log is too slow, or the level is debug on a large fabric."},
};
// clang-format on
static_assert(std::is_sorted(kMeanings.begin(), kMeanings.end(),
                             [](const Meaning& one, const Meaning& other) {
                                 return one.note < other.note;
                             }));

std::string_view MeaningOf(Note note) {
    const auto found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                    [note](const Meaning& row) { return row.note == note; });
    return found != kMeanings.end() ? found->text : std::string_view();
}

/// The sentence, with the names of its values in angle brackets.
std::string TextOf(const Sentence& sentence) {
    std::string text;
    std::size_t at = 0;
    for (Blank blank = NextBlank(sentence.text, 0); blank.end != 0;
         blank = NextBlank(sentence.text, blank.end)) {
        text += sentence.text.substr(at, blank.begin - at);
        text += fmt::format("<{}>", blank.name);
        at = blank.end;
    }
    text += sentence.text.substr(at);
    return text.substr(text.find_first_not_of(' '));
}

}  // namespace

std::string EventsAsMarkdown() {
    std::string page =
        "# Events\n\n"
        "Every line of the log ends in the code of its kind, in brackets; `--log-format json` has "
        "it as `code`.\n"
        "A code never changes, so rules of log collectors are best tied to it; texts may. Values "
        "stand in angle\n"
        "brackets here, by the names that they have as members of `values` in JSON. A GUID is "
        "followed by the\n"
        "name of its node: what node_name_map_name says, else its NodeDescription.\n\n"
        "Lines below the severity `info` are kept with `--log debug` or `emberctl log-level "
        "debug` only;\n`link=debug,sweep=warning` behind it are levels for codes that begin so. "
        "`emberctl events`\nprints this table, `emberctl events CODE` a line of it. Made by "
        "`make docs-update` from the catalogue that the\nsubnet manager writes from; the gate "
        "`docs` compares.\n\n"
        "| code | severity | text | meaning |\n| --- | --- | --- | --- |\n";
    for (const Sentence& sentence : kSentences) {
        page += fmt::format("| `{}` | {} | `{}` | {} |\n", sentence.code, WordOf(sentence.severity),
                            TextOf(sentence), MeaningOf(sentence.note));
    }
    return page;
}

std::string EventsPage(std::string_view code) {
    std::string page;
    for (const Sentence& sentence : kSentences) {
        if (!code.empty() && code != sentence.code) continue;
        page += fmt::format("{:<24} {:<8} {}\n", sentence.code, WordOf(sentence.severity),
                            TextOf(sentence));
        const std::string_view meaning = MeaningOf(sentence.note);
        if (!code.empty() && !meaning.empty()) page += fmt::format("{}\n", meaning);
    }
    return page;
}

}  // namespace ember::ctl
