# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's dnup. See ../record.py.
import random

import nets
import option_files as files
from record import Case

ENGINE = "dnup"


def Looped(net, seed):
    """With cables from some switches to themselves: there dnup turns up again after going down."""
    chance = random.Random(seed)
    for name in chance.sample(sorted(net.switches), 4):
        first = net._next[name]
        net._next[name] += 2
        net.switches[name] = max(net.switches[name], first + 1)
        net.cables[(name, first)], net.cables[(name, first + 1)] = (name, first + 1), (name, first)
    return net


def Chain(switches, seed):
    """Long ways, and hosts at a few places: with connect_roots some become too long."""
    net, chance = nets.Net(), random.Random(seed)
    names = [net.Switch("%d" % i, 36) for i in range(switches)]
    for i in range(1, switches):
        net.Cable(names[i], names[max(0, i - 1 - chance.randrange(2))])
    for _ in range(4):
        net.Cable(*chance.sample(names, 2))
    for i in range(4):
        net.Host("%d" % i, names[chance.randrange(switches)])
    return net.Shuffled(seed)


CASES = {
    "ft2": Case(lambda: nets.FatTree2(8)),
    "ft2-lmc2": Case(lambda: nets.FatTree2(8).Shuffled(1), lmc=2),
    "ft3": Case(lambda: nets.FatTree3(8)),
    "ft3-shuffled-lmc2": Case(lambda: nets.FatTree3(4).Shuffled(2), lmc=2),
    "ft3-thinned": Case(lambda: nets.FatTree3(8).Without("S-core0.0", "S-core1.3", "S-mid2.1")),
    "ft3-broken": Case(lambda: nets.FatTree3(8).Broken(12, 3).Shuffled(3)),
    "ft3-connected": Case(lambda: nets.FatTree3(4).Shuffled(7), connect_roots=True),
    "ft3-switches-count": Case(lambda: nets.FatTree3(4).Shuffled(5),
                               port_profile_switch_nodes=True),
    "torus": Case(lambda: nets.Grid((4, 4, 2), True, 1).Shuffled(11)),
    "mesh-lmc1": Case(lambda: nets.Grid((5, 4), False, 1).Shuffled(13), lmc=1),
    "hypercube": Case(lambda: nets.Hypercube(5).Shuffled(14)),
    "dragonfly": Case(lambda: nets.Dragonfly(4, 2, 1).Shuffled(15)),
    "random": Case(lambda: nets.Random(24, 60, 14, 17)),
    "random-lmc2": Case(lambda: nets.Random(16, 44, 10, 18), lmc=2),
    "random-weights": Case(lambda: nets.Random(20, 60, 12, 23),
                           hop_weights_file=files.HopWeights(4, 40)),  # It does not read them.
    "random-connected": Case(lambda: nets.Random(24, 30, 6, 20), connect_roots=True),
    "random-connected-lmc2": Case(lambda: nets.Random(16, 24, 6, 21), connect_roots=True, lmc=2),
    "chain-connected": Case(lambda: Chain(39, 2), connect_roots=True),
    "looped": Case(lambda: Looped(nets.Random(16, 24, 6, 25), 1)),
    "looped-connected": Case(lambda: Looped(nets.Random(16, 24, 6, 26), 2), connect_roots=True),
}
