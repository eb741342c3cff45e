# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's updn. See ../record.py.
import random

import nets
import option_files as files
from record import Case

ENGINE = "updn"


def Switches(nodes):
    return sorted(name for name in nodes if nodes[name].is_switch)


def Roots(*names):
    """These switches; a name that nobody has gives a GUID that nobody has."""
    return lambda nodes: "".join(
        "0x%016x\n" % (nodes[name].guid if name in nodes else files.NOBODY) for name in names)


def SomeRoots(count, seed):
    return lambda nodes: Roots(*random.Random(seed).sample(Switches(nodes), count))(nodes)


def Ids(seed, share=0.8, top=9):
    """For some of the switches; equal numbers are frequent."""
    def Make(nodes):
        chance = random.Random(seed)
        return "".join("0x%016x %d\n" % (nodes[name].guid, chance.randrange(top))
                       for name in Switches(nodes) if chance.random() < share)
    return Make


def Looped(net, seed):
    """With cables from some switches to themselves."""
    chance = random.Random(seed)
    for name in chance.sample(sorted(net.switches), 4):
        first = net._next[name]
        net._next[name] += 2
        net.switches[name] = max(net.switches[name], first + 1)
        net.cables[(name, first)], net.cables[(name, first + 1)] = (name, first + 1), (name, first)
    return net


def Lean(hosts_by_leaf, spines):
    """Two levels with an uneven number of hosts."""
    net = nets.Net()
    leaves = [net.Switch("leaf%d" % i, 36) for i in range(len(hosts_by_leaf))]
    tops = [net.Switch("spine%d" % i, 36) for i in range(spines)]
    for i, leaf in enumerate(leaves):
        for j in range(hosts_by_leaf[i]):
            net.Host("%d.%d" % (i, j), leaf)
        for top in tops:
            net.Cable(leaf, top)
    return net


CASES = {
    # Trees; the roots are found.
    "ft2": Case(lambda: nets.FatTree2(8)),
    "ft2-lmc2": Case(lambda: nets.FatTree2(8).Shuffled(1), lmc=2),
    "ft3": Case(lambda: nets.FatTree3(8)),
    "ft3-shuffled-lmc2": Case(lambda: nets.FatTree3(4).Shuffled(2), lmc=2),
    "ft3-thinned": Case(lambda: nets.FatTree3(8).Without("S-core0.0", "S-core1.3", "S-mid2.1")),
    "ft3-broken": Case(lambda: nets.FatTree3(8).Broken(12, 3).Shuffled(3)),
    "ft3-broken-roots": Case(lambda: nets.FatTree3(8).Broken(12, 3).Shuffled(3),
                             root_guid_file=Roots(*("S-core%d.%d" % (i, j) for i in range(4)
                                                    for j in range(4)))),
    "ft3-broken-little": Case(lambda: nets.FatTree3(8).Broken(5, 1).Shuffled(31),
                              root_guid_file=Roots(*("S-core%d.%d" % (i, j) for i in range(4)
                                                     for j in range(4)))),
    "ft3-broken-lmc2": Case(lambda: nets.FatTree3(4).Broken(2, 4).Shuffled(4), lmc=2),
    "ft3-switches-count": Case(lambda: nets.FatTree3(4).Shuffled(5),
                               port_profile_switch_nodes=True),
    "tree-parallel": Case(lambda: nets.Tree((4, 4), (1, 2), 3).Shuffled(6)),
    "two-levels-of-hosts": Case(lambda: Lean([19, 1], 2)),  # All see 19 of 20 at one distance.
    "two-levels-one-more": Case(lambda: Lean([18, 2], 2)),
    # Trees with options.
    "ft3-connected": Case(lambda: nets.FatTree3(4).Shuffled(7), connect_roots=True),
    "ft3-connected-weights": Case(lambda: nets.FatTree3(4).Shuffled(8), connect_roots=True,
                                  hop_weights_file=files.HopWeights(1, 12)),
    "ft3-weights-few": Case(lambda: nets.FatTree3(4).Shuffled(9),
                            hop_weights_file=files.HopWeights(2, 1)),
    "ft3-roots": Case(lambda: nets.FatTree3(4).Shuffled(10),
                      root_guid_file=Roots("S-core0.0", "S-nobody", "S-core1.1")),
    "ft3-root-of-nobody": Case(lambda: nets.FatTree3(4), root_guid_file=Roots("S-nobody")),
    # Where cables join switches of one level.
    "torus-roots": Case(lambda: nets.Grid((4, 4, 2), True, 1).Shuffled(11),
                        root_guid_file=SomeRoots(2, 1)),
    "torus-odd": Case(lambda: nets.Grid((5, 5), True, 2).Shuffled(12),
                      root_guid_file=SomeRoots(1, 2), lmc=2),
    "torus-auto": Case(lambda: nets.Grid((4, 4), True, 1)),  # No root is found.
    "mesh-roots": Case(lambda: nets.Grid((5, 4), False, 1).Shuffled(13),
                       root_guid_file=SomeRoots(3, 3), lmc=1),
    "hypercube-roots": Case(lambda: nets.Hypercube(5).Shuffled(14),
                            root_guid_file=SomeRoots(1, 4)),
    "dragonfly-roots": Case(lambda: nets.Dragonfly(4, 2, 1).Shuffled(15),
                            root_guid_file=SomeRoots(1, 5)),
    "dragonfly-ids": Case(lambda: nets.Dragonfly(4, 1, 2).Shuffled(16),
                          root_guid_file=SomeRoots(1, 6), ids_guid_file=Ids(1)),
    "random-roots": Case(lambda: nets.Random(24, 60, 48, 17), root_guid_file=SomeRoots(2, 7)),
    "random-root": Case(lambda: nets.Random(24, 40, 48, 27), root_guid_file=SomeRoots(1, 16)),
    "random-root-lmc2": Case(lambda: nets.Random(16, 26, 30, 28), lmc=2,
                             root_guid_file=SomeRoots(1, 17)),
    "torus-even": Case(lambda: nets.Grid((4, 4), True, 2).Shuffled(29),
                       root_guid_file=SomeRoots(1, 18)),
    "mesh-root-connected": Case(lambda: nets.Grid((5, 4), False, 1).Shuffled(30),
                                root_guid_file=SomeRoots(1, 19), connect_roots=True),
    "random-roots-lmc2": Case(lambda: nets.Random(16, 44, 30, 18), lmc=2,
                              root_guid_file=SomeRoots(2, 8)),
    "random-ids": Case(lambda: nets.Random(20, 60, 40, 19), root_guid_file=SomeRoots(1, 9),
                       ids_guid_file=Ids(2)),
    "random-connected": Case(lambda: nets.Random(20, 60, 40, 20), root_guid_file=SomeRoots(4, 10),
                             connect_roots=True),
    "random-connected-one": Case(lambda: nets.Random(20, 60, 40, 21), connect_roots=True,
                                 root_guid_file=SomeRoots(1, 11)),
    "random-connected-weights": Case(lambda: nets.Random(20, 60, 40, 22), connect_roots=True,
                                     root_guid_file=SomeRoots(4, 12),
                                     hop_weights_file=files.HopWeights(3, 40)),
    "random-weights": Case(lambda: nets.Random(20, 60, 40, 23), root_guid_file=SomeRoots(2, 13),
                           hop_weights_file=files.HopWeights(4, 40)),  # It does not read them.
    "random-search": Case(lambda: nets.Random(20, 60, 40, 24), root_guid_file=SomeRoots(2, 14),
                          port_search_ordering_file=files.SearchOrder(5)),
    "looped": Case(lambda: Looped(nets.Random(16, 24, 20, 25), 1), root_guid_file=SomeRoots(2, 15)),
    "two-port": Case(lambda: nets.TwoPort(8), root_guid_file=Roots("S-left")),
}
