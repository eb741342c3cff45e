# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: ports get the VL arbitration and SL to VL tables that OpenSM gives them.
import functools

import ibsim
import path_cases
import sa
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


IDENTITY = bytes(16 * sl + sl + 1 for sl in range(0, 14, 2))  # Two service levels an octet.


def OfDfsssp(net, context):
    """With dfsssp every map is the identity, as with OpenSM, and a path has a service level of its
    own, the same in both directions."""
    text = "routing_engine dfsssp,no_fallback\nqos TRUE\n"
    theirs = tables.BesideOpensm(
        context, net, lambda _, kind: text + OPENSM_SWEEPS * (kind == "opensm"), Tables)
    maps = [table for at, table in theirs.items()
            if isinstance(at[2], str) and table is not None and any(table)]
    Expect(maps and all(table[:4] == IDENTITY[:4] for table in maps), "a map is not the identity")
    simulator = context.Simulate(net)
    manager = context.Manage(simulator.hosts[0].name, kind="embersm",
                             configuration=text + "order opensm\n")
    manager.WaitUp(120)
    levels = {}
    with sa.Client(simulator, context.Witness(manager.node)) as client:
        mask, question = path_cases.Pack(numb=1)
        server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
        status, records = client.Query(server, "PathRecord", mask, question)
        Expect(status == 0 and records, "no paths: status %s", status)
        for record in records:
            number = int.from_bytes(record, "big")
            slid, dlid, sl = (number >> shift & most
                              for shift, most in ((160, 0xFFFF), (176, 0xFFFF), (80, 0xF)))
            levels[slid, dlid] = sl
    unlike = [pair for pair, sl in levels.items() if levels.get(pair[::-1]) != sl]
    Expect(not unlike, "%d pairs have two service levels, as %s", len(unlike), unlike[:1])
    Expect(len(set(levels.values())) > 1, "all paths have one service level")
    context.Note("%d maps, %d paths on %d lanes", len(maps), len(levels), len(set(levels.values())))


for _net in ("ring", "dragonfly", "random"):
    Add("lanes.dfsssp." + _net, functools.partial(OfDfsssp, _net), _net == "ring",
        kinds=("embersm",), hosts_only="OpenSM sits at a host")
