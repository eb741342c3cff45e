# SPDX-License-Identifier: Apache-2.0
# EmberSM: writes the option files that an opensm.conf names, for a drawn net.
"""Each function returns the text of one file. What a file says is true of the net: its GUIDs are
there, its ports have cables."""
import collections

from fabric import Hex


def Guids(guids, comment=""):
    return ("# %s\n" % comment if comment else "") + "".join(Hex(guid) + "\n" for guid in guids)


def HostGuids(net, *roles):
    """PortGUIDs of the cabled ports of hosts that have one of these roles."""
    return [host.port_guids[port] for host in net.hosts if host.role in roles
            for port in sorted(host.links)]


def Numbers(net):
    """ids_guid_file."""
    return "".join("%s %d\n" % (Hex(node.guid), 1 + i * 7 % len(net.switches))
                   for i, node in enumerate(net.switches))


def Weights(net, most=20):
    """hop_weights_file, of which no path gets longer than a byte counts."""
    return "".join("%s %d %d\n" % (Hex(node.guid), port, 1 + i % 2)
                   for i, (node, port) in enumerate(net.Trunks()[:most]))


def Ignored(net, most=10):
    """port_prof_ignore_file."""
    return "".join("%s %d\n" % (Hex(node.guid), port) for node, port in net.Trunks()[:most])


def SearchOrder(net):
    """port_search_ordering_file."""
    return "".join("%s %s\n" % (Hex(node.guid), " ".join(map(str, sorted(node.links)[::-1])))
                   for node in net.switches[::2] if node.links)


def EdgePorts(net, seat):
    return "# ports with one host each\n" + "".join(
        "%s %d\n" % (Hex(switch.guid), port) for switch in net.switches
        for port, link in sorted(switch.links.items())
        if link.peer.kind == "host" and link.peer is not seat)


def Lids(net, most=60):
    """guid2lid_file, as OpenSM writes its guid2lid: of the first switches."""
    return "\n".join("%s 0x%04x 0x%04x\n" % (Hex(node.guid), lid, lid)
                     for lid, node in enumerate(net.switches[:most], 1))


def NameMap(net, most=60):
    """node_name_map_name."""
    lines = ["# names of switches"]
    for node in net.switches[:most]:
        plain = "".join(c for c in node.name if c.isprintable() and c.isascii() and c not in '"#')
        lines.append('%s "%s (map)"' % (Hex(node.guid), plain[:40]))
    return "\n".join(lines) + "\n"


def Prefixes(routers):
    """prefix_routes_file; without a router it has a line that fits none."""
    lines = ["0xfec0000000000%03x %s" % (i + 1, Hex(router.port_guids[1]))
             for i, router in enumerate(routers)]
    return "\n".join(["# prefixes beyond"] + lines + (["* *"] if routers else [])) + "\n"


def ManagementKeys(net, key, most=64):
    """guid2mkey_file."""
    return "".join("%s %s\n" % (Hex(guid), Hex(key)) for guid in HostGuids(net, "compute")[:most])


def Neighbors(net, most=64):
    """neighbors_file."""
    lines = []
    for host in net.hosts[:most]:
        for port, link in sorted(host.links.items()):
            if link.peer.is_switch:
                lines.append("%s:%d %s:%d\n" % (Hex(host.port_guids[port]), port,
                                                Hex(link.peer.guid), link.port))
    return "".join(lines)


def Registrations(net, pkey=0xFFFF):
    """sa_db_file: a group with two members, and a service."""
    members = HostGuids(net, "compute")[:2]
    gid = "0xfe80000000000000:%s"
    lines = ["MC Group 0xc005 : mgid=0xff12401bffff0000:0x0000000000000777 port_gid=%s "
             "qkey=0x00000b1b mlid=0xc005 mtu=0x84 tclass=0x00 pkey=0x%04x rate=0x83 pkt_life=0x92 "
             "sl_flow_hop=0x00000000 scope_state=0x21 proxy_join=0x0"
             % (gid % Hex(members[0]), pkey)]
    lines += ["mcm_port: port_gid=%s scope_state=0x21 proxy_join=0x0" % (gid % Hex(member))
              for member in members]
    return "\n".join(lines) + "\n"


def Bandwidths(guids, group):
    """enhanced_qos_policy_file: limits for one group, for two ports, and for all others none."""
    lines = ["BW_NAMES", "slow = 10000", "fast = 100000", "BW_RULES", "default = all:fast",
             "%s = 2:slow" % group]
    lines += ["%s = 0:slow, all:fast" % Hex(guid) for guid in guids[:2]]
    return "\n".join(lines + ["VPORT_BW_RULES", "default = all:fast"]) + "\n"


def PortGroup(name, *rules):
    return "\n".join(["port-group", "  name: " + name, *("  " + rule for rule in rules),
                      "end-port-group", "", ""])


def ByGuid(nodes):
    """The rule of a port group, for these nodes whatever their names are."""
    return "port-guid: " + ", ".join(
        Hex(guid) for node in nodes
        for guid in ([node.guid] if node.is_switch
                     else [node.port_guids[port] for port in sorted(node.links)]))


# --- Routes of our own, for the engine `file` -----------------------------------------------------
def _Owners(net):
    """(LID, its switch, its port there, PortGUID) of all end ports; port 0 is a switch's."""
    owners = []
    for node in net.nodes:
        for port, lid in node.lids.items():
            if node.is_switch:
                owners.append((lid, node, 0, node.guid))
            elif node.links[port].peer.is_switch:
                link = node.links[port]
                owners.append((lid, link.peer, link.port, node.port_guids[port]))
    return sorted(owners, key=lambda owner: owner[0])


def _Distances(switches, target):
    hops, pending = {target: 0}, collections.deque([target])
    while pending:
        here = pending.popleft()
        for link in here.UpLinks():
            if link.peer not in hops:
                hops[link.peer] = hops[here] + 1
                pending.append(link.peer)
    return [hops.get(switch, 255) for switch in switches]


def ForwardingTables(net):
    """lfts_file: shortest paths, among equal exits that of the LID's number. The net needs LIDs."""
    owners, out, exits = _Owners(net), [], {}
    for target in {owner[1] for owner in owners}:
        hops = dict(zip(net.switches, _Distances(net.switches, target)))
        for switch in net.switches:
            exits[switch, target] = [port for port, link in sorted(switch.links.items())
                                     if link.peer.is_switch and hops[link.peer] < hops[switch]]
    for switch in net.switches:
        out.append("Unicast lids [0x0-0x%x] of switch Lid %d guid %s ('of a desk'):"
                   % (owners[-1][0], switch.lids[0], Hex(switch.guid)))
        for lid, target, port, guid in owners:
            ways = [port] if target is switch else exits[switch, target]
            if ways:
                out.append("0x%04x %03d # Channel Adapter portguid %s: 'of a desk'"
                           % (lid, ways[lid % len(ways)], Hex(guid)))
        out.append("%d lids dumped " % len(owners))
    return "\n".join(out) + "\n"


def HopMatrix(net, targets=None):
    """lid_matrix_dump_file: the hops to each switch, or to some, by exit."""
    out, targets = [], sorted(targets or net.switches, key=lambda node: node.lids[0])
    distances = {target: dict(zip(net.switches, _Distances(net.switches, target)))
                 for target in targets}
    for switch in net.switches:
        out.append("Switch: guid %s" % Hex(switch.guid))
        for target in targets:
            hops = distances[target]
            row = [hops[switch]] + [0xFF] * switch.port_count
            for port, link in switch.links.items() if target is not switch else ():
                if link.peer.is_switch:
                    row[port] = min(0xFF, hops[link.peer] + 1)
            out.append("0x%04x: %s # portguid %s" % (
                target.lids[0], " ".join("%02x" % count for count in row), Hex(target.guid)))
    return "\n".join(out) + "\n"


# --- torus-2QoS.conf ------------------------------------------------------------------------------
def TorusConfig(sizes, at, wrap, chance, seeds=1):
    """A seed needs its links whole, a ring of four both of them. A mesh's seed says by datelines
    how far its edge is, a second seed of a torus how far the first one is."""
    sizes = tuple(sizes) + (1,) * (3 - len(sizes))

    def Step(place, axis, by):
        step = list(place)
        step[axis] += by
        if wrap and sizes[axis] > 2:
            step[axis] %= sizes[axis]
        return tuple(step)

    def Joined(place, step):
        return step in at and any(link.peer is at[step] for link in at[place].UpLinks())

    def Whole(place):
        for axis in range(len(place)):
            if sizes[axis] > 1 and not Joined(place, Step(place, axis, 1)):
                return False
            if sizes[axis] == 4 and wrap and not Joined(place, Step(place, axis, -1)):
                return False
        return True

    whole = [place for place in at if Whole(place)]
    chosen = chance.sample(whole, min(len(whole), seeds))
    lines = ["%s %d %d %d" % ("torus" if wrap else "mesh", *sizes)]
    for number, place in enumerate(chosen):
        lines += ["", "next_seed"] if number else []
        for axis, letter in enumerate("xyz"[:len(place)]):
            if sizes[axis] == 1:
                continue
            here = Hex(at[place].guid)
            lines.append("%sp_link %s %s" % (letter, here, Hex(at[Step(place, axis, 1)].guid)))
            if sizes[axis] == 4 and wrap:
                lines.append("%sm_link %s %s" % (letter, here,
                                                 Hex(at[Step(place, axis, -1)].guid)))
            if not wrap and place[axis]:
                lines.append("%s_dateline %d" % (letter, -place[axis]))
            if wrap and number and sizes[axis] > 2 and place[axis] != chosen[0][axis]:
                lines.append("%s_dateline %d" % (letter, chosen[0][axis] - place[axis]))
    return "\n".join(lines) + "\n"
