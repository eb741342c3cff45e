# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: several subnet managers on one fabric, ours and OpenSM.
import os
import subprocess
import time

import ibsim
from cases import Named
from checks import Expect, Wrong

STATES = {0: "NOTACTIVE", 1: "DISCOVERING", 2: "STANDBY", 3: "MASTER"}
# A standby asks each second and gives up after two unanswered polls, so that a case takes seconds.
FAST = "sminfo_polling_timeout 1000\npolling_retry_number 2\nsweep_interval 3\n"
# Here only what a master says can tell its standby that it ends.
PATIENT = "sminfo_polling_timeout 20000\npolling_retry_number 4\nsweep_interval 3\n"
# Four times the 4 s that docs/replication.md says: other cases run meanwhile.
UNSET_SILENCE_S = 16
EVERY = ("embersm", "opensm")


class Contest:
    """Subnet managers at hosts of one fabric; who is master is asked by SMInfo from outside."""

    def __init__(self, context, net="ft2-k8", configuration=FAST, m_key=0):
        self.context, self.simulator = context, context.Simulate(net)
        self.configuration, self.m_key = configuration, m_key
        self.managers, self._seats = {}, {}

    def Enter(self, host_index, kind, priority, more=""):
        host = self.simulator.hosts[host_index].name
        if host in self._seats:
            self.managers[self._seats[host]].Start()
        else:
            manager = self.context.Manage(host, "sm-" + host, kind=kind, priority=priority,
                                          configuration=self.configuration + more)
            self._seats[host] = manager.node
            self.managers[manager.node] = manager
        return self._seats[host]

    def Leave(self, node):
        self.managers[node].Kill()

    def End(self, node):
        self.managers[node].Stop()

    def States(self):
        witness = self.context.Witness(*self.managers)
        routes, states = self.simulator.Routes(witness), {}
        with ibsim.Client(self.simulator, witness, self.m_key) as client:
            for node, manager in self.managers.items():
                if not manager.IsRunning():
                    continue
                try:
                    _, info = client.Ask(routes[node], ibsim.SM_INFO, tries=2, timeout_s=0.5)
                    states[node] = STATES.get(info[20] & 15, "?")
                except ibsim.Unanswered:
                    states[node] = "silent"
        return states

    def Await(self, master, timeout_s=30, steady_s=2.5):
        """Until `master` is the only MASTER, all others are STANDBY, and it stays so a while."""
        begun, since, states = time.monotonic(), None, {}
        while time.monotonic() - begun < timeout_s:
            states = self.States()
            good = all(state == ("MASTER" if node == master else "STANDBY")
                       for node, state in states.items())
            since = (since or time.monotonic()) if good else None
            if since and time.monotonic() - since > steady_s:
                subnet = self.context.Read(*self.managers)
                subnet.Check()
                Expect(subnet.owners[subnet.master_lid][0] == master,
                       "the ports name %s as master", subnet.owners[subnet.master_lid][0])
                return since - begun, subnet.LidsByGuid()
            time.sleep(0.1)
        raise Wrong("%s is not the only master after %d s: %s" % (master, timeout_s, states))


def Rivals(kind):
    """The SM under test twice and OpenSM once; with OpenSM under test all three are OpenSM."""
    return kind, "opensm", kind


@Named("roles.priority", timeout_s=180)
def Priority(context):
    """Of three managers the one with the highest priority is master; the others follow one by one."""
    contest = Contest(context)
    first, second, third = Rivals(context.kind)
    low = contest.Enter(0, first, 3)
    contest.Await(low)
    middle = contest.Enter(9, second, 4)
    high = contest.Enter(17, third, 5)
    seconds, lids = contest.Await(high)
    context.Note("highest priority is master after %.1f s", seconds)
    for leaver, heir in ((high, middle), (middle, low)):
        contest.Leave(leaver)
        seconds, after = contest.Await(heir, 60)
        Expect(after == lids, "a LID changed when the master was killed")
        context.Note("a standby took over after %.1f s", seconds)
    contest.Enter(17, third, 5)
    seconds, after = contest.Await(high, 60)
    Expect(after == lids, "a LID changed when the old master came back")
    context.Note("the old master is back after %.1f s", seconds)


@Named("roles.guid", timeout_s=120)
def Guid(context):
    """With equal priorities the lowest port GUID wins, whoever came first."""
    contest = Contest(context)
    first, second, third = Rivals(context.kind)
    contest.Enter(20, first, 7)
    contest.Enter(11, second, 7)
    lowest = contest.Enter(4, third, 7)
    seconds, _ = contest.Await(lowest)
    context.Note("lowest GUID is master after %.1f s", seconds)


@Named("roles.against-opensm", timeout_s=120, kinds=("embersm",))
def AgainstOpenSm(context):
    """OpenSM as the master keeps EmberSM standing by; killed, it is replaced and may come back."""
    contest = Contest(context)
    theirs = contest.Enter(3, "opensm", 9)
    _, lids = contest.Await(theirs)
    ours = contest.Enter(0, "embersm", 2)
    seconds, _ = contest.Await(theirs)
    context.Note("standing by after %.1f s", seconds)
    contest.Leave(theirs)
    seconds, after = contest.Await(ours, 60)
    Expect(after == lids, "a LID changed when OpenSM was killed")
    context.Note("took over from OpenSM after %.1f s", seconds)
    contest.Enter(3, "opensm", 9)
    seconds, after = contest.Await(theirs, 60)
    Expect(after == lids, "a LID changed when OpenSM came back")
    context.Note("handed over to OpenSM after %.1f s", seconds)


@Named("roles.unset-polls", timeout_s=150, kinds=("embersm",))
def UnsetPolls(context):
    """A standby whose file says nothing of polls, with no replication_key, notices that OpenSM is
    dead some 4 s after its last word; with the polls of OpenSM, written down, emberc says when."""
    contest = Contest(context, configuration="sweep_interval 3\n")
    theirs = contest.Enter(3, "opensm", 9)
    contest.Await(theirs)
    ours = contest.Enter(0, "embersm", 2)
    _, lids = contest.Await(theirs)
    contest.Leave(theirs)
    left = time.monotonic()
    while not contest.managers[ours].HasSaid("polls in a row unanswered"):
        Expect(time.monotonic() - left < UNSET_SILENCE_S, "not noticed within %d s", UNSET_SILENCE_S)
        time.sleep(0.05)
    context.Note("noticed after %.1f s", time.monotonic() - left)
    seconds, after = contest.Await(ours, 60)
    Expect(after == lids, "a LID changed when OpenSM was killed")
    context.Note("the only master %.1f s later", seconds)
    path = os.path.join(context.directory, "carried-over.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("sminfo_polling_timeout 10000\npolling_retry_number 4\n")
    said = subprocess.run([context.tools.Program("emberc"), "check", path], capture_output=True,
                          text=True, timeout=30, check=False).stderr
    Expect("1:1: warning: by this line a standby takes over 50.0 s after the master's last word" in
           said, "emberc does not warn of the polls that OpenSM writes: %s", said)


def Farewell(context, heir):
    contest = Contest(context, configuration=PATIENT)
    ours = contest.Enter(0, "embersm", 9)
    contest.Await(ours)
    theirs = contest.Enter(9, heir, 2)
    _, lids = contest.Await(ours)
    contest.End(ours)
    seconds, after = contest.Await(theirs, 15)
    Expect(after == lids, "a LID changed when the master was stopped")
    context.Note("%s took over %.1f s after the end", heir, seconds)


@Named("roles.farewell", timeout_s=120, kinds=("embersm",))
def FarewellToOpenSm(context):
    """EmberSM that is stopped hands the subnet over to OpenSM, its standby, and no LID changes."""
    Farewell(context, "opensm")


@Named("roles.farewell-to-embersm", timeout_s=120, kinds=("embersm",))
def FarewellToEmberSm(context):
    """The same to another EmberSM."""
    Farewell(context, "embersm")
