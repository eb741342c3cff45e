# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's dfsssp. See ../record.py.
import nets
from record import Case

ENGINE = "dfsssp"

CASES = {
    "ft2": Case(lambda: nets.FatTree2(8)),
    "ft3-broken": Case(lambda: nets.FatTree3(8).Broken(12, 2)),
    "torus": Case(lambda: nets.Grid((4, 4, 2), True, 2).Shuffled(2)),
    "torus-lmc1": Case(lambda: nets.Grid((4, 4), True, 2).Shuffled(3), lmc=1),
    "ring": Case(lambda: nets.Grid((8,), True, 2).Shuffled(6)),
    "mesh": Case(lambda: nets.Grid((4, 5), False, 2)),
    "hypercube": Case(lambda: nets.Hypercube(4).Shuffled(4)),
    "dragonfly": Case(lambda: nets.Dragonfly(4, 1, 2)),
    "random": Case(lambda: nets.Random(24, 60, 48, 2)),
    "random-lmc2": Case(lambda: nets.Random(12, 30, 24, 6), lmc=2),
}
