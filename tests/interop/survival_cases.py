# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what is left of a fabric is routed, beside OpenSM.
import functools
import os
import random
import time

import ibsim
from cases import Add
from checks import Expect, Wrong
from engine_cases import RootsOf

NET = "ft3-k8"  # 256 cables between switches; 32 leaves, 128 hosts: 4,096 pairs.
PATIENCE_S = 22


def DeadPairs(subnet):
    """Pairs (switch with hosts, LID of a host) whose packets do not arrive by the tables."""
    nodes = subnet.simulator.nodes
    hosts = {name for name, port in subnet.lids if port}
    leaves = sorted({peer.node for name in hosts for peer in nodes[name].ports.values()})
    out = {place: nodes[place[0]].ports[place[1]].node for place in subnet.ports if place[1]}
    dead = 0
    for (owner, port), (lid, _) in subnet.lids.items():
        if port == 0:
            continue
        for leaf in leaves:
            here = leaf
            for _ in range(len(subnet.tables)):
                table = subnet.tables.get(here, b"")
                here = out.get((here, table[lid])) if lid < len(table) else None
                if here not in subnet.tables:
                    break
            dead += here != owner
    return dead


def SomeCables(simulator, count):
    """The same ones for everybody."""
    cables = sorted((node.name, port, peer.node) for node in simulator.switches
                    for port, peer in node.ports.items()
                    if simulator.nodes[peer.node].is_switch and node.name < peer.node)
    return [(name, port) for name, port, _ in random.Random(count).sample(cables, count)]


def AwaitPairs(context, node, down):
    """(dead pairs, seconds until there was none)."""
    begun, dead = time.monotonic(), None
    while time.monotonic() - begun < PATIENCE_S and dead != 0:
        try:
            dead = DeadPairs(context.Read(node, down=down))
        except (Wrong, ibsim.Unanswered):
            pass
        time.sleep(0.2)
    Expect(dead is not None, "the fabric could not be read")
    return dead, time.monotonic() - begun


def Worn(context, kind, configuration, count, cold):
    simulator = context.Simulate(NET)
    if configuration.startswith("roots "):
        path = os.path.join(context.directory, "roots")
        with open(path, "w", encoding="utf-8") as file:
            file.write(RootsOf(NET)(simulator))
        configuration = "%s\nroot_guid_file %s" % (configuration[6:], os.path.abspath(path))
    node, down = simulator.hosts[0].name, set(SomeCables(simulator, count))

    def Cut():
        for cable in sorted(down):
            simulator.Unlink(*cable)

    if cold:
        Cut()
    manager = context.Manage(node, name=kind, kind=kind, configuration=configuration + "\n")
    if not cold:
        manager.WaitUp(60)
        manager.WaitQuiet()
        Cut()
    result = AwaitPairs(context, node, down)
    manager.Stop()
    return result


def Wear(configuration, count, cold, context):
    """Cables between switches are lost: every pair of hosts that is still connected is routed."""
    told = []
    for kind in ("opensm", context.kind):
        dead, seconds = Worn(context, kind, configuration, count, cold)
        told.append("%s: %d dead after %.1f s" % (kind, dead, seconds))
    context.Note("%s", "; ".join(told))
    Expect(dead == 0, "%s", "; ".join(told))


for _label, _configuration in (("updn", "routing_engine updn"),
                               ("updn-roots", "roots routing_engine updn"),
                               ("ftree", "routing_engine ftree"),
                               ("minhop", "routing_engine minhop")):
    for _count in (15, 30, 60):
        for _cold in (False, True):
            Add("survival.wear.%s.%d%s" % (_label, _count, ".cold" if _cold else ""),
                functools.partial(Wear, _configuration, _count, _cold),
                _label == "updn" and _count == 60 and not _cold, 200, kinds=("embersm",))
