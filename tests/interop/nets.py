# SPDX-License-Identifier: Apache-2.0
# EmberSM: writes the netlists on which the interoperability tests run.
"""Fabrics in the format that ibsim and ibnetdiscover share.

Every function returns a Net; NETS names the ones the tests use. `nets.py NAME` prints one.
The simulator gives GUIDs in the order of the file, so the order of the nodes is part of a net:
a "shuffled" net has GUIDs that say nothing about the place of a node.
"""
import itertools
import random
import sys


class Net:
    """Switches, channel adapters and routers with their cables, in the order of printing."""

    def __init__(self):
        self.switches, self.hosts, self.cables, self._next = {}, {}, {}, {}
        self.routers = {}

    def Switch(self, name, ports):
        self.switches["S-" + name], self._next["S-" + name] = ports, 1
        return "S-" + name

    def Host(self, name, *peers):
        """A channel adapter with one port for each switch in `peers`."""
        self.hosts["H-" + name], self._next["H-" + name] = len(peers), 1
        for peer in peers:
            self.Cable("H-" + name, peer)
        return "H-" + name

    def Router(self, name, *peers):
        """As Host()."""
        self.routers["R-" + name], self._next["R-" + name] = len(peers), 1
        for peer in peers:
            self.Cable("R-" + name, peer)
        return "R-" + name

    def Cable(self, one, other):
        """Plugs the next free port of one node into the next free port of the other."""
        ends = []
        for node in (one, other):
            ends.append((node, self._next[node]))
            self._next[node] += 1
        self.cables[ends[0]], self.cables[ends[1]] = ends[1], ends[0]

    def Unplug(self, one):
        """Takes out the cable at the end `one` = (node, port); other ports keep their numbers."""
        del self.cables[self.cables.pop(one)]

    def Broken(self, cables, seed):
        """Without so many cables between switches, drawn by chance."""
        trunks = sorted(end for end, far in self.cables.items()
                        if end[0] in self.switches and far[0] in self.switches and end < far)
        for end in random.Random(seed).sample(trunks, cables):
            self.Unplug(end)
        return self

    def Without(self, *names):
        """Without these switches, which have no hosts."""
        for name in names:
            for end in [end for end in self.cables if end[0] == name]:
                self.Unplug(end)
            del self.switches[name]
        return self

    def WithoutHosts(self, *names):
        for name in names:
            for end in [end for end in self.cables if end[0] == name]:
                self.Unplug(end)
            del self.hosts[name]
        return self

    def Shuffled(self, seed):
        chance = random.Random(seed)
        for group in (self.switches, self.hosts):
            items = list(group.items())
            chance.shuffle(items)
            group.clear()
            group.update(items)
        return self

    def Text(self):
        lines = []
        kinds = itertools.chain((("Switch", item) for item in self.switches.items()),
                                (("Hca", item) for item in self.hosts.items()),
                                (("Rt", item) for item in self.routers.items()))
        for number, (kind, (node, ports)) in enumerate(kinds):
            if kind == "Rt":  # ibsim numbers all other nodes by itself.
                lines.append("rtguid=0x%x" % (0x300000 + 16 * number))
            lines.append('%s %d "%s"' % (kind, ports, node))
            for port in range(1, self._next[node]):
                if (node, port) in self.cables:
                    lines.append('[%d] "%s"[%d]' % ((port,) + self.cables[(node, port)]))
            lines.append("")
        return "\n".join(lines) + "\n"


def FatTree2(radix):
    """`radix` leaves with radix/2 hosts each under radix/2 spines."""
    net, half = Net(), radix // 2
    leaves = [net.Switch("leaf%d" % i, radix) for i in range(radix)]
    spines = [net.Switch("spine%d" % i, radix) for i in range(half)]
    for i, leaf in enumerate(leaves):
        for j in range(half):
            net.Host("%d.%d" % (i, j), leaf)
        for spine in spines:
            net.Cable(leaf, spine)
    return net


def FatTree3(radix):
    """The k-ary three-level tree: 5k^2/4 switches, k^3/4 hosts."""
    net, half = Net(), radix // 2
    edge = [[net.Switch("edge%d.%d" % (p, i), radix) for i in range(half)] for p in range(radix)]
    middle = [[net.Switch("mid%d.%d" % (p, i), radix) for i in range(half)] for p in range(radix)]
    core = [[net.Switch("core%d.%d" % (i, j), radix) for j in range(half)] for i in range(half)]
    for pod in range(radix):
        for i in range(half):
            for j in range(half):
                net.Host("%d.%d.%d" % (pod, i, j), edge[pod][i])
            for j in range(half):
                net.Cable(edge[pod][i], middle[pod][j])
        for i in range(half):
            for j in range(half):
                net.Cable(middle[pod][i], core[i][j])
    return net


def Tree(down, up, parallel=1):
    """An extended generalized fat tree: XGFT(h; down; up) with hosts below level 1.

    down[l] is how many children a node of level l + 1 has, up[l] how many parents one of level l.
    Names are level and place; `parallel` cables join two switches.
    """
    net, height = Net(), len(down)
    names = [{} for _ in range(height + 1)]
    for level in range(1, height + 1):
        ranges = [range(up[i]) for i in range(level)] + [range(down[i])
                                                         for i in range(level, height)]
        ports = parallel * down[level - 1] + (parallel * up[level] if level < height else 0)
        for place in itertools.product(*ranges):
            names[level][place] = net.Switch("%d-%s" % (level, ".".join(map(str, place))), ports)
    for place in sorted(names[1]):
        for child in range(down[0]):
            net.Host("%s.%d" % (names[1][place][2:], child), names[1][place])
    for level in range(1, height):
        for place in sorted(names[level]):
            for parent in range(up[level]):
                above = place[:level] + (parent,) + place[level + 1:]
                for _ in range(parallel):
                    net.Cable(names[level][place], names[level + 1][above])
    return net


def Grid(sizes, wrap, hosts):
    """A mesh, or with `wrap` a torus, with `hosts` hosts at every switch."""
    net = Net()
    places = list(itertools.product(*(range(size) for size in sizes)))
    names = {at: net.Switch(".".join(map(str, at)), 2 * len(sizes) + hosts) for at in places}
    for at in places:
        for i in range(hosts):
            net.Host(".".join(map(str, at)) + "-%d" % i, names[at])
    for at in places:
        for axis, size in enumerate(sizes):
            step = at[:axis] + ((at[axis] + 1) % size,) + at[axis + 1:]
            if at[axis] + 1 < size or (wrap and size > 2):
                net.Cable(names[at], names[step])
    return net


def Hypercube(dimensions):
    net, count = Net(), 1 << dimensions
    names = [net.Switch("%d" % i, dimensions + 1) for i in range(count)]
    for i in range(count):
        net.Host("%d" % i, names[i])
        for bit in range(dimensions):
            if not i >> bit & 1:
                net.Cable(names[i], names[i | 1 << bit])
    return net


def Dragonfly(routers, channels, hosts):
    """Groups of `routers` all-to-all switches, each with `channels` cables to other groups."""
    net, groups = Net(), routers * channels + 1
    names = [[net.Switch("g%d.%d" % (g, r), routers - 1 + channels + hosts)
              for r in range(routers)] for g in range(groups)]
    for group in range(groups):
        for router in range(routers):
            for i in range(hosts):
                net.Host("%d.%d.%d" % (group, router, i), names[group][router])
        for one, other in itertools.combinations(range(routers), 2):
            net.Cable(names[group][one], names[group][other])
    for group in range(groups):
        for slot in range(groups - 1):
            peer = (group + 1 + slot) % groups
            if group < peer:
                back = (group - peer - 1) % groups
                net.Cable(names[group][slot // channels], names[peer][back // channels])
    return net


def Random(switches, cables, hosts, seed):
    """A connected random graph: a random spanning tree, then random cables, parallel ones too."""
    net, chance = Net(), random.Random(seed)
    names = [net.Switch("%d" % i, 36) for i in range(switches)]
    for i in range(1, switches):
        net.Cable(names[i], names[chance.randrange(i)])
    for _ in range(cables - switches + 1):
        net.Cable(*chance.sample(names, 2))
    for i in range(hosts):
        net.Host("%d" % i, chance.choice(names))
    return net.Shuffled(seed)


def Ring(switches, hosts):
    return Grid((switches,), True, hosts)


def Parallel(cables, hosts):
    """Two switches joined by several cables."""
    net = Net()
    left, right = net.Switch("left", 36), net.Switch("right", 36)
    for _ in range(cables):
        net.Cable(left, right)
    for i in range(hosts):
        net.Host("left%d" % i, left)
        net.Host("right%d" % i, right)
    return net


def Single(hosts):
    net = Net()
    switch = net.Switch("only", hosts)
    for i in range(hosts):
        net.Host("%d" % i, switch)
    return net


def TwoPort(hosts):
    """Adapters with one port on either of two joined switches, and one with a single port."""
    net = Net()
    left, right = net.Switch("left", 36), net.Switch("right", 36)
    net.Cable(left, right)
    for i in range(hosts):
        net.Host("dual%d" % i, left, right)
    net.Host("single", right)
    return net


NETS = {
    "ft2-k8": lambda: FatTree2(8),
    "ft3-k8": lambda: FatTree3(8),
    "ft3-k8-shuffled": lambda: FatTree3(8).Shuffled(8),
    "ft3-k12": lambda: FatTree3(12),
    "ft3-k16": lambda: FatTree3(16),
    "ft3-k24": lambda: FatTree3(24),
    "ft3-k36": lambda: FatTree3(36),
    "ft2-thin": lambda: Tree((8, 8), (1, 3)),
    "ft2-trunks": lambda: Tree((6, 5), (1, 3), parallel=2),
    "ft3-thin": lambda: Tree((4, 4, 6), (1, 2, 2)),
    "ft4": lambda: Tree((2, 3, 2, 3), (1, 2, 2, 2)).Shuffled(4),
    "ft2-k8-broken": lambda: FatTree2(8).Broken(5, 1),
    "ft3-k8-broken": lambda: FatTree3(8).Broken(12, 2),
    "ft3-k8-fewer": lambda: FatTree3(8).Without("S-core0.0", "S-core2.1", "S-mid3.2"),
    # Trees whose leaves have unequal numbers of hosts.
    "ft2-k4-uneven": lambda: FatTree2(4).WithoutHosts("H-0.1", "H-2.0"),
    "ft2-k8-uneven": lambda: FatTree2(8).WithoutHosts("H-0.1", "H-3.0", "H-3.3", "H-7.2"),
    "ft3-k8-uneven": lambda: FatTree3(8).WithoutHosts(
        "H-0.0.0", "H-0.1.3", "H-3.2.1", "H-3.2.2", "H-7.3.0").Shuffled(3),
    "ft3-thin-uneven": lambda: Tree((4, 4, 6), (1, 2, 2)).WithoutHosts(
        "H-1-0.0.0.0", "H-1-0.0.0.2", "H-1-0.3.5.1"),
    "torus-4x4x4": lambda: Grid((4, 4, 4), True, 2),
    "torus-10x10x10": lambda: Grid((10, 10, 10), True, 4),
    "mesh-8x8": lambda: Grid((8, 8), False, 1),
    "hypercube-6": lambda: Hypercube(6),
    "dragonfly": lambda: Dragonfly(4, 2, 2),
    "random": lambda: Random(24, 60, 48, 2),
    "ring": lambda: Ring(8, 2),
    "parallel": lambda: Parallel(4, 6),
    "single-switch": lambda: Single(36),
    "two-port": lambda: TwoPort(8),
}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in NETS:
        sys.exit("usage: nets.py " + "|".join(NETS))
    sys.stdout.write(NETS[sys.argv[1]]().Text())
