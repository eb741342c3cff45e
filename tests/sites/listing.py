# SPDX-License-Identifier: Apache-2.0
# EmberSM: writes a net down as ibnetdiscover does: plain, with -f, or with -g.
"""`full` has the numbers of speed, width and lanes that ibnetdiscover -f prints; `grouped` has the
headings of chassis that -g prints, with [ext N] for the holes in a line board's front if wanted."""

# LinkSpeedActive and LinkSpeedExtActive, LinkWidthActive (IBA vol. 1, 14.2.5.6).
SPEEDS = {"SDR": (1, 0), "DDR": (2, 0), "QDR": (4, 0), "FDR10": (4, 0), "FDR": (4, 1),
          "EDR": (4, 2), "HDR": (4, 4), "NDR": (4, 8), "XDR": (4, 16)}
WIDTHS = {1: 1, 2: 16, 4: 2, 8: 4, 12: 8}
FORMS = ("plain", "full", "grouped")
EXTERNAL_PORTS = 18  # Of a director's line board.


class _Writer:
    def __init__(self, form, external):
        self.form, self.external, self.lines = form, external, []

    def _Hole(self, node, port):
        outside = (self.form == "grouped" and self.external and node.chassis
                   and node.chassis[1] == "Line" and port <= EXTERNAL_PORTS)
        return "[ext %d]" % port if outside else ""

    def _Rate(self, link):
        text = "%dx%s" % (link.width, link.speed)
        if self.form != "full":
            return text
        speed, extended = SPEEDS[link.speed]
        text += " s=%d w=%d v=4" % (speed, WIDTHS[link.width])
        return text + (" e=%d" % extended if extended else "")

    def _Ids(self, node):
        chassis = self.form == "grouped" and node.chassis
        self.lines += ["", "vendid=0x2c9", "devid=0x%x" % node.device,
                       "sysimgguid=0x%x" % node.system_guid
                       + ("\t\t# Chassis %d" % node.chassis[0] if chassis else "")]

    @staticmethod
    def _Lid(node, port):
        return node.lids.get(0 if node.is_switch else port, 0)

    def _Far(self, link):
        own = "" if link.peer.is_switch else "(%x) " % link.peer.port_guids[link.port]
        return '"%s"[%d]%s%s' % (link.peer.tag, link.port, self._Hole(link.peer, link.port), own)

    def Switch(self, node):
        self._Ids(node)
        place = ""
        if self.form == "grouped":
            place = "\t# " + ("%s %d Chip 1" % node.chassis[1:] if node.chassis else "")
        self.lines.append("switchguid=0x%x(%x)%s" % (node.guid, node.guid, place))
        self.lines.append('Switch\t%d "%s"\t\t# "%s" enhanced port 0 lid %d lmc %d'
                          % (node.port_count, node.tag, node.name, self._Lid(node, 0), 0))
        for port, link in sorted(node.links.items()):
            self.lines.append('[%d]%s\t%s\t\t# "%s" lid %d %s' % (
                port, self._Hole(node, port), self._Far(link), link.peer.name,
                self._Lid(link.peer, link.port), self._Rate(link)))

    def Adapter(self, node):
        self._Ids(node)
        word = "ca" if node.kind == "host" else "rt"
        self.lines.append("%sguid=0x%x" % (word, node.guid))
        self.lines.append('%s\t%d "%s"\t\t# "%s"' % (word.capitalize(), node.port_count, node.tag,
                                                   node.name))
        for port, link in sorted(node.links.items()):
            self.lines.append('[%d](%x) \t%s\t\t# lid %d lmc %d "%s" lid %d %s' % (
                port, node.port_guids[port], self._Far(link), self._Lid(node, port), node.lmc,
                link.peer.name, self._Lid(link.peer, link.port), self._Rate(link)))

    def Chassis(self, number, switches):
        self.lines += ["", "Chassis %d (guid 0x%x)" % (number, switches[0].system_guid)]
        for kind in ("Spine", "Line"):
            self.lines += ["", "# %s Nodes" % kind]
            for node in sorted((n for n in switches if n.chassis[1] == kind),
                               key=lambda n: n.chassis):
                self.Switch(node)


def Listing(net, seat, form="plain", external=False, shuffle=None):
    """The text; `shuffle`, a source of chance, gives the nodes another order."""
    port = min(seat.links, default=0) if not seat.is_switch else 0
    port_guid = seat.guid if seat.is_switch else seat.port_guids.get(port, seat.guid)
    writer = _Writer(form, external)
    writer.lines += ["#", "# Topology file: generated on Wed Mar  4 03:12:51 2026", "#",
                     "# Initiated from node %016x port %016x" % (seat.guid, port_guid)]
    switches, adapters = net.switches, net.adapters
    if shuffle is not None:
        shuffle.shuffle(switches)
        shuffle.shuffle(adapters)
    apart = switches
    if form == "grouped":
        numbers = sorted({node.chassis[0] for node in switches if node.chassis})
        for number in numbers:
            writer.Chassis(number, [n for n in switches if n.chassis and n.chassis[0] == number])
        writer.lines += ["", "Non-Chassis Nodes"]
        apart = [node for node in switches if not node.chassis]
    for node in apart:
        writer.Switch(node)
    for node in adapters:
        writer.Adapter(node)
    return "\n".join(writer.lines) + "\n"
