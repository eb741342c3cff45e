# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's ftree. See ../record.py.
import itertools
import random

import nets
from record import Case

ENGINE = "ftree"
ORDER = ["opensm-ftree-ca-order.dump"]


class Pruned(nets.Net):
    """A net that prints ports by their numbers, so that cables may be missing."""

    def Text(self):
        lines = []
        for kind, group in (("Switch", self.switches), ("Hca", self.hosts)):
            for node, ports in group.items():
                lines.append('%s %d "%s"' % (kind, ports, node))
                lines += ['[%d] "%s"[%d]' % ((port,) + self.cables[(node, port)])
                          for port in range(1, ports + 1) if (node, port) in self.cables]
                lines.append("")
        return "\n".join(lines) + "\n"

    def Cut(self, seed, count):
        """Without some cables between switches."""
        ends = sorted({min(end, other) for end, other in self.cables.items()
                       if end[0] in self.switches and other[0] in self.switches})
        for end in random.Random(seed).sample(ends, count):
            del self.cables[self.cables.pop(end)]
        return self

    def Without(self, *switches):
        """Without these switches; they have no hosts."""
        for end, other in list(self.cables.items()):
            if end[0] in switches or other[0] in switches:
                del self.cables[end]
        for switch in switches:
            del self.switches[switch]
        return self


def Tree(levels, cables, hosts, seed):
    """An extended generalized fat tree with shuffled GUIDs.

    levels: for each level from the leaves up (children of a switch above, parents of one below);
    cables: parallel ones, by level; hosts: of one leaf after the other, again and again.
    Switches are S-LEVEL.PLACE...
    """
    net, height, names = Pruned(), len(levels), {}
    for level in range(height + 1):
        sizes = [levels[i][0 if i >= level else 1] for i in range(height)]
        for place in itertools.product(*map(range, sizes)):
            names[(level, place)] = net.Switch("%d.%s" % (level, ".".join(map(str, place))), 36)
    counts = itertools.cycle(hosts)
    for (level, place), name in names.items():
        for i in range(next(counts) if level == 0 else 0):
            net.Host("%s-%d" % (name[2:], i), name)
    for (level, place), name in names.items():
        for parent in range(levels[level][1]) if level < height else ():
            above = names[(level + 1, place[:level] + (parent,) + place[level + 1:])]
            for _ in range(cables[level]):
                net.Cable(name, above)
    return net.Shuffled(seed)


def Thin(seed):
    return Tree([(4, 4), (4, 3)], [1, 1], [5, 3, 2, 4, 1], seed)


def Wide(seed):
    return Tree([(3, 3), (4, 3)], [2, 2], [5, 3, 2, 4, 1], seed)


def Deep(seed):
    return Tree([(2, 2), (3, 3), (3, 2)], [1, 2, 1], [3], seed)


def Sparse(seed):
    return Tree([(4, 4), (4, 3)], [1, 1], [5, 3, 0, 4, 0], seed)


def With(net, *cables, hosts=()):
    """With more cables, and with a host at each of `hosts`."""
    for one, other in cables:
        net.Cable(one, other)
    for i, switch in enumerate(hosts):
        net.Host("more%d" % i, switch)
    return net


def Roots(*names):
    """Named ones, those of a level ("S-2."), or all switches ("S-")."""
    return lambda nodes: "".join("0x%016x\n" % node.guid for node in nodes.values()
                                 if any(node.name == name or
                                        name[-1] in ".-" and node.name.startswith(name)
                                        for name in names))


def Hosts(first, step):
    """Every so-and-so-manieth host, in the order of their names."""
    return lambda nodes: "".join(
        "0x%016x\n" % nodes[name].PortGuid(1)
        for name in sorted(name for name in nodes if not nodes[name].is_switch)[first::step])


def HostsBut(*switches):
    return lambda nodes: "".join("0x%016x\n" % node.PortGuid(1) for node in nodes.values()
                                 if not node.is_switch and node.ports[1].node not in switches)


def TwoPorts(seed):
    net = Thin(seed)
    for i, (one, other) in enumerate((("0.0.0", "0.1.1"), ("0.0.2", "0.1.1"), ("0.3.3", "0.3.3"))):
        net.Host("two%d" % i, "S-" + one, "S-" + other)
    return net


def Below(seed):
    """With a switch below two leaves. With a host on it, OpenSM's order would be undefined."""
    net = Thin(seed)
    net.Switch("below", 36)
    return With(net, ("S-below", "S-0.0.0"), ("S-below", "S-0.1.0"))


TOP = Roots("S-2.")

CASES = {
    "ft2": Case(lambda: nets.FatTree2(8), keep=ORDER),
    "ft3-shuffled": Case(lambda: nets.FatTree3(6).Shuffled(3), keep=ORDER),
    "thin": Case(lambda: Thin(1), keep=ORDER),
    "parallel": Case(lambda: Tree([(4, 2), (3, 2)], [2, 3], [4], 2)),
    "deep": Case(lambda: Deep(4)),
    "uneven-leaves": Case(lambda: Tree([(4, 4), (4, 3)], [1, 1], [5, 3, 2, 4, 1, 7], 5), keep=ORDER),
    "empty-leaves": Case(lambda: Sparse(6), keep=ORDER, root_guid_file=TOP),
    "two-ports": Case(lambda: TwoPorts(7)),
    "cut": Case(lambda: Thin(8).Cut(1, 6), root_guid_file=TOP),
    "cut-parallel": Case(lambda: Wide(9).Cut(2, 12), root_guid_file=TOP),
    "cut-deep": Case(lambda: Deep(10).Cut(3, 8), root_guid_file=Roots("S-3.")),
    "killed": Case(lambda: Thin(11).Without("S-1.1.2", "S-2.0.0"), root_guid_file=TOP),
    "some-roots": Case(lambda: Thin(12), root_guid_file=Roots("S-2.0.0", "S-2.1.1", "S-2.2.2",
                                                              "S-2.3.0")),
    "sideways": Case(lambda: With(Thin(13), ("S-1.0.0", "S-1.1.0"), ("S-2.0.0", "S-2.1.0")),
                     root_guid_file=TOP),
    "sideways-cut": Case(lambda: With(Thin(35).Cut(3, 5), ("S-1.0.0", "S-1.1.1"),
                                      ("S-1.2.0", "S-1.0.0"), ("S-1.3.1", "S-1.0.2")),
                         root_guid_file=TOP),
    "sideways-parallel": Case(lambda: With(Wide(36).Cut(5, 6), *[("S-1.0.0", "S-1.1.0")] * 2,
                                           ("S-1.2.1", "S-1.1.0")), root_guid_file=TOP,
                              io_guid_file=Hosts(0, 5), max_reverse_hops=1),
    "sideways-deep": Case(lambda: With(Tree([(2, 2), (2, 2), (3, 2)], [3, 2, 1], [5, 2, 4], 37),
                                       ("S-2.0.0.0", "S-2.0.0.1"), ("S-2.0.0.1", "S-2.1.0.0"),
                                       ("S-2.1.0.1", "S-2.1.0.0")), root_guid_file=Roots("S-3.")),
    "below-leaves": Case(lambda: Below(38), root_guid_file=TOP),
    "compute": Case(lambda: Thin(14), keep=ORDER, cn_guid_file=Hosts(0, 2)),
    "compute-parallel": Case(lambda: Wide(15), cn_guid_file=Hosts(1, 3)),
    "compute-some-leaves": Case(lambda: Thin(16), keep=ORDER,
                                cn_guid_file=HostsBut("S-0.0.1", "S-0.1.1", "S-0.2.1")),
    "hosts-above": Case(lambda: With(Thin(17), hosts=("S-2.0.0", "S-1.0.0", "S-1.1.0")),
                        root_guid_file=TOP,
                        cn_guid_file=HostsBut("S-2.0.0", "S-1.0.0", "S-1.1.0")),
    "io": Case(lambda: Thin(18), io_guid_file=Hosts(0, 4)),
    "io-reverse": Case(lambda: Thin(19), io_guid_file=Hosts(0, 4), max_reverse_hops=1),
    "io-reverse2": Case(lambda: Wide(20), cn_guid_file=Hosts(0, 3), io_guid_file=Hosts(0, 2),
                        max_reverse_hops=2),
    "io-reverse-cut": Case(lambda: Deep(21).Cut(4, 8), io_guid_file=Hosts(0, 5), max_reverse_hops=3,
                           root_guid_file=Roots("S-3.")),
    "quasi": Case(lambda: Thin(22), quasi_ftree_indexing=True),
    "quasi-cut": Case(lambda: Thin(1).Cut(1, 6), keep=ORDER, quasi_ftree_indexing=True,
                      root_guid_file=TOP),
    "quasi-empty-leaves": Case(lambda: Sparse(39).Cut(8, 5), keep=ORDER, quasi_ftree_indexing=True,
                               root_guid_file=TOP),
    "quasi-cut-deep": Case(lambda: Deep(24).Cut(5, 9), quasi_ftree_indexing=True,
                           root_guid_file=Roots("S-3.")),
    "connect": Case(lambda: Thin(25), connect_roots=True),
    "connect-cut": Case(lambda: Thin(26).Cut(6, 6), connect_roots=True, root_guid_file=TOP),
    "no-such-root": Case(lambda: Thin(27), root_guid_file=lambda nodes: "0x00ee000000000001\n"),
    # What OpenSM refuses.
    "refused-lmc": Case(lambda: nets.FatTree2(4), lmc=1),
    "refused-single": Case(lambda: nets.Single(4)),
    "refused-cut": Case(lambda: Thin(31).Cut(1, 1)),
    "refused-uneven-cables": Case(lambda: With(Thin(32), ("S-0.0.0", "S-1.0.0"))),
    "refused-leaf-without-hosts": Case(lambda: Sparse(33)),
    "refused-host-above": Case(lambda: With(Thin(34), hosts=("S-1.0.0",)), root_guid_file=TOP),
    "refused-torus": Case(lambda: nets.Grid((3, 3), True, 1)),
    "refused-all-roots": Case(lambda: nets.FatTree2(4), root_guid_file=Roots("S-")),
    "refused-no-compute-node": Case(lambda: nets.FatTree2(4),
                                    cn_guid_file=lambda nodes: "0x00ee000000000001\n"),
    "refused-one-compute-leaf": Case(lambda: nets.FatTree2(4),
                                     cn_guid_file=HostsBut("S-leaf1", "S-leaf2", "S-leaf3")),
}
