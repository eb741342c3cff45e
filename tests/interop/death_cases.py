# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: a switch dies that carries the directed routes, and the manager's own link loses.
"""Both are run beside OpenSM, in the same case on the same machine; RESULTS.md has figures."""
import time

from cases import Named
from checks import Expect, Wrong
from dynamics_cases import CablesOf
import ibsim


def Neighbors(simulator, node):
    """Switches beside a node, by port."""
    peers = [peer.node for _, peer in sorted(simulator.nodes[node].ports.items())]
    return [peer for peer in peers if simulator.nodes[peer].is_switch]


def Heal(context, manager, node, down, timeout_s):
    """Seconds until the last Set after which all is good without the cables `down`."""
    begun = changed = time.monotonic()
    sets, reason = manager.traffic().Sets(), None
    while time.monotonic() - begun < timeout_s:
        Expect(manager.IsRunning(), "the subnet manager ended")
        now = manager.traffic().Sets()
        if now != sets:
            sets, changed = now, time.monotonic()
        if time.monotonic() - changed < 0.5:
            time.sleep(0.002)
            continue
        try:
            context.Read(node, down=down).Check()
        except (Wrong, ibsim.Unanswered) as wrong:
            reason = wrong
            continue
        if manager.traffic().Sets() == sets:
            return changed - begun
    raise Wrong("not healed after %d s: %s" % (timeout_s, reason))


def Die(context, net, kind, rounds):
    """The worst time after the death of a switch next to the one where the manager is, or beyond."""
    simulator = context.Simulate(net)
    node = simulator.hosts[0].name
    manager = context.Manage(node, kind=kind)
    manager.WaitUp(120)
    manager.WaitQuiet()
    is_at_switch = simulator.nodes[manager.node].is_switch  # Through the mailbox.
    home = manager.node if is_at_switch else Neighbors(simulator, manager.node)[0]
    near = Neighbors(simulator, home)
    beyond = [name for name in Neighbors(simulator, near[0]) if name != home]
    worst, told = 0, []
    for gone in (near[0], near[-1], beyond[-1])[:rounds]:
        simulator.Unlink(gone)
        seconds = Heal(context, manager, node, CablesOf(simulator, gone), 60)
        told.append("%s %.2f" % (gone, seconds))
        worst = max(worst, seconds)
        if kind == "embersm":
            lost = manager.Log().count(": lost 0x")
            Expect(lost <= len(told), "%d nodes told as lost, %d switches died", lost, len(told))
        simulator.Relink(gone)
        Heal(context, manager, node, (), 60)
    context.Note("%s: %s s", kind, ", ".join(told))
    return worst


@Named("death.ft3-k8", kinds=("embersm",), timeout_s=240)
def Death8(context):
    """A dead switch on the way of the directed routes costs less than a second."""
    Die(context, "ft3-k8", "opensm", 1)
    ours = Die(context, "ft3-k8", "embersm", 3)
    Expect(ours <= 1.0, "%.2f s until all was good", ours)


@Named("death.ft3-k12", kinds=("embersm",), short=False, timeout_s=600)
def Death12(context):
    """The same on a fabric of 612 nodes: no more than a second and a half."""
    Die(context, "ft3-k12", "opensm", 1)
    ours = Die(context, "ft3-k12", "embersm", 3)
    Expect(ours <= 1.5, "%.2f s until all was good", ours)


def UpUnderLoss(context, kind, percent):
    """Seconds until SUBNET UP while so many of 100 datagrams are lost each way."""
    simulator = context.Simulate("ft2-k8")
    node = simulator.hosts[0].name
    simulator.Lose(node, percent)
    manager = context.Manage(node, kind=kind)
    try:
        seconds = manager.WaitUp(90)
    except Wrong:
        seconds = 90.0
    if kind == "embersm":
        nodes = manager.Status()["subnet"]["nodes"]
        Expect(nodes > 1, "SUBNET UP of %d node", nodes)
        context.Note("%d %%: %d nodes after %.1f s", percent, nodes, seconds)
    simulator.Lose(node, 0)
    Heal(context, manager, node, (), 60)
    return seconds


@Named("death.own-link", kinds=("embersm",), timeout_s=600,
       hosts_only="what loses is a host's link")
def OwnLink(context):
    """While the manager's own link loses 20 and 50 of 100, SUBNET UP comes no later than OpenSM's."""
    for percent in (20, 50):
        theirs = UpUnderLoss(context, "opensm", percent)
        ours = UpUnderLoss(context, "embersm", percent)
        context.Note("OpenSM after %.1f s", theirs)
        Expect(ours <= theirs, "%d %%: up after %.1f s, OpenSM after %.1f s", percent, ours, theirs)
