# SPDX-License-Identifier: Apache-2.0
# EmberSM: kinds of sites that are trees: two levels and three, rails, thin, mixed, half built.
"""A kind is a function of a Draft (site.py), which it gives a fabric and what is true of it."""

SERVICES = (("manager", "ufm"), ("login", "login"), ("storage", "oss"), ("storage", "oss"),
            ("gateway", "gw"))


def Services(draft, switches, speed):
    """Login, storage and the manager's host, one on each of these switches above the leaves."""
    for number, switch in enumerate(switches, 1):
        role, word = SERVICES[(number - 1) % len(SERVICES)]
        draft.net.Host(draft.names.Host(word, number), switch, role=role, speed=speed)
    draft.services_above = bool(switches)


def Aggregations(draft, switches, speed):
    for switch in switches:
        draft.net.Aggregation(switch, speed)
    draft.aggregation = True


def TwoLevels(draft, leaves, hosts, spines, cables, speed, radix=40, width=4):
    """`hosts` is a number for all leaves, or a list of one for each."""
    net, names = draft.net, draft.names
    bottom = [net.Switch(radix, names.Switch("leaf", i + 1)) for i in range(leaves)]
    top = [net.Switch(radix, names.Switch("spine", i + 1), "spine", 1) for i in range(spines)]
    number = 0
    for index, leaf in enumerate(bottom):
        for _ in range(hosts if isinstance(hosts, int) else hosts[index]):
            number += 1
            net.Host(names.Host("node", number), leaf, width=width, speed=speed)
    for leaf in bottom:
        for spine in top:
            for _ in range(cables):
                net.Join(leaf, spine, 4, speed)
    draft.roots, draft.shape, draft.whole = top, "tree", True
    return bottom, top


def ThreeLevels(draft, pods, leaves, middles, hosts, up, cores, speed, radix=40, top_cables=1):
    """A pod has `leaves` and `middles` with `up` cables between any two of them; each middle has
    `top_cables` to `cores` cores of its plane. Returns leaves by pod, middles by pod, planes."""
    net, names = draft.net, draft.names
    bottom = [[net.Switch(radix, names.Switch("leaf", p * leaves + i + 1))
               for i in range(leaves)] for p in range(pods)]
    middle = [[net.Switch(radix, names.Switch("agg", p * middles + i + 1), "middle", 1)
               for i in range(middles)] for p in range(pods)]
    planes = [[net.Switch(radix, names.Switch("core", m * cores + i + 1), "core", 2)
               for i in range(cores)] for m in range(middles)]
    number = 0
    for pod in bottom:
        for leaf in pod:
            for _ in range(hosts):
                number += 1
                net.Host(names.Host("node", number), leaf, speed=speed)
    for pod in range(pods):
        for leaf in bottom[pod]:
            for switch in middle[pod]:
                for _ in range(up):
                    net.Join(leaf, switch, 4, speed)
        for switch, plane in zip(middle[pod], planes):
            for core in plane:
                for _ in range(top_cables):
                    net.Join(switch, core, 4, speed)
    draft.roots = [core for plane in planes for core in plane]
    draft.shape, draft.whole = "tree", True
    draft.cuts += [(leaves * hosts, middles * cores * top_cables)] * (1 if pods > 1 else 0)
    return bottom, middle, planes


def TwoLevelSite(draft):
    """HDR leaves and spines, an aggregation node on each; service hosts on half of the spines."""
    chance = draft.chance
    if draft.size == "large":
        ThreeLevels(draft, 40, 10, 10, 20, 2, 20, "HDR", 41)
        return Aggregations(draft, draft.net.switches, "HDR")
    leaves, hosts, spines, cables = draft.Pick(
        chance.choice(((8, 20, 5, 4), (10, 16, 8, 2), (12, 18, 6, 3), (6, 20, 5, 4),
                       (16, 20, 20, 1))), chance.choice(((40, 38, 20, 2), (32, 40, 20, 2))))
    radix = draft.Pick(40, 80)
    _, top = TwoLevels(draft, leaves, hosts, spines, cables, "HDR", radix,
                       width=chance.choice((4, 2)))
    if draft.seed % 2:
        room = [spine for spine in top if spine.Room()]
        Services(draft, chance.sample(room, len(room) // 2), "HDR")
    if draft.seed % 3:
        Aggregations(draft, draft.net.switches, "HDR")


def RailSite(draft):
    """NDR, three levels; the eight adapters of a node in rails of their own."""
    chance, net = draft.chance, draft.net
    draft.names.model = "MQM9700"
    rails = chance.choice((8, 8, 4))
    pods, nodes, middles, up, cores, top = draft.Pick(
        chance.choice(((4, 6, 4, 2, 4, 4), (2, 12, 4, 3, 4, 6), (3, 8, 4, 2, 4, 4),
                       (5, 6, 2, 3, 6, 4))),
        chance.choice(((6, 24, 8, 3, 8, 3), (8, 16, 8, 2, 8, 2))), (30, 32, 16, 2, 16, 1))
    if rails == 4 and draft.size == "small":
        up *= 2
    if rails == 4 and draft.size == "medium":
        nodes, pods = nodes // 2, 2 * pods
    if rails == 4 and draft.size == "large":
        nodes, pods, cores = 16, 60, 8
    bottom, _, planes = ThreeLevels(draft, pods, rails, middles, 0, up, cores, "NDR", 64, top)
    draft.cuts = [(8 * nodes, middles * cores * top)] if pods > 1 else []
    for pod in range(pods):
        for node in range(nodes):
            for adapter in range(8):
                host = net.Host(draft.names.Host("gpu", pod * nodes + node + 1, adapter),
                                bottom[pod][adapter % rails], speed="NDR", device=0x1021)
                host.system_guid = net.nodes[-1 - adapter].guid
    if draft.seed % 3 == 0:
        room = [core for plane in planes for core in plane if core.Room()]
        Services(draft, chance.sample(room, min(2, len(room))), "NDR")
    if draft.seed % 2:
        Aggregations(draft, net.switches, "NDR")


def ThinSite(draft):
    """EDR, two to one; leaves of 6 to 24 hosts; some cables missing, others slow."""
    chance, net = draft.chance, draft.net
    draft.names.model = "MSB7800"
    if draft.size == "large":
        ThreeLevels(draft, 30, 12, 6, 24, 2, 12, "EDR", 36)
    else:
        leaves, spines, cables = draft.Pick(
            chance.choice(((10, 6, 2), (12, 4, 3), (8, 12, 1), (14, 6, 2))), (60, 12, 1))
        hosts = [chance.choice((24, 24, 24, 23, 18, 12, 6)) for _ in range(leaves)]
        TwoLevels(draft, leaves, hosts, spines, cables, "EDR", 36 if draft.size == "small" else 72)
    trunks = net.Trunks()
    for node, port in chance.sample(trunks, max(1, len(trunks) // 66)):
        net.Unplug(node, port)
    trunks = net.Trunks()
    for node, port in chance.sample(trunks, max(1, len(trunks) // 60)):
        net.Degrade(node, port, *chance.choice(((1, "EDR"), (4, "DDR"), (4, "QDR"), (1, "SDR"))))
    for host in chance.sample(net.hosts, max(1, len(net.hosts) // 80)):
        net.Degrade(host, 1, *chance.choice(((1, "EDR"), (4, "FDR"), (4, "SDR"))))
    draft.whole, draft.cuts = False, []


def MixedSite(draft):
    """Switches of 36, 40 and 64 ports, adapters with two ports on two leaves, LMC 1."""
    chance, net = draft.chance, draft.net
    if draft.size == "large":
        ThreeLevels(draft, 16, 12, 6, 20, 2, 12, "EDR", 36)
        draft.lmc = 1
        return
    spines, cables = draft.Pick((chance.choice((4, 6)), 2), (12, 1))
    small, big = draft.Pick((chance.choice((3, 4)), 4), (20, 12))
    top = [net.Switch(64, draft.names.Switch("spine", i + 1), "spine", 1) for i in range(spines)]
    bottom = [net.Switch(36, draft.names.Switch("leaf", i + 1)) for i in range(small)]
    bottom += [net.Switch(40, draft.names.Switch("leaf", small + i + 1)) for i in range(big)]
    number = 0
    for one, other in zip(bottom[::2], bottom[1::2]):
        for _ in range(draft.Pick(6, 10)):
            number += 1
            net.Host(draft.names.Host("dual", number), one, other, speed="EDR", device=0x1017)
    for leaf in bottom:
        speed = "EDR" if leaf.port_count == 36 else "HDR"
        for _ in range(draft.Pick(8, 12)):
            number += 1
            net.Host(draft.names.Host("node", number), leaf, speed=speed,
                     width=chance.choice((4, 4, 2)) if speed == "HDR" else 4)
        for spine in top:
            for _ in range(cables):
                net.Join(leaf, spine, 4, speed)
    draft.roots, draft.shape, draft.lmc = top, "tree", 1


def HalfBuiltSite(draft):
    """A spine is not there yet; a rack without hosts, with one uplink, out of sight, or spare."""
    chance, net = draft.chance, draft.net
    if draft.size == "large":
        bottom, _, planes = ThreeLevels(draft, 38, 10, 10, 20, 2, 20, "HDR")
        bottom, gone = [leaf for pod in bottom for leaf in pod], planes[4][3]
    else:
        leaves, hosts, spines, cables = draft.Pick(
            chance.choice(((8, 16, 4, 4), (10, 18, 6, 3), (9, 12, 4, 3))), (32, 32, 16, 2))
        bottom, top = TwoLevels(draft, leaves, hosts, spines, cables, "HDR", draft.Pick(40, 72))
        gone = top[-1]
    for port in list(gone.links):
        net.Unplug(gone, port)
    net.Remove(gone)
    draft.roots.remove(gone)
    draft.whole, draft.cuts, last = False, [], bottom[-1]
    ups = [port for port, link in last.links.items() if link.peer.is_switch]
    if draft.seed % 4 == 0:
        for host in last.Hosts():
            net.Remove(host)
    elif draft.seed % 4 == 1:
        for port in ups[1:]:
            net.Unplug(last, port)
    elif draft.seed % 4 == 2:
        for port in ups:
            net.Unplug(last, port)
        draft.seat = bottom[0].Hosts()[0]
    else:
        for leaf in bottom:
            for host in leaf.Hosts()[::2]:
                net.Remove(host)
        spare = net.Switch(40, draft.names.Switch("leaf", 99))
        for top in [top for top in draft.roots if top.Room()][:2]:
            net.Join(spare, top)


def RouterSite(draft):
    """A tree with one router or two to other subnets."""
    if draft.size == "large":
        bottom, _, _ = ThreeLevels(draft, 40, 10, 10, 19, 2, 20, "HDR")
        bottom = [leaf for pod in bottom for leaf in pod]
    else:
        leaves, hosts, spines, cables = draft.Pick(
            draft.chance.choice(((6, 18, 3, 6), (8, 16, 4, 4), (10, 12, 4, 3))), (36, 30, 15, 2))
        bottom, _ = TwoLevels(draft, leaves, hosts, spines, cables, "HDR", draft.Pick(40, 72))
    for number in range(1 + draft.seed % 2):
        name = draft.chance.choice(("Mellanox IB Router", "MF0;rtr%d:SB7780/R1" % (number + 1)))
        draft.routers.append(draft.net.Router(name, bottom[number * 3 % len(bottom)]))


def DirectorSite(draft):
    """Chips of a chassis under one SystemGUID; edge switches on it, or directors joined."""
    chance, net, names = draft.chance, draft.net, draft.names
    draft.forms = ("grouped", "grouped", "plain", "full")
    speed = chance.choice(("FDR", "EDR", "QDR"))
    names.model = {"FDR": "SX6536", "EDR": "CS7500", "QDR": "IS5600"}[speed]
    count, lines, spines, hosts = draft.Pick(
        chance.choice(((1, 9, 9, 18), (1, 18, 9, 12), (2, 6, 6, 9), (1, 12, 6, 18))),
        chance.choice(((3, 24, 18, 14), (2, 36, 18, 15))), (13, 36, 18, 16))
    edge = draft.seed % 2 == 1 and count == 1
    boards = [_Director(draft, number, lines, spines, speed) for number in range(1, count + 1)]
    number = 0
    for director, (bottom, _) in enumerate(boards):
        for leaf in bottom[:lines - 3] if edge else bottom:
            for _ in range(hosts):
                number += 1
                net.Host(names.Host("n%d-" % (director + 1), number), leaf, speed=speed)
    for rack in range(3 if edge else 0):
        switch = net.Switch(36, "edge%d" % (rack + 1), device=0xC738)
        for _ in range(12):
            number += 1
            net.Host(names.Host("node", number), switch, speed=speed)
        for leaf in boards[0][0][-3:]:
            for _ in range(4):
                net.Join(switch, leaf, 4, speed)
    if count > 1:
        _JoinDirectors(net, [bottom for bottom, _ in boards], speed)
    draft.shape = "tree" if count == 1 else "irregular"
    draft.roots = boards[0][1] if count == 1 else []
    draft.whole, draft.two_depths = count == 1 and not edge, edge


def _Director(draft, number, lines, spines, speed):
    net, names, cables = draft.net, draft.names, 18 // spines
    host = "dir%02d" % number
    bottom = [net.Switch(36, names.Chip(host, "L%02d" % (i + 1)), device=0xC738)
              for i in range(lines)]
    top = [net.Switch(36, names.Chip(host, "S%02d" % (i + 1)), "spine", 1, 0xC738)
           for i in range(spines)]
    for kind, chips in (("Line", bottom), ("Spine", top)):
        for slot, chip in enumerate(chips, 1):
            chip.chassis, chip.system_guid = (number, kind, slot), bottom[0].guid
    for i, leaf in enumerate(bottom):
        for j, spine in enumerate(top):
            for k in range(cables):
                if i * cables + k < 36:
                    net.Join(leaf, spine, 4, speed, 19 + j * cables + k, i * cables + k + 1)
    return bottom, top


def _JoinDirectors(net, directors, speed):
    for a, one in enumerate(directors):
        for b, other in list(enumerate(directors))[a + 1:]:
            for turn in range(3):
                left, right = ([leaf for leaf in side if any(port not in leaf.links
                                                            for port in range(1, 19))]
                               for side in (one, other))
                if left and right:
                    net.Join(left[(b * 3 + turn) % len(left)], right[(a * 3 + turn) % len(right)],
                             4, speed)
