# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: ports get the VL arbitration and SL to VL tables that OpenSM gives them.
import functools

import tables
from cases import Add
from checks import Expect
from ibsim import Client

SL_TO_VL, VL_ARBITRATION = 0x17, 0x18
NETS = ("ft2-k8", "ft3-k8", "torus-4x4x4", "mesh-8x8", "hypercube-6", "dragonfly", "random", "ring",
        "parallel", "single-switch")
# OpenSM takes a port's OperationalVLs as they were before its sweep; the sweep after sets it right.
OPENSM_SWEEPS = "sweep_interval 2\nforce_heavy_sweep TRUE\n"
LINES = """qos TRUE
qos_high_limit 3
qos_vlarb_high 1:64,2:32,14:16
qos_vlarb_low 0:1,3:3,5:5,7:7,9:9
qos_sl2vl 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0
qos_swe_high_limit 5
qos_swe_vlarb_low 0:2,1:4,2:6,3:8
qos_swe_sl2vl 2,3,0,1,2,3,0,1,2,3,0,1,2,3,0,15
qos_rtr_vlarb_high 6:1
qos_sw0_sl2vl 7,6,5,4,3,2,1,0,7,6,5,4,3,2,1,0
"""


def Tables(simulator, witness):
    """(node, port, table) -> what it holds, of all ports whose link is up."""
    held = {}
    with Client(simulator, witness) as client:
        for name, route in simulator.Routes(witness).items():
            node = simulator.nodes[name]
            for port in sorted(node.ports) if node.is_switch else [1]:
                for block in range(1, 5):
                    modifier = block << 16 | (port if node.is_switch else 0)
                    status, table = client.Ask(route, VL_ARBITRATION, modifier)
                    held[name, port, block] = table if status == 0 else None
                for entry in range(max(node.ports) + 1) if node.is_switch else [0]:
                    modifier = entry << 8 | port if node.is_switch else 0
                    status, table = client.Ask(route, SL_TO_VL, modifier)
                    held[name, port, "from %d" % entry] = table[:8] if status == 0 else None
    return held


def AsOpensm(net, context):
    """The tables of every port are OpenSM's, octet by octet."""
    theirs = tables.BesideOpensm(
        context, net, lambda _, kind: LINES + OPENSM_SWEEPS * (kind == "opensm"), Tables)
    high = {at: table for at, table in theirs.items() if at[2] == 3 and table is not None}
    Expect(high and all(table[:4] == bytes((1, 64, 2, 32)) for table in high.values()),
           "OpenSM has not written its tables")
    context.Note("%d tables", sum(1 for table in theirs.values() if table is not None))


for _net in NETS:
    Add("lanes." + _net, functools.partial(AsOpensm, _net), _net in NETS[:3],
        kinds=("embersm",), hosts_only="OpenSM sits at a host")
