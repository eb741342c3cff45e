# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: OpenSM beside EmberSM where ports have M_Keys.
"""ibsim stores no M_Key, so its ports obey everybody, and OpenSM asks with the configured key only
if m_key_lookup is FALSE: else with the one that a port shows, which is 0 here. What two managers
ask and tell each other is guarded by the M_Key that each has, and is shown here: SMInfo at
protection level 2 is answered to those alone that bear it."""
import time

import ibsim
import role_cases
from cases import Named
from checks import Expect, Wrong

M_KEY, OTHER = 0x5EC2E7A11C0FFEE5, 0x0123456789ABCDEF
KEYS = ("m_key 0x%x\nm_key_protection_level 2\nm_key_lease_period 60\n"
        "m_key_lookup FALSE\nsm_key 0x1234567890abcdef\nsa_key 0x77\n")


def Contest(context):
    return role_cases.Contest(context, configuration=role_cases.FAST, m_key=M_KEY)


def AsksInVain(contest, node, m_key):
    """Nobody tells a questioner with this key who is master."""
    witness = contest.context.Witness(*contest.managers)
    route = contest.simulator.Routes(witness)[node]
    with ibsim.Client(contest.simulator, witness, m_key) as client:
        try:
            client.Ask(route, ibsim.SM_INFO, tries=2, timeout_s=0.5)
        except ibsim.Unanswered:
            return True
    return False


@Named("m-keys.standby-opensm", timeout_s=240, kinds=("embersm",))
def StandbyOpenSm(context):
    """EmberSM and a standby OpenSM with one M_Key at level 2: roles stand, and change both ways."""
    contest = Contest(context)
    ours = contest.Enter(0, "embersm", 5, KEYS % M_KEY)
    _, lids = contest.Await(ours)
    Expect(AsksInVain(contest, ours, 0), "SMInfo was told without an M_Key")
    Expect(AsksInVain(contest, ours, OTHER), "SMInfo was told by another M_Key")
    theirs = contest.Enter(9, "opensm", 2, KEYS % M_KEY)
    seconds, after = contest.Await(ours, steady_s=6)
    Expect(after == lids, "a LID changed when OpenSM stood by")
    context.Note("OpenSM stands by after %.1f s", seconds)
    for leave, words in ((contest.End, "stopped"), (contest.Leave, "killed")):
        leave(ours)
        seconds, after = contest.Await(theirs, 60)
        Expect(after == lids, "a LID changed when EmberSM was %s", words)
        context.Note("OpenSM is master %.1f s after EmberSM was %s", seconds, words)
        contest.Enter(0, "embersm", 5)
        seconds, after = contest.Await(ours, 60)
        Expect(after == lids, "a LID changed when EmberSM came back")
        context.Note("OpenSM has handed over after %.1f s", seconds)
    contest.Leave(theirs)
    _, after = contest.Await(ours)
    Expect(after == lids, "a LID changed when the standby was killed")


@Named("m-keys.standby-embersm", timeout_s=240, kinds=("embersm",))
def StandbyEmberSm(context):
    """The same the other way round: EmberSM stands by behind an OpenSM with its M_Key."""
    contest = Contest(context)
    theirs = contest.Enter(9, "opensm", 9, KEYS % M_KEY)
    _, lids = contest.Await(theirs)
    ours = contest.Enter(0, "embersm", 2, KEYS % M_KEY)
    seconds, after = contest.Await(theirs, steady_s=6)
    Expect(after == lids, "a LID changed when EmberSM stood by")
    context.Note("EmberSM stands by after %.1f s", seconds)
    contest.Leave(theirs)
    seconds, after = contest.Await(ours, 60)
    Expect(after == lids, "a LID changed when OpenSM was killed")
    context.Note("took over from OpenSM after %.1f s", seconds)
    contest.Enter(9, "opensm", 9)
    seconds, after = contest.Await(theirs, 60)
    Expect(after == lids, "a LID changed when OpenSM came back")
    context.Note("handed over to OpenSM after %.1f s", seconds)


def NamesAsMaster(context, node):
    """All ports do."""
    try:
        subnet = context.Read(node)
        subnet.Check()
    except Wrong:
        return False
    return subnet.owners[subnet.master_lid][0] == node


@Named("m-keys.stranger-opensm", timeout_s=180, kinds=("embersm",))
def StrangerOpenSm(context):
    """An OpenSM with another M_Key learns nothing of EmberSM by SMInfo; EmberSM stays master and no
    LID changes. ibsim's ports check no M_Key: they name the other one as master, until the scrub
    has met them."""
    contest = Contest(context)
    ours = contest.Enter(0, "embersm", 5, KEYS % M_KEY)
    _, lids = contest.Await(ours)
    other = context.Manage(contest.simulator.hosts[9].name, "stranger", kind="opensm", priority=2,
                           configuration=role_cases.FAST + KEYS % OTHER)
    begun = time.monotonic()
    while time.monotonic() - begun < 10:
        Expect(other.IsRunning(), "OpenSM ended")
        Expect(contest.States() == {ours: "MASTER"}, "EmberSM is %s", contest.States())
        time.sleep(0.5)
    context.Note("OpenSM sent %d Sets meanwhile", other.traffic().Sets())
    other.Stop()
    begun = time.monotonic()
    while not NamesAsMaster(context, ours):
        Expect(time.monotonic() - begun < 60, "ports name another master after a minute")
        time.sleep(0.5)
    context.Note("named as master %.1f s after the end", time.monotonic() - begun)
    _, after = contest.Await(ours, 60)
    Expect(after == lids, "a LID changed")
