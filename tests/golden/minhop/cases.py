# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's minhop. See ../record.py.
import nets
from record import Case

ENGINE = "minhop"

CASES = {
    "ft2": Case(lambda: nets.FatTree2(8)),
    "ft2-lmc2": Case(lambda: nets.FatTree2(8), lmc=2),
    "ft3-shuffled": Case(lambda: nets.FatTree3(4).Shuffled(4)),
    "ft3-lmc1": Case(lambda: nets.FatTree3(4).Shuffled(5), lmc=1),
    "torus": Case(lambda: nets.Grid((4, 4, 2), True, 2).Shuffled(1)),
    "torus-lmc3": Case(lambda: nets.Grid((3, 3), True, 1).Shuffled(2), lmc=3),
    "dragonfly-lmc2": Case(lambda: nets.Dragonfly(4, 1, 2), lmc=2),
    "random": Case(lambda: nets.Random(24, 60, 48, 2)),
    "random-switches-count": Case(lambda: nets.Random(24, 60, 48, 3),
                                  port_profile_switch_nodes=True),
    "random-lmc1": Case(lambda: nets.Random(16, 48, 40, 4), lmc=1),
    "random-lmc4": Case(lambda: nets.Random(8, 40, 16, 5), lmc=4),
    "random-lmc2-switches-count": Case(lambda: nets.Random(12, 60, 24, 6), lmc=2,
                                       port_profile_switch_nodes=True),
    "random-lmc3": Case(lambda: nets.Random(8, 42, 20, 16), lmc=3),
    "random-lmc5": Case(lambda: nets.Random(7, 41, 10, 15), lmc=5, port_profile_switch_nodes=True),
    "random-lmc7": Case(lambda: nets.Random(5, 16, 6, 7), lmc=7),
    "parallel": Case(lambda: nets.Parallel(4, 6)),
    "parallel-lmc2": Case(lambda: nets.Parallel(4, 6), lmc=2),
    "two-port": Case(lambda: nets.TwoPort(8)),
    "two-port-lmc1": Case(lambda: nets.TwoPort(8), lmc=1),
}
