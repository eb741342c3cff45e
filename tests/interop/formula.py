# SPDX-License-Identifier: Apache-2.0
# EmberSM: the least number of SMPs that a bring-up takes, from the netlist alone.
import ibsim


def LeastPlan(simulator):
    """The SMPs that bringing up this net takes at least, as lines for the pump, in a natural order.

    (IBA leaves no cheaper way to learn a port or to make it ACTIVE; see tests/bench/RESULTS.md.)
    """
    routes = simulator.Routes(simulator.hosts[0].name)
    way = {name: " ".join(map(str, route)) for name, route in routes.items()}
    counts, lines = {}, []

    def Send(what, method, attribute, modifier, name):
        counts[what] = counts.get(what, 0) + 1
        lines.append("%d %d %d %s\n" % (method, attribute, modifier, way[name]))

    seen = set()
    nodes = sorted(simulator.nodes.values(), key=lambda node: len(routes[node.name]))
    top_lid = sum(len(node.end_ports()) for node in nodes)
    Send("Get(NodeInfo)", 1, ibsim.NODE_INFO, 0, nodes[0].name)
    for node in nodes:
        Send("Get(NodeDescription)", 1, 0x10, 0, node.name)
        if node.is_switch:
            Send("Get(SwitchInfo)", 1, ibsim.SWITCH_INFO, 0, node.name)
        for port in range(node.port_count + 1) if node.is_switch else sorted(node.ports):
            Send("Get(PortInfo)", 1, ibsim.PORT_INFO, port, node.name)
        for port, peer in node.ports.items():
            cable = frozenset(((node.name, port), tuple(peer)))
            if cable not in seen:
                seen.add(cable)
                Send("Get(NodeInfo)", 1, ibsim.NODE_INFO, 0, peer.node)
    for turn in (1, 2):
        for node in nodes:
            for port in ([0] if node.is_switch and turn == 1 else []) + sorted(node.ports):
                Send("Set(PortInfo)", 2, ibsim.PORT_INFO, port, node.name)
    for block in range(top_lid // 64 + 1):
        for node in nodes:
            if node.is_switch:
                if block == 0:
                    Send("Set(SwitchInfo)", 2, ibsim.SWITCH_INFO, 0, node.name)
                Send("Set(LFT)", 2, ibsim.LINEAR_FORWARDING_TABLE, block, node.name)
    return counts, lines
