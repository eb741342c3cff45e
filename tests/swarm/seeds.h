// SPDX-License-Identifier: Apache-2.0
// EmberSM: stories that failed once, made small. Each is told in every run.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "tests/swarm/story.h"

namespace ember::swarm {

struct KeptStory {
    std::string_view which;  ///< As `ember_swarm --seed` takes it.
    std::string_view shown;  ///< The fault that it showed.
};

// clang-format off
inline constexpr std::array kKeptStories = {
    KeptStory{"1", "the first of all"},
    KeptStory{"184", "a poll without room on the wire was due for ever"},
    KeptStory{"905", "a switch without a LID was to go to ACTIVE"},
    KeptStory{"28 managers", "a port was activated with our LID while another master served it"},
    KeptStory{"154 managers", "a replica of before a partition was taken for all there is"},
    KeptStory{"888 managers", "clients of a master that took our LID were not asked"},
    KeptStory{"1190 managers", "clients that a master had lost were not asked by the next"},
    KeptStory{"1365 managers", "DISABLE was obeyed of a host that had the LID of a master before"},
    KeptStory{"1277", "a host that fell back to INIT while it was set stayed there"},
    KeptStory{"1291 only=4,7", "a host that came up while it was set was left without routes"},
    KeptStory{"1296", "two standbys waited for each other to serve"},
    KeptStory{"1800", "two pairs of flapping links took turns in quarantine"},
    KeptStory{"2416 only=5", "tables were kept by which a switch that came back was not reached"},
    KeptStory{"2439 only=28", "a manager on a core did not reach the second LID of a switch"},
    KeptStory{"3280", "clients of a master that yielded were not asked, as a takeover asks none"},
    KeptStory{"3479 only=3,6", "M_Keys of a board with fewer LIDs than switches did not fit"},
    KeptStory{"3624 only=9,14,16,17,18", "a port that fell back to ARMED was taken for ACTIVE"},
    KeptStory{"3812", "a host that played a switch took rubbish for its M_Key"},
    KeptStory{"4145 only=1,3,5", "a port was known by another GUID for ever"},
    KeptStory{"2322 managers", "a manager with a proved peer that has no LID panicked"},
    KeptStory{"2705 managers", "whom a master of a moment had asked, its heir did not ask"},
    KeptStory{"3163 managers", "a lower master ended a long round before it yielded"},
    KeptStory{"3431 managers", "a manager whose master has no LID panicked"},
    KeptStory{"3653 managers", "a switch that fell silent closed a circle with new trees"},
    KeptStory{"6941 managers", "of several links with fields unkept one was mended in ten minutes"},
    KeptStory{"7962 managers", "a manager that had lost its own port was due for ever"},
    KeptStory{"747 managers", "a standby that came between sweeps was not handed the subnet"},
    KeptStory{"4457", "an election of three seconds left the sweep before it out of date"},
    KeptStory{"4747", "two masters had one LID, and clients of the lower were not asked"},
    KeptStory{"5010", "a link was left in quarantine that no one remembered"},
    KeptStory{"5157 only=3,5,8,9", "a multicast tree met an older one over a cable in quarantine"},
    KeptStory{"6057 only=1,2,6,9,10", "clients of a master that yielded early were forgotten"},
    KeptStory{"6782", "a master that woke up took tables for what it had once written"},
    KeptStory{"6854", "a fake fabric had the room of honest switches"},
    KeptStory{"6895 only=2,3,4,7,9", "a link went on with what a switch once said it can"},
    KeptStory{"7402 only=0,2,4,5,6,7,8,9,10,11,12", "a client believed what the wire had changed"},
    KeptStory{"7502", "a client took another group for its own"},
    KeptStory{"8386 only=16", "a board that is too small forgot that it is"},
    KeptStory{"8454", "M_Keys waited for room on the wire without a pause"},
    KeptStory{"9593 only=2,3,4", "one end of a link kept another MTU for ever"},
    KeptStory{"9810", "a host that was silent once was left without a LID"},
    KeptStory{"9898", "two masters had one LID, which one of them had moved to"},
    KeptStory{"8800951 managers", "a switch was entered by a row that was gone"},
    KeptStory{"9993", "a link was taken down again by each repeated Set"},
    KeptStory{"630", "a changed datagram made a group that others were refused"},
    KeptStory{"844", "enforcement that a switch had no room for stayed off when it had"},
    KeptStory{"4207", "light sweeps waited for an SM that was none any more"},
    KeptStory{"6926", "a cable that flaps cost more notes than the judge allows"},
    KeptStory{"825", "two managers that knew no way to each other were master for ever"},
    KeptStory{"1981", "a busy switch did not tell of two ports, and their hosts were lost"},
    KeptStory{"2301", "a host that made up a GUID was locked for all managers but one"},
    KeptStory{"2360", "a sweep ended before it came to the M_Key that had been answered"},
    KeptStory{"3598", "a chain's way from the master to a mere switch was wanted by the judge"},
    KeptStory{"6819", "clients of a master that yielded early were forgotten"},
    KeptStory{"8800652 managers", "what several have left in a part that none reaches was judged"},
    KeptStory{"8800658 managers", "a made-up fabric, three liars and five managers: LID 4 was there twice"},
    KeptStory{"9101872", "what the wire had changed was registered, and another thing acknowledged"},
    KeptStory{"9102212", "a port was activated late while an SM that was not recognised served it"},
    KeptStory{"9200337 managers", "a master woke with another LID"},
    KeptStory{"1306", "a switch that was rebooted and silent was left without a LID"},
    KeptStory{"974", "tables of 256 LIDs on a board of 1,023: hosts lie, and LIDs are short"},
    KeptStory{"1354", "likewise, with more LIDs a host, after LIDs were forgotten"},
    KeptStory{"6286", "a host that made up a GUID kept its M_Key, which level 1 hides"},
    KeptStory{"9016", "a host that answered to no M_Key that was known"},
    KeptStory{"9020", "a master that took its own link down looked too late for what was back"},
    KeptStory{"9189", "a fabric behind a switch that said it was a router was left dark"},
    KeptStory{"10322", "a switch that made up a GUID kept its M_Key, which level 1 hides"},
    KeptStory{"9651", "two masters awaited each other, as the lower one's priority was raised"},
    KeptStory{"2349 managers", "a manager without a LID cannot tell that it ranks higher"},
    KeptStory{"3735", "a switch played another fabric with each answer: sweep after sweep was told whole"},
    KeptStory{"6686", "a board without room knocks at what it refused, two seconds of each ten"},
    KeptStory{"22134 managers", "one of two managers knew the key of a host that held a taken LID"},
    KeptStory{"7031 managers", "a host without a LID was ACTIVE while its switch was in INIT"},
    KeptStory{"9107 managers", "likewise"},
    KeptStory{"3003244", "a LID of two ports and a credit loop were told whole in each sweep"},
    KeptStory{"3003516", "a port that was deaf kept the scrub of all others waiting"},
    KeptStory{"3003621", "groups that share a MLID, as a switch said it has few, were judged apart"},
    KeptStory{"3005719", "aggregation nodes on two roots were wanted connected in OpenSM's order"},
    KeptStory{"3006252", "a switch without a LID left what hangs on it without routes"},
    KeptStory{"3001548 managers", "a host played a fabric in every other sweep, without a pause"},
    KeptStory{"4100201 managers", "a standby asked its master at a LID that it had before"},
    KeptStory{"3000967 managers", "a host that was silent was back, and the next master did not ask it"},
    KeptStory{"3005038 managers", "standbys swept when their master asked by another way"},
    KeptStory{"3009660 managers", "a standby swept for a master that had told where it is"},
    KeptStory{"3008974 managers only=0,2,3", "M_Keys of a switch that lied kept two masters apart"},
    KeptStory{"4100134 managers", "a host that had failed its SL to VL tables was not tried at rest"},
    KeptStory{"9243 managers", "the key of a host's port was not tried where a switch had lied"},
    KeptStory{"5000724", "maps of routes with lanes that were gone dropped packets"},
    KeptStory{"5002239", "the judge did not wait until the scrub came to a map on 36 switches"},
    KeptStory{"5004905", "likewise to P_Keys on 24 switches"},
    KeptStory{"5006636", "what a master acknowledged, and was cut off, was wanted of the next"},
    KeptStory{"5007939", "a Set that a host had yet to answer was forgotten when routes were balanced"},
    KeptStory{"5000525 managers", "a circle of two masters was judged before one had the subnet up"},
    KeptStory{"5002239 managers", "the judge did not wait until the scrub came to a map"},
    KeptStory{"5004755 managers", "a master activated a port that another had served in its election"},
    KeptStory{"5007707 managers", "masters with one LID: no client was asked when the lower yielded"},
    KeptStory{"5009114 managers", "a host with another name in each sweep held off a handover"},
};
// clang-format on

/// Stories that fail still, and why; left out where many are told, but for `--known`. A row goes to
/// the others when what it names has been mended.
inline constexpr std::array kStoriesThatFail = {
    // Each of three masters guards its part by M_Keys made from GUIDs that the others have lost, as
    // made-up nodes filled their lists of nodes that left, and their files.
    KeptStory{"3008974 managers", "parts of a subnet with M_Keys that hide stay apart"},
};

/// True when that story is one of them.
[[nodiscard]] inline bool IsKnownToFail(const Case& which) {
    const std::string text = TextOf(which);
    return std::any_of(kStoriesThatFail.begin(), kStoriesThatFail.end(),
                       [&](const KeptStory& story) { return story.which == text; });
}

}  // namespace ember::swarm
