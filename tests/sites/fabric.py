# SPDX-License-Identifier: Apache-2.0
# EmberSM: the fabric of a drawn site: nodes, cables, what each node is for, and its LIDs.
"""A Net knows more than a listing tells: the role of each node, its level, the cables that are
missing or slow. Expectations are made from that knowledge, never from a program's answer."""
import collections

AGGREGATION_NAME, AGGREGATION_DEVICE = "Mellanox Technologies Aggregation Node", 0xCF09
# The first three octets of adapters and switches that are sold.
VENDORS = (0x0002C9, 0xE41D2D, 0x7CFE90, 0xEC0D9A, 0x98039B, 0xB8599F, 0x1070FD, 0xB83FD2)

Link = collections.namedtuple("Link", "peer port width speed")


class Node:
    """A switch, host or router; `links` maps a port to its Link."""

    def __init__(self, kind, port_count, guid, name, role, device):
        self.kind, self.port_count, self.guid = kind, port_count, guid
        self.name, self.role, self.device = name, role, device
        self.system_guid, self.links = guid, {}
        self.port_guids, self.lids, self.lmc = {}, {}, 0
        self.level, self.place = 0, None  # Of a tree; the coordinates in a grid.
        self.chassis = None  # (number, "Spine" or "Line", slot), within a director.

    @property
    def is_switch(self):
        return self.kind == "switch"

    @property
    def tag(self):
        """The name by which listings join nodes."""
        return "%s-%016x" % ({"switch": "S", "host": "H", "router": "R"}[self.kind], self.guid)

    def FreePort(self):
        return next(port for port in range(1, self.port_count + 2) if port not in self.links)

    def Room(self):
        return self.port_count - len(self.links)

    def EndPorts(self):
        """The ports that own LIDs: 0 of a switch, the cabled ones of an adapter."""
        return [0] if self.is_switch else sorted(self.links)

    def PortGuid(self, port):
        return self.guid if self.is_switch else self.port_guids[port]

    def UpLinks(self):
        return [link for link in self.links.values() if link.peer.is_switch]

    def Hosts(self):
        """The hosts on a switch; aggregation nodes and routers are none."""
        return [link.peer for _, link in sorted(self.links.items())
                if link.peer.kind == "host" and link.peer.role != "aggregation"]


class Net:
    def __init__(self, chance):
        self.chance, self.nodes = chance, []
        self.vendors = chance.sample(VENDORS, 3)
        self.port_guids_follow = chance.random() < 0.5  # Else a port has the GUID of its node.
        self.two_port_hosts = False
        self.missing, self.slow, self.slips = [], [], []
        self._guids = set()

    def _Guid(self):
        while True:
            guid = (self.chance.choice(self.vendors) << 40 | 3 << 24
                    | self.chance.randrange(1 << 20) << 4)
            if guid not in self._guids:
                self._guids.add(guid)
                return guid

    def _Add(self, kind, ports, name, role, device, guid=None):
        node = Node(kind, ports, guid or self._Guid(), name, role, device)
        self.nodes.append(node)
        return node

    def Switch(self, ports, name, role="leaf", level=0, device=0xD2F0):
        node = self._Add("switch", ports, name, role, device)
        node.level = level
        return node

    def Host(self, name, *switches, role="compute", width=4, speed="HDR", ports=None, guid=None,
             device=0x101B, kind="host"):
        """An adapter with a port on each of the switches, or `ports` of which some are bare."""
        if ports is None:
            ports = max(1, len(switches))
            if self.two_port_hosts and role == "compute":
                ports = max(2, ports)
        node = self._Add(kind, ports, name, role, device, guid)
        for port in range(1, ports + 1):
            node.port_guids[port] = (node.guid + port if self.port_guids_follow or ports > 1
                                     else node.guid)
        for port, switch in enumerate(switches, 1):
            self.Join(node, switch, width, speed, port)
        return node

    def Router(self, name, switch, speed="HDR"):
        return self.Host(name, switch, role="router", speed=speed, ports=2, device=0xF1D2,
                         kind="router")

    def Aggregation(self, switch, speed="HDR"):
        """The end node inside of a switch's chip that reduces data; on the last port, one beyond
        those that have cables."""
        node = self._Add("host", 1, AGGREGATION_NAME, "aggregation", AGGREGATION_DEVICE,
                         switch.guid + 8)
        node.port_guids[1], node.system_guid = node.guid, switch.guid
        switch.port_count += 1
        self.Join(node, switch, 4, speed, 1, switch.port_count)

    def Join(self, one, other, width=4, speed="HDR", one_port=None, other_port=None):
        one_port = one_port or one.FreePort()
        if one is other:
            one.links[one_port] = None
        other_port = other_port or other.FreePort()
        for node, port in ((one, one_port), (other, other_port)):
            if not 0 < port <= node.port_count or node.links.get(port) is not None:
                raise ValueError("%s has no free port %d" % (node.name, port))
        one.links[one_port] = Link(other, other_port, width, speed)
        other.links[other_port] = Link(one, one_port, width, speed)
        return one_port

    def Unplug(self, node, port):
        link = node.links.pop(port)
        link.peer.links.pop(link.port, None)
        self.missing.append((node.guid, port, link.peer.guid, link.port))

    def Remove(self, node):
        for port in list(node.links):
            link = node.links.pop(port)
            link.peer.links.pop(link.port, None)
        self.nodes.remove(node)

    def Degrade(self, node, port, width, speed):
        link = node.links[port]
        node.links[port] = link._replace(width=width, speed=speed)
        link.peer.links[link.port] = Link(node, port, width, speed)
        self.slow.append((node.guid, port))

    @property
    def switches(self):
        return [node for node in self.nodes if node.is_switch]

    @property
    def adapters(self):
        return [node for node in self.nodes if not node.is_switch]

    @property
    def hosts(self):
        """Hosts proper, which send data to each other."""
        return [node for node in self.nodes if node.kind == "host" and node.role != "aggregation"]

    def Trunks(self):
        """(switch, port) of each cable between switches, once."""
        return [(node, port) for node in self.switches for port, link in sorted(node.links.items())
                if link.peer.is_switch and (node.guid, port) < (link.peer.guid, link.port)]

    def Seen(self, seat):
        """The nodes that cables join to the seat of the manager, it among them."""
        seen, pending = {seat.guid: seat}, [seat]
        while pending:
            for link in pending.pop().links.values():
                if link.peer.guid not in seen:
                    seen[link.peer.guid] = link.peer
                    if link.peer.is_switch:
                        pending.append(link.peer)
        return list(seen.values())

    def GiveLids(self, style, lmc):
        """LIDs as an earlier manager left them: none, dense, or with holes."""
        if style == "none":
            return
        places = [(node, port) for node in self.nodes for port in node.EndPorts()]
        self.chance.shuffle(places)
        lid = 1
        for node, port in places:
            own = 0 if node.is_switch else lmc
            lid = (lid + (1 << own) - 1) >> own << own
            node.lids[port], node.lmc = lid, own
            lid += 1 << own
            if style == "holes":
                lid += self.chance.choice((0, 0, 0, 0, 1, 5))

    def JoinSubnets(self):
        """As when two subnets are joined: some LIDs are there twice, some ports have none yet."""
        places = [(node, port) for node in self.adapters for port in sorted(node.links)]
        for node, port in self.chance.sample(places, min(len(places), 2 + len(places) // 20)):
            other, its = self.chance.choice(places)
            node.lids[port] = self.chance.choice((other.lids.get(its, 0), 0))


def Hex(guid):
    return "0x%016x" % guid
