# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: two clients at once, while cables come and go.
"""One process joins and leaves groups in a loop, another asks for paths, and cables between switches flap.

Both sit at the leaf of the subnet manager, so what they say and hear crosses no cable that flaps, and
every question must be answered: none may be lost, and none counted twice.

Each PathRecord is followed hop by hop. The asker reads the forwarding tables and the states of the cables
between switches by directed routes before it asks and after it was answered. An entry that is alike in
both readings is held to have stood in between; where they differ, either may have stood. A path told
is right if a way made of such entries leads from the source's switch to the owner of the LID told;
"no record" is right if some such way does not, or goes by a cable that is down in one of the readings.
(A path by a cable that has just gone is no wrong answer: the tables are still those, and the subnet
manager has not heard of it yet.) While nothing moves both readings are alike and there is one way.
"""
import itertools
import json
import multiprocessing
import os
import random
import struct
import time
import traceback

import checks
import ibsim
import multicast_cases
import path_cases
import sa
from cases import Add
from checks import Expect

BUSY, NO_RECORDS = 0x0001, 0x0300
NET = "ft2-k8"


class Counts:
    """What a client asked and was answered."""

    def __init__(self):
        self.asked = self.answered = self.busy = self.checked = self.moving = self.none = 0

    def Ask(self, client, *what, **how):
        """As Query(); BUSY is counted and asked again."""
        while True:
            self.asked += 1
            status, records = client.Query(*what, **how)
            self.answered += 1
            if status != BUSY:
                return status, records
            self.busy += 1
            time.sleep(0.01)


def Join(simulator, lid, node, end, seed):
    """Joins and leaves groups, and at the end leaves all."""
    chance, counts, joined = random.Random(seed), Counts(), set()
    port = (path_cases.PREFIX, simulator.nodes[node].PortGuid(1))
    with sa.Client(simulator, node) as client:
        while time.monotonic() < end or joined:
            number = chance.randrange(24)
            if time.monotonic() >= end:
                number = joined.copy().pop()
            leaves = number in joined
            fields = dict(mgid=multicast_cases.Mgid("ff15a01c%08x" % number), port=port, join=1)
            if not leaves:
                fields.update(qkey=7, tclass=0, pkey=0xFFFF, flow=0, sl=0)
            mask = sum(1 << multicast_cases.COMPONENTS.index(name) for name in fields)
            status, records = counts.Ask(client, lid, "MCMemberRecord", mask=mask,
                                         data=multicast_cases.Record(**fields),
                                         method=sa.DELETE if leaves else sa.SET)
            Expect(status == 0, "group %d, %s: status 0x%04x", number,
                   "leave" if leaves else "join", status)
            mlid, = struct.unpack_from(">H", records[0], 36)
            Expect(records[0][:16] == fields["mgid"] and (leaves or mlid >= 0xC000),
                   "group %d, %s: told is %s", number, "leave" if leaves else "join",
                   records[0].hex())
            (joined.discard if leaves else joined.add)(number)
            counts.checked += 1
    return counts


class Tables:
    """The forwarding tables, and which cables between switches are up, at one moment."""

    def __init__(self, simulator, client, routes):
        switches = [node for node in simulator.switches if node.name in routes]
        trunks = [(node, port) for node in switches for port, peer in sorted(node.ports.items())
                  if simulator.nodes[peer.node].is_switch]
        tops = client.AskAll([(routes[node.name], ibsim.SWITCH_INFO, 0) for node in switches])
        blocks = max(int.from_bytes(top[6:8], "big") for top in tops) // 64 + 1
        answers = client.AskAll(
            [(routes[node.name], ibsim.LINEAR_FORWARDING_TABLE, block)
             for node in switches for block in range(blocks)] +
            [(routes[node.name], ibsim.PORT_INFO, port) for node, port in trunks])
        Expect(None not in answers, "the tables cannot be read")
        count = len(switches) * blocks
        self.entries = {node.name: b"".join(answers[i * blocks:(i + 1) * blocks])
                        for i, node in enumerate(switches)}
        self.up = {(node.name, port): ibsim.PortField(info, "state") == ibsim.ACTIVE
                   for (node, port), info in zip(trunks, answers[count:])}

    def IsUp(self, switch, port):
        return self.up.get((switch, port), True)


def Ways(simulator, before, after, start, owner, lid):
    """Whether some way of entries of either reading arrives, and whether one may fail."""
    arrives = fails = False
    pending, met = [(start, ())], set()
    while pending:
        here, trail = pending.pop()
        for port in {before.entries[here][lid], after.entries[here][lid]}:
            peer = simulator.nodes[here].ports.get(port)
            fails = fails or not (before.IsUp(here, port) and after.IsUp(here, port))
            if peer is not None and tuple(peer) == owner:
                arrives = True
            elif peer is None or not simulator.nodes[peer.node].is_switch or peer.node in trail:
                fails = True
            elif (peer.node, trail) not in met:
                met.add((peer.node, trail))
                pending.append((peer.node, trail + (here,)))
    return arrives, fails


def AskPaths(simulator, lid, node, routes, lids, end, seed):
    """Asks for paths between hosts of other leaves, and follows each."""
    chance, counts, usual = random.Random(seed), Counts(), None
    names = sorted(lids)
    with sa.Client(simulator, node) as client:
        before = Tables(simulator, client, routes)
        while time.monotonic() < end:
            source, target = chance.sample(names, 2)
            guids = [simulator.nodes[name].PortGuid(1) for name in (source, target)]
            mask, data = path_cases.Pack(sgid=path_cases.PREFIX << 64 | guids[0],
                                         dgid=path_cases.PREFIX << 64 | guids[1])
            status, records = counts.Ask(client, lid, "PathRecord", mask=mask, data=data,
                                         method=sa.GET)
            after = Tables(simulator, client, routes)
            start = simulator.nodes[source].ports[1].node
            arrives, fails = Ways(simulator, before, after, start, (target, 1), lids[target])
            what = "from %s to %s" % (source, target)
            Expect(status in (0, NO_RECORDS), "%s: status 0x%04x", what, status)
            if status == 0:
                Expect(arrives, "%s: a path is told, and no way leads there", what)
                dlid, slid = struct.unpack_from(">HH", records[0], 40)
                Expect((slid, dlid) == (lids[source], lids[target]),
                       "%s: LIDs %d and %d are told, not %d and %d", what, slid, dlid,
                       lids[source], lids[target])
                Expect(records[0][8:40] == data[8:40], "%s: other GIDs are told", what)
                # Reversible: there is a way back as well.
                back = Ways(simulator, before, after, simulator.nodes[target].ports[1].node,
                            (source, 1), lids[source])
                Expect(back[0 if records[0][49] & 0x80 else 1], "%s: reversible is told as %d", what,
                       records[0][49] >> 7)
                rest = records[0][50:]
                usual = usual or rest  # All cables are alike: P_Key, SL, MTU, rate, life time.
                Expect(rest == usual, "%s: %s is told, not %s", what, rest.hex(), usual.hex())
            else:
                Expect(fails, "%s: no path is told, and every way leads there", what)
                counts.none += 1
            counts.checked += 1
            counts.moving += arrives and fails
            before = after
    return counts


def InItsOwnProcess(work, *arguments):
    """Starts `work`; returns (process, the end of a pipe by which its counts or its failure come)."""
    ours, theirs = multiprocessing.Pipe()

    def Run():
        # pylint: disable=protected-access
        ibsim.Client._ids = itertools.count(ibsim.Client.FIRST_ID + (os.getpid() << 8 & 0xFFFFF00))
        try:
            theirs.send(json.dumps(vars(work(*arguments))))
        except Exception as wrong:  # It is told where the case can be failed.
            brief = isinstance(wrong, checks.Wrong)
            theirs.send(json.dumps(str(wrong) if brief else traceback.format_exc()))

    process = multiprocessing.get_context("fork").Process(target=Run, daemon=True)
    process.start()
    return process, ours


def Result(process, pipe, name, timeout_s):
    Expect(pipe.poll(timeout_s), "the client that %s does not end", name)
    told = json.loads(pipe.recv())
    process.join()
    Expect(isinstance(told, dict), "the client that %s: %s", name, told)
    return told


def FlapCables(context, cables, end, seed):
    """One cable after the other goes and comes; how often."""
    chance, flaps = random.Random(seed), 0
    while time.monotonic() < end:
        cable = chance.choice(cables)
        context.simulator.Unlink(*cable)
        time.sleep(chance.uniform(0.05, 0.8))
        context.simulator.Relink(*cable)
        time.sleep(chance.uniform(0.05, 0.5))
        flaps += 1
        Expect(context.managers[0].IsRunning(), "the subnet manager ended")
    return flaps


def AwaitHealth(context, timeout_s, *busy):
    """The trap of the last flap may have gone by a cable that was down; a light sweep finds it then."""
    end = time.monotonic() + timeout_s
    while True:
        try:
            context.Read(*busy).Check()
            return
        except checks.Wrong as wrong:
            Expect(time.monotonic() < end, "not healed after %d s: %s", timeout_s, wrong)
        time.sleep(0.2)


def TwoAtOnce(context, seconds, brief=True):
    """Two clients at once while cables flap: nothing lost, no wrong answer, all groups empty after it."""
    simulator = context.Simulate(NET)
    seat, joiner, asker = (simulator.hosts[i].name for i in range(3))
    # In the long form cables are put in quarantine, and let out, meanwhile.
    manager = context.Manage(seat, configuration="order balanced\n" +
                             ("flapping_link_policy damp\n" if brief else "flapping_link_hold 2\n"))
    manager.WaitUp()
    manager.WaitQuiet()
    subnet = context.Read(seat, joiner, asker)
    subnet.Check()
    leaf = simulator.nodes[seat].ports[1].node
    Expect(simulator.nodes[asker].ports[1].node == leaf, "the clients are not at the manager's leaf")
    # Cables that flap: two uplinks of every other leaf; the readings go by the rest.
    cables = [(node.name, port) for node in simulator.switches if node.name != leaf
              for port in [port for port, peer in sorted(node.ports.items())
                           if node.name.startswith("S-leaf")
                           and simulator.nodes[peer.node].is_switch][:2]]
    Expect(len(cables) >= 4, "the net has too few cables")
    routes = simulator.Routes(asker, set(cables))
    lids = {name: subnet.lids[(name, 1)][0] for name in
            (host.name for host in simulator.hosts if host.ports[1].node != leaf)}
    lid = multicast_cases.LidOf(simulator, manager)
    first = manager.Status()
    end = time.monotonic() + seconds
    joins = InItsOwnProcess(Join, simulator, lid, joiner, end, 1)
    asks = InItsOwnProcess(AskPaths, simulator, lid, asker, routes, lids, end, 2)
    flaps = FlapCables(context, cables, end, 3)
    joins, asks = Result(*joins, "joins", 30), Result(*asks, "asks", 30)
    manager.WaitQuiet()
    last = manager.Status()

    def More(name):
        return last["administration"][name] - first["administration"][name]

    asked = joins["asked"] + asks["asked"]
    context.Note("%d joins and leaves, %d paths followed (%d while the way moved, %d times none), %d flaps, "
                 "%d busy", joins["checked"], asks["checked"], asks["moving"], asks["none"], flaps,
                 joins["busy"] + asks["busy"])
    Expect(asked == joins["answered"] + asks["answered"], "%d asked, %d answered", asked,
           joins["answered"] + asks["answered"])
    Expect(More("questions") == asked, "%d asked, %d heard", asked, More("questions"))
    Expect(More("answers") == asked, "%d asked, %d counted as answered", asked, More("answers"))
    Expect(More("busy") == joins["busy"] + asks["busy"], "%d BUSY counted, %d heard", More("busy"),
           joins["busy"] + asks["busy"])
    Expect(More("refused") == asks["none"], "%d refused, %d heard", More("refused"), asks["none"])
    Expect(joins["checked"] > 10 * seconds and asks["checked"] > 2 * seconds and flaps > seconds / 2,
           "that is too few to show anything")
    # Nobody is in a group any more, and the real tool sees none but that of IP.
    Expect(last["multicast"]["groups"] == first["multicast"]["groups"], "%d groups are left, there were %d",
           last["multicast"]["groups"], first["multicast"]["groups"])
    Expect(last["multicast"]["members"] == first["multicast"]["members"], "%d members are left",
           last["multicast"]["members"])
    groups = checks.RunTool(context, "saquery", "-g", node=asker).stdout
    Expect("MGID" in groups and "ff15:a01c" not in groups.lower(), "saquery sees: %s", groups[-300:])
    AwaitHealth(context, 20 if brief else 150, seat, joiner, asker)


Add("clients.two-at-once", lambda context: TwoAtOnce(context, 20), timeout_s=120, kinds=("embersm",))
Add("clients.two-at-once.long", lambda context: TwoAtOnce(context, 180, False), short=False, timeout_s=400,
    kinds=("embersm",))
