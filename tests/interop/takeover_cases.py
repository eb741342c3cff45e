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


def Await(context, node, *busy, timeout_s=60):
    """Until the manager at `node` is master; the ports name it."""
    deadline = time.monotonic() + timeout_s
    while not IsMaster(context, node, *busy):
        Expect(time.monotonic() < deadline, "%s is not master after %d s", node, timeout_s)
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
