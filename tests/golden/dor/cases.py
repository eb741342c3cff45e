# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's dor. See ../record.py.
import nets
import option_files as files
from record import Case

ENGINE = "dor"

CASES = {
    "mesh": Case(lambda: nets.Grid((4, 5), False, 2)),
    "mesh-lmc2": Case(lambda: nets.Grid((4, 5), False, 2), lmc=2),
    "mesh-search": Case(lambda: nets.Grid((4, 4), False, 1).Shuffled(1),
                        port_search_ordering_file=files.SearchOrder(1)),
    "torus": Case(lambda: nets.Grid((4, 4, 2), True, 2).Shuffled(1)),
    "torus-lmc2": Case(lambda: nets.Grid((4, 3, 3), True, 1), lmc=2),
    "hypercube": Case(lambda: nets.Hypercube(4)),
    "hypercube-lmc2": Case(lambda: nets.Hypercube(3), lmc=2),
    "ft2-lmc2": Case(lambda: nets.FatTree2(8), lmc=2),
    "ft3": Case(lambda: nets.FatTree3(4).Shuffled(2)),
    "ft3-broken": Case(lambda: nets.FatTree3(4).Shuffled(2).Broken(4, 2)),
    "ft2-thin": Case(lambda: nets.Tree((8, 8), (1, 3))),
    "dragonfly": Case(lambda: nets.Dragonfly(4, 1, 2)),
    "parallel-lmc3": Case(lambda: nets.Parallel(4, 6), lmc=3),
    "random": Case(lambda: nets.Random(14, 60, 40, 41)),
    "random-lmc2": Case(lambda: nets.Random(8, 56, 30, 42), lmc=2),
    "random-lmc3": Case(lambda: nets.Random(6, 46, 30, 43), lmc=3),
    "random-lmc3-switches-count": Case(lambda: nets.Random(6, 46, 30, 43), lmc=3,
                                       port_profile_switch_nodes=True),
    "random-lmc3-ignored": Case(lambda: nets.Random(6, 46, 30, 44), lmc=3,
                                port_prof_ignore_file=files.IgnoredPorts(1, 20)),
    "random-shifting": Case(lambda: nets.Random(8, 56, 30, 45), port_shifting=True),
    "random-shifting-lmc2": Case(lambda: nets.Random(8, 56, 30, 45), lmc=2, port_shifting=True),
    "random-search-lmc2": Case(lambda: nets.Random(8, 56, 30, 46), lmc=2,
                               port_search_ordering_file=files.SearchOrder(4)),
    "random-scatter-lmc1": Case(lambda: nets.Random(8, 56, 30, 47), lmc=1, scatter_ports=3),
    "random-weights-lmc1": Case(lambda: nets.Random(8, 56, 30, 48), lmc=1,
                                hop_weights_file=files.HopWeights(4, 40, 1, 3)),
    "random-all": Case(lambda: nets.Random(8, 56, 30, 49), lmc=3, port_profile_switch_nodes=True,
                       hop_weights_file=files.HopWeights(4, 40, 1, 3),
                       port_search_ordering_file=files.SearchOrder(4),
                       port_prof_ignore_file=files.IgnoredPorts(1, 20),
                       guid_routing_order_file=files.RoutingOrder(3, 20, 5)),
}
