# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: cables that go and come all the time, and a host that floods with traps.
"""Both are run beside OpenSM, in the same case on the same machine; RESULTS.md has figures."""
import functools
import os
import random
import struct
import threading
import time

import ibsim
from cases import Add
from checks import Expect, Wrong
from death_cases import Heal
from survival_cases import NET, AwaitPairs, DeadPairs

TICKS = os.sysconf("SC_CLK_TCK")
TRAP, NOTICE, LINK_STATE_CHANGE = 5, 2, 128


def CpuSeconds(manager):
    with open("/proc/%d/stat" % manager.process.pid, encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / TICKS


def Smps(manager):
    return sum(manager.traffic().Named().values())


class Background(threading.Thread):
    """Does something until it is told to stop; what goes wrong there fails the case."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self.work, self.stop, self.wrong, self.count = work, threading.Event(), None, 0

    def run(self):
        try:
            self.work(self)
        except Exception as wrong:  # pylint: disable=broad-except
            self.wrong = wrong

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.join(30)
        if self.wrong is not None:
            raise self.wrong


class Mover:
    """Cuts cables between switches, one after the other, and joins each again a second later."""

    def __init__(self, simulator, rate, seed):
        self.simulator, self.rate, self.random = simulator, rate, random.Random(seed)
        self.cables = sorted((node.name, port) for node in simulator.switches
                             for port, peer in node.ports.items()
                             if simulator.nodes[peer.node].is_switch and node.name < peer.node)
        self.down = []  # In the order in which they were cut.

    def Move(self, thread):
        begun = time.monotonic()
        while not thread.stop.is_set():
            if len(self.down) >= self.rate:
                self.simulator.Relink(*self.down.pop(0))
            cable = self.random.choice([one for one in self.cables if one not in self.down])
            self.simulator.Unlink(*cable)
            self.down.append(cable)
            thread.count += 1
            thread.stop.wait(max(0, begun + thread.count / self.rate - time.monotonic()))


def Sampled(context, node, mover):
    """Pairs of hosts' switches and hosts that are dead at this moment, of 4,096; None: unreadable."""
    try:
        return DeadPairs(context.Read(node, down=set(mover.down)))
    except (Wrong, ibsim.Unanswered):
        return None


def Churned(context, kind, rate, seconds):
    simulator = context.Simulate(NET)
    node = simulator.hosts[0].name
    manager = context.Manage(node, name=kind, kind=kind,
                             configuration="routing_engine updn\n%s" %
                             ("order balanced\n" if kind == "embersm" else ""))
    manager.WaitUp(60)
    manager.WaitQuiet()
    mover = Mover(simulator, rate, rate)
    cpu, smps, dead, unread = CpuSeconds(manager), Smps(manager), [], 0
    with Background(mover.Move) as thread:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            now = Sampled(context, node, mover)
            unread += now is None
            dead += [] if now is None else [now]
            time.sleep(0.5)
            Expect(manager.IsRunning(), "%s ended", kind)
    cpu, smps = CpuSeconds(manager) - cpu, Smps(manager) - smps
    # Up and down some switches do not reach each other, whoever routes: pairs of hosts count.
    left, healed = AwaitPairs(context, node, set(mover.down))
    mean = sum(dead) / max(1, len(dead))
    context.Note("%s: %d cuts, %.1f of 4,096 pairs dead in the mean of %d looks (%d unread), worst %d, "
                 "%d SMPs, %.1f s of CPU, %d dead %.2f s after the last cut", kind, thread.count, mean,
                 len(dead), unread, max(dead, default=0), smps, cpu, left, healed)
    manager.Stop()
    return mean, left, healed


def Churn(rate, seconds, context):
    """While cables come and go no more pairs are dead than under OpenSM, and then all is good soon."""
    theirs, _, _ = Churned(context, "opensm", rate, seconds)
    ours, left, healed = Churned(context, "embersm", rate, seconds)
    # A look takes a moment in which the fabric moves on: what differs by less is no difference.
    Expect(ours <= 1.1 * theirs + 20, "%.1f pairs dead in the mean, OpenSM %.1f", ours, theirs)
    Expect(left == 0 and healed <= 2, "%d dead %.2f s after the last cut", left, healed)


for _rate in (5, 10):
    Add("survival.churn.%d" % _rate, functools.partial(Churn, _rate, 180), False, 900,
        kinds=("embersm",))


class Flooder:
    """A host that says 2,000 times a second that links of its switch have changed."""

    RATE = 2000

    def __init__(self, simulator, node, lid):
        self.simulator, self.node, self.lid = simulator, node, lid

    def Send(self, thread):
        # pylint: disable=protected-access
        with ibsim.Client(self.simulator, self.node) as client:
            switch = next(iter(self.simulator.nodes[self.node].ports))
            issuer = ibsim.PortField(client.Ask((switch,), ibsim.PORT_INFO)[1], "lid")
            notice = struct.pack(">B3sHHHH", 0x81, b"\0\0\2", LINK_STATE_CHANGE, issuer, 0, issuer)
            begun = time.monotonic()
            while not thread.stop.is_set():
                client._Post(self.lid, TRAP, NOTICE, 0, notice.ljust(64, b"\0"))
                thread.count += 1
                while client._Receive(0) is not None:
                    pass
                thread.stop.wait(max(0, begun + thread.count / self.RATE - time.monotonic()))


def Flooded(context, kind, seconds):
    simulator = context.Simulate(NET)
    node, culprit = simulator.hosts[0].name, simulator.hosts[5].name
    manager = context.Manage(node, name=kind, kind=kind)
    manager.WaitUp(60)
    manager.WaitQuiet()
    with ibsim.Client(simulator, node) as client:
        lid = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "lid")
    cable = Mover(simulator, 1, 1).cables[-1]
    cpu, smps = CpuSeconds(manager), Smps(manager)
    with Background(Flooder(simulator, culprit, lid).Send) as thread:
        begun = time.monotonic()
        time.sleep(seconds / 2)
        simulator.Unlink(*cable)
        try:
            healed = Heal(context, manager, node, {cable}, 20)
        except Wrong:
            healed = float("inf")
        time.sleep(max(0, begun + seconds - time.monotonic()))
        cpu, smps = CpuSeconds(manager) - cpu, Smps(manager) - smps
        took = time.monotonic() - begun
    context.Note("%s: %d traps in %.0f s, %.0f %% of a core, %.0f SMPs a second, a lost cable healed "
                 "in %.2f s", kind, thread.count, took, 100 * cpu / took, smps / took, healed)
    manager.Stop()
    return healed


def TrapStorm(context):
    """A host floods with traps: a cable that is lost meanwhile is mended as if it did not."""
    Flooded(context, "opensm", 20)
    ours = Flooded(context, "embersm", 20)
    Expect(ours <= 1, "a lost cable healed in %.2f s", ours)


Add("survival.trap-storm", TrapStorm, False, 150, kinds=("embersm",))
