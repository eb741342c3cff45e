# SPDX-License-Identifier: Apache-2.0
# EmberSM: follows forwarding tables: who is lost, what goes in circles, how full cables get.
"""The walker knows cables and tables alone and shares no line with the product. Tables are
sequences by LID for each switch; a port that has no cable, 0 or 255 leads nowhere."""
import collections
import dataclasses
import re

DROP = 255
# Data of a lane in Gb/s: eight bits of ten up to QDR, 64 of 66 from FDR on.
LANE = {"SDR": 2, "DDR": 4, "QDR": 8, "FDR10": 8, "FDR": 13.6, "EDR": 25, "HDR": 50, "NDR": 100,
        "XDR": 200}


class Graph:
    """A net as numbers: switches by index, their exits, and the end ports behind them."""

    def __init__(self, nodes):
        self.switches = [node for node in nodes if node.is_switch]
        index = {node.guid: i for i, node in enumerate(self.switches)}
        self.index = index
        self.exits = []  # switch -> [next switch or -1] by port
        self.rates = []  # switch -> {port: data of the link there}
        self.host_rate = 0  # Of the fastest cable of a host.
        for node in self.switches:
            row = [-1] * 256
            for port, link in node.links.items():
                if link.peer.is_switch:
                    row[port] = index[link.peer.guid]
            self.exits.append(row)
            self.rates.append({port: link.width * LANE[link.speed]
                               for port, link in node.links.items() if link})
        self.places = {}  # PortGUID -> (switch, port there, whether it sends data)
        for node in nodes:
            if node.is_switch:
                self.places[node.guid] = (index[node.guid], 0, False)
                continue
            for port, link in node.links.items():
                if node.role != "aggregation":
                    self.host_rate = max(self.host_rate, link.width * LANE[link.speed])
                if link.peer.is_switch:
                    self.places[node.port_guids[port]] = (index[link.peer.guid], link.port,
                                                          node.role != "aggregation")


@dataclasses.dataclass
class Findings:
    hosts: int = 0
    lost: int = 0  # Ordered pairs of hosts.
    example: tuple = ()  # A LID and the GUID of a switch from which it is lost.
    circles: int = 0
    saturation: float = 1.0  # Of all hosts sending to all: what a host gets of its own cable.
    by_rate: float = 1.0  # The same where a link carries as much as its rate says.
    credit_loop: bool = False  # Of hosts' traffic, were all of it on one lane.


def HasCircle(arcs):
    """Whether a directed graph, {node: set of nodes}, has a circle."""
    done, state = set(), {}
    for start in arcs:
        if start in done:
            continue
        stack, state[start] = [(start, iter(arcs[start]))], True
        while stack:
            here, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                done.add(here)
                state[here] = False
            elif state.get(following):
                return True
            elif following not in done:
                state[following] = True
                stack.append((following, iter(arcs.get(following, ()))))
    return False


class Walker:
    def __init__(self, graph, tables, lids):
        """`tables` by NodeGUID; `lids` {LID: PortGUID}, of which each port's lowest is walked."""
        self._graph, self.findings = graph, Findings()
        self._tables = [tables.get(node.guid, b"") for node in graph.switches]
        base = {}
        for lid, guid in sorted(lids.items()):
            if guid in graph.places and graph.places[guid][2]:
                base.setdefault(guid, lid)
        self._targets = [(lid, *graph.places[guid][:2]) for guid, lid in base.items()]
        self._senders = collections.Counter(switch for _, switch, _ in self._targets)
        self._loads, self._arcs = collections.Counter(), collections.defaultdict(set)

    def Walk(self):
        findings = self.findings
        findings.hosts = len(self._targets)
        for target in self._targets:
            self._Follow(*target)
        if findings.hosts > 1 and self._loads:
            findings.saturation = min(1.0, (findings.hosts - 1) / max(self._loads.values()))
            findings.by_rate = min(1.0, (findings.hosts - 1) / max(
                load * self._graph.host_rate / self._graph.rates[here >> 8][here & 255]
                for here, load in self._loads.items()))
        findings.credit_loop = HasCircle(self._arcs)
        return findings

    def _Follow(self, lid, root, root_port):
        graph, tables = self._graph, self._tables
        ports = [table[lid] if lid < len(table) else DROP for table in tables]
        following = [graph.exits[i][port] for i, port in enumerate(ports)]
        if ports[root] != root_port:
            following[root] = -1
            self._Lose(lid, root, sum(self._senders.values()) - self._senders[root])
            return
        children = collections.defaultdict(list)
        for switch, after in enumerate(following):
            if switch != root and after >= 0:
                children[after].append(switch)
        order = [root]
        for switch in order:
            order += children.get(switch, ())
        reached = set(order)
        if len(reached) < len(ports):
            self._Unreached(lid, following, reached)
        self._Load(order, following, ports, root)

    def _Lose(self, lid, switch, count):
        if count:
            self.findings.lost += count
            guid = self._graph.switches[switch].guid
            self.findings.example = self.findings.example or (lid, guid)

    def _Unreached(self, lid, following, reached):
        """Hosts of switches from which a LID is lost; and circles on the way."""
        for switch, senders in self._senders.items():
            if switch not in reached:
                self._Lose(lid, switch, senders)
        ended = set(reached)
        for start in range(len(following)):
            trail, here = set(), start
            while here >= 0 and here not in ended and here not in trail:
                trail.add(here)
                here = following[here]
            self.findings.circles += here in trail
            ended |= trail

    def _Load(self, order, following, ports, root):
        flows = [0] * len(ports)
        for switch in reversed(order):
            flow = flows[switch] + self._senders.get(switch, 0)
            if switch == root or not flow:
                continue
            after = following[switch]
            here = switch << 8 | ports[switch]
            self._loads[here] += flow
            flows[after] += flow
            if after != root:
                self._arcs[here].add(after << 8 | ports[after])


def Bound(site):
    """What no routing exceeds: the cables of each leaf, and of the cuts that the kind knows."""
    hosts = collections.Counter()
    for node, port in site.HostPorts():
        if node.links[port].peer.is_switch:
            hosts[node.links[port].peer] += 1
    count, bound = sum(hosts.values()), 1.0
    cuts = [(inside, len(switch.UpLinks())) for switch, inside in hosts.items()]
    for inside, cables in cuts + site.draft.cuts:
        if cables and inside < count:
            bound = min(bound, (count - 1) * cables / (inside * (count - inside)))
    return bound


# --- Tables as emberctl dump writes them --------------------------------------------------------
_ROW = re.compile(r"0x(\w+) (\d+)(?: # .*?portguid 0x(\w+))?")


def ReadDump(path):
    """opensm-lfts.dump -> (tables by NodeGUID, {LID: PortGUID})."""
    tables, lids, table = {}, {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("Unicast"):
                table = bytearray(b"\xff" * 0xC000)
                tables[int(re.search(r" guid 0x(\w+)", line)[1], 16)] = table
                continue
            row = _ROW.match(line)
            if row:
                lid = int(row[1], 16)
                table[lid] = int(row[2])
                if row[3]:
                    lids[lid] = int(row[3], 16)
    return tables, lids
