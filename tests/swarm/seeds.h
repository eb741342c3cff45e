// SPDX-License-Identifier: Apache-2.0
// EmberSM: stories that failed once, made small. Each is told in every run.
#pragma once

#include <array>
#include <string_view>

namespace ember::swarm {

struct KeptStory {
    std::string_view which;  ///< As `ember_swarm --seed` takes it.
    std::string_view shown;  ///< What was wrong.
};

// clang-format off
inline constexpr std::array kKeptStories = {
    KeptStory{"1", "the first of all"},
    KeptStory{"184", "a poll without room on the wire was due for ever"},
    KeptStory{"905", "a switch without a LID was to go to ACTIVE"},
    KeptStory{"1277", "a host that fell back to INIT while it was set stayed there"},
    KeptStory{"1291 only=4,7", "a host that came up while it was set was left without routes"},
    KeptStory{"1800", "two pairs of flapping links took turns in quarantine"},
    KeptStory{"2416 only=5", "tables were kept by which a switch that came back was not reached"},
    KeptStory{"2439 only=28", "a manager on a core did not reach the second LID of a switch"},
    KeptStory{"3479 only=3,6", "M_Keys of a board with fewer LIDs than switches did not fit"},
    KeptStory{"3624 only=9,14,16,17,18", "a port that fell back to ARMED was taken for ACTIVE"},
    KeptStory{"3812", "a host that played a switch took rubbish for its M_Key"},
    KeptStory{"4145 only=1,3,5", "a port was known by another GUID for ever"},
    KeptStory{"5010", "a link was left in quarantine that no one remembered"},
    KeptStory{"5157 only=3,5,8,9", "a multicast tree met an older one over a cable in quarantine"},
    KeptStory{"6057 only=1,2,6,9,10", "clients of a master that yielded early were forgotten"},
    KeptStory{"6854", "a fake fabric had the room of honest switches"},
    KeptStory{"6895 only=2,3,4,7,9", "a link went on with what a switch once said it can"},
    KeptStory{"7402 only=0,2,4,5,6,7,8,9,10,11,12", "a client believed what the wire had changed"},
    KeptStory{"7502", "a client took another group for its own"},
    KeptStory{"8386 only=16", "a board that is too small forgot that it is"},
    KeptStory{"8454", "M_Keys waited for room on the wire without a pause"},
    KeptStory{"9593 only=2,3,4", "one end of a link kept another MTU for ever"},
    KeptStory{"9810", "a host that was silent once was left without a LID"},
    KeptStory{"9993", "a link was taken down again by each repeated Set"},
};
// clang-format on

}  // namespace ember::swarm
