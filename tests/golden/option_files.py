# SPDX-License-Identifier: Apache-2.0
# EmberSM: option files by chance, for cases.py.
"""Each function gives one that makes the text of an option file for a fabric, by a seed."""
import random

NOBODY = 0x00EE000000000001  # A GUID that no node has.


def SwitchPorts(nodes):
    return [(node, port) for node in nodes.values() if node.is_switch for port in sorted(node.ports)]


def HopWeights(seed, lines, least=1, most=5):
    """Distinct ports; the two ends of a cable may differ. Cables to hosts may occur."""
    def Make(nodes):
        chance = random.Random(seed)
        chosen = chance.sample(SwitchPorts(nodes), lines)
        return "".join("0x%016x %d %d\n" % (node.guid, port, chance.randint(least, most))
                       for node, port in chosen)
    return Make


def HopWeightsBothWays(seed, cables, least=2, most=5):
    """Both ends of a cable count alike."""
    def Make(nodes):
        chance = random.Random(seed)
        trunks = [(node, port) for node, port in SwitchPorts(nodes)
                  if nodes[node.ports[port].node].is_switch and
                  (node.name, port) < tuple(node.ports[port])]
        text = ""
        for node, port in chance.sample(trunks, cables):
            weight, peer = chance.randint(least, most), node.ports[port]
            text += "0x%016x %d %d\n" % (node.guid, port, weight)
            text += "0x%016x %d %d\n" % (nodes[peer.node].guid, peer.port, weight)
        return text
    return Make


def SearchOrder(seed, share=0.7):
    """For some of the switches some of their ports, in any order."""
    def Make(nodes):
        chance = random.Random(seed)
        text = "0x%016x 2 1\n" % NOBODY
        for node in nodes.values():
            if not node.is_switch or chance.random() > share:
                continue
            ports = chance.sample(range(1, node.port_count + 1), chance.randint(1, node.port_count))
            text += "0x%016x %s\n" % (node.guid, " ".join(map(str, ports)))
        return text
    return Make


def IgnoredPorts(seed, lines):
    def Make(nodes):
        chosen = random.Random(seed).sample(SwitchPorts(nodes), lines)
        return "0x%016x 1\n" % NOBODY + "".join("0x%016x %d\n" % (node.guid, port)
                                                for node, port in chosen)
    return Make


def RoutingOrder(seed, ports, switches=0):
    """Ports of hosts, some switches among them, one line twice, and a port that nobody has."""
    def Make(nodes):
        chance = random.Random(seed)
        guids = [node.PortGuid(port) for node in nodes.values() if not node.is_switch
                 for port in sorted(node.ports)]
        chosen = chance.sample(guids, ports)
        chosen += chance.sample([node.guid for node in nodes.values() if node.is_switch], switches)
        chance.shuffle(chosen)
        return "".join("0x%016x\n" % guid for guid in chosen[:2] + [NOBODY] + chosen)
    return Make
