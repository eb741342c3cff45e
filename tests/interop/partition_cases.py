# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: ports get the P_Keys that OpenSM gives them.
import functools
import os
import random
import struct

import tables
from cases import Add
from checks import Expect
from ibsim import Client

P_KEY_TABLE = 0x16
# More partitions than one block holds for the ports that are in all of them.
PARTITIONS, FULL_OF_ALL = 40, 2
NETS = ("ft2-k8", "ft3-k8", "torus-4x4x4", "mesh-8x8", "hypercube-6", "dragonfly", "random", "ring",
        "parallel", "single-switch")


def PartitionFile(simulator, seed):
    """The text of a file in which hosts have few partitions and many, of both kinds."""
    draw = random.Random(seed)
    hosts = sorted(host.PortGuid(1) for host in simulator.hosts)
    lines = ["Default=0x7fff, ipoib: ALL=limited, ALL_SWITCHES=full, SELF=full;"]
    for number in range(1, PARTITIONS + 1):
        members = hosts[:FULL_OF_ALL] + draw.sample(hosts[FULL_OF_ALL:],
                                                    min(5, len(hosts) - FULL_OF_ALL))
        words = ["0x%x=%s" % (guid, draw.choice(("full", "limited"))) for guid in members]
        lines.append("Part%d=0x%x: %s;" % (number, number, ", ".join(words)))
    return "\n".join(lines) + "\n"


def Tables(simulator, witness):
    """(node, port) -> the P_Keys that it holds, by index."""
    held = {}
    with Client(simulator, witness) as client:
        for name, route in simulator.Routes(witness).items():
            node = simulator.nodes[name]
            for port in ([0] + sorted(node.ports)) if node.is_switch else [1]:
                keys = []
                for block in range(2):
                    modifier = (port << 16 if node.is_switch else 0) | block
                    status, table = client.Ask(route, P_KEY_TABLE, modifier)
                    keys += struct.unpack(">32H", table) if status == 0 else ()
                while keys and keys[-1] == 0:
                    keys.pop()
                held[name, port] = tuple(keys)
    return held


def AsOpensm(net, context):
    """The P_Key table of every port is OpenSM's. ibsim keeps no bits of enforcement to compare."""
    def Configure(simulator, _):
        path = os.path.join(context.directory, "partitions.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PartitionFile(simulator, net))
        return "partition_config_file %s\n" % path

    theirs = tables.BesideOpensm(context, net, Configure, Tables)
    most = max(len(keys) for keys in theirs.values())
    Expect(most > 32, "no port has more than one block of P_Keys")
    context.Note("%d ports, up to %d P_Keys", len(theirs), most)


for _net in NETS:
    Add("partitions." + _net, functools.partial(AsOpensm, _net), _net in NETS[:3],
        kinds=("embersm",), hosts_only="OpenSM sits at a host")
