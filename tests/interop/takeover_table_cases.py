# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: kills of the master, by pair of managers: how long clients wait, what is left.
"""The table in RESULTS.md. All managers have their defaults, two EmberSMs a key beside.
What clients registered is compared with what the next master tells, and nobody registers again
until then. Meanwhile one client joins and leaves without end."""
import functools
import threading
import time

import ibsim
import multicast_cases
import registration_cases
import sa
from cases import Add
from checks import Expect
from takeover_cases import AskedByOthers, Await

KEY = "replication_key 0123456789abcdef0123456789abcdef\n"
REQ_INVALID = 0x0200  # It is no member.
ROUND_TRIP_S = 1.0  # What was acknowledged in the last 0.7 s may be lost.


class Churn(threading.Thread):
    """A client that joins a new group each 50 ms, and leaves the one of twenty joins before."""

    KEPT = 20

    def __init__(self, simulator, node):
        super().__init__(daemon=True)
        self._simulator, self._node = simulator, node
        self._guid = simulator.nodes[node].PortGuid(1)
        self._wanted, self._over, self._idle = threading.Event(), False, threading.Event()
        self.lid, self.joined = 0, {}
        self.asked, self.left, self.gone = set(), set(), {}  # `gone`: the leave was answered.

    def Run(self, lid):
        self.lid = lid
        self._idle.clear()
        self._wanted.set()

    def Pause(self):
        """It leaves all its groups, and waits."""
        self._wanted.clear()
        self._idle.wait(30)

    def End(self):
        self._over = True
        self._wanted.set()
        self.join(5)

    def Sure(self, before):
        """The groups that it was told it is in, before that time, and has not asked to leave."""
        return {group for group, when in self.joined.items() if when < before} - self.left

    def Doubt(self, after, lid):
        """From now on it asks at `lid`; leaves since that time may be lost, and are said again."""
        self.lid = lid
        self.gone = {group: when for group, when in self.gone.items() if when < after}

    @staticmethod
    def Group(number):
        return multicast_cases.Mgid("ff15a01d%08x" % number)

    def run(self):
        number = 0
        with sa.Client(self._simulator, self._node) as client:
            while not self._over:
                if not self._wanted.is_set():
                    for group in sorted(self.asked - set(self.gone)):
                        self._Leave(client, group)
                    self._idle.set()
                    self._wanted.wait()
                    continue
                self._Join(client, self.Group(number))
                if number >= self.KEPT:
                    self._Leave(client, self.Group(number - self.KEPT))
                number += 1
                time.sleep(0.05)

    def _Join(self, client, group):
        self.asked.add(group)
        if self._Ask(client, sa.SET, mgid=group, qkey=7, tclass=0, pkey=0xFFFF, flow=0, sl=0) == 0:
            self.joined[group] = time.monotonic()

    def _Leave(self, client, group):
        self.left.add(group)
        status = self._Ask(client, sa.DELETE, mgid=group)
        if status in (0, REQ_INVALID):
            self.gone[group] = time.monotonic()


    def _Ask(self, client, method, **fields):
        """The status; None without an answer."""
        fields.update(port=(multicast_cases.PREFIX, self._guid), join=1)
        mask = sum(1 << multicast_cases.COMPONENTS.index(name) for name in fields)
        try:
            return client.Query(self.lid, "MCMemberRecord", mask=mask, method=method, timeout_s=0.3,
                                data=multicast_cases.Record(**fields))[0]
        except ibsim.Unanswered:
            return None


def AwaitReplica(manager, timeout_s=60):
    """Until the standby holds what clients registered with the master."""
    deadline = time.monotonic() + timeout_s
    while not manager.Status()["replication"]["holds_replica"]:
        Expect(time.monotonic() < deadline, "no replica after %d s", timeout_s)
        time.sleep(0.1)


def AwaitAnswer(client, lid, timeout_s=240):
    """Until the subnet administrator at `lid` answers whatever it may."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            status, records = client.Query(lid, "MCMemberRecord", key=1, timeout_s=0.05)
        except ibsim.Unanswered:
            continue
        if status == 0 and records:
            return time.monotonic()
    raise ibsim.Unanswered("no answer within %d s" % timeout_s)


class Pair:
    """Two managers, of which the first is the master whenever it is there."""

    def __init__(self, context, first, second):
        self.context, self.kinds = context, (first, second)
        self.simulator = context.Simulate("ft3-k8")
        seats = self.simulator.hosts[0].name, self.simulator.hosts[9].name
        key = KEY if first == second == "embersm" else ""
        ours = "order balanced\n" + key
        self.managers = [context.Manage(seat, "sm-%d" % number, kind=kind, priority=9 - number,
                                        configuration=ours if kind == "embersm" else "")
                         for number, (seat, kind) in enumerate(zip(seats, self.kinds))]
        self.busy = [manager.node for manager in self.managers]
        self.is_replicated = key != ""
        Await(context, self.busy[0], *self.busy)
        self.managers[0].WaitQuiet(2)
        self.lids = [multicast_cases.LidOf(self.simulator, manager) for manager in self.managers]
        self.client_node = context.Witness(*self.busy)
        self.guid = self.simulator.nodes[self.client_node].PortGuid(1)
        self.churn = Churn(self.simulator, context.Witness(self.client_node, *self.busy))
        self.churn.start()

    def RegisterAll(self, client):
        multicast_cases.JoinAll(self.context, self.managers[0], 7)
        registration_cases.Register(client, self.lids[0], self.guid)

    def Tables(self, client, number):
        """What is registered, but for the groups of the client that joins without end."""
        tables = registration_cases.Tables(client, self.lids[number])
        tables["MCMemberRecord"] = [record for record in tables["MCMemberRecord"]
                                    if record[:16] not in self.churn.asked]
        return tables

    def Groups(self, client, number):
        return {record[:16] for record in
                multicast_cases.Ask(client, self.lids[number], sa.GET_TABLE, key=1)[1]}

    def IsUp(self, number):
        manager = self.managers[number]
        if manager.kind == "opensm":
            return manager.HasSaid("SUBNET UP")
        status = manager.Status()
        return status["up"] and status["role"] == "MASTER"

    def Kill(self, client):
        """One kill -> first answer, SUBNET UP, what is left by kind, groups lost of the busy."""
        before = self.Tables(client, 0)
        if self.is_replicated:
            AwaitReplica(self.managers[1])
        self.churn.Run(self.lids[0])
        time.sleep(ROUND_TRIP_S + 0.3)
        self.managers[0].Kill()
        died = time.monotonic()
        self.churn.Doubt(died - ROUND_TRIP_S, self.lids[1])
        answered = AwaitAnswer(client, self.lids[1]) - died
        lost = self.churn.Sure(died - ROUND_TRIP_S) - self.Groups(client, 1)
        while not self.IsUp(1):
            Expect(time.monotonic() - died < 300, "not up after 300 s")
            time.sleep(0.02)
        up = time.monotonic() - died
        after = self.Tables(client, 1)
        left = {name: (len(set(records) & set(after[name])), len(records))
                for name, records in before.items()}
        return answered, up, left, lost

    def Return(self, client):
        """The first is back and serves again. What is lost then is told, and registered again."""
        self.churn.Pause()
        before = self.Tables(client, 1)
        self.managers[0].Start()
        Await(self.context, self.busy[0], *self.busy, timeout_s=300)
        self.managers[0].WaitQuiet(2)
        after = self.Tables(client, 0)
        lost = sum(len(set(records) - set(after[name])) for name, records in before.items())
        if not self.is_replicated:
            self.RegisterAll(client)
        return lost


def Told(values):
    values = sorted(values)
    return "%.2f s, at worst %.2f" % (values[len(values) // 2], values[-1])


def Kills(first, second, kills, context):
    """The master is killed again and again; what its standby tells clients then."""
    sa.RECORDS.update(registration_cases.OWN)  # Here, lest other cases ask for them too.
    pair = Pair(context, first, second)
    answers, ups, left, of, after_return = [], [], {}, {}, 0
    with sa.Client(pair.simulator, pair.client_node) as client:
        pair.RegisterAll(client)
        for _ in range(kills):
            answered, up, kept, lost = pair.Kill(client)
            answers.append(answered)
            ups.append(up)
            for name, (count, total) in kept.items():
                left[name] = min(left.get(name, total), count)
                of[name] = total
                if pair.is_replicated:
                    Expect(count == total, "%s: %d of %d are left", name, count, total)
            if pair.is_replicated:
                Expect(not lost, "%d groups of the busy client were lost", len(lost))
                Expect(pair.managers[1].HasSaid("no client is asked to register again"),
                       "clients were asked")
            AskedByOthers(context, second, client.node, *pair.busy)
            after_return += pair.Return(client)
    pair.churn.End()
    context.Note("%d kills: first answer %s; SUBNET UP %s; least left %s; lost on return %d", kills,
                 Told(answers), Told(ups), ", ".join("%s %d of %d" % (name, left[name], of[name])
                                                     for name in left), after_return)
    if pair.is_replicated:
        Expect(after_return == 0, "%d records were lost when the first came back", after_return)
        Expect(max(answers) < 1.5 and max(ups) < 2.5, "too late: %s, %s", answers, ups)


Add("takeover.replicated", functools.partial(Kills, "embersm", "embersm", 3), short=True,
    timeout_s=300, kinds=("embersm",))
Add("takeover.replicated.fifty", functools.partial(Kills, "embersm", "embersm", 50), short=False,
    timeout_s=3000, kinds=("embersm",))
for _first, _second in (("opensm", "opensm"), ("embersm", "opensm"), ("opensm", "embersm")):
    Add("takeover.table.%s.%s" % (_first, _second), functools.partial(Kills, _first, _second, 3),
        short=False, timeout_s=1800, kinds=("embersm",))
