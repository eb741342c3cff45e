# SPDX-License-Identifier: Apache-2.0
# EmberSM: what to record of OpenSM's sssp. See ../record.py.
import nets
from record import Case

ENGINE = "sssp"


def Hosts(first, step):
    """The ports of every so-and-so-manieth host, in the order of their names."""
    return lambda nodes: "".join(
        "0x%016x\n" % nodes[name].PortGuid(1)
        for name in sorted(name for name in nodes if not nodes[name].is_switch)[first::step])


CASES = {
    "ft2": Case(lambda: nets.FatTree2(8)),
    "ft2-lmc2": Case(lambda: nets.FatTree2(8), lmc=2),
    "ft2-trunks": Case(lambda: nets.Tree((6, 5), (1, 3), parallel=2)),
    "ft3-shuffled": Case(lambda: nets.FatTree3(4).Shuffled(4)),
    "ft3-lmc1": Case(lambda: nets.FatTree3(4).Shuffled(5), lmc=1),
    "ft3-broken": Case(lambda: nets.FatTree3(8).Broken(12, 2)),
    "torus-6x5": Case(lambda: nets.Grid((6, 5), True, 2).Shuffled(1)),
    "torus-4x4x2": Case(lambda: nets.Grid((4, 4, 2), True, 2).Shuffled(2)),
    "torus-lmc3": Case(lambda: nets.Grid((3, 3), True, 1).Shuffled(3), lmc=3),
    "mesh": Case(lambda: nets.Grid((4, 5), False, 2)),
    "hypercube-lmc2": Case(lambda: nets.Hypercube(3), lmc=2),
    "hypercube": Case(lambda: nets.Hypercube(5).Shuffled(4)),
    "dragonfly": Case(lambda: nets.Dragonfly(4, 1, 2)),
    "random": Case(lambda: nets.Random(24, 60, 48, 2)),
    "random-sparse": Case(lambda: nets.Random(30, 45, 40, 3)),
    "random-lmc1": Case(lambda: nets.Random(16, 48, 40, 4), lmc=1),
    "random-lmc4": Case(lambda: nets.Random(8, 40, 16, 5), lmc=4),
    "random-lmc7": Case(lambda: nets.Random(5, 16, 6, 7), lmc=7),
    "parallel": Case(lambda: nets.Parallel(4, 6)),
    "two-port": Case(lambda: nets.TwoPort(8)),
    "ring": Case(lambda: nets.Grid((8,), True, 2).Shuffled(6)),
    "line": Case(lambda: nets.Grid((9,), False, 1).Shuffled(7)),
    "single": Case(lambda: nets.Single(4)),
    "ft2-compute": Case(lambda: nets.FatTree2(8), cn_guid_file=Hosts(0, 2)),
    "random-io": Case(lambda: nets.Random(20, 50, 50, 8), io_guid_file=Hosts(1, 3)),
    "random-compute-io": Case(lambda: nets.Random(20, 50, 50, 9), lmc=1,
                              cn_guid_file=Hosts(0, 2), io_guid_file=Hosts(1, 3)),
    "random-both-names": Case(lambda: nets.Random(14, 40, 36, 10), cn_guid_file=Hosts(0, 2),
                              io_guid_file=Hosts(0, 3)),
    "random-no-such-port": Case(lambda: nets.Random(14, 40, 36, 11),
                                cn_guid_file=lambda nodes: "0x00ee000000000001\n"),
    "random-profile": Case(lambda: nets.Random(14, 40, 36, 12), port_profile_switch_nodes=True),
}
