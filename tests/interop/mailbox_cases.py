# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: the mailbox of a switch's chip, and a chip that misbehaves.
import signal
import time

import checks
from bad_input_cases import DEVICE, Bench
from cases import Named
from checks import Expect

OURS = ("embersm",)


def BringUp(context, *told, net="ft2-k8", loses=False):
    """EmberSM at the first switch, behind a chip that was told this. SUBNET UP does not wait for a
    host whose answers a chip that `loses` datagrams lost each time: it is asked again after that."""
    context.Simulate(net)
    manager = context.Manage(context.simulator.switches[0].name, mailbox=list(told))
    seconds = manager.WaitUp(60)
    if loses:
        manager.WaitQuiet()
    context.Read(manager.node).Check()
    return manager, seconds


@Named("mailbox.whole", kinds=OURS)
def Whole(context):
    """At a switch, through its mailbox: queue pairs 0 and 1, and IsSM goes with the manager."""
    manager, seconds = BringUp(context)
    subnet, eye = context.Read(manager.node), context.Witness(manager.node)
    subnet.Check()
    checks.CheckSminfo(context, subnet, eye, manager.node)
    answer = checks.RunTool(context, "saquery", "-N", node=eye)
    count = answer.stdout.count("NodeRecord dump")
    Expect(count == len(context.simulator.nodes), "saquery told %d nodes", count)
    counted = manager.Status()["mailbox"]
    Expect(counted["received"] > 100 and counted["asked_resets"] == 1 and counted["torn"] == 0,
           "it counted %s", counted)
    manager.Stop()
    Expect("mailbox" not in manager.Log(), "something was noted: %s", manager.Log()[-300:])
    context.Note("up in %.1f s, %d nodes told", seconds, count)


@Named("mailbox.reset", kinds=OURS)
def Reset(context):
    """A chip that resets itself, in mid-sweep and again and again, costs datagrams and no more."""
    context.Simulate("ft3-k8")
    manager = context.Manage(context.simulator.switches[0].name, mailbox=[])
    resets = 0
    while not manager.HasSaid("SUBNET UP"):
        Expect(manager.IsRunning() and resets < 200, "no SUBNET UP after %d resets", resets)
        manager.chip.send_signal(signal.SIGUSR1)
        resets += 1
        time.sleep(0.05)
    manager.WaitQuiet(1)  # A host whose Sets were all lost is set by the next sweep.
    context.Read(manager.node).Check()
    manager.chip.send_signal(signal.SIGUSR1)
    manager.Sweep()
    manager.WaitUp()
    manager.WaitQuiet(1)
    context.Read(manager.node).Check()
    Expect("the mailbox reset itself" in manager.Log(), "no reset was noted")
    context.Note("%d resets until SUBNET UP", resets)


@Named("mailbox.deaf", kinds=OURS)
def Deaf(context):
    """Every third doorbell is lost: it is rung again."""
    _, seconds = BringUp(context, "deaf=3")
    context.Note("up in %.1f s", seconds)


@Named("mailbox.torn", kinds=OURS)
def Torn(context):
    """Every 20th descriptor is torn: it is dropped, noted, and the question asked again."""
    manager, seconds = BringUp(context, "tear=20")
    Expect("torn descriptor" in manager.Log(), "no torn descriptor was noted")
    context.Note("up in %.1f s", seconds)


@Named("mailbox.small", kinds=OURS)
def Small(context):
    """Rings of four descriptors overrun: what was lost is noted and asked again."""
    manager, seconds = BringUp(context, "transmit=2", "receive=2", net="ft3-k8", loses=True)
    lost = manager.Status()["mailbox"]["overrun"]
    Expect((lost > 0) == ("mailbox was full" in manager.Log()), "%d are lost, and the log?", lost)
    context.Note("up in %.1f s; %d lost to a full ring", seconds, lost)


@Named("mailbox.dead", kinds=OURS)
def Dead(context):
    """A chip that does nothing any more is given up: exit status 3, and the log says why."""
    manager, _ = BringUp(context)
    manager.chip.send_signal(signal.SIGUSR2)
    manager.Sweep()
    status = manager.process.wait(60)
    Expect(status == 3, "it ended with status %s", status)
    Expect("management port is gone" in manager.Log(), "the log says: %s", manager.Log()[-300:])


@Named("mailbox.guid", kinds=OURS)
def Guid(context):
    """The key guid names another port than the chip has: exit status 3, and which port there is."""
    context.Simulate("ft2-k8")
    switch = context.simulator.switches[0]
    manager = context.Manage(switch.name, mailbox=[], configuration="guid 0x1234\n")
    status = manager.process.wait(20)
    said = manager.Log()
    Expect(status == DEVICE, "it ended with status %s: %s", status, said[-300:])
    Expect("no port with port GUID 0x0000000000001234; there is 0x%016x" % switch.guid in said and
           "key guid" in said, "it said: %s", said[-300:])


@Named("mailbox.absent", kinds=OURS)
def Absent(context):
    """Nobody behind the socket, or no such device: one sentence and exit status 3."""
    bench = Bench(context)
    for place, words in (("shm:nobody", "nobody answers behind nobody"),
                         ("uio:/dev/uio-none", "cannot open /dev/uio-none"),
                         ("uio:/dev/null", "is no UIO device")):
        bench.MustRefuse("--mailbox " + place, DEVICE, "--no-socket", "--mailbox", place, says=words)
