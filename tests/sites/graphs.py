# SPDX-License-Identifier: Apache-2.0
# EmberSM: kinds of sites that are no trees: grids, cubes, groups, islands, and tiny ones.
import itertools

from trees import Aggregations, ThreeLevels, TwoLevels


def Grid(draft, sizes, wrap, hosts, speed, role, ports=36):
    """A torus or mesh; returns the switches by coordinates."""
    net, at = draft.net, {}
    for place in itertools.product(*map(range, sizes)):
        at[place] = net.Switch(ports, draft.names.Place(place), role, device=0xC738)
        at[place].place = place
    number = 0
    for place in at:
        for _ in range(hosts):
            number += 1
            net.Host(draft.names.Host("node", number), at[place], speed=speed)
    for place in at:
        for axis, size in enumerate(sizes):
            step = place[:axis] + ((place[axis] + 1) % size,) + place[axis + 1:]
            if place[axis] + 1 < size or (wrap and size > 2):
                net.Join(at[place], at[step], 4, speed)
    for size in sizes:
        if size > 1:
            cables = (2 if wrap and size > 2 else 1) * len(at) // size
            draft.cuts.append((hosts * len(at) * (size // 2) // size, cables))
    return at


def TorusSite(draft):
    """Two and three dimensions; up to two cables lost."""
    chance = draft.chance
    draft.names.model = "SX6036"
    sizes, hosts = draft.Pick(
        chance.choice((((4, 4, 3), 3), ((5, 4, 3), 4), ((6, 6), 4), ((5, 5), 5), ((8, 5), 4),
                       ((3, 3, 3), 4), ((6, 4, 2), 3), ((7, 6), 5))),
        chance.choice((((6, 6, 6), 5), ((8, 8, 6), 4), ((12, 10), 10))), ((10, 10, 12), 8))
    at = Grid(draft, sizes, True, hosts, chance.choice(("QDR", "FDR", "EDR")), "torus")
    for node, port in chance.sample(draft.net.Trunks(), draft.seed % 3):
        draft.net.Unplug(node, port)
    draft.grid, draft.shape = (sizes, at, True), "torus"


def MeshCubeSite(draft):
    """Hypercubes and meshes; now and then without one cable."""
    chance = draft.chance
    draft.names.model = "SX6036"
    if draft.seed % 2:
        count, hosts = draft.Pick(chance.choice(((4, 8), (5, 4), (5, 7), (6, 3))),
                                  chance.choice(((7, 8), (8, 7))), (10, 8))
        draft.grid = ((2,) * count,
                      Grid(draft, (2,) * count, False, hosts, "FDR", "cube"), False)
        draft.shape = "hypercube"
    else:
        sizes, hosts = draft.Pick(
            chance.choice((((6, 6), 4), ((4, 4, 3), 4), ((9, 5), 3), ((8, 4), 6), ((12, 2), 8))),
            chance.choice((((12, 12), 8), ((6, 6, 6), 5))), ((10, 10, 10), 8))
        draft.grid = (sizes, Grid(draft, sizes, False, hosts, "EDR", "mesh"), False)
        draft.shape = "mesh"
    if draft.seed % 5 == 4:
        draft.net.Unplug(*chance.choice(draft.net.Trunks()))


def DragonflySite(draft):
    """Groups of leaves and spines, any two groups joined by cables between spines."""
    chance, net, names = draft.chance, draft.net, draft.names
    groups, leaves, spines, hosts, joints = draft.Pick(
        chance.choice(((5, 4, 4, 8, 4), (7, 4, 4, 8, 2), (6, 5, 5, 8, 3), (4, 6, 6, 10, 8),
                       (9, 3, 4, 8, 2))),
        chance.choice(((9, 8, 8, 18, 8), (12, 8, 8, 16, 4))), (25, 20, 20, 16, 12))
    tops, number = [], 0
    for group in range(1, groups + 1):
        bottom = [net.Switch(40, names.Switch("g%02d-leaf" % group, i + 1)) for i in range(leaves)]
        tops.append([net.Switch(40, names.Switch("g%02d-spine" % group, i + 1), "spine", 1)
                     for i in range(spines)])
        for leaf in bottom:
            for _ in range(hosts):
                number += 1
                net.Host(names.Host("node", number), leaf)
            for spine in tops[-1]:
                net.Join(leaf, spine)
    for a, b in itertools.combinations(range(groups), 2):
        for joint in range(joints):
            one, other = tops[a][(joint + b) % spines], tops[b][(joint + a) % spines]
            if one.Room() and other.Room():
                net.Join(one, other)
    draft.cuts = [(leaves * hosts, joints * (groups - 1))]
    if draft.seed % 4 == 2:
        between = [(node, port) for node, port in net.Trunks()
                   if node.role == node.links[port].peer.role == "spine"]
        for node, port in chance.sample(between, 2):
            net.Unplug(node, port)
    draft.shape = "dragonfly+"
    if draft.seed % 3 == 0:
        Aggregations(draft, net.switches, "HDR")


def IslandSite(draft):
    """A tree, a torus and a storage block with few cables between; switches are named by island."""
    chance, net = draft.chance, draft.net
    if draft.size == "large":
        bottom, _, planes = ThreeLevels(draft, 30, 9, 9, 18, 2, 9, "EDR", 36)
        top = [core for plane in planes for core in plane]
    else:
        leaves, hosts, spines, cables = draft.Pick(
            chance.choice(((6, 12, 3, 4), (8, 10, 5, 2), (4, 16, 4, 4))), (24, 24, 12, 2))
        bottom, top = TwoLevels(draft, leaves, hosts, spines, cables, "EDR", draft.Pick(36, 72))
    tree = list(net.switches)
    for number, switch in enumerate(tree):
        switch.name = "isl-tree-%s-%d" % (switch.role, number + 1)
    for host in net.hosts:
        host.name = "tree" + host.name
    before = len(net.nodes)
    sizes, hosts = draft.Pick(chance.choice((((3, 3, 3), 2), ((4, 4), 3), ((5, 3), 3))),
                              ((6, 5, 4), 4), ((8, 8, 8), 4))
    at = Grid(draft, sizes, True, hosts, "QDR", "torus")
    for node in net.nodes[before:]:
        node.name = ("isl-torus-" + "-".join(map(str, node.place)) if node.is_switch
                     else "torus" + node.name)
    store = [net.Switch(36, "isl-stor-%d" % (i + 1), "storage-switch", device=0xCB20)
             for i in range(2)]
    for switch in store:
        for i in range(draft.Pick(6, 16, 16)):
            net.Host("oss%02d mlx5_0" % (len(net.nodes) % 97), switch, role="storage", speed="EDR")
    for _ in range(2):
        net.Join(store[0], store[1], 4, "EDR")
    spare = [switch for switch in top if switch.Room()] or [s for s in tree if s.Room()]
    torus = list(at.values())
    for i, switch in enumerate(store):
        net.Join(switch, spare[i % len(spare)], 4, "EDR")
        net.Join(switch, torus[i * 7 % len(torus)], 4, "QDR")
    if draft.seed % 2 and spare[-1].Room():
        net.Join(spare[-1], torus[-1], 4, "QDR")
    draft.parts = {"tree": tree, "torus": torus, "stor": store}
    draft.part_roots, draft.part_grid = list(top), (sizes, at, True)
    draft.shape, draft.roots, draft.cuts, draft.whole = "islands", [], [], False


def TinySite(draft):
    """One switch, two, two hosts back to back, one host alone, one host on a switch."""
    net, names, kind = draft.net, draft.names, draft.seed % 6
    draft.shape, net.two_port_hosts = "tiny", False
    if kind in (0, 1):
        switch = net.Switch(36 if kind else 8, names.Switch("sw", 1), device=0xC738)
        for number in range(20 if kind else 3):
            net.Host(names.Host("node", number + 1), switch, speed="EDR" if kind else "QDR")
    elif kind == 2:
        left = net.Host(names.Host("left", 1), ports=1)
        net.Join(left, net.Host(names.Host("right", 2), ports=1), 4, "EDR")
    elif kind == 3:
        draft.seat = net.Host(names.Host("alone", 1), ports=2)
    elif kind == 4:
        switch = net.Switch(36, names.Switch("sw", 1), device=0xC738)
        net.Host(names.Host("node", 1), switch, speed="FDR", ports=2)
    else:
        pair = [net.Switch(18, names.Switch("sw", i), device=0xC738) for i in (1, 2)]
        for _ in range(3):
            net.Join(pair[0], pair[1], 4, "DDR")
        for number in range(8):
            net.Host(names.Host("node", number + 1), pair[number % 2], speed="DDR")
