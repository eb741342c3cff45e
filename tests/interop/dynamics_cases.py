# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: cables and nodes come and go, datagrams are lost, the manager is killed.
import re
import time

import checks
import ibsim
from bring_up_cases import Compare
from cases import Named
from checks import Expect, Wrong


class Scene:
    """A subnet that is up, its manager, and how many table blocks were sent since the last look."""

    def __init__(self, context, net, **options):
        self.context, self.simulator = context, context.Simulate(net)
        self.node = self.simulator.hosts[0].name
        self.manager = context.Manage(self.node, **options)
        self.manager.WaitUp(60)
        self.manager.WaitQuiet()
        self.subnet = context.Read(self.node)
        self.subnet.Check()
        self.sent = self.manager.traffic().TableSets()
        self.detours = self.ToldDetours()

    def ToldDetours(self):
        """Blocks that EmberSM says it wrote twice: first to drop, so that no packet runs in a circle."""
        return sum(map(int, re.findall(r"(\d+) LFT blocks were made to drop first",
                                       self.manager.Log())))

    def AwaitHealth(self, down=(), timeout_s=60):
        """Until the fabric without the cables `down` is healthy. (seconds, differing, sent)."""
        begun, reason = time.monotonic(), None
        while time.monotonic() - begun < timeout_s:
            Expect(self.manager.IsRunning(), "the subnet manager ended")
            try:
                subnet = self.context.Read(self.node, down=down)
                subnet.Check()
                break
            except (Wrong, ibsim.Unanswered) as wrong:
                reason = wrong
            time.sleep(0.05)
        else:
            raise Wrong("not healed after %d s: %s" % (timeout_s, reason))
        seconds = time.monotonic() - begun
        self.manager.WaitQuiet()
        subnet = self.context.Read(self.node, down=down)
        subnet.Check()
        total = self.manager.traffic().TableSets()
        differing, sent = subnet.BlocksThatDiffer(self.subnet), total - self.sent
        self.subnet, self.sent = subnet, total
        return seconds, differing, sent

    def AwaitTableSets(self, timeout_s=30):
        """Until a table is written: the loss of a host leaves a fabric that looks healthy as it is."""
        end = time.monotonic() + timeout_s
        while self.manager.traffic().TableSets() == self.sent:
            Expect(time.monotonic() < end, "nothing was done about the change for %d s", timeout_s)
            time.sleep(0.02)

    def SwitchCable(self, near):
        """A cable between two switches, the first one of the switch `near`."""
        node = self.simulator.nodes[near]
        return next((near, port) for port, peer in sorted(node.ports.items())
                    if self.simulator.nodes[peer.node].is_switch)

    def Judge(self, what, result, slack=0):
        """Notes what it took. EmberSM sends the blocks that differ, those twice that it says had to
        drop first, and no other, but for `slack`.

        OpenSM sends a few more now and then; with it under test only the lower bound holds.
        """
        seconds, differing, sent = result
        told = self.ToldDetours()
        twice, self.detours = told - self.detours, told
        self.context.Note("%s: healed in %.2f s, %d blocks differ, %d sent, %d twice", what, seconds,
                          differing, sent, twice)
        Expect(sent >= differing - slack, "%s: %d blocks differ, %d sent", what, differing, sent)
        if self.context.kind == "embersm":
            Expect(sent <= differing + twice + slack, "%s: %d blocks differ, %d twice, %d sent",
                   what, differing, twice, sent)


@Named("dynamics.link")
def Link(context):
    """A cable is pulled and plugged in again: healed, and only blocks that changed are sent."""
    scene = Scene(context, "ft3-k8")
    lids = scene.subnet.LidsByGuid()
    for switch in ("S-edge1.0", "S-mid2.1"):
        cable = scene.SwitchCable(switch)
        context.simulator.Unlink(*cable)
        result = scene.AwaitHealth({cable})
        scene.Judge("unlink %s[%d]" % cable, result)
        Expect(result[1] > 0, "pulling a cable changed no route")
        context.simulator.Relink(*cable)
        scene.Judge("relink", scene.AwaitHealth())
        Expect(scene.subnet.LidsByGuid() == lids, "a LID changed")


@Named("differential.after-a-loss", kinds=("embersm",))
def AfterALoss(context):
    """After a loss of cables the tables are those of an OpenSM that is started on what is left.

    (An OpenSM that lived through the loss keeps old routes; docs/decisions/0005 says why we do not.)
    """
    cables = {("S-edge1.0", 5), ("S-edge4.3", 8), ("S-mid2.1", 6)}

    def Cut():
        for cable in cables:
            context.simulator.Unlink(*cable)

    scene = Scene(context, "ft3-k8")
    Cut()
    scene.AwaitHealth(cables)
    context.Simulate("ft3-k8")
    Cut()
    manager = context.Manage(scene.node, kind="opensm")
    manager.WaitUp()
    manager.WaitQuiet()
    theirs = context.Read(scene.node, down=cables)
    theirs.Check()
    context.Note("%d table entries are the same", Compare(theirs, scene.subnet))


def CablesOf(simulator, name):
    return {(name, port) for port in simulator.nodes[name].ports}


@Named("dynamics.host")
def Host(context):
    """A host leaves and comes back, once unplugged and once rebooted: same LIDs, few blocks."""
    scene = Scene(context, "ft3-k8")
    lids = scene.subnet.LidsByGuid()
    for leave in (context.simulator.Unlink, context.simulator.PowerOff):
        gone = "H-3.1.2"
        leave(gone)
        scene.AwaitTableSets()
        scene.Judge(leave.__name__, scene.AwaitHealth(CablesOf(context.simulator, gone)))
        context.simulator.Relink(gone)
        scene.Judge("Relink", scene.AwaitHealth())
        Expect(scene.subnet.LidsByGuid() == lids, "a LID changed")


@Named("dynamics.switch")
def Switch(context):
    """A switch leaves and comes back, once unplugged and once rebooted.

    What a switch holds when it comes back is not known before it is read, so all its blocks may
    be written; of the other switches only the blocks that changed.
    """
    scene = Scene(context, "ft3-k8")
    lids = scene.subnet.LidsByGuid()
    for leave in (context.simulator.Unlink, context.simulator.PowerOff):
        gone = "S-mid1.2"
        blocks = len(scene.subnet.tables[gone]) // 64
        leave(gone)
        scene.AwaitTableSets()
        scene.Judge(leave.__name__, scene.AwaitHealth(CablesOf(context.simulator, gone)))
        context.simulator.Relink(gone)
        scene.Judge("Relink", scene.AwaitHealth(), slack=blocks)
        Expect(scene.subnet.LidsByGuid() == lids, "a LID changed")


@Named("dynamics.loss", timeout_s=240)
def Loss(context):
    """With ten per cent of the datagrams lost each way the subnet comes up and heals all the same."""
    context.Simulate("ft2-k8")
    node = context.simulator.hosts[0].name
    context.simulator.Lose(node, 10)
    manager = context.Manage(node)
    begun = time.monotonic()
    while True:
        try:
            context.Read(node).Check()
            break
        except Wrong as reason:
            Expect(time.monotonic() - begun < 90, "not up after 90 s of loss: %s", reason)
            time.sleep(0.1)
    requests = manager.traffic().Requests()
    context.Note("up in %.1f s, %d requests", time.monotonic() - begun, requests)
    cable = ("S-leaf3", 5)
    context.simulator.Unlink(*cable)
    begun = time.monotonic()
    while True:
        try:
            context.Read(node, down={cable}).Check()
            break
        except Wrong as reason:
            Expect(time.monotonic() - begun < 90, "not healed after 90 s of loss: %s", reason)
            time.sleep(0.1)
    context.Note("a lost cable healed in %.1f s", time.monotonic() - begun)
    Expect(manager.IsRunning(), "the subnet manager ended")


@Named("dynamics.flaps", timeout_s=180)
def Flaps(context):
    """Cables go and come faster than sweeps: afterwards everything is reachable."""
    scene = Scene(context, "ft2-k8")
    for turn in range(12):
        cable = ("S-leaf%d" % (turn % 8), 5 + turn % 4)
        context.simulator.Unlink(*cable)
        time.sleep(0.03 * (turn % 3))
        context.simulator.Relink(*cable)
    context.Note("12 flaps: healed in %.2f s, %d blocks differ, %d sent",
                 *scene.AwaitHealth(timeout_s=90))


@Named("dynamics.flapping", kinds=("embersm",))
def Flapping(context):
    """A cable that flaps is left out of the routes, `emberctl status` tells of it, and it comes back."""
    simulator = context.Simulate("ft2-k8")
    seat = simulator.hosts[0].name
    manager = context.Manage(seat, configuration="sweep_interval 1\nflapping_link_count 3\n"
                                                 "flapping_link_hold 5\n")
    manager.WaitUp()
    manager.WaitQuiet()
    cable = ("S-leaf3", 5)

    def Await(what, **wanted):
        end = time.monotonic() + 30
        while True:
            told = manager.Status()["flapping_links"]
            if all(told[name] == value for name, value in wanted.items()):
                return told
            Expect(time.monotonic() < end, "%s: status tells %s", what, told)
            time.sleep(0.1)

    for turn in range(1, 4):
        simulator.Unlink(*cable)
        Await("the cable is lost", losses=turn)
        simulator.Relink(*cable)
        manager.WaitQuiet()
    told = Await("three losses", quarantined=1)
    context.Note("%s", told["links"][0])
    Expect(manager.HasSaid("flapping_link_policy quarantine"), "no note tells of it")
    guids = {told["links"][0]["node"], told["links"][0]["other_node"]}
    Expect("0x%016x" % simulator.nodes[cable[0]].guid in guids, "another cable is told: %s", guids)
    manager.WaitQuiet()
    subnet = context.Read(seat)
    subnet.CheckLids()
    subnet.CheckTables()
    peer = simulator.nodes[cable[0]].ports[cable[1]]
    for switch, port in (cable, tuple(peer)):
        Expect(port not in subnet.tables[switch][1:subnet.tops[switch] + 1],
               "%s still sends by port %d", switch, port)
    Await("it has been still", quarantined=0, releases=1)
    manager.WaitQuiet()
    context.Read(seat).Check()


@Named("dynamics.kill")
def Kill(context):
    """Killed and started again: every LID stays, and no forwarding table is written."""
    scene = Scene(context, "ft3-k8")
    for how in ("Kill", "Stop"):
        getattr(scene.manager, how)()
        scene.manager.Start().WaitUp(60)
        scene.manager.WaitQuiet()
        subnet = context.Read(scene.node)
        subnet.Check()
        Expect(subnet.LidsByGuid() == scene.subnet.LidsByGuid(), "a LID changed")
        Expect(subnet.BlocksThatDiffer(scene.subnet) == 0, "a route changed")
        sent = scene.manager.traffic().Named()
        context.Note("after %s: %s", how, ", ".join("%s %d" % item for item in sent.items()))
        if context.kind == "embersm":
            Expect(scene.manager.traffic().TableSets() == 0, "%d table blocks were written",
                   scene.manager.traffic().TableSets())


@Named("dynamics.kill-midway", timeout_s=180)
def KillMidway(context):
    """Killed at several moments of the bring-up and started again: the subnet comes up."""
    for sets in (1, 150, 500, 900, 1300):
        context.Simulate("ft3-k8")
        node = context.simulator.hosts[0].name
        manager = context.Manage(node)
        end = time.monotonic() + 20
        while manager.traffic().Sets() < sets and time.monotonic() < end:
            time.sleep(0.001)
        killed_at = manager.traffic().Sets()
        manager.Kill()
        manager.Start().WaitUp(60)
        context.Read(node).Check()
        context.Note("killed after %d Sets", killed_at)
        context.Close()
