# SPDX-License-Identifier: Apache-2.0
# EmberSM: reads service levels, maps and tables over ibsim, and looks for credit loops by lane.
"""A packet waits for a link and a lane at a time: arcs go from (link, lane) to (link, lane), as SL
to VL maps by input and output port say (IBA vol. 1, 14.2.5.8). The level of a path is what the
subnet administrator tells; nothing of the manager's own proof is asked."""
import collections

import checks
import ibsim
import path_cases
from sa import Client  # noqa: F401
from walk import DROP, HasCircle

SL_TO_VL = 0x17
SLID, DLID, SL = (160, 0xFFFF), (176, 0xFFFF), (80, 0xF)  # Of a PathRecord: shift and mask.


def Levels(client, lids):
    """{(SLID, DLID): SL} of all paths from these LIDs."""
    server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
    levels = {}
    for lid in lids:
        mask, question = path_cases.Pack(slid=lid, numb=1)
        status, records = client.Query(server, "PathRecord", mask, question)
        checks.Expect(status == 0, "paths from LID %d: status 0x%04x", lid, status)
        for record in records:
            number = int.from_bytes(record, "big")
            slid, dlid, level = (number >> shift & mask for shift, mask in (SLID, DLID, SL))
            levels[slid, dlid] = level
    return levels


def Maps(client, subnet):
    """{(node, from port, to port): [VL by SL]} of switches, and of adapters with both ports 0."""
    places, questions = [], []
    for node in subnet.switches + subnet.hosts:
        route = subnet.routes[node.name]
        pairs = [(0, 0)]
        if node.is_switch:
            wired = sorted(node.ports)
            pairs = [(one, other) for one in wired for other in wired if one != other]
        for one, other in pairs:
            places.append((node.name, one, other))
            questions.append((route, SL_TO_VL, one << 8 | other))
    answers = subnet.AskAll(client, questions)
    return {place: [octet >> shift & 0xF for octet in answer[:8] for shift in (4, 0)]
            for place, answer in zip(places, answers)}


def CreditLoop(subnet, levels, maps, senders):
    """Whether data of these senders, {LID: (node, port)}, can wait for itself on any lane; and how
    many paths were followed."""
    arcs, paths = collections.defaultdict(set), 0
    nodes = subnet.simulator.nodes
    for (slid, dlid), level in levels.items():
        if slid not in senders or dlid not in senders or slid == dlid:
            continue
        name, port = senders[slid]
        lane = maps.get((name, 0, 0), [0] * 16)[level]
        peer = nodes[name].ports[port]
        before, here, came, hops = (name, port, lane), peer.node, peer.port, 0
        while nodes[here].is_switch:
            table = subnet.tables[here]
            leave = table[dlid] if dlid < len(table) else DROP
            onward = nodes[here].ports.get(leave)
            checks.Expect(onward is not None and hops < 64, "no way from LID %d to LID %d at %s",
                          slid, dlid, here)
            lane = maps[here, came, leave][level]
            checks.Expect(lane != 15, "SL %d of LID %d to LID %d is dropped at %s", level, slid,
                          dlid, here)
            after = (here, leave, lane)
            arcs[before].add(after)
            before, here, came, hops = after, onward.node, onward.port, hops + 1
        paths += 1
    return HasCircle(arcs), paths
