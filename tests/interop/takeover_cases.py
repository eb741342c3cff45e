# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: who takes over leaves what switches forward for the groups of the master before.
"""The clients here do not register again, as real ones do when asked: what is forwarded afterwards is
what was left in place."""
import functools
import time

import ibsim
import multicast_cases
import osmtest_cases
import sa
import checks
from cases import Add, Named
from checks import Expect

FAST = "sminfo_polling_timeout 1000\npolling_retry_number 2\nsweep_interval 3\n"
BLOCKS = 1


def IsMaster(context, node, *busy):
    witness = context.Witness(*busy)
    routes = context.simulator.Routes(witness)
    with ibsim.Client(context.simulator, witness) as client:
        try:
            return client.Ask(routes[node], ibsim.SM_INFO, tries=1, timeout_s=0.3)[1][20] & 15 == 3
        except ibsim.Unanswered:
            return False


def Await(context, node, *busy):
    """Until the manager at `node` is master; the ports name it."""
    deadline = time.monotonic() + 60
    while not IsMaster(context, node, *busy):
        Expect(time.monotonic() < deadline, "%s is not master after 60 s", node)
        time.sleep(0.1)


def Entries(tables):
    return sum(table[at:at + 2] != b"\0\0" for table in tables.values()
               for at in range(0, len(table), 2))


def AskedByOthers(context, kind, *busy):
    """osmtest and saquery are content with whoever is master."""
    for options in ("-f c", "-f v", "-f s"):
        status, output = osmtest_cases.Osmtest(context, options)
        Expect(status == 0 and "PASS" in output, "osmtest %s of %s: status %s: %s", options, kind,
               status, output[-300:])
    told = checks.RunTool(context, "saquery", "-N", node=context.Witness(*busy))
    count = told.stdout.count("NodeRecord dump")
    Expect(count >= len(context.simulator.nodes) - 1, "saquery of %s told %d nodes", kind, count)


def Kept(first, second, context):
    """Groups of `first`, which dies; `second` takes over, and for ten seconds no entry is lost; then
    `first` comes back and takes over again."""
    simulator = context.Simulate("ft2-k8")
    seats = simulator.hosts[0].name, simulator.hosts[9].name
    managers = [context.Manage(seat, "sm-" + kind + str(number), kind=kind, priority=9 - number,
                               configuration=FAST)
                for number, (seat, kind) in enumerate(zip(seats, (first, second)))]
    seats = [manager.node for manager in managers]
    Await(context, seats[0], *seats)
    managers[0].WaitQuiet(2)
    multicast_cases.JoinAll(context, managers[0], 7)
    before = multicast_cases.ReadMfts(context, BLOCKS)
    Expect(Entries(before) > 20, "nothing is forwarded: %d entries", Entries(before))
    managers[0].Kill()
    Await(context, seats[1], *seats)
    began, looks = time.monotonic(), 0
    while time.monotonic() - began < 10:
        lost = Entries(before) - Entries(multicast_cases.ReadMfts(context, BLOCKS))
        Expect(lost <= 0, "%d of %d entries are lost %.1f s after %s took over", lost,
               Entries(before), time.monotonic() - began, second)
        looks += 1
        time.sleep(0.2)
    if second == "embersm":
        Expect(managers[1].Status()["multicast"]["held"] > 0, "nothing is held")
    AskedByOthers(context, second, *seats)
    managers[0].Start()
    Await(context, seats[0], *seats)
    managers[0].WaitQuiet(2)
    AskedByOthers(context, first, *seats)
    lost = Entries(before) - Entries(multicast_cases.ReadMfts(context, BLOCKS))
    Expect(lost <= 0, "%d of %d entries are lost after %s came back", lost, Entries(before), first)
    context.Note("%d entries, seen %d times", Entries(before), looks)


for _first, _second in (("embersm", "embersm"), ("opensm", "embersm"), ("embersm", "opensm")):
    Add("takeover.%s.%s" % (_first, _second), functools.partial(Kept, _first, _second),
        short=_first == "opensm", timeout_s=240, kinds=("embersm",))


@Named("takeover.restart", kinds=("embersm",), timeout_s=180)
def RestartWithoutState(context):
    """Started again without what it had kept, it leaves the tables alone for multicast_hold
    seconds, and empties them then."""
    simulator = context.Simulate("ft2-k8")
    seat = multicast_cases.Seat(simulator)
    first = context.Manage(seat, "first")
    first.WaitUp()
    multicast_cases.JoinAll(context, first, 7)
    before = multicast_cases.ReadMfts(context, BLOCKS)
    first.Kill()
    second = context.Manage(seat, "second", configuration="multicast_hold 8\n")
    second.WaitUp()
    time.sleep(4)
    Expect(multicast_cases.ReadMfts(context, BLOCKS) == before, "the tables were changed")
    time.sleep(8)
    left = Entries(multicast_cases.ReadMfts(context, BLOCKS))
    Expect(left == 0, "%d of %d entries are left", left, Entries(before))


def AwaitReplica(manager, timeout_s=60):
    """Until the standby holds what clients registered with the master."""
    deadline = time.monotonic() + timeout_s
    while not manager.Status()["replication"]["holds_replica"]:
        Expect(time.monotonic() < deadline, "no replica after %d s", timeout_s)
        time.sleep(0.1)


def FirstAnswer(client, lid, timeout_s=20):
    """All members as the subnet administrator at `lid` tells them, asked until it does."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            status, records = client.Query(lid, "MCMemberRecord", key=1, timeout_s=0.05)
        except ibsim.Unanswered:
            continue
        if status == 0 and records:
            return sorted(record[:52] for record in records)
    raise ibsim.Unanswered("no answer within %d s" % timeout_s)


def Members(records):
    """MGID and PortGID of each, in order."""
    return [record[:32] for record in records]


def Replicated(kills, context):
    """Two EmberSMs with one replication_key, and otherwise the defaults. The master is killed; the
    standby answers clients with all that was registered, within a second, and asks no one."""
    simulator = context.Simulate("ft3-k8")
    seats = simulator.hosts[0].name, simulator.hosts[9].name
    managers = [context.Manage(seat, "sm-%d" % number, priority=9 - number,
                               configuration="replication_key 0123456789abcdef0123456789abcdef\n")
                for number, seat in enumerate(seats)]
    busy = [manager.node for manager in managers]
    managers[0].WaitUp()
    multicast_cases.JoinAll(context, managers[0], 7)
    lid = multicast_cases.LidOf(simulator, managers[1])
    answers, ups = [], []
    with sa.Client(simulator, context.Witness(*busy)) as client:
        own_lid = multicast_cases.LidOf(simulator, managers[0])
        joined = Members(FirstAnswer(client, own_lid))
        for _ in range(kills):
            AwaitReplica(managers[1])
            wanted = FirstAnswer(client, own_lid)  # A group that was made again may have another MLID.
            Expect(Members(wanted) == joined, "the clients have joined others")
            time.sleep(1)  # What was acknowledged in the last 0.7 s may be lost.
            asked = managers[1].traffic().Sets()
            managers[0].Kill()
            died = time.monotonic()
            Expect(FirstAnswer(client, lid) == wanted, "members were lost")
            answers.append(time.monotonic() - died)
            while not managers[1].Status()["up"] or managers[1].Status()["role"] != "MASTER":
                Expect(time.monotonic() - died < 30, "not up after 30 s")
                time.sleep(0.02)
            ups.append(time.monotonic() - died)
            Expect(managers[1].HasSaid("no client is asked to register again"), "clients were asked")
            context.Note("%d Sets", managers[1].traffic().Sets() - asked)
            managers[0].Start()
            Await(context, busy[0], *busy)
            managers[0].WaitQuiet(2)
            # It may have been handed the subnet before it was fed: all clients were asked.
            multicast_cases.JoinAll(context, managers[0], 7)
    answers.sort()
    ups.sort()
    context.Note("%d kills: first answer %.2f s, at worst %.2f; SUBNET UP %.2f s, at worst %.2f",
                 kills, answers[kills // 2], answers[-1], ups[kills // 2], ups[-1])
    Expect(answers[-1] < 1.5 and ups[-1] < 2.5, "too late: %s, %s", answers, ups)


Add("takeover.replicated", functools.partial(Replicated, 3), short=True, timeout_s=240,
    kinds=("embersm",))
Add("takeover.replicated.fifty", functools.partial(Replicated, 50), short=False, timeout_s=2400,
    kinds=("embersm",))


def Defaults(kills, context):
    """Two OpenSMs with their defaults: how long clients wait, and what is left of their groups."""
    simulator = context.Simulate("ft3-k8")
    seats = simulator.hosts[0].name, simulator.hosts[9].name
    managers = [context.Manage(seat, "sm-%d" % number, kind="opensm", priority=9 - number)
                for number, seat in enumerate(seats)]
    busy = [manager.node for manager in managers]
    Await(context, busy[0], *busy)
    managers[0].WaitQuiet(2)
    multicast_cases.JoinAll(context, managers[0], 7)
    lid = multicast_cases.LidOf(simulator, managers[1])
    answers, left = [], []
    with sa.Client(simulator, context.Witness(*busy)) as client:
        wanted = FirstAnswer(client, multicast_cases.LidOf(simulator, managers[0]))
        for _ in range(kills):
            managers[0].Kill()
            died = time.monotonic()
            members = FirstAnswer(client, lid, timeout_s=180)
            answers.append(time.monotonic() - died)
            left.append(len(set(members) & set(wanted)))
            managers[0].Start()
            Await(context, busy[0], *busy)
            managers[0].WaitQuiet(2)
    answers.sort()
    context.Note("%d kills: first answer %.1f s, at worst %.1f; of %d members %s are left", kills,
                 answers[kills // 2], answers[-1], len(wanted), left)


Add("takeover.defaults.opensm", functools.partial(Defaults, 3), short=False, timeout_s=1200,
    kinds=("opensm",))
