# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: every check of this suite can fail.
"""A healthy subnet is spoilt in one place by a raw Set, and the check that should see it must."""
import os

import checks
import ibsim
from cases import Named
from checks import Expect, Wrong


def MustComplain(check, words, *arguments):
    try:
        check(*arguments)
    except Wrong as reason:
        Expect(words in str(reason), "complained of something else: %s", reason)
        return
    raise Wrong("%s did not notice: %s" % (check.__qualname__, words))


def HealthyThenAlone(context, net="ft2-k8"):
    """A subnet that was brought up and whose manager is gone, so that nobody mends it."""
    context.Simulate(net)
    node = context.simulator.hosts[0].name
    manager = context.Manage(node)
    manager.WaitUp()
    manager.WaitQuiet()
    manager.Stop()
    subnet = context.Read()
    subnet.Check()
    return subnet


class Spoiler:
    """Writes into the simulated fabric behind the manager's back."""

    def __init__(self, context):
        self.simulator, self.witness = context.simulator, context.Witness()
        self.routes = self.simulator.Routes(self.witness)

    def SetTable(self, switch, lid, port):
        with ibsim.Client(self.simulator, self.witness) as client:
            route, block = self.routes[switch], lid // 64
            table = bytearray(client.Ask(route, ibsim.LINEAR_FORWARDING_TABLE, block)[1])
            before, table[lid % 64] = table[lid % 64], port
            status, _ = client.Ask(route, ibsim.LINEAR_FORWARDING_TABLE, block, bytes(table),
                                   ibsim.SET)
            Expect(status == 0, "the spoiling Set was refused")
        return before

    def SetPort(self, node, port, **fields):
        with ibsim.Client(self.simulator, self.witness) as client:
            info = client.Ask(self.routes[node], ibsim.PORT_INFO, port)[1]
            info = ibsim.WithPortField(info, "state", 0)
            for name, value in fields.items():
                info = ibsim.WithPortField(info, name, value)
            client.Ask(self.routes[node], ibsim.PORT_INFO, port, info, ibsim.SET)


@Named("proof.tables")
def Tables(context):
    """The walker sees a hole, a loop, a wrong host and a path that ends in a switch."""
    subnet = HealthyThenAlone(context)
    spoiler = Spoiler(context)
    hosts = [place for place in subnet.lids if place[1]]
    target = hosts[0]
    lid = subnet.lids[target][0]
    leaf = context.simulator.nodes[target[0]].ports[1].node
    far = next(peer.node for peer in context.simulator.nodes[leaf].ports.values()
               if peer.node in subnet.tables)
    up_port = next(p for p, peer in context.simulator.nodes[leaf].ports.items()
                   if peer.node == far)
    other_port = next(p for p, peer in context.simulator.nodes[leaf].ports.items()
                      if peer.node not in subnet.tables and peer.node != target[0])
    for name, wrong_port in (("a hole", 255), ("a loop", up_port), ("a wrong host", other_port),
                             ("its end in a switch", 0), ("a port that is not there", 200)):
        right = spoiler.SetTable(leaf, lid, wrong_port)
        MustComplain(context.Read().Check, "LID %d " % lid)
        spoiler.SetTable(leaf, lid, right)
        context.Read().Check()
        context.Note("noticed %s", name)


@Named("proof.ports")
def Ports(context):
    """A port that is not ACTIVE, a LID given twice, a missing LID and two masters are seen."""
    subnet = HealthyThenAlone(context)
    spoiler = Spoiler(context)
    one, other = [place for place in subnet.lids if place[1]][:2]
    lid = subnet.lids[one][0]
    spoiler.SetPort(one[0], 1, lid=subnet.lids[other][0])
    MustComplain(context.Read().Check, "belongs to")
    spoiler.SetPort(one[0], 1, lid=0)
    MustComplain(context.Read().Check, "has LID 0")
    spoiler.SetPort(one[0], 1, lid=lid, master_sm_lid=subnet.master_lid + 1)
    MustComplain(context.Read().Check, "name different masters")
    spoiler.SetPort(one[0], 1, master_sm_lid=subnet.master_lid)
    context.Read().Check()
    spoiler.SetPort(one[0], 1, state=ibsim.DOWN)
    MustComplain(context.Read().Check, "not ACTIVE")
    eye = context.Witness()
    MustComplain(checks.CheckIblinkinfo, "is not up", context, subnet, eye)


@Named("proof.tools")
def Tools(context):
    """The checks by Debian's tools see a lost cable, another table, another master, a bad dump."""
    context.Simulate("ft2-k8")
    node = context.simulator.hosts[0].name
    manager = context.Manage(node)
    manager.WaitUp()
    manager.WaitQuiet()
    subnet = context.Read(node)
    subnet.Check()
    eye = context.Witness(node)
    MustComplain(checks.CheckSminfo, "the master is at", context, subnet, eye, eye)
    dumps = manager.Dump()
    manager.Stop()
    MustComplain(checks.CheckSminfo, "sminfo:", context, subnet, eye, node)

    lid, (switch, port) = 3, next((place for place in subnet.lids if place[1] == 0))
    spoiler = Spoiler(context)
    right = spoiler.SetTable(switch, lid, 255)
    MustComplain(checks.CheckDumpFts, "sends LID 3", context, subnet, eye)
    spoiler.SetTable(switch, lid, right)
    checks.CheckDumpFts(context, subnet, eye)

    cable = next(p for p, peer in context.simulator.nodes[switch].ports.items()
                 if peer.node in subnet.tables)
    context.simulator.Unlink(switch, cable)
    MustComplain(checks.CheckIbnetdiscover, "cable ends", context, subnet, eye)
    MustComplain(checks.CheckIblinkinfo, "ends are active", context, subnet, eye)

    path = os.path.join(dumps, "opensm.fdbs")
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    # A host's: ibdmchk follows no routes to switches.
    host = "0x%04x" % min(lid for lid, owner in subnet.owners.items() if owner[1] != 0)
    row = next(i for i, line in enumerate(lines)
               if line.startswith(host) and ": 000 " not in line)
    lines[row] = host + " : %03d  : 00   : yes\n" % (int(lines[row].split(":")[1]) % 8 + 1)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)
    MustComplain(checks.CheckIbdmchk, "ibdmchk", context, dumps, subnet, False)


@Named("proof.comparison")
def Comparison(context):
    """A single entry or LID that differs from OpenSM's is a failure of the comparison."""
    from bring_up_cases import Compare
    subnet = HealthyThenAlone(context)
    spoiler = Spoiler(context)
    switch = next(iter(subnet.tables))
    spoiler.SetTable(switch, 5, spoiler.SetTable(switch, 5, 1) % 7 + 1)
    MustComplain(Compare, "LID 5", subnet, context.Read())
    host = next(place for place in subnet.lids if place[1])
    spoiler.SetPort(host[0], 1, lid=40000)
    MustComplain(Compare, "LID and LMC", subnet, context.Read())
